/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-native.h"

#include <string.h>

/* Work through execd on lines that break and servers that say nonsense: what happened is told, and
 * nothing is made up. */

typedef AsbTestNative World;

static AsbProcess *
start (World *world, const char *text, gboolean exact, GError **error)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (text);

  asb_command_spec_set_exact_output (spec, exact);
  return asb_transport_start_command (world->transport, spec, NULL, error);
}

static void
test_split (void)
{
  World world;
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (GBytes) output = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *expected = NULL;

  g_test_summary ("Events in pieces of a few bytes, and pings behind the end");

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_set (world.server, "{'late_ping':true}");
  asb_test_server_fault (world.server, "{'path':'*/command','action':'split','max':5,'seed':3}");
  process = start (&world, "seq 1 300; exit 4", FALSE, &error);
  g_assert_no_error (error);
  output = asb_test_native_read_all (asb_process_get_stdout (process), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (output), ==, 1092);
  result = asb_process_wait (process, NULL, &error);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 4);
  asb_test_native_close (&world);
}

static void
test_ends_at_event (void)
{
  World world;
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;
  gint64 begun;

  g_test_summary ("A command ends with its last event, not with the stream");

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_set (world.server, "{'grace_ms':240000}");
  begun = g_get_monotonic_time ();
  process = start (&world, "true", FALSE, &error);
  g_assert_no_error (error);
  result = asb_process_wait (process, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_state (result), ==, ASB_COMMAND_STATE_SUCCEEDED);
  g_assert_cmpint (g_get_monotonic_time () - begun, <, 120 * G_TIME_SPAN_SECOND);
  asb_test_native_close (&world);
}

#define SPOKEN                                                                                     \
  "{'method':'POST','path':'*/command','action':'reply','status':200,'type':'text/event-stream',"  \
  "'body':'%s'}"
#define SPOKEN_INIT "{\\\"type\\\":\\\"init\\\",\\\"text\\\":\\\"c1\\\"}\\n\\n"
#define SPOKEN_LINE "{\\\"type\\\":\\\"stdout\\\",\\\"text\\\":\\\"x\\\"}\\n\\n"
#define SPOKEN_END "{\\\"type\\\":\\\"execution_complete\\\"}\\n\\n"
#define SPOKEN_STATUS(code)                                                                        \
  "{\\\"type\\\":\\\"error\\\",\\\"error\\\":{\\\"ename\\\":\\\"E\\\",\\\"evalue\\\":\\\"" code    \
  "\\\"}}\\n\\n"
#define SPOKEN_SIGNAL                                                                              \
  "{\\\"type\\\":\\\"error\\\",\\\"error\\\":{\\\"ename\\\":\\\"E\\\",\\\"evalue\\\":\\\"-1\\\","  \
  "\\\"traceback\\\":[\\\"signal: killed\\\"]}}\\n\\n"

