/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A provider that says too little of itself and of its sandboxes: every call ends with an error
 * that tells what is wrong, and nothing else comes of it. */

#include "asb-test.h"

typedef struct
{
  GObject parent_instance;

  AsbSandboxInfo *info; /* of every sandbox */
  GObject *listed;      /* the only one */
  guint n_deleted;
} FaultyProvider;

typedef GObjectClass FaultyProviderClass;

static void faulty_iface_init (AsbProviderInterface *iface);
GType faulty_provider_get_type (void);

G_DEFINE_TYPE_WITH_CODE (FaultyProvider, faulty_provider, G_TYPE_OBJECT,
                         G_IMPLEMENT_INTERFACE (ASB_TYPE_PROVIDER, faulty_iface_init))

static void
answer (GTask *task, GType type, gpointer object)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, type);
  g_value_set_object (&value, object);
  g_task_return_value (task, &value);
}

static void
create_sandbox (AsbProvider *provider, AsbSandboxSpec *spec, GTask *task)
{
  answer (task, ASB_TYPE_SANDBOX_INFO, ((FaultyProvider *)provider)->info);
}

static void
get_sandbox (AsbProvider *provider, const char *id, GTask *task)
{
  answer (task, ASB_TYPE_SANDBOX_INFO, ((FaultyProvider *)provider)->info);
}

static void
list_sandboxes (AsbProvider *provider, AsbSandboxFilter *filter, GTask *task)
{
  g_autoptr (GListStore) list = g_list_store_new (G_TYPE_OBJECT);

  g_list_store_append (list, ((FaultyProvider *)provider)->listed);
  answer (task, G_TYPE_LIST_STORE, list);
}

static void
delete_sandbox (AsbProvider *provider, const char *id, GTask *task)
{
  ((FaultyProvider *)provider)->n_deleted++;
  g_task_return_boolean (task, TRUE);
}

static AsbCapabilities *
get_capabilities (AsbProvider *provider)
{
  return NULL;
}

static char *
dup_key (AsbProvider *provider)
{
  return NULL;
}

static void
faulty_iface_init (AsbProviderInterface *iface)
{
  iface->create_sandbox = create_sandbox;
  iface->get_sandbox = get_sandbox;
  iface->list_sandboxes = list_sandboxes;
  iface->delete_sandbox = delete_sandbox;
  iface->get_capabilities = get_capabilities;
  iface->dup_key = dup_key;
}

static void
faulty_provider_dispose (GObject *object)
{
  g_clear_object (&((FaultyProvider *)object)->info);
  g_clear_object (&((FaultyProvider *)object)->listed);
  G_OBJECT_CLASS (faulty_provider_parent_class)->dispose (object);
}

static void
faulty_provider_class_init (FaultyProviderClass *klass)
{
  klass->dispose = faulty_provider_dispose;
}

static void
faulty_provider_init (FaultyProvider *self)
{
}

static void
test_identity (void)
{
  g_autoptr (AsbProvider) provider = g_object_new (faulty_provider_get_type (), NULL);
  g_autofree char *name = asb_provider_dup_name (provider);
  g_autofree char *key = asb_provider_dup_key (provider);
  g_autoptr (AsbCapabilities) capabilities = asb_provider_get_capabilities (provider);

  g_test_summary ("A provider that does not say its name is called by its type");

  g_assert_cmpstr (name, ==, "FaultyProvider");
  g_assert_cmpstr (key, ==, "FaultyProvider-default");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (capabilities)), ==, 0);
}

typedef struct
{
  const char *name;
  const char
      *texts[5]; /* of the reference, the fourth of its metadata; none at all without an id */
  const char *fault;
} Case;

