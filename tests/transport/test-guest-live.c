/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The same stories with the real guest, on a socket it inherits. */

#include "peer.h"

#include <fcntl.h>
#include <gio/gunixsocketaddress.h>
#include <sys/stat.h>
#include <string.h>
#include <unistd.h>

#define GUEST_FD 7

typedef struct
{
  char *folder;
  GSocketAddress *address;
  GSubprocess *guest;
  AsbTransport *transport;
} Fixture;

static GSocket *
listen_at (GSocketAddress *address)
{
  g_autoptr (GError) error = NULL;
  GSocket *socket = g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_STREAM,
                                  G_SOCKET_PROTOCOL_DEFAULT, &error);

  g_assert_no_error (error);
  g_assert_true (g_socket_bind (socket, address, TRUE, &error));
  g_assert_true (g_socket_listen (socket, &error));
  return socket;
}

static void
start_guest (Fixture *fixture)
{
  g_autofree char *descriptor = g_strdup_printf ("%d", GUEST_FD);
  g_autofree char *history = g_build_filename (fixture->folder, "history", NULL);
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  g_autoptr (GSocket) socket = listen_at (fixture->address);
  g_autoptr (GError) error = NULL;
  const char *const argv[] = {
    g_getenv ("ASB_GUEST_PATH"), "serve", "--listen-fd", descriptor, "--history-dir", history, NULL
  };

  g_assert_nonnull (argv[0]);
  g_subprocess_launcher_take_fd (
      launcher, fcntl (g_socket_get_fd (socket), F_DUPFD_CLOEXEC, GUEST_FD + 1), GUEST_FD);
  fixture->guest = g_subprocess_launcher_spawnv (launcher, argv, &error);
  g_assert_no_error (error);
}

static AsbTransport *
connect_to_guest (Fixture *fixture)
{
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocketConnection) connection
      = g_socket_client_connect (client, G_SOCKET_CONNECTABLE (fixture->address), NULL, &error);
  AsbGuestTransport *transport;

  g_assert_no_error (error);
  transport = asb_guest_transport_new (G_IO_STREAM (connection), NULL, NULL, &error);
  g_assert_no_error (error);
  return ASB_TRANSPORT (transport);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("asb-live-XXXXXX", &error);
  g_assert_no_error (error);
  path = g_build_filename (fixture->folder, "socket", NULL);
  fixture->address = g_unix_socket_address_new (path);
  start_guest (fixture);
  fixture->transport = connect_to_guest (fixture);
}

static void
remove_folder (const char *folder)
{
  g_autoptr (GSubprocess) remover
      = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, NULL, "rm", "-rf", folder, NULL);

  g_assert_true (g_subprocess_wait_check (remover, NULL, NULL));
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_clear_object (&fixture->transport);
  g_subprocess_force_exit (fixture->guest);
  g_assert_true (g_subprocess_wait (fixture->guest, NULL, NULL));
  g_clear_object (&fixture->guest);
  g_clear_object (&fixture->address);
  remove_folder (fixture->folder);
  g_clear_pointer (&fixture->folder, g_free);
}

static AsbProcess *
start (Fixture *fixture, const char *shell, AsbCommandFlags flags)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (shell);
  g_autoptr (GError) error = NULL;
  AsbProcess *process;

  asb_command_spec_set_flags (spec, flags);
  process = asb_transport_start_command (fixture->transport, spec, NULL, &error);
  g_assert_no_error (error);
  return process;
}

static GBytes *
read_all (GInputStream *stream)
{
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GError) error = NULL;

  g_output_stream_splice (memory, stream, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, &error);
  g_assert_no_error (error);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (memory));
}

static void
check_output (GInputStream *stream, const char *expected, gsize size)
{
  g_autoptr (GBytes) bytes = read_all (stream);

  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), expected, size);
}

