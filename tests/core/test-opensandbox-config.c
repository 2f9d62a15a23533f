/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "asb-test-store.h"

/* What asb_create_opensandbox_backend () makes of its arguments: here the provider of that name is
 * a mock that notes what it is made with. */

typedef struct
{
  AsbOpensandboxConfig *config;
  AsbBackendOptions *options; /* the same */
  AsbRegistry *registry;
  AsbProvider *mock;
  GVariant *given; /* the options of the provider */
  GError *error;
} Fixture;

static AsbProvider *
make_provider (AsbRegistry *registry, const char *name, GVariant *options, gpointer user_data,
               GError **error)
{
  Fixture *fixture = user_data;

  g_assert_cmpstr (name, ==, "opensandbox");
  g_clear_pointer (&fixture->given, g_variant_unref);
  fixture->given = g_variant_ref_sink (options);
  return g_object_ref (fixture->mock);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TestStore) store = test_store_new ();

  fixture->mock = test_mock_new (NULL);
  fixture->registry = test_registry_new ();
  asb_registry_register_provider_factory (fixture->registry, "opensandbox", make_provider, fixture,
                                          NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  fixture->config = asb_opensandbox_config_new ();
  fixture->options = ASB_BACKEND_OPTIONS (fixture->config);
  asb_backend_options_set_registry (fixture->options, fixture->registry);
  asb_backend_options_set_history_store (fixture->options, ASB_HISTORY_STORE (store));
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_assert_no_error (fixture->error);
  g_clear_object (&fixture->config);
  g_clear_object (&fixture->registry);
  g_clear_pointer (&fixture->given, g_variant_unref);
  g_assert_finalize_object (g_steal_pointer (&fixture->mock));
}

static void
create (Fixture *fixture, const char *url)
{
  g_autoptr (AsbBackend) backend
      = asb_create_opensandbox_backend (url, fixture->config, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  test_backend_close (backend);
}

static void
check_given (Fixture *fixture, const char *expected)
{
  g_autoptr (GVariant) variant = g_variant_parse (NULL, expected, NULL, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  g_assert_cmpuint (g_variant_n_children (fixture->given), ==, g_variant_n_children (variant));
  for (gsize i = 0; i < g_variant_n_children (variant); i++)
    {
      g_autoptr (GVariant) value = NULL, given = NULL;
      const char *name;

      g_variant_get_child (variant, i, "{&sv}", &name, &value);
      given = g_variant_lookup_value (fixture->given, name, NULL);
      g_assert_nonnull (given);
      g_assert_cmpvariant (given, value);
    }
}

static void
test_defaults (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("Without anything said the provider gets the defaults of the reference, and not "
                  "what the environment says");

  create (fixture, NULL);
  check_given (fixture, "{'provider-key': <'opensandbox-default'>, 'use-server-proxy': <true>,"
                        " 'request-timeout-seconds': <30.0>, 'ready-timeout-seconds': <30.0>,"
                        " 'idle-timeout-seconds': <60.0>,"
                        " 'debug': <false>, 'max-connections': <uint32 1024>,"
                        " 'max-connections-per-host': <uint32 1024>,"
                        " 'keep-alive-seconds': <uint32 20>, 'transport': <'auto'>}");
}

static void
test_connection (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GHashTable) headers = g_hash_table_new (g_str_hash, g_str_equal);

  g_test_summary ("What is said of the connection goes to the provider");

  g_hash_table_insert (headers, (gpointer) "X-One", (gpointer) "1");
  g_object_set (fixture->config, "api-key", "key", "execd-token", "token", "provider-key", "mine",
                "use-server-proxy", FALSE, "request-timeout-seconds", 1.5, "ready-timeout-seconds",
                60.0, "idle-timeout-seconds", 5.0, "headers", headers, "debug", TRUE,
                "max-connections", 2, "max-connections-per-host", 1, "keep-alive-seconds", 5,
                "proxy", "http://proxy:1", "tls-ca-file", "/ca", "transport", "native", NULL);
  create (fixture, "https://host:1");
  check_given (fixture, "{'url': <'https://host:1'>, 'api-key': <'key'>, 'execd-token': <'token'>,"
                        " 'provider-key': <'mine'>, 'use-server-proxy': <false>,"
                        " 'request-timeout-seconds': <1.5>, 'ready-timeout-seconds': <60.0>,"
                        " 'idle-timeout-seconds': <5.0>,"
                        " 'headers': <{'X-One': '1'}>, 'debug': <true>,"
                        " 'max-connections': <uint32 2>, 'max-connections-per-host': <uint32 1>,"
                        " 'keep-alive-seconds': <uint32 5>, 'proxy': <'http://proxy:1'>,"
                        " 'tls-ca-file': <'/ca'>, 'transport': <'native'>}");
}

static void
test_out_of_range (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A number that is out of range is refused by name, and not left out");

  asb_backend_options_set_ready_timeout_seconds (fixture->options, 0);
  backend = asb_create_opensandbox_backend ("host", fixture->config, NULL, &error);
  g_assert_null (backend);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "“ready-timeout-seconds”"));
}

