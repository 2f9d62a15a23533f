/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-call-private.h"
#include "asb-enum-types.h"
#include "asb-run-private.h"
#include "asb-sync-private.h"

/* What else the provider of a backend knows of the sandbox, and does with it. */

/* What an operation is given, until the provider is asked. */
typedef struct
{
  char *text;
  char *scope;
  GVariant *variant;
  guint port;
  gint64 number;
} Arguments;

static void
arguments_free (gpointer data)
{
  Arguments *arguments = data;

  g_free (arguments->text);
  g_free (arguments->scope);
  g_clear_pointer (&arguments->variant, g_variant_unref);
  g_free (arguments);
}

/* For the record. */

static GVariant *
describe_name (const char *name)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "name", asb_run_describe_text (name));
  return g_variant_dict_end (&dict);
}

static GVariant *
describe_port (guint port, gint64 expires)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "port", "x", (gint64)port);
  if (expires > 0)
    g_variant_dict_insert (&dict, "expires", "x", expires);
  return g_variant_dict_end (&dict);
}

static GVariant *
describe_scope (const char *kind, const char *scope)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "kind", asb_run_describe_text (kind));
  g_variant_dict_insert_value (&dict, "scope", asb_run_describe_text (scope));
  return g_variant_dict_end (&dict);
}

/* What is of another type is refused before it is recorded as done. */
static GVariant *
describe_changes (GVariant *changes)
{
  GVariantDict dict, values;
  GVariantIter iter;
  const char *name, *value;

  g_variant_dict_init (&dict, NULL);
  if (!g_variant_is_of_type (changes, G_VARIANT_TYPE ("a{sms}")))
    return g_variant_dict_end (&dict);
  g_variant_dict_init (&values, NULL);
  g_variant_iter_init (&iter, changes);
  while (g_variant_iter_next (&iter, "{&sm&s}", &name, &value))
    g_variant_dict_insert_value (&values, name, asb_run_describe_text (value));
  g_variant_dict_insert_value (&dict, "changes", g_variant_dict_end (&values));
  return g_variant_dict_end (&dict);
}

static GVariant *
describe_snapshot (gpointer snapshot)
{
  g_autoptr (GEnumClass) enum_class = g_type_class_ref (ASB_TYPE_SNAPSHOT_STATE);
  GEnumValue *state = g_enum_get_value (enum_class, (int)asb_snapshot_get_state (snapshot));
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "snapshot_id",
                               asb_run_describe_text (asb_snapshot_get_id (snapshot)));
  g_variant_dict_insert_value (&dict, "state",
                               asb_run_describe_text (state ? state->value_nick : NULL));
  return g_variant_dict_end (&dict);
}

static GVariant *
describe_metrics (gpointer metrics)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "cpu_percent", "d", asb_sandbox_metrics_get_cpu_percent (metrics));
  g_variant_dict_insert (
      &dict, "memory_used", "x",
      (gint64)MIN (asb_sandbox_metrics_get_memory_used (metrics), (guint64)G_MAXINT64));
  return g_variant_dict_end (&dict);
}

static void
perform_get_endpoint (AsbRun *run)
{
  const Arguments *arguments = g_task_get_task_data (run->task);

  asb_provider_get_endpoint_async (run->backend->provider, ASB_BACKEND_SANDBOX_ID (run->backend),
                                   arguments->port, arguments->number,
                                   g_task_get_cancellable (run->task), asb_run_answer_cb, run);
}

/**
 * asb_backend_get_endpoint_async:
 * @self: a [class@Backend]
 * @port: the port inside, 1 to 65535
 * @expires: when the address shall cease to be good, in seconds since 1970, where it is signed; 0
 * for one that is not signed
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks where a port of the sandbox can be reached from outside. Whether something listens there is
 * not looked at. The address is not recorded: it may hold a secret.
 * %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider cannot.
 *
 * Since: 1.0
 */
