/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is sent again, what is not, and over which connections. */

#include <string.h>

#include "asb-opensandbox-error.h"
#include "exchange.h"

/* Nothing is expected to take so long. */
#define LONG_TIMEOUT 60000

#define OK_REPLY "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

static AsbOpensandboxRequest *
request_with_body (AsbOpensandboxClient *client, const char *method)
{
  AsbOpensandboxRequest *request = exchange_request_new (client, method, "/x");
  g_autoptr (GBytes) body = g_bytes_new_static ("{\"a\":1}", 7);

  asb_opensandbox_request_set_body (request, "application/json", body);
  return request;
}

/* Connections */

/* The end comes along with the reply, which does not tell of it. */
static gboolean
answer_and_vanish (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  hostile_connection_cork (connection);
  hostile_connection_write (connection, OK_REPLY);
  return FALSE;
}

static void
test_closed_after_each (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (answer_and_vanish, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);

  g_test_summary ("L1: connections that end after each reply make no request fail");
  for (guint i = 0; i < 200; i++)
    {
      g_autoptr (AsbOpensandboxRequest) request
          = request_with_body (client, i % 2 ? "POST" : "GET");
      g_autoptr (AsbOpensandboxReply) reply = NULL;
      g_autoptr (GError) error = NULL;

      reply = exchange_send (client, request, NULL, &error);
      g_assert_no_error (error);
      g_assert_nonnull (reply);
    }
  g_assert_cmpuint (hostile_server_count_requests (server), ==, 200);
}

static gboolean
answer (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  if (strstr (head, "/slow"))
    hostile_connection_linger (connection, 700);
  hostile_connection_write (connection, OK_REPLY);
  return TRUE;
}

static void
post (AsbOpensandboxClient *client)
{
  g_autoptr (GError) error = NULL;

  g_free (exchange_simple (client, "POST", "/x", &error));
  g_assert_no_error (error);
}

/* Takes the connection of the request before, unless the machine stood still in between for as long
 * as that was idle: then another one does. Returns how many requests it took. */
static guint
post_at_once (HostileServer *server, AsbOpensandboxClient *client)
{
  for (guint n_requests = 1;; n_requests++)
    {
      guint n_connections = hostile_server_count_connections (server);

      post (client);
      if (hostile_server_count_connections (server) == n_connections)
        return n_requests;
      g_assert_cmpuint (n_requests, <, 100);
    }
}

