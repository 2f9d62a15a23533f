/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-simple-provider-private.h"

#include "asb-call-private.h"
#include "asb-error-private.h"
#include "asb-guest-transport.h"
#include "asb-module-private.h"
#include "asb-property-private.h"
#include "asb-simple-table-private.h"
#include "asb-subprocess-stream-private.h"
#include "asb-uuid.h"

/**
 * AsbSimpleProvider:
 *
 * A provider that needs little: how a sandbox is made and removed, how a program is run in it, and
 * how a file gets there.
 *
 * A class derived from it has a function for each, which does its work at once and blocks. The rest
 * is done here: sandboxes have an id, are remembered in a folder of the user's, and are found and
 * listed by every program of that user; tasks are answered; what failed in the middle is taken
 * back; commands, terminals, files and the record come with the guest.
 *
 * Functions are called in the thread of the public call, whose main loop waits meanwhile. A class
 * in C may say that it is thread_safe; then they are called in threads of their own, several at
 * once.
 *
 * A function that fails must not leave anything behind. What a provider can do beyond that, such as
 * pausing, is added by implementing [iface@Provider] once more in the derived class, with those
 * functions and get_capabilities only.
 *
 * Since: 1.0
 */

/**
 * AsbSimpleProviderClass:
 * @create: [vfunc@SimpleProvider.create]
 * @remove: [vfunc@SimpleProvider.remove]
 * @get_state: [vfunc@SimpleProvider.get_state]
 * @open_program: [vfunc@SimpleProvider.open_program]
 * @store_file: [vfunc@SimpleProvider.store_file]
 * @thread_safe: whether the functions may be called in any thread, several at once; then nobody's
 *   main loop waits for them
 *
 * What class_init of a simple provider sets.
 *
 * Since: 1.0
 */

/**
 * AsbSimpleProviderClass::create:
 * @self: a [class@SimpleProvider]
 * @sandbox_id: the id that the new sandbox has
 * @spec: what it should be like
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Makes a sandbox that is ready for work. It has a folder of its own by now, see
 * [method@SimpleProvider.dup_folder].
 *
 * The class keeps the name, the metadata, the image and the working directory of @spec to show
 * them, and does nothing else with it: a time to live, a lifetime, an environment, mounts and
 * limits are this function's to see to. Refuse what you cannot do with
 * %ASB_ERROR_UNSUPPORTED_CAPABILITY, which is better than to ignore it.
 *
 * Returns: whether it was made; what fails leaves nothing behind
 *
 * Since: 1.0
 */

/**
 * AsbSimpleProviderClass::remove:
 * @self: a [class@SimpleProvider]
 * @sandbox_id: the id of a sandbox
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Ends a sandbox with all that runs in it, see [method@SimpleProvider.end_guest], and unmounts what
 * was mounted in its folder. That is removed afterwards; if something is mounted there, or belongs
 * to another user, the call fails with %ASB_ERROR_PROVIDER, names it, and can be repeated.
 *
 * Returns: whether it was removed; one that was not is still there
 *
 * Since: 1.0
 */

/**
 * AsbSimpleProviderClass::get_state:
 * @self: a [class@SimpleProvider]
 * @sandbox_id: the id of a sandbox
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Tells how a sandbox is now. %ASB_ERROR_SANDBOX_NOT_FOUND says that it is gone for ever, and it is
 * forgotten. A class without this function has sandboxes that run until they are removed.
 *
 * Returns: the state
 *
 * Since: 1.0
 */

/**
 * AsbSimpleProviderClass::open_program:
 * @self: a [class@SimpleProvider]
 * @sandbox_id: the id of a sandbox
 * @argv: (array zero-terminated=1) (nullable): the program, a path inside, and its arguments; %NULL
 *   if the class has no store_file: then it is the guest's connect, wherever that is
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Runs a program inside, whose standard input and output are the stream. [class@SubprocessStream]
 * is one for a program of this machine that enters the sandbox.
 *
 * Returns: (transfer full): the stream. %ASB_ERROR_COMMAND_NOT_FOUND if there is no such program,
 * unless the stream is an [class@SubprocessStream], of which that shows by itself
 *
 * Since: 1.0
 */

/**
 * AsbSimpleProviderClass::store_file:
 * @self: a [class@SimpleProvider]
 * @sandbox_id: the id of a sandbox
 * @path: where, an absolute path inside
 * @contents: what is in it
 * @mode: its permissions
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Puts a file into a sandbox, with the folders it is in. A class whose sandboxes have the guest
 * already needs no such function.
 *
 * Returns: whether it is there, whole
 *
 * Since: 1.0
 */

