/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-provider-private.h"

#include "asb-call-private.h"
#include "asb-enum-types.h"
#include "asb-error-private.h"
#include "asb-mount-private.h"
#include "asb-sandbox-ref-private.h"
#include "asb-simple-provider.h"
#include "asb-sync-private.h"

/**
 * AsbProvider:
 *
 * Makes, finds and deletes sandboxes, and gives a way to work inside.
 *
 * A provider implements dup_name, create_sandbox, get_sandbox and delete_sandbox, and either
 * open_stream (with put_file, unless its sandboxes have the guest) or open_transport. What else it
 * leaves out fails with %ASB_ERROR_UNSUPPORTED_CAPABILITY.
 *
 * Each operation is a virtual function that is handed a [class@Gio.Task] to answer exactly once, in
 * any way a task can be answered: at once, later, or from another thread. Objects are returned with
 * [method@Gio.Task.return_value]. The core calls them only in the thread of the public call, and
 * open_stream once more for a connection that was lost: in the main context that was the
 * thread-default one when the backend was created, which must run for it, or, when the provider
 * says in its interface that it is thread_safe, in any thread. It puts a deadline on each, cancels
 * the task's cancellable when the caller cancels, and deletes a sandbox whose creation was answered
 * too late.
 *
 * Sandboxes of a provider that has [const@CAPABILITY_KEEP_ALIVE] are renewed while their backends
 * are open: in the I/O thread of the library if the provider is thread_safe, where renew_sandbox
 * must not block, and otherwise in the main context that was the thread-default one when the
 * backend was created.
 *
 * Since: 1.0
 */

G_DEFINE_INTERFACE (AsbProvider, asb_provider, G_TYPE_OBJECT)

static void
asb_provider_default_init (AsbProviderInterface *iface)
{
}

/* The caller has been told that the creation failed, so nobody else will ever delete this sandbox.
 */
static void
discard_sandbox (gpointer source, const GValue *result)
{
  AsbSandboxInfo *info = g_value_get_object (result);
  AsbSandboxRef *ref = info ? asb_sandbox_info_get_ref (info) : NULL;
  const char *id = ref ? asb_sandbox_ref_get_sandbox_id (ref) : NULL;

  if (id && *id != '\0')
    asb_provider_delete_sandbox_async (source, id, NULL, NULL, NULL);
}

static const char *
find_fault (AsbSandboxInfo *info)
{
  AsbSandboxRef *ref = asb_sandbox_info_get_ref (info);

  return ref ? asb_sandbox_ref_find_fault (ref) : "tells of a sandbox without a reference";
}

const char *
asb_provider_check_info (const GValue *result)
{
  return find_fault (g_value_get_object (result));
}

static const char *
check_infos (const GValue *result)
{
  GListModel *infos = g_value_get_object (result);
  guint n_infos = g_list_model_get_n_items (infos);
  const char *fault = NULL;

  for (guint i = 0; i < n_infos && !fault; i++)
    {
      g_autoptr (GObject) info = g_list_model_get_item (infos, i);

      if (ASB_IS_SANDBOX_INFO (info))
        fault = find_fault (ASB_SANDBOX_INFO (info));
      else
        fault = "lists what is no AsbSandboxInfo";
    }
  return fault;
}

/* The same for a transport: nobody else will ever close it. */
static void
discard_transport (gpointer source, const GValue *result)
{
  AsbTransport *transport = g_value_get_object (result);

  if (transport)
    asb_transport_close_async (transport, NULL, NULL, NULL);
}

/**
 * asb_provider_dup_name:
 * @self: a [iface@Provider]
 *
 * Gets the name of the provider, for example `local`.
 *
 * Returns: (transfer full): the name; that of its type if it does not say
 *
 * Since: 1.0
 */
