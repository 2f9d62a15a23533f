/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-place.h"

#include <string.h>

#include "tool-server.h"
#include "tool-setting.h"

static gboolean
add_settings (const ToolPlace *self, const char *provider, GVariantDict *settings, GError **error)
{
  if (self->network && g_str_equal (provider, TOOL_SERVER_PROVIDER))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "A server has no --network; give --egress-rest allow or deny, or "
                           "--egress-allow");
      return FALSE;
    }
  if (self->network)
    g_variant_dict_insert (settings, "network", "s", self->network);
  for (guint i = 0; self->settings && i < self->settings->len; i++)
    if (!tool_setting_add (settings, "--set", self->settings->pdata[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
set_resources (const ToolPlace *self, AsbBackendOptions *options, GError **error)
{
  g_autoptr (GHashTable) resources
      = tool_setting_new_table (self->resources, "--resource", "cpu=1", error);
  GHashTableIter iter;
  gpointer name, amount;

  if (!resources)
    return FALSE;
  g_hash_table_iter_init (&iter, resources);
  while (g_hash_table_iter_next (&iter, &name, &amount))
    if (*(const char *)amount == '\0')
      {
        g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                     "“%s=” gives nothing; say how much, for example --resource cpu=1",
                     (const char *)name);
        return FALSE;
      }
  asb_backend_options_set_resources (options, resources);
  return TRUE;
}

static void
set_entrypoint (const ToolPlace *self, AsbBackendOptions *options)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();

  for (guint i = 0; i < self->entrypoint->len; i++)
    g_ptr_array_add (words, self->entrypoint->pdata[i]);
  g_ptr_array_add (words, NULL);
  asb_backend_options_set_entrypoint (options, (const char *const *)words->pdata);
}

/* A server cannot choose an image; the library has one for that. */
static void
set_image (const ToolPlace *self, AsbBackendOptions *options, const char *provider)
{
  g_autoptr (AsbOpensandboxConfig) usual = NULL;

  if (self->image)
    asb_backend_options_set_image (options, self->image);
  else if (!self->snapshot && g_str_equal (provider, TOOL_SERVER_PROVIDER))
    {
      usual = asb_opensandbox_config_new ();
      asb_backend_options_set_image (options,
                                     asb_backend_options_get_image (ASB_BACKEND_OPTIONS (usual)));
    }
}

static gboolean
set_snapshot (const ToolPlace *self, AsbBackendOptions *options, const char *provider,
              GError **error)
{
  g_autofree char *prefix = g_strconcat (provider, ":", NULL);

  if (!self->snapshot)
    return TRUE;
  if (self->image)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "A sandbox is made of an image or of a snapshot; give --image or "
                           "--snapshot");
      return FALSE;
    }
  asb_backend_options_set_snapshot_id (
      options, self->snapshot + (g_str_has_prefix (self->snapshot, prefix) ? strlen (prefix) : 0));
  return TRUE;
}

gboolean
tool_place_apply (const ToolPlace *self, Tool *tool, AsbBackendOptions *options, GError **error)
{
  const char *name = self->provider ? self->provider : tool_server_get_default_provider ();
  g_auto (GVariantDict) settings = G_VARIANT_DICT_INIT (NULL);
  AsbProvider *provider;

  if (!add_settings (self, name, &settings, error))
    return FALSE;
  provider = tool_set_up_provider (tool, name, &settings, error);
  if (!provider)
    return FALSE;
  asb_backend_options_set_provider (options, provider);
  set_image (self, options, name);
  if (self->platform)
    asb_backend_options_set_platform (options, self->platform);
  if (self->entrypoint)
    set_entrypoint (self, options);
  return set_snapshot (self, options, name, error)
         && (!self->resources || set_resources (self, options, error));
}
