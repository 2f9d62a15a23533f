/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-options-private.h"
#include "asb-backend-pause-private.h"
#include "asb-backend-private.h"
#include "asb-call-private.h"
#include "asb-create-match-private.h"
#include "asb-create-readiness-private.h"
#include "asb-create-spec-private.h"
#include "asb-create-uploads-private.h"
#include "asb-enum-types.h"
#include "asb-error-private.h"
#include "asb-guest-placement-private.h"
#include "asb-guest-program-private.h"
#include "asb-sync-private.h"

/* Everything made on the way. What is still here when a step fails is undone. */
typedef struct
{
  AsbBackendOptions *options;
  AsbProvider *provider;
  AsbSandboxRef *ref;
  AsbSandboxState state;
  gboolean created;
  gint64 occurred_at;
  gint64 began_at; /* the same, monotonic */
  AsbKeepAlivePlan plan;
  GDateTime *expires_at;
  AsbTransport *transport;
  gboolean guest_is_placed;
  char *no_guest;
  char *no_history;
  AsbHistoryStore *store;
  gboolean owns_store;
  gboolean store_was_opened;
  GError *store_error;
  gboolean workdir_is_pending;
  gboolean waits_for_workdir;
  GError *workdir_error;
  AsbRecorder *recorder;
  AsbWorkRules *rules;
  guint n_attempts;
  GError *error;
} AsbCreation;

static void
creation_free (gpointer data)
{
  AsbCreation *creation = data;

  g_clear_object (&creation->options);
  g_clear_object (&creation->provider);
  g_clear_object (&creation->ref);
  g_clear_pointer (&creation->expires_at, g_date_time_unref);
  g_clear_object (&creation->transport);
  g_clear_pointer (&creation->no_guest, g_free);
  g_clear_pointer (&creation->no_history, g_free);
  g_clear_object (&creation->store);
  g_clear_object (&creation->recorder);
  g_clear_pointer (&creation->rules, asb_work_rules_free);
  g_clear_error (&creation->store_error);
  g_clear_error (&creation->workdir_error);
  g_clear_error (&creation->error);
  g_free (creation);
}

static gboolean
is_create (AsbCreation *creation)
{
  return asb_backend_options_get_mode (creation->options) == ASB_BACKEND_MODE_CREATE;
}

/* Undoing. Each step takes @task. */

static void
undone_sandbox_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  AsbCreation *creation = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;

  if (!asb_provider_delete_sandbox_finish (ASB_PROVIDER (source), result, &error)
      && !g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND))
    g_prefix_error (&creation->error,
                    "Sandbox “%s” is left behind, since it could not be deleted (%s): ",
                    asb_sandbox_ref_get_sandbox_id (creation->ref), error->message);
  g_task_return_error (task, g_steal_pointer (&creation->error));
}

static void
undo_sandbox (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);

  if (creation->created)
    {
      asb_provider_delete_sandbox_async (creation->provider,
                                         asb_sandbox_ref_get_sandbox_id (creation->ref), NULL,
                                         undone_sandbox_cb, task);
      return;
    }
  g_task_return_error (task, g_steal_pointer (&creation->error));
  g_object_unref (task);
}

static void
undone_transport_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  if (!asb_transport_close_finish (ASB_TRANSPORT (source), result, &error))
    g_debug ("The transport did not close in order: %s", error->message);
  undo_sandbox (user_data);
}

static void
undo_transport (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);

  if (creation->transport)
    asb_transport_close_async (creation->transport, NULL, undone_transport_cb, task);
  else
    undo_sandbox (task);
}

static void
undone_store_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  if (!asb_history_store_close_finish (ASB_HISTORY_STORE (source), result, &error))
    g_debug ("The history store did not close in order: %s", error->message);
  undo_transport (user_data);
}

