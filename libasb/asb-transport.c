/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-transport.h"

#include "asb-call-private.h"
#include "asb-enum-types.h"
#include "asb-error-private.h"
#include "asb-sync-private.h"

/**
 * AsbTransport:
 *
 * How work is done inside one sandbox: commands, files, and services of the guest.
 *
 * Implementations emit [signal@Transport::interrupted] when the connection is lost and may come
 * back, and [signal@Transport::resumed] when it did. Each operation is a virtual function that is
 * handed a [class@Gio.Task] to answer exactly once; see [iface@Provider].
 *
 * Since: 1.0
 */

G_DEFINE_INTERFACE (AsbTransport, asb_transport, G_TYPE_OBJECT)

static void
asb_transport_default_init (AsbTransportInterface *iface)
{
  /**
   * AsbTransport:state: (getter get_state)
   *
   * The state of the connection.
   *
   * Since: 1.0
   */
  g_object_interface_install_property (
      iface, g_param_spec_enum (
                 "state", NULL, NULL, ASB_TYPE_TRANSPORT_STATE, ASB_TRANSPORT_STATE_CONNECTED,
                 G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS));

  /**
   * AsbTransport::interrupted:
   * @self: the transport
   * @message: why, for people
   *
   * The connection was lost and may come back.
   *
   * Since: 1.0
   */
  g_signal_new ("interrupted", ASB_TYPE_TRANSPORT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 1, G_TYPE_STRING);

  /**
   * AsbTransport::resumed:
   * @self: the transport
   *
   * The connection came back.
   *
   * Since: 1.0
   */
  g_signal_new ("resumed", ASB_TYPE_TRANSPORT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                0);
}

/* The caller has been told that the command did not start, so nobody else will ever end it. */
static void
discard_process (gpointer source, const GValue *result)
{
  AsbProcess *process = g_value_get_object (result);

  if (process)
    asb_process_force_exit (process);
}

/* Likewise. */
static void
discard_job (gpointer source, const GValue *result)
{
  GVariant *status = g_value_get_variant (result);
  const char *id;
  GVariantDict arguments;

  if (!status || !g_variant_lookup (status, "job_id", "&s", &id))
    return;
  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert (&arguments, "job_id", "s", id);
  asb_transport_call_async (source, "job.stop", g_variant_dict_end (&arguments), NULL, NULL, NULL);
}

/**
 * asb_transport_get_capabilities:
 * @self: a [iface@Transport]
 *
 * Gets what can be done by this transport.
 *
 * Returns: (transfer full): the capabilities
 *
 * Since: 1.0
 */
AsbCapabilities *
asb_transport_get_capabilities (AsbTransport *self)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  if (!ASB_TRANSPORT_GET_IFACE (self)->get_capabilities)
    return asb_capabilities_new ();
  return ASB_TRANSPORT_GET_IFACE (self)->get_capabilities (self);
}

/**
 * asb_transport_get_state:
 * @self: a [iface@Transport]
 *
 * Gets [property@Transport:state].
 *
 * Returns: the state
 *
 * Since: 1.0
 */
AsbTransportState
asb_transport_get_state (AsbTransport *self)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), ASB_TRANSPORT_STATE_CLOSED);

  return ASB_TRANSPORT_GET_IFACE (self)->get_state (self);
}

/**
 * AsbTransportInterface::start_command:
 * @self: a [iface@Transport]
 * @spec: the command
 * @task: to be answered with an [iface@Process]: the process
 *
 * Does what [method@Transport.start_command_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_start_command_async:
 * @self: a [iface@Transport]
 * @spec: the command
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Starts a command. Done when the program runs; %ASB_ERROR_COMMAND_NOT_FOUND,
 * %ASB_ERROR_COMMAND_NOT_EXECUTABLE and %ASB_ERROR_WORKING_DIRECTORY say why it does not.
 * Cancelling afterwards has no effect: use [method@Process.force_exit].
 *
 * Since: 1.0
 */
