/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-file-private.h"
#include "asb-call-private.h"
#include "asb-error-private.h"
#include "asb-path-private.h"
#include "asb-run-private.h"
#include "asb-sync-private.h"

/* Bytes of a written file that the record shows. */
#define PREVIEW_SIZE 10240

GVariant *
asb_backend_describe_target (const char *path, const char *change_type, const char *before_hash)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "path", asb_path_to_variant (path));
  g_variant_dict_insert (&dict, "change_type", "s", change_type);
  if (before_hash)
    g_variant_dict_insert_value (&dict, "before_hash", asb_run_describe_text (before_hash));
  return g_variant_dict_end (&dict);
}

void
asb_backend_begin_file (AsbBackend *self, GTask *task, const AsbFileOperation *operation,
                        AsbFileRequest *request, GVariantDict *details)
{
  const char *path = asb_file_request_get_path (request);
  GVariantDict plain;
  AsbRunRecord record = { .operation_type = operation->operation_type, .travels = TRUE };

  if (!details)
    {
      g_variant_dict_init (&plain, NULL);
      details = &plain;
    }
  g_variant_dict_insert_value (details, "path", asb_path_to_variant (path));
  record.request = g_variant_dict_end (details);
  record.file_operation = asb_backend_describe_target (
      path, operation->change_type, asb_file_request_get_expected_hash (request));
  asb_run_begin (self, task, &record, request, operation->perform);
  g_object_unref (request);
}

char *
asb_backend_resolve_path (AsbBackend *self, GTask *task, const char *path)
{
  GError *error = NULL;
  char *absolute = asb_path_resolve (self->workdir, path, &error);

  if (!absolute)
    {
      g_task_return_error (task, error);
      g_object_unref (task);
    }
  return absolute;
}

AsbFileRequest *
asb_backend_new_file_request (AsbBackend *self, GTask *task, const char *path)
{
  g_autofree char *absolute = asb_backend_resolve_path (self, task, path);

  return absolute ? asb_file_request_new_for_path (absolute) : NULL;
}

static GVariant *
describe_count (gpointer list)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "count", "x", (gint64)g_list_model_get_n_items (list));
  return g_variant_dict_end (&dict);
}

GVariant *
asb_backend_describe_size (guint64 size)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "size", "x", (gint64)size);
  return g_variant_dict_end (&dict);
}

/* How a file begins, for people. */
static void
insert_preview (GVariantDict *dict, GBytes *contents)
{
  gsize size;
  const char *data = g_bytes_get_data (contents, &size);
  gsize shown = MIN (size, PREVIEW_SIZE);
  g_autofree char *text = data ? g_utf8_make_valid (data, (gssize)shown) : g_strdup ("");

  g_variant_dict_insert (dict, "content", "s", text);
  g_variant_dict_insert (dict, "content_truncated", "b", shown < size);
}

static void
insert_written (GVariantDict *dict, AsbFileInfo *info)
{
  g_variant_dict_insert_value (dict, "path", asb_path_to_variant (asb_file_info_get_path (info)));
  g_variant_dict_insert (dict, "size", "x", (gint64)asb_file_info_get_size (info));
  if (asb_file_info_get_hash (info))
    g_variant_dict_insert (dict, "content_hash", "s", asb_file_info_get_hash (info));
  if (asb_file_info_get_previous_hash (info))
    g_variant_dict_insert (dict, "previous_hash", "s", asb_file_info_get_previous_hash (info));
}

GVariant *
asb_backend_describe_written (gpointer info)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  insert_written (&dict, info);
  return g_variant_dict_end (&dict);
}

/* @contents may be NULL: the file was written without them. */
static GVariant *
describe_contents_written (AsbFileInfo *info, GBytes *contents)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  insert_written (&dict, info);
  if (contents)
    insert_preview (&dict, contents);
  return g_variant_dict_end (&dict);
}

