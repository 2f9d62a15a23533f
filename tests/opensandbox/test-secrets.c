/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the key and the tokens go, and where they are never seen. */

#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-headers.h"
#include "asb-opensandbox-redact.h"
#include "exchange.h"

#define KEY "the-key-of-tests"
#define TOKEN "the-token-of-tests"
#define OK_REPLY "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

static gboolean
answer (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  hostile_connection_write (connection, data ? data : OK_REPLY);
  return TRUE;
}

/* Who gets what */

static void
check_sent (const char *base, AsbOpensandboxEndpointFlags flags, HostileServer *own,
            HostileServer *server, gboolean has_key, gboolean has_token)
{
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (own);
  g_autoptr (GHashTable) headers = asb_opensandbox_headers_new ();
  g_autoptr (AsbOpensandboxEndpoint) endpoint = NULL;
  g_autoptr (AsbOpensandboxRequest) request = NULL;
  g_autoptr (AsbOpensandboxReply) reply = NULL;
  g_autoptr (GError) error = NULL;
  guint number = hostile_server_count_requests (server);
  g_autofree char *head = NULL;

  g_hash_table_replace (headers, g_strdup ("OpenSandbox-Ingress-To"), g_strdup ("sb-1-44772"));
  endpoint = asb_opensandbox_endpoint_new (base, headers, flags);
  request = asb_opensandbox_request_new ("GET", endpoint, "/ping");
  asb_opensandbox_request_add_query (request, "path", "/a b&c=d\303\244");
  reply = exchange_send (client, request, NULL, &error);
  g_assert_no_error (error);
  head = hostile_server_dup_head (server, number);
  g_assert_true (
      g_str_has_prefix (head, "GET /base/ping?path=%2Fa%20b%26c%3Dd%C3%A4 HTTP/1.1\r\n"));
  g_assert_nonnull (strstr (head, "\r\nOpenSandbox-Ingress-To: sb-1-44772\r\n"));
  g_assert_nonnull (strstr (head, "\r\nUser-Agent: libasb/"));
  g_assert_null (strstr (head, "Accept-Encoding"));
  g_assert_cmpint (strstr (head, KEY) != NULL, ==, has_key);
  g_assert_cmpint (strstr (head, TOKEN) != NULL, ==, has_token);
}

static void
test_who_gets_what (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (answer, NULL);
  g_autoptr (HostileServer) other = hostile_server_new (answer, NULL);
  g_autofree char *own_base
      = g_strdup_printf ("http://%s/base/", hostile_server_get_domain (server));
  g_autofree char *base = g_strdup_printf ("http://%s/base", hostile_server_get_domain (other));
  AsbOpensandboxEndpointFlags both
      = ASB_OPENSANDBOX_ENDPOINT_SEND_KEY | ASB_OPENSANDBOX_ENDPOINT_SEND_EXECD_TOKEN;

  check_sent (own_base, ASB_OPENSANDBOX_ENDPOINT_NONE, server, server, FALSE, FALSE);
  check_sent (own_base, ASB_OPENSANDBOX_ENDPOINT_SEND_KEY, server, server, TRUE, FALSE);
  check_sent (own_base, both, server, server, TRUE, TRUE);
  check_sent (base, ASB_OPENSANDBOX_ENDPOINT_SEND_EXECD_TOKEN, server, other, FALSE, TRUE);
  check_sent (base, ASB_OPENSANDBOX_ENDPOINT_DIRECT, server, other, FALSE, FALSE);
  /* An endpoint that is wrongly said to be the server's. */
  check_sent (base, both, server, other, FALSE, TRUE);
}

