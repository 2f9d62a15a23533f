/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Over TLS. */

#include <string.h>

#include "asb-opensandbox-certificate.h"
#include "asb-opensandbox-error.h"
#include "exchange.h"

/* The sanitizer has to see through libraries without frame pointers to know whose leaks those of
 * lsan.supp are. */
const char *__asan_default_options (void);

const char *
__asan_default_options (void)
{
  return "fast_unwind_on_malloc=0";
}

static gboolean
answer (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  hostile_connection_reply (connection, "200 OK", NULL, "ok");
  return TRUE;
}

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
call_tls_server (const char *host, const char *ca_file, SoupHTTPVersion *version, char **body,
                 GError **error)
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
  url = g_strdup_printf ("https://%s:%d", host, g_uri_get_port (uris->data));
  g_slist_free_full (uris, (GDestroyNotify)g_uri_unref);
  settings = asb_opensandbox_settings_new (url, error);
  asb_opensandbox_settings_set_tls_ca_file (settings, ca_file, error);
  g_assert_no_error (*error);
  settings->request_timeout_seconds = 600;
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
  call_tls_server ("127.0.0.1", authority, &version, &body, &error);
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
  call_tls_server ("127.0.0.1", NULL, &version, &body, &error);
  g_assert_null (body);
  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (error->message, "“tls-ca-file”"));
  g_assert_false (asb_error_info_get_retryable (asb_error_get_info (error)));
  g_assert_true (asb_opensandbox_error_was_not_sent (error));
  g_assert_cmpint (version, ==, SOUP_HTTP_1_0);
}

static void
test_tls_other_name (void)
{
  g_autofree char *authority = NULL;
  g_autofree char *body = NULL;
  g_autoptr (GError) error = NULL;
  SoupHTTPVersion version = SOUP_HTTP_1_0;

  if (skip_without_tls ())
    return;
  authority = dup_tls_file ("authority.pem");
  call_tls_server ("other.localhost", authority, &version, &body, &error);
  g_assert_null (body);
  g_test_message ("%s", error->message);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (strstr (error->message, "another name"));
  g_assert_null (strstr (error->message, "tls-ca-file"));
  g_assert_cmpint (version, ==, SOUP_HTTP_1_0);
}

static void
test_tls_faults (void)
{
  g_autofree char *none = asb_opensandbox_certificate_dup_faults (0);
  g_autofree char *old = asb_opensandbox_certificate_dup_faults (G_TLS_CERTIFICATE_EXPIRED);
  g_autofree char *two = asb_opensandbox_certificate_dup_faults (G_TLS_CERTIFICATE_UNKNOWN_CA
                                                                 | G_TLS_CERTIFICATE_REVOKED);

  g_assert_cmpstr (none, ==, "");
  g_assert_nonnull (strstr (old, "time is over"));
  g_assert_null (strstr (old, "tls-ca-file"));
  g_assert_true (g_str_has_prefix (two, "it was revoked; "));
  g_assert_nonnull (strstr (two, "tls-ca-file"));
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
  g_autoptr (AsbOpensandboxSettings) settings = asb_opensandbox_settings_new (url, NULL);
  g_autoptr (AsbOpensandboxClient) client = asb_opensandbox_client_new (settings);
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

  /* So that the server would speak HTTP/2. */
  g_setenv ("SOUP_SERVER_HTTP2", "1", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tls/known", test_tls);
  g_test_add_func ("/tls/unknown-authority", test_tls_unknown_authority);
  g_test_add_func ("/tls/other-name", test_tls_other_name);
  g_test_add_func ("/tls/faults", test_tls_faults);
  g_test_add_func ("/tls/options", test_tls_options);
  g_test_add_func ("/tls/mixed-up", test_tls_mixed_up);
  result = g_test_run ();
  exchange_settle ();
  return result;
}
