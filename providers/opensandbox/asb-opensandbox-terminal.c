/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-terminal.h"

#include <signal.h>
#include <string.h>

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-cancel.h"
#include "asb-opensandbox-command-script.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-process.h"
#include "asb-opensandbox-pty.h"
#include "asb-opensandbox-shell.h"
#include "asb-opensandbox-start.h"
#include "asb-opensandbox-thread.h"

/* What is typed at a time, before execd has taken what was typed before. */
#define TYPED_AT_ONCE (32 * 1024)

/* What waits for a reader who takes his time: execd cannot be held back. */
#define MAX_WAITING (64 * 1024 * 1024)
#define MAX_EARLY 8192

#define KEY_INTERRUPT "\003"
#define KEY_QUIT "\034"
#define KEY_SUSPEND "\032"
#define KEY_END "\004"

/* One stream of output. */
typedef struct
{
  AsbOpensandboxCommand *command; /* not a reference */
  AsbPipe *pipe;                  /* not a reference; NULL: not wanted */
  GByteArray *waiting;
  guint taken; /* of these: what was delivered already */
  GSource *room;
  gboolean ended;
  GError *error; /* with which it ended */
} Output;

typedef struct
{
  AsbOpensandboxPty *pty;
  GTask *task; /* until it is answered */
  AsbOpensandboxCancelWatch *cancelled;
  char *token;
  GString *early; /* what came before the command began */
  GString *early_errors;
  int pid;
  int last_signal;
  gboolean is_unwanted; /* it was cancelled before it began */
  GError *refusal;
  Output outputs[2];

  GSource *typing; /* waits for something to type */
  gboolean is_typing;
  gboolean in_line; /* what was typed last does not end a line */
  gboolean end_typed;
} Terminal;

static void
terminal_free (gpointer data)
{
  Terminal *self = data;

  for (gsize i = 0; i < G_N_ELEMENTS (self->outputs); i++)
    {
      g_byte_array_unref (self->outputs[i].waiting);
      asb_opensandbox_thread_clear_timer (&self->outputs[i].room);
      g_clear_error (&self->outputs[i].error);
    }
  g_clear_pointer (&self->pty, asb_opensandbox_pty_unref);
  asb_opensandbox_cancel_unwatch (&self->cancelled);
  g_clear_object (&self->task);
  g_clear_error (&self->refusal);
  asb_opensandbox_thread_clear_timer (&self->typing);
  g_string_free (self->early, TRUE);
  g_string_free (self->early_errors, TRUE);
  g_free (self->token);
  g_free (self);
}

/* Output. */

static void
finish_output (Output *output)
{
  if (!output->ended || output->waiting->len > 0 || !output->pipe)
    return;
  if (output->error)
    asb_pipe_finish_error (output->pipe, output->error);
  else
    asb_pipe_finish (output->pipe);
}

static void deliver (Output *output);

static void
let_go_of_command (gpointer data)
{
  asb_opensandbox_command_unref (((Output *)data)->command);
}

static gboolean
room_cb (gpointer user_data)
{
  Output *output = user_data;

  asb_opensandbox_thread_clear_timer (&output->room);
  deliver (output);
  return G_SOURCE_REMOVE;
}

/* The source holds the command, and with it the output. */
static void
deliver (Output *output)
{
  output->taken += (guint)asb_pipe_push (output->pipe, output->waiting->data + output->taken,
                                         output->waiting->len - output->taken);
  if (asb_pipe_is_stopped (output->pipe))
    output->taken = output->waiting->len;
  /* Not each time: what is behind it has to be moved. */
  if (output->taken >= output->waiting->len / 2)
    {
      g_byte_array_remove_range (output->waiting, 0, output->taken);
      output->taken = 0;
    }
  if (output->waiting->len > 0)
    {
      output->room = asb_pipe_create_source (output->pipe, ASB_PIPE_CONDITION_WRITABLE);
      g_source_set_callback (output->room, room_cb, output, let_go_of_command);
      asb_opensandbox_command_ref (output->command);
      g_source_attach (output->room, asb_opensandbox_thread_get_context ());
      return;
    }
  finish_output (output);
}