/* Something that is like execd, and runs no shell. */
static void
test_began_without_a_word (void)
{
  World world;
  static const struct
  {
    const char *events;
    int exit_status;
    int term_signal;
  } ends[] = {
    { SPOKEN_INIT SPOKEN_LINE SPOKEN_END, 0, 0 },
    { SPOKEN_INIT SPOKEN_LINE SPOKEN_STATUS ("3"), 3, 0 },
    { SPOKEN_INIT SPOKEN_LINE SPOKEN_STATUS ("255"), 255, 0 },
    { SPOKEN_INIT SPOKEN_LINE SPOKEN_SIGNAL, -1, 9 },
  };
  g_autofree char *failure
      = g_strdup_printf (SPOKEN, SPOKEN_INIT SPOKEN_LINE SPOKEN_STATUS ("127"));
  g_autoptr (GError) error = NULL;

  g_test_summary ("What printed something has run, whether it succeeds or fails, and that is its "
                  "output; what ends as a shell does that finds no program may not have");

  asb_test_native_open (&world, NULL, NULL);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (ends); i++)
    {
      g_autofree char *fault = g_strdup_printf (SPOKEN, ends[i / 2].events);
      g_autoptr (AsbProcess) process = NULL;
      g_autoptr (AsbCommandResult) result = NULL;
      g_autoptr (GBytes) output = NULL;

      asb_test_server_fault (world.server, fault);
      process = start (&world, "echo x", i % 2 == 1, &error);
      asb_test_server_heal (world.server);
      g_assert_no_error (error);
      output = asb_test_native_read_all (asb_process_get_stdout (process), &error);
      g_assert_no_error (error);
      g_assert_cmpmem (g_bytes_get_data (output, NULL), g_bytes_get_size (output), "x\n", 2);
      result = asb_process_wait (process, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (asb_command_result_get_exit_status (result), ==, ends[i / 2].exit_status);
      g_assert_cmpint (asb_command_result_get_term_signal (result), ==, ends[i / 2].term_signal);
      g_assert_false (asb_command_result_get_exact (result));
    }
  asb_test_server_fault (world.server, failure);
  g_assert_null (start (&world, "echo x", FALSE, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_COMMAND_EXECUTION);
  asb_test_native_close (&world);
}

static void
start_and_fail (World *world, const char *events, AsbError code, const char *words)
{
  g_autofree char *fault = g_strdup_printf (SPOKEN, events);
  g_autoptr (GError) error = NULL;

  asb_test_server_fault (world->server, fault);
  g_assert_null (start (world, "echo x", TRUE, &error));
  g_assert_error (error, ASB_ERROR, (int)code);
  g_assert_nonnull (strstr (error->message, words));
  asb_test_server_heal (world->server);
}

/* execd keeps what is printed in /tmp, and tells nobody that there is no room. */
static void
test_nothing_heard (void)
{
  World world;
  g_autofree char *silence = g_strdup_printf (SPOKEN, SPOKEN_INIT SPOKEN_END);
  g_autofree char *unborn
      = g_strdup_printf (SPOKEN, SPOKEN_INIT SPOKEN_STATUS ("fork/exec /bin/sh: no memory"));
  g_autoptr (AsbFileRequest) folder = asb_file_request_new_for_path ("/work");
  g_autoptr (AsbFileRequest) file = asb_file_request_new_for_path ("/work/f");
  g_autoptr (GListModel) list = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary (
      "Nothing is taken for the answer where the answer was lost: no directory is empty "
      "for that, and no command has not begun");

  asb_test_native_open (&world, NULL, NULL);
  start_and_fail (&world, SPOKEN_INIT SPOKEN_STATUS ("125"), ASB_ERROR_NO_SPACE, "was not started");
  start_and_fail (&world, SPOKEN_INIT SPOKEN_STATUS ("1"), ASB_ERROR_INTERRUPTED, "is unknown");
  /* No shell could be started. */
  asb_test_server_fault (world.server, unborn);
  g_assert_null (asb_transport_list_files (world.transport, folder, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_COMMAND_EXECUTION);
  g_clear_error (&error);
  asb_test_server_heal (world.server);
  asb_test_server_fault (world.server, silence);
  list = asb_transport_list_files (world.transport, folder, NULL, &error);
  g_assert_null (list);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_NO_SPACE);
  g_clear_error (&error);
  /* Its end is all that there is to know. */
  g_assert_true (asb_transport_delete_file (world.transport, file, NULL, &error));
  g_assert_no_error (error);
  asb_test_native_close (&world);
}

static void
test_lost_end (void)
{
  World world;
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("When the events end too early execd is asked how the command ended; its output "
                  "is not all there and says so");

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_fault (world.server,
                         "{'method':'POST','path':'*/command','action':'tail','events':4,"
                         "'body':''}");
  process = start (&world, "echo a; echo b; exit 6", FALSE, &error);
  g_assert_no_error (error);
  output = asb_test_native_read_all (asb_process_get_stdout (process), &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_clear_error (&error);
  result = asb_process_wait (process, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 6);
  g_assert_false (asb_command_result_get_exact (result));
  asb_test_native_close (&world);
}

static void
test_lost_exact (void)
{
  World world;
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Exact output does not depend on the events");

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_fault (world.server,
                         "{'method':'POST','path':'*/command','nth':1,'times':1,'action':'tail',"
                         "'events':3,'body':''}");
  process = start (&world, "printf 'a\\377'; exit 6", TRUE, &error);
  g_assert_no_error (error);
  output = asb_test_native_read_all (asb_process_get_stdout (process), &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (output, NULL), g_bytes_get_size (output), "a\377", 2);
  result = asb_process_wait (process, NULL, &error);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 6);
  asb_test_native_close (&world);
}

static void
check_exact (World *world, const char *text, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbProcess) process = start (world, text, TRUE, &error);
  g_autoptr (GBytes) output = NULL;
  g_autoptr (AsbCommandResult) result = NULL;

  g_assert_no_error (error);
  output = asb_test_native_read_all (asb_process_get_stdout (process), &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (output, NULL), g_bytes_get_size (output), expected,
                   strlen (expected));
  result = asb_process_wait (process, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_command_result_get_stdout_total (result), ==, strlen (expected));
}

