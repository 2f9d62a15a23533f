/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A server that answers with any bytes and ends the connection: each exchange comes to an end, with
 * a reply within its bounds or with an error. The first byte says what kind of exchange it is. */

#include "fuzz.h"

#include <asb.h>

#include "asb-opensandbox-error.h"
#include "exchange.h"

#define MAX_REPLY 2048

static GBytes *the_answer;

static gboolean
answer (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  gsize size;
  gconstpointer bytes = g_bytes_get_data (the_answer, &size);

  hostile_connection_write_bytes (connection, bytes, size);
  return FALSE;
}

static HostileServer *
get_server (void)
{
  static HostileServer *server;

  if (server)
    return server;
  /* Nothing of the desktop. */
  g_setenv ("GIO_USE_PROXY_RESOLVER", "dummy", TRUE);
  g_setenv ("GSETTINGS_BACKEND", "memory", TRUE);
  server = hostile_server_new (answer, NULL);
  return server;
}

static void
check_error (const GError *error, gboolean is_post)
{
  FUZZ_CHECK (error->domain == ASB_ERROR);
  FUZZ_CHECK (g_utf8_validate (error->message, -1, NULL));
  FUZZ_CHECK (!strstr (error->message, "the-key-of-tests"));
  FUZZ_CHECK (is_post || !asb_opensandbox_error_is_outcome_unknown (error));
  FUZZ_CHECK (!is_post || asb_opensandbox_error_get_status (error) > 0
              || asb_opensandbox_error_is_outcome_unknown (error));
}

static void
check_whole (AsbOpensandboxClient *client, AsbOpensandboxRequest *request, gboolean is_post)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxReply) reply = exchange_send (client, request, NULL, &error);

  if (reply)
    FUZZ_CHECK (g_bytes_get_size (asb_opensandbox_reply_get_body (reply)) <= MAX_REPLY);
  else
    check_error (error, is_post);
}

static void
check_stream (AsbOpensandboxClient *client, AsbOpensandboxRequest *request, gsize size)
{
  g_autoptr (GByteArray) body = NULL;
  g_autoptr (GError) error = NULL;

  exchange_open (client, request, size, NULL, NULL, &body, &error);
  FUZZ_CHECK (!error || error->domain == ASB_ERROR);
  FUZZ_CHECK (body->len <= g_bytes_get_size (the_answer));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, data + size };
  uint8_t choice = fuzz_take_byte (&input);
  HostileServer *server = get_server ();
  g_autoptr (AsbOpensandboxClient) client = exchange_client_new (server);
  g_autoptr (AsbOpensandboxRequest) request
      = exchange_request_new (client, choice & 1 ? "POST" : "GET", "/x");
  g_autoptr (GError) error = NULL;

  the_answer = g_bytes_new_static (input.at, fuzz_left (&input));
  asb_opensandbox_request_set_retry (request, FALSE);
  asb_opensandbox_request_set_max_reply (request, MAX_REPLY);
  if (choice & 2)
    check_stream (client, request, choice & 4 ? 1 : 4096);
  else if (choice & 8)
    exchange_connect (client, request, NULL, &error);
  else
    check_whole (client, request, choice & 1);
  exchange_settle ();
  g_clear_pointer (&the_answer, g_bytes_unref);
  hostile_server_forget (server);
  return 0;
}
