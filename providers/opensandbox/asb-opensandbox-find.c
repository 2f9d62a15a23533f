/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-find.h"

#include "asb-opensandbox-labels.h"
#include "asb-opensandbox-list.h"
#include "asb-opensandbox-wait.h"

#define FIRST_PAUSE_MS 100
#define MAX_PAUSE_MS 2000
/* Dates of HTTP have whole seconds, and clocks of two machines of one server differ a little. */
#define SLACK_US (5 * G_USEC_PER_SEC)
#define PAGE_SIZE 100

typedef struct
{
  AsbSandboxFilter *filter;
  gint64 since; /* monotonic */
  gint64 deadline;
  guint pause_ms;
} Search;

static void
search_free (gpointer data)
{
  Search *search = data;

  g_clear_object (&search->filter);
  g_free (search);
}

static void look (GTask *task);

static gboolean
is_young (AsbSandboxInfo *info, gint64 since)
{
  GDateTime *created_at = asb_sandbox_info_get_created_at (info);

  return !created_at || g_date_time_to_unix (created_at) * G_USEC_PER_SEC >= since - SLACK_US;
}

/* The server has just told what its clock shows, so that no clock of this machine is asked. */
static char *
choose (AsbOpensandboxLifecycle *lifecycle, Search *search, GListModel *found)
{
  gint64 since
      = asb_opensandbox_client_get_server_time (asb_opensandbox_lifecycle_get_client (lifecycle))
        - (g_get_monotonic_time () - search->since);

  for (guint i = 0; i < g_list_model_get_n_items (found); i++)
    {
      g_autoptr (AsbSandboxInfo) info = g_list_model_get_item (found, i);

      if (is_young (info, since))
        return g_strdup (asb_sandbox_ref_get_sandbox_id (asb_sandbox_info_get_ref (info)));
    }
  return NULL;
}

static void
waited_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;

  if (asb_opensandbox_wait_finish (result, NULL))
    look (task);
}

static void
listed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxLifecycle *lifecycle = ASB_OPENSANDBOX_LIFECYCLE (source);
  g_autoptr (GTask) task = user_data;
  Search *search = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (GListModel) found = asb_opensandbox_list_finish (lifecycle, result, &error);
  char *id = found ? choose (lifecycle, search, found) : NULL;
  gint64 left = (search->deadline - g_get_monotonic_time ()) / 1000;

  if (id)
    g_task_return_pointer (task, id, g_free);
  else if (left > 0)
    {
      g_clear_error (&error);
      asb_opensandbox_wait_async ((guint)MIN (search->pause_ms, left), NULL, waited_cb,
                                  g_object_ref (task));
      search->pause_ms = MIN (search->pause_ms * 2, MAX_PAUSE_MS);
    }
  else if (error)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, NULL, NULL);
}

static void
look (GTask *task)
{
  Search *search = g_task_get_task_data (task);

  asb_opensandbox_list_async (g_task_get_source_object (task), search->filter, NULL, listed_cb,
                              g_object_ref (task));
}

static AsbSandboxFilter *
new_filter (const char *instance_id)
{
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  AsbSandboxFilter *filter = asb_sandbox_filter_new ();

  g_hash_table_insert (metadata, (gpointer)ASB_OPENSANDBOX_LABEL_INSTANCE_ID,
                       (gpointer)instance_id);
  asb_sandbox_filter_set_metadata (filter, metadata);
  asb_sandbox_filter_set_page_size (filter, PAGE_SIZE);
  return filter;
}

void
asb_opensandbox_find_async (AsbOpensandboxLifecycle *lifecycle, const char *instance_id,
                            gint64 since, guint milliseconds, GAsyncReadyCallback callback,
                            gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (lifecycle, NULL, callback, user_data);
  Search *search = g_new0 (Search, 1);

  search->filter = new_filter (instance_id);
  search->since = since;
  search->deadline = g_get_monotonic_time () + (gint64)milliseconds * 1000;
  search->pause_ms = FIRST_PAUSE_MS;
  g_task_set_source_tag (task, asb_opensandbox_find_async);
  g_task_set_task_data (task, search, search_free);
  look (task);
}

char *
asb_opensandbox_find_finish (AsbOpensandboxLifecycle *lifecycle, GAsyncResult *result,
                             GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
