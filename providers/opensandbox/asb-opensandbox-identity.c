/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-identity.h"

#include <string.h>

#include "asb-opensandbox-labels.h"

#define DERIVED_DIGITS 32
#define MAX_ID_BYTES 512

char *
asb_opensandbox_identity_derive (const char *provider_key, const char *sandbox_id)
{
  g_autofree char *text = g_strconcat (provider_key, ":", sandbox_id, NULL);
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);

  digest[DERIVED_DIGITS] = '\0';
  return g_strconcat ("legacy-", digest, NULL);
}

char *
asb_opensandbox_identity_dup_instance_id (const char *provider_key, const char *sandbox_id,
                                          GHashTable *metadata)
{
  const char *given
      = metadata ? g_hash_table_lookup (metadata, ASB_OPENSANDBOX_LABEL_INSTANCE_ID) : NULL;

  if (given && *given)
    return g_strdup (given);
  return asb_opensandbox_identity_derive (provider_key, sandbox_id);
}

/* Servers decode a slash before they look for the route, so an id with one would name another. What
 * is no letter, digit or mark would do things to a terminal. */
gboolean
asb_opensandbox_identity_is_id (const char *id)
{
  gsize length = strlen (id);

  if (length == 0 || length > MAX_ID_BYTES || g_str_equal (id, ".") || g_str_equal (id, ".."))
    return FALSE;
  for (const char *at = id; *at; at++)
    if (!g_ascii_isgraph (*at) || *at == '/')
      return FALSE;
  return TRUE;
}
