/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-json.h"

#include <math.h>
#include <string.h>

#include "tool-output.h"

struct _ToolJson
{
  GString *text;
  guint depth;
  gboolean first; /* nothing stands in the innermost object or array yet */
};

ToolJson *
tool_json_new (void)
{
  ToolJson *self = g_new0 (ToolJson, 1);

  self->text = g_string_new (NULL);
  self->first = TRUE;
  return self;
}

static void
append_string (GString *text, const char *string, gsize length)
{
  const char *const end = string + length;

  g_string_append_c (text, '"');
  for (const char *at = string; at < end; at = g_utf8_next_char (at))
    {
      const gunichar character = g_utf8_get_char (at);

      if (character == '"' || character == '\\')
        g_string_append_printf (text, "\\%c", (char)character);
      else if (character < 0x20 || (character >= 0x7f && character < 0xa0))
        g_string_append_printf (text, "\\u%04x", character);
      else
        g_string_append_len (text, at, g_utf8_next_char (at) - at);
    }
  g_string_append_c (text, '"');
}

static void
begin_value (ToolJson *self, const char *name)
{
  if (self->depth > 0)
    g_string_append_printf (self->text, "%s\n%*s", self->first ? "" : ",", 2 * (int)self->depth,
                            "");
  self->first = FALSE;
  if (!name)
    return;
  append_string (self->text, name, strlen (name));
  g_string_append (self->text, ": ");
}

static void
begin_group (ToolJson *self, const char *name, char bracket)
{
  begin_value (self, name);
  g_string_append_c (self->text, bracket);
  self->depth++;
  self->first = TRUE;
}

static void
end_group (ToolJson *self, char bracket)
{
  self->depth--;
  if (!self->first)
    g_string_append_printf (self->text, "\n%*s", 2 * (int)self->depth, "");
  g_string_append_c (self->text, bracket);
  self->first = FALSE;
}

void
tool_json_begin_object (ToolJson *self, const char *name)
{
  begin_group (self, name, '{');
}

void
tool_json_end_object (ToolJson *self)
{
  end_group (self, '}');
}

void
tool_json_begin_array (ToolJson *self, const char *name)
{
  begin_group (self, name, '[');
}

void
tool_json_end_array (ToolJson *self)
{
  end_group (self, ']');
}

static void
add_bytes (ToolJson *self, const char *name, const char *bytes, gsize length)
{
  g_autofree char *base64 = NULL;

  if (g_utf8_validate_len (bytes, length, NULL))
    {
      begin_value (self, name);
      append_string (self->text, bytes, length);
      return;
    }
  base64 = g_base64_encode ((const guchar *)bytes, length);
  tool_json_begin_object (self, name);
  tool_json_add_text (self, "b64", base64);
  tool_json_end_object (self);
}

void
tool_json_add_text (ToolJson *self, const char *name, const char *bytes)
{
  if (bytes)
    add_bytes (self, name, bytes, strlen (bytes));
  else
    tool_json_add_null (self, name);
}

void
tool_json_add_integer (ToolJson *self, const char *name, gint64 value)
{
  begin_value (self, name);
  g_string_append_printf (self->text, "%" G_GINT64_FORMAT, value);
}

void
tool_json_add_boolean (ToolJson *self, const char *name, gboolean value)
{
  begin_value (self, name);
  g_string_append (self->text, value ? "true" : "false");
}

void
tool_json_add_null (ToolJson *self, const char *name)
{
  begin_value (self, name);
  g_string_append (self->text, "null");
}

void
tool_json_add_time (ToolJson *self, const char *name, GDateTime *time)
{
  g_autoptr (GDateTime) utc = time ? g_date_time_to_utc (time) : NULL;
  g_autofree char *text = utc ? g_date_time_format_iso8601 (utc) : NULL;

  tool_json_add_text (self, name, text);
}

const char *
tool_enum_get_nick (GType type, int value)
{
  GEnumClass *enum_class = g_type_class_ref (type); /* static types stay */
  const GEnumValue *enum_value = g_enum_get_value (enum_class, value);

  g_type_class_unref (enum_class);
  return enum_value ? enum_value->value_nick : "unknown";
}

