/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Options for creation that only this provider takes; README.md tells them. */

#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

/* Any thread. Adds what @options, an a{sv} or NULL, say to the request @body. What is not known, or
 * of another type, is refused by its name. */
gboolean asb_opensandbox_options_add (JsonObject *body, GVariant *options, GError **error);

/* Any thread. What @value says in JSON, with the names of members as the server writes them:
 * “mount_path” becomes “mountPath”. Returns: (transfer full) (nullable) */
JsonNode *asb_opensandbox_options_to_json (GVariant *value, GError **error);
