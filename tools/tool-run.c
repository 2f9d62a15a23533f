/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-run.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tool-input.h"
#include "tool-message.h"
#include "tool-output.h"
#include "tool-sandbox.h"
#include "tool-signals.h"
#include "tool-terminal.h"
#include "tool-text.h"

#define SECOND_INTERRUPT_US (2 * G_USEC_PER_SEC)

/* One command with its streams. Counted, as an idle standard input outlives it. */
typedef struct
{
  Tool *tool;
  AsbBackend *backend;
  AsbCommand *command;
  GCancellable *input_cancellable;
  GCancellable *output_cancellable;
  guint n_pending; /* its end, and that of its two outputs */
  GError *error;
  int output_status;     /* the exit status, when output had nowhere to go */
  int given_up;          /* the signal after which nothing is waited for any more, or 0 */
  gboolean has_ended;    /* the command; its output may still have to be written */
  gboolean input_failed; /* what asb was given could not be read to its end */
  gint64 interrupted_at;
  gboolean has_terminal; /* the command */
} Session;

static void
session_clear (gpointer data)
{
  Session *session = data;

  g_clear_object (&session->command);
  g_clear_object (&session->input_cancellable);
  g_clear_object (&session->output_cancellable);
  g_clear_error (&session->error);
}

static void
session_release (Session *session)
{
  g_rc_box_release_full (session, session_clear);
}

static void
give_up (Session *session, int signal_number)
{
  session->given_up = signal_number;
  asb_command_force_exit (session->command);
  g_cancellable_cancel (session->output_cancellable);
}

static void
signal_sent_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Session *session = user_data;
  g_autoptr (GError) error = NULL;

  /* A command that cannot be sent signals is ended instead of running on against the user's will;
   * for one that has ended already this does nothing. */
  if (!asb_command_send_signal_finish (session->command, result, &error) && error)
    asb_command_force_exit (session->command);
  session_release (session);
}

static void
resized_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Session *session = user_data;

  /* A window of another size is not worth a message in the middle of what is shown in it. */
  asb_command_resize_finish (session->command, result, NULL);
  session_release (session);
}

static void
resize (Session *session)
{
  guint columns;
  guint rows;

  if (session->has_terminal && tool_terminal_get_size (&columns, &rows))
    asb_command_resize_async (session->command, columns, rows, NULL, resized_cb,
                              g_rc_box_acquire (session));
}

static gboolean
is_ending (int signal_number)
{
  return signal_number != SIGUSR1 && signal_number != SIGUSR2;
}

/* Once the command has ended there is nobody to send it to: asb itself is meant, which waits for
 * somebody to read what the command has printed. */
static void
forward_signal (int signal_number, gpointer user_data)
{
  Session *session = user_data;
  const gint64 now = g_get_monotonic_time ();
  const gboolean again = signal_number == SIGINT && session->interrupted_at > 0
                         && now - session->interrupted_at < SECOND_INTERRUPT_US;

  if (signal_number == SIGWINCH)
    {
      resize (session);
      return;
    }
  if (again && session->given_up)
    {
      tool_terminal_leave ();
      _exit (TOOL_EXIT_SIGNAL + SIGINT);
    }
  if (signal_number == SIGINT)
    session->interrupted_at = now;
  if (again)
    give_up (session, SIGINT);
  else if (session->has_ended && is_ending (signal_number))
    give_up (session, signal_number);
  else
    asb_command_send_signal_async (session->command, signal_number, NULL, signal_sent_cb,
                                   g_rc_box_acquire (session));
}

static void
input_closed_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_output_stream_close_finish (G_OUTPUT_STREAM (object), result, NULL);
}

static void
input_ended_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Session *session = user_data;
  g_autoptr (GError) error = NULL;

  /* A command that does not want its input is no mishap, but what could not be read is. */
  if (!tool_feed_finish (result, &error)
      && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE)
      && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CLOSED) && error->domain == G_IO_ERROR)
    {
      tool_message_error (error);
      session->input_failed = !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
    }
  if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_output_stream_close_async (G_OUTPUT_STREAM (object), G_PRIORITY_DEFAULT, NULL,
                                 input_closed_cb, NULL);
  session_release (session);
}

static void
output_ended_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Session *session = user_data;
  g_autoptr (GError) error = NULL;

  session->n_pending--;
  if (!tool_copy_finish (result, &error) && session->given_up == 0 && session->output_status == 0)
    {
      session->output_status = tool_output_fail (error);
      if (session->output_status == TOOL_EXIT_FAILED)
        session->output_status = TOOL_EXIT_ASB;
      asb_command_force_exit (session->command);
      g_cancellable_cancel (session->output_cancellable);
    }
  session_release (session);
}

static void
command_ended_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Session *session = user_data;

  session->n_pending--;
  session->has_ended = TRUE;
  asb_command_wait_finish (session->command, result, &session->error);
  g_cancellable_cancel (session->input_cancellable);
  session_release (session);
}

static void
copy_output (Session *session, GInputStream *stream, int fd)
{
  /* A terminal has one output. */
  if (!stream)
    return;
  session->n_pending++;
  tool_copy_async (stream, fd, NULL, session->output_cancellable, output_ended_cb,
                   g_rc_box_acquire (session));
}

static void
start_streams (Session *session)
{
  GOutputStream *input = asb_command_get_stdin_pipe (session->command);

  copy_output (session, asb_command_get_stdout_pipe (session->command), STDOUT_FILENO);
  copy_output (session, asb_command_get_stderr_pipe (session->command), STDERR_FILENO);
  session->n_pending++;
  asb_command_wait_async (session->command, NULL, command_ended_cb, g_rc_box_acquire (session));
  if (input)
    tool_feed_async (STDIN_FILENO, "standard input", input, NULL, session->input_cancellable,
                     input_ended_cb, g_rc_box_acquire (session));
}

