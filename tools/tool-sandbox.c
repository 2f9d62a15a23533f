/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-sandbox.h"

#include <string.h>

#include "tool-json.h"
#include "tool-limits.h"
#include "tool-message.h"
#include "tool-name.h"
#include "tool-no-record.h"
#include "tool-options.h"
#include "tool-server.h"
#include "tool-text.h"

#define MIN_PREFIX 4
#define MIN_SHORT_ID 8
#define PAGE_SIZE 1000
#define MAX_CANDIDATES 8

void
tool_sandbox_clear (ToolSandbox *sandbox)
{
  g_clear_object (&sandbox->provider);
  g_clear_object (&sandbox->info);
}

const char *
tool_sandbox_get_id (AsbSandboxInfo *info)
{
  return asb_sandbox_ref_get_sandbox_id (asb_sandbox_info_get_ref (info));
}

char *
tool_sandbox_dup_full_name (AsbSandboxInfo *info)
{
  const char *provider = asb_sandbox_ref_get_provider_name (asb_sandbox_info_get_ref (info));

  return g_strconcat (provider, ":", tool_sandbox_get_id (info), NULL);
}

gboolean
tool_sandbox_is_local (AsbSandboxInfo *info)
{
  const char *provider = asb_sandbox_ref_get_provider_name (asb_sandbox_info_get_ref (info));

  return g_strcmp0 (provider, TOOL_LOCAL_PROVIDER) == 0;
}

const char *
tool_sandbox_get_state (AsbSandboxInfo *info)
{
  if (tool_sandbox_is_removed (info)
      && g_strcmp0 (asb_sandbox_info_get_reason (info), "expired") == 0)
    return "expired";
  return tool_enum_get_nick (ASB_TYPE_SANDBOX_STATE, asb_sandbox_info_get_state (info));
}

gboolean
tool_sandbox_is_removed (AsbSandboxInfo *info)
{
  return asb_sandbox_info_get_state (info) == ASB_SANDBOX_STATE_DELETED;
}

static GVariant *
all_states (void)
{
  g_autoptr (GEnumClass) states = g_type_class_ref (ASB_TYPE_SANDBOX_STATE);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_STRING_ARRAY);
  for (guint i = 0; i < states->n_values; i++)
    g_variant_builder_add (&builder, "s", states->values[i].value_nick);
  return g_variant_builder_end (&builder);
}

static int
compare_age (gconstpointer a, gconstpointer b)
{
  AsbSandboxInfo *const *first = a;
  AsbSandboxInfo *const *second = b;
  GDateTime *first_time = asb_sandbox_info_get_created_at (*first);
  GDateTime *second_time = asb_sandbox_info_get_created_at (*second);

  if (first_time && second_time && g_date_time_compare (first_time, second_time) != 0)
    return g_date_time_compare (first_time, second_time);
  return strcmp (tool_sandbox_get_id (*first), tool_sandbox_get_id (*second));
}

/* Returns: whether there was anything new on the page */
static gboolean
add_page (GPtrArray *infos, GHashTable *seen, GListModel *page)
{
  gboolean any = FALSE;

  for (guint i = 0; i < g_list_model_get_n_items (page); i++)
    {
      AsbSandboxInfo *info = g_list_model_get_item (page, i);

      if (g_hash_table_add (seen, g_strdup (tool_sandbox_get_id (info))))
        {
          g_ptr_array_add (infos, info);
          any = TRUE;
        }
      else
        g_object_unref (info);
    }
  return any;
}

GPtrArray *
tool_sandbox_list (Tool *tool, AsbProvider *provider, ToolSandboxScope scope, GError **error)
{
  return tool_sandbox_list_with (tool, provider, scope, NULL, error);
}

