/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-guard.h"

#include <string.h>

#define OWN_DOMAIN ".localhost"

/* HOST, HOST:PORT or [HOST]:PORT without what is not the host. */
static char *
dup_name (const char *authority)
{
  const char *name = authority[0] == '[' ? authority + 1 : authority;

  return g_ascii_strdown (name, (gssize)strcspn (name, name > authority ? "]" : ":/"));
}

static gboolean
is_loopback (const char *name)
{
  g_autoptr (GInetAddress) address = g_inet_address_new_from_string (name);

  return strcmp (name, OWN_DOMAIN + 1) == 0 || g_str_has_suffix (name, OWN_DOMAIN)
         || (address != NULL && g_inet_address_get_is_loopback (address));
}

/* A name in the power of others may lead here: their pages then look to a browser as if they were
 * of this server. A number can't do that. */
static gboolean
is_own_name (LookalikeRequest *request, const char *host)
{
  const char *eip = request->lookalike->config.eip;
  g_autofree char *name = dup_name (host);
  g_autofree char *front = eip != NULL ? dup_name (eip) : NULL;

  return is_loopback (name) || g_hostname_is_ip_address (name) || g_strcmp0 (name, front) == 0;
}

static gboolean
is_own_page (const char *origin, const char *host)
{
  const char *authority = strstr (origin, "://");
  g_autofree char *name = NULL;

  if (authority == NULL)
    return FALSE;
  authority += strlen ("://");
  name = dup_name (authority);
  return is_loopback (name) || g_strcmp0 (authority, host) == 0;
}

gboolean
lookalike_guard_refuse (LookalikeRequest *request)
{
  const char *host = lookalike_request_get_header (request, "Host");
  const char *origin = lookalike_request_get_header (request, "Origin");

  if (host != NULL && !is_own_name (request, host))
    lookalike_request_fail (request, SOUP_STATUS_FORBIDDEN, "GENERAL::UNKNOWN_ERROR",
                            "This is no server of the name “%s”: use localhost or 127.0.0.1.",
                            host);
  else if (origin != NULL && !is_own_page (origin, host))
    lookalike_request_fail (request, SOUP_STATUS_FORBIDDEN, "GENERAL::UNKNOWN_ERROR",
                            "Pages of “%s” may not use this server, only those of this machine.",
                            origin);
  else
    return FALSE;
  return TRUE;
}

static void
allow_all (SoupMessageHeaders *headers, const char *asked)
{
  soup_message_headers_replace (headers, "Access-Control-Allow-Methods",
                                "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT");
  soup_message_headers_replace (headers, "Access-Control-Max-Age", "600");
  if (asked != NULL)
    soup_message_headers_replace (headers, "Access-Control-Allow-Headers", asked);
}

gboolean
lookalike_guard_tell_browser (LookalikeRequest *request)
{
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (request->message);
  const char *origin = lookalike_request_get_header (request, "Origin");

  if (origin == NULL)
    return FALSE;
  soup_message_headers_replace (headers, "Access-Control-Allow-Origin", origin);
  soup_message_headers_replace (headers, "Access-Control-Allow-Credentials", "true");
  soup_message_headers_replace (headers, "Access-Control-Expose-Headers", "OPEN-SANDBOX-ORIGIN");
  soup_message_headers_replace (headers, "Vary", "Origin");
  if (strcmp (request->method, "OPTIONS") != 0
      || lookalike_request_get_header (request, "Access-Control-Request-Method") == NULL)
    return FALSE;
  allow_all (headers, lookalike_request_get_header (request, "Access-Control-Request-Headers"));
  lookalike_request_reply (request, SOUP_STATUS_OK, "text/plain; charset=utf-8", "OK", -1);
  return TRUE;
}
