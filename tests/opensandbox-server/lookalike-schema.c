/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-schema.h"

#include <math.h>
#include <string.h>

#include "lookalike-json.h"

typedef struct
{
  LookalikeValidation *validation;
  JsonArray *place;
} Walk;

static JsonNode *
copy_node (JsonNode *node)
{
  return node != NULL ? json_node_copy (node) : json_node_new (JSON_NODE_NULL);
}

/* Takes @context. */
static void complain (Walk *walk, const char *type, JsonNode *input, JsonObject *context,
                      const char *format, ...) G_GNUC_PRINTF (5, 6);

static void
complain (Walk *walk, const char *type, JsonNode *input, JsonObject *context, const char *format,
          ...)
{
  JsonObject *error = json_object_new ();
  JsonArray *place = json_array_new ();
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  json_object_set_string_member (error, "type", type);
  for (guint i = 0; i < json_array_get_length (walk->place); i++)
    json_array_add_element (place, json_array_dup_element (walk->place, i));
  json_object_set_array_member (error, "loc", place);
  json_object_set_string_member (error, "msg", message);
  json_object_set_member (error, "input", copy_node (input));
  if (context != NULL)
    json_object_set_object_member (error, "ctx", context);
  json_array_add_object_element (walk->validation->errors, error);
}

static JsonObject *
new_number_context (const char *name, gint64 number)
{
  JsonObject *context = json_object_new ();

  json_object_set_int_member (context, name, number);
  return context;
}

static JsonObject *
new_text_context (const char *name, const char *text)
{
  JsonObject *context = json_object_new ();

  json_object_set_string_member (context, name, text);
  return context;
}

static gboolean
holds (JsonNode *node, GType type)
{
  return JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == type;
}

/* Strings. */

static void
check_length (Walk *walk, const LookalikeField *field, JsonNode *node)
{
  const char *text = json_node_get_string (node);
  glong length = g_utf8_strlen (text, -1);

  if (length < field->least)
    complain (walk, "string_too_short", node, new_number_context ("min_length", field->least),
              "String should have at least %" G_GINT64_FORMAT " character%s", field->least,
              field->least == 1 ? "" : "s");
  else if (field->most > 0 && length > field->most)
    complain (walk, "string_too_long", node, new_number_context ("max_length", field->most),
              "String should have at most %" G_GINT64_FORMAT " characters", field->most);
  else if (field->pattern != NULL && !g_regex_match_simple (field->pattern, text, 0, 0))
    complain (walk, "string_pattern_mismatch", node, new_text_context ("pattern", field->pattern),
              "String should match pattern '%s'", field->pattern);
}

static void
check_word (Walk *walk, const LookalikeField *field, JsonNode *node)
{
  const char *text = holds (node, G_TYPE_STRING) ? json_node_get_string (node) : "";
  g_autofree char *quoted = g_strdup_printf ("'%s'", text);

  if (strstr (field->words, quoted) == NULL)
    complain (walk, "literal_error", node, new_text_context ("expected", field->words),
              "Input should be %s", field->words);
}

static void
check_string (Walk *walk, const LookalikeField *field, JsonNode *node)
{
  if (field->words != NULL)
    check_word (walk, field, node);
  else if (!holds (node, G_TYPE_STRING))
    complain (walk, "string_type", node, NULL, "Input should be a valid string");
  else
    check_length (walk, field, node);
}

/* Numbers and booleans. What is taken for one becomes one. */

gboolean
lookalike_schema_read_integer (const char *text, gint64 *value)
{
  static const char number[] = "^\\s*[-+]?[0-9]+(_[0-9]+)*(\\.0+)?\\s*$";
  g_auto (GStrv) parts = NULL;
  g_autofree char *digits = NULL;

  if (!g_regex_match_simple (number, text, 0, 0))
    return FALSE;
  parts = g_strsplit (text, "_", -1);
  digits = g_strjoinv ("", parts);
  *value = g_ascii_strtoll (digits, NULL, 10);
  return TRUE;
}

static gboolean
take_integer (Walk *walk, JsonNode *node, gint64 *value)
{
  double number;

  if (holds (node, G_TYPE_STRING))
    {
      if (lookalike_schema_read_integer (json_node_get_string (node), value))
        return TRUE;
      complain (walk, "int_parsing", node, NULL,
                "Input should be a valid integer, unable to parse string as an integer");
      return FALSE;
    }
  if (!JSON_NODE_HOLDS_VALUE (node))
    {
      complain (walk, "int_type", node, NULL, "Input should be a valid integer");
      return FALSE;
    }
  number
      = holds (node, G_TYPE_BOOLEAN) ? json_node_get_boolean (node) : json_node_get_double (node);
  *value = holds (node, G_TYPE_INT64) ? json_node_get_int (node) : (gint64)number;
  if (holds (node, G_TYPE_DOUBLE) && trunc (number) != number)
    complain (walk, "int_from_float", node, NULL,
              "Input should be a valid integer, got a number with a fractional part");
  return !holds (node, G_TYPE_DOUBLE) || trunc (number) == number;
}

