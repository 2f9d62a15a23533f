/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test.h"

#include <string.h>

AsbRegistry *
test_registry_new (void)
{
  return asb_registry_new ();
}

static GVariant *
parse (const char *text)
{
  GError *error = NULL;
  GVariant *variant = g_variant_parse (NULL, text, NULL, NULL, &error);

  g_assert_no_error (error);
  return variant;
}

AsbProvider *
test_mock_new (const char *options)
{
  g_autoptr (AsbRegistry) registry = test_registry_new ();
  g_autoptr (GVariant) variant = options ? parse (options) : NULL;
  GError *error = NULL;
  AsbProvider *mock = asb_registry_create_provider (registry, "mock", variant, &error);

  g_assert_no_error (error);
  return mock;
}

void
test_mock_add_fault (AsbProvider *mock, const char *rule)
{
  g_autoptr (GVariant) variant = parse (rule);
  gboolean added = FALSE;

  g_signal_emit_by_name (mock, "add-fault", variant, &added);
  g_assert_true (added);
}

void
test_mock_clear_faults (AsbProvider *mock)
{
  g_signal_emit_by_name (mock, "clear-faults");
}

void
test_mock_set_result (AsbProvider *mock, const char *command, const char *result)
{
  g_autoptr (GVariant) variant = parse (result);
  gboolean set = FALSE;

  g_signal_emit_by_name (mock, "set-command-result", command, variant, &set);
  g_assert_true (set);
}

static guint
get_uint (AsbProvider *mock, const char *property)
{
  guint value;

  g_object_get (mock, property, &value, NULL);
  return value;
}

guint
test_mock_get_sandbox_count (AsbProvider *mock)
{
  return get_uint (mock, "sandbox-count");
}

guint
test_mock_get_transport_count (AsbProvider *mock)
{
  return get_uint (mock, "transport-count");
}

guint
test_mock_get_held_count (AsbProvider *mock)
{
  return get_uint (mock, "held-count");
}

guint64
test_mock_get_calls (AsbProvider *mock, const char *operation)
{
  g_autoptr (GVariant) counts = NULL;
  guint64 count = 0;

  g_object_get (mock, "call-counts", &counts, NULL);
  g_variant_lookup (counts, operation, "t", &count);
  return count;
}

static guint
emit_for_number (AsbProvider *mock, const char *signal, const char *text)
{
  guint number = 0;

  g_signal_emit_by_name (mock, signal, text, &number);
  return number;
}

guint
test_mock_release (AsbProvider *mock, const char *operation)
{
  return emit_for_number (mock, "release", operation);
}

guint
test_mock_forget (AsbProvider *mock, const char *operation)
{
  return emit_for_number (mock, "forget", operation);
}

guint
test_mock_finish_commands (AsbProvider *mock, const char *text)
{
  return emit_for_number (mock, "finish-commands", text);
}

typedef struct
{
  char *operation;
  GCancellable *cancellable;
} TestCancelOnCall;

static void
cancel_on_call_free (gpointer data, GClosure *closure)
{
  TestCancelOnCall *on_call = data;

  g_free (on_call->operation);
  g_object_unref (on_call->cancellable);
  g_free (on_call);
}

static void
cancel_on_call_cb (AsbProvider *mock, const char *operation, const char *sandbox_id,
                   gpointer user_data)
{
  TestCancelOnCall *on_call = user_data;

  if (g_str_equal (operation, on_call->operation))
    g_cancellable_cancel (on_call->cancellable);
}

void
test_mock_cancel_on_call (AsbProvider *mock, const char *operation, GCancellable *cancellable)
{
  TestCancelOnCall *on_call = g_new0 (TestCancelOnCall, 1);

  on_call->operation = g_strdup (operation);
  on_call->cancellable = g_object_ref (cancellable);
  g_signal_connect_data (mock, "called", G_CALLBACK (cancel_on_call_cb), on_call,
                         cancel_on_call_free, 0);
}

AsbHistoryStore *
test_memory_store_new (const char *options)
{
  g_autoptr (AsbRegistry) registry = test_registry_new ();
  g_autoptr (GVariant) variant = options ? parse (options) : NULL;
  GError *error = NULL;
  AsbHistoryStore *store = asb_registry_create_history_store (registry, "memory", variant, &error);

  g_assert_no_error (error);
  return store;
}

AsbBackendOptions *
test_options_new (AsbProvider *mock)
{
  AsbBackendOptions *options = asb_backend_options_new ();

  asb_backend_options_set_provider (options, mock);
  return options;
}

AsbBackend *
test_backend_new (AsbProvider *mock, AsbHistoryStore *store)
{
  g_autoptr (AsbBackendOptions) options = test_options_new (mock);
  GError *error = NULL;
  AsbBackend *backend;

  asb_backend_options_set_history_store (options, store);
  backend = asb_create_backend (options, NULL, &error);
  g_assert_no_error (error);
  return backend;
}

void
test_backend_close (AsbBackend *backend)
{
  GError *error = NULL;

  asb_backend_close (backend, NULL, &error);
  g_assert_no_error (error);
}

void
test_census_init (TestCensus *census)
{
  g_mutex_init (&census->mutex);
  census->n_alive = 0;
}

static void
gone_cb (gpointer data, GObject *where_the_object_was)
{
  TestCensus *census = data;

  g_mutex_lock (&census->mutex);
  census->n_alive--;
  g_mutex_unlock (&census->mutex);
  g_main_context_wakeup (NULL);
}

void
test_census_add (TestCensus *census, gpointer object)
{
  g_mutex_lock (&census->mutex);
  census->n_alive++;
  g_mutex_unlock (&census->mutex);
  g_object_weak_ref (object, gone_cb, census);
}

