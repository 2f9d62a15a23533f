/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-options-private.h"

#include "asb-error.h"

static gboolean
set_enum (GParamSpec *pspec, const char *nick, GValue *value)
{
  GEnumValue *found = g_enum_get_value_by_nick (G_PARAM_SPEC_ENUM (pspec)->enum_class, nick);

  if (!found)
    return FALSE;
  g_value_set_enum (value, found->value);
  return TRUE;
}

/* Whether a number came through a conversion as it was: GValue would cut it silently. */
static gboolean
is_same_number (const GValue *before, const GValue *after)
{
  g_auto (GValue) first = G_VALUE_INIT;
  g_auto (GValue) second = G_VALUE_INIT;

  g_value_init (&first, G_TYPE_DOUBLE);
  g_value_init (&second, G_TYPE_DOUBLE);
  if (!g_value_transform (before, &first) || !g_value_transform (after, &second))
    return TRUE;
  return g_value_get_double (&first) == g_value_get_double (&second);
}

/* A value of the variant's own type, to be transformed to that of the property. */
static gboolean
set_transformed (GVariant *variant, GParamSpec *pspec, GValue *value)
{
  g_auto (GValue) plain = G_VALUE_INIT;

  g_dbus_gvariant_to_gvalue (variant, &plain);
  if (!g_value_type_transformable (G_VALUE_TYPE (&plain), G_PARAM_SPEC_VALUE_TYPE (pspec)))
    return FALSE;
  if (!g_value_transform (&plain, value) || !is_same_number (&plain, value))
    return FALSE;
  /* A number that does not fit must not be bent into the range. */
  return !g_param_value_validate (pspec, value);
}

static gboolean
set_value (GVariant *variant, GParamSpec *pspec, GValue *value)
{
  g_value_init (value, G_PARAM_SPEC_VALUE_TYPE (pspec));
  if (G_IS_PARAM_SPEC_VARIANT (pspec))
    {
      g_value_set_variant (value, variant);
      return g_variant_is_of_type (variant, G_PARAM_SPEC_VARIANT (pspec)->type);
    }
  if (G_IS_PARAM_SPEC_ENUM (pspec) && g_variant_is_of_type (variant, G_VARIANT_TYPE_STRING))
    return set_enum (pspec, g_variant_get_string (variant, NULL), value);
  if (G_IS_PARAM_SPEC_STRING (pspec) != g_variant_is_of_type (variant, G_VARIANT_TYPE_STRING))
    return FALSE;
  if (G_IS_PARAM_SPEC_BOOLEAN (pspec) != g_variant_is_of_type (variant, G_VARIANT_TYPE_BOOLEAN))
    return FALSE;
  return set_transformed (variant, pspec, value);
}

/* The value that was given may be a secret; what it could have been is none. People read this who
 * have never seen a GType. */
static char *
dup_kind (GParamSpec *pspec)
{
  if (G_IS_PARAM_SPEC_STRING (pspec))
    return g_strdup ("a text");
  if (G_IS_PARAM_SPEC_DOUBLE (pspec))
    return g_strdup_printf ("a number from %.10g to %.10g", G_PARAM_SPEC_DOUBLE (pspec)->minimum,
                            G_PARAM_SPEC_DOUBLE (pspec)->maximum);
  if (G_IS_PARAM_SPEC_UINT (pspec))
    return g_strdup_printf ("a whole number from %u to %u", G_PARAM_SPEC_UINT (pspec)->minimum,
                            G_PARAM_SPEC_UINT (pspec)->maximum);
  if (G_IS_PARAM_SPEC_INT64 (pspec))
    return g_strdup_printf ("a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                            G_PARAM_SPEC_INT64 (pspec)->minimum,
                            G_PARAM_SPEC_INT64 (pspec)->maximum);
  if (G_IS_PARAM_SPEC_VARIANT (pspec))
    return g_strdup_printf (
        "of type “%.*s”",
        (int)g_variant_type_get_string_length (G_PARAM_SPEC_VARIANT (pspec)->type),
        g_variant_type_peek_string (G_PARAM_SPEC_VARIANT (pspec)->type));
  return g_strdup_printf ("of type %s", g_type_name (pspec->value_type));
}

