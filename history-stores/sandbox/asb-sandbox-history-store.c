/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-sandbox-history-store.h"

#include "asb-sandbox-lines.h"
#include "asb-sandbox-rows.h"

#define NAME_KEY "agent_sandbox.name"
#define MAX_CHANGES 10000
#define MAX_OPERATIONS 1000

/* The record inside the sandbox: every call goes to the guest, which keeps it. */
struct _AsbSandboxHistoryStore
{
  GObject parent_instance;

  GMutex mutex;
  AsbTransport *transport; /* (nullable): not open */
};

static void asb_sandbox_history_store_iface_init (AsbHistoryStoreInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbSandboxHistoryStore, asb_sandbox_history_store, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_HISTORY_STORE,
                                                      asb_sandbox_history_store_iface_init))

static void
asb_sandbox_history_store_finalize (GObject *object)
{
  AsbSandboxHistoryStore *self = ASB_SANDBOX_HISTORY_STORE (object);

  g_clear_object (&self->transport);
  g_mutex_clear (&self->mutex);

  G_OBJECT_CLASS (asb_sandbox_history_store_parent_class)->finalize (object);
}

static void
asb_sandbox_history_store_class_init (AsbSandboxHistoryStoreClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_sandbox_history_store_finalize;
}

static void
asb_sandbox_history_store_init (AsbSandboxHistoryStore *self)
{
  g_mutex_init (&self->mutex);
}

/* Returns: (transfer full) (nullable): the way to the guest; without it @task has been answered */
static AsbTransport *
get_transport (AsbSandboxHistoryStore *self, GTask *task)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  if (self->transport)
    return g_object_ref (self->transport);
  g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_CLOSED, "The history store is not open");
  return NULL;
}

static void
return_object (GTask *task, gpointer object)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_OBJECT_TYPE (object));
  g_value_take_object (&value, object);
  g_task_return_value (task, &value);
}

/* Calls that answer with a dictionary. */

static void
call (AsbSandboxHistoryStore *self, GTask *task, const char *name, GVariant *arguments,
      GAsyncReadyCallback callback)
{
  g_autoptr (GVariant) sunk = arguments ? g_variant_ref_sink (arguments) : NULL;
  g_autoptr (AsbTransport) transport = get_transport (self, task);

  if (transport)
    asb_transport_call_async (transport, name, sunk, g_task_get_cancellable (task), callback,
                              g_object_ref (task));
}

static void
done_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;
  g_autoptr (GVariant) answer = asb_transport_call_finish (ASB_TRANSPORT (source), result, &error);

  if (answer)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* Opening. */

static GVariant *
describe_identity (AsbSandboxRef *ref)
{
  GHashTable *metadata = asb_sandbox_ref_get_metadata (ref);
  const char *name = metadata ? g_hash_table_lookup (metadata, NAME_KEY) : NULL;
  GVariantDict identity;

  g_variant_dict_init (&identity, NULL);
  g_variant_dict_insert (&identity, "provider_key", "s", asb_sandbox_ref_get_provider_key (ref));
  g_variant_dict_insert (&identity, "sandbox_id", "s", asb_sandbox_ref_get_sandbox_id (ref));
  g_variant_dict_insert (&identity, "sandbox_instance_id", "s",
                         asb_sandbox_ref_get_sandbox_instance_id (ref));
  if (name)
    g_variant_dict_insert (&identity, "sandbox_name", "s", name);
  return g_variant_dict_end (&identity);
}

static gboolean
check_identity (AsbSandboxRef *ref, GError **error)
{
  if (asb_sandbox_ref_get_provider_key (ref) && asb_sandbox_ref_get_sandbox_id (ref)
      && asb_sandbox_ref_get_sandbox_instance_id (ref))
    return TRUE;
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                       "The reference of a sandbox with a record needs a provider key, a sandbox "
                       "id and an instance id");
  return FALSE;
}

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  AsbSandboxHistoryStore *self = g_task_get_source_object (task);
  GError *error = NULL;
  g_autoptr (GVariant) answer = asb_transport_call_finish (ASB_TRANSPORT (source), result, &error);
  const char *renamed;

  if (!answer)
    {
      g_mutex_lock (&self->mutex);
      g_clear_object (&self->transport);
      g_mutex_unlock (&self->mutex);
      g_task_return_error (task, error);
      return;
    }
  renamed = asb_sandbox_row_get_string (answer, "renamed");
  if (renamed)
    g_debug ("The record of another sandbox was put aside as “%s”", renamed);
  g_task_return_boolean (task, TRUE);
}

