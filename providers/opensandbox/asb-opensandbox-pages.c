/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-pages.h"

#include "asb-opensandbox-json.h"

#define MAX_PAGES 2000
#define MAX_ITEMS 100000

typedef struct
{
  AsbOpensandboxPages pages;
  GListStore *found;
  GHashTable *seen; /* ids */
  guint page;
} Walk;

static void
walk_free (gpointer data)
{
  Walk *walk = data;

  g_strfreev (walk->pages.query);
  g_clear_object (&walk->pages.count_data);
  g_clear_object (&walk->found);
  g_clear_pointer (&walk->seen, g_hash_table_unref);
  g_free (walk);
}

static void ask_for_page (GTask *task);

/* Returns: whether it was new; FALSE with @error set if it cannot be used */
static gboolean
take_item (AsbOpensandboxLifecycle *lifecycle, Walk *walk, JsonObject *item, GError **error)
{
  const char *id = NULL;
  g_autoptr (GObject) object = walk->pages.parse (lifecycle, item, &id, error);

  if (!object || !g_hash_table_add (walk->seen, g_strdup (id)))
    return FALSE;
  if (walk->pages.count (object, walk->pages.count_data))
    g_list_store_append (walk->found, object);
  return TRUE;
}

/* However long it makes its list, a server must not fill this machine with it. */
static gboolean
check_length (Walk *walk, GError **error)
{
  if (g_hash_table_size (walk->seen) <= MAX_ITEMS && walk->page <= MAX_PAGES)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_TOO_LARGE,
               "Could not %s: the server has more than %d%s; a filter may help", walk->pages.what,
               walk->page > MAX_PAGES ? MAX_PAGES : MAX_ITEMS,
               walk->page > MAX_PAGES ? " pages" : "");
  return FALSE;
}

static gboolean
take_items (AsbOpensandboxLifecycle *lifecycle, Walk *walk, JsonArray *items, guint *n_new,
            GError **error)
{
  for (guint i = 0; i < json_array_get_length (items); i++)
    {
      g_autoptr (GError) fault = NULL;
      JsonObject *item
          = asb_opensandbox_json_get_element (items, i, "the list of the server", error);

      if (!item)
        return FALSE;
      if (take_item (lifecycle, walk, item, &fault))
        ++*n_new;
      else if (fault)
        {
          g_propagate_error (error, g_steal_pointer (&fault));
          return FALSE;
        }
    }
  return TRUE;
}

/* Pages may be smaller than asked for. */
static gboolean
tells_of_more (Walk *walk, JsonObject *pagination)
{
  gint64 n_pages = 0;
  gint64 n_items = 0;

  return (asb_opensandbox_json_get_int (pagination, "totalPages", FALSE, &n_pages, NULL)
          && n_pages > walk->page)
         || (asb_opensandbox_json_get_int (pagination, "totalItems", FALSE, &n_items, NULL)
             && n_items > g_hash_table_size (walk->seen));
}

/* Servers that do not say whether there is more are asked until a page is not full. */
static gboolean
read_has_next (Walk *walk, JsonObject *reply, guint n_items, gboolean *has_next, GError **error)
{
  JsonObject *pagination = NULL;

  *has_next = n_items >= ASB_OPENSANDBOX_PAGE_SIZE;
  if (!asb_opensandbox_json_get_object (reply, "pagination", FALSE, &pagination, error))
    return FALSE;
  if (!pagination)
    return TRUE;
  *has_next = *has_next || tells_of_more (walk, pagination);
  return asb_opensandbox_json_get_bool (pagination, "hasNextPage", FALSE, has_next, error);
}

static gboolean
take_page (AsbOpensandboxLifecycle *lifecycle, Walk *walk, JsonObject *reply, gboolean *goes_on,
           GError **error)
{
  JsonArray *items = NULL;
  gboolean has_next = FALSE;
  guint n_new = 0;

  if (!asb_opensandbox_json_get_array (reply, "items", TRUE, &items, error)
      || !take_items (lifecycle, walk, items, &n_new, error) || !check_length (walk, error)
      || !read_has_next (walk, reply, json_array_get_length (items), &has_next, error))
    return FALSE;
  *goes_on = has_next && n_new > 0
             && g_list_model_get_n_items (G_LIST_MODEL (walk->found)) < walk->pages.n_enough;
  return TRUE;
}

static void
got_page_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxLifecycle *lifecycle = ASB_OPENSANDBOX_LIFECYCLE (source);
  g_autoptr (GTask) task = user_data;
  Walk *walk = g_task_get_task_data (task);
  gboolean goes_on = FALSE;
  GError *error = NULL;
  g_autoptr (JsonObject) reply
      = asb_opensandbox_lifecycle_call_finish_object (lifecycle, result, &error);

  if (!reply || !take_page (lifecycle, walk, reply, &goes_on, &error))
    g_task_return_error (task, error);
  else if (goes_on)
    ask_for_page (task);
  else
    g_task_return_pointer (task, g_object_ref (walk->found), g_object_unref);
}

static void
ask_for_page (GTask *task)
{
  AsbOpensandboxLifecycle *lifecycle = g_task_get_source_object (task);
  Walk *walk = g_task_get_task_data (task);
  g_autoptr (AsbOpensandboxRequest) request = asb_opensandbox_lifecycle_new_request (
      lifecycle, "GET", walk->pages.what, walk->pages.path, NULL);
  g_autofree char *page = g_strdup_printf ("%u", ++walk->page);
  g_autofree char *size = g_strdup_printf ("%d", ASB_OPENSANDBOX_PAGE_SIZE);

  for (gsize i = 0; walk->pages.query && walk->pages.query[i]; i += 2)
    asb_opensandbox_request_add_query (request, walk->pages.query[i], walk->pages.query[i + 1]);
  asb_opensandbox_request_add_query (request, "page", page);
  asb_opensandbox_request_add_query (request, "pageSize", size);
  asb_opensandbox_lifecycle_call_async (lifecycle, request, g_task_get_cancellable (task),
                                        got_page_cb, g_object_ref (task));
}

void
asb_opensandbox_pages_async (AsbOpensandboxLifecycle *lifecycle, const AsbOpensandboxPages *pages,
                             GCancellable *cancellable, GAsyncReadyCallback callback,
                             gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (lifecycle, cancellable, callback, user_data);
  Walk *walk = g_new0 (Walk, 1);

  walk->pages = *pages;
  walk->found = g_list_store_new (G_TYPE_OBJECT);
  walk->seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_task_set_source_tag (task, asb_opensandbox_pages_async);
  g_task_set_task_data (task, walk, walk_free);
  ask_for_page (task);
}

GListStore *
asb_opensandbox_pages_finish (AsbOpensandboxLifecycle *lifecycle, GAsyncResult *result,
                              GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
