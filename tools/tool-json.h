/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Writes one JSON document to standard output. In an object each value has a name, elsewhere the
 * name is NULL. */

#pragma once

#include <gio/gio.h>

typedef struct _ToolJson ToolJson;

ToolJson *tool_json_new (void);
void tool_json_begin_object (ToolJson *self, const char *name);
void tool_json_end_object (ToolJson *self);
void tool_json_begin_array (ToolJson *self, const char *name);
void tool_json_end_array (ToolJson *self);
/* A string where @bytes are UTF-8, {"b64": …} otherwise, null for %NULL. */
void tool_json_add_text (ToolJson *self, const char *name, const char *bytes);
void tool_json_add_integer (ToolJson *self, const char *name, gint64 value);
void tool_json_add_boolean (ToolJson *self, const char *name, gboolean value);
void tool_json_add_null (ToolJson *self, const char *name);
/* In UTC, ISO 8601; null for %NULL. */
void tool_json_add_time (ToolJson *self, const char *name, GDateTime *time);
/* Null for what is no finite number. */
void tool_json_add_double (ToolJson *self, const char *name, double value);
/* The nick of an enumeration's value. */
void tool_json_add_enum (ToolJson *self, const char *name, GType type, int value);
/* An object of strings; empty for %NULL. */
void tool_json_add_table (ToolJson *self, const char *name, GHashTable *table);
/* Whatever JSON can say; null for %NULL. */
void tool_json_add_variant (ToolJson *self, const char *name, GVariant *value);
/* Writes the document and frees @self. Returns: the exit status */
int tool_json_print (ToolJson *self);

const char *tool_enum_get_nick (GType type, int value);
