/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-memory-history-store.h"

#include "asb-memory-log.h"
#include "asb-memory-waiters.h"

#define DEFAULT_MAX_OPERATIONS 10000
#define DEFAULT_MAX_BYTES (64 * 1024 * 1024)
#define MAX_CONSUMERS 1000
#define MAX_ID 255

typedef struct
{
  gint64 seq;
  gint64 updated_at; /* real time in microseconds */
} AsbMemoryConsumer;

struct _AsbMemoryHistoryStore
{
  GObject parent_instance;

  guint max_operations;
  guint64 max_bytes;

  GMutex mutex;
  guint n_open; /* how often it was opened and not closed */
  AsbHistoryConfig *config;
  AsbMemoryLog *log;
  GHashTable *consumers; /* id → AsbMemoryConsumer */
  AsbMemoryWaiters *waiters;
};

enum
{
  PROP_0,
  PROP_MAX_OPERATIONS,
  PROP_MAX_BYTES,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void asb_memory_history_store_iface_init (AsbHistoryStoreInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbMemoryHistoryStore, asb_memory_history_store, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_HISTORY_STORE,
                                                      asb_memory_history_store_iface_init))

static void
asb_memory_history_store_finalize (GObject *object)
{
  AsbMemoryHistoryStore *self = ASB_MEMORY_HISTORY_STORE (object);

  g_clear_pointer (&self->waiters, asb_memory_waiters_free);
  g_clear_pointer (&self->log, asb_memory_log_free);
  g_clear_pointer (&self->consumers, g_hash_table_unref);
  g_clear_object (&self->config);
  g_mutex_clear (&self->mutex);

  G_OBJECT_CLASS (asb_memory_history_store_parent_class)->finalize (object);
}

