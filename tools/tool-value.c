/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-value.h"

#include <asb.h>
#include <jansson.h>
#include <string.h>

static GVariant *from_json (json_t *json);

static GVariant *
from_object (json_t *json)
{
  GVariantDict dict;
  const char *name;
  json_t *member;

  g_variant_dict_init (&dict, NULL);
  json_object_foreach (json, name, member)
    g_variant_dict_insert_value (&dict, name, from_json (member));
  return g_variant_dict_end (&dict);
}

static gboolean
holds_only (json_t *json, json_type type)
{
  size_t i;
  json_t *element;

  json_array_foreach (json, i, element)
    if (json_typeof (element) != type)
      return FALSE;
  return json_array_size (json) > 0;
}

/* An array of one kind has its own type, as a programmer would give it. */
static GVariant *
from_array (json_t *json)
{
  const gboolean is_plain = holds_only (json, JSON_STRING) || holds_only (json, JSON_OBJECT);
  GVariantBuilder builder;
  size_t i;
  json_t *element;

  g_variant_builder_init (&builder, is_plain ? G_VARIANT_TYPE_ARRAY : G_VARIANT_TYPE ("av"));
  json_array_foreach (json, i, element)
    {
      GVariant *value = from_json (element);

      g_variant_builder_add_value (&builder, is_plain ? value : g_variant_new_variant (value));
    }
  return g_variant_builder_end (&builder);
}

/* Returns: (transfer floating) */
static GVariant *
from_json (json_t *json)
{
  switch (json_typeof (json))
    {
    case JSON_OBJECT:
      return from_object (json);
    case JSON_ARRAY:
      return from_array (json);
    case JSON_STRING:
      return g_variant_new_string (json_string_value (json));
    case JSON_INTEGER:
      return g_variant_new_int64 (json_integer_value (json));
    case JSON_REAL:
      return g_variant_new_double (json_real_value (json));
    case JSON_TRUE:
    case JSON_FALSE:
      return g_variant_new_boolean (json_is_true (json));
    case JSON_NULL:
    default:
      return g_variant_new_maybe (G_VARIANT_TYPE_VARIANT, NULL);
    }
}

/* What is there is never quoted: it may be a secret. */
GVariant *
tool_value_parse_object (const char *text, gsize size, const char *what, GError **error)
{
  json_error_t fault;
  json_t *json;
  GVariant *value;

  if (!asb_json_check (text, (gssize)size, error))
    {
      g_prefix_error (error, "There is no JSON in %s: ", what);
      return NULL;
    }
  json = json_loadb (text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &fault);
  if (!json_is_object (json))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   json ? "There is no JSON object in %s, but something else"
                        : "The JSON in %s says something twice",
                   what);
      json_decref (json);
      return NULL;
    }
  value = g_variant_ref_sink (from_json (json));
  json_decref (json);
  return value;
}

GVariant *
tool_value_parse (const char *text)
{
  json_t *json = asb_json_check (text, -1, NULL)
                     ? json_loads (text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL)
                     : NULL;
  GVariant *value = g_variant_ref_sink (json ? from_json (json) : g_variant_new_string (text));

  json_decref (json);
  return value;
}
