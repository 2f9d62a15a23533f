/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-store.h"

#include <string.h>

#include "asb-backend-private.h"
#include "asb-call-private.h"

/* What a backend tells its history store of each operation, where the store is not the one inside
 * the sandbox: the fields of the reference. */

/* @data: the name of the agent. */
static void
set_up (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbBackendOptions) options = NULL;

  fixture->mock = test_mock_new (NULL);
  fixture->store = test_store_new ();
  options = test_options_new (fixture->mock);
  asb_backend_options_set_history_store (options, ASB_HISTORY_STORE (fixture->store));
  asb_backend_options_set_agent_name (options, data);
  fixture->backend = asb_create_backend (options, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  g_ptr_array_set_size (fixture->store->batches, 0);
}

/* Two batches, a start of @type and an end with @status, of one and the same operation. The start
 * is before anything was done. */
static void
check_pair (TestRecorded *fixture, const char *type, const char *status, GVariant **start,
            GVariant **end)
{
  g_autofree char *expected = g_strdup_printf (":started :%s", status);
  g_autofree char *summary = test_store_summary (fixture->store);
  g_autoptr (GVariant) id = NULL;

  g_assert_cmpstr (summary, ==, expected);
  *start = test_store_get_record (fixture->store, 0, 0);
  test_variant_check_string (*start, "event/operation_type", type);
  id = test_variant_find (*start, "event/event_id");
  *end = test_store_get_record (fixture->store, 1, 0);
  if (!g_str_equal (type, "command.execute"))
    {
      test_variant_check_string (*end, "event/event_id", g_variant_get_string (id, NULL));
      test_variant_check_string (*end, "event/status", status);
    }
}

static void
forget (TestRecorded *fixture)
{
  g_clear_error (&fixture->error);
  g_ptr_array_set_size (fixture->store->batches, 0);
}

static AsbFileInfo *
write_text (TestRecorded *fixture, const char *path, const char *text, const char *expected_hash)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return asb_backend_write_file (fixture->backend, path, bytes, expected_hash, NULL,
                                 &fixture->error);
}

static void
put (TestRecorded *fixture, const char *path, const char *text)
{
  g_autoptr (AsbFileInfo) info = write_text (fixture, path, text, NULL);

  g_assert_no_error (fixture->error);
  forget (fixture);
}

static void
check_file_row (GVariant *start, const char *path, const char *change_type)
{
  test_variant_check_string (start, "event/request/path", path);
  test_variant_check_string (start, "event/file_operation/path", path);
  test_variant_check_string (start, "event/file_operation/change_type", change_type);
  test_variant_check_absent (start, "event/command");
}

static void
test_get (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info
      = asb_backend_query_info (fixture->backend, NULL, &fixture->error);
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) end = NULL;

  g_test_summary ("sandbox.get");

  check_pair (fixture, "sandbox.get", "succeeded", &start, &end);
  test_variant_check_string (end, "event/result/state", "running");
  test_variant_check_absent (start, "event/file_operation");
}

static void
test_list (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (GListModel) list = NULL;
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) end = NULL;

  g_test_summary ("file.list");

  put (fixture, "/l/a", "1");
  put (fixture, "/l/b", "2");
  list = asb_backend_list_files (fixture->backend, "/l", NULL, &fixture->error);
  check_pair (fixture, "file.list", "succeeded", &start, &end);
  check_file_row (start, "/l", "list");
  test_variant_check_integer (end, "event/result/count", 2);
}

static void
test_read (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) end = NULL;

  g_test_summary ("file.read");

  put (fixture, "a", "hello");
  bytes = asb_backend_read_file (fixture->backend, "a", NULL, &fixture->error);
  check_pair (fixture, "file.read", "succeeded", &start, &end);
  check_file_row (start, "/workspace/a", "read");
  test_variant_check_integer (end, "event/result/size", 5);
  test_variant_check_integer (end, "event/file_operation/after_size", 5);
}

