/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* JSON as variants and back, for what is passed on without being looked at. */

#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

/* An a{sv}, also for what is no object: an array becomes its “items”, null nothing at all.
 * Objects are a{sv}, arrays av, integers x, numbers d; members that are null are left out.
 * Returns: (transfer full): not floating */
GVariant *asb_opensandbox_variant_from_json (JsonNode *node);

/* @value is any variant of strings, numbers, booleans, arrays, maybes and dictionaries of strings.
 * Returns: (transfer full) (nullable) */
JsonNode *asb_opensandbox_variant_to_json (GVariant *value, GError **error);
