/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "hostile-server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

struct _HostileServer
{
  HostileFunc function;
  gpointer data;
  GSocket *socket;
  char *domain;
  guint16 port;
  GThread *thread;
  GCancellable *end;
  gboolean is_hasty;
  guint delay;

  GMutex lock;
  GCond changed;
  GPtrArray *heads;
  GPtrArray *threads;
  guint n_connections;
};

struct _HostileConnection
{
  HostileServer *server;
  GSocket *socket;
  GString *input;
  GString *body; /* of the request that was read last */
  gboolean is_broken;
};

static gboolean
fill (HostileConnection *self)
{
  char buffer[16384];
  gssize n_read = g_socket_receive (self->socket, buffer, sizeof buffer, self->server->end, NULL);

  if (n_read <= 0)
    return FALSE;
  g_string_append_len (self->input, buffer, n_read);
  return TRUE;
}

static gsize
get_body_length (const char *head)
{
  g_autofree char *lower = g_ascii_strdown (head, -1);
  const char *found = strstr (lower, "\r\ncontent-length:");

  return found ? g_ascii_strtoull (found + strlen ("\r\ncontent-length:"), NULL, 10) : 0;
}

/* Returns: (transfer full) (nullable) */
static char *
read_request (HostileConnection *self)
{
  const char *end;
  g_autofree char *head = NULL;
  gsize size;

  while (!(end = strstr (self->input->str, "\r\n\r\n")))
    if (!fill (self))
      return NULL;
  size = (gsize)(end - self->input->str) + 4;
  head = g_strndup (self->input->str, size);
  if (!self->server->is_hasty)
    size += get_body_length (head);
  while (self->input->len < size)
    if (!fill (self))
      return NULL;
  g_string_truncate (self->body, 0);
  g_string_append_len (self->body, self->input->str + strlen (head),
                       (gssize)(size - strlen (head)));
  g_string_erase (self->input, 0, (gssize)size);
  return g_steal_pointer (&head);
}

static guint
note_request (HostileServer *server, const char *head)
{
  guint number;

  g_mutex_lock (&server->lock);
  number = server->heads->len;
  g_ptr_array_add (server->heads, g_strdup (head));
  g_cond_broadcast (&server->changed);
  g_mutex_unlock (&server->lock);
  return number;
}

static gpointer
serve (gpointer data)
{
  HostileConnection *self = data;
  gboolean stays = TRUE;

  while (stays)
    {
      g_autofree char *head = read_request (self);

      stays = head
              && self->server->function (self, head, note_request (self->server, head),
                                         self->server->data);
    }
  g_socket_close (self->socket, NULL);
  g_object_unref (self->socket);
  g_string_free (self->input, TRUE);
  g_string_free (self->body, TRUE);
  g_free (self);
  return NULL;
}

/* Returns early when the server ends. */
static void
let_pass (HostileServer *self, guint milliseconds)
{
  GPollFD fd;

  if (g_cancellable_make_pollfd (self->end, &fd))
    {
      g_poll (&fd, 1, (int)milliseconds);
      g_cancellable_release_fd (self->end);
    }
}

static gpointer
listen_for_connections (gpointer data)
{
  HostileServer *self = data;
  GSocket *socket;

  let_pass (self, self->delay);
  g_socket_listen (self->socket, NULL);
  while ((socket = g_socket_accept (self->socket, self->end, NULL)))
    {
      HostileConnection *connection = g_new0 (HostileConnection, 1);

      connection->server = self;
      connection->socket = socket;
      connection->input = g_string_new (NULL);
      connection->body = g_string_new (NULL);
      g_mutex_lock (&self->lock);
      self->n_connections++;
      g_ptr_array_add (self->threads, g_thread_new ("connection", serve, connection));
      g_mutex_unlock (&self->lock);
    }
  return NULL;
}

HostileServer *
hostile_server_new_deaf (HostileFunc function, gpointer data)
{
  HostileServer *self = g_new0 (HostileServer, 1);
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (loopback, 0);
  g_autoptr (GSocketAddress) bound = NULL;
  g_autoptr (GError) error = NULL;

  self->function = function;
  self->data = data;
  self->end = g_cancellable_new ();
  self->heads = g_ptr_array_new_with_free_func (g_free);
  self->threads = g_ptr_array_new ();
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->socket
      = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, &error);
  g_assert_no_error (error);
  g_socket_bind (self->socket, address, TRUE, &error);
  g_assert_no_error (error);
  bound = g_socket_get_local_address (self->socket, &error);
  g_assert_no_error (error);
  self->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound));
  self->domain = g_strdup_printf ("127.0.0.1:%u", self->port);
  return self;
}

void
hostile_server_listen_in (HostileServer *self, guint milliseconds)
{
  self->delay = milliseconds;
  self->thread = g_thread_new ("listener", listen_for_connections, self);
}

