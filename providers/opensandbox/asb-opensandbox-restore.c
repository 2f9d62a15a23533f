/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-restore.h"

#include "asb-opensandbox-json.h"
#include "asb-opensandbox-snapshots.h"
#include "asb-opensandbox-wait.h"

#define FIRST_PAUSE_MS 100
#define MAX_PAUSE_MS 2000

typedef struct
{
  char *snapshot_id;
  gint64 deadline; /* monotonic */
  guint pause_ms;
} Restore;

static void
restore_free (gpointer data)
{
  Restore *self = data;

  g_free (self->snapshot_id);
  g_free (self);
}

gboolean
asb_opensandbox_restore_is_why (const GError *error)
{
  AsbErrorInfo *info = error->domain == ASB_ERROR ? asb_error_get_info (error) : NULL;

  return info
         && g_strcmp0 (asb_error_info_get_provider_error_code (info), "SNAPSHOT::NOT_READY") == 0;
}

static void look (GTask *task);

static void
waited_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;

  if (asb_opensandbox_wait_finish (result, &error))
    look (task);
  else
    g_task_return_error (task, error);
}

static void
got_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxLifecycle *lifecycle = ASB_OPENSANDBOX_LIFECYCLE (source);
  g_autoptr (GTask) task = user_data;
  Restore *self = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (JsonObject) object
      = asb_opensandbox_lifecycle_call_finish_object (lifecycle, result, &error);
  g_autoptr (AsbSnapshot) snapshot
      = object ? asb_opensandbox_snapshots_parse (lifecycle, object, &error) : NULL;
  const gint64 left = (self->deadline - g_get_monotonic_time ()) / 1000;

  if (!snapshot)
    g_task_return_error (task, error);
  else if (left <= 0 || asb_snapshot_get_state (snapshot) != ASB_SNAPSHOT_STATE_CREATING)
    g_task_return_pointer (task, g_steal_pointer (&snapshot), g_object_unref);
  else
    {
      asb_opensandbox_wait_async ((guint)MIN (self->pause_ms, left), g_task_get_cancellable (task),
                                  waited_cb, g_object_ref (task));
      self->pause_ms = MIN (self->pause_ms * 2, MAX_PAUSE_MS);
    }
}

static void
look (GTask *task)
{
  AsbOpensandboxLifecycle *lifecycle = g_task_get_source_object (task);
  Restore *self = g_task_get_task_data (task);
  g_autoptr (AsbOpensandboxRequest) request = asb_opensandbox_lifecycle_new_request (
      lifecycle, "GET", "get the snapshot", "snapshots", self->snapshot_id, NULL);

  asb_opensandbox_lifecycle_call_async (lifecycle, request, g_task_get_cancellable (task), got_cb,
                                        g_object_ref (task));
}

void
asb_opensandbox_restore_async (AsbOpensandboxLifecycle *lifecycle, const char *snapshot_id,
                               gint64 deadline, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (lifecycle, cancellable, callback, user_data);
  Restore *self = g_new0 (Restore, 1);

  self->snapshot_id = g_strdup (snapshot_id);
  self->deadline = deadline;
  self->pause_ms = FIRST_PAUSE_MS;
  g_task_set_source_tag (task, asb_opensandbox_restore_async);
  g_task_set_task_data (task, self, restore_free);
  look (task);
}

AsbSnapshot *
asb_opensandbox_restore_finish (AsbOpensandboxLifecycle *lifecycle, GAsyncResult *result,
                                GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

void
asb_opensandbox_restore_explain (GError *error, AsbSnapshot *snapshot)
{
  const AsbSnapshotState state = asb_snapshot_get_state (snapshot);
  const char *message = asb_snapshot_get_message (snapshot);
  g_autofree char *told = g_steal_pointer (&error->message);

  if (state == ASB_SNAPSHOT_STATE_FAILED)
    error->message = g_strconcat (told, "; it has failed, so another one is to be made",
                                  message ? ": " : NULL, message, NULL);
  else if (state == ASB_SNAPSHOT_STATE_DELETING)
    error->message = g_strconcat (told, "; it is being deleted", NULL);
  else
    error->message = g_strconcat (told, "; it is still being made", NULL);
}
