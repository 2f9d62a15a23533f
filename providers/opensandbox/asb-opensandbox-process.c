/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-process.h"

#include "asb-opensandbox-thread.h"

struct _AsbOpensandboxProcess
{
  GObject parent_instance;

  AsbOpensandboxCommand *command;
  GObject *owner;
  GOutputStream *input;
  GInputStream *output;
  GInputStream *errors;
};

/* What a question to a command carries to the thread. */
typedef struct
{
  AsbOpensandboxCommand *command;
  GTask *task;
  int signal_number;
  guint columns;
  guint rows;
} Request;

static void asb_opensandbox_process_iface_init (AsbProcessInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbOpensandboxProcess, asb_opensandbox_process, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_PROCESS,
                                                      asb_opensandbox_process_iface_init))

/* The streams that nobody else holds are closed by this, which lets the command run on. */
static void
asb_opensandbox_process_finalize (GObject *object)
{
  AsbOpensandboxProcess *self = ASB_OPENSANDBOX_PROCESS (object);

  g_clear_object (&self->input);
  g_clear_object (&self->output);
  g_clear_object (&self->errors);
  g_clear_pointer (&self->command, asb_opensandbox_command_unref);
  g_clear_object (&self->owner);
  G_OBJECT_CLASS (asb_opensandbox_process_parent_class)->finalize (object);
}

static void
asb_opensandbox_process_class_init (AsbOpensandboxProcessClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_opensandbox_process_finalize;
}

static void
asb_opensandbox_process_init (AsbOpensandboxProcess *self)
{
}

AsbOpensandboxProcess *
asb_opensandbox_process_new (AsbOpensandboxCommand *command, GObject *owner)
{
  AsbOpensandboxProcess *self = g_object_new (ASB_TYPE_OPENSANDBOX_PROCESS, NULL);

  self->command = asb_opensandbox_command_ref (command);
  self->owner = g_object_ref (owner);
  if (command->input)
    self->input = asb_pipe_create_output_stream (command->input, ASB_PIPE_CLOSE_AT_ONCE, owner);
  if (command->output)
    self->output = asb_pipe_create_input_stream (command->output, owner);
  if (command->errors)
    self->errors = asb_pipe_create_input_stream (command->errors, owner);
  return self;
}

static char *
asb_opensandbox_process_dup_command_id (AsbProcess *process)
{
  return g_strdup (ASB_OPENSANDBOX_PROCESS (process)->command->id);
}

static GOutputStream *
asb_opensandbox_process_get_stdin (AsbProcess *process)
{
  return ASB_OPENSANDBOX_PROCESS (process)->input;
}

static GInputStream *
asb_opensandbox_process_get_stdout (AsbProcess *process)
{
  return ASB_OPENSANDBOX_PROCESS (process)->output;
}

static GInputStream *
asb_opensandbox_process_get_stderr (AsbProcess *process)
{
  return ASB_OPENSANDBOX_PROCESS (process)->errors;
}

static void
asb_opensandbox_process_wait (AsbProcess *process, GTask *task)
{
  asb_opensandbox_command_wait (ASB_OPENSANDBOX_PROCESS (process)->command, task);
}

static void
stop_in_thread (gpointer data)
{
  g_autoptr (AsbOpensandboxCommand) command = data;

  asb_opensandbox_command_stop (command);
}

static void
asb_opensandbox_process_force_exit (AsbProcess *process)
{
  AsbOpensandboxProcess *self = ASB_OPENSANDBOX_PROCESS (process);

  asb_opensandbox_thread_post (stop_in_thread, asb_opensandbox_command_ref (self->command));
}

static Request *
request_new (AsbProcess *process, GTask *task)
{
  Request *request = g_new0 (Request, 1);

  request->command = asb_opensandbox_command_ref (ASB_OPENSANDBOX_PROCESS (process)->command);
  request->task = g_object_ref (task);
  return request;
}

static void
request_free (Request *request)
{
  asb_opensandbox_command_unref (request->command);
  g_object_unref (request->task);
  g_free (request);
}

static void
signal_in_thread (gpointer data)
{
  Request *request = data;

  if (asb_opensandbox_command_is_over (request->command))
    g_task_return_boolean (request->task, FALSE);
  else
    request->command->kind->send_signal (request->command, request->signal_number, request->task);
  request_free (request);
}

static void
asb_opensandbox_process_send_signal (AsbProcess *process, int signal_number, GTask *task)
{
  Request *request = request_new (process, task);

  request->signal_number = signal_number;
  asb_opensandbox_thread_post (signal_in_thread, request);
}

static void
resize_in_thread (gpointer data)
{
  Request *request = data;

  if (asb_opensandbox_command_is_over (request->command))
    g_task_return_boolean (request->task, FALSE);
  else
    request->command->kind->resize (request->command, request->columns, request->rows,
                                    request->task);
  request_free (request);
}

static void
asb_opensandbox_process_resize (AsbProcess *process, guint columns, guint rows, GTask *task)
{
  Request *request;

  if (!asb_command_spec_get_tty (ASB_OPENSANDBOX_PROCESS (process)->command->spec))
    {
      g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                               "The command has no terminal");
      return;
    }
  request = request_new (process, task);
  request->columns = columns;
  request->rows = rows;
  asb_opensandbox_thread_post (resize_in_thread, request);
}

static void
asb_opensandbox_process_iface_init (AsbProcessInterface *iface)
{
  iface->dup_command_id = asb_opensandbox_process_dup_command_id;
  iface->get_stdin = asb_opensandbox_process_get_stdin;
  iface->get_stdout = asb_opensandbox_process_get_stdout;
  iface->get_stderr = asb_opensandbox_process_get_stderr;
  iface->force_exit = asb_opensandbox_process_force_exit;
  iface->wait = asb_opensandbox_process_wait;
  iface->send_signal = asb_opensandbox_process_send_signal;
  iface->resize = asb_opensandbox_process_resize;
}
