/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-native.h"

#include <signal.h>
#include <string.h>

/* Work through execd's own API, beyond what every transport is held to. */

/* An execd that tells the end of a shell before its last words. */
#define EARLY_EXIT "--early-exit"

typedef AsbTestNative World;

static void
assert_bytes (GBytes *bytes, const char *expected, gsize size)
{
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), expected, size);
}

/* Takes @spec. */
static AsbCommandResult *
run (World *world, AsbCommandSpec *spec, GBytes **output, GBytes **errors)
{
  g_autoptr (AsbCommandSpec) held = spec;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbProcess) process
      = asb_transport_start_command (world->transport, spec, NULL, &error);
  AsbCommandResult *result;

  g_assert_no_error (error);
  if (output)
    *output = asb_test_native_read_all (asb_process_get_stdout (process), &error);
  g_assert_no_error (error);
  if (errors)
    *errors = asb_test_native_read_all (asb_process_get_stderr (process), &error);
  g_assert_no_error (error);
  result = asb_process_wait (process, NULL, &error);
  g_assert_no_error (error);
  return result;
}

static AsbCommandSpec *
new_exact (const char *text)
{
  AsbCommandSpec *spec = asb_command_spec_new_shell (text);

  asb_command_spec_set_exact_output (spec, TRUE);
  return spec;
}

static void
test_lines (gconstpointer image)
{
  World world;
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GBytes) errors = NULL;
  g_autoptr (AsbCommandResult) result = NULL;

  g_test_summary ("Not asked to be exact, output comes in lines and says that it is not");

  asb_test_native_open (&world, NULL, image);
  result = run (&world, asb_command_spec_new_shell ("printf 'a\\n\\n\\nb'; echo c >&2; exit 7"),
                &output, &errors);
  assert_bytes (output, "a\n\n\nb\n", 6);
  assert_bytes (errors, "c\n", 2);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 7);
  g_assert_false (asb_command_result_get_exact (result));
  g_assert_cmpuint (asb_command_result_get_stdout_total (result), ==, 6);
  asb_test_native_close (&world);
}

static void
test_exact (gconstpointer image)
{
  World world;
  static const char *const words[] = { "printf", "%s", "\377 'a'\n\n$x", NULL };
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GBytes) errors = NULL;
  g_autoptr (GBytes) large = NULL;
  g_autoptr (GBytes) argument = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (AsbCommandResult) second = NULL;
  g_autoptr (AsbCommandResult) third = NULL;
  g_autoptr (AsbCommandResult) none = NULL;
  g_autoptr (GBytes) left = NULL;
  AsbCommandSpec *spec;

  g_test_summary ("Asked to be exact, it is, little or much, and leaves nothing behind");

  asb_test_native_open (&world, NULL, image);
  result = run (&world, new_exact ("printf 'a\\r\\377\\0\\n\\nb'; printf x >&2; exit 9"), &output,
                &errors);
  assert_bytes (output, "a\r\377\0\n\nb", 7);
  assert_bytes (errors, "x", 1);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 9);
  g_assert_true (asb_command_result_get_exact (result));

  second = run (&world, new_exact ("head -c 1000000 /dev/zero"), &large, NULL);
  g_assert_cmpuint (g_bytes_get_size (large), ==, 1000000);
  g_assert_cmpuint (asb_command_result_get_stdout_total (second), ==, 1000000);

  spec = asb_command_spec_new_argv (words);
  asb_command_spec_set_exact_output (spec, TRUE);
  third = run (&world, spec, &argument, NULL);
  assert_bytes (argument, words[2], strlen (words[2]));

  none = run (&world,
              new_exact ("until [ $(ls -A /tmp | grep -c asb-) = 1 ]; do sleep 0.02; done; echo 1"),
              &left, NULL);
  assert_bytes (left, "1\n", 2);
  asb_test_native_close (&world);
}

