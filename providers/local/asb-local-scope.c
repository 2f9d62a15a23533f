/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-scope.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"
#include "asb-wire-json.h"

#define MANAGER_NAME "org.freedesktop.systemd1"
#define MANAGER_PATH "/org/freedesktop/systemd1"
#define MANAGER_INTERFACE "org.freedesktop.systemd1.Manager"
#define SCOPE_INTERFACE "org.freedesktop.systemd1.Scope"
#define SYSTEM_BUS "unix:path=/run/dbus/system_bus_socket"
#define CONTROLLERS "/sys/fs/cgroup/cgroup.controllers"
#define SECONDS 20
#define MAX_INFO_SIZE 4096
/* Bubblewrap's and the guest's own, which the limit of a user's processes counts or not. */
#define OWN_PROCESSES 16

struct _AsbLocalScope
{
  char *bus;
  int info; /* bubblewrap writes there what it started */
  int gate; /* and waits for this */
};

static gboolean
is_there (const char *path, GFileTest test)
{
  return g_file_test (path, test);
}

/* In the first version of control groups the manager of an ordinary user has none to bound memory
 * with: it takes the limit and does nothing. */
static gboolean
users_can_limit_memory (void)
{
  g_autofree char *controllers = NULL;

  return g_file_get_contents (CONTROLLERS, &controllers, NULL, NULL)
         && strstr (controllers, "memory");
}

/* Never starts a bus: where there is none, there is no manager either. */
static char *
find_usual_bus (void)
{
  const char *address = g_getenv ("DBUS_SESSION_BUS_ADDRESS");
  g_autofree char *path = g_build_filename (g_get_user_runtime_dir (), "bus", NULL);
  g_autofree char *escaped = NULL;

  if (!is_there ("/run/systemd/system", G_FILE_TEST_IS_DIR))
    return NULL;
  if (geteuid () == 0)
    return is_there ("/run/dbus/system_bus_socket", G_FILE_TEST_EXISTS) ? g_strdup (SYSTEM_BUS)
                                                                        : NULL;
  if (!users_can_limit_memory ())
    return NULL;
  if (address)
    return g_strdup (address);
  if (!is_there (path, G_FILE_TEST_EXISTS))
    return NULL;
  escaped = g_dbus_address_escape_value (path);
  return g_strconcat ("unix:path=", escaped, NULL);
}

char *
asb_local_scope_find_bus (const char *option)
{
  if (!option || strcmp (option, ASB_LOCAL_SYSTEMD_AUTO) == 0)
    return find_usual_bus ();
  return strcmp (option, ASB_LOCAL_SYSTEMD_NEVER) == 0 ? NULL : g_strdup (option);
}

static GDBusConnection *
connect_to (const char *bus, GCancellable *cancellable, GError **error)
{
  return g_dbus_connection_new_for_address_sync (
      bus,
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
          | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
      NULL, cancellable, error);
}

AsbLocalScope *
asb_local_scope_new (const char *bus, AsbLocalArguments *arguments, GError **error)
{
  int info[2], gate[2];
  AsbLocalScope *self;

  if (!g_unix_open_pipe (info, FD_CLOEXEC, error))
    return NULL;
  if (!g_unix_open_pipe (gate, FD_CLOEXEC, error))
    {
      close (info[0]);
      close (info[1]);
      return NULL;
    }
  self = g_new0 (AsbLocalScope, 1);
  self->bus = g_strdup (bus);
  self->info = info[0];
  self->gate = gate[1];
  asb_local_arguments_add_fd (arguments, "--info-fd", info[1], NULL);
  asb_local_arguments_add_fd (arguments, "--block-fd", gate[0], NULL);
  return self;
}

void
asb_local_scope_free (AsbLocalScope *self)
{
  close (self->info);
  close (self->gate);
  g_free (self->bus);
  g_free (self);
}

/* Until the object is whole, or bubblewrap has ended. */
static gsize
read_info (int fd, char *content)
{
  gint64 end = g_get_monotonic_time () + SECONDS * G_TIME_SPAN_SECOND;
  gsize size = 0;

  while (size < MAX_INFO_SIZE && !memchr (content, '}', size))
    {
      struct pollfd event = { .fd = fd, .events = POLLIN };
      gint64 left = (end - g_get_monotonic_time ()) / 1000;
      gssize got = 0;

      if (left > 0 && TEMP_FAILURE_RETRY (poll (&event, 1, (int)left)) == 1)
        got = TEMP_FAILURE_RETRY (read (fd, content + size, MAX_INFO_SIZE - size));
      if (got <= 0)
        break;
      size += (gsize)got;
    }
  return size;
}

