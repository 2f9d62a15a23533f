/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an exchange needs of its client. [io] */

#pragma once

#include "asb-opensandbox-client.h"

SoupSession *asb_opensandbox_client_get_session (AsbOpensandboxClient *self);

/* In milliseconds; 0 for none. */
guint asb_opensandbox_client_get_timeout (AsbOpensandboxClient *self,
                                          AsbOpensandboxRequest *request);

/* Whether the connection that @message got was used before, and how long ago, in microseconds. */
gboolean asb_opensandbox_client_was_used (AsbOpensandboxClient *self, SoupMessage *message,
                                          gint64 *idle);

/* @message has got a connection, and nothing of it was written yet. */
void asb_opensandbox_client_log_in_at_proxy (AsbOpensandboxClient *self, SoupMessage *message);

/* @message has got a connection, which is @stream so far. */
void asb_opensandbox_client_note_stream (AsbOpensandboxClient *self, SoupMessage *message,
                                         GIOStream *stream);

/* The stream of the connection of @message. Returns: (transfer full) (nullable) */
GIOStream *asb_opensandbox_client_dup_stream (AsbOpensandboxClient *self, SoupMessage *message);

/* The connection of @message is free again. */
void asb_opensandbox_client_note_use (SoupMessage *message, gpointer client);

/* A reply of the lifecycle server, which is known from then on, and its date. */
void asb_opensandbox_client_learn_time (AsbOpensandboxClient *self, SoupMessage *message,
                                        gint64 sent);

/* Whether the lifecycle server has ever answered. */
gboolean asb_opensandbox_client_knows_server (AsbOpensandboxClient *self);

/* Why @uri could not be reached; names the proxy, hides secrets. */
GError *asb_opensandbox_client_make_error (AsbOpensandboxClient *self,
                                           AsbOpensandboxRequest *request, GUri *uri,
                                           const GError *cause);

/* Has @error, which it takes, name the proxy of @uri, which may be the one that is silent.
 * Returns: (transfer full) */
GError *asb_opensandbox_client_name_proxy (AsbOpensandboxClient *self, GUri *uri, GError *error);

/* One line in the debug log, if the settings ask for it. */
void asb_opensandbox_client_log (AsbOpensandboxClient *self, AsbOpensandboxRequest *request,
                                 GUri *uri, guint status, const char *note, gint64 started);
