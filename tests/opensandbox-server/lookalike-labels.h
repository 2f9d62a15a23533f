/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* The rules of Kubernetes labels: NULL, or what breaks them. Members that are null are passed
 * over. */
char *lookalike_labels_check (JsonObject *metadata);

gboolean lookalike_labels_is_reserved (const char *key);

G_END_DECLS
