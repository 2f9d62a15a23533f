/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-creation.h"

#include <string.h>

#include "tool-key.h"
#include "tool-setting.h"
#include "tool-value.h"

#define MAX_FILE (1024 * 1024)

static gboolean
refuse (GError **error, const char *format, const char *text)
{
  g_autofree char *shown = g_utf8_make_valid (text, -1);

  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "“%s” %s", shown, format);
  return FALSE;
}

/* Who may be reached. */

static void
add_rules (AsbNetworkPolicy *policy, AsbNetworkAction action, GPtrArray *targets)
{
  for (guint i = 0; targets && i < targets->len; i++)
    asb_network_policy_add_rule (policy, action, targets->pdata[i]);
}

/* Of what is denied and allowed both, the denial counts. */
static void
set_policy (const ToolCreation *self, AsbBackendOptions *options)
{
  const gboolean allows = g_strcmp0 (self->rest, "allow") == 0;
  g_autoptr (AsbNetworkPolicy) policy = NULL;

  if (!self->rest && !self->allowed && !self->denied)
    return;
  policy = asb_network_policy_new ();
  asb_network_policy_set_default_action (policy, allows ? ASB_NETWORK_ACTION_ALLOW
                                                        : ASB_NETWORK_ACTION_DENY);
  add_rules (policy, ASB_NETWORK_ACTION_DENY, self->denied);
  add_rules (policy, ASB_NETWORK_ACTION_ALLOW, self->allowed);
  asb_backend_options_set_network_policy (options, policy);
}

/* The registry of the image. */

static gboolean
set_login (const ToolCreation *self, AsbBackendOptions *options, GError **error)
{
  g_autofree char *login = NULL;
  char *colon;

  if (!self->registry_login)
    return TRUE;
  login = tool_key_read_login (self->registry_login, error);
  if (!login)
    return FALSE;
  colon = strchr (login, ':');
  if (!colon || colon == login || colon[1] == '\0')
    return refuse (error, "has no login in its first line; put NAME:PASSWORD there",
                   self->registry_login);
  *colon = '\0';
  asb_backend_options_set_image_username (options, login);
  asb_backend_options_set_image_password (options, colon + 1);
  return TRUE;
}

/* What only the provider knows. */

static gboolean
add_file (const ToolCreation *self, GVariantDict *dict, GError **error)
{
  g_autofree char *name = self->file ? g_filename_display_name (self->file) : NULL;
  g_autofree char *what = name ? g_strdup_printf ("“%s”", name) : NULL;
  g_autofree char *text = NULL;
  g_autoptr (GVariant) members = NULL;
  GVariantIter iter;
  const char *member;
  GVariant *value;
  gsize size;

  if (!self->file)
    return TRUE;
  if (!g_file_get_contents (self->file, &text, &size, error))
    return FALSE;
  if (size > MAX_FILE)
    return refuse (error, "is longer than 1 MiB, so it holds no options", name);
  members = tool_value_parse_object (text, size, what, error);
  if (!members)
    return FALSE;
  g_variant_iter_init (&iter, members);
  while (g_variant_iter_loop (&iter, "{&sv}", &member, &value))
    g_variant_dict_insert_value (dict, member, value);
  return TRUE;
}

/* However deep it is. */
static gboolean
holds_secret (GVariant *value)
{
  gboolean holds = FALSE;

  if (g_variant_is_of_type (value, G_VARIANT_TYPE ("{s*}")))
    {
      g_autofree char *lower = NULL;
      g_autoptr (GVariant) name = g_variant_get_child_value (value, 0);

      lower = g_ascii_strdown (g_variant_get_string (name, NULL), -1);
      holds = strstr (lower, "secret") || strstr (lower, "password");
    }
  for (gsize i = 0; g_variant_is_container (value) && i < g_variant_n_children (value) && !holds;
       i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (value, i);

      holds = holds_secret (child);
    }
  return holds;
}

static gboolean
add_options (const ToolCreation *self, GVariantDict *dict, GError **error)
{
  for (guint i = 0; self->options && i < self->options->len; i++)
    {
      g_autofree char *name = NULL;
      const char *text;
      g_autoptr (GVariant) value = NULL;

      if (!tool_setting_split (self->options->pdata[i], "--create-option", "credential_proxy=true",
                               &name, &text, error))
        return FALSE;
      value = tool_value_parse (text);
      if (holds_secret (value))
        return refuse (error,
                       "holds a secret, and a command line shows in lists of processes; put it in "
                       "a file and give --create-file",
                       name);
      g_variant_dict_insert_value (dict, name, value);
    }
  return TRUE;
}

