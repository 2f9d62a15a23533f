/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>
#include <string.h>

#include "asb-test-store.h"

#include "asb-slot-queue-private.h"

/* How many operations a backend does at once, and which it tries again. */

typedef struct
{
  AsbProvider *mock;
  TestStore *store;
  AsbBackendOptions *options;
  AsbBackend *backend;
  GError *error;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->mock = test_mock_new (NULL);
  fixture->store = test_store_new ();
  fixture->options = test_options_new (fixture->mock);
  asb_backend_options_set_history_store (fixture->options, ASB_HISTORY_STORE (fixture->store));
  test_mock_set_result (fixture->mock, "one", "{'stdout': <'1'>, 'hold': <true>}");
  test_mock_set_result (fixture->mock, "two", "{'stdout': <'2'>, 'hold': <true>}");
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_assert_no_error (fixture->error);
  if (fixture->backend)
    test_backend_close (fixture->backend);
  g_clear_object (&fixture->backend);
  g_clear_object (&fixture->options);
  g_clear_object (&fixture->store);
  test_drain ();
  g_assert_finalize_object (g_steal_pointer (&fixture->mock));
}

static void
create (Fixture *fixture)
{
  fixture->backend = asb_create_backend (fixture->options, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
}

/* With a property of the configuration set to a number, unless it is NULL. */
static void
create_bounded (Fixture *fixture, const char *property, double value)
{
  g_autoptr (AsbConcurrencyConfig) config = asb_concurrency_config_new ();

  g_object_set (config, "max-parallel-commands", 1, "max-parallel-file-reads", 1,
                "max-parallel-file-writes", 1, NULL);
  if (property)
    g_object_set (config, property, value, NULL);
  asb_backend_options_set_concurrency (fixture->options, config);
  create (fixture);
}

static void
execute (Fixture *fixture, const char *shell, GCancellable *cancellable, TestAnswer *answer)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (shell);

  asb_backend_execute_async (fixture->backend, spec, cancellable, test_answer_cb, answer);
}

static void
check_executed (Fixture *fixture, TestAnswer *answer, const char *output)
{
  g_autoptr (AsbCommandResult) result
      = asb_backend_execute_finish (fixture->backend, test_answer_wait (answer), &fixture->error);

  g_assert_no_error (fixture->error);
  test_assert_bytes (asb_command_result_get_stdout_bytes (result), output);
}

static void
check_failed (Fixture *fixture, TestAnswer *answer, GQuark domain, int code)
{
  g_assert_null (
      asb_backend_execute_finish (fixture->backend, test_answer_wait (answer), &fixture->error));
  g_assert_error (fixture->error, domain, code);
}

/* Runs until so many of @operation were called, and everything that is ready. */
static void
wait_for_calls (Fixture *fixture, const char *operation, guint64 n)
{
  while (test_mock_get_calls (fixture->mock, operation) < n)
    g_main_context_iteration (NULL, TRUE);
  test_drain ();
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, operation), ==, n);
}

static void
finish_command (Fixture *fixture, const char *text)
{
  g_assert_cmpuint (test_mock_finish_commands (fixture->mock, text), ==, 1);
}

/* Turns. */

static void
test_turns (Fixture *fixture, gconstpointer data)
{
  g_auto (TestAnswer) one = { 0 }, two = { 0 }, three = { 0 };

  g_test_summary ("A command waits for its turn, first come, first served");

  create_bounded (fixture, NULL, 0);
  execute (fixture, "one", NULL, &one);
  wait_for_calls (fixture, "start_command", 1);
  execute (fixture, "two", NULL, &two);
  execute (fixture, "one", NULL, &three);
  test_drain ();
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "start_command"), ==, 1);

  finish_command (fixture, "one");
  check_executed (fixture, &one, "1");
  wait_for_calls (fixture, "start_command", 2);
  finish_command (fixture, "two");
  check_executed (fixture, &two, "2");
  wait_for_calls (fixture, "start_command", 3);
  finish_command (fixture, "one");
  check_executed (fixture, &three, "1");
}

static void
test_unbounded (Fixture *fixture, gconstpointer data)
{
  TestAnswer answers[40] = { 0 };

  g_test_summary ("Without a configuration there are as many as are asked for");

  create (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (answers); i++)
    execute (fixture, "one", NULL, &answers[i]);
  wait_for_calls (fixture, "start_command", G_N_ELEMENTS (answers));
  g_assert_cmpuint (test_mock_finish_commands (fixture->mock, "one"), ==, G_N_ELEMENTS (answers));
  for (guint i = 0; i < G_N_ELEMENTS (answers); i++)
    {
      check_executed (fixture, &answers[i], "1");
      test_answer_clear (&answers[i]);
    }
}

