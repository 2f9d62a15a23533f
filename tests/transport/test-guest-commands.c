/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Commands and services: what is asked, what is made of the answer. */

#include "peer.h"

#include <string.h>

#define MAX_INTEGER G_GUINT64_CONSTANT (9007199254740991)

typedef struct
{
  Peer *peer;
  AsbTransport *transport;
  AsbCommandSpec *spec;
  Pending pending;
  AsbProcess *process;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->peer = peer_new ();
  fixture->transport = peer_open (fixture->peer);
  fixture->spec = asb_command_spec_new_shell ("x");
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_clear_object (&fixture->process);
  g_clear_object (&fixture->spec);
  g_clear_object (&fixture->transport);
  g_clear_pointer (&fixture->peer, peer_free);
}

static void
begin (Fixture *fixture, GCancellable *cancellable)
{
  asb_transport_start_command_async (fixture->transport, fixture->spec, cancellable, pending_cb,
                                     &fixture->pending);
}

static AsbProcess *
finish (Fixture *fixture, GError **error)
{
  g_autoptr (GAsyncResult) result = pending_wait (&fixture->pending);

  return asb_transport_start_command_finish (fixture->transport, result, error);
}

static void
start (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  begin (fixture, NULL);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_text (fixture->peer, ASB_FRAME_EVENT, 1, PEER_STARTED);
  fixture->process = finish (fixture, &error);
  g_assert_no_error (error);
}

typedef struct
{
  const char *name;
  AsbCommandFlags flags;
  const char *stdin_mode;
  const char *stdout_mode;
  const char *stderr_mode;
} Streams;

static const Streams STREAMS[] = {
  { "plain", ASB_COMMAND_FLAGS_NONE, "none", "stream", "stream" },
  { "input", ASB_COMMAND_FLAGS_STDIN_PIPE, "stream", "stream", "stream" },
  { "silent", ASB_COMMAND_FLAGS_STDOUT_SILENCE | ASB_COMMAND_FLAGS_STDERR_SILENCE, "none",
    "discard", "discard" },
  { "merged", ASB_COMMAND_FLAGS_STDERR_MERGE, "none", "stream", "merge" },
  { "signals", ASB_COMMAND_FLAGS_OUTPUT_SIGNALS, "none", "stream", "stream" },
};

static void
test_streams (gconstpointer data)
{
  const Streams *streams = data;
  Fixture fixture = { 0 };
  g_autofree char *arguments
      = g_strdup_printf ("{\"shell\": \"x\", \"stdin\": \"%s\", \"stdout\": \"%s\","
                         " \"stderr\": \"%s\"}",
                         streams->stdin_mode, streams->stdout_mode, streams->stderr_mode);
  g_autofree char *id = NULL;

  set_up (&fixture, NULL);
  asb_command_spec_set_flags (fixture.spec, streams->flags);
  begin (&fixture, NULL);
  peer_expect_arguments (fixture.peer, "command.start", arguments);
  peer_send_text (fixture.peer, ASB_FRAME_EVENT, 1, PEER_STARTED);
  fixture.process = finish (&fixture, NULL);
  id = asb_process_dup_command_id (fixture.process);
  g_assert_cmpstr (id, ==, "c1");
  g_assert_cmpint (asb_process_get_stdin (fixture.process) != NULL, ==,
                   g_str_equal (streams->stdin_mode, "stream"));
  g_assert_cmpint (asb_process_get_stdout (fixture.process) != NULL, ==,
                   g_str_equal (streams->stdout_mode, "stream"));
  g_assert_cmpint (asb_process_get_stderr (fixture.process) != NULL, ==,
                   g_str_equal (streams->stderr_mode, "stream"));
  tear_down (&fixture, NULL);
}