/* What the error of one step does not know. */
static void
complete_error (AsbCreation *creation, GError *error)
{
  AsbErrorInfo *info = asb_error_own_info (error);
  AsbSandboxRef *ref
      = creation->ref ? creation->ref : asb_backend_options_get_ref (creation->options);
  g_autofree char *name = asb_provider_dup_name (creation->provider);
  g_autofree char *key = asb_provider_dup_key (creation->provider);

  if (!info)
    return;
  g_object_set (info, "operation", is_create (creation) ? "sandbox.create" : "sandbox.connect",
                "provider-name", name, "provider-key", key, NULL);
  if (ref && !asb_error_info_get_sandbox_id (info))
    g_object_set (info, "sandbox-id", asb_sandbox_ref_get_sandbox_id (ref), "sandbox-instance-id",
                  asb_sandbox_ref_get_sandbox_instance_id (ref), NULL);
}

/* Takes @error. */
static void
fail (GTask *task, GError *error)
{
  AsbCreation *creation = g_task_get_task_data (task);

  complete_error (creation, error);
  creation->error = error;
  if (creation->store && creation->owns_store && creation->store_was_opened)
    asb_history_store_close_async (creation->store, NULL, undone_store_cb, task);
  else
    undo_transport (task);
}

/* What made the task fail between two steps: a cancellation. */
static gboolean
fail_if_cancelled (GTask *task)
{
  GError *error = NULL;

  if (!g_cancellable_set_error_if_cancelled (g_task_get_cancellable (task), &error))
    return FALSE;
  fail (task, error);
  return TRUE;
}

/* The last step: the backend. */

static AsbCommandResultConfig *
dup_result_config (AsbBackendOptions *options)
{
  AsbCommandResultConfig *given = asb_backend_options_get_command_result_config (options);
  AsbCommandResultConfig *config = asb_command_result_config_new ();

  if (given)
    g_object_set (config, "max-stdout-bytes",
                  asb_command_result_config_get_max_stdout_bytes (given), "max-stderr-bytes",
                  asb_command_result_config_get_max_stderr_bytes (given), "preserve-tail-bytes",
                  asb_command_result_config_get_preserve_tail_bytes (given), NULL);
  return config;
}

static AsbHistoryConfig *
dup_history_config (AsbBackendOptions *options)
{
  AsbHistoryConfig *given = asb_backend_options_get_history (options);

  return given ? g_object_ref (given) : asb_history_config_new ();
}

static void
finish (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  AsbBackendOptions *options = creation->options;
  AsbClosure *coordinator = asb_backend_options_get_close_coordinator (options);
  AsbBackend *backend;

  if (fail_if_cancelled (task))
    return;
  backend = g_object_new (ASB_TYPE_BACKEND, NULL);
  backend->provider = g_steal_pointer (&creation->provider);
  backend->transport = g_steal_pointer (&creation->transport);
  backend->guest_is_placed = creation->guest_is_placed;
  backend->no_guest = g_steal_pointer (&creation->no_guest);
  backend->no_history = g_steal_pointer (&creation->no_history);
  backend->reconnect_seconds = asb_backend_options_get_reconnect_seconds (options);
  backend->store = g_steal_pointer (&creation->store);
  backend->history_config = dup_history_config (options);
  backend->owns_store = creation->owns_store;
  backend->recorder = g_steal_pointer (&creation->recorder);
  backend->ref = g_steal_pointer (&creation->ref);
  backend->created = creation->created;
  backend->keep_alive
      = asb_keep_alive_new (backend->provider, ASB_BACKEND_SANDBOX_ID (backend), &creation->plan,
                            creation->began_at, creation->created, creation->expires_at);
  backend->cleanup = asb_backend_options_get_cleanup (options);
  backend->cleanup_ttl_seconds = asb_backend_options_get_cleanup_ttl_seconds (options);
  backend->workdir = g_strdup (asb_backend_options_get_workdir (options));
  backend->result_config = dup_result_config (options);
  g_clear_pointer (&backend->rules, asb_work_rules_free);
  backend->rules = g_steal_pointer (&creation->rules);
  backend->drain_timeout_ms = asb_work_rules_get_drain_ms (backend->rules);
  g_clear_pointer (&backend->upload_targets, asb_upload_targets_unref);
  backend->upload_targets
      = asb_upload_targets_new (asb_work_rules_get_upload_seconds (backend->rules));
  backend->close_coordinator = coordinator ? asb_closure_ref (coordinator) : NULL;
  asb_backend_watch_pauses (backend, backend->transport);
  asb_create_uploads (backend, options, task);
}

