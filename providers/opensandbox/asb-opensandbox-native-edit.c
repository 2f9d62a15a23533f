/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-native-write.h"

#include <stdlib.h>
#include <string.h>

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-native.h"
#include "asb-opensandbox-native-read.h"
#include "asb-opensandbox-shell.h"
#include "asb-opensandbox-writing.h"
#include "text-replace.h"

/* Replacing text: the file is read, and written if it is still what was read. By the rules of the
 * guest (docs/guest-protocol.md §4.2). */

#define MAX_EDITED (16 * 1024 * 1024)

typedef struct
{
  AsbOpensandboxExecd *execd;
  char *path;
  char *shown; /* the path, for messages */
  char *old_text;
  char *new_text;
  char *expected_hash;
  gboolean replace_all;
  guint expected_count;
  GBytes *content; /* the new one */
} Edit;

static void
edit_free (gpointer data)
{
  Edit *self = data;

  g_clear_object (&self->execd);
  g_clear_pointer (&self->content, g_bytes_unref);
  g_free (self->path);
  g_free (self->shown);
  g_free (self->old_text);
  g_free (self->new_text);
  g_free (self->expected_hash);
  g_free (self);
}

static GError *
new_count_error (Edit *self, gint64 count)
{
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  g_autofree char *message = NULL;
  GVariantDict details;

  if (count == 0)
    message = g_strdup_printf ("The text was not found in “%s”", self->shown);
  else
    message
        = g_strdup_printf ("The text is in “%s” %" G_GINT64_FORMAT " times%s", self->shown, count,
                           self->expected_count > 0 ? ", which is not as often as expected"
                                                    : ": say more of it, or replace all");
  g_variant_dict_init (&details, NULL);
  g_variant_dict_insert (&details, "count", "x", count);
  asb_error_info_set_details (info, g_variant_dict_end (&details));
  return asb_error_new_with_info (count == 0 ? ASB_ERROR_TEXT_NOT_FOUND : ASB_ERROR_TEXT_AMBIGUOUS,
                                  message, info);
}

static GError *
new_too_large (Edit *self)
{
  return g_error_new (ASB_ERROR, ASB_ERROR_TOO_LARGE, "Could not edit “%s”: more than %d MiB",
                      self->shown, MAX_EDITED / (1024 * 1024));
}

/* NULL with @error set. */
static GBytes *
replace (Edit *self, Text content, Text old_text, Text new_text, gint64 *count, GError **error)
{
  char *text;
  size_t size = 0;

  *count = content.size > 0 ? text_count (content, old_text) : 0;
  if (*count == 0 || (self->expected_count > 0 && *count != self->expected_count)
      || (*count > 1 && !self->replace_all && self->expected_count == 0))
    {
      g_propagate_error (error, new_count_error (self, *count));
      return NULL;
    }
  if (content.size - (guint64)*count * old_text.size + (guint64)*count * new_text.size > MAX_EDITED)
    {
      g_propagate_error (error, new_too_large (self));
      return NULL;
    }
  text = text_replace (content, old_text, new_text, *count, &size);
  if (text)
    return g_bytes_new_with_free_func (text, size, free, text);
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INTERNAL, "Memory is short");
  return NULL;
}

/* Who has read the lines of a file with CRLF may know them with LF only. */
static GBytes *
replace_text (Edit *self, GBytes *bytes, gint64 *count, GError **error)
{
  Text content = { g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes) };
  Text old_text = { self->old_text, strlen (self->old_text) };
  Text new_text = { self->new_text, strlen (self->new_text) };
  GBytes *replaced;

  if (content.size == 0 || !text_has_crlf (content))
    return replace (self, content, old_text, new_text, count, error);
  old_text.bytes = text_to_crlf (old_text, &old_text.size);
  new_text.bytes = text_to_crlf (new_text, &new_text.size);
  replaced = old_text.bytes && new_text.bytes
                 ? replace (self, content, old_text, new_text, count, error)
                 : NULL;
  free ((char *)old_text.bytes);
  free ((char *)new_text.bytes);
  return replaced;
}

static void
ready_cb (AsbOpensandboxWriting *writing, const GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  Edit *self = g_task_get_task_data (task);
  g_autoptr (GInputStream) stream = NULL;

  if (!writing)
    {
      g_task_return_error (task, g_error_copy (error));
      return;
    }
  stream = g_memory_input_stream_new_from_bytes (self->content);
  asb_opensandbox_writing_upload (writing, stream, (gint64)g_bytes_get_size (self->content), NULL,
                                  asb_opensandbox_answer_written, g_object_ref (task));
}

static void
read_cb (GTask *task, GBytes *taken_bytes, AsbFileInfo *taken_info)
{
  Edit *self = g_task_get_task_data (task);
  g_autoptr (GBytes) bytes = taken_bytes;
  g_autoptr (AsbFileInfo) info = taken_info;
  g_autofree char *hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  AsbOpensandboxWritingRules rules = { self->path, hash, -1, ASB_FILE_FLAGS_NO_PARENTS, 0 };
  GError *error = NULL;
  gint64 count = 0;

  if (g_bytes_get_size (bytes) > MAX_EDITED)
    error = new_too_large (self);
  else if (self->expected_hash && strcmp (hash, self->expected_hash) != 0)
    error = g_error_new (ASB_ERROR, ASB_ERROR_CONCURRENT_MODIFICATION,
                         "“%s” has changed since it was read", self->shown);
  else
    self->content = replace_text (self, bytes, &count, &error);
  if (error)
    {
      g_task_return_error (task, error);
      return;
    }
  rules.n_replaced = (guint64)count;
  asb_opensandbox_writing_prepare (self->execd, &rules, ready_cb, g_object_ref (task));
}

static void
edit_in_thread (GTask *task)
{
  Edit *self = g_task_get_task_data (task);

  asb_opensandbox_native_read_gather (task, self->execd, self->path, 0, MAX_EDITED + 1, read_cb);
}

static gboolean
check_texts (AsbFileEdit *edit, GTask *task)
{
  const char *old_text = asb_file_edit_get_old_text (edit);
  const char *new_text = asb_file_edit_get_new_text (edit);
  const char *fault = NULL;

  if (!old_text || !*old_text || !new_text)
    fault = "An edit needs an old text that is not empty, and a new one";
  else if (strcmp (old_text, new_text) == 0)
    fault = "The old and the new text are the same: nothing would change";
  if (!fault)
    return TRUE;
  g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "%s", fault);
  return FALSE;
}

void
asb_opensandbox_native_edit_file (AsbTransport *transport, AsbFileEdit *edit, GTask *task)
{
  Edit *self;

  if (!asb_opensandbox_native_check (transport, task)
      || !asb_opensandbox_native_call_check_path (asb_file_edit_get_path (edit), task)
      || !check_texts (edit, task))
    return;
  self = g_new0 (Edit, 1);
  self->execd
      = g_object_ref (asb_opensandbox_native_get_execd (ASB_OPENSANDBOX_NATIVE (transport)));
  self->path = g_strdup (asb_file_edit_get_path (edit));
  self->shown = asb_opensandbox_shell_show_path (self->path);
  self->old_text = g_strdup (asb_file_edit_get_old_text (edit));
  self->new_text = g_strdup (asb_file_edit_get_new_text (edit));
  self->expected_hash = g_strdup (asb_file_edit_get_expected_hash (edit));
  self->replace_all = asb_file_edit_get_replace_all (edit);
  self->expected_count = asb_file_edit_get_expected_count (edit);
  g_task_set_task_data (task, self, edit_free);
  asb_opensandbox_thread_run (task, edit_in_thread);
}
