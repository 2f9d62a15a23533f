/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One request at one of the servers (a "hop"), and the ways to answer it. */

#pragma once

#include "lookalike-tap.h"
#include "lookalike.h"

G_BEGIN_DECLS

typedef void (*LookalikeHandler) (LookalikeRequest *request);

struct _LookalikeRequest
{
  Lookalike *lookalike;
  LookalikeListener *listener;
  LookalikeSandbox *sandbox; /* of execd and of the sidecar; else NULL, or set by the router */
  SoupServerMessage *message;
  LookalikeTap *tap;
  const char *method;
  char *path;      /* as sent */
  char **segments; /* decoded */
  char *query;     /* as sent, or NULL */
  char *wrong_type;
  gboolean answered;
  gboolean finished;
  int close_code; /* a fault for WebSockets, or 0 */
  guint close_after;
  char *tail; /* a fault for event streams: the bytes to end with */
  guint tail_after;
  gint64 file_end; /* where a file ends as if that were all; 0: at its end */
  GFunc gone;
  gpointer gone_data;
  guint timer;
};

LookalikeRequest *lookalike_request_new (LookalikeListener *listener, SoupServerMessage *message);
LookalikeRequest *lookalike_request_ref (LookalikeRequest *request);
void lookalike_request_unref (LookalikeRequest *request);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LookalikeRequest, lookalike_request_unref)

const char *lookalike_request_get_header (LookalikeRequest *request, const char *name);
GBytes *lookalike_request_get_body (LookalikeRequest *request);
/* NULL when the parameter is not there; decoded. */
char *lookalike_request_get_query (LookalikeRequest *request, const char *name);
char **lookalike_request_get_queries (LookalikeRequest *request, const char *name);
/* The body; NULL when it is not JSON. */
JsonNode *lookalike_request_parse (LookalikeRequest *request, GError **error);

/* Answers, once. */
void lookalike_request_reply (LookalikeRequest *request, guint status, const char *type,
                              const char *body, gssize size);
void lookalike_request_reply_json (LookalikeRequest *request, guint status, const char *json);
void lookalike_request_reply_object (LookalikeRequest *request, guint status, JsonObject *object);
void lookalike_request_reply_empty (LookalikeRequest *request, guint status);
/* {"code":…,"message":…} */
void lookalike_request_fail (LookalikeRequest *request, guint status, const char *code,
                             const char *format, ...) G_GNUC_PRINTF (4, 5);

/* The headers are set, the body comes in pieces. */
void lookalike_request_start_stream (LookalikeRequest *request, guint status);
void lookalike_request_send (LookalikeRequest *request, GBytes *piece);
void lookalike_request_end_stream (LookalikeRequest *request);

/* The bytes as they are, then the end of the connection. */
void lookalike_request_reply_raw (LookalikeRequest *request, const char *bytes, gsize size);
/* From now on the connection is the caller's; NULL when the client has gone. */
GIOStream *lookalike_request_steal (LookalikeRequest *request);

/* Ends the connection without an answer. */
void lookalike_request_abort (LookalikeRequest *request, gboolean reset);

/* Calls once, with the request, if the client goes before the answer is complete. */
void lookalike_request_watch (LookalikeRequest *request, GFunc gone, gpointer user_data);
void lookalike_request_unwatch (LookalikeRequest *request);

gboolean lookalike_request_is_upgrade (LookalikeRequest *request);

G_END_DECLS