static void
finish_with_workdir (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);

  if (!creation->workdir_error)
    {
      finish (task);
      return;
    }
  g_prefix_error (&creation->workdir_error, "Could not make the working directory: ");
  fail (task, g_steal_pointer (&creation->workdir_error));
}

static void
workdir_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbCreation *creation = g_task_get_task_data (task);

  asb_transport_make_directory_finish (ASB_TRANSPORT (source), result, &creation->workdir_error);
  creation->workdir_is_pending = FALSE;
  if (creation->waits_for_workdir)
    finish_with_workdir (task);
}

/* The guest makes it while its historian begins the record. */
static void
begin_workdir (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  g_autoptr (AsbFileRequest) request = NULL;

  if (!creation->created)
    return;
  request = asb_file_request_new_for_path (asb_backend_options_get_workdir (creation->options));
  creation->workdir_is_pending = TRUE;
  asb_transport_make_directory_async (creation->transport, request, g_task_get_cancellable (task),
                                      workdir_cb, g_object_ref (task));
}

static void
await_workdir (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);

  if (creation->workdir_is_pending)
    creation->waits_for_workdir = TRUE;
  else
    finish_with_workdir (task);
}

/* The record of how the sandbox came about, which began before there was a store. */

static void
imported_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  GError *error = NULL;

  if (!asb_recorder_import_finish (ASB_RECORDER (source), result, &error)
      && asb_recorder_get_strict (ASB_RECORDER (source)))
    {
      fail (task, error);
      return;
    }
  g_clear_error (&error);
  await_workdir (task);
}

static void
import_record (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  AsbOutcome outcome = { .status = "succeeded" };
  g_autoptr (AsbOperation) operation = NULL;
  g_autoptr (GVariant) result = NULL;

  if (creation->created)
    {
      operation = asb_recorder_new_operation (creation->recorder, "sandbox.create",
                                              asb_create_describe (creation->options), NULL, NULL);
      result = g_variant_ref_sink (asb_create_describe_ref (creation->ref));
    }
  else
    {
      operation
          = asb_recorder_new_operation (creation->recorder, "sandbox.connect", NULL, NULL, NULL);
      result = g_variant_ref_sink (asb_create_describe_state (creation->state));
    }
  outcome.result = result;
  asb_recorder_import_async (creation->recorder, operation, creation->occurred_at, &outcome,
                             g_task_get_cancellable (task), imported_cb, task);
}

/* The history store. */

static void
store_opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  AsbCreation *creation = g_task_get_task_data (task);
  g_autoptr (AsbHistoryConfig) config = dup_history_config (creation->options);
  AsbHistoryConsistency consistency = asb_history_config_get_consistency (config);
  GError *error = NULL;

  if (asb_history_store_open_finish (ASB_HISTORY_STORE (source), result, &error))
    {
      creation->recorder = asb_recorder_new (
          creation->store, consistency, asb_backend_options_get_agent_name (creation->options));
      import_record (task);
      return;
    }
  if (consistency == ASB_HISTORY_CONSISTENCY_STRICT_START || asb_error_is_cancelled (error))
    {
      g_prefix_error (&error, "Could not open the history: ");
      fail (task, error);
      return;
    }
  g_debug ("Work goes on without a record: %s", error->message);
  creation->no_history = g_strdup (error->message);
  g_clear_error (&error);
  g_clear_object (&creation->store);
  await_workdir (task);
}