static void
list_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  asb_run_answer (user_data, source, result, describe_count);
}

static void
perform_list (AsbRun *run)
{
  asb_transport_list_files_async (run->backend->transport, ASB_FILE_REQUEST (run->request),
                                  g_task_get_cancellable (run->task), list_cb, run);
}

static void
perform_query (AsbRun *run)
{
  asb_transport_query_file_async (run->backend->transport, ASB_FILE_REQUEST (run->request),
                                  g_task_get_cancellable (run->task), asb_run_answer_cb, run);
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  GBytes *bytes = asb_transport_read_file_finish (ASB_TRANSPORT (source), result, &error);

  if (bytes)
    asb_run_return_bytes (run, bytes, asb_backend_describe_size (g_bytes_get_size (bytes)));
  else
    asb_run_return_error (run, error);
}

static void
perform_read (AsbRun *run)
{
  asb_transport_read_file_async (run->backend->transport, ASB_FILE_REQUEST (run->request),
                                 g_task_get_cancellable (run->task), read_cb, run);
}

static void
open_read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  GInputStream *stream = asb_transport_open_read_finish (ASB_TRANSPORT (source), result, &error);

  asb_keep_alive_hold_for (run->backend->keep_alive, stream);
  if (stream)
    asb_run_return_object (run, stream, NULL);
  else
    asb_run_return_error (run, error);
}

static void
perform_open_read (AsbRun *run)
{
  asb_transport_open_read_async (run->backend->transport, ASB_FILE_REQUEST (run->request),
                                 g_task_get_cancellable (run->task), open_read_cb, run);
}

static void
write_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  AsbFileInfo *info = asb_transport_write_file_finish (ASB_TRANSPORT (source), result, &error);

  if (info)
    asb_run_return_object (run, info,
                           describe_contents_written (info, asb_file_request_get_contents (
                                                                ASB_FILE_REQUEST (run->request))));
  else
    asb_run_return_error (run, error);
}

static void
perform_write (AsbRun *run)
{
  asb_transport_write_file_async (run->backend->transport, ASB_FILE_REQUEST (run->request),
                                  g_task_get_cancellable (run->task), write_cb, run);
}

static void
open_write_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  GOutputStream *stream = asb_transport_open_write_finish (ASB_TRANSPORT (source), result, &error);

  asb_keep_alive_hold_for (run->backend->keep_alive, stream);
  if (stream)
    asb_run_return_object (run, stream, NULL);
  else
    asb_run_return_error (run, error);
}

static void
perform_open_write (AsbRun *run)
{
  asb_transport_open_write_async (run->backend->transport, ASB_FILE_REQUEST (run->request),
                                  g_task_get_cancellable (run->task), open_write_cb, run);
}

static void
make_directory_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  gboolean done = asb_transport_make_directory_finish (ASB_TRANSPORT (source), result, &error);

  if (error)
    asb_run_return_error (run, error);
  else
    asb_run_return_boolean (run, done, NULL);
}

static void
perform_make_directory (AsbRun *run)
{
  asb_transport_make_directory_async (run->backend->transport, ASB_FILE_REQUEST (run->request),
                                      g_task_get_cancellable (run->task), make_directory_cb, run);
}

static void
delete_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  gboolean done = asb_transport_delete_file_finish (ASB_TRANSPORT (source), result, &error);

  if (error)
    asb_run_return_error (run, error);
  else
    asb_run_return_boolean (run, done, NULL);
}

static void
perform_delete (AsbRun *run)
{
  asb_transport_delete_file_async (run->backend->transport, ASB_FILE_REQUEST (run->request),
                                   g_task_get_cancellable (run->task), delete_cb, run);
}

static void
move_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  gboolean done = asb_transport_move_file_finish (ASB_TRANSPORT (source), result, &error);

  if (error)
    asb_run_return_error (run, error);
  else
    asb_run_return_boolean (run, done, NULL);
}

