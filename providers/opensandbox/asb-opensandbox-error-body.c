/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-error-body.h"

#include <string.h>

#include "asb-opensandbox-json.h"

#define MAX_CODE 96
#define MAX_BODY_TEXT 400
#define MAX_PROBLEMS 3
#define ELLIPSIS "\342\200\246"

void
asb_opensandbox_error_body_free (AsbOpensandboxErrorBody *self)
{
  g_free (self->code);
  g_free (self->text);
  g_free (self);
}

/* Characters that a terminal obeys, that turn text around, or that nobody sees. */
static gboolean
is_unprintable (gunichar character)
{
  switch (g_unichar_type (character))
    {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
    case G_UNICODE_PRIVATE_USE:
    case G_UNICODE_SURROGATE:
    case G_UNICODE_SPACE_SEPARATOR:
    case G_UNICODE_UNASSIGNED:
      return TRUE;
    default:
      return FALSE;
    }
}

static const char *
find_page (const char *text)
{
  static const char *const starts[] = { "<!doctype", "<html", "<head", "<body", "<?xml" };
  g_autofree char *lower = g_ascii_strdown (text, -1);
  const char *first = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (starts); i++)
    {
      const char *found = strstr (lower, starts[i]);

      if (found && (!first || found < first))
        first = found;
    }
  return first ? text + (first - lower) : NULL;
}

/* The longest valid start of @line that leaves room for a sign that something is missing. */
static void
shorten (GString *line, gsize max_bytes)
{
  const char *end;

  if (line->len <= max_bytes)
    return;
  g_string_truncate (line, max_bytes > strlen (ELLIPSIS) ? max_bytes - strlen (ELLIPSIS) : 0);
  if (!g_utf8_validate_len (line->str, line->len, &end))
    g_string_truncate (line, (gsize)(end - line->str));
  if (max_bytes > strlen (ELLIPSIS))
    g_string_append (line, ELLIPSIS);
}

char *
asb_opensandbox_error_dup_text (const char *text, gsize size, gsize max_bytes)
{
  /* What is far beyond the limit need not be looked at. */
  g_autofree char *valid = g_utf8_make_valid (text, (gssize)MIN (size, max_bytes * 4 + 64));
  g_autoptr (GString) line = g_string_new (NULL);
  const char *page = find_page (valid);
  gboolean needs_space = FALSE;

  for (const char *at = valid; *at && at != page; at = g_utf8_next_char (at))
    {
      gunichar character = g_utf8_get_char (at);

      if (is_unprintable (character))
        {
          needs_space = line->len > 0;
          continue;
        }
      if (needs_space)
        g_string_append_c (line, ' ');
      needs_space = FALSE;
      g_string_append_unichar (line, character);
    }
  shorten (line, max_bytes);
  return g_string_free (g_steal_pointer (&line), FALSE);
}

/* The server's code goes where people compare it. */
static char *
dup_code (const char *code)
{
  if (!code || *code == '\0' || strlen (code) > MAX_CODE)
    return NULL;
  for (const char *at = code; *at; at++)
    if (!g_ascii_isgraph (*at))
      return NULL;
  return g_strdup (code);
}

static void
set_text (AsbOpensandboxErrorBody *self, const char *text)
{
  g_autofree char *line
      = text ? asb_opensandbox_error_dup_text (text, strlen (text), MAX_BODY_TEXT) : NULL;

  if (line && *line)
    {
      g_free (self->text);
      self->text = g_steal_pointer (&line);
    }
}

static const char *
get_string (JsonObject *object, const char *member)
{
  const char *value = NULL;

  asb_opensandbox_json_get_string (object, member, FALSE, &value, NULL);
  return value;
}

static void
take_code_and_message (AsbOpensandboxErrorBody *self, JsonObject *object)
{
  g_autofree char *code = dup_code (get_string (object, "code"));

  if (code)
    {
      g_free (self->code);
      self->code = g_steal_pointer (&code);
    }
  set_text (self, get_string (object, "message"));
}

/* “body.image” of the list in which a validation says where. */
static void
append_location (GString *line, JsonObject *problem)
{
  JsonArray *location = NULL;

  asb_opensandbox_json_get_array (problem, "loc", FALSE, &location, NULL);
  for (guint i = 0; location && i < json_array_get_length (location); i++)
    {
      JsonNode *node = json_array_get_element (location, i);
      GType type = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_NONE;

      if (i > 0)
        g_string_append_c (line, '.');
      if (type == G_TYPE_STRING)
        g_string_append (line, json_node_get_string (node));
      else if (type == G_TYPE_INT64)
        g_string_append_printf (line, "%" G_GINT64_FORMAT, json_node_get_int (node));
    }
}

