/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test-store.h"

#include <string.h>

/* Every way to make a backend. What its options must be like is in test-create-rules.c, what goes
 * wrong on the way in test-create-faults.c. */

static AsbSandboxRef *
make_ref (TestCreation *fixture)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_create_sandbox (fixture->mock, spec, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  return g_object_ref (asb_sandbox_info_get_ref (info));
}

static void
add_mount (TestCreation *fixture, const char *source, const char *target)
{
  g_autoptr (AsbMount) mount = asb_mount_new (source, target, ASB_MOUNT_MODE_OVERLAY);

  asb_backend_options_add_mount (fixture->options, mount);
}

/* Providers. */

static void
test_by_instance (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = test_creation_create (fixture);

  g_test_summary ("A provider that was handed in is used, and still usable afterwards");

  g_assert_true (asb_backend_get_provider (backend) == fixture->mock);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 1);
  test_backend_close (backend);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
  g_assert_cmpuint (test_mock_get_transport_count (fixture->mock), ==, 0);
  g_object_unref (make_ref (fixture));
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 1);
}

static void
test_by_name (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (AsbRegistry) registry = test_registry_new ();
  g_autoptr (AsbBackend) backend = NULL;
  g_autofree char *key = NULL;
  TestCensus census;

  g_test_summary ("A provider by name is made with its options, and goes with the backend");

  asb_backend_options_set_provider (fixture->options, NULL);
  asb_backend_options_set_provider_name (fixture->options, "mock");
  asb_backend_options_set_registry (fixture->options, registry);
  asb_backend_options_set_provider_options (fixture->options,
                                            g_variant_new_parsed ("{'provider_key': <'mine'>}"));
  backend = test_creation_create (fixture);
  key = asb_provider_dup_key (asb_backend_get_provider (backend));
  g_assert_cmpstr (key, ==, "mine");
  g_assert_true (asb_backend_get_provider (backend) != fixture->mock);
  test_census_init (&census);
  test_census_add (&census, asb_backend_get_provider (backend));
  test_backend_close (backend);
  g_clear_object (&backend);
  test_census_end (&census);
}

static void
test_default_registry (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = NULL;

  g_test_summary ("Without a registry the default one is asked");

  asb_backend_options_set_provider (fixture->options, NULL);
  asb_backend_options_set_provider_name (fixture->options, "mock");
  backend = test_creation_create (fixture);
  test_backend_close (backend);
}

