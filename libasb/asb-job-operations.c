/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What can be done with a job. None of it is held back by the backend's closing, and none holds
 * that back: as with a command, the end of the transport ends it. */

#include "config.h"

#include "asb-job-private.h"

#include "asb-call-private.h"
#include "asb-error-private.h"
#include "asb-run-private.h"
#include "asb-sync-private.h"
#include "asb-transport.h"

static void
return_error (GTask *task, GError *error)
{
  AsbBackend *backend = asb_job_get_backend (g_task_get_source_object (task));

  asb_run_complete_error (backend, g_task_get_task_data (task), NULL, error);
  g_task_return_error (task, error);
}

/* @operation, static, stands in an error. */
static GTask *
task_new (AsbJob *self, const char *operation, GCancellable *cancellable,
          GAsyncReadyCallback callback, gpointer user_data, gpointer tag)
{
  GTask *task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, tag);
  /* What has been done is told, also to who has cancelled it. */
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, (gpointer)operation, NULL);
  return task;
}

static void
insert_id (GVariantDict *arguments, AsbJob *self)
{
  g_variant_dict_init (arguments, NULL);
  g_variant_dict_insert (arguments, "job_id", "s", asb_job_get_id (self));
}

/* Takes @task, whose data is the name of the call. */
static void
call (GTask *task, GVariantDict *arguments, GAsyncReadyCallback callback)
{
  AsbBackend *backend = asb_job_get_backend (g_task_get_source_object (task));

  asb_transport_call_async (asb_backend_get_transport (backend), g_task_get_task_data (task),
                            g_variant_dict_end (arguments), g_task_get_cancellable (task), callback,
                            task);
}

/* Reading. */

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;
  GInputStream *stream = asb_transport_open_call_finish (ASB_TRANSPORT (source), result, &error);

  if (stream)
    g_task_return_pointer (task, stream, g_object_unref);
  else
    return_error (task, error);
}

static void
begin_output (AsbJob *self, AsbOutputStream stream, gint64 offset, gboolean follow,
              GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data,
              gpointer tag)
{
  GTask *task = task_new (self, "job.output", cancellable, callback, user_data, tag);
  AsbBackend *backend = asb_job_get_backend (self);
  GVariantDict arguments;

  insert_id (&arguments, self);
  g_variant_dict_insert (&arguments, "stream", "s",
                         stream == ASB_OUTPUT_STREAM_STDERR ? "stderr" : "stdout");
  if (offset >= 0)
    g_variant_dict_insert (&arguments, "offset", "x", offset);
  g_variant_dict_insert (&arguments, "follow", "b", follow);
  asb_transport_open_call_async (asb_backend_get_transport (backend), "job.output",
                                 g_variant_dict_end (&arguments), cancellable, opened_cb, task);
}

/* Waiting. */

static void
return_result (GTask *task, GVariant *status)
{
  AsbBackend *backend = asb_job_get_backend (g_task_get_source_object (task));
  GError *error = NULL;
  g_autoptr (AsbJob) job = asb_job_new_from_variant (backend, status, &error);

  if (job && asb_job_get_result (job))
    g_task_return_pointer (task, g_object_ref (asb_job_get_result (job)), g_object_unref);
  else if (job)
    return_error (task, g_error_new_literal (ASB_ERROR, ASB_ERROR_PROTOCOL,
                                             "A job was said to have ended, and runs"));
  else
    return_error (task, error);
}

static void
ended_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;
  g_autoptr (GVariant) status = asb_transport_call_finish (ASB_TRANSPORT (source), result, &error);

  if (status)
    return_result (task, status);
  else
    return_error (task, error);
}

static void
begin_wait (AsbJob *self, GCancellable *cancellable, GAsyncReadyCallback callback,
            gpointer user_data, gpointer tag)
{
  GVariantDict arguments;

  insert_id (&arguments, self);
  call (task_new (self, "job.wait", cancellable, callback, user_data, tag), &arguments, ended_cb);
}

static void
begin_stop (AsbJob *self, GCancellable *cancellable, GAsyncReadyCallback callback,
            gpointer user_data, gpointer tag)
{
  GVariantDict arguments;

  insert_id (&arguments, self);
  call (task_new (self, "job.stop", cancellable, callback, user_data, tag), &arguments, ended_cb);
}

/* Signals, and forgetting. */

static void
signalled_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;
  g_autoptr (GVariant) answer = asb_transport_call_finish (ASB_TRANSPORT (source), result, &error);
  gboolean delivered;

  if (!answer)
    return_error (task, error);
  else if (!g_variant_lookup (answer, "delivered", "b", &delivered))
    return_error (task, g_error_new_literal (ASB_ERROR, ASB_ERROR_PROTOCOL,
                                             "“delivered” is missing or not a boolean"));
  else
    g_task_return_boolean (task, delivered);
}

