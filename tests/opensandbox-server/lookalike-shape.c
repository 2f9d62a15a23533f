/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-shape.h"

static gboolean
is_type (JsonNode *node, GType type)
{
  return JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == type;
}

static const char *
name_kind (JsonNode *node)
{
  if (JSON_NODE_HOLDS_OBJECT (node))
    return "object";
  if (JSON_NODE_HOLDS_ARRAY (node))
    return "array";
  if (is_type (node, G_TYPE_STRING))
    return "string";
  return is_type (node, G_TYPE_BOOLEAN) ? "bool" : "number";
}

static gboolean
is_text_map (JsonNode *node)
{
  g_autoptr (GList) values
      = JSON_NODE_HOLDS_OBJECT (node) ? json_object_get_values (json_node_get_object (node)) : NULL;

  for (GList *i = values; i != NULL; i = i->next)
    if (!is_type (i->data, G_TYPE_STRING) && !JSON_NODE_HOLDS_NULL ((JsonNode *)i->data))
      return FALSE;
  return JSON_NODE_HOLDS_OBJECT (node);
}

static const char *
find_expected (const LookalikeShape *shape, JsonNode *node)
{
  switch (shape->kind)
    {
    case LOOKALIKE_SHAPE_TEXT:
      return is_type (node, G_TYPE_STRING) ? NULL : "string";
    case LOOKALIKE_SHAPE_TRUTH:
      return is_type (node, G_TYPE_BOOLEAN) ? NULL : "bool";
    case LOOKALIKE_SHAPE_NUMBER:
      if (!is_type (node, G_TYPE_INT64) || json_node_get_int (node) < shape->least
          || (shape->most > 0 && json_node_get_int (node) > shape->most))
        return shape->least < 0 ? "int64" : "uint32";
      return NULL;
    case LOOKALIKE_SHAPE_TEXT_MAP:
      return is_text_map (node) ? NULL : "map[string]string";
    case LOOKALIKE_SHAPE_OBJECT:
    default:
      return JSON_NODE_HOLDS_OBJECT (node) ? NULL : "struct";
    }
}

char *
lookalike_shape_find_fault (const LookalikeShape *members, JsonObject *object)
{
  for (const LookalikeShape *i = members; i->name != NULL; i++)
    {
      JsonNode *node = json_object_get_member (object, i->name);
      const char *expected
          = node != NULL && !JSON_NODE_HOLDS_NULL (node) ? find_expected (i, node) : NULL;

      if (expected != NULL)
        return g_strdup_printf ("json: cannot unmarshal %s into Go struct field .%s of type %s",
                                name_kind (node), i->name, expected);
    }
  return NULL;
}
