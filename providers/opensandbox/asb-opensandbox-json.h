/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What servers send as JSON. A member that is null counts as absent. A member of another type, or a
 * required one that is absent, is ASB_ERROR_PROTOCOL that names it. Where a member is absent and
 * not required, numbers and booleans keep what the variable held and the rest becomes NULL. */

#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

/* Checks before it parses. @what says in errors whose text this is: “the list of sandboxes”.
 * Returns: (transfer full) (nullable) */
JsonNode *asb_opensandbox_json_parse (GBytes *body, const char *what, GError **error);

/* The same, for a text that must be an object. Returns: (transfer full) (nullable) */
JsonObject *asb_opensandbox_json_parse_object (GBytes *body, const char *what, GError **error);

/* The element as an object that is borrowed, or an error that names its place. */
JsonObject *asb_opensandbox_json_get_element (JsonArray *array, guint index, const char *what,
                                              GError **error);

gboolean asb_opensandbox_json_get_string (JsonObject *object, const char *member, gboolean required,
                                          const char **value, GError **error);
gboolean asb_opensandbox_json_get_int (JsonObject *object, const char *member, gboolean required,
                                       gint64 *value, GError **error);
gboolean asb_opensandbox_json_get_double (JsonObject *object, const char *member, gboolean required,
                                          double *value, GError **error);
gboolean asb_opensandbox_json_get_bool (JsonObject *object, const char *member, gboolean required,
                                        gboolean *value, GError **error);

/* *@value is borrowed. */
gboolean asb_opensandbox_json_get_object (JsonObject *object, const char *member, gboolean required,
                                          JsonObject **value, GError **error);
gboolean asb_opensandbox_json_get_array (JsonObject *object, const char *member, gboolean required,
                                         JsonArray **value, GError **error);

/* *@value is transfer full: string → string. Members that are null are left out. */
gboolean asb_opensandbox_json_get_string_map (JsonObject *object, const char *member,
                                              gboolean required, GHashTable **value,
                                              GError **error);

/* *@value is transfer full. */
gboolean asb_opensandbox_json_get_strv (JsonObject *object, const char *member, gboolean required,
                                        char ***value, GError **error);

/* *@value is transfer full, in UTC. */
gboolean asb_opensandbox_json_get_time (JsonObject *object, const char *member, gboolean required,
                                        GDateTime **value, GError **error);

/* “2026-03-01T10:00:00Z” in all its forms: an offset, any number of digits of a fraction (what is
 * below microseconds is cut), a space for the T, no zone (which is then UTC).
 * Returns: (transfer full) (nullable) */
GDateTime *asb_opensandbox_json_parse_time (const char *text);
