/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test.h"

#include <glib/gstdio.h>
#include <string.h>

#include "asb-module-private.h"

#define N_THREADS 8
#define N_ROUNDS 100

/* Where the tiny modules are that this build made. */
static char *
module_folder (void)
{
  return g_test_build_filename (G_TEST_BUILT, "core", "modules", NULL);
}

static AsbRegistry *
registry_with_modules (void)
{
  AsbRegistry *registry = test_registry_new ();
  g_autofree char *folder = module_folder ();

  asb_registry_prepend_module_path (registry, folder);
  return registry;
}

static void
test_register_type (void)
{
  g_autoptr (AsbProvider) mock = test_mock_new (NULL);
  g_autoptr (AsbRegistry) registry = asb_registry_new ();
  g_autoptr (AsbProvider) made = NULL;
  g_autoptr (GError) error = NULL;
  GType type = G_OBJECT_TYPE (mock);

  g_test_summary ("A type is registered under a name, once");

  g_assert_true (asb_registry_register_provider (registry, "mine", type, &error));
  g_assert_no_error (error);
  made = asb_registry_create_provider (registry, "mine", NULL, &error);
  g_assert_no_error (error);
  g_assert_true (G_OBJECT_TYPE (made) == type);

  g_assert_false (asb_registry_register_provider (registry, "mine", type, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_ALREADY_EXISTS);
  g_clear_error (&error);
  g_assert_true (asb_registry_unregister_provider (registry, "mine"));
  g_assert_false (asb_registry_unregister_provider (registry, "mine"));
  g_assert_true (asb_registry_register_provider (registry, "mine", type, &error));
}

static void
test_register_wrong_type (void)
{
  g_autoptr (AsbRegistry) registry = asb_registry_new ();
  const GType types[] = { G_TYPE_INVALID,    G_TYPE_STRING,       G_TYPE_CANCELLABLE,
                          ASB_TYPE_PROVIDER, G_TYPE_INPUT_STREAM, ASB_TYPE_REGISTRY };

  g_test_summary ("A type that is no provider or store, or cannot be made, is refused");

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GError) store_error = NULL;

      g_assert_false (asb_registry_register_provider (registry, "mine", types[i], &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_assert_false (
          asb_registry_register_history_store (registry, "mine", types[i], &store_error));
      g_assert_error (store_error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
    }
}

static void
test_names (void)
{
  static const char *const bad[] = { "",
                                     "Mine",
                                     "my provider",
                                     "../mine",
                                     "a/b",
                                     "mine.so",
                                     "ü",
                                     "a\nb",
                                     "0123456789012345678901234567890123456789"
                                     "0123456789012345678901234" };
  g_autoptr (AsbRegistry) registry = asb_registry_new ();

  g_test_summary ("A name is a safe part of a file name");

  g_assert_true (asb_module_name_is_valid ("a-1_z"));
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (asb_module_name_is_valid (bad[i]));
      g_assert_null (asb_registry_create_provider (registry, bad[i], NULL, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
      g_assert_null (asb_registry_create_history_store (registry, bad[i], NULL, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
    }
}

typedef struct
{
  AsbProvider *gives;
  int code; /* -1: nothing and no reason */
  guint n_calls;
  guint n_destroyed;
  GVariant *options;
} Factory;

static AsbProvider *
make_provider (AsbRegistry *registry, const char *name, GVariant *options, gpointer user_data,
               GError **error)
{
  Factory *factory = user_data;

  g_assert_true (ASB_IS_REGISTRY (registry));
  g_assert_cmpstr (name, ==, "mine");
  factory->n_calls++;
  factory->options = options;
  if (factory->code > 0)
    g_set_error_literal (error, ASB_ERROR, factory->code, "The factory cannot");
  return factory->gives ? g_object_ref (factory->gives) : NULL;
}

static void
factory_destroyed (gpointer user_data)
{
  ((Factory *)user_data)->n_destroyed++;
}

static void
test_factory (void)
{
  g_autoptr (AsbProvider) mock = test_mock_new (NULL);
  g_autoptr (AsbRegistry) registry = asb_registry_new ();
  g_autoptr (AsbProvider) made = NULL;
  g_autoptr (GVariant) options = g_variant_ref_sink (g_variant_new_parsed ("{'key': <5>}"));
  g_autoptr (GError) error = NULL;
  Factory factory = { .gives = mock };

  g_test_summary ("A function makes the provider, and is freed with its registration");

  g_assert_true (asb_registry_register_provider_factory (registry, "mine", make_provider, &factory,
                                                         factory_destroyed, &error));
  made = asb_registry_create_provider (registry, "mine", options, &error);
  g_assert_true (made == mock);
  g_assert_true (factory.options == options);
  g_clear_object (&made);

  /* The data of a registration that is refused is freed at once. */
  g_assert_false (asb_registry_register_provider_factory (registry, "mine", make_provider, &factory,
                                                          factory_destroyed, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_ALREADY_EXISTS);
  g_assert_cmpuint (factory.n_destroyed, ==, 1);
  g_assert_true (asb_registry_unregister_provider (registry, "mine"));
  g_assert_cmpuint (factory.n_destroyed, ==, 2);
  g_assert_cmpuint (factory.n_calls, ==, 1);
}

static void
test_factory_fails (void)
{
  g_autoptr (AsbRegistry) registry = asb_registry_new ();
  g_autoptr (GError) error = NULL;
  Factory factory = { .code = ASB_ERROR_PROVIDER_UNAVAILABLE };

  g_test_summary ("A function that makes nothing fails with its reason, or with ours");

  g_assert_true (asb_registry_register_provider_factory (registry, "mine", make_provider, &factory,
                                                         factory_destroyed, &error));
  g_assert_null (asb_registry_create_provider (registry, "mine", NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE);
  g_clear_error (&error);
  factory.code = 0;
  g_assert_null (asb_registry_create_provider (registry, "mine", NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_clear_object (&registry);
  g_assert_cmpuint (factory.n_destroyed, ==, 1);
}

static AsbHistoryStore *
make_store_of_another_type (AsbRegistry *registry, const char *name, GVariant *options,
                            gpointer user_data, GError **error)
{
  return (AsbHistoryStore *)g_object_new (ASB_TYPE_ERROR_INFO, NULL);
}

static void
test_factory_of_another_type (void)
{
  g_autoptr (AsbRegistry) registry = asb_registry_new ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("What a function makes is looked at");

  g_assert_true (asb_registry_register_history_store_factory (
      registry, "mine", make_store_of_another_type, NULL, NULL, &error));
  g_assert_null (asb_registry_create_history_store (registry, "mine", NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER);
  g_assert_nonnull (g_strstr_len (error->message, -1, "AsbErrorInfo"));
}

static void
test_missing (void)
{
  g_autoptr (AsbRegistry) registry = registry_with_modules ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("A name nobody knows is told with the places that were searched");

  g_assert_null (asb_registry_create_provider (registry, "nobody", NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_MODULE_NOT_FOUND);
  g_assert_nonnull (g_strstr_len (error->message, -1, "libasb-provider-nobody.so"));
  g_assert_nonnull (g_strstr_len (error->message, -1, "core/modules"));
  g_clear_error (&error);
  g_assert_null (asb_registry_create_history_store (registry, "nobody", NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_MODULE_NOT_FOUND);
  g_assert_nonnull (g_strstr_len (error->message, -1, "libasb-history-nobody.so"));
}

typedef struct
{
  const char *name;
  const char *message; /* what the refusal says */
} BadModule;

static const BadModule bad_modules[] = {
  { "plain", "it exports no “asb_module”" },
  { "kind", "it is of another kind" },
  { "name", "another name than its file" },
  { "minor", "it was built for version 1.99 of the library" },
  { "major", "it was built for version 2.0 of the library" },
  { "nothing", "it registers no provider “nothing”" },
  { "functionless", "no register function" },
  { "unresolved", "asb_test_no_such_function" },
  { "failing", "The module does not want to" },
  { "silent", "gave no reason" },
  { "itself", "asks for itself while it registers" },
};

static void
test_refusals (void)
{
  g_test_summary ("Every module that cannot be used is refused with its file and the cause");

  for (gsize i = 0; i < G_N_ELEMENTS (bad_modules); i++)
    {
      g_autoptr (AsbRegistry) registry = registry_with_modules ();
      g_autofree char *file = g_strconcat ("libasb-provider-", bad_modules[i].name, ".so", NULL);

      g_test_message ("%s", bad_modules[i].name);
      for (guint attempt = 0; attempt < 2; attempt++)
        {
          g_autoptr (GError) error = NULL;

          g_assert_null (
              asb_registry_create_provider (registry, bad_modules[i].name, NULL, &error));
          g_assert_error (error, ASB_ERROR, ASB_ERROR_MODULE_INVALID);
          g_assert_nonnull (g_strstr_len (error->message, -1, bad_modules[i].message));
          g_assert_nonnull (g_strstr_len (error->message, -1, file));
        }
    }
}

static void
test_no_library (void)
{
  static const char *const contents[] = { "", "This is a text.", "\177ELF" };
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("asb-registry-XXXXXX", &error);
  g_autofree char *file = g_build_filename (folder, "libasb-provider-text.so", NULL);
  g_autoptr (AsbRegistry) registry = asb_registry_new ();

  g_test_summary ("A file that is no library at all is refused too");

  asb_registry_prepend_module_path (registry, folder);
  for (gsize i = 0; i < G_N_ELEMENTS (contents); i++)
    {
      g_assert_true (g_file_set_contents (file, contents[i], -1, &error));
      g_assert_null (asb_registry_create_provider (registry, "text", NULL, &error));
      g_assert_error (error, ASB_ERROR, ASB_ERROR_MODULE_INVALID);
      g_assert_nonnull (g_strstr_len (error->message, -1, file));
      g_clear_error (&error);
    }
  g_assert_cmpint (g_remove (file), ==, 0);
  g_assert_cmpint (g_mkdir (file, 0700), ==, 0);
  g_assert_null (asb_registry_create_provider (registry, "text", NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_MODULE_INVALID);
  g_assert_cmpint (g_rmdir (file), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_module (void)
{
  g_autoptr (AsbRegistry) registry = registry_with_modules ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbProvider) provider = asb_registry_create_provider (registry, "good", NULL, &error);
  g_autofree char *name = NULL;

  g_test_summary ("A module is loaded when its name is asked for, with options");

  g_assert_no_error (error);
  name = asb_provider_dup_name (provider);
  g_assert_cmpstr (name, ==, "good");
  g_assert_null (asb_registry_create_provider (
      registry, "good", g_variant_new_parsed ("{'colour': <'red'>}"), &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT);
}

static void
test_module_asks (void)
{
  g_autoptr (AsbRegistry) registry = registry_with_modules ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbProvider) provider = NULL;

  g_test_summary ("A module may ask the registry for another one while it registers");

  provider = asb_registry_create_provider (registry, "asking", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (G_OBJECT_TYPE_NAME (provider), ==, "TestGoodProvider");
}

static void
test_registered_first (void)
{
  g_autoptr (AsbRegistry) registry = registry_with_modules ();
  g_autoptr (AsbProvider) mock = test_mock_new (NULL);
  g_autoptr (AsbProvider) made = NULL;
  g_autoptr (AsbProvider) of_module = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("What is registered comes before a module of that name, and uncovers it again");

  g_assert_true (asb_registry_register_provider (registry, "good", G_OBJECT_TYPE (mock), &error));
  made = asb_registry_create_provider (registry, "good", NULL, &error);
  g_assert_true (G_OBJECT_TYPE (made) == G_OBJECT_TYPE (mock));
  g_assert_true (asb_registry_unregister_provider (registry, "good"));
  of_module = asb_registry_create_provider (registry, "good", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (G_OBJECT_TYPE_NAME (of_module), ==, "TestGoodProvider");
}

static void
test_two_registries (void)
{
  g_autoptr (AsbRegistry) one = registry_with_modules ();
  g_autoptr (AsbRegistry) other = registry_with_modules ();
  g_autoptr (AsbRegistry) without = asb_registry_new ();
  g_autoptr (AsbProvider) of_one = NULL;
  g_autoptr (AsbProvider) of_other = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("One module serves two registries, and a third that does not look there not");

  of_one = asb_registry_create_provider (one, "good", NULL, &error);
  g_assert_no_error (error);
  of_other = asb_registry_create_provider (other, "good", NULL, &error);
  g_assert_no_error (error);
  g_assert_true (G_OBJECT_TYPE (of_one) == G_OBJECT_TYPE (of_other));
  g_assert_null (asb_registry_create_provider (without, "good", NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_MODULE_NOT_FOUND);
}

static void
test_many_times (void)
{
  TestCensus census;

  g_test_summary ("Loading and dropping it all a hundred times leaves nothing behind");

  test_census_init (&census);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      g_autoptr (AsbRegistry) registry = registry_with_modules ();
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbProvider) provider = NULL;

      test_census_add (&census, registry);
      provider = asb_registry_create_provider (registry, "good", NULL, &error);
      g_assert_no_error (error);
      test_census_add (&census, provider);
    }
  test_census_end (&census);
}

static gpointer
ask (gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbProvider) provider = asb_registry_create_provider (data, "good", NULL, &error);

  g_assert_no_error (error);
  g_assert_true (ASB_IS_PROVIDER (provider));
  return NULL;
}

static void
test_threads (void)
{
  g_test_summary ("Threads that ask for one module at once all get it");

  for (guint round = 0; round < N_ROUNDS; round++)
    {
      g_autoptr (AsbRegistry) registry = registry_with_modules ();

      test_run_threads (N_THREADS, ask, registry, FALSE);
    }
}

static void
test_paths (void)
{
  g_autofree char *before = g_strdup (g_getenv ("ASB_MODULE_PATH"));
  g_autofree char *good = module_folder ();
  g_autofree char *path = g_strconcat (":/nowhere::", good, ":", NULL);
  g_autoptr (AsbRegistry) registry = NULL;
  g_auto (GStrv) paths = NULL;
  g_autoptr (AsbProvider) provider = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("ASB_MODULE_PATH is read when the registry is made; empty parts are no folders");

  g_setenv ("ASB_MODULE_PATH", path, TRUE);
  registry = asb_registry_new ();
  g_setenv ("ASB_MODULE_PATH", before, TRUE);
  asb_registry_prepend_module_path (registry, "/first");
  paths = asb_registry_dup_module_paths (registry);
  g_assert_cmpuint (g_strv_length (paths), ==, 4);
  g_assert_cmpstr (paths[0], ==, "/first");
  g_assert_cmpstr (paths[1], ==, "/nowhere");
  g_assert_cmpstr (paths[2], ==, good);
  g_assert_true (g_str_has_suffix (paths[3], "libasb-1/modules"));
  provider = asb_registry_create_provider (registry, "good", NULL, &error);
  g_assert_no_error (error);
}

static void
test_list (void)
{
  g_autoptr (AsbRegistry) registry = registry_with_modules ();
  g_autoptr (AsbProvider) mock = test_mock_new (NULL);
  g_autofree char *folder = module_folder ();
  g_auto (GStrv) providers = NULL;
  g_auto (GStrv) stores = NULL;

  g_test_summary ("Names are listed sorted and once, also of modules that could not be used");

  asb_registry_prepend_module_path (registry, folder);
  g_assert_true (asb_registry_register_provider (registry, "aaa", G_OBJECT_TYPE (mock), NULL));
  g_assert_true (asb_registry_register_provider (registry, "mock", G_OBJECT_TYPE (mock), NULL));
  providers = asb_registry_list_providers (registry);
  g_assert_cmpstr (providers[0], ==, "aaa");
  g_assert_true (g_strv_contains ((const char *const *)providers, "failing"));
  g_assert_true (g_strv_contains ((const char *const *)providers, "good"));
  g_assert_true (g_strv_contains ((const char *const *)providers, "mock"));
  for (gsize i = 1; providers[i]; i++)
    g_assert_cmpstr (providers[i - 1], <, providers[i]);
  stores = asb_registry_list_history_stores (registry);
  g_assert_true (g_strv_contains ((const char *const *)stores, "memory"));
  g_assert_false (g_strv_contains ((const char *const *)stores, "good"));
}

static void
test_default (void)
{
  g_test_summary ("There is one default registry");

  g_assert_true (ASB_IS_REGISTRY (asb_registry_get_default ()));
  g_assert_true (asb_registry_get_default () == asb_registry_get_default ());
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/registry/register/type", test_register_type);
  g_test_add_func ("/registry/register/wrong-type", test_register_wrong_type);
  g_test_add_func ("/registry/names", test_names);
  g_test_add_func ("/registry/factory/makes", test_factory);
  g_test_add_func ("/registry/factory/fails", test_factory_fails);
  g_test_add_func ("/registry/factory/another-type", test_factory_of_another_type);
  g_test_add_func ("/registry/module/missing", test_missing);
  g_test_add_func ("/registry/module/refusals", test_refusals);
  g_test_add_func ("/registry/module/no-library", test_no_library);
  g_test_add_func ("/registry/module/good", test_module);
  g_test_add_func ("/registry/module/asks", test_module_asks);
  g_test_add_func ("/registry/module/registered-first", test_registered_first);
  g_test_add_func ("/registry/module/two-registries", test_two_registries);
  g_test_add_func ("/registry/module/many-times", test_many_times);
  g_test_add_func ("/registry/module/threads", test_threads);
  g_test_add_func ("/registry/paths", test_paths);
  g_test_add_func ("/registry/list", test_list);
  g_test_add_func ("/registry/default", test_default);
  return g_test_run ();
}
