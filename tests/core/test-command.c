/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-store.h"

#include <signal.h>
#include <string.h>

#include "asb-call-private.h"

#define N_THREADS 8
#define MUCH (3 * 1024 * 1024)

/* Commands that run, as programs hold them. */

typedef struct
{
  AsbProvider *mock;
  TestStore *store; /* (nullable) */
  AsbBackend *backend;
  GError *error;
} Fixture;

/* With a store where @data is not NULL. */
static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->mock = test_mock_new (NULL);
  fixture->store = data ? test_store_new () : NULL;
  fixture->backend = test_backend_new (fixture->mock, (AsbHistoryStore *)fixture->store);
  test_mock_set_result (fixture->mock, "serve", "{'stdout': <'up\n'>, 'hold': <true>}");
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  TestCensus census;

  test_census_init (&census);
  test_census_add (&census, fixture->mock);
  test_census_add (&census, fixture->backend);
  if (fixture->store)
    test_census_add (&census, fixture->store);
  asb_call_set_limit (NULL, -1);
  test_mock_forget (fixture->mock, "*");
  g_clear_error (&fixture->error);
  g_clear_object (&fixture->backend);
  g_clear_object (&fixture->store);
  g_clear_object (&fixture->mock);
  test_census_wait (&census);
}

static AsbCommand *
start (Fixture *fixture, const char *shell, AsbCommandFlags flags)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (shell);
  AsbCommand *command;

  asb_command_spec_set_flags (spec, flags);
  command = asb_backend_start_command (fixture->backend, spec, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  return command;
}

static AsbCommand *
start_async (Fixture *fixture, const char *shell, AsbCommandFlags flags)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (shell);
  g_auto (TestAnswer) answer = { 0 };
  AsbCommand *command;

  asb_command_spec_set_flags (spec, flags);
  asb_backend_start_command_async (fixture->backend, spec, NULL, test_answer_cb, &answer);
  g_assert_cmpuint (answer.n_calls, ==, 0);
  command = asb_backend_start_command_finish (fixture->backend, test_answer_wait (&answer),
                                              &fixture->error);
  g_assert_no_error (fixture->error);
  return command;
}

static void
wait_for (Fixture *fixture, AsbCommand *command)
{
  g_assert_true (asb_command_wait (command, NULL, &fixture->error));
  g_assert_no_error (fixture->error);
}

/* The end. */

typedef struct
{
  const char *script;
  AsbCommandState state;
  gboolean exited;
  int exit_status;
  int term_signal;
} Ending;

static void
test_getters (Fixture *fixture, gconstpointer data)
{
  static const Ending endings[] = {
    { "{'exit-code': <0>}", ASB_COMMAND_STATE_SUCCEEDED, TRUE, 0, 0 },
    { "{'exit-code': <7>}", ASB_COMMAND_STATE_FAILED, TRUE, 7, 0 },
    { "{'exit-code': <255>}", ASB_COMMAND_STATE_FAILED, TRUE, 255, 0 },
    { "{'signal': <11>}", ASB_COMMAND_STATE_FAILED, FALSE, -1, SIGSEGV },
  };

  g_test_summary ("How it ended can be asked, as of a GSubprocess");

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    {
      g_autoptr (AsbCommand) command = NULL;

      test_mock_set_result (fixture->mock, "end", endings[i].script);
      command = start (fixture, "end", ASB_COMMAND_FLAGS_NONE);
      wait_for (fixture, command);
      g_assert_cmpint (asb_command_get_state (command), ==, endings[i].state);
      g_assert_cmpint (asb_command_get_if_exited (command), ==, endings[i].exited);
      g_assert_cmpint (asb_command_get_exit_status (command), ==, endings[i].exit_status);
      g_assert_cmpint (asb_command_get_if_signaled (command), ==, endings[i].term_signal != 0);
      g_assert_cmpint (asb_command_get_term_sig (command), ==, endings[i].term_signal);
      g_assert_cmpint (asb_command_get_successful (command), ==, i == 0);
      g_assert_nonnull (asb_command_get_result (command));
    }
}

