/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A provider as a module of its own: a sandbox is a folder, which bubblewrap makes the root of
 * whatever is run in it. It offers what a provider must: create, delete, get, a byte stream to a
 * program inside, and a way to put one file there. Commands, terminals, files and the record come
 * with the guest.
 *
 *     gcc -shared -fPIC box-provider.c -o libasb-provider-box.so $(pkg-config --cflags --libs
 * libasb-1) asb-provider-check --module-path=. --history=sandbox box
 */

#include <asb.h>
#include <errno.h>
#include <unistd.h>

#define BOX_TYPE_PROVIDER (box_provider_get_type ())
G_DECLARE_FINAL_TYPE (BoxProvider, box_provider, BOX, PROVIDER, GObject)

struct _BoxProvider
{
  GObject parent_instance;

  GMutex mutex;
  GHashTable *boxes; /* AsbSandboxInfo by id */
  char *folder;
};

static AsbSandboxInfo *
find (AsbProvider *provider, const char *id, GTask *task)
{
  BoxProvider *self = BOX_PROVIDER (provider);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  AsbSandboxInfo *info = g_hash_table_lookup (self->boxes, id);

  if (!info)
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND,
                             "There is no sandbox “%s”", id);
  return info ? g_object_ref (info) : NULL;
}

static char *
path_of (AsbProvider *provider, const char *id, const char *path)
{
  return g_build_filename (BOX_PROVIDER (provider)->folder, id, path, NULL);
}

static void
answer (GTask *task, gpointer object)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, G_OBJECT_TYPE (object));
  g_value_set_object (&value, object);
  g_task_return_value (task, &value);
}

/* What bubblewrap would find already there the second time. */
static gboolean
link_system_folders (const char *root)
{
  static const char *const folders[] = { "bin", "lib", "lib64", "sbin" };

  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *link = g_build_filename (root, folders[i], NULL);
      g_autofree char *target = g_build_filename ("usr", folders[i], NULL);

      if (symlink (target, link) != 0)
        return FALSE;
    }
  return TRUE;
}

static void
create_sandbox (AsbProvider *provider, AsbSandboxSpec *spec, GTask *task)
{
  BoxProvider *self = BOX_PROVIDER (provider);
  const char *workdir = asb_sandbox_spec_get_workdir (spec);
  const char *instance_id = asb_sandbox_spec_get_instance_id (spec);
  g_autofree char *id = asb_uuid_v7_new ();
  g_autofree char *root = path_of (provider, id, NULL);
  g_autofree char *path = path_of (provider, id, workdir);
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autoptr (AsbSandboxRef) ref = asb_sandbox_ref_new (
      "box", "box", id, instance_id ? instance_id : id, NULL, asb_sandbox_spec_get_metadata (spec));
  g_autoptr (AsbSandboxInfo) info = g_object_new (
      ASB_TYPE_SANDBOX_INFO, "ref", ref, "state", ASB_SANDBOX_STATE_RUNNING, "name",
      asb_sandbox_spec_get_name (spec), "workdir", workdir, "created-at", now, NULL);

  if (g_mkdir_with_parents (path, 0755) != 0 || !link_system_folders (root))
    {
      g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_PROVIDER, "Could not make “%s”: %s", root,
                               g_strerror (errno));
      return;
    }
  g_mutex_lock (&self->mutex);
  g_hash_table_insert (self->boxes, g_strdup (id), g_object_ref (info));
  g_mutex_unlock (&self->mutex);
  answer (task, info);
}

static void
get_sandbox (AsbProvider *provider, const char *id, GTask *task)
{
  g_autoptr (AsbSandboxInfo) info = find (provider, id, task);

  if (info)
    answer (task, info);
}

/* The stream is the standard input and output of the program. */
static GIOStream *
run_inside (AsbProvider *provider, const char *id, const char *const *argv, GError **error)
{
  g_autofree char *root = path_of (provider, id, "/");
  const char *const bwrap[]
      = { "bwrap",    "--bind", root,       "/",    "--ro-bind", "/usr", "/usr",
          "--proc",   "/proc",  "--dev",    "/dev", "--tmpfs",   "/tmp", "--clearenv",
          "--setenv", "PATH",   "/usr/bin", "--",   NULL };
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) command = NULL;
  g_autoptr (GSubprocess) process = NULL;
  GIOStream *stream;

  g_strv_builder_addv (builder, (const char **)bwrap);
  g_strv_builder_addv (builder, (const char **)argv);
  command = g_strv_builder_end (builder);
  process
      = g_subprocess_newv ((const char *const *)command,
                           G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, error);
  if (!process)
    return NULL;
  stream = g_simple_io_stream_new (g_subprocess_get_stdout_pipe (process),
                                   g_subprocess_get_stdin_pipe (process));
  g_object_set_data_full (G_OBJECT (stream), "process", g_steal_pointer (&process), g_object_unref);
  return stream;
}

