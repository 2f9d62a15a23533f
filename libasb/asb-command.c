/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-command-private.h"

#include "asb-backend-private.h"
#include "asb-call-private.h"
#include "asb-enum-types.h"
#include "asb-error-private.h"
#include "asb-output-pump-private.h"
#include "asb-property-private.h"
#include "asb-sync-private.h"

/**
 * AsbCommand:
 *
 * A command that was started in a sandbox, in the shape of [class@Gio.Subprocess].
 *
 * Dropping the last reference does not end the command; [method@Command.force_exit] does. With
 * %ASB_COMMAND_FLAGS_OUTPUT_SIGNALS the output arrives by signals, in the main context that was the
 * thread's default when the command was started; otherwise read the streams, or let
 * [method@Command.communicate] do it.
 *
 * Since: 1.0
 */

struct _AsbCommand
{
  GObject parent_instance;

  AsbBackend *backend;
  AsbProcess *process;
  AsbCommandFlags flags;
  char *id;
  GMainContext *context;

  AsbCommandEnded ended;
  gpointer ended_data;
  GDestroyNotify ended_destroy;

  GMutex mutex;
  AsbSlotQueue *slot;       /* (nullable): until its end is known */
  AsbCommandResult *result; /* set once */
  gboolean is_over;
  struct _AsbCommandWatch *starting; /* (nullable): not begun yet */
  guint n_busy;                      /* pumps and the watch: “exited” comes after all of them */
};

enum
{
  PROP_0,
  PROP_ID,
  PROP_STATE,
  PROP_RESULT,
  N_PROPS
};

enum
{
  SIGNAL_STDOUT_DATA,
  SIGNAL_STDERR_DATA,
  SIGNAL_STDOUT_TEXT,
  SIGNAL_STDERR_TEXT,
  SIGNAL_EXITED,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AsbCommand, asb_command, G_TYPE_OBJECT)

static void
leave_slot (AsbSlotQueue *slot)
{
  if (!slot)
    return;
  asb_slot_queue_leave (slot);
  g_object_unref (slot);
}

static void
asb_command_finalize (GObject *object)
{
  AsbCommand *self = ASB_COMMAND (object);

  if (self->backend && !self->is_over)
    asb_keep_alive_end (self->backend->keep_alive);
  leave_slot (self->slot);
  if (self->ended_destroy)
    self->ended_destroy (self->ended_data);
  g_clear_object (&self->process);
  g_clear_object (&self->backend);
  g_clear_object (&self->result);
  g_clear_pointer (&self->id, g_free);
  g_clear_pointer (&self->context, g_main_context_unref);
  g_mutex_clear (&self->mutex);

  G_OBJECT_CLASS (asb_command_parent_class)->finalize (object);
}