static void
test_headers_of_settings (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (answer, NULL);
  g_autoptr (AsbOpensandboxSettings) settings = exchange_settings_new (server);
  g_autoptr (AsbOpensandboxClient) client = NULL;
  g_autoptr (GVariant) headers = g_variant_ref_sink (g_variant_new_parsed (
      "{'user-agent': 'mine/1', 'open-sandbox-api-key': 'other-key', 'X-One': '1'}"));
  g_autoptr (GError) error = NULL;
  g_autofree char *head = NULL;

  asb_opensandbox_settings_set_headers (settings, headers, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (settings->api_key, ==, "other-key");
  g_assert_cmpuint (g_hash_table_size (settings->headers), ==, 2);
  client = asb_opensandbox_client_new (settings);
  g_free (exchange_simple (client, "GET", "/x", &error));
  g_assert_no_error (error);
  head = hostile_server_dup_head (server, 0);
  g_assert_nonnull (strstr (head, "\r\nUser-Agent: mine/1\r\n"));
  g_assert_null (strstr (head, "libasb/"));
  g_assert_nonnull (strstr (head, "\r\nOPEN-SANDBOX-API-KEY: other-key\r\n"));
}

static void
test_headers_refused (void)
{
  static const char *const cases[]
      = { "{'Content-Length': '5'}", "{'Transfer-Encoding': 'chunked'}",
          "{'connection': 'close'}", "{'A b': 'secret-value'}",
          "{'': 'secret-value'}",    "{'X': 'secret-value\\r\\nY: z'}",
          "{'X': 'secret-value '}",  "{'Sec-WebSocket-Key': 'secret-value'}",
          "{'X:': 'secret-value'}",  "{'X-EXECD-ACCESS-TOKEN': 'secret-value\\u00e4'}" };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AsbOpensandboxSettings) settings = asb_opensandbox_settings_new ("host", NULL);
      g_autoptr (GVariant) headers
          = g_variant_parse (G_VARIANT_TYPE ("a{ss}"), cases[i], NULL, NULL, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_nonnull (headers);
      g_assert_false (asb_opensandbox_settings_set_headers (settings, headers, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_test_message ("%s", error->message);
      g_assert_null (strstr (error->message, "secret-value"));
    }
}

/* Headers of a lookup that would write a request of their own. */
static void
test_headers_of_lookup (void)
{
  static const char *const cases[][2] = { { "X", "a\r\nY: b" },
                                          { "X\r\nY", "a" },
                                          { "Content-Length", "100" },
                                          { "", "a" },
                                          { "Transfer-Encoding", "chunked" } };
  g_autoptr (HostileServer) server = hostile_server_new (answer, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autofree char *base = g_strdup_printf ("http://%s", hostile_server_get_domain (server));

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GHashTable) headers = asb_opensandbox_headers_new ();
      g_autoptr (AsbOpensandboxEndpoint) endpoint = NULL;
      g_autoptr (AsbOpensandboxRequest) request = NULL;
      g_autoptr (GError) error = NULL;

      g_hash_table_replace (headers, g_strdup (cases[i][0]), g_strdup (cases[i][1]));
      endpoint = asb_opensandbox_endpoint_new (base, headers, ASB_OPENSANDBOX_ENDPOINT_NONE);
      request = asb_opensandbox_request_new ("GET", endpoint, "/");
      g_assert_null (exchange_send (client, request, NULL, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
    }
  g_assert_cmpuint (hostile_server_count_connections (server), ==, 0);
}

static void
test_addresses_of_lookup (void)
{
  static const char *const bases[] = { "http://user:secret@127.0.0.1:1",
                                       "ftp://127.0.0.1:1",
                                       "http://",
                                       "http://[",
                                       "//a",
                                       "http://a b",
                                       "http://a:99999",
                                       "",
                                       "http:",
                                       "127.0.0.1:1",
                                       "http://a%0d%0aX-Evil:%20b/" };
  g_autoptr (HostileServer) server = hostile_server_new (answer, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);

  for (gsize i = 0; i < G_N_ELEMENTS (bases); i++)
    {
      g_autoptr (AsbOpensandboxEndpoint) endpoint
          = asb_opensandbox_endpoint_new (bases[i], NULL, ASB_OPENSANDBOX_ENDPOINT_NONE);
      g_autoptr (AsbOpensandboxRequest) request
          = asb_opensandbox_request_new ("GET", endpoint, "/x");
      g_autoptr (GError) error = NULL;

      g_test_message ("“%s”", bases[i]);
      g_assert_null (exchange_send (client, request, NULL, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
      g_assert_null (strstr (error->message, "secret"));
    }
}

/* Redirects */

static gboolean
redirect (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  const char *location = data;
  g_autofree char *headers = g_strdup_printf ("Location: %s\r\n", location);

  if (strstr (head, " /there"))
    hostile_connection_write (connection, OK_REPLY);
  else
    hostile_connection_reply (connection, "307 Temporary Redirect", headers, "");
  return TRUE;
}

static void
check_not_followed (HostileServer *server, HostileServer *other, const char *method)
{
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (GError) error = NULL;

  g_assert_null (exchange_simple (client, method, "/x", &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_test_message ("%s", error->message);
  g_assert_cmpuint (asb_opensandbox_error_get_status (error), ==, 307);
  g_assert_nonnull (strstr (error->message, "redirects to"));
  g_assert_null (strstr (error->message, "secret"));
  g_assert_null (strstr (error->message, KEY));
  g_assert_cmpuint (hostile_server_count_connections (other), ==, 0);
}

static void
test_redirect_elsewhere (void)
{
  g_autoptr (HostileServer) other = hostile_server_new (answer, NULL);
  g_autofree char *location
      = g_strdup_printf ("http://%s/there?key=secret%s", hostile_server_get_domain (other), KEY);
  g_autofree char *user
      = g_strdup_printf ("http://secret:secret@%s/there", hostile_server_get_domain (other));
  const char *const locations[]
      = { location, user, "https://127.0.0.1/there", "file:///etc/passwd", "//[", "" };

  for (gsize i = 0; i < G_N_ELEMENTS (locations); i++)
    {
      g_autoptr (HostileServer) server = hostile_server_new (redirect, (gpointer)locations[i]);

      check_not_followed (server, other, "GET");
      g_assert_cmpuint (hostile_server_count_requests (server), ==, *locations[i] ? 1 : 6);
    }
}

static void
test_redirect_here (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (redirect, (gpointer) "/there");
  g_autoptr (HostileServer) other = hostile_server_new (answer, NULL);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (GError) error = NULL;
  g_autofree char *body = exchange_simple (client, "GET", "/x", &error);
  g_autofree char *head = hostile_server_dup_head (server, 1);

  g_assert_no_error (error);
  g_assert_cmpstr (body, ==, "ok");
  g_assert_true (g_str_has_prefix (head, "GET /there HTTP/1.1\r\n"));
  g_assert_nonnull (strstr (head, KEY));

  check_not_followed (server, other, "POST");
  check_not_followed (server, other, "DELETE");
  g_assert_cmpuint (hostile_server_count_requests (server), ==, 4);
}

static void
test_redirect_loop (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (redirect, (gpointer) "/x");
  g_autoptr (HostileServer) other = hostile_server_new (answer, NULL);

  check_not_followed (server, other, "GET");
  g_assert_cmpuint (hostile_server_count_requests (server), ==, 6);
}

static void
test_redirect_of_a_handshake (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (redirect, (gpointer) "/there");
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "GET", "/x");
  g_autoptr (GError) error = NULL;

  g_assert_false (exchange_connect (client, request, NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_cmpuint (hostile_server_count_requests (server), ==, 1);
}

/* A server that repeats what it was sent */

static void
check_hidden (const char *status, const char *headers, const char *body)
{
  g_autofree char *bytes
      = g_strdup_printf ("HTTP/1.1 %s\r\n%sContent-Length: %" G_GSIZE_FORMAT "\r\n\r\n%s", status,
                         headers, strlen (body), body);
  g_autoptr (HostileServer) server = hostile_server_new (answer, bytes);
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (GHashTable) secrets = asb_opensandbox_headers_new ();
  g_autofree char *base = g_strdup_printf ("http://%s", hostile_server_get_domain (server));
  g_autoptr (AsbOpensandboxEndpoint) endpoint = NULL;
  g_autoptr (AsbOpensandboxRequest) request = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *details = NULL;
  AsbErrorInfo *info;

  g_hash_table_replace (secrets, g_strdup ("OpenSandbox-Secure-Access"), g_strdup ("door-token"));
  endpoint = asb_opensandbox_endpoint_new (base, secrets, ASB_OPENSANDBOX_ENDPOINT_SEND_KEY);
  request = asb_opensandbox_request_new ("GET", endpoint, "/");
  g_assert_null (exchange_send (client, request, NULL, &error));
  info = asb_error_get_info (error);
  details = g_variant_print (asb_error_info_get_details (info), FALSE);
  g_test_message ("%s %s", error->message, details);
  for (guint i = 0; i < 3; i++)
    {
      const char *const all[] = { KEY, TOKEN, "door-token" };
      const char *code = asb_error_info_get_provider_error_code (info);
      const char *id = asb_error_info_get_provider_request_id (info);

      g_assert_null (strstr (error->message, all[i]));
      g_assert_null (strstr (details, all[i]));
      g_assert_true (!code || !strstr (code, all[i]));
      g_assert_true (!id || !strstr (id, all[i]));
    }
}

static void
test_hidden_in_errors (void)
{
  check_hidden ("401 Unauthorized", "", "{\"code\":\"" KEY "\",\"message\":\"No key " KEY "\"}");
  check_hidden ("500 Internal Server Error", "X-Request-ID: " KEY "\r\n", "What is " TOKEN "?");
  check_hidden ("403 Forbidden", "", "{\"detail\":{\"message\":\"door-token is no token\"}}");
  check_hidden ("422 Unprocessable Content", "",
                "{\"detail\":[{\"loc\":[\"header\",\"" KEY "\"],\"msg\":\"door-token\"}]}");
  check_hidden ("307 Temporary Redirect", "Location: http://" KEY ".example/" TOKEN "\r\n", "");
}

static void
test_redact (void)
{
  g_autoptr (AsbOpensandboxSettings) settings = asb_opensandbox_settings_new ("host", NULL);
  g_autoptr (GVariant) headers = g_variant_ref_sink (
      g_variant_new_parsed ("{'Authorization': 'Bearer abcdefgh', 'X-Short': '1'}"));
  g_autofree char *text = NULL;
  g_autofree char *cut = NULL;

  asb_opensandbox_settings_set_headers (settings, headers, NULL);
  text = asb_opensandbox_redact ("1 abcdefgh Bearer abcdefgh", settings, NULL);
  g_assert_cmpstr (text, ==, "1 \342\200\246 \342\200\246");
  cut = asb_opensandbox_redact ("1 abcdefgh 2 abcdefg\342\200\246 3 abcde\342\200\246", settings,
                                NULL);
  g_assert_cmpstr (cut, ==, "1 \342\200\246 2 \342\200\246 3 abcde\342\200\246");
}

/* The debug log */

static GString *the_log;

static GLogWriterOutput
keep_log (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, "MESSAGE"))
      g_string_append_printf (the_log, "%s\n", (const char *)fields[i].value);
  return G_LOG_WRITER_HANDLED;
}

static void
send_logged (HostileServer *server, gboolean debug)
{
  g_autoptr (AsbOpensandboxSettings) settings = exchange_settings_new (server);
  g_autoptr (AsbOpensandboxClient) client = NULL;
  g_autoptr (AsbOpensandboxRequest) request = NULL;
  g_autoptr (AsbOpensandboxReply) reply = NULL;

  settings->debug = debug;
  client = asb_opensandbox_client_new (settings);
  request = exchange_request_new (client, "POST", "/sandboxes/" KEY);
  asb_opensandbox_request_add_query (request, "signature", "query-secret");
  asb_opensandbox_request_add_header (request, "X-Secret", "header-secret");
  reply = exchange_send (client, request, NULL, NULL);
  g_assert_nonnull (reply);
  exchange_settle ();
}

static void
test_log (void)
{
  g_autoptr (HostileServer) server = NULL;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      return;
    }
  the_log = g_string_new (NULL);
  g_log_set_writer_func (keep_log, NULL, NULL);
  server = hostile_server_new (answer, NULL);
  send_logged (server, FALSE);
  g_assert_null (strstr (the_log->str, "POST"));
  send_logged (server, TRUE);
  g_assert_nonnull (strstr (the_log->str, "POST http://127.0.0.1"));
  g_assert_nonnull (strstr (the_log->str, " 200 "));
  g_assert_null (strstr (the_log->str, KEY));
  g_assert_null (strstr (the_log->str, "secret"));
  g_string_free (the_log, TRUE);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/secrets/who-gets-what", test_who_gets_what);
  g_test_add_func ("/secrets/headers/settings", test_headers_of_settings);
  g_test_add_func ("/secrets/headers/refused", test_headers_refused);
  g_test_add_func ("/secrets/headers/lookup", test_headers_of_lookup);
  g_test_add_func ("/secrets/addresses/lookup", test_addresses_of_lookup);
  g_test_add_func ("/secrets/redirect/elsewhere", test_redirect_elsewhere);
  g_test_add_func ("/secrets/redirect/here", test_redirect_here);
  g_test_add_func ("/secrets/redirect/loop", test_redirect_loop);
  g_test_add_func ("/secrets/redirect/handshake", test_redirect_of_a_handshake);
  g_test_add_func ("/secrets/hidden/errors", test_hidden_in_errors);
  g_test_add_func ("/secrets/hidden/text", test_redact);
  g_test_add_func ("/secrets/hidden/log", test_log);
  result = g_test_run ();
  exchange_settle ();
  return result;
}
