/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-file-private.h"
#include "asb-call-private.h"
#include "asb-path-private.h"
#include "asb-sync-private.h"

/* The caller may change his own as soon as the call has begun. */
static AsbFileEdit *
copy_edit (AsbFileEdit *edit, const char *path)
{
  return g_object_new (
      ASB_TYPE_FILE_EDIT, "path", path, "old-text", asb_file_edit_get_old_text (edit), "new-text",
      asb_file_edit_get_new_text (edit), "replace-all", asb_file_edit_get_replace_all (edit),
      "expected-count", asb_file_edit_get_expected_count (edit), "expected-hash",
      asb_file_edit_get_expected_hash (edit), NULL);
}

/* As a write that depends on what was there: what it changes is shown by the result. */
static GVariant *
describe_edit (AsbFileEdit *edit)
{
  const char *expected_hash = asb_file_edit_get_expected_hash (edit);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "path", asb_path_to_variant (asb_file_edit_get_path (edit)));
  g_variant_dict_insert (&dict, "is_edit", "b", TRUE);
  g_variant_dict_insert (&dict, "replace_all", "b", asb_file_edit_get_replace_all (edit));
  if (expected_hash)
    g_variant_dict_insert_value (&dict, "expected_hash", asb_run_describe_text (expected_hash));
  return g_variant_dict_end (&dict);
}

static void
edit_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  asb_run_answer (user_data, source, result, asb_backend_describe_written);
}

static void
perform_edit (AsbRun *run)
{
  asb_transport_edit_file_async (run->backend->transport, ASB_FILE_EDIT (run->request),
                                 g_task_get_cancellable (run->task), edit_cb, run);
}

/* Takes @task. */
static void
begin_edit (AsbBackend *self, GTask *task, AsbFileEdit *edit)
{
  const char *path = asb_file_edit_get_path (edit);
  AsbRunRecord record = { .operation_type = "file.write", .travels = TRUE };
  g_autoptr (AsbFileEdit) copy = NULL;
  g_autofree char *absolute = asb_backend_resolve_path (self, task, path ? path : "");

  if (!absolute)
    return;
  copy = copy_edit (edit, absolute);
  record.request = describe_edit (copy);
  record.file_operation
      = asb_backend_describe_target (absolute, "write", asb_file_edit_get_expected_hash (copy));
  asb_run_begin (self, task, &record, copy, perform_edit);
}

/**
 * asb_backend_edit_file_async:
 * @self: a [class@Backend]
 * @edit: what to replace
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Replaces [property@FileEdit:old-text] by [property@FileEdit:new-text] in a file, wholly or not at
 * all, keeping its mode. What others change at the same time through a guest waits; what they
 * change otherwise is %ASB_ERROR_CONCURRENT_MODIFICATION, as is another hash than
 * [property@FileEdit:expected-hash]. %ASB_ERROR_TEXT_NOT_FOUND when the text is not there,
 * %ASB_ERROR_TEXT_AMBIGUOUS when it is there more often than it was said to be. A relative path
 * starts at the working directory of the backend.
 *
 * Since: 1.0
 */
void
asb_backend_edit_file_async (AsbBackend *self, AsbFileEdit *edit, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "edit the file", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (ASB_IS_FILE_EDIT (edit));

  task = asb_call_begin (self, &kind, ASB_TYPE_FILE_INFO, cancellable, callback, user_data,
                         asb_backend_edit_file_async);
  begin_edit (self, task, edit);
}

/**
 * asb_backend_edit_file_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.edit_file_async].
 *
 * Returns: (transfer full): what is known of the new file: its hash, the previous one, and how
 * often the text was replaced
 *
 * Since: 1.0
 */
AsbFileInfo *
asb_backend_edit_file_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_edit_file:
 * @self: a [class@Backend]
 * @edit: what to replace
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Replaces [property@FileEdit:old-text] by [property@FileEdit:new-text] in a file, wholly or not at
 * all, keeping its mode. What others change at the same time through a guest waits; what they
 * change otherwise is %ASB_ERROR_CONCURRENT_MODIFICATION, as is another hash than
 * [property@FileEdit:expected-hash]. %ASB_ERROR_TEXT_NOT_FOUND when the text is not there,
 * %ASB_ERROR_TEXT_AMBIGUOUS when it is there more often than it was said to be. A relative path
 * starts at the working directory of the backend. Blocks; see [method@Backend.edit_file_async].
 *
 * Returns: (transfer full): what is known of the new file: its hash, the previous one, and how
 * often the text was replaced
 *
 * Since: 1.0
 */
AsbFileInfo *
asb_backend_edit_file (AsbBackend *self, AsbFileEdit *edit, GCancellable *cancellable,
                       GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ASB_IS_FILE_EDIT (edit), NULL);

  asb_sync_begin (&sync);
  asb_backend_edit_file_async (self, edit, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_edit_file_finish (self, asb_sync_wait (&sync), error);
}
