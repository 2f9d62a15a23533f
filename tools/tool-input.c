/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-input.h"

#include <errno.h>
#include <glib-unix.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool-text.h"

#define BUFFER_SIZE (256 * 1024)

typedef struct
{
  GOutputStream *sink;
  guint64 *count;
  char *name;
  int fd;
  char *buffer;
} Feed;

static void
feed_free (gpointer data)
{
  Feed *feed = data;

  g_object_unref (feed->sink);
  g_free (feed->name);
  g_free (feed->buffer);
  g_free (feed);
}

static void wait_readable (GTask *task);

static void
written_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Feed *feed = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  gsize n_written = 0;

  if (!g_output_stream_write_all_finish (feed->sink, result, &n_written, &error))
    {
      g_task_return_error (task, g_steal_pointer (&error));
      return;
    }
  if (feed->count)
    *feed->count += n_written;
  wait_readable (task);
}

static gboolean
readable_cb (int fd, GIOCondition condition, gpointer user_data)
{
  GTask *task = G_TASK (user_data);
  Feed *feed = g_task_get_task_data (task);
  gssize n_read;

  if (g_task_return_error_if_cancelled (task))
    return G_SOURCE_REMOVE;
  n_read = read (fd, feed->buffer, BUFFER_SIZE);
  if (n_read < 0 && (errno == EAGAIN || errno == EINTR))
    return G_SOURCE_CONTINUE;
  if (n_read < 0)
    g_task_return_new_error (task, G_IO_ERROR, g_io_error_from_errno (errno),
                             "Could not read %s: %s", feed->name, g_strerror (errno));
  else if (n_read == 0)
    g_task_return_boolean (task, TRUE);
  else
    g_output_stream_write_all_async (feed->sink, feed->buffer, n_read, G_PRIORITY_DEFAULT,
                                     g_task_get_cancellable (task), written_cb,
                                     g_object_ref (task));
  return G_SOURCE_REMOVE;
}

static void
wait_readable (GTask *task)
{
  Feed *feed = g_task_get_task_data (task);
  GCancellable *cancellable = g_task_get_cancellable (task);
  g_autoptr (GSource) source = g_unix_fd_source_new (feed->fd, G_IO_IN | G_IO_HUP | G_IO_ERR);

  if (cancellable)
    {
      g_autoptr (GSource) child = g_cancellable_source_new (cancellable);

      g_source_set_dummy_callback (child);
      g_source_add_child_source (source, child);
    }
  g_task_attach_source (task, source, G_SOURCE_FUNC (readable_cb));
}

void
tool_feed_async (int fd, const char *name, GOutputStream *sink, guint64 *count,
                 GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (sink, cancellable, callback, user_data);
  Feed *feed = g_new0 (Feed, 1);

  feed->sink = g_object_ref (sink);
  feed->count = count;
  feed->name = g_strdup (name);
  feed->fd = fd;
  feed->buffer = g_malloc (BUFFER_SIZE);
  g_task_set_source_tag (task, tool_feed_async);
  g_task_set_task_data (task, feed, feed_free);
  wait_readable (task);
}

gboolean
tool_feed_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

static gboolean
heard_cb (int fd, GIOCondition condition, gpointer user_data)
{
  gboolean *readable = user_data;

  *readable = TRUE;
  return G_SOURCE_REMOVE;
}

/* So is one that was closed: asb has opened this in its place. */
static gboolean
is_nothing (int fd)
{
  struct stat file;
  struct stat nothing;

  return fstat (fd, &file) == 0 && S_ISCHR (file.st_mode) && stat ("/dev/null", &nothing) == 0
         && file.st_rdev == nothing.st_rdev;
}

gboolean
tool_input_is_there (void)
{
  return !tool_text_is_terminal (STDIN_FILENO) && !is_nothing (STDIN_FILENO);
}

static gboolean
wait_for_input (int fd, GCancellable *cancellable, GError **error)
{
  gboolean readable = FALSE;
  guint source = g_unix_fd_add (fd, G_IO_IN | G_IO_HUP | G_IO_ERR, heard_cb, &readable);

  while (!readable && !g_cancellable_is_cancelled (cancellable))
    g_main_context_iteration (NULL, TRUE);
  if (!readable)
    g_source_remove (source);
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

gssize
tool_input_read_line (int fd, char *line, gsize size, GCancellable *cancellable, GError **error)
{
  gsize length = 0;

  while (length < size)
    {
      gssize n;

      if (cancellable && !wait_for_input (fd, cancellable, error))
        return -1;
      n = TEMP_FAILURE_RETRY (read (fd, line + length, 1));
      if (n < 0)
        {
          g_set_error_literal (error, G_IO_ERROR, g_io_error_from_errno (errno),
                               g_strerror (errno));
          return -1;
        }
      if (n == 0 || line[length] == '\n')
        break;
      length++;
    }
  return (gssize)length;
}
