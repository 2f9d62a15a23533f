/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Jobs of local sandboxes: who they outlive, and who outlives them. */

#include "local-test.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_THREADS 6
#define N_EACH 5

static AsbBackend *
open_backend (AsbBackendOptions *options, AsbProvider *provider)
{
  g_autoptr (AsbHistoryConfig) history = asb_history_config_new ();
  g_autoptr (GError) error = NULL;
  AsbBackend *backend;

  asb_history_config_set_mode (history, ASB_HISTORY_MODE_SANDBOX);
  asb_backend_options_set_history (options, history);
  asb_backend_options_set_provider (options, provider);
  backend = asb_create_backend (options, NULL, &error);
  g_assert_no_error (error);
  return backend;
}

static AsbBackend *
create_backend (AsbProvider *provider, AsbLifetime lifetime)
{
  g_autoptr (AsbBackendOptions) options = asb_backend_options_new ();

  asb_backend_options_set_lifetime (options, lifetime);
  asb_backend_options_set_cleanup (options, ASB_CLEANUP_POLICY_NEVER);
  return open_backend (options, provider);
}

static AsbBackend *
connect_backend (AsbProvider *provider, const char *id)
{
  g_autoptr (AsbBackendOptions) options = asb_backend_options_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) info = asb_provider_get_sandbox (provider, id, NULL, &error);

  g_assert_no_error (error);
  asb_backend_options_set_mode (options, ASB_BACKEND_MODE_CONNECT);
  asb_backend_options_set_ref (options, asb_sandbox_info_get_ref (info));
  return open_backend (options, provider);
}

static void
end_backend (AsbBackend *backend)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (asb_backend_delete_sandbox (backend, NULL, &error));
  g_assert_no_error (error);
  asb_backend_close (backend, NULL, &error);
  g_assert_no_error (error);
}

static AsbJob *
start (AsbBackend *backend, const char *shell, const char *name)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (shell);
  g_autoptr (GError) error = NULL;
  AsbJob *job = asb_backend_start_job (backend, spec, name, NULL, &error);

  g_assert_no_error (error);
  return job;
}

static char *
read_output (AsbJob *job, AsbOutputStream which, gint64 offset)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GInputStream) stream = asb_job_open_output (job, which, offset, TRUE, NULL, &error);
  g_autoptr (GDataInputStream) data = NULL;
  char *text;

  g_assert_no_error (error);
  data = g_data_input_stream_new (stream);
  text = g_data_input_stream_read_upto (data, "", 0, NULL, NULL, &error);
  g_assert_no_error (error);
  return text ? text : g_strdup ("");
}

static void
execute (AsbBackend *backend, const char *shell)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell (shell);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandResult) result = asb_backend_execute (backend, spec, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 0);
}

static void
test_life (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create_backend (test->provider, ASB_LIFETIME_OWNED);
  g_autoptr (AsbJob) job = start (backend, "echo abc; echo e >&2; exit 5", "mine");
  g_autoptr (AsbJob) same = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GListModel) jobs = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *output = read_output (job, ASB_OUTPUT_STREAM_STDOUT, 1);
  g_autofree char *errors = read_output (job, ASB_OUTPUT_STREAM_STDERR, -1);

  g_assert_cmpstr (output, ==, "bc\n");
  g_assert_cmpstr (errors, ==, "e\n");
  result = asb_job_wait (job, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 5);
  g_assert_cmpint (asb_job_get_state (job), ==, ASB_COMMAND_STATE_RUNNING);
  same = asb_backend_query_job (backend, asb_job_get_id (job), NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_job_get_state (same), ==, ASB_COMMAND_STATE_FAILED);
  g_assert_cmpstr (asb_job_get_name (same), ==, "mine");
  jobs = asb_backend_list_jobs (backend, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (jobs), ==, 1);
  g_assert_false (asb_job_send_signal (same, SIGTERM, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (asb_job_remove (same, NULL, &error));
  g_assert_null (asb_backend_query_job (backend, asb_job_get_id (job), NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_JOB_NOT_FOUND);
  g_assert_cmpstr (asb_error_info_get_sandbox_id (asb_error_get_info (error)), ==,
                   asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend)));
  end_backend (backend);
}