static void
test_unknown_provider (TestCreation *fixture, gconstpointer data)
{
  g_test_summary ("A provider nobody knows, or bad options for one, fail in resolving it");

  asb_backend_options_set_provider (fixture->options, NULL);
  asb_backend_options_set_provider_name (fixture->options, "nobody");
  g_assert_null (asb_create_backend (fixture->options, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_MODULE_NOT_FOUND);
  g_assert_cmpstr (asb_error_info_get_operation (asb_error_get_info (fixture->error)), ==,
                   "provider.resolve");
  g_clear_error (&fixture->error);

  asb_backend_options_set_provider_name (fixture->options, "mock");
  asb_backend_options_set_provider_options (fixture->options,
                                            g_variant_new_parsed ("{'colour': <'red'>}"));
  g_assert_null (asb_create_backend (fixture->options, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

/* Creating. */

static AsbSandboxInfo *
query_info (TestCreation *fixture, AsbBackend *backend)
{
  AsbSandboxInfo *info = asb_backend_query_info (backend, NULL, &fixture->error);

  g_assert_no_error (fixture->error);
  return info;
}

static void
test_spec (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;
  GHashTable *found;
  AsbSandboxRef *ref;

  g_test_summary ("What was asked for arrives at the provider, the name among the metadata");

  g_hash_table_insert (metadata, (gpointer) "who", (gpointer) "me");
  g_object_set (fixture->options, "sandbox-name", "box", "image", "alpine", "workdir", "/w",
                "metadata", metadata, "sandbox-ttl-mode", ASB_TTL_MODE_SECONDS,
                "sandbox-ttl-seconds", (gint64)100, NULL);
  backend = test_creation_create (fixture);
  info = query_info (fixture, backend);
  ref = asb_sandbox_info_get_ref (info);
  g_assert_cmpstr (asb_sandbox_info_get_name (info), ==, "box");
  g_assert_cmpstr (asb_sandbox_info_get_image (info), ==, "alpine");
  g_assert_cmpstr (asb_sandbox_info_get_workdir (info), ==, "/w");
  g_assert_nonnull (asb_sandbox_info_get_expires_at (info));
  found = asb_sandbox_ref_get_metadata (ref);
  g_assert_cmpstr (g_hash_table_lookup (found, "who"), ==, "me");
  g_assert_cmpstr (g_hash_table_lookup (found, "agent_sandbox.name"), ==, "box");
  g_assert_true (g_uuid_string_is_valid (asb_sandbox_ref_get_sandbox_instance_id (ref)));
  g_assert_cmpstr (asb_backend_get_workdir (backend), ==, "/w");
  /* The caller's own are not written to. */
  g_assert_cmpuint (g_hash_table_size (metadata), ==, 1);
  test_backend_close (backend);
}

static void
test_mounts_unsupported (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = NULL;

  g_test_summary ("A provider that cannot show folders is not asked to");

  add_mount (fixture, "/src", "/workspace");
  backend = asb_create_backend (fixture->options, NULL, &fixture->error);
  g_assert_null (backend);
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  g_assert_nonnull (strstr (fixture->error->message, "mounts"));
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "create_sandbox"), ==, 0);
}

static void
test_instance_id (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (AsbBackend) backend = NULL;

  g_test_summary ("The caller may choose the instance id, by the metadata");

  g_hash_table_insert (metadata, (gpointer) "sandbox_instance_id", (gpointer) "mine");
  asb_backend_options_set_metadata (fixture->options, metadata);
  backend = test_creation_create (fixture);
  g_assert_cmpstr (asb_sandbox_ref_get_sandbox_instance_id (asb_backend_get_ref (backend)), ==,
                   "mine");
  test_backend_close (backend);
}

static void
test_idempotency (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) one = NULL;
  g_autoptr (AsbBackend) other = NULL;

  g_test_summary ("The same idempotency key gives the same sandbox");

  asb_backend_options_set_idempotency_key (fixture->options, "key");
  one = test_creation_create (fixture);
  other = test_creation_create (fixture);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 1);
  test_backend_close (one);
  test_backend_close (other);
}

static void
test_workdir_made (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbFileInfo) info = NULL;

  g_test_summary ("The working directory is made at creation");

  asb_backend_options_set_workdir (fixture->options, "/deep/down");
  backend = test_creation_create (fixture);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "make_directory"), ==, 1);
  info = asb_backend_query_file (backend, ".", NULL, &fixture->error);
  g_assert_cmpint (asb_file_info_get_kind (info), ==, ASB_FILE_KIND_DIRECTORY);
  test_backend_close (backend);
}

static void
test_workdir_found (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbBackend) again = NULL;
  g_autoptr (AsbBackend) other = NULL;

  g_test_summary ("Who comes later works where the sandbox was made to, unless told otherwise");

  asb_backend_options_set_workdir (fixture->options, "/deep/down");
  asb_backend_options_set_cleanup (fixture->options, ASB_CLEANUP_POLICY_NEVER);
  backend = test_creation_create (fixture);
  g_clear_object (&fixture->options);
  fixture->options = asb_backend_options_new ();
  asb_backend_options_set_provider (fixture->options, asb_backend_get_provider (backend));
  asb_backend_options_set_mode (fixture->options, ASB_BACKEND_MODE_CONNECT);
  asb_backend_options_set_cleanup (fixture->options, ASB_CLEANUP_POLICY_NEVER);
  asb_backend_options_set_ref (fixture->options, asb_backend_get_ref (backend));
  again = test_creation_create (fixture);
  g_assert_cmpstr (asb_backend_get_workdir (again), ==, "/deep/down");
  asb_backend_options_set_workdir (fixture->options, "/workspace");
  other = test_creation_create (fixture);
  g_assert_cmpstr (asb_backend_get_workdir (other), ==, "/workspace");
  test_backend_close (other);
  test_backend_close (again);
  test_backend_close (backend);
}