typedef struct
{
  char *name;
} AsbSimpleProviderPrivate;

enum
{
  PROP_0,
  PROP_NAME,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void provider_iface_init (AsbProviderInterface *iface);

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (AsbSimpleProvider, asb_simple_provider, G_TYPE_OBJECT,
                                  G_ADD_PRIVATE (AsbSimpleProvider)
                                      G_IMPLEMENT_INTERFACE (ASB_TYPE_PROVIDER,
                                                             provider_iface_init))

static void
asb_simple_provider_finalize (GObject *object)
{
  AsbSimpleProvider *self = ASB_SIMPLE_PROVIDER (object);
  AsbSimpleProviderPrivate *priv = asb_simple_provider_get_instance_private (self);

  g_clear_pointer (&priv->name, g_free);

  G_OBJECT_CLASS (asb_simple_provider_parent_class)->finalize (object);
}

static void
asb_simple_provider_get_property (GObject *object, guint property_id, GValue *value,
                                  GParamSpec *pspec)
{
  AsbSimpleProvider *self = ASB_SIMPLE_PROVIDER (object);

  if (property_id == PROP_NAME)
    g_value_set_string (value, asb_simple_provider_get_name (self));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
}

static void
asb_simple_provider_class_init (AsbSimpleProviderClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_simple_provider_finalize;
  object_class->get_property = asb_simple_provider_get_property;

  /**
   * AsbSimpleProvider:name: (getter get_name) (setter set_name)
   *
   * The name of the provider; `simple` before it has one.
   *
   * Since: 1.0
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, ASB_PARAM_READABLE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_simple_provider_init (AsbSimpleProvider *self)
{
}

/* Calls. */

typedef struct
{
  AsbSimpleProvider *provider;
  char *folder; /* of all its sandboxes */
  char *id;
  GObject *spec; /* (nullable): of a sandbox, a stream or a list */
  AsbSandboxInfo *info;
  char *path;
  GBytes *contents;
  guint mode;
} Work;

static void
work_free (gpointer data)
{
  Work *work = data;

  g_clear_pointer (&work->folder, g_free);
  g_clear_pointer (&work->id, g_free);
  g_clear_object (&work->spec);
  g_clear_object (&work->info);
  g_clear_pointer (&work->path, g_free);
  g_clear_pointer (&work->contents, g_bytes_unref);
  g_free (work);
}

static char *
dup_folder_of_all (AsbSimpleProvider *self)
{
  return g_build_filename (g_get_user_state_dir (), "asb", "providers",
                           asb_simple_provider_get_name (self), NULL);
}

static Work *
work_new (AsbProvider *provider, const char *id, gpointer spec)
{
  Work *work = g_new0 (Work, 1);

  work->provider = ASB_SIMPLE_PROVIDER (provider);
  work->folder = dup_folder_of_all (work->provider);
  work->id = g_strdup (id);
  work->spec = spec ? g_object_ref (spec) : NULL;
  return work;
}

static void
start (GTask *task, Work *work, GTaskThreadFunc function)
{
  g_task_set_task_data (task, work, work_free);
  if (ASB_SIMPLE_PROVIDER_GET_CLASS (work->provider)->thread_safe)
    g_task_run_in_thread (task, function);
  else
    function (task, work->provider, work, g_task_get_cancellable (task));
}

/* A function of somebody else's may have forgotten what it owes. */
static gboolean
check_reason (gboolean done, const char *function, GError **error)
{
  if (!done && error && !*error)
    g_set_error (
        error, ASB_ERROR, ASB_ERROR_INTERNAL,
        "“%s” of the provider neither succeeded nor told why; if it is a script, its language "
        "may not have found the override of Asb, which answers for it",
        function);
  return done;
}

static gboolean
check_offered (Work *work, gpointer function, const char *name, GError **error)
{
  if (function)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
               "Provider “%s” does not support “%s”", asb_simple_provider_get_name (work->provider),
               name);
  return FALSE;
}

static void
answer (GTask *task, gboolean done, GError *error)
{
  if (done)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* Takes @object. */
static void
answer_object (GTask *task, gpointer object, GError *error)
{
  if (object)
    asb_task_return_object (task, object);
  else
    g_task_return_error (task, error);
}

/* Whose files are still there is tried again. */
static void
forget (Work *work, const char *id)
{
  int taken = asb_simple_table_take (work->folder, id, NULL);

  if (taken < 0)
    return;
  if (asb_simple_table_remove_place (work->folder, id, NULL, NULL))
    asb_simple_table_forget (work->folder, id, taken);
  else
    asb_simple_table_put_back (work->folder, id, taken);
}

static gboolean
find_state (Work *work, const char *id, AsbSandboxState *state, GCancellable *cancellable,
            GError **error)
{
  GError *local = NULL;

  *state = ASB_SIMPLE_PROVIDER_GET_CLASS (work->provider)
               ->get_state (work->provider, id, cancellable, &local);
  if (!local)
    return TRUE;
  g_propagate_error (error, local);
  return FALSE;
}

/* What is gone without having been removed is forgotten. */
static AsbSandboxInfo *
get (Work *work, const char *id, GCancellable *cancellable, GError **error)
{
  AsbSandboxState state = ASB_SANDBOX_STATE_RUNNING;
  g_autoptr (AsbSandboxInfo) info = asb_simple_table_get (work->folder, id, state, error);
  g_autoptr (GError) local = NULL;

  if (!info || !ASB_SIMPLE_PROVIDER_GET_CLASS (work->provider)->get_state)
    return g_steal_pointer (&info);
  if (find_state (work, id, &state, cancellable, &local))
    return asb_simple_table_get (work->folder, id, state, error);
  if (g_error_matches (local, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND))
    forget (work, id);
  g_propagate_error (error, g_steal_pointer (&local));
  return NULL;
}

static AsbSandboxInfo *
describe (Work *work)
{
  AsbSandboxSpec *spec = ASB_SANDBOX_SPEC (work->spec);
  const char *instance_id = asb_sandbox_spec_get_instance_id (spec);
  g_autofree char *name = asb_provider_dup_name (ASB_PROVIDER (work->provider));
  g_autofree char *key = asb_provider_dup_key (ASB_PROVIDER (work->provider));
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autoptr (AsbSandboxRef) ref
      = asb_sandbox_ref_new (name, key, work->id, instance_id ? instance_id : work->id, NULL,
                             asb_sandbox_spec_get_metadata (spec));

  return g_object_new (ASB_TYPE_SANDBOX_INFO, "ref", ref, "state", ASB_SANDBOX_STATE_RUNNING,
                       "name", asb_sandbox_spec_get_name (spec), "image",
                       asb_sandbox_spec_get_image (spec), "workdir",
                       asb_sandbox_spec_get_workdir (spec), "created-at", now, NULL);
}

/* What could not be remembered nobody would ever remove. */
static gboolean
create (Work *work, GCancellable *cancellable, GError **error)
{
  AsbSimpleProviderClass *klass = ASB_SIMPLE_PROVIDER_GET_CLASS (work->provider);

  if (!check_reason (klass->create (work->provider, work->id, ASB_SANDBOX_SPEC (work->spec),
                                    cancellable, error),
                     "create", error))
    return FALSE;
  if (asb_simple_table_add (work->folder, work->info, error))
    return TRUE;
  if (klass->remove)
    klass->remove (work->provider, work->id, NULL, NULL);
  return FALSE;
}

static void
create_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;
  AsbSimpleProviderClass *klass = ASB_SIMPLE_PROVIDER_GET_CLASS (source);
  GError *error = NULL;

  if (check_offered (work, klass->create, "create_sandbox", &error)
      && asb_simple_table_make_place (work->folder, work->id, &error)
      && create (work, cancellable, &error))
    {
      answer_object (task, g_steal_pointer (&work->info), NULL);
      return;
    }
  asb_simple_table_remove_place (work->folder, work->id, NULL, NULL);
  g_task_return_error (task, error);
}

/* The caller may change its own as soon as the call has begun. */
static AsbSandboxSpec *
copy_spec (AsbSandboxSpec *spec)
{
  AsbSandboxSpec *copy = asb_sandbox_spec_new ();

  asb_property_copy_all (spec, copy);
  return copy;
}

static void
create_sandbox (AsbProvider *provider, AsbSandboxSpec *spec, GTask *task)
{
  g_autofree char *id = asb_uuid_v7_new ();
  g_autoptr (AsbSandboxSpec) copy = copy_spec (spec);
  Work *work = work_new (provider, id, copy);

  work->info = describe (work);
  start (task, work, create_in_thread);
}

static void
get_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;
  GError *error = NULL;
  AsbSandboxInfo *info = get (work, work->id, cancellable, &error);

