/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-file-private.h"
#include "asb-call-private.h"
#include "asb-extraction-private.h"
#include "asb-path-private.h"
#include "asb-sync-private.h"

/* Archives of a backend: a directory of the sandbox as a stream, and the other way round. */

/* What the record says. */

static GVariant *
describe_request (AsbArchiveOptions *options, gboolean unpacks)
{
  static const char *const conflicts[] = { "error", "overwrite", "skip", "if_changed" };
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "path",
                               asb_path_to_variant (asb_archive_options_get_path (options)));
  if (unpacks)
    g_variant_dict_insert (&dict, "conflict", "s",
                           conflicts[asb_archive_options_get_conflict (options)]);
  return g_variant_dict_end (&dict);
}

static GVariant *
describe_result (AsbArchiveResult *result)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "members", "t", asb_archive_result_get_n_members (result));
  g_variant_dict_insert (&dict, "files", "t", asb_archive_result_get_n_files (result));
  g_variant_dict_insert (&dict, "directories", "t", asb_archive_result_get_n_directories (result));
  g_variant_dict_insert (&dict, "links", "t", asb_archive_result_get_n_links (result));
  g_variant_dict_insert (&dict, "bytes", "t", asb_archive_result_get_n_bytes (result));
  g_variant_dict_insert (&dict, "archive_bytes", "t",
                         asb_archive_result_get_n_archive_bytes (result));
  g_variant_dict_insert (&dict, "replaced", "t", asb_archive_result_get_n_replaced (result));
  g_variant_dict_insert (&dict, "skipped", "t", asb_archive_result_get_n_skipped (result));
  return g_variant_dict_end (&dict);
}

/* The caller may change his own as soon as the call has begun. */
static AsbArchiveOptions *
copy_options (AsbArchiveOptions *options, const char *path)
{
  return g_object_new (ASB_TYPE_ARCHIVE_OPTIONS, "path", path, "names",
                       asb_archive_options_get_names (options), "conflict",
                       asb_archive_options_get_conflict (options), "format",
                       asb_archive_options_get_format (options), "max-members",
                       asb_archive_options_get_max_members (options), "max-bytes",
                       asb_archive_options_get_max_bytes (options), "max-file-bytes",
                       asb_archive_options_get_max_file_bytes (options), "max-ratio",
                       asb_archive_options_get_max_ratio (options), NULL);
}

/* Takes @task. */
static void
begin_archive (AsbBackend *self, GTask *task, AsbArchiveOptions *options, gboolean unpacks,
               AsbRunPerform perform)
{
  const char *path = asb_archive_options_get_path (options);
  AsbRunRecord record
      = { .operation_type = unpacks ? "file.unpack" : "file.pack", .travels = TRUE };
  g_autoptr (AsbArchiveOptions) copy = NULL;
  g_autofree char *absolute = asb_backend_resolve_path (self, task, path ? path : ".");

  if (!absolute)
    return;
  copy = copy_options (options, absolute);
  record.request = describe_request (copy, unpacks);
  record.file_operation = asb_backend_describe_target (absolute, unpacks ? "unpack" : "pack", NULL);
  asb_run_begin (self, task, &record, copy, perform);
}

/* Out of the sandbox. */

static void
perform_open (AsbRun *run)
{
  asb_transport_open_archive_async (run->backend->transport, ASB_ARCHIVE_OPTIONS (run->request),
                                    g_task_get_cancellable (run->task), asb_run_answer_cb, run);
}

/* Into it. */

static void
extracted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  AsbArchiveResult *unpacked = asb_extraction_run_finish (result, &error);

  if (unpacked)
    asb_run_return_object (run, unpacked, describe_result (unpacked));
  else
    asb_run_return_error (run, error);
}

static void
perform_extract (AsbRun *run)
{
  asb_extraction_run_async (run->backend->transport, ASB_ARCHIVE_OPTIONS (run->request),
                            g_task_get_task_data (run->task), g_task_get_cancellable (run->task),
                            extracted_cb, run);
}

/**
 * asb_backend_open_archive_async:
 * @self: a [class@Backend]
 * @options: what to pack
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Packs a directory, or some of what is in it, into an archive, as it is read: memory stays flat. A
 * relative path starts at the working directory of the backend, and so does none.
 *
 * Symbolic links are packed as links; one that leads out of the directory is left out, and what it
 * leads to is never read. What cannot be read, what is no file, directory or link, and the record
 * are left out, too. All that is named by [func@ArchiveResult.get_for_stream], when the stream has
 * been read to its end. An archive that ends in an error is not whole.
 *
 * Since: 1.0
 */
