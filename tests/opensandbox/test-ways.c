/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Through proxies, and over TLS. */

#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-proxy.h"
#include "exchange.h"

#define OK_REPLY "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

static gboolean
answer (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  hostile_connection_write (connection, data ? data : OK_REPLY);
  return TRUE;
}

static AsbOpensandboxClient *
client_through (const char *url, const char *proxy)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxSettings) settings = asb_opensandbox_settings_new (url, &error);

  g_assert_no_error (error);
  asb_opensandbox_settings_set_key (settings, "the-key-of-tests", &error);
  asb_opensandbox_settings_set_proxy (settings, proxy, &error);
  g_assert_no_error (error);
  return asb_opensandbox_client_new (settings);
}

/* The port of a server that is gone. */
static char *
dup_dead_proxy (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (answer, NULL);

  return g_strdup_printf ("http://user:proxy-secret@%s", hostile_server_get_domain (server));
}

static void
test_loopback_is_direct (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (answer, NULL);
  g_autofree char *proxy = dup_dead_proxy ();
  const char *const hosts[] = { "127.0.0.1", "localhost", "LOCALHOST" };

  g_test_summary ("L3: this machine is never reached through a proxy");
  for (gsize i = 0; i < G_N_ELEMENTS (hosts); i++)
    {
      g_autofree char *url = g_strdup_printf ("%s:%u", hosts[i], hostile_server_get_port (server));
      g_autoptr (AsbOpensandboxClient) client = client_through (url, proxy);
      g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "GET", "/x");
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbOpensandboxReply) reply = NULL;

      asb_opensandbox_request_set_retry (request, FALSE);
      reply = exchange_send (client, request, NULL, &error);
      g_assert_no_error (error);
      g_assert_nonnull (reply);
    }
}

static void
test_proxy_is_named (void)
{
  g_autofree char *proxy = dup_dead_proxy ();
  g_autoptr (AsbOpensandboxClient) client = client_through ("sandboxes.example", proxy);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "GET", "/x");
  g_autoptr (GError) error = NULL;

  g_test_summary ("L3: a proxy that fails is named, without its password");
  asb_opensandbox_request_set_retry (request, FALSE);
  g_assert_null (exchange_send (client, request, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (error->message, "through the proxy “http://127.0.0.1:"));
  g_assert_null (strstr (error->message, "proxy-secret"));
  g_assert_true (asb_opensandbox_error_was_not_sent (error));
}

static void
test_proxy_is_used (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (answer, NULL);
  g_autofree char *proxy
      = g_strdup_printf ("http://user:proxy-secret@%s", hostile_server_get_domain (server));
  g_autoptr (AsbOpensandboxClient) client = client_through ("sandboxes.example", proxy);
  g_autoptr (GError) error = NULL;
  g_autofree char *body = exchange_simple (client, "POST", "/x", &error);
  g_autofree char *head = hostile_server_dup_head (server, 0);

  g_assert_no_error (error);
  g_assert_cmpstr (body, ==, "ok");
  g_assert_true (g_str_has_prefix (head, "POST http://sandboxes.example/v1/x HTTP/1.1\r\n")
                 || g_str_has_prefix (head, "POST http://sandboxes.example:80/v1/x HTTP/1.1\r\n"));
  g_assert_nonnull (strstr (head, "\r\nProxy-Authorization: Basic dXNlcjpwcm94eS1zZWNyZXQ=\r\n"));
}

static void
test_proxy_login_stays (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (answer, NULL);
  g_autofree char *proxy = dup_dead_proxy ();
  g_autoptr (AsbOpensandboxClient) client
      = client_through (hostile_server_get_domain (server), proxy);
  g_autofree char *body = exchange_simple (client, "GET", "/x", NULL);
  g_autofree char *head = hostile_server_dup_head (server, 0);

  g_assert_cmpstr (body, ==, "ok");
  g_assert_null (strstr (head, "Proxy-Authorization"));
}