static void
test_exact_too_short (void)
{
  World world;
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Output of which less comes than there is, is not the whole of it");

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_fault (world.server, "{'path':'*/files/download','action':'reply','status':200,"
                                       "'type':'application/octet-stream','body':'123'}");
  process = start (&world, "printf 123456", TRUE, &error);
  g_assert_no_error (error);
  output = asb_test_native_read_all (asb_process_get_stdout (process), &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_assert_nonnull (strstr (error->message, "3 bytes before its end"));
  g_assert_null (output);
  asb_test_native_close (&world);
}

/* But for what this command itself prints to; the rest goes meanwhile. */
static void
check_nothing_left (World *world)
{
  check_exact (world, "until [ $(ls -A /tmp | grep -c asb-) = 1 ]; do sleep 0.02; done; echo 1",
               "1\n");
}

static void
test_exact_without_files (void)
{
  World world;

  g_test_summary ("Where execd cannot look at files, or delete them, shells do that");

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_forget (world.server);
  check_exact (&world, "true", "");
  check_exact (&world, "printf 'a\r'", "a\r");
  g_assert_cmpuint (asb_test_server_count (world.server, "POST", "/command"), ==, 2);
  asb_test_server_fault (world.server, "{'method':'GET','path':'*/files/info','action':'reply',"
                                       "'status':404,'body':'404 page not found'}");
  check_exact (&world, "true", "");
  check_exact (&world, "printf 'a\r'", "a\r");
  asb_test_server_heal (world.server);
  asb_test_server_fault (world.server, "{'method':'DELETE','path':'*/directories','action':'reply',"
                                       "'status':500}");
  check_exact (&world, "printf 'b\n\n'", "b\n\n");
  check_nothing_left (&world);
  asb_test_native_close (&world);
}

static void
test_exact_is_not_held_up (void)
{
  World world;
  gint64 begun;

  g_test_summary ("A command has ended when its output is there, not when what was kept of that is "
                  "deleted");

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_forget (world.server);
  asb_test_server_fault (world.server, "{'method':'DELETE','path':'*/directories',"
                                       "'action':'silent','work':true}");
  begun = g_get_monotonic_time ();
  check_exact (&world, "echo a", "a\n");
  g_assert_cmpint (g_get_monotonic_time () - begun, <, 120 * G_TIME_SPAN_SECOND);
  check_nothing_left (&world);
  g_assert_cmpuint (asb_test_server_count (world.server, "DELETE", "*/directories"), >=, 1);
  asb_test_native_close (&world);
}

static void
test_exact_and_closed (void)
{
  World world;
  g_autoptr (GError) error = NULL;
  gint64 begun;

  g_test_summary ("Who closes right after the end leaves nothing behind, and waits for no answer");

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_fault (world.server, "{'method':'DELETE','path':'*/directories',"
                                       "'action':'silent','work':true}");
  check_exact (&world, "echo a", "a\n");
  begun = g_get_monotonic_time ();
  g_assert_true (asb_transport_close (world.transport, NULL, &error));
  g_assert_cmpint (g_get_monotonic_time () - begun, <, 120 * G_TIME_SPAN_SECOND);
  g_object_unref (world.transport);
  world.transport = asb_provider_open_transport (world.provider,
                                                 asb_test_server_get_id (world.info), NULL, &error);
  g_assert_no_error (error);
  check_nothing_left (&world);
  asb_test_native_close (&world);
}

/* @fault breaks the stream of events, and nothing tells how the command ended. */
static void
check_unknown (const char *fault)
{
  World world;
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_fault (world.server, fault);
  asb_test_server_fault (world.server, "{'path':'*/command/status/*','action':'reply',"
                                       "'status':404,'body':'404 page not found'}");
  process = start (&world, "echo a; true", FALSE, &error);
  if (process)
    result = asb_process_wait (process, NULL, &error);
  g_assert_nonnull (error);
  g_assert_null (result);
  if (process)
    g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  asb_test_native_close (&world);
}

static void
test_unknown (void)
{
  g_test_summary ("An end that nobody knows is never a 0");

  check_unknown ("{'method':'POST','path':'*/command','action':'tail','events':3,'body':''}");
  check_unknown ("{'method':'POST','path':'*/command','action':'tail','events':3,"
                 "'body':'{\\\"code\\\":\\\"RUNTIME_ERROR\\\",\\\"message\\\":\\\"it broke\\\"}'}");
  check_unknown ("{'method':'POST','path':'*/command','action':'tail','events':3,"
                 "'body':'<html>502</html>\\n'}");
  check_unknown ("{'method':'POST','path':'*/command','action':'tail','events':3,"
                 "'body':'{\\\"type\\\":\\\"error\\\",\\\"error\\\":7}\\n'}");
  check_unknown ("{'method':'POST','path':'*/command','action':'reset'}");
}

static void
test_cut_anywhere (void)
{
  World world;

  g_test_summary ("Cut at any byte, the outcome is the right one or none");

  asb_test_native_open (&world, NULL, NULL);
  for (guint n = 0; n < 700; n += 53)
    {
      g_autofree char *fault
          = g_strdup_printf ("{'method':'POST','path':'*/command','nth':1,'times':1,'action':'cut',"
                             "'bytes':%u,'reset':%s}",
                             n, n % 2 ? "true" : "false");
      g_autoptr (AsbProcess) process = NULL;
      g_autoptr (AsbCommandResult) result = NULL;
      g_autoptr (GError) error = NULL;

      asb_test_server_heal (world.server);
      asb_test_server_fault (world.server, fault);
      process = start (&world, "echo hello; exit 3", FALSE, &error);
      if (process)
        result = asb_process_wait (process, NULL, &error);
      if (result)
        g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 3);
      else
        g_assert_nonnull (error);
    }
  asb_test_native_close (&world);
}