static void
test_everything (Fixture *fixture, gconstpointer data)
{
  static const char *const argv[] = { "prog", "", "a b", "\xff", NULL };
  static const char *const environment[] = { "A=1", "B=\xfe", NULL };
  static const char *const unset[] = { "LANG", NULL };
  g_autoptr (AsbResourceLimits) limits = g_object_new (
      ASB_TYPE_RESOURCE_LIMITS, "open-files", (guint64)20, "memory-bytes", MAX_INTEGER, NULL);

  asb_command_spec_set_shell (fixture->spec, NULL);
  asb_command_spec_set_argv (fixture->spec, argv);
  asb_command_spec_set_cwd (fixture->spec, "/w\xff");
  asb_command_spec_set_environment (fixture->spec, environment);
  asb_command_spec_set_unset_environment (fixture->spec, unset);
  asb_command_spec_set_timeout_ms (fixture->spec, 1500);
  asb_command_spec_set_limits (fixture->spec, limits);
  asb_command_spec_set_uid (fixture->spec, 0);
  asb_command_spec_set_gid (fixture->spec, 4294967294);
  begin (fixture, NULL);
  peer_expect_arguments (fixture->peer, "command.start",
                         "{\"argv\": [\"prog\", \"\", \"a b\", {\"b64\": \"/w==\"}],"
                         " \"cwd\": {\"b64\": \"L3f/\"}, \"env\": [\"A=1\", {\"b64\": \"Qj3+\"}],"
                         " \"unset_env\": [\"LANG\"], \"deadline_ms\": 1500,"
                         " \"limits\": {\"open_files\": 20, \"memory_bytes\": 9007199254740991},"
                         " \"uid\": 0, \"gid\": 4294967294,"
                         " \"stdin\": \"none\", \"stdout\": \"stream\", \"stderr\": \"stream\"}");
  peer_close (fixture->peer);
  g_assert_null (finish (fixture, NULL));
}