/* Returns: 0 if bubblewrap did not come that far. */
static guint32
read_child (int fd)
{
  char content[MAX_INFO_SIZE];
  gsize size = read_info (fd, content);
  const char *end = memchr (content, '}', size);
  const char *reason;
  json_t *json = end ? asb_wire_json_parse (content, (gsize)(end - content) + 1, &reason) : NULL;
  json_int_t child = json_integer_value (json_object_get (json, "child-pid"));

  json_decref (json);
  return child > 1 && child <= G_MAXINT32 ? (guint32)child : 0;
}

static GVariant *
describe_scope (const char *id, const guint32 *pids, AsbResourceLimits *limits)
{
  g_autofree char *description = g_strdup_printf ("Sandbox %s of asb", id);
  guint64 memory = asb_resource_limits_get_memory_bytes (limits);
  guint64 processes = asb_resource_limits_get_processes (limits);
  GVariantBuilder properties;

  g_variant_builder_init (&properties, G_VARIANT_TYPE ("a(sv)"));
  g_variant_builder_add (&properties, "(sv)", "Description", g_variant_new_string (description));
  g_variant_builder_add (&properties, "(sv)", "CollectMode",
                         g_variant_new_string ("inactive-or-failed"));
  g_variant_builder_add (&properties, "(sv)", "PIDs",
                         g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, pids, 2, sizeof *pids));
  if (memory > 0)
    {
      g_variant_builder_add (&properties, "(sv)", "MemoryAccounting", g_variant_new_boolean (TRUE));
      g_variant_builder_add (&properties, "(sv)", "MemoryMax", g_variant_new_uint64 (memory));
      g_variant_builder_add (&properties, "(sv)", "MemorySwapMax", g_variant_new_uint64 (0));
    }
  if (processes > 0)
    g_variant_builder_add (&properties, "(sv)", "TasksMax",
                           g_variant_new_uint64 (processes + OWN_PROCESSES));
  return g_variant_builder_end (&properties);
}

typedef struct
{
  GHashTable *results; /* of jobs, by their paths: they may end before we know which is ours */
  gboolean timed_out;
} Jobs;

static void
job_removed_cb (GDBusConnection *connection, const char *sender, const char *path,
                const char *interface, const char *signal, GVariant *parameters, gpointer user_data)
{
  Jobs *jobs = user_data;
  const char *job, *result;

  if (!g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(uoss)")))
    return;
  g_variant_get (parameters, "(u&o&s&s)", NULL, &job, NULL, &result);
  g_hash_table_replace (jobs->results, g_strdup (job), g_strdup (result));
}

static gboolean
timed_out_cb (gpointer user_data)
{
  ((Jobs *)user_data)->timed_out = TRUE;
  return G_SOURCE_REMOVE;
}

static void
wake_cb (GCancellable *cancellable, gpointer user_data)
{
  g_main_context_wakeup (user_data);
}

static gboolean
wait_for_job (Jobs *jobs, const char *job, GMainContext *context, GCancellable *cancellable,
              GError **error)
{
  g_autoptr (GSource) deadline = g_timeout_source_new_seconds (SECONDS);
  gulong wake
      = g_cancellable_connect (cancellable, G_CALLBACK (wake_cb), g_main_context_ref (context),
                               (GDestroyNotify)g_main_context_unref);
  const char *result;

  g_source_set_callback (deadline, timed_out_cb, jobs, NULL);
  g_source_attach (deadline, context);
  while (!(result = g_hash_table_lookup (jobs->results, job)) && !jobs->timed_out
         && !g_cancellable_is_cancelled (cancellable))
    g_main_context_iteration (context, TRUE);
  g_source_destroy (deadline);
  g_cancellable_disconnect (cancellable, wake);
  if (g_strcmp0 (result, "done") == 0)
    return TRUE;
  if (!g_cancellable_set_error_if_cancelled (cancellable, error))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "systemd ended the job with “%s”",
                 result ? result : "no answer");
  return FALSE;
}

static GVariant *
call (GDBusConnection *connection, const char *path, const char *interface, const char *method,
      GVariant *arguments, const char *type, GCancellable *cancellable, GError **error)
{
  return g_dbus_connection_call_sync (connection, MANAGER_NAME, path, interface, method, arguments,
                                      G_VARIANT_TYPE (type), G_DBUS_CALL_FLAGS_NONE, SECONDS * 1000,
                                      cancellable, error);
}

