/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-proxy.h"

#include <string.h>

#include "lookalike-lifecycle.h"
#include "lookalike-sandbox.h"

static const char *const hop_by_hop[] = { "Connection",          "Keep-Alive", "Proxy-Authenticate",
                                          "Proxy-Authorization", "TE",         "Trailer",
                                          "Transfer-Encoding",   "Upgrade",    NULL };

static const char *const kept_from_sandboxes[] = {
  "Authorization",     "Cookie",          "OPEN-SANDBOX-API-KEY",     "OpenSandbox-Secure-Access",
  "Forwarded",         "X-Forwarded-For", "X-Forwarded-Host",         "X-Forwarded-Port",
  "X-Forwarded-Proto", "X-Real-IP",       "OpenSandbox-Access-Renew", NULL
};

static gboolean
is_in (const char *const *names, const char *name)
{
  for (guint i = 0; names[i] != NULL; i++)
    if (g_ascii_strcasecmp (names[i], name) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_named_in (const char *connection, const char *name)
{
  g_auto (GStrv) parts = g_strsplit (connection != NULL ? connection : "", ",", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (g_ascii_strcasecmp (g_strstrip (parts[i]), name) == 0)
      return TRUE;
  return FALSE;
}

gboolean
lookalike_proxy_keeps_header (LookalikeProxyStyle style, const char *name, const char *connection)
{
  if (g_ascii_strcasecmp (name, "Host") == 0 || g_ascii_strcasecmp (name, "Content-Length") == 0
      || is_in (hop_by_hop, name) || is_named_in (connection, name))
    return FALSE;
  if (style == LOOKALIKE_PROXY_GATEWAY)
    return g_ascii_strcasecmp (name, "OpenSandbox-Ingress-To") != 0
           && g_ascii_strcasecmp (name, "OpenSandbox-Secure-Access") != 0;
  return style != LOOKALIKE_PROXY_SERVER || !is_in (kept_from_sandboxes, name);
}

void
lookalike_proxy_get_forwarded (LookalikeRequest *request, LookalikeProxyStyle style,
                               void (*add) (gpointer data, const char *name, const char *value),
                               gpointer data)
{
  const char *host = lookalike_request_get_header (request, "Host");

  add (data, "X-Forwarded-For", "127.0.0.1");
  add (data, "X-Forwarded-Proto", "http");
  if (style != LOOKALIKE_PROXY_EXECD && host != NULL)
    add (data, "X-Forwarded-Host", host);
}

void
lookalike_proxy_fail (LookalikeRequest *request, const LookalikeProxyRoute *route)
{
  if (route->style != LOOKALIKE_PROXY_SERVER)
    lookalike_request_reply (request, SOUP_STATUS_BAD_GATEWAY, "text/plain; charset=utf-8",
                             "Bad Gateway\n", -1);
  else if (request->sandbox != NULL && request->sandbox->ended)
    lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR,
                            "DOCKER::NETWORK_MODE_ENDPOINT_UNAVAILABLE",
                            "Container is running but has no assigned IP address.");
  else
    lookalike_request_fail (
        request, SOUP_STATUS_BAD_GATEWAY,
        request->lookalike->config.old ? "GENERAL::UNKNOWN_ERROR" : "BACKEND_CONNECTION_FAILED",
        "Could not connect to the backend sandbox %s: All connection attempts failed", route->name);
}

char *
lookalike_proxy_make_target (LookalikeRequest *request, guint skip)
{
  const char *at = request->path;

  for (guint i = 0; i < skip && at != NULL; i++)
    at = strchr (at + 1, '/');
  return g_strconcat (at != NULL ? at : "/", request->query != NULL ? "?" : NULL, request->query,
                      NULL);
}

void
lookalike_proxy_pass (LookalikeRequest *request, LookalikeProxyRoute route)
{
  if (lookalike_request_is_upgrade (request))
    lookalike_tunnel_start (request, &route);
  else
    lookalike_proxy_http_start (request, &route);
  g_free (route.target);
  g_free (route.prefix);
  g_free (route.name);
}

void
lookalike_proxy_from_execd (LookalikeRequest *request)
{
  const char *text = request->segments[1];
  guint64 port = 0;
  LookalikeProxyRoute route = { .style = LOOKALIKE_PROXY_EXECD };

  if (text == NULL || text[0] == '\0')
    {
      lookalike_request_reply (request, SOUP_STATUS_BAD_REQUEST, "text/plain; charset=utf-8",
                               "port is required\n", -1);
      return;
    }
  g_ascii_string_to_unsigned (text, 10, 1, 65535, &port, NULL);
  route.port = port > 0 ? lookalike_sandbox_map_port (request->sandbox, (guint)port) : 0;
  route.name = g_strdup_printf ("127.0.0.1:%s", text);
  route.target = lookalike_proxy_make_target (request, 2);
  lookalike_proxy_pass (request, route);
}

void
lookalike_proxy_from_server (LookalikeRequest *request)
{
  gboolean has_v1 = strcmp (request->segments[0], "v1") == 0;
  guint skip = has_v1 ? 5 : 4;
  const char *text = request->segments[skip - 1];
  LookalikeProxyRoute route = { .style = LOOKALIKE_PROXY_SERVER };
  const char *renew = lookalike_request_get_header (request, "OpenSandbox-Access-Renew");
  guint64 port = 0;

  g_ascii_string_to_unsigned (text, 10, 1, 65535, &port, NULL);
  if (g_strcmp0 (renew, "skip") != 0)
    lookalike_sandbox_touch (request->sandbox);
  route.port = lookalike_sandbox_map_port (request->sandbox, (guint)port);
  route.name = g_strdup_printf ("172.17.0.2:%s", text);
  route.target = lookalike_proxy_make_target (request, skip);
  route.prefix = g_strdup_printf ("%s/sandboxes/%s/proxy/%s", has_v1 ? "/v1" : "",
                                  request->sandbox->id, text);
  lookalike_proxy_pass (request, route);
}
