/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-native.h"

#include <signal.h>
#include <string.h>

/* Jobs through execd alone, as programs have them. */

typedef struct
{
  AsbTestServer *server;
  AsbBackend *backend;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer image)
{
  g_autoptr (AsbHistoryConfig) history
      = g_object_new (ASB_TYPE_HISTORY_CONFIG, "mode", ASB_HISTORY_MODE_NONE, NULL);
  g_autoptr (AsbOpensandboxConfig) config = g_object_new (
      ASB_TYPE_OPENSANDBOX_CONFIG, "history", history, "transport", "native", "image", image, NULL);
  g_autofree char *url = NULL;
  g_autoptr (GError) error = NULL;

  fixture->server = asb_test_server_new (NULL);
  url = g_strdup_printf ("http://127.0.0.1:%u", asb_test_server_get_port (fixture->server));
  fixture->backend = asb_create_opensandbox_backend (url, config, NULL, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer image)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_backend_close (fixture->backend, NULL, &error));
  g_assert_no_error (error);
  g_object_unref (fixture->backend);
  asb_test_server_free (fixture->server);
}

static AsbJob *
start (Fixture *fixture, const char *text, const char *name)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (text);
  g_autoptr (GError) error = NULL;
  AsbJob *job = asb_backend_start_job (fixture->backend, spec, name, NULL, &error);

  g_assert_no_error (error);
  return job;
}

static GBytes *
read_output (AsbJob *job, AsbOutputStream which, gint64 offset, gboolean follow)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GInputStream) stream = asb_job_open_output (job, which, offset, follow, NULL, &error);
  GBytes *bytes;

  g_assert_no_error (error);
  bytes = asb_test_native_read_all (stream, &error);
  g_assert_no_error (error);
  return bytes;
}

static void
assert_output (AsbJob *job, AsbOutputStream which, gint64 offset, const char *expected, gsize size)
{
  g_autoptr (GBytes) bytes = read_output (job, which, offset, FALSE);

  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), expected, size);
}

static void
test_whole (Fixture *fixture, gconstpointer image)
{
  g_autoptr (AsbJob) job = start (fixture, "printf 'a\\377\\0b'; echo e >&2; exit 4", "the name");
  g_autoptr (AsbJob) again = NULL;
  g_autoptr (AsbJob) gone = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GListModel) list = NULL;
  g_autoptr (GError) error = NULL;

  result = asb_job_wait (job, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 4);
  g_assert_cmpuint (asb_command_result_get_stdout_total (result), ==, 4);
  assert_output (job, ASB_OUTPUT_STREAM_STDOUT, -1, "a\377\0b", 4);
  assert_output (job, ASB_OUTPUT_STREAM_STDOUT, 2, "\0b", 2);
  assert_output (job, ASB_OUTPUT_STREAM_STDOUT, 9, "", 0);
  assert_output (job, ASB_OUTPUT_STREAM_STDERR, -1, "e\n", 2);

  again = asb_backend_query_job (fixture->backend, asb_job_get_id (job), NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (asb_job_get_name (again), ==, "the name");
  g_assert_cmpint (asb_job_get_state (again), ==, ASB_COMMAND_STATE_FAILED);
  list = asb_backend_list_jobs (fixture->backend, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 1);

  g_assert_true (asb_job_remove (job, NULL, &error));
  g_assert_no_error (error);
  gone = asb_backend_query_job (fixture->backend, asb_job_get_id (job), NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_JOB_NOT_FOUND);
}