static void
test_write (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) end = NULL;
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, "new", -1);
  g_autofree char *old_hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, "old", -1);

  g_test_summary ("file.write, with how the file begins");

  put (fixture, "/f", "old");
  info = write_text (fixture, "/f", "new", NULL);
  check_pair (fixture, "file.write", "succeeded", &start, &end);
  check_file_row (start, "/f", "write");
  test_variant_check_integer (start, "event/request/size", 3);
  test_variant_check_null (start, "event/request/expected_hash");
  test_variant_check_string (start, "event/request/content", "new");
  test_variant_check_boolean (start, "event/request/content_truncated", FALSE);
  test_variant_check_absent (start, "event/request/is_edit");
  test_variant_check_absent (start, "event/file_operation/before_hash");
  test_variant_check_string (end, "event/result/path", "/f");
  test_variant_check_integer (end, "event/result/size", 3);
  test_variant_check_string (end, "event/result/content_hash", hash);
  test_variant_check_string (end, "event/result/previous_hash", old_hash);
  test_variant_check_string (end, "event/result/content", "new");
  test_variant_check_boolean (end, "event/result/content_truncated", FALSE);
  test_variant_check_string (end, "event/file_operation/after_hash", hash);
  test_variant_check_integer (end, "event/file_operation/after_size", 3);
  test_variant_check_string (end, "event/file_operation/before_hash", old_hash);
}

static void
test_write_expected (TestRecorded *fixture, gconstpointer data)
{
  g_autofree char *old_hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, "old", -1);
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) end = NULL;

  g_test_summary ("file.write with an expected hash");

  put (fixture, "/f", "old");
  info = write_text (fixture, "/f", "new", old_hash);
  check_pair (fixture, "file.write", "succeeded", &start, &end);
  test_variant_check_string (start, "event/request/expected_hash", old_hash);
  test_variant_check_boolean (start, "event/request/is_edit", TRUE);
  test_variant_check_absent (start, "event/request/content");
  test_variant_check_string (start, "event/file_operation/before_hash", old_hash);
  test_variant_check_string (end, "event/result/previous_hash", old_hash);
  test_variant_check_string (end, "event/result/content", "new");
}

static void
test_write_big (TestRecorded *fixture, gconstpointer data)
{
  g_autofree char *big = g_strnfill (10241, 'x');
  g_autofree char *shown = g_strnfill (10240, 'x');
  g_autoptr (GBytes) bytes = g_bytes_new_static ("\xff\0z", 3);
  g_autoptr (AsbFileInfo) info = write_text (fixture, "/f", big, NULL);
  g_autoptr (AsbFileInfo) binary = NULL;
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) end = NULL;
  g_autoptr (GVariant) of_binary = NULL;

  g_test_summary ("Of a big file 10,240 bytes are shown, and of what is no text a readable form");

  check_pair (fixture, "file.write", "succeeded", &start, &end);
  test_variant_check_string (start, "event/request/content", shown);
  test_variant_check_boolean (start, "event/request/content_truncated", TRUE);
  test_variant_check_boolean (end, "event/result/content_truncated", TRUE);
  forget (fixture);
  binary = asb_backend_write_file (fixture->backend, "/g", bytes, NULL, NULL, &fixture->error);
  of_binary = test_store_get_record (fixture->store, 0, 0);
  test_variant_check_string (of_binary, "event/request/content", "\357\277\275\357\277\275z");
  test_variant_check_integer (of_binary, "event/request/size", 3);
}

static void
test_write_stream (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (GOutputStream) stream
      = asb_backend_open_write (fixture->backend, "/f", -1, NULL, &fixture->error);
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) end = NULL;

  g_test_summary ("file.write by a stream is recorded when it is opened");

  g_assert_true (g_output_stream_close (stream, NULL, &fixture->error));
  check_pair (fixture, "file.write", "succeeded", &start, &end);
  check_file_row (start, "/f", "write");
}

static void
test_delete (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) end = NULL;

  g_test_summary ("file.delete has no result");

  put (fixture, "/f", "text");
  g_assert_true (asb_backend_delete_file (fixture->backend, "/f", 0, NULL, &fixture->error));
  check_pair (fixture, "file.delete", "succeeded", &start, &end);
  check_file_row (start, "/f", "delete");
  test_variant_check_absent (end, "event/result");
}