static void
test_invalid (Fixture *fixture, gconstpointer data)
{
  static const char *const argv[] = { "prog", NULL };
  g_autoptr (AsbCommandSpec) empty = asb_command_spec_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_transport_start_command (fixture->transport, empty, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  asb_command_spec_set_argv (fixture->spec, argv);
  g_assert_null (asb_transport_start_command (fixture->transport, fixture->spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

static void
test_too_large (Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = g_strnfill (1100000, 'x');
  g_autoptr (GError) error = NULL;

  asb_command_spec_set_shell (fixture->spec, text);
  g_assert_null (asb_transport_start_command (fixture->transport, fixture->spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TOO_LARGE);
}

static void
test_not_started (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  begin (fixture, NULL);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_end (fixture->peer, 1, 1);
  peer_send_end (fixture->peer, 1, 2);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1,
                  "{\"error\": {\"code\": \"command_not_found\", \"message\": \"There is no such"
                  " program\", \"details\": {\"errno\": \"ENOENT\"}}}");
  g_assert_null (finish (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_COMMAND_NOT_FOUND);
}

/* How it ends. */

typedef struct
{
  const char *reason;
  const char *exit_code;
  const char *term_signal;
  AsbCommandState state;
  int exit_status; /* -1: none */
  int expected_signal;
} Ending;

static const Ending ENDINGS[] = {
  { "exited", "0", "null", ASB_COMMAND_STATE_SUCCEEDED, 0, 0 },
  { "exited", "3", "null", ASB_COMMAND_STATE_FAILED, 3, 0 },
  { "signaled", "null", "9", ASB_COMMAND_STATE_FAILED, -1, 9 },
  { "cancelled", "null", "15", ASB_COMMAND_STATE_CANCELLED, -1, 15 },
  { "cancelled", "0", "null", ASB_COMMAND_STATE_CANCELLED, -1, 0 },
  { "timeout", "null", "9", ASB_COMMAND_STATE_TIMEOUT, -1, 9 },
  { "timeout", "0", "null", ASB_COMMAND_STATE_TIMEOUT, -1, 0 },
  { "unknown", "null", "null", ASB_COMMAND_STATE_UNKNOWN, -1, 0 },
};

static void
test_ending (gconstpointer data)
{
  const Ending *ending = data;
  Fixture fixture = { 0 };
  g_autofree char *json = g_strdup_printf (
      "{\"result\": {\"command_id\": \"c1\", \"reason\": \"%s\", \"exit_code\": %s, \"signal\": %s,"
      " \"duration_ns\": 5000, \"stdout_bytes\": 1, \"stderr_bytes\": 2,"
      " \"started_at\": {\"sec\": 1, \"nsec\": 2000}, \"ended_at\": {\"sec\": 3, \"nsec\": 0}}}",
      ending->reason, ending->exit_code, ending->term_signal);
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  set_up (&fixture, NULL);
  start (&fixture);
  peer_send_text (fixture.peer, ASB_FRAME_REPLY, 1, json);
  result = asb_process_wait (fixture.process, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (asb_command_result_get_command_id (result), ==, "c1");
  g_assert_cmpint (asb_command_result_get_state (result), ==, ending->state);
  g_assert_cmpint (asb_command_result_get_has_exit_status (result), ==, ending->exit_status >= 0);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, ending->exit_status);
  g_assert_cmpint (asb_command_result_get_term_signal (result), ==, ending->expected_signal);
  g_assert_cmpint (asb_command_result_get_duration_us (result), ==, 5);
  g_assert_cmpuint (asb_command_result_get_stdout_total (result), ==, 1);
  g_assert_cmpuint (asb_command_result_get_stderr_total (result), ==, 2);
  g_assert_true (asb_command_result_get_exact (result));
  g_assert_null (asb_command_result_get_record_error (result));
  g_assert_cmpint (g_date_time_get_microsecond (asb_command_result_get_started_at (result)), ==, 2);
  tear_down (&fixture, NULL);
}

#define RESULT(id, reason, exit_code, term_signal)                                                 \
  "{\"result\": {\"command_id\": \"" id "\", \"reason\": \"" reason                                \
  "\", \"exit_code\": " exit_code ", \"signal\": " term_signal                                     \
  ", \"duration_ns\": 5000, \"stdout_bytes\": 1,"                                                  \
  " \"stderr_bytes\": 2, \"started_at\": {\"sec\": 1, \"nsec\": 0},"                               \
  " \"ended_at\": {\"sec\": 2, \"nsec\": 0}}}"

static const char *const WRONG_ENDINGS[] = {
  RESULT ("c2", "exited", "0", "null"),      RESULT ("c1", "vanished", "0", "null"),
  RESULT ("c1", "exited", "null", "null"),   RESULT ("c1", "exited", "256", "null"),
  RESULT ("c1", "exited", "-1", "null"),     RESULT ("c1", "exited", "\"0\"", "null"),
  RESULT ("c1", "exited", "0.5", "null"),    RESULT ("c1", "exited", "0", "9"),
  RESULT ("c1", "signaled", "null", "null"), RESULT ("c1", "signaled", "null", "0"),
  RESULT ("c1", "signaled", "null", "true"), "{\"result\": {}}",
};

/* Never an invented 0. */
static void
test_wrong_ending (gconstpointer data)
{
  Fixture fixture = { 0 };
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  set_up (&fixture, NULL);
  start (&fixture);
  peer_send_text (fixture.peer, ASB_FRAME_REPLY, 1, data);
  result = asb_process_wait (fixture.process, NULL, &error);
  g_assert_null (result);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  peer_expect_goodbye (fixture.peer, "protocol_error");
  tear_down (&fixture, NULL);
}

static void
test_record (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GVariant) command
      = g_variant_ref_sink (g_variant_new_parsed ("{'command': <'x'>, 'cwd': <'/w'>}"));
  g_autoptr (AsbOperation) operation
      = g_object_new (ASB_TYPE_OPERATION, "event-id", "e1", "operation-type", "command.execute",
                      "actor-type", "user", "command", command, NULL);
  g_autoptr (PeerFrame) frame = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (json_t) expected
      = json_loads ("{\"event_id\": \"e1\", \"operation_type\": \"command.execute\","
                    " \"required\": false, \"actor\": {\"actor_type\": \"user\"}, \"request\": {},"
                    " \"command\": {\"command\": \"x\", \"cwd\": \"/w\"}}",
                    0, NULL);
  g_autoptr (GString) reply = g_string_new (PEER_RESULT);

  asb_command_spec_set_operation (fixture->spec, operation);
  begin (fixture, NULL);
  frame = peer_expect_call (fixture->peer, "command.start");
  g_assert_true (json_equal (json_object_get (frame->json, "record"), expected));
  peer_send_text (fixture->peer, ASB_FRAME_EVENT, 1, PEER_STARTED);
  fixture->process = finish (fixture, NULL);
  g_string_truncate (reply, reply->len - 1);
  g_string_append (reply, ", \"record\": {\"state\": \"failed\", \"message\": \"Full\"}}");
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, reply->str);
  result = asb_process_wait (fixture->process, NULL, NULL);
  g_assert_cmpstr (asb_command_result_get_record_error (result), ==, "Full");
}

/* Several wait, in several threads and contexts, before and after. */
static gpointer
wait_in_thread (gpointer data)
{
  g_autoptr (GError) error = NULL;
  AsbCommandResult *result = asb_process_wait (data, NULL, &error);

  g_assert_no_error (error);
  return result;
}

static void
test_wait (Fixture *fixture, gconstpointer data)
{
  enum
  {
    N = 5
  };
  Pending pending[N] = { { 0 } };
  GThread *threads[N];

  start (fixture);
  for (int i = 0; i < N; i++)
    {
      asb_process_wait_async (fixture->process, NULL, pending_cb, &pending[i]);
      threads[i] = g_thread_new ("waiter", wait_in_thread, fixture->process);
    }
  g_assert_false (pending_is_done (&pending[0]));
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, PEER_RESULT);
  for (int i = 0; i < N; i++)
    {
      g_autoptr (GAsyncResult) result = pending_wait (&pending[i]);
      g_autoptr (AsbCommandResult) first = asb_process_wait_finish (fixture->process, result, NULL);
      g_autoptr (AsbCommandResult) second = g_thread_join (threads[i]);

      g_assert_true (first == second);
    }
  asb_process_wait_async (fixture->process, NULL, pending_cb, &pending[0]);
  g_object_unref (pending_wait (&pending[0]));
}

/* Cancelling ends the waiting and not the command. */
static void
test_wait_cancelled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GAsyncResult) waited = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;
  Pending other = { 0 };

  start (fixture);
  asb_process_wait_async (fixture->process, cancellable, pending_cb, &fixture->pending);
  asb_process_wait_async (fixture->process, NULL, pending_cb, &other);
  g_cancellable_cancel (cancellable);
  waited = pending_wait (&fixture->pending);
  g_assert_null (asb_process_wait_finish (fixture->process, waited, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_false (pending_is_done (&other));
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, PEER_RESULT);
  g_clear_object (&waited);
  waited = pending_wait (&other);
  result = asb_process_wait_finish (fixture->process, waited, NULL);
  g_assert_nonnull (result);
}

static void
test_lost (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  char byte;

  asb_command_spec_set_flags (fixture->spec, ASB_COMMAND_FLAGS_STDIN_PIPE);
  start (fixture);
  peer_close (fixture->peer);
  g_assert_null (asb_process_wait (fixture->process, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_clear_error (&error);
  g_assert_cmpint (
      g_input_stream_read (asb_process_get_stdout (fixture->process), &byte, 1, NULL, &error), ==,
      -1);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_clear_error (&error);
  g_assert_cmpint (
      g_output_stream_write (asb_process_get_stdin (fixture->process), "x", 1, NULL, &error), ==,
      -1);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
}

static void
test_signal (Fixture *fixture, gconstpointer data)
{
  for (int delivered = 0; delivered < 2; delivered++)
    {
      g_autoptr (GAsyncResult) result = NULL;
      g_autoptr (GError) error = NULL;

      if (!fixture->process)
        start (fixture);
      asb_process_send_signal_async (fixture->process, 15, NULL, pending_cb, &fixture->pending);
      peer_expect_arguments (fixture->peer, "command.signal",
                             "{\"command_id\": \"c1\", \"signal\": 15}");
      peer_send_text (fixture->peer, ASB_FRAME_REPLY, (guint32)(2 + delivered),
                      delivered ? "{\"result\": {\"delivered\": true}}"
                                : "{\"result\": {\"delivered\": false}}");
      result = pending_wait (&fixture->pending);
      g_assert_cmpint (asb_process_send_signal_finish (fixture->process, result, &error), ==,
                       delivered);
      g_assert_no_error (error);
    }
}

static void
test_terminal (Fixture *fixture, gconstpointer data)
{
  g_autofree char *id = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GAsyncResult) result = NULL;

  g_object_set (fixture->spec, "tty", TRUE, "columns", 132, "rows", 43, "flags",
                ASB_COMMAND_FLAGS_STDIN_PIPE, NULL);
  begin (fixture, NULL);
  peer_expect_arguments (fixture->peer, "command.start",
                         "{\"shell\": \"x\", \"stdin\": \"stream\", \"stdout\": \"stream\","
                         " \"stderr\": \"merge\", \"pty\": {\"columns\": 132, \"rows\": 43}}");
  peer_send_text (fixture->peer, ASB_FRAME_EVENT, 1, PEER_STARTED);
  fixture->process = finish (fixture, &error);
  g_assert_no_error (error);
  g_assert_null (asb_process_get_stderr (fixture->process));

  asb_process_resize_async (fixture->process, 65535, 1, NULL, pending_cb, &fixture->pending);
  peer_expect_arguments (fixture->peer, "command.resize",
                         "{\"command_id\": \"c1\", \"columns\": 65535, \"rows\": 1}");
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 2, "{\"result\": {\"resized\": true}}");
  result = pending_wait (&fixture->pending);
  g_assert_true (asb_process_resize_finish (fixture->process, result, &error));
  g_assert_no_error (error);
}

static void
test_force_exit (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PeerFrame) frame = NULL;
  g_autoptr (AsbCommandResult) result = NULL;

  start (fixture);
  asb_process_force_exit (fixture->process);
  asb_process_force_exit (fixture->process);
  frame = peer_expect (fixture->peer, ASB_FRAME_CANCEL);
  g_assert_cmpuint (frame->header.call, ==, 1);
  /* One is enough. */
  peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
  peer_skip (fixture->peer, ASB_FRAME_PONG);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT ("c1", "cancelled", "null", "15"));
  result = asb_process_wait (fixture->process, NULL, NULL);
  g_assert_cmpint (asb_command_result_get_state (result), ==, ASB_COMMAND_STATE_CANCELLED);
  asb_process_force_exit (fixture->process);
  peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
  peer_skip (fixture->peer, ASB_FRAME_PONG);
}