static gboolean
start_unit (GDBusConnection *connection, const char *name, GVariant *properties,
            GMainContext *context, GCancellable *cancellable, GError **error)
{
  g_autoptr (GHashTable) results = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Jobs jobs = { .results = results };
  guint subscription = g_dbus_connection_signal_subscribe (
      connection, MANAGER_NAME, MANAGER_INTERFACE, "JobRemoved", MANAGER_PATH, NULL,
      G_DBUS_SIGNAL_FLAGS_NONE, job_removed_cb, &jobs, NULL);
  g_autoptr (GVariant) answer
      = call (connection, MANAGER_PATH, MANAGER_INTERFACE, "StartTransientUnit",
              g_variant_new ("(ss@a(sv)@a(sa(sv)))", name, "fail", properties,
                             g_variant_new_array (G_VARIANT_TYPE ("(sa(sv))"), NULL, 0)),
              "(o)", cancellable, error);
  const char *job;
  gboolean done = FALSE;

  if (answer)
    {
      g_variant_get (answer, "(&o)", &job);
      done = wait_for_job (&jobs, job, context, cancellable, error);
    }
  g_dbus_connection_signal_unsubscribe (connection, subscription);
  return done;
}

/* A manager that has no memory to give takes the limit all the same. What it can count it bounds.
 */
static gboolean
check_memory (GDBusConnection *connection, const char *name, GCancellable *cancellable,
              GError **error)
{
  g_autoptr (GVariant) unit = call (connection, MANAGER_PATH, MANAGER_INTERFACE, "GetUnit",
                                    g_variant_new ("(s)", name), "(o)", cancellable, error);
  g_autoptr (GVariant) answer = NULL;
  g_autoptr (GVariant) used = NULL;
  const char *path;

  if (!unit)
    return FALSE;
  g_variant_get (unit, "(&o)", &path);
  answer
      = call (connection, path, "org.freedesktop.DBus.Properties", "Get",
              g_variant_new ("(ss)", SCOPE_INTERFACE, "MemoryCurrent"), "(v)", cancellable, error);
  if (!answer)
    return FALSE;
  g_variant_get (answer, "(v)", &used);
  if (g_variant_is_of_type (used, G_VARIANT_TYPE_UINT64)
      && g_variant_get_uint64 (used) != G_MAXUINT64)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
               "systemd took the limit and cannot bound memory with it");
  return FALSE;
}

static gboolean
make_scope (const char *bus, const char *id, GVariant *properties, gboolean limits_memory,
            GCancellable *cancellable, GError **error)
{
  g_autoptr (GVariant) owned = g_variant_ref_sink (properties);
  g_autofree char *unique = g_uuid_string_random ();
  g_autofree char *name = g_strdup_printf ("asb-%s-%.8s.scope", id, unique);
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GDBusConnection) connection = NULL;
  gboolean done;

  g_main_context_push_thread_default (context);
  connection = connect_to (bus, cancellable, error);
  done = connection && start_unit (connection, name, owned, context, cancellable, error)
         && (!limits_memory || check_memory (connection, name, cancellable, error));
  if (connection)
    g_dbus_connection_close_sync (connection, NULL, NULL);
  g_main_context_pop_thread_default (context);
  return done;
}

static gboolean
open_gate (int gate)
{
  return TEMP_FAILURE_RETRY (write (gate, "", 1)) == 1;
}

gboolean
asb_local_scope_enter (AsbLocalScope *self, AsbLocalLaunch *launch, const char *id,
                       AsbResourceLimits *limits, GCancellable *cancellable, GError **error)
{
  const guint32 pids[] = { asb_local_launch_get_pid (launch), read_child (self->info) };
  g_autoptr (GError) cause = NULL;

  /* Why it did not start is found out by the one who waits for the guest. */
  if (pids[0] == 0 || pids[1] == 0)
    return TRUE;
  if (make_scope (self->bus, id, describe_scope (id, pids, limits),
                  asb_resource_limits_get_memory_bytes (limits) > 0, cancellable, &cause)
      && open_gate (self->gate))
    return TRUE;
  if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_propagate_error (error, g_steal_pointer (&cause));
  else
    asb_local_set_unavailable (error, ASB_ERROR_PROVIDER_UNAVAILABLE,
                               "systemd must make a scope to limit the memory of all processes "
                               "together: set the option systemd to “never” to limit each alone",
                               cause ? cause->message : g_strerror (errno));
  return FALSE;
}
