/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-endpoint.h"

#include <string.h>

#include "asb-opensandbox-headers.h"

#define API_PATH "/v1"

static GHashTable *
copy_headers (GHashTable *headers)
{
  GHashTable *copy = asb_opensandbox_headers_new ();
  GHashTableIter iter;
  gpointer name;
  gpointer value;

  if (!headers)
    return copy;
  g_hash_table_iter_init (&iter, headers);
  while (g_hash_table_iter_next (&iter, &name, &value))
    g_hash_table_replace (copy, g_strdup (name), g_strdup (value));
  return copy;
}

AsbOpensandboxEndpoint *
asb_opensandbox_endpoint_new (const char *base, GHashTable *headers,
                              AsbOpensandboxEndpointFlags flags)
{
  AsbOpensandboxEndpoint *self = g_atomic_rc_box_new0 (AsbOpensandboxEndpoint);
  gsize length = strlen (base);

  while (length > 0 && base[length - 1] == '/')
    length--;
  self->base = g_strndup (base, length);
  self->headers = copy_headers (headers);
  self->flags = flags;
  return self;
}

void
asb_opensandbox_endpoint_set_sandbox (AsbOpensandboxEndpoint *self, const char *sandbox_id)
{
  g_free (self->sandbox_id);
  self->sandbox_id = g_strdup (sandbox_id);
}

AsbOpensandboxEndpoint *
asb_opensandbox_endpoint_new_lifecycle (AsbOpensandboxSettings *settings)
{
  g_autofree char *base = g_strdup_printf ("%s://%s" API_PATH, settings->scheme, settings->domain);

  return asb_opensandbox_endpoint_new (base, NULL, ASB_OPENSANDBOX_ENDPOINT_SEND_KEY);
}

AsbOpensandboxEndpoint *
asb_opensandbox_endpoint_ref (AsbOpensandboxEndpoint *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
endpoint_clear (gpointer data)
{
  AsbOpensandboxEndpoint *self = data;

  g_clear_pointer (&self->base, g_free);
  g_clear_pointer (&self->sandbox_id, g_free);
  g_clear_pointer (&self->headers, g_hash_table_unref);
}

void
asb_opensandbox_endpoint_unref (AsbOpensandboxEndpoint *self)
{
  g_atomic_rc_box_release_full (self, endpoint_clear);
}