static void
asb_memory_history_store_get_property (GObject *object, guint property_id, GValue *value,
                                       GParamSpec *pspec)
{
  AsbMemoryHistoryStore *self = ASB_MEMORY_HISTORY_STORE (object);

  switch (property_id)
    {
    case PROP_MAX_OPERATIONS:
      g_value_set_uint (value, self->max_operations);
      break;
    case PROP_MAX_BYTES:
      g_value_set_uint64 (value, self->max_bytes);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_memory_history_store_set_property (GObject *object, guint property_id, const GValue *value,
                                       GParamSpec *pspec)
{
  AsbMemoryHistoryStore *self = ASB_MEMORY_HISTORY_STORE (object);

  switch (property_id)
    {
    case PROP_MAX_OPERATIONS:
      self->max_operations = g_value_get_uint (value);
      break;
    case PROP_MAX_BYTES:
      self->max_bytes = g_value_get_uint64 (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_memory_history_store_class_init (AsbMemoryHistoryStoreClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags option = G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS;

  object_class->finalize = asb_memory_history_store_finalize;
  object_class->get_property = asb_memory_history_store_get_property;
  object_class->set_property = asb_memory_history_store_set_property;
  properties[PROP_MAX_OPERATIONS] = g_param_spec_uint ("max-operations", NULL, NULL, 1, G_MAXUINT,
                                                       DEFAULT_MAX_OPERATIONS, option);
  properties[PROP_MAX_BYTES]
      = g_param_spec_uint64 ("max-bytes", NULL, NULL, 1, G_MAXUINT64, DEFAULT_MAX_BYTES, option);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_memory_history_store_init (AsbMemoryHistoryStore *self)
{
  g_mutex_init (&self->mutex);
  self->log = asb_memory_log_new ();
  self->waiters = asb_memory_waiters_new (&self->mutex, self->log);
  self->consumers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

static void
answer_object (GTask *task, gpointer object)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_OBJECT_TYPE (object));
  g_value_take_object (&value, object);
  g_task_return_value (task, &value);
}

/* Opening and closing. */

static void
asb_memory_history_store_open (AsbHistoryStore *store, AsbTransport *transport, AsbSandboxRef *ref,
                               AsbHistoryConfig *config, GTask *task)
{
  AsbMemoryHistoryStore *self = ASB_MEMORY_HISTORY_STORE (store);

  if (g_task_return_error_if_cancelled (task))
    return;
  g_mutex_lock (&self->mutex);
  g_set_object (&self->config, config);
  self->n_open++;
  g_mutex_unlock (&self->mutex);
  g_task_return_boolean (task, TRUE);
}

static void
asb_memory_history_store_close (AsbHistoryStore *store, GTask *task)
{
  AsbMemoryHistoryStore *self = ASB_MEMORY_HISTORY_STORE (store);
  GPtrArray *waiters = NULL;

  g_mutex_lock (&self->mutex);
  if (self->n_open > 0)
    self->n_open--;
  if (self->n_open == 0)
    waiters = asb_memory_waiters_take_all (self->waiters);
  g_mutex_unlock (&self->mutex);
  if (waiters)
    asb_memory_waiters_answer (waiters);
  g_task_return_boolean (task, TRUE);
}

/* Recording. */

/* Must hold the mutex. */
static AsbMemoryLimits
get_limits (AsbMemoryHistoryStore *self)
{
  const char *policy = asb_history_config_get_overflow_policy (self->config);
  guint64 max_database_bytes = (guint64)asb_history_config_get_max_database_bytes (self->config);
  gint64 max_output = asb_history_config_get_max_operation_output_bytes (self->config);

  return (AsbMemoryLimits){
    .max_operations = self->max_operations,
    .max_bytes = MIN (self->max_bytes, max_database_bytes),
    .max_operation_output_bytes = (guint64)max_output,
    .captured
    = { [ASB_OUTPUT_STREAM_STDOUT] = asb_history_config_get_capture_stdout (self->config),
        [ASB_OUTPUT_STREAM_STDERR] = asb_history_config_get_capture_stderr (self->config) },
    .delete_oldest = g_strcmp0 (policy, "delete_oldest") == 0,
    .stop = g_strcmp0 (policy, "stop_recording") == 0,
  };
}

/* Must hold the mutex. */
static gboolean
record_locked (AsbMemoryHistoryStore *self, GPtrArray *records, GError **error)
{
  AsbMemoryLimits limits;

  if (self->n_open == 0)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_HISTORY_UNAVAILABLE,
                           "The record in memory is not open");
      return FALSE;
    }
  limits = get_limits (self);
  return asb_memory_log_apply (self->log, records, &limits, error);
}

static gboolean
record (AsbMemoryHistoryStore *self, GPtrArray *records, GError **error)
{
  GPtrArray *waiters = NULL;

  g_mutex_lock (&self->mutex);
  if (record_locked (self, records, error))
    waiters = asb_memory_waiters_take_ready (self->waiters);
  g_mutex_unlock (&self->mutex);
  if (!waiters)
    return FALSE;
  asb_memory_waiters_answer (waiters);
  return TRUE;
}

static void
asb_memory_history_store_record (AsbHistoryStore *store, GVariant *batch, GTask *task)
{
  GError *error = NULL;
  g_autoptr (GPtrArray) records = asb_memory_records_parse (batch, &error);

  if (records && record (ASB_MEMORY_HISTORY_STORE (store), records, &error))
    {
      g_task_return_boolean (task, TRUE);
      return;
    }
  g_prefix_error (&error, "Could not store a batch of records: ");
  g_task_return_error (task, error);
}

/* Reading. What was recorded can be read also when the store is closed. */

static void
asb_memory_history_store_query (AsbHistoryStore *store, gint64 after_seq, guint limit,
                                guint64 max_bytes, GTask *task)
{
  AsbMemoryHistoryStore *self = ASB_MEMORY_HISTORY_STORE (store);
  AsbHistoryPage *page;

  g_mutex_lock (&self->mutex);
  page = asb_memory_log_query (self->log, after_seq, limit, max_bytes);
  g_mutex_unlock (&self->mutex);
  answer_object (task, page);
}

static void
asb_memory_history_store_wait (AsbHistoryStore *store, gint64 after_seq, guint limit,
                               guint64 max_bytes, guint timeout_ms, GTask *task)
{
  AsbMemoryHistoryStore *self = ASB_MEMORY_HISTORY_STORE (store);
  AsbHistoryPage *page = NULL;
  gboolean waits = FALSE;

  g_mutex_lock (&self->mutex);
  if (asb_memory_log_has_news (self->log, after_seq))
    page = asb_memory_log_query (self->log, after_seq, limit, max_bytes);
  else if (self->n_open > 0)
    {
      asb_memory_waiters_add (self->waiters, after_seq, limit, max_bytes, timeout_ms, task);
      waits = TRUE;
    }
  g_mutex_unlock (&self->mutex);
  if (page)
    answer_object (task, page);
  else if (!waits)
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_CLOSED, "The record in memory is closed");
}

static void
asb_memory_history_store_get_operations (AsbHistoryStore *store, const char *const *event_ids,
                                         GTask *task)
{
  AsbMemoryHistoryStore *self = ASB_MEMORY_HISTORY_STORE (store);
  GListStore *operations = g_list_store_new (ASB_TYPE_HISTORY_OPERATION);

  g_mutex_lock (&self->mutex);
  for (gsize i = 0; event_ids[i]; i++)
    {
      AsbMemoryOperation *operation = asb_memory_log_find (self->log, event_ids[i]);
      g_autoptr (AsbHistoryOperation) described
          = operation ? asb_memory_operation_describe (operation) : NULL;

      if (described)
        g_list_store_append (operations, described);
    }
  g_mutex_unlock (&self->mutex);
  answer_object (task, operations);
}

static void
asb_memory_history_store_get_output (AsbHistoryStore *store, const char *event_id,
                                     AsbOutputStream stream, GTask *task)
{
  AsbMemoryHistoryStore *self = ASB_MEMORY_HISTORY_STORE (store);
  AsbMemoryOperation *operation;
  g_autoptr (GBytes) bytes = NULL;

  g_mutex_lock (&self->mutex);
  operation = asb_memory_log_find (self->log, event_id);
  if (operation)
    bytes = asb_memory_operation_join_output (operation, stream);
  g_mutex_unlock (&self->mutex);
  if (bytes)
    answer_object (task, g_memory_input_stream_new_from_bytes (bytes));
  else
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                             "There is no operation “%s” in the record", event_id);
}

/* Consumers. */

/* Must hold the mutex. */
static gboolean
acknowledge_locked (AsbMemoryHistoryStore *self, const char *consumer_id, gint64 seq,
                    GError **error)
{
  AsbMemoryConsumer *consumer = g_hash_table_lookup (self->consumers, consumer_id);

  if (!consumer && g_hash_table_size (self->consumers) >= MAX_CONSUMERS)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_TOO_MANY_REQUESTS,
                   "The record has %d consumers already", MAX_CONSUMERS);
      return FALSE;
    }
  if (!consumer)
    {
      consumer = g_new0 (AsbMemoryConsumer, 1);
      g_hash_table_insert (self->consumers, g_strdup (consumer_id), consumer);
    }
  consumer->seq = MAX (consumer->seq, seq);
  consumer->updated_at = g_get_real_time ();
  return TRUE;
}