static void
asb_sandbox_history_store_open (AsbHistoryStore *store, AsbTransport *transport, AsbSandboxRef *ref,
                                AsbHistoryConfig *config, GTask *task)
{
  AsbSandboxHistoryStore *self = ASB_SANDBOX_HISTORY_STORE (store);
  g_autoptr (AsbCapabilities) capabilities = asb_transport_get_capabilities (transport);
  g_autoptr (GVariant) settings = NULL;
  GError *error = NULL;
  GVariantDict arguments;

  if (!asb_capabilities_require (capabilities, ASB_CAPABILITY_SANDBOX_HISTORY, &error)
      || !check_identity (ref, &error) || !asb_history_config_validate (config, &error))
    {
      g_task_return_error (task, error);
      return;
    }
  g_mutex_lock (&self->mutex);
  g_set_object (&self->transport, transport);
  g_mutex_unlock (&self->mutex);

  settings = asb_history_config_to_variant (config);
  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert_value (&arguments, "identity", describe_identity (ref));
  g_variant_dict_insert (&arguments, "sdk_version", "s", asb_get_version ());
  g_variant_dict_insert_value (&arguments, "config", settings);
  call (self, task, "history.open", g_variant_dict_end (&arguments), opened_cb);
}

static void
asb_sandbox_history_store_record (AsbHistoryStore *store, GVariant *batch, GTask *task)
{
  call (ASB_SANDBOX_HISTORY_STORE (store), task, "history.record", batch, done_cb);
}

static void
asb_sandbox_history_store_acknowledge (AsbHistoryStore *store, const char *consumer_id, gint64 seq,
                                       GTask *task)
{
  GVariantDict arguments;

  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert (&arguments, "consumer_id", "s", consumer_id);
  g_variant_dict_insert (&arguments, "seq", "x", seq);
  call (ASB_SANDBOX_HISTORY_STORE (store), task, "history.acknowledge",
        g_variant_dict_end (&arguments), done_cb);
}

/* The guest does so by itself, too; here it is not asked when it last did. */
static void
asb_sandbox_history_store_cleanup (AsbHistoryStore *store, GTask *task)
{
  call (ASB_SANDBOX_HISTORY_STORE (store), task, "history.cleanup", NULL, done_cb);
}

static void
status_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;
  g_autoptr (GVariant) answer = asb_transport_call_finish (ASB_TRANSPORT (source), result, &error);
  const char *state;

  if (!answer)
    {
      g_task_return_error (task, error);
      return;
    }
  state = asb_sandbox_row_get_string (answer, "state");
  if (!state)
    {
      g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_PROTOCOL,
                               "The guest did not say in which state the record is");
      return;
    }
  return_object (
      task,
      g_object_new (
          ASB_TYPE_HISTORY_STATUS, "state", state, "message",
          asb_sandbox_row_get_string (answer, "message"), "journal-mode",
          asb_sandbox_row_get_string (answer, "journal_mode"), "database-bytes",
          (guint64)MAX (0, asb_sandbox_row_get_integer (answer, "database_bytes", 0)), "operations",
          (guint64)MAX (0, asb_sandbox_row_get_integer (answer, "operations", 0)),
          "min-available-seq", asb_sandbox_row_get_integer (answer, "min_available_change_seq", 0),
          "max-seq", asb_sandbox_row_get_integer (answer, "max_change_seq", 0), NULL));
}

static void
asb_sandbox_history_store_get_status (AsbHistoryStore *store, GTask *task)
{
  call (ASB_SANDBOX_HISTORY_STORE (store), task, "history.status", NULL, status_cb);
}

/* Calls that answer with a stream. */

static void
open_call (AsbSandboxHistoryStore *self, GTask *task, const char *name, GVariant *arguments,
           GAsyncReadyCallback callback)
{
  g_autoptr (GVariant) sunk = g_variant_ref_sink (arguments);
  g_autoptr (AsbTransport) transport = get_transport (self, task);

  if (transport)
    asb_transport_open_call_async (transport, name, sunk, g_task_get_cancellable (task), callback,
                                   g_object_ref (task));
}

