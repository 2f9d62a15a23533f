/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-store.h"

#include <string.h>

#include "asb-call-private.h"

static void test_store_iface_init (AsbHistoryStoreInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (TestStore, test_store, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_HISTORY_STORE,
                                                      test_store_iface_init))

static void
test_store_finalize (GObject *object)
{
  TestStore *self = TEST_STORE (object);

  g_clear_pointer (&self->batches, g_ptr_array_unref);
  g_clear_pointer (&self->threads, g_ptr_array_unref);
  g_clear_pointer (&self->held, g_ptr_array_unref);
  g_clear_object (&self->cancellable);
  g_mutex_clear (&self->mutex);

  G_OBJECT_CLASS (test_store_parent_class)->finalize (object);
}

static void
test_store_class_init (TestStoreClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_store_finalize;
}

static void
test_store_init (TestStore *self)
{
  self->fail_code = ASB_ERROR_HISTORY_DATABASE;
  g_mutex_init (&self->mutex);
  self->batches = g_ptr_array_new_with_free_func ((GDestroyNotify)g_variant_unref);
  self->threads = g_ptr_array_new ();
  self->held = g_ptr_array_new_with_free_func (g_object_unref);
}

TestStore *
test_store_new (void)
{
  return g_object_new (TEST_TYPE_STORE, NULL);
}

static void
end_recording (GTask *task)
{
  TestStore *self = g_task_get_source_object (task);

  if (!g_object_get_data (G_OBJECT (task), "recording"))
    return;
  g_mutex_lock (&self->mutex);
  self->n_recording--;
  g_mutex_unlock (&self->mutex);
}

static gpointer
answer_in_thread (gpointer data)
{
  g_autoptr (GTask) task = data;

  end_recording (task);
  g_task_return_boolean (task, TRUE);
  return NULL;
}

static void
answer (GTask *task, TestStoreManner manner)
{
  TestStore *self = g_task_get_source_object (task);

  switch (manner)
    {
    case TEST_STORE_ANSWERS:
      end_recording (task);
      g_task_return_boolean (task, TRUE);
      break;
    case TEST_STORE_FAILS:
      end_recording (task);
      g_task_return_new_error (task, ASB_ERROR, self->fail_code, "%s",
                               self->fail_words ? self->fail_words : "The disk is on fire");
      break;
    case TEST_STORE_HOLDS:
      g_mutex_lock (&self->mutex);
      g_ptr_array_add (self->held, g_object_ref (task));
      g_mutex_unlock (&self->mutex);
      break;
    case TEST_STORE_DROPS:
      end_recording (task);
      break;
    case TEST_STORE_ANSWERS_FROM_THREAD:
      g_thread_unref (g_thread_new ("store", answer_in_thread, g_object_ref (task)));
      break;
    default:
      g_assert_not_reached ();
    }
}

static void
tell_called (TestStore *self, const char *operation)
{
  if (g_strcmp0 (self->cancel_on, operation) == 0)
    g_cancellable_cancel (self->cancellable);
}

static gboolean
test_store_get_records_in_place (AsbHistoryStore *store)
{
  return TEST_STORE (store)->records_in_place;
}

static void
test_store_open (AsbHistoryStore *store, AsbTransport *transport, AsbSandboxRef *ref,
                 AsbHistoryConfig *config, GTask *task)
{
  TestStore *self = TEST_STORE (store);

  g_mutex_lock (&self->mutex);
  self->n_opened++;
  g_mutex_unlock (&self->mutex);
  tell_called (self, "open");
  answer (task, self->open_manner);
}

static void
test_store_record (AsbHistoryStore *store, GVariant *batch, GTask *task)
{
  TestStore *self = TEST_STORE (store);

  g_object_set_data (G_OBJECT (task), "recording", self);
  g_mutex_lock (&self->mutex);
  g_ptr_array_add (self->batches, g_variant_ref (batch));
  g_ptr_array_add (self->threads, g_thread_self ());
  self->n_recording++;
  self->max_recording = MAX (self->max_recording, self->n_recording);
  g_mutex_unlock (&self->mutex);
  tell_called (self, "record");
  answer (task, self->record_manner);
}

static void
test_store_close (AsbHistoryStore *store, GTask *task)
{
  TestStore *self = TEST_STORE (store);

  g_mutex_lock (&self->mutex);
  self->n_closed++;
  g_mutex_unlock (&self->mutex);
  tell_called (self, "close");
  answer (task, self->close_manner);
}

static void
test_store_iface_init (AsbHistoryStoreInterface *iface)
{
  iface->get_records_in_place = test_store_get_records_in_place;
  iface->open = test_store_open;
  iface->record = test_store_record;
  iface->close = test_store_close;
}

static GPtrArray *
take_held (TestStore *self)
{
  GPtrArray *held;

  g_mutex_lock (&self->mutex);
  held = self->held;
  self->held = g_ptr_array_new_with_free_func (g_object_unref);
  g_mutex_unlock (&self->mutex);
  return held;
}

