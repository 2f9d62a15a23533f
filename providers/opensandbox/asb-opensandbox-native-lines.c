/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-cancel.h"
#include "asb-opensandbox-native-read.h"

/* A window of lines, cut out of a download that ends with it. */

#define MAX_BYTES (16 * 1024 * 1024)
#define READ_AT_ONCE (64 * 1024)

typedef struct
{
  GTask *task;
  GCancellable *cancellable; /* that of the task, in the I/O thread */
  GInputStream *stream;
  GByteArray *bytes;
  guint64 file_size;
  guint64 offset; /* lines before the window */
  guint64 limit;

  guint64 line;      /* that the next byte belongs to, from 0 on */
  guint64 n_lines;   /* of the window */
  gboolean in_line;  /* the line has begun */
  gboolean has_text; /* the window has more than white space */
  gboolean is_cut;
  gboolean has_more; /* there is something behind the window */
  gboolean at_end;
} Window;

static void
window_free (Window *self)
{
  g_input_stream_close_async (self->stream, G_PRIORITY_DEFAULT, NULL, NULL, NULL);
  g_object_unref (self->stream);
  g_object_unref (self->cancellable);
  g_object_unref (self->task);
  g_byte_array_unref (self->bytes);
  g_free (self);
}

static gboolean
is_blank (const guint8 *bytes, gsize size)
{
  for (gsize i = 0; i < size; i++)
    if (bytes[i] == 0 || !strchr (" \t\r\n\v\f", bytes[i]))
      return FALSE;
  return TRUE;
}

static gboolean
is_in_window (Window *self)
{
  return self->line >= self->offset && self->line - self->offset < self->limit;
}

/* Bytes of one line, its end included where it has come. FALSE when nothing more is wanted. */
static gboolean
take (Window *self, const guint8 *bytes, gsize size)
{
  gsize room = MAX_BYTES - self->bytes->len;

  if (self->line >= self->offset && !is_in_window (self))
    self->has_more = TRUE;
  if (self->has_more || !is_in_window (self))
    return !self->has_more;
  self->n_lines += !self->in_line;
  if (size > room)
    {
      self->is_cut = self->has_more = TRUE;
      size = room;
    }
  g_byte_array_append (self->bytes, bytes, (guint)size);
  self->has_text = self->has_text || !is_blank (bytes, size);
  return !self->is_cut;
}

static gboolean
take_all (Window *self, const guint8 *bytes, gsize size)
{
  const guint8 *end = bytes + size;

  while (bytes < end)
    {
      const guint8 *newline = memchr (bytes, '\n', (gsize)(end - bytes));
      const guint8 *line_end = newline ? newline + 1 : end;

      if (!take (self, bytes, (gsize)(line_end - bytes)))
        return FALSE;
      self->in_line = !newline;
      self->line += newline != NULL;
      bytes = line_end;
    }
  return TRUE;
}

static AsbLineState
state_of (Window *self)
{
  if (self->at_end && self->line == 0 && !self->in_line)
    return ASB_LINE_STATE_EMPTY_FILE;
  if (self->n_lines > 0)
    return self->has_text ? ASB_LINE_STATE_LINES : ASB_LINE_STATE_BLANK;
  return self->at_end && self->line + self->in_line <= self->offset ? ASB_LINE_STATE_PAST_END
                                                                    : ASB_LINE_STATE_NOTHING;
}

static void
answer (Window *self)
{
  gint64 total = self->at_end ? (gint64)(self->line + self->in_line) : -1;
  g_autoptr (GBytes) bytes = g_bytes_new (self->bytes->data, self->bytes->len);

  asb_opensandbox_answer_object (
      self->task,
      g_object_new (ASB_TYPE_LINE_WINDOW, "state", state_of (self), "bytes", bytes, "n-lines",
                    self->n_lines, "more", self->has_more, "truncated", self->is_cut, "total-lines",
                    total, "file-size", self->file_size, NULL));
  window_free (self);
}

static void read_more (Window *self);

static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Window *self = user_data;
  GError *error = NULL;
  g_autoptr (GBytes) bytes
      = g_input_stream_read_bytes_finish (G_INPUT_STREAM (source), result, &error);
  gsize size = 0;
  const guint8 *data = bytes ? g_bytes_get_data (bytes, &size) : NULL;

  if (!bytes)
    {
      g_task_return_error (self->task, error);
      window_free (self);
      return;
    }
  self->at_end = size == 0;
  if (self->at_end || !take_all (self, data, size))
    answer (self);
  else
    read_more (self);
}

static void
read_more (Window *self)
{
  g_input_stream_read_bytes_async (self->stream, READ_AT_ONCE, G_PRIORITY_DEFAULT,
                                   self->cancellable, read_cb, self);
}

static void
begin (GTask *task, GInputStream *stream, AsbFileInfo *info)
{
  AsbOpensandboxNativeCall *call = asb_opensandbox_native_call_get (task);
  Window *self = g_new0 (Window, 1);

  self->task = g_object_ref (task);
  self->cancellable = asb_opensandbox_cancel_new (task);
  self->stream = stream;
  self->bytes = g_byte_array_new ();
  self->file_size = asb_file_info_get_size (info);
  self->offset = call->offset;
  self->limit = call->length < 0 ? G_MAXUINT64 : (guint64)call->length;
  g_object_unref (info);
  read_more (self);
}

void
asb_opensandbox_native_read_lines (GTask *task)
{
  AsbOpensandboxNativeCall *call = asb_opensandbox_native_call_get (task);

  asb_opensandbox_native_read_open (task, call->execd, call->path, 0, -1, begin);
}