static void
asb_command_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbCommand *self = ASB_COMMAND (object);

  switch (property_id)
    {
    case PROP_ID:
      g_value_set_string (value, self->id);
      break;
    case PROP_STATE:
      g_value_set_enum (value, asb_command_get_state (self));
      break;
    case PROP_RESULT:
      g_value_set_object (value, asb_command_get_result (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
install_signals (void)
{
  /**
   * AsbCommand::stdout-data:
   * @self: the command
   * @data: a piece of the output
   *
   * The command wrote to standard output. Pieces come in order and join to the exact bytes.
   *
   * Since: 1.0
   */
  signals[SIGNAL_STDOUT_DATA] = g_signal_new ("stdout-data", ASB_TYPE_COMMAND, G_SIGNAL_RUN_LAST, 0,
                                              NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_BYTES);

  /**
   * AsbCommand::stderr-data:
   * @self: the command
   * @data: a piece of the output
   *
   * The command wrote to standard error. Pieces come in order and join to the exact bytes.
   *
   * Since: 1.0
   */
  signals[SIGNAL_STDERR_DATA] = g_signal_new ("stderr-data", ASB_TYPE_COMMAND, G_SIGNAL_RUN_LAST, 0,
                                              NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_BYTES);

  /**
   * AsbCommand::stdout-text:
   * @self: the command
   * @text: a piece of the output
   *
   * As [signal@Command::stdout-data], as text: never half a character, and replacement characters
   * for what is no UTF-8.
   *
   * Since: 1.0
   */
  signals[SIGNAL_STDOUT_TEXT] = g_signal_new ("stdout-text", ASB_TYPE_COMMAND, G_SIGNAL_RUN_LAST, 0,
                                              NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);

  /**
   * AsbCommand::stderr-text:
   * @self: the command
   * @text: a piece of the output
   *
   * As [signal@Command::stderr-data], as text: never half a character, and replacement characters
   * for what is no UTF-8.
   *
   * Since: 1.0
   */
  signals[SIGNAL_STDERR_TEXT] = g_signal_new ("stderr-text", ASB_TYPE_COMMAND, G_SIGNAL_RUN_LAST, 0,
                                              NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);

  /**
   * AsbCommand::exited:
   * @self: the command
   *
   * The command has ended, and all its output was given to the other signals.
   *
   * Since: 1.0
   */
  signals[SIGNAL_EXITED] = g_signal_new ("exited", ASB_TYPE_COMMAND, G_SIGNAL_RUN_LAST, 0, NULL,
                                         NULL, NULL, G_TYPE_NONE, 0);
}

static void
asb_command_class_init (AsbCommandClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_command_finalize;
  object_class->get_property = asb_command_get_property;

  /**
   * AsbCommand:id:
   *
   * The id of the command in its sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_ID] = g_param_spec_string ("id", NULL, NULL, NULL, ASB_PARAM_READABLE);

  /**
   * AsbCommand:state:
   *
   * How the command stands, as far as that is known here.
   *
   * Since: 1.0
   */
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, ASB_TYPE_COMMAND_STATE,
                                              ASB_COMMAND_STATE_RUNNING, ASB_PARAM_READABLE);

  /**
   * AsbCommand:result:
   *
   * How the command ended; %NULL while it runs.
   *
   * Since: 1.0
   */
  properties[PROP_RESULT]
      = g_param_spec_object ("result", NULL, NULL, ASB_TYPE_COMMAND_RESULT, ASB_PARAM_READABLE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
  install_signals ();
}

static void
asb_command_init (AsbCommand *self)
{
  g_mutex_init (&self->mutex);
}

/* The end, and who is told of it. */

static gboolean
notify_cb (gpointer user_data)
{
  AsbCommand *self = user_data;

  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RESULT]);
  return G_SOURCE_REMOVE;
}

/* What watches the end for the command itself. It keeps the command object alive only where
 * somebody needs that: for signals, and for the record. */
typedef struct _AsbCommandWatch
{
  GWeakRef weak;
  AsbCommand *strong;
} AsbCommandWatch;

static AsbCommandWatch *
watch_new (AsbCommand *self, gboolean keeps_alive)
{
  AsbCommandWatch *watch = g_new0 (AsbCommandWatch, 1);

  g_weak_ref_init (&watch->weak, self);
  watch->strong = keeps_alive ? g_object_ref (self) : NULL;
  return watch;
}

static void
watch_free (gpointer data)
{
  AsbCommandWatch *watch = data;

  g_weak_ref_clear (&watch->weak);
  g_clear_object (&watch->strong);
  g_free (watch);
}

/* Must hold the mutex. A watch whose context nobody ever runs must not keep a command for ever that
 * has ended. Returns: (transfer full) (nullable): what it held */
static AsbCommand *
weaken_watch (AsbCommand *self)
{
  if (!self->starting || (self->flags & ASB_COMMAND_FLAGS_OUTPUT_SIGNALS))
    return NULL;
  return g_steal_pointer (&self->starting->strong);
}

void
asb_command_take_slot (AsbCommand *self, AsbSlotQueue *slot)
{
  gboolean is_over;

  g_mutex_lock (&self->mutex);
  is_over = self->is_over;
  if (!is_over)
    self->slot = slot;
  g_mutex_unlock (&self->mutex);

  if (is_over)
    leave_slot (slot);
}

/* TRUE if @recorded is going to be called. */
static gboolean
learn_end (AsbCommand *self, AsbCommandResult *result, const GError *error,
           GAsyncReadyCallback recorded, gpointer recorded_data)
{
  g_autoptr (AsbCommand) held = NULL;
  AsbSlotQueue *slot = NULL;
  gboolean first;

  g_mutex_lock (&self->mutex);
  first = !self->is_over;
  slot = g_steal_pointer (&self->slot);
  self->is_over = TRUE;
  if (first && result)
    self->result = g_object_ref (result);
  held = weaken_watch (self);
  g_mutex_unlock (&self->mutex);

  if (!first)
    return FALSE;
  leave_slot (slot);
  asb_keep_alive_end (self->backend->keep_alive);
  g_main_context_invoke_full (self->context, G_PRIORITY_DEFAULT, notify_cb, g_object_ref (self),
                              g_object_unref);
  if (self->ended)
    self->ended (result, error, self->ended_data, recorded, recorded_data);
  return self->ended && recorded;
}

static gboolean
end_is_known (AsbCommand *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  return self->is_over && self->result;
}

static void
one_less_busy (AsbCommand *self)
{
  if (--self->n_busy == 0)
    g_signal_emit (self, signals[SIGNAL_EXITED], 0);
}

static void
watch_cb (GObject *source, GAsyncResult *async_result, gpointer user_data)
{
  AsbCommandWatch *watch = user_data;
  g_autoptr (AsbCommand) self = g_weak_ref_get (&watch->weak);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandResult) result
      = asb_process_wait_finish (ASB_PROCESS (source), async_result, &error);

  if (self)
    {
      learn_end (self, result, error, NULL, NULL);
      one_less_busy (self);
    }
  watch_free (watch);
}

