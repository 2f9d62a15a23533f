/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <asb.h>

#include "asb-error-private.h"

#define N_THREADS 8

static void
test_names (void)
{
  g_autoptr (GEnumClass) enum_class = g_type_class_ref (ASB_TYPE_ERROR_CODE);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  g_test_summary ("Every code has a name of its own, and the way back");

  for (guint i = 0; i < enum_class->n_values; i++)
    {
      int code = enum_class->values[i].value, found = -1;
      const char *name = asb_error_code_to_string (code);

      g_assert_nonnull (name);
      g_assert_true (g_hash_table_add (seen, (gpointer)name));
      g_assert_true (asb_error_code_from_string (name, &found));
      g_assert_cmpint (found, ==, code);
    }
  g_assert_cmpuint (g_hash_table_size (seen), ==, ASB_ERROR_INTERNAL + 1);
  g_assert_cmpstr (asb_error_code_to_string (ASB_ERROR_SANDBOX_NOT_FOUND), ==, "sandbox_not_found");
  g_assert_cmpstr (asb_error_code_to_string (ASB_ERROR_COMMAND_EXECUTION), ==,
                   "command_execution_error");
}

static void
test_unknown (void)
{
  int code = 77;

  g_test_summary ("A number that is no code has no name, and no other name is taken for one");

  g_assert_null (asb_error_code_to_string (-1));
  g_assert_null (asb_error_code_to_string (ASB_ERROR_INTERNAL + 1));
  g_assert_null (asb_error_code_to_string (G_MAXINT));
  g_assert_false (asb_error_code_from_string ("", &code));
  g_assert_false (asb_error_code_from_string ("SANDBOX_NOT_FOUND", &code));
  g_assert_false (asb_error_code_from_string ("sandbox_not_found ", &code));
  g_assert_cmpint (code, ==, 77);
}

static void
test_info (void)
{
  g_autoptr (AsbErrorInfo) info
      = g_object_new (ASB_TYPE_ERROR_INFO, "operation", "file.read", "retryable", TRUE, NULL);
  g_autoptr (GError) error = asb_error_new_with_info (ASB_ERROR_PROVIDER, "It failed", info);
  g_autoptr (GError) copy = g_error_copy (error);
  g_autoptr (GError) plain = g_error_new_literal (ASB_ERROR, ASB_ERROR_IO, "It failed");
  g_autoptr (GError) foreign = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, "It failed");

  g_test_summary ("The details travel with the error, also in a copy and after a prefix");

  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_true (asb_error_get_info (error) == info);
  g_prefix_error (&copy, "Could not do it: ");
  g_assert_cmpstr (copy->message, ==, "Could not do it: It failed");
  g_assert_true (asb_error_get_info (copy) == info);
  g_assert_null (asb_error_get_info (plain));
  g_assert_null (asb_error_get_info (foreign));

  asb_error_set_info (plain, info);
  g_assert_true (asb_error_get_info (plain) == info);
  asb_error_set_info (foreign, info);
  g_assert_null (asb_error_get_info (foreign));
}

static void
check_adopted (GQuark domain, int code, int expected)
{
  g_autoptr (GError) error = g_error_new_literal (domain, code, "It failed: a\377b");
  g_autoptr (GError) adopted = asb_error_adopt (g_steal_pointer (&error), ASB_ERROR_PROVIDER);

  g_assert_error (adopted, ASB_ERROR, expected);
  g_assert_cmpstr (adopted->message, ==, "It failed: a\357\277\275b");
  g_assert_true (asb_error_was (adopted, domain, code));
  g_assert_false (asb_error_was (adopted, domain, code + 1));
}

static void
test_adopt (void)
{
  g_autoptr (GError) cancelled = asb_error_adopt (
      g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "Cancelled"), ASB_ERROR_PROVIDER);
  g_autoptr (GError) foreign
      = asb_error_adopt (g_error_new_literal (G_FILE_ERROR, G_FILE_ERROR_NOENT, "It failed"),
                         ASB_ERROR_HISTORY_DATABASE);

  g_test_summary ("Whoever failed, the code is one that callers know, and the message stays");

  check_adopted (ASB_ERROR, ASB_ERROR_NO_SPACE, ASB_ERROR_NO_SPACE);
  check_adopted (ASB_ERROR, 12345, ASB_ERROR_PROVIDER);
  check_adopted (G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED, ASB_ERROR_PROVIDER);
  check_adopted (G_IO_ERROR, G_IO_ERROR_TIMED_OUT, ASB_ERROR_TIMED_OUT);
  check_adopted (g_quark_from_static_string ("some-service"), 0, ASB_ERROR_PROVIDER);
  g_assert_error (cancelled, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_error (foreign, ASB_ERROR, ASB_ERROR_HISTORY_DATABASE);
  g_assert_cmpstr (asb_error_info_get_provider_error_code (asb_error_get_info (foreign)), ==,
                   "g-file-error-quark:4");
}

