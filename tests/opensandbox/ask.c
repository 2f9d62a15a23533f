/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Requests of one process that is no test for GLib, which resumes no TLS session in tests and reads
 * proxies from the environment.
 *
 * usage: ask KIND URL CA-FILE PROXY …
 *
 * KIND is “http”, “twice”, “websocket” or a time in milliseconds that a request has. What is empty
 * is not set. One line for each: “ok” and the body, or “error” with what is to be said of it. All
 * clients stay to the end, as backends do. */

#include <locale.h>
#include <stdlib.h>

#include "asb-opensandbox-error.h"
#include "exchange.h"

#define KEY "the-key-of-tests"

static AsbOpensandboxClient *
new_client (const char *url, const char *ca_file, const char *proxy, GError **error)
{
  g_autoptr (AsbOpensandboxSettings) settings = asb_opensandbox_settings_new (url, error);

  if (!settings || !asb_opensandbox_settings_set_key (settings, KEY, error)
      || !asb_opensandbox_settings_set_tls_ca_file (settings, ca_file, error)
      || !asb_opensandbox_settings_set_proxy (settings, proxy, error))
    return NULL;
  return asb_opensandbox_client_new (settings);
}

static char *
ask (AsbOpensandboxClient *client, const char *kind, GError **error)
{
  gboolean is_websocket = g_str_equal (kind, "websocket");
  g_autoptr (AsbOpensandboxRequest) request
      = exchange_request_new (client, is_websocket ? "GET" : "POST", "/x");
  g_autoptr (AsbOpensandboxReply) reply = NULL;

  if (g_str_equal (kind, "twice"))
    {
      g_autofree char *first = exchange_simple (client, "POST", "/x", error);

      if (!first)
        return NULL;
    }
  if (is_websocket)
    return exchange_connect (client, request, NULL, error) ? g_strdup ("connected") : NULL;
  if (g_ascii_isdigit (*kind))
    asb_opensandbox_request_set_timeout (request, g_ascii_strtoll (kind, NULL, 10));
  reply = exchange_send (client, request, NULL, error);
  return reply ? exchange_dup_body (reply) : NULL;
}

static void
tell (const char *body, const GError *error)
{
  if (body)
    g_print ("ok %s\n", body);
  else
    g_print ("error %s%s\n", asb_opensandbox_error_was_not_sent (error) ? "(not sent) " : "",
             error->message);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) clients = g_ptr_array_new_with_free_func (g_object_unref);

  setlocale (LC_ALL, "");
  for (int i = 1; i + 3 < argc; i += 4)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *body = NULL;
      AsbOpensandboxClient *client = new_client (argv[i + 1], argv[i + 2], argv[i + 3], &error);

      if (client)
        {
          g_ptr_array_add (clients, client);
          body = ask (client, argv[i], &error);
        }
      tell (body, error);
    }
  g_ptr_array_set_size (clients, 0);
  exchange_settle ();
  return EXIT_SUCCESS;
}
