/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-native.h"

#include <string.h>

/* Sessions of bash: what one command leaves behind the next one finds. */

typedef struct
{
  AsbTestNative native;
  char *session;
} World;

static GVariant *
call (World *world, const char *name, GVariantDict *arguments, GCancellable *cancellable,
      GError **error)
{
  return asb_transport_call (world->native.transport, name, g_variant_dict_end (arguments),
                             cancellable, error);
}

static GVariant *
run (World *world, const char *command, gint64 timeout_ms, GCancellable *cancellable,
     GError **error)
{
  GVariantDict arguments;

  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert (&arguments, "session_id", "s", world->session);
  g_variant_dict_insert (&arguments, "command", "s", command);
  g_variant_dict_insert (&arguments, "timeout_ms", "x", timeout_ms);
  return call (world, "session.run", &arguments, cancellable, error);
}

static void
delete_session (World *world, GError **error)
{
  GVariantDict arguments;
  g_autoptr (GVariant) deleted = NULL;

  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert (&arguments, "session_id", "s", world->session);
  deleted = call (world, "session.delete", &arguments, NULL, error);
}

static void
world_open (World *world, const char *image)
{
  g_autoptr (GVariant) created = NULL;
  GVariantDict arguments;
  g_autoptr (GError) error = NULL;

  asb_test_native_open (&world->native, NULL, image);
  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert (&arguments, "cwd", "s", "/work/new");
  created = call (world, "session.create", &arguments, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (created, "session_id", "s", &world->session));
}

static void
world_close (World *world)
{
  asb_test_native_close (&world->native);
  g_free (world->session);
}

/* @status: −1 for none */
static void
check_run (World *world, const char *command, const char *expected, const char *expected_state,
           int expected_status)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) result = run (world, command, 0, NULL, &error);
  const char *output = NULL;
  const char *state = NULL;
  int status = -1;

  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (result, "output", "&s", &output));
  g_assert_true (g_variant_lookup (result, "state", "&s", &state));
  g_variant_lookup (result, "exit_status", "i", &status);
  g_assert_cmpstr (output, ==, expected);
  g_assert_cmpstr (state, ==, expected_state);
  g_assert_cmpint (status, ==, expected_status);
}

static void
test_what_stays (void)
{
  World world;
  g_autoptr (GVariant) unended = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("The working directory and the environment stay, whatever the commands are");

  world_open (&world, "python:3.12");
  check_run (&world, "pwd; export A='1 2'; cd /work", "/work/new\n", "succeeded", 0);
  check_run (&world, "pwd; echo \"$A\" >&2", "/work\n1 2\n", "succeeded", 0);
  check_run (&world, "cat <<'EOF' >t\nhello\nEOF", "", "succeeded", 0);
  check_run (&world, "cat t; exit 5", "hello\n", "failed", 5);
  check_run (&world, "kill -9 $$", "", "failed", -1);
  check_run (&world, "(exit 3)", "", "failed", 3);
  unended = run (&world, "cat <<'EOF' >u\nunended", 0, NULL, &error);
  g_assert_no_error (error);
  check_run (&world, "echo on", "on\n", "succeeded", 0);
  world_close (&world);
}

static void
assert_none_left (World *world)
{
  /* Who looks is none of them: the script of the shell is a file. */
  check_run (
      world,
      "until ! cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -q 'sleep 471[1]'\n"
      "do :; done; echo none",
      "none\n", "succeeded", 0);
}

