/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A place to send requests to: a base address and what goes with each request. */

#pragma once

#include "asb-opensandbox-settings.h"

typedef enum
{
  ASB_OPENSANDBOX_ENDPOINT_NONE = 0,
  /* The lifecycle server and its own proxy paths. The client checks again that the origin is that
   * of the settings. */
  ASB_OPENSANDBOX_ENDPOINT_SEND_KEY = 1 << 0,
  /* execd, however it is reached */
  ASB_OPENSANDBOX_ENDPOINT_SEND_EXECD_TOKEN = 1 << 1,
  /* In a sandbox and reached without the server's proxy: an error hints at it. */
  ASB_OPENSANDBOX_ENDPOINT_DIRECT = 1 << 2
} AsbOpensandboxEndpointFlags;

/* Immutable. Any thread. */
typedef struct
{
  char *base;          /* “http://host:port/path”, without a slash at the end */
  GHashTable *headers; /* name → value, from the lookup; never NULL */
  AsbOpensandboxEndpointFlags flags;
  char *sandbox_id; /* where it leads; NULL for the server itself */
} AsbOpensandboxEndpoint;

/* @headers (name → value, NULL for none) is copied. Slashes at the end of @base are dropped. */
AsbOpensandboxEndpoint *asb_opensandbox_endpoint_new (const char *base, GHashTable *headers,
                                                      AsbOpensandboxEndpointFlags flags);

/* One that was just made, and that nobody else knows yet, leads into a sandbox: when it cannot be
 * reached the server is asked whether that is the reason. */
void asb_opensandbox_endpoint_set_sandbox (AsbOpensandboxEndpoint *self, const char *sandbox_id);

/* The lifecycle server: “scheme://domain/v1”, with the key. */
AsbOpensandboxEndpoint *asb_opensandbox_endpoint_new_lifecycle (AsbOpensandboxSettings *settings);

AsbOpensandboxEndpoint *asb_opensandbox_endpoint_ref (AsbOpensandboxEndpoint *self);
void asb_opensandbox_endpoint_unref (AsbOpensandboxEndpoint *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxEndpoint, asb_opensandbox_endpoint_unref)
