/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Servers that are slow, that never end, or that send too much; and callers that lose patience. */

#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-thread.h"
#include "exchange.h"

/* What is to run out, and what is not to. On a machine that stands still for a moment the first may
 * be over too early: it is tried again with twice as much, up to the second. */
#define TIMEOUT 150
#define LONG_TIMEOUT 60000

typedef enum
{
  SAY_NOTHING,
  HALF_A_HEAD,
  TRICKLE_HEAD,
  FLOOD_INFORMATIONAL,
  FLOOD_HEADERS,
  HALF_A_BODY,
  TRICKLE_BODY,
  ENDLESS_BODY,
  ENDLESS_REFUSAL,
  ENDLESS_LOGIN,
  ENDLESS_MISDIRECTED,
  HUGE_LENGTH,
  LACKING_REASON,
  LONG_REFUSAL
} Behaviour;

/* The same again and again until the other side has enough. */
static void
repeat (HostileConnection *connection, const char *text, guint milliseconds)
{
  while (hostile_connection_is_open (connection))
    {
      hostile_connection_write (connection, text);
      if (milliseconds > 0)
        hostile_connection_linger (connection, milliseconds);
    }
}

static void
flood (HostileConnection *connection, const char *head)
{
  g_autofree char *text = g_strnfill (65536, 'x');

  hostile_connection_write (connection, head);
  repeat (connection, text, 0);
}

