/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-provider-private.h"

#include "asb-call-private.h"
#include "asb-error.h"
#include "asb-sync-private.h"

/* What else a provider may know or do: addresses, metadata, diagnostics, and what only it offers.
 */

static gboolean
is_no_port (GTask *task, guint port, gint64 expires)
{
  if (port >= 1 && port <= G_MAXUINT16 && expires >= 0)
    return FALSE;
  if (expires < 0)
    g_task_return_new_error (
        task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
        "An address cannot be good until %" G_GINT64_FORMAT " seconds since 1970", expires);
  else
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                             "There is no port %u: ports are 1 to 65535", port);
  g_object_unref (task);
  return TRUE;
}

/* For a value that scripts have put together. Answers @task. */
static gboolean
is_of_wrong_type (GTask *task, GVariant *value, const char *type)
{
  if (g_variant_is_of_type (value, G_VARIANT_TYPE (type)))
    return FALSE;
  g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "What is handed over must be of type “%s”, not “%s”", type,
                           g_variant_get_type_string (value));
  g_object_unref (task);
  return TRUE;
}

static GVariant *
ref_arguments (GVariant *arguments)
{
  GVariantDict nothing;

  if (arguments)
    return g_variant_ref_sink (arguments);
  g_variant_dict_init (&nothing, NULL);
  return g_variant_ref_sink (g_variant_dict_end (&nothing));
}

/**
 * AsbProviderInterface::get_endpoint:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @port: the port inside, 1 to 65535
 * @expires: when the address shall cease to be good, in seconds since 1970, where it is signed; 0
 * for one that is not signed
 * @task: to be answered with an [class@Endpoint]: the address
 *
 * Does what [method@Provider.get_endpoint_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_get_endpoint_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @port: the port inside, 1 to 65535
 * @expires: when the address shall cease to be good, in seconds since 1970, where it is signed; 0
 * for one that is not signed
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks where a port of the sandbox can be reached from outside. Whether something listens there is
 * not looked at.
 *
 * Since: 1.0
 */
void
asb_provider_get_endpoint_async (AsbProvider *self, const char *sandbox_id, guint port,
                                 gint64 expires, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "get the endpoint of the sandbox", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_ENDPOINT, cancellable, callback, user_data,
                         asb_provider_get_endpoint_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id)
      || is_no_port (task, port, expires))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->get_endpoint)
    {
      ASB_PROVIDER_GET_IFACE (self)->get_endpoint (self, sandbox_id, port, expires, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "get_endpoint");
}

/**
 * asb_provider_get_endpoint_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.get_endpoint_async].
 *
 * Returns: (transfer full): the address
 *
 * Since: 1.0
 */
AsbEndpoint *
asb_provider_get_endpoint_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_get_endpoint:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @port: the port inside, 1 to 65535
 * @expires: when the address shall cease to be good, in seconds since 1970, where it is signed; 0
 * for one that is not signed
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks where a port of the sandbox can be reached from outside. Whether something listens there is
 * not looked at. Blocks; see [method@Provider.get_endpoint_async].
 *
 * Returns: (transfer full): the address
 *
 * Since: 1.0
 */
AsbEndpoint *
asb_provider_get_endpoint (AsbProvider *self, const char *sandbox_id, guint port, gint64 expires,
                           GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);

  asb_sync_begin (&sync);
  asb_provider_get_endpoint_async (self, sandbox_id, port, expires, cancellable, asb_sync_ready_cb,
                                   &sync);
  return asb_provider_get_endpoint_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::patch_metadata:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @changes: names and their new values, an `a{sms}`; nothing takes a name away
 * @task: to be answered with an [class@SandboxInfo]: what the provider knows of it now
 *
 * Does what [method@Provider.patch_metadata_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_patch_metadata_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @changes: names and their new values, an `a{sms}`; nothing takes a name away
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Changes the metadata of the sandbox. Names that are not mentioned stay as they are.
 *
 * Since: 1.0
 */
void
asb_provider_patch_metadata_async (AsbProvider *self, const char *sandbox_id, GVariant *changes,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  static const AsbCallKind kind
      = { "change the metadata of the sandbox", 120, .check = asb_provider_check_info };
  g_autoptr (GVariant) sunk = changes ? g_variant_ref_sink (changes) : NULL;
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);
  g_return_if_fail (changes != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_SANDBOX_INFO, cancellable, callback, user_data,
                         asb_provider_patch_metadata_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id)
      || is_of_wrong_type (task, changes, "a{sms}"))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->patch_metadata)
    {
      ASB_PROVIDER_GET_IFACE (self)->patch_metadata (self, sandbox_id, changes, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "patch_metadata");
}

/**
 * asb_provider_patch_metadata_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.patch_metadata_async].
 *
 * Returns: (transfer full): what the provider knows of it now
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_provider_patch_metadata_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_patch_metadata:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @changes: names and their new values, an `a{sms}`; nothing takes a name away
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Changes the metadata of the sandbox. Names that are not mentioned stay as they are. Blocks; see
 * [method@Provider.patch_metadata_async].
 *
 * Returns: (transfer full): what the provider knows of it now
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_provider_patch_metadata (AsbProvider *self, const char *sandbox_id, GVariant *changes,
                             GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);
  g_return_val_if_fail (changes != NULL, NULL);

  asb_sync_begin (&sync);
  asb_provider_patch_metadata_async (self, sandbox_id, changes, cancellable, asb_sync_ready_cb,
                                     &sync);
  return asb_provider_patch_metadata_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::get_diagnostics:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @kind: what to tell: `logs`, `events`, `inspect`, `summary`, or what else the provider knows
 * @scope: (nullable): the part to tell of; %NULL for all
 * @task: to be answered with an [class@Diagnostics]: the text
 *
 * Does what [method@Provider.get_diagnostics_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_get_diagnostics_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @kind: what to tell: `logs`, `events`, `inspect`, `summary`, or what else the provider knows
 * @scope: (nullable): the part to tell of; %NULL for all
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks what the provider knows of a sandbox that people have to look after.
 *
 * Since: 1.0
 */