static void
asb_memory_history_store_acknowledge (AsbHistoryStore *store, const char *consumer_id, gint64 seq,
                                      GTask *task)
{
  AsbMemoryHistoryStore *self = ASB_MEMORY_HISTORY_STORE (store);
  GError *error = NULL;
  gboolean done;

  if (consumer_id[0] == '\0' || strlen (consumer_id) > MAX_ID)
    {
      g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                               "The id of a consumer has 1 to %d bytes", MAX_ID);
      return;
    }
  g_mutex_lock (&self->mutex);
  done = acknowledge_locked (self, consumer_id, seq, &error);
  g_mutex_unlock (&self->mutex);
  if (done)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* Must hold the mutex. What no active consumer has still to read. */
static gint64
get_protected_seq (AsbMemoryHistoryStore *self)
{
  gint64 oldest
      = g_get_real_time ()
        - asb_history_config_get_consumer_active_ttl_days (self->config) * G_TIME_SPAN_DAY;
  gint64 seq = G_MAXINT64;
  GHashTableIter iter;
  gpointer consumer;

  g_hash_table_iter_init (&iter, self->consumers);
  while (g_hash_table_iter_next (&iter, NULL, &consumer))
    if (((AsbMemoryConsumer *)consumer)->updated_at >= oldest)
      seq = MIN (seq, ((AsbMemoryConsumer *)consumer)->seq);
  return seq;
}

static char *
days_ago (gint64 days)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autoptr (GDateTime) then
      = days > 0 && days <= G_MAXINT ? g_date_time_add_days (now, -(int)days) : NULL;

  return then ? g_date_time_format (then, "%Y-%m-%dT%H:%M:%S") : NULL;
}

static void
asb_memory_history_store_cleanup (AsbHistoryStore *store, GTask *task)
{
  AsbMemoryHistoryStore *self = ASB_MEMORY_HISTORY_STORE (store);
  g_autofree char *completed_before = NULL;

  g_mutex_lock (&self->mutex);
  if (self->config)
    {
      AsbMemoryLimits limits = get_limits (self);

      completed_before = days_ago (asb_history_config_get_ttl_days (self->config));
      asb_memory_log_cleanup (self->log, get_protected_seq (self), completed_before,
                              limits.max_bytes);
    }
  g_mutex_unlock (&self->mutex);
  g_task_return_boolean (task, TRUE);
}

static void
asb_memory_history_store_get_status (AsbHistoryStore *store, GTask *task)
{
  AsbMemoryHistoryStore *self = ASB_MEMORY_HISTORY_STORE (store);
  AsbHistoryStatus *status;

  g_mutex_lock (&self->mutex);
  status = g_object_new (ASB_TYPE_HISTORY_STATUS, "state", self->n_open > 0 ? "open" : "closed",
                         "journal-mode", "memory", "database-bytes",
                         asb_memory_log_get_size (self->log), "operations",
                         (guint64)asb_memory_log_get_n_operations (self->log), "min-available-seq",
                         asb_memory_log_get_min_seq (self->log), "max-seq",
                         asb_memory_log_get_max_seq (self->log), NULL);
  g_mutex_unlock (&self->mutex);
  answer_object (task, status);
}

static void
asb_memory_history_store_iface_init (AsbHistoryStoreInterface *iface)
{
  iface->open = asb_memory_history_store_open;
  iface->record = asb_memory_history_store_record;
  iface->query = asb_memory_history_store_query;
  iface->wait = asb_memory_history_store_wait;
  iface->get_operations = asb_memory_history_store_get_operations;
  iface->get_output = asb_memory_history_store_get_output;
  iface->acknowledge = asb_memory_history_store_acknowledge;
  iface->cleanup = asb_memory_history_store_cleanup;
  iface->get_status = asb_memory_history_store_get_status;
  iface->close = asb_memory_history_store_close;
}
