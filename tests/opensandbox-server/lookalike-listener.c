/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-listener.h"

#include <gio/gunixsocketaddress.h>

#include "lookalike-faults.h"
#include "lookalike-guard.h"
#include "lookalike-log.h"

#define BACKLOG 128

static void
handle_cb (SoupServer *server, SoupServerMessage *message, const char *path, GHashTable *query,
           gpointer user_data)
{
  LookalikeListener *self = user_data;
  g_autoptr (LookalikeRequest) request = NULL;

  /* An early answer stands. */
  if (soup_server_message_get_status (message) != 0)
    return;
  request = lookalike_request_new (self, message);
  soup_server_message_pause (message);
  lookalike_log_add (self->lookalike->log, request);
  if (!lookalike_guard_refuse (request)
      && !lookalike_faults_apply (self->lookalike->faults, request, FALSE))
    self->handler (request);
}

static void
handle_early_cb (SoupServer *server, SoupServerMessage *message, const char *path,
                 GHashTable *query, gpointer user_data)
{
  LookalikeListener *self = user_data;
  g_autoptr (LookalikeRequest) request = NULL;

  if (!lookalike_faults_has_early (self->lookalike->faults))
    return;
  request = lookalike_request_new (self, message);
  if (lookalike_faults_apply (self->lookalike->faults, request, TRUE))
    lookalike_log_add (self->lookalike->log, request);
}

static void
forget_tap_cb (gpointer data, GObject *tap)
{
  LookalikeListener *self = data;
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->taps);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (value == tap)
      g_hash_table_iter_remove (&iter);
}

static void
take_connection (LookalikeListener *self, GSocket *socket)
{
  g_autoptr (GSocketConnection) connection = g_socket_connection_factory_create_connection (socket);
  g_autoptr (GSocketAddress) local = g_socket_get_local_address (socket, NULL);
  g_autoptr (GSocketAddress) remote = g_socket_get_remote_address (socket, NULL);
  g_autoptr (LookalikeTap) tap = NULL;
  guint16 port;

  if (local == NULL || remote == NULL)
    return;
  tap = lookalike_tap_new (connection, ++self->lookalike->connections);
  port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (remote));
  g_hash_table_insert (self->taps, GUINT_TO_POINTER (port), tap);
  g_object_weak_ref (G_OBJECT (tap), forget_tap_cb, self);
  soup_server_accept_iostream (self->server, G_IO_STREAM (tap), local, remote, NULL);
}

static gboolean
accept_cb (GSocket *listening, GIOCondition condition, gpointer user_data)
{
  g_autoptr (LookalikeListener) self = lookalike_listener_ref (user_data);
  g_autoptr (GSocket) socket = g_socket_accept (listening, NULL, NULL);

  if (socket != NULL)
    take_connection (self, socket);
  return G_SOURCE_CONTINUE;
}

static void
start_accepting (LookalikeListener *self)
{
  for (guint i = 0; i < self->sockets->len; i++)
    {
      GSource *source = g_socket_create_source (self->sockets->pdata[i], G_IO_IN, NULL);

      g_source_set_callback (source, (GSourceFunc)(void (*) (void))accept_cb, self, NULL);
      g_source_attach (source, NULL);
      g_ptr_array_add (self->sources, source);
    }
}

static void
stop_accepting (LookalikeListener *self)
{
  for (guint i = 0; i < self->sources->len; i++)
    g_source_destroy (self->sources->pdata[i]);
  g_ptr_array_set_size (self->sources, 0);
}

static gboolean
listen_on (LookalikeListener *self, GSocketFamily family, guint16 port, GError **error)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (family);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (loopback, port);
  g_autoptr (GSocketAddress) effective = NULL;
  g_autoptr (GSocket) socket
      = g_socket_new (family, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, error);

  if (socket == NULL)
    return FALSE;
  g_socket_set_blocking (socket, FALSE);
  g_socket_set_listen_backlog (socket, BACKLOG);
  if (!g_socket_bind (socket, address, TRUE, error) || !g_socket_listen (socket, error))
    return FALSE;
  effective = g_socket_get_local_address (socket, error);
  if (effective == NULL)
    return FALSE;
  self->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (effective));
  g_ptr_array_add (self->sockets, g_steal_pointer (&socket));
  return TRUE;
}

/* A SoupServer that listens nowhere closes each connection after its first answer: it gets a
 * socket that nobody can know of. */