static void
end_output (Output *output, const GError *error)
{
  if (output->ended)
    return;
  output->ended = TRUE;
  output->error = error ? g_error_copy (error) : NULL;
  finish_output (output);
}

static void
push (AsbOpensandboxCommand *command, Output *output, const guint8 *bytes, gsize size)
{
  g_autoptr (GError) error = NULL;

  if (!output->pipe || output->ended || asb_pipe_is_stopped (output->pipe))
    return;
  if (output->waiting->len - output->taken + size > MAX_WAITING)
    {
      error = g_error_new (ASB_ERROR, ASB_ERROR_OUTPUT_DROPPED,
                           "The output of the command was not read fast enough: more than %d MiB "
                           "waited",
                           MAX_WAITING / (1024 * 1024));
      end_output (output, error);
      return;
    }
  g_byte_array_append (output->waiting, bytes, (guint)size);
  if (!output->room)
    deliver (output);
}

static void
push_output (AsbOpensandboxCommand *command, gboolean is_stderr, const guint8 *bytes, gsize size)
{
  Terminal *self = command->data;

  if (is_stderr)
    command->errors_total += size;
  else
    command->output_total += size;
  push (command, &self->outputs[is_stderr ? 1 : 0], bytes, size);
}

/* Typing. */

static void type_more (AsbOpensandboxCommand *command);

static gboolean
typing_cb (gpointer user_data)
{
  AsbOpensandboxCommand *command = user_data;
  Terminal *self = command->data;

  asb_opensandbox_thread_clear_timer (&self->typing);
  type_more (command);
  return G_SOURCE_REMOVE;
}

static void
wait_for_input (AsbOpensandboxCommand *command)
{
  Terminal *self = command->data;

  self->typing = asb_pipe_create_source (command->input, ASB_PIPE_CONDITION_READABLE);
  g_source_set_callback (self->typing, typing_cb, asb_opensandbox_command_ref (command),
                         (GDestroyNotify)asb_opensandbox_command_unref);
  g_source_attach (self->typing, asb_opensandbox_thread_get_context ());
}

static void
type_end (AsbOpensandboxCommand *command)
{
  Terminal *self = command->data;
  gboolean tty = asb_command_spec_get_tty (command->spec);
  const char *end = tty ? (self->in_line ? KEY_END KEY_END : KEY_END) : "0\n";

  if (self->end_typed)
    return;
  self->end_typed = TRUE;
  asb_opensandbox_pty_type (self->pty, end, strlen (end));
}

static void
type (AsbOpensandboxCommand *command, GBytes *bytes)
{
  Terminal *self = command->data;
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  g_autoptr (GByteArray) framed = g_byte_array_new ();

  if (!asb_command_spec_get_tty (command->spec))
    {
      g_autofree char *head = g_strdup_printf ("%" G_GSIZE_FORMAT "\n", size);

      g_byte_array_append (framed, (const guint8 *)head, (guint)strlen (head));
    }
  g_byte_array_append (framed, data, (guint)size);
  self->in_line = data[size - 1] != '\n' && data[size - 1] != '\r';
  self->is_typing = asb_opensandbox_pty_type (self->pty, framed->data, framed->len);
}

static void
type_more (AsbOpensandboxCommand *command)
{
  Terminal *self = command->data;
  g_autoptr (GBytes) bytes = NULL;

  if (!command->input || self->is_typing || self->typing || self->end_typed || !command->started
      || asb_opensandbox_command_is_over (command))
    return;
  bytes = asb_pipe_pull_bytes (command->input, TYPED_AT_ONCE);
  if (g_bytes_get_size (bytes) > 0)
    type (command, bytes);
  else if (asb_pipe_is_finished (command->input))
    type_end (command);
  else
    wait_for_input (command);
}

static void
taken_cb (AsbOpensandboxPty *pty, gpointer data)
{
  AsbOpensandboxCommand *command = data;

  ((Terminal *)command->data)->is_typing = FALSE;
  type_more (command);
}

