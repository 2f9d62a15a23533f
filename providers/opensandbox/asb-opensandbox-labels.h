/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Servers keep metadata as labels of Kubernetes. What they would refuse is refused before it is
 * sent, with the rule that it breaks. */

#pragma once

#include <glib.h>

#define ASB_OPENSANDBOX_LABEL_NAME "agent_sandbox.name"
#define ASB_OPENSANDBOX_LABEL_INSTANCE_ID "sandbox_instance_id"

/* @value: NULL when only the key counts, as for a label that is to be removed */
gboolean asb_opensandbox_labels_check (const char *key, const char *value, GError **error);

/* @metadata: string → string (nullable value: not looked at) */
gboolean asb_opensandbox_labels_check_all (GHashTable *metadata, GError **error);