void
asb_provider_get_diagnostics_async (AsbProvider *self, const char *sandbox_id, const char *kind,
                                    const char *scope, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind call_kind = { "get diagnostics of the sandbox", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);
  g_return_if_fail (kind != NULL);

  task = asb_call_begin (self, &call_kind, ASB_TYPE_DIAGNOSTICS, cancellable, callback, user_data,
                         asb_provider_get_diagnostics_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id)
      || asb_provider_text_is_none (task, "kind of diagnostics", kind)
      || asb_provider_text_is_none (task, "scope of diagnostics", scope))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->get_diagnostics)
    {
      ASB_PROVIDER_GET_IFACE (self)->get_diagnostics (self, sandbox_id, kind, scope, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "get_diagnostics");
}

/**
 * asb_provider_get_diagnostics_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.get_diagnostics_async].
 *
 * Returns: (transfer full): the text
 *
 * Since: 1.0
 */
AsbDiagnostics *
asb_provider_get_diagnostics_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_get_diagnostics:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @kind: what to tell: `logs`, `events`, `inspect`, `summary`, or what else the provider knows
 * @scope: (nullable): the part to tell of; %NULL for all
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks what the provider knows of a sandbox that people have to look after. Blocks; see
 * [method@Provider.get_diagnostics_async].
 *
 * Returns: (transfer full): the text
 *
 * Since: 1.0
 */
AsbDiagnostics *
asb_provider_get_diagnostics (AsbProvider *self, const char *sandbox_id, const char *kind,
                              const char *scope, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);
  g_return_val_if_fail (kind != NULL, NULL);

  asb_sync_begin (&sync);
  asb_provider_get_diagnostics_async (self, sandbox_id, kind, scope, cancellable, asb_sync_ready_cb,
                                      &sync);
  return asb_provider_get_diagnostics_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::call_service:
 * @self: a [iface@Provider]
 * @sandbox_id: (nullable): the id of the sandbox; %NULL for what is about none
 * @name: the name of the function
 * @arguments: (nullable): what it is given, an `a{sv}`; %NULL for nothing
 * @task: to be answered with a [struct@GLib.Variant]: what it answers, an `a{sv}`
 *
 * Does what [method@Provider.call_service_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_call_service_async:
 * @self: a [iface@Provider]
 * @sandbox_id: (nullable): the id of the sandbox; %NULL for what is about none
 * @name: the name of the function
 * @arguments: (nullable): what it is given, an `a{sv}`; %NULL for nothing
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Calls what only this provider offers; its documentation names the functions.
 * %ASB_ERROR_UNSUPPORTED_CAPABILITY for one it does not know.
 *
 * Since: 1.0
 */
void
asb_provider_call_service_async (AsbProvider *self, const char *sandbox_id, const char *name,
                                 GVariant *arguments, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "call a service of the provider", 120, NULL };
  g_autoptr (GVariant) sunk = ref_arguments (arguments);
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (name != NULL);

  task = asb_call_begin (self, &kind, G_TYPE_VARIANT, cancellable, callback, user_data,
                         asb_provider_call_service_async);
  if (asb_call_is_cancelled (task)
      || (sandbox_id && asb_provider_id_is_unknown (task, "sandbox", sandbox_id))
      || asb_provider_text_is_none (task, "name of the service", name)
      || is_of_wrong_type (task, sunk, "a{sv}"))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->call_service)
    {
      ASB_PROVIDER_GET_IFACE (self)->call_service (self, sandbox_id, name, sunk, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "call_service");
}

/**
 * asb_provider_call_service_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.call_service_async].
 *
 * Returns: (transfer full): what it answers, an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
asb_provider_call_service_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_variant (self, result, G_VARIANT_TYPE_VARDICT,
                                  "Could not call a service of the provider: its answer", error);
}

/**
 * asb_provider_call_service:
 * @self: a [iface@Provider]
 * @sandbox_id: (nullable): the id of the sandbox; %NULL for what is about none
 * @name: the name of the function
 * @arguments: (nullable): what it is given, an `a{sv}`; %NULL for nothing
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Calls what only this provider offers; its documentation names the functions.
 * %ASB_ERROR_UNSUPPORTED_CAPABILITY for one it does not know. Blocks; see
 * [method@Provider.call_service_async].
 *
 * Returns: (transfer full): what it answers, an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
asb_provider_call_service (AsbProvider *self, const char *sandbox_id, const char *name,
                           GVariant *arguments, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  asb_sync_begin (&sync);
  asb_provider_call_service_async (self, sandbox_id, name, arguments, cancellable,
                                   asb_sync_ready_cb, &sync);
  return asb_provider_call_service_finish (self, asb_sync_wait (&sync), error);
}