/* Output by signals: indexed by AsbOutputStream. */

static const guint data_signals[] = { SIGNAL_STDOUT_DATA, SIGNAL_STDERR_DATA };
static const guint text_signals[] = { SIGNAL_STDOUT_TEXT, SIGNAL_STDERR_TEXT };

static void
emit_data (gpointer user_data, AsbOutputStream which, GBytes *bytes)
{
  g_signal_emit (user_data, signals[data_signals[which]], 0, bytes);
}

static gboolean
wants_text (gpointer user_data, AsbOutputStream which)
{
  return g_signal_has_handler_pending (user_data, signals[text_signals[which]], 0, TRUE);
}

static void
emit_text (gpointer user_data, AsbOutputStream which, const char *text)
{
  g_signal_emit (user_data, signals[text_signals[which]], 0, text);
}

static void
output_ended (gpointer user_data, AsbOutputStream which)
{
  g_autoptr (AsbCommand) self = user_data;

  one_less_busy (self);
}

static const AsbOutputPumpFuncs pump_funcs = { emit_data, wants_text, emit_text, output_ended };

static void
pump (AsbCommand *self, GInputStream *stream, AsbOutputStream which)
{
  if (!stream)
    return;
  self->n_busy++;
  asb_output_pump_start (stream, which, &pump_funcs, g_object_ref (self));
}

/* In the context of the command. */
static gboolean
start_cb (gpointer user_data)
{
  AsbCommandWatch *watch = user_data;
  g_autoptr (AsbCommand) self = g_weak_ref_get (&watch->weak);

  if (!self)
    return G_SOURCE_REMOVE;
  g_mutex_lock (&self->mutex);
  self->starting = NULL;
  g_mutex_unlock (&self->mutex);
  g_main_context_push_thread_default (self->context);
  self->n_busy++;
  if (self->flags & ASB_COMMAND_FLAGS_OUTPUT_SIGNALS)
    {
      pump (self, asb_process_get_stdout (self->process), ASB_OUTPUT_STREAM_STDOUT);
      pump (self, asb_process_get_stderr (self->process), ASB_OUTPUT_STREAM_STDERR);
    }
  asb_process_wait_async (self->process, NULL, watch_cb, watch_new (self, watch->strong != NULL));
  g_main_context_pop_thread_default (self->context);
  return G_SOURCE_REMOVE;
}

AsbCommand *
asb_command_new (AsbBackend *backend, AsbProcess *process, AsbCommandFlags flags,
                 GMainContext *context, AsbCommandEnded ended, gpointer ended_data,
                 GDestroyNotify ended_destroy)
{
  AsbCommand *self = g_object_new (ASB_TYPE_COMMAND, NULL);
  g_autoptr (GSource) source = g_idle_source_new ();

  self->backend = g_object_ref (backend);
  asb_keep_alive_begin (backend->keep_alive);
  self->process = g_object_ref (process);
  self->flags = flags;
  self->id = asb_process_dup_command_id (process);
  self->context = g_main_context_ref (context ? context : g_main_context_default ());
  self->ended = ended;
  self->ended_data = ended_data;
  self->ended_destroy = ended_destroy;

  self->starting = watch_new (self, ended || (flags & ASB_COMMAND_FLAGS_OUTPUT_SIGNALS));
  /* Later, never from here: the caller connects to signals first. */
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, start_cb, self->starting, watch_free);
  g_source_attach (source, self->context);
  return self;
}