void
asb_backend_get_endpoint_async (AsbBackend *self, guint port, gint64 expires,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  static const AsbCallKind kind = { "get the endpoint", 0, NULL };
  AsbRunRecord record = { .operation_type = "sandbox.get_endpoint" };
  GTask *task;
  Arguments *arguments;

  g_return_if_fail (ASB_IS_BACKEND (self));

  task = asb_call_begin (self, &kind, ASB_TYPE_ENDPOINT, cancellable, callback, user_data,
                         asb_backend_get_endpoint_async);
  arguments = g_new0 (Arguments, 1);
  arguments->port = port;
  arguments->number = expires;
  g_task_set_task_data (task, arguments, arguments_free);
  record.request = describe_port (port, expires);
  asb_run_begin (self, task, &record, NULL, perform_get_endpoint);
}

/**
 * asb_backend_get_endpoint_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.get_endpoint_async].
 *
 * Returns: (transfer full): the address
 *
 * Since: 1.0
 */
AsbEndpoint *
asb_backend_get_endpoint_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_get_endpoint:
 * @self: a [class@Backend]
 * @port: the port inside, 1 to 65535
 * @expires: when the address shall cease to be good, in seconds since 1970, where it is signed; 0
 * for one that is not signed
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks where a port of the sandbox can be reached from outside. Whether something listens there is
 * not looked at. The address is not recorded: it may hold a secret.
 * %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider cannot. Blocks; see
 * [method@Backend.get_endpoint_async].
 *
 * Returns: (transfer full): the address
 *
 * Since: 1.0
 */
AsbEndpoint *
asb_backend_get_endpoint (AsbBackend *self, guint port, gint64 expires, GCancellable *cancellable,
                          GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  asb_sync_begin (&sync);
  asb_backend_get_endpoint_async (self, port, expires, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_get_endpoint_finish (self, asb_sync_wait (&sync), error);
}

static void
perform_patch_metadata (AsbRun *run)
{
  const Arguments *arguments = g_task_get_task_data (run->task);

  asb_provider_patch_metadata_async (run->backend->provider, ASB_BACKEND_SANDBOX_ID (run->backend),
                                     arguments->variant, g_task_get_cancellable (run->task),
                                     asb_run_answer_cb, run);
}

/**
 * asb_backend_patch_metadata_async:
 * @self: a [class@Backend]
 * @changes: names and their new values, an `a{sms}`; nothing takes a name away
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Changes the metadata of the sandbox. Names that are not mentioned stay as they are.
 * %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider cannot.
 *
 * Since: 1.0
 */
void
asb_backend_patch_metadata_async (AsbBackend *self, GVariant *changes, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "change the metadata", 0, NULL };
  AsbRunRecord record = { .operation_type = "sandbox.patch_metadata" };
  GTask *task;
  Arguments *arguments;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (changes != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_SANDBOX_INFO, cancellable, callback, user_data,
                         asb_backend_patch_metadata_async);
  arguments = g_new0 (Arguments, 1);
  arguments->variant = g_variant_ref_sink (changes);
  g_task_set_task_data (task, arguments, arguments_free);
  record.request = describe_changes (changes);
  asb_run_begin (self, task, &record, NULL, perform_patch_metadata);
}