static void
check_integer (Walk *walk, const LookalikeField *field, JsonNode *node)
{
  gint64 value = 0;

  if (!take_integer (walk, node, &value))
    return;
  if (value < field->least)
    complain (walk, "greater_than_equal", node, new_number_context ("ge", field->least),
              "Input should be greater than or equal to %" G_GINT64_FORMAT, field->least);
  else if (field->most > 0 && value > field->most)
    complain (walk, "less_than_equal", node, new_number_context ("le", field->most),
              "Input should be less than or equal to %" G_GINT64_FORMAT, field->most);
  else
    json_node_set_int (node, value);
}

gboolean
lookalike_schema_read_boolean (const char *text, gboolean *value)
{
  static const char *const words[][6]
      = { { "0", "off", "f", "false", "n", "no" }, { "1", "on", "t", "true", "y", "yes" } };

  for (guint which = 0; which < 2; which++)
    for (guint i = 0; i < G_N_ELEMENTS (words[which]); i++)
      if (g_ascii_strcasecmp (text, words[which][i]) == 0)
        {
          *value = which == 1;
          return TRUE;
        }
  return FALSE;
}

static void
check_boolean (Walk *walk, JsonNode *node)
{
  gboolean value = FALSE;
  g_autofree char *text = NULL;

  if (!JSON_NODE_HOLDS_VALUE (node))
    {
      complain (walk, "bool_type", node, NULL, "Input should be a valid boolean");
      return;
    }
  text = holds (node, G_TYPE_STRING)    ? g_strdup (json_node_get_string (node))
         : holds (node, G_TYPE_BOOLEAN) ? g_strdup (json_node_get_boolean (node) ? "1" : "0")
                                        : g_strdup_printf ("%g", json_node_get_double (node));
  if (lookalike_schema_read_boolean (text, &value))
    json_node_set_boolean (node, value);
  else
    complain (walk, "bool_parsing", node, NULL,
              "Input should be a valid boolean, unable to interpret input");
}

/* What holds others. */

static void check_model (Walk *walk, const LookalikeField *field, JsonNode *node);

static void
leave (Walk *walk)
{
  json_array_remove_element (walk->place, json_array_get_length (walk->place) - 1);
}

static void
check_map (Walk *walk, const LookalikeField *field, JsonNode *node)
{
  static const LookalikeField text = { .name = "", .kind = LOOKALIKE_KIND_STRING };
  g_autoptr (GList) keys = NULL;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      complain (walk, "dict_type", node, NULL, "Input should be a valid dictionary");
      return;
    }
  if (field->kind == LOOKALIKE_KIND_MAP)
    keys = json_object_get_members (json_node_get_object (node));
  for (GList *i = keys; i != NULL; i = i->next)
    {
      JsonNode *value = json_object_get_member (json_node_get_object (node), i->data);

      if (JSON_NODE_HOLDS_NULL (value) && (field->flags & LOOKALIKE_FIELD_NULLS) != 0)
        continue;
      json_array_add_string_element (walk->place, i->data);
      check_string (walk, &text, value);
      leave (walk);
    }
}

static void
check_items (Walk *walk, const LookalikeField *field, JsonArray *items)
{
  static const LookalikeField text = { .name = "", .kind = LOOKALIKE_KIND_STRING };

  for (guint i = 0; i < json_array_get_length (items); i++)
    {
      json_array_add_int_element (walk->place, i);
      if (field->members != NULL)
        check_model (walk, field, json_array_get_element (items, i));
      else
        check_string (walk, &text, json_array_get_element (items, i));
      leave (walk);
    }
}

static void
check_list (Walk *walk, const LookalikeField *field, JsonNode *node)
{
  JsonObject *context;
  guint length;

  if (!JSON_NODE_HOLDS_ARRAY (node))
    {
      complain (walk, "list_type", node, NULL, "Input should be a valid list");
      return;
    }
  length = json_array_get_length (json_node_get_array (node));
  if (length >= field->least)
    {
      check_items (walk, field, json_node_get_array (node));
      return;
    }
  context = new_text_context ("field_type", "List");
  json_object_set_int_member (context, "min_length", field->least);
  json_object_set_int_member (context, "actual_length", length);
  complain (walk, "too_short", node, context,
            "List should have at least %" G_GINT64_FORMAT " item%s after validation, not %u",
            field->least, field->least == 1 ? "" : "s", length);
}

