/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The scope of systemd around a sandbox whose memory is limited. The manager is a stand-in, on a
 * bus of its own: it does what it is told to, and looks at what it was asked for. */

#include "local-test.h"

#include <string.h>

#define MIB (1024 * 1024)
#define UNIT_PATH "/org/freedesktop/systemd1/unit/asb"

typedef struct
{
  GTestDBus *bus;
  GThread *thread;
  GMainContext *context;
  GMainLoop *loop;
  GMutex mutex;
  GCond cond;
  gboolean is_ready;

  /* How it behaves. */
  const char *result; /* of the job; NULL: the call is refused */
  gboolean counts_nothing;

  /* What it saw. */
  guint n_calls;
  char *name;
  GVariant *properties;
  gboolean had_begun; /* the guest, before the scope was there */
} Manager;

static const char introspection[]
    = "<node><interface name='org.freedesktop.systemd1.Manager'>"
      "<method name='StartTransientUnit'><arg type='s' direction='in'/><arg type='s' "
      "direction='in'/>"
      "<arg type='a(sv)' direction='in'/><arg type='a(sa(sv))' direction='in'/>"
      "<arg type='o' direction='out'/></method>"
      "<method name='GetUnit'><arg type='s' direction='in'/><arg type='o' "
      "direction='out'/></method>"
      "<signal name='JobRemoved'><arg type='u'/><arg type='o'/><arg type='s'/><arg "
      "type='s'/></signal>"
      "</interface><interface name='org.freedesktop.systemd1.Scope'>"
      "<property name='MemoryCurrent' type='t' access='read'/></interface></node>";

/* What stands behind that number is bubblewrap still, unless it did not wait. */
static gboolean
is_guest (guint32 pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%u/cmdline", pid);
  g_autofree char *content = NULL;

  return g_file_get_contents (path, &content, NULL, NULL) && strstr (content, "asb-guest");
}

static void
look_at_pids (Manager *manager)
{
  g_autoptr (GVariant) pids = NULL;
  const guint32 *numbers;
  gsize n;

  for (gsize i = 0; i < g_variant_n_children (manager->properties); i++)
    {
      g_autoptr (GVariant) value = NULL;
      const char *name;

      g_variant_get_child (manager->properties, i, "(&sv)", &name, &value);
      if (strcmp (name, "PIDs") == 0)
        pids = g_steal_pointer (&value);
    }
  g_assert_nonnull (pids);
  numbers = g_variant_get_fixed_array (pids, &n, sizeof *numbers);
  g_assert_cmpuint (n, ==, 2);
  for (gsize i = 0; i < n; i++)
    manager->had_begun |= is_guest (numbers[i]);
}

static void
call_cb (GDBusConnection *connection, const char *sender, const char *path, const char *interface,
         const char *method, GVariant *parameters, GDBusMethodInvocation *invocation,
         gpointer user_data)
{
  Manager *manager = user_data;

  if (strcmp (method, "GetUnit") == 0)
    {
      const char *name;

      g_variant_get (parameters, "(&s)", &name);
      g_assert_cmpstr (name, ==, manager->name);
      g_dbus_method_invocation_return_value (invocation, g_variant_new ("(o)", UNIT_PATH));
      return;
    }
  manager->n_calls++;
  g_clear_pointer (&manager->name, g_free);
  g_clear_pointer (&manager->properties, g_variant_unref);
  g_variant_get (parameters, "(ss@a(sv)@a(sa(sv)))", &manager->name, NULL, &manager->properties,
                 NULL);
  look_at_pids (manager);
  if (!manager->result)
    {
      g_dbus_method_invocation_return_dbus_error (
          invocation, "org.freedesktop.DBus.Error.AccessDenied", "No scopes today");
      return;
    }
  g_dbus_method_invocation_return_value (invocation,
                                         g_variant_new ("(o)", "/org/freedesktop/systemd1/job/7"));
  g_dbus_connection_emit_signal (
      connection, NULL, path, interface, "JobRemoved",
      g_variant_new ("(uoss)", 6, "/org/freedesktop/systemd1/job/6", "other.scope", "failed"),
      NULL);
  g_dbus_connection_emit_signal (connection, NULL, path, interface, "JobRemoved",
                                 g_variant_new ("(uoss)", 7, "/org/freedesktop/systemd1/job/7",
                                                manager->name, manager->result),
                                 NULL);
}

/* Of a scope without means the real one knows no memory either. */
static GVariant *
property_cb (GDBusConnection *connection, const char *sender, const char *path,
             const char *interface, const char *property, GError **error, gpointer user_data)
{
  const Manager *manager = user_data;

  return g_variant_new_uint64 (manager->counts_nothing ? G_MAXUINT64 : 4096);
}

