/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-transport.h"

#include "asb-call-private.h"
#include "asb-sync-private.h"

/* The operations of transports on archives. */

/**
 * AsbTransportInterface::open_archive:
 * @self: a [iface@Transport]
 * @options: what to pack
 * @task: to be answered with a [class@Gio.InputStream]: the archive, as a stream
 *
 * Does what [method@Transport.open_archive_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_open_archive_async:
 * @self: a [iface@Transport]
 * @options: what to pack
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Packs [property@ArchiveOptions:path], as it is read. When all is read, the object data
 * `asb-archive-result` of the stream is an [class@ArchiveResult]. What is left out is named there:
 * what cannot be read, what is no file, directory or link, and links that lead out of the
 * directory.
 *
 * Since: 1.0
 */
void
asb_transport_open_archive_async (AsbTransport *self, AsbArchiveOptions *options,
                                  GCancellable *cancellable, GAsyncReadyCallback callback,
                                  gpointer user_data)
{
  static const AsbCallKind kind = { "pack the directory", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_ARCHIVE_OPTIONS (options));

  task = asb_call_begin (self, &kind, G_TYPE_INPUT_STREAM, cancellable, callback, user_data,
                         asb_transport_open_archive_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->open_archive)
    {
      ASB_TRANSPORT_GET_IFACE (self)->open_archive (self, options, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "open_archive");
}

/**
 * asb_transport_open_archive_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.open_archive_async].
 *
 * Returns: (transfer full): the archive, as a stream
 *
 * Since: 1.0
 */
GInputStream *
asb_transport_open_archive_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_open_archive:
 * @self: a [iface@Transport]
 * @options: what to pack
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Packs [property@ArchiveOptions:path], as it is read. When all is read, the object data
 * `asb-archive-result` of the stream is an [class@ArchiveResult]. What is left out is named there:
 * what cannot be read, what is no file, directory or link, and links that lead out of the
 * directory. Blocks; see [method@Transport.open_archive_async].
 *
 * Returns: (transfer full): the archive, as a stream
 *
 * Since: 1.0
 */
GInputStream *
asb_transport_open_archive (AsbTransport *self, AsbArchiveOptions *options,
                            GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (ASB_IS_ARCHIVE_OPTIONS (options), NULL);

  asb_sync_begin (&sync);
  asb_transport_open_archive_async (self, options, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_open_archive_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbTransportInterface::extract_archive:
 * @self: a [iface@Transport]
 * @options: where it goes, and what it may hold
 * @task: to be answered with a [class@Gio.OutputStream]: the stream
 *
 * Does what [method@Transport.extract_archive_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_extract_archive_async:
 * @self: a [iface@Transport]
 * @options: where it goes, and what it may hold
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Opens a stream that takes an archive and unpacks it into [property@ArchiveOptions:path] when it
 * is closed; then its object data `asb-archive-result` is an [class@ArchiveResult]. If the stream
 * is dropped, or closing fails, nothing has changed.
 *
 * Since: 1.0
 */
void
asb_transport_extract_archive_async (AsbTransport *self, AsbArchiveOptions *options,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data)
{
  static const AsbCallKind kind = { "unpack the archive", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_ARCHIVE_OPTIONS (options));

  task = asb_call_begin (self, &kind, G_TYPE_OUTPUT_STREAM, cancellable, callback, user_data,
                         asb_transport_extract_archive_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->extract_archive)
    {
      ASB_TRANSPORT_GET_IFACE (self)->extract_archive (self, options, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "extract_archive");
}

/**
 * asb_transport_extract_archive_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.extract_archive_async].
 *
 * Returns: (transfer full): the stream
 *
 * Since: 1.0
 */
GOutputStream *
asb_transport_extract_archive_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_extract_archive:
 * @self: a [iface@Transport]
 * @options: where it goes, and what it may hold
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Opens a stream that takes an archive and unpacks it into [property@ArchiveOptions:path] when it
 * is closed; then its object data `asb-archive-result` is an [class@ArchiveResult]. If the stream
 * is dropped, or closing fails, nothing has changed. Blocks; see
 * [method@Transport.extract_archive_async].
 *
 * Returns: (transfer full): the stream
 *
 * Since: 1.0
 */
GOutputStream *
asb_transport_extract_archive (AsbTransport *self, AsbArchiveOptions *options,
                               GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (ASB_IS_ARCHIVE_OPTIONS (options), NULL);

  asb_sync_begin (&sync);
  asb_transport_extract_archive_async (self, options, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_extract_archive_finish (self, asb_sync_wait (&sync), error);
}