static void
test_refused (gconstpointer image)
{
  static const struct
  {
    const char *program;
    const char *cwd;
    AsbError code;
  } cases[] = {
    { "no-such-program", NULL, ASB_ERROR_COMMAND_NOT_FOUND },
    { "/no/such/program", NULL, ASB_ERROR_COMMAND_NOT_FOUND },
    { "/tmp", NULL, ASB_ERROR_COMMAND_NOT_EXECUTABLE },
    { "/etc/passwd", NULL, ASB_ERROR_COMMAND_NOT_EXECUTABLE },
    { "true", "/no/such/$HOME", ASB_ERROR_WORKING_DIRECTORY },
    { "true", "/etc/passwd", ASB_ERROR_WORKING_DIRECTORY },
  };
  World world;

  asb_test_native_open (&world, NULL, image);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *const argv[] = { cases[i].program, NULL };
      g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_argv (argv);
      g_autoptr (AsbProcess) process = NULL;
      g_autoptr (GError) error = NULL;

      asb_command_spec_set_cwd (spec, cases[i].cwd);
      process = asb_transport_start_command (world.transport, spec, NULL, &error);
      g_assert_error (error, ASB_ERROR, (int)cases[i].code);
      g_assert_null (process);
    }
  asb_test_native_close (&world);
}

/* Takes @spec. */
static AsbProcess *
start (World *world, AsbCommandSpec *spec)
{
  g_autoptr (AsbCommandSpec) held = spec;
  g_autoptr (GError) error = NULL;
  AsbProcess *process = asb_transport_start_command (world->transport, spec, NULL, &error);

  g_assert_no_error (error);
  return process;
}

static void
assert_ends (AsbProcess *process, AsbCommandState state, int term_signal)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandResult) result = asb_process_wait (process, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_state (result), ==, state);
  g_assert_cmpint (asb_command_result_get_term_signal (result), ==, term_signal);
  g_assert_false (asb_command_result_get_has_exit_status (result));
}

static void
test_signals (gconstpointer image)
{
  World world;
  g_autoptr (AsbProcess) signalled = NULL;
  g_autoptr (AsbProcess) stopped = NULL;
  g_autoptr (AsbProcess) stubborn = NULL;
  g_autoptr (AsbProcess) late = NULL;
  g_autoptr (GError) error = NULL;
  AsbCommandSpec *spec;

  asb_test_native_open (&world, NULL, image);
  signalled = start (&world, asb_command_spec_new_shell ("exec sleep 1000"));
  g_assert_true (asb_process_send_signal (signalled, SIGUSR1, NULL, &error));
  g_assert_no_error (error);
  assert_ends (signalled, ASB_COMMAND_STATE_FAILED, SIGUSR1);
  g_assert_false (asb_process_send_signal (signalled, SIGUSR1, NULL, &error));
  g_assert_no_error (error);

  stopped = start (&world, asb_command_spec_new_shell ("exec sleep 1000"));
  asb_process_force_exit (stopped);
  assert_ends (stopped, ASB_COMMAND_STATE_CANCELLED, SIGTERM);

  stubborn = start (&world, asb_command_spec_new_shell ("trap '' TERM; while :; do sleep 1; done"));
  asb_process_force_exit (stubborn);
  assert_ends (stubborn, ASB_COMMAND_STATE_CANCELLED, SIGKILL);

  spec = asb_command_spec_new_shell ("exec sleep 1000");
  asb_command_spec_set_timeout_ms (spec, 100);
  asb_command_spec_set_exact_output (spec, TRUE);
  late = start (&world, spec);
  assert_ends (late, ASB_COMMAND_STATE_TIMEOUT, SIGTERM);
  asb_test_native_close (&world);
}

static void
test_environment (gconstpointer image)
{
  static const char *const given[] = { "A=b'\"$c", "PATH=/nowhere", "B=\377x", NULL };
  static const char *const unset[] = { "HOSTNAME", NULL };
  World world;
  AsbCommandSpec *spec = new_exact ("printf '%s|%s|%s|%s' \"$A\" \"$PATH\" \"$B\" "
                                    "\"${HOSTNAME-unset}\"");
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GBytes) output = NULL;
  static const char expected[] = "b'\"$c|/nowhere|\377x|unset";

  asb_test_native_open (&world, NULL, image);
  asb_command_spec_set_environment (spec, given);
  asb_command_spec_set_unset_environment (spec, unset);
  result = run (&world, spec, &output, NULL);
  assert_bytes (output, expected, sizeof expected - 1);
  asb_test_native_close (&world);
}

