/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-file-private.h"
#include "asb-call-private.h"
#include "asb-file-watch-private.h"
#include "asb-path-private.h"
#include "asb-sync-private.h"

/* The files of a backend that are watched. As other looking, that is not recorded. */

typedef struct
{
  char *path;
  gboolean recursive;
  GMainContext *context; /* of the signals; not the private one of a blocking call */
} WatchRequest;

static void
watch_request_free (gpointer data)
{
  WatchRequest *request = data;

  g_free (request->path);
  g_main_context_unref (request->context);
  g_free (request);
}

static void
watching_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  const WatchRequest *request = g_task_get_task_data (run->task);
  GError *error = NULL;
  g_autoptr (GInputStream) stream
      = asb_transport_open_call_finish (ASB_TRANSPORT (source), result, &error);
  AsbFileWatch *watch
      = stream ? asb_file_watch_new (request->path, stream, request->context, &error) : NULL;

  if (watch)
    asb_run_return_object (run, watch, NULL);
  else
    asb_run_return_error (run, error);
}

static void
perform_watch (AsbRun *run)
{
  const WatchRequest *request = g_task_get_task_data (run->task);
  g_autoptr (AsbCapabilities) capabilities
      = asb_transport_get_capabilities (run->backend->transport);
  GVariantDict arguments;
  GError *error = NULL;

  if (!asb_capabilities_require (capabilities, ASB_CAPABILITY_FILE_WATCH, &error))
    {
      asb_run_return_error (run, error);
      return;
    }
  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert_value (&arguments, "path", asb_path_to_variant (request->path));
  g_variant_dict_insert (&arguments, "recursive", "b", request->recursive);
  asb_transport_open_call_async (run->backend->transport, "file.watch",
                                 g_variant_dict_end (&arguments),
                                 g_task_get_cancellable (run->task), watching_cb, run);
}

/* Takes @task. */
static void
begin_watch (AsbBackend *self, GTask *task, const char *path, AsbFileFlags flags)
{
  const AsbRunRecord nothing = { .travels = TRUE };
  char *absolute = asb_backend_resolve_path (self, task, path);
  WatchRequest *request;

  if (!absolute)
    return;
  request = g_new0 (WatchRequest, 1);
  request->path = absolute;
  request->recursive = (flags & ASB_FILE_FLAGS_RECURSIVE) != 0;
  request->context = asb_sync_ref_public_context ();
  g_task_set_task_data (task, request, watch_request_free);
  asb_run_begin (self, task, &nothing, NULL, perform_watch);
}

/**
 * asb_backend_watch_files_async:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @flags: with %ASB_FILE_FLAGS_RECURSIVE also what is below a directory; others do not count
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Begins to watch what changes in a directory, or what happens to a file and to what takes its
 * place. When this is done, whatever happens from then on is told. The signals of the watch come in
 * the thread-default main context of this call; connect to them before that runs again.
 *
 * %ASB_ERROR_UNSUPPORTED_CAPABILITY where the guest cannot watch, %ASB_ERROR_TOO_MANY_REQUESTS for
 * too many watches or directories at once.
 *
 * Since: 1.0
 */
void
asb_backend_watch_files_async (AsbBackend *self, const char *path, AsbFileFlags flags,
                               GCancellable *cancellable, GAsyncReadyCallback callback,
                               gpointer user_data)
{
  static const AsbCallKind kind = { "watch files", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (path != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_FILE_WATCH, cancellable, callback, user_data,
                         asb_backend_watch_files_async);
  begin_watch (self, task, path, flags);
}

/**
 * asb_backend_watch_files_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.watch_files_async].
 *
 * Returns: (transfer full): the watch; drop it to end the watching
 *
 * Since: 1.0
 */
AsbFileWatch *
asb_backend_watch_files_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  AsbFileWatch *watch;

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  watch = asb_call_finish_pointer (self, result, error);
  if (watch)
    asb_file_watch_start (watch);
  return watch;
}

/**
 * asb_backend_watch_files:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @flags: with %ASB_FILE_FLAGS_RECURSIVE also what is below a directory; others do not count
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Begins to watch what changes in a directory, or what happens to a file and to what takes its
 * place. When this is done, whatever happens from then on is told. The signals of the watch come in
 * the thread-default main context of this call; connect to them before that runs again.
 *
 * %ASB_ERROR_UNSUPPORTED_CAPABILITY where the guest cannot watch, %ASB_ERROR_TOO_MANY_REQUESTS for
 * too many watches or directories at once. Blocks; see [method@Backend.watch_files_async].
 *
 * Returns: (transfer full): the watch; drop it to end the watching
 *
 * Since: 1.0
 */
AsbFileWatch *
asb_backend_watch_files (AsbBackend *self, const char *path, AsbFileFlags flags,
                         GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (path != NULL, NULL);

  asb_sync_begin (&sync);
  asb_backend_watch_files_async (self, path, flags, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_watch_files_finish (self, asb_sync_wait (&sync), error);
}