static void
test_interrupt_too_late (void)
{
  World world;
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("That an interrupted command is gone already is no error; one that is not "
                  "interrupted is killed");

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_fault (world.server, "{'method':'DELETE','path':'*/command','action':'reply',"
                                       "'status':500,'json':{'code':'RUNTIME_ERROR',"
                                       "'message':'no such command'}}");
  process = start (&world, "exec sleep 1000", FALSE, &error);
  g_assert_no_error (error);
  asb_process_force_exit (process);
  result = asb_process_wait (process, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_state (result), ==, ASB_COMMAND_STATE_CANCELLED);
  asb_test_native_close (&world);
}

/* Each way of looking, once. */
static void
look (World *world, const char *fault)
{
  g_autoptr (AsbFileRequest) file = asb_file_request_new_for_path ("/work/f");
  g_autoptr (AsbFileRequest) folder = asb_file_request_new_for_path ("/work");
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GListModel) files = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  g_test_message ("%s", fault);
  asb_test_server_fault (world->server, fault);
  info = asb_transport_query_file (world->transport, file, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (asb_file_info_get_size (info), ==, 3);
  asb_test_server_heal (world->server);
  asb_test_server_fault (world->server, fault);
  files = asb_transport_list_files (world->transport, folder, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (files), ==, 1);
  asb_test_server_heal (world->server);
  asb_test_server_fault (world->server, fault);
  bytes = asb_transport_read_file (world->transport, file, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "abc", 3);
  asb_test_server_heal (world->server);
}

