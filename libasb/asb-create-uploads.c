/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-create-uploads-private.h"

#include "asb-backend-private.h"

typedef struct
{
  AsbBackend *backend;
  AsbBackendOptions *options;
  GTask *task;
  guint next;
  GError *error;
} Uploading;

static void
uploading_free (Uploading *uploading)
{
  g_clear_object (&uploading->backend);
  g_clear_object (&uploading->options);
  g_clear_object (&uploading->task);
  g_clear_error (&uploading->error);
  g_free (uploading);
}

/* Undoing. */

static void
closed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Uploading *uploading = user_data;
  AsbBackend *backend = ASB_BACKEND (source);
  g_autoptr (GError) error = NULL;

  if (!asb_backend_close_finish (backend, result, &error))
    g_prefix_error (&uploading->error,
                    "Sandbox “%s” may be left behind, since closing failed (%s): ",
                    ASB_BACKEND_SANDBOX_ID (backend), error->message);
  g_task_return_error (uploading->task, g_steal_pointer (&uploading->error));
  uploading_free (uploading);
}

/* Nobody would ever get to know a sandbox that was made for this. Takes @error. */
static void
give_up (Uploading *uploading, GError *error)
{
  AsbBackend *backend = uploading->backend;

  uploading->error = error;
  g_clear_pointer (&backend->close_coordinator, asb_closure_unref);
  backend->cleanup = backend->created ? ASB_CLEANUP_POLICY_ON_CLOSE : ASB_CLEANUP_POLICY_NEVER;
  asb_backend_close_async (backend, NULL, closed_cb, uploading);
}

/* Uploading. */

static void upload_next (Uploading *uploading);

static void
uploaded_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Uploading *uploading = user_data;
  GError *error = NULL;
  g_autoptr (AsbUploadResult) uploaded
      = asb_backend_upload_local_finish (ASB_BACKEND (source), result, &error);

  if (uploaded)
    upload_next (uploading);
  else
    give_up (uploading, error);
}

static void
upload_next (Uploading *uploading)
{
  GListModel *uploads = asb_backend_options_get_uploads (uploading->options);
  g_autoptr (AsbUploadSpec) spec = g_list_model_get_item (uploads, uploading->next++);

  if (spec)
    {
      asb_backend_upload_local_async (
          uploading->backend, spec, asb_backend_options_get_upload_config (uploading->options),
          g_task_get_cancellable (uploading->task), uploaded_cb, uploading);
      return;
    }
  g_task_return_pointer (uploading->task, g_steal_pointer (&uploading->backend), g_object_unref);
  uploading_free (uploading);
}

void
asb_create_uploads (AsbBackend *backend, AsbBackendOptions *options, GTask *task)
{
  Uploading *uploading = g_new0 (Uploading, 1);

  uploading->backend = backend;
  uploading->options = g_object_ref (options);
  uploading->task = task;
  upload_next (uploading);
}
