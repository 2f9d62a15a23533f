/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* When a sandbox ends, when it does not, and what then stands in its record. */

#include "local-test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Nothing is expected to take so long: it ends a test that would hang. */
#define PATIENCE 60000

/* A length of time nobody else waits for, so that those who do can be told from all others. */
static const char *duration;

static AsbSandboxInfo *
create_with (AsbProvider *provider, AsbLifetime lifetime)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();

  asb_sandbox_spec_set_instance_id (spec, "instance-1");
  asb_sandbox_spec_set_lifetime (spec, lifetime);
  return local_test_create (provider, spec);
}

static int
open_guest (LocalTest *test, const char *id)
{
  g_autofree char *folder = g_build_filename (test->state, id, NULL);

  return local_test_open_process (local_test_guest_pid (folder));
}

static char *
boot_id (AsbTransport *transport)
{
  return g_strdup (asb_guest_transport_get_boot_id (ASB_GUEST_TRANSPORT (transport)));
}

static void
open_history (AsbTransport *transport, const char *id)
{
  g_autoptr (GVariant) call = NULL;
  g_autoptr (GVariant) answer = NULL;
  g_autoptr (GError) error = NULL;
  GVariantDict identity, arguments;

  g_variant_dict_init (&identity, NULL);
  g_variant_dict_insert (&identity, "provider_key", "s", "local-default");
  g_variant_dict_insert (&identity, "sandbox_id", "s", id);
  g_variant_dict_insert (&identity, "sandbox_instance_id", "s", "instance-1");
  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert_value (&arguments, "identity", g_variant_dict_end (&identity));
  g_variant_dict_insert (&arguments, "sdk_version", "s", "1.0.0");
  call = g_variant_ref_sink (g_variant_dict_end (&arguments));
  answer = asb_transport_call (transport, "history.open", call, NULL, &error);
  g_assert_no_error (error);
}

/* Starts a recorded command that leaves a process behind in another session. */
static AsbProcess *
start_sleepers (AsbTransport *transport)
{
  g_autofree char *text
      = g_strdup_printf ("setsid sleep %s & echo r; sleep %s; :", duration, duration);
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (text);
  g_autoptr (GVariant) command = g_variant_ref_sink (
      g_variant_new_parsed ("{'command': <%s>, 'cwd': <'/workspace'>}", text));
  g_autoptr (AsbOperation) operation = g_object_new (
      ASB_TYPE_OPERATION, "event-id", "event-1", "operation-type", "command.execute", "required",
      TRUE, "actor-type", "sdk", "correlation-id", "correlation-1", "command", command, NULL);
  g_autoptr (GError) error = NULL;
  AsbProcess *process;
  char byte;

  asb_command_spec_set_operation (spec, operation);
  process = asb_transport_start_command (transport, spec, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_input_stream_read (asb_process_get_stdout (process), &byte, 1, NULL, NULL), ==,
                   1);
  return process;
}

/* The child: makes a sandbox, starts the sleepers, says which and waits to be killed. */
static void G_GNUC_NORETURN
be_owner (LocalTest *test, AsbLifetime lifetime)
{
  g_autoptr (AsbSandboxInfo) info = create_with (test->provider, lifetime);
  g_autoptr (AsbTransport) transport
      = local_test_open (test->provider, local_test_id (info), FALSE);
  g_autoptr (AsbProcess) process = NULL;

  open_history (transport, local_test_id (info));
  process = start_sleepers (transport);
  g_print ("%s\n", local_test_id (info));
  for (;;)
    pause ();
}

/* The child of the child: lives on without executing another program, as workers of a pool do. It
 * ends when its parent's reader has gone. */
