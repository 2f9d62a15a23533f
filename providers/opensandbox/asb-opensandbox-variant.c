/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-variant.h"

#include <asb.h>

static GVariant *node_to_variant (JsonNode *node);

static GVariant *
object_to_variant (JsonObject *object)
{
  GVariantBuilder builder;
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &member))
    {
      GVariant *value = node_to_variant (member);

      if (value)
        g_variant_builder_add (&builder, "{sv}", name, value);
    }
  return g_variant_builder_end (&builder);
}

/* A null in an array keeps its place, as a maybe that is nothing. */
static GVariant *
array_to_variant (JsonArray *array)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("av"));
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      GVariant *value = node_to_variant (json_array_get_element (array, i));

      g_variant_builder_add (&builder, "v",
                             value ? value : g_variant_new_maybe (G_VARIANT_TYPE_VARIANT, NULL));
    }
  return g_variant_builder_end (&builder);
}

static GVariant *
node_to_variant (JsonNode *node)
{
  if (JSON_NODE_HOLDS_OBJECT (node))
    return object_to_variant (json_node_get_object (node));
  if (JSON_NODE_HOLDS_ARRAY (node))
    return array_to_variant (json_node_get_array (node));
  if (JSON_NODE_HOLDS_NULL (node))
    return NULL;
  switch (json_node_get_value_type (node))
    {
    case G_TYPE_STRING:
      return g_variant_new_string (json_node_get_string (node));
    case G_TYPE_BOOLEAN:
      return g_variant_new_boolean (json_node_get_boolean (node));
    case G_TYPE_INT64:
      return g_variant_new_int64 (json_node_get_int (node));
    default:
      return g_variant_new_double (json_node_get_double (node));
    }
}

GVariant *
asb_opensandbox_variant_from_json (JsonNode *node)
{
  g_autoptr (GVariant) value = node_to_variant (node);
  GVariantDict dict;

  if (value)
    g_variant_ref_sink (value);
  if (value && g_variant_is_of_type (value, G_VARIANT_TYPE_VARDICT))
    return g_steal_pointer (&value);
  g_variant_dict_init (&dict, NULL);
  if (value)
    g_variant_dict_insert_value (&dict, JSON_NODE_HOLDS_ARRAY (node) ? "items" : "value", value);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

static JsonNode *
dictionary_to_json (GVariant *value, GError **error)
{
  g_autoptr (JsonObject) object = json_object_new ();
  GVariantIter iter;
  GVariant *entry;

  g_variant_iter_init (&iter, value);
  while ((entry = g_variant_iter_next_value (&iter)) != NULL)
    {
      g_autoptr (GVariant) owned = entry;
      g_autoptr (GVariant) name = g_variant_get_child_value (entry, 0);
      g_autoptr (GVariant) child = g_variant_get_child_value (entry, 1);
      JsonNode *node = asb_opensandbox_variant_to_json (child, error);

      if (!node)
        return NULL;
      json_object_set_member (object, g_variant_get_string (name, NULL), node);
    }
  return json_node_init_object (json_node_alloc (), object);
}

static JsonNode *
sequence_to_json (GVariant *value, GError **error)
{
  g_autoptr (JsonArray) array = json_array_new ();
  GVariantIter iter;
  GVariant *child;

  g_variant_iter_init (&iter, value);
  while ((child = g_variant_iter_next_value (&iter)) != NULL)
    {
      g_autoptr (GVariant) owned = child;
      JsonNode *node = asb_opensandbox_variant_to_json (child, error);

      if (!node)
        return NULL;
      json_array_add_element (array, node);
    }
  return json_node_init_array (json_node_alloc (), array);
}

static JsonNode *
maybe_to_json (GVariant *value, GError **error)
{
  g_autoptr (GVariant) child = g_variant_get_maybe (value);

  return child ? asb_opensandbox_variant_to_json (child, error) : json_node_new (JSON_NODE_NULL);
}

static JsonNode *
unsigned_to_json (guint64 value, GError **error)
{
  if (value <= G_MAXINT64)
    return json_node_init_int (json_node_alloc (), (gint64)value);
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "The number %" G_GUINT64_FORMAT " is too large for JSON", value);
  return NULL;
}

static JsonNode *
number_to_json (GVariant *value, GError **error)
{
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_BYTE:
      return json_node_init_int (json_node_alloc (), g_variant_get_byte (value));
    case G_VARIANT_CLASS_INT16:
      return json_node_init_int (json_node_alloc (), g_variant_get_int16 (value));
    case G_VARIANT_CLASS_UINT16:
      return json_node_init_int (json_node_alloc (), g_variant_get_uint16 (value));
    case G_VARIANT_CLASS_INT32:
      return json_node_init_int (json_node_alloc (), g_variant_get_int32 (value));
    case G_VARIANT_CLASS_UINT32:
      return json_node_init_int (json_node_alloc (), g_variant_get_uint32 (value));
    case G_VARIANT_CLASS_INT64:
      return json_node_init_int (json_node_alloc (), g_variant_get_int64 (value));
    case G_VARIANT_CLASS_UINT64:
      return unsigned_to_json (g_variant_get_uint64 (value), error);
    default:
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "A value of type “%s” cannot be written as JSON",
                   g_variant_get_type_string (value));
      return NULL;
    }
}

static JsonNode *
double_to_json (double value, GError **error)
{
  if (value - value == 0)
    return json_node_init_double (json_node_alloc (), value);
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                       "A number that is not finite cannot be written as JSON");
  return NULL;
}

JsonNode *
asb_opensandbox_variant_to_json (GVariant *value, GError **error)
{
  g_autoptr (GVariant) child = NULL;

  if (g_variant_is_of_type (value, G_VARIANT_TYPE_VARIANT))
    {
      child = g_variant_get_variant (value);
      return asb_opensandbox_variant_to_json (child, error);
    }
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return json_node_init_string (json_node_alloc (), g_variant_get_string (value, NULL));
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return json_node_init_boolean (json_node_alloc (), g_variant_get_boolean (value));
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    return double_to_json (g_variant_get_double (value), error);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_MAYBE))
    return maybe_to_json (value, error);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE ("a{s*}")))
    return dictionary_to_json (value, error);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_ARRAY))
    return sequence_to_json (value, error);
  return number_to_json (value, error);
}