/* Without these a reader would not know where to go on. */
static AsbHistoryPage *
page_new (GListModel *changes, GVariant *answer, GError **error)
{
  gint64 next_seq;
  gint64 min_seq;
  gint64 max_seq;
  gboolean reset;

  if (!answer || !g_variant_lookup (answer, "reset_required", "b", &reset))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                           "The guest did not say where the page stands");
      return NULL;
    }
  if (!asb_sandbox_row_require_integer (answer, "next_change_seq", &next_seq, error)
      || !asb_sandbox_row_require_integer (answer, "min_available_change_seq", &min_seq, error)
      || !asb_sandbox_row_require_integer (answer, "max_change_seq", &max_seq, error))
    return NULL;
  return g_object_new (ASB_TYPE_HISTORY_PAGE, "changes", changes, "next-seq", next_seq,
                       "min-available-seq", min_seq, "max-seq", max_seq, "reset-required", reset,
                       NULL);
}

/* Takes @error. A guest that ends cancels what it was asked, also when nobody here wants that. */
static void
return_query_error (GTask *task, GError *error)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      && !g_cancellable_is_cancelled (g_task_get_cancellable (task)))
    {
      g_error_free (error);
      g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INTERRUPTED,
                               "Could not query the history: the guest has ended");
    }
  else
    g_task_return_error (task, error);
}

static void
page_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;
  g_autoptr (GListModel) changes
      = asb_sandbox_lines_read_finish (G_INPUT_STREAM (source), result, &error);
  AsbHistoryPage *page
      = changes ? page_new (changes, g_object_get_data (source, "asb-result"), &error) : NULL;

  if (page)
    return_object (task, page);
  else
    return_query_error (task, error);
}

static void
query_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;
  g_autoptr (GInputStream) stream
      = asb_transport_open_call_finish (ASB_TRANSPORT (source), result, &error);

  if (stream)
    asb_sandbox_lines_read_async (
        stream, ASB_TYPE_HISTORY_CHANGE, GPOINTER_TO_UINT (g_task_get_task_data (task)),
        asb_sandbox_row_to_change, g_task_get_cancellable (task), page_cb, g_object_ref (task));
  else
    return_query_error (task, error);
}

static void
query (AsbHistoryStore *store, gint64 after_seq, guint limit, guint64 max_bytes, guint wait_ms,
       GTask *task)
{
  guint max_changes = MIN (limit, MAX_CHANGES);
  GVariantDict arguments;

  g_task_set_task_data (task, GUINT_TO_POINTER (max_changes), NULL);
  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert (&arguments, "after_change_seq", "x", after_seq);
  g_variant_dict_insert (&arguments, "limit", "x", (gint64)max_changes);
  g_variant_dict_insert (&arguments, "max_bytes", "x", (gint64)MIN (max_bytes, G_MAXINT32));
  if (wait_ms > 0)
    g_variant_dict_insert (&arguments, "wait_ms", "x", (gint64)wait_ms);
  open_call (ASB_SANDBOX_HISTORY_STORE (store), task, "history.query",
             g_variant_dict_end (&arguments), query_cb);
}

static void
asb_sandbox_history_store_query (AsbHistoryStore *store, gint64 after_seq, guint limit,
                                 guint64 max_bytes, GTask *task)
{
  query (store, after_seq, limit, max_bytes, 0, task);
}

/* An older guest would answer at once. */
static gboolean
check_waits (AsbSandboxHistoryStore *self, GTask *task)
{
  g_autoptr (AsbTransport) transport = get_transport (self, task);
  g_autoptr (AsbCapabilities) capabilities
      = transport ? asb_transport_get_capabilities (transport) : NULL;
  GError *error = NULL;

  if (!capabilities)
    return FALSE;
  if (asb_capabilities_require (capabilities, ASB_CAPABILITY_HISTORY_WAIT, &error))
    return TRUE;
  g_task_return_error (task, error);
  return FALSE;
}