static void
test_running (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = start (fixture, "serve", ASB_COMMAND_FLAGS_NONE);
  g_autofree char *id = NULL;
  AsbCommandState state;

  g_test_summary ("While it runs nothing is known of its end");

  g_assert_cmpint (asb_command_get_state (command), ==, ASB_COMMAND_STATE_RUNNING);
  g_assert_null (asb_command_get_result (command));
  g_assert_false (asb_command_get_if_exited (command));
  g_assert_cmpint (asb_command_get_exit_status (command), ==, -1);
  g_assert_false (asb_command_get_if_signaled (command));
  g_assert_false (asb_command_get_successful (command));
  g_object_get (command, "id", &id, "state", &state, NULL);
  g_assert_cmpstr (id, ==, asb_command_get_id (command));
  g_assert_cmpint (state, ==, ASB_COMMAND_STATE_RUNNING);
  asb_command_force_exit (command);
  wait_for (fixture, command);
  g_assert_cmpint (asb_command_get_state (command), ==, ASB_COMMAND_STATE_CANCELLED);
}

static void
test_wait_cancelled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = start (fixture, "serve", ASB_COMMAND_FLAGS_NONE);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_auto (TestAnswer) answer = { 0 };

  g_test_summary ("Waiting can be cancelled; the command goes on");

  asb_command_wait_async (command, cancellable, test_answer_cb, &answer);
  g_cancellable_cancel (cancellable);
  g_assert_false (asb_command_wait_finish (command, test_answer_wait (&answer), &fixture->error));
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&fixture->error);
  g_assert_cmpint (asb_command_get_state (command), ==, ASB_COMMAND_STATE_RUNNING);
  g_assert_cmpuint (test_mock_finish_commands (fixture->mock, "serve"), ==, 1);
  wait_for (fixture, command);
  g_assert_true (asb_command_get_successful (command));
  /* It is known now: nobody needs to be asked, nor can be cancelled. */
  wait_for (fixture, command);
}

static void
test_unknown_end (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = start (fixture, "serve", ASB_COMMAND_FLAGS_NONE);

  g_test_summary ("When the connection is lost the end is unknown, and stays so");

  g_assert_true (asb_backend_delete_sandbox (fixture->backend, NULL, NULL));
  for (guint i = 0; i < 2; i++)
    {
      g_assert_false (asb_command_wait (command, NULL, &fixture->error));
      g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
      g_clear_error (&fixture->error);
    }
  g_assert_cmpint (asb_command_get_state (command), ==, ASB_COMMAND_STATE_UNKNOWN);
  g_assert_null (asb_command_get_result (command));
  g_assert_cmpint (asb_command_get_exit_status (command), ==, -1);
}

static void
note_state_cb (AsbCommand *command, GParamSpec *pspec, gpointer user_data)
{
  *(AsbCommandState *)user_data = asb_command_get_state (command);
}

static void
test_notify (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = start (fixture, "serve", ASB_COMMAND_FLAGS_NONE);
  AsbCommandState state = ASB_COMMAND_STATE_QUEUED;

  g_test_summary ("The end is notified in the main context though nobody waits for it");

  g_signal_connect (command, "notify::state", G_CALLBACK (note_state_cb), &state);
  test_drain ();
  g_assert_cmpint (state, ==, ASB_COMMAND_STATE_QUEUED);
  test_mock_finish_commands (fixture->mock, "serve");
  while (state == ASB_COMMAND_STATE_QUEUED)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (state, ==, ASB_COMMAND_STATE_SUCCEEDED);
}