static void
check_exit (AsbProcess *process, AsbCommandState state, int exit_status)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandResult) result = asb_process_wait (process, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_state (result), ==, state);
  if (asb_command_result_get_has_exit_status (result))
    g_assert_cmpint (asb_command_result_get_exit_status (result), ==, exit_status);
}

static void
test_command (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process
      = start (fixture, "printf 'a\\000\\377\\r\\n'; echo oops >&2; exit 3", 0);

  check_output (asb_process_get_stdout (process), "a\0\377\r\n", 5);
  check_output (asb_process_get_stderr (process), "oops\n", 5);
  check_exit (process, ASB_COMMAND_STATE_FAILED, 3);
}

static gpointer
feed (gpointer data)
{
  GOutputStream *input = data;
  g_autofree char *bytes = g_strnfill (1 << 20, 'x');

  for (int i = 0; i < 8; i++)
    g_assert_true (g_output_stream_write_all (input, bytes, 1 << 20, NULL, NULL, NULL));
  g_assert_true (g_output_stream_close (input, NULL, NULL));
  return NULL;
}

static void
test_both_ways (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process = start (fixture, "cat", ASB_COMMAND_FLAGS_STDIN_PIPE);
  GThread *thread = g_thread_new ("feed", feed, asb_process_get_stdin (process));
  g_autoptr (GBytes) bytes = read_all (asb_process_get_stdout (process));

  g_thread_join (thread);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, 8 << 20);
  check_exit (process, ASB_COMMAND_STATE_SUCCEEDED, 0);
}

static void
test_not_started (Fixture *fixture, gconstpointer data)
{
  static const char *const argv[] = { "/there/is/no/such/program", NULL };
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_argv (argv);
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_transport_start_command (fixture->transport, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_COMMAND_NOT_FOUND);
  g_clear_error (&error);
  asb_command_spec_set_cwd (spec, "/there/is/no/such/folder");
  g_assert_null (asb_transport_start_command (fixture->transport, spec, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_WORKING_DIRECTORY);
}

static void
test_signal (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process = start (fixture, "kill -STOP $$", 0);
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_process_send_signal (process, 9, NULL, &error));
  result = asb_process_wait (process, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_term_signal (result), ==, 9);
  g_assert_false (asb_process_send_signal (process, 9, NULL, &error));
  g_assert_no_error (error);
}

static void
test_force_exit (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process = start (fixture, "cat", ASB_COMMAND_FLAGS_STDIN_PIPE);

  asb_process_force_exit (process);
  check_exit (process, ASB_COMMAND_STATE_CANCELLED, 0);
}

static void
test_deadline (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("kill -STOP $$");
  g_autoptr (AsbProcess) process = NULL;

  asb_command_spec_set_timeout_ms (spec, 20);
  process = asb_transport_start_command (fixture->transport, spec, NULL, NULL);
  g_assert_nonnull (process);
  check_exit (process, ASB_COMMAND_STATE_TIMEOUT, 0);
}

/* What nobody reads does not hold back a command that nobody holds. */
static void
test_dropped (Fixture *fixture, gconstpointer data)
{
  g_autofree char *fifo = g_build_filename (fixture->folder, "fifo", NULL);
  g_autofree char *writer = g_strdup_printf ("head -c 10000000 /dev/zero; echo done > '%s'", fifo);
  g_autofree char *reader = g_strdup_printf ("cat '%s'", fifo);
  g_autoptr (AsbProcess) process = NULL;

  g_assert_no_errno (mkfifo (fifo, 0600));
  g_object_unref (start (fixture, writer, 0));
  process = start (fixture, reader, 0);
  check_output (asb_process_get_stdout (process), "done\n", 5);
}

