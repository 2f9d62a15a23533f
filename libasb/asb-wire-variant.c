/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-wire-variant-private.h"

#include "asb-error.h"
#include "asb-wire-json.h"

#include <math.h>
#include <string.h>

typedef struct
{
  guint depth;
  guint n_nodes;
} Bounds;

static json_t *to_json (GVariant *variant, Bounds *bounds, GError **error);
static GVariant *from_json (const json_t *json, Bounds *bounds);

static json_t *
refuse (GError **error, const char *what)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "Could not send %s to the guest",
               what);
  return NULL;
}

static gboolean
enter (Bounds *bounds)
{
  return ++bounds->depth <= ASB_WIRE_VARIANT_MAX_DEPTH
         && ++bounds->n_nodes <= ASB_WIRE_VARIANT_MAX_NODES;
}

static void
leave (Bounds *bounds)
{
  bounds->depth--;
}

static json_t *
integer_to_json (gint64 value, GError **error)
{
  if (value < -ASB_WIRE_MAX_INTEGER || value > ASB_WIRE_MAX_INTEGER)
    return refuse (error, "an integer beyond 2^53−1");
  return json_integer (value);
}

static json_t *
unsigned_to_json (guint64 value, GError **error)
{
  return integer_to_json (value > ASB_WIRE_MAX_INTEGER ? G_MAXINT64 : (gint64)value, error);
}

static json_t *
double_to_json (double value, GError **error)
{
  return isfinite (value) ? json_real (value) : refuse (error, "a number that is not finite");
}

static json_t *
bytes_to_json (GVariant *variant, GError **error)
{
  gsize size = 0;
  gconstpointer bytes = g_variant_get_fixed_array (variant, &size, 1);
  char *text = asb_wire_base64_encode (bytes, size);
  json_t *json = json_pack ("{s:s}", "b64", text);

  free (text);
  return json;
}

static json_t *
dictionary_to_json (GVariant *variant, Bounds *bounds, GError **error)
{
  g_autoptr (json_t) object = json_object ();
  GVariantIter iter;
  GVariant *entry;

  g_variant_iter_init (&iter, variant);
  while ((entry = g_variant_iter_next_value (&iter)))
    {
      g_autoptr (GVariant) owned = entry;
      g_autoptr (GVariant) key = g_variant_get_child_value (entry, 0);
      g_autoptr (GVariant) value = g_variant_get_child_value (entry, 1);
      json_t *member = to_json (value, bounds, error);

      if (!member)
        return NULL;
      json_object_set_new (object, g_variant_get_string (key, NULL), member);
    }
  return g_steal_pointer (&object);
}

static json_t *
array_to_json (GVariant *variant, Bounds *bounds, GError **error)
{
  g_autoptr (json_t) array = json_array ();
  GVariantIter iter;
  GVariant *value;

  g_variant_iter_init (&iter, variant);
  while ((value = g_variant_iter_next_value (&iter)))
    {
      g_autoptr (GVariant) owned = value;
      json_t *item = to_json (value, bounds, error);

      if (!item)
        return NULL;
      json_array_append_new (array, item);
    }
  return g_steal_pointer (&array);
}

static json_t *
any_array_to_json (GVariant *variant, Bounds *bounds, GError **error)
{
  const GVariantType *element = g_variant_type_element (g_variant_get_type (variant));

  if (g_variant_type_equal (element, G_VARIANT_TYPE_BYTE))
    return bytes_to_json (variant, error);
  if (!g_variant_type_is_dict_entry (element))
    return array_to_json (variant, bounds, error);
  if (!g_variant_type_equal (g_variant_type_key (element), G_VARIANT_TYPE_STRING))
    return refuse (error, "a dictionary whose keys are not strings");
  return dictionary_to_json (variant, bounds, error);
}

static json_t *
maybe_to_json (GVariant *variant, Bounds *bounds, GError **error)
{
  g_autoptr (GVariant) inside = g_variant_get_maybe (variant);

  return inside ? to_json (inside, bounds, error) : json_null ();
}

static json_t *
string_to_json (GVariant *variant, GError **error)
{
  json_t *json = json_string (g_variant_get_string (variant, NULL));

  return json ? json : refuse (error, "text that is not UTF-8");
}

