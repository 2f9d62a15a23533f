/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-transport.h"

#include "asb-call-private.h"
#include "asb-sync-private.h"

/* The operation of transports that edits. */

/**
 * AsbTransportInterface::edit_file:
 * @self: a [iface@Transport]
 * @edit: what to replace
 * @task: to be answered with an [class@FileInfo]: what is known of the new file: its hash, the
 * previous one, and how often the text was replaced
 *
 * Does what [method@Transport.edit_file_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_edit_file_async:
 * @self: a [iface@Transport]
 * @edit: what to replace
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Replaces [property@FileEdit:old-text] by [property@FileEdit:new-text] in a file, wholly or not at
 * all, keeping its mode. What others change at the same time through a guest waits; what they
 * change otherwise is %ASB_ERROR_CONCURRENT_MODIFICATION, as is another hash than
 * [property@FileEdit:expected-hash]. %ASB_ERROR_TEXT_NOT_FOUND when the text is not there,
 * %ASB_ERROR_TEXT_AMBIGUOUS when it is there more often than it was said to be.
 *
 * Since: 1.0
 */
void
asb_transport_edit_file_async (AsbTransport *self, AsbFileEdit *edit, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "edit the file", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_FILE_EDIT (edit));

  task = asb_call_begin (self, &kind, ASB_TYPE_FILE_INFO, cancellable, callback, user_data,
                         asb_transport_edit_file_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->edit_file)
    {
      ASB_TRANSPORT_GET_IFACE (self)->edit_file (self, edit, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "edit_file");
}

/**
 * asb_transport_edit_file_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.edit_file_async].
 *
 * Returns: (transfer full): what is known of the new file: its hash, the previous one, and how
 * often the text was replaced
 *
 * Since: 1.0
 */
AsbFileInfo *
asb_transport_edit_file_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_edit_file:
 * @self: a [iface@Transport]
 * @edit: what to replace
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Replaces [property@FileEdit:old-text] by [property@FileEdit:new-text] in a file, wholly or not at
 * all, keeping its mode. What others change at the same time through a guest waits; what they
 * change otherwise is %ASB_ERROR_CONCURRENT_MODIFICATION, as is another hash than
 * [property@FileEdit:expected-hash]. %ASB_ERROR_TEXT_NOT_FOUND when the text is not there,
 * %ASB_ERROR_TEXT_AMBIGUOUS when it is there more often than it was said to be. Blocks; see
 * [method@Transport.edit_file_async].
 *
 * Returns: (transfer full): what is known of the new file: its hash, the previous one, and how
 * often the text was replaced
 *
 * Since: 1.0
 */
AsbFileInfo *
asb_transport_edit_file (AsbTransport *self, AsbFileEdit *edit, GCancellable *cancellable,
                         GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (ASB_IS_FILE_EDIT (edit), NULL);

  asb_sync_begin (&sync);
  asb_transport_edit_file_async (self, edit, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_edit_file_finish (self, asb_sync_wait (&sync), error);
}
