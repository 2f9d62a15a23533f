/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a sandbox takes of processor and memory, as its execd measures it. */

#pragma once

#include "asb-opensandbox-call.h"

/* [io] call: sandbox_id. Answered with an AsbSandboxMetrics. */
void asb_opensandbox_metrics_get (GTask *task);

/* [io] call: sandbox_id, object (the AsbMetricsWatch). Answered with that once the stream has
 * begun. */
void asb_opensandbox_metrics_watch (GTask *task);

/* Any thread. One sample; {"error": …} is an error. Returns: (transfer full) (nullable) */
AsbSandboxMetrics *asb_opensandbox_metrics_parse (GBytes *body, GError **error);
