/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-process.h"

#include "asb-call-private.h"
#include "asb-enum-types.h"
#include "asb-error-private.h"
#include "asb-sync-private.h"

/**
 * AsbProcess:
 *
 * What a transport supplies for a command it started. Programs use the [class@Command] over it.
 *
 * Dropping the last reference does not end the command.
 *
 * Since: 1.0
 */

G_DEFINE_INTERFACE (AsbProcess, asb_process, G_TYPE_OBJECT)

static void
asb_process_default_init (AsbProcessInterface *iface)
{
}

/**
 * asb_process_dup_command_id:
 * @self: a [iface@Process]
 *
 * Gets the id of the command.
 *
 * Returns: (transfer full): the id
 *
 * Since: 1.0
 */
char *
asb_process_dup_command_id (AsbProcess *self)
{
  g_return_val_if_fail (ASB_IS_PROCESS (self), NULL);

  return ASB_PROCESS_GET_IFACE (self)->dup_command_id (self);
}

/**
 * asb_process_get_stdin:
 * @self: a [iface@Process]
 *
 * Gets the stream to standard input.
 *
 * Returns: (transfer none) (nullable): the stream; %NULL without %ASB_COMMAND_FLAGS_STDIN_PIPE
 *
 * Since: 1.0
 */
GOutputStream *
asb_process_get_stdin (AsbProcess *self)
{
  g_return_val_if_fail (ASB_IS_PROCESS (self), NULL);

  return ASB_PROCESS_GET_IFACE (self)->get_stdin (self);
}

/**
 * asb_process_get_stdout:
 * @self: a [iface@Process]
 *
 * Gets the stream of standard output. Streams are pollable and read without threads.
 *
 * Returns: (transfer none) (nullable): the stream; %NULL with %ASB_COMMAND_FLAGS_STDOUT_SILENCE
 *
 * Since: 1.0
 */
GInputStream *
asb_process_get_stdout (AsbProcess *self)
{
  g_return_val_if_fail (ASB_IS_PROCESS (self), NULL);

  return ASB_PROCESS_GET_IFACE (self)->get_stdout (self);
}

/**
 * asb_process_get_stderr:
 * @self: a [iface@Process]
 *
 * Gets the stream of standard error.
 *
 * Returns: (transfer none) (nullable): the stream; %NULL when it is silenced or merged
 *
 * Since: 1.0
 */
GInputStream *
asb_process_get_stderr (AsbProcess *self)
{
  g_return_val_if_fail (ASB_IS_PROCESS (self), NULL);

  return ASB_PROCESS_GET_IFACE (self)->get_stderr (self);
}

/**
 * asb_process_force_exit:
 * @self: a [iface@Process]
 *
 * Asks for the end of the command and of everything it started. Wait for it to know that it came.
 *
 * Since: 1.0
 */
void
asb_process_force_exit (AsbProcess *self)
{
  g_return_if_fail (ASB_IS_PROCESS (self));

  ASB_PROCESS_GET_IFACE (self)->force_exit (self);
}

/**
 * AsbProcessInterface::wait:
 * @self: a [iface@Process]
 * @task: to be answered with an [class@CommandResult]: how it ended; the output it holds is empty,
 * that is read from the streams
 *
 * Does what [method@Process.wait_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_process_wait_async:
 * @self: a [iface@Process]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Waits until the command has ended. Cancelling stops the waiting, not the command.
 *
 * Since: 1.0
 */