static const Case cases[] = {
  { "no-reference", { NULL }, "tells of a sandbox without a reference" },
  { "empty-id", { "p", "k", "", "i" }, "tells of a sandbox without an id" },
  { "no-name",
    { NULL, "k", "1", "i" },
    "tells of a sandbox without a provider, key or instance id" },
  { "no-instance", { "p", "k", "1" }, "tells of a sandbox without a provider, key or instance id" },
  { "bytes", { "p", "k", "\377", "i" }, "tells of a sandbox by a text that is no UTF-8" },
  { "metadata",
    { "p", "k", "1", "i", "\377" },
    "tells of a sandbox with metadata that is no UTF-8" },
};

static AsbSandboxInfo *
new_info (const Case *test)
{
  g_autoptr (GHashTable) metadata = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (AsbSandboxRef) ref = NULL;

  if (test->texts[4])
    g_hash_table_insert (metadata, (gpointer) "name", (gpointer)test->texts[4]);
  if (test->texts[2])
    ref = g_object_new (ASB_TYPE_SANDBOX_REF, "provider-name", test->texts[0], "provider-key",
                        test->texts[1], "sandbox-id", test->texts[2], "sandbox-instance-id",
                        test->texts[3], "metadata", metadata, NULL);
  return g_object_new (ASB_TYPE_SANDBOX_INFO, "ref", ref, NULL);
}

static void
check_fault (GError **error, const char *operation, const char *fault)
{
  g_autofree char *expected = g_strdup_printf ("Could not %s: the answer %s", operation, fault);

  g_assert_error (*error, ASB_ERROR, ASB_ERROR_PROTOCOL);
  g_assert_cmpstr ((*error)->message, ==, expected);
  g_clear_error (error);
}

static void
test_reference (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (AsbProvider) provider = g_object_new (faulty_provider_get_type (), NULL);
  FaultyProvider *faulty = (FaultyProvider *)provider;
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("A sandbox that cannot be named is no answer, and is deleted where it can be");

  faulty->info = new_info (test);
  faulty->listed = g_object_ref (G_OBJECT (faulty->info));
  g_assert_null (asb_provider_create_sandbox (provider, spec, NULL, &error));
  check_fault (&error, "create the sandbox", test->fault);
  test_drain ();
  /* An id that is no text is no id. */
  g_assert_cmpuint (
      faulty->n_deleted, ==,
      test->texts[2] && *test->texts[2] && g_utf8_validate (test->texts[2], -1, NULL) ? 1 : 0);
  g_assert_null (asb_provider_get_sandbox (provider, "1", NULL, &error));
  check_fault (&error, "get the sandbox", test->fault);
  g_assert_null (asb_provider_list_sandboxes (provider, filter, NULL, &error));
  check_fault (&error, "list the sandboxes", test->fault);
}

static void
test_list_of_others (void)
{
  g_autoptr (AsbProvider) provider = g_object_new (faulty_provider_get_type (), NULL);
  g_autoptr (AsbSandboxFilter) filter = asb_sandbox_filter_new ();
  g_autoptr (GError) error = NULL;

  g_test_summary ("A list of something else is none of sandboxes");

  ((FaultyProvider *)provider)->listed = G_OBJECT (asb_sandbox_filter_new ());
  g_assert_null (asb_provider_list_sandboxes (provider, filter, NULL, &error));
  check_fault (&error, "list the sandboxes", "lists what is no AsbSandboxInfo");
}

static void
test_no_way_in (void)
{
  g_autoptr (AsbProvider) provider = g_object_new (faulty_provider_get_type (), NULL);
  g_autoptr (GError) error = NULL;

  g_test_summary ("Who has left out both ways to work inside is told of both");

  g_assert_null (asb_provider_open_transport (provider, "1", NULL, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY);
  g_assert_cmpstr (error->message, ==,
                   "Provider “FaultyProvider” does not support “open_stream” or “open_transport”");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/provider-faults/identity", test_identity);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/provider-faults/reference/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_reference);
    }
  g_test_add_func ("/provider-faults/no-way-in", test_no_way_in);
  g_test_add_func ("/provider-faults/list-of-others", test_list_of_others);
  return g_test_run ();
}