/**
 * asb_command_get_id:
 * @self: a [class@Command]
 *
 * Gets [property@Command:id].
 *
 * Returns: (transfer none): the id
 *
 * Since: 1.0
 */
const char *
asb_command_get_id (AsbCommand *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND (self), NULL);

  return self->id;
}

/**
 * asb_command_get_state: (get-property state)
 * @self: a [class@Command]
 *
 * Gets [property@Command:state].
 *
 * Returns: the state; %ASB_COMMAND_STATE_UNKNOWN when the connection was lost before the end was
 * known
 *
 * Since: 1.0
 */
AsbCommandState
asb_command_get_state (AsbCommand *self)
{
  g_autoptr (GMutexLocker) locker = NULL;

  g_return_val_if_fail (ASB_IS_COMMAND (self), ASB_COMMAND_STATE_UNKNOWN);

  locker = g_mutex_locker_new (&self->mutex);
  if (!self->is_over)
    return ASB_COMMAND_STATE_RUNNING;
  return self->result ? asb_command_result_get_state (self->result) : ASB_COMMAND_STATE_UNKNOWN;
}

/**
 * asb_command_get_stdin_pipe:
 * @self: a [class@Command]
 *
 * Gets the stream to standard input. Close it to let the command see the end of its input.
 *
 * Returns: (transfer none) (nullable): the stream; %NULL without %ASB_COMMAND_FLAGS_STDIN_PIPE
 *
 * Since: 1.0
 */
GOutputStream *
asb_command_get_stdin_pipe (AsbCommand *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND (self), NULL);

  return asb_process_get_stdin (self->process);
}

gboolean
asb_command_has_streams (AsbCommand *self)
{
  return !(self->flags & ASB_COMMAND_FLAGS_OUTPUT_SIGNALS);
}

/**
 * asb_command_get_stdout_pipe:
 * @self: a [class@Command]
 *
 * Gets the stream of standard output.
 *
 * Returns: (transfer none) (nullable): the stream; %NULL if output arrives by signals or is
 * silenced
 *
 * Since: 1.0
 */
GInputStream *
asb_command_get_stdout_pipe (AsbCommand *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND (self), NULL);

  return asb_command_has_streams (self) ? asb_process_get_stdout (self->process) : NULL;
}

/**
 * asb_command_get_stderr_pipe:
 * @self: a [class@Command]
 *
 * Gets the stream of standard error.
 *
 * Returns: (transfer none) (nullable): the stream; %NULL if output arrives by signals, or is
 * silenced or merged
 *
 * Since: 1.0
 */
GInputStream *
asb_command_get_stderr_pipe (AsbCommand *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND (self), NULL);

  return asb_command_has_streams (self) ? asb_process_get_stderr (self->process) : NULL;
}

/* Waiting. */

typedef struct
{
  GTask *task;
  GError *error;
} AsbCommandWait;

static void
answer_wait (AsbCommandWait *wait)
{
  if (wait->error)
    g_task_return_error (wait->task, g_steal_pointer (&wait->error));
  else
    g_task_return_boolean (wait->task, TRUE);
  g_clear_object (&wait->task);
  g_free (wait);
}

static void
recorded_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  answer_wait (user_data);
}

static void
wait_cb (GObject *source, GAsyncResult *async_result, gpointer user_data)
{
  AsbCommandWait *wait = g_new0 (AsbCommandWait, 1);
  g_autoptr (AsbCommand) self = g_object_ref (g_task_get_source_object (user_data));
  g_autoptr (AsbCommandResult) result
      = asb_process_wait_finish (ASB_PROCESS (source), async_result, &wait->error);

  wait->task = user_data;
  if ((wait->error && asb_error_is_cancelled (wait->error))
      || !learn_end (self, result, wait->error, recorded_cb, wait))
    answer_wait (wait);
}

/**
 * asb_command_wait_async:
 * @self: a [class@Command]
 * @cancellable: (nullable): a way to stop waiting; the command goes on
 * @callback: (scope async): called when the command has ended
 * @user_data: data for @callback
 *
 * Waits until the command has ended. Output that nobody reads does not hold the end back.
 *
 * Since: 1.0
 */