static void
test_kinds (Fixture *fixture, gconstpointer data)
{
  g_auto (TestAnswer) one = { 0 }, reading = { 0 };
  g_autoptr (GBytes) bytes = g_bytes_new_static ("x", 1);
  g_autoptr (AsbFileInfo) written = NULL;
  g_autoptr (AsbFileInfo) info = NULL;

  g_test_summary ("Commands, readers and writers do not wait for one another");

  create_bounded (fixture, NULL, 0);
  execute (fixture, "one", NULL, &one);
  wait_for_calls (fixture, "start_command", 1);
  test_mock_add_fault (fixture->mock, "{'operation': <'query_file'>, 'fault': <'hold'>}");
  asb_backend_query_file_async (fixture->backend, "/", NULL, test_answer_cb, &reading);
  wait_for_calls (fixture, "query_file", 1);
  written = asb_backend_write_file (fixture->backend, "/f", bytes, NULL, NULL, &fixture->error);
  g_assert_no_error (fixture->error);

  g_assert_cmpuint (test_mock_release (fixture->mock, "*"), ==, 1);
  info = asb_backend_query_file_finish (fixture->backend, test_answer_wait (&reading),
                                        &fixture->error);
  g_assert_no_error (fixture->error);
  finish_command (fixture, "one");
  check_executed (fixture, &one, "1");
}

static void
test_too_late (Fixture *fixture, gconstpointer data)
{
  g_auto (TestAnswer) one = { 0 }, two = { 0 };

  g_test_summary ("A turn that does not come is told, may be tried again, and is not recorded");

  create_bounded (fixture, "command-queue-timeout-seconds", 0.001);
  execute (fixture, "one", NULL, &one);
  wait_for_calls (fixture, "start_command", 1);
  execute (fixture, "two", NULL, &two);
  check_failed (fixture, &two, ASB_ERROR, ASB_ERROR_COMMAND_QUEUE_TIMEOUT);
  g_assert_true (asb_error_info_get_retryable (asb_error_get_info (fixture->error)));
  g_assert_cmpstr (asb_error_info_get_operation (asb_error_get_info (fixture->error)), ==,
                   "command.execute");
  g_assert_nonnull (strstr (fixture->error->message, "0.001 s: 1 of the commands"));
  g_clear_error (&fixture->error);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "start_command"), ==, 1);

  finish_command (fixture, "one");
  check_executed (fixture, &one, "1");
  /* The creation, and both ends of the one that ran. */
  g_assert_cmpuint (test_store_count (fixture->store), ==, 3);
}

static void
test_cancelled (Fixture *fixture, gconstpointer data)
{
  g_auto (TestAnswer) one = { 0 }, two = { 0 }, three = { 0 };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  g_test_summary ("One that is cancelled while it waits leaves its turn to the next");

  create_bounded (fixture, NULL, 0);
  execute (fixture, "one", NULL, &one);
  wait_for_calls (fixture, "start_command", 1);
  execute (fixture, "two", cancellable, &two);
  execute (fixture, "two", NULL, &three);
  test_drain ();
  g_cancellable_cancel (cancellable);
  check_failed (fixture, &two, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&fixture->error);
  finish_command (fixture, "one");
  check_executed (fixture, &one, "1");
  wait_for_calls (fixture, "start_command", 2);
  finish_command (fixture, "two");
  check_executed (fixture, &three, "2");
}

static void
test_started (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("one");
  g_autoptr (AsbCommand) command = NULL;
  g_auto (TestAnswer) two = { 0 };

  g_test_summary ("A command that was started counts until its end is known");

  create_bounded (fixture, NULL, 0);
  command = asb_backend_start_command (fixture->backend, spec, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  execute (fixture, "two", NULL, &two);
  test_drain ();
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "start_command"), ==, 1);
  finish_command (fixture, "one");
  wait_for_calls (fixture, "start_command", 2);
  finish_command (fixture, "two");
  check_executed (fixture, &two, "2");
}