static void
test_options_stay (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) one = NULL;
  g_autoptr (AsbBackend) other = NULL;

  g_test_summary ("One set of options makes several backends, which it does not tie together");

  one = test_creation_create (fixture);
  asb_backend_options_set_workdir (fixture->options, "/other");
  other = test_creation_create (fixture);
  g_assert_cmpstr (asb_backend_get_workdir (one), ==, "/workspace");
  g_assert_cmpstr (asb_backend_get_workdir (other), ==, "/other");
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 2);
  test_backend_close (one);
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 1);
  test_backend_close (other);
}

static void
test_async (TestCreation *fixture, gconstpointer data)
{
  g_auto (TestAnswer) answer = { 0 };
  g_autoptr (AsbBackend) backend = NULL;

  g_test_summary ("It can be awaited; the callback runs after the function has returned");

  asb_create_backend_async (fixture->options, NULL, test_answer_cb, &answer);
  g_assert_cmpuint (answer.n_calls, ==, 0);
  backend = asb_create_backend_finish (test_answer_wait (&answer), &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (answer.n_calls, ==, 1);
  test_backend_close (backend);
}

/* Connecting. */

static void
use_ref (TestCreation *fixture, AsbSandboxRef *ref)
{
  asb_backend_options_set_mode (fixture->options, ASB_BACKEND_MODE_CONNECT);
  asb_backend_options_set_ref (fixture->options, ref);
}

static void
test_connect (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxRef) ref = make_ref (fixture);
  g_autoptr (AsbBackend) backend = NULL;

  g_test_summary ("A sandbox that is there is used; its working directory is not touched");

  use_ref (fixture, ref);
  backend = test_creation_create (fixture);
  g_assert_cmpstr (asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend)), ==,
                   asb_sandbox_ref_get_sandbox_id (ref));
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "create_sandbox"), ==, 1);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "make_directory"), ==, 0);
  test_backend_close (backend);
}

static void
test_connected_is_never_deleted (TestCreation *fixture, gconstpointer data)
{
  static const AsbCleanupPolicy policies[]
      = { ASB_CLEANUP_POLICY_ON_CLOSE, ASB_CLEANUP_POLICY_NEVER, ASB_CLEANUP_POLICY_TTL };
  g_autoptr (AsbSandboxRef) ref = make_ref (fixture);

  g_test_summary ("Closing never deletes a sandbox that was only connected to");

  use_ref (fixture, ref);
  for (gsize i = 0; i < G_N_ELEMENTS (policies); i++)
    {
      g_autoptr (AsbBackend) backend = NULL;

      asb_backend_options_set_cleanup (fixture->options, policies[i]);
      asb_backend_options_set_cleanup_ttl_seconds (fixture->options,
                                                   policies[i] == ASB_CLEANUP_POLICY_TTL ? 1 : 0);
      backend = test_creation_create (fixture);
      test_backend_close (backend);
      test_drain ();
    }
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 1);
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "delete_sandbox"), ==, 0);
}

static void
check_not_found (TestCreation *fixture, const char *why)
{
  AsbErrorInfo *info;

  g_assert_null (asb_create_backend (fixture->options, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND);
  g_assert_nonnull (g_strstr_len (fixture->error->message, -1, why));
  info = asb_error_get_info (fixture->error);
  g_assert_cmpstr (asb_error_info_get_operation (info), ==, "sandbox.connect");
  g_assert_cmpstr (asb_error_info_get_provider_name (info), ==, "mock");
  g_assert_nonnull (asb_error_info_get_sandbox_id (info));
  g_clear_error (&fixture->error);
}

static void
use_changed_ref (TestCreation *fixture, AsbSandboxRef *ref, const char *property, const char *value)
{
  g_autoptr (AsbSandboxRef) changed = NULL;
  const char *names[] = { "provider-name", "provider-key", "sandbox-id", "sandbox-instance-id",
                          "endpoint-fingerprint" };
  GValue values[G_N_ELEMENTS (names)] = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_object_get_property (G_OBJECT (ref), names[i], &values[i]);
      if (g_str_equal (names[i], property))
        g_value_set_string (&values[i], value);
    }
  changed = ASB_SANDBOX_REF (
      g_object_new_with_properties (ASB_TYPE_SANDBOX_REF, G_N_ELEMENTS (names), names, values));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_value_unset (&values[i]);
  use_ref (fixture, changed);
}