/**
 * asb_backend_patch_metadata_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.patch_metadata_async].
 *
 * Returns: (transfer full): what the provider knows of it now
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_backend_patch_metadata_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_patch_metadata:
 * @self: a [class@Backend]
 * @changes: names and their new values, an `a{sms}`; nothing takes a name away
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Changes the metadata of the sandbox. Names that are not mentioned stay as they are.
 * %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider cannot. Blocks; see
 * [method@Backend.patch_metadata_async].
 *
 * Returns: (transfer full): what the provider knows of it now
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_backend_patch_metadata (AsbBackend *self, GVariant *changes, GCancellable *cancellable,
                            GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (changes != NULL, NULL);

  asb_sync_begin (&sync);
  asb_backend_patch_metadata_async (self, changes, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_patch_metadata_finish (self, asb_sync_wait (&sync), error);
}

static void
create_snapshot_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  asb_run_answer (user_data, source, result, describe_snapshot);
}

static void
perform_create_snapshot (AsbRun *run)
{
  const Arguments *arguments = g_task_get_task_data (run->task);

  asb_provider_create_snapshot_async (run->backend->provider, ASB_BACKEND_SANDBOX_ID (run->backend),
                                      arguments->text, g_task_get_cancellable (run->task),
                                      create_snapshot_cb, run);
}

/**
 * asb_backend_create_snapshot_async:
 * @self: a [class@Backend]
 * @name: (nullable): a name for people; %NULL for none
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Begins to make a snapshot of the files of the sandbox. It is ready when its state says so: ask
 * [method@Provider.get_snapshot_async]. Sandboxes are made from it by
 * [property@BackendOptions:snapshot-id]. %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider
 * cannot.
 *
 * Since: 1.0
 */
void
asb_backend_create_snapshot_async (AsbBackend *self, const char *name, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "create a snapshot", 0, NULL };
  AsbRunRecord record = { .operation_type = "sandbox.create_snapshot" };
  GTask *task;
  Arguments *arguments;

  g_return_if_fail (ASB_IS_BACKEND (self));

  task = asb_call_begin (self, &kind, ASB_TYPE_SNAPSHOT, cancellable, callback, user_data,
                         asb_backend_create_snapshot_async);
  arguments = g_new0 (Arguments, 1);
  arguments->text = g_strdup (name);
  g_task_set_task_data (task, arguments, arguments_free);
  record.request = describe_name (name);
  asb_run_begin (self, task, &record, NULL, perform_create_snapshot);
}

/**
 * asb_backend_create_snapshot_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.create_snapshot_async].
 *
 * Returns: (transfer full): what the provider knows of the snapshot
 *
 * Since: 1.0
 */
AsbSnapshot *
asb_backend_create_snapshot_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_create_snapshot:
 * @self: a [class@Backend]
 * @name: (nullable): a name for people; %NULL for none
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Begins to make a snapshot of the files of the sandbox. It is ready when its state says so: ask
 * [method@Provider.get_snapshot_async]. Sandboxes are made from it by
 * [property@BackendOptions:snapshot-id]. %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider
 * cannot. Blocks; see [method@Backend.create_snapshot_async].
 *
 * Returns: (transfer full): what the provider knows of the snapshot
 *
 * Since: 1.0
 */
AsbSnapshot *
asb_backend_create_snapshot (AsbBackend *self, const char *name, GCancellable *cancellable,
                             GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  asb_sync_begin (&sync);
  asb_backend_create_snapshot_async (self, name, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_create_snapshot_finish (self, asb_sync_wait (&sync), error);
}

static void
get_metrics_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  asb_run_answer (user_data, source, result, describe_metrics);
}

static void
perform_get_metrics (AsbRun *run)
{
  asb_provider_get_metrics_async (run->backend->provider, ASB_BACKEND_SANDBOX_ID (run->backend),
                                  g_task_get_cancellable (run->task), get_metrics_cb, run);
}

/**
 * asb_backend_get_metrics_async:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks what the sandbox takes of the host. %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider
 * cannot.
 *
 * Since: 1.0
 */
void
asb_backend_get_metrics_async (AsbBackend *self, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "get the metrics", 0, NULL };
  AsbRunRecord record = { .operation_type = "sandbox.get_metrics" };
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));

  task = asb_call_begin (self, &kind, ASB_TYPE_SANDBOX_METRICS, cancellable, callback, user_data,
                         asb_backend_get_metrics_async);
  asb_run_begin (self, task, &record, NULL, perform_get_metrics);
}

/**
 * asb_backend_get_metrics_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.get_metrics_async].
 *
 * Returns: (transfer full): what it takes now
 *
 * Since: 1.0
 */