static void
perform_move (AsbRun *run)
{
  asb_transport_move_file_async (run->backend->transport, ASB_FILE_REQUEST (run->request),
                                 g_task_get_cancellable (run->task), move_cb, run);
}

static const AsbFileOperation list_operation = { "file.list", "list", perform_list };
static const AsbFileOperation query_operation = { "file.stat", "stat", perform_query };
static const AsbFileOperation read_operation = { "file.read", "read", perform_read };
static const AsbFileOperation open_read_operation = { "file.read", "read", perform_open_read };
static const AsbFileOperation write_operation = { "file.write", "write", perform_write };
static const AsbFileOperation open_write_operation = { "file.write", "write", perform_open_write };
static const AsbFileOperation make_directory_operation
    = { "file.mkdir", "mkdir", perform_make_directory };
static const AsbFileOperation delete_operation = { "file.delete", "delete", perform_delete };
static const AsbFileOperation move_operation = { "file.move", "move", perform_move };

/* The record of a write shows how the new file begins; of a conditional one the guest shows the
 * difference. */
static void
describe_contents (GVariantDict *details, GBytes *contents, const char *expected_hash)
{
  g_variant_dict_insert (details, "size", "x", (gint64)g_bytes_get_size (contents));
  g_variant_dict_insert_value (details, "expected_hash", asb_run_describe_text (expected_hash));
  if (expected_hash)
    g_variant_dict_insert (details, "is_edit", "b", TRUE);
  else
    insert_preview (details, contents);
}

/**
 * asb_backend_list_files_async:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Lists a directory, one level.
 *
 * Since: 1.0
 */
void
asb_backend_list_files_async (AsbBackend *self, const char *path, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "list the directory", 0, NULL };
  GTask *task;
  AsbFileRequest *request;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (path != NULL);

  task = asb_call_begin (self, &kind, G_TYPE_LIST_MODEL, cancellable, callback, user_data,
                         asb_backend_list_files_async);
  request = asb_backend_new_file_request (self, task, path);
  if (!request)
    return;
  asb_backend_begin_file (self, task, &list_operation, request, NULL);
}

/**
 * asb_backend_list_files_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.list_files_async].
 *
 * Returns: (transfer full): the entries, as [class@FileInfo], in byte order of their names
 *
 * Since: 1.0
 */
GListModel *
asb_backend_list_files_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_list_files:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Lists a directory, one level. Blocks; see [method@Backend.list_files_async].
 *
 * Returns: (transfer full): the entries, as [class@FileInfo], in byte order of their names
 *
 * Since: 1.0
 */