void
asb_transport_start_command_async (AsbTransport *self, AsbCommandSpec *spec,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  static const AsbCallKind kind = { "start the command", 120, discard_process };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_COMMAND_SPEC (spec));

  task = asb_call_begin (self, &kind, ASB_TYPE_PROCESS, cancellable, callback, user_data,
                         asb_transport_start_command_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->start_command)
    {
      ASB_TRANSPORT_GET_IFACE (self)->start_command (self, spec, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "start_command");
}

/**
 * asb_transport_start_command_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.start_command_async].
 *
 * Returns: (transfer full): the process
 *
 * Since: 1.0
 */
AsbProcess *
asb_transport_start_command_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_start_command:
 * @self: a [iface@Transport]
 * @spec: the command
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Starts a command. Done when the program runs; %ASB_ERROR_COMMAND_NOT_FOUND,
 * %ASB_ERROR_COMMAND_NOT_EXECUTABLE and %ASB_ERROR_WORKING_DIRECTORY say why it does not.
 * Cancelling afterwards has no effect: use [method@Process.force_exit]. Blocks; see
 * [method@Transport.start_command_async].
 *
 * Returns: (transfer full): the process
 *
 * Since: 1.0
 */
AsbProcess *
asb_transport_start_command (AsbTransport *self, AsbCommandSpec *spec, GCancellable *cancellable,
                             GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (spec), NULL);

  asb_sync_begin (&sync);
  asb_transport_start_command_async (self, spec, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_start_command_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbTransportInterface::query_file:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @task: to be answered with an [class@FileInfo]: what is known of it
 *
 * Does what [method@Transport.query_file_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_query_file_async:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Looks at one file: [property@FileRequest:path], and of the flags %ASB_FILE_FLAGS_NOFOLLOW.
 *
 * Since: 1.0
 */
void
asb_transport_query_file_async (AsbTransport *self, AsbFileRequest *request,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  static const AsbCallKind kind = { "look at the file", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_FILE_REQUEST (request));

  task = asb_call_begin (self, &kind, ASB_TYPE_FILE_INFO, cancellable, callback, user_data,
                         asb_transport_query_file_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->query_file)
    {
      ASB_TRANSPORT_GET_IFACE (self)->query_file (self, request, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "query_file");
}

/**
 * asb_transport_query_file_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.query_file_async].
 *
 * Returns: (transfer full): what is known of it
 *
 * Since: 1.0
 */
AsbFileInfo *
asb_transport_query_file_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_query_file:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Looks at one file: [property@FileRequest:path], and of the flags %ASB_FILE_FLAGS_NOFOLLOW.
 * Blocks; see [method@Transport.query_file_async].
 *
 * Returns: (transfer full): what is known of it
 *
 * Since: 1.0
 */
AsbFileInfo *
asb_transport_query_file (AsbTransport *self, AsbFileRequest *request, GCancellable *cancellable,
                          GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (request), NULL);

  asb_sync_begin (&sync);
  asb_transport_query_file_async (self, request, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_query_file_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbTransportInterface::list_files:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @task: to be answered with a [iface@Gio.ListModel]: the entries, as [class@FileInfo], in byte
 * order of their names
 *
 * Does what [method@Transport.list_files_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_list_files_async:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Lists the directory [property@FileRequest:path], one level.
 *
 * Since: 1.0
 */
void
asb_transport_list_files_async (AsbTransport *self, AsbFileRequest *request,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  static const AsbCallKind kind = { "list the directory", 600, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_FILE_REQUEST (request));

  task = asb_call_begin (self, &kind, G_TYPE_LIST_MODEL, cancellable, callback, user_data,
                         asb_transport_list_files_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->list_files)
    {
      ASB_TRANSPORT_GET_IFACE (self)->list_files (self, request, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "list_files");
}

/**
 * asb_transport_list_files_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.list_files_async].
 *
 * Returns: (transfer full): the entries, as [class@FileInfo], in byte order of their names
 *
 * Since: 1.0
 */
GListModel *
asb_transport_list_files_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_list_files:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Lists the directory [property@FileRequest:path], one level. Blocks; see
 * [method@Transport.list_files_async].
 *
 * Returns: (transfer full): the entries, as [class@FileInfo], in byte order of their names
 *
 * Since: 1.0
 */
GListModel *
asb_transport_list_files (AsbTransport *self, AsbFileRequest *request, GCancellable *cancellable,
                          GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (request), NULL);

  asb_sync_begin (&sync);
  asb_transport_list_files_async (self, request, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_list_files_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbTransportInterface::read_file:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @task: to be answered with a [struct@GLib.Bytes]: the bytes
 *
 * Does what [method@Transport.read_file_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_read_file_async:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Reads [property@FileRequest:length] bytes from [property@FileRequest:offset] of the file
 * [property@FileRequest:path] into memory.
 *
 * Since: 1.0
 */
void
asb_transport_read_file_async (AsbTransport *self, AsbFileRequest *request,
                               GCancellable *cancellable, GAsyncReadyCallback callback,
                               gpointer user_data)
{
  static const AsbCallKind kind = { "read the file", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_FILE_REQUEST (request));

  task = asb_call_begin (self, &kind, G_TYPE_BYTES, cancellable, callback, user_data,
                         asb_transport_read_file_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->read_file)
    {
      ASB_TRANSPORT_GET_IFACE (self)->read_file (self, request, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "read_file");
}

/**
 * asb_transport_read_file_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.read_file_async].
 *
 * Returns: (transfer full): the bytes
 *
 * Since: 1.0
 */
GBytes *
asb_transport_read_file_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_read_file:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Reads [property@FileRequest:length] bytes from [property@FileRequest:offset] of the file
 * [property@FileRequest:path] into memory. Blocks; see [method@Transport.read_file_async].
 *
 * Returns: (transfer full): the bytes
 *
 * Since: 1.0
 */
GBytes *
asb_transport_read_file (AsbTransport *self, AsbFileRequest *request, GCancellable *cancellable,
                         GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (request), NULL);

  asb_sync_begin (&sync);
  asb_transport_read_file_async (self, request, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_read_file_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbTransportInterface::open_read:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @task: to be answered with a [class@Gio.InputStream]: the stream
 *
 * Does what [method@Transport.open_read_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_open_read_async:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Opens a stream of the bytes [method@Transport.read_file] would read.
 *
 * Since: 1.0
 */
void
asb_transport_open_read_async (AsbTransport *self, AsbFileRequest *request,
                               GCancellable *cancellable, GAsyncReadyCallback callback,
                               gpointer user_data)
{
  static const AsbCallKind kind = { "open the file for reading", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_FILE_REQUEST (request));

  task = asb_call_begin (self, &kind, G_TYPE_INPUT_STREAM, cancellable, callback, user_data,
                         asb_transport_open_read_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->open_read)
    {
      ASB_TRANSPORT_GET_IFACE (self)->open_read (self, request, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "open_read");
}

/**
 * asb_transport_open_read_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.open_read_async].
 *
 * Returns: (transfer full): the stream
 *
 * Since: 1.0
 */
GInputStream *
asb_transport_open_read_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_open_read:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Opens a stream of the bytes [method@Transport.read_file] would read. Blocks; see
 * [method@Transport.open_read_async].
 *
 * Returns: (transfer full): the stream
 *
 * Since: 1.0
 */
GInputStream *
asb_transport_open_read (AsbTransport *self, AsbFileRequest *request, GCancellable *cancellable,
                         GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (request), NULL);

  asb_sync_begin (&sync);
  asb_transport_open_read_async (self, request, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_open_read_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbTransportInterface::write_file:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @task: to be answered with an [class@FileInfo]: what is known of the new file, its hash included
 *
 * Does what [method@Transport.write_file_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_write_file_async:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Replaces the file [property@FileRequest:path] with [property@FileRequest:contents], wholly or
 * not at all, if it has [property@FileRequest:expected-hash]. Looks at
 * [property@FileRequest:mode] and the flags %ASB_FILE_FLAGS_CREATE_ONLY and
 * %ASB_FILE_FLAGS_NO_PARENTS.
 *
 * Since: 1.0
 */
void
asb_transport_write_file_async (AsbTransport *self, AsbFileRequest *request,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  static const AsbCallKind kind = { "write the file", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_FILE_REQUEST (request));

  task = asb_call_begin (self, &kind, ASB_TYPE_FILE_INFO, cancellable, callback, user_data,
                         asb_transport_write_file_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->write_file)
    {
      ASB_TRANSPORT_GET_IFACE (self)->write_file (self, request, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "write_file");
}

/**
 * asb_transport_write_file_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.write_file_async].
 *
 * Returns: (transfer full): what is known of the new file, its hash included
 *
 * Since: 1.0
 */
AsbFileInfo *
asb_transport_write_file_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_write_file:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Replaces the file [property@FileRequest:path] with [property@FileRequest:contents], wholly or
 * not at all, if it has [property@FileRequest:expected-hash]. Looks at
 * [property@FileRequest:mode] and the flags %ASB_FILE_FLAGS_CREATE_ONLY and
 * %ASB_FILE_FLAGS_NO_PARENTS. Blocks; see [method@Transport.write_file_async].
 *
 * Returns: (transfer full): what is known of the new file, its hash included
 *
 * Since: 1.0
 */
AsbFileInfo *
asb_transport_write_file (AsbTransport *self, AsbFileRequest *request, GCancellable *cancellable,
                          GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (request), NULL);

  asb_sync_begin (&sync);
  asb_transport_write_file_async (self, request, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_write_file_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbTransportInterface::open_write:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @task: to be answered with a [class@Gio.OutputStream]: the stream
 *
 * Does what [method@Transport.open_write_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_open_write_async:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * As [method@Transport.write_file], with the contents coming by a stream: the file is replaced
 * when the stream is closed, and not if its closing is cancelled or fails.
 *
 * Since: 1.0
 */
void
asb_transport_open_write_async (AsbTransport *self, AsbFileRequest *request,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  static const AsbCallKind kind = { "open the file for writing", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_FILE_REQUEST (request));

  task = asb_call_begin (self, &kind, G_TYPE_OUTPUT_STREAM, cancellable, callback, user_data,
                         asb_transport_open_write_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->open_write)
    {
      ASB_TRANSPORT_GET_IFACE (self)->open_write (self, request, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "open_write");
}

/**
 * asb_transport_open_write_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.open_write_async].
 *
 * Returns: (transfer full): the stream
 *
 * Since: 1.0
 */
GOutputStream *
asb_transport_open_write_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_open_write:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * As [method@Transport.write_file], with the contents coming by a stream: the file is replaced
 * when the stream is closed, and not if its closing is cancelled or fails. Blocks; see
 * [method@Transport.open_write_async].
 *
 * Returns: (transfer full): the stream
 *
 * Since: 1.0
 */
GOutputStream *
asb_transport_open_write (AsbTransport *self, AsbFileRequest *request, GCancellable *cancellable,
                          GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (request), NULL);

  asb_sync_begin (&sync);
  asb_transport_open_write_async (self, request, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_open_write_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbTransportInterface::make_directory:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @task: to be answered with a boolean: whether it was made; %FALSE without an error if it was
 * there
 *
 * Does what [method@Transport.make_directory_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_make_directory_async:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Makes the directory [property@FileRequest:path], and those on the way unless
 * %ASB_FILE_FLAGS_NO_PARENTS is set.
 *
 * Since: 1.0
 */
void
asb_transport_make_directory_async (AsbTransport *self, AsbFileRequest *request,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data)
{
  static const AsbCallKind kind = { "make the directory", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_FILE_REQUEST (request));

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_transport_make_directory_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->make_directory)
    {
      ASB_TRANSPORT_GET_IFACE (self)->make_directory (self, request, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "make_directory");
}

/**
 * asb_transport_make_directory_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.make_directory_async].
 *
 * Returns: whether it was made; %FALSE without an error if it was there
 *
 * Since: 1.0
 */
gboolean
asb_transport_make_directory_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_transport_make_directory:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Makes the directory [property@FileRequest:path], and those on the way unless
 * %ASB_FILE_FLAGS_NO_PARENTS is set. Blocks; see [method@Transport.make_directory_async].
 *
 * Returns: whether it was made; %FALSE without an error if it was there
 *
 * Since: 1.0
 */
gboolean
asb_transport_make_directory (AsbTransport *self, AsbFileRequest *request,
                              GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), FALSE);
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (request), FALSE);

  asb_sync_begin (&sync);
  asb_transport_make_directory_async (self, request, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_make_directory_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbTransportInterface::delete_file:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @task: to be answered with a boolean: whether it was done
 *
 * Does what [method@Transport.delete_file_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_delete_file_async:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Deletes [property@FileRequest:path]: a file, a link (not what it points to) or an empty
 * directory; with %ASB_FILE_FLAGS_RECURSIVE a directory and all in it.
 *
 * Since: 1.0
 */
void
asb_transport_delete_file_async (AsbTransport *self, AsbFileRequest *request,
                                 GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer user_data)
{
  static const AsbCallKind kind = { "delete the file", 600, .is_deed = TRUE };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_FILE_REQUEST (request));

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_transport_delete_file_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->delete_file)
    {
      ASB_TRANSPORT_GET_IFACE (self)->delete_file (self, request, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "delete_file");
}

/**
 * asb_transport_delete_file_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.delete_file_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_transport_delete_file_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_transport_delete_file:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Deletes [property@FileRequest:path]: a file, a link (not what it points to) or an empty
 * directory; with %ASB_FILE_FLAGS_RECURSIVE a directory and all in it. Blocks; see
 * [method@Transport.delete_file_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_transport_delete_file (AsbTransport *self, AsbFileRequest *request, GCancellable *cancellable,
                           GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), FALSE);
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (request), FALSE);

  asb_sync_begin (&sync);
  asb_transport_delete_file_async (self, request, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_delete_file_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbTransportInterface::move_file:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @task: to be answered with a boolean: whether it was done
 *
 * Does what [method@Transport.move_file_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_move_file_async:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Renames [property@FileRequest:path] to [property@FileRequest:new-path], over what stands there
 * only with %ASB_FILE_FLAGS_OVERWRITE.
 *
 * Since: 1.0
 */
void
asb_transport_move_file_async (AsbTransport *self, AsbFileRequest *request,
                               GCancellable *cancellable, GAsyncReadyCallback callback,
                               gpointer user_data)
{
  static const AsbCallKind kind = { "move the file", 120, .is_deed = TRUE };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_FILE_REQUEST (request));

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_transport_move_file_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->move_file)
    {
      ASB_TRANSPORT_GET_IFACE (self)->move_file (self, request, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "move_file");
}

/**
 * asb_transport_move_file_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.move_file_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_transport_move_file_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_transport_move_file:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Renames [property@FileRequest:path] to [property@FileRequest:new-path], over what stands there
 * only with %ASB_FILE_FLAGS_OVERWRITE. Blocks; see [method@Transport.move_file_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_transport_move_file (AsbTransport *self, AsbFileRequest *request, GCancellable *cancellable,
                         GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), FALSE);
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (request), FALSE);

  asb_sync_begin (&sync);
  asb_transport_move_file_async (self, request, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_move_file_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbTransportInterface::call:
 * @self: a [iface@Transport]
 * @name: the name of the call, for example `history.status`
 * @arguments: (nullable): its arguments, an `a{sv}`
 * @task: to be answered with a [struct@GLib.Variant]: the result, an `a{sv}`
 *
 * Does what [method@Transport.call_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_call_async:
 * @self: a [iface@Transport]
 * @name: the name of the call, for example `history.status`
 * @arguments: (nullable): its arguments, an `a{sv}`
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Calls a service at the other end by name.
 *
 * Since: 1.0
 */
void
asb_transport_call_async (AsbTransport *self, const char *name, GVariant *arguments,
                          GCancellable *cancellable, GAsyncReadyCallback callback,
                          gpointer user_data)
{
  static const AsbCallKind kind = { "call the guest", 0, NULL };
  g_autoptr (GVariant) sunk = arguments ? g_variant_ref_sink (arguments) : NULL;
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (name != NULL);

  task = asb_call_begin (self, &kind, G_TYPE_VARIANT, cancellable, callback, user_data,
                         asb_transport_call_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->call)
    {
      ASB_TRANSPORT_GET_IFACE (self)->call (self, name, arguments, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "call");
}

/**
 * asb_transport_call_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.call_async].
 *
 * Returns: (transfer full): the result, an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
asb_transport_call_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_call:
 * @self: a [iface@Transport]
 * @name: the name of the call, for example `history.status`
 * @arguments: (nullable): its arguments, an `a{sv}`
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Calls a service at the other end by name. Blocks; see [method@Transport.call_async].
 *
 * Returns: (transfer full): the result, an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
asb_transport_call (AsbTransport *self, const char *name, GVariant *arguments,
                    GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  asb_sync_begin (&sync);
  asb_transport_call_async (self, name, arguments, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_call_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbTransportInterface::open_call:
 * @self: a [iface@Transport]
 * @name: the name of the call, for example `history.get_output`
 * @arguments: (nullable): its arguments, an `a{sv}`
 * @task: to be answered with a [class@Gio.InputStream]: the stream of what it sends; fails where
 * the call fails, and at its end
 *
 * Does what [method@Transport.open_call_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_open_call_async:
 * @self: a [iface@Transport]
 * @name: the name of the call, for example `history.get_output`
 * @arguments: (nullable): its arguments, an `a{sv}`
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Calls a service at the other end whose result is a stream of bytes. The result of the call
 * itself is the object data `asb-result` of the stream once its end was read, a
 * [struct@GLib.Variant].
 *
 * Since: 1.0
 */
void
asb_transport_open_call_async (AsbTransport *self, const char *name, GVariant *arguments,
                               GCancellable *cancellable, GAsyncReadyCallback callback,
                               gpointer user_data)
{
  static const AsbCallKind kind = { "call the guest", 0, NULL };
  g_autoptr (GVariant) sunk = arguments ? g_variant_ref_sink (arguments) : NULL;
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (name != NULL);

  task = asb_call_begin (self, &kind, G_TYPE_INPUT_STREAM, cancellable, callback, user_data,
                         asb_transport_open_call_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->open_call)
    {
      ASB_TRANSPORT_GET_IFACE (self)->open_call (self, name, arguments, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "open_call");
}

/**
 * asb_transport_open_call_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.open_call_async].
 *
 * Returns: (transfer full): the stream of what it sends; fails where the call fails, and at its
 * end
 *
 * Since: 1.0
 */
GInputStream *
asb_transport_open_call_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_open_call:
 * @self: a [iface@Transport]
 * @name: the name of the call, for example `history.get_output`
 * @arguments: (nullable): its arguments, an `a{sv}`
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Calls a service at the other end whose result is a stream of bytes. The result of the call
 * itself is the object data `asb-result` of the stream once its end was read, a
 * [struct@GLib.Variant]. Blocks; see [method@Transport.open_call_async].
 *
 * Returns: (transfer full): the stream of what it sends; fails where the call fails, and at its
 * end
 *
 * Since: 1.0
 */
GInputStream *
asb_transport_open_call (AsbTransport *self, const char *name, GVariant *arguments,
                         GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  asb_sync_begin (&sync);
  asb_transport_open_call_async (self, name, arguments, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_open_call_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbTransportInterface::start_job:
 * @self: a [iface@Transport]
 * @spec: the command
 * @name: (nullable): a label for people
 * @task: to be answered with a [struct@GLib.Variant]: what is known of the job, an `a{sv}`: the
 * status of `docs/guest-protocol.md` §4.5
 *
 * Does what [method@Transport.start_job_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_start_job_async:
 * @self: a [iface@Transport]
 * @spec: the command
 * @name: (nullable): a label for people
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Starts a command that runs on for itself. Done when the program runs. What else can be done with
 * jobs are calls by name: `job.list`, `job.status`, `job.wait`, `job.signal`, `job.stop` and
 * `job.remove` by [method@Transport.call], and `job.output` by [method@Transport.open_call], as
 * `docs/guest-protocol.md` has them.
 *
 * Since: 1.0
 */
void
asb_transport_start_job_async (AsbTransport *self, AsbCommandSpec *spec, const char *name,
                               GCancellable *cancellable, GAsyncReadyCallback callback,
                               gpointer user_data)
{
  static const AsbCallKind kind = { "start the job", 120, discard_job };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_COMMAND_SPEC (spec));

  task = asb_call_begin (self, &kind, G_TYPE_VARIANT, cancellable, callback, user_data,
                         asb_transport_start_job_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->start_job)
    {
      ASB_TRANSPORT_GET_IFACE (self)->start_job (self, spec, name, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "start_job");
}

/**
 * asb_transport_start_job_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.start_job_async].
 *
 * Returns: (transfer full): what is known of the job, an `a{sv}`: the status of
 * `docs/guest-protocol.md` §4.5
 *
 * Since: 1.0
 */
GVariant *
asb_transport_start_job_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_start_job:
 * @self: a [iface@Transport]
 * @spec: the command
 * @name: (nullable): a label for people
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Starts a command that runs on for itself. Done when the program runs. What else can be done with
 * jobs are calls by name: `job.list`, `job.status`, `job.wait`, `job.signal`, `job.stop` and
 * `job.remove` by [method@Transport.call], and `job.output` by [method@Transport.open_call], as
 * `docs/guest-protocol.md` has them. Blocks; see [method@Transport.start_job_async].
 *
 * Returns: (transfer full): what is known of the job, an `a{sv}`: the status of
 * `docs/guest-protocol.md` §4.5
 *
 * Since: 1.0
 */
GVariant *
asb_transport_start_job (AsbTransport *self, AsbCommandSpec *spec, const char *name,
                         GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (spec), NULL);

  asb_sync_begin (&sync);
  asb_transport_start_job_async (self, spec, name, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_start_job_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbTransportInterface::close:
 * @self: a [iface@Transport]
 * @task: to be answered with a boolean: whether it was done
 *
 * Does what [method@Transport.close_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_close_async:
 * @self: a [iface@Transport]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Closes the transport. Commands and calls in flight end with %ASB_ERROR_CLOSED here; what runs
 * in the sandbox runs on. Cancelling ends no more than the waiting: it is closed all the same.
 *
 * Since: 1.0
 */
void
asb_transport_close_async (AsbTransport *self, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "close the transport", 60, .is_deed = TRUE };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_transport_close_async);
  if (ASB_TRANSPORT_GET_IFACE (self)->close)
    {
      ASB_TRANSPORT_GET_IFACE (self)->close (self, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "close");
}

/**
 * asb_transport_close_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.close_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_transport_close_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_transport_close:
 * @self: a [iface@Transport]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Closes the transport. Commands and calls in flight end with %ASB_ERROR_CLOSED here; what runs
 * in the sandbox runs on. Blocks; see [method@Transport.close_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_transport_close (AsbTransport *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), FALSE);

  asb_sync_begin (&sync);
  asb_transport_close_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_close_finish (self, asb_sync_wait (&sync), error);
}
