/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-transport-private.h"

#include "asb-call-private.h"
#include "asb-cancel-source-private.h"
#include "asb-guest-command-private.h"
#include "asb-guest-json-private.h"
#include "asb-io-thread-private.h"
#include "asb-pipe-stream-private.h"
#include "asb-process.h"
#include "asb-timer-private.h"

#define MAX_ID_LENGTH 256

/* What is known of a command, shared by its call, which tells of it, and its process, which may be
 * gone by then. */
typedef struct
{
  gatomicrefcount references;
  AsbGuestConnection *connection;
  char *id; /* set when it has started */

  /* How it ended; one of them once it has. */
  GMutex lock;
  AsbCommandResult *result;
  GError *error;

  /* In the I/O thread. */
  GQueue waiting; /* Waiter */
  GTask *start;   /* until it is answered */
  GObject *transport;
  AsbPipe *pipes[ASB_N_CHANNELS];
} Command;

typedef struct
{
  Command *command;
  GTask *task;
  GSource *cancelled;
} Waiter;

static Command *
command_ref (Command *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

static void
command_unref (Command *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  for (guint i = 0; i < ASB_N_CHANNELS; i++)
    g_clear_pointer (&self->pipes[i], asb_pipe_unref);
  g_clear_pointer (&self->connection, asb_guest_connection_unref);
  g_clear_object (&self->start);
  g_clear_object (&self->transport);
  g_clear_object (&self->result);
  g_clear_error (&self->error);
  g_mutex_clear (&self->lock);
  g_free (self->id);
  g_free (self);
}

static Command *
command_new (AsbTransport *transport, GTask *task)
{
  Command *self = g_new0 (Command, 1);
  AsbGuestConnection *connection
      = asb_guest_transport_get_connection (ASB_GUEST_TRANSPORT (transport));

  g_atomic_ref_count_init (&self->references);
  g_mutex_init (&self->lock);
  self->connection = connection ? asb_guest_connection_ref (connection) : NULL;
  self->start = g_object_ref (task);
  self->transport = g_object_ref (G_OBJECT (transport));
  return self;
}

/* FALSE when the command has not ended. */
static gboolean
command_answer (Command *self, GTask *task)
{
  g_autoptr (AsbCommandResult) result = NULL;
  g_autoptr (GError) error = NULL;

  g_mutex_lock (&self->lock);
  result = self->result ? g_object_ref (self->result) : NULL;
  error = self->error ? g_error_copy (self->error) : NULL;
  g_mutex_unlock (&self->lock);

  if (result)
    asb_task_return_object (task, g_steal_pointer (&result));
  else if (error)
    g_task_return_error (task, g_steal_pointer (&error));
  else
    return FALSE;
  return TRUE;
}

static void
waiter_free (Waiter *waiter)
{
  asb_source_clear (&waiter->cancelled);
  g_clear_pointer (&waiter->command, command_unref);
  g_clear_object (&waiter->task);
  g_free (waiter);
}

static void
command_end (Command *self, AsbCommandResult *result, const GError *error)
{
  Waiter *waiter;

  g_mutex_lock (&self->lock);
  self->result = result ? g_object_ref (result) : NULL;
  self->error = error ? g_error_copy (error) : NULL;
  g_mutex_unlock (&self->lock);

  while ((waiter = g_queue_pop_head (&self->waiting)))
    {
      command_answer (self, waiter->task);
      waiter_free (waiter);
    }
}

static gboolean
wait_cancelled_cb (gpointer user_data)
{
  Waiter *waiter = user_data;

  g_queue_remove (&waiter->command->waiting, waiter);
  g_task_return_new_error (waiter->task, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                           "Operation was cancelled");
  waiter_free (waiter);
  return G_SOURCE_REMOVE;
}

static void
wait_in_thread (gpointer data)
{
  Waiter *waiter = data;
  GCancellable *cancellable = g_task_get_cancellable (waiter->task);

  if (command_answer (waiter->command, waiter->task))
    {
      waiter_free (waiter);
      return;
    }
  g_queue_push_tail (&waiter->command->waiting, waiter);
  if (!cancellable)
    return;
  waiter->cancelled = asb_cancel_source_new (cancellable);
  g_source_set_callback (waiter->cancelled, wait_cancelled_cb, waiter, NULL);
  g_source_attach (waiter->cancelled, asb_io_thread_get_context ());
}

/* The process. */

#define ASB_TYPE_GUEST_PROCESS (asb_guest_process_get_type ())
G_DECLARE_FINAL_TYPE (AsbGuestProcess, asb_guest_process, ASB, GUEST_PROCESS, GObject)

struct _AsbGuestProcess
{
  GObject parent_instance;

  Command *command;
  AsbGuestCall *call;
  GObject *transport;
  GOutputStream *input;
  GInputStream *output;
  GInputStream *errors;
};

static void asb_guest_process_iface_init (AsbProcessInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AsbGuestProcess, asb_guest_process, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_PROCESS,
                                                      asb_guest_process_iface_init))

