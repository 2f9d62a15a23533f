/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a guest says of jobs, also one that lies. */

#include "asb-job-private.h"
#include "peer.h"

#include <string.h>

#define RESULT                                                                                     \
  "{\"command_id\": \"j1\", \"reason\": \"exited\", \"exit_code\": 3, \"signal\": null,"           \
  " \"duration_ns\": 5000, \"stdout_bytes\": 9, \"stderr_bytes\": 0,"                              \
  " \"started_at\": {\"sec\": 1, \"nsec\": 0}, \"ended_at\": {\"sec\": 2, \"nsec\": 0}}"

#define MEMBERS                                                                                    \
  "\"job_id\": \"j1\", \"number\": 1, \"command\": \"cat x\", \"pid\": 7,"                         \
  " \"started_at\": {\"sec\": 1, \"nsec\": 0}"

#define STREAMS "\"stdout\": {\"bytes\": 9, \"first\": 4}, \"stderr\": {\"bytes\": 0, \"first\": 0}"

#define RUNNING "{" MEMBERS ", " STREAMS ", \"state\": \"running\"}"

static AsbJob *
parse (const char *text, GError **error)
{
  json_t *json = json_loads (text, 0, NULL);
  AsbJob *job;

  g_assert_nonnull (json);
  job = asb_job_new_from_json (NULL, json, error);
  json_decref (json);
  return job;
}

/* As of a guest that took one. */
static void
test_name_that_is_empty (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbJob) job
      = parse ("{" MEMBERS ", " STREAMS ", \"name\": \"\", \"state\": \"running\"}", &error);

  g_assert_no_error (error);
  g_assert_null (asb_job_get_name (job));
}

static void
test_running (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbJob) job = parse (RUNNING, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (asb_job_get_id (job), ==, "j1");
  g_assert_cmpstr (asb_job_get_command (job), ==, "cat x");
  g_assert_null (asb_job_get_name (job));
  g_assert_cmpint (asb_job_get_pid (job), ==, 7);
  g_assert_cmpint (asb_job_get_state (job), ==, ASB_COMMAND_STATE_RUNNING);
  g_assert_null (asb_job_get_result (job));
  g_assert_cmpint (g_date_time_to_unix (asb_job_get_started_at (job)), ==, 1);
  g_assert_cmpuint (asb_job_get_stdout_total (job), ==, 9);
  g_assert_cmpuint (asb_job_get_stdout_first (job), ==, 4);
  g_assert_cmpuint (asb_job_get_stderr_total (job), ==, 0);
  g_assert_cmpuint (asb_job_get_stderr_first (job), ==, 0);
  g_assert_null (asb_job_get_output_error (job));
  g_assert_null (asb_job_get_record_error (job));
}

static void
test_ended (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbJob) job
      = parse ("{" MEMBERS ", " STREAMS ", \"state\": \"ended\", \"name\": {\"b64\": \"Yf8=\"},"
               " \"output_error\": \"No\\nspace\", \"result\": " RESULT ","
               " \"record\": {\"state\": \"failed\", \"message\": \"full\"}}",
               &error);

  g_assert_no_error (error);
  g_assert_cmpint (asb_job_get_state (job), ==, ASB_COMMAND_STATE_FAILED);
  g_assert_cmpint (asb_command_result_get_exit_status (asb_job_get_result (job)), ==, 3);
  g_assert_cmpstr (asb_job_get_name (job), ==, "a\357\277\275");
  g_assert_cmpstr (asb_job_get_output_error (job), ==, "No\357\277\275space");
  g_assert_cmpstr (asb_job_get_record_error (job), ==, "full");
}

static void
test_ended_somehow (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbJob) job = parse ("{" MEMBERS ", " STREAMS ", \"state\": \"ended\"}", &error);

  g_test_summary ("An end that is not told is unknown, and not a success");

  g_assert_no_error (error);
  g_assert_cmpint (asb_job_get_state (job), ==, ASB_COMMAND_STATE_UNKNOWN);
  g_assert_false (asb_command_result_get_has_exit_status (asb_job_get_result (job)));
}