static void
test_looking_again (void)
{
  World world;
  g_autoptr (AsbFileRequest) file = asb_file_request_new_for_path ("/work/f");
  g_autoptr (GBytes) contents = g_bytes_new_static ("abc", 3);
  g_autoptr (AsbFileInfo) written = NULL;
  g_autoptr (AsbFileRequest) new_folder = asb_file_request_new_for_path ("/work/d");
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("What only looks is done again when its answer is lost, but not for ever; what "
                  "changes something is not");

  asb_test_native_open (&world, NULL, NULL);
  asb_file_request_set_contents (file, contents);
  written = asb_transport_write_file (world.transport, file, NULL, &error);
  g_assert_no_error (error);
  look (&world, "{'method':'POST','path':'*/command','nth':1,'times':2,'action':'cut'}");
  look (&world, "{'method':'POST','path':'*/command','nth':1,'times':1,'action':'cut','bytes':60,"
                "'reset':true}");
  look (&world, "{'method':'POST','path':'*/command','nth':1,'times':2,'action':'tail','events':3,"
                "'body':''}");
  asb_test_server_forget (world.server);
  asb_test_server_fault (world.server, "{'method':'POST','path':'*/command','action':'cut'}");
  info = asb_transport_query_file (world.transport, file, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_clear_error (&error);
  g_assert_cmpuint (asb_test_server_count (world.server, "POST", "/command"), ==, 3);
  asb_test_server_forget (world.server);
  g_assert_false (asb_transport_make_directory (world.transport, new_folder, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_assert_cmpuint (asb_test_server_count (world.server, "POST", "/command"), ==, 1);
  asb_test_native_close (&world);
}

static void
check_read (World *world, const char *fault, gint64 code)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/work/f");
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_server_heal (world->server);
  asb_test_server_fault (world->server, fault);
  bytes = asb_transport_read_file (world->transport, request, NULL, &error);
  g_assert_null (bytes);
  g_assert_nonnull (error);
  if (code >= 0)
    g_assert_error (error, ASB_ERROR, (int)code);
}

/* Without the last one. */
#define CHUNKS(chunks)                                                                             \
  "{'path':'*/files/download','action':'reply','status':200,'early':true,"                         \
  "'type':'application/octet-stream','headers':{'Transfer-Encoding':'chunked'},"                   \
  "'body':'" chunks "'}"

static void
test_downloads (void)
{
  World world;
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/work/f");
  g_autoptr (GBytes) bytes = g_bytes_new_static ("0123456789", 10);
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GBytes) whole = NULL;
  g_autoptr (GBytes) part = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A file that comes short is an error, and so is a page instead of it; one of "
                  "which all comes is whole, however the answer ends, or cut to the part");

  asb_test_native_open (&world, NULL, NULL);
  asb_file_request_set_contents (request, bytes);
  info = asb_transport_write_file (world.transport, request, NULL, &error);
  g_assert_no_error (error);
  check_read (&world, "{'path':'*/files/download','action':'cut','bytes':4}",
              ASB_ERROR_INTERRUPTED);
  check_read (&world, "{'path':'*/files/download','action':'cut','bytes':4,'reset':true}",
              ASB_ERROR_INTERRUPTED);
  check_read (&world,
              "{'path':'*/files/download','action':'reply','status':206,'body':'xyz',"
              "'headers':{'Content-Range':'bytes 5-7/10'}}",
              ASB_ERROR_PROTOCOL);
  check_read (&world, "{'path':'*/command','action':'reply','status':500,'body':'no'}", -1);
  check_read (&world,
              "{'path':'*/files/download','action':'reply','status':200,'type':'text/html',"
              "'body':'<html>log in, please</html>'}",
              ASB_ERROR_PROTOCOL);
  check_read (&world, CHUNKS ("4\\r\\n0123\\r\\n"), ASB_ERROR_INTERRUPTED);

  asb_test_server_heal (world.server);
  asb_test_server_fault (world.server, CHUNKS ("a\\r\\n0123456789\\r\\n"));
  whole = asb_transport_read_file (world.transport, request, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_bytes_equal (whole, bytes));

  asb_test_server_heal (world.server);
  asb_test_server_fault (world.server, "{'path':'*/files/download','action':'reply','status':200,"
                                       "'body':'0123456789'}");
  asb_file_request_set_offset (request, 3);
  asb_file_request_set_length (request, 4);
  part = asb_transport_read_file (world.transport, request, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (part, NULL), g_bytes_get_size (part), "3456", 4);
  asb_test_native_close (&world);
}

