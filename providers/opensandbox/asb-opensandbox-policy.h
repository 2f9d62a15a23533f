/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Network policies as servers and sidecars write them. Any thread. */

#pragma once

#include <asb.h>
#include <json-glib/json-glib.h>

/* Whether each rule is for something that can be met with. */
gboolean asb_opensandbox_policy_check (AsbNetworkPolicy *policy, GError **error);

/* {"defaultAction", "egress": […]}. Returns: (transfer full) */
JsonNode *asb_opensandbox_policy_to_json (AsbNetworkPolicy *policy);

/* The rules alone. Returns: (transfer full) */
JsonNode *asb_opensandbox_policy_rules_to_json (AsbNetworkPolicy *policy);

/* A sidecar's {"mode", "enforcementMode", "policy": {…}}, where “egress” may be null.
 * Returns: (transfer full) (nullable) */
AsbNetworkPolicy *asb_opensandbox_policy_parse (GBytes *body, GError **error);