static void
test_limits (gconstpointer image)
{
  World world;
  AsbCommandSpec *spec = new_exact ("ulimit -n; ulimit -t");
  g_autoptr (AsbResourceLimits) limits
      = g_object_new (ASB_TYPE_RESOURCE_LIMITS, "open-files", (guint64)64, "cpu-seconds",
                      (guint64)100, "file-size-bytes", (guint64)4096, NULL);
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GBytes) output = NULL;

  asb_test_native_open (&world, NULL, image);
  asb_command_spec_set_limits (spec, limits);
  result = run (&world, spec, &output, NULL);
  assert_bytes (output, "64\n100\n", 7);
  asb_test_native_close (&world);
}

/* Terminals and standard input. */

static AsbCommandSpec *
new_with_input (const char *text)
{
  AsbCommandSpec *spec = asb_command_spec_new_shell (text);

  asb_command_spec_set_flags (spec, ASB_COMMAND_FLAGS_STDIN_PIPE);
  return spec;
}

static void
test_input (gconstpointer server)
{
  World world;
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbProcess) closed = NULL;
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GBytes) errors = NULL;
  g_autoptr (GError) error = NULL;
  GOutputStream *input;
  char answer[4];
  gsize size;
  AsbCommandResult *result;

  g_test_summary ("What is written arrives at once, and its end too; signals are not for what "
                  "brings it");

  asb_test_native_open (&world, server, NULL);
  process = start (&world, new_with_input ("trap 'echo INT >&2' INT; read a; echo \"<$a>\"; cat; "
                                           "printf 'x\\377'; exit 5"));
  input = asb_process_get_stdin (process);
  g_assert_true (g_output_stream_write_all (input, "ab\n", 3, NULL, NULL, &error));
  g_assert_true (
      g_input_stream_read_all (asb_process_get_stdout (process), answer, 4, &size, NULL, &error));
  g_assert_cmpmem (answer, size, "<ab>", 4);
  g_assert_true (g_output_stream_write_all (input, "c\0\377\n", 4, NULL, NULL, &error));
  g_assert_true (g_output_stream_close (input, NULL, &error));
  output = asb_test_native_read_all (asb_process_get_stdout (process), &error);
  g_assert_no_error (error);
  assert_bytes (output, "\nc\0\377\nx\377", 7);
  result = asb_process_wait (process, NULL, &error);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 5);
  g_assert_true (asb_command_result_get_exact (result));
  g_object_unref (result);

  closed = start (&world, new_with_input ("exec 0<&-; echo done"));
  errors = asb_test_native_read_all (asb_process_get_stdout (closed), &error);
  assert_bytes (errors, "done\n", 5);
  g_assert_cmpuint (asb_test_server_count (world.server, "DELETE", "/pty/*"), >=, 1);
  asb_test_native_close (&world);
}

static void
test_let_go (gconstpointer server)
{
  World world;

  g_test_summary ("A command may be let go of in one thread while another one hears of its end");

  asb_test_native_open (&world, server, NULL);
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (AsbProcess) process = start (&world, new_with_input ("echo x; exit 3"));
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) output
          = asb_test_native_read_all (asb_process_get_stdout (process), &error);
      g_autoptr (AsbCommandResult) result = asb_process_wait (process, NULL, &error);

      g_assert_no_error (error);
      assert_bytes (output, "x\n", 2);
      g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 3);
    }
  asb_test_native_close (&world);
}

static void
test_terminal (gconstpointer server)
{
  static const char *const environment[] = { "TERM=dumb", "SECRET=s3cr3t", NULL };
  World world;
  g_autoptr (AsbCommandSpec) spec
      = new_with_input ("stty size; read a; stty size; echo $SECRET; cat");
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbProcess) interrupted = NULL;
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (AsbCommandResult) end = NULL;
  AsbCommandSpec *sleeping;
  char first[8];
  gsize size;

  asb_test_native_open (&world, server, NULL);
  asb_command_spec_set_tty (spec, TRUE);
  asb_command_spec_set_columns (spec, 91);
  asb_command_spec_set_rows (spec, 17);
  asb_command_spec_set_environment (spec, environment);
  process = start (&world, g_object_ref (spec));
  g_assert_null (asb_process_get_stderr (process));
  g_assert_true (
      g_input_stream_read_all (asb_process_get_stdout (process), first, 7, &size, NULL, &error));
  g_assert_cmpmem (first, size, "17 91\r\n", 7);
  g_assert_true (asb_process_resize (process, 50, 20, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (
      g_output_stream_write_all (asb_process_get_stdin (process), "go\n", 3, NULL, NULL, &error));
  g_assert_true (g_output_stream_close (asb_process_get_stdin (process), NULL, &error));
  output = asb_test_native_read_all (asb_process_get_stdout (process), &error);
  g_assert_no_error (error);
  assert_bytes (output, "go\r\n20 50\r\ns3cr3t\r\n", 19);
  result = asb_process_wait (process, NULL, &error);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 0);

  sleeping = asb_command_spec_new_shell ("trap 'exit 3' INT; echo; sleep 1000 & wait");
  asb_command_spec_set_tty (sleeping, TRUE);
  interrupted = start (&world, sleeping);
  g_assert_true (g_input_stream_read_all (asb_process_get_stdout (interrupted), first, 2, &size,
                                          NULL, &error));
  g_assert_true (asb_process_send_signal (interrupted, SIGINT, NULL, &error));
  end = asb_process_wait (interrupted, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_exit_status (end), ==, 3);
  asb_test_native_close (&world);
}