static void
test_proxy_refuses (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (
      answer, (gpointer) "HTTP/1.1 407 Login\r\nProxy-Authenticate: Basic realm=\"x\"\r\n"
                         "Content-Length: 0\r\n\r\n");
  g_autofree char *proxy = g_strdup_printf ("http://%s", hostile_server_get_domain (server));
  const char *const urls[] = { "http://sandboxes.example", "https://sandboxes.example" };

  for (gsize i = 0; i < G_N_ELEMENTS (urls); i++)
    {
      g_autoptr (AsbOpensandboxClient) client = client_through (urls[i], proxy);
      g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "POST", "/x");
      g_autoptr (GError) error = NULL;

      if (i == 1 && !g_tls_backend_supports_tls (g_tls_backend_get_default ()))
        continue;
      asb_opensandbox_request_set_timeout (request, 10000);
      g_assert_null (exchange_send (client, request, NULL, &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
      g_assert_nonnull (strstr (error->message, "option “proxy”"));
    }
}

static void
test_proxy_options (void)
{
  static const char *const bad[] = { "host:3128",      "http://", "ftp://host", "http://[::",
                                     "/usr/bin/proxy", "secret",  "http:secret" };
  static const char *const good[]
      = { "http://host:3128", "socks5://host", "direct://", "http://user:pass@host:1", "" };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (AsbOpensandboxSettings) settings = asb_opensandbox_settings_new ("host", NULL);
      g_autoptr (GError) error = NULL;

      g_assert_false (asb_opensandbox_settings_set_proxy (settings, bad[i], &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_assert_null (strstr (error->message, "secret"));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr (AsbOpensandboxSettings) settings = asb_opensandbox_settings_new ("host", NULL);

      g_assert_true (asb_opensandbox_settings_set_proxy (settings, good[i], NULL));
    }
}

/* What the environment says, in a process of its own. */
static void
test_ambient (void)
{
  g_autoptr (HostileServer) server = NULL;
  g_autoptr (AsbOpensandboxClient) client = NULL;
  g_autoptr (AsbOpensandboxClient) remote = NULL;
  g_autofree char *local = NULL;
  g_autofree char *body = NULL;
  g_autoptr (AsbOpensandboxRequest) request = NULL;
  g_autoptr (GError) error = NULL;

  server = hostile_server_new (answer, NULL);
  local = g_strdup_printf ("localhost:%u", hostile_server_get_port (server));
  client = client_through (local, NULL);
  body = exchange_simple (client, "GET", "/x", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (body, ==, "ok");
  remote = client_through ("sandboxes.example", NULL);
  request = exchange_request_new (remote, "GET", "/x");
  asb_opensandbox_request_set_retry (request, FALSE);
  g_assert_null (exchange_send (remote, request, NULL, &error));
  g_print ("# AMBIENT %s\n", error->message);
}

static void
test_ambient_proxy (void)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE);
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *proxy = dup_dead_proxy ();
  g_autoptr (GSubprocess) process = NULL;
  g_autofree char *output = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("L3: HTTP_PROXY is not for this machine");
  g_subprocess_launcher_setenv (launcher, "ASB_TEST_AMBIENT", "1", TRUE);
  g_subprocess_launcher_setenv (launcher, "GIO_USE_PROXY_RESOLVER", "libproxy", TRUE);
  g_subprocess_launcher_setenv (launcher, "HTTP_PROXY", proxy, TRUE);
  g_subprocess_launcher_setenv (launcher, "http_proxy", proxy, TRUE);
  g_subprocess_launcher_setenv (launcher, "ALL_PROXY", proxy, TRUE);
  g_subprocess_launcher_unsetenv (launcher, "no_proxy");
  g_subprocess_launcher_unsetenv (launcher, "NO_PROXY");
  process
      = g_subprocess_launcher_spawn (launcher, &error, program, "-p", "/ways/ambient/inside", NULL);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &output, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 0);
  g_assert_null (strstr (output, "proxy-secret"));
  if (!strstr (output, "through the proxy"))
    g_test_skip ("GLib reads no proxy from the environment here");
}

/* TLS */

typedef struct
{
  AsbOpensandboxClient *client;
  char *body;
  GError *error;
  GMainLoop *loop;
} TlsCall;

static gboolean
end_loop (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

static gpointer
call_over_tls (gpointer data)
{
  TlsCall *call = data;

  call->body = exchange_simple (call->client, "POST", "/x", &call->error);
  g_idle_add (end_loop, call->loop);
  return NULL;
}

static void
handle (SoupServer *server, SoupServerMessage *message, const char *path, GHashTable *query,
        gpointer data)
{
  SoupHTTPVersion *version = data;

  *version = soup_server_message_get_http_version (message);
  soup_server_message_set_status (message, 200, NULL);
  soup_server_message_set_response (message, "text/plain", SOUP_MEMORY_STATIC, "secure", 6);
}

static char *
dup_tls_file (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "opensandbox", "tls", name, NULL);
}

