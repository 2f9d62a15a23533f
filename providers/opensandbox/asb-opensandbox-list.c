/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-list.h"

#include <string.h>

#include "asb-opensandbox-pages.h"
#include "asb-opensandbox-sandbox.h"

char *
asb_opensandbox_list_encode_metadata (GHashTable *metadata)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (metadata), (GCompareFunc)strcmp);

  for (GList *i = names; i; i = i->next)
    {
      if (i != names)
        g_string_append_c (text, '&');
      g_string_append_uri_escaped (text, i->data, NULL, FALSE);
      g_string_append_c (text, '=');
      g_string_append_uri_escaped (text, g_hash_table_lookup (metadata, i->data), NULL, FALSE);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
add_pair (GPtrArray *query, const char *name, const char *value)
{
  g_ptr_array_add (query, g_strdup (name));
  g_ptr_array_add (query, g_strdup (value));
}

/* If the server has no name for one of the states, it is asked for all. */
static void
add_states (GPtrArray *query, GVariant *states)
{
  g_autofree const char **nicks = NULL;

  if (!states || !g_variant_is_of_type (states, G_VARIANT_TYPE_STRING_ARRAY))
    return;
  nicks = g_variant_get_strv (states, NULL);
  for (gsize i = 0; nicks[i]; i++)
    if (!asb_opensandbox_sandbox_state_names (nicks[i]))
      return;
  for (gsize i = 0; nicks[i]; i++)
    {
      const char *const *names = asb_opensandbox_sandbox_state_names (nicks[i]);

      for (gsize j = 0; names[j]; j++)
        add_pair (query, "state", names[j]);
    }
}

static char **
new_query (AsbSandboxFilter *filter)
{
  GHashTable *metadata = asb_sandbox_filter_get_metadata (filter);
  g_autoptr (GPtrArray) query = g_ptr_array_new ();

  add_states (query, asb_sandbox_filter_get_states (filter));
  if (metadata && g_hash_table_size (metadata) > 0)
    {
      g_autofree char *encoded = asb_opensandbox_list_encode_metadata (metadata);

      add_pair (query, "metadata", encoded);
    }
  g_ptr_array_add (query, NULL);
  return (char **)g_ptr_array_steal (query, NULL);
}

static GObject *
parse_item (AsbOpensandboxLifecycle *lifecycle, JsonObject *item, const char **id, GError **error)
{
  AsbSandboxInfo *info = asb_opensandbox_sandbox_parse (lifecycle, item, error);

  if (!info)
    return NULL;
  *id = asb_sandbox_ref_get_sandbox_id (asb_sandbox_info_get_ref (info));
  return G_OBJECT (info);
}

static gboolean
count_item (GObject *item, gpointer filter)
{
  return asb_sandbox_filter_matches (filter, ASB_SANDBOX_INFO (item));
}

static void
walked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbSandboxFilter *filter = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (GListStore) found
      = asb_opensandbox_pages_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (found)
    g_task_return_pointer (task, asb_sandbox_filter_select (filter, G_LIST_MODEL (found)),
                           g_object_unref);
  else
    g_task_return_error (task, error);
}

void
asb_opensandbox_list_async (AsbOpensandboxLifecycle *lifecycle, AsbSandboxFilter *filter,
                            GCancellable *cancellable, GAsyncReadyCallback callback,
                            gpointer user_data)
{
  GTask *task = g_task_new (lifecycle, cancellable, callback, user_data);
  AsbOpensandboxPages pages = {
    .what = "list the sandboxes",
    .path = "sandboxes",
    .query = new_query (filter),
    .parse = parse_item,
    .count = count_item,
    .count_data = G_OBJECT (g_object_ref (filter)),
    .n_enough
    = (guint64)asb_sandbox_filter_get_page (filter) * asb_sandbox_filter_get_page_size (filter),
  };

  g_task_set_source_tag (task, asb_opensandbox_list_async);
  g_task_set_task_data (task, g_object_ref (filter), g_object_unref);
  asb_opensandbox_pages_async (lifecycle, &pages, cancellable, walked_cb, task);
}

GListModel *
asb_opensandbox_list_finish (AsbOpensandboxLifecycle *lifecycle, GAsyncResult *result,
                             GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
