/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GVariant to the JSON of the guest protocol and back.
 *
 *     string, object path, signature   a string
 *     bytes (ay)                        {"b64": …}
 *     integers                          an integer within ±(2^53−1)
 *     double                            a number, never NaN or infinite
 *     boolean                           true, false
 *     array of anything else            an array
 *     dictionary with string keys       an object
 *     maybe                             null, or what it holds
 *     variant                           what it holds
 *
 * The other way an object becomes an a{sv}, an array an av, null an empty mv inside its variant,
 * and {"b64": …} an ay when it holds base64. */

#pragma once

#include <gio/gio.h>
#include <jansson.h>

/* A variant nests several levels for each level of JSON, and GLib bounds its levels. */
#define ASB_WIRE_VARIANT_MAX_DEPTH 24
#define ASB_WIRE_VARIANT_MAX_NODES 65536

/* NULL with %ASB_ERROR_INVALID_ARGUMENT when @variant holds what JSON cannot, or too much. */
json_t *asb_wire_variant_to_json (GVariant *variant, GError **error);

/* A floating variant; NULL with %ASB_ERROR_PROTOCOL when @json holds too much. An object becomes an
 * a{sv}, also at the top. */
GVariant *asb_wire_variant_from_json (const json_t *json, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)