static void
open_stream (AsbProvider *provider, const char *id, AsbStreamSpec *spec, GTask *task)
{
  const char *const *argv = asb_stream_spec_get_argv (spec);
  g_autoptr (AsbSandboxInfo) info = find (provider, id, task);
  g_autofree char *program = path_of (provider, id, argv[0]);
  g_autoptr (GIOStream) stream = NULL;
  GError *error = NULL;

  if (!info)
    return;
  if (!g_file_test (program, G_FILE_TEST_IS_EXECUTABLE))
    {
      g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_COMMAND_NOT_FOUND, "There is no “%s”",
                               argv[0]);
      return;
    }
  stream = run_inside (provider, id, argv, &error);
  if (stream)
    answer (task, stream);
  else
    g_task_return_error (task, error);
}

static void
put_file (AsbProvider *provider, const char *id, const char *path, GBytes *contents, guint mode,
          GTask *task)
{
  g_autoptr (AsbSandboxInfo) info = find (provider, id, task);
  g_autofree char *file = path_of (provider, id, path);
  g_autofree char *parent = g_path_get_dirname (file);
  GError *error = NULL;

  if (!info)
    return;
  g_mkdir_with_parents (parent, 0755);
  if (g_file_set_contents_full (file, g_bytes_get_data (contents, NULL),
                                (gssize)g_bytes_get_size (contents), G_FILE_SET_CONTENTS_CONSISTENT,
                                (int)mode, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* The guest ends all that runs when it is asked to; one that was never placed need not be. */
static void
end_guest (AsbProvider *provider, const char *id)
{
  g_autofree char *pattern = path_of (provider, id, "/.agent-history/bin");
  g_autoptr (GDir) folder = g_dir_open (pattern, 0, NULL);
  const char *name = folder ? g_dir_read_name (folder) : NULL;
  g_autofree char *program = name ? g_build_filename ("/.agent-history/bin", name, NULL) : NULL;
  const char *const argv[] = { program, "connect", NULL };
  g_autoptr (GIOStream) stream = program ? run_inside (provider, id, argv, NULL) : NULL;
  g_autoptr (AsbGuestTransport) guest
      = stream ? asb_guest_transport_new (stream, NULL, NULL, NULL) : NULL;
  g_autoptr (GVariant) ended
      = guest ? asb_transport_call (ASB_TRANSPORT (guest), "guest.shutdown", NULL, NULL, NULL)
              : NULL;
}

static void
delete_sandbox (AsbProvider *provider, const char *id, GTask *task)
{
  BoxProvider *self = BOX_PROVIDER (provider);
  g_autoptr (AsbSandboxInfo) info = find (provider, id, task);
  g_autofree char *root = path_of (provider, id, NULL);
  g_autoptr (GSubprocess) remove = NULL;
  GError *error = NULL;

  if (!info)
    return;
  g_mutex_lock (&self->mutex);
  g_hash_table_remove (self->boxes, id);
  g_mutex_unlock (&self->mutex);
  end_guest (provider, id);
  remove = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, &error, "rm", "-rf", "--", root, NULL);
  if (remove && g_subprocess_wait_check (remove, NULL, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static char *
dup_name (AsbProvider *provider)
{
  return g_strdup ("box");
}

static AsbCapabilities *
get_capabilities (AsbProvider *provider)
{
  return asb_capabilities_new ();
}

static void
box_provider_iface_init (AsbProviderInterface *iface)
{
  iface->dup_name = dup_name;
  iface->dup_key = dup_name;
  iface->get_capabilities = get_capabilities;
  iface->create_sandbox = create_sandbox;
  iface->get_sandbox = get_sandbox;
  iface->delete_sandbox = delete_sandbox;
  iface->open_stream = open_stream;
  iface->put_file = put_file;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (BoxProvider, box_provider, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_PROVIDER, box_provider_iface_init))

static void
box_provider_finalize (GObject *object)
{
  BoxProvider *self = BOX_PROVIDER (object);

  g_clear_pointer (&self->boxes, g_hash_table_unref);
  g_clear_pointer (&self->folder, g_free);
  g_mutex_clear (&self->mutex);
  G_OBJECT_CLASS (box_provider_parent_class)->finalize (object);
}

static void
box_provider_class_init (BoxProviderClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = box_provider_finalize;
}

static void
box_provider_init (BoxProvider *self)
{
  g_mutex_init (&self->mutex);
  self->boxes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  self->folder = g_build_filename (g_get_user_state_dir (), "asb", "box", NULL);
}

static gboolean
register_box (AsbRegistry *registry, GError **error)
{
  return asb_registry_register_provider (registry, "box", BOX_TYPE_PROVIDER, error);
}

ASB_DEFINE_MODULE (ASB_MODULE_KIND_PROVIDER, "box", register_box);
