/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-call-private.h"
#include "asb-command-private.h"
#include "asb-output-collector-private.h"
#include "asb-sync-private.h"

/* Communicating: input, both outputs and the end at the same time. */

typedef struct
{
  guint n_pending;
  GError *error;
  GBytes *input;
  GBytes *outputs[2];
  GCancellable *cancellable; /* cancelled with the caller's, and when one part fails */
} AsbCommunication;

static void
communication_free (gpointer data)
{
  AsbCommunication *communication = data;

  g_clear_error (&communication->error);
  g_clear_pointer (&communication->input, g_bytes_unref);
  for (gsize i = 0; i < G_N_ELEMENTS (communication->outputs); i++)
    g_clear_pointer (&communication->outputs[i], g_bytes_unref);
  g_clear_object (&communication->cancellable);
  g_free (communication);
}

/* Takes @task and @error (nullable). */
static void
part_done (GTask *task, GError *error)
{
  g_autoptr (GTask) owned = task;
  AsbCommunication *communication = g_task_get_task_data (task);

  if (error && !communication->error)
    {
      communication->error = error;
      g_cancellable_cancel (communication->cancellable);
    }
  else
    g_clear_error (&error);

  if (--communication->n_pending > 0)
    return;
  if (communication->error)
    g_task_return_error (task, g_steal_pointer (&communication->error));
  else
    g_task_return_boolean (task, TRUE);
}

static void
collect_part (GTask *task, GObject *source, GAsyncResult *result, AsbOutputStream which)
{
  AsbCommunication *communication = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (AsbCollectedOutput) output
      = asb_output_collect_finish (G_INPUT_STREAM (source), result, &error);

  if (output)
    communication->outputs[which] = g_bytes_ref (output->bytes);
  part_done (task, error);
}

static void
stdout_collected_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  collect_part (user_data, source, result, ASB_OUTPUT_STREAM_STDOUT);
}

static void
stderr_collected_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  collect_part (user_data, source, result, ASB_OUTPUT_STREAM_STDERR);
}

static void
communicate_ended_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;

  asb_command_wait_finish (ASB_COMMAND (source), result, &error);
  part_done (user_data, error);
}

static void
stdin_closed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;

  g_output_stream_close_finish (G_OUTPUT_STREAM (source), result, &error);
  /* A command need not read its input to the end. */
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE))
    g_clear_error (&error);
  part_done (user_data, error);
}

static void
stdin_written_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  AsbCommunication *communication = g_task_get_task_data (task);
  GError *error = NULL;

  if (!g_output_stream_write_all_finish (G_OUTPUT_STREAM (source), result, NULL, &error)
      && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE))
    {
      part_done (task, error);
      return;
    }
  g_clear_error (&error);
  g_output_stream_close_async (G_OUTPUT_STREAM (source), G_PRIORITY_DEFAULT,
                               communication->cancellable, stdin_closed_cb, task);
}

static void
communicate_input (AsbCommand *self, GTask *task)
{
  AsbCommunication *communication = g_task_get_task_data (task);
  GOutputStream *input = asb_command_get_stdin_pipe (self);
  gsize size = 0;
  const void *data = communication->input ? g_bytes_get_data (communication->input, &size) : NULL;

  if (!input)
    return;
  communication->n_pending++;
  g_output_stream_write_all_async (input, data, size, G_PRIORITY_DEFAULT,
                                   communication->cancellable, stdin_written_cb,
                                   g_object_ref (task));
}

static void
communicate_output (GInputStream *stream, GTask *task, GAsyncReadyCallback callback)
{
  AsbCommunication *communication = g_task_get_task_data (task);

  if (!stream)
    return;
  communication->n_pending++;
  asb_output_collect_async (stream, G_MAXUINT64, 0, communication->cancellable, callback,
                            g_object_ref (task));
}

static void
chain_cancel_cb (GCancellable *cancellable, gpointer user_data)
{
  g_cancellable_cancel (user_data);
}

static void
communicate_completed_cb (GTask *task, GParamSpec *pspec, gpointer user_data)
{
  /* Not g_cancellable_disconnect (): this may run in a handler, which that would wait for. */
  g_signal_handler_disconnect (g_task_get_cancellable (task), (gulong)GPOINTER_TO_SIZE (user_data));
}

