/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-sandbox-lines.h"

#include <string.h>

#include "asb-wire-json.h"
#include "asb-wire-variant-private.h"

#define PIECE_SIZE (64 * 1024)
/* An operation holds its command and two JSON documents; each of them came in a frame of at most 1
 * MiB. */
#define MAX_LINE (8 * 1024 * 1024)
/* All of them together are held in memory. */
#define MAX_TOTAL (64 * 1024 * 1024)

typedef struct
{
  AsbSandboxLineFunc func;
  guint max_lines;
  guint n_lines;
  gsize total;
  GByteArray *rest; /* the beginning of a line */
  GListStore *list;
} AsbSandboxLines;

static void
lines_free (gpointer data)
{
  AsbSandboxLines *lines = data;

  g_clear_pointer (&lines->rest, g_byte_array_unref);
  g_clear_object (&lines->list);
  g_free (lines);
}

static GVariant *
parse_line (const guint8 *bytes, gsize size, GError **error)
{
  const char *reason = NULL;
  g_autoptr (json_t) json = asb_wire_json_parse (bytes, size, &reason);

  if (json)
    return asb_wire_variant_from_json (json, error);
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "A line of the record cannot be read: %s",
               reason);
  return NULL;
}

static gboolean
add_line (AsbSandboxLines *lines, const guint8 *bytes, gsize size, GError **error)
{
  g_autoptr (GVariant) line = NULL;
  g_autoptr (GObject) object = NULL;

  if (++lines->n_lines > lines->max_lines)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                           "The record has more lines than were asked for");
      return FALSE;
    }
  line = parse_line (bytes, size, error);
  if (!line)
    return FALSE;
  g_variant_ref_sink (line);
  object = lines->func (line, error);
  if (!object)
    return FALSE;
  g_list_store_append (lines->list, object);
  return TRUE;
}

static gboolean
add_piece (AsbSandboxLines *lines, const guint8 *bytes, gsize size, GError **error)
{
  const guint8 *newline;
  gsize searched = lines->rest->len;
  gsize used = 0;

  lines->total += size;
  if (lines->total > MAX_TOTAL)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_TOO_LARGE,
                   "The record is larger than %d MiB at once; ask for less of it",
                   MAX_TOTAL / (1024 * 1024));
      return FALSE;
    }
  g_byte_array_append (lines->rest, bytes, (guint)size);
  while ((newline = memchr (lines->rest->data + searched, '\n', lines->rest->len - searched)))
    {
      gsize end = (gsize)(newline - lines->rest->data);

      if (!add_line (lines, lines->rest->data + used, end - used, error))
        return FALSE;
      used = searched = end + 1;
    }
  if (used > 0)
    g_byte_array_remove_range (lines->rest, 0, (guint)used);
  if (lines->rest->len <= MAX_LINE)
    return TRUE;
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "A line of the record is too long");
  return FALSE;
}

static void read_next (GTask *task);

static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  AsbSandboxLines *lines = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (GBytes) bytes
      = g_input_stream_read_bytes_finish (G_INPUT_STREAM (source), result, &error);
  gsize size = 0;
  const guint8 *data = bytes ? g_bytes_get_data (bytes, &size) : NULL;

  if (!bytes || (size > 0 && !add_piece (lines, data, size, &error)))
    g_task_return_error (task, error);
  else if (size > 0)
    read_next (g_steal_pointer (&task));
  else if (lines->rest->len > 0)
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_PROTOCOL,
                             "The last line of the record has no end");
  else
    g_task_return_pointer (task, g_steal_pointer (&lines->list), g_object_unref);
}

/* Takes @task. */
static void
read_next (GTask *task)
{
  g_input_stream_read_bytes_async (g_task_get_source_object (task), PIECE_SIZE,
                                   g_task_get_priority (task), g_task_get_cancellable (task),
                                   read_cb, task);
}

void
asb_sandbox_lines_read_async (GInputStream *stream, GType item_type, guint max_lines,
                              AsbSandboxLineFunc func, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (stream, cancellable, callback, user_data);
  AsbSandboxLines *lines = g_new0 (AsbSandboxLines, 1);

  lines->func = func;
  lines->max_lines = max_lines;
  lines->rest = g_byte_array_new ();
  lines->list = g_list_store_new (item_type);
  g_task_set_source_tag (task, asb_sandbox_lines_read_async);
  g_task_set_task_data (task, lines, lines_free);
  read_next (task);
}

GListModel *
asb_sandbox_lines_read_finish (GInputStream *stream, GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