static void
test_foreign_ref (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxRef) ref = make_ref (fixture);

  g_test_summary ("A reference to another sandbox than that of its id is not found");

  use_changed_ref (fixture, ref, "provider-name", "other");
  check_not_found (fixture, "of another provider");
  use_changed_ref (fixture, ref, "provider-key", "other");
  check_not_found (fixture, "another provider key");
  use_changed_ref (fixture, ref, "endpoint-fingerprint", "0123456789abcdef");
  check_not_found (fixture, "of another server");
  g_assert_cmpuint (test_mock_get_calls (fixture->mock, "get_sandbox"), ==, 0);
  use_changed_ref (fixture, ref, "sandbox-instance-id", "other");
  check_not_found (fixture, "is another one");
  use_changed_ref (fixture, ref, "sandbox-id", "sandbox-nobody");
  check_not_found (fixture, "“sandbox-nobody”");
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 1);
}

static void
test_paused (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxRef) ref = make_ref (fixture);
  g_autoptr (AsbSandboxInfo) info = asb_provider_pause_sandbox (
      fixture->mock, asb_sandbox_ref_get_sandbox_id (ref), NULL, &fixture->error);

  g_test_summary ("One does not connect to a frozen sandbox");

  use_ref (fixture, ref);
  g_assert_null (asb_create_backend (fixture->options, NULL, &fixture->error));
  g_assert_error (fixture->error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE);
}

/* The history. */

static void
test_ready_store (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (TestStore) store = test_store_new ();
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) end = NULL;
  g_autofree char *summary = NULL;
  AsbSandboxRef *ref;

  g_test_summary ("A ready store is opened, told of the creation, and not closed");

  g_object_set (fixture->options, "history-store", store, "sandbox-name", "box", "image", "alpine",
                "agent-name", "me", "idempotency-key", "key", NULL);
  backend = test_creation_create (fixture);
  ref = asb_backend_get_ref (backend);
  g_assert_true (asb_backend_get_history_store (backend) == ASB_HISTORY_STORE (store));
  g_assert_cmpuint (store->n_opened, ==, 1);
  g_assert_cmpuint (test_store_count (store), ==, 1);
  start = test_store_get_record (store, 0, 0);
  test_variant_check_string (start, "event/operation_type", "sandbox.create");
  test_variant_check_string (start, "event/actor/actor_id", "me");
  test_variant_check_string (start, "event/request/image", "alpine");
  test_variant_check_string (start, "event/request/workdir", "/workspace");
  test_variant_check_string (start, "event/request/idempotency_key", "key");
  test_variant_check_null (start, "event/request/sandbox_ttl_seconds");
  test_variant_check_string (start, "event/request/metadata/agent_sandbox.name", "box");
  end = test_store_get_record (store, 0, 1);
  test_variant_check_string (end, "event/status", "succeeded");
  test_variant_check_string (end, "event/result/provider_name", "mock");
  test_variant_check_string (end, "event/result/provider_key", "mock-default");
  test_variant_check_string (end, "event/result/sandbox_id", asb_sandbox_ref_get_sandbox_id (ref));
  test_variant_check_string (end, "event/result/sandbox_instance_id",
                             asb_sandbox_ref_get_sandbox_instance_id (ref));

  test_backend_close (backend);
  summary = test_store_summary (store);
  g_assert_cmpstr (summary, ==, ":succeeded :started :succeeded");
  g_assert_cmpuint (store->n_closed, ==, 0);
}

static void
test_connect_record (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (AsbSandboxRef) ref = make_ref (fixture);
  g_autoptr (TestStore) store = test_store_new ();
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (GVariant) start = NULL;
  g_autoptr (GVariant) end = NULL;

  g_test_summary ("A connection is recorded with the state that was found");

  use_ref (fixture, ref);
  asb_backend_options_set_history_store (fixture->options, ASB_HISTORY_STORE (store));
  backend = test_creation_create (fixture);
  start = test_store_get_record (store, 0, 0);
  test_variant_check_string (start, "event/operation_type", "sandbox.connect");
  end = test_store_get_record (store, 0, 1);
  test_variant_check_string (end, "event/result/state", "running");
  test_backend_close (backend);
  g_assert_cmpuint (test_store_count (store), ==, 1);
}

