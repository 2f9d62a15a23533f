/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-file-private.h"
#include "asb-call-private.h"
#include "asb-path-private.h"
#include "asb-sync-private.h"

/* What one kind of search records, and who does it. */
typedef struct
{
  const char *operation_type;
  const char *change_type;
  AsbRunPerform perform;
} AsbSearchOperation;

static GVariant *
describe_search (AsbFileSearch *search)
{
  const char *pattern = asb_file_search_get_pattern (search);
  const char *text = asb_file_search_get_text (search);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "path",
                               asb_path_to_variant (asb_file_search_get_path (search)));
  if (pattern)
    g_variant_dict_insert_value (&dict, "pattern", asb_path_to_variant (pattern));
  if (text)
    g_variant_dict_insert_value (&dict, "text", asb_path_to_variant (text));
  g_variant_dict_insert (&dict, "max_results", "u", asb_file_search_get_max_results (search));
  return g_variant_dict_end (&dict);
}

static GVariant *
describe_result (gpointer result)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "count", "x",
                         (gint64)g_list_model_get_n_items (G_LIST_MODEL (result)));
  if (asb_search_result_get_cut (result) != ASB_SEARCH_CUT_NONE)
    g_variant_dict_insert (&dict, "cut", "s",
                           asb_search_result_get_cut (result) == ASB_SEARCH_CUT_TIME ? "time"
                                                                                     : "results");
  return g_variant_dict_end (&dict);
}

/* The caller may change his own as soon as the call has begun. */
static AsbFileSearch *
copy_search (AsbFileSearch *search, const char *path)
{
  AsbFileSearch *copy = g_object_new (
      ASB_TYPE_FILE_SEARCH, "path", path, "pattern", asb_file_search_get_pattern (search), "text",
      asb_file_search_get_text (search), "flags", asb_file_search_get_flags (search), "max-depth",
      asb_file_search_get_max_depth (search), "max-results",
      asb_file_search_get_max_results (search), "context-lines",
      asb_file_search_get_context_lines (search), "time-limit-ms",
      asb_file_search_get_time_limit_ms (search), NULL);

  return copy;
}

/* Takes @task. */
static void
begin_search (AsbBackend *self, GTask *task, const AsbSearchOperation *operation,
              AsbFileSearch *search)
{
  const char *path = asb_file_search_get_path (search);
  AsbRunRecord record = { .operation_type = operation->operation_type, .travels = TRUE };
  g_autoptr (AsbFileSearch) copy = NULL;
  g_autofree char *absolute = asb_backend_resolve_path (self, task, path ? path : ".");

  if (!absolute)
    return;
  copy = copy_search (search, absolute);
  record.request = describe_search (copy);
  record.file_operation = asb_backend_describe_target (absolute, operation->change_type, NULL);
  asb_run_begin (self, task, &record, copy, operation->perform);
}

static void
found_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  asb_run_answer (user_data, source, result, describe_result);
}

static void
perform_find (AsbRun *run)
{
  asb_transport_find_files_async (run->backend->transport, ASB_FILE_SEARCH (run->request),
                                  g_task_get_cancellable (run->task), found_cb, run);
}

static void
perform_search (AsbRun *run)
{
  asb_transport_search_text_async (run->backend->transport, ASB_FILE_SEARCH (run->request),
                                   g_task_get_cancellable (run->task), found_cb, run);
}

static const AsbSearchOperation find_operation = { "file.glob", "glob", perform_find };
static const AsbSearchOperation search_operation = { "file.grep", "grep", perform_search };

/**
 * asb_backend_find_files_async:
 * @self: a [class@Backend]
 * @search: what to look for
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Finds the files below [property@FileSearch:path] whose paths match [property@FileSearch:pattern],
 * or all. Links are told and never followed. What could not be looked at, and what cut the search
 * short, stands beside what was found. A relative path starts at the working directory of the
 * backend, and so does none.
 *
 * Since: 1.0
 */
void
asb_backend_find_files_async (AsbBackend *self, AsbFileSearch *search, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "find files", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (ASB_IS_FILE_SEARCH (search));

  task = asb_call_begin (self, &kind, ASB_TYPE_SEARCH_RESULT, cancellable, callback, user_data,
                         asb_backend_find_files_async);
  begin_search (self, task, &find_operation, search);
}

/**
 * asb_backend_find_files_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.find_files_async].
 *
 * Returns: (transfer full): what was found, as [class@FileInfo]
 *
 * Since: 1.0
 */
AsbSearchResult *
asb_backend_find_files_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_find_files:
 * @self: a [class@Backend]
 * @search: what to look for
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Finds the files below [property@FileSearch:path] whose paths match [property@FileSearch:pattern],
 * or all. Links are told and never followed. What could not be looked at, and what cut the search
 * short, stands beside what was found. A relative path starts at the working directory of the
 * backend, and so does none. Blocks; see [method@Backend.find_files_async].
 *
 * Returns: (transfer full): what was found, as [class@FileInfo]
 *
 * Since: 1.0
 */
AsbSearchResult *
asb_backend_find_files (AsbBackend *self, AsbFileSearch *search, GCancellable *cancellable,
                        GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ASB_IS_FILE_SEARCH (search), NULL);

  asb_sync_begin (&sync);
  asb_backend_find_files_async (self, search, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_find_files_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_backend_search_text_async:
 * @self: a [class@Backend]
 * @search: what to look for
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Finds [property@FileSearch:text] in the files below [property@FileSearch:path], or in that file.
 * Only regular files are looked into, and of them those whose paths match
 * [property@FileSearch:pattern] and that hold text: a file with a NUL byte in its first 64 KiB is
 * binary, and only counted. A regular expression that makes no sense is
 * %ASB_ERROR_INVALID_ARGUMENT. A relative path starts at the working directory of the backend, and
 * so does none.
 *
 * Since: 1.0
 */
void
asb_backend_search_text_async (AsbBackend *self, AsbFileSearch *search, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "search for text", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (ASB_IS_FILE_SEARCH (search));

  task = asb_call_begin (self, &kind, ASB_TYPE_SEARCH_RESULT, cancellable, callback, user_data,
                         asb_backend_search_text_async);
  begin_search (self, task, &search_operation, search);
}

/**
 * asb_backend_search_text_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.search_text_async].
 *
 * Returns: (transfer full): what was found, as [class@TextMatch]
 *
 * Since: 1.0
 */
AsbSearchResult *
asb_backend_search_text_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_search_text:
 * @self: a [class@Backend]
 * @search: what to look for
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Finds [property@FileSearch:text] in the files below [property@FileSearch:path], or in that file.
 * Only regular files are looked into, and of them those whose paths match
 * [property@FileSearch:pattern] and that hold text: a file with a NUL byte in its first 64 KiB is
 * binary, and only counted. A regular expression that makes no sense is
 * %ASB_ERROR_INVALID_ARGUMENT. A relative path starts at the working directory of the backend, and
 * so does none. Blocks; see [method@Backend.search_text_async].
 *
 * Returns: (transfer full): what was found, as [class@TextMatch]
 *
 * Since: 1.0
 */
AsbSearchResult *
asb_backend_search_text (AsbBackend *self, AsbFileSearch *search, GCancellable *cancellable,
                         GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ASB_IS_FILE_SEARCH (search), NULL);

  asb_sync_begin (&sync);
  asb_backend_search_text_async (self, search, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_search_text_finish (self, asb_sync_wait (&sync), error);
}