static gboolean
find_store (AsbCreation *creation, GError **error)
{
  AsbHistoryStore *given = asb_backend_options_get_history_store (creation->options);
  AsbHistoryConfig *config = asb_backend_options_get_history (creation->options);
  AsbRegistry *registry = asb_backend_options_get_registry (creation->options);
  AsbHistoryMode mode = config ? asb_history_config_get_mode (config) : ASB_HISTORY_MODE_NONE;
  GVariantDict options;

  if (!registry)
    registry = asb_registry_get_default ();
  if (given)
    {
      creation->store = g_object_ref (given);
      return TRUE;
    }
  if (mode == ASB_HISTORY_MODE_NONE)
    return TRUE;

  creation->owns_store = TRUE;
  if (mode == ASB_HISTORY_MODE_SANDBOX)
    creation->store = asb_registry_create_history_store (registry, "sandbox", NULL, error);
  else
    {
      g_variant_dict_init (&options, NULL);
      g_variant_dict_insert (&options, "url", "s",
                             asb_backend_options_get_history_database_url (creation->options));
      creation->store = asb_registry_create_history_store (registry, "sqlite",
                                                           g_variant_dict_end (&options), error);
    }
  return creation->store != NULL;
}

static void
open_store (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  g_autoptr (AsbHistoryConfig) config = dup_history_config (creation->options);

  if (fail_if_cancelled (task))
    return;
  if (creation->store_error)
    {
      fail (task, g_steal_pointer (&creation->store_error));
      return;
    }
  creation->store_was_opened = creation->store != NULL;
  if (creation->store)
    asb_history_store_open_async (creation->store, creation->transport, creation->ref, config,
                                  g_task_get_cancellable (task), store_opened_cb, task);
  begin_workdir (task);
  if (!creation->store_was_opened)
    await_workdir (task);
}

/* The way in: what the application makes, the guest, or what the provider has instead. */

static void
have_transport (GTask *task, gpointer transport, GError *error)
{
  AsbCreation *creation = g_task_get_task_data (task);

  if (!transport)
    {
      fail (task, error);
      return;
    }
  creation->transport = transport;
  open_store (task);
}

static void
factory_answered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;
  AsbTransport *transport = asb_call_finish_pointer (source, result, &error);

  have_transport (user_data, transport, error);
}

/* Nobody else will ever close it. */
static void
discard_transport (gpointer source, const GValue *result)
{
  AsbTransport *transport = g_value_get_object (result);

  if (transport)
    asb_transport_close_async (transport, NULL, NULL, NULL);
}

static void
call_factory (GTask *task, AsbClosure *factory)
{
  static const AsbCallKind kind = { "make the transport", 120, discard_transport };
  AsbCreation *creation = g_task_get_task_data (task);
  g_autoptr (GTask) inner
      = asb_call_begin (creation->provider, &kind, ASB_TYPE_TRANSPORT,
                        g_task_get_cancellable (task), factory_answered_cb, task, call_factory);

  ((AsbTransportFactory)factory->function) (creation->provider, creation->ref, inner,
                                            factory->user_data);
}

static void
own_transport_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;
  AsbTransport *transport
      = asb_provider_open_transport_finish (ASB_PROVIDER (source), result, &error);

  have_transport (user_data, transport, error);
}

static void
open_own_transport (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);

  asb_provider_open_transport_async (creation->provider,
                                     asb_sandbox_ref_get_sandbox_id (creation->ref),
                                     g_task_get_cancellable (task), own_transport_cb, task);
}

static void
guest_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  AsbCreation *creation = g_task_get_task_data (task);
  AsbProvider *provider = ASB_PROVIDER (source);
  GError *error = NULL;
  AsbTransport *transport = asb_guest_placement_open_finish (provider, result, &error);

  if (!transport && g_error_matches (error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE)
      && ASB_PROVIDER_GET_IFACE (provider)->open_transport)
    {
      g_debug ("The provider's own transport is used: %s", error->message);
      creation->guest_is_placed = FALSE;
      creation->no_guest = g_strdup (error->message);
      g_clear_error (&error);
      open_own_transport (task);
      return;
    }
  have_transport (task, transport, error);
}