void
asb_command_wait_async (AsbCommand *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                        gpointer user_data)
{
  g_autoptr (GTask) task = NULL;

  g_return_if_fail (ASB_IS_COMMAND (self));

  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, asb_command_wait_async);
  if (end_is_known (self))
    g_task_return_boolean (task, TRUE);
  else
    asb_process_wait_async (self->process, cancellable, wait_cb, g_steal_pointer (&task));
}

/**
 * asb_command_wait_finish:
 * @self: a [class@Command]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Command.wait_async].
 *
 * Returns: whether the end is known; %ASB_ERROR_INTERRUPTED if the connection was lost before it
 * was
 *
 * Since: 1.0
 */
gboolean
asb_command_wait_finish (AsbCommand *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_COMMAND (self), FALSE);
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  return asb_task_finish_boolean (result, error);
}

/**
 * asb_command_wait:
 * @self: a [class@Command]
 * @cancellable: (nullable): a way to stop waiting; the command goes on
 * @error: return location for an error
 *
 * Waits until the command has ended. Blocks; see [method@Command.wait_async].
 *
 * Returns: whether the end is known; %ASB_ERROR_INTERRUPTED if the connection was lost before it
 * was
 *
 * Since: 1.0
 */
gboolean
asb_command_wait (AsbCommand *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_COMMAND (self), FALSE);

  asb_sync_begin (&sync);
  asb_command_wait_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_command_wait_finish (self, asb_sync_wait (&sync), error);
}

/* Signals, and the size of the terminal. */

static void
return_boolean (GTask *task, gboolean value, GError *error)
{
  if (error)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, value);
}

static void
signal_sent_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;
  gboolean delivered = asb_process_send_signal_finish (ASB_PROCESS (source), result, &error);

  return_boolean (task, delivered, error);
}

static void
resized_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;
  gboolean resized = asb_process_resize_finish (ASB_PROCESS (source), result, &error);

  return_boolean (task, resized, error);
}

/**
 * asb_command_send_signal_async:
 * @self: a [class@Command]
 * @signal_number: the signal, 1 to 64
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Sends a signal to the process group of the command; SIGINT, SIGQUIT and SIGTSTP to that in the
 * foreground of its terminal if it has one.
 *
 * Since: 1.0
 */
void
asb_command_send_signal_async (AsbCommand *self, int signal_number, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;

  g_return_if_fail (ASB_IS_COMMAND (self));
  g_return_if_fail (signal_number >= 1 && signal_number <= 64);

  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, asb_command_send_signal_async);
  asb_process_send_signal_async (self->process, signal_number, cancellable, signal_sent_cb, task);
}

/**
 * asb_command_send_signal_finish:
 * @self: a [class@Command]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Command.send_signal_async].
 *
 * Returns: whether it was delivered; %FALSE without an error if the command had ended
 *
 * Since: 1.0
 */
gboolean
asb_command_send_signal_finish (AsbCommand *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_COMMAND (self), FALSE);
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  return asb_task_finish_boolean (result, error);
}

/**
 * asb_command_send_signal:
 * @self: a [class@Command]
 * @signal_number: the signal, 1 to 64
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Sends a signal to the process group of the command; SIGINT, SIGQUIT and SIGTSTP to that in the
 * foreground of its terminal if it has one. Blocks; see [method@Command.send_signal_async].
 *
 * Returns: whether it was delivered; %FALSE without an error if the command had ended
 *
 * Since: 1.0
 */
gboolean
asb_command_send_signal (AsbCommand *self, int signal_number, GCancellable *cancellable,
                         GError **error)
{
  g_return_val_if_fail (ASB_IS_COMMAND (self), FALSE);

  return asb_process_send_signal (self->process, signal_number, cancellable, error);
}

/**
 * asb_command_resize_async:
 * @self: a [class@Command]
 * @columns: columns, 1 to 65,535
 * @rows: rows, 1 to 65,535
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Changes the size of the command's terminal; what runs in its foreground gets SIGWINCH. A command
 * without [property@CommandSpec:tty] is %ASB_ERROR_INVALID_ARGUMENT.
 *
 * Since: 1.0
 */
void
asb_command_resize_async (AsbCommand *self, guint columns, guint rows, GCancellable *cancellable,
                          GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;

  g_return_if_fail (ASB_IS_COMMAND (self));
  g_return_if_fail (columns >= 1 && columns <= G_MAXUINT16);
  g_return_if_fail (rows >= 1 && rows <= G_MAXUINT16);

  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, asb_command_resize_async);
  asb_process_resize_async (self->process, columns, rows, cancellable, resized_cb, task);
}