static guint
count_alive (TestCensus *census)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&census->mutex);

  return census->n_alive;
}

void
test_census_end (TestCensus *census)
{
  test_drain ();
  g_assert_cmpuint (count_alive (census), ==, 0);
  g_mutex_clear (&census->mutex);
}

void
test_census_wait (TestCensus *census)
{
  while (count_alive (census) > 0)
    g_main_context_iteration (NULL, TRUE);
  test_census_end (census);
}

typedef struct
{
  GThreadFunc function;
  gpointer data;
  GMutex *start;
  int *n_running;
} TestThread;

static gpointer
run_thread (gpointer data)
{
  TestThread *thread = data;

  /* All wait here until all are there. */
  g_mutex_lock (thread->start);
  g_mutex_unlock (thread->start);
  thread->function (thread->data);
  g_atomic_int_add (thread->n_running, -1);
  g_main_context_wakeup (NULL);
  return NULL;
}

void
test_run_threads (guint n, GThreadFunc function, gpointer data, gboolean with_loop)
{
  g_autofree GThread **threads = g_new0 (GThread *, n);
  int n_running = (int)n;
  GMutex start;
  TestThread thread = { function, data, &start, &n_running };

  g_mutex_init (&start);
  g_mutex_lock (&start);
  for (guint i = 0; i < n; i++)
    threads[i] = g_thread_new ("test", run_thread, &thread);
  g_mutex_unlock (&start);
  while (with_loop && g_atomic_int_get (&n_running) > 0)
    g_main_context_iteration (NULL, TRUE);
  for (guint i = 0; i < n; i++)
    g_thread_join (threads[i]);
  g_mutex_clear (&start);
}

void
test_event_init (TestEvent *event)
{
  g_mutex_init (&event->mutex);
  g_cond_init (&event->changed);
  event->n = 0;
}

void
test_event_clear (TestEvent *event)
{
  g_cond_clear (&event->changed);
  g_mutex_clear (&event->mutex);
}

void
test_event_happen (TestEvent *event)
{
  g_mutex_lock (&event->mutex);
  event->n++;
  g_cond_broadcast (&event->changed);
  g_mutex_unlock (&event->mutex);
}

void
test_event_wait (TestEvent *event, guint n)
{
  g_mutex_lock (&event->mutex);
  while (event->n < n)
    g_cond_wait (&event->changed, &event->mutex);
  g_mutex_unlock (&event->mutex);
}

void
test_drain (void)
{
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

void
test_answer_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  TestAnswer *answer = user_data;

  answer->n_calls++;
  answer->thread = g_thread_self ();
  g_set_object (&answer->result, result);
}

GAsyncResult *
test_answer_wait (TestAnswer *answer)
{
  while (!answer->result)
    g_main_context_iteration (NULL, TRUE);
  return answer->result;
}

void
test_answer_clear (TestAnswer *answer)
{
  g_clear_object (&answer->result);
  answer->n_calls = 0;
}

char *
test_read_text (GInputStream *stream)
{
  char buffer[4097];
  gsize size;
  GError *error = NULL;

  g_input_stream_read_all (stream, buffer, sizeof buffer - 1, &size, NULL, &error);
  g_assert_no_error (error);
  return g_strndup (buffer, size);
}

void
test_assert_bytes (GBytes *bytes, const char *text)
{
  gsize size;
  const void *data;

  g_assert_nonnull (bytes);
  data = g_bytes_get_data (bytes, &size);
  g_assert_cmpmem (data, size, text, strlen (text));
}

GListModel *
test_store_list (AsbHistoryStore *store)
{
  GError *error = NULL;
  g_autoptr (AsbHistoryPage) page
      = asb_history_store_query (store, 0, 10000, G_MAXINT64, NULL, &error);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) ids = NULL;
  GListModel *changes, *operations;

  g_assert_no_error (error);
  changes = asb_history_page_get_changes (page);
  for (guint i = 0; i < g_list_model_get_n_items (changes); i++)
    {
      g_autoptr (AsbHistoryChange) change = g_list_model_get_item (changes, i);

      if (g_strcmp0 (asb_history_change_get_change_type (change), "created") == 0)
        g_strv_builder_add (builder, asb_history_change_get_event_id (change));
    }
  ids = g_strv_builder_end (builder);
  operations = asb_history_store_get_operations (store, (const char *const *)ids, NULL, &error);
  g_assert_no_error (error);
  return operations;
}

AsbHistoryOperation *
test_store_find (AsbHistoryStore *store, const char *operation_type)
{
  g_autoptr (GListModel) operations = test_store_list (store);

  for (guint i = g_list_model_get_n_items (operations); i > 0; i--)
    {
      g_autoptr (AsbHistoryOperation) operation = g_list_model_get_item (operations, i - 1);

      if (g_strcmp0 (asb_history_operation_get_operation_type (operation), operation_type) == 0)
        return g_steal_pointer (&operation);
    }
  g_test_message ("No %s was recorded", operation_type);
  g_assert_not_reached ();
}

void
test_creation_set_up (TestCreation *fixture, gconstpointer data)
{
  fixture->mock = test_mock_new (NULL);
  fixture->options = test_options_new (fixture->mock);
}

void
test_creation_tear_down (TestCreation *fixture, gconstpointer data)
{
  TestCensus census;

  test_census_init (&census);
  test_census_add (&census, fixture->mock);
  test_census_add (&census, fixture->options);
  g_clear_error (&fixture->error);
  g_clear_object (&fixture->options);
  g_clear_object (&fixture->mock);
  test_census_end (&census);
}

AsbBackend *
test_creation_create (TestCreation *fixture)
{
  AsbBackend *backend = asb_create_backend (fixture->options, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  return backend;
}
