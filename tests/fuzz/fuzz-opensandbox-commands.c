/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Commands, terminals, jobs, sessions and code of a sandbox without the guest, whose execd says
 * anything: each call comes to an end, and what nobody told is no end of a command. The first byte
 * says which call it is; then come the answers (scripted-server.h). */

#include "fuzz.h"

#include <gio/gio.h>
#include <signal.h>

#include "look.h"
#include "scripted-server.h"

#define JOB "c1.0123456789abcdef0123456789abcdef"
#define SESSION "s1"
#define MAX_READ (1024 * 1024)

/* Any stream may be missing. Returns whether it came to its end. */
static gboolean
drain (GInputStream *stream, gboolean *is_whole)
{
  char buffer[4096];
  gsize total = 0;
  gssize n = 1;

  while (stream && n > 0 && total < MAX_READ)
    {
      g_autoptr (GError) error = NULL;

      n = g_input_stream_read (stream, buffer, sizeof buffer, NULL, &error);
      FUZZ_CHECK ((n < 0) == (error != NULL));
      scripted_server_check_error (error);
      total += n > 0 ? (gsize)n : 0;
    }
  *is_whole = *is_whole && n == 0;
  return n == 0;
}

static void
type (AsbProcess *process)
{
  GOutputStream *input = asb_process_get_stdin (process);

  if (!input)
    return;
  g_output_stream_write_all (input, "hello\n", 6, NULL, NULL, NULL);
  g_output_stream_close (input, NULL, NULL);
}

static void
check_result (AsbCommandResult *result)
{
  AsbCommandState state = asb_command_result_get_state (result);
  gboolean has_status = asb_command_result_get_has_exit_status (result);
  int status = asb_command_result_get_exit_status (result);
  ScriptedNews news;

  scripted_server_get_news (&news);
  FUZZ_CHECK (!has_status || (status >= 0 && status <= 255));
  FUZZ_CHECK (state != ASB_COMMAND_STATE_SUCCEEDED || (has_status && status == 0));
  FUZZ_CHECK (!has_status || asb_command_result_get_term_signal (result) == 0);
  FUZZ_CHECK (!has_status || news.had_end || news.was_odd);
  fuzz_look_at (result);
}

static gboolean
run_to_end (AsbTransport *transport, AsbCommandSpec *spec, GError **error)
{
  g_autoptr (AsbProcess) process = asb_transport_start_command (transport, spec, NULL, error);
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) lost = NULL;
  gboolean is_whole = TRUE;

  if (!process)
    return FALSE;
  type (process);
  drain (asb_process_get_stdout (process), &is_whole);
  drain (asb_process_get_stderr (process), &is_whole);
  result = asb_process_wait (process, NULL, &lost);
  FUZZ_CHECK ((result == NULL) == (lost != NULL));
  scripted_server_check_error (lost);
  if (result)
    check_result (result);
  /* What has no known end has no whole output. */
  FUZZ_CHECK (result || !is_whole);
  return TRUE;
}

static AsbCommandSpec *
new_spec (AsbCommandFlags flags)
{
  AsbCommandSpec *spec = asb_command_spec_new_shell ("true");

  asb_command_spec_set_flags (spec, flags);
  return spec;
}

static gboolean
run_lines (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbCommandSpec) spec = new_spec (ASB_COMMAND_FLAGS_NONE);

  return run_to_end (transport, spec, error);
}

static gboolean
run_exact (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbCommandSpec) spec = new_spec (ASB_COMMAND_FLAGS_NONE);

  asb_command_spec_set_exact_output (spec, TRUE);
  return run_to_end (transport, spec, error);
}

static gboolean
run_with_input (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbCommandSpec) spec = new_spec (ASB_COMMAND_FLAGS_STDIN_PIPE);

  return run_to_end (transport, spec, error);
}

static gboolean
run_in_terminal (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbCommandSpec) spec = new_spec (ASB_COMMAND_FLAGS_STDIN_PIPE);

  asb_command_spec_set_tty (spec, TRUE);
  return run_to_end (transport, spec, error);
}

static gboolean
run_for_a_while (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbCommandSpec) spec = new_spec (ASB_COMMAND_FLAGS_STDERR_MERGE);

  asb_command_spec_set_timeout_ms (spec, 20);
  return run_to_end (transport, spec, error);
}

static gboolean
signal_it (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbCommandSpec) spec = new_spec (ASB_COMMAND_FLAGS_STDOUT_SILENCE);
  g_autoptr (AsbProcess) process = asb_transport_start_command (transport, spec, NULL, error);
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) refused = NULL;
  g_autoptr (GError) lost = NULL;

  if (!process)
    return FALSE;
  asb_process_send_signal (process, SIGUSR1, NULL, &refused);
  scripted_server_check_error (refused);
  asb_process_force_exit (process);
  result = asb_process_wait (process, NULL, &lost);
  FUZZ_CHECK ((result == NULL) == (lost != NULL));
  scripted_server_check_error (lost);
  if (result)
    check_result (result);
  return TRUE;
}

/* Calls by name. */

static gboolean
check_answer (GVariant *answer)
{
  if (!answer)
    return FALSE;
  FUZZ_CHECK (g_variant_is_of_type (answer, G_VARIANT_TYPE_VARDICT));
  FUZZ_CHECK (g_variant_is_normal_form (answer));
  return TRUE;
}

static gboolean
call_with (AsbTransport *transport, const char *name, const char *arguments, GError **error)
{
  g_autoptr (GVariant) parsed = g_variant_ref_sink (g_variant_new_parsed (arguments));
  g_autoptr (GVariant) answer = asb_transport_call (transport, name, parsed, NULL, error);

  return check_answer (answer);
}