static AsbHistoryStore *
give_store (AsbRegistry *registry, const char *name, GVariant *options, gpointer user_data,
            GError **error)
{
  if (!user_data)
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_HISTORY_UNAVAILABLE, "No store today");
      return NULL;
    }
  if (options)
    g_object_set_data_full (user_data, "options", g_variant_ref (options),
                            (GDestroyNotify)g_variant_unref);
  return g_object_ref (user_data);
}

/* A registry whose stores are all @store. */
static AsbRegistry *
registry_with_store (TestStore *store)
{
  AsbRegistry *registry = test_registry_new ();

  g_assert_true (asb_registry_register_history_store_factory (registry, "sandbox", give_store,
                                                              store, NULL, NULL));
  g_assert_true (asb_registry_register_history_store_factory (registry, "sqlite", give_store, store,
                                                              NULL, NULL));
  return registry;
}

static void
use_history (TestCreation *fixture, TestStore *store, AsbHistoryMode mode,
             AsbHistoryConsistency consistency)
{
  g_autoptr (AsbRegistry) registry = registry_with_store (store);
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();

  asb_history_config_set_mode (config, mode);
  asb_history_config_set_consistency (config, consistency);
  asb_backend_options_set_history (fixture->options, config);
  asb_backend_options_set_registry (fixture->options, registry);
}

static void
test_history_modes (TestCreation *fixture, gconstpointer data)
{
  static const AsbHistoryMode modes[] = { ASB_HISTORY_MODE_SANDBOX, ASB_HISTORY_MODE_DATABASE };

  g_test_summary ("A store that was made for the backend is opened and closed with it");

  for (gsize i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autoptr (TestStore) store = test_store_new ();
      g_autoptr (AsbBackend) backend = NULL;
      GVariant *given;

      use_history (fixture, store, modes[i], ASB_HISTORY_CONSISTENCY_STRICT_START);
      asb_backend_options_set_history_database_url (
          fixture->options, modes[i] == ASB_HISTORY_MODE_DATABASE ? "file:///x" : NULL);
      backend = test_creation_create (fixture);
      g_assert_cmpuint (store->n_opened, ==, 1);
      test_backend_close (backend);
      g_assert_cmpuint (store->n_closed, ==, 1);
      given = g_object_get_data (G_OBJECT (store), "options");
      if (modes[i] == ASB_HISTORY_MODE_DATABASE)
        test_variant_check_string (given, "url", "file:///x");
      else
        g_assert_null (given);
    }
}

static AsbHistoryStore *
give_store_early (AsbRegistry *registry, const char *name, GVariant *options, gpointer user_data,
                  GError **error)
{
  TestCreation *fixture = user_data;

  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
  return g_object_ref (g_object_get_data (G_OBJECT (registry), "store"));
}

static gpointer
create_in_thread (gpointer data)
{
  gpointer *arguments = data;

  asb_create_backend_async (arguments[0], NULL, test_answer_cb, arguments[1]);
  return NULL;
}

static void
test_history_of_thread (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (AsbRegistry) registry = test_registry_new ();
  g_autoptr (AsbHistoryConfig) config = asb_history_config_new ();
  g_autoptr (TestStore) store = test_store_new ();
  g_autoptr (AsbBackend) backend = NULL;
  g_auto (TestAnswer) answer = { 0 };
  gpointer arguments[] = { fixture->options, &answer };

  g_test_summary ("A thread without a main context may make a backend: it is answered in the main "
                  "one, but not before the store is there");

  g_assert_true (asb_registry_register_history_store_factory (registry, "sandbox", give_store_early,
                                                              fixture, NULL, NULL));
  g_object_set_data (G_OBJECT (registry), "store", store);
  asb_backend_options_set_history (fixture->options, config);
  asb_backend_options_set_registry (fixture->options, registry);
  g_thread_join (g_thread_new ("create", create_in_thread, arguments));
  backend = asb_create_backend_finish (test_answer_wait (&answer), &fixture->error);
  g_assert_no_error (fixture->error);
  g_assert_cmpuint (store->n_opened, ==, 1);
  test_backend_close (backend);
}

