/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Through proxies. */

#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-message.h"
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
test_tunnel_login (void)
{
  g_autoptr (HostileServer) server = hostile_server_new (
      answer, (gpointer) "HTTP/1.1 407 Login\r\nProxy-Authenticate: Basic realm=\"x\"\r\n"
                         "Content-Length: 0\r\n\r\n");
  g_autofree char *proxy
      = g_strdup_printf ("http://user:proxy-secret@%s", hostile_server_get_domain (server));
  g_autoptr (AsbOpensandboxClient) client = client_through ("https://sandboxes.example", proxy);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "POST", "/x");
  g_autoptr (GError) error = NULL;
  g_autofree char *head = NULL;

  g_test_summary ("A tunnel is asked for with the login; one that is refused is not asked again");
  if (!g_tls_backend_supports_tls (g_tls_backend_get_default ()))
    {
      g_test_skip ("GLib has no TLS here");
      return;
    }
  asb_opensandbox_request_set_retry (request, FALSE);
  g_assert_null (exchange_send (client, request, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_cmpuint (hostile_server_count_requests (server), ==, 1);
  head = hostile_server_dup_head (server, 0);
  g_assert_true (g_str_has_prefix (head, "CONNECT sandboxes.example:443 HTTP/1.1\r\n"));
  g_assert_nonnull (strstr (head, "\r\nProxy-Authorization: Basic dXNlcjpwcm94eS1zZWNyZXQ=\r\n"));
  g_assert_null (strstr (head, "the-key-of-tests"));
  g_assert_null (strstr (error->message, "proxy-secret"));
  g_assert_false (asb_opensandbox_error_is_outcome_unknown (error));
}

static void
test_login_for_others (void)
{
  const char *const proxies[]
      = { "https://user:proxy-secret@proxy.example", "socks5://user:proxy-secret@proxy.example" };

  g_test_summary ("GLib logs in at these; what is in a request would go through to the server");
  for (gsize i = 0; i < G_N_ELEMENTS (proxies); i++)
    {
      g_autoptr (AsbOpensandboxClient) client = client_through ("sandboxes.example", proxies[i]);
      g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "GET", "/x");
      g_autoptr (GUri) uri = asb_opensandbox_message_parse_uri (request, NULL);
      g_autoptr (SoupMessage) message = asb_opensandbox_message_new (
          request, uri, asb_opensandbox_client_get_settings (client), NULL);
      g_autoptr (AsbOpensandboxProxy) resolver = asb_opensandbox_proxy_new (proxies[i]);
      g_auto (GStrv) found = g_proxy_resolver_lookup (G_PROXY_RESOLVER (resolver),
                                                      "http://sandboxes.example", NULL, NULL);

      asb_opensandbox_message_log_in_at_proxy (message, resolver);
      g_assert_null (soup_message_headers_get_one (soup_message_get_request_headers (message),
                                                   "Proxy-Authorization"));
      g_assert_cmpstr (found[0], ==, proxies[i]);
    }
}

/* A system that says what this says: all of its proxies, in one line. */

static const char *system_proxies;

#define TEST_TYPE_RESOLVER (test_resolver_get_type ())
G_DECLARE_FINAL_TYPE (TestResolver, test_resolver, TEST, RESOLVER, GObject)

struct _TestResolver
{
  GObject parent_instance;
};

static void test_resolver_iface_init (GProxyResolverInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (TestResolver, test_resolver, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_PROXY_RESOLVER,
                                                      test_resolver_iface_init))

static void
test_resolver_class_init (TestResolverClass *klass)
{
}

static void
test_resolver_init (TestResolver *self)
{
}

static gboolean
test_resolver_is_supported (GProxyResolver *resolver)
{
  return TRUE;
}

static char **
test_resolver_lookup (GProxyResolver *resolver, const char *uri, GCancellable *cancellable,
                      GError **error)
{
  return g_strsplit (system_proxies ? system_proxies : "direct://", " ", -1);
}

static void
test_resolver_lookup_async (GProxyResolver *resolver, const char *uri, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (resolver, cancellable, callback, user_data);

  g_task_return_pointer (task, test_resolver_lookup (resolver, uri, cancellable, NULL),
                         (GDestroyNotify)g_strfreev);
}

