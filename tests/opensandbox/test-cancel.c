/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-native.h"

#include <string.h>

/* Whoever cancels is answered at once, whatever the server does, and nothing is left of what was
 * begun. The provider is asked without the core, which answers for those that take too long. */

#define MAX_SECONDS 60

#define SILENT_UPLOAD "{'method':'POST','path':'*/files/upload','action':'silent'}"

typedef AsbTestNative World;

typedef struct
{
  GTask *task;
  GCancellable *cancellable;
  gboolean is_boolean; /* what it is answered with */
  gboolean is_answered;
  GError *error;
} Call;

static void
answered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Call *call = user_data;
  g_auto (GValue) value = G_VALUE_INIT;

  call->is_answered = TRUE;
  if (call->is_boolean)
    g_task_propagate_boolean (G_TASK (result), &call->error);
  else
    g_task_propagate_value (G_TASK (result), &value, &call->error);
}

static void
call_init (Call *call, gpointer source, gboolean is_boolean)
{
  *call = (Call){ .cancellable = g_cancellable_new (), .is_boolean = is_boolean };
  call->task = g_task_new (source, call->cancellable, answered_cb, call);
}

static void
call_clear (Call *call)
{
  g_object_unref (call->task);
  g_object_unref (call->cancellable);
  g_clear_error (&call->error);
}

static void
wait_for_request (World *world, const char *method, const char *path, guint count)
{
  gint64 deadline = g_get_monotonic_time () + MAX_SECONDS * G_USEC_PER_SEC;

  while (asb_test_server_count (world->server, method, path) < count)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, deadline);
      g_main_context_iteration (NULL, FALSE);
    }
}

static void
wait_for_answer (Call *call)
{
  while (!call->is_answered)
    g_main_context_iteration (NULL, TRUE);
}

static void
assert_cancelled (Call *call)
{
  g_cancellable_cancel (call->cancellable);
  wait_for_answer (call);
  g_assert_error (call->error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Files. */

static void
put (World *world, Call *call, const char *path, const char *text)
{
  g_autoptr (GBytes) contents = g_bytes_new (text, strlen (text));

  call_init (call, world->provider, TRUE);
  ASB_PROVIDER_GET_IFACE (world->provider)
      ->put_file (world->provider, asb_test_server_get_id (world->info), path, contents, 0600,
                  call->task);
}

static char *
run (World *world, const char *text)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbProcess) process
      = asb_transport_start_command (world->transport, spec, NULL, &error);
  g_autoptr (GBytes) output = NULL;

  g_assert_no_error (error);
  output = asb_test_native_read_all (asb_process_get_stdout (process), &error);
  g_assert_no_error (error);
  return g_strndup (g_bytes_get_data (output, NULL), g_bytes_get_size (output));
}

static void
test_put (void)
{
  World world;
  Call call;
  Call again;
  g_autofree char *listed = NULL;

  g_test_summary ("A file on its way is given up; who comes next sends it anew");

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_fault (world.server, SILENT_UPLOAD);
  put (&world, &call, "/work/f", "text");
  wait_for_request (&world, "POST", "*/files/upload", 1);
  assert_cancelled (&call);
  call_clear (&call);
  asb_test_server_heal (world.server);
  put (&world, &again, "/work/f", "text");
  wait_for_answer (&again);
  g_assert_no_error (again.error);
  call_clear (&again);
  listed = run (&world, "ls -A /work");
  g_assert_cmpstr (listed, ==, "f\n");
  asb_test_native_close (&world);
}

static void
test_put_by_two (void)
{
  World world;
  Call first;
  Call second;

  g_test_summary (
      "Of two who want the same file the one who cancels does not end it for the other");

  asb_test_native_open (&world, NULL, NULL);
  asb_test_server_fault (world.server, "{'method':'POST','path':'*/files/upload','action':'late',"
                                       "'ms':500,'times':1}");
  put (&world, &first, "/work/f", "text");
  put (&world, &second, "/work/f", "text");
  wait_for_request (&world, "POST", "*/files/upload", 1);
  assert_cancelled (&first);
  call_clear (&first);
  wait_for_answer (&second);
  g_assert_no_error (second.error);
  call_clear (&second);
  g_assert_cmpuint (asb_test_server_count (world.server, "POST", "/files/upload"), ==, 1);
  asb_test_native_close (&world);
}

/* The guest. */

