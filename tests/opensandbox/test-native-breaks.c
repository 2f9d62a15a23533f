/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-native.h"

#include <string.h>

/* Work through execd that goes on when its events break off, and what is said where none can be
 * done. */

typedef AsbTestNative World;

static AsbProcess *
start (World *world, const char *text, gboolean exact, GError **error)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (text);

  asb_command_spec_set_exact_output (spec, exact);
  return asb_transport_start_command (world->transport, spec, NULL, error);
}

/* What a command says of itself comes in the first three chunks. */
#define CUT_AT_BEGINNING                                                                           \
  "{'method':'POST','path':'*/command','nth':1,'times':1,'action':'cut','chunks':3}"
#define WAITS "until [ -e /work/go ]; do sleep 0.05; done; echo done; exit 3"

static void
check_followed (gboolean exact)
{
  World world;
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbProcess) other = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_fault (world.server, CUT_AT_BEGINNING);
  process = start (&world, WAITS, exact, &error);
  g_assert_no_error (error);
  if (!exact)
    {
      g_assert_null (asb_test_native_read_all (asb_process_get_stdout (process), &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
      g_clear_error (&error);
    }
  other = start (&world, "mkdir -p /work; : >/work/go", FALSE, &error);
  g_assert_no_error (error);
  result = asb_process_wait (process, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_state (result), ==, ASB_COMMAND_STATE_FAILED);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 3);
  if (exact)
    {
      output = asb_test_native_read_all (asb_process_get_stdout (process), &error);
      g_assert_no_error (error);
      g_assert_cmpmem (g_bytes_get_data (output, NULL), g_bytes_get_size (output), "done\n", 5);
    }
  asb_test_native_close (&world);
}

static void
test_followed (void)
{
  g_test_summary ("A command whose events break off is followed until it has ended, with what it "
                  "prints to files; readers of lines hear of it at once");

  check_followed (TRUE);
  check_followed (FALSE);
}

static void
test_followed_to_deadline (void)
{
  World world;
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("sleep 1000");
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("… or until its time is up");

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_fault (world.server, CUT_AT_BEGINNING);
  asb_command_spec_set_timeout_ms (spec, 300);
  process = asb_transport_start_command (world.transport, spec, NULL, &error);
  g_assert_no_error (error);
  result = asb_process_wait (process, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_state (result), ==, ASB_COMMAND_STATE_TIMEOUT);
  asb_test_native_close (&world);
}