static void
test_lies (gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (parse (data, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

static const struct
{
  const char *name;
  const char *status;
} LIES[] = {
  { "nothing", "{}" },
  { "no-streams", "{" MEMBERS ", \"state\": \"running\"}" },
  { "no-state", "{" MEMBERS ", " STREAMS "}" },
  { "odd-state", "{" MEMBERS ", " STREAMS ", \"state\": \"done\"}" },
  { "first-beyond-the-end",
    "{" MEMBERS ", \"stdout\": {\"bytes\": 9, \"first\": 10}, \"stderr\": {\"bytes\": 0,"
    " \"first\": 0}, \"state\": \"running\"}" },
  { "negative", "{" MEMBERS ", \"stdout\": {\"bytes\": -1, \"first\": 0}, \"stderr\": {\"bytes\":"
                " 0, \"first\": 0}, \"state\": \"running\"}" },
  { "result-of-another", "{" MEMBERS ", " STREAMS ", \"state\": \"ended\", \"result\":"
                         " {\"command_id\": \"j2\"}}" },
  { "result-is-a-number", "{" MEMBERS ", " STREAMS ", \"state\": \"ended\", \"result\": 0}" },
  { "name-is-a-number", "{" MEMBERS ", " STREAMS ", \"state\": \"running\", \"name\": 5}" },
  { "record-is-text", "{" MEMBERS ", " STREAMS ", \"state\": \"running\", \"record\": \"ok\"}" },
};

/* Over a transport. */

static void
test_start (void)
{
  g_autoptr (Peer) peer = peer_new ();
  g_autoptr (AsbTransport) transport = peer_open (peer);
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("cat x");
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GVariant) status = NULL;
  g_autoptr (GError) error = NULL;
  Pending pending = { 0 };
  const char *id;

  asb_transport_start_job_async (transport, spec, "n", NULL, pending_cb, &pending);
  peer_expect_arguments (peer, "job.start",
                         "{\"shell\": \"cat x\", \"stdin\": \"none\", \"stdout\": \"stream\","
                         " \"stderr\": \"stream\", \"name\": \"n\"}");
  peer_send_text (peer, ASB_FRAME_REPLY, 1, "{\"result\": " RUNNING "}");
  result = pending_wait (&pending);
  status = asb_transport_start_job_finish (transport, result, &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (status, "job_id", "&s", &id));
  g_assert_cmpstr (id, ==, "j1");
}

static void
test_interrupted_start (void)
{
  g_autoptr (Peer) peer = peer_new ();
  g_autoptr (AsbTransport) transport = peer_open (peer);
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("cat x");
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  Pending pending = { 0 };

  asb_transport_start_job_async (transport, spec, NULL, NULL, pending_cb, &pending);
  peer_skip (peer, ASB_FRAME_CALL);
  peer_close (peer);
  result = pending_wait (&pending);
  g_assert_null (asb_transport_start_job_finish (transport, result, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
}

static void
test_quiet_stream (void)
{
  g_autoptr (Peer) peer = peer_new ();
  g_autoptr (AsbTransport) transport = peer_open (peer);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GError) error = NULL;
  Pending pending = { 0 };
  char bytes[8];

  g_test_summary ("A stream is there once the guest says so, before there is a byte");

  asb_transport_open_call_async (transport, "job.output", NULL, NULL, pending_cb, &pending);
  peer_skip (peer, ASB_FRAME_CALL);
  peer_send_text (peer, ASB_FRAME_EVENT, 1, "{\"event\": \"opened\", \"offset\": 0}");
  result = pending_wait (&pending);
  stream = asb_transport_open_call_finish (transport, result, &error);
  g_assert_no_error (error);
  /* Saying it twice changes nothing. */
  peer_send_text (peer, ASB_FRAME_EVENT, 1, "{\"event\": \"opened\", \"offset\": 0}");
  peer_send_data (peer, 1, ASB_CHANNEL_OUTPUT, "abc");
  g_assert_cmpint (g_input_stream_read (stream, bytes, sizeof bytes, NULL, &error), ==, 3);
  peer_send_end (peer, 1, ASB_CHANNEL_OUTPUT);
  peer_send_text (peer, ASB_FRAME_REPLY, 1,
                  "{\"error\": {\"code\": \"output_dropped\", \"message\": \"Gone\"}}");
  g_assert_cmpint (g_input_stream_read (stream, bytes, sizeof bytes, NULL, &error), ==, -1);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_OUTPUT_DROPPED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/guest-jobs/status/running", test_running);
  g_test_add_func ("/guest-jobs/status/name-that-is-empty", test_name_that_is_empty);
  g_test_add_func ("/guest-jobs/status/ended", test_ended);
  g_test_add_func ("/guest-jobs/status/ended-somehow", test_ended_somehow);
  for (gsize i = 0; i < G_N_ELEMENTS (LIES); i++)
    {
      g_autofree char *path = g_strdup_printf ("/guest-jobs/status/lies/%s", LIES[i].name);

      g_test_add_data_func (path, LIES[i].status, test_lies);
    }
  g_test_add_func ("/guest-jobs/start", test_start);
  g_test_add_func ("/guest-jobs/start/interrupted", test_interrupted_start);
  g_test_add_func ("/guest-jobs/output/quiet", test_quiet_stream);

  return g_test_run ();
}