static void
test_time_limit (void)
{
  World world;
  g_autoptr (GVariant) result = NULL;
  g_autoptr (GVariant) held = NULL;
  const char *state = NULL;
  const char *output = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("What takes too long is ended with all that it started, and what it printed is "
                  "kept; what left its group does not hold the answer");

  world_open (&world, "python:3.12");
  /* On a machine that stands still the time may be up before it begins. */
  for (gint64 timeout = 300; output == NULL || *output == '\0'; timeout *= 10)
    {
      g_assert_cmpint (timeout, <, 60000);
      g_clear_pointer (&result, g_variant_unref);
      result = run (&world, "echo before; sleep 4711", timeout, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (g_variant_lookup (result, "state", "&s", &state));
      g_assert_cmpstr (state, ==, "timeout");
      g_assert_true (g_variant_lookup (result, "output", "&s", &output));
    }
  g_assert_cmpstr (output, ==, "before\n");
  assert_none_left (&world);
  held = run (&world, "setsid sleep 1000 & wait", 300, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (held, "state", "&s", &state));
  g_assert_cmpstr (state, ==, "timeout");
  world_close (&world);
}

static void
ran_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError **error = user_data;
  g_autoptr (GVariant) none = asb_transport_call_finish (ASB_TRANSPORT (source), result, error);

  g_assert_null (none);
}

/* Once it runs. */
static void
cancel_command (World *world)
{
  GVariantDict arguments;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert (&arguments, "session_id", "s", world->session);
  g_variant_dict_insert (&arguments, "command", "s", "sleep 4711");
  asb_transport_call_async (world->native.transport, "session.run", g_variant_dict_end (&arguments),
                            cancellable, ran_cb, &error);
  check_run (world,
             "until cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -q 'sleep 471[1]'\n"
             "do :; done",
             "", "succeeded", 0);
  g_cancellable_cancel (cancellable);
  while (!error)
    g_main_context_iteration (NULL, TRUE);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  assert_none_left (world);
}

static void
test_cancelled (void)
{
  World world;

  g_test_summary ("A command whose caller does not want it any more is ended");

  world_open (&world, "python:3.12");
  cancel_command (&world);
  world_close (&world);
}

static void
test_cancelled_early (void)
{
  World world;

  g_test_summary ("Also one that was begun, and of which nothing has been heard yet");

  world_open (&world, "python:3.12");
  asb_test_server_fault (world.native.server,
                         "{'path':'*/run','nth':1,'times':1,'action':'late','ms':2000}");
  cancel_command (&world);
  world_close (&world);
}

static void
test_refused (void)
{
  World world;
  g_autoptr (GVariant) none = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A session that is not there, and one without a command, are refused");

  world_open (&world, "python:3.12");
  none = run (&world, "", 0, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  none = run (&world, "true", -1, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  delete_session (&world, &error);
  g_assert_no_error (error);
  delete_session (&world, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  none = run (&world, "true", 0, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  world_close (&world);
}

static void
test_no_bash (void)
{
  World world;
  g_autoptr (GVariant) none = NULL;
  g_autoptr (GError) error = NULL;

  world_open (&world, "busybox");
  none = run (&world, "true", 0, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  world_close (&world);
}

static void
test_cut (void)
{
  World world;
  g_autoptr (GVariant) none = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("What became of a command whose events broke off is unknown");

  world_open (&world, "python:3.12");
  asb_test_server_fault (world.native.server,
                         "{'path':'*/run','action':'tail','events':3,'body':''}");
  none = run (&world, "echo a; echo b", 0, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_assert_nonnull (strstr (error->message, "unknown"));
  asb_test_server_heal (world.native.server);
  world_close (&world);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/opensandbox/native/sessions/what-stays", test_what_stays);
  g_test_add_func ("/opensandbox/native/sessions/time-limit", test_time_limit);
  g_test_add_func ("/opensandbox/native/sessions/cancelled", test_cancelled);
  g_test_add_func ("/opensandbox/native/sessions/cancelled-early", test_cancelled_early);
  g_test_add_func ("/opensandbox/native/sessions/refused", test_refused);
  g_test_add_func ("/opensandbox/native/sessions/no-bash", test_no_bash);
  g_test_add_func ("/opensandbox/native/sessions/cut", test_cut);
  return g_test_run ();
}