static void
open_transport (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  AsbClosure *factory = asb_backend_options_get_transport_factory (creation->options);
  const char *sandbox_id = asb_sandbox_ref_get_sandbox_id (creation->ref);

  if (fail_if_cancelled (task))
    return;
  if (factory)
    call_factory (task, factory);
  else if (ASB_PROVIDER_GET_IFACE (creation->provider)->open_stream)
    {
      creation->guest_is_placed = TRUE;
      asb_guest_placement_open_async (creation->provider, sandbox_id,
                                      asb_backend_options_get_reconnect_seconds (creation->options),
                                      g_task_get_cancellable (task), guest_cb, task);
    }
  else
    open_own_transport (task);
}

/* The sandbox. */

/* Puts what the provider says in its place. */
static void
take_sandbox (AsbCreation *creation, AsbSandboxInfo *info)
{
  creation->ref = g_object_ref (asb_sandbox_info_get_ref (info));
  creation->state = asb_sandbox_info_get_state (info);
  if (asb_sandbox_info_get_expires_at (info))
    creation->expires_at = g_date_time_ref (asb_sandbox_info_get_expires_at (info));
}

static void
ready_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  GError *error = NULL;

  if (asb_create_readiness_finish (ASB_PROVIDER (source), result, &error))
    open_transport (task);
  else
    fail (task, error);
}

static void
await_readiness (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  AsbBackendOptions *options = creation->options;
  AsbClosure *check = asb_backend_options_get_readiness_check (options);

  if (check)
    asb_create_readiness_async (creation->provider, creation->ref, check,
                                asb_backend_options_get_ready_timeout_seconds (options),
                                g_task_get_cancellable (task), ready_cb, task);
  else
    open_transport (task);
}

static void create_sandbox (GTask *task);

static gboolean
create_again_cb (gpointer user_data)
{
  GTask *task = user_data;

  if (!fail_if_cancelled (task))
    create_sandbox (task);
  return G_SOURCE_REMOVE;
}

/* Only with a key is it certain that there are not two in the end. */
static gboolean
is_tried_again (GTask *task, const GError *error)
{
  AsbCreation *creation = g_task_get_task_data (task);
  guint delay_ms;

  if (!asb_backend_options_get_idempotency_key (creation->options)
      || !asb_work_rules_wants_retry (creation->rules, error, creation->n_attempts,
                                      creation->began_at, &delay_ms))
    return FALSE;
  asb_work_rules_wait (delay_ms, g_task_get_context (task), g_task_get_cancellable (task),
                       create_again_cb, task);
  return TRUE;
}

static void
sandbox_created_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  AsbCreation *creation = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_create_sandbox_finish (ASB_PROVIDER (source), result, &error);

  if (!info && is_tried_again (task, error))
    {
      g_clear_error (&error);
      return;
    }
  if (!info)
    {
      fail (task, error);
      return;
    }
  take_sandbox (creation, info);
  creation->created = TRUE;
  await_readiness (task);
}

static void
sandbox_found_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  AsbCreation *creation = g_task_get_task_data (task);
  AsbSandboxRef *wanted = asb_backend_options_get_ref (creation->options);
  GError *error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_get_sandbox_finish (ASB_PROVIDER (source), result, &error);

  if (info)
    error = asb_create_check_found (creation->provider, wanted, info);
  if (error)
    {
      fail (task, error);
      return;
    }
  take_sandbox (creation, info);
  open_transport (task);
}

static void
prepare_guest (AsbCreation *creation)
{
  AsbProviderInterface *iface = ASB_PROVIDER_GET_IFACE (creation->provider);

  if (iface->open_stream && iface->put_file
      && !asb_backend_options_get_transport_factory (creation->options))
    asb_guest_program_prepare ();
}

static void
create_sandbox (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  g_autoptr (AsbSandboxSpec) spec = asb_create_new_spec (creation->options, &creation->plan);

  creation->n_attempts++;
  asb_provider_create_sandbox_async (creation->provider, spec, g_task_get_cancellable (task),
                                     sandbox_created_cb, task);
}

