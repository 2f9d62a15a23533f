/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-labels.h"

#include <asb.h>
#include <string.h>

#define MAX_NAME_BYTES 63
#define MAX_PREFIX_BYTES 253
#define MAX_SHOWN_CHARACTERS 80
#define RESERVED_PREFIX "opensandbox.io/"

/* NULL if it keeps to the rule. */
static const char *
find_fault_of_name (const char *name)
{
  gsize length = strlen (name);

  if (length == 0)
    return "must not be empty";
  if (length > MAX_NAME_BYTES)
    return "must be at most 63 bytes long";
  for (gsize i = 0; i < length; i++)
    if (!g_ascii_isalnum (name[i]) && !strchr ("-_.", name[i]))
      return "may hold the letters A to Z and a to z, digits, “-”, “_” and “.” only";
  if (!g_ascii_isalnum (name[0]) || !g_ascii_isalnum (name[length - 1]))
    return "must begin and end with a letter or digit";
  return NULL;
}

static gboolean
is_dns_part (const char *part)
{
  gsize length = strlen (part);

  for (gsize i = 0; i < length; i++)
    if (!g_ascii_islower (part[i]) && !g_ascii_isdigit (part[i]) && part[i] != '-')
      return FALSE;
  return length > 0 && length <= MAX_NAME_BYTES && part[0] != '-' && part[length - 1] != '-';
}

static const char *
find_fault_of_prefix (const char *prefix)
{
  g_auto (GStrv) parts = g_strsplit (prefix, ".", -1);

  if (!*prefix || strlen (prefix) > MAX_PREFIX_BYTES)
    return "needs 1 to 253 bytes before the “/”";
  for (guint i = 0; parts[i]; i++)
    if (!is_dns_part (parts[i]))
      return "needs a name as in the DNS, in lower case, before the “/”";
  return NULL;
}

static const char *
find_fault_of_key (const char *key)
{
  const char *slash = strchr (key, '/');
  g_autofree char *prefix = NULL;
  const char *fault;

  if (g_str_has_prefix (key, RESERVED_PREFIX))
    return "must not begin with “opensandbox.io/”, which is the server's own";
  if (!slash)
    return find_fault_of_name (key);
  prefix = g_strndup (key, (gsize)(slash - key));
  fault = find_fault_of_prefix (prefix);
  return fault ? fault : find_fault_of_name (slash + 1);
}

static char *
shorten (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autofree char *start = NULL;

  if (g_utf8_strlen (valid, -1) <= MAX_SHOWN_CHARACTERS)
    return g_steal_pointer (&valid);
  start = g_utf8_substring (valid, 0, MAX_SHOWN_CHARACTERS);
  return g_strconcat (start, "…", NULL);
}

static void
set_key_error (GError **error, const char *key, const char *fault)
{
  g_autofree char *shown = shorten (key);

  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "The metadata key “%s” would be refused by the server: it %s", shown, fault);
}

static void
set_value_error (GError **error, const char *key, const char *value, const char *fault)
{
  g_autofree char *shown_key = shorten (key);
  g_autofree char *shown = shorten (value);

  if (g_str_equal (key, ASB_OPENSANDBOX_LABEL_NAME))
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "The sandbox name “%s” would be refused by the server: it %s", shown, fault);
  else
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "The metadata value “%s” of “%s” would be refused by the server: it %s", shown,
                 shown_key, fault);
}

gboolean
asb_opensandbox_labels_check (const char *key, const char *value, GError **error)
{
  const char *fault = find_fault_of_key (key);

  if (fault)
    {
      set_key_error (error, key, fault);
      return FALSE;
    }
  fault = value && *value ? find_fault_of_name (value) : NULL;
  if (fault)
    set_value_error (error, key, value, fault);
  return fault == NULL;
}

gboolean
asb_opensandbox_labels_check_all (GHashTable *metadata, GError **error)
{
  g_autoptr (GList) keys = g_list_sort (g_hash_table_get_keys (metadata), (GCompareFunc)strcmp);

  for (GList *i = keys; i; i = i->next)
    if (!asb_opensandbox_labels_check (i->data, g_hash_table_lookup (metadata, i->data), error))
      return FALSE;
  return TRUE;
}