static void
chain_cancellable (GTask *task)
{
  AsbCommunication *communication = g_task_get_task_data (task);
  GCancellable *cancellable = g_task_get_cancellable (task);
  gulong id;

  communication->cancellable = g_cancellable_new ();
  if (!cancellable)
    return;
  id = g_cancellable_connect (cancellable, G_CALLBACK (chain_cancel_cb),
                              g_object_ref (communication->cancellable), g_object_unref);
  if (id)
    g_signal_connect (task, "notify::completed", G_CALLBACK (communicate_completed_cb),
                      GSIZE_TO_POINTER (id));
}

/**
 * asb_command_communicate_async:
 * @self: a [class@Command] whose output arrives by streams
 * @stdin_bytes: (nullable): what to write to standard input, with %ASB_COMMAND_FLAGS_STDIN_PIPE
 * @cancellable: (nullable): a way to cancel; the command goes on
 * @callback: (scope async): called when the command has ended
 * @user_data: data for @callback
 *
 * Writes input, reads all output into memory, and waits for the end, all at the same time. For
 * output of unknown size use the streams, or [method@Backend.execute], which bounds it.
 *
 * Since: 1.0
 */
void
asb_command_communicate_async (AsbCommand *self, GBytes *stdin_bytes, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = NULL;
  AsbCommunication *communication;

  g_return_if_fail (ASB_IS_COMMAND (self));
  g_return_if_fail (asb_command_has_streams (self));
  g_return_if_fail (stdin_bytes == NULL || asb_command_get_stdin_pipe (self) != NULL);

  task = g_task_new (self, cancellable, callback, user_data);
  communication = g_new0 (AsbCommunication, 1);
  communication->input = stdin_bytes ? g_bytes_ref (stdin_bytes) : NULL;
  g_task_set_source_tag (task, asb_command_communicate_async);
  g_task_set_task_data (task, communication, communication_free);
  chain_cancellable (task);

  communication->n_pending = 1;
  communicate_input (self, task);
  communicate_output (asb_command_get_stdout_pipe (self), task, stdout_collected_cb);
  communicate_output (asb_command_get_stderr_pipe (self), task, stderr_collected_cb);
  asb_command_wait_async (self, communication->cancellable, communicate_ended_cb,
                          g_steal_pointer (&task));
}

static void
take_output (GTask *task, AsbOutputStream which, GBytes **bytes)
{
  AsbCommunication *communication = g_task_get_task_data (task);

  if (bytes)
    *bytes = g_steal_pointer (&communication->outputs[which]);
}

/**
 * asb_command_communicate_finish:
 * @self: a [class@Command]
 * @result: the result handed to the callback
 * @stdout_bytes: (out) (optional) (nullable) (transfer full): standard output
 * @stderr_bytes: (out) (optional) (nullable) (transfer full): standard error
 * @error: return location for an error
 *
 * Finishes [method@Command.communicate_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_command_communicate_finish (AsbCommand *self, GAsyncResult *result, GBytes **stdout_bytes,
                                GBytes **stderr_bytes, GError **error)
{
  g_return_val_if_fail (ASB_IS_COMMAND (self), FALSE);
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  if (!asb_task_finish_boolean (result, error))
    return FALSE;
  take_output (G_TASK (result), ASB_OUTPUT_STREAM_STDOUT, stdout_bytes);
  take_output (G_TASK (result), ASB_OUTPUT_STREAM_STDERR, stderr_bytes);
  return TRUE;
}

/**
 * asb_command_communicate:
 * @self: a [class@Command] whose output arrives by streams
 * @stdin_bytes: (nullable): what to write to standard input, with %ASB_COMMAND_FLAGS_STDIN_PIPE
 * @cancellable: (nullable): a way to cancel; the command goes on
 * @stdout_bytes: (out) (optional) (nullable) (transfer full): standard output
 * @stderr_bytes: (out) (optional) (nullable) (transfer full): standard error
 * @error: return location for an error
 *
 * Writes input, reads all output, and waits for the end. Blocks; see
 * [method@Command.communicate_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_command_communicate (AsbCommand *self, GBytes *stdin_bytes, GCancellable *cancellable,
                         GBytes **stdout_bytes, GBytes **stderr_bytes, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_COMMAND (self), FALSE);

  asb_sync_begin (&sync);
  asb_command_communicate_async (self, stdin_bytes, cancellable, asb_sync_ready_cb, &sync);
  return asb_command_communicate_finish (self, asb_sync_wait (&sync), stdout_bytes, stderr_bytes,
                                         error);
}