static int
be_forking_owner (LocalTest *test)
{
  g_autoptr (AsbSandboxInfo) info = create_with (test->provider, ASB_LIFETIME_OWNED);
  int end[2];
  char byte;

  g_assert_cmpint (pipe (end), ==, 0);
  if (fork () == 0)
    {
      struct pollfd reader = { .fd = STDOUT_FILENO, .events = 0 };

      poll (&reader, 1, -1);
      _exit (0);
    }
  g_print ("%s\n", local_test_id (info));
  return (int)read (end[0], &byte, 1);
}

static char *
read_status (LocalTest *test, const char *id)
{
  g_autofree char *path = local_test_path (test, id, "history/history.sqlite3");
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  char *status;

  g_assert_cmpint (sqlite3_open_v2 (path, &database, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
  g_assert_cmpint (
      sqlite3_prepare_v2 (database, "SELECT status FROM history_events", -1, &statement, NULL), ==,
      SQLITE_OK);
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
  status = g_strdup ((const char *)sqlite3_column_text (statement, 0));
  sqlite3_finalize (statement);
  sqlite3_close (database);
  return status;
}

static void
kill_and_wait (GSubprocess *child)
{
  g_autoptr (GError) error = NULL;

  g_subprocess_force_exit (child);
  g_subprocess_wait (child, NULL, &error);
  g_assert_no_error (error);
}

static void
test_owner_killed (LocalTest *test, gconstpointer data)
{
  g_autoptr (GSubprocess) owner = NULL;
  g_autofree char *id = NULL;
  g_autofree char *status = NULL;
  int guest;

  owner = local_test_child (test, "owned", G_SUBPROCESS_FLAGS_NONE);
  id = local_test_read_line (owner);
  guest = open_guest (test, id);
  g_assert_true (local_test_find_process ("cmdline", duration));
  kill_and_wait (owner);
  g_assert_true (local_test_wait_for_end (guest, PATIENCE));
  close (guest);
  g_assert_false (local_test_find_process ("cmdline", duration));
  status = read_status (test, id);
  g_assert_cmpstr (status, ==, "cancelled");
  /* What it has left goes when somebody looks. */
  g_assert_cmpuint (local_test_count (test->provider, NULL), ==, 0);
}

static void
test_owner_forks (LocalTest *test, gconstpointer data)
{
  g_autoptr (GSubprocess) owner = NULL;
  g_autofree char *id = NULL;
  int guest;

  owner = local_test_child (test, "owned-and-forked", G_SUBPROCESS_FLAGS_NONE);
  id = local_test_read_line (owner);
  guest = open_guest (test, id);
  kill_and_wait (owner);
  g_assert_true (local_test_wait_for_end (guest, PATIENCE));
  close (guest);
}

static void
test_persistent (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbTransport) transport = NULL;
  g_autoptr (GSubprocess) owner = NULL;
  g_autofree char *id = NULL;
  int guest;

  owner = local_test_child (test, "persistent", G_SUBPROCESS_FLAGS_NONE);
  id = local_test_read_line (owner);
  guest = open_guest (test, id);
  kill_and_wait (owner);
  transport = local_test_open (test->provider, id, FALSE);
  g_assert_true (local_test_find_process ("cmdline", duration));
  g_assert_false (local_test_wait_for_end (guest, 0));
  g_assert_cmpuint (local_test_count (test->provider, "running"), ==, 1);

  local_test_delete (test->provider, id);
  g_assert_true (local_test_wait_for_end (guest, 0));
  close (guest);
  g_assert_false (local_test_find_process ("cmdline", duration));
}

/* What was started holds nothing of its maker: no terminal, no session, no output, no folder. */
static void
test_detached (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create_with (test->provider, ASB_LIFETIME_PERSISTENT);
  g_autofree char *folder = g_build_filename (test->state, local_test_id (info), NULL);
  int guest = local_test_guest_pid (folder);

  g_assert_cmpint (getsid (guest), !=, getsid (0));
  g_assert_cmpint (getpgid (guest), !=, getpgid (0));
  for (int fd = 0; fd < 2; fd++)
    {
      g_autofree char *link = g_strdup_printf ("/proc/%d/fd/%d", guest, fd);
      g_autofree char *target = g_file_read_link (link, NULL);

      /* Only root can look: the guest hides its descriptors. */
      if (target)
        g_assert_cmpstr (target, ==, "/dev/null");
    }
}

static void
test_deleted (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create_with (test->provider, ASB_LIFETIME_OWNED);
  g_autoptr (AsbTransport) transport
      = local_test_open (test->provider, local_test_id (info), FALSE);
  g_autoptr (AsbProcess) process = NULL;
  int guest = open_guest (test, local_test_id (info));

  open_history (transport, local_test_id (info));
  process = start_sleepers (transport);
  g_assert_true (local_test_find_process ("cmdline", duration));
  local_test_delete (test->provider, local_test_id (info));
  g_assert_true (local_test_wait_for_end (guest, 0));
  close (guest);
  g_assert_false (local_test_find_process ("cmdline", duration));
}

typedef struct
{
  AsbProvider *provider;
  const char *id;
} Opening;

static gpointer
open_thread (gpointer data)
{
  Opening *opening = data;
  g_autoptr (AsbTransport) transport = local_test_open (opening->provider, opening->id, FALSE);

  return boot_id (transport);
}

static void
test_guest_killed (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create_with (test->provider, ASB_LIFETIME_OWNED);
  Opening opening = { test->provider, local_test_id (info) };
  g_autofree char *first = open_thread (&opening);
  g_autofree char *content = NULL;
  GThread *threads[4];
  g_autofree char *second = NULL;
  int guest = open_guest (test, opening.id);

  g_free (local_test_shell (test->provider, opening.id, NULL, "echo kept > /workspace/file"));
  local_test_signal (guest, SIGKILL);
  g_assert_true (local_test_wait_for_end (guest, PATIENCE));
  close (guest);
  g_assert_cmpuint (local_test_count (test->provider, "stopped"), ==, 1);

  /* Several at once bring one guest back. */
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("open", open_thread, &opening);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_autofree char *mine = g_thread_join (threads[i]);

      if (!second)
        second = g_strdup (mine);
      g_assert_cmpstr (mine, ==, second);
    }
  g_assert_cmpstr (first, !=, second);
  content = local_test_shell (test->provider, opening.id, NULL, "cat /workspace/file");
  g_assert_cmpstr (content, ==, "kept\n");
}

