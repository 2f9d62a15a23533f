/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The identity of a sandbox, kept and read again; and which sandboxes a filter lets through. */

#include "asb-test.h"

static AsbSandboxRef *
new_ref (const char *id, const char *color)
{
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);

  g_hash_table_insert (metadata, (gpointer) "color", (gpointer)color);
  g_hash_table_insert (metadata, (gpointer) "näme", (gpointer) "“x”");
  return asb_sandbox_ref_new ("local", "local-1", id, "i-1", NULL, color ? metadata : NULL);
}

static void
test_serialize (void)
{
  g_autoptr (AsbSandboxRef) ref = new_ref ("abc", "green");
  g_autoptr (GVariant) variant = g_variant_ref_sink (asb_sandbox_ref_serialize (ref));
  g_autoptr (GVariant) again = NULL;
  g_autoptr (AsbSandboxRef) copy = NULL;
  g_autoptr (GError) error = NULL;

  copy = asb_sandbox_ref_deserialize (variant, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (asb_sandbox_ref_get_provider_name (copy), ==, "local");
  g_assert_cmpstr (asb_sandbox_ref_get_provider_key (copy), ==, "local-1");
  g_assert_cmpstr (asb_sandbox_ref_get_sandbox_id (copy), ==, "abc");
  g_assert_cmpstr (asb_sandbox_ref_get_sandbox_instance_id (copy), ==, "i-1");
  g_assert_null (asb_sandbox_ref_get_endpoint_fingerprint (copy));
  g_assert_cmpuint (g_hash_table_size (asb_sandbox_ref_get_metadata (copy)), ==, 2);
  g_assert_cmpstr (g_hash_table_lookup (asb_sandbox_ref_get_metadata (copy), "näme"), ==, "“x”");
  again = g_variant_ref_sink (asb_sandbox_ref_serialize (copy));
  g_assert_cmpvariant (variant, again);
}

static void
test_serialize_without_metadata (void)
{
  g_autoptr (AsbSandboxRef) ref = new_ref ("abc", NULL);
  g_autoptr (GVariant) variant = g_variant_ref_sink (asb_sandbox_ref_serialize (ref));
  g_autoptr (AsbSandboxRef) copy = asb_sandbox_ref_deserialize (variant, NULL);

  g_assert_null (asb_sandbox_ref_get_metadata (copy));
}

/* What comes from a file or a bus is anything. */
static void
test_deserialize_refused (void)
{
  static const char *const wrong[] = {
    "'text'",
    "@a{sv} {}",
    "{'provider-name': <'local'>, 'provider-key': <'k'>, 'sandbox-id': <'i'>}",
    "{'provider-name': <1>, 'provider-key': <'k'>, 'sandbox-id': <'i'>,"
    " 'sandbox-instance-id': <'x'>}",
    "{'provider-name': <'local'>, 'provider-key': <'k'>, 'sandbox-id': <'i'>,"
    " 'sandbox-instance-id': <'x'>, 'endpoint-fingerprint': <true>}",
    "{'provider-name': <'local'>, 'provider-key': <'k'>, 'sandbox-id': <'i'>,"
    " 'sandbox-instance-id': <'x'>, 'metadata': <{'a': 1}>}",
    "{'provider-name': <'local'>, 'provider-key': <'k'>, 'sandbox-id': <''>,"
    " 'sandbox-instance-id': <'x'>}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GVariant) variant = g_variant_parse (NULL, wrong[i], NULL, NULL, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_nonnull (variant);
      g_assert_null (asb_sandbox_ref_deserialize (variant, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
    }
}

/* Parts of a reference of which the one of that name is long. */
static GVariant *
new_long (const char *name, gsize length)
{
  static const char *const names[]
      = { "provider-name", "provider-key", "sandbox-id", "sandbox-instance-id" };
  g_autofree char *text = g_strnfill (length, 'x');
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_variant_dict_insert (&dict, names[i], "s", "x");
  if (g_str_equal (name, "metadata"))
    g_variant_dict_insert_value (&dict, name, g_variant_new_parsed ("{'': %s}", text));
  else
    g_variant_dict_insert (&dict, name, "s", text);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

static void
test_deserialize_bounds (void)
{
  static const struct
  {
    const char *name;
    gsize limit;
  } bounds[] = { { "provider-name", 4096 },
                 { "sandbox-id", 4096 },
                 { "endpoint-fingerprint", 4096 },
                 { "metadata", 1024 * 1024 } };

  g_test_summary ("What no provider gives is no reference, however it came here");

  for (gsize i = 0; i < G_N_ELEMENTS (bounds); i++)
    {
      g_autoptr (GVariant) longest = new_long (bounds[i].name, bounds[i].limit);
      g_autoptr (GVariant) too_long = new_long (bounds[i].name, bounds[i].limit + 1);
      g_autoptr (AsbSandboxRef) ref = asb_sandbox_ref_deserialize (longest, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_nonnull (ref);
      g_assert_null (asb_sandbox_ref_deserialize (too_long, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
    }
}

static void
add_info (GListStore *all, const char *id, const char *color, AsbSandboxState state)
{
  g_autoptr (AsbSandboxRef) ref = new_ref (id, color);
  g_autoptr (AsbSandboxInfo) info
      = g_object_new (ASB_TYPE_SANDBOX_INFO, "ref", ref, "state", state, NULL);

  g_list_store_append (all, info);
}

static void
check_selected (AsbSandboxFilter *filter, GListStore *all, const char *expected)
{
  g_autoptr (GListModel) page = asb_sandbox_filter_select (filter, G_LIST_MODEL (all));
  g_autoptr (GString) ids = g_string_new (NULL);

  for (guint i = 0; i < g_list_model_get_n_items (page); i++)
    {
      g_autoptr (AsbSandboxInfo) info = g_list_model_get_item (page, i);

      g_string_append (ids, asb_sandbox_ref_get_sandbox_id (asb_sandbox_info_get_ref (info)));
    }
  g_assert_cmpstr (ids->str, ==, expected);
}

static void
test_select (void)
{
  static const char *const running[] = { "running", NULL };
  static const char *const deleted[] = { "deleted", NULL };
  g_autoptr (GListStore) all = g_list_store_new (ASB_TYPE_SANDBOX_INFO);
  g_autoptr (GHashTable) green = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();

  add_info (all, "a", "green", ASB_SANDBOX_STATE_RUNNING);
  add_info (all, "b", NULL, ASB_SANDBOX_STATE_RUNNING);
  add_info (all, "c", "red", ASB_SANDBOX_STATE_STOPPED);
  add_info (all, "d", "green", ASB_SANDBOX_STATE_STOPPED);
  add_info (all, "e", "green", ASB_SANDBOX_STATE_RUNNING);
  add_info (all, "f", "green", ASB_SANDBOX_STATE_DELETED);
  check_selected (filter, all, "abcde");
  asb_sandbox_filter_set_page_size (filter, 2);
  check_selected (filter, all, "ab");
  asb_sandbox_filter_set_page (filter, 3);
  check_selected (filter, all, "e");
  asb_sandbox_filter_set_page (filter, 4);
  check_selected (filter, all, "");
  asb_sandbox_filter_set_page (filter, G_MAXUINT);
  check_selected (filter, all, "");
  asb_sandbox_filter_set_page (filter, 1);
  g_hash_table_insert (green, (gpointer) "color", (gpointer) "green");
  asb_sandbox_filter_set_metadata (filter, green);
  check_selected (filter, all, "ad");
  asb_sandbox_filter_set_states (filter, g_variant_new_strv (running, -1));
  check_selected (filter, all, "ae");
  asb_sandbox_filter_set_states (filter, g_variant_new_strv (deleted, -1));
  check_selected (filter, all, "f");
}

/* Of an id that is no text no provider is asked. */
static void
test_id_without_text (void)
{
  g_autoptr (AsbProvider) mock = test_mock_new (NULL);
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  test_mock_add_fault (mock, "{'operation': <'get_sandbox'>, 'fault': <'fail'>,"
                             " 'code': <'internal_error'>}");
  info = asb_provider_get_sandbox (mock, "\377\376", NULL, &error);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/sandbox-ref/serialize", test_serialize);
  g_test_add_func ("/sandbox-ref/serialize/without-metadata", test_serialize_without_metadata);
  g_test_add_func ("/sandbox-ref/deserialize/refused", test_deserialize_refused);
  g_test_add_func ("/sandbox-ref/deserialize/bounds", test_deserialize_bounds);
  g_test_add_func ("/sandbox-ref/id-without-text", test_id_without_text);
  g_test_add_func ("/sandbox-filter/select", test_select);

  return g_test_run ();
}