static void
test_others (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (GVariant) stat_start = NULL;
  g_autoptr (GVariant) stat_end = NULL;
  g_autoptr (GVariant) mkdir_start = NULL;
  g_autoptr (GVariant) mkdir_end = NULL;
  g_autoptr (GVariant) move_start = NULL;
  g_autoptr (GVariant) move_end = NULL;

  g_test_summary ("What the reference has not: file.stat, file.mkdir and file.move");

  g_object_unref (asb_backend_query_file (fixture->backend, "/", NULL, &fixture->error));
  check_pair (fixture, "file.stat", "succeeded", &stat_start, &stat_end);
  check_file_row (stat_start, "/", "stat");
  forget (fixture);
  g_assert_true (asb_backend_make_directory (fixture->backend, "/d", NULL, &fixture->error));
  check_pair (fixture, "file.mkdir", "succeeded", &mkdir_start, &mkdir_end);
  check_file_row (mkdir_start, "/d", "mkdir");
  forget (fixture);
  g_assert_true (asb_backend_move_file (fixture->backend, "/d", "/e", 0, NULL, &fixture->error));
  check_pair (fixture, "file.move", "succeeded", &move_start, &move_end);
  check_file_row (move_start, "/d", "move");
  test_variant_check_string (move_start, "event/request/new_path", "/e");
}

static void
test_path_bytes (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) path = NULL;

  g_test_summary ("A path that is no text is recorded by its bytes");

  g_assert_null (asb_backend_read_file (fixture->backend, "/\xff", NULL, &fixture->error));
  start = test_store_get_record (fixture->store, 0, 0);
  path = test_variant_find (start, "event/request/path");
  g_assert_true (g_variant_is_of_type (path, G_VARIANT_TYPE_BYTESTRING));
  g_assert_cmpmem (g_variant_get_data (path), g_variant_get_size (path), "/\xff", 2);
}

/* Commands. */

static AsbCommandResult *
execute (TestRecorded *fixture, AsbCommandSpec *spec, GCancellable *cancellable)
{
  return asb_backend_execute (fixture->backend, spec, cancellable, &fixture->error);
}

static void
check_chunk (GVariant *record, gsize index, const char *stream, gint64 chunk_index,
             const char *text)
{
  g_autoptr (GVariant) chunks = test_variant_find (record, "chunks");
  g_autoptr (GVariant) chunk = g_variant_get_child_value (chunks, index);
  g_autofree char *encoded = g_base64_encode ((const guint8 *)text, strlen (text));

  test_variant_check_string (chunk, "stream", stream);
  test_variant_check_integer (chunk, "chunk_index", chunk_index);
  test_variant_check_string (chunk, "data_base64", encoded);
  test_variant_check_string (chunk, "encoding", "identity");
  test_variant_check_integer (chunk, "original_size", (gint64)strlen (text));
}

static void
test_execute (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("make");
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) output = NULL;
  g_autoptr (GVariant) end = NULL;
  const char *id;

  g_test_summary ("command.execute, with output and outcome");

  test_mock_set_result (fixture->mock, "make",
                        "{'stdout': <'out'>, 'stderr': <'error'>, 'exit-code': <2>}");
  asb_command_spec_set_timeout_ms (spec, 1500000);
  result = execute (fixture, spec, NULL);
  g_assert_no_error (fixture->error);
  id = asb_command_result_get_command_id (result);
  check_pair (fixture, "command.execute", "failed", &start, &output);
  test_variant_check_string (start, "event/request/command", "make");
  test_variant_check_null (start, "event/request/cwd");
  test_variant_check_string (start, "event/command/command", "make");
  test_variant_check_string (start, "event/command/cwd", "/workspace");
  test_variant_check_integer (start, "event/command/timeout_ms", 1500000);
  test_variant_check_absent (start, "event/file_operation");
  test_variant_check_string (output, "type", "command_output");
  check_chunk (output, 0, "stdout", 0, "out");
  check_chunk (output, 1, "stderr", 0, "error");

  end = test_store_get_record (fixture->store, 1, 1);
  test_variant_check_string (end, "event/status", "failed");
  test_variant_check_string (end, "event/result/command_id", id);
  test_variant_check_string (end, "event/result/state", "failed");
  test_variant_check_integer (end, "event/result/exit_code", 2);
  test_variant_check_integer (end, "event/result/stdout_bytes", 3);
  test_variant_check_integer (end, "event/result/stderr_bytes", 5);
  test_variant_check_integer (end, "event/result/stdout_total_bytes", 3);
  test_variant_check_integer (end, "event/result/stderr_total_bytes", 5);
  test_variant_check_boolean (end, "event/result/stdout_truncated", FALSE);
  test_variant_check_boolean (end, "event/result/stderr_truncated", FALSE);
  test_variant_check_boolean (end, "event/result/output_complete", TRUE);
  test_variant_check_string (end, "event/result/history_storage_state", "complete");
  test_variant_check_null (end, "event/result/history_storage_error");
  test_variant_check_absent (end, "event/result/signal");
  test_variant_check_integer (end, "event/command/exit_code", 2);
  test_variant_check_string (end, "event/command/provider_command_id", id);
  test_variant_check_boolean (end, "event/command/output_complete", TRUE);
  test_variant_check_string (end, "event/command/history_storage_state", "complete");
}