static void
test_history_none (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbCapabilities) capabilities = NULL;

  g_test_summary ("Without a history nothing is opened, and the capabilities say so");

  use_history (fixture, NULL, ASB_HISTORY_MODE_NONE, ASB_HISTORY_CONSISTENCY_STRICT_START);
  backend = test_creation_create (fixture);
  g_assert_null (asb_backend_get_history_store (backend));
  capabilities = asb_backend_get_capabilities (backend);
  g_assert_false (asb_capabilities_supports (capabilities, ASB_CAPABILITY_SANDBOX_HISTORY));
  g_assert_true (asb_capabilities_supports (capabilities, ASB_CAPABILITY_FILESYSTEM));
  test_backend_close (backend);
}

static void
test_best_effort (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (TestStore) store = test_store_new ();
  g_autoptr (AsbBackend) without = NULL;
  g_autoptr (AsbBackend) with = NULL;
  g_autoptr (AsbCapabilities) capabilities = NULL;
  AsbCapability *history;

  g_test_summary (
      "With best effort a store that does not open, or does not record, is done without");

  use_history (fixture, store, ASB_HISTORY_MODE_SANDBOX, ASB_HISTORY_CONSISTENCY_BEST_EFFORT);
  store->open_manner = TEST_STORE_FAILS;
  without = test_creation_create (fixture);
  g_assert_null (asb_backend_get_history_store (without));
  capabilities = asb_backend_get_capabilities (without);
  history = asb_capabilities_get (capabilities, ASB_CAPABILITY_SANDBOX_HISTORY);
  g_assert_cmpstr (asb_capability_get_reason (history), !=,
                   "this backend was made without a history");
  test_backend_close (without);

  store->open_manner = TEST_STORE_ANSWERS;
  store->record_manner = TEST_STORE_FAILS;
  with = test_creation_create (fixture);
  g_assert_nonnull (asb_backend_get_history_store (with));
  test_backend_close (with);
  g_assert_cmpuint (store->n_closed, ==, 1);
}

static void
test_in_place (TestCreation *fixture, gconstpointer data)
{
  g_autoptr (TestStore) store = test_store_new ();
  g_autoptr (AsbBackend) backend = NULL;
  g_autofree char *summary = NULL;

  g_test_summary ("A store that records in place is told of the creation, not of the deletion");

  store->records_in_place = TRUE;
  asb_backend_options_set_history_store (fixture->options, ASB_HISTORY_STORE (store));
  backend = test_creation_create (fixture);
  test_backend_close (backend);
  summary = test_store_summary (store);
  g_assert_cmpstr (summary, ==, ":succeeded");
}

typedef struct
{
  TestStoreManner open;
  TestStoreManner record;
  AsbHistoryConsistency consistency;
  gboolean is_made;
} EarlyCase;

static const EarlyCase early[] = {
  { TEST_STORE_ANSWERS, TEST_STORE_ANSWERS, ASB_HISTORY_CONSISTENCY_STRICT_START, TRUE },
  { TEST_STORE_ANSWERS, TEST_STORE_FAILS, ASB_HISTORY_CONSISTENCY_STRICT_START, FALSE },
  { TEST_STORE_ANSWERS, TEST_STORE_FAILS, ASB_HISTORY_CONSISTENCY_BEST_EFFORT, TRUE },
  { TEST_STORE_FAILS, TEST_STORE_ANSWERS, ASB_HISTORY_CONSISTENCY_STRICT_START, FALSE },
  { TEST_STORE_FAILS, TEST_STORE_FAILS, ASB_HISTORY_CONSISTENCY_BEST_EFFORT, TRUE },
};