/* The streams that nobody else holds are closed by this, which lets the command run on. */
static void
asb_guest_process_finalize (GObject *object)
{
  AsbGuestProcess *self = ASB_GUEST_PROCESS (object);

  g_clear_object (&self->input);
  g_clear_object (&self->output);
  g_clear_object (&self->errors);
  g_clear_pointer (&self->call, asb_guest_call_unref);
  g_clear_pointer (&self->command, command_unref);
  g_clear_object (&self->transport);

  G_OBJECT_CLASS (asb_guest_process_parent_class)->finalize (object);
}

static char *
asb_guest_process_dup_command_id (AsbProcess *process)
{
  return g_strdup (ASB_GUEST_PROCESS (process)->command->id);
}

static GOutputStream *
asb_guest_process_get_stdin (AsbProcess *process)
{
  return ASB_GUEST_PROCESS (process)->input;
}

static GInputStream *
asb_guest_process_get_stdout (AsbProcess *process)
{
  return ASB_GUEST_PROCESS (process)->output;
}

static GInputStream *
asb_guest_process_get_stderr (AsbProcess *process)
{
  return ASB_GUEST_PROCESS (process)->errors;
}

static void
asb_guest_process_force_exit (AsbProcess *process)
{
  AsbGuestProcess *self = ASB_GUEST_PROCESS (process);

  asb_guest_connection_cancel (self->command->connection, self->call);
}

static void
asb_guest_process_wait (AsbProcess *process, GTask *task)
{
  AsbGuestProcess *self = ASB_GUEST_PROCESS (process);
  Waiter *waiter;

  if (command_answer (self->command, task))
    return;
  waiter = g_new0 (Waiter, 1);
  waiter->command = command_ref (self->command);
  waiter->task = g_object_ref (task);
  asb_io_thread_post (wait_in_thread, waiter);
}

static gboolean
convert_signal (const json_t *result, GTask *task, GError **error)
{
  gboolean delivered;

  if (!asb_guest_json_get_boolean (result, "delivered", &delivered, error))
    return FALSE;
  g_task_return_boolean (task, delivered);
  return TRUE;
}

static void
asb_guest_process_send_signal (AsbProcess *process, int signal_number, GTask *task)
{
  AsbGuestProcess *self = ASB_GUEST_PROCESS (process);
  json_t *arguments
      = json_pack ("{s:s, s:i}", "command_id", self->command->id, "signal", signal_number);
  GError *error = NULL;
  AsbGuestCall *call
      = asb_guest_task_call_new ("command.signal", arguments, NULL, task, convert_signal, &error);

  asb_guest_transport_submit (ASB_TRANSPORT (self->transport), call, task, error);
}

static gboolean
convert_resize (const json_t *result, GTask *task, GError **error)
{
  gboolean resized;

  if (!asb_guest_json_get_boolean (result, "resized", &resized, error))
    return FALSE;
  g_task_return_boolean (task, resized);
  return TRUE;
}

static void
asb_guest_process_resize (AsbProcess *process, guint columns, guint rows, GTask *task)
{
  AsbGuestProcess *self = ASB_GUEST_PROCESS (process);
  json_t *arguments = json_pack ("{s:s, s:i, s:i}", "command_id", self->command->id, "columns",
                                 columns, "rows", rows);
  GError *error = NULL;
  AsbGuestCall *call
      = asb_guest_task_call_new ("command.resize", arguments, NULL, task, convert_resize, &error);

  asb_guest_transport_submit (ASB_TRANSPORT (self->transport), call, task, error);
}

static void
asb_guest_process_iface_init (AsbProcessInterface *iface)
{
  iface->dup_command_id = asb_guest_process_dup_command_id;
  iface->get_stdin = asb_guest_process_get_stdin;
  iface->get_stdout = asb_guest_process_get_stdout;
  iface->get_stderr = asb_guest_process_get_stderr;
  iface->force_exit = asb_guest_process_force_exit;
  iface->wait = asb_guest_process_wait;
  iface->send_signal = asb_guest_process_send_signal;
  iface->resize = asb_guest_process_resize;
}