/* The beginning. */

static void
answer_started (AsbOpensandboxCommand *command)
{
  Terminal *self = command->data;
  g_autoptr (GTask) task = g_steal_pointer (&self->task);

  asb_opensandbox_cancel_unwatch (&self->cancelled);
  asb_opensandbox_command_set_started (command, asb_opensandbox_pty_get_id (self->pty));
  asb_opensandbox_answer_object (
      task, asb_opensandbox_process_new (command, g_task_get_source_object (task)));
  type_more (command);
}

static void
end_unwanted (Terminal *self, AsbOpensandboxCommand *command)
{
  asb_opensandbox_start_kill (command->execd, self->pid);
  asb_opensandbox_pty_remove (self->pty);
}

/* The caller is answered at once. The opening goes on: only when it has begun it is known what is
 * to be ended. */
static void
cancelled_cb (gpointer data)
{
  AsbOpensandboxCommand *command = data;
  Terminal *self = command->data;
  g_autoptr (GTask) task = g_steal_pointer (&self->task);

  self->is_unwanted = TRUE;
  g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled");
}

/* The line that says that it begins, or why not, and what is behind it. */
static void
read_early (AsbOpensandboxCommand *command)
{
  Terminal *self = command->data;
  const char *line = strstr (self->early->str, self->token);
  const char *end = line ? strchr (line, '\n') : NULL;
  gsize size;
  gsize behind;

  if (!end)
    return;
  size = (gsize)(end - line);
  if (size > 0 && line[size - 1] == '\r')
    size--;
  behind = (gsize)(end + 1 - self->early->str);
  if (asb_opensandbox_command_script_read (command->spec, self->token, line, size, &self->pid,
                                           self->refusal ? NULL : &self->refusal)
      != ASB_OPENSANDBOX_LINE_STARTED)
    return;
  if (self->is_unwanted)
    {
      end_unwanted (self, command);
      return;
    }
  answer_started (command);
  if (behind < self->early->len)
    push_output (command, FALSE, (const guint8 *)self->early->str + behind,
                 self->early->len - behind);
  if (self->early_errors->len > 0)
    push_output (command, TRUE, (const guint8 *)self->early_errors->str, self->early_errors->len);
}

static void
output_cb (AsbOpensandboxPty *pty, gboolean is_stderr, const guint8 *bytes, gsize size,
           gpointer data)
{
  AsbOpensandboxCommand *command = data;
  Terminal *self = command->data;

  if (command->started)
    {
      push_output (command, is_stderr, bytes, size);
      return;
    }
  /* The streams come as they like: what is printed first may well be there last. */
  if (is_stderr)
    {
      if (self->early_errors->len < MAX_WAITING)
        g_string_append_len (self->early_errors, (const char *)bytes, (gssize)size);
      return;
    }
  if (self->early->len < MAX_EARLY)
    g_string_append_len (self->early, (const char *)bytes, (gssize)size);
  read_early (command);
}

/* The end. */

static void
refuse (AsbOpensandboxCommand *command, const GError *error)
{
  Terminal *self = command->data;
  g_autoptr (GTask) task = g_steal_pointer (&self->task);
  const GString *said = self->early_errors->len > 0 ? self->early_errors : self->early;
  g_autofree char *shown = asb_opensandbox_error_dup_text (said->str, said->len, 400);

  if (self->refusal)
    g_task_return_error (task, g_steal_pointer (&self->refusal));
  else if (error)
    g_task_return_error (task, g_error_copy (error));
  else
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_COMMAND_EXECUTION,
                             "The command could not be started: %s",
                             *shown ? shown : "no reason given");
}