/* It is there when the command has ended. */
static void
run_to_end (World *world, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbProcess) process = start (world, text, TRUE, &error);
  g_autoptr (AsbCommandResult) result = NULL;

  g_assert_no_error (error);
  result = asb_process_wait (process, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 0);
}

static void
test_shorter (void)
{
  World world;
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/work/f");
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A file that becomes shorter while it is read is told from a lost connection");

  asb_test_native_open (&world, NULL, NULL);
  /* More than pipes and sockets hold. */
  run_to_end (&world, "mkdir -p /work; head -c 67108864 /dev/zero >/work/f");
  stream = asb_transport_open_read (world.transport, request, NULL, &error);
  g_assert_no_error (error);
  run_to_end (&world, ": >/work/f");
  bytes = asb_test_native_read_all (stream, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CONCURRENT_MODIFICATION);
  g_assert_cmpstr (error->message, ==, "“/work/f” became shorter while it was read");
  asb_test_native_close (&world);
}

static void
check_write (World *world, const char *fault)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/work/f");
  g_autoptr (GBytes) after = g_bytes_new_static ("after", 5);
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_server_fault (world->server, fault);
  asb_file_request_set_contents (request, after);
  info = asb_transport_write_file (world->transport, request, NULL, &error);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "“/work/f”"));
  g_clear_error (&error);
  asb_test_server_heal (world->server);
  bytes = asb_transport_read_file (world->transport, request, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "before", 6);
}

static void
test_uploads (void)
{
  World world;
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/work/f");
  g_autoptr (GBytes) before = g_bytes_new_static ("before", 6);
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GListModel) list = NULL;
  g_autoptr (AsbFileRequest) folder = asb_file_request_new_for_path ("/work");
  g_autoptr (GError) error = NULL;

  g_test_summary ("An upload that fails leaves the file as it was, and nothing beside it");

  asb_test_native_open (&world, NULL, NULL);
  asb_file_request_set_contents (request, before);
  info = asb_transport_write_file (world.transport, request, NULL, &error);
  g_assert_no_error (error);
  check_write (&world, "{'path':'*/files/upload','action':'reset'}");
  check_write (&world, "{'path':'*/files/upload','action':'cut'}");
  check_write (&world, "{'path':'*/files/upload','action':'reply','status':500,"
                       "'json':{'code':'RUNTIME_ERROR','message':'no space left on device'}}");
  list = asb_transport_list_files (world.transport, folder, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 1);
  asb_test_native_close (&world);
}