/* A guest that does not answer is ended by force. */
static char *
execute (AsbBackend *backend, const char *text)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandResult) result = asb_backend_execute (backend, spec, NULL, &error);

  g_assert_no_error (error);
  g_assert_null (asb_command_result_get_record_error (result));
  return asb_command_result_dup_stdout_text (result);
}

/* What ran is unknown, and the next operation of the same backend works. */
static void
test_backend_goes_on (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbBackendOptions) options = asb_backend_options_new ();
  g_autoptr (AsbHistoryConfig) history = asb_history_config_new ();
  g_autoptr (AsbCommandSpec) spec
      = asb_command_spec_new_shell ("echo lost; exec tail -f /dev/null");
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbCommand) lost = NULL;
  g_autoptr (GError) error = NULL;
  AsbTransport *before;
  int guest;

  asb_backend_options_set_provider (options, test->provider);
  asb_backend_options_set_history (options, history);
  backend = asb_create_backend (options, NULL, &error);
  g_assert_no_error (error);
  for (int i = 0; i < 3; i++)
    {
      g_autofree char *told = execute (backend, "echo x >> file; cat file");

      g_assert_cmpuint (strlen (told), ==, 2 * ((gsize)i + 1));
      before = asb_backend_get_transport (backend);
      g_set_object (&lost, NULL);
      lost = asb_backend_start_command (backend, spec, NULL, &error);
      g_assert_no_error (error);
      guest = open_guest (test, asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend)));
      local_test_signal (guest, SIGKILL);
      g_assert_false (asb_command_wait (lost, NULL, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
      g_clear_error (&error);
      g_assert_cmpint (asb_command_get_state (lost), ==, ASB_COMMAND_STATE_UNKNOWN);
      g_assert_cmpint (asb_transport_get_state (before), ==, ASB_TRANSPORT_STATE_CLOSED);
      g_assert_true (local_test_wait_for_end (guest, PATIENCE));
      close (guest);
    }
  asb_backend_close (backend, NULL, &error);
  g_assert_no_error (error);
}