void
test_store_answer (TestStore *self, guint index, TestStoreManner manner)
{
  g_autoptr (GTask) task = NULL;

  g_mutex_lock (&self->mutex);
  task = g_object_ref (self->held->pdata[index]);
  g_ptr_array_remove_index (self->held, index);
  g_mutex_unlock (&self->mutex);
  answer (task, manner);
}

guint
test_store_release (TestStore *self)
{
  g_autoptr (GPtrArray) held = take_held (self);

  for (guint i = 0; i < held->len; i++)
    answer (held->pdata[i], TEST_STORE_ANSWERS);
  return held->len;
}

guint
test_store_forget (TestStore *self)
{
  g_autoptr (GPtrArray) held = take_held (self);

  for (guint i = 0; i < held->len; i++)
    end_recording (held->pdata[i]);
  return held->len;
}

guint
test_store_count (TestStore *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  return self->batches->len;
}

char *
test_store_summary (TestStore *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  GString *summary = g_string_new (NULL);

  for (guint i = 0; i < self->batches->len; i++)
    {
      const char *id;

      g_assert_true (g_variant_lookup (self->batches->pdata[i], "batch_id", "&s", &id));
      g_string_append_printf (summary, "%s%s", i > 0 ? " " : "", strchr (id, ':'));
    }
  return g_string_free (summary, FALSE);
}

GVariant *
test_store_get_record (TestStore *self, guint batch, guint record)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_autoptr (GVariant) records = NULL;

  g_assert_cmpuint (batch, <, self->batches->len);
  records
      = g_variant_lookup_value (self->batches->pdata[batch], "records", G_VARIANT_TYPE ("aa{sv}"));
  g_assert_cmpuint (record, <, g_variant_n_children (records));
  return g_variant_get_child_value (records, record);
}

GVariant *
test_variant_find (GVariant *dict, const char *path)
{
  g_auto (GStrv) names = g_strsplit (path, "/", -1);
  GVariant *found = g_variant_ref (dict);

  for (gsize i = 0; names[i] && found; i++)
    {
      GVariant *inner = g_variant_is_of_type (found, G_VARIANT_TYPE_VARDICT)
                            ? g_variant_lookup_value (found, names[i], NULL)
                            : NULL;

      g_variant_unref (found);
      found = inner;
    }
  return found;
}

static GVariant *
find_typed (GVariant *dict, const char *path, const GVariantType *type)
{
  g_autoptr (GVariant) found = test_variant_find (dict, path);

  if (!found || !g_variant_is_of_type (found, type))
    {
      g_autofree char *text = g_variant_print (dict, TRUE);

      g_test_message ("No “%s” of type %.*s in %s", path,
                      (int)g_variant_type_get_string_length (type),
                      g_variant_type_peek_string (type), text);
      g_assert_not_reached ();
    }
  return g_steal_pointer (&found);
}

void
test_variant_check_string (GVariant *dict, const char *path, const char *expected)
{
  g_autoptr (GVariant) found = find_typed (dict, path, G_VARIANT_TYPE_STRING);

  g_assert_cmpstr (g_variant_get_string (found, NULL), ==, expected);
}

void
test_variant_check_integer (GVariant *dict, const char *path, gint64 expected)
{
  g_autoptr (GVariant) found = find_typed (dict, path, G_VARIANT_TYPE_INT64);

  g_assert_cmpint (g_variant_get_int64 (found), ==, expected);
}

void
test_variant_check_boolean (GVariant *dict, const char *path, gboolean expected)
{
  g_autoptr (GVariant) found = find_typed (dict, path, G_VARIANT_TYPE_BOOLEAN);

  g_assert_cmpint (g_variant_get_boolean (found), ==, expected);
}

void
test_variant_check_null (GVariant *dict, const char *path)
{
  g_autoptr (GVariant) found = find_typed (dict, path, G_VARIANT_TYPE_MAYBE);

  g_assert_cmpuint (g_variant_n_children (found), ==, 0);
}

void
test_variant_check_absent (GVariant *dict, const char *path)
{
  g_autoptr (GVariant) found = test_variant_find (dict, path);

  g_assert_null (found);
}

void
test_recorded_set_up (TestRecorded *fixture, gconstpointer data)
{
  fixture->mock = test_mock_new (NULL);
  fixture->store = test_store_new ();
  fixture->backend = test_backend_new (fixture->mock, ASB_HISTORY_STORE (fixture->store));
}

void
test_recorded_tear_down (TestRecorded *fixture, gconstpointer data)
{
  TestCensus census;

  test_census_init (&census);
  test_census_add (&census, fixture->mock);
  test_census_add (&census, fixture->store);
  test_census_add (&census, fixture->backend);
  asb_call_set_limit (NULL, -1);
  test_mock_forget (fixture->mock, "*");
  test_store_forget (fixture->store);
  g_clear_error (&fixture->error);
  g_clear_object (&fixture->backend);
  g_clear_object (&fixture->store);
  g_clear_object (&fixture->mock);
  test_census_wait (&census);
}