static void
test_followed_no_more (void)
{
  World world;
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) end = NULL;

  g_test_summary ("… or until the transport is closed");

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_fault (world.server, CUT_AT_BEGINNING);
  process = start (&world, "sleep 1000", FALSE, &error);
  g_assert_no_error (error);
  g_assert_null (asb_test_native_read_all (asb_process_get_stdout (process), &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  asb_test_native_close (&world);
  g_assert_null (asb_process_wait (process, NULL, &end));
  g_assert_error (end, ASB_ERROR, ASB_ERROR_CLOSED);
}

#define NO_FILES "error running commands failed to get stdlog descriptor: open /tmp/c1.stdout: "

static void
check_no_files (World *world, const char *words, AsbError code)
{
  g_autofree char *fault
      = g_strdup_printf ("{'method':'POST','path':'*/command','action':'reply','status':500,"
                         "'json':{'code':'RUNTIME_ERROR','message':'" NO_FILES "%s'}}",
                         words);
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/work/f");
  g_autoptr (GError) error = NULL;

  asb_test_server_fault (world->server, fault);
  g_assert_null (start (world, "true", FALSE, &error));
  g_assert_error (error, ASB_ERROR, (int)code);
  g_assert_nonnull (strstr (error->message, "execd keeps in /tmp what commands print"));
  g_clear_error (&error);
  g_assert_null (asb_transport_query_file (world->transport, request, NULL, &error));
  g_assert_error (error, ASB_ERROR, (int)code);
  asb_test_server_heal (world->server);
}

static void
test_no_files (void)
{
  World world;

  g_test_summary ("Where execd can make no files for what is printed, that is said");

  asb_test_native_open (&world, NULL, NULL);
  check_no_files (&world, "read-only file system", ASB_ERROR_READ_ONLY);
  check_no_files (&world, "no space left on device", ASB_ERROR_NO_SPACE);
  check_no_files (&world, "permission denied", ASB_ERROR_PERMISSION_DENIED);
  asb_test_native_close (&world);
}

/* The names that execd cannot be told go by another one, of our own. */
static void
check_own_name (const GError *error)
{
  g_assert_nonnull (strstr (error->message, "/work/$f"));
  g_assert_null (strstr (error->message, ".asb-"));
}

static void
test_own_names (void)
{
  World world;
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path ("/work/$f");
  g_autoptr (GBytes) contents = g_bytes_new_static ("x", 1);
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Errors name what was asked for, not the link it goes by");

  asb_test_native_open (&world, NULL, NULL);
  asb_file_request_set_contents (request, contents);
  info = asb_transport_write_file (world.transport, request, NULL, &error);
  g_assert_no_error (error);
  asb_test_server_fault (world.server, "{'path':'*/files/download','action':'cut','bytes':0}");
  stream = asb_transport_open_read (world.transport, request, NULL, &error);
  if (stream)
    g_assert_null (asb_test_native_read_all (stream, &error));
  g_assert_nonnull (error);
  check_own_name (error);
  asb_test_server_heal (world.server);
  g_clear_error (&error);
  g_clear_object (&info);
  asb_test_server_fault (world.server,
                         "{'path':'*/files/download','action':'reply','status':206,'body':'xyz'}");
  g_assert_null (asb_transport_read_file (world.transport, request, NULL, &error));
  check_own_name (error);
  g_clear_error (&error);
  asb_test_server_heal (world.server);
  asb_test_native_close (&world);
}

/* Litter. */

static AsbFileRequest *
new_request (const char *path)
{
  AsbFileRequest *request = asb_file_request_new_for_path (path);
  g_autoptr (GBytes) contents = g_bytes_new_static ("x", 1);

  asb_file_request_set_contents (request, contents);
  return request;
}

static void
reopen (World *world)
{
  g_autoptr (GError) error = NULL;

  g_object_unref (world->transport);
  world->transport = asb_provider_open_transport (
      world->provider, asb_test_server_get_id (world->info), NULL, &error);
  g_assert_no_error (error);
}

#define LOOK "ls -A /work; ls -d /tmp/.asb-* 2>/dev/null; true"

/* Our own look leaves nothing, since its output comes in lines. */
static void
assert_left (World *world, const char *expected)
{
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_server_heal (world->server);
  process = start (world, LOOK, FALSE, &error);
  g_assert_no_error (error);
  output = asb_test_native_read_all (asb_process_get_stdout (process), &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (output, NULL), g_bytes_get_size (output), expected,
                   strlen (expected));
}

/* At the first hop, behind which there is execd: what is reset has not been done. What is cut
 * behind all that it says has been. */
#define LOST(nth, action)                                                                          \
  "{'method':'POST','path':'/proxy/*/command','nth':" nth ",'times':1,'action':'" action "'}"

#define CUT_AT_END(chunks)                                                                         \
  "{'method':'POST','path':'/command','nth':1,'times':1,'action':'cut','chunks':" chunks "}"

static void
check_write_lost (World *world, const char *path, const char *fault)
{
  g_autoptr (AsbFileRequest) request = new_request (path);
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  asb_test_server_fault (world->server, fault);
  info = asb_transport_write_file (world->transport, request, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
}

static void
test_litter_lost (void)
{
  World world;
  g_autoptr (AsbFileRequest) request = new_request ("/work/f");
  g_autoptr (AsbFileInfo) info = NULL;
  g_autoptr (AsbArchiveOptions) options = asb_archive_options_new ();
  g_autoptr (GOutputStream) stream = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Whichever step of writing is lost, nothing of it stays");

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_fault (world.server, "{'path':'*/files/upload','action':'cut','times':1}");
  asb_test_server_fault (world.server, LOST ("2", "reset"));
  info = asb_transport_write_file (world.transport, request, NULL, &error);
  g_assert_no_error (error);
  assert_left (&world, "f\n");
  check_write_lost (&world, "/work/$f", CUT_AT_END ("4"));
  assert_left (&world, "f\n");
  check_write_lost (&world, "/work/g", LOST ("2", "reset"));
  assert_left (&world, "f\n");
  asb_test_server_fault (world.server, CUT_AT_END ("5"));
  asb_archive_options_set_path (options, "/work/new");
  stream = asb_transport_extract_archive (world.transport, options, NULL, &error);
  g_assert_null (stream);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  assert_left (&world, "f\n");
  asb_test_native_close (&world);
}

static void
test_litter_closed (void)
{
  World world;
  g_autoptr (AsbFileRequest) request = new_request ("/work/$f");
  g_autoptr (GOutputStream) output = NULL;
  g_autoptr (GInputStream) input = NULL;
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Closing the transport takes away what was made for files on their way");

  asb_test_native_open (&world, NULL, NULL);
  output = asb_transport_open_write (world.transport, request, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (asb_transport_close (world.transport, NULL, &error));
  reopen (&world);
  assert_left (&world, "");
  process = start (&world, "head -c 1000000 /dev/zero >'/work/$f'", FALSE, &error);
  g_assert_no_error (error);
  result = asb_process_wait (process, NULL, &error);
  g_assert_no_error (error);
  input = asb_transport_open_read (world.transport, request, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (asb_transport_close (world.transport, NULL, &error));
  reopen (&world);
  assert_left (&world, "$f\n");
  asb_test_native_close (&world);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/opensandbox/native/breaks/followed", test_followed);
  g_test_add_func ("/opensandbox/native/breaks/followed-to-deadline", test_followed_to_deadline);
  g_test_add_func ("/opensandbox/native/breaks/followed-no-more", test_followed_no_more);
  g_test_add_func ("/opensandbox/native/breaks/no-files", test_no_files);
  g_test_add_func ("/opensandbox/native/breaks/own-names", test_own_names);
  g_test_add_func ("/opensandbox/native/breaks/litter-lost", test_litter_lost);
  g_test_add_func ("/opensandbox/native/breaks/litter-closed", test_litter_closed);
  return g_test_run ();
}