static void
test_execute_argv (TestRecorded *fixture, gconstpointer data)
{
  static const char *const argv[] = { "ls", "-l", "two words", "it's", "", NULL };
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_argv (argv);
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) end = NULL;

  g_test_summary ("Arguments are recorded as people type them, the directory as it was given");

  asb_command_spec_set_cwd (spec, "sub");
  result = execute (fixture, spec, NULL);
  check_pair (fixture, "command.execute", "succeeded", &start, &end);
  test_variant_check_string (start, "event/command/command", "ls -l 'two words' 'it'\\''s' ''");
  test_variant_check_string (start, "event/request/cwd", "sub");
  test_variant_check_string (start, "event/command/cwd", "/workspace/sub");
  test_variant_check_null (start, "event/request/timeout_seconds");
  test_variant_check_absent (start, "event/command/timeout_ms");
  test_variant_check_string (end, "type", "operation_completed");
}

static void
test_execute_rights (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("echo 1");
  g_autoptr (AsbResourceLimits) limits = asb_resource_limits_new ();
  g_autoptr (AsbCommandResult) plain = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) without = NULL;

  g_test_summary ("As whom and within which limits it ran is recorded where it was asked for");

  asb_command_spec_set_limits (spec, limits);
  plain = execute (fixture, spec, NULL);
  asb_command_spec_set_uid (spec, 0);
  asb_command_spec_set_gid (spec, 4294967294);
  asb_resource_limits_set_open_files (limits, 64);
  asb_resource_limits_set_memory_bytes (limits, G_GINT64_CONSTANT (9007199254740991));
  result = execute (fixture, spec, NULL);
  without = test_store_get_record (fixture->store, 0, 0);
  test_variant_check_absent (without, "event/request/uid");
  test_variant_check_absent (without, "event/request/gid");
  test_variant_check_absent (without, "event/request/limits");
  start = test_store_get_record (fixture->store, 2, 0);
  test_variant_check_integer (start, "event/request/uid", 0);
  test_variant_check_integer (start, "event/request/gid", 4294967294);
  test_variant_check_integer (start, "event/request/limits/open_files", 64);
  test_variant_check_integer (start, "event/request/limits/memory_bytes", 9007199254740991);
  test_variant_check_absent (start, "event/request/limits/processes");
}

static void
test_execute_truncated (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("echo 0123456789");
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GVariant) output = NULL;
  g_autoptr (GVariant) end = NULL;

  g_test_summary ("Output that is cut is recorded so");

  asb_command_result_config_set_max_stdout_bytes (fixture->backend->result_config, 4);
  asb_command_result_config_set_preserve_tail_bytes (fixture->backend->result_config, 2);
  result = execute (fixture, spec, NULL);
  output = test_store_get_record (fixture->store, 1, 0);
  check_chunk (output, 0, "stdout", 0, "019\n");
  end = test_store_get_record (fixture->store, 1, 1);
  test_variant_check_integer (end, "event/result/stdout_bytes", 4);
  test_variant_check_integer (end, "event/result/stdout_total_bytes", 11);
  test_variant_check_boolean (end, "event/result/stdout_truncated", TRUE);
  test_variant_check_boolean (end, "event/result/output_complete", FALSE);
  test_variant_check_string (end, "event/result/history_storage_state", "truncated_by_policy");
  test_variant_check_string (end, "event/command/history_storage_state", "truncated_by_policy");
}

static void
test_execute_chunks (TestRecorded *fixture, gconstpointer data)
{
  g_autofree char *much = g_strnfill (16 * 1024 + 1, 'x');
  g_autofree char *text = g_strdup_printf ("{'stdout': <'%s'>}", much);
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("make");
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GVariant) output = NULL;

  g_test_summary ("Output is recorded in pieces of 16 KiB");

  test_mock_set_result (fixture->mock, "make", text);
  result = execute (fixture, spec, NULL);
  output = test_store_get_record (fixture->store, 1, 0);
  check_chunk (output, 1, "stdout", 1, "x");
}

