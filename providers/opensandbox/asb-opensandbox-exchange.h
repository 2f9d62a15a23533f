/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] One request, with its repetitions and redirects, up to its reply. */

#pragma once

#include "asb-opensandbox-client.h"

typedef enum
{
  ASB_OPENSANDBOX_EXCHANGE_WHOLE,    /* answers with a reply that has its body */
  ASB_OPENSANDBOX_EXCHANGE_STREAM,   /* answers with a reply that has a stream */
  ASB_OPENSANDBOX_EXCHANGE_WEBSOCKET /* answers with a SoupWebsocketConnection */
} AsbOpensandboxExchangeKind;

/* Answers @task, whose source is @client, and which has no task data yet. */
void asb_opensandbox_exchange_run (AsbOpensandboxClient *client, AsbOpensandboxRequest *request,
                                   AsbOpensandboxExchangeKind kind, GTask *task);
