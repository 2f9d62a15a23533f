/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-start.h"

#include <signal.h>
#include <string.h>

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-cancel.h"
#include "asb-opensandbox-capture.h"
#include "asb-opensandbox-command-script.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-litter.h"
#include "asb-opensandbox-process.h"
#include "asb-opensandbox-run.h"
#include "asb-opensandbox-script.h"
#include "asb-opensandbox-shell.h"
#include "asb-opensandbox-thread.h"
#include "asb-opensandbox-wait.h"

#define MAX_STRAY 4096
/* A pipe has room for as much. */
#define MAX_SAID (48 * 1024)

typedef struct
{
  AsbOpensandboxRun *run;
  GTask *task; /* until it is answered */
  AsbOpensandboxCancelWatch *cancelled;
  gboolean is_unwanted; /* it was cancelled before it began */
  gboolean was_interrupted;
  char *token;
  char *folder; /* where the output goes; NULL for lines */
  int pid;
  GError *refusal;
  GString *stray;   /* what a shell said before the command began */
  GString *said[2]; /* the same as output of the command, in case it began without a word */
  gboolean said_more;
  AsbOpensandboxCommandEnd end;

  AsbPipe *full; /* where there is no room for what follows; not a reference */
  GBytes *rest;
  GSource *room;
} Start;

static void
start_free (gpointer data)
{
  Start *self = data;

  g_clear_pointer (&self->run, asb_opensandbox_run_unref);
  asb_opensandbox_cancel_unwatch (&self->cancelled);
  g_clear_object (&self->task);
  g_clear_error (&self->refusal);
  g_clear_pointer (&self->rest, g_bytes_unref);
  asb_opensandbox_thread_clear_timer (&self->room);
  asb_opensandbox_command_end_clear (&self->end);
  g_string_free (self->stray, TRUE);
  g_string_free (self->said[0], TRUE);
  g_string_free (self->said[1], TRUE);
  g_free (self->token);
  g_free (self->folder);
  g_free (self);
}

/* Stopping and signals. */

static void
interrupted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  /* Also said of one that has ended meanwhile; the events tell. */
  if (!reply)
    g_debug ("A command was not interrupted: %s", error->message);
}

void
asb_opensandbox_start_interrupt (AsbOpensandboxExecd *execd, const char *id)
{
  g_autoptr (AsbOpensandboxRequest) request
      = asb_opensandbox_execd_new_request (execd, "DELETE", "/command", "interrupt the command");

  asb_opensandbox_request_add_query (request, "id", id);
  asb_opensandbox_request_set_retry (request, FALSE);
  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (execd), request, NULL,
                                     interrupted_cb, NULL);
}

static void
killed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, NULL);
}

void
asb_opensandbox_start_kill (AsbOpensandboxExecd *execd, int pid)
{
  g_autofree char *group = g_strdup_printf ("%d", pid);
  const char *const arguments[] = { group, NULL };

  asb_opensandbox_script_run_async (execd, "kill -9 \"-$1\"", arguments, "kill the command", NULL,
                                    killed_cb, NULL);
}

static void
signalled_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, &error);

  if (!done)
    g_task_return_error (task, g_steal_pointer (&error));
  else if (done->exit_status == 0)
    g_task_return_boolean (task, TRUE);
  else if (strstr (done->errors, "No such process"))
    g_task_return_boolean (task, FALSE);
  else
    g_task_return_error (task,
                         asb_opensandbox_script_error_new (done->errors, "send the signal", NULL));
}

void
asb_opensandbox_start_send_signal (AsbOpensandboxExecd *execd, int pid, int number, GTask *task)
{
  g_autofree char *group = g_strdup_printf ("%d", pid);
  g_autofree char *text = g_strdup_printf ("%d", number);
  const char *const arguments[] = { group, text, NULL };

  asb_opensandbox_script_run_async (execd, "kill \"-$2\" \"-$1\"", arguments, "send the signal",
                                    NULL, signalled_cb, g_object_ref (task));
}

static void
stop (AsbOpensandboxCommand *command, gboolean hard)
{
  Start *self = command->data;

  if (hard && self->pid > 0)
    asb_opensandbox_start_kill (command->execd, self->pid);
  else if (asb_opensandbox_run_get_id (self->run))
    asb_opensandbox_start_interrupt (command->execd, asb_opensandbox_run_get_id (self->run));
}

static void
send_signal (AsbOpensandboxCommand *command, int number, GTask *task)
{
  asb_opensandbox_start_send_signal (command->execd, ((Start *)command->data)->pid, number, task);
}

static const AsbOpensandboxCommandKind kind = { stop, send_signal, NULL, start_free };

/* Output. */

static void push_rest (AsbOpensandboxCommand *command);

