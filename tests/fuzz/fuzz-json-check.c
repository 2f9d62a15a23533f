/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* asb_json_check () beside two parsers: it accepts exactly what jansson does within its bounds, and
 * what it accepts json-glib reads without harm, and reads the same. */

#include "fuzz.h"

#include <asb.h>
#include <json-glib/json-glib.h>

#include "twin.h"

#define MAX_NUMBER_LENGTH 128

static void compare (JsonNode *node, const Twin *twin);

/* Whether the text has only what both have an opinion on: jansson knows no bound for numbers and
 * one of its own for depth, and overlooks a NUL after a number or a word. */
static gboolean
is_within_bounds (const char *text, gsize size)
{
  gsize depth = 0;
  gsize digits = 0;
  gboolean in_string = FALSE;

  for (gsize i = 0; i < size; i++)
    {
      gboolean is_number = g_ascii_isdigit (text[i]) || (text[i] && strchr ("+-.eE", text[i]));

      digits = !in_string && is_number ? digits + 1 : 0;
      if (in_string && text[i] == '\\')
        i++;
      else if (text[i] == '"')
        in_string = !in_string;
      else if (!in_string && (text[i] == '[' || text[i] == '{'))
        depth++;
      else if (!in_string && (text[i] == ']' || text[i] == '}') && depth > 0)
        depth--;
      if (depth > ASB_JSON_MAX_DEPTH || digits > MAX_NUMBER_LENGTH || !text[i])
        return FALSE;
    }
  return TRUE;
}

static void
compare_object (JsonObject *object, const Twin *twin)
{
  g_autoptr (GList) names = json_object_get_members (object);

  FUZZ_CHECK (json_object_get_size (object) == twin_size (twin));
  for (GList *link = names; link; link = link->next)
    {
      const Twin *member = twin_member (twin, link->data);

      FUZZ_CHECK (member != NULL);
      compare (json_object_get_member (object, link->data), member);
    }
}

static void
compare_array (JsonArray *array, const Twin *twin)
{
  FUZZ_CHECK (json_array_get_length (array) == twin_size (twin));
  for (guint i = 0; i < json_array_get_length (array); i++)
    compare (json_array_get_element (array, i), twin_item (twin, i));
}

static void
compare (JsonNode *node, const Twin *twin)
{
  switch (twin_kind (twin))
    {
    case TWIN_OBJECT:
      compare_object (json_node_get_object (node), twin);
      break;
    case TWIN_ARRAY:
      compare_array (json_node_get_array (node), twin);
      break;
    case TWIN_STRING:
      FUZZ_CHECK (g_strcmp0 (json_node_get_string (node), twin_string (twin)) == 0);
      break;
    case TWIN_INTEGER:
      FUZZ_CHECK (json_node_get_value_type (node) == G_TYPE_INT64
                  && json_node_get_int (node) == twin_integer (twin));
      break;
    case TWIN_REAL:
      FUZZ_CHECK (json_node_get_double (node) == twin_real (twin));
      break;
    case TWIN_NULL:
      FUZZ_CHECK (json_node_is_null (node));
      break;
    default:
      FUZZ_CHECK (json_node_get_boolean (node) == twin_boolean (twin));
    }
}

static void
check_accepted (const char *text, gsize size, const Twin *twin)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;

  FUZZ_CHECK (json_parser_load_from_data (parser, text, (gssize)size, &error));
  compare (json_parser_get_root (parser), twin);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const char *text = (const char *)data;
  g_autoptr (GError) error = NULL;
  gboolean accepted = asb_json_check (text, (gssize)size, &error);
  Twin *twin = twin_parse (size > 0 ? text : "", size);

  FUZZ_CHECK (accepted == (error == NULL));
  FUZZ_CHECK (accepted || g_error_matches (error, ASB_ERROR, ASB_ERROR_PROTOCOL));
  if (accepted)
    FUZZ_CHECK (twin && !memchr (text, '\0', size));
  else if (twin)
    FUZZ_CHECK (!is_within_bounds (text, size));
  if (accepted)
    check_accepted (text, size, twin);
  twin_free (twin);
  return 0;
}
