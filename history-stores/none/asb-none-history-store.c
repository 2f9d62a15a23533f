/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-none-history-store.h"

/* Accepts every record and keeps none. */
struct _AsbNoneHistoryStore
{
  GObject parent_instance;
};

static void asb_none_history_store_iface_init (AsbHistoryStoreInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbNoneHistoryStore, asb_none_history_store, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_HISTORY_STORE,
                                                      asb_none_history_store_iface_init))

static void
asb_none_history_store_class_init (AsbNoneHistoryStoreClass *klass)
{
}

static void
asb_none_history_store_init (AsbNoneHistoryStore *self)
{
}

static void
return_object (GTask *task, gpointer object)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_OBJECT_TYPE (object));
  g_value_take_object (&value, object);
  g_task_return_value (task, &value);
}

static void
asb_none_history_store_open (AsbHistoryStore *store, AsbTransport *transport, AsbSandboxRef *ref,
                             AsbHistoryConfig *config, GTask *task)
{
  g_task_return_boolean (task, TRUE);
}

static void
asb_none_history_store_record (AsbHistoryStore *store, GVariant *batch, GTask *task)
{
  g_task_return_boolean (task, TRUE);
}

static void
asb_none_history_store_query (AsbHistoryStore *store, gint64 after_seq, guint limit,
                              guint64 max_bytes, GTask *task)
{
  g_autoptr (GListStore) changes = g_list_store_new (ASB_TYPE_HISTORY_CHANGE);

  return_object (
      task, g_object_new (ASB_TYPE_HISTORY_PAGE, "changes", changes, "next-seq", after_seq, NULL));
}

static void
asb_none_history_store_get_operations (AsbHistoryStore *store, const char *const *event_ids,
                                       GTask *task)
{
  return_object (task, g_list_store_new (ASB_TYPE_HISTORY_OPERATION));
}

static void
asb_none_history_store_get_output (AsbHistoryStore *store, const char *event_id,
                                   AsbOutputStream stream, GTask *task)
{
  return_object (task, g_memory_input_stream_new ());
}

static void
asb_none_history_store_acknowledge (AsbHistoryStore *store, const char *consumer_id, gint64 seq,
                                    GTask *task)
{
  g_task_return_boolean (task, TRUE);
}

static void
asb_none_history_store_cleanup (AsbHistoryStore *store, GTask *task)
{
  g_task_return_boolean (task, TRUE);
}

static void
asb_none_history_store_get_status (AsbHistoryStore *store, GTask *task)
{
  return_object (task, g_object_new (ASB_TYPE_HISTORY_STATUS, "state", "unavailable", "message",
                                     "this store keeps no records", NULL));
}

static void
asb_none_history_store_close (AsbHistoryStore *store, GTask *task)
{
  g_task_return_boolean (task, TRUE);
}

static void
asb_none_history_store_iface_init (AsbHistoryStoreInterface *iface)
{
  iface->open = asb_none_history_store_open;
  iface->record = asb_none_history_store_record;
  iface->query = asb_none_history_store_query;
  iface->get_operations = asb_none_history_store_get_operations;
  iface->get_output = asb_none_history_store_get_output;
  iface->acknowledge = asb_none_history_store_acknowledge;
  iface->cleanup = asb_none_history_store_cleanup;
  iface->get_status = asb_none_history_store_get_status;
  iface->close = asb_none_history_store_close;
}