static void
find_sandbox (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  AsbSandboxRef *wanted = asb_backend_options_get_ref (creation->options);
  GError *error = NULL;

  creation->occurred_at = g_get_real_time ();
  creation->began_at = g_get_monotonic_time ();
  if (is_create (creation))
    {
      prepare_guest (creation);
      create_sandbox (task);
    }
  else if ((error = asb_create_check_ref (creation->provider, wanted)))
    {
      fail (task, error);
      return;
    }
  else
    asb_provider_get_sandbox_async (creation->provider, asb_sandbox_ref_get_sandbox_id (wanted),
                                    g_task_get_cancellable (task), sandbox_found_cb, task);
  /* The provider has its own work meanwhile. */
  find_store (creation, &creation->store_error);
}

static gboolean
find_provider (AsbCreation *creation, GError **error)
{
  AsbProvider *given = asb_backend_options_get_provider (creation->options);
  AsbRegistry *registry = asb_backend_options_get_registry (creation->options);
  GError *local = NULL;

  if (given)
    {
      creation->provider = g_object_ref (given);
      return TRUE;
    }
  creation->provider = asb_registry_create_provider (
      registry ? registry : asb_registry_get_default (),
      asb_backend_options_get_provider_name (creation->options),
      asb_backend_options_get_provider_options (creation->options), &local);
  if (!creation->provider)
    {
      g_autoptr (AsbErrorInfo) info = asb_error_info_new ();

      asb_error_info_set_operation (info, "provider.resolve");
      asb_error_set_info (local, info);
      g_propagate_error (error, local);
    }
  return creation->provider != NULL;
}

/**
 * asb_create_backend_async:
 * @options: what is to be done; not to be changed until it is done
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Makes a sandbox, or connects to one, and gives the backend to work with it.
 *
 * Options are checked first, and nothing is made if they are wrong. If a later step fails or is
 * cancelled, everything made until then is undone, the sandbox included. A provider or store that
 * was handed in is not closed.
 *
 * Since: 1.0
 */
void
asb_create_backend_async (AsbBackendOptions *options, GCancellable *cancellable,
                          GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;
  AsbCreation *creation;
  GError *error = NULL;

  g_return_if_fail (ASB_IS_BACKEND_OPTIONS (options));

  task = g_task_new (NULL, cancellable, callback, user_data);
  creation = g_new0 (AsbCreation, 1);
  creation->options = g_object_ref (options);
  g_task_set_source_tag (task, asb_create_backend_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, creation, creation_free);

  if (!asb_backend_options_check (options, &error) || !find_provider (creation, &error)
      || !asb_keep_alive_plan (creation->provider, options, &creation->plan, &error))
    {
      g_task_return_error (task, error);
      g_object_unref (task);
    }
  else if (!fail_if_cancelled (task))
    {
      creation->rules = asb_work_rules_new (asb_backend_options_get_concurrency (options),
                                            asb_backend_options_get_retry (options));
      find_sandbox (task);
    }
}

/**
 * asb_create_backend_finish:
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [func@create_backend_async].
 *
 * Returns: (transfer full): the backend
 *
 * Since: 1.0
 */
AsbBackend *
asb_create_backend_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return asb_task_finish_pointer (result, error);
}

/**
 * asb_create_backend:
 * @options: what is to be done
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Makes a sandbox, or connects to one, and gives the backend to work with it. Blocks; see
 * [func@create_backend_async].
 *
 * Returns: (transfer full): the backend
 *
 * Since: 1.0
 */
AsbBackend *
asb_create_backend (AsbBackendOptions *options, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND_OPTIONS (options), NULL);

  asb_sync_begin (&sync);
  asb_create_backend_async (options, cancellable, asb_sync_ready_cb, &sync);
  return asb_create_backend_finish (asb_sync_wait (&sync), error);
}