/**
 * asb_command_resize_finish:
 * @self: a [class@Command]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Command.resize_async].
 *
 * Returns: whether it was changed; %FALSE without an error if the command had ended
 *
 * Since: 1.0
 */
gboolean
asb_command_resize_finish (AsbCommand *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_COMMAND (self), FALSE);
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  return asb_task_finish_boolean (result, error);
}

/**
 * asb_command_resize:
 * @self: a [class@Command]
 * @columns: columns, 1 to 65,535
 * @rows: rows, 1 to 65,535
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Changes the size of the command's terminal; what runs in its foreground gets SIGWINCH. A command
 * without [property@CommandSpec:tty] is %ASB_ERROR_INVALID_ARGUMENT. Blocks; see
 * [method@Command.resize_async].
 *
 * Returns: whether it was changed; %FALSE without an error if the command had ended
 *
 * Since: 1.0
 */
gboolean
asb_command_resize (AsbCommand *self, guint columns, guint rows, GCancellable *cancellable,
                    GError **error)
{
  g_return_val_if_fail (ASB_IS_COMMAND (self), FALSE);

  return asb_process_resize (self->process, columns, rows, cancellable, error);
}

/**
 * asb_command_force_exit:
 * @self: a [class@Command]
 *
 * Asks for the end of the command and of everything it started: TERM first, and KILL soon after. It
 * ends with %ASB_COMMAND_STATE_CANCELLED; wait for it to know that it did.
 *
 * Since: 1.0
 */
void
asb_command_force_exit (AsbCommand *self)
{
  g_return_if_fail (ASB_IS_COMMAND (self));

  asb_process_force_exit (self->process);
}

/**
 * asb_command_get_result: (get-property result)
 * @self: a [class@Command]
 *
 * Gets [property@Command:result].
 *
 * Returns: (transfer none) (nullable): how the command ended, if that is known
 *
 * Since: 1.0
 */
AsbCommandResult *
asb_command_get_result (AsbCommand *self)
{
  g_autoptr (GMutexLocker) locker = NULL;

  g_return_val_if_fail (ASB_IS_COMMAND (self), NULL);

  locker = g_mutex_locker_new (&self->mutex);
  return self->result;
}

/**
 * asb_command_get_successful:
 * @self: a [class@Command]
 *
 * Whether the command is known to have ended with exit status 0.
 *
 * Returns: whether it has
 *
 * Since: 1.0
 */
gboolean
asb_command_get_successful (AsbCommand *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND (self), FALSE);

  return asb_command_get_state (self) == ASB_COMMAND_STATE_SUCCEEDED;
}

/**
 * asb_command_get_if_exited:
 * @self: a [class@Command]
 *
 * Whether the command is known to have ended by itself, with an exit status.
 *
 * Returns: whether it has
 *
 * Since: 1.0
 */
gboolean
asb_command_get_if_exited (AsbCommand *self)
{
  AsbCommandResult *result = asb_command_get_result (self);

  return result && asb_command_result_get_has_exit_status (result);
}

/**
 * asb_command_get_exit_status:
 * @self: a [class@Command]
 *
 * Gets the exit status, after [method@Command.get_if_exited].
 *
 * Returns: the exit status, 0 to 255; −1 if there is none
 *
 * Since: 1.0
 */
int
asb_command_get_exit_status (AsbCommand *self)
{
  AsbCommandResult *result = asb_command_get_result (self);

  return asb_command_get_if_exited (self) ? asb_command_result_get_exit_status (result) : -1;
}

/**
 * asb_command_get_if_signaled:
 * @self: a [class@Command]
 *
 * Whether the command is known to have been ended by a signal.
 *
 * Returns: whether it has
 *
 * Since: 1.0
 */
gboolean
asb_command_get_if_signaled (AsbCommand *self)
{
  return asb_command_get_term_sig (self) != 0;
}

/**
 * asb_command_get_term_sig:
 * @self: a [class@Command]
 *
 * Gets the signal that ended the command, after [method@Command.get_if_signaled].
 *
 * Returns: the signal; 0 if there is none
 *
 * Since: 1.0
 */
int
asb_command_get_term_sig (AsbCommand *self)
{
  AsbCommandResult *result = asb_command_get_result (self);

  return result ? asb_command_result_get_term_signal (result) : 0;
}
