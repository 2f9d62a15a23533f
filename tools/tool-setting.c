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