static void
test_let_go (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("one");
  AsbCommand *command;
  g_auto (TestAnswer) two = { 0 };

  g_test_summary ("One that was let go of while it runs counts no more");

  asb_backend_options_set_history_store (fixture->options, NULL);
  create_bounded (fixture, NULL, 0);
  command = asb_backend_start_command (fixture->backend, spec, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  execute (fixture, "two", NULL, &two);
  test_drain ();
  g_object_unref (command);
  wait_for_calls (fixture, "start_command", 2);
  finish_command (fixture, "two");
  check_executed (fixture, &two, "2");
  finish_command (fixture, "one");
}

static void
test_pauses (Fixture *fixture, gconstpointer data)
{
  g_auto (TestAnswer) pausing = { 0 }, resuming = { 0 };
  g_autoptr (AsbSandboxInfo) paused = NULL, resumed = NULL;

  g_test_summary ("A sandbox is resumed when it is paused, and not while it gets there");

  create (fixture);
  test_mock_add_fault (fixture->mock, "{'operation': <'pause_sandbox'>, 'fault': <'hold'>}");
  asb_backend_pause_async (fixture->backend, NULL, test_answer_cb, &pausing);
  wait_for_calls (fixture, "pause_sandbox", 1);
  asb_backend_resume_async (fixture->backend, NULL, test_answer_cb, &resuming);
  test_drain ();
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "resume_sandbox"), ==, 0);
  g_assert_cmpuint (test_mock_release (fixture->mock, "*"), ==, 1);
  paused
      = asb_backend_pause_finish (fixture->backend, test_answer_wait (&pausing), &fixture->error);
  g_assert_no_error (fixture->error);
  resumed
      = asb_backend_resume_finish (fixture->backend, test_answer_wait (&resuming), &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpint (asb_sandbox_info_get_state (resumed), ==, ASB_SANDBOX_STATE_RUNNING);
}

static void
test_closing (Fixture *fixture, gconstpointer data)
{
  g_auto (TestAnswer) one = { 0 };

  g_test_summary ("Closing waits as long as is said");

  create_bounded (fixture, "lifecycle-lock-timeout-seconds", 0.001);
  execute (fixture, "one", NULL, &one);
  wait_for_calls (fixture, "start_command", 1);
  g_assert_false (asb_backend_close (fixture->backend, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_LOCK_ACQUISITION_TIMEOUT);
  g_clear_error (&fixture->error);
  finish_command (fixture, "one");
  check_executed (fixture, &one, "1");
}

/* The queue itself, from many threads. */

#define N_THREADS 8
#define N_ROUNDS 200

typedef struct
{
  AsbSlotQueue *queue;
  int n_inside; /* atomic */
  int most;     /* atomic */
} Crowd;

static gboolean
take (AsbSlotQueue *queue, GMainContext *context)
{
  g_auto (TestAnswer) answer = { 0 };

  if (asb_slot_queue_try (queue))
    return TRUE;
  asb_slot_queue_take_async (queue, NULL, test_answer_cb, &answer);
  while (!answer.result)
    g_main_context_iteration (context, TRUE);
  return asb_slot_queue_take_finish (queue, answer.result, NULL);
}

static gpointer
crowd_thread (gpointer user_data)
{
  Crowd *crowd = user_data;
  g_autoptr (GMainContext) context = g_main_context_new ();

  g_main_context_push_thread_default (context);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      int n;

      g_assert_true (take (crowd->queue, context));
      n = g_atomic_int_add (&crowd->n_inside, 1) + 1;
      while (g_atomic_int_get (&crowd->most) < n)
        g_atomic_int_set (&crowd->most, n);
      g_atomic_int_add (&crowd->n_inside, -1);
      asb_slot_queue_leave (crowd->queue);
    }
  g_main_context_pop_thread_default (context);
  return NULL;
}

static void
test_threads (void)
{
  Crowd crowd = { asb_slot_queue_new (3, 3600, ASB_ERROR_LOCK_ACQUISITION_TIMEOUT, "x") };

  g_test_summary ("There are never more inside than may be, and nobody is forgotten");

  test_run_threads (N_THREADS, crowd_thread, &crowd, FALSE);
  g_assert_cmpint (crowd.most, <=, 3);
  g_assert_cmpint (crowd.n_inside, ==, 0);
  for (guint i = 0; i < 3; i++)
    g_assert_true (asb_slot_queue_try (crowd.queue));
  g_assert_false (asb_slot_queue_try (crowd.queue));
  g_assert_finalize_object (crowd.queue);
}

/* Trying again. */

static AsbRetryConfig *
new_retry (void)
{
  AsbRetryConfig *retry = asb_retry_config_new ();

  g_object_set (retry, "base-delay-ms", 0, "max-delay-ms", 0, NULL);
  return retry;
}

