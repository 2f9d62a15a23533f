/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool.h"

#include "tool-options.h"
#include "tool-server.h"

Tool *
tool_new (void)
{
  Tool *self = g_new0 (Tool, 1);

  self->cancellable = g_cancellable_new ();
  self->providers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  return self;
}

void
tool_free (Tool *self)
{
  g_clear_pointer (&self->providers, g_hash_table_unref);
  g_clear_object (&self->cancellable);
  g_free (self);
}

/* A guess tells more than the folders that were searched for what was mistyped. */
static void
suggest_provider (const char *name, GError **error)
{
  g_auto (GStrv) names = asb_registry_list_providers (asb_registry_get_default ());
  const char *guess = tool_options_guess ((const char *const *)names, name);

  if (!error || !g_error_matches (*error, ASB_ERROR, ASB_ERROR_MODULE_NOT_FOUND) || !guess)
    return;
  g_clear_error (error);
  g_set_error (error, ASB_ERROR, ASB_ERROR_MODULE_NOT_FOUND,
               "There is no provider “%s”; did you mean “%s”?", name, guess);
}

AsbProvider *
tool_set_up_provider (Tool *self, const char *name, GVariantDict *settings, GError **error)
{
  g_autoptr (GVariant) options = NULL;
  AsbProvider *provider;

  /* Only the local provider can keep a record when the sandbox goes, so only it is told, unless it
   * was with --set. */
  if (g_str_equal (name, TOOL_LOCAL_PROVIDER) && !g_variant_dict_contains (settings, "keep-record")
      && !g_variant_dict_contains (settings, "keep_record"))
    g_variant_dict_insert (settings, "keep-record", "b", !self->forget_record);
  if (!tool_server_apply (self, name, settings, error))
    return NULL;
  options = g_variant_ref_sink (g_variant_dict_end (settings));
  provider = asb_registry_create_provider (asb_registry_get_default (), name, options, error);
  if (provider)
    g_hash_table_replace (self->providers, g_strdup (name), provider);
  else
    suggest_provider (name, error);
  return provider;
}

AsbProvider *
tool_get_provider (Tool *self, const char *name, GError **error)
{
  AsbProvider *provider = g_hash_table_lookup (self->providers, name);
  g_auto (GVariantDict) settings = G_VARIANT_DICT_INIT (NULL);

  return provider ? provider : tool_set_up_provider (self, name, &settings, error);
}

void
tool_wait_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  ToolWait *wait = user_data;

  wait->result = g_object_ref (result);
}

GAsyncResult *
tool_wait (ToolWait *wait)
{
  while (!wait->result)
    g_main_context_iteration (NULL, TRUE);
  return wait->result;
}

void
tool_wait_clear (ToolWait *wait)
{
  g_clear_object (&wait->result);
}
