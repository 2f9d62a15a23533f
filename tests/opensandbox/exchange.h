/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Requests of tests, which wait for what the thread of the module answers. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-client.h"
#include "hostile-server.h"

/* A client of the server with the key “the-key-of-tests” and the token “the-token-of-tests”. */
AsbOpensandboxClient *exchange_client_new (HostileServer *server);
AsbOpensandboxSettings *exchange_settings_new (HostileServer *server);

/* A request to the server itself, for “do the test”. */
AsbOpensandboxRequest *exchange_request_new (AsbOpensandboxClient *client, const char *method,
                                             const char *path);

AsbOpensandboxReply *exchange_send (AsbOpensandboxClient *client, AsbOpensandboxRequest *request,
                                    GCancellable *cancellable, GError **error);

/* Opens and reads to the end with reads of @size bytes; what came is in *@body also after a
 * failure. Something is pushed into @heard, if there is one, when something came. Returns the
 * status, or 0 if not even that came. */
guint exchange_open (AsbOpensandboxClient *client, AsbOpensandboxRequest *request, gsize size,
                     GCancellable *cancellable, GAsyncQueue *heard, GByteArray **body,
                     GError **error);

/* Whether a handshake succeeded. The connection is closed at once. */
gboolean exchange_connect (AsbOpensandboxClient *client, AsbOpensandboxRequest *request,
                           GCancellable *cancellable, GError **error);

/* The body as text. */
char *exchange_dup_body (AsbOpensandboxReply *reply);

/* Sends without a body, and wants a body of a status of success. Returns: (transfer full) */
char *exchange_simple (AsbOpensandboxClient *client, const char *method, const char *path,
                       GError **error);

/* Cancels in that many milliseconds, or when the server has read as many requests. */
void exchange_cancel_in (GCancellable *cancellable, guint milliseconds);
void exchange_cancel_after (GCancellable *cancellable, HostileServer *server, guint n_requests);

/* Waits until the thread of the module has let go of what was finished. */
void exchange_settle (void);