int
tool_run_get_result_status (AsbCommandResult *result)
{
  switch (asb_command_result_get_state (result))
    {
    case ASB_COMMAND_STATE_TIMEOUT:
      tool_message ("The command was ended, as the time given with --timeout was up");
      return TOOL_EXIT_TIMEOUT;
    case ASB_COMMAND_STATE_CANCELLED:
      tool_message ("The command was cancelled");
      return TOOL_EXIT_ASB;
    case ASB_COMMAND_STATE_UNKNOWN:
      tool_message (
          "Nobody knows how the command ended, as what looked after it in the sandbox is gone");
      return TOOL_EXIT_ASB;
    default:
      if (asb_command_result_get_has_exit_status (result))
        return asb_command_result_get_exit_status (result);
      return TOOL_EXIT_SIGNAL + asb_command_result_get_term_signal (result);
    }
}

/* Of a command that did not end by itself: it may have gone with its sandbox. */
static gboolean
say_sandbox_gone (Session *session, AsbCommandResult *result)
{
  g_autoptr (GError) gone = NULL;

  if (result && asb_command_result_get_state (result) != ASB_COMMAND_STATE_CANCELLED)
    return FALSE;
  if (tool_sandbox_check_there (session->tool, session->backend, &gone))
    return FALSE;
  tool_message ("The command was cancelled: %s", gone->message);
  return TRUE;
}

static int
get_session_status (Session *session)
{
  AsbCommandResult *result = asb_command_get_result (session->command);
  const char *record_error = result ? asb_command_result_get_record_error (result) : NULL;
  int status;

  /* For people only: programs are promised the command's bytes, and find it in the record. */
  if (record_error && tool_text_is_terminal (STDERR_FILENO))
    tool_message ("The record of the command is not complete: %s", record_error);
  if (session->given_up != 0)
    return TOOL_EXIT_SIGNAL + session->given_up;
  if (session->output_status != 0)
    return session->output_status;
  if (say_sandbox_gone (session, session->error ? NULL : result))
    return TOOL_EXIT_ASB;
  if (session->error)
    tool_message_error (session->error);
  if (session->error || !result)
    return TOOL_EXIT_ASB;
  status = tool_run_get_result_status (result);
  /* It may have succeeded with a part of what it was to be given. */
  return status == 0 && session->input_failed ? TOOL_EXIT_ASB : status;
}

static int
get_start_status (const GError *error)
{
  tool_message_error (error);
  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_COMMAND_NOT_FOUND))
    return TOOL_EXIT_NOT_FOUND;
  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_COMMAND_NOT_EXECUTABLE))
    return TOOL_EXIT_NOT_EXECUTABLE;
  return TOOL_EXIT_ASB;
}

/* The keys of asb's terminal are those of the command's from now on. */
static void
take_terminal (Session *session)
{
  g_autoptr (GError) error = NULL;

  if (!session->has_terminal)
    return;
  if (asb_command_get_stdin_pipe (session->command) && tool_text_is_terminal (STDIN_FILENO)
      && !tool_terminal_enter (&error))
    tool_message_error (error);
  /* It may have changed meanwhile. */
  resize (session);
}

static int
run_session (Tool *tool, AsbBackend *backend, AsbCommand *command, AsbCommandSpec *spec)
{
  Session *session = g_rc_box_new0 (Session);
  int status;

  session->tool = tool;
  session->backend = backend;
  session->command = g_object_ref (command);
  session->input_cancellable = g_cancellable_new ();
  session->output_cancellable = g_cancellable_new ();
  session->has_terminal = asb_command_spec_get_tty (spec);
  tool_signals_set_handler (forward_signal, session);
  take_terminal (session);
  start_streams (session);
  while (session->n_pending > 0)
    g_main_context_iteration (NULL, TRUE);
  tool_terminal_leave ();
  tool_signals_set_handler (NULL, NULL);
  status = get_session_status (session);
  session_release (session);
  return status;
}

int
tool_run_command (Tool *tool, AsbBackend *backend, AsbCommandSpec *spec)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbCommand) command = NULL;
  g_autoptr (GError) error = NULL;

  asb_backend_start_command_async (backend, spec, tool->cancellable, tool_wait_cb, &wait);
  command = asb_backend_start_command_finish (backend, tool_wait (&wait), &error);
  return command ? run_session (tool, backend, command, spec) : get_start_status (error);
}

int
tool_run_detached (Tool *tool, AsbBackend *backend, AsbCommandSpec *spec, const char *name)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbJob) job = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *line = NULL;

  /* It has no input: nobody stays to give it one. */
  asb_command_spec_set_flags (spec,
                              asb_command_spec_get_flags (spec) & ~ASB_COMMAND_FLAGS_STDIN_PIPE);
  asb_backend_start_job_async (backend, spec, name, tool->cancellable, tool_wait_cb, &wait);
  job = asb_backend_start_job_finish (backend, tool_wait (&wait), &error);
  if (!job)
    return get_start_status (error);
  line = g_strconcat (asb_job_get_id (job), "\n", NULL);
  if (tool_output_print (line, strlen (line)) == TOOL_EXIT_DONE)
    return TOOL_EXIT_DONE;
  tool_message ("Job “%s” was started all the same; asb jobs stop ends it", asb_job_get_id (job));
  return TOOL_EXIT_ASB;
}