AsbSandboxMetrics *
asb_backend_get_metrics_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_get_metrics:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks what the sandbox takes of the host. %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider
 * cannot. Blocks; see [method@Backend.get_metrics_async].
 *
 * Returns: (transfer full): what it takes now
 *
 * Since: 1.0
 */
AsbSandboxMetrics *
asb_backend_get_metrics (AsbBackend *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  asb_sync_begin (&sync);
  asb_backend_get_metrics_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_get_metrics_finish (self, asb_sync_wait (&sync), error);
}

static void
watch_metrics_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  /* Which says where the signals are to come. */
  AsbMetricsWatch *watch
      = asb_provider_watch_metrics_finish (ASB_PROVIDER (source), result, &error);

  if (watch)
    asb_run_return_object (run, watch, NULL);
  else
    asb_run_return_error (run, error);
}

static void
perform_watch_metrics (AsbRun *run)
{
  asb_provider_watch_metrics_async (run->backend->provider, ASB_BACKEND_SANDBOX_ID (run->backend),
                                    g_task_get_cancellable (run->task), watch_metrics_cb, run);
}

/**
 * asb_backend_watch_metrics_async:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Begins to tell what the sandbox takes of the host, as often as the provider does. The signals of
 * the watch come in the thread-default main context of this call; connect to them before that runs
 * again. As other looking, it is not recorded. %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider
 * cannot.
 *
 * Since: 1.0
 */
void
asb_backend_watch_metrics_async (AsbBackend *self, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "watch the metrics", 0, NULL };
  AsbRunRecord record = { NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));

  task = asb_call_begin (self, &kind, ASB_TYPE_METRICS_WATCH, cancellable, callback, user_data,
                         asb_backend_watch_metrics_async);
  asb_run_begin (self, task, &record, NULL, perform_watch_metrics);
}

/**
 * asb_backend_watch_metrics_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.watch_metrics_async].
 *
 * Returns: (transfer full): the watch
 *
 * Since: 1.0
 */
AsbMetricsWatch *
asb_backend_watch_metrics_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_watch_metrics:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Begins to tell what the sandbox takes of the host, as often as the provider does. The signals of
 * the watch come in the thread-default main context of this call; connect to them before that runs
 * again. As other looking, it is not recorded. %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider
 * cannot. Blocks; see [method@Backend.watch_metrics_async].
 *
 * Returns: (transfer full): the watch
 *
 * Since: 1.0
 */
AsbMetricsWatch *
asb_backend_watch_metrics (AsbBackend *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  asb_sync_begin (&sync);
  asb_backend_watch_metrics_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_watch_metrics_finish (self, asb_sync_wait (&sync), error);
}

static void
perform_get_diagnostics (AsbRun *run)
{
  const Arguments *arguments = g_task_get_task_data (run->task);

  asb_provider_get_diagnostics_async (run->backend->provider, ASB_BACKEND_SANDBOX_ID (run->backend),
                                      arguments->text, arguments->scope,
                                      g_task_get_cancellable (run->task), asb_run_answer_cb, run);
}

/**
 * asb_backend_get_diagnostics_async:
 * @self: a [class@Backend]
 * @kind: what to tell: `logs`, `events`, `inspect`, `summary`, or what else the provider knows
 * @scope: (nullable): the part to tell of; %NULL for all
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks what the provider knows of the sandbox, for people who look after it.
 * %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider cannot.
 *
 * Since: 1.0
 */
void
asb_backend_get_diagnostics_async (AsbBackend *self, const char *kind, const char *scope,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data)
{
  static const AsbCallKind call_kind = { "get diagnostics", 0, NULL };
  AsbRunRecord record = { .operation_type = "sandbox.get_diagnostics" };
  GTask *task;
  Arguments *arguments;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (kind != NULL);

  task = asb_call_begin (self, &call_kind, ASB_TYPE_DIAGNOSTICS, cancellable, callback, user_data,
                         asb_backend_get_diagnostics_async);
  arguments = g_new0 (Arguments, 1);
  arguments->text = g_strdup (kind);
  arguments->scope = g_strdup (scope);
  g_task_set_task_data (task, arguments, arguments_free);
  record.request = describe_scope (kind, scope);
  asb_run_begin (self, task, &record, NULL, perform_get_diagnostics);
}

