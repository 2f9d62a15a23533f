/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-job-private.h"

#include "asb-archive-options.h"
#include "asb-call-private.h"
#include "asb-capabilities.h"
#include "asb-error.h"
#include "asb-extraction-private.h"
#include "asb-path-private.h"
#include "asb-timer-private.h"
#include "asb-upload-config-private.h"
#include "asb-upload-files-private.h"
#include "asb-upload-place-private.h"
#include "asb-upload-scan-private.h"
#include "asb-upload-stream-private.h"

#define PROGRESS_MS 50

/* How often it begins again without what has changed in the middle. */
#define MAX_RESTARTS 8

typedef struct
{
  gpointer source;
  AsbTransport *transport;
  AsbUploadSpec *given; /* as progress tells it */
  AsbUploadSpec *spec;
  AsbUploadConfig *config;
  AsbUploadScan *scan;
  AsbUploadSent sent;
  GSource *progress;
  guint64 n_files; /* when it began */
  guint n_restarts;
} Job;

static void
stop_progress (Job *job)
{
  asb_source_clear (&job->progress);
}

static void
job_free (gpointer data)
{
  Job *job = data;

  stop_progress (job);
  g_clear_pointer (&job->scan, asb_upload_scan_free);
  g_clear_object (&job->source);
  g_clear_object (&job->transport);
  g_clear_object (&job->given);
  g_clear_object (&job->spec);
  g_clear_object (&job->config);
  g_free (job);
}

/* Progress. */

static void
tell_progress (Job *job)
{
  AsbClosure *progress = asb_upload_config_get_progress (job->config);

  if (progress)
    ((AsbUploadProgress)progress->function) (job->given,
                                             __atomic_load_n (&job->sent.n_bytes, __ATOMIC_RELAXED),
                                             job->scan->total_bytes, progress->user_data);
}

static gboolean
progress_cb (gpointer user_data)
{
  tell_progress (user_data);
  return G_SOURCE_CONTINUE;
}

static void
start_progress (GTask *task)
{
  Job *job = g_task_get_task_data (task);

  if (!asb_upload_config_get_progress (job->config))
    return;
  job->progress = g_timeout_source_new (PROGRESS_MS);
  g_source_set_static_name (job->progress, "asb upload progress");
  g_source_set_callback (job->progress, progress_cb, job, NULL);
  g_source_attach (job->progress, g_task_get_context (task));
}

/* The end. */

static GListModel *
list_failures (Job *job)
{
  GListStore *failures = g_list_store_new (ASB_TYPE_UPLOAD_FAILURE);

  g_list_store_splice (failures, 0, 0, job->scan->failures->pdata, job->scan->failures->len);
  return G_LIST_MODEL (failures);
}

static AsbUploadResult *
new_result (Job *job, guint64 n_skipped, gboolean is_atomic)
{
  g_autoptr (GListModel) failures = list_failures (job);
  guint64 n_sent = job->sent.n_files;

  n_skipped = MIN (n_skipped, n_sent);
  return g_object_new (ASB_TYPE_UPLOAD_RESULT, "upload-id", job->scan->upload_id, "target",
                       asb_upload_manifest_get_target (job->scan->manifest), "total-files",
                       job->n_files, "uploaded-files", n_sent - n_skipped, "skipped-files",
                       n_skipped, "failed-files", (guint64)job->scan->failures->len, "total-bytes",
                       asb_upload_manifest_get_total_bytes (job->scan->manifest), "atomic",
                       is_atomic, "manifest-hash",
                       asb_upload_manifest_get_manifest_hash (job->scan->manifest), "failures",
                       failures, NULL);
}

/* Sending. */

static void send_all (GTask *task);