/* The server runs in this thread, the call in another. */
static void
call_tls_server (const char *ca_file, SoupHTTPVersion *version, char **body, GError **error)
{
  g_autofree char *path = dup_tls_file ("server.pem");
  g_autoptr (GTlsCertificate) certificate = g_tls_certificate_new_from_file (path, error);
  g_autoptr (SoupServer) server = soup_server_new ("tls-certificate", certificate, NULL);
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (AsbOpensandboxSettings) settings = NULL;
  g_autoptr (AsbOpensandboxClient) client = NULL;
  g_autofree char *url = NULL;
  GSList *uris;
  TlsCall call = { NULL, NULL, NULL, loop };

  g_assert_no_error (*error);
  soup_server_add_handler (server, NULL, handle, version, NULL);
  g_assert_true (soup_server_listen_local (
      server, 0, SOUP_SERVER_LISTEN_HTTPS | SOUP_SERVER_LISTEN_IPV4_ONLY, error));
  uris = soup_server_get_uris (server);
  url = g_strdup_printf ("https://127.0.0.1:%d", g_uri_get_port (uris->data));
  g_slist_free_full (uris, (GDestroyNotify)g_uri_unref);
  settings = asb_opensandbox_settings_new (url, error);
  asb_opensandbox_settings_set_tls_ca_file (settings, ca_file, error);
  g_assert_no_error (*error);
  client = call.client = asb_opensandbox_client_new (settings);
  g_thread_unref (g_thread_new ("call", call_over_tls, &call));
  g_main_loop_run (loop);
  *body = call.body;
  if (call.error)
    g_propagate_error (error, call.error);
}

static gboolean
skip_without_tls (void)
{
  if (g_tls_backend_supports_tls (g_tls_backend_get_default ()))
    return FALSE;
  g_test_skip ("GLib has no TLS here");
  return TRUE;
}

static void
test_tls (void)
{
  g_autofree char *authority = NULL;
  g_autofree char *body = NULL;
  g_autoptr (GError) error = NULL;
  SoupHTTPVersion version = SOUP_HTTP_1_0;

  if (skip_without_tls ())
    return;
  authority = dup_tls_file ("authority.pem");
  call_tls_server (authority, &version, &body, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (body, ==, "secure");
  g_assert_cmpint (version, ==, SOUP_HTTP_1_1);
}

static void
test_tls_unknown_authority (void)
{
  g_autofree char *body = NULL;
  g_autoptr (GError) error = NULL;
  SoupHTTPVersion version = SOUP_HTTP_1_0;

  if (skip_without_tls ())
    return;
  call_tls_server (NULL, &version, &body, &error);
  g_assert_null (body);
  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (error->message, "“tls-ca-file”"));
  g_assert_false (asb_error_info_get_retryable (asb_error_get_info (error)));
  g_assert_true (asb_opensandbox_error_was_not_sent (error));
  g_assert_cmpint (version, ==, SOUP_HTTP_1_0);
}

static void
test_tls_options (void)
{
  g_autoptr (AsbOpensandboxSettings) settings = asb_opensandbox_settings_new ("host", NULL);
  g_autofree char *readme = dup_tls_file ("README.md");
  const char *const files[] = { "/nonexistent/ca.pem", readme, "/" };

  if (skip_without_tls ())
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (asb_opensandbox_settings_set_tls_ca_file (settings, files[i], &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, files[i]));
    }
}

/* Plain HTTP where TLS is expected, and the other way round. */
static void
test_tls_mixed_up (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (answer, NULL);
  g_autofree char *url = g_strdup_printf ("https://%s", hostile_server_get_domain (server));
  g_autoptr (AsbOpensandboxClient) client = client_through (url, NULL);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "GET", "/x");
  g_autoptr (GError) error = NULL;

  if (skip_without_tls ())
    return;
  asb_opensandbox_request_set_timeout (request, 500);
  g_assert_null (exchange_send (client, request, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_cmpint (error->domain, ==, ASB_ERROR);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ways/proxy/loopback", test_loopback_is_direct);
  g_test_add_func ("/ways/proxy/named", test_proxy_is_named);
  g_test_add_func ("/ways/proxy/used", test_proxy_is_used);
  g_test_add_func ("/ways/proxy/login-stays", test_proxy_login_stays);
  g_test_add_func ("/ways/proxy/refuses", test_proxy_refuses);
  g_test_add_func ("/ways/proxy/options", test_proxy_options);
  if (g_getenv ("ASB_TEST_AMBIENT"))
    g_test_add_func ("/ways/ambient/inside", test_ambient);
  g_test_add_func ("/ways/ambient/proxy", test_ambient_proxy);
  g_test_add_func ("/ways/tls/known", test_tls);
  g_test_add_func ("/ways/tls/unknown-authority", test_tls_unknown_authority);
  g_test_add_func ("/ways/tls/options", test_tls_options);
  g_test_add_func ("/ways/tls/mixed-up", test_tls_mixed_up);
  result = g_test_run ();
  exchange_settle ();
  return result;
}
