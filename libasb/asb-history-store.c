/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-history-store.h"

#include "asb-call-private.h"
#include "asb-enum-types.h"
#include "asb-error-private.h"
#include "asb-sync-private.h"

/**
 * AsbHistoryStore:
 *
 * Where the record of the work in one sandbox goes.
 *
 * Batches of records come one at a time and in order; questions may come meanwhile. Each operation
 * is a virtual function that is handed a [class@Gio.Task] to answer exactly once; see
 * [iface@Provider].
 *
 * Since: 1.0
 */

G_DEFINE_INTERFACE (AsbHistoryStore, asb_history_store, G_TYPE_OBJECT)

static void
asb_history_store_default_init (AsbHistoryStoreInterface *iface)
{
}

/**
 * asb_history_store_get_records_in_place:
 * @self: a [iface@HistoryStore]
 *
 * Whether operations that travel on the transport are recorded at its other end. The backend then
 * ties an [class@Operation] to each request and does not pass it to [method@HistoryStore.record].
 * Such a store is given its first batch, which tells how the sandbox came about, right after it was
 * asked to open and before it has answered: the other end does both in this order.
 *
 * Returns: whether it does
 *
 * Since: 1.0
 */
gboolean
asb_history_store_get_records_in_place (AsbHistoryStore *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), FALSE);

  return ASB_HISTORY_STORE_GET_IFACE (self)->get_records_in_place
         && ASB_HISTORY_STORE_GET_IFACE (self)->get_records_in_place (self);
}

/**
 * AsbHistoryStoreInterface::open:
 * @self: a [iface@HistoryStore]
 * @transport: the way into the sandbox
 * @ref: the sandbox
 * @config: what is recorded
 * @task: to be answered with a boolean: whether it was done
 *
 * Does what [method@HistoryStore.open_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_history_store_open_async:
 * @self: a [iface@HistoryStore]
 * @transport: the way into the sandbox
 * @ref: the sandbox
 * @config: what is recorded
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Makes the store ready for one sandbox. Called once, before everything else.
 *
 * Since: 1.0
 */
void
asb_history_store_open_async (AsbHistoryStore *self, AsbTransport *transport, AsbSandboxRef *ref,
                              AsbHistoryConfig *config, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "open the history", 60, .is_deed = TRUE };
  GTask *task;

  g_return_if_fail (ASB_IS_HISTORY_STORE (self));
  g_return_if_fail (ASB_IS_TRANSPORT (transport) && ASB_IS_SANDBOX_REF (ref)
                    && ASB_IS_HISTORY_CONFIG (config));

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_history_store_open_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_HISTORY_STORE_GET_IFACE (self)->open)
    {
      ASB_HISTORY_STORE_GET_IFACE (self)->open (self, transport, ref, config, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "open");
}

/**
 * asb_history_store_open_finish:
 * @self: a [iface@HistoryStore]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@HistoryStore.open_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_history_store_open_finish (AsbHistoryStore *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_history_store_open:
 * @self: a [iface@HistoryStore]
 * @transport: the way into the sandbox
 * @ref: the sandbox
 * @config: what is recorded
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Makes the store ready for one sandbox. Called once, before everything else. Blocks; see
 * [method@HistoryStore.open_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_history_store_open (AsbHistoryStore *self, AsbTransport *transport, AsbSandboxRef *ref,
                        AsbHistoryConfig *config, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), FALSE);
  g_return_val_if_fail (ASB_IS_TRANSPORT (transport) && ASB_IS_SANDBOX_REF (ref)
                            && ASB_IS_HISTORY_CONFIG (config),
                        FALSE);

  asb_sync_begin (&sync);
  asb_history_store_open_async (self, transport, ref, config, cancellable, asb_sync_ready_cb,
                                &sync);
  return asb_history_store_open_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbHistoryStoreInterface::record:
 * @self: a [iface@HistoryStore]
 * @batch: an `a{sv}` with `batch_id` and `records`, see the history schema
 * @task: to be answered with a boolean: whether it was done
 *
 * Does what [method@HistoryStore.record_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_history_store_record_async:
 * @self: a [iface@HistoryStore]
 * @batch: an `a{sv}` with `batch_id` and `records`, see the history schema
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Stores a batch of records, all or none. A record that was stored before is accepted and changes
 * nothing.
 *
 * Since: 1.0
 */
