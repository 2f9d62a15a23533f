/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is asked of the server for a new sandbox. */

#pragma once

#include <asb.h>
#include <json-glib/json-glib.h>

#define ASB_OPENSANDBOX_DEFAULT_IMAGE "python:3.12"
#define ASB_OPENSANDBOX_MIN_TTL_SECONDS 60
#define ASB_OPENSANDBOX_DEFAULT_TTL_SECONDS 600
/* Later than any sandbox lives, and early enough for the calendars of all servers. */
#define ASB_OPENSANDBOX_MAX_TTL_SECONDS G_MAXINT32

/* Any thread. What the server would refuse, and what it does not know of, is refused here.
 * Returns: (transfer full) (nullable) */
JsonNode *asb_opensandbox_order_new (AsbSandboxSpec *spec, const char *instance_id, GError **error);

/* Any thread. Whether a time to live, of a new sandbox or for renewing one, can be asked for. */
gboolean asb_opensandbox_order_check_ttl (gint64 seconds, gint64 min_seconds, GError **error);