static void
append_problem (GString *line, JsonNode *node)
{
  JsonObject *problem;
  const char *message;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    return;
  problem = json_node_get_object (node);
  message = get_string (problem, "msg");
  if (line->len > 0)
    g_string_append (line, "; ");
  append_location (line, problem);
  if (message)
    g_string_append_printf (line, ": %s", message);
}

static void
take_problems (AsbOpensandboxErrorBody *self, JsonArray *problems)
{
  g_autoptr (GString) line = g_string_new (NULL);
  guint n_problems = json_array_get_length (problems);

  for (guint i = 0; i < MIN (n_problems, MAX_PROBLEMS); i++)
    append_problem (line, json_array_get_element (problems, i));
  if (n_problems > MAX_PROBLEMS)
    g_string_append_printf (line, "; and %u more", n_problems - MAX_PROBLEMS);
  set_text (self, line->str);
}

static void
take_detail (AsbOpensandboxErrorBody *self, JsonNode *detail)
{
  if (JSON_NODE_HOLDS_OBJECT (detail))
    take_code_and_message (self, json_node_get_object (detail));
  else if (JSON_NODE_HOLDS_ARRAY (detail))
    take_problems (self, json_node_get_array (detail));
  else if (JSON_NODE_HOLDS_VALUE (detail) && json_node_get_value_type (detail) == G_TYPE_STRING)
    {
      set_text (self, json_node_get_string (detail));
      self->lacks_route = !self->code
                          && (g_strcmp0 (self->text, "Not Found") == 0
                              || g_strcmp0 (self->text, "Method Not Allowed") == 0);
    }
}

static void
take_object (AsbOpensandboxErrorBody *self, JsonObject *object)
{
  JsonNode *detail = json_object_get_member (object, "detail");

  self->is_object = TRUE;
  set_text (self, get_string (object, "error"));
  take_code_and_message (self, object);
  if (detail)
    take_detail (self, detail);
}

/* Where the first of several objects ends that stand one after the other, as after an error in the
 * midst of an answer; 0 if the text is none. */
static gsize
find_end_of_object (const char *text, gsize size)
{
  guint depth = 0;
  gboolean is_string = FALSE;

  for (gsize i = 0; i < size; i++)
    if (is_string && text[i] == '\\')
      i++;
    else if (text[i] == '"')
      is_string = !is_string;
    else if (!is_string && text[i] == '{')
      depth++;
    else if (!is_string && text[i] == '}' && (depth == 0 || --depth == 0))
      return i + 1;
  return 0;
}

static JsonObject *
parse_object (GBytes *body)
{
  gsize size;
  const char *text = g_bytes_get_data (body, &size);
  gsize end = size > 0 && *text == '{' ? find_end_of_object (text, size) : 0;
  g_autoptr (GBytes) first = end > 0 ? g_bytes_new_from_bytes (body, 0, end) : g_bytes_ref (body);

  return asb_opensandbox_json_parse_object (first, "an error", NULL);
}

static void
take_plain_text (AsbOpensandboxErrorBody *self, GBytes *body, const char *content_type)
{
  gsize size;
  const char *text = g_bytes_get_data (body, &size);
  g_autofree char *start = g_utf8_make_valid (size > 0 ? text : "", (gssize)MIN (size, 1024));
  g_autofree char *line = NULL;

  self->is_page = (content_type && strstr (content_type, "html")) || find_page (start) != NULL;
  if (self->is_page || size == 0)
    return;
  line = asb_opensandbox_error_dup_text (text, size, MAX_BODY_TEXT);
  self->lacks_route = g_str_equal (line, "404 page not found");
  if (*line)
    self->text = g_steal_pointer (&line);
}

AsbOpensandboxErrorBody *
asb_opensandbox_error_body_parse (GBytes *body, const char *content_type)
{
  AsbOpensandboxErrorBody *self = g_new0 (AsbOpensandboxErrorBody, 1);
  g_autofree char *type = content_type ? g_ascii_strdown (content_type, -1) : NULL;
  g_autoptr (JsonObject) object = parse_object (body);

  if (object)
    take_object (self, object);
  else
    take_plain_text (self, body, type);
  return self;
}