GPtrArray *
tool_sandbox_list_with (Tool *tool, AsbProvider *provider, ToolSandboxScope scope,
                        GHashTable *metadata, GError **error)
{
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();
  g_autoptr (GPtrArray) infos = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gboolean more = TRUE;

  if (scope == TOOL_SANDBOX_ANY)
    asb_sandbox_filter_set_states (filter, all_states ());
  if (metadata && g_hash_table_size (metadata) > 0)
    asb_sandbox_filter_set_metadata (filter, metadata);
  asb_sandbox_filter_set_page_size (filter, PAGE_SIZE);
  for (guint page = 1; more; page++)
    {
      g_auto (ToolWait) wait = { 0 };
      g_autoptr (GListModel) found = NULL;

      asb_sandbox_filter_set_page (filter, page);
      asb_provider_list_sandboxes_async (provider, filter, tool->cancellable, tool_wait_cb, &wait);
      found = asb_provider_list_sandboxes_finish (provider, tool_wait (&wait), error);
      if (!found)
        return NULL;
      more = add_page (infos, seen, found) && g_list_model_get_n_items (found) >= PAGE_SIZE;
    }
  g_ptr_array_sort (infos, compare_age);
  return g_steal_pointer (&infos);
}

guint
tool_sandbox_get_short_length (GPtrArray *infos)
{
  guint length = MIN_SHORT_ID;

  for (guint i = 0; i < infos->len; i++)
    for (guint j = 0; j < i; j++)
      {
        const char *first = tool_sandbox_get_id (infos->pdata[i]);
        const char *second = tool_sandbox_get_id (infos->pdata[j]);
        guint common = 0;

        while (first[common] && first[common] == second[common])
          common++;
        length = MAX (length, common + 1);
      }
  return length;
}

const char *
tool_sandbox_split_name (const char *text, char **provider)
{
  const gsize length = strspn (text, "abcdefghijklmnopqrstuvwxyz0123456789-_");

  if (length > 0 && text[length] == ':')
    {
      *provider = g_strndup (text, length);
      return text + length + 1;
    }
  *provider = g_strdup (tool_server_get_default_provider ());
  return text;
}

static gboolean
set_ambiguous (GError **error, const char *text, GPtrArray *matches)
{
  g_autoptr (GString) candidates = g_string_new (NULL);

  for (guint i = 0; i < matches->len && i < MAX_CANDIDATES; i++)
    {
      g_autofree char *full_name = tool_sandbox_dup_full_name (matches->pdata[i]);
      const char *name = asb_sandbox_info_get_name (matches->pdata[i]);

      g_string_append_printf (candidates, "%s%s", i > 0 ? ", " : "", full_name);
      if (name)
        g_string_append_printf (candidates, " (%s)", name);
    }
  if (matches->len > MAX_CANDIDATES)
    g_string_append_printf (candidates, " and %u more", matches->len - MAX_CANDIDATES);
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "“%s” may be any of %s; give more of the ID", text, candidates->str);
  return FALSE;
}

typedef gboolean (*MatchFunc) (AsbSandboxInfo *info, const char *text);

static gboolean
match_id (AsbSandboxInfo *info, const char *text)
{
  return g_str_equal (tool_sandbox_get_id (info), text);
}

static gboolean
match_name (AsbSandboxInfo *info, const char *text)
{
  return g_strcmp0 (asb_sandbox_info_get_name (info), text) == 0;
}

static gboolean
match_prefix (AsbSandboxInfo *info, const char *text)
{
  return strlen (text) >= MIN_PREFIX && g_str_has_prefix (tool_sandbox_get_id (info), text);
}

/* The sandboxes that @text may mean: live ones come before those that are gone. */
static GPtrArray *
find_matches (GPtrArray *infos, const char *text)
{
  static const MatchFunc functions[] = { match_id, match_name, match_prefix };
  g_autoptr (GPtrArray) matches = g_ptr_array_new ();

  for (gsize i = 0; i < 2 * G_N_ELEMENTS (functions) && matches->len == 0; i++)
    for (guint j = 0; j < infos->len; j++)
      if (tool_sandbox_is_removed (infos->pdata[j]) == (i % 2 == 1)
          && functions[i / 2](infos->pdata[j], text))
        g_ptr_array_add (matches, infos->pdata[j]);
  return g_steal_pointer (&matches);
}