/* Letting go of a process does not end the command, and does not hold back what it prints. */
static void
test_dropped (Fixture *fixture, gconstpointer data)
{
  gpointer weak;

  start (fixture);
  weak = fixture->process;
  g_object_add_weak_pointer (G_OBJECT (fixture->process), &weak);
  g_clear_object (&fixture->process);
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  peer_send_data (fixture->peer, 1, 1, "on its way");
  peer_send_end (fixture->peer, 1, 1);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, PEER_RESULT);
  peer_send_end (fixture->peer, 1, 2);
  peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
  peer_skip (fixture->peer, ASB_FRAME_PONG);
  /* The connection's thread may have been the last to let go of it. */
  g_assert_null (weak);
}

static void
test_cancel_start (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  begin (fixture, cancellable);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  g_cancellable_cancel (cancellable);
  peer_skip (fixture->peer, ASB_FRAME_CANCEL);
  peer_send_end (fixture->peer, 1, 1);
  peer_send_end (fixture->peer, 1, 2);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1,
                  "{\"error\": {\"code\": \"cancelled\", \"message\": \"Cancelled\"}}");
  g_assert_null (finish (fixture, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* It has started before CANCEL came there: the answer comes when it has ended. */
static void
test_cancel_start_late (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  begin (fixture, cancellable);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  g_cancellable_cancel (cancellable);
  peer_skip (fixture->peer, ASB_FRAME_CANCEL);
  peer_send_text (fixture->peer, ASB_FRAME_EVENT, 1, PEER_STARTED);
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  g_assert_false (pending_is_done (&fixture->pending));
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, RESULT ("c1", "cancelled", "null", "15"));
  g_assert_null (finish (fixture, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Once it has started, the cancellable of the start has no effect. */
static void
test_cancel_started (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  begin (fixture, cancellable);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_text (fixture->peer, ASB_FRAME_EVENT, 1, PEER_STARTED);
  fixture->process = finish (fixture, NULL);
  g_assert_nonnull (fixture->process);
  g_cancellable_cancel (cancellable);
  peer_send (fixture->peer, ASB_FRAME_PING, 0, 0, 0, NULL, 0);
  peer_skip (fixture->peer, ASB_FRAME_PONG);
}

/* The end of a stream does not wait for that of the command, nor the other way round. */
static void
test_end_of_streams (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;
  char bytes[10];

  start (fixture);
  peer_send_end (fixture->peer, 1, 1);
  g_assert_cmpint (
      g_input_stream_read (asb_process_get_stdout (fixture->process), bytes, 10, NULL, &error), ==,
      0);
  g_assert_no_error (error);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, PEER_RESULT);
  result = asb_process_wait (fixture->process, NULL, NULL);
  g_assert_nonnull (result);
  peer_send_data (fixture->peer, 1, 2, "late");
  peer_send_end (fixture->peer, 1, 2);
  g_assert_cmpint (
      g_input_stream_read (asb_process_get_stderr (fixture->process), bytes, 10, NULL, &error), ==,
      4);
  g_assert_cmpint (
      g_input_stream_read (asb_process_get_stderr (fixture->process), bytes, 10, NULL, &error), ==,
      0);
  g_assert_no_error (error);
}

static void
test_input_after_end (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  asb_command_spec_set_flags (fixture->spec, ASB_COMMAND_FLAGS_STDIN_PIPE);
  start (fixture);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, PEER_RESULT);
  result = asb_process_wait (fixture->process, NULL, NULL);
  g_assert_cmpint (
      g_output_stream_write (asb_process_get_stdin (fixture->process), "x", 1, NULL, &error), ==,
      -1);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE);
}

/* Services. */

static void
test_service (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GVariant) arguments
      = g_variant_ref_sink (g_variant_new_parsed ("{'a': <int64 1>, 'b': <[byte 0xff]>}"));
  g_autoptr (GVariant) expected = g_variant_ref_sink (
      g_variant_new_parsed ("{'state': <'open'>, 'n': <int64 2>, 'none': <@mv nothing>}"));
  g_autoptr (GVariant) result = NULL;
  g_autoptr (GAsyncResult) answer = NULL;

  asb_transport_call_async (fixture->transport, "history.status", arguments, NULL, pending_cb,
                            &fixture->pending);
  peer_expect_arguments (fixture->peer, "history.status", "{\"a\": 1, \"b\": {\"b64\": \"/w==\"}}");
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1,
                  "{\"result\": {\"state\": \"open\", \"n\": 2, \"none\": null}}");
  answer = pending_wait (&fixture->pending);
  result = asb_transport_call_finish (fixture->transport, answer, NULL);
  g_assert_true (g_variant_equal (result, expected));
}