/* What is in the way, whatever it is, is a conflict. */
static GError *
translate_error (Job *job, GError *error)
{
  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_ALREADY_EXISTS)
      || g_error_matches (error, ASB_ERROR, ASB_ERROR_IS_DIRECTORY)
      || g_error_matches (error, ASB_ERROR, ASB_ERROR_NOT_DIRECTORY))
    {
      error->code = ASB_ERROR_UPLOAD_CONFLICT;
      g_prefix_error (&error, "Could not upload “%s”: ", job->scan->source.shown);
    }
  return error;
}

/* Whether it is a file that failed, and not the way to the sandbox. */
static gboolean
is_of_file (Job *job, const GError *error)
{
  return job->sent.n_failed > 0
         && g_error_matches (error, ASB_ERROR, ASB_ERROR_UPLOAD_PARTIAL_FAILURE);
}

/* Takes @task and @error. */
static void
fail (GTask *task, GError *error)
{
  Job *job = g_task_get_task_data (task);

  if (is_of_file (job, error))
    {
      g_clear_error (&error);
      asb_upload_scan_drop_failed (job->scan);
      if (asb_upload_config_get_partial_success (job->config) && job->n_restarts++ < MAX_RESTARTS)
        {
          send_all (task);
          return;
        }
      error = asb_upload_failures_to_error (job->scan->failures, job->scan->source.shown);
    }
  g_task_return_error (task, translate_error (job, error));
  g_object_unref (task);
}

/* Takes @task. */
static void
succeed (GTask *task, guint64 n_skipped, gboolean is_atomic)
{
  Job *job = g_task_get_task_data (task);

  tell_progress (job);
  asb_upload_scan_drop_failed (job->scan);
  g_task_return_pointer (task, new_result (job, n_skipped, is_atomic), g_object_unref);
  g_object_unref (task);
}

static void
extracted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Job *job = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (AsbArchiveResult) unpacked = asb_extraction_run_finish (result, &error);

  stop_progress (job);
  if (!unpacked)
    {
      fail (task, error);
      return;
    }
  succeed (task, asb_archive_result_get_n_skipped (unpacked), TRUE);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Job *job = g_task_get_task_data (task);
  GError *error = NULL;

  stop_progress (job);
  if (asb_upload_files_finish (result, &error))
    succeed (task, job->sent.n_skipped, asb_upload_spec_get_atomic (job->spec));
  else
    fail (task, error);
}

static AsbArchiveConflict
get_conflict (AsbUploadSpec *spec)
{
  static const AsbArchiveConflict conflicts[]
      = { [ASB_UPLOAD_CONFLICT_ERROR] = ASB_ARCHIVE_CONFLICT_ERROR,
          [ASB_UPLOAD_CONFLICT_OVERWRITE] = ASB_ARCHIVE_CONFLICT_OVERWRITE,
          [ASB_UPLOAD_CONFLICT_SKIP] = ASB_ARCHIVE_CONFLICT_SKIP,
          [ASB_UPLOAD_CONFLICT_IF_CHANGED] = ASB_ARCHIVE_CONFLICT_IF_CHANGED };

  return conflicts[asb_upload_spec_get_conflict (spec)];
}

/* What the source may hold has been looked at already. */
static AsbArchiveOptions *
new_options (Job *job, const char *path)
{
  return g_object_new (
      ASB_TYPE_ARCHIVE_OPTIONS, "path", path, "conflict", get_conflict (job->spec), "max-members",
      ASB_ARCHIVE_OPTIONS_UNLIMITED, "max-bytes", ASB_ARCHIVE_OPTIONS_UNLIMITED, "max-file-bytes",
      ASB_ARCHIVE_OPTIONS_UNLIMITED, "max-ratio", ASB_ARCHIVE_OPTIONS_UNLIMITED, NULL);
}

