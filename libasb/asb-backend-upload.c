/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-file-private.h"
#include "asb-call-private.h"
#include "asb-enum-types.h"
#include "asb-error-private.h"
#include "asb-path-private.h"
#include "asb-run-private.h"
#include "asb-sync-private.h"
#include "asb-upload-config-private.h"
#include "asb-upload-job-private.h"
#include "asb-upload-scan-private.h"

/* Uploads of a backend: files of this machine by the rules of their own. */

typedef struct
{
  AsbUploadSpec *given;    /* by the caller, who may change it meanwhile */
  AsbUploadSpec *spec;     /* as it was */
  AsbUploadConfig *config; /* … too */
  AsbUploadTarget *target;
} Upload;

static void
let_next (Upload *upload)
{
  g_clear_pointer (&upload->target, asb_upload_target_free);
}

static void
upload_free (gpointer data)
{
  Upload *upload = data;

  let_next (upload);
  g_clear_object (&upload->given);
  g_clear_object (&upload->spec);
  g_clear_object (&upload->config);
  g_free (upload);
}

/* What the record says. Of this machine it says nothing. */

static GVariant *
describe_request (AsbUploadSpec *spec)
{
  g_autoptr (GEnumClass) enum_class = g_type_class_ref (ASB_TYPE_UPLOAD_CONFLICT);
  GEnumValue *conflict = g_enum_get_value (enum_class, (int)asb_upload_spec_get_conflict (spec));
  g_autofree char *word = g_strdelimit (g_strdup (conflict->value_nick), "-", '_');
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "target",
                               asb_path_to_variant (asb_upload_spec_get_target (spec)));
  g_variant_dict_insert (&dict, "conflict", "s", word);
  return g_variant_dict_end (&dict);
}

static GVariant *
describe_result (AsbUploadResult *result)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "upload_id", "s", asb_upload_result_get_upload_id (result));
  g_variant_dict_insert (&dict, "manifest_hash", "s", asb_upload_result_get_manifest_hash (result));
  g_variant_dict_insert (&dict, "uploaded_files", "t",
                         asb_upload_result_get_uploaded_files (result));
  g_variant_dict_insert (&dict, "skipped_files", "t", asb_upload_result_get_skipped_files (result));
  g_variant_dict_insert (&dict, "failed_files", "t", asb_upload_result_get_failed_files (result));
  g_variant_dict_insert (&dict, "atomic", "b", asb_upload_result_get_atomic (result));
  return g_variant_dict_end (&dict);
}

static void
done_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  AsbUploadResult *uploaded = asb_upload_job_finish (result, &error);

  let_next (g_task_get_task_data (run->task));
  if (uploaded)
    asb_run_return_object (run, uploaded, describe_result (uploaded));
  else
    asb_run_return_error (run, error);
}

static void
perform (AsbRun *run)
{
  Upload *upload = g_task_get_task_data (run->task);

  asb_upload_job_async (run->backend, run->backend->transport, upload->given, upload->spec,
                        upload->config, g_task_get_cancellable (run->task), done_cb, run);
}

static void
begin (AsbBackend *self, GTask *task, AsbUploadSpec *spec)
{
  const AsbRunRecord record = { .operation_type = "file.upload",
                                .travels = TRUE,
                                .in_steps = TRUE,
                                .request = describe_request (spec),
                                .file_operation = asb_backend_describe_target (
                                    asb_upload_spec_get_target (spec), "upload", NULL) };

  asb_run_begin (self, task, &record, NULL, perform);
}

static void
have_target_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  AsbBackend *self = g_task_get_source_object (task);
  Upload *upload = g_task_get_task_data (task);
  GError *error = NULL;

  if (asb_upload_target_take_finish (upload->target, result, &error))
    {
      begin (self, task, upload->spec);
      return;
    }
  asb_run_complete_error (self, "file.upload", NULL, error);
  g_task_return_error (task, error);
  g_object_unref (task);
}

