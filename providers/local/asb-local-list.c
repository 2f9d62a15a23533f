/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-list.h"

#include <string.h>

#include "asb-local-ending.h"
#include "asb-local-folder.h"

typedef struct
{
  AsbLocalMetadata *metadata;
  AsbSandboxState state;
} Entry;

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  asb_local_metadata_free (entry->metadata);
  g_free (entry);
}

static void
take_entry (GPtrArray *entries, AsbLocalMetadata *metadata, AsbSandboxState state)
{
  Entry *entry = g_new (Entry, 1);

  entry->metadata = metadata;
  entry->state = state;
  g_ptr_array_add (entries, entry);
}

/* What cannot be read was never ours, or is just being removed: it does not fail the others. */
static gboolean
add_sandboxes (GPtrArray *entries, const AsbLocalSettings *settings, GHashTable *wanted,
               GError **error)
{
  g_autoptr (GPtrArray) ids = asb_local_root_list (settings->state_dir, error);

  for (guint i = 0; ids && i < ids->len; i++)
    {
      AsbSandboxState state = ASB_SANDBOX_STATE_UNKNOWN;
      g_autoptr (AsbLocalMetadata) metadata = asb_local_get (settings, ids->pdata[i], &state, NULL);

      if (metadata && asb_local_metadata_matches (metadata, wanted))
        take_entry (entries, g_steal_pointer (&metadata), state);
    }
  return ids != NULL;
}

static gboolean
add_records (GPtrArray *entries, const AsbLocalSettings *settings, GHashTable *wanted,
             GError **error)
{
  g_autoptr (GPtrArray) ids = asb_local_root_list (settings->record_dir, error);

  for (guint i = 0; ids && i < ids->len; i++)
    {
      g_autoptr (AsbLocalFolder) folder
          = asb_local_folder_open (settings->record_dir, ids->pdata[i], NULL);
      g_autoptr (AsbLocalMetadata) metadata
          = folder ? asb_local_metadata_load (folder->fd, folder->path, NULL) : NULL;

      if (metadata && strcmp (metadata->id, folder->id) == 0
          && asb_local_metadata_matches (metadata, wanted))
        take_entry (entries, g_steal_pointer (&metadata), ASB_SANDBOX_STATE_DELETED);
    }
  return ids != NULL;
}

static int
compare_entries (gconstpointer first, gconstpointer second)
{
  const Entry *a = *(Entry *const *)first;
  const Entry *b = *(Entry *const *)second;

  if (a->metadata->created_at != b->metadata->created_at)
    return a->metadata->created_at < b->metadata->created_at ? -1 : 1;
  return strcmp (a->metadata->id, b->metadata->id);
}

static const char *
state_nick (AsbSandboxState state)
{
  switch (state)
    {
    case ASB_SANDBOX_STATE_RUNNING:
      return "running";
    case ASB_SANDBOX_STATE_PAUSED:
      return "paused";
    case ASB_SANDBOX_STATE_STOPPED:
      return "stopped";
    case ASB_SANDBOX_STATE_DELETED:
      return "deleted";
    default:
      return "unknown";
    }
}

static gboolean
is_wanted (const char **states, AsbSandboxState state)
{
  return !states || g_strv_contains (states, state_nick (state));
}

static GListModel *
make_page (GPtrArray *entries, const char **states, AsbProvider *provider, AsbSandboxFilter *filter)
{
  GListStore *page = g_list_store_new (ASB_TYPE_SANDBOX_INFO);
  guint64 size = asb_sandbox_filter_get_page_size (filter);
  guint64 first = (guint64)(asb_sandbox_filter_get_page (filter) - 1) * size;
  guint64 position = 0;

  for (guint i = 0; i < entries->len; i++)
    {
      Entry *entry = entries->pdata[i];
      g_autoptr (AsbSandboxInfo) info = NULL;

      if (!is_wanted (states, entry->state) || position++ < first || position > first + size)
        continue;
      info = asb_local_metadata_to_info (entry->metadata, provider, entry->state);
      g_list_store_append (page, info);
    }
  return G_LIST_MODEL (page);
}

GListModel *
asb_local_list (const AsbLocalSettings *settings, AsbProvider *provider, AsbSandboxFilter *filter,
                GError **error)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  GVariant *wish = asb_sandbox_filter_get_states (filter);
  GHashTable *wanted = asb_sandbox_filter_get_metadata (filter);
  g_autofree const char **states = NULL;

  if (wish && !g_variant_is_of_type (wish, G_VARIANT_TYPE_STRING_ARRAY))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "The states of a filter must be an array of strings, not “%s”",
                   g_variant_get_type_string (wish));
      return NULL;
    }
  if (wish)
    states = g_variant_get_strv (wish, NULL);
  asb_local_sweep (settings);
  if (!add_sandboxes (entries, settings, wanted, error))
    return NULL;
  if (states && g_strv_contains (states, "deleted")
      && !add_records (entries, settings, wanted, error))
    return NULL;
  g_ptr_array_sort (entries, compare_entries);
  return make_page (entries, states, provider, filter);
}