HostileServer *
hostile_server_new (HostileFunc function, gpointer data)
{
  HostileServer *self = hostile_server_new_deaf (function, data);
  g_autoptr (GError) error = NULL;

  g_socket_set_listen_backlog (self->socket, 128);
  g_socket_listen (self->socket, &error);
  g_assert_no_error (error);
  hostile_server_listen_in (self, 0);
  return self;
}

HostileServer *
hostile_server_new_hasty (HostileFunc function, gpointer data)
{
  HostileServer *self = hostile_server_new (function, data);

  self->is_hasty = TRUE;
  return self;
}

void
hostile_server_free (HostileServer *self)
{
  g_cancellable_cancel (self->end);
  g_thread_join (self->thread);
  for (guint i = 0; i < self->threads->len; i++)
    g_thread_join (self->threads->pdata[i]);
  g_ptr_array_unref (self->threads);
  g_ptr_array_unref (self->heads);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_object_unref (self->socket);
  g_object_unref (self->end);
  g_free (self->domain);
  g_free (self);
}

guint16
hostile_server_get_port (HostileServer *self)
{
  return self->port;
}

const char *
hostile_server_get_domain (HostileServer *self)
{
  return self->domain;
}

guint
hostile_server_count_connections (HostileServer *self)
{
  guint n_connections;

  g_mutex_lock (&self->lock);
  n_connections = self->n_connections;
  g_mutex_unlock (&self->lock);
  return n_connections;
}

guint
hostile_server_count_requests (HostileServer *self)
{
  guint n_requests;

  g_mutex_lock (&self->lock);
  n_requests = self->heads->len;
  g_mutex_unlock (&self->lock);
  return n_requests;
}

char *
hostile_server_dup_head (HostileServer *self, guint number)
{
  char *head = NULL;

  g_mutex_lock (&self->lock);
  if (number < self->heads->len)
    head = g_strdup (self->heads->pdata[number]);
  g_mutex_unlock (&self->lock);
  return head;
}

void
hostile_server_forget (HostileServer *self)
{
  g_autoptr (GPtrArray) threads = NULL;

  g_mutex_lock (&self->lock);
  threads = g_steal_pointer (&self->threads);
  self->threads = g_ptr_array_new ();
  g_ptr_array_set_size (self->heads, 0);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < threads->len; i++)
    g_thread_join (threads->pdata[i]);
}

void
hostile_server_wait_for_requests (HostileServer *self, guint n_requests)
{
  g_mutex_lock (&self->lock);
  while (self->heads->len < n_requests)
    g_cond_wait (&self->changed, &self->lock);
  g_mutex_unlock (&self->lock);
}

const char *
hostile_connection_get_body (HostileConnection *self)
{
  return self->body->str;
}

gboolean
hostile_connection_is_open (HostileConnection *self)
{
  return !self->is_broken;
}

void
hostile_connection_write_bytes (HostileConnection *self, const void *data, gsize size)
{
  const char *at = data;

  while (size > 0)
    {
      gssize n_written = g_socket_send (self->socket, at, size, self->server->end, NULL);

      if (n_written <= 0)
        {
          self->is_broken = TRUE;
          return;
        }
      at += n_written;
      size -= (gsize)n_written;
    }
}

void
hostile_connection_write (HostileConnection *self, const char *text)
{
  hostile_connection_write_bytes (self, text, strlen (text));
}

void
hostile_connection_reply (HostileConnection *self, const char *status, const char *headers,
                          const char *body)
{
  g_autofree char *text
      = g_strdup_printf ("HTTP/1.1 %s\r\nContent-Length: %" G_GSIZE_FORMAT "\r\n%s\r\n%s", status,
                         strlen (body), headers ? headers : "", body);

  hostile_connection_write (self, text);
}

void
hostile_connection_cork (HostileConnection *self)
{
  g_socket_set_option (self->socket, IPPROTO_TCP, TCP_CORK, TRUE, NULL);
}

void
hostile_connection_linger (HostileConnection *self, guint milliseconds)
{
  let_pass (self->server, milliseconds);
}

void
hostile_connection_reset (HostileConnection *self)
{
  struct linger linger = { 1, 0 };

  setsockopt (g_socket_get_fd (self->socket), SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

void
hostile_connection_shut (HostileConnection *self)
{
  g_socket_shutdown (self->socket, FALSE, TRUE, NULL);
}

void
hostile_connection_wait (HostileConnection *self)
{
  while (fill (self))
    g_string_truncate (self->input, 0);
}

void
hostile_connection_read_until (HostileConnection *self, const char *end, GString *text)
{
  gsize looked_at = 0;
  const char *found;

  while (!(found = strstr (self->input->str + looked_at, end)))
    {
      looked_at = self->input->len > strlen (end) ? self->input->len - strlen (end) : 0;
      if (!fill (self))
        return;
    }
  g_string_append_len (text, self->input->str, found - self->input->str + (gssize)strlen (end));
  g_string_erase (self->input, 0, found - self->input->str + (gssize)strlen (end));
}
