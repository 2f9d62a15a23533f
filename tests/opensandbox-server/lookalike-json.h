/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Beside the codes of JSON_PARSER_ERROR. */
#define LOOKALIKE_JSON_TOO_DEEP 1000

/* Refuses what json-glib would crash on. */
JsonNode *lookalike_json_parse (const char *data, gsize size, GError **error);

char *lookalike_json_print_object (JsonObject *object);

/* NULL, FALSE or 0 when there is no such member, or it has another type. */
const char *lookalike_json_get_string (JsonObject *object, const char *name);
JsonObject *lookalike_json_get_object (JsonObject *object, const char *name);
JsonArray *lookalike_json_get_array (JsonObject *object, const char *name);
gint64 lookalike_json_get_int (JsonObject *object, const char *name, gint64 otherwise);
gboolean lookalike_json_get_boolean (JsonObject *object, const char *name);

/* There, and not null. */
gboolean lookalike_json_has (JsonObject *object, const char *name);

/* Nothing else is in it. */
gboolean lookalike_json_is_string_list (JsonNode *node);

/* A string the way Go's encoding/json writes it: U+FFFD for what is not UTF-8. */
void lookalike_json_append_string (GString *text, const char *string, gssize length);

G_END_DECLS