static void
test_upload_repeated (void)
{
  static const char *const faults[]
      = { "{'path':'*/files/upload','action':'reset','times':1}",
          "{'path':'*/files/upload','action':'cut','times':1}",
          "{'path':'*/files/upload','action':'cut','bytes':3,'times':1}" };
  World world;
  g_autoptr (AsbFileRequest) folder = asb_file_request_new_for_path ("/work");
  g_autoptr (GListModel) list = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("An upload whose answer is lost is sent once more, to another name");

  asb_test_native_open (&world, NULL, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/work/f");
      g_autofree char *text = g_strdup_printf ("text %" G_GSIZE_FORMAT, i);
      g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
      g_autoptr (AsbFileInfo) info = NULL;
      g_autoptr (GBytes) found = NULL;

      asb_test_server_fault (world.server, faults[i]);
      asb_file_request_set_contents (request, bytes);
      info = asb_transport_write_file (world.transport, request, NULL, &error);
      g_assert_no_error (error);
      found = asb_transport_read_file (world.transport, request, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (g_bytes_equal (found, bytes));
    }
  list = asb_transport_list_files (world.transport, folder, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 1);
  asb_test_native_close (&world);
}

static void
test_closed (void)
{
  World world;
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbProcess) late = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("What is in flight when the transport is closed ends with that");

  asb_test_native_open (&world, NULL, NULL);
  process = start (&world, "exec sleep 1000", FALSE, &error);
  g_assert_no_error (error);
  g_assert_true (asb_transport_close (world.transport, NULL, &error));
  result = asb_process_wait (process, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CLOSED);
  g_clear_error (&error);
  late = start (&world, "true", FALSE, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CLOSED);
  asb_test_native_close (&world);
}

/* Files that stand still on their way. */

#define STALLED_SIZE 1000000

static void
open_impatient (World *world, const char *seconds)
{
  g_autofree char *options
      = g_strdup_printf ("{'transport': <'native'>, 'idle-timeout-seconds': <%s>}", seconds);
  g_autoptr (GError) error = NULL;

  world->server = asb_test_server_new (NULL);
  world->provider = asb_test_server_new_provider (world->server, options);
  world->info = asb_test_server_create (world->provider);
  world->transport = asb_provider_open_transport (
      world->provider, asb_test_server_get_id (world->info), NULL, &error);
  g_assert_no_error (error);
}