static gpointer
wait_in_thread (gpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_command_wait (data, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (asb_command_get_successful (data));
  return NULL;
}

static void
finish_on_last_wait_cb (AsbProvider *mock, const char *operation, const char *sandbox_id,
                        gpointer user_data)
{
  int *n_waiting = user_data;

  if (g_str_equal (operation, "wait") && g_atomic_int_add (n_waiting, 1) == N_THREADS - 1)
    test_mock_finish_commands (mock, "serve");
}

static void
test_wait_from_threads (Fixture *fixture, gconstpointer with_loop)
{
  g_autoptr (AsbCommand) command = start (fixture, "serve", ASB_COMMAND_FLAGS_NONE);
  int n_waiting = 0;

  g_test_summary ("Many threads may wait for one command, with and without a main loop");

  g_signal_connect (fixture->mock, "called", G_CALLBACK (finish_on_last_wait_cb), &n_waiting);
  test_run_threads (N_THREADS, wait_in_thread, command, with_loop != NULL);
  g_signal_handlers_disconnect_by_data (fixture->mock, &n_waiting);
}

/* Streams. */

static void
test_streams (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = NULL;
  g_autofree char *out = NULL;
  g_autofree char *err = NULL;

  g_test_summary ("Output can be read from two streams; input is there when it was asked for");

  test_mock_set_result (fixture->mock, "both", "{'stdout': <'out'>, 'stderr': <'err'>}");
  command = start (fixture, "both", ASB_COMMAND_FLAGS_NONE);
  out = test_read_text (asb_command_get_stdout_pipe (command));
  err = test_read_text (asb_command_get_stderr_pipe (command));
  g_assert_cmpstr (out, ==, "out");
  g_assert_cmpstr (err, ==, "err");
  g_assert_null (asb_command_get_stdin_pipe (command));
}

static void
test_no_streams (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) silent = start (
      fixture, "true", ASB_COMMAND_FLAGS_STDOUT_SILENCE | ASB_COMMAND_FLAGS_STDERR_SILENCE);
  g_autoptr (AsbCommand) merged = start (fixture, "true", ASB_COMMAND_FLAGS_STDERR_MERGE);
  g_autoptr (AsbCommand) signals = start (fixture, "true", ASB_COMMAND_FLAGS_OUTPUT_SIGNALS);

  g_test_summary ("There is no stream of what is silenced, merged or given by signals");

  g_assert_null (asb_command_get_stdout_pipe (silent));
  g_assert_null (asb_command_get_stderr_pipe (silent));
  g_assert_nonnull (asb_command_get_stdout_pipe (merged));
  g_assert_null (asb_command_get_stderr_pipe (merged));
  g_assert_null (asb_command_get_stdout_pipe (signals));
  g_assert_null (asb_command_get_stderr_pipe (signals));
}

static void
test_unread (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = start (fixture, "echo unread", ASB_COMMAND_FLAGS_NONE);

  g_test_summary ("Output nobody reads does not hold the end back");

  wait_for (fixture, command);
  g_assert_true (asb_command_get_successful (command));
}

/* Communicating. */

static GBytes *
much (void)
{
  guint8 *bytes = g_malloc (MUCH);

  for (gsize i = 0; i < MUCH; i++)
    bytes[i] = (guint8)(i * 7 + i / 4096);
  return g_bytes_new_take (bytes, MUCH);
}

static void
test_communicate (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = start (fixture, "cat", ASB_COMMAND_FLAGS_STDIN_PIPE);
  g_autoptr (GBytes) input = much ();
  g_autoptr (GBytes) out = NULL;
  g_autoptr (GBytes) err = NULL;

  g_test_summary ("Much input and output at once go through, byte for byte");

  g_assert_true (asb_command_communicate (command, input, NULL, &out, &err, &fixture->error));
  g_assert_no_error (fixture->error);
  g_assert_true (g_bytes_equal (out, input));
  test_assert_bytes (err, "");
  g_assert_true (asb_command_get_successful (command));
}

static void
test_communicate_output (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = NULL;
  g_autoptr (GBytes) out = NULL;
  g_autoptr (GBytes) err = NULL;
  g_auto (TestAnswer) answer = { 0 };

  g_test_summary ("Without input, asynchronously, and of a command that fails");

  test_mock_set_result (fixture->mock, "both",
                        "{'stdout': <'out'>, 'stderr': <'err'>, 'exit-code': <3>}");
  command = start_async (fixture, "both", ASB_COMMAND_FLAGS_NONE);
  asb_command_communicate_async (command, NULL, NULL, test_answer_cb, &answer);
  g_assert_true (asb_command_communicate_finish (command, test_answer_wait (&answer), &out, &err,
                                                 &fixture->error));
  test_assert_bytes (out, "out");
  test_assert_bytes (err, "err");
  g_assert_cmpint (asb_command_get_exit_status (command), ==, 3);
}

static void
test_communicate_merged (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = NULL;
  g_autoptr (GBytes) out = NULL;
  g_autoptr (GBytes) err = NULL;

  g_test_summary ("Where there is no stream there are no bytes");

  test_mock_set_result (fixture->mock, "both", "{'stdout': <'out'>, 'stderr': <'err'>}");
  command = start (fixture, "both", ASB_COMMAND_FLAGS_STDERR_MERGE);
  g_assert_true (asb_command_communicate (command, NULL, NULL, &out, &err, &fixture->error));
  test_assert_bytes (out, "outerr");
  g_assert_null (err);
}

