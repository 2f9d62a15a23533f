/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <asb.h>
#include <string.h>

#include "asb-options-private.h"

/* An object with a property of every type an option can have. */

#define OWNER "the object of the test"

#define TEST_TYPE_OBJECT (test_object_get_type ())
G_DECLARE_FINAL_TYPE (TestObject, test_object, TEST, OBJECT, GObject)

struct _TestObject
{
  GObject parent_instance;

  GValue values[16];
  gboolean initialised;
};

enum
{
  PROP_0,
  PROP_STRING,
  PROP_BOOLEAN,
  PROP_INT,
  PROP_UINT,
  PROP_INT64,
  PROP_UINT64,
  PROP_DOUBLE,
  PROP_ENUM,
  PROP_FLAGS,
  PROP_STRV,
  PROP_VARIANT,
  PROP_TYPED_VARIANT,
  PROP_CONSTRUCT_ONLY,
  PROP_READ_ONLY,
  PROP_OBJECT,
  N_PROPS
};

static void test_object_initable_init (GInitableIface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (TestObject, test_object, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_INITABLE, test_object_initable_init))

static gboolean
test_object_do_init (GInitable *initable, GCancellable *cancellable, GError **error)
{
  TestObject *self = TEST_OBJECT (initable);
  const char *string = G_IS_VALUE (&self->values[PROP_STRING])
                           ? g_value_get_string (&self->values[PROP_STRING])
                           : NULL;

  self->initialised = TRUE;
  if (g_strcmp0 (string, "refuse") != 0)
    return TRUE;
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE, "It cannot work here");
  return FALSE;
}

static void
test_object_initable_init (GInitableIface *iface)
{
  iface->init = test_object_do_init;
}

static void
test_object_set_property (GObject *object, guint property_id, const GValue *value,
                          GParamSpec *pspec)
{
  TestObject *self = TEST_OBJECT (object);

  if (!G_IS_VALUE (&self->values[property_id]))
    g_value_init (&self->values[property_id], G_VALUE_TYPE (value));
  g_value_copy (value, &self->values[property_id]);
}

static void
test_object_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  TestObject *self = TEST_OBJECT (object);

  if (G_IS_VALUE (&self->values[property_id]))
    g_value_copy (&self->values[property_id], value);
}

static void
test_object_finalize (GObject *object)
{
  TestObject *self = TEST_OBJECT (object);

  for (gsize i = 0; i < G_N_ELEMENTS (self->values); i++)
    if (G_IS_VALUE (&self->values[i]))
      g_value_unset (&self->values[i]);

  G_OBJECT_CLASS (test_object_parent_class)->finalize (object);
}

static void
install (GObjectClass *object_class, guint property_id, GParamSpec *pspec)
{
  g_object_class_install_property (object_class, property_id, pspec);
}

static void
test_object_class_init (TestObjectClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE;

  object_class->finalize = test_object_finalize;
  object_class->get_property = test_object_get_property;
  object_class->set_property = test_object_set_property;
  install (object_class, PROP_STRING, g_param_spec_string ("a-string", NULL, NULL, NULL, flags));
  install (object_class, PROP_BOOLEAN,
           g_param_spec_boolean ("a-boolean", NULL, NULL, FALSE, flags));
  install (object_class, PROP_INT, g_param_spec_int ("an-int", NULL, NULL, -10, 10, 0, flags));
  install (object_class, PROP_UINT,
           g_param_spec_uint ("a-uint", NULL, NULL, 1, G_MAXUINT, 1, flags));
  install (object_class, PROP_INT64,
           g_param_spec_int64 ("an-int64", NULL, NULL, G_MININT64, G_MAXINT64, 0, flags));
  install (object_class, PROP_UINT64,
           g_param_spec_uint64 ("a-uint64", NULL, NULL, 0, G_MAXUINT64, 0, flags));
  install (object_class, PROP_DOUBLE,
           g_param_spec_double ("a-double", NULL, NULL, 0, 1000, 0, flags));
  install (object_class, PROP_ENUM,
           g_param_spec_enum ("an-enum", NULL, NULL, ASB_TYPE_CLEANUP_POLICY, 0, flags));
  install (object_class, PROP_FLAGS,
           g_param_spec_flags ("a-flags", NULL, NULL, ASB_TYPE_COMMAND_FLAGS, 0, flags));
  install (object_class, PROP_STRV, g_param_spec_boxed ("a-strv", NULL, NULL, G_TYPE_STRV, flags));
  install (object_class, PROP_VARIANT,
           g_param_spec_variant ("a-variant", NULL, NULL, G_VARIANT_TYPE_ANY, NULL, flags));
  install (
      object_class, PROP_TYPED_VARIANT,
      g_param_spec_variant ("a-typed-variant", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, flags));
  install (
      object_class, PROP_CONSTRUCT_ONLY,
      g_param_spec_string ("construct-only", NULL, NULL, "unset", flags | G_PARAM_CONSTRUCT_ONLY));
  install (object_class, PROP_READ_ONLY,
           g_param_spec_string ("read-only", NULL, NULL, NULL, G_PARAM_READABLE));
  install (object_class, PROP_OBJECT,
           g_param_spec_object ("an-object", NULL, NULL, G_TYPE_OBJECT, flags));
}