static gboolean
behave (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  g_autofree char *text = NULL;

  switch ((Behaviour)GPOINTER_TO_INT (data))
    {
    case SAY_NOTHING:
      break;
    case HALF_A_HEAD:
      hostile_connection_write (connection, "HTTP/1.1 200 OK\r\nContent-");
      break;
    case TRICKLE_HEAD:
      hostile_connection_write (connection, "HTTP/1.1 200 OK\r\nX: ");
      repeat (connection, "x", 10);
      break;
    case FLOOD_INFORMATIONAL:
      repeat (connection, "HTTP/1.1 100 Continue\r\n\r\n", 0);
      break;
    case FLOOD_HEADERS:
      flood (connection, "HTTP/1.1 200 OK\r\nX: ");
      break;
    case HALF_A_BODY:
      hostile_connection_write (connection, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
      break;
    case TRICKLE_BODY:
      hostile_connection_write (connection, "HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n");
      repeat (connection, "x", 10);
      break;
    case ENDLESS_BODY:
      flood (connection, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
      break;
    case ENDLESS_REFUSAL:
      flood (connection, "HTTP/1.1 500 No\r\nConnection: close\r\n\r\nNo! ");
      break;
    case ENDLESS_LOGIN:
      flood (connection, "HTTP/1.1 401 Who\r\nWWW-Authenticate: Basic realm=\"x\"\r\nConnection: "
                         "close\r\n\r\nWho? ");
      break;
    case ENDLESS_MISDIRECTED:
      flood (connection, "HTTP/1.1 421 No\r\nConnection: close\r\n\r\nNo! ");
      break;
    case HUGE_LENGTH:
      flood (connection, "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n");
      break;
    case LACKING_REASON:
      hostile_connection_write (connection, "HTTP/1.1 416 No\r\nContent-Length: 9999\r\n\r\nNo!");
      break;
    case LONG_REFUSAL:
      text = g_strnfill (200000, 'y');
      hostile_connection_reply (connection, "400 No", NULL, text);
      break;
    }
  hostile_connection_wait (connection);
  return FALSE;
}

/* That it did not hang; @started is when the request was sent. */
static void
check_prompt (gint64 started)
{
  gint64 limit = (g_getenv ("ASB_TEST_GUEST_VALGRIND") ? 20 : 1) * 60 * G_USEC_PER_SEC;

  g_assert_cmpint (g_get_monotonic_time () - started, <, limit);
}

static GError *
try (HostileServer *server, const char *method, guint timeout)
{
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, method, "/x");
  g_autoptr (AsbOpensandboxReply) reply = NULL;
  g_autoptr (GError) error = NULL;
  gint64 started = g_get_monotonic_time ();

  asb_opensandbox_request_set_timeout (request, timeout);
  asb_opensandbox_request_set_max_reply (request, 100000);
  reply = exchange_send (client, request, NULL, &error);
  g_assert_null (reply);
  g_test_message ("%s", error->message);
  check_prompt (started);
  return g_steal_pointer (&error);
}

/* The request was sent by then. */
static GError *
time_out (HostileServer *server, const char *method)
{
  for (guint timeout = TIMEOUT;; timeout *= 2)
    {
      g_autoptr (GError) error = try (server, method, timeout);
      g_autofree char *within = g_strdup_printf ("within %g seconds", timeout / 1000.0);

      g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
      g_assert_nonnull (strstr (error->message, within));
      if (!asb_opensandbox_error_was_not_sent (error))
        return g_steal_pointer (&error);
      g_assert_cmpuint (timeout, <, LONG_TIMEOUT);
    }
}

static void
test_slow (gconstpointer data)
{
  g_autoptr (HostileServer) server = hostile_server_new (behave, (gpointer)data);
  g_autoptr (GError) get = time_out (server, "GET");
  g_autoptr (GError) post = time_out (server, "POST");

  g_assert_true (asb_error_info_get_retryable (asb_error_get_info (get)));
  g_assert_false (asb_opensandbox_error_is_outcome_unknown (get));
  g_assert_true (asb_opensandbox_error_is_outcome_unknown (post));
  g_assert_false (asb_error_info_get_retryable (asb_error_get_info (post)));
}

static void
check_code (Behaviour behaviour, AsbError code, guint status)
{
  g_autoptr (HostileServer) server = hostile_server_new (behave, GINT_TO_POINTER (behaviour));
  g_autoptr (GError) error = try (server, "POST", LONG_TIMEOUT);

  g_assert_error (error, ASB_ERROR, (int)code);
  g_assert_cmpuint (asb_opensandbox_error_get_status (error), ==, status);
  g_assert_cmpuint (strlen (error->message), <=, 560);
  g_assert_cmpuint (hostile_server_count_requests (server), ==, 1);
}

static void
test_too_much (void)
{
  check_code (FLOOD_HEADERS, ASB_ERROR_INTERRUPTED, 0);
  check_code (FLOOD_INFORMATIONAL, ASB_ERROR_INTERRUPTED, 0);
  check_code (ENDLESS_BODY, ASB_ERROR_INTERRUPTED, 0);
  check_code (HUGE_LENGTH, ASB_ERROR_INTERRUPTED, 0);
  check_code (ENDLESS_REFUSAL, ASB_ERROR_PROVIDER, 500);
  check_code (ENDLESS_LOGIN, ASB_ERROR_PROVIDER, 401);
  check_code (ENDLESS_MISDIRECTED, ASB_ERROR_PROVIDER, 421);
  check_code (LONG_REFUSAL, ASB_ERROR_PROVIDER, 400);
}

/* What is announced and does not come is not waited for as long as for an answer. */
static void
test_lacking_reason (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (behave, GINT_TO_POINTER (LACKING_REASON));
  g_autoptr (GError) late = try (server, "POST", LONG_TIMEOUT);
  guint status = 0;

  g_assert_cmpstr (late->message, ==, "Could not do the test: No! (HTTP 416)");
  g_assert_cmpuint (asb_opensandbox_error_get_status (late), ==, 416);
  /* The head has to come in time. */
  for (guint timeout = TIMEOUT; status == 0; timeout *= 2)
    {
      g_autoptr (GError) in_time = try (server, "POST", timeout);

      g_assert_cmpuint (timeout, <, LONG_TIMEOUT);
      status = asb_opensandbox_error_get_status (in_time);
    }
  g_assert_cmpuint (status, ==, 416);
}

static void
test_too_large (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (behave, GINT_TO_POINTER (ENDLESS_BODY));
  g_autoptr (GError) error = try (server, "GET", LONG_TIMEOUT);

  g_assert_error (error, ASB_ERROR, ASB_ERROR_TOO_LARGE);
  g_assert_nonnull (strstr (error->message, "more than 100000 bytes"));
}

/* A TLS handshake that nobody answers. */
static void
test_slow_handshake (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (behave, GINT_TO_POINTER (SAY_NOTHING));
  g_autofree char *url = g_strdup_printf ("https://%s", hostile_server_get_domain (server));
  g_autoptr (AsbOpensandboxSettings) settings = asb_opensandbox_settings_new (url, NULL);
  g_autoptr (AsbOpensandboxClient) client = asb_opensandbox_client_new (settings);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "POST", "/x");
  g_autoptr (GError) error = NULL;

  if (!g_tls_backend_supports_tls (g_tls_backend_get_default ()))
    {
      g_test_skip ("GLib has no TLS here");
      return;
    }
  asb_opensandbox_request_set_timeout (request, TIMEOUT);
  g_assert_null (exchange_send (client, request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_assert_true (asb_opensandbox_error_was_not_sent (error));
}

static void
test_slow_websocket (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (behave, GINT_TO_POINTER (SAY_NOTHING));
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "GET", "/x");
  g_autoptr (GError) error = NULL;

  asb_opensandbox_request_set_timeout (request, TIMEOUT);
  g_assert_false (exchange_connect (client, request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
}

/* Whether the head came in time, and something after it. */
static gboolean
read_for_long (AsbOpensandboxClient *client, guint timeout)
{
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "GET", "/x");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GByteArray) bytes = NULL;
  g_autoptr (GError) error = NULL;

  asb_opensandbox_request_set_timeout (request, timeout);
  exchange_cancel_in (cancellable, 4 * timeout);
  if (exchange_open (client, request, 4096, cancellable, NULL, &bytes, &error) == 0)
    return FALSE;
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  return bytes->len > 1;
}

static void
test_quiet_stream (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (behave, GINT_TO_POINTER (TRICKLE_BODY));
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  guint timeout = TIMEOUT;

  g_test_summary ("The timeout of a stream ends with its head; cancelling ends it");
  while (!read_for_long (client, timeout))
    {
      g_assert_cmpuint (timeout, <, LONG_TIMEOUT);
      timeout *= 2;
    }
}

/* Connections that are not to be had */

/* A port that takes no more connections: its queue is full and nobody accepts. */
static GPtrArray *
new_full_port (guint16 *port)
{
  GPtrArray *sockets = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) any = g_inet_socket_address_new (loopback, 0);
  g_autoptr (GSocketAddress) bound = NULL;
  GSocket *listener
      = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL);

  g_ptr_array_add (sockets, listener);
  g_assert_true (g_socket_bind (listener, any, TRUE, NULL));
  g_socket_set_listen_backlog (listener, 0);
  g_assert_true (g_socket_listen (listener, NULL));
  bound = g_socket_get_local_address (listener, NULL);
  *port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound));
  for (guint i = 0; i < 3; i++)
    {
      GSocket *waiting
          = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL);

      g_ptr_array_add (sockets, waiting);
      g_socket_set_blocking (waiting, FALSE);
      g_socket_connect (waiting, bound, NULL, NULL);
    }
  return sockets;
}