static char *
dup_what_is_taken (GParamSpec *pspec)
{
  g_autofree char *kind = dup_kind (pspec);
  g_autoptr (GString) text = g_string_new (NULL);
  GEnumClass *enum_class;

  if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    return g_strdup ("it is true or false");
  if (!G_IS_PARAM_SPEC_ENUM (pspec))
    return g_strdup_printf ("it must be %s", kind);
  enum_class = G_PARAM_SPEC_ENUM (pspec)->enum_class;
  g_string_append (text, "it is one of ");
  for (guint i = 0; i < enum_class->n_values; i++)
    g_string_append_printf (text, "%s“%s”", i > 0 ? ", " : "", enum_class->values[i].value_nick);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
dup_writable_names (GObjectClass *object_class)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_found;
  g_autofree GParamSpec **found = g_object_class_list_properties (object_class, &n_found);

  for (guint i = 0; i < n_found; i++)
    if (found[i]->flags & G_PARAM_WRITABLE)
      g_string_append_printf (text, "%s“%s”", text->len > 0 ? ", " : "", found[i]->name);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
set_unknown (GObjectClass *object_class, const char *owner, const char *key, GError **error)
{
  g_autofree char *known = dup_writable_names (object_class);

  if (*known)
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "There is no option “%s” of %s; there are %s", key, owner, known);
  else
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "There is no option “%s” of %s, which has none", key, owner);
  return FALSE;
}

static gboolean
add_option (GObjectClass *object_class, const char *owner, const char *key, GVariant *variant,
            GPtrArray *names, GArray *values, GError **error)
{
  g_autofree char *name = g_strdelimit (g_strdup (key), "_", '-');
  GParamSpec *pspec = g_object_class_find_property (object_class, name);
  GValue value = G_VALUE_INIT;

  if (!pspec || !(pspec->flags & G_PARAM_WRITABLE))
    return set_unknown (object_class, owner, key, error);
  /* “_” and “-” are the same, so that also two spellings of a dictionary may name one option. */
  if (g_ptr_array_find (names, pspec->name, NULL))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "Option “%s” of %s is given twice",
                   key, owner);
      return FALSE;
    }
  if (!set_value (variant, pspec, &value))
    {
      g_autofree char *taken = dup_what_is_taken (pspec);

      g_value_unset (&value);
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "Option “%s” of %s does not take a value like this: %s", key, owner, taken);
      return FALSE;
    }
  g_ptr_array_add (names, (gpointer)pspec->name);
  g_array_append_val (values, value);
  return TRUE;
}

static gboolean
add_options (GObjectClass *object_class, const char *owner, GVariant *options, GPtrArray *names,
             GArray *values, GError **error)
{
  GVariantIter iter;
  const char *key;
  GVariant *variant;

  if (!options)
    return TRUE;
  if (!g_variant_is_of_type (options, G_VARIANT_TYPE_VARDICT))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "Options must be a dictionary by name, not “%s”",
                   g_variant_get_type_string (options));
      return FALSE;
    }
  g_variant_iter_init (&iter, options);
  while (g_variant_iter_next (&iter, "{&sv}", &key, &variant))
    {
      gboolean added = add_option (object_class, owner, key, variant, names, values, error);

      g_variant_unref (variant);
      if (!added)
        return FALSE;
    }
  return TRUE;
}

gpointer
asb_options_new_object (GType type, const char *owner, GVariant *options, GError **error)
{
  g_autoptr (GTypeClass) type_class = g_type_class_ref (type);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (GValue));
  g_autoptr (GObject) object = NULL;

  g_array_set_clear_func (values, (GDestroyNotify)g_value_unset);
  if (!add_options (G_OBJECT_CLASS (type_class), owner, options, names, values, error))
    return NULL;

  object = g_object_new_with_properties (type, names->len, (const char **)names->pdata,
                                         (const GValue *)values->data);
  if (G_IS_INITABLE (object) && !g_initable_init (G_INITABLE (object), NULL, error))
    return NULL;
  return g_steal_pointer (&object);
}