  answer_object (task, info, error);
}

static void
get_sandbox (AsbProvider *provider, const char *id, GTask *task)
{
  start (task, work_new (provider, id, NULL), get_in_thread);
}

/* One that goes away meanwhile is none. */
static void
list_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;
  g_autoptr (GListStore) infos = g_list_store_new (ASB_TYPE_SANDBOX_INFO);
  g_auto (GStrv) ids = asb_simple_table_list (work->folder);

  for (guint i = 0; ids[i]; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AsbSandboxInfo) info = get (work, ids[i], cancellable, &error);

      if (g_task_return_error_if_cancelled (task))
        return;
      if (!info && !g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND))
        {
          g_task_return_error (task, g_steal_pointer (&error));
          return;
        }
      if (info)
        g_list_store_append (infos, info);
    }
  answer_object (task,
                 asb_sandbox_filter_select (ASB_SANDBOX_FILTER (work->spec), G_LIST_MODEL (infos)),
                 NULL);
}

static void
list_sandboxes (AsbProvider *provider, AsbSandboxFilter *filter, GTask *task)
{
  start (task, work_new (provider, NULL, filter), list_in_thread);
}

static gboolean
remove_taken (Work *work, GCancellable *cancellable, GError **error)
{
  AsbSimpleProviderClass *klass = ASB_SIMPLE_PROVIDER_GET_CLASS (work->provider);

  return check_offered (work, klass->remove, "delete_sandbox", error)
         && check_reason (klass->remove (work->provider, work->id, cancellable, error), "remove",
                          error)
         && asb_simple_table_remove_place (work->folder, work->id, cancellable, error);
}