static void
begin_signal (AsbJob *self, int signal_number, GCancellable *cancellable,
              GAsyncReadyCallback callback, gpointer user_data, gpointer tag)
{
  GVariantDict arguments;

  insert_id (&arguments, self);
  g_variant_dict_insert (&arguments, "signal", "x", (gint64)signal_number);
  call (task_new (self, "job.signal", cancellable, callback, user_data, tag), &arguments,
        signalled_cb);
}

static void
removed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;
  g_autoptr (GVariant) answer = asb_transport_call_finish (ASB_TRANSPORT (source), result, &error);

  if (answer)
    g_task_return_boolean (task, TRUE);
  else
    return_error (task, error);
}

static void
begin_remove (AsbJob *self, GCancellable *cancellable, GAsyncReadyCallback callback,
              gpointer user_data, gpointer tag)
{
  GVariantDict arguments;

  insert_id (&arguments, self);
  call (task_new (self, "job.remove", cancellable, callback, user_data, tag), &arguments,
        removed_cb);
}

/**
 * asb_job_open_output_async:
 * @self: a [class@Job]
 * @stream: which of its outputs
 * @offset: where to begin, in bytes since the start of the output; -1: at the first byte that is
 * kept
 * @follow: whether to wait for what is still to come; the stream then ends when the job has ended
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Opens the output of the job for reading, from any offset. An offset beyond the end gives an empty
 * stream, or with @follow one that waits until the job gets there.
 *
 * Bytes that are no longer kept are never skipped: the stream, or the opening of it, then fails
 * with %ASB_ERROR_OUTPUT_DROPPED, whose detail `first_offset` says where to go on; that also
 * happens to a reader that is slower than the job. Dropping the stream does nothing to the job.
 *
 * Since: 1.0
 */
void
asb_job_open_output_async (AsbJob *self, AsbOutputStream stream, gint64 offset, gboolean follow,
                           GCancellable *cancellable, GAsyncReadyCallback callback,
                           gpointer user_data)
{
  g_return_if_fail (ASB_IS_JOB (self));
  g_return_if_fail (offset >= -1);

  begin_output (self, stream, offset, follow, cancellable, callback, user_data,
                asb_job_open_output_async);
}

/**
 * asb_job_open_output_finish:
 * @self: a [class@Job]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Job.open_output_async].
 *
 * Returns: (transfer full): a stream of the exact bytes
 *
 * Since: 1.0
 */
GInputStream *
asb_job_open_output_finish (AsbJob *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_JOB (self), NULL);
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return asb_task_finish_pointer (result, error);
}

/**
 * asb_job_open_output:
 * @self: a [class@Job]
 * @stream: which of its outputs
 * @offset: where to begin, in bytes since the start of the output; -1: at the first byte that is
 * kept
 * @follow: whether to wait for what is still to come; the stream then ends when the job has ended
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Opens the output of the job for reading, from any offset. An offset beyond the end gives an empty
 * stream, or with @follow one that waits until the job gets there.
 *
 * Bytes that are no longer kept are never skipped: the stream, or the opening of it, then fails
 * with %ASB_ERROR_OUTPUT_DROPPED, whose detail `first_offset` says where to go on; that also
 * happens to a reader that is slower than the job. Dropping the stream does nothing to the job.
 * Blocks; see [method@Job.open_output_async].
 *
 * Returns: (transfer full): a stream of the exact bytes
 *
 * Since: 1.0
 */
GInputStream *
asb_job_open_output (AsbJob *self, AsbOutputStream stream, gint64 offset, gboolean follow,
                     GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_JOB (self), NULL);
  g_return_val_if_fail (offset >= -1, NULL);

  asb_sync_begin (&sync);
  asb_job_open_output_async (self, stream, offset, follow, cancellable, asb_sync_ready_cb, &sync);
  return asb_job_open_output_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_job_wait_async:
 * @self: a [class@Job]
 * @cancellable: (nullable): a way to stop waiting; the job goes on
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Waits until the job has ended and its record is complete. %ASB_ERROR_INTERRUPTED means that the
 * connection was lost before: ask again on another one. %ASB_ERROR_JOB_NOT_FOUND means that nobody
 * knows the job any more.
 *
 * Since: 1.0
 */
void
asb_job_wait_async (AsbJob *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                    gpointer user_data)
{
  g_return_if_fail (ASB_IS_JOB (self));

  begin_wait (self, cancellable, callback, user_data, asb_job_wait_async);
}

/**
 * asb_job_wait_finish:
 * @self: a [class@Job]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Job.wait_async].
 *
 * Returns: (transfer full): how it ended, without what it printed
 *
 * Since: 1.0
 */
AsbCommandResult *
asb_job_wait_finish (AsbJob *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_JOB (self), NULL);
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return asb_task_finish_pointer (result, error);
}