/* Takes @task. What can be known to be wrong before anything is done is told before that. */
static void
await_target (AsbBackend *self, GTask *task, Upload *upload)
{
  g_autofree char *path = NULL;
  GError *error = NULL;

  if (asb_upload_check (upload->spec, upload->config, &error))
    path = asb_path_resolve ("/", asb_upload_spec_get_target (upload->spec), &error);
  if (!path)
    {
      asb_run_complete_error (self, "file.upload", NULL, error);
      g_task_return_error (task, error);
      g_object_unref (task);
      return;
    }
  upload->target = asb_upload_target_new (self->upload_targets, path);
  asb_upload_target_take_async (upload->target, g_task_get_cancellable (task), have_target_cb,
                                task);
}

/**
 * asb_backend_upload_local_async:
 * @self: a [class@Backend]
 * @spec: what is uploaded, and where to
 * @config: (nullable): which files may be read at all; %NULL: none
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Uploads a file, or what is in a directory, from this machine into the sandbox: all of it, or
 * nothing. It goes as one stream, however many files there are, and memory stays flat.
 *
 * First the source is looked at, and each file read for its SHA-256. Then what is going to be
 * uploaded may be asked about ([method@UploadConfig.set_approval]). Then it is sent, compared with
 * what was looked at, and put in place when all of it has come; other files in the target stay.
 * When that fails half way, what was done is undone.
 *
 * %ASB_ERROR_LOCAL_PATH_NOT_FOUND and %ASB_ERROR_LOCAL_PATH_NOT_ALLOWED say so of the source.
 * %ASB_ERROR_UPLOAD_POLICY: the rules do not allow it; also for a FIFO, a socket or a device in the
 * source. %ASB_ERROR_UPLOAD_SYMLINK: a symbolic link is refused.
 * %ASB_ERROR_UPLOAD_FILE_TOO_LARGE, %ASB_ERROR_UPLOAD_TOO_MANY_FILES and
 * %ASB_ERROR_UPLOAD_TOTAL_SIZE_EXCEEDED: a bound of @spec. %ASB_ERROR_UPLOAD_PARTIAL_FAILURE: files
 * cannot be read, or change meanwhile; the details name them as `failures`.
 * %ASB_ERROR_UPLOAD_CONFLICT: something is in the way. %ASB_ERROR_UPLOAD_CHECKSUM_MISMATCH: what
 * arrived is not what was sent.
 *
 * Since: 1.0
 */
void
asb_backend_upload_local_async (AsbBackend *self, AsbUploadSpec *spec, AsbUploadConfig *config,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  static const AsbCallKind kind = { "upload the files", 0, NULL };
  Upload *upload;
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (ASB_IS_UPLOAD_SPEC (spec));
  g_return_if_fail (!config || ASB_IS_UPLOAD_CONFIG (config));

  task = asb_call_begin (self, &kind, ASB_TYPE_UPLOAD_RESULT, cancellable, callback, user_data,
                         asb_backend_upload_local_async);
  if (asb_call_is_cancelled (task))
    return;
  upload = g_new0 (Upload, 1);
  upload->given = g_object_ref (spec);
  upload->spec = asb_upload_spec_copy (spec);
  upload->config = config ? asb_upload_config_copy (config) : asb_upload_config_new ();
  g_task_set_task_data (task, upload, upload_free);
  await_target (self, task, upload);
}

/**
 * asb_backend_upload_local_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.upload_local_async].
 *
 * Returns: (transfer full): what became of it
 *
 * Since: 1.0
 */
AsbUploadResult *
asb_backend_upload_local_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_upload_local:
 * @self: a [class@Backend]
 * @spec: what is uploaded, and where to
 * @config: (nullable): which files may be read at all; %NULL: none
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Uploads a file, or what is in a directory, from this machine into the sandbox: all of it, or
 * nothing. Blocks; see [method@Backend.upload_local_async].
 *
 * Returns: (transfer full): what became of it
 *
 * Since: 1.0
 */
AsbUploadResult *
asb_backend_upload_local (AsbBackend *self, AsbUploadSpec *spec, AsbUploadConfig *config,
                          GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ASB_IS_UPLOAD_SPEC (spec), NULL);
  g_return_val_if_fail (!config || ASB_IS_UPLOAD_CONFIG (config), NULL);

  asb_sync_begin (&sync);
  asb_backend_upload_local_async (self, spec, config, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_upload_local_finish (self, asb_sync_wait (&sync), error);
}