/* A file goes into the directory of its target, by the name it is to have there. */
static void
send_archive (GTask *task)
{
  Job *job = g_task_get_task_data (task);
  gboolean is_file = job->scan->source.name != NULL;
  g_autofree char *target = asb_path_resolve ("/", asb_upload_spec_get_target (job->spec), NULL);
  g_autofree char *directory = g_path_get_dirname (target);
  g_autofree char *name = is_file ? g_path_get_basename (target) : NULL;
  g_autoptr (AsbArchiveOptions) options = new_options (job, is_file ? directory : target);
  g_autoptr (GInputStream) stream = asb_upload_stream_new (
      job->scan, name, asb_upload_config_get_partial_success (job->config), &job->sent);

  asb_extraction_run_async (job->transport, options, stream, g_task_get_cancellable (task),
                            extracted_cb, task);
}

static void
send_all (GTask *task)
{
  Job *job = g_task_get_task_data (task);
  g_autoptr (AsbCapabilities) capabilities = asb_transport_get_capabilities (job->transport);

  job->sent = (AsbUploadSent){ 0 };
  start_progress (task);
  if (asb_capabilities_supports (capabilities, ASB_CAPABILITY_BULK_UPLOAD))
    send_archive (task);
  else
    asb_upload_files_async (job->transport, job->scan,
                            asb_upload_config_get_partial_success (job->config), &job->sent,
                            g_task_get_cancellable (task), written_cb, task);
}

/* Approval. */

static void
approved_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Job *job = g_task_get_task_data (task);
  GError *error = NULL;

  if (asb_call_finish_boolean (source, result, &error))
    {
      send_all (task);
      return;
    }
  if (!error)
    error = g_error_new (ASB_ERROR, ASB_ERROR_UPLOAD_POLICY,
                         "Could not upload “%s”: it was not approved", job->scan->source.shown);
  g_task_return_error (task, error);
  g_object_unref (task);
}

static void
ask_approval (GTask *task)
{
  static const AsbCallKind kind
      = { .operation = "ask whether the upload is approved", .needs_no_grace = TRUE };
  Job *job = g_task_get_task_data (task);
  AsbClosure *approval = asb_upload_config_get_approval (job->config);
  g_autoptr (GTask) inner = NULL;

  if (!approval)
    {
      send_all (task);
      return;
    }
  inner = asb_call_begin (job->source, &kind, G_TYPE_BOOLEAN, g_task_get_cancellable (task),
                          approved_cb, task, ask_approval);
  ((AsbUploadApproval)approval->function) (job->scan->manifest, inner, approval->user_data);
}

/* Looking. */

static void
placed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  GError *error = NULL;

  if (asb_upload_place_check_finish (result, &error))
    {
      ask_approval (task);
      return;
    }
  g_task_return_error (task, error);
  g_object_unref (task);
}

static void
scanned_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Job *job = g_task_get_task_data (task);
  GError *error = NULL;

  job->scan = asb_upload_scan_finish (result, &error);
  if (!job->scan || !asb_upload_check_target (job->spec, job->config, &error)
      || !asb_upload_check_entries (job->scan, job->spec, job->config, &error))
    {
      g_task_return_error (task, error);
      g_object_unref (task);
      return;
    }
  job->n_files = job->scan->entries->len + job->scan->failures->len;
  asb_upload_place_check_async (job->transport, job->scan, job->config,
                                g_task_get_cancellable (task), placed_cb, task);
}

void
asb_upload_job_async (gpointer source, AsbTransport *transport, AsbUploadSpec *given,
                      AsbUploadSpec *spec, AsbUploadConfig *config, GCancellable *cancellable,
                      GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (source, cancellable, callback, user_data);
  Job *job = g_new0 (Job, 1);

  job->source = g_object_ref (source);
  job->transport = g_object_ref (transport);
  job->given = g_object_ref (given);
  job->spec = g_object_ref (spec);
  job->config = g_object_ref (config);
  g_task_set_source_tag (task, asb_upload_job_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, job, job_free);
  asb_upload_scan_async (job->spec, job->config, cancellable, scanned_cb, task);
}

AsbUploadResult *
asb_upload_job_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