static void
delete_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;
  GError *error = NULL;
  int taken = asb_simple_table_take (work->folder, work->id, &error);
  gboolean done = taken >= 0 && remove_taken (work, cancellable, &error);

  if (done)
    asb_simple_table_forget (work->folder, work->id, taken);
  else if (taken >= 0)
    asb_simple_table_put_back (work->folder, work->id, taken);
  answer (task, done, error);
}

static void
delete_sandbox (AsbProvider *provider, const char *id, GTask *task)
{
  start (task, work_new (provider, id, NULL), delete_in_thread);
}

static GIOStream *
open_program (Work *work, GCancellable *cancellable, GError **error)
{
  AsbSimpleProviderClass *klass = ASB_SIMPLE_PROVIDER_GET_CLASS (work->provider);
  const char *const *argv = asb_stream_spec_get_argv (ASB_STREAM_SPEC (work->spec));
  GIOStream *stream;

  if (!check_offered (work, klass->open_program, "open_stream", error)
      || !asb_simple_table_enter (work->folder, work->id, argv ? argv[0] : NULL, error))
    return NULL;
  stream = klass->open_program (work->provider, work->id, argv, cancellable, error);
  check_reason (stream != NULL, "open_program", error);
  return stream;
}

static void
open_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  GIOStream *stream = open_program (data, cancellable, &error);

  answer_object (task, stream, error);
}

static void
open_stream (AsbProvider *provider, const char *id, AsbStreamSpec *spec, GTask *task)
{
  start (task, work_new (provider, id, spec), open_in_thread);
}

static void
put_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;
  AsbSimpleProviderClass *klass = ASB_SIMPLE_PROVIDER_GET_CLASS (source);
  GError *error = NULL;
  gboolean done
      = asb_simple_table_check (work->folder, work->id, &error)
        && check_offered (work, klass->store_file, "put_file", &error)
        && check_reason (klass->store_file (work->provider, work->id, work->path, work->contents,
                                            work->mode, cancellable, &error),
                         "store_file", &error);

  answer (task, done, error);
}

static void
put_file (AsbProvider *provider, const char *id, const char *path, GBytes *contents, guint mode,
          GTask *task)
{
  Work *work = work_new (provider, id, NULL);

  work->path = g_strdup (path);
  work->contents = g_bytes_ref (contents);
  work->mode = mode;
  start (task, work, put_in_thread);
}

static char *
dup_name (AsbProvider *provider)
{
  return g_strdup (asb_simple_provider_get_name (ASB_SIMPLE_PROVIDER (provider)));
}

static void
provider_iface_init (AsbProviderInterface *iface)
{
  iface->dup_name = dup_name;
  iface->create_sandbox = create_sandbox;
  iface->get_sandbox = get_sandbox;
  iface->list_sandboxes = list_sandboxes;
  iface->delete_sandbox = delete_sandbox;
  iface->open_stream = open_stream;
  iface->put_file = put_file;
}

/**
 * asb_simple_provider_get_name:
 * @self: a [class@SimpleProvider]
 *
 * Gets [property@SimpleProvider:name].
 *
 * Returns: (transfer none): the name; `simple` before it has one
 *
 * Since: 1.0
 */
const char *
asb_simple_provider_get_name (AsbSimpleProvider *self)
{
  AsbSimpleProviderPrivate *priv = asb_simple_provider_get_instance_private (self);

  g_return_val_if_fail (ASB_IS_SIMPLE_PROVIDER (self), NULL);

  return priv->name ? priv->name : "simple";
}