static void
test_no_terminal (void)
{
  World world;
  g_autoptr (AsbCommandSpec) spec = new_with_input ("cat");
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Without bash there is none, and it is said");

  asb_test_native_open (&world, NULL, "busybox");
  process = asb_transport_start_command (world.transport, spec, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  asb_test_native_close (&world);
}

/* What a command was to be started with may be secret. */
static void
assert_nothing_left (World *world)
{
  g_autoptr (GBytes) output = NULL;
  g_autoptr (AsbCommandResult) result
      = run (world,
             asb_command_spec_new_shell (
                 "until [ \"$(echo /tmp/.asb-*)\" = '/tmp/.asb-*' ]; do sleep 0.02; done; "
                 "echo empty"),
             &output, NULL);

  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 0);
  assert_bytes (output, "empty\n", 6);
}

static void
test_terminal_refused (void)
{
  World world;
  g_autoptr (AsbCommandSpec) spec = new_with_input ("cat");
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Of one that could not be made nothing is left in the sandbox");

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_fault (world.server, "{'method':'POST','path':'*/pty','action':'reply',"
                                       "'status':500,'json':{'code':'RUNTIME_ERROR',"
                                       "'message':'no more terminals'}}");
  process = asb_transport_start_command (world.transport, spec, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  assert_nothing_left (&world);
  asb_test_native_close (&world);
}

/* Files. */

static AsbFileInfo *
write_file (World *world, AsbFileRequest *request, const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  asb_file_request_set_contents (request, bytes);
  return asb_transport_write_file (world->transport, request, NULL, error);
}

static void
test_odd_names (gconstpointer image)
{
  static const char *const paths[] = { "/work/$HOME/${X}/~/f", "/work/a\nb/c\n",
                                       "/work/\377\376/\303\274", "/work/'\"\\", NULL };
  World world;

  g_test_summary ("Names that execd would read another way, or not at all");

  asb_test_native_open (&world, NULL, image);
  for (gsize i = 0; paths[i]; i++)
    {
      g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path (paths[i]);
      g_autoptr (AsbFileInfo) info = NULL;
      g_autoptr (AsbFileInfo) again = NULL;
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (GError) error = NULL;

      asb_file_request_set_mode (request, 0640);
      info = write_file (&world, request, paths[i], &error);
      g_assert_no_error (error);
      g_assert_cmpuint (asb_file_info_get_mode (info), ==, 0640);
      bytes = asb_transport_read_file (world.transport, request, NULL, &error);
      g_assert_no_error (error);
      assert_bytes (bytes, paths[i], strlen (paths[i]));
      again = asb_transport_query_file (world.transport, request, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (asb_file_info_get_size (again), ==, strlen (paths[i]));
      g_assert_true (asb_transport_delete_file (world.transport, request, NULL, &error));
      g_assert_no_error (error);
    }
  asb_test_native_close (&world);
}

static void
test_ranges (gconstpointer image)
{
  static const struct
  {
    guint64 offset;
    gint64 length;
    const char *expected;
  } cases[] = { { 0, -1, "0123456789" }, { 3, -1, "3456789" }, { 3, 4, "3456" }, { 9, 100, "9" },
                { 10, -1, "" },          { 100, 5, "" },       { 0, 0, "" } };
  World world;
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/work/f");
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_native_open (&world, NULL, image);
  info = write_file (&world, request, "0123456789", &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) bytes = NULL;

      asb_file_request_set_offset (request, cases[i].offset);
      asb_file_request_set_length (request, cases[i].length);
      bytes = asb_transport_read_file (world.transport, request, NULL, &error);
      g_assert_no_error (error);
      assert_bytes (bytes, cases[i].expected, strlen (cases[i].expected));
    }
  asb_test_native_close (&world);
}

static void
assert_refused (World *world, const char *path, AsbError code)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path (path);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  bytes = asb_transport_read_file (world->transport, request, NULL, &error);
  g_assert_error (error, ASB_ERROR, (int)code);
}