static void
test_refused (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create_backend (test->provider, ASB_LIFETIME_OWNED);
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("true");
  g_autoptr (AsbJob) job = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  asb_command_spec_set_cwd (spec, "/nope");
  g_assert_null (asb_backend_start_job (backend, spec, NULL, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_WORKING_DIRECTORY);
  g_clear_error (&error);
  job = start (backend, "setsid sleep 1000 & sleep 1000", NULL);
  g_assert_false (asb_job_remove (job, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_JOB_RUNNING);
  g_clear_error (&error);
  result = asb_job_stop (job, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_state (result), ==, ASB_COMMAND_STATE_CANCELLED);
  end_backend (backend);
}

static void
test_closed (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbBackend) first = create_backend (test->provider, ASB_LIFETIME_PERSISTENT);
  g_autoptr (AsbBackend) second = NULL;
  g_autoptr (AsbJob) job = NULL;
  g_autoptr (AsbJob) found = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *output = NULL;

  g_test_summary ("Closing a backend ends waiting, and no job");

  execute (first, "mkfifo go");
  job = start (first, "read x < go; echo $x; exit 4", NULL);
  asb_backend_close (first, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (asb_job_wait (job, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CLOSED);
  g_clear_error (&error);

  second = connect_backend (test->provider,
                            asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (first)));
  found = asb_backend_query_job (second, asb_job_get_id (job), NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_job_get_state (found), ==, ASB_COMMAND_STATE_RUNNING);
  execute (second, "echo now > go");
  output = read_output (found, ASB_OUTPUT_STREAM_STDOUT, 0);
  g_assert_cmpstr (output, ==, "now\n");
  result = asb_job_wait (found, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 4);
  end_backend (second);
}

/* The child: starts a job, says which and waits to be killed. */
static void G_GNUC_NORETURN
be_client (LocalTest *test)
{
  g_autoptr (AsbBackend) backend = create_backend (test->provider, ASB_LIFETIME_PERSISTENT);
  g_autoptr (AsbJob) job = NULL;

  execute (backend, "mkfifo go");
  job = start (backend, "read x < go; echo $x; exit 6", NULL);
  g_print ("%s %s\n", asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend)),
           asb_job_get_id (job));
  for (;;)
    pause ();
}

static void
test_killed_client (LocalTest *test, gconstpointer data)
{
  g_autoptr (GSubprocess) client = local_test_child (test, "client", G_SUBPROCESS_FLAGS_NONE);
  g_autofree char *line = local_test_read_line (client);
  g_auto (GStrv) ids = g_strsplit (line, " ", 2);
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbJob) job = NULL;
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  g_subprocess_force_exit (client);
  g_assert_true (g_subprocess_wait (client, NULL, NULL));
  backend = connect_backend (test->provider, ids[0]);
  job = asb_backend_query_job (backend, ids[1], NULL, &error);
  g_assert_no_error (error);
  execute (backend, "echo now > go");
  result = asb_job_wait (job, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (asb_command_result_get_exit_status (result), ==, 6);
  end_backend (backend);
}

static void
test_killed_guest (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbBackend) first = create_backend (test->provider, ASB_LIFETIME_PERSISTENT);
  const char *id = asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (first));
  g_autofree char *folder = local_test_path (test, id, "");
  g_autoptr (AsbJob) job = start (first, "sleep 1000", NULL);
  g_autoptr (AsbBackend) second = NULL;
  g_autoptr (GError) error = NULL;
  const int pid = local_test_guest_pid (folder);
  const int process = local_test_open_process (pid);

  g_test_summary ("Nobody invents how a job ended whose guest was killed");

  g_assert_cmpint (kill (pid, SIGKILL), ==, 0);
  g_assert_null (asb_job_wait (job, NULL, &error));
  /* The question was sent and lost, was not sent at all, or came to the next guest. */
  g_assert_true (g_error_matches (error, ASB_ERROR, ASB_ERROR_INTERRUPTED)
                 || g_error_matches (error, ASB_ERROR, ASB_ERROR_CLOSED)
                 || g_error_matches (error, ASB_ERROR, ASB_ERROR_JOB_NOT_FOUND));
  g_clear_error (&error);
  g_assert_true (local_test_wait_for_end (process, -1));
  close (process);
  asb_backend_close (first, NULL, NULL);

  second = connect_backend (test->provider, id);
  g_assert_null (asb_backend_query_job (second, asb_job_get_id (job), NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_JOB_NOT_FOUND);
  end_backend (second);
}

static gpointer
run_several (gpointer data)
{
  for (int i = 0; i < N_EACH; i++)
    {
      g_autofree char *shell = g_strdup_printf ("echo %p; exit %d", (void *)g_thread_self (), i);
      g_autofree char *expected = g_strdup_printf ("%p\n", (void *)g_thread_self ());
      g_autoptr (AsbJob) job = start (data, shell, NULL);
      g_autofree char *output = read_output (job, ASB_OUTPUT_STREAM_STDOUT, 0);
      g_autoptr (AsbCommandResult) result = asb_job_wait (job, NULL, NULL);

      g_assert_cmpstr (output, ==, expected);
      g_assert_cmpint (asb_command_result_get_exit_status (result), ==, i);
    }
  return NULL;
}

static void
test_threads (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = create_backend (test->provider, ASB_LIFETIME_OWNED);
  g_autoptr (GListModel) jobs = NULL;
  GThread *threads[N_THREADS];

  for (gsize i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("jobs", run_several, backend);
  for (gsize i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  jobs = asb_backend_list_jobs (backend, NULL, NULL);
  g_assert_cmpuint (g_list_model_get_n_items (jobs), ==, N_THREADS * N_EACH);
  end_backend (backend);
}

int
main (int argc, char **argv)
{
  const int status = local_test_init (&argc, &argv);

  if (status >= 0)
    return status;
  if (argc == 4)
    {
      g_autoptr (LocalTest) test = local_test_for_child (argv[3]);

      be_client (test);
    }
  local_test_add ("/local/jobs/life", test_life);
  local_test_add ("/local/jobs/refused", test_refused);
  local_test_add ("/local/jobs/closed", test_closed);
  local_test_add ("/local/jobs/killed-client", test_killed_client);
  local_test_add ("/local/jobs/killed-guest", test_killed_guest);
  local_test_add ("/local/jobs/threads", test_threads);
  return g_test_run ();
}