static gboolean
keep_connections (LookalikeListener *self, GError **error)
{
  g_autoptr (GSocket) socket
      = g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, error);
  g_autofree char *uuid = g_uuid_string_random ();
  g_autoptr (GSocketAddress) address
      = g_unix_socket_address_new_with_type (uuid, -1, G_UNIX_SOCKET_ADDRESS_ABSTRACT);

  return socket != NULL && g_socket_bind (socket, address, FALSE, error)
         && g_socket_listen (socket, error)
         && soup_server_listen_socket (self->server, socket, 0, error);
}

LookalikeListener *
lookalike_listener_new (Lookalike *lookalike, const char *hop, guint16 port,
                        LookalikeSandbox *sandbox, LookalikeHandler handler, GError **error)
{
  g_autoptr (LookalikeListener) self = g_rc_box_new0 (LookalikeListener);

  self->lookalike = lookalike;
  self->hop = hop;
  self->sandbox = sandbox;
  self->handler = handler;
  self->taps = g_hash_table_new (NULL, NULL);
  self->sockets = g_ptr_array_new_with_free_func (g_object_unref);
  self->sources = g_ptr_array_new_with_free_func ((GDestroyNotify)g_source_unref);
  self->server = g_object_new (SOUP_TYPE_SERVER, "raw-paths", TRUE, NULL);
  soup_server_add_early_handler (self->server, NULL, handle_early_cb, self, NULL);
  soup_server_add_handler (self->server, NULL, handle_cb, self, NULL);
  if (!keep_connections (self, error) || !listen_on (self, G_SOCKET_FAMILY_IPV4, port, error))
    return NULL;
  if (sandbox == NULL)
    listen_on (self, G_SOCKET_FAMILY_IPV6, self->port, NULL);
  start_accepting (self);
  return g_steal_pointer (&self);
}

static void
each_tap (LookalikeListener *self, void (*func) (LookalikeTap *tap))
{
  g_autoptr (GList) taps = g_hash_table_get_values (self->taps);

  g_list_foreach (taps, (GFunc)(void (*) (void))g_object_ref, NULL);
  for (GList *i = taps; i != NULL; i = i->next)
    {
      func (i->data);
      g_object_unref (i->data);
    }
}

static void
cut (LookalikeTap *tap)
{
  lookalike_tap_cut (tap, FALSE);
}

void
lookalike_listener_close (LookalikeListener *self)
{
  if (self->closed)
    return;
  self->closed = TRUE;
  stop_accepting (self);
  g_ptr_array_set_size (self->sockets, 0);
  each_tap (self, cut);
  soup_server_disconnect (self->server);
}

static void
clear (gpointer data)
{
  LookalikeListener *self = data;
  g_autoptr (GList) taps = NULL;

  lookalike_listener_close (self);
  taps = g_hash_table_get_values (self->taps);
  for (GList *i = taps; i != NULL; i = i->next)
    g_object_weak_unref (i->data, forget_tap_cb, self);
  g_clear_object (&self->server);
  g_clear_pointer (&self->sockets, g_ptr_array_unref);
  g_clear_pointer (&self->sources, g_ptr_array_unref);
  g_clear_pointer (&self->taps, g_hash_table_unref);
}

LookalikeListener *
lookalike_listener_ref (LookalikeListener *self)
{
  return g_rc_box_acquire (self);
}

void
lookalike_listener_unref (LookalikeListener *self)
{
  g_rc_box_release_full (self, clear);
}

void
lookalike_listener_freeze (LookalikeListener *self)
{
  if (self->frozen || self->closed)
    return;
  self->frozen = TRUE;
  stop_accepting (self);
  each_tap (self, lookalike_tap_hold);
}

void
lookalike_listener_thaw (LookalikeListener *self)
{
  if (!self->frozen || self->closed)
    return;
  self->frozen = FALSE;
  each_tap (self, lookalike_tap_release);
  start_accepting (self);
}

LookalikeTap *
lookalike_listener_find_tap (LookalikeListener *self, SoupServerMessage *message)
{
  GSocketAddress *remote = soup_server_message_get_remote_address (message);
  LookalikeTap *tap = NULL;

  if (G_IS_INET_SOCKET_ADDRESS (remote))
    tap = g_hash_table_lookup (self->taps, GUINT_TO_POINTER (g_inet_socket_address_get_port (
                                               G_INET_SOCKET_ADDRESS (remote))));
  return tap != NULL ? g_object_ref (tap) : NULL;
}
