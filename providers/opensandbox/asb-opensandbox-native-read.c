/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-native-read.h"

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-cancel.h"
#include "asb-opensandbox-download.h"
#include "asb-opensandbox-file-info.h"
#include "asb-opensandbox-litter.h"
#include "asb-opensandbox-shell.h"

#define FILE_INFO_KEY "asb-file-info"
#define PIPE_CAPACITY (256 * 1024)
#define READ_AT_ONCE (64 * 1024)

/* With $2 a link is made by whose name execd can read it. */
#define LOOK                                                                                       \
  "stat -L -c '" ASB_OPENSANDBOX_STAT_FORMAT "' \"$1\" || exit\n"                                  \
  "[ -d \"$1\" ] && { echo 'Is a directory' >&2; exit 1; }\n"                                      \
  "[ -f \"$1\" ] || { echo 'Not a regular file' >&2; exit 1; }\n"                                  \
  "[ -r \"$1\" ] || { echo 'Permission denied' >&2; exit 1; }\n"                                   \
  "[ -z \"$2\" ] || { mkdir -p -m 700 \"$2\" && ln -sfn \"$1\" \"$2/f\"; }\n"

typedef struct
{
  GTask *task; /* until the callback */
  AsbOpensandboxExecd *execd;
  char *path;
  char *folder; /* with the link, NULL for none */
  guint64 offset;
  gint64 length;
  AsbPipe *pipe;
  AsbFileInfo *info;
  AsbOpensandboxReadOpened callback;
} Reading;

static void
removed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  asb_opensandbox_litter_remove_finish (ASB_OPENSANDBOX_EXECD (source), result);
}

static void
reading_free (Reading *self)
{
  const char *const arguments[] = { self->folder, NULL };

  if (self->folder)
    asb_opensandbox_litter_remove_async (self->execd, "rm -rf \"$1\"", arguments, removed_cb, NULL);
  asb_opensandbox_execd_release (self->execd);
  g_clear_object (&self->task);
  g_clear_object (&self->execd);
  g_clear_object (&self->info);
  g_clear_pointer (&self->pipe, asb_pipe_unref);
  g_free (self->path);
  g_free (self->folder);
  g_free (self);
}

static void
opened_cb (gpointer data)
{
  Reading *self = data;
  g_autoptr (GTask) task = g_steal_pointer (&self->task);
  GInputStream *stream = asb_pipe_create_input_stream (self->pipe, g_task_get_source_object (task));

  self->callback (task, stream, g_object_ref (self->info));
}

static void
done_cb (const GError *error, gpointer data)
{
  Reading *self = data;

  if (self->task)
    g_task_return_error (self->task, g_error_copy (error));
  reading_free (self);
}

/* What has to come: an answer may have nothing in it and look well. */
static guint64
get_due (Reading *self, guint64 size)
{
  guint64 left = size > self->offset ? size - self->offset : 0;

  return self->length >= 0 ? MIN (left, (guint64)self->length) : left;
}

static void
looked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Reading *self = user_data;
  g_autofree char *link = self->folder ? g_strdup_printf ("%s/f", self->folder) : NULL;
  GError *error = NULL;
  g_autoptr (AsbOpensandboxScriptResult) done = asb_opensandbox_script_run_finish_well (
      ASB_OPENSANDBOX_EXECD (source), result, NULL, &error);
  guint64 size;

  if (done)
    self->info = asb_opensandbox_file_info_parse (done->lines[0], self->path, NULL, &error);
  if (!self->info)
    {
      g_task_return_error (self->task, error);
      reading_free (self);
      return;
    }
  /* What lies behind the end is nothing, and cannot be asked for. Some files of the kernel say that
   * they are empty. */
  size = asb_file_info_get_size (self->info);
  if (size > 0 && self->offset >= size)
    self->length = 0;
  asb_opensandbox_download_open (self->execd, link ? link : self->path, self->path, self->offset,
                                 self->length, get_due (self, size), self->pipe, opened_cb, done_cb,
                                 self);
}