static void
test_object_init (TestObject *self)
{
}

static TestObject *
make (const char *options, GError **error)
{
  g_autoptr (GVariant) variant
      = options ? g_variant_parse (NULL, options, NULL, NULL, error) : NULL;

  g_assert_true (!options || variant);
  return asb_options_new_object (TEST_TYPE_OBJECT, OWNER, variant, error);
}

static void
test_none (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TestObject) without = make (NULL, &error);
  g_autoptr (TestObject) empty = make ("@a{sv} {}", &error);

  g_test_summary ("Without options the object is as it is made, and is initialised");

  g_assert_no_error (error);
  g_assert_true (without->initialised);
  g_assert_true (empty->initialised);
}

typedef struct
{
  const char *options;
  const char *property;
  const char *text; /* of the value, by g_strdup_value_contents () */
} GoodCase;

static const GoodCase good_cases[] = {
  { "{'a-string': <'text'>}", "a-string", "\"text\"" },
  { "{'a_string': <'text'>}", "a-string", "\"text\"" },
  { "{'a-string': <''>}", "a-string", "\"\"" },
  { "{'construct-only': <'set'>}", "construct-only", "\"set\"" },
  { "{'a-boolean': <true>}", "a-boolean", "TRUE" },
  { "{'an-int': <-10>}", "an-int", "-10" },
  { "{'an-int': <int64 10>}", "an-int", "10" },
  { "{'an-int': <byte 7>}", "an-int", "7" },
  { "{'an-int': <uint64 3>}", "an-int", "3" },
  { "{'an-int': <3.0>}", "an-int", "3" },
  { "{'a-uint': <int64 4294967295>}", "a-uint", "4294967295" },
  { "{'a-uint': <uint32 5>}", "a-uint", "5" },
  { "{'an-int64': <int64 -9223372036854775808>}", "an-int64", "-9223372036854775808" },
  { "{'an-int64': <5>}", "an-int64", "5" },
  { "{'a-uint64': <uint64 18446744073709551615>}", "a-uint64", "18446744073709551615" },
  { "{'a-double': <0.5>}", "a-double", "0.500000" },
  { "{'a-double': <2>}", "a-double", "2.000000" },
  { "{'an-enum': <'never'>}", "an-enum", "ASB_CLEANUP_POLICY_NEVER" },
  { "{'an-enum': <1>}", "an-enum", "ASB_CLEANUP_POLICY_TTL" },
  { "{'a-strv': <['a', 'b']>}", "a-strv", "[\"a\", \"b\"]" },
  { "{'a-strv': <@as []>}", "a-strv", "[]" },
};

static void
test_good (void)
{
  g_test_summary ("What fits is taken, from whatever integer type a script uses");

  for (gsize i = 0; i < G_N_ELEMENTS (good_cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TestObject) object = make (good_cases[i].options, &error);
      g_auto (GValue) value = G_VALUE_INIT;
      g_autofree char *text = NULL;

      g_assert_no_error (error);
      g_object_get_property (G_OBJECT (object), good_cases[i].property, &value);
      text = g_strdup_value_contents (&value);
      if (g_str_has_prefix (good_cases[i].text, "ASB_"))
        g_assert_nonnull (g_strstr_len (text, -1, good_cases[i].text));
      else
        g_assert_cmpstr (text, ==, good_cases[i].text);
    }
}

static const char *const bad_cases[] = {
  "{'unheard-of': <'text'>}",
  "{'': <'text'>}",
  "{'read-only': <'text'>}",
  "{'a-string': <5>}",
  "{'a-string': <true>}",
  "{'a-string': <b'bytes'>}",
  "{'a-string': <['a']>}",
  "{'a-boolean': <1>}",
  "{'a-boolean': <'true'>}",
  "{'an-int': <11>}",
  "{'an-int': <-11>}",
  "{'an-int': <'5'>}",
  "{'an-int': <true>}",
  "{'an-int': <1.5>}",
  "{'an-int': <int64 4294967299>}", /* 3, with the upper half cut off */
  "{'an-int': <uint64 18446744073709551615>}",
  "{'a-uint': <0>}",
  "{'a-uint': <-1>}",
  "{'a-uint': <int64 4294967296>}",
  "{'an-int64': <uint64 18446744073709551615>}",
  "{'an-int64': <1e300>}",
  "{'a-uint64': <-1>}",
  "{'a-uint64': <int64 -1>}",
  "{'a-double': <1001.0>}",
  "{'a-double': <-0.5>}",
  "{'a-double': <'0.5'>}",
  "{'an-enum': <'on_close'>}",
  "{'an-enum': <''>}",
  "{'an-enum': <7>}",
  "{'a-flags': <1024>}",
  "{'a-flags': <'none'>}",
  "{'a-strv': <'a'>}",
  "{'a-strv': <[1, 2]>}",
  "{'a-typed-variant': <'text'>}",
  "{'a-typed-variant': <[1]>}",
  "{'an-object': <'text'>}",
  "{'an-object': <5>}",
  "{'a-string': <'one'>, 'a_string': <'two'>}",
  "{'construct-only': <'one'>, 'construct_only': <'two'>}",
};

