/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-mock-variant.h"

#include <asb.h>

static gboolean
fail (const char *key, const char *what, GError **error)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "Member “%s” must be %s", key, what);
  return FALSE;
}

gboolean
asb_mock_variant_get_string (GVariant *dict, const char *key, char **value, GError **error)
{
  g_autoptr (GVariant) member = g_variant_lookup_value (dict, key, NULL);

  if (!member)
    return TRUE;
  if (!g_variant_is_of_type (member, G_VARIANT_TYPE_STRING))
    return fail (key, "a string", error);
  g_free (*value);
  *value = g_variant_dup_string (member, NULL);
  return TRUE;
}

static gboolean
to_integer (GVariant *member, gint64 *value)
{
  switch (g_variant_classify (member))
    {
    case G_VARIANT_CLASS_BYTE:
      *value = g_variant_get_byte (member);
      return TRUE;
    case G_VARIANT_CLASS_INT16:
      *value = g_variant_get_int16 (member);
      return TRUE;
    case G_VARIANT_CLASS_UINT16:
      *value = g_variant_get_uint16 (member);
      return TRUE;
    case G_VARIANT_CLASS_INT32:
      *value = g_variant_get_int32 (member);
      return TRUE;
    case G_VARIANT_CLASS_UINT32:
      *value = g_variant_get_uint32 (member);
      return TRUE;
    case G_VARIANT_CLASS_INT64:
      *value = g_variant_get_int64 (member);
      return TRUE;
    case G_VARIANT_CLASS_UINT64:
      *value = (gint64)MIN (g_variant_get_uint64 (member), (guint64)G_MAXINT64);
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
asb_mock_variant_get_integer (GVariant *dict, const char *key, gint64 minimum, gint64 maximum,
                              gint64 *value, GError **error)
{
  g_autoptr (GVariant) member = g_variant_lookup_value (dict, key, NULL);
  g_autofree char *range = NULL;
  gint64 integer;

  if (!member)
    return TRUE;
  if (to_integer (member, &integer) && integer >= minimum && integer <= maximum)
    {
      *value = integer;
      return TRUE;
    }
  range = g_strdup_printf ("an integer from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, minimum,
                           maximum);
  return fail (key, range, error);
}

gboolean
asb_mock_variant_get_boolean (GVariant *dict, const char *key, gboolean *value, GError **error)
{
  g_autoptr (GVariant) member = g_variant_lookup_value (dict, key, NULL);

  if (!member)
    return TRUE;
  if (!g_variant_is_of_type (member, G_VARIANT_TYPE_BOOLEAN))
    return fail (key, "a boolean", error);
  *value = g_variant_get_boolean (member);
  return TRUE;
}

gboolean
asb_mock_variant_get_bytes (GVariant *dict, const char *key, GBytes **value, GError **error)
{
  g_autoptr (GVariant) member = g_variant_lookup_value (dict, key, NULL);
  gsize size;
  const char *string;

  if (!member)
    return TRUE;
  if (g_variant_is_of_type (member, G_VARIANT_TYPE_BYTESTRING))
    {
      g_clear_pointer (value, g_bytes_unref);
      *value = g_variant_get_data_as_bytes (member);
      return TRUE;
    }
  if (!g_variant_is_of_type (member, G_VARIANT_TYPE_STRING))
    return fail (key, "a string or bytes", error);
  string = g_variant_get_string (member, &size);
  g_clear_pointer (value, g_bytes_unref);
  *value = g_bytes_new (string, size);
  return TRUE;
}

gboolean
asb_mock_variant_check_keys (GVariant *dict, const char *const *known, GError **error)
{
  GVariantIter iter;
  const char *key;

  if (!g_variant_is_of_type (dict, G_VARIANT_TYPE_VARDICT))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "A dictionary of type a{sv} is needed, not “%s”",
                   g_variant_get_type_string (dict));
      return FALSE;
    }
  g_variant_iter_init (&iter, dict);
  while (g_variant_iter_loop (&iter, "{&sv}", &key, NULL))
    if (!g_strv_contains (known, key))
      {
        g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "There is no member “%s”", key);
        return FALSE;
      }
  return TRUE;
}