typedef struct
{
  const char *script;
  guint64 timeout_ms;
  const char *status;
  gint64 signal;
} Ending;

static void
test_execute_endings (TestRecorded *fixture, gconstpointer data)
{
  static const Ending endings[] = {
    { "{'exit-code': <0>}", 0, "succeeded", 0 },
    { "{'exit-code': <1>}", 0, "failed", 0 },
    { "{'signal': <9>}", 0, "failed", 9 },
    { "{'hold': <true>}", 1, "timeout", 0 },
  };

  g_test_summary ("How a command ended is its status");

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    {
      g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("make");
      g_autoptr (AsbCommandResult) result = NULL;
      g_autoptr (GVariant) start = NULL;
      g_autoptr (GVariant) end = NULL;

      test_mock_set_result (fixture->mock, "make", endings[i].script);
      asb_command_spec_set_timeout_ms (spec, endings[i].timeout_ms);
      result = execute (fixture, spec, NULL);
      g_assert_no_error (fixture->error);
      check_pair (fixture, "command.execute", endings[i].status, &start, &end);
      test_variant_check_string (end, "event/result/state", endings[i].status);
      if (endings[i].signal)
        {
          test_variant_check_integer (end, "event/result/signal", endings[i].signal);
          test_variant_check_null (end, "event/result/exit_code");
          test_variant_check_absent (end, "event/command/exit_code");
        }
      forget (fixture);
    }
}

static void
test_execute_cancelled (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("serve");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) end = NULL;

  g_test_summary ("A command that is cancelled is ended, and recorded as cancelled");

  test_mock_set_result (fixture->mock, "serve", "{'hold': <true>}");
  test_mock_cancel_on_call (fixture->mock, "wait", cancellable);
  g_assert_null (execute (fixture, spec, cancellable));
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (test_mock_finish_commands (fixture->mock, "serve"), ==, 0);
  check_pair (fixture, "command.execute", "cancelled", &start, &end);
  test_variant_check_absent (end, "event/result");
}

static void
test_execute_unknown (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("echo something");
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) end = NULL;

  g_test_summary (
      "A command whose connection breaks off has an unknown end, never an invented one");

  test_mock_add_fault (fixture->mock, "{'operation': <'start_command'>, 'fault': <'break'>,"
                                      " 'after-bytes': <3>}");
  g_assert_null (execute (fixture, spec, NULL));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  check_pair (fixture, "command.execute", "unknown", &start, &end);
  test_variant_check_string (end, "event/result/error_type", "interrupted");
}

/* Failures. */

typedef struct
{
  const char *fault;
  const char *code;
  const char *status;
  const char *error_type;
} Failure;

static void
test_failures (TestRecorded *fixture, gconstpointer data)
{
  static const Failure failures[] = {
    { "fail", "file_not_found", "failed", "file_not_found" },
    { "fail", "timed_out", "timeout", "timed_out" },
    { "fail", "interrupted", "unknown", "interrupted" },
    { "drop", "closed", "failed", "internal_error" },
    { "wrong-type", "closed", "failed", "protocol_error" },
    { "empty", "closed", "failed", "protocol_error" },
  };

  g_test_summary ("An operation that fails is recorded with a word for it and the error");

  for (gsize i = 0; i < G_N_ELEMENTS (failures); i++)
    {
      g_autofree char *rule = g_strdup_printf (
          "{'operation': <'read_file'>, 'fault': <'%s'>, 'code': <'%s'>, 'message': <'Because'>,"
          " 'retryable': <true>, 'provider-error-code': <'E7'>}",
          failures[i].fault, failures[i].code);
      g_autoptr (GVariant) start = NULL;
      g_autoptr (GVariant) end = NULL;

      test_mock_clear_faults (fixture->mock);
      test_mock_add_fault (fixture->mock, rule);
      g_assert_null (asb_backend_read_file (fixture->backend, "/x", NULL, &fixture->error));
      check_pair (fixture, "file.read", failures[i].status, &start, &end);
      test_variant_check_string (end, "event/result/error_type", failures[i].error_type);
      test_variant_check_string (end, "event/result/error", fixture->error->message);
      if (g_str_equal (failures[i].fault, "fail"))
        {
          test_variant_check_boolean (end, "event/result/retryable", TRUE);
          test_variant_check_string (end, "event/result/provider_error_code", "E7");
        }
      forget (fixture);
    }
}