/* A whole id needs no list. What goes wrong here goes wrong again with the list, which does not
 * know of those that are gone. */
static gboolean
find_whole_id (Tool *tool, const char *id, ToolSandboxScope scope, ToolSandbox *sandbox,
               GError **error)
{
  g_auto (ToolWait) wait = { 0 };

  if (!g_utf8_validate (id, -1, NULL))
    return FALSE;
  asb_provider_get_sandbox_async (sandbox->provider, id, tool->cancellable, tool_wait_cb, &wait);
  sandbox->info = asb_provider_get_sandbox_finish (sandbox->provider, tool_wait (&wait), error);
  if (sandbox->info && scope == TOOL_SANDBOX_LIVE && tool_sandbox_is_removed (sandbox->info))
    g_clear_object (&sandbox->info);
  return sandbox->info != NULL;
}

static gboolean
is_gone (const GError *error)
{
  return g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_EXPIRED)
         || g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_DELETED);
}

/* No live one is named @text. One that is gone may be: the provider says what became of it; of
 * several this is the youngest. */
static gboolean
find_gone (Tool *tool, const char *text, ToolSandbox *sandbox, GError **error)
{
  g_autoptr (GPtrArray) infos = tool_sandbox_list (tool, sandbox->provider, TOOL_SANDBOX_ANY, NULL);
  g_autoptr (GPtrArray) matches = infos ? find_matches (infos, text) : NULL;

  return matches && matches->len > 0
         && find_whole_id (tool, tool_sandbox_get_id (matches->pdata[matches->len - 1]),
                           TOOL_SANDBOX_LIVE, sandbox, error);
}

/* Returns: (nullable): the name of @infos that is likely meant */
static const char *
guess_name (GPtrArray *infos, const char *text)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < infos->len; i++)
    if (asb_sandbox_info_get_name (infos->pdata[i]))
      g_ptr_array_add (names, (gpointer)asb_sandbox_info_get_name (infos->pdata[i]));
  g_ptr_array_add (names, NULL);
  return tool_options_guess ((const char *const *)names->pdata, text);
}

/* Whoever has another provider in mind has to say so: the same name may be that of a local one. */
static void
set_not_found (GError **error, const ToolSandbox *sandbox, const char *text, ToolSandboxScope scope,
               const char *guess)
{
  const char *all = scope == TOOL_SANDBOX_ANY ? " --all" : "";
  g_autofree char *provider_name = asb_provider_dup_name (sandbox->provider);

  if (guess)
    g_set_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND,
                 "There is no sandbox “%s:%s”; did you mean “%s”, or see asb list%s", provider_name,
                 text, guess, all);
  else if (!g_str_equal (provider_name, TOOL_LOCAL_PROVIDER))
    g_set_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND,
                 "There is no sandbox “%s:%s”; see asb list --provider %s%s", provider_name, text,
                 provider_name, all);
  else if (tool_server_is_named ())
    g_set_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND,
                 "There is no sandbox “%s” on this machine; see asb list%s, or name one on the "
                 "server as " TOOL_SERVER_PROVIDER ":%s",
                 text, all, text);
  else
    g_set_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND,
                 "There is no sandbox “%s” on this machine; see asb list%s, or name one of another "
                 "provider as PROVIDER:%s",
                 text, all, text);
}

