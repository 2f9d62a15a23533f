/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One exchange with a server, to be sent by an AsbOpensandboxClient. Built by one owner; not
 * changed once it is sent. */

#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

#include "asb-opensandbox-endpoint.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-retry.h"

#define ASB_OPENSANDBOX_MAX_REPLY (4 * 1024 * 1024)

typedef struct _AsbOpensandboxRequest AsbOpensandboxRequest;

typedef void (*AsbOpensandboxWrittenFunc) (gpointer data);

/* @path begins with a slash, or is empty, and is percent-encoded already: escape each segment that
 * comes from outside with g_uri_escape_string (segment, NULL, FALSE). */
AsbOpensandboxRequest *asb_opensandbox_request_new (const char *method,
                                                    AsbOpensandboxEndpoint *endpoint,
                                                    const char *path);
AsbOpensandboxRequest *asb_opensandbox_request_ref (AsbOpensandboxRequest *self);
void asb_opensandbox_request_unref (AsbOpensandboxRequest *self);

/* Percent-encodes both, once. The same name may come again. */
void asb_opensandbox_request_add_query (AsbOpensandboxRequest *self, const char *name,
                                        const char *value);

/* @body is written out here and may be changed afterwards. */
void asb_opensandbox_request_set_json (AsbOpensandboxRequest *self, JsonNode *body);
void asb_opensandbox_request_set_body (AsbOpensandboxRequest *self, const char *content_type,
                                       GBytes *body);

/* @size is the length in bytes, or −1 for a chunked body. Such a request is never sent again once
 * something of the body was read. */
void asb_opensandbox_request_set_stream (AsbOpensandboxRequest *self, const char *content_type,
                                         GInputStream *body, gint64 size);
void asb_opensandbox_request_add_header (AsbOpensandboxRequest *self, const char *name,
                                         const char *value);

/* For the whole exchange, repetitions too, up to the head of the reply, and with
 * asb_opensandbox_client_send_async () to its last byte. 0: none. Default: the request timeout of
 * the settings. */
void asb_opensandbox_request_set_timeout (AsbOpensandboxRequest *self, guint milliseconds);

/* A larger body is an error. Default: ASB_OPENSANDBOX_MAX_REPLY. For bodies that are read as a
 * whole; a stream is not bounded. */
void asb_opensandbox_request_set_max_reply (AsbOpensandboxRequest *self, gsize bytes);

/* TRUE: it is repeated after 429, 502, 503 and faults of the connection, at most three times and
 * within the timeout, as is the default for GET, HEAD, PUT, DELETE and OPTIONS. Others are repeated
 * only when nothing was sent, because no connection was to be had. FALSE: nothing is repeated. */
void asb_opensandbox_request_set_retry (AsbOpensandboxRequest *self, gboolean retry);

/* It is sent once, whatever happens: not even libsoup sends it again by itself, which it does by
 * the method when a connection it had kept is closed. Costs a connection. */
void asb_opensandbox_request_set_once (AsbOpensandboxRequest *self);

/* @func is called in the I/O thread whenever the whole request was written to a connection, which
 * is before anything is known of an answer: once for each attempt, and not at all where none gets
 * so far. @data must last as long as the exchange. */
void asb_opensandbox_request_set_written_func (AsbOpensandboxRequest *self,
                                               AsbOpensandboxWrittenFunc func, gpointer data);

/* What it is for, for errors: “create the sandbox” gives “Could not create the sandbox: …”. */
void asb_opensandbox_request_set_what (AsbOpensandboxRequest *self, const char *what);

/* The sandbox it asks the server about. Default: the one its endpoint leads into. */
void asb_opensandbox_request_set_sandbox (AsbOpensandboxRequest *self, const char *sandbox_id);

/* For the client. */
const char *asb_opensandbox_request_get_method (AsbOpensandboxRequest *self);
AsbOpensandboxEndpoint *asb_opensandbox_request_get_endpoint (AsbOpensandboxRequest *self);
const char *asb_opensandbox_request_get_what (AsbOpensandboxRequest *self);

AsbOpensandboxTarget asb_opensandbox_request_get_target (AsbOpensandboxRequest *self);

/* Returns: (nullable) */
const char *asb_opensandbox_request_get_sandbox (AsbOpensandboxRequest *self);
const char *asb_opensandbox_request_get_content_type (AsbOpensandboxRequest *self);
GBytes *asb_opensandbox_request_get_body (AsbOpensandboxRequest *self);
GInputStream *asb_opensandbox_request_get_stream (AsbOpensandboxRequest *self);
gint64 asb_opensandbox_request_get_stream_size (AsbOpensandboxRequest *self);
GHashTable *asb_opensandbox_request_get_headers (AsbOpensandboxRequest *self);
gsize asb_opensandbox_request_get_max_reply (AsbOpensandboxRequest *self);
AsbOpensandboxRetryRule asb_opensandbox_request_get_retry (AsbOpensandboxRequest *self);
gboolean asb_opensandbox_request_get_once (AsbOpensandboxRequest *self);

/* Does nothing when nobody asked for that. */
void asb_opensandbox_request_written (AsbOpensandboxRequest *self);

/* −1: the default */
gint64 asb_opensandbox_request_get_timeout (AsbOpensandboxRequest *self);

/* Returns: (transfer full): base, path and query */
char *asb_opensandbox_request_dup_url (AsbOpensandboxRequest *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxRequest, asb_opensandbox_request_unref)
