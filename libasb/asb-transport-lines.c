/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-transport.h"

#include "asb-call-private.h"
#include "asb-sync-private.h"

/* The operations of transports on lines and attributes. */

/**
 * AsbTransportInterface::read_lines:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @task: to be answered with an [class@LineWindow]: the lines
 *
 * Does what [method@Transport.read_lines_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_read_lines_async:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Reads [property@FileRequest:length] lines of the file [property@FileRequest:path], or all with
 * −1, behind the first [property@FileRequest:offset] ones. A window of more than 16 MiB is cut, and
 * says so.
 *
 * Since: 1.0
 */
void
asb_transport_read_lines_async (AsbTransport *self, AsbFileRequest *request,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  static const AsbCallKind kind = { "read the lines", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_FILE_REQUEST (request));

  task = asb_call_begin (self, &kind, ASB_TYPE_LINE_WINDOW, cancellable, callback, user_data,
                         asb_transport_read_lines_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->read_lines)
    {
      ASB_TRANSPORT_GET_IFACE (self)->read_lines (self, request, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "read_lines");
}

/**
 * asb_transport_read_lines_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.read_lines_async].
 *
 * Returns: (transfer full): the lines
 *
 * Since: 1.0
 */
AsbLineWindow *
asb_transport_read_lines_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_read_lines:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Reads [property@FileRequest:length] lines of the file [property@FileRequest:path], or all with
 * −1, behind the first [property@FileRequest:offset] ones. A window of more than 16 MiB is cut, and
 * says so. Blocks; see [method@Transport.read_lines_async].
 *
 * Returns: (transfer full): the lines
 *
 * Since: 1.0
 */
AsbLineWindow *
asb_transport_read_lines (AsbTransport *self, AsbFileRequest *request, GCancellable *cancellable,
                          GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (request), NULL);

  asb_sync_begin (&sync);
  asb_transport_read_lines_async (self, request, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_read_lines_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbTransportInterface::set_attributes:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @task: to be answered with an [class@FileInfo]: what is known of it now
 *
 * Does what [method@Transport.set_attributes_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_set_attributes_async:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Changes the permission bits [property@FileRequest:mode], the owner [property@FileRequest:uid] and
 * the group [property@FileRequest:gid] of [property@FileRequest:path]; what is −1 stays. Looks at
 * the flag %ASB_FILE_FLAGS_NOFOLLOW. %ASB_ERROR_PERMISSION_DENIED where the user of the sandbox may
 * not do that.
 *
 * Since: 1.0
 */
void
asb_transport_set_attributes_async (AsbTransport *self, AsbFileRequest *request,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data)
{
  static const AsbCallKind kind = { "change the attributes", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_FILE_REQUEST (request));

  task = asb_call_begin (self, &kind, ASB_TYPE_FILE_INFO, cancellable, callback, user_data,
                         asb_transport_set_attributes_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->set_attributes)
    {
      ASB_TRANSPORT_GET_IFACE (self)->set_attributes (self, request, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "set_attributes");
}

/**
 * asb_transport_set_attributes_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.set_attributes_async].
 *
 * Returns: (transfer full): what is known of it now
 *
 * Since: 1.0
 */
AsbFileInfo *
asb_transport_set_attributes_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_set_attributes:
 * @self: a [iface@Transport]
 * @request: what is asked for
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Changes the permission bits [property@FileRequest:mode], the owner [property@FileRequest:uid] and
 * the group [property@FileRequest:gid] of [property@FileRequest:path]; what is −1 stays. Looks at
 * the flag %ASB_FILE_FLAGS_NOFOLLOW. %ASB_ERROR_PERMISSION_DENIED where the user of the sandbox may
 * not do that. Blocks; see [method@Transport.set_attributes_async].
 *
 * Returns: (transfer full): what is known of it now
 *
 * Since: 1.0
 */
AsbFileInfo *
asb_transport_set_attributes (AsbTransport *self, AsbFileRequest *request,
                              GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (ASB_IS_FILE_REQUEST (request), NULL);

  asb_sync_begin (&sync);
  asb_transport_set_attributes_async (self, request, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_set_attributes_finish (self, asb_sync_wait (&sync), error);
}
