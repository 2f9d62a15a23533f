/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-labels.h"

#include <string.h>

#include "lookalike-json.h"

#define MAX_NAME 63
#define MAX_PREFIX 253
#define RESERVED "opensandbox.io/"

static gboolean
is_name (const char *name)
{
  gsize length = strlen (name);

  if (length == 0 || length > MAX_NAME || !g_ascii_isalnum (name[0])
      || !g_ascii_isalnum (name[length - 1]))
    return FALSE;
  for (gsize i = 0; i < length; i++)
    if (!g_ascii_isalnum (name[i]) && strchr ("-_.", name[i]) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
is_dns_part (const char *part)
{
  gsize length = strlen (part);

  if (length == 0 || part[0] == '-' || part[length - 1] == '-')
    return FALSE;
  for (gsize i = 0; i < length; i++)
    if (!g_ascii_islower (part[i]) && !g_ascii_isdigit (part[i]) && part[i] != '-')
      return FALSE;
  return TRUE;
}

static gboolean
is_key (const char *key)
{
  const char *slash = strchr (key, '/');
  g_autofree char *prefix = NULL;
  g_auto (GStrv) parts = NULL;

  if (slash == NULL)
    return is_name (key);
  prefix = g_strndup (key, (gsize)(slash - key));
  if (prefix[0] == '\0' || strlen (prefix) > MAX_PREFIX)
    return FALSE;
  parts = g_strsplit (prefix, ".", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    if (!is_dns_part (parts[i]))
      return FALSE;
  return is_name (slash + 1);
}

gboolean
lookalike_labels_is_reserved (const char *key)
{
  return g_str_has_prefix (key, RESERVED);
}

static char *
check_one (const char *key, const char *value)
{
  if (lookalike_labels_is_reserved (key))
    return g_strdup_printf ("Metadata key '%s' uses the reserved prefix '" RESERVED
                            "'. Keys under this prefix are "
                            "managed by the system and cannot be set via metadata.",
                            key);
  if (!is_key (key))
    return g_strdup_printf (
        "Metadata key '%s' is invalid: must be either a name or a DNS-subdomain prefix and name "
        "separated by /, where the name is up to 63 characters and matches "
        "[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?, and the optional prefix is a valid DNS "
        "subdomain up to 253 characters.",
        key);
  if (value[0] != '\0' && !is_name (value))
    return g_strdup_printf (
        "Metadata value '%s' is invalid: must be 63 characters or less, start/end with an "
        "alphanumeric character, and contain only alphanumeric, '-', '_', or '.' characters.",
        value);
  return NULL;
}

char *
lookalike_labels_check (JsonObject *metadata)
{
  g_autoptr (GList) keys = metadata != NULL ? json_object_get_members (metadata) : NULL;
  char *why = NULL;

  for (GList *i = keys; i != NULL && why == NULL; i = i->next)
    {
      const char *value = lookalike_json_get_string (metadata, i->data);

      if (value != NULL)
        why = check_one (i->data, value);
    }
  return why;
}