static void
test_no_files (gconstpointer image)
{
  World world;
  g_autoptr (AsbCommandResult) made = NULL;
  g_autoptr (GString) far = g_string_new ("/work");

  asb_test_native_open (&world, NULL, image);
  made = run (&world, new_exact ("mkdir -p /work/d; mkfifo /work/p; ln -s nowhere /work/l"), NULL,
              NULL);
  assert_refused (&world, "/work/d", ASB_ERROR_IS_DIRECTORY);
  assert_refused (&world, "/work/p", ASB_ERROR_NOT_REGULAR_FILE);
  assert_refused (&world, "/work/l", ASB_ERROR_FILE_NOT_FOUND);
  assert_refused (&world, "/work/none", ASB_ERROR_FILE_NOT_FOUND);
  assert_refused (&world, "/work/../etc/passwd", ASB_ERROR_INVALID_ARGUMENT);
  assert_refused (&world, "work/f", ASB_ERROR_INVALID_ARGUMENT);
  assert_refused (&world, "/work/No such file or directory/../f", ASB_ERROR_INVALID_ARGUMENT);
  assert_refused (&world, "/work/d/Permission denied", ASB_ERROR_FILE_NOT_FOUND);
  for (gsize i = 0; i < 4096; i++)
    g_string_append (far, "/d");
  assert_refused (&world, far->str, ASB_ERROR_INVALID_ARGUMENT);
  asb_test_native_close (&world);
}

static void
test_write_rules (gconstpointer image)
{
  World world;
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/work/f");
  g_autoptr (AsbFileInfo) first = NULL;
  g_autoptr (AsbFileInfo) second = NULL;
  g_autoptr (AsbFileInfo) third = NULL;
  g_autoptr (AsbFileRequest) deep = asb_file_request_new_for_path ("/work/no/where/f");
  g_autoptr (GError) error = NULL;

  asb_test_native_open (&world, NULL, image);
  asb_file_request_set_mode (request, 0751);
  first = write_file (&world, request, "one", &error);
  g_assert_no_error (error);
  g_assert_null (asb_file_info_get_previous_hash (first));

  asb_file_request_set_mode (request, -1);
  asb_file_request_set_flags (request, ASB_FILE_FLAGS_CREATE_ONLY);
  second = write_file (&world, request, "two", &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_ALREADY_EXISTS);
  g_clear_error (&error);

  asb_file_request_set_flags (request, ASB_FILE_FLAGS_NONE);
  third = write_file (&world, request, "three", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_file_info_get_mode (third), ==, 0751);
  g_assert_cmpstr (asb_file_info_get_previous_hash (third), ==, asb_file_info_get_hash (first));

  asb_file_request_set_flags (deep, ASB_FILE_FLAGS_NO_PARENTS);
  second = write_file (&world, deep, "x", &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_FILE_NOT_FOUND);
  asb_test_native_close (&world);
}

static void
test_dropped_stream (gconstpointer image)
{
  World world;
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/work/f");
  GOutputStream *stream;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GBytes) left = NULL;
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A stream that is dropped instead of closed has written nothing");

  asb_test_native_open (&world, NULL, image);
  info = write_file (&world, request, "before", &error);
  g_assert_no_error (error);
  stream = asb_transport_open_write (world.transport, request, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_output_stream_write_all (stream, "after", 5, NULL, NULL, &error));
  g_object_unref (stream);
  result = run (&world, new_exact ("cat /work/f"), &left, NULL);
  assert_bytes (left, "before", 6);
  asb_test_native_close (&world);
}

