/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The three that pass requests on: the server, execd, and a gateway. */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

typedef enum
{
  LOOKALIKE_PROXY_SERVER,
  LOOKALIKE_PROXY_EXECD,
  LOOKALIKE_PROXY_GATEWAY,
} LookalikeProxyStyle;

typedef struct
{
  LookalikeProxyStyle style;
  guint16 port; /* on this machine; 0: nothing listens */
  char *target; /* path and query */
  char *prefix; /* what a root-relative Location is put below; NULL: it stays */
  char *name;   /* of the other side, in errors */
} LookalikeProxyRoute;

/* Passes the request on, whether HTTP or WebSocket. Takes the strings. */
void lookalike_proxy_pass (LookalikeRequest *request, LookalikeProxyRoute route);

/* /proxy/PORT/… of execd */
void lookalike_proxy_from_execd (LookalikeRequest *request);
/* …/sandboxes/ID/proxy/PORT/… of the server, from segment @skip on */
void lookalike_proxy_from_server (LookalikeRequest *request);

/* Everything of the path from segment @skip on, with the query, as it came. */
char *lookalike_proxy_make_target (LookalikeRequest *request, guint skip);

/* Whether a header of the request goes on; @upgrade: of a WebSocket. */
gboolean lookalike_proxy_keeps_header (LookalikeProxyStyle style, const char *name,
                                       const char *connection);
/* What the proxy tells of the client. */
void lookalike_proxy_get_forwarded (LookalikeRequest *request, LookalikeProxyStyle style,
                                    void (*add) (gpointer data, const char *name,
                                                 const char *value),
                                    gpointer data);
void lookalike_proxy_fail (LookalikeRequest *request, const LookalikeProxyRoute *route);

/* In lookalike-tunnel.c */
void lookalike_tunnel_start (LookalikeRequest *request, const LookalikeProxyRoute *route);
/* In lookalike-proxy-http.c */
void lookalike_proxy_http_start (LookalikeRequest *request, const LookalikeProxyRoute *route);

G_END_DECLS