/* Both calls are answered in @order: “open” or “record” first. */
static void
check_early (TestCreation *fixture, const EarlyCase *expected, const char *order)
{
  g_autoptr (TestStore) store = test_store_new ();
  g_auto (TestAnswer) answer = { 0 };
  g_autoptr (AsbBackend) backend = NULL;
  gboolean open_first = g_str_equal (order, "open");

  store->records_in_place = TRUE;
  store->open_manner = TEST_STORE_HOLDS;
  store->record_manner = TEST_STORE_HOLDS;
  use_history (fixture, store, ASB_HISTORY_MODE_SANDBOX, expected->consistency);
  asb_create_backend_async (fixture->options, NULL, test_answer_cb, &answer);
  while (test_store_count (store) == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (store->n_opened, ==, 1);
  test_store_answer (store, open_first ? 0 : 1, open_first ? expected->open : expected->record);
  test_store_answer (store, 0, open_first ? expected->record : expected->open);
  backend = asb_create_backend_finish (test_answer_wait (&answer), &fixture->error);
  g_assert_cmpint (backend != NULL, ==, expected->is_made);
  g_assert_cmpint (fixture->error == NULL, ==, expected->is_made);
  g_clear_error (&fixture->error);
  store->close_manner = TEST_STORE_ANSWERS;
  if (backend)
    {
      g_assert_cmpint (asb_backend_get_history_store (backend) != NULL, ==,
                       expected->open == TEST_STORE_ANSWERS);
      test_backend_close (backend);
    }
  g_assert_cmpuint (test_mock_get_sandbox_count (fixture->mock), ==, 0);
}

static void
test_early (TestCreation *fixture, gconstpointer data)
{
  g_test_summary ("A store that records in place is told of the creation while it opens");

  for (gsize i = 0; i < G_N_ELEMENTS (early); i++)
    {
      check_early (fixture, &early[i], "open");
      check_early (fixture, &early[i], "record");
    }
}

/* The way in. */

typedef struct
{
  TestCreation *fixture;
  guint n_calls;
  guint n_destroyed;
} Factory;

static void
make_transport (AsbProvider *provider, AsbSandboxRef *ref, GTask *task, gpointer user_data)
{
  Factory *factory = user_data;
  g_autoptr (GError) error = NULL;
  g_auto (GValue) value = G_VALUE_INIT;
  AsbTransport *transport
      = asb_provider_open_transport (provider, asb_sandbox_ref_get_sandbox_id (ref), NULL, &error);

  factory->n_calls++;
  g_assert_no_error (error);
  g_assert_true (provider == factory->fixture->mock);
  g_value_init (&value, ASB_TYPE_TRANSPORT);
  g_value_take_object (&value, transport);
  g_task_return_value (task, &value);
}

static void
factory_destroyed (gpointer user_data)
{
  ((Factory *)user_data)->n_destroyed++;
}

static void
test_factory (TestCreation *fixture, gconstpointer data)
{
  Factory factory = { .fixture = fixture };
  g_autoptr (AsbBackend) backend = NULL;

  g_test_summary ("A factory makes the transport, and is freed with the options");

  asb_backend_options_set_transport_factory (fixture->options, make_transport, &factory,
                                             factory_destroyed);
  backend = test_creation_create (fixture);
  g_assert_cmpuint (factory.n_calls, ==, 1);
  g_assert_cmpuint (test_mock_get_transport_count (fixture->mock), ==, 1);
  test_backend_close (backend);
  g_assert_cmpuint (test_mock_get_transport_count (fixture->mock), ==, 0);
  g_assert_cmpuint (factory.n_destroyed, ==, 0);
  asb_backend_options_set_transport_factory (fixture->options, NULL, NULL, NULL);
  g_assert_cmpuint (factory.n_destroyed, ==, 1);
}

#define ADD(path, function)                                                                        \
  g_test_add ("/create-backend/" path, TestCreation, NULL, test_creation_set_up, function,         \
              test_creation_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("provider/instance", test_by_instance);
  ADD ("provider/name", test_by_name);
  ADD ("provider/default-registry", test_default_registry);
  ADD ("provider/unknown", test_unknown_provider);
  ADD ("create/spec", test_spec);
  ADD ("create/mounts", test_mounts_unsupported);
  ADD ("create/instance-id", test_instance_id);
  ADD ("create/idempotency", test_idempotency);
  ADD ("create/workdir", test_workdir_made);
  ADD ("connect/workdir", test_workdir_found);
  ADD ("create/options-stay", test_options_stay);
  ADD ("create/async", test_async);
  ADD ("connect/done", test_connect);
  ADD ("connect/never-deleted", test_connected_is_never_deleted);
  ADD ("connect/foreign", test_foreign_ref);
  ADD ("connect/paused", test_paused);
  ADD ("history/ready-store", test_ready_store);
  ADD ("history/connect", test_connect_record);
  ADD ("history/modes", test_history_modes);
  ADD ("history/of-thread", test_history_of_thread);
  ADD ("history/none", test_history_none);
  ADD ("history/best-effort", test_best_effort);
  ADD ("history/in-place", test_in_place);
  ADD ("history/in-place/early", test_early);
  ADD ("transport/factory", test_factory);
  return g_test_run ();
}