static void
test_service_arguments (Fixture *fixture, gconstpointer data)
{
  static const char *const wrong[] = { "[1, 2]", "'text'", "{'a': <('tuple', 1)>}" };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GVariant) arguments = g_variant_parse (NULL, wrong[i], NULL, NULL, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_null (asb_transport_call (fixture->transport, "x", arguments, NULL, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
      g_assert_null (asb_transport_open_call (fixture->transport, "x", arguments, NULL, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
    }
}

static void
test_service_names (Fixture *fixture, gconstpointer data)
{
  g_autofree char *longest = g_strnfill (128, 'x');
  g_autofree char *longer = g_strnfill (129, 'x');
  const char *wrong[] = { longer, "\xff" };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (asb_transport_call (fixture->transport, wrong[i], NULL, NULL, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
    }
  asb_transport_call_async (fixture->transport, longest, NULL, NULL, pending_cb, &fixture->pending);
  peer_frame_free (peer_expect_call (fixture->peer, longest));
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, "{\"result\": {}}");
  g_object_unref (pending_wait (&fixture->pending));
}

/* A service with a channel that nobody wants is stopped, and answers. */
static void
test_service_unwanted (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GAsyncResult) answer = NULL;
  g_autoptr (GVariant) result = NULL;
  g_autoptr (PeerFrame) stop = NULL;

  asb_transport_call_async (fixture->transport, "history.query", NULL, NULL, pending_cb,
                            &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_data (fixture->peer, 1, 1, "{}\n");
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, "{\"result\": {}}");
  answer = pending_wait (&fixture->pending);
  result = asb_transport_call_finish (fixture->transport, answer, NULL);
  g_assert_nonnull (result);
  /* Also what comes when the call is over. */
  peer_send_data (fixture->peer, 1, 2, "{}\n");
  stop = peer_expect (fixture->peer, ASB_FRAME_STOP);
  g_assert_cmpuint (stop->header.channel, ==, 2);
}

static GInputStream *
open_service (Fixture *fixture, GError **error)
{
  g_autoptr (GAsyncResult) answer = pending_wait (&fixture->pending);

  return asb_transport_open_call_finish (fixture->transport, answer, error);
}

static void
begin_service (Fixture *fixture, GCancellable *cancellable)
{
  asb_transport_open_call_async (fixture->transport, "history.query", NULL, cancellable, pending_cb,
                                 &fixture->pending);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
}

static void
test_open_service (Fixture *fixture, gconstpointer data)
{
  gboolean reply_first = GPOINTER_TO_INT (data);
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GError) error = NULL;
  GVariant *result;
  char bytes[10];
  gint64 n;

  begin_service (fixture, NULL);
  if (reply_first)
    peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, "{\"result\": {\"n\": 7}}");
  peer_send_data (fixture->peer, 1, 1, "abc");
  stream = open_service (fixture, &error);
  g_assert_no_error (error);
  peer_send_end (fixture->peer, 1, 1);
  if (!reply_first)
    peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, "{\"result\": {\"n\": 7}}");
  g_assert_cmpint (g_input_stream_read (stream, bytes, 10, NULL, NULL), ==, 3);
  g_assert_cmpint (g_input_stream_read (stream, bytes, 10, NULL, NULL), ==, 0);
  result = g_object_get_data (G_OBJECT (stream), "asb-result");
  g_assert_true (g_variant_lookup (result, "n", "x", &n));
  g_assert_cmpint (n, ==, 7);
}

