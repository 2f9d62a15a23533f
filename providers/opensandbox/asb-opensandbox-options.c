/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-options.h"

#include <asb.h>

#include "asb-opensandbox-variant.h"

/* The names of variables and labels are the user's: they stay as they are. */
typedef enum
{
  NAMES_STAY,
  NAMES_OF_SERVER
} Names;

static const struct
{
  const char *name;
  const char *member;
  const char *type;
  Names names;
} known[] = {
  { "credential_proxy", "credentialProxy", "b", NAMES_STAY },
  { "extensions", "extensions", "a{ss}", NAMES_STAY },
  { "lifecycle", "lifecycle", "a{sv}", NAMES_OF_SERVER },
  { "resource_requests", "resourceRequests", "a{ss}", NAMES_STAY },
  { "secure_access", "secureAccess", "b", NAMES_STAY },
  { "template_id", "templateId", "s", NAMES_STAY },
  { "volumes", "volumes", "aa{sv}", NAMES_OF_SERVER },
};

/* “mount_path” → “mountPath” */
static char *
to_server_name (const char *name)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (const char *at = name; *at; at++)
    if (*at == '_' && at != name && g_ascii_islower (at[1]))
      g_string_append_c (text, g_ascii_toupper (*++at));
    else
      g_string_append_c (text, *at);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static JsonNode *rename_members (JsonNode *node);

/* Members whose own members users have named. */
static gboolean
holds_names_of_users (const char *name)
{
  static const char *const names[]
      = { "annotations", "env",      "extensions",   "labels",         "limits",
          "matchLabels", "metadata", "nodeSelector", "resourceLimits", "resourceRequests",
          "requests",    NULL };

  return g_strv_contains (names, name);
}

static JsonNode *
rename_object (JsonObject *object)
{
  g_autoptr (JsonObject) renamed = json_object_new ();
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &member))
    {
      g_autofree char *new_name = to_server_name (name);

      json_object_set_member (renamed, new_name,
                              holds_names_of_users (new_name) ? json_node_copy (member)
                                                              : rename_members (member));
    }
  return json_node_init_object (json_node_alloc (), renamed);
}

/* Returns: (transfer full) */
static JsonNode *
rename_members (JsonNode *node)
{
  g_autoptr (JsonArray) renamed = NULL;
  JsonArray *array;

  if (JSON_NODE_HOLDS_OBJECT (node))
    return rename_object (json_node_get_object (node));
  if (!JSON_NODE_HOLDS_ARRAY (node))
    return json_node_copy (node);
  array = json_node_get_array (node);
  renamed = json_array_new ();
  for (guint i = 0; i < json_array_get_length (array); i++)
    json_array_add_element (renamed, rename_members (json_array_get_element (array, i)));
  return json_node_init_array (json_node_alloc (), renamed);
}

JsonNode *
asb_opensandbox_options_to_json (GVariant *value, GError **error)
{
  g_autoptr (JsonNode) node = asb_opensandbox_variant_to_json (value, error);

  return node ? rename_members (node) : NULL;
}

/* Scripts and JSON have no type for a dictionary of texts. Returns: (transfer full) (nullable) */
static GVariant *
take_texts (GVariant *value)
{
  GVariantBuilder builder;
  GVariantIter iter;
  const char *name;
  GVariant *text;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{ss}"));
  g_variant_iter_init (&iter, value);
  while (g_variant_iter_next (&iter, "{&sv}", &name, &text))
    {
      g_autoptr (GVariant) owned = text;

      if (!g_variant_is_of_type (text, G_VARIANT_TYPE_STRING))
        {
          g_variant_builder_clear (&builder);
          return NULL;
        }
      g_variant_builder_add (&builder, "{ss}", name, g_variant_get_string (text, NULL));
    }
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

/* An empty array of scripts is an av, and an empty dictionary an a{sv}. */
static GVariant *
take_type (GVariant *value, const char *type)
{
  if (g_variant_is_of_type (value, G_VARIANT_TYPE (type)))
    return g_variant_ref (value);
  if (g_str_equal (type, "a{ss}") && g_variant_is_of_type (value, G_VARIANT_TYPE_VARDICT))
    return take_texts (value);
  if (g_variant_is_container (value) && g_variant_n_children (value) == 0 && *type == 'a')
    return g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE (type + 1), NULL, 0));
  return NULL;
}

static const char *
describe_type (const char *type)
{
  if (g_str_equal (type, "b"))
    return "true or false";
  if (g_str_equal (type, "s"))
    return "a text";
  if (g_str_equal (type, "a{ss}"))
    return "a dictionary of texts";
  return g_str_equal (type, "a{sv}") ? "a dictionary" : "a list of dictionaries";
}

static gboolean
add_value (JsonObject *body, gsize index, GVariant *given, GError **error)
{
  g_autoptr (GVariant) value = take_type (given, known[index].type);
  g_autoptr (JsonNode) node = NULL;

  if (!value)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "The option “%s” must be %s (“%s”), not “%s”", known[index].name,
                   describe_type (known[index].type), known[index].type,
                   g_variant_get_type_string (given));
      return FALSE;
    }
  node = known[index].names == NAMES_OF_SERVER ? asb_opensandbox_options_to_json (value, error)
                                               : asb_opensandbox_variant_to_json (value, error);
  if (!node)
    {
      g_prefix_error (error, "The option “%s” cannot be sent: ", known[index].name);
      return FALSE;
    }
  json_object_set_member (body, known[index].member, g_steal_pointer (&node));
  return TRUE;
}

/* It is off by itself, and an object for the server. */
static void
shape_credential_proxy (JsonObject *body)
{
  JsonObject *object;

  if (!json_object_has_member (body, "credentialProxy"))
    return;
  if (!json_object_get_boolean_member (body, "credentialProxy"))
    {
      json_object_remove_member (body, "credentialProxy");
      return;
    }
  object = json_object_new ();
  json_object_set_boolean_member (object, "enabled", TRUE);
  json_object_set_object_member (body, "credentialProxy", object);
}

/* Members of the server's API may have their names there. */
static gboolean
is_named (gsize index, const char *name)
{
  return g_str_equal (known[index].name, name) || g_str_equal (known[index].member, name);
}

static gboolean
refuse_name (const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *list = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    g_ptr_array_add (names, (gpointer)known[i].name);
  g_ptr_array_add (names, NULL);
  list = g_strjoinv (", ", (char **)names->pdata);
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "The provider “opensandbox” has no option “%s” for creation; it has %s", name, list);
  return FALSE;
}

gboolean
asb_opensandbox_options_add (JsonObject *body, GVariant *options, GError **error)
{
  GVariantIter iter;
  const char *name;
  GVariant *value;

  if (!options)
    return TRUE;
  g_variant_iter_init (&iter, options);
  while (g_variant_iter_next (&iter, "{&sv}", &name, &value))
    {
      g_autoptr (GVariant) owned = value;
      gsize index = 0;

      while (index < G_N_ELEMENTS (known) && !is_named (index, name))
        index++;
      if (index == G_N_ELEMENTS (known))
        return refuse_name (name, error);
      if (!add_value (body, index, value, error))
        return FALSE;
    }
  shape_credential_proxy (body);
  return TRUE;
}