void
asb_opensandbox_native_read_open (GTask *task, AsbOpensandboxExecd *execd, const char *path,
                                  guint64 offset, gint64 length, AsbOpensandboxReadOpened callback)
{
  Reading *self = g_new0 (Reading, 1);
  g_autofree char *token = asb_opensandbox_shell_new_token ();
  const char *arguments[] = { path, "", NULL };
  g_autofree char *what = asb_opensandbox_script_dup_what ("read", path);

  self->task = g_object_ref (task);
  self->execd = g_object_ref (execd);
  asb_opensandbox_execd_hold (execd);
  self->path = g_strdup (path);
  self->offset = offset;
  self->length = length;
  self->pipe = asb_pipe_new (PIPE_CAPACITY);
  self->callback = callback;
  if (!asb_opensandbox_shell_is_plain_path (path))
    self->folder = g_strdup_printf ("/tmp/.asb-%s", token);
  if (self->folder)
    arguments[1] = self->folder;
  asb_opensandbox_script_ask_async (execd, LOOK, arguments, what, NULL, looked_cb, self);
}

/* As a stream. */

static void
answer_stream (GTask *task, GInputStream *stream, AsbFileInfo *info)
{
  g_object_set_data_full (G_OBJECT (stream), FILE_INFO_KEY, info, g_object_unref);
  asb_opensandbox_answer_object (task, stream);
}

void
asb_opensandbox_native_open_read (GTask *task)
{
  AsbOpensandboxNativeCall *call = asb_opensandbox_native_call_get (task);

  asb_opensandbox_native_read_open (task, call->execd, call->path, call->offset, call->length,
                                    answer_stream);
}

/* As bytes. */

typedef struct
{
  GTask *task;
  GCancellable *cancellable; /* that of the task, in the I/O thread */
  AsbFileInfo *info;
  GInputStream *stream;
  GByteArray *bytes;
  AsbOpensandboxReadGathered callback;
} Gathering;

static void
gathering_free (Gathering *self)
{
  g_object_unref (self->cancellable);
  g_object_unref (self->task);
  g_clear_object (&self->info);
  g_clear_object (&self->stream);
  g_clear_pointer (&self->bytes, g_byte_array_unref);
  g_free (self);
}

static void gather_more (Gathering *self);

static void
gathered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Gathering *self = user_data;
  GError *error = NULL;
  g_autoptr (GBytes) bytes
      = g_input_stream_read_bytes_finish (G_INPUT_STREAM (source), result, &error);
  gsize size = bytes ? g_bytes_get_size (bytes) : 0;

  if (!bytes)
    g_task_return_error (self->task, error);
  else if (size == 0)
    self->callback (self->task, g_byte_array_free_to_bytes (g_steal_pointer (&self->bytes)),
                    g_steal_pointer (&self->info));
  else if (self->bytes->len > G_MAXUINT - size)
    g_task_return_new_error (self->task, ASB_ERROR, ASB_ERROR_TOO_LARGE,
                             "The file is too large to be read into memory");
  else
    {
      g_byte_array_append (self->bytes, g_bytes_get_data (bytes, NULL), (guint)size);
      gather_more (self);
      return;
    }
  gathering_free (self);
}

static void
gather_more (Gathering *self)
{
  g_input_stream_read_bytes_async (self->stream, READ_AT_ONCE, G_PRIORITY_DEFAULT,
                                   self->cancellable, gathered_cb, self);
}

#define GATHERED_KEY "asb-opensandbox-gathered"

static void
gather (GTask *task, GInputStream *stream, AsbFileInfo *info)
{
  Gathering *self = g_new0 (Gathering, 1);

  self->task = g_object_ref (task);
  self->cancellable = asb_opensandbox_cancel_new (task);
  self->info = info;
  self->stream = stream;
  self->bytes = g_byte_array_new ();
  self->callback = (AsbOpensandboxReadGathered)g_object_steal_data (G_OBJECT (task), GATHERED_KEY);
  gather_more (self);
}

void
asb_opensandbox_native_read_gather (GTask *task, AsbOpensandboxExecd *execd, const char *path,
                                    guint64 offset, gint64 length,
                                    AsbOpensandboxReadGathered callback)
{
  g_object_set_data (G_OBJECT (task), GATHERED_KEY, (gpointer)callback);
  asb_opensandbox_native_read_open (task, execd, path, offset, length, gather);
}

static void
answer_bytes (GTask *task, GBytes *bytes, AsbFileInfo *info)
{
  g_object_unref (info);
  asb_opensandbox_answer_bytes (task, bytes);
}

void
asb_opensandbox_native_read_file (GTask *task)
{
  AsbOpensandboxNativeCall *call = asb_opensandbox_native_call_get (task);

  asb_opensandbox_native_read_gather (task, call->execd, call->path, call->offset, call->length,
                                      answer_bytes);
}