static void
test_cancelled (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) end = NULL;

  g_test_summary ("An operation that is cancelled is recorded so, without a result");

  test_mock_add_fault (fixture->mock, "{'operation': <'read_file'>, 'fault': <'delay'>,"
                                      " 'delay-ms': <3600000>}");
  test_mock_cancel_on_call (fixture->mock, "read_file", cancellable);
  g_assert_null (asb_backend_read_file (fixture->backend, "/x", cancellable, &fixture->error));
  g_assert_error (fixture->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  check_pair (fixture, "file.read", "cancelled", &start, &end);
  test_variant_check_absent (end, "event/result");
}

static void
test_deadline (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) end = NULL;

  g_test_summary ("A call that is never answered is recorded as timed out");

  asb_call_set_limit ("get the sandbox", 1);
  test_mock_add_fault (fixture->mock, "{'operation': <'get_sandbox'>, 'fault': <'hold'>}");
  g_assert_null (asb_backend_query_info (fixture->backend, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  check_pair (fixture, "sandbox.get", "timeout", &start, &end);
  asb_call_set_limit ("get the sandbox", -1);
}

static void
test_delete_sandbox (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) end = NULL;
  g_autoptr (GVariant) failed = NULL;

  g_test_summary ("sandbox.delete, once, also when it fails first");

  test_mock_add_fault (fixture->mock, "{'operation': <'delete_sandbox'>, 'fault': <'fail'>,"
                                      " 'call': <1>}");
  g_assert_false (asb_backend_close (fixture->backend, NULL, &fixture->error));
  check_pair (fixture, "sandbox.delete", "failed", &start, &failed);
  test_variant_check_string (failed, "event/result/error_type", "provider_error");
  forget (fixture);
  g_clear_pointer (&start, g_variant_unref);
  g_assert_true (asb_backend_delete_sandbox (fixture->backend, NULL, &fixture->error));
  check_pair (fixture, "sandbox.delete", "succeeded", &start, &end);
  test_variant_check_absent (end, "event/result");
  g_assert_true (asb_backend_close (fixture->backend, NULL, &fixture->error));
  g_assert_cmpuint (test_store_count (fixture->store), ==, 2);
}

/* The rules of consistency. */

static void
test_strict (TestRecorded *fixture, gconstpointer data)
{
  AsbErrorInfo *info;

  g_test_summary ("What cannot be recorded is not done");

  fixture->store->record_manner = TEST_STORE_FAILS;
  g_assert_null (write_text (fixture, "/f", "text", NULL));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_HISTORY_DATABASE);
  info = asb_error_get_info (fixture->error);
  g_assert_cmpstr (asb_error_info_get_operation (info), ==, "file.write");
  g_assert_nonnull (asb_error_info_get_operation_id (info));
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "write_file"), ==, 0);
  g_assert_cmpuint (test_store_count (fixture->store), ==, 1);
  g_clear_error (&fixture->error);
  g_assert_false (asb_backend_delete_sandbox (fixture->backend, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_HISTORY_DATABASE);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 1);
}

static void
fail_records_cb (AsbProvider *mock, const char *operation, const char *sandbox_id,
                 gpointer user_data)
{
  ((TestRecorded *)user_data)->store->record_manner = TEST_STORE_FAILS;
}

static void
test_end_not_recorded (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbFileInfo) info = NULL;

  g_test_summary ("What was done is done, also when its end cannot be recorded");

  g_signal_connect (fixture->mock, "called", G_CALLBACK (fail_records_cb), fixture);
  info = write_text (fixture, "/f", "text", NULL);
  g_assert_no_error (fixture->error);
  g_assert_nonnull (info);
  g_signal_handlers_disconnect_by_data (fixture->mock, fixture);
}

static void
test_in_place (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) sandbox = NULL;
  g_autofree char *summary = NULL;

  g_test_summary ("A store in place is fed only with what does not travel on the transport");

  fixture->store->records_in_place = TRUE;
  put (fixture, "/f", "text");
  g_assert_cmpuint (test_store_count (fixture->store), ==, 0);
  sandbox = asb_backend_query_info (fixture->backend, NULL, &fixture->error);
  summary = test_store_summary (fixture->store);
  g_assert_cmpstr (summary, ==, ":started :succeeded");
}