static void
test_open_service_empty (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GInputStream) stream = NULL;
  char byte;

  begin_service (fixture, NULL);
  peer_send_end (fixture->peer, 1, 1);
  g_assert_false (pending_is_done (&fixture->pending));
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, "{\"result\": {}}");
  stream = open_service (fixture, NULL);
  g_assert_cmpint (g_input_stream_read (stream, &byte, 1, NULL, NULL), ==, 0);
}

static void
test_open_service_refused (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  begin_service (fixture, NULL);
  peer_send_end (fixture->peer, 1, 1);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1,
                  "{\"error\": {\"code\": \"history_unavailable\", \"message\": \"None\"}}");
  g_assert_null (open_service (fixture, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_HISTORY_UNAVAILABLE);
}

static void
test_open_service_cancelled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  begin_service (fixture, cancellable);
  g_cancellable_cancel (cancellable);
  peer_skip (fixture->peer, ASB_FRAME_CANCEL);
  peer_send_data (fixture->peer, 1, 1, "abc");
  peer_skip (fixture->peer, ASB_FRAME_STOP);
  peer_send_end (fixture->peer, 1, 1);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, "{\"result\": {}}");
  g_assert_null (open_service (fixture, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Dropped after the REPLY, with more to come: the guest is told to stop. */
static void
test_open_service_dropped (Fixture *fixture, gconstpointer data)
{
  begin_service (fixture, NULL);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1, "{\"result\": {}}");
  g_object_unref (open_service (fixture, NULL));
  peer_skip (fixture->peer, ASB_FRAME_STOP);
}

/* Results come in the context of the call. */
static void
context_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GMainContext **context = user_data;

  g_assert_true (g_main_context_get_thread_default () == *context);
  *context = NULL;
  g_assert_false (asb_transport_call_finish (ASB_TRANSPORT (source), result, NULL));
}

