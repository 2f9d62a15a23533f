/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the server has seen of a sandbox. */

#pragma once

#include "asb-opensandbox-call.h"

/* [io] call: sandbox_id, name (the kind), scope (nullable). Answered with an AsbDiagnostics. */
void asb_opensandbox_diagnostics_get (GTask *task);

/* Any thread. The answer where a scope was asked for. Returns: (transfer full) (nullable) */
AsbDiagnostics *asb_opensandbox_diagnostics_parse (GBytes *body, GError **error);