static gboolean
find_in_list (Tool *tool, const char *text, ToolSandboxScope scope, ToolSandbox *sandbox,
              GError **error)
{
  g_autoptr (GPtrArray) infos = tool_sandbox_list (tool, sandbox->provider, scope, error);
  g_autoptr (GPtrArray) matches = NULL;
  g_autoptr (GError) gone = NULL;

  if (!infos)
    return FALSE;
  matches = find_matches (infos, text);
  if (matches->len > 1)
    return set_ambiguous (error, text, matches);
  if (matches->len == 1)
    {
      sandbox->info = g_object_ref (matches->pdata[0]);
      return TRUE;
    }
  if (scope == TOOL_SANDBOX_LIVE && find_gone (tool, text, sandbox, &gone))
    return TRUE;
  if (is_gone (gone))
    {
      g_propagate_prefixed_error (error, g_steal_pointer (&gone), "“%s”: ", text);
      return FALSE;
    }
  set_not_found (error, sandbox, text, scope, guess_name (infos, text));
  return FALSE;
}

gboolean
tool_sandbox_find (Tool *tool, const char *text, ToolSandboxScope scope, ToolSandbox *sandbox,
                   GError **error)
{
  g_autofree char *provider_name = NULL;
  const char *id = tool_sandbox_split_name (text, &provider_name);
  g_autoptr (GError) gone = NULL;
  AsbProvider *provider;

  if (*id == '\0')
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "“%s” names no sandbox; see asb list", text);
      return FALSE;
    }
  provider = tool_get_provider (tool, provider_name, error);
  if (!provider)
    return FALSE;
  sandbox->provider = g_object_ref (provider);
  if (find_whole_id (tool, id, scope, sandbox, &gone))
    return TRUE;
  if (scope == TOOL_SANDBOX_LIVE && is_gone (gone))
    {
      g_propagate_error (error, g_steal_pointer (&gone));
      return FALSE;
    }
  return find_in_list (tool, id, scope, sandbox, error);
}

gboolean
tool_sandbox_exists (Tool *tool, const char *text, ToolSandboxScope scope)
{
  g_auto (ToolSandbox) sandbox = { 0 };
  g_autoptr (GError) error = NULL;

  return tool_sandbox_find (tool, text, scope, &sandbox, &error)
         || g_error_matches (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

int
tool_sandbox_each (Tool *tool, const ToolParsed *parsed, ToolSandboxFunc function)
{
  int status = TOOL_EXIT_DONE;

  for (guint i = 0; i < parsed->arguments->len; i++)
    {
      g_autoptr (GError) error = NULL;

      if (function (tool, tool_parsed_get (parsed, i), &error))
        continue;
      status = TOOL_EXIT_FAILED;
      tool_message_error (error);
      if (g_cancellable_is_cancelled (tool->cancellable))
        break;
    }
  return status;
}

static AsbBackend *
create_backend (Tool *tool, AsbBackendOptions *options, GError **error)
{
  g_auto (ToolWait) wait = { 0 };

  asb_create_backend_async (options, tool->cancellable, tool_wait_cb, &wait);
  return asb_create_backend_finish (tool_wait (&wait), error);
}

AsbBackend *
tool_sandbox_connect_to (Tool *tool, const ToolSandbox *sandbox, AsbHistoryMode mode,
                         GError **error)
{
  g_autoptr (AsbBackendOptions) options = asb_backend_options_new ();
  g_autoptr (AsbHistoryConfig) history = asb_history_config_new ();

  asb_history_config_set_mode (history, mode);
  asb_backend_options_set_history (options, history);
  asb_backend_options_set_provider (options, sandbox->provider);
  asb_backend_options_set_mode (options, ASB_BACKEND_MODE_CONNECT);
  asb_backend_options_set_ref (options, asb_sandbox_info_get_ref (sandbox->info));
  asb_backend_options_set_cleanup (options, ASB_CLEANUP_POLICY_NEVER);
  return create_backend (tool, options, error);
}

/* Where the guest does not run there is no record, but work. */
AsbBackend *
tool_sandbox_connect (Tool *tool, const char *text, GError **error)
{
  g_auto (ToolSandbox) sandbox = { 0 };
  g_autoptr (GError) cause = NULL;
  AsbBackend *backend;

  if (!tool_sandbox_find (tool, text, TOOL_SANDBOX_LIVE, &sandbox, error))
    return NULL;
  backend = tool_sandbox_connect_to (tool, &sandbox, tool_no_record_get_mode (), &cause);
  if (backend)
    return backend;
  if (tool_no_record || !tool_no_record_is_why (cause))
    {
      tool_no_record_advise (cause);
      g_propagate_error (error, g_steal_pointer (&cause));
      return NULL;
    }
  backend = tool_sandbox_connect_to (tool, &sandbox, ASB_HISTORY_MODE_NONE, error);
  if (backend)
    tool_message ("Nothing of this is recorded. %s", cause->message);
  return backend;
}

gboolean
tool_sandbox_remove (Tool *tool, AsbProvider *provider, AsbSandboxInfo *info, GError **error)
{
  g_auto (ToolWait) wait = { 0 };

  asb_provider_delete_sandbox_async (provider, tool_sandbox_get_id (info), tool->cancellable,
                                     tool_wait_cb, &wait);
  return asb_provider_delete_sandbox_finish (provider, tool_wait (&wait), error);
}

gboolean
tool_sandbox_is_gone (const GError *error)
{
  return is_gone (error) || g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
}

gboolean
tool_sandbox_check_there (Tool *tool, AsbBackend *backend, GError **error)
{
  AsbProvider *provider = asb_backend_get_provider (backend);
  const char *id = asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend));
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) cause = NULL;

  if (!provider || !id)
    return TRUE;
  asb_provider_get_sandbox_async (provider, id, tool->cancellable, tool_wait_cb, &wait);
  info = asb_provider_get_sandbox_finish (provider, tool_wait (&wait), &cause);
  if (!tool_sandbox_is_gone (cause))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

