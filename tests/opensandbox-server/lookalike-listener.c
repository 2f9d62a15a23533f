/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-listener.h"

#include "lookalike-faults.h"
#include "lookalike-log.h"

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
  if (!lookalike_faults_apply (self->lookalike->faults, request, FALSE))
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

static gboolean
incoming_cb (GSocketService *service, GSocketConnection *connection, GObject *source,
             gpointer user_data)
{
  LookalikeListener *self = user_data;
  g_autoptr (GSocketAddress) local = g_socket_connection_get_local_address (connection, NULL);
  g_autoptr (GSocketAddress) remote = g_socket_connection_get_remote_address (connection, NULL);
  g_autoptr (LookalikeTap) tap = NULL;
  guint16 port;

  if (local == NULL || remote == NULL)
    return TRUE;
  tap = lookalike_tap_new (connection, ++self->lookalike->connections);
  port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (remote));
  g_hash_table_insert (self->taps, GUINT_TO_POINTER (port), tap);
  g_object_weak_ref (G_OBJECT (tap), forget_tap_cb, self);
  soup_server_accept_iostream (self->server, G_IO_STREAM (tap), local, remote, NULL);
  return TRUE;
}

static gboolean
listen_on (LookalikeListener *self, GSocketFamily family, guint16 port, GError **error)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (family);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (loopback, port);
  g_autoptr (GSocketAddress) effective = NULL;

  if (!g_socket_listener_add_address (G_SOCKET_LISTENER (self->service), address,
                                      G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL, &effective,
                                      error))
    return FALSE;
  self->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (effective));
  return TRUE;
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
  self->service = g_socket_service_new ();
  self->server = g_object_new (SOUP_TYPE_SERVER, "raw-paths", TRUE, NULL);
  soup_server_add_early_handler (self->server, NULL, handle_early_cb, self, NULL);
  soup_server_add_handler (self->server, NULL, handle_cb, self, NULL);
  g_signal_connect (self->service, "incoming", G_CALLBACK (incoming_cb), self);
  if (!listen_on (self, G_SOCKET_FAMILY_IPV4, port, error))
    return NULL;
  if (sandbox == NULL)
    listen_on (self, G_SOCKET_FAMILY_IPV6, self->port, NULL);
  g_socket_service_start (self->service);
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
  if (self->service == NULL)
    return;
  g_socket_service_stop (self->service);
  g_socket_listener_close (G_SOCKET_LISTENER (self->service));
  g_clear_object (&self->service);
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
  if (self->frozen || self->service == NULL)
    return;
  self->frozen = TRUE;
  g_socket_service_stop (self->service);
  each_tap (self, lookalike_tap_hold);
}

void
lookalike_listener_thaw (LookalikeListener *self)
{
  if (!self->frozen || self->service == NULL)
    return;
  self->frozen = FALSE;
  each_tap (self, lookalike_tap_release);
  g_socket_service_start (self->service);
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