char *
asb_provider_dup_name (AsbProvider *self)
{
  char *name = NULL;

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  if (ASB_PROVIDER_GET_IFACE (self)->dup_name)
    name = ASB_PROVIDER_GET_IFACE (self)->dup_name (self);
  return name ? name : g_strdup (G_OBJECT_TYPE_NAME (self));
}

/**
 * asb_provider_dup_key:
 * @self: a [iface@Provider]
 *
 * Gets the key that tells several providers of one name apart.
 *
 * Returns: (transfer full): the key, `NAME-default` unless the provider says otherwise
 *
 * Since: 1.0
 */
char *
asb_provider_dup_key (AsbProvider *self)
{
  g_autofree char *name = NULL;
  char *key = NULL;

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  if (ASB_PROVIDER_GET_IFACE (self)->dup_key)
    key = ASB_PROVIDER_GET_IFACE (self)->dup_key (self);
  if (key)
    return key;
  name = asb_provider_dup_name (self);
  return g_strconcat (name, "-default", NULL);
}

/**
 * asb_provider_dup_endpoint_fingerprint:
 * @self: a [iface@Provider]
 *
 * Gets a hash of the address of the server the provider talks to.
 *
 * Returns: (transfer full) (nullable): the hash; %NULL if there is no server
 *
 * Since: 1.0
 */
char *
asb_provider_dup_endpoint_fingerprint (AsbProvider *self)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  if (!ASB_PROVIDER_GET_IFACE (self)->dup_endpoint_fingerprint)
    return NULL;
  return ASB_PROVIDER_GET_IFACE (self)->dup_endpoint_fingerprint (self);
}

/**
 * asb_provider_get_capabilities:
 * @self: a [iface@Provider]
 *
 * Gets what the provider can do. What can be done inside a sandbox also depends on its transport:
 * ask the [class@Backend].
 *
 * Returns: (transfer full): the capabilities
 *
 * Since: 1.0
 */
AsbCapabilities *
asb_provider_get_capabilities (AsbProvider *self)
{
  AsbCapabilities *capabilities = NULL;

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  if (ASB_PROVIDER_GET_IFACE (self)->get_capabilities)
    capabilities = ASB_PROVIDER_GET_IFACE (self)->get_capabilities (self);
  /* A function of a script that throws gives nothing. */
  return capabilities ? capabilities : asb_capabilities_new ();
}

gboolean
asb_provider_is_thread_safe (AsbProvider *self)
{
  return ASB_PROVIDER_GET_IFACE (self)->thread_safe
         || (ASB_IS_SIMPLE_PROVIDER (self) && ASB_SIMPLE_PROVIDER_GET_CLASS (self)->thread_safe);
}

gboolean
asb_provider_puts_files (AsbProvider *self)
{
  return ASB_PROVIDER_GET_IFACE (self)->put_file
         && (!ASB_IS_SIMPLE_PROVIDER (self)
             || ASB_SIMPLE_PROVIDER_GET_CLASS (self)->store_file != NULL);
}

gboolean
asb_provider_id_is_unknown (GTask *task, const char *thing, const char *id)
{
  gboolean is_snapshot = g_str_equal (thing, "snapshot");
  g_autofree char *shown = NULL;

  if (g_utf8_validate (id, -1, NULL))
    return FALSE;
  shown = g_utf8_make_valid (id, -1);
  g_task_return_new_error (task, ASB_ERROR,
                           is_snapshot ? ASB_ERROR_SNAPSHOT_NOT_FOUND : ASB_ERROR_SANDBOX_NOT_FOUND,
                           "There is no %s “%s”", thing, shown);
  g_object_unref (task);
  return TRUE;
}

gboolean
asb_provider_text_is_none (GTask *task, const char *what, const char *text)
{
  if (!text || g_utf8_validate (text, -1, NULL))
    return FALSE;
  g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "The %s is no UTF-8", what);
  g_object_unref (task);
  return TRUE;
}