static void
test_bad (void)
{
  g_test_summary ("What does not fit is refused, and the option named");

  for (gsize i = 0; i < G_N_ELEMENTS (bad_cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TestObject) object = make (bad_cases[i], &error);
      g_auto (GStrv) parts = g_strsplit (bad_cases[i], "'", 3);

      g_test_message ("%s", bad_cases[i]);
      g_assert_null (object);
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      if (!g_strrstr (bad_cases[i], "_"))
        g_assert_nonnull (g_strstr_len (error->message, -1, parts[1]));
      g_assert_nonnull (g_strstr_len (error->message, -1, OWNER));
    }
}

static void
test_unknown (void)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("An option there is not is met with those there are, which can be set");

  g_assert_null (make ("{'a-strng': <'text'>}", &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (
      strstr (error->message, "There is no option “a-strng” of " OWNER "; there are"));
  g_assert_nonnull (strstr (error->message, "“a-string”"));
  g_assert_nonnull (strstr (error->message, "“construct-only”"));
  g_assert_null (strstr (error->message, "“read-only”"));
  g_assert_null (strstr (error->message, "text"));
}

static void
test_no_dictionary (void)
{
  static const char *const texts[] = { "'text'", "5", "['a']", "{'a': 'b'}", "()" };

  g_test_summary ("Options that are no dictionary by name are refused");

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (make (texts[i], &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
    }
}

static void
test_same_key_twice (void)
{
  g_autoptr (GVariant) options = NULL;
  g_autoptr (GError) error = NULL;
  GVariantBuilder builder;

  g_test_summary ("A name that comes twice is refused");

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&builder, "{sv}", "a-string", g_variant_new_string ("one"));
  g_variant_builder_add (&builder, "{sv}", "a-string", g_variant_new_string ("two"));
  options = g_variant_ref_sink (g_variant_builder_end (&builder));
  g_assert_null (asb_options_new_object (TEST_TYPE_OBJECT, OWNER, options, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

static void
test_not_a_number (void)
{
  static const char *const names[] = { "a-double", "an-int", "an-int64" };
  const double numbers[] = { G_MAXDOUBLE, -G_MAXDOUBLE, 0.0 / 0.0, 1.0 / 0.0 };

  g_test_summary ("Neither “not a number” nor infinity gets through");

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (numbers); k++)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (GVariant) options = NULL;
        GVariantDict dict;

        g_variant_dict_init (&dict, NULL);
        g_variant_dict_insert (&dict, names[i], "d", numbers[k]);
        options = g_variant_ref_sink (g_variant_dict_end (&dict));
        g_assert_null (asb_options_new_object (TEST_TYPE_OBJECT, OWNER, options, &error));
        g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      }
}

static void
test_variant (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TestObject) object
      = make ("{'a-variant': <(1, 'two')>, 'a-typed-variant': <{'key': <5>}>}", &error);
  g_autoptr (GVariant) value = NULL;
  g_autoptr (GVariant) typed = NULL;

  g_test_summary ("A variant is passed on as it is");

  g_assert_no_error (error);
  g_object_get (object, "a-variant", &value, "a-typed-variant", &typed, NULL);
  g_assert_cmpstr (g_variant_get_type_string (value), ==, "(is)");
  g_assert_cmpstr (g_variant_get_type_string (typed), ==, "a{sv}");
}

static void
test_initable (void)
{
  g_autoptr (GError) error = NULL;

  g_test_summary ("An object that cannot be initialised is not made, and its reason is told");

  g_assert_null (make ("{'a-string': <'refuse'>}", &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/options/none", test_none);
  g_test_add_func ("/options/good", test_good);
  g_test_add_func ("/options/bad", test_bad);
  g_test_add_func ("/options/unknown", test_unknown);
  g_test_add_func ("/options/no-dictionary", test_no_dictionary);
  g_test_add_func ("/options/same-key-twice", test_same_key_twice);
  g_test_add_func ("/options/not-a-number", test_not_a_number);
  g_test_add_func ("/options/variant", test_variant);
  g_test_add_func ("/options/initable", test_initable);
  return g_test_run ();
}