static gboolean
room_cb (gpointer user_data)
{
  AsbOpensandboxCommand *command = user_data;
  Start *self = command->data;

  asb_opensandbox_thread_clear_timer (&self->room);
  push_rest (command);
  if (!self->rest)
    asb_opensandbox_run_resume (self->run);
  return G_SOURCE_REMOVE;
}

static void
push_rest (AsbOpensandboxCommand *command)
{
  Start *self = command->data;
  g_autoptr (GBytes) bytes = g_steal_pointer (&self->rest);
  gsize size = g_bytes_get_size (bytes);
  gsize pushed = asb_pipe_push (self->full, g_bytes_get_data (bytes, NULL), size);

  if (pushed == size || asb_pipe_is_stopped (self->full))
    return;
  self->rest = g_bytes_new_from_bytes (bytes, pushed, size - pushed);
  asb_opensandbox_run_pause (self->run);
  self->room = asb_pipe_create_source (self->full, ASB_PIPE_CONDITION_WRITABLE);
  g_source_set_callback (self->room, room_cb, asb_opensandbox_command_ref (command),
                         (GDestroyNotify)asb_opensandbox_command_unref);
  g_source_attach (self->room, asb_opensandbox_thread_get_context ());
}

/* A line has lost its end, unless it is nothing else. */
static void
end_line (GString *line)
{
  if (line->len != 1 || line->str[0] != '\n')
    g_string_append_c (line, '\n');
}

static void
push_line (AsbOpensandboxCommand *command, AsbPipe *pipe, GString *line, guint64 *total)
{
  Start *self = command->data;

  if (!pipe)
    return;
  end_line (line);
  *total += line->len;
  self->full = pipe;
  self->rest = g_bytes_new (line->str, line->len);
  push_rest (command);
}

/* The beginning. */

static void
answer_started (AsbOpensandboxCommand *command)
{
  Start *self = command->data;
  g_autoptr (GTask) task = g_steal_pointer (&self->task);

  asb_opensandbox_cancel_unwatch (&self->cancelled);
  asb_opensandbox_command_set_started (command, asb_opensandbox_run_get_id (self->run));
  asb_opensandbox_answer_object (
      task, asb_opensandbox_process_new (command, g_task_get_source_object (task)));
}

static void
note_stray (Start *self, AsbOpensandboxEvent *event)
{
  GString *said = self->said[event->type == ASB_OPENSANDBOX_EVENT_STDOUT ? 0 : 1];

  if (self->stray->len < MAX_STRAY)
    g_string_append_len (self->stray, event->text->str, (gssize)MIN (event->text->len, MAX_STRAY));
  end_line (event->text);
  if (said->len + event->text->len > MAX_SAID)
    self->said_more = TRUE;
  else
    g_string_append_len (said, event->text->str, (gssize)event->text->len);
}

static void
take_early (AsbOpensandboxCommand *command, AsbOpensandboxEvent *event)
{
  Start *self = command->data;
  AsbOpensandboxLine line = ASB_OPENSANDBOX_LINE_OTHER;

  if (event->type == ASB_OPENSANDBOX_EVENT_STDOUT)
    line = asb_opensandbox_command_script_read (command->spec, self->token, event->text->str,
                                                event->text->len, &self->pid,
                                                self->refusal ? NULL : &self->refusal);
  if (line == ASB_OPENSANDBOX_LINE_STARTED)
    answer_started (command);
  else if (line == ASB_OPENSANDBOX_LINE_OTHER)
    note_stray (self, event);
}

/* execd ends it by its id, which comes before anything else. */
static void
interrupt_unwanted (AsbOpensandboxCommand *command)
{
  Start *self = command->data;
  const char *id = self->run ? asb_opensandbox_run_get_id (self->run) : NULL;

  if (!id || self->was_interrupted)
    return;
  self->was_interrupted = TRUE;
  asb_opensandbox_command_set_started (command, id);
  asb_opensandbox_start_interrupt (command->execd, id);
}

/* The caller is answered at once. The request goes on: it may have been sent, and then only its
 * answer says what is to be ended. */
static void
cancelled_cb (gpointer data)
{
  AsbOpensandboxCommand *command = data;
  Start *self = command->data;
  g_autoptr (GTask) task = g_steal_pointer (&self->task);

  self->is_unwanted = TRUE;
  interrupt_unwanted (command);
  g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled");
}

static void
event_cb (AsbOpensandboxRun *run, AsbOpensandboxEvent *event, gpointer data)
{
  AsbOpensandboxCommand *command = data;
  gboolean is_stdout = event->type == ASB_OPENSANDBOX_EVENT_STDOUT;

  if (((Start *)command->data)->is_unwanted)
    interrupt_unwanted (command);
  else if (!is_stdout && event->type != ASB_OPENSANDBOX_EVENT_STDERR)
    asb_opensandbox_command_end_take (&((Start *)command->data)->end, event);
  else if (!command->started)
    take_early (command, event);
  else if (command->exact)
    return;
  else if (is_stdout)
    push_line (command, command->output, event->text, &command->output_total);
  else
    push_line (command, command->errors, event->text, &command->errors_total);
}