typedef struct
{
  guint n_pending;
  guint n_transports;
} Crowd;

static void
crowd_executed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Crowd *crowd = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandResult) end
      = asb_backend_execute_finish (ASB_BACKEND (source), result, &error);

  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_exit_status (end), ==, 0);
  crowd->n_pending--;
}

static void
crowd_cancelled_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Crowd *crowd = user_data;
  g_autoptr (GError) error = NULL;

  g_assert_null (asb_backend_execute_finish (ASB_BACKEND (source), result, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  crowd->n_pending--;
}

static void
count_transport_cb (AsbBackend *backend, GParamSpec *pspec, Crowd *crowd)
{
  crowd->n_transports++;
}

static void
await_closed (AsbTransport *transport)
{
  while (asb_transport_get_state (transport) != ASB_TRANSPORT_STATE_CLOSED)
    g_main_context_iteration (NULL, TRUE);
}

/* More than a guest takes connections; the first, who asks for another guest, cancels. One that
 * blocks where the others could go on does not wait for them. */
static void
test_backend_goes_on_at_once (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbBackendOptions) options = asb_backend_options_new ();
  g_autoptr (AsbHistoryConfig) history = asb_history_config_new ();
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("true");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (AsbBackend) backend = NULL;
  g_autofree char *told = NULL;
  g_autoptr (GError) error = NULL;
  Crowd crowd = { 101, 0 };
  int guest;

  asb_backend_options_set_provider (options, test->provider);
  asb_backend_options_set_history (options, history);
  backend = asb_create_backend (options, NULL, &error);
  g_assert_no_error (error);
  g_signal_connect (backend, "notify::transport", G_CALLBACK (count_transport_cb), &crowd);
  guest = open_guest (test, asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend)));
  local_test_signal (guest, SIGKILL);
  g_assert_true (local_test_wait_for_end (guest, PATIENCE));
  close (guest);
  await_closed (asb_backend_get_transport (backend));

  asb_backend_execute_async (backend, spec, cancellable, crowd_cancelled_cb, &crowd);
  for (guint i = 1; i <= 100; i++)
    asb_backend_execute_async (backend, spec, NULL, crowd_executed_cb, &crowd);
  g_cancellable_cancel (cancellable);
  told = execute (backend, "echo here");
  g_assert_cmpstr (told, ==, "here\n");
  while (crowd.n_pending > 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (crowd.n_transports, <=, 3);
  asb_backend_close (backend, NULL, &error);
  g_assert_no_error (error);
}

static void
test_guest_frozen (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbSandboxInfo) info = create_with (test->provider, ASB_LIFETIME_OWNED);
  int guest = open_guest (test, local_test_id (info));

  local_test_signal (guest, SIGSTOP);
  local_test_delete (test->provider, local_test_id (info));
  g_assert_true (local_test_wait_for_end (guest, 0));
  close (guest);
  g_assert_cmpuint (local_test_count (test->provider, NULL), ==, 0);
}

static void
test_environment_again (LocalTest *test, gconstpointer data)
{
  const char *const environment[] = { "KEY=value", NULL };
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autofree char *told = NULL;
  int guest;

  asb_sandbox_spec_set_environment (spec, environment);
  info = local_test_create (test->provider, spec);
  guest = open_guest (test, local_test_id (info));
  local_test_signal (guest, SIGKILL);
  g_assert_true (local_test_wait_for_end (guest, PATIENCE));
  close (guest);
  told = local_test_shell (test->provider, local_test_id (info), NULL, "echo $KEY");
  g_assert_cmpstr (told, ==, "value\n");
}