static json_t *
value_to_json (GVariant *variant, Bounds *bounds, GError **error)
{
  switch (g_variant_classify (variant))
    {
    case G_VARIANT_CLASS_BOOLEAN:
      return json_boolean (g_variant_get_boolean (variant));
    case G_VARIANT_CLASS_BYTE:
      return json_integer (g_variant_get_byte (variant));
    case G_VARIANT_CLASS_INT16:
      return json_integer (g_variant_get_int16 (variant));
    case G_VARIANT_CLASS_UINT16:
      return json_integer (g_variant_get_uint16 (variant));
    case G_VARIANT_CLASS_INT32:
      return json_integer (g_variant_get_int32 (variant));
    case G_VARIANT_CLASS_UINT32:
      return json_integer (g_variant_get_uint32 (variant));
    case G_VARIANT_CLASS_INT64:
      return integer_to_json (g_variant_get_int64 (variant), error);
    case G_VARIANT_CLASS_UINT64:
      return unsigned_to_json (g_variant_get_uint64 (variant), error);
    case G_VARIANT_CLASS_DOUBLE:
      return double_to_json (g_variant_get_double (variant), error);
    case G_VARIANT_CLASS_STRING:
    case G_VARIANT_CLASS_OBJECT_PATH:
    case G_VARIANT_CLASS_SIGNATURE:
      return string_to_json (variant, error);
    case G_VARIANT_CLASS_MAYBE:
      return maybe_to_json (variant, bounds, error);
    case G_VARIANT_CLASS_ARRAY:
      return any_array_to_json (variant, bounds, error);
    default:
      return refuse (error, "a variant of a type that JSON does not have");
    }
}

/* Variants that hold variants cost no depth, here or there. */
static GVariant *
unwrap (GVariant *variant)
{
  GVariant *inside = g_variant_ref (variant);

  while (g_variant_is_of_type (inside, G_VARIANT_TYPE_VARIANT))
    {
      g_autoptr (GVariant) outside = inside;

      inside = g_variant_get_variant (outside);
    }
  return inside;
}

static json_t *
to_json (GVariant *variant, Bounds *bounds, GError **error)
{
  g_autoptr (GVariant) value = unwrap (variant);
  json_t *json;

  if (!enter (bounds))
    return refuse (error, "a variant that is too large or nested too deeply");
  json = value_to_json (value, bounds, error);
  leave (bounds);
  return json;
}

json_t *
asb_wire_variant_to_json (GVariant *variant, GError **error)
{
  Bounds bounds = { 0 };

  return to_json (variant, &bounds, error);
}

/* The bytes of {"b64": …}, or NULL when @json is an object like any other. */
static GVariant *
bytes_from_json (const json_t *json)
{
  const json_t *text = json_object_get (json, "b64");
  gsize size = 0;
  void *bytes;

  if (json_object_size (json) != 1 || !json_is_string (text))
    return NULL;
  bytes = asb_wire_base64_decode (json_string_value (text), json_string_length (text), &size);
  if (!bytes)
    return NULL;
  return g_variant_new_from_data (G_VARIANT_TYPE_BYTESTRING, bytes, size, TRUE, free, bytes);
}

static GVariant *
object_from_json (const json_t *json, Bounds *bounds)
{
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE_VARDICT);
  const char *key;
  json_t *member;

  json_object_foreach ((json_t *)json, key, member)
    {
      GVariant *value = from_json (member, bounds);

      if (!value)
        return NULL;
      g_variant_builder_add (&builder, "{sv}", key, value);
    }
  return g_variant_builder_end (&builder);
}

static GVariant *
array_from_json (const json_t *json, Bounds *bounds)
{
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("av"));

  for (size_t i = 0; i < json_array_size (json); i++)
    {
      GVariant *value = from_json (json_array_get (json, i), bounds);

      if (!value)
        return NULL;
      g_variant_builder_add (&builder, "v", value);
    }
  return g_variant_builder_end (&builder);
}

static GVariant *
value_from_json (const json_t *json, Bounds *bounds)
{
  GVariant *bytes;

  switch (json_typeof (json))
    {
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
      return g_variant_new_maybe (G_VARIANT_TYPE_VARIANT, NULL);
    case JSON_ARRAY:
      return array_from_json (json, bounds);
    default:
      bytes = bounds->depth > 1 ? bytes_from_json (json) : NULL;
      return bytes ? bytes : object_from_json (json, bounds);
    }
}

static GVariant *
from_json (const json_t *json, Bounds *bounds)
{
  GVariant *value;

  if (!enter (bounds))
    return NULL;
  value = value_from_json (json, bounds);
  leave (bounds);
  return value;
}

GVariant *
asb_wire_variant_from_json (const json_t *json, GError **error)
{
  Bounds bounds = { 0 };
  GVariant *variant = from_json (json, &bounds);

  if (!variant)
    g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                         "The JSON is too large or nested too deeply");
  return variant;
}
