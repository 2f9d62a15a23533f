/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an exchange does while libsoup has its message. */

#include "asb-opensandbox-early.h"
#include "asb-opensandbox-exchange-private.h"
#include "asb-opensandbox-message.h"
#include "asb-opensandbox-retry.h"
#include "asb-opensandbox-thread.h"

#define MAX_INFORMATIONAL 16
#define HANDSHAKE_CHECK 500
/* Servers and balancers close what was idle for a second at the least. A request that is not
 * repeated must not meet that. */
#define MAX_IDLE (G_USEC_PER_SEC / 2)

/* The connection is chosen and nothing was written yet. */
static void
starting_cb (SoupMessage *message, gpointer data)
{
  AsbOpensandboxExchange *self = data;
  gint64 idle;

  if (!asb_opensandbox_message_is_trusted (message))
    asb_opensandbox_guard_abort (&self->guard, ASB_OPENSANDBOX_ABORT_UNTRUSTED);
  asb_opensandbox_client_log_in_at_proxy (self->client, message);
  self->is_reused = asb_opensandbox_client_was_used (self->client, message, &idle);
  if (self->is_reused && idle > MAX_IDLE && !self->needs_new_connection
      && asb_opensandbox_retry_rule_for_method (soup_message_get_method (message))
             != ASB_OPENSANDBOX_RETRY_ALWAYS)
    asb_opensandbox_guard_abort (&self->guard, ASB_OPENSANDBOX_ABORT_STALE);
}

/* What libsoup reads by itself is of any length and comes as fast as it is sent, while nobody else
 * in the thread has a turn: the body that refuses a WebSocket, and the one of a 421, after which it
 * would also send the request again. */
static void
got_headers_cb (SoupMessage *message, gpointer data)
{
  AsbOpensandboxExchange *self = data;

  if (self->kind == ASB_OPENSANDBOX_EXCHANGE_WEBSOCKET
      || soup_message_get_status (message) == SOUP_STATUS_MISDIRECTED_REQUEST)
    asb_opensandbox_guard_abort (&self->guard, ASB_OPENSANDBOX_ABORT_REFUSED);
}

static void
got_informational_cb (SoupMessage *message, gpointer data)
{
  AsbOpensandboxExchange *self = data;

  if (++self->n_informational > MAX_INFORMATIONAL)
    asb_opensandbox_guard_abort (&self->guard, ASB_OPENSANDBOX_ABORT_FLOODED);
}

/* A machine that is slow itself asks late, or needs long for what came: that is no silence. */
static gboolean
handshake_cb (gpointer data)
{
  AsbOpensandboxExchange *self = data;
  g_autoptr (GIOStream) stream = asb_opensandbox_client_dup_stream (self->client, self->message);

  if (!asb_opensandbox_message_is_silent (stream, ASB_OPENSANDBOX_EXCHANGE_MAX_HANDSHAKE))
    return G_SOURCE_CONTINUE;
  asb_opensandbox_guard_abort (&self->guard, ASB_OPENSANDBOX_ABORT_NO_TLS);
  return G_SOURCE_REMOVE;
}

static void
network_event_cb (SoupMessage *message, GSocketClientEvent event, GIOStream *connection,
                  gpointer data)
{
  AsbOpensandboxExchange *self = data;

  if (event == G_SOCKET_CLIENT_CONNECTED || event == G_SOCKET_CLIENT_TLS_HANDSHAKED)
    asb_opensandbox_client_note_stream (self->client, message, connection);
  if (event != G_SOCKET_CLIENT_TLS_HANDSHAKING && event != G_SOCKET_CLIENT_TLS_HANDSHAKED)
    return;
  asb_opensandbox_thread_clear_timer (&self->handshake);
  if (event == G_SOCKET_CLIENT_TLS_HANDSHAKING)
    self->handshake = asb_opensandbox_thread_add_timer (HANDSHAKE_CHECK, handshake_cb, self);
}

static void
wrote_body_cb (SoupMessage *message, gpointer data)
{
  AsbOpensandboxExchange *self = data;

  asb_opensandbox_request_written (self->request);
}

/* The connection is still there. */
static void
finished_cb (SoupMessage *message, gpointer data)
{
  AsbOpensandboxExchange *self = data;
  g_autoptr (GIOStream) connection = NULL;

  if (soup_message_get_status (message) != SOUP_STATUS_NONE
      || self->guard.reason != ASB_OPENSANDBOX_ABORT_NONE
      || !asb_opensandbox_message_was_sent (message))
    return;
  connection = asb_opensandbox_client_dup_stream (self->client, message);
  if (connection)
    self->refusal = asb_opensandbox_early_read (connection);
}

void
asb_opensandbox_exchange_listen (AsbOpensandboxExchange *self)
{
  SoupMessage *message = self->message;

  g_signal_connect (message, "network-event", G_CALLBACK (network_event_cb), self);
  g_signal_connect (message, "starting", G_CALLBACK (starting_cb), self);
  g_signal_connect (message, "wrote-body", G_CALLBACK (wrote_body_cb), self);
  g_signal_connect (message, "finished", G_CALLBACK (finished_cb), self);
  g_signal_connect (message, "got-headers", G_CALLBACK (got_headers_cb), self);
  g_signal_connect (message, "got-informational", G_CALLBACK (got_informational_cb), self);
}