static void
test_context (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  GMainContext *waiting = context;

  g_main_context_push_thread_default (context);
  asb_transport_call_async (fixture->transport, "x", NULL, NULL, context_cb, &waiting);
  peer_skip (fixture->peer, ASB_FRAME_CALL);
  peer_send_text (fixture->peer, ASB_FRAME_REPLY, 1,
                  "{\"error\": {\"code\": \"io_error\", \"message\": \"No\"}}");
  while (waiting)
    g_main_context_iteration (context, TRUE);
  g_main_context_pop_thread_default (context);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, data, function)                                                                  \
  g_test_add ("/guest-commands/" path, Fixture, data, set_up, function, tear_down)
  ADD ("start/everything", NULL, test_everything);
  ADD ("start/invalid", NULL, test_invalid);
  ADD ("start/too-large", NULL, test_too_large);
  ADD ("start/not-started", NULL, test_not_started);
  ADD ("start/cancelled", NULL, test_cancel_start);
  ADD ("start/cancelled-late", NULL, test_cancel_start_late);
  ADD ("start/cancelled-after", NULL, test_cancel_started);
  ADD ("record", NULL, test_record);
  ADD ("wait/many", NULL, test_wait);
  ADD ("wait/cancelled", NULL, test_wait_cancelled);
  ADD ("lost", NULL, test_lost);
  ADD ("signal", NULL, test_signal);
  ADD ("terminal", NULL, test_terminal);
  ADD ("force-exit", NULL, test_force_exit);
  ADD ("dropped", NULL, test_dropped);
  ADD ("end-of-streams", NULL, test_end_of_streams);
  ADD ("input-after-end", NULL, test_input_after_end);
  ADD ("service/call", NULL, test_service);
  ADD ("service/arguments", NULL, test_service_arguments);
  ADD ("service/names", NULL, test_service_names);
  ADD ("service/unwanted", NULL, test_service_unwanted);
  ADD ("service/open", GINT_TO_POINTER (FALSE), test_open_service);
  ADD ("service/open-reply-first", GINT_TO_POINTER (TRUE), test_open_service);
  ADD ("service/open-empty", NULL, test_open_service_empty);
  ADD ("service/open-refused", NULL, test_open_service_refused);
  ADD ("service/open-cancelled", NULL, test_open_service_cancelled);
  ADD ("service/open-dropped", NULL, test_open_service_dropped);
  ADD ("context", NULL, test_context);
#undef ADD
  for (gsize i = 0; i < G_N_ELEMENTS (STREAMS); i++)
    {
      g_autofree char *path = g_strdup_printf ("/guest-commands/streams/%s", STREAMS[i].name);

      g_test_add_data_func (path, &STREAMS[i], test_streams);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (ENDINGS); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/guest-commands/ending/%s-%" G_GSIZE_FORMAT, ENDINGS[i].reason, i);

      g_test_add_data_func (path, &ENDINGS[i], test_ending);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (WRONG_ENDINGS); i++)
    {
      g_autofree char *path = g_strdup_printf ("/guest-commands/wrong-ending/%" G_GSIZE_FORMAT, i);

      g_test_add_data_func (path, WRONG_ENDINGS[i], test_wrong_ending);
    }

  return g_test_run ();
}
