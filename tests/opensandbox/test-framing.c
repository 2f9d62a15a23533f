/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a reply ends, and what is no end of one. */

#include <string.h>

#include "asb-opensandbox-error.h"
#include "exchange.h"

/* Answers with the bytes of the test and ends the connection. */
static gboolean
answer_and_end (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  hostile_connection_write (connection, data);
  return FALSE;
}

static gboolean
answer_and_stay (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  hostile_connection_write (connection, data);
  return TRUE;
}

static const struct
{
  const char *name;
  const char *bytes;
  const char *body; /* NULL: it must fail */
} replies[] = {
  { "length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello" },
  { "length/none", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "" },
  { "length/closing", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
    "hello" },
  { "length/cut", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", NULL },
  { "length/cut-closing", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello",
    NULL },
  { "length/cut-1.0", "HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\nhello", NULL },
  { "length/cut-at-once", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n",
    NULL },
  { "chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "hello" },
  { "chunks/several",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
    "hello" },
  { "chunks/trailer",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n",
    "hello" },
  { "chunks/none", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "" },
  { "chunks/closing",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: "
    "close\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "hello" },
  { "chunks/cut-between", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    NULL },
  { "chunks/cut-between-closing",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n",
    NULL },
  { "chunks/cut-before-first", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", NULL },
  { "chunks/cut-inside", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", NULL },
  { "chunks/cut-after-data", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello",
    NULL },
  { "chunks/cut-in-size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0",
    NULL },
  { "chunks/cut-after-last",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n", NULL },
  { "end", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello", "hello" },
  { "end/cut-head", "HTTP/1.1 200 OK\r\nX-One: 1\r\nX-Tw", NULL },
  { "end/cut-head-line", "HTTP/1.1 200 OK\r\n", NULL },
  { "end/nothing", "", NULL },
  { "status/cut", "HTTP/1.1 20", NULL },
  { "status/none", "hello\r\n\r\n", NULL },
  { "status/odd", "HTTP/1.1 299 Fine\r\nContent-Length: 2\r\n\r\nok", "ok" },
  { "status/204", "HTTP/1.1 204 No Content\r\n\r\n", "" },
  { "encoding/unknown", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, x\r\n\r\nhello", NULL },
  { "encoding/gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
    NULL },
  { "encoding/identity",
    "HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello", "hello" },
  { "head/lower-case", "HTTP/1.1 200 ok\r\ncontent-length:5\r\n\r\nhello", "hello" },
  { "head/line-feeds", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", "hello" },
  { "head/folded", "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 5\r\n\r\nhello", "hello" },
  { "head/no-colon", "HTTP/1.1 200 OK\r\nnonsense\r\nContent-Length: 5\r\n\r\nhello", "hello" },
  { "head/not-utf8",
    "HTTP/1.1 200 \377\r\nX-Request-ID: \377\376\r\nDate: \377\r\nRetry-After: "
    "\377\r\nContent-Length: 5\r\n\r\nhello",
    "hello" },
  { "head/no-reason", "HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", "hello" },
  { "head/bad-status", "HTTP/1.1 abc OK\r\nContent-Length: 5\r\n\r\nhello", NULL },
  { "head/no-status", "HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", NULL },
  { "head/other-protocol", "HTTP/3.7 200 OK\r\nContent-Length: 5\r\n\r\nhello", NULL },
  { "length/negative", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", NULL },
  { "length/no-number", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nhello", NULL },
  { "length/twice", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    "hello" },
  { "length/two", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 3\r\n\r\nhello", NULL },
  { "length/two-closing",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
    NULL },
  { "length/list", "HTTP/1.1 200 OK\r\nContent-Length: 3, 5\r\n\r\nhello", NULL },
  { "length/and-chunks",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: "
    "chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "hello" },
  { "length/plus", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello", NULL },
  { "length/hexadecimal", "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello", NULL },
  { "end/1.0", "HTTP/1.0 200 OK\r\n\r\nhello", "hello" },
  { "length/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello" },
  { "length/overflow", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nhello",
    NULL },
  { "informational",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nX: y\r\n\r\nHTTP/1.1 200 "
    "OK\r\nContent-Length: 2\r\n\r\nok",
    "ok" },
};

static void
check_whole (HostileServer *server, const char *method, const char *body)
{
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, method, "/x");
  g_autoptr (AsbOpensandboxReply) reply = NULL;
  g_autoptr (GError) error = NULL;
  gboolean is_get = g_str_equal (method, "GET");

  /* What a repetition would bring is not asked here. */
  asb_opensandbox_request_set_retry (request, FALSE);
  reply = exchange_send (client, request, NULL, &error);
  if (body)
    {
      g_autofree char *text = reply ? exchange_dup_body (reply) : NULL;

      g_assert_no_error (error);
      g_assert_cmpstr (text, ==, body);
      return;
    }
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_cmpint (error->domain, ==, ASB_ERROR);
  g_assert_true (g_str_has_prefix (error->message, "Could not do the test: "));
  g_assert_cmpint (asb_opensandbox_error_is_outcome_unknown (error), ==, !is_get);
  if (!is_get)
    g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
}

static void
check_stream (HostileServer *server, const char *body, gsize size)
{
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "GET", "/x");
  g_autoptr (GByteArray) bytes = NULL;
  g_autoptr (GError) error = NULL;

  asb_opensandbox_request_set_retry (request, FALSE);
  exchange_open (client, request, size, NULL, NULL, &bytes, &error);
  if (!body)
    {
      g_assert_nonnull (error);
      g_assert_cmpint (error->domain, ==, ASB_ERROR);
      return;
    }
  g_assert_no_error (error);
  g_assert_cmpmem (bytes->data, bytes->len, body, strlen (body));
}

static void
test_reply (gconstpointer data)
{
  const char *bytes = replies[GPOINTER_TO_UINT (data)].bytes;
  const char *body = replies[GPOINTER_TO_UINT (data)].body;
  g_autoptr (HostileServer) server = hostile_server_new (answer_and_end, (gpointer)bytes);

  check_whole (server, "GET", body);
  check_whole (server, "POST", body);
  check_stream (server, body, 1);
  check_stream (server, body, 4096);
}

/* The same bytes cut after each of them never pass for the whole. */
static void
check_each_cut (const char *bytes)
{
  for (gsize size = 0; size < strlen (bytes); size++)
    {
      g_autofree char *cut = g_strndup (bytes, size);
      g_autoptr (HostileServer) server = hostile_server_new (answer_and_end, cut);
      g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
      g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "GET", "/x");
      g_autoptr (AsbOpensandboxReply) reply = NULL;
      g_autoptr (GError) error = NULL;

      asb_opensandbox_request_set_retry (request, FALSE);
      reply = exchange_send (client, request, NULL, &error);
      g_test_message ("%" G_GSIZE_FORMAT ": %s", size, error ? error->message : "taken");
      g_assert_null (reply);
      g_assert_cmpint (error->domain, ==, ASB_ERROR);
    }
}

static void
test_each_cut_of_chunks (void)
{
  /* Of the last two bytes one may be missing: the empty line has begun. */
  check_each_cut ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n");
}

static void
test_each_cut_of_a_length (void)
{
  check_each_cut ("HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 5\r\n\r\nhello");
}

/* A connection is used again after each kind of reply that allows it. */
static void
test_reuse (gconstpointer data)
{
  g_autoptr (HostileServer) server = hostile_server_new (answer_and_stay, (gpointer)data);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);

  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *body = exchange_simple (client, i % 2 ? "GET" : "POST", "/x", &error);

      g_assert_no_error (error);
      g_assert_cmpstr (body, ==, "hello");
    }
  g_assert_cmpuint (hostile_server_count_requests (server), ==, 20);
  g_assert_cmpuint (hostile_server_count_connections (server), ==, 1);
}

/* What comes after a reply is never taken for the next one. */
static void
test_left_over (gconstpointer data)
{
  g_autoptr (HostileServer) server = hostile_server_new (answer_and_stay, (gpointer)data);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);

  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *body = exchange_simple (client, i % 2 ? "GET" : "POST", "/x", &error);

      g_assert_no_error (error);
      g_assert_cmpstr (body, ==, "hello");
    }
  g_assert_cmpuint (hostile_server_count_requests (server), ==, 20);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (replies); i++)
    {
      g_autofree char *path = g_strdup_printf ("/framing/%s", replies[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_reply);
    }
  g_test_add_func ("/framing/each-cut/chunks", test_each_cut_of_chunks);
  g_test_add_func ("/framing/each-cut/length", test_each_cut_of_a_length);
  g_test_add_data_func ("/framing/reuse/length",
                        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", test_reuse);
  g_test_add_data_func (
      "/framing/reuse/chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", test_reuse);
  g_test_add_data_func (
      "/framing/left-over/reply",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\nContent-Length: "
      "5\r\n\r\nwrong",
      test_left_over);
  g_test_add_data_func ("/framing/left-over/trailers",
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: "
                        "chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\nZ: w\r\n\r\n",
                        test_left_over);
  g_test_add_data_func ("/framing/left-over/no-body",
                        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n",
                        test_left_over);
  result = g_test_run ();
  exchange_settle ();
  return result;
}