static void
test_stopped (Fixture *fixture, gconstpointer image)
{
  g_autoptr (AsbJob) job = start (fixture, "trap '' TERM; echo; while :; do sleep 1; done", NULL);
  g_autoptr (AsbJob) signalled = start (fixture, "exec sleep 1000", NULL);
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (AsbCommandResult) end = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (asb_job_remove (job, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_JOB_RUNNING);
  g_clear_error (&error);
  result = asb_job_stop (job, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_state (result), ==, ASB_COMMAND_STATE_CANCELLED);

  g_assert_true (asb_job_send_signal (signalled, SIGUSR1, NULL, &error));
  g_assert_no_error (error);
  end = asb_job_wait (signalled, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_state (end), ==, ASB_COMMAND_STATE_FAILED);
  g_assert_cmpint (asb_command_result_get_term_signal (end), ==, SIGUSR1);
}

static void
test_followed (Fixture *fixture, gconstpointer image)
{
  g_autoptr (AsbJob) job
      = start (fixture, "i=0; while [ $i -lt 5 ]; do echo $i; i=$((i+1)); sleep 0.1; done", NULL);
  g_autoptr (GBytes) bytes = read_output (job, ASB_OUTPUT_STREAM_STDOUT, 2, TRUE);

  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "1\n2\n3\n4\n", 8);
}

static void
test_large (Fixture *fixture, gconstpointer image)
{
  g_autoptr (AsbJob) job = start (fixture, "head -c 1500000 /dev/zero", NULL);
  g_autoptr (GBytes) bytes = read_output (job, ASB_OUTPUT_STREAM_STDOUT, 0, TRUE);

  g_assert_cmpuint (g_bytes_get_size (bytes), ==, 1500000);
}

static void
test_refused (Fixture *fixture, gconstpointer image)
{
  static const char *const argv[] = { "no-such-program", NULL };
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_argv (argv);
  g_autoptr (AsbJob) job = NULL;
  g_autoptr (AsbJob) none = NULL;
  g_autoptr (GListModel) list = NULL;
  g_autoptr (GError) error = NULL;

  job = asb_backend_start_job (fixture->backend, spec, NULL, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_COMMAND_NOT_FOUND);
  g_clear_error (&error);
  list = asb_backend_list_jobs (fixture->backend, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 0);
  none = asb_backend_query_job (fixture->backend, "no such.'; touch /tmp/x", NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_JOB_NOT_FOUND);
}

static void
test_timeout (Fixture *fixture, gconstpointer image)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("exec sleep 1000");
  g_autoptr (AsbJob) job = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  asb_command_spec_set_timeout_ms (spec, 300);
  job = asb_backend_start_job (fixture->backend, spec, NULL, NULL, &error);
  g_assert_no_error (error);
  result = asb_job_wait (job, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_state (result), ==, ASB_COMMAND_STATE_TIMEOUT);
}

/* What bash does first of all. */
static void
write_for_bash (Fixture *fixture, const char *text)
{
  g_autofree char *line = g_strdup_printf ("printf '%%s\\n' \"$TEXT\" >/tmp/slow");
  g_autofree char *variable = g_strconcat ("TEXT=", text, NULL);
  const char *const environment[] = { variable, NULL };
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (line);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandResult) result = NULL;

  asb_command_spec_set_environment (spec, environment);
  result = asb_backend_execute (fixture->backend, spec, NULL, &error);
  g_assert_no_error (error);
}

