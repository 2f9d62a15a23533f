/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] What an exchange is made of. */

#pragma once

#include "asb-opensandbox-client-private.h"
#include "asb-opensandbox-doubt.h"
#include "asb-opensandbox-exchange.h"
#include "asb-opensandbox-guard.h"

typedef struct
{
  AsbOpensandboxClient *client;
  AsbOpensandboxRequest *request;
  AsbOpensandboxExchangeKind kind;
  AsbOpensandboxGuard guard;
  GUri *uri;
  SoupMessage *message;
  AsbOpensandboxReply *refusal; /* before the request was sent whole, or while it is looked into */
  GInputStream *stream;
  GByteArray *body;
  guint8 *buffer;
  GSource *pause;
  GSource *patience;
  GSource *handshake;         /* while TLS is being agreed on */
  AsbOpensandboxDoubt *doubt; /* until the sandbox begins to answer */
  GError *verdict;            /* on its silence */
  gint64 sent;
  guint n_retries;
  guint n_redirects;
  guint n_informational;
  guint previous_delay;
  gboolean needs_new_connection;
  gboolean is_reused;
  gboolean was_sent; /* by an attempt before */
  gboolean is_over;  /* answered, while libsoup still holds the message */
  gboolean has_inquired;
  gboolean sandbox_runs;    /* as the server says */
  gboolean was_turned_away; /* nobody listens where it leads */
  GError *fault;            /* while the server is asked for the reason */
  void (*go_on) (GTask *task, GError *fault);
} AsbOpensandboxExchange;

/* What a server may take to agree on TLS, in milliseconds. */
#define ASB_OPENSANDBOX_EXCHANGE_MAX_HANDSHAKE 10000

/* Connects to the signals of its message, which is new. */
void asb_opensandbox_exchange_listen (AsbOpensandboxExchange *self);