gboolean
tool_sandbox_set_ttl (AsbBackendOptions *options, const char *text, GError **error)
{
  guint64 milliseconds;

  if (!text)
    return TRUE;
  if (g_str_equal (text, "never"))
    {
      asb_backend_options_set_sandbox_ttl_mode (options, ASB_TTL_MODE_NEVER);
      return TRUE;
    }
  if (!tool_text_parse_duration (text, &milliseconds, error))
    return FALSE;
  asb_backend_options_set_sandbox_ttl_mode (options, ASB_TTL_MODE_SECONDS);
  asb_backend_options_set_sandbox_ttl_seconds (options, MAX (milliseconds / 1000, 1));
  return TRUE;
}

/* Elsewhere others may have sandboxes; and the name of one that goes with its command is no more
 * than a label. */
static gboolean
must_be_the_only (AsbBackendOptions *options, AsbProvider *provider)
{
  g_autofree char *provider_name = asb_provider_dup_name (provider);

  return asb_backend_options_get_sandbox_name (options)
         && asb_backend_options_get_lifetime (options) == ASB_LIFETIME_PERSISTENT
         && g_strcmp0 (provider_name, TOOL_LOCAL_PROVIDER) == 0;
}

/* Names the options of the command for those of the library. */
static void
advise (GError *error, const char *workdir_option)
{
  tool_no_record_advise (error);
  if (workdir_option && strstr (error->message, "the option “workdir”"))
    tool_message_advise (error, workdir_option);
}