static AsbStreamSpec *
new_stream_spec (void)
{
  static const char *const argv[]
      = { "/.agent-history/bin/asb-guest-0123456789abcdef", "connect", NULL };
  g_autofree char *contents = NULL;
  gsize size;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) program = NULL;
  AsbStreamSpec *spec = asb_stream_spec_new ();

  g_file_get_contents (g_getenv ("ASB_GUEST_PATH"), &contents, &size, &error);
  g_assert_no_error (error);
  program = g_bytes_new_take (g_steal_pointer (&contents), size);
  asb_stream_spec_set_argv (spec, argv);
  asb_stream_spec_set_token (spec, "a-token-of-tests");
  asb_stream_spec_set_program (spec, program);
  return spec;
}

static void
open_stream (World *world, AsbProvider *provider, AsbStreamSpec *spec, Call *call)
{
  call_init (call, provider, FALSE);
  ASB_PROVIDER_GET_IFACE (provider)->open_stream (provider, asb_test_server_get_id (world->info),
                                                  spec, call->task);
}

/* Whatever was asked for before has gone some way. */
static void
ask_something (World *world, AsbProvider *provider)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_get_sandbox (provider, asb_test_server_get_id (world->info), NULL, &error);

  g_assert_no_error (error);
}

static void
test_guest (void)
{
  World world;
  g_autoptr (AsbProvider) provider = NULL;
  g_autoptr (AsbStreamSpec) spec = new_stream_spec ();
  g_autoptr (AsbStreamSpec) other = new_stream_spec ();
  Call sending;
  Call waiting;

  g_test_summary ("Neither who sends the guest nor who waits for that is held up");

  asb_test_native_open (&world, NULL, NULL);
  provider = asb_test_server_new_provider (world.server, "{'transport': <'guest'>}");
  asb_test_server_fault (world.server, SILENT_UPLOAD);
  open_stream (&world, provider, spec, &sending);
  wait_for_request (&world, "POST", "*/files/upload", 1);
  /* Its image is known to lack the guest: nobody is asked again. */
  open_stream (&world, provider, other, &waiting);
  ask_something (&world, provider);
  assert_cancelled (&waiting);
  assert_cancelled (&sending);
  call_clear (&waiting);
  call_clear (&sending);
  asb_test_native_close (&world);
}

/* Terminals. */

typedef struct
{
  const char *fault;
  const char *method; /* of what is not answered, or not yet */
  const char *path;
} Stage;

static void
check_terminal (const Stage *stage)
{
  World world;
  Call call;
  g_autoptr (AsbCommandSpec) spec
      = asb_command_spec_new_shell ("echo $$ >/work/pid; exec sleep 1000");
  g_autofree char *ended = NULL;

  asb_test_native_open (&world, NULL, NULL);
  g_free (run (&world, "mkdir -p /work"));
  asb_command_spec_set_tty (spec, TRUE);
  asb_test_server_fault (world.server, stage->fault);
  call_init (&call, world.transport, FALSE);
  ASB_TRANSPORT_GET_IFACE (world.transport)->start_command (world.transport, spec, call.task);
  wait_for_request (&world, stage->method, stage->path, 1);
  assert_cancelled (&call);
  call_clear (&call);
  asb_test_server_heal (world.server);
  wait_for_request (&world, "DELETE", "*/pty/*", 1);
  ended = run (&world, "while [ -s /work/pid ] && kill -0 $(cat /work/pid) 2>/dev/null; do "
                       "sleep 0.02; done; echo ended");
  g_assert_cmpstr (ended, ==, "ended\n");
  asb_test_native_close (&world);
}

static void
test_terminal (void)
{
  static const Stage stages[] = {
    { "{'method':'POST','path':'*/files/upload','action':'late','ms':300}", "POST",
      "*/files/upload" },
    { "{'method':'POST','path':'*/pty','action':'late','ms':300}", "POST", "*/pty" },
    { "{'path':'*/pty/*/ws','action':'delay','ms':300}", "GET", "*/pty/*/ws" },
  };

  g_test_summary ("A terminal that comes to be after all is taken down, with what runs in it");

  for (gsize i = 0; i < G_N_ELEMENTS (stages); i++)
    check_terminal (&stages[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/opensandbox/cancel/put", test_put);
  g_test_add_func ("/opensandbox/cancel/put/by-two", test_put_by_two);
  g_test_add_func ("/opensandbox/cancel/guest", test_guest);
  g_test_add_func ("/opensandbox/cancel/terminal", test_terminal);

  return g_test_run ();
}