static void
check_value (Walk *walk, const LookalikeField *field, JsonNode *node)
{
  switch (field->kind)
    {
    case LOOKALIKE_KIND_ANY:
      break;
    case LOOKALIKE_KIND_STRING:
      check_string (walk, field, node);
      break;
    case LOOKALIKE_KIND_INTEGER:
      check_integer (walk, field, node);
      break;
    case LOOKALIKE_KIND_BOOLEAN:
      check_boolean (walk, node);
      break;
    case LOOKALIKE_KIND_MAP:
    case LOOKALIKE_KIND_DICT:
      check_map (walk, field, node);
      break;
    case LOOKALIKE_KIND_LIST:
      check_list (walk, field, node);
      break;
    case LOOKALIKE_KIND_MODEL:
      check_model (walk, field, node);
      break;
    }
}

/* “mount_path” stands for “mountPath”, as the members of the server's own objects are called. */
static void
take_other_name (JsonObject *model, const char *name)
{
  g_autoptr (GString) other = g_string_new (NULL);

  for (const char *at = name; *at != '\0'; at++)
    if (g_ascii_isupper (*at))
      g_string_append_printf (other, "_%c", g_ascii_tolower (*at));
    else
      g_string_append_c (other, *at);
  if (json_object_has_member (model, name) || !json_object_has_member (model, other->str))
    return;
  json_object_set_member (model, name, json_object_dup_member (model, other->str));
  json_object_remove_member (model, other->str);
}

static void
check_member (Walk *walk, const LookalikeField *field, JsonNode *whole)
{
  const LookalikeFieldFlags never_null = LOOKALIKE_FIELD_REQUIRED | LOOKALIKE_FIELD_NO_NULL;
  JsonObject *model = json_node_get_object (whole);
  JsonNode *node;

  take_other_name (model, field->name);
  node = json_object_get_member (model, field->name);
  json_array_add_string_element (walk->place, field->name);
  if (node == NULL && (field->flags & LOOKALIKE_FIELD_REQUIRED) != 0)
    complain (walk, "missing", whole, NULL, "Field required");
  else if (node != NULL && (!JSON_NODE_HOLDS_NULL (node) || (field->flags & never_null) != 0))
    check_value (walk, field, node);
  leave (walk);
}

static void
check_others (Walk *walk, const LookalikeField *members, JsonObject *model)
{
  g_autoptr (GList) names = json_object_get_members (model);

  for (GList *i = names; i != NULL; i = i->next)
    {
      const LookalikeField *known = members;

      while (known->name != NULL && strcmp (known->name, i->data) != 0)
        known++;
      if (known->name != NULL)
        continue;
      json_array_add_string_element (walk->place, i->data);
      complain (walk, "extra_forbidden", json_object_get_member (model, i->data), NULL,
                "Extra inputs are not permitted");
      leave (walk);
    }
}

static void
check_model (Walk *walk, const LookalikeField *field, JsonNode *node)
{
  guint before = json_array_get_length (walk->validation->errors);
  const char *fault = NULL;
  JsonObject *context;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      complain (walk, "model_attributes_type", node, NULL,
                "Input should be a valid dictionary or object to extract fields from");
      return;
    }
  for (const LookalikeField *member = field->members; member->name != NULL; member++)
    check_member (walk, member, node);
  if ((field->flags & LOOKALIKE_FIELD_CLOSED) != 0)
    check_others (walk, field->members, json_node_get_object (node));
  /* What speaks of several members is only looked at when each is right by itself. */
  if (field->find_fault != NULL && json_array_get_length (walk->validation->errors) == before)
    fault = field->find_fault (json_node_get_object (node));
  if (fault == NULL)
    return;
  context = json_object_new ();
  json_object_set_object_member (context, "error", json_object_new ());
  complain (walk, "value_error", node, context, "Value error, %s", fault);
}

void
lookalike_schema_check (LookalikeValidation *validation, const LookalikeField *members,
                        JsonObject *body)
{
  const LookalikeField whole = { .name = "body", .kind = LOOKALIKE_KIND_MODEL, .members = members };
  g_autoptr (JsonNode) node = json_node_init_object (json_node_alloc (), body);
  g_autoptr (JsonArray) place = json_array_new ();
  Walk walk = { .validation = validation, .place = place };

  json_array_add_string_element (place, "body");
  check_model (&walk, &whole, node);
}

void
lookalike_schema_check_map (LookalikeValidation *validation, JsonObject *body)
{
  static const LookalikeField whole
      = { .name = "body", .kind = LOOKALIKE_KIND_MAP, .flags = LOOKALIKE_FIELD_NULLS };
  g_autoptr (JsonNode) node = json_node_init_object (json_node_alloc (), body);
  g_autoptr (JsonArray) place = json_array_new ();
  Walk walk = { .validation = validation, .place = place };

  json_array_add_string_element (place, "body");
  check_map (&walk, &whole, node);
}