void
asb_backend_open_archive_async (AsbBackend *self, AsbArchiveOptions *options,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  static const AsbCallKind kind = { "pack the directory", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (ASB_IS_ARCHIVE_OPTIONS (options));

  task = asb_call_begin (self, &kind, G_TYPE_INPUT_STREAM, cancellable, callback, user_data,
                         asb_backend_open_archive_async);
  begin_archive (self, task, options, FALSE, perform_open);
}

/**
 * asb_backend_open_archive_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.open_archive_async].
 *
 * Returns: (transfer full): the archive, as a stream
 *
 * Since: 1.0
 */
GInputStream *
asb_backend_open_archive_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_open_archive:
 * @self: a [class@Backend]
 * @options: what to pack
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Packs a directory, or some of what is in it, into an archive, as it is read: memory stays flat. A
 * relative path starts at the working directory of the backend, and so does none.
 *
 * Symbolic links are packed as links; one that leads out of the directory is left out, and what it
 * leads to is never read. What cannot be read, what is no file, directory or link, and the record
 * are left out, too. All that is named by [func@ArchiveResult.get_for_stream], when the stream has
 * been read to its end. An archive that ends in an error is not whole.
 * Blocks; see [method@Backend.open_archive_async].
 *
 * Returns: (transfer full): the archive, as a stream
 *
 * Since: 1.0
 */
GInputStream *
asb_backend_open_archive (AsbBackend *self, AsbArchiveOptions *options, GCancellable *cancellable,
                          GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ASB_IS_ARCHIVE_OPTIONS (options), NULL);

  asb_sync_begin (&sync);
  asb_backend_open_archive_async (self, options, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_open_archive_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_backend_extract_archive_async:
 * @self: a [class@Backend]
 * @options: where it goes, and what it may hold
 * @archive: a tar, also compressed by gzip, or a zip; it is not closed
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Unpacks an archive into a directory, or does nothing. A relative path starts at the working
 * directory of the backend, and so does none; a directory that is missing is made. Memory stays
 * flat; how far it has come is how much has been read from @archive.
 *
 * Nothing is seen of an archive before all of it was looked at. %ASB_ERROR_UPLOAD_ARCHIVE_SECURITY
 * when a member leads out of the directory, by its name or as a link, or is a device, a FIFO, or a
 * program with a set-user-ID bit; %ASB_ERROR_TOO_LARGE for a bound of @options;
 * %ASB_ERROR_ALREADY_EXISTS, %ASB_ERROR_IS_DIRECTORY or %ASB_ERROR_NOT_DIRECTORY for what is in the
 * way; %ASB_ERROR_ARCHIVE_DAMAGED for what is no archive, or not a whole one. The message names the
 * member. Nothing was changed then.
 *
 * Since: 1.0
 */
void
asb_backend_extract_archive_async (AsbBackend *self, AsbArchiveOptions *options,
                                   GInputStream *archive, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "unpack the archive", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (ASB_IS_ARCHIVE_OPTIONS (options));
  g_return_if_fail (G_IS_INPUT_STREAM (archive));

  task = asb_call_begin (self, &kind, ASB_TYPE_ARCHIVE_RESULT, cancellable, callback, user_data,
                         asb_backend_extract_archive_async);
  g_task_set_task_data (task, g_object_ref (archive), g_object_unref);
  begin_archive (self, task, options, TRUE, perform_extract);
}

/**
 * asb_backend_extract_archive_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.extract_archive_async].
 *
 * Returns: (transfer full): what became of it
 *
 * Since: 1.0
 */
AsbArchiveResult *
asb_backend_extract_archive_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_extract_archive:
 * @self: a [class@Backend]
 * @options: where it goes, and what it may hold
 * @archive: a tar, also compressed by gzip, or a zip; it is not closed
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Unpacks an archive into a directory, or does nothing. A relative path starts at the working
 * directory of the backend, and so does none; a directory that is missing is made. Memory stays
 * flat; how far it has come is how much has been read from @archive.
 *
 * Nothing is seen of an archive before all of it was looked at. %ASB_ERROR_UPLOAD_ARCHIVE_SECURITY
 * when a member leads out of the directory, by its name or as a link, or is a device, a FIFO, or a
 * program with a set-user-ID bit; %ASB_ERROR_TOO_LARGE for a bound of @options;
 * %ASB_ERROR_ALREADY_EXISTS, %ASB_ERROR_IS_DIRECTORY or %ASB_ERROR_NOT_DIRECTORY for what is in the
 * way; %ASB_ERROR_ARCHIVE_DAMAGED for what is no archive, or not a whole one. The message names the
 * member. Nothing was changed then.
 * Blocks; see [method@Backend.extract_archive_async].
 *
 * Returns: (transfer full): what became of it
 *
 * Since: 1.0
 */
AsbArchiveResult *
asb_backend_extract_archive (AsbBackend *self, AsbArchiveOptions *options, GInputStream *archive,
                             GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ASB_IS_ARCHIVE_OPTIONS (options), NULL);
  g_return_val_if_fail (G_IS_INPUT_STREAM (archive), NULL);

  asb_sync_begin (&sync);
  asb_backend_extract_archive_async (self, options, archive, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_extract_archive_finish (self, asb_sync_wait (&sync), error);
}