static void
test_communicate_unread_input (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = start (fixture, "true", ASB_COMMAND_FLAGS_STDIN_PIPE);
  g_autoptr (GBytes) input = much ();
  g_autoptr (GBytes) out = NULL;

  g_test_summary ("A command need not read its input to the end");

  g_assert_true (asb_command_communicate (command, input, NULL, &out, NULL, &fixture->error));
  g_assert_no_error (fixture->error);
  test_assert_bytes (out, "");
}

static void
test_communicate_cancelled (Fixture *fixture, gconstpointer blocking)
{
  g_autoptr (AsbCommand) command = start (fixture, "serve", ASB_COMMAND_FLAGS_STDIN_PIPE);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GBytes) out = NULL;
  g_auto (TestAnswer) answer = { 0 };
  gboolean done;

  g_test_summary ("Communicating can be cancelled; the command goes on");

  if (blocking)
    {
      test_mock_cancel_on_call (fixture->mock, "wait", cancellable);
      done = asb_command_communicate (command, NULL, cancellable, &out, NULL, &fixture->error);
    }
  else
    {
      asb_command_communicate_async (command, NULL, cancellable, test_answer_cb, &answer);
      g_cancellable_cancel (cancellable);
      done = asb_command_communicate_finish (command, test_answer_wait (&answer), &out, NULL,
                                             &fixture->error);
    }
  g_assert_false (done);
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_null (out);
  g_assert_cmpuint (test_mock_finish_commands (fixture->mock, "serve"), ==, 1);
}

