/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-json.h"

#include <asb.h>

JsonNode *
asb_opensandbox_json_parse (GBytes *body, const char *what, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  gsize size;
  const char *data = g_bytes_get_data (body, &size);
  g_autoptr (GError) local_error = NULL;

  /* json-glib takes what is no JSON, and has been brought down by it. */
  if (!asb_json_check (data, (gssize)size, &local_error)
      || !json_parser_load_from_data (parser, data, (gssize)size, &local_error))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "Could not read %s: %s", what,
                   local_error->message);
      return NULL;
    }
  return json_node_ref (json_parser_get_root (parser));
}

JsonObject *
asb_opensandbox_json_parse_object (GBytes *body, const char *what, GError **error)
{
  g_autoptr (JsonNode) node = asb_opensandbox_json_parse (body, what, error);

  if (!node)
    return NULL;
  if (JSON_NODE_HOLDS_OBJECT (node))
    return json_node_dup_object (node);
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "Could not read %s: it is no object", what);
  return NULL;
}

JsonObject *
asb_opensandbox_json_get_element (JsonArray *array, guint index, const char *what, GError **error)
{
  JsonNode *node
      = index < json_array_get_length (array) ? json_array_get_element (array, index) : NULL;

  if (node && JSON_NODE_HOLDS_OBJECT (node))
    return json_node_get_object (node);
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "Could not read %s: item %u is no object",
               what, index);
  return NULL;
}

/* FALSE: an error. Otherwise *@node is NULL where the member is absent. */
static gboolean
find (JsonObject *object, const char *member, gboolean required, JsonNode **node, GError **error)
{
  *node = json_object_get_member (object, member);
  if (*node && JSON_NODE_HOLDS_NULL (*node))
    *node = NULL;
  if (*node || !required)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "The server's answer lacks its member “%s”",
               member);
  return FALSE;
}

static gboolean
wrong_type (const char *member, const char *type, GError **error)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
               "The server's answer has a member “%s” that is no %s", member, type);
  return FALSE;
}

static gboolean
holds (JsonNode *node, GType type)
{
  return JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == type;
}

gboolean
asb_opensandbox_json_get_string (JsonObject *object, const char *member, gboolean required,
                                 const char **value, GError **error)
{
  JsonNode *node;

  *value = NULL;
  if (!find (object, member, required, &node, error))
    return FALSE;
  if (node && !holds (node, G_TYPE_STRING))
    return wrong_type (member, "string", error);
  if (node)
    *value = json_node_get_string (node);
  return TRUE;
}

gboolean
asb_opensandbox_json_get_int (JsonObject *object, const char *member, gboolean required,
                              gint64 *value, GError **error)
{
  JsonNode *node;

  if (!find (object, member, required, &node, error))
    return FALSE;
  if (node && !holds (node, G_TYPE_INT64))
    return wrong_type (member, "integer", error);
  if (node)
    *value = json_node_get_int (node);
  return TRUE;
}

gboolean
asb_opensandbox_json_get_double (JsonObject *object, const char *member, gboolean required,
                                 double *value, GError **error)
{
  JsonNode *node;

  if (!find (object, member, required, &node, error))
    return FALSE;
  if (node && !holds (node, G_TYPE_DOUBLE) && !holds (node, G_TYPE_INT64))
    return wrong_type (member, "number", error);
  if (node)
    *value = json_node_get_double (node);
  return TRUE;
}

gboolean
asb_opensandbox_json_get_bool (JsonObject *object, const char *member, gboolean required,
                               gboolean *value, GError **error)
{
  JsonNode *node;

  if (!find (object, member, required, &node, error))
    return FALSE;
  if (node && !holds (node, G_TYPE_BOOLEAN))
    return wrong_type (member, "boolean", error);
  if (node)
    *value = json_node_get_boolean (node);
  return TRUE;
}

gboolean
asb_opensandbox_json_get_object (JsonObject *object, const char *member, gboolean required,
                                 JsonObject **value, GError **error)
{
  JsonNode *node;

  *value = NULL;
  if (!find (object, member, required, &node, error))
    return FALSE;
  if (node && !JSON_NODE_HOLDS_OBJECT (node))
    return wrong_type (member, "object", error);
  if (node)
    *value = json_node_get_object (node);
  return TRUE;
}

gboolean
asb_opensandbox_json_get_array (JsonObject *object, const char *member, gboolean required,
                                JsonArray **value, GError **error)
{
  JsonNode *node;

  *value = NULL;
  if (!find (object, member, required, &node, error))
    return FALSE;
  if (node && !JSON_NODE_HOLDS_ARRAY (node))
    return wrong_type (member, "array", error);
  if (node)
    *value = json_node_get_array (node);
  return TRUE;
}

static gboolean
add_strings (JsonObject *from, const char *member, GHashTable *map, GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  json_object_iter_init (&iter, from);
  while (json_object_iter_next (&iter, &name, &node))
    {
      if (JSON_NODE_HOLDS_NULL (node))
        continue;
      if (!holds (node, G_TYPE_STRING))
        return wrong_type (member, "map of strings", error);
      g_hash_table_replace (map, g_strdup (name), json_node_dup_string (node));
    }
  return TRUE;
}

gboolean
asb_opensandbox_json_get_string_map (JsonObject *object, const char *member, gboolean required,
                                     GHashTable **value, GError **error)
{
  g_autoptr (GHashTable) map = NULL;
  JsonObject *from;

  *value = NULL;
  if (!asb_opensandbox_json_get_object (object, member, required, &from, error))
    return FALSE;
  if (!from)
    return TRUE;
  map = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (!add_strings (from, member, map, error))
    return FALSE;
  *value = g_steal_pointer (&map);
  return TRUE;
}

gboolean
asb_opensandbox_json_get_strv (JsonObject *object, const char *member, gboolean required,
                               char ***value, GError **error)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  JsonArray *array;

  *value = NULL;
  if (!asb_opensandbox_json_get_array (object, member, required, &array, error))
    return FALSE;
  if (!array)
    return TRUE;
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (!holds (node, G_TYPE_STRING))
        return wrong_type (member, "list of strings", error);
      g_strv_builder_add (builder, json_node_get_string (node));
    }
  *value = g_strv_builder_end (builder);
  return TRUE;
}

gboolean
asb_opensandbox_json_get_time (JsonObject *object, const char *member, gboolean required,
                               GDateTime **value, GError **error)
{
  const char *text;

  *value = NULL;
  if (!asb_opensandbox_json_get_string (object, member, required, &text, error))
    return FALSE;
  if (!text)
    return TRUE;
  *value = asb_opensandbox_json_parse_time (text);
  return *value ? TRUE : wrong_type (member, "time as RFC 3339 has it", error);
}
