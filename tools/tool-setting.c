/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-setting.h"

#include <string.h>

#include "tool-server.h"

/* “true”, “12” and “['a', 'b']” are what they look like; everything else is text. */
static GVariant *
parse_value (const char *text)
{
  g_autoptr (GVariant) value = g_variant_parse (NULL, text, NULL, NULL, NULL);

  return value ? g_steal_pointer (&value) : g_variant_ref_sink (g_variant_new_string (text));
}

gboolean
tool_setting_add (GVariantDict *settings, const char *option, const char *text, GError **error)
{
  const char *equals = strchr (text, '=');
  g_autofree char *name = equals ? g_strndup (text, (gsize)(equals - text)) : NULL;
  g_autoptr (GVariant) value = NULL;

  if (!name || *name == '\0')
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "“%s” sets nothing; give %s NAME=VALUE", text, option);
      return FALSE;
    }
  if (!tool_server_check_setting (name, error))
    return FALSE;
  value = parse_value (equals + 1);
  g_variant_dict_insert_value (settings, name, value);
  return TRUE;
}

gboolean
tool_setting_split (const char *text, const char *option, const char *example, char **name,
                    const char **value, GError **error)
{
  const char *equals = strchr (text, '=');

  if (!equals || equals == text)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "“%s” gives nothing; say %s NAME=VALUE, for example %s", text, option, example);
      return FALSE;
    }
  *name = g_strndup (text, (gsize)(equals - text));
  *value = equals + 1;
  return TRUE;
}

GHashTable *
tool_setting_new_table (GPtrArray *texts, const char *option, const char *example, GError **error)
{
  g_autoptr (GHashTable) table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  for (guint i = 0; texts && i < texts->len; i++)
    {
      char *name;
      const char *value;

      if (!tool_setting_split (texts->pdata[i], option, example, &name, &value, error))
        return NULL;
      g_hash_table_replace (table, name, g_strdup (value));
    }
  return g_steal_pointer (&table);
}