static void
ended_cb (AsbOpensandboxPty *pty, int exit_code, const GError *error, gpointer data)
{
  g_autoptr (AsbOpensandboxCommand) command = data;
  Terminal *self = command->data;
  AsbOpensandboxCommandEnd end = { .has_exit_status = exit_code >= 0, .exit_status = exit_code };

  asb_opensandbox_thread_clear_timer (&self->typing);
  asb_opensandbox_cancel_unwatch (&self->cancelled);
  if (self->is_unwanted)
    return;
  if (self->task)
    {
      refuse (command, error);
      return;
    }
  if (exit_code < 0)
    end = (AsbOpensandboxCommandEnd){ .failed = TRUE,
                                      .term_signal
                                      = exit_code < -1 ? -exit_code : self->last_signal };
  for (gsize i = 0; i < G_N_ELEMENTS (self->outputs); i++)
    end_output (&self->outputs[i], error);
  if (command->input)
    {
      g_autoptr (GError) gone
          = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE, "The command has ended");

      asb_pipe_stop (command->input, error ? error : gone);
    }
  if (error)
    asb_opensandbox_command_set_unknown (command, error);
  else
    asb_opensandbox_command_set_end (command, &end);
}

static const AsbOpensandboxPtyHandlers handlers = { output_cb, taken_cb, ended_cb };

/* Stopping, signals, sizes. */

static void
send_to_group (AsbOpensandboxCommand *command, int number, GTask *task)
{
  Terminal *self = command->data;

  self->last_signal = number;
  asb_opensandbox_start_send_signal (command->execd, self->pid, number, task);
}

static void
signal_ignored_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
}

static void
stop (AsbOpensandboxCommand *command, gboolean hard)
{
  Terminal *self = command->data;
  g_autoptr (GTask) task = g_task_new (NULL, NULL, signal_ignored_cb, NULL);

  send_to_group (command, hard ? SIGKILL : SIGTERM, task);
  if (hard)
    asb_opensandbox_pty_remove (self->pty);
}

/* Keys reach what is in the foreground, which has a process group of its own. */
static void
send_signal (AsbOpensandboxCommand *command, int number, GTask *task)
{
  Terminal *self = command->data;
  const char *key = number == SIGINT    ? KEY_INTERRUPT
                    : number == SIGQUIT ? KEY_QUIT
                    : number == SIGTSTP ? KEY_SUSPEND
                                        : NULL;

  self->last_signal = number;
  if (key && asb_command_spec_get_tty (command->spec))
    g_task_return_boolean (task, asb_opensandbox_pty_type (self->pty, key, 1));
  else
    send_to_group (command, number, task);
}

static void
resize (AsbOpensandboxCommand *command, guint columns, guint rows, GTask *task)
{
  Terminal *self = command->data;

  g_task_return_boolean (task, asb_opensandbox_pty_resize (self->pty, columns, rows));
}

static const AsbOpensandboxCommandKind kind = { stop, send_signal, resize, terminal_free };

static void
init_output (Output *output, AsbOpensandboxCommand *command, AsbPipe *pipe)
{
  output->command = command;
  output->pipe = pipe;
  output->waiting = g_byte_array_new ();
}

void
asb_opensandbox_terminal_start (AsbOpensandboxExecd *execd, AsbCommandSpec *spec, GTask *task)
{
  Terminal *self = g_new0 (Terminal, 1);
  g_autoptr (AsbOpensandboxCommand) command
      = asb_opensandbox_command_new (execd, spec, &kind, self);
  g_autoptr (GBytes) script = NULL;
  GError *error = NULL;

  self->early = g_string_new (NULL);
  self->early_errors = g_string_new (NULL);
  self->token = asb_opensandbox_shell_new_token ();
  init_output (&self->outputs[0], command, command->output);
  init_output (&self->outputs[1], command, command->errors);
  command->exact = TRUE;
  script
      = asb_opensandbox_command_script_new_file (spec, self->token, command->input != NULL, &error);
  if (!script)
    {
      g_task_return_error (task, error);
      return;
    }
  self->task = g_object_ref (task);
  self->pty = asb_opensandbox_pty_open (execd, script, asb_command_spec_get_tty (spec), &handlers,
                                        asb_opensandbox_command_ref (command));
  self->cancelled
      = asb_opensandbox_cancel_watch (g_task_get_cancellable (task), cancelled_cb, command);
}
