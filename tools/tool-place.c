/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-place.h"

#include <string.h>

/* “true”, “12” and “['a', 'b']” are what they look like; everything else is text. */
static GVariant *
parse_value (const char *text)
{
  g_autoptr (GVariant) value = g_variant_parse (NULL, text, NULL, NULL, NULL);

  return value ? g_steal_pointer (&value) : g_variant_ref_sink (g_variant_new_string (text));
}

static gboolean
add_setting (GVariantDict *settings, const char *text, GError **error)
{
  const char *equals = strchr (text, '=');
  g_autofree char *name = equals ? g_strndup (text, (gsize)(equals - text)) : NULL;
  g_autoptr (GVariant) value = NULL;

  if (!name || *name == '\0')
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "“%s” sets nothing; give --set NAME=VALUE", text);
      return FALSE;
    }
  value = parse_value (equals + 1);
  g_variant_dict_insert_value (settings, name, value);
  return TRUE;
}

static gboolean
add_settings (const ToolPlace *self, GVariantDict *settings, GError **error)
{
  if (self->network)
    g_variant_dict_insert (settings, "network", "s", self->network);
  for (guint i = 0; self->settings && i < self->settings->len; i++)
    if (!add_setting (settings, self->settings->pdata[i], error))
      return FALSE;
  return TRUE;
}

gboolean
tool_place_apply (const ToolPlace *self, Tool *tool, AsbBackendOptions *options, GError **error)
{
  const char *name = self->provider ? self->provider : TOOL_LOCAL_PROVIDER;
  g_auto (GVariantDict) settings = G_VARIANT_DICT_INIT (NULL);
  AsbProvider *provider;

  if (!add_settings (self, &settings, error))
    return FALSE;
  provider = tool_set_up_provider (tool, name, &settings, error);
  if (!provider)
    return FALSE;
  asb_backend_options_set_provider (options, provider);
  if (self->image)
    asb_backend_options_set_image (options, self->image);
  return TRUE;
}