static gboolean
start_job (AsbTransport *transport, GError **error)
{
  g_autoptr (AsbCommandSpec) spec = new_spec (ASB_COMMAND_FLAGS_NONE);
  g_autoptr (GVariant) status = asb_transport_start_job (transport, spec, "name", NULL, error);
  gint64 pid = 0;

  if (!check_answer (status))
    return FALSE;
  FUZZ_CHECK (g_variant_lookup (status, "pid", "x", &pid) && pid > 0);
  return TRUE;
}

static gboolean
tell_job (AsbTransport *transport, GError **error)
{
  return call_with (transport, "job.status", "{'job_id': <'" JOB "'>}", error);
}

static gboolean
wait_for_job (AsbTransport *transport, GError **error)
{
  g_autoptr (GVariant) arguments
      = g_variant_ref_sink (g_variant_new_parsed ("{'job_id': <'" JOB "'>}"));
  g_autoptr (GVariant) status = asb_transport_call (transport, "job.wait", arguments, NULL, error);
  const char *state = NULL;

  if (!check_answer (status))
    return FALSE;
  FUZZ_CHECK (g_variant_lookup (status, "state", "&s", &state));
  FUZZ_CHECK (!g_str_equal (state, "running"));
  return TRUE;
}

static gboolean
stop_job (AsbTransport *transport, GError **error)
{
  return call_with (transport, "job.stop", "{'job_id': <'" JOB "'>}", error);
}

static gboolean
signal_job (AsbTransport *transport, GError **error)
{
  return call_with (transport, "job.signal", "{'job_id': <'" JOB "'>, 'signal': <int64 10>}",
                    error);
}

static gboolean
remove_job (AsbTransport *transport, GError **error)
{
  return call_with (transport, "job.remove", "{'job_id': <'" JOB "'>}", error);
}

static gboolean
list_jobs (AsbTransport *transport, GError **error)
{
  return call_with (transport, "job.list", "{'limit': <int64 2>}", error);
}

static gboolean
read_job (AsbTransport *transport, GError **error)
{
  g_autoptr (GVariant) arguments
      = g_variant_ref_sink (g_variant_new_parsed ("{'job_id': <'" JOB "'>, 'follow': <true>}"));
  g_autoptr (GInputStream) stream
      = asb_transport_open_call (transport, "job.output", arguments, NULL, error);
  gboolean is_whole = TRUE;
  ScriptedNews news;

  if (!stream)
    return FALSE;
  drain (stream, &is_whole);
  scripted_server_get_news (&news);
  FUZZ_CHECK (!is_whole || news.was_last_run || news.was_odd);
  return TRUE;
}

static gboolean
create_session (AsbTransport *transport, GError **error)
{
  return call_with (transport, "session.create", "@a{sv} {}", error);
}

static gboolean
run_in_session (AsbTransport *transport, GError **error)
{
  g_autoptr (GVariant) arguments = g_variant_ref_sink (
      g_variant_new_parsed ("{'session_id': <'" SESSION "'>, 'command': <'true'>}"));
  g_autoptr (GVariant) told = asb_transport_call (transport, "session.run", arguments, NULL, error);
  const char *state = NULL;
  ScriptedNews news;
  int status = -1;

  if (!check_answer (told))
    return FALSE;
  scripted_server_get_news (&news);
  FUZZ_CHECK (g_variant_lookup (told, "state", "&s", &state));
  FUZZ_CHECK (!g_str_equal (state, "succeeded")
              || (g_variant_lookup (told, "exit_status", "i", &status) && status == 0));
  FUZZ_CHECK (!g_str_equal (state, "succeeded") || news.was_last_run || news.was_odd);
  return TRUE;
}

static gboolean
delete_session (AsbTransport *transport, GError **error)
{
  return call_with (transport, "session.delete", "{'session_id': <'" SESSION "'>}", error);
}

static gboolean
run_code (AsbTransport *transport, GError **error)
{
  ScriptedNews news;

  if (!call_with (transport, "code.run", "{'code': <'1'>, 'language': <'python'>}", error))
    return FALSE;
  scripted_server_get_news (&news);
  FUZZ_CHECK (news.had_end || news.was_odd);
  return TRUE;
}

static gboolean
list_contexts (AsbTransport *transport, GError **error)
{
  return call_with (transport, "code.list_contexts", "{'language': <'python'>}", error);
}

static gboolean
create_context (AsbTransport *transport, GError **error)
{
  return call_with (transport, "code.create_context", "{'language': <'python'>}", error);
}

static gboolean (*const calls[]) (AsbTransport *transport, GError **error) = {
  run_lines,      run_exact,      run_with_input, run_in_terminal, run_for_a_while,
  signal_it,      start_job,      tell_job,       wait_for_job,    stop_job,
  signal_job,     remove_job,     list_jobs,      read_job,        create_session,
  run_in_session, delete_session, run_code,       list_contexts,   create_context,
};

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, data + size };
  uint8_t choice = fuzz_take_byte (&input) % G_N_ELEMENTS (calls);
  g_autoptr (AsbTransport) transport = scripted_server_open_native ();
  g_autoptr (GError) error = NULL;
  gboolean is_done;

  scripted_server_begin (&input);
  is_done = calls[choice](transport, &error);
  FUZZ_CHECK (is_done == (error == NULL));
  scripted_server_check_error (error);
  asb_transport_close (transport, NULL, NULL);
  scripted_server_end ();
  return 0;
}