void
asb_process_wait_async (AsbProcess *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                        gpointer user_data)
{
  static const AsbCallKind kind = { "wait for the command", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROCESS (self));

  task = asb_call_begin (self, &kind, ASB_TYPE_COMMAND_RESULT, cancellable, callback, user_data,
                         asb_process_wait_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_PROCESS_GET_IFACE (self)->wait)
    {
      ASB_PROCESS_GET_IFACE (self)->wait (self, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "wait");
}

/**
 * asb_process_wait_finish:
 * @self: a [iface@Process]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Process.wait_async].
 *
 * Returns: (transfer full): how it ended; the output it holds is empty, that is read from the
 * streams
 *
 * Since: 1.0
 */
AsbCommandResult *
asb_process_wait_finish (AsbProcess *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROCESS (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_process_wait:
 * @self: a [iface@Process]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Waits until the command has ended. Cancelling stops the waiting, not the command. Blocks; see
 * [method@Process.wait_async].
 *
 * Returns: (transfer full): how it ended; the output it holds is empty, that is read from the
 * streams
 *
 * Since: 1.0
 */
AsbCommandResult *
asb_process_wait (AsbProcess *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROCESS (self), NULL);

  asb_sync_begin (&sync);
  asb_process_wait_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_process_wait_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProcessInterface::send_signal:
 * @self: a [iface@Process]
 * @signal_number: the signal, 1 to 64
 * @task: to be answered with a boolean: whether it was delivered; %FALSE without an error if the
 * command had ended
 *
 * Does what [method@Process.send_signal_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_process_send_signal_async:
 * @self: a [iface@Process]
 * @signal_number: the signal, 1 to 64
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Sends a signal to the process group of the command.
 *
 * Since: 1.0
 */
void
asb_process_send_signal_async (AsbProcess *self, int signal_number, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "send a signal to the command", 60, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROCESS (self));
  g_return_if_fail (signal_number >= 1 && signal_number <= 64);

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_process_send_signal_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_PROCESS_GET_IFACE (self)->send_signal)
    {
      ASB_PROCESS_GET_IFACE (self)->send_signal (self, signal_number, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "send_signal");
}

/**
 * asb_process_send_signal_finish:
 * @self: a [iface@Process]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Process.send_signal_async].
 *
 * Returns: whether it was delivered; %FALSE without an error if the command had ended
 *
 * Since: 1.0
 */
gboolean
asb_process_send_signal_finish (AsbProcess *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROCESS (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_process_send_signal:
 * @self: a [iface@Process]
 * @signal_number: the signal, 1 to 64
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Sends a signal to the process group of the command. Blocks; see
 * [method@Process.send_signal_async].
 *
 * Returns: whether it was delivered; %FALSE without an error if the command had ended
 *
 * Since: 1.0
 */
gboolean
asb_process_send_signal (AsbProcess *self, int signal_number, GCancellable *cancellable,
                         GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROCESS (self), FALSE);
  g_return_val_if_fail (signal_number >= 1 && signal_number <= 64, FALSE);

  asb_sync_begin (&sync);
  asb_process_send_signal_async (self, signal_number, cancellable, asb_sync_ready_cb, &sync);
  return asb_process_send_signal_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProcessInterface::resize:
 * @self: a [iface@Process]
 * @columns: columns, 1 to 65,535
 * @rows: rows, 1 to 65,535
 * @task: to be answered with a boolean: whether it was changed; %FALSE without an error if the
 * command had ended
 *
 * Does what [method@Process.resize_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_process_resize_async:
 * @self: a [iface@Process]
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
asb_process_resize_async (AsbProcess *self, guint columns, guint rows, GCancellable *cancellable,
                          GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "resize the terminal of the command", 60, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROCESS (self));
  g_return_if_fail (columns >= 1 && columns <= G_MAXUINT16);
  g_return_if_fail (rows >= 1 && rows <= G_MAXUINT16);

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_process_resize_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_PROCESS_GET_IFACE (self)->resize)
    {
      ASB_PROCESS_GET_IFACE (self)->resize (self, columns, rows, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "resize");
}

/**
 * asb_process_resize_finish:
 * @self: a [iface@Process]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Process.resize_async].
 *
 * Returns: whether it was changed; %FALSE without an error if the command had ended
 *
 * Since: 1.0
 */
gboolean
asb_process_resize_finish (AsbProcess *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROCESS (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_process_resize:
 * @self: a [iface@Process]
 * @columns: columns, 1 to 65,535
 * @rows: rows, 1 to 65,535
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Changes the size of the command's terminal; what runs in its foreground gets SIGWINCH. A command
 * without [property@CommandSpec:tty] is %ASB_ERROR_INVALID_ARGUMENT. Blocks; see
 * [method@Process.resize_async].
 *
 * Returns: whether it was changed; %FALSE without an error if the command had ended
 *
 * Since: 1.0
 */
gboolean
asb_process_resize (AsbProcess *self, guint columns, guint rows, GCancellable *cancellable,
                    GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROCESS (self), FALSE);
  g_return_val_if_fail (columns >= 1 && columns <= G_MAXUINT16, FALSE);
  g_return_val_if_fail (rows >= 1 && rows <= G_MAXUINT16, FALSE);

  asb_sync_begin (&sync);
  asb_process_resize_async (self, columns, rows, cancellable, asb_sync_ready_cb, &sync);
  return asb_process_resize_finish (self, asb_sync_wait (&sync), error);
}