AsbBackend *
tool_sandbox_create (Tool *tool, AsbBackendOptions *options, const char *workdir_option,
                     GError **error)
{
  g_autoptr (GError) cause = NULL;
  AsbBackend *backend;
  AsbProvider *given = asb_backend_options_get_provider (options);
  AsbProvider *provider;
  const char *name = asb_backend_options_get_sandbox_name (options);
  g_auto (ToolNameClaim) claim = TOOL_NAME_CLAIM_INIT;

  if (!tool_name_check (name, error))
    return NULL;
  provider = given ? given : tool_get_provider (tool, TOOL_LOCAL_PROVIDER, error);
  if (!provider)
    return NULL;
  if (must_be_the_only (options, provider)
      && !tool_name_claim (tool, provider, name, &claim, error))
    return NULL;
  asb_backend_options_set_provider (options, provider);
  asb_backend_options_set_mode (options, ASB_BACKEND_MODE_CREATE);
  backend = create_backend (tool, options, &cause);
  if (backend)
    return backend;
  advise (cause, workdir_option);
  g_propagate_error (error, g_steal_pointer (&cause));
  return NULL;
}

gboolean
tool_backend_close (AsbBackend *backend)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (GError) error = NULL;

  asb_backend_close_async (backend, NULL, tool_wait_cb, &wait);
  if (asb_backend_close_finish (backend, tool_wait (&wait), &error))
    return TRUE;
  tool_message_error (error);
  return FALSE;
}

static void
add_mounts (ToolJson *json, GListModel *mounts)
{
  if (!mounts)
    return;
  tool_json_begin_array (json, "mounts");
  for (guint i = 0; i < g_list_model_get_n_items (mounts); i++)
    {
      g_autoptr (AsbMount) mount = g_list_model_get_item (mounts, i);

      tool_json_begin_object (json, NULL);
      tool_json_add_text (json, "source", asb_mount_get_source (mount));
      tool_json_add_text (json, "target", asb_mount_get_target (mount));
      tool_json_add_enum (json, "mode", ASB_TYPE_MOUNT_MODE, asb_mount_get_mode (mount));
      tool_json_end_object (json);
    }
  tool_json_end_array (json);
}

static void
add_limit (const char *name, guint64 number, gpointer user_data)
{
  g_autofree char *key = g_strdelimit (g_strdup (name), "-", '_');

  if (number > 0)
    tool_json_add_integer (user_data, key, (gint64)number);
  else
    tool_json_add_null (user_data, key);
}

static void
add_limits (ToolJson *json, AsbResourceLimits *limits)
{
  if (!limits)
    {
      tool_json_add_null (json, "limits");
      return;
    }
  tool_json_begin_object (json, "limits");
  tool_limits_foreach (limits, add_limit, json);
  tool_json_end_object (json);
}

void
tool_sandbox_add_json (ToolJson *json, const char *name, AsbSandboxInfo *info)
{
  AsbSandboxRef *ref = asb_sandbox_info_get_ref (info);

  tool_json_begin_object (json, name);
  tool_json_add_text (json, "provider", asb_sandbox_ref_get_provider_name (ref));
  tool_json_add_text (json, "id", asb_sandbox_ref_get_sandbox_id (ref));
  tool_json_add_text (json, "instance_id", asb_sandbox_ref_get_sandbox_instance_id (ref));
  tool_json_add_text (json, "name", asb_sandbox_info_get_name (info));
  tool_json_add_enum (json, "state", ASB_TYPE_SANDBOX_STATE, asb_sandbox_info_get_state (info));
  tool_json_add_text (json, "reason", asb_sandbox_info_get_reason (info));
  tool_json_add_text (json, "message", asb_sandbox_info_get_message (info));
  tool_json_add_text (json, "image", asb_sandbox_info_get_image (info));
  tool_json_add_text (json, "workdir", asb_sandbox_info_get_workdir (info));
  tool_json_add_time (json, "created_at", asb_sandbox_info_get_created_at (info));
  tool_json_add_time (json, "expires_at", asb_sandbox_info_get_expires_at (info));
  add_mounts (json, asb_sandbox_info_get_mounts (info));
  add_limits (json, asb_sandbox_info_get_limits (info));
  tool_json_add_text (json, "network", asb_sandbox_info_get_network (info));
  tool_json_add_table (json, "metadata", asb_sandbox_ref_get_metadata (ref));
  tool_json_end_object (json);
}
