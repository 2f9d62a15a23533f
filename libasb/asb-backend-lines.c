/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-file-private.h"
#include "asb-call-private.h"
#include "asb-sync-private.h"

/* The operations of a backend on lines and attributes. */

static GVariant *
describe_lines (gpointer window)
{
  GBytes *bytes = asb_line_window_get_bytes (window);

  return asb_backend_describe_size (bytes ? g_bytes_get_size (bytes) : 0);
}

static void
lines_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  asb_run_answer (user_data, source, result, describe_lines);
}

static void
perform_lines (AsbRun *run)
{
  asb_transport_read_lines_async (run->backend->transport, ASB_FILE_REQUEST (run->request),
                                  g_task_get_cancellable (run->task), lines_cb, run);
}

static void
perform_attributes (AsbRun *run)
{
  asb_transport_set_attributes_async (run->backend->transport, ASB_FILE_REQUEST (run->request),
                                      g_task_get_cancellable (run->task), asb_run_answer_cb, run);
}

static const AsbFileOperation lines_operation = { "file.read", "read", perform_lines };
static const AsbFileOperation attributes_operation
    = { "file.set_attributes", "attributes", perform_attributes };

static void
describe_attributes (GVariantDict *details, int mode, gint64 uid, gint64 gid)
{
  if (mode >= 0)
    g_variant_dict_insert (details, "mode", "i", mode);
  if (uid >= 0)
    g_variant_dict_insert (details, "uid", "x", uid);
  if (gid >= 0)
    g_variant_dict_insert (details, "gid", "x", gid);
}

/**
 * asb_backend_read_lines_async:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @offset: how many lines to leave out before the first that is read
 * @limit: how many lines to read; −1: all
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Reads some lines of a file. That there is nothing to read, because the file is empty or has not
 * so many lines, is no error: [property@LineWindow:state] tells it apart from blank lines. A window
 * of more than 16 MiB is cut, and says so.
 *
 * Since: 1.0
 */
void
asb_backend_read_lines_async (AsbBackend *self, const char *path, guint64 offset, gint64 limit,
                              GCancellable *cancellable, GAsyncReadyCallback callback,
                              gpointer user_data)
{
  static const AsbCallKind kind = { "read the lines", 0, NULL };
  GTask *task;
  AsbFileRequest *request;
  GVariantDict details;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (path != NULL);
  g_return_if_fail (limit >= -1);

  task = asb_call_begin (self, &kind, ASB_TYPE_LINE_WINDOW, cancellable, callback, user_data,
                         asb_backend_read_lines_async);
  request = asb_backend_new_file_request (self, task, path);
  if (!request)
    return;
  asb_file_request_set_offset (request, offset);
  asb_file_request_set_length (request, limit);
  g_variant_dict_init (&details, NULL);
  g_variant_dict_insert (&details, "offset", "x", (gint64)offset);
  g_variant_dict_insert (&details, "limit", "x", limit);
  asb_backend_begin_file (self, task, &lines_operation, request, &details);
}

/**
 * asb_backend_read_lines_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.read_lines_async].
 *
 * Returns: (transfer full): the lines
 *
 * Since: 1.0
 */
AsbLineWindow *
asb_backend_read_lines_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_read_lines:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @offset: how many lines to leave out before the first that is read
 * @limit: how many lines to read; −1: all
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Reads some lines of a file. That there is nothing to read, because the file is empty or has not
 * so many lines, is no error: [property@LineWindow:state] tells it apart from blank lines. A window
 * of more than 16 MiB is cut, and says so. Blocks; see [method@Backend.read_lines_async].
 *
 * Returns: (transfer full): the lines
 *
 * Since: 1.0
 */
AsbLineWindow *
asb_backend_read_lines (AsbBackend *self, const char *path, guint64 offset, gint64 limit,
                        GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (path != NULL, NULL);
  g_return_val_if_fail (limit >= -1, NULL);

  asb_sync_begin (&sync);
  asb_backend_read_lines_async (self, path, offset, limit, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_read_lines_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_backend_set_attributes_async:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @mode: the permission bits, 0 to 07777; −1: as they are
 * @uid: the number of the owner; −1: as it is
 * @gid: the number of the group; −1: as it is
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Changes the permission bits, the owner and the group of a file or directory; a symbolic link is
 * followed. %ASB_ERROR_PERMISSION_DENIED where the user of the sandbox may not do that.
 *
 * Since: 1.0
 */
void
asb_backend_set_attributes_async (AsbBackend *self, const char *path, int mode, gint64 uid,
                                  gint64 gid, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "change the attributes", 0, NULL };
  GTask *task;
  AsbFileRequest *request;
  GVariantDict details;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (path != NULL);
  g_return_if_fail (mode >= -1 && mode <= 07777);
  g_return_if_fail (uid >= -1 && uid < G_MAXUINT32);
  g_return_if_fail (gid >= -1 && gid < G_MAXUINT32);

  task = asb_call_begin (self, &kind, ASB_TYPE_FILE_INFO, cancellable, callback, user_data,
                         asb_backend_set_attributes_async);
  request = asb_backend_new_file_request (self, task, path);
  if (!request)
    return;
  asb_file_request_set_mode (request, mode);
  asb_file_request_set_uid (request, uid);
  asb_file_request_set_gid (request, gid);
  g_variant_dict_init (&details, NULL);
  describe_attributes (&details, mode, uid, gid);
  asb_backend_begin_file (self, task, &attributes_operation, request, &details);
}

/**
 * asb_backend_set_attributes_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.set_attributes_async].
 *
 * Returns: (transfer full): what is known of it now
 *
 * Since: 1.0
 */
AsbFileInfo *
asb_backend_set_attributes_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_set_attributes:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @mode: the permission bits, 0 to 07777; −1: as they are
 * @uid: the number of the owner; −1: as it is
 * @gid: the number of the group; −1: as it is
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Changes the permission bits, the owner and the group of a file or directory; a symbolic link is
 * followed. %ASB_ERROR_PERMISSION_DENIED where the user of the sandbox may not do that. Blocks; see
 * [method@Backend.set_attributes_async].
 *
 * Returns: (transfer full): what is known of it now
 *
 * Since: 1.0
 */
AsbFileInfo *
asb_backend_set_attributes (AsbBackend *self, const char *path, int mode, gint64 uid, gint64 gid,
                            GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (path != NULL, NULL);
  g_return_val_if_fail (mode >= -1 && mode <= 07777, NULL);
  g_return_val_if_fail (uid >= -1 && uid < G_MAXUINT32, NULL);
  g_return_val_if_fail (gid >= -1 && gid < G_MAXUINT32, NULL);

  asb_sync_begin (&sync);
  asb_backend_set_attributes_async (self, path, mode, uid, gid, cancellable, asb_sync_ready_cb,
                                    &sync);
  return asb_backend_set_attributes_finish (self, asb_sync_wait (&sync), error);
}