static void
test_edit (gconstpointer image)
{
  World world;
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/work/f");
  g_autoptr (AsbFileEdit) edit = asb_file_edit_new ();
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (AsbFileInfo) edited = NULL;
  g_autoptr (AsbFileInfo) refused = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_native_open (&world, NULL, image);
  info = write_file (&world, request, "one two two\r\n", &error);
  g_assert_no_error (error);
  asb_file_edit_set_path (edit, "/work/f");
  asb_file_edit_set_old_text (edit, "two");
  asb_file_edit_set_new_text (edit, "2");
  refused = asb_transport_edit_file (world.transport, edit, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TEXT_AMBIGUOUS);
  g_clear_error (&error);
  asb_file_edit_set_expected_count (edit, 2);
  edited = asb_transport_edit_file (world.transport, edit, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_file_info_get_n_replaced (edited), ==, 2);
  g_assert_cmpstr (asb_file_info_get_previous_hash (edited), ==, asb_file_info_get_hash (info));
  bytes = asb_transport_read_file (world.transport, request, NULL, &error);
  assert_bytes (bytes, "one 2 2\r\n", 9);
  refused = asb_transport_edit_file (world.transport, edit, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TEXT_NOT_FOUND);
  asb_test_native_close (&world);
}

static void
test_line_windows (gconstpointer image)
{
  World world;
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/work/f");
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (AsbLineWindow) window = NULL;
  g_autoptr (AsbLineWindow) past = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_native_open (&world, NULL, image);
  info = write_file (&world, request, "1\n2\n3\n4", &error);
  g_assert_no_error (error);
  asb_file_request_set_offset (request, 1);
  asb_file_request_set_length (request, 2);
  window = asb_transport_read_lines (world.transport, request, NULL, &error);
  g_assert_no_error (error);
  assert_bytes (asb_line_window_get_bytes (window), "2\n3\n", 4);
  g_assert_true (asb_line_window_get_more (window));
  asb_file_request_set_offset (request, 9);
  past = asb_transport_read_lines (world.transport, request, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_line_window_get_state (past), ==, ASB_LINE_STATE_PAST_END);
  g_assert_cmpint (asb_line_window_get_total_lines (past), ==, 4);
  asb_test_native_close (&world);
}