/* The end. */

/* It ended, and nothing of what it should have said before came. */
static GError *
new_silent_end (const AsbOpensandboxCommandEnd *end)
{
  GError *unheard = asb_opensandbox_command_end_new_unheard (end, "command");

  if (unheard)
    return unheard;
  return asb_opensandbox_error_mark_unknown (
      g_error_new (ASB_ERROR, ASB_ERROR_COMMAND_EXECUTION,
                   "The command ended, with status %d, and execd passed on nothing of it",
                   end->has_exit_status ? end->exit_status : -1));
}

static GError *
new_refusal (AsbOpensandboxCommand *command, const GError *error)
{
  Start *self = command->data;
  const char *reason = self->end.message ? self->end.message : self->stray->str;
  g_autofree char *shown = asb_opensandbox_error_dup_text (reason, strlen (reason), 400);

  if (self->refusal)
    return g_steal_pointer (&self->refusal);
  if (error && asb_opensandbox_execd_is_closed (command->execd))
    return g_error_new_literal (ASB_ERROR, ASB_ERROR_CLOSED, "The transport is closed");
  if (error)
    return asb_opensandbox_run_describe (self->run, "start the command", error);
  if (*shown)
    return g_error_new (ASB_ERROR, ASB_ERROR_COMMAND_EXECUTION,
                        "The command could not be started: %s", shown);
  return new_silent_end (&self->end);
}

static void
finish_pipes (AsbOpensandboxCommand *command, const GError *error)
{
  AsbPipe *pipes[] = { command->output, command->errors };

  for (gsize i = 0; i < G_N_ELEMENTS (pipes); i++)
    if (pipes[i] && error)
      asb_pipe_finish_error (pipes[i], error);
    else if (pipes[i])
      asb_pipe_finish (pipes[i]);
}

static void
finish_known (AsbOpensandboxCommand *command, const GError *lost)
{
  Start *self = command->data;

  if (command->exact)
    {
      asb_opensandbox_capture_collect (command, self->folder, &self->end);
      return;
    }
  finish_pipes (command, lost);
  asb_opensandbox_command_set_end (command, &self->end);
}

static void
finish_unknown (AsbOpensandboxCommand *command, const GError *error)
{
  Start *self = command->data;
  g_autoptr (GError) lost = NULL;

  if (asb_opensandbox_execd_is_closed (command->execd))
    lost = g_error_new_literal (ASB_ERROR, ASB_ERROR_CLOSED, "The transport is closed");
  else if (asb_opensandbox_error_is_gone (error))
    lost = g_error_copy (error);
  else
    lost
        = g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                       "How the command ended, and whether it has, is unknown: %s", error->message);
  /* Nobody is told where it is. */
  if (self->folder && !asb_opensandbox_error_is_gone (error))
    asb_opensandbox_litter_add (command->execd, self->folder);
  finish_pipes (command, lost);
  asb_opensandbox_command_set_unknown (command, lost);
}

/* With these a shell ends that does not get to the command. */
static gboolean
is_of_shell (int exit_status)
{
  return exit_status == 2 || (exit_status >= 125 && exit_status <= 127);
}

/* What succeeds has run, also where the word for its beginning was lost, or comes from something
 * that is like execd and runs no shell. So has what printed something, unless a shell ends so. */
static gboolean
has_run_unseen (AsbOpensandboxCommand *command, const GError *error)
{
  Start *self = command->data;

  if (error || self->refusal || self->said_more)
    return FALSE;
  if (!self->end.has_exit_status)
    return self->end.term_signal != 0 && self->said[0]->len > 0;
  return self->end.exit_status == 0
         || (self->said[0]->len > 0 && !is_of_shell (self->end.exit_status));
}

static void
tell_all (AsbOpensandboxCommand *command)
{
  Start *self = command->data;
  AsbPipe *pipes[] = { command->output, command->errors };
  guint64 *totals[] = { &command->output_total, &command->errors_total };

  command->exact = FALSE;
  answer_started (command);
  for (gsize i = 0; i < G_N_ELEMENTS (pipes); i++)
    if (pipes[i])
      *totals[i] = asb_pipe_push (pipes[i], self->said[i]->str, self->said[i]->len);
  finish_known (command, NULL);
}

typedef struct
{
  AsbOpensandboxCommand *command;
  GError *error; /* why the events ended */
  guint wait_ms; /* since the last one */
} Question;

static void ask_status (Question *question);

static void
question_free (Question *self)
{
  asb_opensandbox_command_unref (self->command);
  g_error_free (self->error);
  g_free (self);
}