/* The child: on a terminal of its own, what runs inside may not type into it. */
static int
be_on_terminal (LocalTest *test)
{
  static const char *const arguments[] = { "terminal", NULL };
  g_autoptr (AsbSandboxInfo) info = local_test_create (test->provider, NULL);
  g_autofree char *worked = local_test_probe (test, local_test_id (info), arguments);

  local_test_delete (test->provider, local_test_id (info));
  g_print ("worked: %s\n", worked);
  return worked[0] == '\0' ? 0 : 1;
}

static char *
read_terminal (int fd)
{
  GString *text = g_string_new (NULL);
  char buffer[256];
  gssize size;

  while ((size = read (fd, buffer, sizeof buffer)) > 0)
    g_string_append_len (text, buffer, size);
  return g_string_free (text, FALSE);
}

static void
take_terminal (gpointer name)
{
  int fd;

  setsid ();
  /* The first terminal a session opens becomes its own. */
  fd = open (name, O_RDWR);
  if (fd < 0 || dup2 (fd, 0) < 0 || dup2 (fd, 1) < 0)
    _exit (126);
}

static void
test_terminal (LocalTest *test, gconstpointer data)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  g_autoptr (GSubprocess) child = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *shown = NULL;
  int master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);

  g_assert_cmpint (grantpt (master), ==, 0);
  g_assert_cmpint (unlockpt (master), ==, 0);
  g_subprocess_launcher_set_child_setup (launcher, take_terminal, ptsname (master), NULL);
  child = g_subprocess_launcher_spawn (launcher, &error, local_test_program (), "--child",
                                       "terminal", test->folder, NULL);
  g_assert_no_error (error);
  shown = read_terminal (master);
  g_assert_true (g_subprocess_wait_check (child, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (shown, ==, "worked: \r\n");
  close (master);
}

static int
be_child (const char *name, const char *folder)
{
  g_autoptr (LocalTest) test = local_test_for_child (folder);

  if (strcmp (name, "owned") == 0)
    be_owner (test, ASB_LIFETIME_OWNED);
  if (strcmp (name, "persistent") == 0)
    be_owner (test, ASB_LIFETIME_PERSISTENT);
  if (strcmp (name, "terminal") == 0)
    return be_on_terminal (test);
  if (strcmp (name, "owned-and-forked") == 0)
    return be_forking_owner (test);
  return 2;
}

int
main (int argc, char **argv)
{
  g_autofree char *unique = g_strdup_printf ("77%d.5", (int)getpid ());
  int status;

  g_setenv ("ASB_TEST_DURATION", unique, FALSE);
  duration = g_getenv ("ASB_TEST_DURATION");
  status = local_test_init (&argc, &argv);
  if (status >= 0)
    return status;
  if (argc == 4)
    return be_child (argv[2], argv[3]);
  local_test_add ("/local/lifetime/owner-killed", test_owner_killed);
  local_test_add ("/local/lifetime/owner-forks", test_owner_forks);
  local_test_add ("/local/lifetime/persistent", test_persistent);
  local_test_add ("/local/lifetime/detached", test_detached);
  local_test_add ("/local/lifetime/deleted", test_deleted);
  local_test_add ("/local/lifetime/guest-killed", test_guest_killed);
  local_test_add ("/local/lifetime/backend-goes-on", test_backend_goes_on);
  local_test_add ("/local/lifetime/backend-goes-on-at-once", test_backend_goes_on_at_once);
  local_test_add ("/local/lifetime/guest-frozen", test_guest_frozen);
  local_test_add ("/local/lifetime/environment-again", test_environment_again);
  local_test_add ("/local/lifetime/terminal", test_terminal);
  return g_test_run ();
}