static GDBusConnection *
serve (Manager *manager)
{
  static const GDBusInterfaceVTable table = { call_cb, property_cb };
  g_autoptr (GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (introspection, NULL);
  g_autoptr (GVariant) owned = NULL;
  g_autoptr (GError) error = NULL;
  GDBusConnection *connection = g_dbus_connection_new_for_address_sync (
      g_test_dbus_get_bus_address (manager->bus),
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
          | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
      NULL, NULL, &error);

  g_assert_no_error (error);
  g_dbus_connection_register_object (connection, "/org/freedesktop/systemd1", node->interfaces[0],
                                     &table, manager, NULL, &error);
  g_assert_no_error (error);
  g_dbus_connection_register_object (connection, UNIT_PATH, node->interfaces[1], &table, manager,
                                     NULL, &error);
  g_assert_no_error (error);
  owned = g_dbus_connection_call_sync (connection, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                       "org.freedesktop.DBus", "RequestName",
                                       g_variant_new ("(su)", "org.freedesktop.systemd1", 0), NULL,
                                       G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);
  g_assert_no_error (error);
  return connection;
}

static gpointer
manager_thread (gpointer data)
{
  Manager *manager = data;
  g_autoptr (GDBusConnection) connection = NULL;

  g_main_context_push_thread_default (manager->context);
  connection = serve (manager);
  g_mutex_lock (&manager->mutex);
  manager->is_ready = TRUE;
  g_cond_signal (&manager->cond);
  g_mutex_unlock (&manager->mutex);
  g_main_loop_run (manager->loop);
  g_dbus_connection_close_sync (connection, NULL, NULL);
  g_main_context_pop_thread_default (manager->context);
  return NULL;
}

static void
manager_start (Manager *manager, const char *result)
{
  *manager = (Manager){ .result = result };
  g_mutex_init (&manager->mutex);
  g_cond_init (&manager->cond);
  manager->bus = g_test_dbus_new (G_TEST_DBUS_NONE);
  g_test_dbus_up (manager->bus);
  manager->context = g_main_context_new ();
  manager->loop = g_main_loop_new (manager->context, FALSE);
  manager->thread = g_thread_new ("manager", manager_thread, manager);
  g_mutex_lock (&manager->mutex);
  while (!manager->is_ready)
    g_cond_wait (&manager->cond, &manager->mutex);
  g_mutex_unlock (&manager->mutex);
}

static void
manager_stop (Manager *manager)
{
  g_main_loop_quit (manager->loop);
  g_thread_join (manager->thread);
  g_main_loop_unref (manager->loop);
  g_main_context_unref (manager->context);
  g_test_dbus_down (manager->bus);
  g_object_unref (manager->bus);
  g_clear_pointer (&manager->name, g_free);
  g_clear_pointer (&manager->properties, g_variant_unref);
  g_mutex_clear (&manager->mutex);
  g_cond_clear (&manager->cond);
}

static AsbProvider *
provider_on (LocalTest *test, const char *systemd)
{
  g_autoptr (GVariant) options
      = g_variant_ref_sink (g_variant_new_parsed ("{'systemd': <%s>}", systemd));

  return local_test_provider (test, options);
}

static AsbSandboxInfo *
create (AsbProvider *provider, guint64 memory, GError **error)
{
  g_autoptr (AsbSandboxSpec) spec = asb_sandbox_spec_new ();
  g_autoptr (AsbResourceLimits) limits = asb_resource_limits_new ();

  asb_resource_limits_set_memory_bytes (limits, memory);
  asb_resource_limits_set_processes (limits, 100);
  asb_sandbox_spec_set_limits (spec, limits);
  return asb_provider_create_sandbox (provider, spec, NULL, error);
}

static AsbCapabilitySupport
support_of_limits (AsbProvider *provider)
{
  g_autoptr (AsbCapabilities) capabilities = asb_provider_get_capabilities (provider);

  return asb_capability_get_support (
      asb_capabilities_get (capabilities, ASB_CAPABILITY_RESOURCE_LIMITS));
}

static guint64
find_number (GVariant *properties, const char *wanted)
{
  for (gsize i = 0; i < g_variant_n_children (properties); i++)
    {
      g_autoptr (GVariant) value = NULL;
      const char *name;

      g_variant_get_child (properties, i, "(&sv)", &name, &value);
      if (strcmp (name, wanted) == 0 && g_variant_is_of_type (value, G_VARIANT_TYPE_UINT64))
        return g_variant_get_uint64 (value);
    }
  return G_MAXUINT64;
}

static void
test_made (LocalTest *test, gconstpointer data)
{
  Manager manager;
  g_autoptr (AsbProvider) provider = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *told = NULL;

  manager_start (&manager, "done");
  provider = provider_on (test, g_test_dbus_get_bus_address (manager.bus));
  g_assert_cmpint (support_of_limits (provider), ==, ASB_CAPABILITY_SUPPORT_NATIVE);
  info = create (provider, 200 * MIB, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (manager.n_calls, ==, 1);
  g_assert_false (manager.had_begun);
  g_assert_true (g_str_has_prefix (manager.name, "asb-"));
  g_assert_nonnull (strstr (manager.name, local_test_id (info)));
  g_assert_true (g_str_has_suffix (manager.name, ".scope"));
  g_assert_cmpuint (find_number (manager.properties, "MemoryMax"), ==, 200 * MIB);
  g_assert_cmpuint (find_number (manager.properties, "MemorySwapMax"), ==, 0);
  g_assert_cmpuint (find_number (manager.properties, "TasksMax"), >=, 100);
  told = local_test_shell (provider, local_test_id (info), NULL, "echo works");
  g_assert_cmpstr (told, ==, "works\n");
  local_test_delete (provider, local_test_id (info));
  manager_stop (&manager);
}

/* What stands in files of memory is never freed: it must leave some of the scope's to programs. */
static void
test_files_in_memory (LocalTest *test, gconstpointer data)
{
  Manager manager;
  g_autoptr (AsbProvider) provider = NULL;
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *told = NULL;

  manager_start (&manager, "done");
  provider = provider_on (test, g_test_dbus_get_bus_address (manager.bus));
  info = create (provider, 200 * MIB, &error);
  g_assert_no_error (error);
  told = local_test_shell (provider, local_test_id (info), NULL,
                           "df --output=size -B 1M /dev/shm /run | tail -n +2 | tr -d ' '");
  g_assert_cmpstr (told, ==, "100\n50\n");
  local_test_delete (provider, local_test_id (info));
  manager_stop (&manager);
}

/* What was asked for cannot be had: nothing weaker is made. */
static void
assert_refused (LocalTest *test, const char *result, const char *word)
{
  Manager manager;
  g_autoptr (AsbProvider) provider = NULL;
  g_autoptr (GError) error = NULL;

  manager_start (&manager, result);
  provider = provider_on (test, g_test_dbus_get_bus_address (manager.bus));
  g_assert_null (create (provider, 200 * MIB, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE);
  g_assert_nonnull (strstr (error->message, "“never”"));
  g_assert_nonnull (strstr (error->message, word));
  g_assert_cmpuint (local_test_count (test->provider, NULL), ==, 0);
  manager_stop (&manager);
}

static void
test_refused (LocalTest *test, gconstpointer data)
{
  assert_refused (test, NULL, "No scopes today");
  assert_refused (test, "failed", "“failed”");
}

/* As that of an ordinary user does where control groups are of the first version. */
static void
test_without_means (LocalTest *test, gconstpointer data)
{
  Manager manager;
  g_autoptr (AsbProvider) provider = NULL;
  g_autoptr (GError) error = NULL;

  manager_start (&manager, "done");
  manager.counts_nothing = TRUE;
  provider = provider_on (test, g_test_dbus_get_bus_address (manager.bus));
  g_assert_null (create (provider, 200 * MIB, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE);
  g_assert_nonnull (strstr (error->message, "cannot bound memory"));
  g_assert_cmpuint (local_test_count (test->provider, NULL), ==, 0);
  manager_stop (&manager);
}

static void
test_no_manager (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbProvider) provider = provider_on (test, "unix:path=/no/such/bus");
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_null (create (provider, 200 * MIB, &error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_PROVIDER_UNAVAILABLE);
  g_clear_error (&error);
  /* Without a limit of memory there is no need of it. */
  info = local_test_create (provider, NULL);
  local_test_delete (provider, local_test_id (info));
}

static void
test_never (LocalTest *test, gconstpointer data)
{
  g_autoptr (AsbProvider) provider = provider_on (test, "never");
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (support_of_limits (provider), ==, ASB_CAPABILITY_SUPPORT_EMULATED);
  info = create (provider, 200 * MIB, &error);
  g_assert_no_error (error);
}

static void
skip (LocalTest *test, gconstpointer data)
{
  g_test_skip ("This test needs dbus-daemon");
}

static void
add (const char *path, void (*function) (LocalTest *test, gconstpointer data))
{
  g_autofree char *daemon = g_find_program_in_path ("dbus-daemon");

  local_test_add (path, daemon ? function : skip);
}

int
main (int argc, char **argv)
{
  int status = local_test_init (&argc, &argv);

  if (status >= 0)
    return status;
  add ("/local/scope/made", test_made);
  add ("/local/scope/files-in-memory", test_files_in_memory);
  add ("/local/scope/refused", test_refused);
  add ("/local/scope/without-means", test_without_means);
  local_test_add ("/local/scope/no-manager", test_no_manager);
  local_test_add ("/local/scope/never", test_never);
  return g_test_run ();
}
