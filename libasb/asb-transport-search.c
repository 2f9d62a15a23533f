/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-transport.h"

#include "asb-call-private.h"
#include "asb-sync-private.h"

/* The operations of transports that search. */

/**
 * AsbTransportInterface::find_files:
 * @self: a [iface@Transport]
 * @search: what to look for
 * @task: to be answered with an [class@SearchResult]: what was found, as [class@FileInfo]
 *
 * Does what [method@Transport.find_files_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_find_files_async:
 * @self: a [iface@Transport]
 * @search: what to look for
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Finds the files below [property@FileSearch:path] whose paths match [property@FileSearch:pattern],
 * or all. Links are told and never followed. What could not be looked at, and what cut the search
 * short, stands beside what was found.
 *
 * Since: 1.0
 */
void
asb_transport_find_files_async (AsbTransport *self, AsbFileSearch *search,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  static const AsbCallKind kind = { "find files", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_FILE_SEARCH (search));

  task = asb_call_begin (self, &kind, ASB_TYPE_SEARCH_RESULT, cancellable, callback, user_data,
                         asb_transport_find_files_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->find_files)
    {
      ASB_TRANSPORT_GET_IFACE (self)->find_files (self, search, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "find_files");
}

/**
 * asb_transport_find_files_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.find_files_async].
 *
 * Returns: (transfer full): what was found, as [class@FileInfo]
 *
 * Since: 1.0
 */
AsbSearchResult *
asb_transport_find_files_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_find_files:
 * @self: a [iface@Transport]
 * @search: what to look for
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Finds the files below [property@FileSearch:path] whose paths match [property@FileSearch:pattern],
 * or all. Links are told and never followed. What could not be looked at, and what cut the search
 * short, stands beside what was found. Blocks; see [method@Transport.find_files_async].
 *
 * Returns: (transfer full): what was found, as [class@FileInfo]
 *
 * Since: 1.0
 */
AsbSearchResult *
asb_transport_find_files (AsbTransport *self, AsbFileSearch *search, GCancellable *cancellable,
                          GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (ASB_IS_FILE_SEARCH (search), NULL);

  asb_sync_begin (&sync);
  asb_transport_find_files_async (self, search, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_find_files_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbTransportInterface::search_text:
 * @self: a [iface@Transport]
 * @search: what to look for
 * @task: to be answered with an [class@SearchResult]: what was found, as [class@TextMatch]
 *
 * Does what [method@Transport.search_text_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_transport_search_text_async:
 * @self: a [iface@Transport]
 * @search: what to look for
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Finds [property@FileSearch:text] in the files below [property@FileSearch:path], or in that file.
 * Only regular files are looked into, and of them those whose paths match
 * [property@FileSearch:pattern] and that hold text: a file with a NUL byte in its first 64 KiB is
 * binary, and only counted. A regular expression that makes no sense is
 * %ASB_ERROR_INVALID_ARGUMENT.
 *
 * Since: 1.0
 */
void
asb_transport_search_text_async (AsbTransport *self, AsbFileSearch *search,
                                 GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer user_data)
{
  static const AsbCallKind kind = { "search for text", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_TRANSPORT (self));
  g_return_if_fail (ASB_IS_FILE_SEARCH (search));

  task = asb_call_begin (self, &kind, ASB_TYPE_SEARCH_RESULT, cancellable, callback, user_data,
                         asb_transport_search_text_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_TRANSPORT_GET_IFACE (self)->search_text)
    {
      ASB_TRANSPORT_GET_IFACE (self)->search_text (self, search, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "search_text");
}

/**
 * asb_transport_search_text_finish:
 * @self: a [iface@Transport]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Transport.search_text_async].
 *
 * Returns: (transfer full): what was found, as [class@TextMatch]
 *
 * Since: 1.0
 */
AsbSearchResult *
asb_transport_search_text_finish (AsbTransport *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_transport_search_text:
 * @self: a [iface@Transport]
 * @search: what to look for
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Finds [property@FileSearch:text] in the files below [property@FileSearch:path], or in that file.
 * Only regular files are looked into, and of them those whose paths match
 * [property@FileSearch:pattern] and that hold text: a file with a NUL byte in its first 64 KiB is
 * binary, and only counted. A regular expression that makes no sense is
 * %ASB_ERROR_INVALID_ARGUMENT. Blocks; see [method@Transport.search_text_async].
 *
 * Returns: (transfer full): what was found, as [class@TextMatch]
 *
 * Since: 1.0
 */
AsbSearchResult *
asb_transport_search_text (AsbTransport *self, AsbFileSearch *search, GCancellable *cancellable,
                           GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_TRANSPORT (self), NULL);
  g_return_val_if_fail (ASB_IS_FILE_SEARCH (search), NULL);

  asb_sync_begin (&sync);
  asb_transport_search_text_async (self, search, cancellable, asb_sync_ready_cb, &sync);
  return asb_transport_search_text_finish (self, asb_sync_wait (&sync), error);
}