/**
 * asb_backend_get_diagnostics_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.get_diagnostics_async].
 *
 * Returns: (transfer full): the text
 *
 * Since: 1.0
 */
AsbDiagnostics *
asb_backend_get_diagnostics_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_get_diagnostics:
 * @self: a [class@Backend]
 * @kind: what to tell: `logs`, `events`, `inspect`, `summary`, or what else the provider knows
 * @scope: (nullable): the part to tell of; %NULL for all
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks what the provider knows of the sandbox, for people who look after it.
 * %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider cannot. Blocks; see
 * [method@Backend.get_diagnostics_async].
 *
 * Returns: (transfer full): the text
 *
 * Since: 1.0
 */
AsbDiagnostics *
asb_backend_get_diagnostics (AsbBackend *self, const char *kind, const char *scope,
                             GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (kind != NULL, NULL);

  asb_sync_begin (&sync);
  asb_backend_get_diagnostics_async (self, kind, scope, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_get_diagnostics_finish (self, asb_sync_wait (&sync), error);
}

static void
call_service_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;
  GVariant *answer = asb_provider_call_service_finish (ASB_PROVIDER (source), result, &error);

  if (answer)
    asb_run_return_variant (user_data, answer, NULL);
  else
    asb_run_return_error (user_data, error);
}

static void
perform_call_service (AsbRun *run)
{
  const Arguments *arguments = g_task_get_task_data (run->task);

  asb_provider_call_service_async (run->backend->provider, ASB_BACKEND_SANDBOX_ID (run->backend),
                                   arguments->text, arguments->variant,
                                   g_task_get_cancellable (run->task), call_service_cb, run);
}

/**
 * asb_backend_call_service_async:
 * @self: a [class@Backend]
 * @name: the name of the function
 * @arguments: (nullable): what it is given, an `a{sv}`; %NULL for nothing
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Calls what only the provider of this sandbox offers; its documentation names the functions. Only
 * the name is recorded: what is given and answered may be secret. %ASB_ERROR_UNSUPPORTED_CAPABILITY
 * where the provider cannot.
 *
 * Since: 1.0
 */
void
asb_backend_call_service_async (AsbBackend *self, const char *name, GVariant *arguments,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  static const AsbCallKind kind = { "call a service of the provider", 0, NULL };
  AsbRunRecord record = { .operation_type = "sandbox.call_service" };
  GTask *task;
  Arguments *kept;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (name != NULL);

  task = asb_call_begin (self, &kind, G_TYPE_VARIANT, cancellable, callback, user_data,
                         asb_backend_call_service_async);
  kept = g_new0 (Arguments, 1);
  kept->text = g_strdup (name);
  kept->variant = arguments ? g_variant_ref_sink (arguments) : NULL;
  g_task_set_task_data (task, kept, arguments_free);
  record.request = describe_name (name);
  asb_run_begin (self, task, &record, NULL, perform_call_service);
}

/**
 * asb_backend_call_service_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.call_service_async].
 *
 * Returns: (transfer full): what it answers, an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
asb_backend_call_service_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_call_service:
 * @self: a [class@Backend]
 * @name: the name of the function
 * @arguments: (nullable): what it is given, an `a{sv}`; %NULL for nothing
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Calls what only the provider of this sandbox offers; its documentation names the functions. Only
 * the name is recorded: what is given and answered may be secret. %ASB_ERROR_UNSUPPORTED_CAPABILITY
 * where the provider cannot. Blocks; see [method@Backend.call_service_async].
 *
 * Returns: (transfer full): what it answers, an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
asb_backend_call_service (AsbBackend *self, const char *name, GVariant *arguments,
                          GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  asb_sync_begin (&sync);
  asb_backend_call_service_async (self, name, arguments, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_call_service_finish (self, asb_sync_wait (&sync), error);
}