static void
test_code (void)
{
  World world;
  GVariantDict arguments;
  g_autoptr (GVariant) result = NULL;
  g_autoptr (GVariant) contexts = NULL;
  g_autoptr (GVariant) none = NULL;
  const char *output = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Code of no language is a command's; a language needs a server of its own, and "
                  "that is said");

  asb_test_native_open (&world, NULL, NULL);
  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert (&arguments, "code", "s", "echo hi; echo no >&2");
  result = asb_transport_call (world.transport, "code.run", g_variant_dict_end (&arguments), NULL,
                               &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (result, "stdout", "&s", &output));
  g_assert_cmpstr (output, ==, "hi");
  contexts = asb_transport_call (world.transport, "code.list_contexts", NULL, NULL, &error);
  g_assert_no_error (error);

  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert (&arguments, "code", "s", "1+1");
  g_variant_dict_insert (&arguments, "language", "s", "python");
  none = asb_transport_call (world.transport, "code.run", g_variant_dict_end (&arguments), NULL,
                             &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  g_clear_error (&error);
  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert (&arguments, "context_id", "s", "nothing");
  none = asb_transport_call (world.transport, "code.delete_context",
                             g_variant_dict_end (&arguments), NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  none = asb_transport_call (world.transport, "history.status", NULL, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  asb_test_native_close (&world);
}

static void
code_ran_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError **error = user_data;
  g_autoptr (GVariant) none = asb_transport_call_finish (ASB_TRANSPORT (source), result, error);

  g_assert_null (none);
}

static void
test_code_cancelled (void)
{
  World world;
  GVariantDict arguments;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (AsbCommandResult) begun = NULL;
  g_autoptr (AsbCommandResult) gone = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Code whose caller does not want it any more is interrupted");

  asb_test_native_open (&world, NULL, NULL);
  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert (&arguments, "code", "s", "touch /tmp/begun; sleep 4712; :");
  asb_transport_call_async (world.transport, "code.run", g_variant_dict_end (&arguments),
                            cancellable, code_ran_cb, &error);
  begun = run (&world, asb_command_spec_new_shell ("until [ -e /tmp/begun ]; do :; done"), NULL,
               NULL);
  g_cancellable_cancel (cancellable);
  while (!error)
    g_main_context_iteration (NULL, TRUE);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  gone = run (&world,
              asb_command_spec_new_shell ("while cat /proc/[0-9]*/cmdline 2>/dev/null"
                                          " | tr '\\0' ' ' | grep -q 'sleep 471[2]'; do :; done"),
              NULL, NULL);
  asb_test_native_close (&world);
}

static void
test_code_results (void)
{
  World world;
  g_autoptr (GVariant) result = NULL;
  g_autoptr (GVariant) raised = NULL;
  g_autoptr (GVariant) results = NULL;
  GVariantDict arguments;
  gint64 count = 0;
  const char *name = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_fault (
      world.server, "{'path':'*/code','action':'reply','status':200,'type':'text/event-stream',"
                    "'body':'{\\\"type\\\":\\\"init\\\",\\\"text\\\":\\\"c1\\\"}\\n\\n"
                    "{\\\"type\\\":\\\"execution_count\\\",\\\"execution_count\\\":7}\\n\\n"
                    "{\\\"type\\\":\\\"result\\\",\\\"results\\\":{\\\"text\\\":\\\"4\\\"}}\\n\\n"
                    "{\\\"type\\\":\\\"error\\\",\\\"error\\\":{\\\"ename\\\":\\\"E\\\","
                    "\\\"evalue\\\":\\\"v\\\"}}\\n\\n"
                    "{\\\"type\\\":\\\"execution_complete\\\",\\\"execution_time\\\":3}\\n\\n'}");
  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert (&arguments, "code", "s", "2+2");
  result = asb_transport_call (world.transport, "code.run", g_variant_dict_end (&arguments), NULL,
                               &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (result, "execution_count", "x", &count));
  g_assert_cmpint (count, ==, 7);
  results = g_variant_lookup_value (result, "results", G_VARIANT_TYPE ("aa{sv}"));
  g_assert_cmpuint (g_variant_n_children (results), ==, 1);
  raised = g_variant_lookup_value (result, "error", G_VARIANT_TYPE_VARDICT);
  g_assert_true (g_variant_lookup (raised, "name", "&s", &name));
  g_assert_cmpstr (name, ==, "E");
  asb_test_server_heal (world.server);
  asb_test_native_close (&world);
}

static void
add (const char *name, void (*function) (gconstpointer image))
{
  static const char *const images[] = { "python:3.12", "busybox" };

  for (gsize i = 0; i < G_N_ELEMENTS (images); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/opensandbox/native/%s/%s", name, i == 0 ? "bash" : "busybox");

      g_test_add_data_func (path, images[i], function);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("commands/lines", test_lines);
  add ("commands/exact", test_exact);
  add ("commands/refused", test_refused);
  add ("commands/signals", test_signals);
  add ("commands/environment", test_environment);
  add ("commands/limits", test_limits);
  g_test_add_func ("/opensandbox/native/code", test_code);
  g_test_add_func ("/opensandbox/native/code/cancelled", test_code_cancelled);
  g_test_add_func ("/opensandbox/native/code/results", test_code_results);
  g_test_add_data_func ("/opensandbox/native/input", NULL, test_input);
  g_test_add_data_func ("/opensandbox/native/input/early-exit", EARLY_EXIT, test_input);
  g_test_add_data_func ("/opensandbox/native/input/let-go", NULL, test_let_go);
  g_test_add_data_func ("/opensandbox/native/input/let-go/early-exit", EARLY_EXIT, test_let_go);
  g_test_add_data_func ("/opensandbox/native/terminal", NULL, test_terminal);
  g_test_add_data_func ("/opensandbox/native/terminal/early-exit", EARLY_EXIT, test_terminal);
  g_test_add_func ("/opensandbox/native/terminal/none", test_no_terminal);
  g_test_add_func ("/opensandbox/native/terminal/refused", test_terminal_refused);
  add ("files/odd-names", test_odd_names);
  add ("files/ranges", test_ranges);
  add ("files/no-files", test_no_files);
  add ("files/write-rules", test_write_rules);
  add ("files/dropped-stream", test_dropped_stream);
  add ("files/edit", test_edit);
  add ("files/lines", test_line_windows);
  return g_test_run ();
}