static void
test_agent (TestRecorded *fixture, gconstpointer data)
{
  g_autoptr (GVariant) one = NULL;
  g_autoptr (GVariant) two = NULL;
  g_autoptr (GVariant) correlation_id = NULL;

  g_test_summary ("The agent is the actor of all operations");

  g_object_unref (asb_backend_query_info (fixture->backend, NULL, NULL));
  g_object_unref (asb_backend_query_info (fixture->backend, NULL, NULL));
  one = test_store_get_record (fixture->store, 0, 0);
  two = test_store_get_record (fixture->store, 2, 0);
  test_variant_check_string (one, "event/actor/actor_type", "agent");
  test_variant_check_string (one, "event/actor/actor_id", "me");
  correlation_id = test_variant_find (one, "event/actor/correlation_id");
  test_variant_check_string (two, "event/actor/correlation_id",
                             g_variant_get_string (correlation_id, NULL));
}

/* The whole way into the record in memory and out again. */
static void
test_memory (void)
{
  g_autoptr (AsbProvider) mock = test_mock_new (NULL);
  g_autoptr (AsbHistoryStore) store = test_memory_store_new (NULL);
  g_autoptr (AsbBackend) backend = test_backend_new (mock, store);
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("echo hello");
  g_autoptr (AsbCommandResult) result = asb_backend_execute (backend, spec, NULL, NULL);
  g_autoptr (AsbHistoryOperation) operation = NULL;
  g_autoptr (GInputStream) stream = NULL;
  g_autofree char *output = NULL;
  g_autoptr (GListModel) all = NULL;

  g_test_summary ("What was done can be read back");

  g_assert_nonnull (result);
  test_backend_close (backend);
  all = test_store_list (store);
  g_assert_cmpuint (g_list_model_get_n_items (all), ==, 3);
  operation = test_store_find (store, "command.execute");
  g_assert_cmpint (asb_history_operation_get_status (operation), ==,
                   ASB_OPERATION_STATUS_SUCCEEDED);
  test_variant_check_integer (asb_history_operation_get_command (operation), "exit_code", 0);
  test_variant_check_string (asb_history_operation_get_command (operation), "command",
                             "echo hello");
  stream = asb_history_store_get_output (store, asb_history_operation_get_event_id (operation),
                                         ASB_OUTPUT_STREAM_STDOUT, NULL, NULL);
  output = test_read_text (stream);
  g_assert_cmpstr (output, ==, "hello\n");
  g_object_unref (test_store_find (store, "sandbox.create"));
  g_object_unref (test_store_find (store, "sandbox.delete"));
}

#define ADD_WITH(path, data, function)                                                             \
  g_test_add ("/backend-history/" path, TestRecorded, data, set_up, function,                      \
              test_recorded_tear_down)
#define ADD(path, function) ADD_WITH (path, NULL, function)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("get", test_get);
  ADD ("file/list", test_list);
  ADD ("file/read", test_read);
  ADD ("file/write", test_write);
  ADD ("file/write-expected", test_write_expected);
  ADD ("file/write-big", test_write_big);
  ADD ("file/write-stream", test_write_stream);
  ADD ("file/delete", test_delete);
  ADD ("file/others", test_others);
  ADD ("file/path-bytes", test_path_bytes);
  ADD ("execute/done", test_execute);
  ADD ("execute/argv", test_execute_argv);
  ADD ("execute/rights", test_execute_rights);
  ADD ("execute/truncated", test_execute_truncated);
  ADD ("execute/chunks", test_execute_chunks);
  ADD ("execute/endings", test_execute_endings);
  ADD ("execute/cancelled", test_execute_cancelled);
  ADD ("execute/unknown", test_execute_unknown);
  ADD ("failures", test_failures);
  ADD ("cancelled", test_cancelled);
  ADD ("deadline", test_deadline);
  ADD ("delete-sandbox", test_delete_sandbox);
  ADD ("strict", test_strict);
  ADD ("end-not-recorded", test_end_not_recorded);
  ADD ("in-place", test_in_place);
  ADD_WITH ("agent", "me", test_agent);
  g_test_add_func ("/backend-history/memory", test_memory);
  return g_test_run ();
}