static void
test_own_options (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("The options of the caller stay as they are");

  create (fixture, "host");
  g_assert_null (asb_backend_options_get_provider_name (fixture->options));
  g_assert_null (asb_backend_options_get_provider_options (fixture->options));
  g_assert_null (asb_backend_options_get_image (fixture->options));
}

static void
note_spec_cb (AsbProvider *mock, const char *operation, const char *sandbox_id, gpointer user_data)
{
  guint *n_created = user_data;

  if (g_str_equal (operation, "create_sandbox"))
    (*n_created)++;
}

static char *
create_and_describe (Fixture *fixture)
{
  g_autoptr (AsbBackend) backend
      = asb_create_opensandbox_backend ("host", fixture->config, NULL, &fixture->error);
  g_autoptr (AsbSandboxInfo) info = NULL;
  char *text;

  g_assert_no_error (fixture->error);
  info = asb_backend_query_info (backend, NULL, &fixture->error);
  g_assert_no_error (fixture->error);
  text = g_strdup_printf ("%s “%s”", asb_sandbox_info_get_image (info),
                          asb_sandbox_info_get_name (info));
  test_backend_close (backend);
  return text;
}

static void
test_image_and_name (Fixture *fixture, gconstpointer data)
{
  g_autofree char *first = NULL, *second = NULL;

  g_test_summary ("The image has a default, and the name is without blanks around it");

  asb_backend_options_set_sandbox_name (fixture->options, " \xC2\xA0 my name\t");
  first = create_and_describe (fixture);
  g_assert_cmpstr (first, ==, "python:3.12 “my name”");
  asb_backend_options_set_image (fixture->options, "busybox");
  second = create_and_describe (fixture);
  g_assert_cmpstr (second, ==, "busybox “my name”");
}

static void
check_refused (Fixture *fixture, const char *words)
{
  guint n_created = 0;

  g_signal_connect (fixture->mock, "called", G_CALLBACK (note_spec_cb), &n_created);
  g_assert_null (asb_create_opensandbox_backend ("host", fixture->config, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (g_strstr_len (fixture->error->message, -1, words));
  g_clear_error (&fixture->error);
  g_assert_cmpuint (n_created, ==, 0);
  g_signal_handlers_disconnect_by_data (fixture->mock, &n_created);
}

static void
test_refused (Fixture *fixture, gconstpointer data)
{
  g_test_summary ("A provider cannot be named, and a name of blanks is none");

  asb_backend_options_set_provider (fixture->options, fixture->mock);
  check_refused (fixture, "“provider”");
  asb_backend_options_set_provider (fixture->options, NULL);
  asb_backend_options_set_provider_name (fixture->options, "mock");
  check_refused (fixture, "“provider-name”");
  asb_backend_options_set_provider_name (fixture->options, "opensandbox");
  asb_backend_options_set_sandbox_name (fixture->options, " \n ");
  check_refused (fixture, "1 to 128 characters");
}

static void
created_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  gboolean *done = user_data;

  g_assert_null (asb_create_opensandbox_backend_finish (result, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
  *done = TRUE;
}

static void
test_async (Fixture *fixture, gconstpointer data)
{
  gboolean done = FALSE;

  g_test_summary ("What is refused at once is told later all the same");

  asb_backend_options_set_provider (fixture->options, fixture->mock);
  asb_create_opensandbox_backend_async ("host", fixture->config, NULL, created_cb, &done);
  g_assert_false (done);
  while (!done)
    g_main_context_iteration (NULL, TRUE);
}

static void
add (const char *path, void (*function) (Fixture *fixture, gconstpointer data))
{
  g_test_add (path, Fixture, NULL, set_up, function, tear_down);
}

int
main (int argc, char *argv[])
{
  g_setenv ("OPEN_SANDBOX_API_KEY", "of-the-environment", TRUE);
  g_test_init (&argc, &argv, NULL);

  add ("/opensandbox-config/defaults", test_defaults);
  add ("/opensandbox-config/connection", test_connection);
  add ("/opensandbox-config/own-options", test_own_options);
  add ("/opensandbox-config/out-of-range", test_out_of_range);
  add ("/opensandbox-config/image-and-name", test_image_and_name);
  add ("/opensandbox-config/refused", test_refused);
  add ("/opensandbox-config/async", test_async);

  return g_test_run ();
}