void
asb_history_store_record_async (AsbHistoryStore *self, GVariant *batch, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "record the operation", 60, .is_deed = TRUE };
  g_autoptr (GVariant) sunk = batch ? g_variant_ref_sink (batch) : NULL;
  GTask *task;

  g_return_if_fail (ASB_IS_HISTORY_STORE (self));
  g_return_if_fail (batch != NULL);

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_history_store_record_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_HISTORY_STORE_GET_IFACE (self)->record)
    {
      ASB_HISTORY_STORE_GET_IFACE (self)->record (self, batch, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "record");
}

/**
 * asb_history_store_record_finish:
 * @self: a [iface@HistoryStore]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@HistoryStore.record_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_history_store_record_finish (AsbHistoryStore *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_history_store_record:
 * @self: a [iface@HistoryStore]
 * @batch: an `a{sv}` with `batch_id` and `records`, see the history schema
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Stores a batch of records, all or none. A record that was stored before is accepted and changes
 * nothing. Blocks; see [method@HistoryStore.record_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_history_store_record (AsbHistoryStore *self, GVariant *batch, GCancellable *cancellable,
                          GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), FALSE);
  g_return_val_if_fail (batch != NULL, FALSE);

  asb_sync_begin (&sync);
  asb_history_store_record_async (self, batch, cancellable, asb_sync_ready_cb, &sync);
  return asb_history_store_record_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbHistoryStoreInterface::query:
 * @self: a [iface@HistoryStore]
 * @after_seq: the last change already seen, 0 for none
 * @limit: how many changes at most, 1 to 10,000
 * @max_bytes: how large the answer may be, at least one change is always given
 * @task: to be answered with an [class@HistoryPage]: a page of changes
 *
 * Does what [method@HistoryStore.query_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_history_store_query_async:
 * @self: a [iface@HistoryStore]
 * @after_seq: the last change already seen, 0 for none
 * @limit: how many changes at most, 1 to 10,000
 * @max_bytes: how large the answer may be, at least one change is always given
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks for the changes after one that was seen.
 *
 * Since: 1.0
 */
void
asb_history_store_query_async (AsbHistoryStore *self, gint64 after_seq, guint limit,
                               guint64 max_bytes, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "query the history", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_HISTORY_STORE (self));
  g_return_if_fail (after_seq >= 0 && limit > 0 && max_bytes > 0);

  task = asb_call_begin (self, &kind, ASB_TYPE_HISTORY_PAGE, cancellable, callback, user_data,
                         asb_history_store_query_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_HISTORY_STORE_GET_IFACE (self)->query)
    {
      ASB_HISTORY_STORE_GET_IFACE (self)->query (self, after_seq, limit, max_bytes, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "query");
}

/**
 * asb_history_store_query_finish:
 * @self: a [iface@HistoryStore]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@HistoryStore.query_async].
 *
 * Returns: (transfer full): a page of changes
 *
 * Since: 1.0
 */