/* What a provider that has never heard of it would leave out. */
static const struct
{
  const char *property;
  const char *capability;
} asked_for[] = {
  { "limits", ASB_CAPABILITY_RESOURCE_LIMITS },
  { "entrypoint", ASB_CAPABILITY_ENTRYPOINT },
  { "resources", ASB_CAPABILITY_RESOURCES },
  { "network-policy", ASB_CAPABILITY_NETWORK_POLICY },
  { "snapshot-id", ASB_CAPABILITY_SNAPSHOTS },
  { "platform", ASB_CAPABILITY_PLATFORM },
  { "image-username", ASB_CAPABILITY_IMAGE_CREDENTIALS },
  { "image-password", ASB_CAPABILITY_IMAGE_CREDENTIALS },
  { "create-options", ASB_CAPABILITY_CREATE_OPTIONS },
};

static gboolean
is_set (AsbSandboxSpec *spec, const char *property)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_object_get_property (G_OBJECT (spec), property, &value);
  if (G_VALUE_HOLDS_STRING (&value))
    return g_value_get_string (&value) != NULL;
  if (G_VALUE_HOLDS_VARIANT (&value))
    return g_value_get_variant (&value) != NULL;
  if (G_VALUE_HOLDS_BOXED (&value))
    return g_value_get_boxed (&value) != NULL;
  return g_value_get_object (&value) != NULL;
}

/* Several providers may be in use. */
static gboolean
require (AsbProvider *self, AsbCapabilities *capabilities, const char *name, GError **error)
{
  g_autofree char *provider_name = NULL;

  if (asb_capabilities_require (capabilities, name, error))
    return TRUE;
  provider_name = asb_provider_dup_name (self);
  g_prefix_error (error,
                  "Provider “%s” makes no such sandbox: ", provider_name ? provider_name : "");
  return FALSE;
}

static gboolean
check_asked_for (AsbProvider *self, AsbSandboxSpec *spec, GError **error)
{
  g_autoptr (AsbCapabilities) capabilities = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (asked_for); i++)
    {
      if (!is_set (spec, asked_for[i].property))
        continue;
      if (!capabilities)
        capabilities = asb_provider_get_capabilities (self);
      if (!require (self, capabilities, asked_for[i].capability, error))
        return FALSE;
    }
  return TRUE;
}

/* What no provider could make sense of, so that none needs to look. */
static gboolean
check_spec (AsbProvider *self, AsbSandboxSpec *spec, GError **error)
{
  const char *workdir = asb_sandbox_spec_get_workdir (spec);
  GHashTable *metadata = asb_sandbox_spec_get_metadata (spec);
  GVariant *options = asb_sandbox_spec_get_create_options (spec);

  if (workdir && *workdir != '/')
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "The working directory “%s” must be an absolute path", workdir);
  else if (options && !g_variant_is_of_type (options, G_VARIANT_TYPE_VARDICT))
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                 "Option “create-options” must be of type “a{sv}”, not “%s”",
                 g_variant_get_type_string (options));
  else if (!asb_sandbox_metadata_is_text (metadata) || !asb_sandbox_metadata_is_small (metadata))
    g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                         "The metadata of a sandbox must be UTF-8, and no more than 1 MiB");
  else
    return check_asked_for (self, spec, error);
  return FALSE;
}

/* A provider that has never heard of mounts would leave them out. */
static gboolean
check_mounts (AsbProvider *self, AsbSandboxSpec *spec, GError **error)
{
  GListModel *mounts = asb_sandbox_spec_get_mounts (spec);
  g_autoptr (AsbCapabilities) capabilities = NULL;

  if (g_list_model_get_n_items (mounts) == 0)
    return TRUE;
  capabilities = asb_provider_get_capabilities (self);
  return asb_mounts_check (mounts, error)
         && require (self, capabilities, ASB_CAPABILITY_MOUNTS, error);
}

