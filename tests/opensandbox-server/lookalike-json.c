/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-json.h"

#include <string.h>

#define MAX_DEPTH 100

static gboolean
is_too_deep (const char *data, gsize size)
{
  guint depth = 0;
  gboolean in_string = FALSE;

  for (gsize i = 0; i < size; i++)
    if (in_string && data[i] == '\\')
      i++;
    else if (data[i] == '"')
      in_string = !in_string;
    else if (!in_string && (data[i] == '[' || data[i] == '{') && ++depth > MAX_DEPTH)
      return TRUE;
    else if (!in_string && (data[i] == ']' || data[i] == '}') && depth > 0)
      depth--;
  return FALSE;
}

JsonNode *
lookalike_json_parse (const char *data, gsize size, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root;

  if (is_too_deep (data, size))
    {
      g_set_error_literal (error, JSON_PARSER_ERROR, LOOKALIKE_JSON_TOO_DEEP, "Nested too deeply");
      return NULL;
    }
  if (!json_parser_load_from_data (parser, data, (gssize)size, error))
    return NULL;
  root = json_parser_steal_root (parser);
  if (root == NULL)
    {
      g_set_error_literal (error, JSON_PARSER_ERROR, JSON_PARSER_ERROR_PARSE, "EOF");
      return NULL;
    }
  return root;
}

char *
lookalike_json_print_object (JsonObject *object)
{
  g_autoptr (JsonNode) node = json_node_init_object (json_node_alloc (), object);
  g_autoptr (JsonGenerator) generator = json_generator_new ();

  json_generator_set_root (generator, node);
  return json_generator_to_data (generator, NULL);
}

static JsonNode *
find (JsonObject *object, const char *name, GType type)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != type)
    return NULL;
  return node;
}

const char *
lookalike_json_get_string (JsonObject *object, const char *name)
{
  JsonNode *node = find (object, name, G_TYPE_STRING);

  return node != NULL ? json_node_get_string (node) : NULL;
}

JsonObject *
lookalike_json_get_object (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

JsonArray *
lookalike_json_get_array (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

gint64
lookalike_json_get_int (JsonObject *object, const char *name, gint64 otherwise)
{
  JsonNode *node = find (object, name, G_TYPE_INT64);

  return node != NULL ? json_node_get_int (node) : otherwise;
}

gboolean
lookalike_json_get_boolean (JsonObject *object, const char *name)
{
  JsonNode *node = find (object, name, G_TYPE_BOOLEAN);

  return node != NULL && json_node_get_boolean (node);
}

gboolean
lookalike_json_has (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && !JSON_NODE_HOLDS_NULL (node);
}

static gboolean
is_string (JsonNode *node)
{
  return JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING;
}

gboolean
lookalike_json_is_string_list (JsonNode *node)
{
  JsonArray *array;

  if (!JSON_NODE_HOLDS_ARRAY (node))
    return FALSE;
  array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++)
    if (!is_string (json_array_get_element (array, i)))
      return FALSE;
  return TRUE;
}

static void
append_character (GString *text, gunichar character, const char *bytes, gsize length)
{
  if (character == '"' || character == '\\')
    g_string_append_printf (text, "\\%c", (char)character);
  else if (character == '\n')
    g_string_append (text, "\\n");
  else if (character == '\r')
    g_string_append (text, "\\r");
  else if (character == '\t')
    g_string_append (text, "\\t");
  else if (character == '\b')
    g_string_append (text, "\\b");
  else if (character == '\f')
    g_string_append (text, "\\f");
  else if (character < 0x20 || character == '<' || character == '>' || character == '&'
           || character == 0x2028 || character == 0x2029)
    g_string_append_printf (text, "\\u%04x", character);
  else
    g_string_append_len (text, bytes, (gssize)length);
}

void
lookalike_json_append_string (GString *text, const char *string, gssize length)
{
  gsize left = length < 0 ? strlen (string) : (gsize)length;

  g_string_append_c (text, '"');
  while (left > 0)
    {
      gunichar character = *string == '\0' ? 0 : g_utf8_get_char_validated (string, (gssize)left);
      gsize size;

      if (character == (gunichar)-1 || character == (gunichar)-2)
        {
          g_string_append (text, "\\ufffd");
          size = 1;
        }
      else
        {
          size = *string == '\0' ? 1 : (gsize)g_unichar_to_utf8 (character, NULL);
          append_character (text, character, string, size);
        }
      string += size;
      left -= size;
    }
  g_string_append_c (text, '"');
}