AsbHistoryPage *
asb_history_store_query_finish (AsbHistoryStore *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_history_store_query:
 * @self: a [iface@HistoryStore]
 * @after_seq: the last change already seen, 0 for none
 * @limit: how many changes at most, 1 to 10,000
 * @max_bytes: how large the answer may be, at least one change is always given
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks for the changes after one that was seen. Blocks; see [method@HistoryStore.query_async].
 *
 * Returns: (transfer full): a page of changes
 *
 * Since: 1.0
 */
AsbHistoryPage *
asb_history_store_query (AsbHistoryStore *self, gint64 after_seq, guint limit, guint64 max_bytes,
                         GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), NULL);
  g_return_val_if_fail (after_seq >= 0 && limit > 0 && max_bytes > 0, NULL);

  asb_sync_begin (&sync);
  asb_history_store_query_async (self, after_seq, limit, max_bytes, cancellable, asb_sync_ready_cb,
                                 &sync);
  return asb_history_store_query_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbHistoryStoreInterface::get_operations:
 * @self: a [iface@HistoryStore]
 * @event_ids: (array zero-terminated=1): the ids, at most 1,000
 * @task: to be answered with a [iface@Gio.ListModel]: the operations, as [class@HistoryOperation];
 * unknown ids are left out
 *
 * Does what [method@HistoryStore.get_operations_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_history_store_get_operations_async:
 * @self: a [iface@HistoryStore]
 * @event_ids: (array zero-terminated=1): the ids, at most 1,000
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks for recorded operations by id.
 *
 * Since: 1.0
 */
void
asb_history_store_get_operations_async (AsbHistoryStore *self, const char *const *event_ids,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data)
{
  static const AsbCallKind kind = { "get the recorded operations", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_HISTORY_STORE (self));
  g_return_if_fail (event_ids != NULL);

  task = asb_call_begin (self, &kind, G_TYPE_LIST_MODEL, cancellable, callback, user_data,
                         asb_history_store_get_operations_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_HISTORY_STORE_GET_IFACE (self)->get_operations)
    {
      ASB_HISTORY_STORE_GET_IFACE (self)->get_operations (self, event_ids, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "get_operations");
}

/**
 * asb_history_store_get_operations_finish:
 * @self: a [iface@HistoryStore]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@HistoryStore.get_operations_async].
 *
 * Returns: (transfer full): the operations, as [class@HistoryOperation]; unknown ids are left out
 *
 * Since: 1.0
 */
GListModel *
asb_history_store_get_operations_finish (AsbHistoryStore *self, GAsyncResult *result,
                                         GError **error)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_history_store_get_operations:
 * @self: a [iface@HistoryStore]
 * @event_ids: (array zero-terminated=1): the ids, at most 1,000
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks for recorded operations by id. Blocks; see [method@HistoryStore.get_operations_async].
 *
 * Returns: (transfer full): the operations, as [class@HistoryOperation]; unknown ids are left out
 *
 * Since: 1.0
 */
GListModel *
asb_history_store_get_operations (AsbHistoryStore *self, const char *const *event_ids,
                                  GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), NULL);
  g_return_val_if_fail (event_ids != NULL, NULL);

  asb_sync_begin (&sync);
  asb_history_store_get_operations_async (self, event_ids, cancellable, asb_sync_ready_cb, &sync);
  return asb_history_store_get_operations_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbHistoryStoreInterface::get_output:
 * @self: a [iface@HistoryStore]
 * @event_id: the id of the operation
 * @stream: which stream of it
 * @task: to be answered with a [class@Gio.InputStream]: a stream of the bytes that were kept
 *
 * Does what [method@HistoryStore.get_output_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_history_store_get_output_async:
 * @self: a [iface@HistoryStore]
 * @event_id: the id of the operation
 * @stream: which stream of it
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks for the recorded output of a command.
 *
 * Since: 1.0
 */
void
asb_history_store_get_output_async (AsbHistoryStore *self, const char *event_id,
                                    AsbOutputStream stream, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "get the recorded output", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_HISTORY_STORE (self));
  g_return_if_fail (event_id != NULL);

  task = asb_call_begin (self, &kind, G_TYPE_INPUT_STREAM, cancellable, callback, user_data,
                         asb_history_store_get_output_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_HISTORY_STORE_GET_IFACE (self)->get_output)
    {
      ASB_HISTORY_STORE_GET_IFACE (self)->get_output (self, event_id, stream, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "get_output");
}

/**
 * asb_history_store_get_output_finish:
 * @self: a [iface@HistoryStore]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@HistoryStore.get_output_async].
 *
 * Returns: (transfer full): a stream of the bytes that were kept
 *
 * Since: 1.0
 */
GInputStream *
asb_history_store_get_output_finish (AsbHistoryStore *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_history_store_get_output:
 * @self: a [iface@HistoryStore]
 * @event_id: the id of the operation
 * @stream: which stream of it
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks for the recorded output of a command. Blocks; see [method@HistoryStore.get_output_async].
 *
 * Returns: (transfer full): a stream of the bytes that were kept
 *
 * Since: 1.0
 */
GInputStream *
asb_history_store_get_output (AsbHistoryStore *self, const char *event_id, AsbOutputStream stream,
                              GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), NULL);
  g_return_val_if_fail (event_id != NULL, NULL);

  asb_sync_begin (&sync);
  asb_history_store_get_output_async (self, event_id, stream, cancellable, asb_sync_ready_cb,
                                      &sync);
  return asb_history_store_get_output_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbHistoryStoreInterface::export_database:
 * @self: a [iface@HistoryStore]
 * @task: to be answered with a [class@Gio.InputStream]: a stream of the bytes of the database
 *
 * Does what [method@HistoryStore.export_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_history_store_export_async:
 * @self: a [iface@HistoryStore]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks for the whole record as one SQLite database, as it is at one moment, with what was done
 * until now. Nobody who writes waits for it. It is complete when reading the stream has come to
 * its end without an error; what was read before an error is of no use.
 *
 * Fails with `ASB_ERROR_UNSUPPORTED_CAPABILITY` where the record is no such file, with
 * `ASB_ERROR_TOO_MANY_REQUESTS` while another export of the same record is read, and with
 * `ASB_ERROR_HISTORY_STORAGE_EXHAUSTED` where a copy has no room beside the record.
 *
 * Since: 1.0
 */
void
asb_history_store_export_async (AsbHistoryStore *self, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "export the history", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_HISTORY_STORE (self));

  task = asb_call_begin (self, &kind, G_TYPE_INPUT_STREAM, cancellable, callback, user_data,
                         asb_history_store_export_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_HISTORY_STORE_GET_IFACE (self)->export_database)
    {
      ASB_HISTORY_STORE_GET_IFACE (self)->export_database (self, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "export_database");
}

/**
 * asb_history_store_export_finish:
 * @self: a [iface@HistoryStore]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@HistoryStore.export_async].
 *
 * Returns: (transfer full): a stream of the bytes of the database
 *
 * Since: 1.0
 */
GInputStream *
asb_history_store_export_finish (AsbHistoryStore *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_history_store_export:
 * @self: a [iface@HistoryStore]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks for the whole record as one SQLite database. Blocks; see
 * [method@HistoryStore.export_async].
 *
 * Returns: (transfer full): a stream of the bytes of the database
 *
 * Since: 1.0
 */
GInputStream *
asb_history_store_export (AsbHistoryStore *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), NULL);

  asb_sync_begin (&sync);
  asb_history_store_export_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_history_store_export_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbHistoryStoreInterface::acknowledge:
 * @self: a [iface@HistoryStore]
 * @consumer_id: the name of the reader
 * @seq: the last change it has
 * @task: to be answered with a boolean: whether it was done
 *
 * Does what [method@HistoryStore.acknowledge_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_history_store_acknowledge_async:
 * @self: a [iface@HistoryStore]
 * @consumer_id: the name of the reader
 * @seq: the last change it has
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Notes how far a reader has come, which protects what it has not read yet.
 *
 * Since: 1.0
 */
void
asb_history_store_acknowledge_async (AsbHistoryStore *self, const char *consumer_id, gint64 seq,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data)
{
  static const AsbCallKind kind = { "acknowledge the history", 60, .is_deed = TRUE };
  GTask *task;

  g_return_if_fail (ASB_IS_HISTORY_STORE (self));
  g_return_if_fail (consumer_id != NULL && seq >= 0);

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_history_store_acknowledge_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_HISTORY_STORE_GET_IFACE (self)->acknowledge)
    {
      ASB_HISTORY_STORE_GET_IFACE (self)->acknowledge (self, consumer_id, seq, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "acknowledge");
}

/**
 * asb_history_store_acknowledge_finish:
 * @self: a [iface@HistoryStore]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@HistoryStore.acknowledge_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_history_store_acknowledge_finish (AsbHistoryStore *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_history_store_acknowledge:
 * @self: a [iface@HistoryStore]
 * @consumer_id: the name of the reader
 * @seq: the last change it has
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Notes how far a reader has come, which protects what it has not read yet. Blocks; see
 * [method@HistoryStore.acknowledge_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_history_store_acknowledge (AsbHistoryStore *self, const char *consumer_id, gint64 seq,
                               GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), FALSE);
  g_return_val_if_fail (consumer_id != NULL && seq >= 0, FALSE);

  asb_sync_begin (&sync);
  asb_history_store_acknowledge_async (self, consumer_id, seq, cancellable, asb_sync_ready_cb,
                                       &sync);
  return asb_history_store_acknowledge_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbHistoryStoreInterface::cleanup:
 * @self: a [iface@HistoryStore]
 * @task: to be answered with a boolean: whether it was done
 *
 * Does what [method@HistoryStore.cleanup_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_history_store_cleanup_async:
 * @self: a [iface@HistoryStore]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Deletes what the settings say is too old or too much.
 *
 * Since: 1.0
 */
void
asb_history_store_cleanup_async (AsbHistoryStore *self, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "clean up the history", 600, .is_deed = TRUE };
  GTask *task;

  g_return_if_fail (ASB_IS_HISTORY_STORE (self));

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_history_store_cleanup_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_HISTORY_STORE_GET_IFACE (self)->cleanup)
    {
      ASB_HISTORY_STORE_GET_IFACE (self)->cleanup (self, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "cleanup");
}

/**
 * asb_history_store_cleanup_finish:
 * @self: a [iface@HistoryStore]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@HistoryStore.cleanup_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_history_store_cleanup_finish (AsbHistoryStore *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_history_store_cleanup:
 * @self: a [iface@HistoryStore]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Deletes what the settings say is too old or too much. Blocks; see
 * [method@HistoryStore.cleanup_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_history_store_cleanup (AsbHistoryStore *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), FALSE);

  asb_sync_begin (&sync);
  asb_history_store_cleanup_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_history_store_cleanup_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbHistoryStoreInterface::get_status:
 * @self: a [iface@HistoryStore]
 * @task: to be answered with an [class@HistoryStatus]: the status
 *
 * Does what [method@HistoryStore.get_status_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_history_store_get_status_async:
 * @self: a [iface@HistoryStore]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks how the store is doing.
 *
 * Since: 1.0
 */
void
asb_history_store_get_status_async (AsbHistoryStore *self, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "get the status of the history", 60, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_HISTORY_STORE (self));

  task = asb_call_begin (self, &kind, ASB_TYPE_HISTORY_STATUS, cancellable, callback, user_data,
                         asb_history_store_get_status_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_HISTORY_STORE_GET_IFACE (self)->get_status)
    {
      ASB_HISTORY_STORE_GET_IFACE (self)->get_status (self, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "get_status");
}

/**
 * asb_history_store_get_status_finish:
 * @self: a [iface@HistoryStore]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@HistoryStore.get_status_async].
 *
 * Returns: (transfer full): the status
 *
 * Since: 1.0
 */
AsbHistoryStatus *
asb_history_store_get_status_finish (AsbHistoryStore *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_history_store_get_status:
 * @self: a [iface@HistoryStore]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks how the store is doing. Blocks; see [method@HistoryStore.get_status_async].
 *
 * Returns: (transfer full): the status
 *
 * Since: 1.0
 */
AsbHistoryStatus *
asb_history_store_get_status (AsbHistoryStore *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), NULL);

  asb_sync_begin (&sync);
  asb_history_store_get_status_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_history_store_get_status_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbHistoryStoreInterface::close:
 * @self: a [iface@HistoryStore]
 * @task: to be answered with a boolean: whether it was done
 *
 * Does what [method@HistoryStore.close_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_history_store_close_async:
 * @self: a [iface@HistoryStore]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Writes what is left and closes the store. Cancelling ends no more than the waiting: it is closed
 * all the same.
 *
 * Since: 1.0
 */
void
asb_history_store_close_async (AsbHistoryStore *self, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "close the history", 60, .is_deed = TRUE };
  GTask *task;

  g_return_if_fail (ASB_IS_HISTORY_STORE (self));

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_history_store_close_async);
  if (ASB_HISTORY_STORE_GET_IFACE (self)->close)
    {
      ASB_HISTORY_STORE_GET_IFACE (self)->close (self, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "close");
}

/**
 * asb_history_store_close_finish:
 * @self: a [iface@HistoryStore]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@HistoryStore.close_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_history_store_close_finish (AsbHistoryStore *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_history_store_close:
 * @self: a [iface@HistoryStore]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Writes what is left and closes the store. Blocks; see [method@HistoryStore.close_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_history_store_close (AsbHistoryStore *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_HISTORY_STORE (self), FALSE);

  asb_sync_begin (&sync);
  asb_history_store_close_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_history_store_close_finish (self, asb_sync_wait (&sync), error);
}