static void
create_retrying (Fixture *fixture)
{
  g_autoptr (AsbRetryConfig) retry = new_retry ();

  asb_backend_options_set_retry (fixture->options, retry);
  create (fixture);
}

static void
add_failures (Fixture *fixture, const char *operation, guint n, const char *more)
{
  for (guint i = 1; i <= n; i++)
    {
      g_autofree char *rule = g_strdup_printf (
          "{'operation': <'%s'>, 'fault': <'fail'>, 'call': <%u>%s}", operation, i, more);

      test_mock_add_fault (fixture->mock, rule);
    }
}

static void
test_again (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GListModel) list = NULL;
  guint n_before;

  g_test_summary ("What only looks is tried again, and is one operation in the record");

  create_retrying (fixture);
  n_before = test_store_count (fixture->store);
  add_failures (fixture, "list_files", 2, ", 'retryable': <true>");
  list = asb_backend_list_files (fixture->backend, "/", NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "list_files"), ==, 3);
  g_assert_cmpuint (test_store_count (fixture->store), ==, n_before + 2);
}

static void
test_at_last (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("After the last attempt its error is told");

  create_retrying (fixture);
  add_failures (fixture, "list_files", 3, ", 'retryable': <true>");
  g_assert_null (asb_backend_list_files (fixture->backend, "/", NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_clear_error (&fixture->error);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "list_files"), ==, 3);
}

static void
test_not_again (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static ("x", 1);

  g_test_summary ("What changes something, and what will fail again, is done once");

  create_retrying (fixture);
  add_failures (fixture, "write_file", 1, ", 'retryable': <true>");
  g_assert_null (
      asb_backend_write_file (fixture->backend, "/f", bytes, NULL, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_clear_error (&fixture->error);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "write_file"), ==, 1);

  add_failures (fixture, "list_files", 1, "");
  g_assert_null (asb_backend_list_files (fixture->backend, "/", NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_clear_error (&fixture->error);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "list_files"), ==, 1);
}

static void
test_nothing_said (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Without a configuration nothing is tried again");

  create (fixture);
  add_failures (fixture, "list_files", 1, ", 'retryable': <true>");
  g_assert_null (asb_backend_list_files (fixture->backend, "/", NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_clear_error (&fixture->error);
}

static void
test_deadline (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbRetryConfig) retry = asb_retry_config_new ();

  g_test_summary ("An attempt that would come too late is not made");

  g_object_set (retry, "base-delay-ms", 10000, "max-delay-ms", 10000, "total-deadline-seconds", 1.0,
                NULL);
  asb_backend_options_set_retry (fixture->options, retry);
  create (fixture);
  add_failures (fixture, "list_files", 1, ", 'retryable': <true>");
  g_assert_null (asb_backend_list_files (fixture->backend, "/", NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_clear_error (&fixture->error);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "list_files"), ==, 1);
}

static void
test_cancelled_between (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbRetryConfig) retry = asb_retry_config_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_auto (TestAnswer) listing = { 0 };

  g_test_summary ("Who cancels between two attempts does not wait for the second");

  g_object_set (retry, "base-delay-ms", 10000, "max-delay-ms", 60000, "total-deadline-seconds", 0.0,
                NULL);
  asb_backend_options_set_retry (fixture->options, retry);
  create (fixture);
  add_failures (fixture, "list_files", 1, ", 'retryable': <true>");
  asb_backend_list_files_async (fixture->backend, "/", cancellable, test_answer_cb, &listing);
  wait_for_calls (fixture, "list_files", 1);
  g_cancellable_cancel (cancellable);
  g_assert_null (asb_backend_list_files_finish (fixture->backend, test_answer_wait (&listing),
                                                &fixture->error));
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&fixture->error);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "list_files"), ==, 1);
}

static void
test_creation (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbRetryConfig) retry = new_retry ();

  g_test_summary ("A creation is tried again only where its key tells it from another");

  asb_backend_options_set_retry (fixture->options, retry);
  add_failures (fixture, "create_sandbox", 3, ", 'retryable': <true>");
  g_assert_null (asb_create_backend (fixture->options, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_clear_error (&fixture->error);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "create_sandbox"), ==, 1);

  asb_backend_options_set_idempotency_key (fixture->options, "key");
  create (fixture);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "create_sandbox"), ==, 4);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 1);
}

/* Ranges. */

typedef struct
{
  const char *option; /* of which object, and its property */
  double value;
  const char *range;
} Wrong;