static void
asb_sandbox_history_store_wait (AsbHistoryStore *store, gint64 after_seq, guint limit,
                                guint64 max_bytes, guint timeout_ms, GTask *task)
{
  if (check_waits (ASB_SANDBOX_HISTORY_STORE (store), task))
    query (store, after_seq, limit, max_bytes, timeout_ms, task);
}

static void
operations_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;
  GListModel *operations = asb_sandbox_lines_read_finish (G_INPUT_STREAM (source), result, &error);

  if (operations)
    return_object (task, operations);
  else
    g_task_return_error (task, error);
}

static void
get_operations_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;
  g_autoptr (GInputStream) stream
      = asb_transport_open_call_finish (ASB_TRANSPORT (source), result, &error);

  if (stream)
    asb_sandbox_lines_read_async (stream, ASB_TYPE_HISTORY_OPERATION, MAX_OPERATIONS,
                                  asb_sandbox_row_to_operation, g_task_get_cancellable (task),
                                  operations_cb, g_object_ref (task));
  else
    g_task_return_error (task, error);
}

static void
asb_sandbox_history_store_get_operations (AsbHistoryStore *store, const char *const *event_ids,
                                          GTask *task)
{
  guint n_ids = g_strv_length ((char **)event_ids);
  GVariantDict arguments;

  if (n_ids == 0)
    {
      return_object (task, g_list_store_new (ASB_TYPE_HISTORY_OPERATION));
      return;
    }
  if (n_ids > MAX_OPERATIONS)
    {
      g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                               "Could not get %u operations at once, only %d", n_ids,
                               MAX_OPERATIONS);
      return;
    }
  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert_value (&arguments, "event_ids", g_variant_new_strv (event_ids, -1));
  open_call (ASB_SANDBOX_HISTORY_STORE (store), task, "history.get_operations",
             g_variant_dict_end (&arguments), get_operations_cb);
}

static void
output_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;
  GInputStream *stream = asb_transport_open_call_finish (ASB_TRANSPORT (source), result, &error);

  if (stream)
    return_object (task, stream);
  else
    g_task_return_error (task, error);
}

static void
asb_sandbox_history_store_get_output (AsbHistoryStore *store, const char *event_id,
                                      AsbOutputStream stream, GTask *task)
{
  GVariantDict arguments;

  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert (&arguments, "event_id", "s", event_id);
  g_variant_dict_insert (&arguments, "stream", "s",
                         stream == ASB_OUTPUT_STREAM_STDERR ? "stderr" : "stdout");
  open_call (ASB_SANDBOX_HISTORY_STORE (store), task, "history.get_output",
             g_variant_dict_end (&arguments), output_cb);
}

static void
asb_sandbox_history_store_export (AsbHistoryStore *store, GTask *task)
{
  open_call (ASB_SANDBOX_HISTORY_STORE (store), task, "history.export",
             g_variant_new ("a{sv}", NULL), output_cb);
}

/* The guest writes at once and keeps its database open for others: there is nothing to be done but
 * to let go. */
static void
asb_sandbox_history_store_close (AsbHistoryStore *store, GTask *task)
{
  AsbSandboxHistoryStore *self = ASB_SANDBOX_HISTORY_STORE (store);

  g_mutex_lock (&self->mutex);
  g_clear_object (&self->transport);
  g_mutex_unlock (&self->mutex);
  g_task_return_boolean (task, TRUE);
}

static gboolean
asb_sandbox_history_store_get_records_in_place (AsbHistoryStore *store)
{
  return TRUE;
}

static void
asb_sandbox_history_store_iface_init (AsbHistoryStoreInterface *iface)
{
  iface->get_records_in_place = asb_sandbox_history_store_get_records_in_place;
  iface->open = asb_sandbox_history_store_open;
  iface->record = asb_sandbox_history_store_record;
  iface->query = asb_sandbox_history_store_query;
  iface->wait = asb_sandbox_history_store_wait;
  iface->get_operations = asb_sandbox_history_store_get_operations;
  iface->get_output = asb_sandbox_history_store_get_output;
  iface->acknowledge = asb_sandbox_history_store_acknowledge;
  iface->cleanup = asb_sandbox_history_store_cleanup;
  iface->get_status = asb_sandbox_history_store_get_status;
  iface->close = asb_sandbox_history_store_close;
  iface->export_database = asb_sandbox_history_store_export;
}
