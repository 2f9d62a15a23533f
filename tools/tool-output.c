/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-output.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool-message.h"

#define BUFFER_SIZE (256 * 1024)

int
tool_output_fail (const GError *error)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE))
    return TOOL_EXIT_SIGNAL + SIGPIPE;
  tool_message_error (error);
  return TOOL_EXIT_FAILED;
}

static void
set_write_error (GError **error, int fd, int code)
{
  const char *where = fd == STDOUT_FILENO   ? "standard output"
                      : fd == STDERR_FILENO ? "standard error"
                                            : "the file";

  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), "Could not write to %s: %s", where,
               g_strerror (code));
}

int
tool_output_print (const char *bytes, gsize length)
{
  g_autoptr (GError) error = NULL;

  while (length > 0)
    {
      const gssize n_written = write (STDOUT_FILENO, bytes, length);
      struct pollfd ready = { STDOUT_FILENO, POLLOUT, 0 };

      if (n_written >= 0)
        {
          bytes += n_written;
          length -= n_written;
        }
      else if (errno == EAGAIN)
        poll (&ready, 1, -1);
      else if (errno != EINTR)
        {
          set_write_error (&error, STDOUT_FILENO, errno);
          return tool_output_fail (error);
        }
    }
  return TOOL_EXIT_DONE;
}

/* How a descriptor is written to without waiting. Its own flags stay as they are: others may have
 * it too, a shell for one. */
typedef enum
{
  SINK_BLOCKING, /* a regular file: never waits for anybody */
  SINK_REOPENED, /* a pipe or a terminal, opened once more for us alone */
  SINK_SOCKET,
  SINK_SMALL_STEPS /* could not be opened again: what fits for certain when it is ready */
} SinkKind;

typedef struct
{
  GInputStream *source;
  guint64 *count;
  SinkKind kind;
  int fd;
  int own_fd;
  char *buffer;
  gsize filled;
  gsize written;
} Copy;

static void
copy_free (gpointer data)
{
  Copy *copy = data;

  if (copy->own_fd >= 0)
    close (copy->own_fd);
  g_object_unref (copy->source);
  g_free (copy->buffer);
  g_free (copy);
}

/* Opened once more, a descriptor for reading could be written to, and one that was closed, too: asb
 * has put such a one in its place. */
static gboolean
is_writable (int fd)
{
  const int flags = fcntl (fd, F_GETFL);

  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

static void
open_sink (Copy *copy)
{
  g_autofree char *path = NULL;
  struct stat status;

  copy->own_fd = -1;
  copy->kind = SINK_BLOCKING;
  if (!is_writable (copy->fd) || fstat (copy->fd, &status) != 0 || S_ISREG (status.st_mode)
      || S_ISBLK (status.st_mode))
    return;
  if (S_ISSOCK (status.st_mode))
    {
      copy->kind = SINK_SOCKET;
      return;
    }
  path = g_strdup_printf ("/proc/self/fd/%d", copy->fd);
  copy->own_fd = open (path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  copy->kind = copy->own_fd >= 0 ? SINK_REOPENED : SINK_SMALL_STEPS;
}

static gssize
write_some (Copy *copy)
{
  const char *bytes = copy->buffer + copy->written;
  const gsize length = copy->filled - copy->written;
  struct pollfd ready = { copy->fd, POLLOUT, 0 };

  switch (copy->kind)
    {
    case SINK_REOPENED:
      return write (copy->own_fd, bytes, length);
    case SINK_SOCKET:
      return send (copy->fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    case SINK_SMALL_STEPS:
      if (poll (&ready, 1, 0) == 1)
        return write (copy->fd, bytes, MIN (length, PIPE_BUF));
      errno = EAGAIN;
      return -1;
    case SINK_BLOCKING:
    default:
      return write (copy->fd, bytes, length);
    }
}

static void copy_step (GTask *task);

static gboolean
writable_cb (int fd, GIOCondition condition, gpointer user_data)
{
  copy_step (G_TASK (user_data));
  return G_SOURCE_REMOVE;
}

/* Whichever comes first: there is room, or nobody wants it any more. */
static void
wait_writable (GTask *task)
{
  Copy *copy = g_task_get_task_data (task);
  GCancellable *cancellable = g_task_get_cancellable (task);
  const int fd = copy->own_fd >= 0 ? copy->own_fd : copy->fd;
  g_autoptr (GSource) source = g_unix_fd_source_new (fd, G_IO_OUT | G_IO_HUP | G_IO_ERR);

  if (cancellable)
    {
      g_autoptr (GSource) child = g_cancellable_source_new (cancellable);

      g_source_set_dummy_callback (child);
      g_source_add_child_source (source, child);
    }
  g_task_attach_source (task, source, G_SOURCE_FUNC (writable_cb));
}

static void
read_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Copy *copy = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  const gssize n_read = g_input_stream_read_finish (copy->source, result, &error);

  if (n_read < 0)
    g_task_return_error (task, g_steal_pointer (&error));
  else if (n_read == 0)
    g_task_return_boolean (task, TRUE);
  else
    {
      copy->filled = n_read;
      copy->written = 0;
      copy_step (task);
    }
}

/* Writes what is there, then reads on. */
static void
copy_step (GTask *task)
{
  Copy *copy = g_task_get_task_data (task);
  GError *error = NULL;

  while (copy->written < copy->filled)
    {
      gssize n_written;

      if (g_task_return_error_if_cancelled (task))
        return;
      n_written = write_some (copy);
      if (n_written >= 0)
        {
          copy->written += n_written;
          if (copy->count)
            *copy->count += n_written;
        }
      else if (errno == EAGAIN)
        {
          wait_writable (task);
          return;
        }
      else if (errno != EINTR)
        {
          set_write_error (&error, copy->fd, errno);
          g_task_return_error (task, error);
          return;
        }
    }
  g_input_stream_read_async (copy->source, copy->buffer, BUFFER_SIZE, G_PRIORITY_DEFAULT,
                             g_task_get_cancellable (task), read_cb, g_object_ref (task));
}

void
tool_copy_async (GInputStream *source, int fd, guint64 *count, GCancellable *cancellable,
                 GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (source, cancellable, callback, user_data);
  Copy *copy = g_new0 (Copy, 1);

  copy->source = g_object_ref (source);
  copy->count = count;
  copy->fd = fd;
  copy->buffer = g_malloc (BUFFER_SIZE);
  open_sink (copy);
  g_task_set_source_tag (task, tool_copy_async);
  g_task_set_task_data (task, copy, copy_free);
  copy_step (task);
}

gboolean
tool_copy_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