static void
set_wrong (AsbConcurrencyConfig *concurrency, AsbRetryConfig *retry, const Wrong *wrong)
{
  const char *name = strchr (wrong->option, '.') + 1;
  GObject *object
      = g_str_has_prefix (wrong->option, "retry") ? G_OBJECT (retry) : G_OBJECT (concurrency);
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (object), name);
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, pspec->value_type);
  if (G_VALUE_HOLDS_UINT (&value))
    g_value_set_uint (&value, (guint)wrong->value);
  else
    g_value_set_double (&value, wrong->value);
  /* As the functions do: GObject itself would not set it. */
  G_OBJECT_GET_CLASS (object)->set_property (object, pspec->param_id, &value, pspec);
}

static void
test_ranges (Fixture *fixture, gconstpointer data)
{
  static const Wrong all[] = {
    { "concurrency.max-parallel-commands", 0, "is 0; it must be 1 to 256" },
    { "concurrency.max-parallel-commands", 257, "is 257; it must be 1 to 256" },
    { "concurrency.max-parallel-file-reads", 1025, "is 1025; it must be 1 to 1024" },
    { "concurrency.max-parallel-file-writes", 0, "is 0; it must be 1 to 256" },
    { "concurrency.max-parallel-uploads", 65, "is 65; it must be 1 to 64" },
    { "concurrency.lifecycle-lock-timeout-seconds", 3601, "is 3601; it must be 0.001 to 3600" },
    { "concurrency.command-queue-timeout-seconds", 0, "is 0; it must be 0.001 to 3600" },
    { "concurrency.command-queue-timeout-seconds", NAN, "is nan; it must be 0.001 to 3600" },
    { "concurrency.file-queue-timeout-seconds", -1, "is -1; it must be 0.001 to 3600" },
    { "concurrency.upload-queue-timeout-seconds", 7201, "is 7201; it must be 0.001 to 7200" },
    { "retry.max-attempts", 0, "is 0; it must be 1 to 10" },
    { "retry.max-attempts", 11, "is 11; it must be 1 to 10" },
    { "retry.base-delay-ms", 10001, "is 10001; it must be 0 to 10000" },
    { "retry.max-delay-ms", 99, "is 99; it must be 100 to 60000" },
    { "retry.max-delay-ms", 60001, "is 60001; it must be 100 to 60000" },
    { "retry.jitter-ratio", 1.5, "is 1.5; it must be 0 to 1" },
    { "retry.jitter-ratio", -0.5, "is -0.5; it must be 0 to 1" },
    { "retry.total-deadline-seconds", 3601, "is 3601; it must be 0.001 to 3600" },
  };

  g_test_summary ("What is out of range is refused by name, with what it is and may be");

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    {
      g_autoptr (AsbConcurrencyConfig) concurrency = asb_concurrency_config_new ();
      g_autoptr (AsbRetryConfig) retry = asb_retry_config_new ();
      g_autofree char *message = g_strdup_printf ("Option “%s” %s", all[i].option, all[i].range);

      set_wrong (concurrency, retry, &all[i]);
      asb_backend_options_set_concurrency (fixture->options, concurrency);
      asb_backend_options_set_retry (fixture->options, retry);
      g_assert_null (asb_create_backend (fixture->options, NULL, &fixture->error));
      g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_assert_cmpstr (fixture->error->message, ==, message);
      g_clear_error (&fixture->error);
    }
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "create_sandbox"), ==, 0);
}

static void
add (const char *path, void (*function) (Fixture *fixture, gconstpointer data))
{
  g_test_add (path, Fixture, NULL, set_up, function, tear_down);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  add ("/work-rules/turns", test_turns);
  add ("/work-rules/unbounded", test_unbounded);
  add ("/work-rules/kinds", test_kinds);
  add ("/work-rules/too-late", test_too_late);
  add ("/work-rules/cancelled", test_cancelled);
  add ("/work-rules/started", test_started);
  add ("/work-rules/let-go", test_let_go);
  add ("/work-rules/pauses", test_pauses);
  add ("/work-rules/closing", test_closing);
  g_test_add_func ("/work-rules/threads", test_threads);
  add ("/work-rules/again", test_again);
  add ("/work-rules/at-last", test_at_last);
  add ("/work-rules/not-again", test_not_again);
  add ("/work-rules/nothing-said", test_nothing_said);
  add ("/work-rules/deadline", test_deadline);
  add ("/work-rules/cancelled-between", test_cancelled_between);
  add ("/work-rules/creation", test_creation);
  add ("/work-rules/ranges", test_ranges);

  return g_test_run ();
}