static void
test_late (Fixture *fixture, gconstpointer image)
{
  /* Before it has told anything, and while it is about to. */
  static const char *const slow[] = {
    "[ -e /tmp/once0 ] || { : >/tmp/once0; exec sleep 1000; }",
    "n=0; trap 'n=$((n+1)); [ $n != 2 ] || [ -e /tmp/once1 ] || { : >/tmp/once1; sleep 1000; }'"
    " DEBUG"
  };
  static const char *const environment[] = { "BASH_ENV=/tmp/slow", NULL };

  g_test_summary ("A job whose time is up before it has begun is given more, and is done once");

  for (gsize i = 0; i < G_N_ELEMENTS (slow); i++)
    {
      g_autoptr (AsbCommandSpec) spec
          = asb_command_spec_new_shell ("echo begun >>/tmp/begun; exec sleep 1000");
      g_autoptr (AsbCommandSpec) look
          = asb_command_spec_new_shell ("cat /tmp/begun; rm /tmp/begun");
      g_autoptr (AsbJob) job = NULL;
      g_autoptr (AsbCommandResult) result = NULL;
      g_autoptr (AsbCommandResult) looked = NULL;
      g_autofree char *text = NULL;
      g_autoptr (GError) error = NULL;

      write_for_bash (fixture, slow[i]);
      asb_command_spec_set_timeout_ms (spec, 300);
      asb_command_spec_set_environment (spec, environment);
      job = asb_backend_start_job (fixture->backend, spec, NULL, NULL, &error);
      g_assert_no_error (error);
      result = asb_job_wait (job, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (asb_command_result_get_state (result), ==, ASB_COMMAND_STATE_TIMEOUT);
      looked = asb_backend_execute (fixture->backend, look, NULL, &error);
      g_assert_no_error (error);
      text = asb_command_result_dup_stdout_text (looked);
      g_assert_cmpstr (text, ==, "begun\n");
    }
}

#define SAID_NOTHING                                                                               \
  "{\\\"type\\\":\\\"init\\\",\\\"text\\\":\\\"c1\\\"}\\n\\n"                                      \
  "{\\\"type\\\":\\\"error\\\",\\\"error\\\":{\\\"ename\\\":\\\"E\\\",\\\"evalue\\\":\\\"125\\\"}" \
  "}\\n\\n"

static void
test_no_room (Fixture *fixture, gconstpointer image)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("true");
  g_autoptr (AsbJob) job = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A job that is not begun where nothing that is printed can be kept says why");
  asb_test_server_fault (fixture->server,
                         "{'method':'POST','path':'*/command','nth':1,'action':'reply',"
                         "'status':200,'type':'text/event-stream','body':'" SAID_NOTHING "'}");
  job = asb_backend_start_job (fixture->backend, spec, NULL, NULL, &error);
  g_assert_null (job);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_NO_SPACE);
}

static void
test_silent (Fixture *fixture, gconstpointer image)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("exec sleep 1000");
  g_autoptr (AsbJob) job = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A job that does not begin is said to, with the reason, and is ended");

  asb_test_server_fault (
      fixture->server,
      "{'method':'POST','path':'/command','nth':1,'action':'reply','status':200,"
      "'type':'text/event-stream','body':'"
      "{\\'type\\':\\'init\\',\\'text\\':\\'1\\'}\\n\\n"
      "{\\'type\\':\\'stdout\\',\\'text\\':\\'ready\\'}\\n\\n"
      "{\\'type\\':\\'error\\',\\'error\\':{\\'ename\\':\\'E\\',\\'evalue\\':\\'-1\\',"
      "\\'traceback\\':[\\'signal: killed\\']}}\\n\\n'}");
  job = asb_backend_start_job (fixture->backend, spec, NULL, NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_COMMAND_EXECUTION);
  g_assert_nonnull (strstr (error->message, "had not begun after"));
  asb_test_server_heal (fixture->server);
  while (asb_test_server_count (fixture->server, "DELETE", "/command") == 0)
    ;
}

static void
add (const char *name, void (*function) (Fixture *fixture, gconstpointer image))
{
  static const char *const images[] = { "python:3.12", "busybox" };

  for (gsize i = 0; i < G_N_ELEMENTS (images); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/opensandbox/native/jobs/%s/%s", name, i == 0 ? "bash" : "busybox");

      g_test_add (path, Fixture, images[i], set_up, function, tear_down);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("whole", test_whole);
  add ("stopped", test_stopped);
  add ("followed", test_followed);
  add ("large", test_large);
  add ("refused", test_refused);
  add ("timeout", test_timeout);
  add ("silent", test_silent);
  add ("no-room", test_no_room);
  g_test_add ("/opensandbox/native/jobs/late", Fixture, "python:3.12", set_up, test_late,
              tear_down);
  return g_test_run ();
}
