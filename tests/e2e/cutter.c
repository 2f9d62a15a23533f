/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cutter.h"

#include <errno.h>
#include <glib-unix.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Between these many bytes, in either direction. The greetings take some hundreds. */
#define LEAST 300
#define MOST 60000

typedef struct
{
  Cutter *cutter;
  int fds[2]; /* of the library's side, and of the guest's */
  gint64 left[2];
  gboolean leaves_half_open;
} Passage;

static void
close_fd (gpointer data)
{
  close (*(int *)data);
}

Cutter *
cutter_new (guint32 seed, guint n_streams_that_break)
{
  Cutter *self = g_new0 (Cutter, 1);

  g_mutex_init (&self->mutex);
  self->chance = g_rand_new_with_seed (seed);
  self->n_steady_after = n_streams_that_break;
  self->threads = g_ptr_array_new ();
  self->half_open = g_array_new (FALSE, FALSE, sizeof (int));
  g_array_set_clear_func (self->half_open, close_fd);
  return self;
}

void
cutter_free (Cutter *self)
{
  for (guint i = 0; i < self->threads->len; i++)
    g_thread_join (self->threads->pdata[i]);
  g_ptr_array_unref (self->threads);
  g_array_unref (self->half_open);
  g_rand_free (self->chance);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

guint
cutter_count (Cutter *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  return self->n_cut;
}

static gboolean
write_all (int fd, const char *bytes, gssize size)
{
  while (size > 0)
    {
      gssize n = send (fd, bytes, (gsize)size, MSG_NOSIGNAL);

      if (n < 0 && errno != EINTR)
        return FALSE;
      bytes += MAX (n, 0);
      size -= MAX (n, 0);
    }
  return TRUE;
}

/* FALSE when that was the end. */
static gboolean
pass (Passage *passage, int from)
{
  char bytes[16384];
  gsize wanted = (gsize)MIN (passage->left[from], (gint64)sizeof bytes);
  gssize n = read (passage->fds[from], bytes, wanted);

  if (n < 0 && errno == EINTR)
    return TRUE;
  if (n <= 0 || !write_all (passage->fds[1 - from], bytes, n))
    return FALSE;
  passage->left[from] -= n;
  return passage->left[from] > 0;
}

static void
end (Passage *passage)
{
  Cutter *cutter = passage->cutter;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&cutter->mutex);
  gboolean was_cut = passage->left[0] == 0 || passage->left[1] == 0;

  cutter->n_cut += was_cut;
  close (passage->fds[0]);
  if (was_cut && passage->leaves_half_open)
    g_array_append_val (cutter->half_open, passage->fds[1]);
  else
    close (passage->fds[1]);
  g_free (passage);
}

static gpointer
run (gpointer data)
{
  Passage *passage = data;
  struct pollfd polled[2] = { { passage->fds[0], POLLIN, 0 }, { passage->fds[1], POLLIN, 0 } };
  gboolean more = TRUE;

  while (more && (poll (polled, 2, -1) > 0 || errno == EINTR))
    for (int i = 0; i < 2 && more; i++)
      if (polled[i].revents)
        more = pass (passage, i);
  end (passage);
  return NULL;
}

static GIOStream *
disguise (int fd)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocket) socket = g_socket_new_from_fd (fd, &error);
  GIOStream *connection = G_IO_STREAM (g_socket_connection_factory_create_connection (socket));
  GIOStream *stream = g_simple_io_stream_new (g_io_stream_get_input_stream (connection),
                                              g_io_stream_get_output_stream (connection));

  g_object_set_data_full (G_OBJECT (stream), "connection", connection, g_object_unref);
  return stream;
}

GIOStream *
cutter_wrap (Cutter *self, GIOStream *connection)
{
  GSocket *socket = g_socket_connection_get_socket (G_SOCKET_CONNECTION (connection));
  Passage *passage = g_new0 (Passage, 1);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  gboolean breaks = self->n_streams++ < self->n_steady_after;
  int ends[2];

  g_assert_no_errno (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
  passage->cutter = self;
  passage->fds[0] = ends[1];
  passage->fds[1] = dup (g_socket_get_fd (socket));
  g_assert_no_errno (passage->fds[1]);
  /* GIO has made it one that does not block. */
  g_assert_no_errno (g_unix_set_fd_nonblocking (passage->fds[1], FALSE, NULL) ? 0 : -1);
  for (int i = 0; i < 2; i++)
    passage->left[i] = breaks ? g_rand_int_range (self->chance, LEAST, MOST) : G_MAXINT64;
  passage->leaves_half_open = g_rand_boolean (self->chance);
  g_ptr_array_add (self->threads, g_thread_new ("passage", run, passage));
  g_object_unref (connection);
  return disguise (ends[0]);
}