/* More than is kept for a reader: until he reads, nothing is waited for. */
static GInputStream *
open_stalled (World *world)
{
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/workspace/long");
  g_autoptr (AsbProvider) patient
      = asb_test_server_new_provider (world->server, ASB_TEST_NATIVE_OPTIONS);
  g_autoptr (AsbTransport) transport = NULL;
  g_autoptr (AsbFileInfo) info = NULL;
  g_autofree char *contents = g_strnfill (STALLED_SIZE, 'x');
  g_autoptr (GBytes) bytes = g_bytes_new (contents, STALLED_SIZE);
  g_autoptr (GError) error = NULL;
  GInputStream *stream;

  asb_file_request_set_contents (request, bytes);
  transport
      = asb_provider_open_transport (patient, asb_test_server_get_id (world->info), NULL, &error);
  g_assert_no_error (error);
  info = asb_transport_write_file (transport, request, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (asb_transport_close (transport, NULL, &error));
  asb_test_server_fault (world->server,
                         "{'path':'*/files/download','nth':1,'action':'stall','bytes':900000}");
  stream = asb_transport_open_read (world->transport, request, NULL, &error);
  g_assert_no_error (error);
  return stream;
}

static void
test_stalled (void)
{
  World world;
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A file of which nothing more comes is given up after a while, with what came");

  open_impatient (&world, "0.05");
  stream = open_stalled (&world);
  bytes = asb_test_native_read_all (stream, &error);
  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_assert_nonnull (strstr (error->message, "“/workspace/long” broke off before its end: nothing "
                                            "went on for 0.05 s (“idle-timeout-seconds”)"));
  asb_test_native_close (&world);
}

static void
test_stalled_upload (void)
{
  World world;
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/workspace/f");
  g_autoptr (GBytes) bytes = g_bytes_new_static ("new", 3);
  g_autoptr (GError) error = NULL;

  g_test_summary ("Nor is the answer to a file that was sent waited for without end");

  open_impatient (&world, "0.05");
  asb_file_request_set_contents (request, bytes);
  asb_test_server_fault (world.server,
                         "{'method':'POST','path':'*/files/upload','action':'silent'}");
  g_assert_null (asb_transport_write_file (world.transport, request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_assert_nonnull (strstr (error->message, "“idle-timeout-seconds”"));
  asb_test_native_close (&world);
}

static void
test_stalled_by_pause (void)
{
  World world;
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *path = NULL;
  g_autofree char *paused = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("While the sandbox is paused nothing can come, and that is waited for");

  open_impatient (&world, "1.0");
  path = g_strconcat ("/v1/sandboxes/", asb_test_server_get_id (world.info), NULL);
  paused = g_strdup_printf ("{'method':'GET','path':'%s','times':3,'action':'reply','status':200,"
                            "'json':{'status':{'state':'Paused'}}}",
                            path);
  stream = open_stalled (&world);
  asb_test_server_fault (world.server, paused);
  asb_test_server_forget (world.server);
  bytes = asb_test_native_read_all (stream, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_assert_cmpuint (asb_test_server_count (world.server, "GET", path), ==, 4);
  asb_test_native_close (&world);
}

static void
test_stalled_and_gone (void)
{
  World world;
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Where the sandbox is why nothing comes, that is told");

  open_impatient (&world, "1.0");
  stream = open_stalled (&world);
  asb_test_server_fault (world.server,
                         "{'method':'GET','path':'/v1/sandboxes/*','action':'reply','status':404,"
                         "'json':{'code':'DOCKER::SANDBOX_NOT_FOUND','message':'gone'}}");
  bytes = asb_test_native_read_all (stream, &error);
  g_assert_nonnull (error);
  g_assert_true (g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND)
                 || g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_DELETED));
  asb_test_native_close (&world);
}

static void
test_stalled_and_closed (void)
{
  World world;
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Closing does not wait for what stands still");

  open_impatient (&world, "3600.0");
  stream = open_stalled (&world);
  g_assert_true (asb_transport_close (world.transport, NULL, &error));
  g_assert_no_error (error);
  bytes = asb_test_native_read_all (stream, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CLOSED);
  asb_test_native_close (&world);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/opensandbox/native/faults/split", test_split);
  g_test_add_func ("/opensandbox/native/faults/ends-at-event", test_ends_at_event);
  g_test_add_func ("/opensandbox/native/faults/without-a-word", test_began_without_a_word);
  g_test_add_func ("/opensandbox/native/faults/nothing-heard", test_nothing_heard);
  g_test_add_func ("/opensandbox/native/faults/lost-end", test_lost_end);
  g_test_add_func ("/opensandbox/native/faults/lost-exact", test_lost_exact);
  g_test_add_func ("/opensandbox/native/faults/exact-too-short", test_exact_too_short);
  g_test_add_func ("/opensandbox/native/faults/exact-without-files", test_exact_without_files);
  g_test_add_func ("/opensandbox/native/faults/exact-is-not-held-up", test_exact_is_not_held_up);
  g_test_add_func ("/opensandbox/native/faults/exact-and-closed", test_exact_and_closed);
  g_test_add_func ("/opensandbox/native/faults/unknown", test_unknown);
  g_test_add_func ("/opensandbox/native/faults/cut-anywhere", test_cut_anywhere);
  g_test_add_func ("/opensandbox/native/faults/interrupt", test_interrupt_too_late);
  g_test_add_func ("/opensandbox/native/faults/looking-again", test_looking_again);
  g_test_add_func ("/opensandbox/native/faults/downloads", test_downloads);
  g_test_add_func ("/opensandbox/native/faults/shorter", test_shorter);
  g_test_add_func ("/opensandbox/native/faults/stalled", test_stalled);
  g_test_add_func ("/opensandbox/native/faults/stalled-upload", test_stalled_upload);
  g_test_add_func ("/opensandbox/native/faults/stalled-by-pause", test_stalled_by_pause);
  g_test_add_func ("/opensandbox/native/faults/stalled-and-gone", test_stalled_and_gone);
  g_test_add_func ("/opensandbox/native/faults/stalled-and-closed", test_stalled_and_closed);
  g_test_add_func ("/opensandbox/native/faults/uploads", test_uploads);
  g_test_add_func ("/opensandbox/native/faults/upload-repeated", test_upload_repeated);
  g_test_add_func ("/opensandbox/native/faults/closed", test_closed);
  return g_test_run ();
}