/**
 * asb_simple_provider_set_name:
 * @self: a [class@SimpleProvider]
 * @name: a name of lower-case letters, digits, `-` and `_`
 *
 * Names the provider. A registry gives it the name under which it was asked for, unless it has one.
 * Its sandboxes are remembered under the name, so do it before it is used.
 *
 * Since: 1.0
 */
void
asb_simple_provider_set_name (AsbSimpleProvider *self, const char *name)
{
  AsbSimpleProviderPrivate *priv = asb_simple_provider_get_instance_private (self);

  g_return_if_fail (ASB_IS_SIMPLE_PROVIDER (self));
  g_return_if_fail (name != NULL && asb_module_name_is_valid (name));

  if (asb_property_replace_string (&priv->name, name))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NAME]);
}

void
asb_simple_provider_name_by_default (AsbSimpleProvider *self, const char *name)
{
  AsbSimpleProviderPrivate *priv = asb_simple_provider_get_instance_private (self);

  if (!priv->name)
    asb_simple_provider_set_name (self, name);
}

/**
 * asb_simple_provider_dup_folder:
 * @self: a [class@SimpleProvider]
 * @sandbox_id: the id of a sandbox
 *
 * Gets the folder of a sandbox on this machine, for what the provider has to keep of it: its files,
 * a key, the number of a process. It is there before the sandbox is made, for this user only, and
 * is removed with everything in it after the sandbox was.
 *
 * Returns: (transfer full) (type filename): the folder, below `$XDG_STATE_HOME`
 *
 * Since: 1.0
 */
char *
asb_simple_provider_dup_folder (AsbSimpleProvider *self, const char *sandbox_id)
{
  g_autofree char *folder = NULL;

  g_return_val_if_fail (ASB_IS_SIMPLE_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);

  folder = dup_folder_of_all (self);
  return asb_simple_table_dup_place (folder, sandbox_id);
}

/* Whether what was to reach the guest found no such program: then none runs. */
static gboolean
was_never_there (GIOStream *stream, const GError *error)
{
  g_autoptr (GError) cause = NULL;
  AsbProgramWatch *watch;

  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_COMMAND_NOT_FOUND))
    return TRUE;
  if (!ASB_IS_SUBPROCESS_STREAM (stream))
    return FALSE;
  watch = asb_subprocess_stream_get_watch (ASB_SUBPROCESS_STREAM (stream));
  return asb_program_watch_wait (watch) && !asb_program_watch_check (watch, &cause)
         && g_error_matches (cause, ASB_ERROR, ASB_ERROR_COMMAND_NOT_FOUND);
}

static gboolean
end_by_stream (GIOStream *stream, GCancellable *cancellable, GError **error)
{
  g_autoptr (AsbGuestTransport) guest = asb_guest_transport_new (stream, NULL, cancellable, error);
  g_autoptr (GVariant) ended = NULL;

  if (guest)
    ended = asb_transport_call (ASB_TRANSPORT (guest), "guest.shutdown", NULL, cancellable, error);
  return ended != NULL;
}

/**
 * asb_simple_provider_end_guest:
 * @self: a [class@SimpleProvider]
 * @sandbox_id: the id of a sandbox
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Ends all that the guest has started in a sandbox, and the guest. It is for the function remove of
 * providers whose sandboxes do not end their processes when they are removed. Blocks.
 *
 * Returns: whether nothing runs there any more
 *
 * Since: 1.0
 */
gboolean
asb_simple_provider_end_guest (AsbSimpleProvider *self, const char *sandbox_id,
                               GCancellable *cancellable, GError **error)
{
  g_autofree char *folder = NULL;
  g_autofree char *program = NULL;
  g_autoptr (GIOStream) stream = NULL;
  g_autoptr (GError) local = NULL;
  const char *argv[] = { NULL, "connect", NULL };

  g_return_val_if_fail (ASB_IS_SIMPLE_PROVIDER (self), FALSE);
  g_return_val_if_fail (sandbox_id != NULL, FALSE);

  folder = dup_folder_of_all (self);
  if (!asb_simple_table_get_entered (folder, sandbox_id, &program))
    return TRUE;
  argv[0] = program;
  stream = ASB_SIMPLE_PROVIDER_GET_CLASS (self)->open_program (
      self, sandbox_id, program ? argv : NULL, cancellable, &local);
  if ((stream && end_by_stream (stream, cancellable, &local)) || was_never_there (stream, local))
    return TRUE;
  asb_error_info_set_last (local);
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}