void
tool_json_add_enum (ToolJson *self, const char *name, GType type, int value)
{
  tool_json_add_text (self, name, tool_enum_get_nick (type, value));
}

void
tool_json_add_table (ToolJson *self, const char *name, GHashTable *table)
{
  g_autoptr (GList) keys
      = table ? g_list_sort (g_hash_table_get_keys (table), (GCompareFunc)strcmp) : NULL;

  tool_json_begin_object (self, name);
  for (GList *key = keys; key; key = key->next)
    tool_json_add_text (self, key->data, g_hash_table_lookup (table, key->data));
  tool_json_end_object (self);
}

void
tool_json_add_double (ToolJson *self, const char *name, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (value))
    {
      tool_json_add_null (self, name);
      return;
    }
  begin_value (self, name);
  g_string_append (self->text, g_ascii_dtostr (buffer, sizeof buffer, value));
}

/* Integers of all sizes. */
static void
add_number (ToolJson *self, const char *name, GVariant *value)
{
  g_autofree char *text = g_variant_print (value, FALSE);

  begin_value (self, name);
  g_string_append (self->text, text);
}

static void
add_byte_array (ToolJson *self, const char *name, GVariant *value)
{
  gsize length = 0;
  const char *bytes = g_variant_get_fixed_array (value, &length, 1);

  add_bytes (self, name, bytes ? bytes : "", length);
}

static void
add_dictionary (ToolJson *self, const char *name, GVariant *value)
{
  GVariantIter iter;
  GVariant *entry;

  tool_json_begin_object (self, name);
  g_variant_iter_init (&iter, value);
  while ((entry = g_variant_iter_next_value (&iter)))
    {
      g_autoptr (GVariant) key = g_variant_get_child_value (entry, 0);
      g_autoptr (GVariant) member = g_variant_get_child_value (entry, 1);

      tool_json_add_variant (self, g_variant_get_string (key, NULL), member);
      g_variant_unref (entry);
    }
  tool_json_end_object (self);
}

static void
add_children (ToolJson *self, const char *name, GVariant *value)
{
  tool_json_begin_array (self, name);
  for (gsize i = 0; i < g_variant_n_children (value); i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (value, i);

      tool_json_add_variant (self, NULL, child);
    }
  tool_json_end_array (self);
}

static void
add_container (ToolJson *self, const char *name, GVariant *value)
{
  g_autoptr (GVariant) child = NULL;

  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BYTESTRING))
    add_byte_array (self, name, value);
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE ("a{s*}")))
    add_dictionary (self, name, value);
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_VARIANT)
           || g_variant_is_of_type (value, G_VARIANT_TYPE_MAYBE))
    {
      child = g_variant_n_children (value) > 0 ? g_variant_get_child_value (value, 0) : NULL;
      tool_json_add_variant (self, name, child);
    }
  else
    add_children (self, name, value);
}

void
tool_json_add_variant (ToolJson *self, const char *name, GVariant *value)
{
  if (!value)
    tool_json_add_null (self, name);
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    tool_json_add_boolean (self, name, g_variant_get_boolean (value));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING)
           || g_variant_is_of_type (value, G_VARIANT_TYPE_OBJECT_PATH)
           || g_variant_is_of_type (value, G_VARIANT_TYPE_SIGNATURE))
    tool_json_add_text (self, name, g_variant_get_string (value, NULL));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    tool_json_add_double (self, name, g_variant_get_double (value));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_BYTE))
    tool_json_add_integer (self, name, g_variant_get_byte (value));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_BASIC))
    add_number (self, name, value);
  else
    add_container (self, name, value);
}

int
tool_json_print (ToolJson *self)
{
  g_autoptr (GString) text = g_steal_pointer (&self->text);

  g_free (self);
  g_string_append_c (text, '\n');
  return tool_output_print (text->str, text->len);
}