static char **
test_resolver_lookup_finish (GProxyResolver *resolver, GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

static void
test_resolver_iface_init (GProxyResolverInterface *iface)
{
  iface->is_supported = test_resolver_is_supported;
  iface->lookup = test_resolver_lookup;
  iface->lookup_async = test_resolver_lookup_async;
  iface->lookup_finish = test_resolver_lookup_finish;
}

static char *
dup_head_through_system (const char *url, const char *proxies, HostileServer *server)
{
  g_autoptr (AsbOpensandboxClient) client = client_through (url, NULL);
  g_autoptr (AsbOpensandboxRequest) request = exchange_request_new (client, "POST", "/x");
  g_autoptr (AsbOpensandboxReply) reply = NULL;
  g_autoptr (GString) text = g_string_new (proxies);
  g_autoptr (GError) error = NULL;

  g_string_replace (text, "SERVER", hostile_server_get_domain (server), 0);
  system_proxies = text->str;
  asb_opensandbox_request_set_retry (request, FALSE);
  reply = exchange_send (client, request, NULL, &error);
  system_proxies = NULL;
  g_assert_null (error ? strstr (error->message, "proxy-secret") : NULL);
  return hostile_server_dup_head (server, 0);
}

static void
test_login_of_system (void)
{
  static const char login[] = "\r\nProxy-Authorization: Basic dXNlcjpwcm94eS1zZWNyZXQ=\r\n";
  static const struct
  {
    const char *url;
    const char *proxies;
    gboolean logs_in;
  } cases[] = {
    { "http://sandboxes.example", "http://user:proxy-secret@SERVER", TRUE },
    { "https://sandboxes.example", "http://user:proxy-secret@SERVER", TRUE },
    { "http://sandboxes.example", "http://SERVER", FALSE },
    /* Which of them is taken is not known. */
    { "http://sandboxes.example", "http://user:proxy-secret@SERVER direct://", FALSE },
  };

  g_test_summary ("The system's proxies are logged in at as it says");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      /* A tunnel that is refused is enough. */
      g_autoptr (HostileServer) server = hostile_server_new (
          answer, (gpointer)(i == 1 ? "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n" : NULL));
      g_autofree char *head = NULL;

      if (i == 1 && !g_tls_backend_supports_tls (g_tls_backend_get_default ()))
        continue;
      head = dup_head_through_system (cases[i].url, cases[i].proxies, server);
      g_assert_nonnull (head);
      g_assert_cmpint (strstr (head, login) != NULL, ==, cases[i].logs_in);
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
  process = g_subprocess_launcher_spawn (launcher, &error, program, "-p", "/proxies/ambient/inside",
                                         NULL);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &output, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 0);
  g_assert_nonnull (strstr (output, "AMBIENT"));
  g_assert_null (strstr (output, "proxy-secret"));
  if (!strstr (output, "through the proxy"))
    g_test_skip ("GLib reads no proxy from the environment here");
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  if (!g_getenv ("ASB_TEST_AMBIENT"))
    {
      g_setenv ("GIO_USE_PROXY_RESOLVER", "test", TRUE);
      g_io_extension_point_register (G_PROXY_RESOLVER_EXTENSION_POINT_NAME);
      g_io_extension_point_implement (G_PROXY_RESOLVER_EXTENSION_POINT_NAME, TEST_TYPE_RESOLVER,
                                      "test", 0);
    }
  g_test_add_func ("/proxies/login-of-system", test_login_of_system);
  g_test_add_func ("/proxies/loopback", test_loopback_is_direct);
  g_test_add_func ("/proxies/named", test_proxy_is_named);
  g_test_add_func ("/proxies/used", test_proxy_is_used);
  g_test_add_func ("/proxies/login-stays", test_proxy_login_stays);
  g_test_add_func ("/proxies/refuses", test_proxy_refuses);
  g_test_add_func ("/proxies/tunnel-login", test_tunnel_login);
  g_test_add_func ("/proxies/login-for-others", test_login_for_others);
  g_test_add_func ("/proxies/options", test_proxy_options);
  if (g_getenv ("ASB_TEST_AMBIENT"))
    g_test_add_func ("/proxies/ambient/inside", test_ambient);
  g_test_add_func ("/proxies/ambient/outside", test_ambient_proxy);
  result = g_test_run ();
  exchange_settle ();
  return result;
}
