/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-validation.h"

#include <string.h>

#include "lookalike-json.h"
#include "lookalike-schema.h"

void
lookalike_validation_init (LookalikeValidation *self)
{
  self->errors = json_array_new ();
  self->body = NULL;
  self->too_deep = FALSE;
}

void
lookalike_validation_clear (LookalikeValidation *self)
{
  g_clear_pointer (&self->errors, json_array_unref);
  g_clear_pointer (&self->body, json_node_unref);
}

void
lookalike_validation_add (LookalikeValidation *self, const char *type, const char *message,
                          JsonNode *input, ...)
{
  JsonObject *error = json_object_new ();
  JsonArray *place = json_array_new ();
  va_list parts;
  const char *part;

  va_start (parts, input);
  while ((part = va_arg (parts, const char *)) != NULL)
    if (g_ascii_isdigit (part[0]))
      json_array_add_int_element (place, g_ascii_strtoll (part, NULL, 10));
    else
      json_array_add_string_element (place, part);
  va_end (parts);
  json_object_set_string_member (error, "type", type);
  json_object_set_array_member (error, "loc", place);
  json_object_set_string_member (error, "msg", message);
  json_object_set_member (error, "input",
                          input != NULL ? json_node_copy (input) : json_node_new (JSON_NODE_NULL));
  json_array_add_object_element (self->errors, error);
}

static JsonObject *
get_context (LookalikeValidation *self)
{
  guint last = json_array_get_length (self->errors) - 1;
  JsonObject *error = json_array_get_object_element (self->errors, last);

  if (!json_object_has_member (error, "ctx"))
    json_object_set_object_member (error, "ctx", json_object_new ());
  return json_object_get_object_member (error, "ctx");
}

void
lookalike_validation_add_rule (LookalikeValidation *self, const char *message)
{
  g_autofree char *words = g_strconcat ("Value error, ", message, NULL);

  lookalike_validation_add (self, "value_error", words, self->body, "body", NULL);
  json_object_set_object_member (get_context (self), "error", json_object_new ());
}

gboolean
lookalike_validation_refuse (LookalikeValidation *self, LookalikeRequest *request)
{
  g_autoptr (JsonObject) reply = NULL;

  if (json_array_get_length (self->errors) == 0)
    return FALSE;
  reply = json_object_new ();
  if (self->too_deep)
    {
      json_object_set_string_member (reply, "detail", "There was an error parsing the body");
      lookalike_request_reply_object (request, SOUP_STATUS_BAD_REQUEST, reply);
      return TRUE;
    }
  json_object_set_array_member (reply, "detail", json_array_ref (self->errors));
  lookalike_request_reply_object (request, SOUP_STATUS_UNPROCESSABLE_ENTITY, reply);
  return TRUE;
}

/* Where, and why, is not told as Python does. */
static void
add_no_json (LookalikeValidation *self)
{
  g_autoptr (JsonNode) input = json_node_new (JSON_NODE_OBJECT);

  json_node_take_object (input, json_object_new ());
  lookalike_validation_add (self, "json_invalid", "JSON decode error", input, "body", "0", NULL);
  json_object_set_string_member (get_context (self), "error", "Expecting value");
}

static gboolean
is_json (LookalikeRequest *request)
{
  const char *type = lookalike_request_get_header (request, "Content-Type");

  return type != NULL && g_ascii_strncasecmp (type, "application/json", 16) == 0;
}

/* What does not say that it is JSON is not read as such, and told back as it is. */
static JsonNode *
new_text (GBytes *body)
{
  g_autofree char *text = g_strndup (g_bytes_get_data (body, NULL), g_bytes_get_size (body));
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  return json_node_init_string (json_node_alloc (), valid);
}

JsonObject *
lookalike_validation_parse (LookalikeValidation *self, LookalikeRequest *request)
{
  g_autoptr (GBytes) body = lookalike_request_get_body (request);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (JsonNode) copy = NULL;

  if (g_bytes_get_size (body) == 0)
    {
      lookalike_validation_add (self, "missing", "Field required", NULL, "body", NULL);
      return NULL;
    }
  if (is_json (request))
    node = lookalike_request_parse (request, &error);
  else
    node = new_text (body);
  self->too_deep
      = g_error_matches (error, JSON_PARSER_ERROR, LOOKALIKE_JSON_TOO_DEEP)
        || !g_utf8_validate_len (g_bytes_get_data (body, NULL), g_bytes_get_size (body), NULL);
  if (error != NULL)
    add_no_json (self);
  else if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    lookalike_validation_add (self, "model_attributes_type",
                              "Input should be a valid dictionary or object to extract fields from",
                              node, "body", NULL);
  else
    {
      /* What is right is made of the type it stands for; what is told back stays as it came. */
      copy = lookalike_request_parse (request, NULL);
      self->body = g_steal_pointer (&node);
      return json_object_ref (json_node_get_object (copy));
    }
  return NULL;
}

void
lookalike_validation_check_number (LookalikeValidation *self, LookalikeRequest *request,
                                   const char *name, gint64 lowest, gint64 highest, gint64 *value)
{
  g_autofree char *text = lookalike_request_get_query (request, name);
  g_autoptr (JsonNode) input = NULL;
  g_autofree char *message = NULL;
  gint64 number;

  if (text == NULL)
    return;
  input = json_node_init_string (json_node_alloc (), text);
  if (!lookalike_schema_read_integer (text, &number))
    lookalike_validation_add (
        self, "int_parsing",
        "Input should be a valid integer, unable to parse string as an integer", input, "query",
        name, NULL);
  else if (number < lowest || number > highest)
    {
      gboolean low = number < lowest;

      message = g_strdup_printf ("Input should be %s than or equal to %" G_GINT64_FORMAT,
                                 low ? "greater" : "less", low ? lowest : highest);
      lookalike_validation_add (self, low ? "greater_than_equal" : "less_than_equal", message,
                                input, "query", name, NULL);
      json_object_set_int_member (get_context (self), low ? "ge" : "le", low ? lowest : highest);
    }
  else
    *value = number;
}
