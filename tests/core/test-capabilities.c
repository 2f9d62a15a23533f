/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <asb.h>

typedef struct
{
  guint n_calls;
  guint position;
  guint n_removed;
  guint n_added;
} Changes;

static void
items_changed_cb (GListModel *model, guint position, guint n_removed, guint n_added,
                  gpointer user_data)
{
  Changes *changes = user_data;

  changes->n_calls++;
  changes->position = position;
  changes->n_removed = n_removed;
  changes->n_added = n_added;
}

static void
test_empty (void)
{
  g_autoptr (AsbCapabilities) capabilities = asb_capabilities_new ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("Of an empty list nothing is available");

  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (capabilities)), ==, 0);
  g_assert_true (g_list_model_get_item_type (G_LIST_MODEL (capabilities)) == ASB_TYPE_CAPABILITY);
  g_assert_null (g_list_model_get_item (G_LIST_MODEL (capabilities), 0));
  g_assert_null (asb_capabilities_get (capabilities, ASB_CAPABILITY_FILESYSTEM));
  g_assert_false (asb_capabilities_supports (capabilities, ASB_CAPABILITY_FILESYSTEM));
  g_assert_false (asb_capabilities_require (capabilities, ASB_CAPABILITY_FILESYSTEM, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
}

static void
test_list_model (void)
{
  g_autoptr (AsbCapabilities) capabilities = asb_capabilities_new ();
  g_autoptr (AsbCapability) second = NULL;
  Changes changes = { 0 };

  g_test_summary ("A list model in the order of adding; adding again replaces");

  g_signal_connect (capabilities, "items-changed", G_CALLBACK (items_changed_cb), &changes);
  asb_capabilities_add (capabilities, "one", ASB_CAPABILITY_SUPPORT_NATIVE, "test", NULL);
  asb_capabilities_add (capabilities, "two", ASB_CAPABILITY_SUPPORT_EMULATED, NULL, "slowly");
  g_assert_cmpuint (changes.n_calls, ==, 2);
  g_assert_cmpuint (changes.position, ==, 1);
  g_assert_cmpuint (changes.n_removed, ==, 0);
  g_assert_cmpuint (changes.n_added, ==, 1);

  asb_capabilities_add (capabilities, "one", ASB_CAPABILITY_SUPPORT_UNAVAILABLE, "test", "gone");
  g_assert_cmpuint (changes.n_calls, ==, 3);
  g_assert_cmpuint (changes.position, ==, 0);
  g_assert_cmpuint (changes.n_removed, ==, 1);
  g_assert_cmpuint (changes.n_added, ==, 1);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (capabilities)), ==, 2);

  second = g_list_model_get_item (G_LIST_MODEL (capabilities), 1);
  g_assert_cmpstr (asb_capability_get_name (second), ==, "two");
  g_assert_cmpstr (asb_capability_get_reason (second), ==, "slowly");
  g_assert_null (asb_capability_get_source (second));
  g_assert_null (g_list_model_get_item (G_LIST_MODEL (capabilities), 2));
}

static void
test_require (void)
{
  g_autoptr (AsbCapabilities) capabilities = asb_capabilities_new ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("What is native or emulated is there; what is not fails with its reason");

  asb_capabilities_add (capabilities, "native", ASB_CAPABILITY_SUPPORT_NATIVE, NULL, NULL);
  asb_capabilities_add (capabilities, "emulated", ASB_CAPABILITY_SUPPORT_EMULATED, NULL, NULL);
  asb_capabilities_add (capabilities, "missing", ASB_CAPABILITY_SUPPORT_UNAVAILABLE, NULL,
                        "it is too old");
  g_assert_true (asb_capabilities_require (capabilities, "native", &error));
  g_assert_true (asb_capabilities_require (capabilities, "emulated", &error));
  g_assert_no_error (error);

  g_assert_false (asb_capabilities_require (capabilities, "missing", &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  g_assert_cmpstr (error->message, ==, "“missing” is not supported: it is too old");
  g_assert_cmpstr (asb_error_info_get_operation (asb_error_get_info (error)), ==, "missing");
  g_assert_true (asb_error_info_get_last () == asb_error_get_info (error));
  g_clear_error (&error);

  g_assert_false (asb_capabilities_require (capabilities, "unheard", &error));
  g_assert_cmpstr (error->message, ==, "“unheard” is not supported");
  g_assert_false (asb_capabilities_require (capabilities, "unheard", NULL));
}

static void
test_merge (void)
{
  g_autoptr (AsbCapabilities) mine = asb_capabilities_new ();
  g_autoptr (AsbCapabilities) other = asb_capabilities_new ();

  g_test_summary ("Merging takes what both have from the other, and leaves the other alone");

  asb_capabilities_add (mine, "one", ASB_CAPABILITY_SUPPORT_NATIVE, "mine", NULL);
  asb_capabilities_add (mine, "two", ASB_CAPABILITY_SUPPORT_NATIVE, "mine", NULL);
  asb_capabilities_add (other, "two", ASB_CAPABILITY_SUPPORT_EMULATED, "other", NULL);
  asb_capabilities_add (other, "three", ASB_CAPABILITY_SUPPORT_NATIVE, "other", NULL);
  asb_capabilities_merge (mine, other);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (mine)), ==, 3);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (other)), ==, 2);
  g_assert_cmpstr (asb_capability_get_source (asb_capabilities_get (mine, "one")), ==, "mine");
  g_assert_cmpstr (asb_capability_get_source (asb_capabilities_get (mine, "two")), ==, "other");
  g_assert_cmpint (asb_capability_get_support (asb_capabilities_get (mine, "two")), ==,
                   ASB_CAPABILITY_SUPPORT_EMULATED);
  asb_capabilities_merge (mine, mine);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (mine)), ==, 3);
}

static void
test_limits (void)
{
  g_autoptr (AsbCapabilities) capabilities = asb_capabilities_new ();
  g_autoptr (GHashTable) limits = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (AsbCapability) capability = NULL;
  GHashTable *found;

  g_test_summary ("A capability may name limits, and holds a copy of them");

  g_hash_table_insert (limits, (gpointer) "algorithm", (gpointer) "sha256");
  capability = g_object_new (ASB_TYPE_CAPABILITY, "name", ASB_CAPABILITY_FILE_HASH, "support",
                             ASB_CAPABILITY_SUPPORT_NATIVE, "limits", limits, NULL);
  asb_capabilities_add_capability (capabilities, capability);
  found = asb_capability_get_limits (asb_capabilities_get (capabilities, ASB_CAPABILITY_FILE_HASH));
  g_assert_cmpstr (g_hash_table_lookup (found, "algorithm"), ==, "sha256");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/capabilities/empty", test_empty);
  g_test_add_func ("/capabilities/list-model", test_list_model);
  g_test_add_func ("/capabilities/require", test_require);
  g_test_add_func ("/capabilities/merge", test_merge);
  g_test_add_func ("/capabilities/limits", test_limits);
  return g_test_run ();
}
