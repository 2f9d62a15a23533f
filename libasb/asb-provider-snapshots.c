/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-provider-private.h"

#include "asb-call-private.h"
#include "asb-sync-private.h"

/* Snapshots: their ids are text, as those of sandboxes. */

/**
 * AsbProviderInterface::create_snapshot:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @name: (nullable): a name for people; %NULL for none
 * @task: to be answered with an [class@Snapshot]: what the provider knows of the snapshot
 *
 * Does what [method@Provider.create_snapshot_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_create_snapshot_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @name: (nullable): a name for people; %NULL for none
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Begins to make a snapshot of the files of the sandbox. It is ready when its state says so: ask
 * [method@Provider.get_snapshot_async].
 *
 * Since: 1.0
 */
void
asb_provider_create_snapshot_async (AsbProvider *self, const char *sandbox_id, const char *name,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data)
{
  static const AsbCallKind kind = { "create a snapshot of the sandbox", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_SNAPSHOT, cancellable, callback, user_data,
                         asb_provider_create_snapshot_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id)
      || asb_provider_text_is_none (task, "name of the snapshot", name))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->create_snapshot)
    {
      ASB_PROVIDER_GET_IFACE (self)->create_snapshot (self, sandbox_id, name, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "create_snapshot");
}

/**
 * asb_provider_create_snapshot_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.create_snapshot_async].
 *
 * Returns: (transfer full): what the provider knows of the snapshot
 *
 * Since: 1.0
 */
AsbSnapshot *
asb_provider_create_snapshot_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_create_snapshot:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @name: (nullable): a name for people; %NULL for none
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Begins to make a snapshot of the files of the sandbox. It is ready when its state says so: ask
 * [method@Provider.get_snapshot_async]. Blocks; see [method@Provider.create_snapshot_async].
 *
 * Returns: (transfer full): what the provider knows of the snapshot
 *
 * Since: 1.0
 */
AsbSnapshot *
asb_provider_create_snapshot (AsbProvider *self, const char *sandbox_id, const char *name,
                              GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);

  asb_sync_begin (&sync);
  asb_provider_create_snapshot_async (self, sandbox_id, name, cancellable, asb_sync_ready_cb,
                                      &sync);
  return asb_provider_create_snapshot_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::get_snapshot:
 * @self: a [iface@Provider]
 * @snapshot_id: the id of the snapshot
 * @task: to be answered with an [class@Snapshot]: what the provider knows of it
 *
 * Does what [method@Provider.get_snapshot_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_get_snapshot_async:
 * @self: a [iface@Provider]
 * @snapshot_id: the id of the snapshot
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks for a snapshot. %ASB_ERROR_SNAPSHOT_NOT_FOUND if there is none with this id.
 *
 * Since: 1.0
 */
void
asb_provider_get_snapshot_async (AsbProvider *self, const char *snapshot_id,
                                 GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer user_data)
{
  static const AsbCallKind kind = { "get the snapshot", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (snapshot_id != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_SNAPSHOT, cancellable, callback, user_data,
                         asb_provider_get_snapshot_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "snapshot", snapshot_id))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->get_snapshot)
    {
      ASB_PROVIDER_GET_IFACE (self)->get_snapshot (self, snapshot_id, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "get_snapshot");
}

/**
 * asb_provider_get_snapshot_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.get_snapshot_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSnapshot *
asb_provider_get_snapshot_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_get_snapshot:
 * @self: a [iface@Provider]
 * @snapshot_id: the id of the snapshot
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks for a snapshot. %ASB_ERROR_SNAPSHOT_NOT_FOUND if there is none with this id. Blocks; see
 * [method@Provider.get_snapshot_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSnapshot *
asb_provider_get_snapshot (AsbProvider *self, const char *snapshot_id, GCancellable *cancellable,
                           GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (snapshot_id != NULL, NULL);

  asb_sync_begin (&sync);
  asb_provider_get_snapshot_async (self, snapshot_id, cancellable, asb_sync_ready_cb, &sync);
  return asb_provider_get_snapshot_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::list_snapshots:
 * @self: a [iface@Provider]
 * @filter: which of them
 * @task: to be answered with a [iface@Gio.ListModel]: a list of [class@Snapshot]
 *
 * Does what [method@Provider.list_snapshots_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_list_snapshots_async:
 * @self: a [iface@Provider]
 * @filter: which of them
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Lists a page of the snapshots that match a filter. A page that is not full is the last.
 *
 * Since: 1.0
 */
void
asb_provider_list_snapshots_async (AsbProvider *self, AsbSnapshotFilter *filter,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  static const AsbCallKind kind = { "list the snapshots", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (ASB_IS_SNAPSHOT_FILTER (filter));

  task = asb_call_begin (self, &kind, G_TYPE_LIST_MODEL, cancellable, callback, user_data,
                         asb_provider_list_snapshots_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->list_snapshots)
    {
      ASB_PROVIDER_GET_IFACE (self)->list_snapshots (self, filter, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "list_snapshots");
}

/**
 * asb_provider_list_snapshots_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.list_snapshots_async].
 *
 * Returns: (transfer full): a list of [class@Snapshot]
 *
 * Since: 1.0
 */
GListModel *
asb_provider_list_snapshots_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_list_snapshots:
 * @self: a [iface@Provider]
 * @filter: which of them
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Lists a page of the snapshots that match a filter. A page that is not full is the last. Blocks;
 * see [method@Provider.list_snapshots_async].
 *
 * Returns: (transfer full): a list of [class@Snapshot]
 *
 * Since: 1.0
 */
GListModel *
asb_provider_list_snapshots (AsbProvider *self, AsbSnapshotFilter *filter,
                             GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (ASB_IS_SNAPSHOT_FILTER (filter), NULL);

  asb_sync_begin (&sync);
  asb_provider_list_snapshots_async (self, filter, cancellable, asb_sync_ready_cb, &sync);
  return asb_provider_list_snapshots_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::delete_snapshot:
 * @self: a [iface@Provider]
 * @snapshot_id: the id of the snapshot
 * @task: to be answered with a boolean: whether it was done
 *
 * Does what [method@Provider.delete_snapshot_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_delete_snapshot_async:
 * @self: a [iface@Provider]
 * @snapshot_id: the id of the snapshot
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Deletes a snapshot. Sandboxes made from it stay as they are.
 *
 * Since: 1.0
 */
void
asb_provider_delete_snapshot_async (AsbProvider *self, const char *snapshot_id,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data)
{
  static const AsbCallKind kind = { "delete the snapshot", 120, .is_deed = TRUE };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (snapshot_id != NULL);

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_provider_delete_snapshot_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "snapshot", snapshot_id))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->delete_snapshot)
    {
      ASB_PROVIDER_GET_IFACE (self)->delete_snapshot (self, snapshot_id, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "delete_snapshot");
}

/**
 * asb_provider_delete_snapshot_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.delete_snapshot_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_provider_delete_snapshot_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_provider_delete_snapshot:
 * @self: a [iface@Provider]
 * @snapshot_id: the id of the snapshot
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Deletes a snapshot. Sandboxes made from it stay as they are. Blocks; see
 * [method@Provider.delete_snapshot_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_provider_delete_snapshot (AsbProvider *self, const char *snapshot_id, GCancellable *cancellable,
                              GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), FALSE);
  g_return_val_if_fail (snapshot_id != NULL, FALSE);

  asb_sync_begin (&sync);
  asb_provider_delete_snapshot_async (self, snapshot_id, cancellable, asb_sync_ready_cb, &sync);
  return asb_provider_delete_snapshot_finish (self, asb_sync_wait (&sync), error);
}