static void
test_info_is_freed (void)
{
  AsbErrorInfo *info = asb_error_info_new ();
  g_autoptr (GError) error = asb_error_new_with_info (ASB_ERROR_PROVIDER, "It failed", info);

  g_test_summary ("An error holds its details, and lets go of them");

  g_object_add_weak_pointer (G_OBJECT (info), (gpointer *)&info);
  g_object_unref (info);
  g_assert_nonnull (info);
  g_clear_error (&error);
  g_assert_null (info);
}

static void
test_last (void)
{
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  g_autoptr (GError) error = asb_error_new_with_info (ASB_ERROR_PROVIDER, "It failed", info);
  g_autoptr (GError) foreign = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, "It failed");

  g_test_summary ("The last details are those of the last error, none if that had none");

  asb_error_info_set_last (error);
  g_assert_true (asb_error_info_get_last () == info);
  asb_error_info_set_last (foreign);
  g_assert_null (asb_error_info_get_last ());
  asb_error_info_set_last (error);
  asb_error_info_set_last (NULL);
  g_assert_null (asb_error_info_get_last ());
}

static gpointer
last_thread (gpointer data)
{
  g_autofree char *operation = g_strdup_printf ("operation-%d", GPOINTER_TO_INT (data));
  g_autoptr (AsbErrorInfo) info = g_object_new (ASB_TYPE_ERROR_INFO, "operation", operation, NULL);
  g_autoptr (GError) error = asb_error_new_with_info (ASB_ERROR_PROVIDER, "It failed", info);

  g_assert_null (asb_error_info_get_last ());
  for (guint i = 0; i < 1000; i++)
    {
      asb_error_info_set_last (error);
      g_assert_cmpstr (asb_error_info_get_operation (asb_error_info_get_last ()), ==, operation);
    }
  return NULL;
}

static void
test_last_per_thread (void)
{
  GThread *threads[N_THREADS];

  g_test_summary ("Each thread has its own last error");

  asb_error_info_set_last (NULL);
  for (int i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("last", last_thread, GINT_TO_POINTER (i));
  for (int i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  g_assert_null (asb_error_info_get_last ());
}

static void
test_properties (void)
{
  static const char *const names[]
      = { "operation",           "operation-id",        "provider-name", "provider-key",
          "sandbox-id",          "sandbox-instance-id", "actor-id",      "correlation-id",
          "provider-error-code", "provider-request-id" };
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  g_autoptr (GVariant) details = g_variant_ref_sink (g_variant_new_string ("details"));

  g_test_summary ("Every detail can be set and read, and starts empty");

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *before = NULL;
      g_autofree char *after = NULL;

      g_object_get (info, names[i], &before, NULL);
      g_object_set (info, names[i], names[i], NULL);
      g_object_get (info, names[i], &after, NULL);
      g_assert_null (before);
      g_assert_cmpstr (after, ==, names[i]);
    }
  g_assert_false (asb_error_info_get_retryable (info));
  asb_error_info_set_retryable (info, TRUE);
  g_assert_true (asb_error_info_get_retryable (info));
  asb_error_info_set_details (info, details);
  g_assert_true (asb_error_info_get_details (info) == details);
  g_assert_cmpstr (asb_error_info_get_provider_request_id (info), ==, "provider-request-id");
}

/* An error that comes over a message bus is the one that went in. */
static void
test_dbus (void)
{
  g_autoptr (GError) error = g_error_new (ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND, "No “%s”", "x");
  g_autofree char *name = g_dbus_error_encode_gerror (error);
  g_autoptr (GError) back = NULL;

  g_assert_cmpstr (name, ==, "org.libasb.Error.SandboxNotFound");
  back = g_dbus_error_new_for_dbus_error ("org.libasb.Error.DirectoryNotEmpty", "x");
  g_assert_error (back, ASB_ERROR, ASB_ERROR_DIRECTORY_NOT_EMPTY);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/error/names", test_names);
  g_test_add_func ("/error/dbus", test_dbus);
  g_test_add_func ("/error/unknown", test_unknown);
  g_test_add_func ("/error/info", test_info);
  g_test_add_func ("/error/adopt", test_adopt);
  g_test_add_func ("/error/info-is-freed", test_info_is_freed);
  g_test_add_func ("/error/last", test_last);
  g_test_add_func ("/error/last-per-thread", test_last_per_thread);
  g_test_add_func ("/error/properties", test_properties);
  return g_test_run ();
}