/**
 * asb_job_wait:
 * @self: a [class@Job]
 * @cancellable: (nullable): a way to stop waiting; the job goes on
 * @error: return location for an error
 *
 * Waits until the job has ended and its record is complete. %ASB_ERROR_INTERRUPTED means that the
 * connection was lost before: ask again on another one. %ASB_ERROR_JOB_NOT_FOUND means that nobody
 * knows the job any more. Blocks; see [method@Job.wait_async].
 *
 * Returns: (transfer full): how it ended, without what it printed
 *
 * Since: 1.0
 */
AsbCommandResult *
asb_job_wait (AsbJob *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_JOB (self), NULL);

  asb_sync_begin (&sync);
  asb_job_wait_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_job_wait_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_job_send_signal_async:
 * @self: a [class@Job]
 * @signal_number: the signal, 1 to 64
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Sends a signal to the process group of the job.
 *
 * Since: 1.0
 */
void
asb_job_send_signal_async (AsbJob *self, int signal_number, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (ASB_IS_JOB (self));
  g_return_if_fail (signal_number >= 1 && signal_number <= 64);

  begin_signal (self, signal_number, cancellable, callback, user_data, asb_job_send_signal_async);
}

/**
 * asb_job_send_signal_finish:
 * @self: a [class@Job]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Job.send_signal_async].
 *
 * Returns: whether it was delivered; %FALSE without an error if the job had ended
 *
 * Since: 1.0
 */
gboolean
asb_job_send_signal_finish (AsbJob *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_JOB (self), FALSE);
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  return asb_task_finish_boolean (result, error);
}

/**
 * asb_job_send_signal:
 * @self: a [class@Job]
 * @signal_number: the signal, 1 to 64
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Sends a signal to the process group of the job. Blocks; see [method@Job.send_signal_async].
 *
 * Returns: whether it was delivered; %FALSE without an error if the job had ended
 *
 * Since: 1.0
 */
gboolean
asb_job_send_signal (AsbJob *self, int signal_number, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_JOB (self), FALSE);
  g_return_val_if_fail (signal_number >= 1 && signal_number <= 64, FALSE);

  asb_sync_begin (&sync);
  asb_job_send_signal_async (self, signal_number, cancellable, asb_sync_ready_cb, &sync);
  return asb_job_send_signal_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_job_stop_async:
 * @self: a [class@Job]
 * @cancellable: (nullable): a way to stop waiting for the end, which comes all the same
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Ends the job and everything it started: TERM, and after half a second KILL. Done when all has
 * ended. The result of a job that had ended before stays what it was.
 *
 * Since: 1.0
 */
void
asb_job_stop_async (AsbJob *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                    gpointer user_data)
{
  g_return_if_fail (ASB_IS_JOB (self));

  begin_stop (self, cancellable, callback, user_data, asb_job_stop_async);
}

/**
 * asb_job_stop_finish:
 * @self: a [class@Job]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Job.stop_async].
 *
 * Returns: (transfer full): how it ended, without what it printed
 *
 * Since: 1.0
 */
AsbCommandResult *
asb_job_stop_finish (AsbJob *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_JOB (self), NULL);
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return asb_task_finish_pointer (result, error);
}

/**
 * asb_job_stop:
 * @self: a [class@Job]
 * @cancellable: (nullable): a way to stop waiting for the end, which comes all the same
 * @error: return location for an error
 *
 * Ends the job and everything it started: TERM, and after half a second KILL. Done when all has
 * ended. The result of a job that had ended before stays what it was. Blocks; see
 * [method@Job.stop_async].
 *
 * Returns: (transfer full): how it ended, without what it printed
 *
 * Since: 1.0
 */
AsbCommandResult *
asb_job_stop (AsbJob *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_JOB (self), NULL);

  asb_sync_begin (&sync);
  asb_job_stop_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_job_stop_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_job_remove_async:
 * @self: a [class@Job]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Forgets a job that has ended, and frees what is kept of its output. Its record stays.
 * %ASB_ERROR_JOB_RUNNING means that it has not ended: [method@Job.stop] it first.
 *
 * Since: 1.0
 */
void
asb_job_remove_async (AsbJob *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                      gpointer user_data)
{
  g_return_if_fail (ASB_IS_JOB (self));

  begin_remove (self, cancellable, callback, user_data, asb_job_remove_async);
}

/**
 * asb_job_remove_finish:
 * @self: a [class@Job]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Job.remove_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_job_remove_finish (AsbJob *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_JOB (self), FALSE);
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  return asb_task_finish_boolean (result, error);
}

/**
 * asb_job_remove:
 * @self: a [class@Job]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Forgets a job that has ended, and frees what is kept of its output. Its record stays.
 * %ASB_ERROR_JOB_RUNNING means that it has not ended: [method@Job.stop] it first. Blocks; see
 * [method@Job.remove_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_job_remove (AsbJob *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_JOB (self), FALSE);

  asb_sync_begin (&sync);
  asb_job_remove_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_job_remove_finish (self, asb_sync_wait (&sync), error);
}