/* It went with its sandbox. */
static gboolean
tells_fate (const GError *error)
{
  return asb_opensandbox_error_is_gone (error)
         || g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE);
}

static void
waited_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  asb_opensandbox_wait_finish (result, NULL);
  ask_status (user_data);
}

/* It goes on without us, and its output too where that goes to files. What is read of the events
 * has no end that could be waited for. */
static void
look_again (Question *question)
{
  AsbOpensandboxCommand *command = question->command;

  if (!command->exact)
    finish_pipes (command, question->error);
  asb_opensandbox_wait_async (asb_opensandbox_wait_next (&question->wait_ms),
                              asb_opensandbox_execd_get_cancellable (command->execd), waited_cb,
                              question);
}

static void
status_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Question *question = user_data;
  AsbOpensandboxCommand *command = question->command;
  Start *self = command->data;
  g_autoptr (GError) fault = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &fault);
  g_autoptr (JsonObject) object = NULL;
  gboolean is_told = FALSE;
  gboolean running = FALSE;

  if (reply)
    object = asb_opensandbox_json_parse_object (asb_opensandbox_reply_get_body (reply),
                                                "the status of a command", NULL);
  if (object)
    is_told = asb_opensandbox_command_end_parse_status (&self->end, object, &running, NULL);
  if (is_told && running)
    {
      look_again (question);
      return;
    }
  if (is_told && (self->end.has_exit_status || self->end.term_signal))
    finish_known (command, question->error);
  else
    finish_unknown (command, fault && tells_fate (fault) ? fault : question->error);
  question_free (question);
}

static void
ask_status (Question *question)
{
  AsbOpensandboxExecd *execd = question->command->execd;
  g_autofree char *path = g_strdup_printf ("/command/status/%s", question->command->id);
  g_autoptr (AsbOpensandboxRequest) request
      = asb_opensandbox_execd_new_request (execd, "GET", path, "ask how the command ended");

  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (execd), request,
                                     asb_opensandbox_execd_get_cancellable (execd), status_cb,
                                     question);
}

/* The events ended before the command did, or with it: execd may still know. */
static void
follow (AsbOpensandboxCommand *command, const GError *error)
{
  Question *question = g_new0 (Question, 1);

  question->command = asb_opensandbox_command_ref (command);
  question->error = g_error_copy (error);
  ask_status (question);
}

static void
done_cb (AsbOpensandboxRun *run, const GError *error, gpointer data)
{
  g_autoptr (AsbOpensandboxCommand) command = data;
  Start *self = command->data;

  asb_opensandbox_cancel_unwatch (&self->cancelled);
  if (self->is_unwanted && !self->was_interrupted)
    return;
  if (self->task && has_run_unseen (command, error))
    tell_all (command);
  else if (self->task)
    {
      g_task_return_error (self->task, new_refusal (command, error));
      g_clear_object (&self->task);
    }
  else if (!error)
    finish_known (command, NULL);
  else if (command->id && !asb_opensandbox_execd_is_closed (command->execd))
    follow (command, error);
  else
    finish_unknown (command, error);
}

static const AsbOpensandboxRunHandlers handlers = { event_cb, done_cb };

void
asb_opensandbox_start_command (AsbOpensandboxExecd *execd, AsbCommandSpec *spec, GTask *task)
{
  Start *self = g_new0 (Start, 1);
  g_autoptr (AsbOpensandboxCommand) command
      = asb_opensandbox_command_new (execd, spec, &kind, self);
  g_autoptr (JsonNode) body = NULL;
  g_autofree char *script = NULL;
  AsbOpensandboxRequest *request;
  GError *error = NULL;

  self->stray = g_string_new (NULL);
  self->said[0] = g_string_new (NULL);
  self->said[1] = g_string_new (NULL);
  self->token = asb_opensandbox_shell_new_token ();
  command->exact
      = asb_command_spec_get_exact_output (spec) || (!command->output && !command->errors);
  if (command->exact && (command->output || command->errors))
    self->folder = g_strdup_printf ("/tmp/.asb-%s", self->token);
  script = asb_opensandbox_command_script_new (spec, self->token, self->folder, &error);
  if (!script)
    {
      g_task_return_error (task, error);
      return;
    }
  self->task = g_object_ref (task);
  body = asb_opensandbox_command_script_new_body (spec, script);
  request = asb_opensandbox_execd_new_request (execd, "POST", "/command", "start the command");
  asb_opensandbox_request_set_json (request, body);
  self->run = asb_opensandbox_run_start (execd, request, ASB_OPENSANDBOX_RUN_COMMAND, &handlers,
                                         asb_opensandbox_command_ref (command));
  self->cancelled
      = asb_opensandbox_cancel_watch (g_task_get_cancellable (task), cancelled_cb, command);
}