GListModel *
asb_backend_list_files (AsbBackend *self, const char *path, GCancellable *cancellable,
                        GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (path != NULL, NULL);

  asb_sync_begin (&sync);
  asb_backend_list_files_async (self, path, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_list_files_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_backend_query_file_async:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Looks at one file; a symbolic link is followed.
 *
 * Since: 1.0
 */
void
asb_backend_query_file_async (AsbBackend *self, const char *path, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "look at the file", 0, NULL };
  GTask *task;
  AsbFileRequest *request;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (path != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_FILE_INFO, cancellable, callback, user_data,
                         asb_backend_query_file_async);
  request = asb_backend_new_file_request (self, task, path);
  if (!request)
    return;
  asb_backend_begin_file (self, task, &query_operation, request, NULL);
}

/**
 * asb_backend_query_file_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.query_file_async].
 *
 * Returns: (transfer full): what is known of it
 *
 * Since: 1.0
 */
AsbFileInfo *
asb_backend_query_file_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_query_file:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Looks at one file; a symbolic link is followed. Blocks; see [method@Backend.query_file_async].
 *
 * Returns: (transfer full): what is known of it
 *
 * Since: 1.0
 */
AsbFileInfo *
asb_backend_query_file (AsbBackend *self, const char *path, GCancellable *cancellable,
                        GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (path != NULL, NULL);

  asb_sync_begin (&sync);
  asb_backend_query_file_async (self, path, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_query_file_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_backend_read_file_async:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Reads a whole file into memory. Only regular files are read. For large ones use
 * [method@Backend.open_read].
 *
 * Since: 1.0
 */
void
asb_backend_read_file_async (AsbBackend *self, const char *path, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "read the file", 0, NULL };
  GTask *task;
  AsbFileRequest *request;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (path != NULL);

  task = asb_call_begin (self, &kind, G_TYPE_BYTES, cancellable, callback, user_data,
                         asb_backend_read_file_async);
  request = asb_backend_new_file_request (self, task, path);
  if (!request)
    return;
  asb_backend_begin_file (self, task, &read_operation, request, NULL);
}

/**
 * asb_backend_read_file_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.read_file_async].
 *
 * Returns: (transfer full): the bytes
 *
 * Since: 1.0
 */
GBytes *
asb_backend_read_file_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_read_file:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Reads a whole file into memory. Only regular files are read. For large ones use
 * [method@Backend.open_read]. Blocks; see [method@Backend.read_file_async].
 *
 * Returns: (transfer full): the bytes
 *
 * Since: 1.0
 */
GBytes *
asb_backend_read_file (AsbBackend *self, const char *path, GCancellable *cancellable,
                       GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (path != NULL, NULL);

  asb_sync_begin (&sync);
  asb_backend_read_file_async (self, path, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_read_file_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_backend_open_read_async:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Opens a stream of the bytes of a file.
 *
 * Since: 1.0
 */
void
asb_backend_open_read_async (AsbBackend *self, const char *path, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "open the file for reading", 0, NULL };
  GTask *task;
  AsbFileRequest *request;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (path != NULL);

  task = asb_call_begin (self, &kind, G_TYPE_INPUT_STREAM, cancellable, callback, user_data,
                         asb_backend_open_read_async);
  request = asb_backend_new_file_request (self, task, path);
  if (!request)
    return;
  asb_backend_begin_file (self, task, &open_read_operation, request, NULL);
}

/**
 * asb_backend_open_read_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.open_read_async].
 *
 * Returns: (transfer full): the stream; it fails if the file cannot be read to its end
 *
 * Since: 1.0
 */
GInputStream *
asb_backend_open_read_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_open_read:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Opens a stream of the bytes of a file. Blocks; see [method@Backend.open_read_async].
 *
 * Returns: (transfer full): the stream; it fails if the file cannot be read to its end
 *
 * Since: 1.0
 */
GInputStream *
asb_backend_open_read (AsbBackend *self, const char *path, GCancellable *cancellable,
                       GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (path != NULL, NULL);

  asb_sync_begin (&sync);
  asb_backend_open_read_async (self, path, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_open_read_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_backend_write_file_async:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @contents: the new contents
 * @expected_hash: (nullable): the SHA-256 the file must have now, 64 lower-case hex digits
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Replaces a file, wholly or not at all, keeping its mode; or makes it, and the directories on
 * the way. With @expected_hash it is only done if the file is still the one that was read, and
 * fails with %ASB_ERROR_CONCURRENT_MODIFICATION otherwise.
 *
 * Since: 1.0
 */
void
asb_backend_write_file_async (AsbBackend *self, const char *path, GBytes *contents,
                              const char *expected_hash, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "write the file", 0, NULL };
  GTask *task;
  AsbFileRequest *request;
  GVariantDict details;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (path != NULL && contents != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_FILE_INFO, cancellable, callback, user_data,
                         asb_backend_write_file_async);
  request = asb_backend_new_file_request (self, task, path);
  if (!request)
    return;
  asb_file_request_set_contents (request, contents);
  asb_file_request_set_expected_hash (request, expected_hash);
  g_variant_dict_init (&details, NULL);
  describe_contents (&details, contents, expected_hash);
  asb_backend_begin_file (self, task, &write_operation, request, &details);
}

/**
 * asb_backend_write_file_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.write_file_async].
 *
 * Returns: (transfer full): what is known of the new file, its hash included
 *
 * Since: 1.0
 */
AsbFileInfo *
asb_backend_write_file_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_write_file:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @contents: the new contents
 * @expected_hash: (nullable): the SHA-256 the file must have now, 64 lower-case hex digits
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Replaces a file, wholly or not at all, keeping its mode; or makes it, and the directories on
 * the way. With @expected_hash it is only done if the file is still the one that was read, and
 * fails with %ASB_ERROR_CONCURRENT_MODIFICATION otherwise. Blocks; see
 * [method@Backend.write_file_async].
 *
 * Returns: (transfer full): what is known of the new file, its hash included
 *
 * Since: 1.0
 */
AsbFileInfo *
asb_backend_write_file (AsbBackend *self, const char *path, GBytes *contents,
                        const char *expected_hash, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (path != NULL && contents != NULL, NULL);

  asb_sync_begin (&sync);
  asb_backend_write_file_async (self, path, contents, expected_hash, cancellable, asb_sync_ready_cb,
                                &sync);
  return asb_backend_write_file_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_backend_open_write_async:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @mode: the permission bits, 0 to 07777; −1 for those of the file replaced, or 0644
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Opens a stream that replaces a file when it is closed. If the stream is dropped, or closing
 * fails, the old file stays as it was.
 *
 * Since: 1.0
 */
void
asb_backend_open_write_async (AsbBackend *self, const char *path, int mode,
                              GCancellable *cancellable, GAsyncReadyCallback callback,
                              gpointer user_data)
{
  static const AsbCallKind kind = { "open the file for writing", 0, NULL };
  GTask *task;
  AsbFileRequest *request;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (path != NULL);
  g_return_if_fail (mode >= -1 && mode <= 07777);

  task = asb_call_begin (self, &kind, G_TYPE_OUTPUT_STREAM, cancellable, callback, user_data,
                         asb_backend_open_write_async);
  request = asb_backend_new_file_request (self, task, path);
  if (!request)
    return;
  asb_file_request_set_mode (request, mode);
  asb_backend_begin_file (self, task, &open_write_operation, request, NULL);
}

/**
 * asb_backend_open_write_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.open_write_async].
 *
 * Returns: (transfer full): the stream
 *
 * Since: 1.0
 */
GOutputStream *
asb_backend_open_write_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_open_write:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @mode: the permission bits, 0 to 07777; −1 for those of the file replaced, or 0644
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Opens a stream that replaces a file when it is closed. If the stream is dropped, or closing
 * fails, the old file stays as it was. Blocks; see [method@Backend.open_write_async].
 *
 * Returns: (transfer full): the stream
 *
 * Since: 1.0
 */
GOutputStream *
asb_backend_open_write (AsbBackend *self, const char *path, int mode, GCancellable *cancellable,
                        GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (path != NULL, NULL);
  g_return_val_if_fail (mode >= -1 && mode <= 07777, NULL);

  asb_sync_begin (&sync);
  asb_backend_open_write_async (self, path, mode, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_open_write_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_backend_make_directory_async:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Makes a directory, and those on the way.
 *
 * Since: 1.0
 */
void
asb_backend_make_directory_async (AsbBackend *self, const char *path, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "make the directory", 0, NULL };
  GTask *task;
  AsbFileRequest *request;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (path != NULL);

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_backend_make_directory_async);
  request = asb_backend_new_file_request (self, task, path);
  if (!request)
    return;
  asb_backend_begin_file (self, task, &make_directory_operation, request, NULL);
}

/**
 * asb_backend_make_directory_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.make_directory_async].
 *
 * Returns: whether it was made; %FALSE without an error if it was there
 *
 * Since: 1.0
 */
gboolean
asb_backend_make_directory_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_backend_make_directory:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Makes a directory, and those on the way. Blocks; see [method@Backend.make_directory_async].
 *
 * Returns: whether it was made; %FALSE without an error if it was there
 *
 * Since: 1.0
 */
gboolean
asb_backend_make_directory (AsbBackend *self, const char *path, GCancellable *cancellable,
                            GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  asb_sync_begin (&sync);
  asb_backend_make_directory_async (self, path, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_make_directory_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_backend_delete_file_async:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @flags: %ASB_FILE_FLAGS_RECURSIVE to delete a directory with all in it
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Deletes a file, a link (not what it points to), or an empty directory.
 *
 * Since: 1.0
 */
void
asb_backend_delete_file_async (AsbBackend *self, const char *path, AsbFileFlags flags,
                               GCancellable *cancellable, GAsyncReadyCallback callback,
                               gpointer user_data)
{
  static const AsbCallKind kind = { "delete the file", 0, NULL };
  GTask *task;
  AsbFileRequest *request;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (path != NULL);

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_backend_delete_file_async);
  request = asb_backend_new_file_request (self, task, path);
  if (!request)
    return;
  asb_file_request_set_flags (request, flags);
  asb_backend_begin_file (self, task, &delete_operation, request, NULL);
}

/**
 * asb_backend_delete_file_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.delete_file_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_backend_delete_file_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_backend_delete_file:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @flags: %ASB_FILE_FLAGS_RECURSIVE to delete a directory with all in it
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Deletes a file, a link (not what it points to), or an empty directory. Blocks; see
 * [method@Backend.delete_file_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_backend_delete_file (AsbBackend *self, const char *path, AsbFileFlags flags,
                         GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  asb_sync_begin (&sync);
  asb_backend_delete_file_async (self, path, flags, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_delete_file_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_backend_move_file_async:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @new_path: (type filename): the new path
 * @flags: %ASB_FILE_FLAGS_OVERWRITE to replace what stands there
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Renames a file or directory.
 *
 * Since: 1.0
 */
void
asb_backend_move_file_async (AsbBackend *self, const char *path, const char *new_path,
                             AsbFileFlags flags, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "move the file", 0, NULL };
  GTask *task;
  AsbFileRequest *request;
  GVariantDict details;
  g_autofree char *target = NULL;
  g_autoptr (GError) error = NULL;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (path != NULL && new_path != NULL);

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_backend_move_file_async);
  request = asb_backend_new_file_request (self, task, path);
  if (!request)
    return;
  target = asb_path_resolve (self->workdir, new_path, &error);
  if (!target)
    {
      g_object_unref (request);
      g_task_return_error (task, g_steal_pointer (&error));
      g_object_unref (task);
      return;
    }
  asb_file_request_set_new_path (request, target);
  asb_file_request_set_flags (request, flags);
  g_variant_dict_init (&details, NULL);
  g_variant_dict_insert_value (&details, "new_path", asb_path_to_variant (target));
  asb_backend_begin_file (self, task, &move_operation, request, &details);
}

/**
 * asb_backend_move_file_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.move_file_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_backend_move_file_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_backend_move_file:
 * @self: a [class@Backend]
 * @path: (type filename): the path, absolute or relative to the working directory of the backend
 * @new_path: (type filename): the new path
 * @flags: %ASB_FILE_FLAGS_OVERWRITE to replace what stands there
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Renames a file or directory. Blocks; see [method@Backend.move_file_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_backend_move_file (AsbBackend *self, const char *path, const char *new_path, AsbFileFlags flags,
                       GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), FALSE);
  g_return_val_if_fail (path != NULL && new_path != NULL, FALSE);

  asb_sync_begin (&sync);
  asb_backend_move_file_async (self, path, new_path, flags, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_move_file_finish (self, asb_sync_wait (&sync), error);
}