static void
asb_guest_process_class_init (AsbGuestProcessClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_guest_process_finalize;
}

static void
asb_guest_process_init (AsbGuestProcess *self)
{
}

static GInputStream *
input_stream_new (Command *command, guint channel)
{
  AsbPipe *pipe = command->pipes[channel];

  return pipe ? asb_pipe_input_stream_new (pipe, command->transport) : NULL;
}

static AsbGuestProcess *
asb_guest_process_new (Command *command, AsbGuestCall *call)
{
  AsbGuestProcess *self = g_object_new (ASB_TYPE_GUEST_PROCESS, NULL);
  AsbPipe *input = command->pipes[ASB_CHANNEL_INPUT];

  self->command = command_ref (command);
  self->call = asb_guest_call_ref (call);
  self->transport = g_object_ref (command->transport);
  if (input)
    self->input = asb_pipe_output_stream_new (input, ASB_PIPE_CLOSE_AT_ONCE, command->transport);
  self->output = input_stream_new (command, ASB_CHANNEL_OUTPUT);
  self->errors = input_stream_new (command, ASB_CHANNEL_ERRORS);
  return self;
}

/* The call. */

static gboolean
command_opened (AsbGuestCall *call, gpointer data, const json_t *event, GError **error)
{
  Command *self = data;
  g_autoptr (GTask) task = NULL;
  const char *id;
  gint64 pid;

  if (!asb_guest_json_get_string (event, "command_id", MAX_ID_LENGTH, &id, error)
      || !asb_guest_json_get_integer (event, "pid", 1, G_MAXINT32, &pid, error))
    return FALSE;
  self->id = g_strdup (id);
  if (call->cancelled)
    {
      asb_guest_call_refuse_output (call);
      return TRUE;
    }
  asb_guest_call_forget_cancellable (call);
  task = g_steal_pointer (&self->start);
  asb_task_return_object (task, asb_guest_process_new (self, call));
  g_clear_object (&self->transport);
  return TRUE;
}

/* Started while it was being cancelled: nobody has seen the process. */
static void
return_cancelled (Command *self)
{
  g_autoptr (GTask) task = g_steal_pointer (&self->start);

  if (task)
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled");
}

static gboolean
command_result (AsbGuestCall *call, gpointer data, const json_t *json, GError **error)
{
  Command *self = data;
  g_autoptr (AsbCommandResult) result
      = asb_guest_command_result_new (json, self->id, call->record_error, error);

  if (!result)
    return FALSE;
  return_cancelled (self);
  command_end (self, result, NULL);
  return TRUE;
}

static void
command_failed (AsbGuestCall *call, gpointer data, const GError *error)
{
  Command *self = data;
  g_autoptr (GTask) task = g_steal_pointer (&self->start);

  if (task)
    g_task_return_error (task, g_error_copy (error));
  command_end (self, NULL, error);
}

static const AsbGuestCallKind command_kind = {
  .opening = "started",
  .opened = command_opened,
  .result = command_result,
  .failed = command_failed,
  .free = (GDestroyNotify)command_unref,
};

static void
add_pipe (Command *self, AsbGuestCall *call, guint channel)
{
  self->pipes[channel] = asb_pipe_ref (asb_guest_call_add_pipe (call, channel));
}

void
asb_guest_start_command (AsbTransport *transport, AsbCommandSpec *spec, GTask *task)
{
  GError *error = NULL;
  json_t *arguments = asb_guest_command_arguments (spec, &error);
  AsbGuestCall *call = NULL;
  Command *self;

  if (arguments)
    {
      self = command_new (transport, task);
      call = asb_guest_call_new ("command.start", arguments, asb_command_spec_get_operation (spec),
                                 &command_kind, self, &error);
    }
  if (call)
    {
      asb_guest_call_set_subject (call, spec);
      if (asb_guest_command_has_input (spec))
        add_pipe (self, call, ASB_CHANNEL_INPUT);
      if (asb_guest_command_has_output (spec))
        add_pipe (self, call, ASB_CHANNEL_OUTPUT);
      if (asb_guest_command_has_errors (spec))
        add_pipe (self, call, ASB_CHANNEL_ERRORS);
    }
  asb_guest_transport_submit (transport, call, task, error);
}