/**
 * AsbProviderInterface::create_sandbox:
 * @self: a [iface@Provider]
 * @spec: what it should be like
 * @task: to be answered with an [class@SandboxInfo]: what the provider knows of the new sandbox
 *
 * Does what [method@Provider.create_sandbox_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_create_sandbox_async:
 * @self: a [iface@Provider]
 * @spec: what it should be like
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Creates a sandbox that is ready for work. What a failed or cancelled creation made is deleted
 * again; where the provider cannot tell whether there is one, the error is %ASB_ERROR_INTERRUPTED
 * and its info holds the instance id under which it can be found.
 *
 * Since: 1.0
 */
void
asb_provider_create_sandbox_async (AsbProvider *self, AsbSandboxSpec *spec,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  static const AsbCallKind kind
      = { "create the sandbox", 600, discard_sandbox, .check = asb_provider_check_info };
  g_autoptr (GError) error = NULL;
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (spec));

  task = asb_call_begin (self, &kind, ASB_TYPE_SANDBOX_INFO, cancellable, callback, user_data,
                         asb_provider_create_sandbox_async);
  if (asb_call_is_cancelled (task))
    return;
  if (!check_spec (self, spec, &error) || !check_mounts (self, spec, &error))
    {
      g_task_return_error (task, g_steal_pointer (&error));
      g_object_unref (task);
    }
  else if (ASB_PROVIDER_GET_IFACE (self)->create_sandbox)
    {
      ASB_PROVIDER_GET_IFACE (self)->create_sandbox (self, spec, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "create_sandbox");
}

/**
 * asb_provider_create_sandbox_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.create_sandbox_async].
 *
 * Returns: (transfer full): what the provider knows of the new sandbox
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_provider_create_sandbox_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_create_sandbox:
 * @self: a [iface@Provider]
 * @spec: what it should be like
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Creates a sandbox that is ready for work. What a failed or cancelled creation made is deleted
 * again; where the provider cannot tell whether there is one, the error is %ASB_ERROR_INTERRUPTED
 * and its info holds the instance id under which it can be found. Blocks; see
 * [method@Provider.create_sandbox_async].
 *
 * Returns: (transfer full): what the provider knows of the new sandbox
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_provider_create_sandbox (AsbProvider *self, AsbSandboxSpec *spec, GCancellable *cancellable,
                             GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (spec), NULL);

  asb_sync_begin (&sync);
  asb_provider_create_sandbox_async (self, spec, cancellable, asb_sync_ready_cb, &sync);
  return asb_provider_create_sandbox_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::get_sandbox:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @task: to be answered with an [class@SandboxInfo]: what the provider knows of it
 *
 * Does what [method@Provider.get_sandbox_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_get_sandbox_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks for one sandbox. %ASB_ERROR_SANDBOX_NOT_FOUND if there is none of that id.
 *
 * Since: 1.0
 */
void
asb_provider_get_sandbox_async (AsbProvider *self, const char *sandbox_id,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  static const AsbCallKind kind = { "get the sandbox", 120, .check = asb_provider_check_info };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_SANDBOX_INFO, cancellable, callback, user_data,
                         asb_provider_get_sandbox_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->get_sandbox)
    {
      ASB_PROVIDER_GET_IFACE (self)->get_sandbox (self, sandbox_id, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "get_sandbox");
}

/**
 * asb_provider_get_sandbox_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.get_sandbox_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_provider_get_sandbox_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_get_sandbox:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks for one sandbox. %ASB_ERROR_SANDBOX_NOT_FOUND if there is none of that id. Blocks; see
 * [method@Provider.get_sandbox_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_provider_get_sandbox (AsbProvider *self, const char *sandbox_id, GCancellable *cancellable,
                          GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);

  asb_sync_begin (&sync);
  asb_provider_get_sandbox_async (self, sandbox_id, cancellable, asb_sync_ready_cb, &sync);
  return asb_provider_get_sandbox_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::list_sandboxes:
 * @self: a [iface@Provider]
 * @filter: which of them
 * @task: to be answered with a [iface@Gio.ListModel]: the sandboxes, as [class@SandboxInfo], at
 * most a page of them
 *
 * Does what [method@Provider.list_sandboxes_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_list_sandboxes_async:
 * @self: a [iface@Provider]
 * @filter: which of them
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Lists a page of the sandboxes that match a filter. A page that is not full is the last.
 *
 * Since: 1.0
 */