/* Names and texts, beside those that are in @dict. */
static gboolean
add_extensions (const ToolCreation *self, GVariantDict *dict, GError **error)
{
  g_autoptr (GHashTable) given
      = tool_setting_new_table (self->extensions, "--extension", "poolRef=NAME", error);
  g_autoptr (GVariant) before = NULL;
  g_auto (GVariantDict) extensions = G_VARIANT_DICT_INIT (NULL);
  GHashTableIter iter;
  gpointer name, value;

  if (!given || g_hash_table_size (given) == 0)
    return given != NULL;
  before = g_variant_dict_lookup_value (dict, "extensions", G_VARIANT_TYPE_VARDICT);
  if (before)
    {
      g_variant_dict_clear (&extensions);
      g_variant_dict_init (&extensions, before);
    }
  g_hash_table_iter_init (&iter, given);
  while (g_hash_table_iter_next (&iter, &name, &value))
    g_variant_dict_insert (&extensions, name, "s", (const char *)value);
  g_variant_dict_insert_value (dict, "extensions", g_variant_dict_end (&extensions));
  return TRUE;
}

/* KIND:SOURCE:TARGET[:ro] */
static GVariant *
new_volume (const char *text, guint number, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", -1);
  const guint n_parts = g_strv_length (parts);
  const gboolean is_host = n_parts > 0 && strcmp (parts[0], "host") == 0;
  const gboolean is_claim = n_parts > 0 && strcmp (parts[0], "pvc") == 0;
  g_autofree char *name = g_strdup_printf ("volume-%u", number);
  GVariantDict source;
  GVariantDict volume;

  if (!g_utf8_validate (text, -1, NULL) || (!is_host && !is_claim)
      || (n_parts != 3 && (n_parts != 4 || strcmp (parts[3], "ro") != 0)) || parts[1][0] == '\0'
      || parts[2][0] != '/')
    {
      refuse (error,
              "is no volume; give pvc:NAME:TARGET or host:FOLDER:TARGET, with :ro behind it if it "
              "shall not be written, and others with --create-file",
              text);
      return NULL;
    }
  g_variant_dict_init (&source, NULL);
  g_variant_dict_insert (&source, is_host ? "path" : "claim_name", "s", parts[1]);
  g_variant_dict_init (&volume, NULL);
  g_variant_dict_insert (&volume, "name", "s", name);
  g_variant_dict_insert_value (&volume, parts[0], g_variant_dict_end (&source));
  g_variant_dict_insert (&volume, "mount_path", "s", parts[2]);
  g_variant_dict_insert (&volume, "read_only", "b", n_parts == 4);
  return g_variant_dict_end (&volume);
}

static gboolean
add_volumes (const ToolCreation *self, GVariantDict *dict, GError **error)
{
  g_autoptr (GVariant) before
      = g_variant_dict_lookup_value (dict, "volumes", G_VARIANT_TYPE ("aa{sv}"));
  const guint n_before = before ? (guint)g_variant_n_children (before) : 0;
  GVariantBuilder builder;

  if (!self->volumes)
    return TRUE;
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < n_before; i++)
    {
      g_autoptr (GVariant) volume = g_variant_get_child_value (before, i);

      g_variant_builder_add_value (&builder, volume);
    }
  for (guint i = 0; i < self->volumes->len; i++)
    {
      GVariant *volume = new_volume (self->volumes->pdata[i], n_before + i + 1, error);

      if (!volume)
        {
          g_variant_builder_clear (&builder);
          return FALSE;
        }
      g_variant_builder_add_value (&builder, volume);
    }
  g_variant_dict_insert_value (dict, "volumes", g_variant_builder_end (&builder));
  return TRUE;
}

static gboolean
set_create_options (const ToolCreation *self, AsbBackendOptions *options, GError **error)
{
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (NULL);
  g_autoptr (GVariant) value = NULL;

  if (!add_file (self, &dict, error) || !add_options (self, &dict, error)
      || !add_extensions (self, &dict, error) || !add_volumes (self, &dict, error))
    return FALSE;
  if (self->secure_access)
    g_variant_dict_insert (&dict, "secure_access", "b", TRUE);
  value = g_variant_ref_sink (g_variant_dict_end (&dict));
  if (g_variant_n_children (value) > 0)
    asb_backend_options_set_create_options (options, value);
  return TRUE;
}

gboolean
tool_creation_apply (const ToolCreation *self, AsbBackendOptions *options, GError **error)
{
  g_autoptr (GHashTable) metadata
      = tool_setting_new_table (self->metadata, "--metadata", "team=x", error);

  if (!metadata)
    return FALSE;
  if (g_hash_table_size (metadata) > 0)
    asb_backend_options_set_metadata (options, metadata);
  set_policy (self, options);
  return set_login (self, options, error) && set_create_options (self, options, error);
}