static void
test_connecting (void)
{
  guint16 port;
  g_autoptr (GPtrArray) sockets = new_full_port (&port);
  g_autofree char *url = g_strdup_printf ("127.0.0.1:%u", port);
  g_autoptr (AsbOpensandboxSettings) settings = asb_opensandbox_settings_new (url, NULL);
  g_autoptr (AsbOpensandboxClient) client = asb_opensandbox_client_new (settings);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "POST", "/x");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  gint64 started = g_get_monotonic_time ();

  asb_opensandbox_request_set_timeout (request, TIMEOUT);
  g_assert_null (exchange_send (client, request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_assert_true (asb_opensandbox_error_was_not_sent (error));
  g_assert_false (asb_opensandbox_error_is_outcome_unknown (error));
  g_clear_error (&error);

  asb_opensandbox_request_set_timeout (request, 0);
  exchange_cancel_in (cancellable, TIMEOUT);
  g_assert_null (exchange_send (client, request, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  check_prompt (started);
}

static gboolean
answer_late (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  if (strstr (head, "/late"))
    g_async_queue_pop (data);
  hostile_connection_reply (connection, "200 OK", NULL, "ok");
  return TRUE;
}

static gpointer
ask_late (gpointer data)
{
  g_autoptr (GError) error = NULL;

  g_free (exchange_simple (data, "GET", "/late", &error));
  g_assert_no_error (error);
  return NULL;
}

static void
test_waiting_for_a_connection (void)
{
  g_autoptr (GAsyncQueue) gate = g_async_queue_new ();
  g_autoptr (HostileServer) server = hostile_server_new (answer_late, gate);
  g_autoptr (AsbOpensandboxSettings) settings = exchange_settings_new (server);
  g_autoptr (AsbOpensandboxClient) client = NULL;
  g_autoptr (AsbOpensandboxRequest) request = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *body = NULL;
  GThread *thread;

  g_test_summary (
      "What waits for one of few connections gives up in time, and gets one in its turn");
  settings->max_connections_per_host = 1;
  client = asb_opensandbox_client_new (settings);
  thread = g_thread_new ("late", ask_late, client);
  hostile_server_wait_for_requests (server, 1);
  request = exchange_request_new (client, "POST", "/x");
  asb_opensandbox_request_set_timeout (request, TIMEOUT);
  g_assert_null (exchange_send (client, request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
  g_assert_true (asb_opensandbox_error_was_not_sent (error));
  g_clear_error (&error);
  g_async_queue_push (gate, gate);
  body = exchange_simple (client, "GET", "/x", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (body, ==, "ok");
  g_thread_join (thread);
  /* The one that gave up is dropped together with the connection it gets in the end. */
  g_assert_cmpuint (hostile_server_count_connections (server), <=, 2);
  g_assert_cmpuint (hostile_server_count_requests (server), ==, 2);
}

/* Cancelling */

static void
check_cancelled (HostileServer *server, const char *method, guint n_requests)
{
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, method, "/x");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  gint64 started = g_get_monotonic_time ();

  exchange_cancel_after (cancellable, server, n_requests);
  g_assert_null (exchange_send (client, request, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  check_prompt (started);
}

static void
test_cancelled (gconstpointer data)
{
  g_autoptr (HostileServer) server = hostile_server_new (behave, (gpointer)data);

  check_cancelled (server, "GET", 1);
  check_cancelled (server, "POST", 2);
}

static void
test_cancelled_before (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (behave, GINT_TO_POINTER (SAY_NOTHING));
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "GET", "/x");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (exchange_send (client, request, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_false (exchange_connect (client, request, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (hostile_server_count_connections (server), ==, 0);
}

static gboolean
ask_to_come_back (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  hostile_connection_reply (connection, "429 Busy", "Retry-After: 50\r\n", "");
  exchange_cancel_in (data, 300);
  return TRUE;
}

static void
test_cancelled_between (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (HostileServer) server = hostile_server_new (ask_to_come_back, cancellable);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "GET", "/x");
  g_autoptr (GError) error = NULL;
  gint64 started = g_get_monotonic_time ();

  asb_opensandbox_request_set_timeout (request, 0);
  g_assert_null (exchange_send (client, request, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  check_prompt (started);
  g_assert_cmpuint (hostile_server_count_requests (server), ==, 1);
}

static void
test_cancelled_websocket (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (behave, GINT_TO_POINTER (SAY_NOTHING));
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "GET", "/x");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  exchange_cancel_after (cancellable, server, 1);
  g_assert_false (exchange_connect (client, request, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Handshakes of WebSockets */

static gboolean
answer_handshake (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  hostile_connection_write (connection, data);
  return FALSE;
}

static void
check_handshake (const char *bytes, AsbError code, guint status)
{
  g_autoptr (HostileServer) server = hostile_server_new (answer_handshake, (gpointer)bytes);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "GET", "/x");
  g_autoptr (GError) error = NULL;

  g_assert_false (exchange_connect (client, request, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, (int)code);
  g_assert_cmpuint (asb_opensandbox_error_get_status (error), ==, status);
  g_assert_cmpuint (hostile_server_count_requests (server), ==, 1);
}

static void
test_handshakes (void)
{
  check_handshake ("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}", ASB_ERROR_PROVIDER,
                   404);
  check_handshake ("HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n", ASB_ERROR_PROVIDER, 409);
  check_handshake ("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: "
                   "0\r\n\r\n",
                   ASB_ERROR_PROVIDER, 401);
  check_handshake ("HTTP/1.1 503 No\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n",
                   ASB_ERROR_PROVIDER, 503);
  check_handshake ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", ASB_ERROR_PROTOCOL, 0);
  check_handshake ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: "
                   "Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n",
                   ASB_ERROR_PROTOCOL, 0);
  check_handshake ("HTTP/1.1 101 Switching Protocols\r\n\r\n", ASB_ERROR_PROTOCOL, 0);
  check_handshake ("nonsense\r\n\r\n", ASB_ERROR_PROTOCOL, 0);
  check_handshake ("", ASB_ERROR_PROVIDER, 0);
}

/* What a program in a sandbox may do to who connects to it. */
static void
test_endless_handshakes (void)
{
  static const struct
  {
    Behaviour behaviour;
    AsbError code;
  } cases[] = {
    { ENDLESS_REFUSAL, ASB_ERROR_PROVIDER },     { ENDLESS_LOGIN, ASB_ERROR_PROVIDER },
    { ENDLESS_MISDIRECTED, ASB_ERROR_PROVIDER }, { ENDLESS_BODY, ASB_ERROR_PROTOCOL },
    { FLOOD_HEADERS, ASB_ERROR_PROVIDER },       { FLOOD_INFORMATIONAL, ASB_ERROR_PROTOCOL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (HostileServer) server
          = hostile_server_new (behave, GINT_TO_POINTER (cases[i].behaviour));
      g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
      g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "GET", "/x");
      g_autoptr (GError) error = NULL;
      gint64 started = g_get_monotonic_time ();

      asb_opensandbox_request_set_timeout (request, LONG_TIMEOUT);
      g_assert_false (exchange_connect (client, request, NULL, &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, ASB_ERROR, (int)cases[i].code);
      check_prompt (started);
    }
}

/* Many at once */

static gboolean
stream_or_answer (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  if (!strstr (head, "/stream"))
    {
      hostile_connection_reply (connection, "200 OK", NULL, "ok");
      return TRUE;
    }
  hostile_connection_write (connection,
                            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
  hostile_connection_wait (connection);
  return FALSE;
}

typedef struct
{
  AsbOpensandboxClient *client;
  GCancellable *cancellable;
  GAsyncQueue *heard;
} Streaming;

static gpointer
read_stream (gpointer data)
{
  Streaming *streaming = data;
  g_autoptr (AsbOpensandboxRequest) request
      = exchange_request_new (streaming->client, "POST", "/stream");
  g_autoptr (GByteArray) bytes = NULL;
  g_autoptr (GError) error = NULL;

  exchange_open (streaming->client, request, 4096, streaming->cancellable, streaming->heard, &bytes,
                 &error);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpmem (bytes->data, bytes->len, "hello", 5);
  return NULL;
}

static void
test_beside_streams (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (stream_or_answer, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GAsyncQueue) heard = g_async_queue_new ();
  Streaming streaming = { client, cancellable, heard };
  GThread *threads[12];
  g_autoptr (GError) error = NULL;
  g_autofree char *body = NULL;

  g_test_summary ("L6: endless streams do not keep a request from its server");
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("stream", read_stream, &streaming);
  hostile_server_wait_for_requests (server, G_N_ELEMENTS (threads));
  body = exchange_simple (client, "GET", "/file", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (body, ==, "ok");
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_async_queue_pop (heard);
  g_cancellable_cancel (cancellable);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/limits/slow/nothing", GINT_TO_POINTER (SAY_NOTHING), test_slow);
  g_test_add_data_func ("/limits/slow/half-a-head", GINT_TO_POINTER (HALF_A_HEAD), test_slow);
  g_test_add_data_func ("/limits/slow/head", GINT_TO_POINTER (TRICKLE_HEAD), test_slow);
  g_test_add_data_func ("/limits/slow/half-a-body", GINT_TO_POINTER (HALF_A_BODY), test_slow);
  g_test_add_data_func ("/limits/slow/body", GINT_TO_POINTER (TRICKLE_BODY), test_slow);
  g_test_add_func ("/limits/slow/tls", test_slow_handshake);
  g_test_add_func ("/limits/slow/websocket", test_slow_websocket);
  g_test_add_func ("/limits/slow/stream", test_quiet_stream);
  g_test_add_func ("/limits/connecting", test_connecting);
  g_test_add_func ("/limits/waiting-for-a-connection", test_waiting_for_a_connection);
  g_test_add_func ("/limits/too-much", test_too_much);
  g_test_add_func ("/limits/lacking-reason", test_lacking_reason);
  g_test_add_func ("/limits/too-large", test_too_large);
  g_test_add_data_func ("/limits/cancelled/nothing", GINT_TO_POINTER (SAY_NOTHING), test_cancelled);
  g_test_add_data_func ("/limits/cancelled/head", GINT_TO_POINTER (HALF_A_HEAD), test_cancelled);
  g_test_add_data_func ("/limits/cancelled/body", GINT_TO_POINTER (HALF_A_BODY), test_cancelled);
  g_test_add_func ("/limits/cancelled/before", test_cancelled_before);
  g_test_add_func ("/limits/cancelled/between", test_cancelled_between);
  g_test_add_func ("/limits/cancelled/websocket", test_cancelled_websocket);
  g_test_add_func ("/limits/handshakes", test_handshakes);
  g_test_add_func ("/limits/endless-handshakes", test_endless_handshakes);
  g_test_add_func ("/limits/beside-streams", test_beside_streams);
  result = g_test_run ();
  exchange_settle ();
  return result;
}