/* Many commands at once, some of which nobody reads for now. */
static void
test_many (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GPtrArray) processes = g_ptr_array_new_with_free_func (g_object_unref);

  for (int i = 0; i < 20; i++)
    g_ptr_array_add (processes, start (fixture, "head -c 400000 /dev/zero", 0));
  for (guint i = 0; i < processes->len; i++)
    {
      AsbProcess *process = g_ptr_array_index (processes, i);
      g_autoptr (GBytes) bytes = read_all (asb_process_get_stdout (process));

      g_assert_cmpuint (g_bytes_get_size (bytes), ==, 400000);
      check_exit (process, ASB_COMMAND_STATE_SUCCEEDED, 0);
    }
}

static void
test_guest_killed (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbProcess) process = start (fixture, "cat", ASB_COMMAND_FLAGS_STDIN_PIPE);
  g_autoptr (GError) error = NULL;

  g_subprocess_force_exit (fixture->guest);
  g_assert_null (asb_process_wait (process, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_clear_error (&error);
  g_assert_null (asb_transport_call (fixture->transport, "history.status", NULL, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CLOSED);
}

static AsbFileRequest *
request_new (Fixture *fixture, const char *name)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

  return asb_file_request_new_for_path (path);
}

static void
write_file (Fixture *fixture, const char *name, const char *contents, gsize size)
{
  g_autoptr (AsbFileRequest) request = request_new (fixture, name);
  g_autoptr (GBytes) bytes = g_bytes_new (contents, size);
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_file_request_set_contents (request, bytes);
  info = asb_transport_write_file (fixture->transport, request, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_file_info_get_size (info), ==, size);
}

static void
test_files (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbFileRequest) folder = request_new (fixture, "d");
  g_autoptr (AsbFileRequest) file = request_new (fixture, "d/\xff\x01");
  g_autoptr (AsbFileRequest) moved = request_new (fixture, "d/b");
  g_autoptr (GListModel) list = NULL;
  g_autoptr (AsbFileInfo) entry = NULL;
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_transport_make_directory (fixture->transport, folder, NULL, &error));
  g_assert_false (asb_transport_make_directory (fixture->transport, folder, NULL, &error));
  g_assert_no_error (error);
  write_file (fixture, "d/\xff\x01", "x\0y", 3);
  list = asb_transport_list_files (fixture->transport, folder, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 1);
  entry = g_list_model_get_item (list, 0);
  /* What was listed can be opened. */
  g_assert_cmpstr (asb_file_info_get_path (entry), ==, asb_file_request_get_path (file));
  bytes = asb_transport_read_file (fixture->transport, file, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "x\0y", 3);
  asb_file_request_set_new_path (file, asb_file_request_get_path (moved));
  g_assert_true (asb_transport_move_file (fixture->transport, file, NULL, &error));
  info = asb_transport_query_file (fixture->transport, moved, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_file_info_get_size (info), ==, 3);
  g_assert_false (asb_transport_delete_file (fixture->transport, folder, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_DIRECTORY_NOT_EMPTY);
  g_clear_error (&error);
  asb_file_request_set_flags (folder, ASB_FILE_FLAGS_RECURSIVE);
  g_assert_true (asb_transport_delete_file (fixture->transport, folder, NULL, &error));
  g_assert_null (asb_transport_read_file (fixture->transport, moved, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_FILE_NOT_FOUND);
}

static void
test_expected_hash (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbFileRequest) request = request_new (fixture, "f");
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  write_file (fixture, "f", "old", 3);
  asb_file_request_set_expected_hash (request, PEER_HASH);
  g_assert_null (asb_transport_write_file (fixture->transport, request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CONCURRENT_MODIFICATION);
  g_clear_error (&error);
  asb_file_request_set_expected_hash (
      request, "cba06b5736faf67e54b07b561eae94395e774c517a7d910a54369e1263ccfbd4");
  info = asb_transport_write_file (fixture->transport, request, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_file_info_get_size (info), ==, 0);
  g_assert_nonnull (asb_file_info_get_previous_hash (info));
}

/* By stream, and not at all when the stream is let go. */
static void
test_file_streams (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbFileRequest) request = request_new (fixture, "big");
  g_autofree char *bytes = g_strnfill (3000000, 'z');
  g_autoptr (GInputStream) input = NULL;
  g_autoptr (GOutputStream) output = NULL;
  g_autoptr (GBytes) contents = NULL;
  g_autoptr (GError) error = NULL;

  output = asb_transport_open_write (fixture->transport, request, NULL, &error);
  g_assert_true (g_output_stream_write_all (output, bytes, 3000000, NULL, NULL, &error));
  g_clear_object (&output);
  g_assert_null (asb_transport_open_read (fixture->transport, request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_FILE_NOT_FOUND);
  g_clear_error (&error);

  output = asb_transport_open_write (fixture->transport, request, NULL, &error);
  g_assert_true (g_output_stream_write_all (output, bytes, 3000000, NULL, NULL, &error));
  g_assert_true (g_output_stream_close (output, NULL, &error));
  g_assert_nonnull (g_object_get_data (G_OBJECT (output), "asb-file-info"));
  input = asb_transport_open_read (fixture->transport, request, NULL, &error);
  g_assert_no_error (error);
  contents = read_all (input);
  g_assert_cmpmem (g_bytes_get_data (contents, NULL), g_bytes_get_size (contents), bytes, 3000000);
}

static void
test_unknown_call (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_transport_call (fixture->transport, "tea.make", NULL, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
}

/* The store of the record in the sandbox, as the module has it. */
static AsbHistoryStore *
open_store (Fixture *fixture, const char *sandbox_id, GError **error)
{
  g_autoptr (AsbHistoryStore) store
      = asb_registry_create_history_store (asb_registry_get_default (), "sandbox", NULL, error);
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (AsbSandboxRef) ref = NULL;

  g_assert_nonnull (store);
  g_hash_table_insert (metadata, (char *)"agent_sandbox.name", (char *)"Anna");
  ref = g_object_new (ASB_TYPE_SANDBOX_REF, "provider-name", "test", "provider-key", "k",
                      "sandbox-id", sandbox_id, "sandbox-instance-id", "i", "metadata", metadata,
                      NULL);
  asb_history_config_set_ttl_days (config, 0);
  if (!asb_history_store_open (store, fixture->transport, ref, config, NULL, error))
    return NULL;
  return g_steal_pointer (&store);
}

static void
run_recorded (Fixture *fixture, const char *event_id)
{
  g_autoptr (GVariant) request = g_variant_ref_sink (g_variant_new_parsed ("{'command': <'x'>}"));
  g_autoptr (GVariant) command
      = g_variant_ref_sink (g_variant_new_parsed ("{'command': <'x'>, 'cwd': <'/'>}"));
  g_autoptr (AsbOperation) operation
      = g_object_new (ASB_TYPE_OPERATION, "event-id", event_id, "operation-type", "command.execute",
                      "required", TRUE, "actor-type", "agent", "correlation-id", "c", "request",
                      request, "command", command, NULL);
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("printf 'r\\377'");
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  asb_command_spec_set_operation (spec, operation);
  process = asb_transport_start_command (fixture->transport, spec, NULL, &error);
  g_assert_no_error (error);
  check_output (asb_process_get_stdout (process), "r\377", 2);
  result = asb_process_wait (process, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (asb_command_result_get_record_error (result));
}

static void
test_history (Fixture *fixture, gconstpointer data)
{
  static const char *const ids[] = { "e1", "unknown", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbHistoryStore) store = open_store (fixture, "s", &error);
  g_autoptr (AsbHistoryPage) page = NULL;
  g_autoptr (GListModel) operations = NULL;
  g_autoptr (AsbHistoryOperation) operation = NULL;
  g_autoptr (AsbHistoryStatus) status = NULL;
  g_autoptr (GInputStream) output = NULL;

  g_assert_no_error (error);
  g_assert_true (asb_history_store_get_records_in_place (store));
  run_recorded (fixture, "e1");

  page = asb_history_store_query (store, 0, 100, 1 << 20, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (asb_history_page_get_changes (page)), >=, 2);
  g_assert_cmpint (asb_history_page_get_next_seq (page), ==, asb_history_page_get_max_seq (page));
  g_assert_false (asb_history_page_get_reset_required (page));

  operations = asb_history_store_get_operations (store, ids, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (operations), ==, 1);
  operation = g_list_model_get_item (operations, 0);
  g_assert_cmpstr (asb_history_operation_get_event_id (operation), ==, "e1");
  g_assert_cmpint (asb_history_operation_get_status (operation), ==,
                   ASB_OPERATION_STATUS_SUCCEEDED);
  g_assert_cmpstr (asb_history_operation_get_actor_type (operation), ==, "agent");

  output = asb_history_store_get_output (store, "e1", ASB_OUTPUT_STREAM_STDOUT, NULL, &error);
  g_assert_no_error (error);
  check_output (output, "r\377", 2);

  g_assert_true (asb_history_store_acknowledge (store, "reader", 1, NULL, &error));
  g_assert_no_error (error);
  status = asb_history_store_get_status (store, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (asb_history_status_get_state (status), ==, "open");
  g_assert_cmpuint (asb_history_status_get_operations (status), ==, 1);

  g_assert_true (asb_history_store_cleanup (store, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (asb_history_store_close (store, NULL, &error));
  g_assert_null (asb_history_store_query (store, 0, 100, 1 << 20, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CLOSED);
}

static void
test_history_batch (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbHistoryStore) store = open_store (fixture, "s", &error);
  g_autoptr (GVariant) batch = g_variant_ref_sink (g_variant_new_parsed (
      "{'batch_id': <'e2:started'>, 'schema_version': <int64 1>, 'records': <[{"
      "'type': <'operation_started'>, 'change_id': <'e2:created'>, 'event': <{"
      "'event_id': <'e2'>, 'operation_type': <'sandbox.get'>,"
      " 'occurred_at': <'2026-01-01T00:00:00Z'>, 'actor': <{'actor_type': <'system'>}>}>}]>}"));
  g_autoptr (GVariant) wrong
      = g_variant_ref_sink (g_variant_new_parsed ("{'batch_id': <'x'>, 'records': <[1]>}"));
  g_autoptr (AsbHistoryStatus) status = NULL;

  g_assert_no_error (error);
  /* The same again changes nothing. */
  for (int i = 0; i < 2; i++)
    {
      g_assert_true (asb_history_store_record (store, batch, NULL, &error));
      g_assert_no_error (error);
    }
  status = asb_history_store_get_status (store, NULL, &error);
  g_assert_cmpuint (asb_history_status_get_operations (status), ==, 1);
  g_assert_false (asb_history_store_record (store, wrong, NULL, &error));
  g_assert_nonnull (error);
}

static void
test_history_identity (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbHistoryStore) store = open_store (fixture, "s", &error);

  g_assert_no_error (error);
  g_assert_null (open_store (fixture, "another", &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_HISTORY_IDENTITY);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, function)                                                                        \
  g_test_add ("/guest-live/" path, Fixture, NULL, set_up, function, tear_down)
  ADD ("command/bytes", test_command);
  ADD ("command/both-ways", test_both_ways);
  ADD ("command/not-started", test_not_started);
  ADD ("command/signal", test_signal);
  ADD ("command/force-exit", test_force_exit);
  ADD ("command/deadline", test_deadline);
  ADD ("command/dropped", test_dropped);
  ADD ("command/many", test_many);
  ADD ("guest-killed", test_guest_killed);
  ADD ("files/all", test_files);
  ADD ("files/expected-hash", test_expected_hash);
  ADD ("files/streams", test_file_streams);
  ADD ("unknown-call", test_unknown_call);
  ADD ("history/in-place", test_history);
  ADD ("history/batch", test_history_batch);
  ADD ("history/identity", test_history_identity);
#undef ADD

  return g_test_run ();
}