static void
test_communicate_breaks_off (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = NULL;
  g_autoptr (GBytes) out = NULL;

  g_test_summary ("Output that breaks off is an error, not a short output");

  test_mock_add_fault (fixture->mock, "{'operation': <'start_command'>, 'fault': <'break'>,"
                                      " 'after-bytes': <3>}");
  command = start (fixture, "echo something", ASB_COMMAND_FLAGS_NONE);
  g_assert_false (asb_command_communicate (command, NULL, NULL, &out, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
}

/* Signals of the command. */

static void
test_send_signal (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = start (fixture, "serve", ASB_COMMAND_FLAGS_NONE);

  g_test_summary ("Signals are delivered while it runs, and not afterwards");

  g_assert_true (asb_command_send_signal (command, SIGWINCH, NULL, &fixture->error));
  g_assert_true (asb_command_send_signal (command, SIGTERM, NULL, &fixture->error));
  wait_for (fixture, command);
  g_assert_cmpint (asb_command_get_term_sig (command), ==, SIGTERM);
  g_assert_false (asb_command_send_signal (command, SIGTERM, NULL, &fixture->error));
  g_assert_no_error (fixture->error);
}

static void
test_send_signal_async (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = start (fixture, "serve", ASB_COMMAND_FLAGS_NONE);
  g_auto (TestAnswer) answer = { 0 };

  g_test_summary ("The same asynchronously; a failure is told");

  asb_command_send_signal_async (command, SIGINT, NULL, test_answer_cb, &answer);
  g_assert_true (
      asb_command_send_signal_finish (command, test_answer_wait (&answer), &fixture->error));
  test_answer_clear (&answer);
  test_mock_add_fault (fixture->mock, "{'operation': <'send_signal'>, 'fault': <'fail'>}");
  asb_command_send_signal_async (command, SIGINT, NULL, test_answer_cb, &answer);
  g_assert_false (
      asb_command_send_signal_finish (command, test_answer_wait (&answer), &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_PROVIDER);
}

/* Output by signals. */

typedef struct
{
  GString *text;
  GByteArray *bytes;
  guint n_pieces;
  gboolean exited;
} Listener;

static void
listener_clear (Listener *listener)
{
  if (listener->text)
    g_string_free (listener->text, TRUE);
  g_clear_pointer (&listener->bytes, g_byte_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Listener, listener_clear)

static void
data_cb (AsbCommand *command, GBytes *bytes, gpointer user_data)
{
  Listener *listener = user_data;
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  g_assert_false (listener->exited);
  g_assert_cmpuint (size, >, 0);
  g_byte_array_append (listener->bytes, data, (guint)size);
  listener->n_pieces++;
}

static void
text_cb (AsbCommand *command, const char *text, gpointer user_data)
{
  Listener *listener = user_data;

  g_assert_false (listener->exited);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_cmpstr (text, !=, "");
  g_string_append (listener->text, text);
}

static void
exited_cb (AsbCommand *command, gpointer user_data)
{
  ((Listener *)user_data)->exited = TRUE;
}

static void
listen (Listener *listener, AsbCommand *command, const char *stream)
{
  g_autofree char *data_signal = g_strconcat (stream, "-data", NULL);
  g_autofree char *text_signal = g_strconcat (stream, "-text", NULL);

  listener->text = g_string_new (NULL);
  listener->bytes = g_byte_array_new ();
  g_signal_connect (command, data_signal, G_CALLBACK (data_cb), listener);
  g_signal_connect (command, text_signal, G_CALLBACK (text_cb), listener);
  g_signal_connect (command, "exited", G_CALLBACK (exited_cb), listener);
}

static void
run_until_exited (Listener *listener)
{
  while (!listener->exited)
    g_main_context_iteration (NULL, TRUE);
}

static void
test_signals (Fixture *fixture, gconstpointer blocking)
{
  g_autoptr (AsbCommand) command = NULL;
  g_auto (Listener) out = { 0 };
  g_auto (Listener) err = { 0 };

  g_test_summary ("All output comes by signals, and “exited” after all of it");

  test_mock_set_result (fixture->mock, "both",
                        "{'stdout': <'out ü'>, 'stderr': <@ay [0x65, 0x72, 0x72, 0x20, 0xff]>}");
  command = blocking ? start (fixture, "both", ASB_COMMAND_FLAGS_OUTPUT_SIGNALS)
                     : start_async (fixture, "both", ASB_COMMAND_FLAGS_OUTPUT_SIGNALS);
  listen (&out, command, "stdout");
  listen (&err, command, "stderr");
  run_until_exited (&out);
  g_assert_cmpmem (out.bytes->data, out.bytes->len, "out ü", 6);
  g_assert_cmpstr (out.text->str, ==, "out ü");
  g_assert_cmpmem (err.bytes->data, err.bytes->len, "err \377", 5);
  g_assert_cmpstr (err.text->str, ==, "err \357\277\275");
}

static void
test_signals_in_callback (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Who connects when the command is there misses nothing, every time");

  for (guint i = 0; i < 50; i++)
    {
      g_autoptr (AsbCommand) command
          = start_async (fixture, "echo now", ASB_COMMAND_FLAGS_OUTPUT_SIGNALS);
      g_auto (Listener) listener = { 0 };

      listen (&listener, command, "stdout");
      run_until_exited (&listener);
      g_assert_cmpstr (listener.text->str, ==, "now\n");
    }
}

static void
test_half_characters (Fixture *fixture, gconstpointer data)
{
  static const char text[] = "a\303\274\342\230\225\360\237\230\200z";
  g_autoptr (AsbCommand) command
      = start (fixture, "cat", ASB_COMMAND_FLAGS_STDIN_PIPE | ASB_COMMAND_FLAGS_OUTPUT_SIGNALS);
  GOutputStream *input = asb_command_get_stdin_pipe (command);
  g_auto (Listener) listener = { 0 };

  g_test_summary ("Text is never cut inside a character, wherever the bytes are");

  listen (&listener, command, "stdout");
  for (guint i = 0; i < sizeof text - 1; i++)
    {
      g_assert_true (g_output_stream_write_all (input, text + i, 1, NULL, NULL, NULL));
      while (listener.n_pieces < i + 1)
        g_main_context_iteration (NULL, TRUE);
      g_assert_cmpuint (listener.bytes->len, ==, i + 1);
    }
  g_assert_true (g_output_stream_close (input, NULL, NULL));
  run_until_exited (&listener);
  g_assert_cmpstr (listener.text->str, ==, text);
}

static void
test_half_character_at_end (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = NULL;
  g_auto (Listener) listener = { 0 };

  g_test_summary ("Half a character at the end is replaced");

  test_mock_set_result (fixture->mock, "half", "{'stdout': <@ay [0x78, 0xe2, 0x98]>}");
  command = start (fixture, "half", ASB_COMMAND_FLAGS_OUTPUT_SIGNALS);
  listen (&listener, command, "stdout");
  run_until_exited (&listener);
  g_assert_true (g_str_has_prefix (listener.text->str, "x\357\277\275"));
  g_assert_cmpuint (listener.bytes->len, ==, 3);
}

static void
test_signals_much (Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = g_strnfill (MUCH, 'y');
  g_autofree char *result = g_strdup_printf ("{'stdout': <'%s'>}", text);
  g_autoptr (AsbCommand) command = NULL;
  g_auto (Listener) listener = { 0 };

  g_test_summary ("Much output comes in pieces that join to it");

  test_mock_set_result (fixture->mock, "much", result);
  command = start (fixture, "much", ASB_COMMAND_FLAGS_OUTPUT_SIGNALS);
  listen (&listener, command, "stdout");
  run_until_exited (&listener);
  g_assert_cmpmem (listener.bytes->data, listener.bytes->len, text, MUCH);
  g_assert_cmpuint (listener.n_pieces, >, 1);
}

static void
test_exited_without_output (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = start (fixture, "true", ASB_COMMAND_FLAGS_NONE);
  g_auto (Listener) listener = { 0 };

  g_test_summary ("“exited” comes without output signals too");

  listen (&listener, command, "stdout");
  run_until_exited (&listener);
  g_assert_cmpuint (listener.bytes->len, ==, 0);
  g_assert_true (asb_command_get_successful (command));
}

/* References. */

static void
test_dropped (Fixture *fixture, gconstpointer data)
{
  AsbCommand *command = start_async (fixture, "serve", ASB_COMMAND_FLAGS_NONE);

  g_test_summary ("A command that nobody holds runs on");

  g_object_add_weak_pointer (G_OBJECT (command), (gpointer *)&command);
  test_drain ();
  g_object_unref (command);
  test_drain ();
  g_assert_null (command);
  g_assert_cmpuint (test_mock_finish_commands (fixture->mock, "serve"), ==, 1);
}

static void
count_cb (AsbCommand *command, gpointer data, gpointer user_data)
{
  (*(guint *)user_data)++;
}

static void
test_dropped_with_signals (Fixture *fixture, gconstpointer data)
{
  AsbCommand *command = start_async (fixture, "serve", ASB_COMMAND_FLAGS_OUTPUT_SIGNALS);
  guint n_pieces = 0;

  g_test_summary ("One whose output somebody listens to stays until its end");

  g_object_add_weak_pointer (G_OBJECT (command), (gpointer *)&command);
  g_signal_connect (command, "stdout-data", G_CALLBACK (count_cb), &n_pieces);
  g_object_unref (command);
  while (n_pieces == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_nonnull (command);
  test_mock_finish_commands (fixture->mock, "serve");
  while (command)
    g_main_context_iteration (NULL, TRUE);
}

static void
test_keeps_backend (Fixture *fixture, gconstpointer data)
{
  AsbBackend *backend = test_backend_new (fixture->mock, NULL);
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("serve");
  g_autoptr (AsbCommand) command = asb_backend_start_command (backend, spec, NULL, NULL);

  g_test_summary ("A command keeps its backend alive");

  g_object_add_weak_pointer (G_OBJECT (backend), (gpointer *)&backend);
  g_object_unref (backend);
  g_assert_nonnull (backend);
  asb_command_force_exit (command);
  wait_for (fixture, command);
  g_clear_object (&command);
  test_drain ();
  g_assert_null (backend);
}

static void
test_closed_while_running (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = start (fixture, "serve", ASB_COMMAND_FLAGS_NONE);

  g_test_summary ("A command does not hold up closing, and ends with the sandbox");

  test_backend_close (fixture->backend);
  g_assert_false (asb_command_wait (command, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
}

/* Starting. */

static void
test_bad_specs (Fixture *fixture, gconstpointer data)
{
  static const char *const argv[] = { "true", NULL };
  static const char *const empty[] = { NULL };
  AsbCommandSpec *specs[5];

  g_test_summary ("A command needs arguments or text, one of them, and a sound directory");

  specs[0] = asb_command_spec_new ();
  specs[1] = asb_command_spec_new_argv (argv);
  asb_command_spec_set_shell (specs[1], "true");
  specs[2] = asb_command_spec_new ();
  asb_command_spec_set_argv (specs[2], empty);
  specs[3] = asb_command_spec_new_shell (" \t\n");
  specs[4] = asb_command_spec_new_shell ("true");
  asb_command_spec_set_cwd (specs[4], "../x");
  for (gsize i = 0; i < G_N_ELEMENTS (specs); i++)
    {
      g_assert_null (asb_backend_start_command (fixture->backend, specs[i], NULL, &fixture->error));
      g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_clear_error (&fixture->error);
      g_assert_null (asb_backend_execute (fixture->backend, specs[i], NULL, &fixture->error));
      g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_clear_error (&fixture->error);
      g_object_unref (specs[i]);
    }
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "start_command"), ==, 0);
}

static void
test_not_started (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("nothing");

  g_test_summary ("What does not start fails with the reason");

  test_mock_add_fault (fixture->mock, "{'operation': <'start_command'>, 'fault': <'fail'>,"
                                      " 'code': <'command_not_found'>}");
  g_assert_null (asb_backend_start_command (fixture->backend, spec, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_COMMAND_NOT_FOUND);
  g_assert_cmpstr (asb_error_info_get_operation (asb_error_get_info (fixture->error)), ==,
                   "command.execute");
}

static void
test_started_too_late (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("serve");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_auto (TestAnswer) answer = { 0 };

  g_test_summary ("A command that starts when nobody waits for it any more is ended");

  asb_call_set_limit (NULL, 1);
  test_mock_add_fault (fixture->mock, "{'operation': <'start_command'>, 'fault': <'hold'>,"
                                      " 'done': <true>}");
  test_mock_cancel_on_call (fixture->mock, "start_command", cancellable);
  asb_backend_start_command_async (fixture->backend, spec, cancellable, test_answer_cb, &answer);
  g_assert_null (asb_backend_start_command_finish (fixture->backend, test_answer_wait (&answer),
                                                   &fixture->error));
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (test_mock_release (fixture->mock, "start_command"), ==, 1);
  test_drain ();
  g_assert_cmpuint (test_mock_finish_commands (fixture->mock, "serve"), ==, 0);
}

static void
test_execute_cancelled_in_loop (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("serve");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_auto (TestAnswer) answer = { 0 };

  g_test_summary ("Executing is cancelled from the main loop though the command ends at once");

  asb_backend_execute_async (fixture->backend, spec, cancellable, test_answer_cb, &answer);
  while (test_mock_get_calls (fixture->mock, "wait") == 0)
    g_main_context_iteration (NULL, TRUE);
  g_cancellable_cancel (cancellable);
  g_assert_null (
      asb_backend_execute_finish (fixture->backend, test_answer_wait (&answer), &fixture->error));
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (test_mock_finish_commands (fixture->mock, "serve"), ==, 0);
}

/* The record of what was started. */

static void
check_recorded (Fixture *fixture, const char *status)
{
  g_autofree char *expected = g_strdup_printf (":succeeded :started :%s", status);
  g_autofree char *summary = test_store_summary (fixture->store);

  g_assert_cmpstr (summary, ==, expected);
}

static void
test_recorded (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = start (fixture, "serve", ASB_COMMAND_FLAGS_NONE);
  g_autoptr (GVariant) end = NULL;

  g_test_summary ("The end of a command is recorded before waiting for it is over");

  g_assert_cmpuint (test_store_count (fixture->store), ==, 2);
  fixture->store->record_manner = TEST_STORE_ANSWERS_FROM_THREAD;
  test_mock_finish_commands (fixture->mock, "serve");
  wait_for (fixture, command);
  check_recorded (fixture, "succeeded");
  end = test_store_get_record (fixture->store, 2, 0);
  test_variant_check_string (end, "event/result/state", "succeeded");
  test_variant_check_integer (end, "event/result/stdout_total_bytes", 3);
  test_variant_check_integer (end, "event/result/stdout_bytes", 0);
  test_variant_check_boolean (end, "event/result/output_complete", FALSE);
  test_variant_check_string (end, "event/result/history_storage_state", "metadata_only");
}

static void
test_recorded_unwaited (Fixture *fixture, gconstpointer data)
{
  AsbCommand *command = start_async (fixture, "serve", ASB_COMMAND_FLAGS_NONE);

  g_test_summary ("It is recorded also when nobody waits, and nobody holds the command");

  g_object_add_weak_pointer (G_OBJECT (command), (gpointer *)&command);
  g_object_unref (command);
  test_drain ();
  test_mock_finish_commands (fixture->mock, "serve");
  while (command)
    g_main_context_iteration (NULL, TRUE);
  check_recorded (fixture, "succeeded");
}

static void
test_recorded_dropped_at_once (Fixture *fixture, gconstpointer data)
{
  AsbCommand *command = start (fixture, "true", ASB_COMMAND_FLAGS_NONE);

  g_test_summary ("And when it was dropped before the main loop ran");

  g_object_add_weak_pointer (G_OBJECT (command), (gpointer *)&command);
  g_object_unref (command);
  while (command)
    g_main_context_iteration (NULL, TRUE);
  check_recorded (fixture, "succeeded");
}

static gpointer
start_and_wait (gpointer data)
{
  Fixture *fixture = data;
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (AsbCommand) command = NULL;

  g_main_context_push_thread_default (context);
  command = start (fixture, "true", ASB_COMMAND_FLAGS_NONE);
  wait_for (fixture, command);
  g_main_context_pop_thread_default (context);
  return NULL;
}

static void
test_recorded_without_loop (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A program without a main loop leaves nothing behind, if it waits");

  g_thread_join (g_thread_new ("start", start_and_wait, fixture));
  check_recorded (fixture, "succeeded");
}

static void
test_recorded_unknown (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommand) command = start (fixture, "serve", ASB_COMMAND_FLAGS_NONE);
  g_autofree char *summary = NULL;

  g_test_summary ("An end that nobody knows is recorded as that");

  g_assert_true (asb_backend_delete_sandbox (fixture->backend, NULL, NULL));
  g_assert_false (asb_command_wait (command, NULL, NULL));
  summary = test_store_summary (fixture->store);
  g_assert_true (g_str_has_suffix (summary, ":unknown"));
}

#define ADD_WITH(path, data, function)                                                             \
  g_test_add ("/command/" path, Fixture, data, set_up, function, tear_down)
#define ADD(path, function) ADD_WITH (path, NULL, function)
#define YES GINT_TO_POINTER (TRUE)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("end/getters", test_getters);
  ADD ("end/running", test_running);
  ADD ("end/wait-cancelled", test_wait_cancelled);
  ADD ("end/unknown", test_unknown_end);
  ADD ("end/notify", test_notify);
  ADD ("end/threads", test_wait_from_threads);
  ADD_WITH ("end/threads-with-loop", YES, test_wait_from_threads);
  ADD ("streams/read", test_streams);
  ADD ("streams/none", test_no_streams);
  ADD ("streams/unread", test_unread);
  ADD ("communicate/much", test_communicate);
  ADD ("communicate/output", test_communicate_output);
  ADD ("communicate/merged", test_communicate_merged);
  ADD ("communicate/unread-input", test_communicate_unread_input);
  ADD ("communicate/cancelled", test_communicate_cancelled);
  ADD_WITH ("communicate/cancelled-blocking", YES, test_communicate_cancelled);
  ADD ("communicate/breaks-off", test_communicate_breaks_off);
  ADD ("signal/sent", test_send_signal);
  ADD ("signal/async", test_send_signal_async);
  ADD ("output-signals/both", test_signals);
  ADD_WITH ("output-signals/blocking", YES, test_signals);
  ADD ("output-signals/in-callback", test_signals_in_callback);
  ADD ("output-signals/half-characters", test_half_characters);
  ADD ("output-signals/half-at-end", test_half_character_at_end);
  ADD ("output-signals/much", test_signals_much);
  ADD ("output-signals/exited", test_exited_without_output);
  ADD ("references/dropped", test_dropped);
  ADD ("references/dropped-with-signals", test_dropped_with_signals);
  ADD ("references/keeps-backend", test_keeps_backend);
  ADD ("references/closed", test_closed_while_running);
  ADD ("start/bad", test_bad_specs);
  ADD ("start/fails", test_not_started);
  ADD ("start/too-late", test_started_too_late);
  ADD ("execute/cancelled-in-loop", test_execute_cancelled_in_loop);
  ADD_WITH ("record/waited", YES, test_recorded);
  ADD_WITH ("record/unwaited", YES, test_recorded_unwaited);
  ADD_WITH ("record/dropped-at-once", YES, test_recorded_dropped_at_once);
  ADD_WITH ("record/without-loop", YES, test_recorded_without_loop);
  ADD_WITH ("record/unknown", YES, test_recorded_unknown);
  return g_test_run ();
}