void
asb_provider_list_sandboxes_async (AsbProvider *self, AsbSandboxFilter *filter,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  static const AsbCallKind kind = { "list the sandboxes", 120, .check = check_infos };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (ASB_IS_SANDBOX_FILTER (filter));

  task = asb_call_begin (self, &kind, G_TYPE_LIST_MODEL, cancellable, callback, user_data,
                         asb_provider_list_sandboxes_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->list_sandboxes)
    {
      ASB_PROVIDER_GET_IFACE (self)->list_sandboxes (self, filter, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "list_sandboxes");
}

/**
 * asb_provider_list_sandboxes_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.list_sandboxes_async].
 *
 * Returns: (transfer full): the sandboxes, as [class@SandboxInfo], at most a page of them
 *
 * Since: 1.0
 */
GListModel *
asb_provider_list_sandboxes_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_list_sandboxes:
 * @self: a [iface@Provider]
 * @filter: which of them
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Lists a page of the sandboxes that match a filter. A page that is not full is the last. Blocks;
 * see [method@Provider.list_sandboxes_async].
 *
 * Returns: (transfer full): the sandboxes, as [class@SandboxInfo], at most a page of them
 *
 * Since: 1.0
 */
GListModel *
asb_provider_list_sandboxes (AsbProvider *self, AsbSandboxFilter *filter, GCancellable *cancellable,
                             GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (ASB_IS_SANDBOX_FILTER (filter), NULL);

  asb_sync_begin (&sync);
  asb_provider_list_sandboxes_async (self, filter, cancellable, asb_sync_ready_cb, &sync);
  return asb_provider_list_sandboxes_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::delete_sandbox:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @task: to be answered with a boolean: whether it was done
 *
 * Does what [method@Provider.delete_sandbox_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_delete_sandbox_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Ends a sandbox and all that runs in it. %ASB_ERROR_SANDBOX_NOT_FOUND if there is none of that
 * id.
 *
 * Since: 1.0
 */
void
asb_provider_delete_sandbox_async (AsbProvider *self, const char *sandbox_id,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  static const AsbCallKind kind = { "delete the sandbox", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_provider_delete_sandbox_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->delete_sandbox)
    {
      ASB_PROVIDER_GET_IFACE (self)->delete_sandbox (self, sandbox_id, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "delete_sandbox");
}

/**
 * asb_provider_delete_sandbox_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.delete_sandbox_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_provider_delete_sandbox_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_provider_delete_sandbox:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Ends a sandbox and all that runs in it. %ASB_ERROR_SANDBOX_NOT_FOUND if there is none of that
 * id. Blocks; see [method@Provider.delete_sandbox_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_provider_delete_sandbox (AsbProvider *self, const char *sandbox_id, GCancellable *cancellable,
                             GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), FALSE);
  g_return_val_if_fail (sandbox_id != NULL, FALSE);

  asb_sync_begin (&sync);
  asb_provider_delete_sandbox_async (self, sandbox_id, cancellable, asb_sync_ready_cb, &sync);
  return asb_provider_delete_sandbox_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::renew_sandbox:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @seconds: seconds from now, > 0
 * @task: to be answered with an [class@SandboxInfo]: what the provider knows of it
 *
 * Does what [method@Provider.renew_sandbox_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_renew_sandbox_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @seconds: seconds from now, > 0
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Sets the time at which a sandbox expires.
 *
 * Since: 1.0
 */
void
asb_provider_renew_sandbox_async (AsbProvider *self, const char *sandbox_id, gint64 seconds,
                                  GCancellable *cancellable, GAsyncReadyCallback callback,
                                  gpointer user_data)
{
  static const AsbCallKind kind = { "renew the sandbox", 120, .check = asb_provider_check_info };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_SANDBOX_INFO, cancellable, callback, user_data,
                         asb_provider_renew_sandbox_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->renew_sandbox)
    {
      ASB_PROVIDER_GET_IFACE (self)->renew_sandbox (self, sandbox_id, seconds, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "renew_sandbox");
}

/**
 * asb_provider_renew_sandbox_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.renew_sandbox_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_provider_renew_sandbox_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_renew_sandbox:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @seconds: seconds from now, > 0
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Sets the time at which a sandbox expires. Blocks; see [method@Provider.renew_sandbox_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_provider_renew_sandbox (AsbProvider *self, const char *sandbox_id, gint64 seconds,
                            GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);

  asb_sync_begin (&sync);
  asb_provider_renew_sandbox_async (self, sandbox_id, seconds, cancellable, asb_sync_ready_cb,
                                    &sync);
  return asb_provider_renew_sandbox_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::pause_sandbox:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @task: to be answered with an [class@SandboxInfo]: what the provider knows of it
 *
 * Does what [method@Provider.pause_sandbox_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_pause_sandbox_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Freezes a sandbox.
 *
 * Since: 1.0
 */
void
asb_provider_pause_sandbox_async (AsbProvider *self, const char *sandbox_id,
                                  GCancellable *cancellable, GAsyncReadyCallback callback,
                                  gpointer user_data)
{
  static const AsbCallKind kind = { "pause the sandbox", 120, .check = asb_provider_check_info };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_SANDBOX_INFO, cancellable, callback, user_data,
                         asb_provider_pause_sandbox_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->pause_sandbox)
    {
      ASB_PROVIDER_GET_IFACE (self)->pause_sandbox (self, sandbox_id, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "pause_sandbox");
}

/**
 * asb_provider_pause_sandbox_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.pause_sandbox_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_provider_pause_sandbox_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_pause_sandbox:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Freezes a sandbox. Blocks; see [method@Provider.pause_sandbox_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_provider_pause_sandbox (AsbProvider *self, const char *sandbox_id, GCancellable *cancellable,
                            GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);

  asb_sync_begin (&sync);
  asb_provider_pause_sandbox_async (self, sandbox_id, cancellable, asb_sync_ready_cb, &sync);
  return asb_provider_pause_sandbox_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::resume_sandbox:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @task: to be answered with an [class@SandboxInfo]: what the provider knows of it
 *
 * Does what [method@Provider.resume_sandbox_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_resume_sandbox_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Lets a frozen sandbox go on.
 *
 * Since: 1.0
 */
void
asb_provider_resume_sandbox_async (AsbProvider *self, const char *sandbox_id,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  static const AsbCallKind kind = { "resume the sandbox", 120, .check = asb_provider_check_info };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_SANDBOX_INFO, cancellable, callback, user_data,
                         asb_provider_resume_sandbox_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->resume_sandbox)
    {
      ASB_PROVIDER_GET_IFACE (self)->resume_sandbox (self, sandbox_id, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "resume_sandbox");
}

/**
 * asb_provider_resume_sandbox_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.resume_sandbox_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_provider_resume_sandbox_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_resume_sandbox:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Lets a frozen sandbox go on. Blocks; see [method@Provider.resume_sandbox_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_provider_resume_sandbox (AsbProvider *self, const char *sandbox_id, GCancellable *cancellable,
                             GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);

  asb_sync_begin (&sync);
  asb_provider_resume_sandbox_async (self, sandbox_id, cancellable, asb_sync_ready_cb, &sync);
  return asb_provider_resume_sandbox_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::open_stream:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @spec: what stands at the other end
 * @task: to be answered with a [class@Gio.IOStream]: the stream; both its ends should be pollable
 *
 * Does what [method@Provider.open_stream_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_open_stream_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @spec: what stands at the other end
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Opens a byte stream to a program in the sandbox: to the guest the provider runs there, or else
 * to the program the spec names. %ASB_ERROR_COMMAND_NOT_FOUND if that is missing: the caller then
 * puts it there, or where the detail `guest_path` of the error info says, and tries again.
 * %ASB_ERROR_GUEST_UNAVAILABLE if it cannot run there.
 *
 * Since: 1.0
 */
void
asb_provider_open_stream_async (AsbProvider *self, const char *sandbox_id, AsbStreamSpec *spec,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  static const AsbCallKind kind = { "open a stream into the sandbox", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);
  g_return_if_fail (ASB_IS_STREAM_SPEC (spec));

  task = asb_call_begin (self, &kind, G_TYPE_IO_STREAM, cancellable, callback, user_data,
                         asb_provider_open_stream_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->open_stream)
    {
      ASB_PROVIDER_GET_IFACE (self)->open_stream (self, sandbox_id, spec, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "open_stream");
}

/**
 * asb_provider_open_stream_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.open_stream_async].
 *
 * Returns: (transfer full): the stream; both its ends should be pollable
 *
 * Since: 1.0
 */
GIOStream *
asb_provider_open_stream_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_open_stream:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @spec: what stands at the other end
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Opens a byte stream to a program in the sandbox: to the guest the provider runs there, or else
 * to the program the spec names. %ASB_ERROR_COMMAND_NOT_FOUND if that is missing: the caller then
 * puts it there and tries again. Blocks; see [method@Provider.open_stream_async].
 *
 * Returns: (transfer full): the stream; both its ends should be pollable
 *
 * Since: 1.0
 */
GIOStream *
asb_provider_open_stream (AsbProvider *self, const char *sandbox_id, AsbStreamSpec *spec,
                          GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);
  g_return_val_if_fail (ASB_IS_STREAM_SPEC (spec), NULL);

  asb_sync_begin (&sync);
  asb_provider_open_stream_async (self, sandbox_id, spec, cancellable, asb_sync_ready_cb, &sync);
  return asb_provider_open_stream_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::put_file:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @path: the absolute path inside
 * @contents: the contents
 * @mode: the permission bits, 0 to 07777
 * @task: to be answered with a boolean: whether it was done
 *
 * Does what [method@Provider.put_file_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_put_file_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @path: the absolute path inside
 * @contents: the contents
 * @mode: the permission bits, 0 to 07777
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Puts one file into the sandbox, making the directories on the way. It is how the guest gets
 * where the image does not have it.
 *
 * Since: 1.0
 */
void
asb_provider_put_file_async (AsbProvider *self, const char *sandbox_id, const char *path,
                             GBytes *contents, guint mode, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "put a file into the sandbox", 600, .is_deed = TRUE };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);
  g_return_if_fail (path != NULL && contents != NULL);

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_provider_put_file_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id)
      || asb_provider_text_is_none (task, "path of the file", path))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->put_file)
    {
      ASB_PROVIDER_GET_IFACE (self)->put_file (self, sandbox_id, path, contents, mode, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "put_file");
}

/**
 * asb_provider_put_file_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.put_file_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_provider_put_file_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_provider_put_file:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @path: the absolute path inside
 * @contents: the contents
 * @mode: the permission bits, 0 to 07777
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Puts one file into the sandbox, making the directories on the way. It is how the guest gets
 * where the image does not have it. Blocks; see [method@Provider.put_file_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_provider_put_file (AsbProvider *self, const char *sandbox_id, const char *path,
                       GBytes *contents, guint mode, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), FALSE);
  g_return_val_if_fail (sandbox_id != NULL, FALSE);
  g_return_val_if_fail (path != NULL && contents != NULL, FALSE);

  asb_sync_begin (&sync);
  asb_provider_put_file_async (self, sandbox_id, path, contents, mode, cancellable,
                               asb_sync_ready_cb, &sync);
  return asb_provider_put_file_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::open_transport:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @task: to be answered with an [iface@Transport]: the transport
 *
 * Does what [method@Provider.open_transport_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_open_transport_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Opens a transport of the provider's own, for sandboxes in which the guest cannot run.
 *
 * Since: 1.0
 */
void
asb_provider_open_transport_async (AsbProvider *self, const char *sandbox_id,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  static const AsbCallKind kind = { "open a transport into the sandbox", 120, discard_transport };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_TRANSPORT, cancellable, callback, user_data,
                         asb_provider_open_transport_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->open_transport)
    {
      ASB_PROVIDER_GET_IFACE (self)->open_transport (self, sandbox_id, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, ASB_PROVIDER_GET_IFACE (self)->open_stream
                                    ? "open_transport"
                                    : "open_stream” or “open_transport");
}

/**
 * asb_provider_open_transport_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.open_transport_async].
 *
 * Returns: (transfer full): the transport
 *
 * Since: 1.0
 */
AsbTransport *
asb_provider_open_transport_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_open_transport:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Opens a transport of the provider's own, for sandboxes in which the guest cannot run. Blocks;
 * see [method@Provider.open_transport_async].
 *
 * Returns: (transfer full): the transport
 *
 * Since: 1.0
 */
AsbTransport *
asb_provider_open_transport (AsbProvider *self, const char *sandbox_id, GCancellable *cancellable,
                             GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);

  asb_sync_begin (&sync);
  asb_provider_open_transport_async (self, sandbox_id, cancellable, asb_sync_ready_cb, &sync);
  return asb_provider_open_transport_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::diagnose:
 * @self: a [iface@Provider]
 * @task: to be answered with a [struct@GLib.Variant]: the findings, see [method@Provider.diagnose]
 *
 * Does what [method@Provider.diagnose_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_diagnose_async:
 * @self: a [iface@Provider]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Looks whether the provider can work where it is, and why not. It may make a sandbox for that,
 * which it deletes again. What does not work is no error of this call, but one of its findings.
 *
 * Since: 1.0
 */
void
asb_provider_diagnose_async (AsbProvider *self, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "diagnose the provider", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));

  task = asb_call_begin (self, &kind, G_TYPE_VARIANT, cancellable, callback, user_data,
                         asb_provider_diagnose_async);
  if (asb_call_is_cancelled (task))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->diagnose)
    {
      ASB_PROVIDER_GET_IFACE (self)->diagnose (self, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "diagnose");
}

/**
 * asb_provider_diagnose_finish:
 * @self: a [iface@Provider]
 * @result: what the callback was given
 * @error: return location for an error
 *
 * Ends what [method@Provider.diagnose_async] began.
 *
 * Returns: (transfer full): the findings, see [method@Provider.diagnose]
 *
 * Since: 1.0
 */
GVariant *
asb_provider_diagnose_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_variant (self, result, G_VARIANT_TYPE ("aa{sv}"),
                                  "Could not diagnose the provider: its answer", error);
}

/**
 * asb_provider_diagnose:
 * @self: a [iface@Provider]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Looks whether the provider can work where it is, and why not. Blocks; see
 * [method@Provider.diagnose_async].
 *
 * Each finding is a dictionary of strings: `name`, what was looked at; `state`, which is `ok`,
 * `warning` or `failure`; `message`, what was found; and `cure`, what helps, where there is
 * something. Nothing in it is secret.
 *
 * Returns: (transfer full): the findings, of type `aa{sv}`
 *
 * Since: 1.0
 */
GVariant *
asb_provider_diagnose (AsbProvider *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  asb_sync_begin (&sync);
  asb_provider_diagnose_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_provider_diagnose_finish (self, asb_sync_wait (&sync), error);
}