static void
test_idle_connection (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (answer, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (AsbOpensandboxClient) other = exchange_client_new (server);
  g_autoptr (GError) error = NULL;
  guint n_connections, n_requests;

  g_test_summary ("L1: what is not repeated does not go over a connection that was idle for long");
  post (client);
  n_requests = 5 + post_at_once (server, client);
  n_connections = hostile_server_count_connections (server);

  g_free (exchange_simple (other, "GET", "/slow", &error));
  g_assert_no_error (error);
  g_free (exchange_simple (client, "GET", "/x", &error));
  g_assert_no_error (error);
  g_assert_cmpuint (hostile_server_count_connections (server), ==, n_connections + 1);
  g_free (exchange_simple (other, "GET", "/slow", &error));
  g_assert_no_error (error);
  post (client);
  g_assert_cmpuint (hostile_server_count_connections (server), ==, n_connections + 2);
  n_requests += post_at_once (server, client);
  g_assert_cmpuint (hostile_server_count_requests (server), ==, n_requests);
}

static void
test_many_posts (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (answer, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);

  g_test_summary ("L6: 2,000 requests in a row do not take 2,000 connections");
  for (guint i = 0; i < 2000; i++)
    {
      g_autoptr (AsbOpensandboxRequest) request = request_with_body (client, "POST");
      g_autoptr (AsbOpensandboxReply) reply = NULL;
      g_autoptr (GError) error = NULL;

      reply = exchange_send (client, request, NULL, &error);
      g_assert_no_error (error);
    }
  /* One more each time that the machine stood still in between. */
  g_assert_cmpuint (hostile_server_count_connections (server), <=, 200);
}

/* Refusals in the midst */

typedef enum
{
  RESET_ONCE,
  END_ONCE,
  RESET_ALWAYS,
  HALF_A_HEAD_ONCE
} Spoiling;

static gboolean
spoil (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  Spoiling spoiling = GPOINTER_TO_INT (data);

  if (number > 0 && spoiling != RESET_ALWAYS)
    {
      hostile_connection_write (connection, OK_REPLY);
      return TRUE;
    }
  if (spoiling == HALF_A_HEAD_ONCE)
    hostile_connection_write (connection, "HTTP/1.1 200 OK\r\nX: y\r\n");
  if (spoiling == RESET_ONCE || spoiling == RESET_ALWAYS)
    hostile_connection_reset (connection);
  return FALSE;
}

static void
check_spoilt (Spoiling spoiling, const char *method)
{
  g_autoptr (HostileServer) server = hostile_server_new (spoil, GINT_TO_POINTER (spoiling));
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (AsbOpensandboxRequest) request = request_with_body (client, method);
  g_autoptr (AsbOpensandboxReply) reply = NULL;
  g_autoptr (GError) error = NULL;

  reply = exchange_send (client, request, NULL, &error);
  if (g_str_equal (method, "POST") || g_str_equal (method, "PATCH"))
    {
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
      g_test_message ("%s", error->message);
      g_assert_true (g_str_has_suffix (error->message, "; whether it was done is unknown"));
      g_assert_true (asb_opensandbox_error_is_outcome_unknown (error));
      g_assert_false (asb_opensandbox_error_was_not_sent (error));
      g_assert_false (asb_error_info_get_retryable (asb_error_get_info (error)));
      g_assert_cmpuint (hostile_server_count_requests (server), ==, 1);
    }
  else
    {
      g_assert_no_error (error);
      g_assert_nonnull (reply);
      g_assert_cmpuint (hostile_server_count_requests (server), ==, 2);
    }
}

static void
test_lost_after_reading (gconstpointer data)
{
  g_test_summary ("L1: a request that may have been read is repeated only if that does no harm");
  check_spoilt (GPOINTER_TO_INT (data), "GET");
  check_spoilt (GPOINTER_TO_INT (data), "PUT");
  check_spoilt (GPOINTER_TO_INT (data), "POST");
  check_spoilt (GPOINTER_TO_INT (data), "PATCH");
}

/* The body is there again when libsoup repeats by itself on a connection that was used before. */
static gboolean
check_bodies (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  g_assert_nonnull (strstr (head, "Content-Length: 7"));
  if (number == 1)
    return FALSE;
  hostile_connection_write (connection, OK_REPLY);
  return TRUE;
}

static void
test_restart_keeps_body (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (check_bodies, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (AsbOpensandboxRequest) request = request_with_body (client, "PUT");
      g_autoptr (AsbOpensandboxReply) reply = NULL;
      g_autoptr (GError) error = NULL;

      asb_opensandbox_request_set_retry (request, FALSE);
      reply = exchange_send (client, request, NULL, &error);
      g_assert_no_error (error);
      g_assert_nonnull (reply);
    }
  g_assert_cmpuint (hostile_server_count_requests (server), ==, 4);
}

/* Statuses */

typedef struct
{
  const char *status;
  const char *retry_after;
  guint n_refusals;
} Refusals;

static gboolean
refuse_some (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  const Refusals *refusals = data;
  g_autofree char *headers = NULL;

  if (number >= refusals->n_refusals)
    {
      hostile_connection_write (connection, OK_REPLY);
      return TRUE;
    }
  headers = refusals->retry_after ? g_strdup_printf ("Retry-After: %s\r\n", refusals->retry_after)
                                  : NULL;
  hostile_connection_reply (connection, refusals->status, headers,
                            "{\"code\":\"BUSY\",\"message\":\"Come back\"}");
  return TRUE;
}

static void
check_refusals (const Refusals *refusals, const char *method, guint timeout, guint n_requests,
                gboolean succeeds)
{
  g_autoptr (HostileServer) server = hostile_server_new (refuse_some, (gpointer)refusals);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (AsbOpensandboxRequest) request = request_with_body (client, method);
  g_autoptr (AsbOpensandboxReply) reply = NULL;
  g_autoptr (GError) error = NULL;

  asb_opensandbox_request_set_timeout (request, timeout);
  reply = exchange_send (client, request, NULL, &error);
  g_assert_cmpuint (hostile_server_count_requests (server), ==, n_requests);
  g_assert_cmpint (reply != NULL, ==, succeeds);
  if (succeeds)
    return;
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_true (asb_error_info_get_retryable (asb_error_get_info (error)));
  g_assert_false (asb_opensandbox_error_is_outcome_unknown (error));
  g_assert_cmpstr (asb_error_info_get_provider_error_code (asb_error_get_info (error)), ==, "BUSY");
}

static void
test_statuses (void)
{
  check_refusals (&(Refusals){ "429 Too Many Requests", "0", 2 }, "GET", LONG_TIMEOUT, 3, TRUE);
  check_refusals (&(Refusals){ "503 Service Unavailable", "0", 1 }, "DELETE", LONG_TIMEOUT, 2,
                  TRUE);
  check_refusals (&(Refusals){ "502 Bad Gateway", "0", 99 }, "PUT", LONG_TIMEOUT, 4, FALSE);
  check_refusals (&(Refusals){ "429 Too Many Requests", "0", 1 }, "POST", LONG_TIMEOUT, 1, FALSE);
  check_refusals (&(Refusals){ "503 Service Unavailable", "0", 1 }, "PATCH", LONG_TIMEOUT, 1,
                  FALSE);
  check_refusals (&(Refusals){ "500 Internal Server Error", "0", 1 }, "GET", LONG_TIMEOUT, 1,
                  FALSE);
  check_refusals (&(Refusals){ "504 Gateway Timeout", "0", 1 }, "GET", LONG_TIMEOUT, 1, FALSE);
}

static void
test_retry_after (void)
{
  gint64 started = g_get_monotonic_time ();

  check_refusals (&(Refusals){ "429 Too Many Requests", "1", 1 }, "GET", LONG_TIMEOUT, 2, TRUE);
  g_assert_cmpint (g_get_monotonic_time () - started, >=, G_USEC_PER_SEC);
  /* What does not fit is said at once: what would be waited for ends otherwise, or not at all. */
  check_refusals (&(Refusals){ "429 Too Many Requests", "60", 1 }, "GET", 50000, 1, FALSE);
  check_refusals (&(Refusals){ "429 Too Many Requests", "61", 1 }, "GET", 0, 1, FALSE);
  check_refusals (&(Refusals){ "503 Service Unavailable", "99999999999999999999999", 1 }, "GET",
                  LONG_TIMEOUT, 1, FALSE);
}

static void
test_retry_after_is_told (void)
{
  Refusals refusals = { "429 Too Many Requests", "7", 1 };
  g_autoptr (HostileServer) server = hostile_server_new (refuse_some, &refusals);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (GError) error = NULL;
  gint64 seconds = 0;

  g_assert_null (exchange_simple (client, "POST", "/x", &error));
  g_assert_true (g_variant_lookup (asb_error_info_get_details (asb_error_get_info (error)),
                                   "retry_after_seconds", "x", &seconds));
  g_assert_cmpint (seconds, ==, 7);
}

/* Nobody listens */

static void
test_refused (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (answer, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (AsbOpensandboxRequest) request = request_with_body (client, "POST");
  g_autoptr (AsbOpensandboxReply) reply = NULL;
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&server, hostile_server_free);
  /* Tried again and again until the time is up, which must be enough for the first time. */
  for (guint timeout = 300; !error || g_error_matches (error, ASB_ERROR, ASB_ERROR_TIMED_OUT);
       timeout *= 2)
    {
      g_assert_cmpuint (timeout, <, LONG_TIMEOUT);
      g_clear_error (&error);
      asb_opensandbox_request_set_timeout (request, timeout);
      reply = exchange_send (client, request, NULL, &error);
      g_assert_null (reply);
    }
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_test_message ("%s", error->message);
  g_assert_true (asb_opensandbox_error_was_not_sent (error));
  g_assert_false (asb_opensandbox_error_is_outcome_unknown (error));
  g_assert_true (asb_error_info_get_retryable (asb_error_get_info (error)));
}

static void
refused_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (
      asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  ++*(guint *)data;
}

/* The waits are at random: that many requests find one that is too long. */
static void
test_refused_in_time (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (answer, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (GTimer) timer = NULL;
  guint n_refused = 0;

  g_test_summary ("That nobody listens is said within the same few seconds each time");
  g_clear_pointer (&server, hostile_server_free);
  timer = g_timer_new ();
  for (guint i = 0; i < 24; i++)
    {
      g_autoptr (AsbOpensandboxRequest) request
          = i % 2 ? request_with_body (client, "POST") : exchange_request_new (client, "GET", "/x");

      asb_opensandbox_request_set_timeout (request, LONG_TIMEOUT);
      asb_opensandbox_client_send_async (client, request, NULL, refused_cb, &n_refused);
    }
  while (n_refused < 24)
    g_main_context_iteration (NULL, TRUE);
  g_test_message ("%g s", g_timer_elapsed (timer, NULL));
  g_assert_cmpfloat (g_timer_elapsed (timer, NULL), >=, 1.5);
  /* The longest of so many waits was near to 20 s. */
  g_assert_cmpfloat (g_timer_elapsed (timer, NULL), <, 10);
}

/* A POST is repeated as long as nobody took it. */
static void
test_refused_at_first (void)
{
  g_autoptr (HostileServer) server = hostile_server_new_deaf (answer, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (AsbOpensandboxRequest) request = request_with_body (client, "POST");
  g_autoptr (AsbOpensandboxReply) reply = NULL;
  g_autoptr (GError) error = NULL;

  hostile_server_listen_in (server, 200);
  reply = exchange_send (client, request, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (reply);
  g_assert_cmpuint (hostile_server_count_requests (server), ==, 1);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/repeat/closed-after-each", test_closed_after_each);
  g_test_add_func ("/repeat/idle-connection", test_idle_connection);
  g_test_add_func ("/repeat/many-posts", test_many_posts);
  g_test_add_data_func ("/repeat/lost/reset", GINT_TO_POINTER (RESET_ONCE),
                        test_lost_after_reading);
  g_test_add_data_func ("/repeat/lost/end", GINT_TO_POINTER (END_ONCE), test_lost_after_reading);
  g_test_add_data_func ("/repeat/lost/half-a-head", GINT_TO_POINTER (HALF_A_HEAD_ONCE),
                        test_lost_after_reading);
  g_test_add_func ("/repeat/restart-keeps-body", test_restart_keeps_body);
  g_test_add_func ("/repeat/statuses", test_statuses);
  g_test_add_func ("/repeat/retry-after/waits", test_retry_after);
  g_test_add_func ("/repeat/retry-after/told", test_retry_after_is_told);
  g_test_add_func ("/repeat/refused", test_refused);
  g_test_add_func ("/repeat/refused/in-time", test_refused_in_time);
  g_test_add_func ("/repeat/refused-at-first", test_refused_at_first);
  result = g_test_run ();
  exchange_settle ();
  return result;
}
