/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the provider does, blocking; any thread may call. */

#pragma once

#include <asb.h>

#include "asb-local-metadata.h"

typedef struct
{
  char *state_dir;
  char *record_dir;
  char *bubblewrap; /* NULL: found in PATH */
  char *guest;      /* NULL: the usual one */
  char *systemd;    /* “auto”, “never” or the address of a bus */
  gboolean host_network;
  gboolean keep_record;
} AsbLocalSettings;

/* What is wanted of a new sandbox: a copy, for the caller may change its own meanwhile. */
typedef struct
{
  AsbLocalMetadata *metadata; /* without an id */
  char **environment;
  char *key; /* may be NULL: under which a repeated creation finds the first */
} AsbLocalOrder;

AsbLocalOrder *asb_local_order_new (AsbSandboxSpec *spec, GError **error);
void asb_local_order_free (AsbLocalOrder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbLocalOrder, asb_local_order_free)

/* Completes the metadata of @order. Leaves nothing behind when it fails or is cancelled. */
gboolean asb_local_create (const AsbLocalSettings *settings, AsbLocalOrder *order,
                           GCancellable *cancellable, GError **error);

AsbLocalMetadata *asb_local_get (const AsbLocalSettings *settings, const char *id,
                                 AsbSandboxState *state, GError **error);

/* Sets the time left to it. */
AsbLocalMetadata *asb_local_renew (const AsbLocalSettings *settings, const char *id, gint64 seconds,
                                   AsbSandboxState *state, GError **error);

/* Lets one go on whose guest somebody has stopped. */
AsbLocalMetadata *asb_local_resume (const AsbLocalSettings *settings, const char *id,
                                    AsbSandboxState *state, GError **error);

/* A connection to the guest, which is started if there is none. @record_only: also to the kept
 * record of a sandbox that is gone. */
GIOStream *asb_local_open (const AsbLocalSettings *settings, const char *id, gboolean record_only,
                           GCancellable *cancellable, GError **error);
