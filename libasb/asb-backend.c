/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-backend-private.h"
#include "asb-backend-pause-private.h"
#include "asb-call-private.h"
#include "asb-enum-types.h"
#include "asb-error-private.h"
#include "asb-guest-connection-private.h"
#include "asb-guest-transport-private.h"
#include "asb-property-private.h"
#include "asb-run-private.h"
#include "asb-sync-private.h"

/**
 * AsbBackend:
 *
 * One sandbox as a program uses it: its way in, its record, and the rules of use. Made by
 * [func@create_backend].
 *
 * A backend may be used from any thread. An operation in flight and an [class@Command] keep it
 * alive. Dropping the last reference neither deletes the sandbox nor ends what runs in it:
 * [method@Backend.close] does, by the rules of [property@BackendOptions:cleanup].
 *
 * Since: 1.0
 */

enum
{
  PROP_0,
  PROP_REF,
  PROP_PROVIDER,
  PROP_TRANSPORT,
  PROP_HISTORY_STORE,
  PROP_WORKDIR,
  PROP_CLOSED,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbBackend, asb_backend, G_TYPE_OBJECT)

static void
asb_backend_finalize (GObject *object)
{
  AsbBackend *self = ASB_BACKEND (object);

  asb_keep_alive_stop (self->keep_alive);
  g_clear_pointer (&self->keep_alive, asb_keep_alive_unref);
  g_clear_object (&self->recorder);
  g_clear_object (&self->store);
  g_clear_object (&self->transport);
  g_clear_pointer (&self->past_transports, g_ptr_array_unref);
  g_clear_pointer (&self->restart_waiting, g_ptr_array_unref);
  g_clear_pointer (&self->no_guest, g_free);
  g_clear_pointer (&self->no_history, g_free);
  g_clear_object (&self->history_config);
  g_clear_object (&self->provider);
  g_clear_object (&self->gate);
  g_clear_pointer (&self->rules, asb_work_rules_free);
  g_clear_pointer (&self->upload_targets, asb_upload_targets_unref);
  g_clear_object (&self->ref);
  g_clear_object (&self->result_config);
  g_clear_pointer (&self->workdir, g_free);
  g_clear_pointer (&self->close_coordinator, asb_closure_unref);
  g_mutex_clear (&self->mutex);

  G_OBJECT_CLASS (asb_backend_parent_class)->finalize (object);
}

static void
asb_backend_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbBackend *self = ASB_BACKEND (object);

  switch (property_id)
    {
    case PROP_REF:
      g_value_set_object (value, self->ref);
      break;
    case PROP_PROVIDER:
      g_value_set_object (value, self->provider);
      break;
    case PROP_TRANSPORT:
      g_value_set_object (value, self->transport);
      break;
    case PROP_HISTORY_STORE:
      g_value_set_object (value, self->store);
      break;
    case PROP_WORKDIR:
      g_value_set_string (value, self->workdir);
      break;
    case PROP_CLOSED:
      g_value_set_boolean (value, asb_backend_get_closed (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_backend_class_init (AsbBackendClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_backend_finalize;
  object_class->get_property = asb_backend_get_property;

  /**
   * AsbBackend:ref:
   *
   * The identity of the sandbox. In Python it is read by `get_ref ()` or `props.ref`: `ref` alone
   * is a method of each object there.
   *
   * Since: 1.0
   */
  properties[PROP_REF]
      = g_param_spec_object ("ref", NULL, NULL, ASB_TYPE_SANDBOX_REF, ASB_PARAM_READABLE);

  /**
   * AsbBackend:provider:
   *
   * The provider of the sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_PROVIDER]
      = g_param_spec_object ("provider", NULL, NULL, ASB_TYPE_PROVIDER, ASB_PARAM_READABLE);

  /**
   * AsbBackend:transport:
   *
   * The way into the sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_TRANSPORT]
      = g_param_spec_object ("transport", NULL, NULL, ASB_TYPE_TRANSPORT, ASB_PARAM_READABLE);

  /**
   * AsbBackend:history-store:
   *
   * Where the record goes; %NULL if nothing is recorded.
   *
   * Since: 1.0
   */
  properties[PROP_HISTORY_STORE] = g_param_spec_object ("history-store", NULL, NULL,
                                                        ASB_TYPE_HISTORY_STORE, ASB_PARAM_READABLE);

  /**
   * AsbBackend:workdir:
   *
   * Where relative paths start, and commands that name no directory of their own.
   *
   * Since: 1.0
   */
  properties[PROP_WORKDIR] = g_param_spec_string ("workdir", NULL, NULL, NULL, ASB_PARAM_READABLE);

  /**
   * AsbBackend:closed:
   *
   * Whether the backend is closed.
   *
   * Since: 1.0
   */
  properties[PROP_CLOSED] = g_param_spec_boolean ("closed", NULL, NULL, FALSE, ASB_PARAM_READABLE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_backend_init (AsbBackend *self)
{
  g_mutex_init (&self->mutex);
  self->past_transports = g_ptr_array_new_with_free_func (g_object_unref);
  self->restart_waiting = g_ptr_array_new_with_free_func (g_object_unref);
  self->gate = asb_activity_gate_new ();
  self->rules = asb_work_rules_new (NULL, NULL);
  self->drain_timeout_ms = asb_work_rules_get_drain_ms (self->rules);
  self->upload_targets = asb_upload_targets_new (asb_work_rules_get_upload_seconds (self->rules));
}

/**
 * asb_backend_get_ref:
 * @self: a [class@Backend]
 *
 * Gets [property@Backend:ref].
 *
 * Returns: (transfer none): the identity
 *
 * Since: 1.0
 */
AsbSandboxRef *
asb_backend_get_ref (AsbBackend *self)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return self->ref;
}

/**
 * asb_backend_get_provider:
 * @self: a [class@Backend]
 *
 * Gets [property@Backend:provider].
 *
 * Returns: (transfer none): the provider
 *
 * Since: 1.0
 */
AsbProvider *
asb_backend_get_provider (AsbBackend *self)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return self->provider;
}

/**
 * asb_backend_get_transport:
 * @self: a [class@Backend]
 *
 * Gets [property@Backend:transport].
 *
 * When the guest of the sandbox has ended, the next operation has another started and goes on over
 * another transport. The one before stays valid as long as the backend, and closed.
 *
 * Returns: (transfer none): the way in
 *
 * Since: 1.0
 */
AsbTransport *
asb_backend_get_transport (AsbBackend *self)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return g_atomic_pointer_get (&self->transport);
}

/**
 * asb_backend_get_history_store:
 * @self: a [class@Backend]
 *
 * Gets [property@Backend:history-store].
 *
 * Returns: (transfer none) (nullable): the store
 *
 * Since: 1.0
 */
AsbHistoryStore *
asb_backend_get_history_store (AsbBackend *self)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return self->store;
}

/**
 * asb_backend_get_workdir:
 * @self: a [class@Backend]
 *
 * Gets [property@Backend:workdir].
 *
 * Returns: (transfer none) (type filename): the absolute path
 *
 * Since: 1.0
 */
const char *
asb_backend_get_workdir (AsbBackend *self)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return self->workdir;
}

/**
 * asb_backend_get_closed:
 * @self: a [class@Backend]
 *
 * Gets [property@Backend:closed].
 *
 * Returns: whether it is closed
 *
 * Since: 1.0
 */
gboolean
asb_backend_get_closed (AsbBackend *self)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), TRUE);

  return asb_activity_gate_is_sealed (self->gate);
}

/* Where the guest cannot be, what only it can do cannot be had, either: here is why. */
static void
add_guest_capability (AsbBackend *self, AsbCapabilities *capabilities)
{
  if (!self->no_guest)
    return;
  asb_capabilities_add (capabilities, ASB_CAPABILITY_GUEST, ASB_CAPABILITY_SUPPORT_UNAVAILABLE,
                        "backend", self->no_guest);
  if (!asb_capabilities_supports (capabilities, ASB_CAPABILITY_SANDBOX_HISTORY))
    asb_capabilities_add (capabilities, ASB_CAPABILITY_SANDBOX_HISTORY,
                          ASB_CAPABILITY_SUPPORT_UNAVAILABLE, "backend", self->no_guest);
}

static void
add_history_capability (AsbBackend *self, AsbCapabilities *capabilities)
{
  if (!self->store)
    asb_capabilities_add (
        capabilities, ASB_CAPABILITY_SANDBOX_HISTORY, ASB_CAPABILITY_SUPPORT_UNAVAILABLE, "backend",
        self->no_history ? self->no_history : "this backend was made without a history");
}

/**
 * asb_backend_get_capabilities:
 * @self: a [class@Backend]
 *
 * Gets what can be done with this sandbox: what its provider and its transport say.
 *
 * Returns: (transfer full): the capabilities
 *
 * Since: 1.0
 */
AsbCapabilities *
asb_backend_get_capabilities (AsbBackend *self)
{
  g_autoptr (AsbCapabilities) of_transport = NULL;
  AsbCapabilities *capabilities;

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  capabilities = asb_provider_get_capabilities (self->provider);
  of_transport = asb_transport_get_capabilities (self->transport);
  asb_capabilities_merge (capabilities, of_transport);
  add_guest_capability (self, capabilities);
  add_history_capability (self, capabilities);
  return capabilities;
}

static const char *
sandbox_state_to_nick (AsbSandboxState state)
{
  g_autoptr (GEnumClass) enum_class = g_type_class_ref (ASB_TYPE_SANDBOX_STATE);

  return g_enum_get_value (enum_class, state)->value_nick;
}

/* Takes @info (nullable) and @error. */
static void
return_info (AsbRun *run, AsbSandboxInfo *info, GError *error)
{
  GVariantDict dict;

  if (!info)
    {
      asb_run_return_error (run, error);
      return;
    }
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "state", "s",
                         sandbox_state_to_nick (asb_sandbox_info_get_state (info)));
  asb_run_return_object (run, info, g_variant_dict_end (&dict));
}

static void
info_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;
  AsbSandboxInfo *info = asb_provider_get_sandbox_finish (ASB_PROVIDER (source), result, &error);

  return_info (user_data, info, error);
}

static void
info_of_paused_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  AsbSandboxInfo *info = asb_provider_get_sandbox_finish (ASB_PROVIDER (source), result, &error);

  if (info && asb_sandbox_info_get_state (info) == ASB_SANDBOX_STATE_RUNNING)
    asb_backend_found_running (run->backend);
  return_info (run, info, error);
}

static void
perform_query_info (AsbRun *run)
{
  gboolean paused = g_atomic_int_get (&run->backend->pause) == ASB_PAUSE_STATE_PAUSED;

  asb_provider_get_sandbox_async (run->backend->provider, ASB_BACKEND_SANDBOX_ID (run->backend),
                                  g_task_get_cancellable (run->task),
                                  paused ? info_of_paused_cb : info_cb, run);
}

/* Deleting. It is recorded where the record does not go with the sandbox. */

typedef struct
{
  GTask *task;             /* to be answered */
  AsbOperation *operation; /* (nullable): not recorded here */
  GError *error;
} AsbDeletion;

static void
deletion_free (AsbDeletion *deletion)
{
  g_clear_object (&deletion->task);
  g_clear_object (&deletion->operation);
  g_clear_error (&deletion->error);
  g_free (deletion);
}

static AsbBackend *
backend_of (AsbDeletion *deletion)
{
  return g_task_get_source_object (deletion->task);
}

static void
note_deleted (AsbBackend *self)
{
  g_mutex_lock (&self->mutex);
  self->deleted = TRUE;
  g_mutex_unlock (&self->mutex);
  asb_keep_alive_stop (self->keep_alive);
}

static gboolean
is_deleted (AsbBackend *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);

  return self->deleted;
}

static void
answer_deletion (AsbDeletion *deletion)
{
  if (deletion->error)
    {
      asb_run_complete_error (backend_of (deletion), "sandbox.delete", deletion->operation,
                              deletion->error);
      g_task_return_error (deletion->task, g_steal_pointer (&deletion->error));
    }
  else
    g_task_return_boolean (deletion->task, TRUE);
  deletion_free (deletion);
}

static void
deletion_recorded_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  if (!asb_recorder_complete_finish (ASB_RECORDER (source), result, &error))
    g_debug ("The end of the sandbox was not recorded: %s", error->message);
  answer_deletion (user_data);
}

/* Takes @error (nullable). */
static void
end_deletion (AsbDeletion *deletion, GError *error)
{
  AsbOutcome outcome = { .status = "succeeded" };

  g_clear_error (&deletion->error);
  deletion->error = error;
  if (error)
    {
      outcome.status = asb_recorder_status_of_error (error);
      outcome.result = asb_recorder_describe_error (error);
    }
  else
    note_deleted (backend_of (deletion));
  if (deletion->operation)
    asb_recorder_complete_async (backend_of (deletion)->recorder, deletion->operation, &outcome,
                                 deletion_recorded_cb, deletion);
  else
    {
      g_clear_pointer (&outcome.result, asb_run_drop_floating);
      answer_deletion (deletion);
    }
}

/* A deletion that failed may have been done all the same: its answer was lost, or somebody else was
 * faster. */
static void
reconcile_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbDeletion *deletion = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_get_sandbox_finish (ASB_PROVIDER (source), result, &error);

  if (!info && asb_error_is_sandbox_gone (error))
    end_deletion (deletion, NULL);
  else
    end_deletion (deletion, g_steal_pointer (&deletion->error));
}

static void
deleted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbDeletion *deletion = user_data;
  AsbBackend *self = backend_of (deletion);
  g_autoptr (GError) error = NULL;

  if (asb_provider_delete_sandbox_finish (ASB_PROVIDER (source), result, &error)
      || g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND))
    end_deletion (deletion, NULL);
  else if (!error)
    end_deletion (deletion, g_error_new (ASB_ERROR, ASB_ERROR_PROVIDER,
                                         "The provider did not delete sandbox “%s”",
                                         ASB_BACKEND_SANDBOX_ID (self)));
  else if (asb_error_is_cancelled (error))
    end_deletion (deletion, g_steal_pointer (&error));
  else
    {
      deletion->error = g_steal_pointer (&error);
      asb_provider_get_sandbox_async (self->provider, ASB_BACKEND_SANDBOX_ID (self),
                                      g_task_get_cancellable (deletion->task), reconcile_cb,
                                      deletion);
    }
}

static void
perform_deletion (AsbDeletion *deletion)
{
  AsbBackend *self = backend_of (deletion);

  asb_provider_delete_sandbox_async (self->provider, ASB_BACKEND_SANDBOX_ID (self),
                                     g_task_get_cancellable (deletion->task), deleted_cb, deletion);
}

static void
deletion_started_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbDeletion *deletion = user_data;

  if (asb_recorder_start_finish (ASB_RECORDER (source), result, &deletion->error))
    perform_deletion (deletion);
  else
    answer_deletion (deletion);
}

/* Takes @task. */
static void
delete_sandbox (AsbBackend *self, GTask *task)
{
  AsbDeletion *deletion;

  if (is_deleted (self))
    {
      g_task_return_boolean (task, TRUE);
      g_object_unref (task);
      return;
    }
  deletion = g_new0 (AsbDeletion, 1);
  deletion->task = task;
  if (!self->recorder || asb_recorder_get_records_in_place (self->recorder))
    {
      perform_deletion (deletion);
      return;
    }
  deletion->operation
      = asb_recorder_new_operation (self->recorder, "sandbox.delete", NULL, NULL, NULL);
  asb_recorder_start_async (self->recorder, deletion->operation, deletion_started_cb, deletion);
}

/* Closing: nobody comes in, what runs ends, the sandbox is dealt with, and then the store and the
 * transport go. */

typedef struct
{
  AsbBackend *backend;
  GTask *task;
} AsbClosing;

static void
closing_free (AsbClosing *closing)
{
  g_clear_object (&closing->backend);
  g_clear_object (&closing->task);
  g_free (closing);
}

/* A connection that is lost while its sandbox is deleted is not to be had back. */
static void
expect_connection (AsbBackend *self, gboolean expected)
{
  AsbTransport *transport = g_atomic_pointer_get (&self->transport);

  if (ASB_IS_GUEST_TRANSPORT (transport))
    asb_guest_connection_set_paused (
        asb_guest_transport_get_connection (ASB_GUEST_TRANSPORT (transport)), !expected);
}

/* Takes @error. */
static void
closing_fail (AsbClosing *closing, GError *error)
{
  if (!asb_backend_is_paused (closing->backend))
    expect_connection (closing->backend, TRUE);
  asb_keep_alive_release (closing->backend->keep_alive, 0, 0);
  asb_activity_gate_reopen (closing->backend->gate);
  g_task_return_error (closing->task, error);
  closing_free (closing);
}

static void
transport_closed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbClosing *closing = user_data;
  g_autoptr (GError) error = NULL;

  /* The sandbox is gone or left as it was meant to be: a connection that broke on the way out is no
   * failure. */
  if (!asb_transport_close_finish (ASB_TRANSPORT (source), result, &error))
    g_debug ("The transport did not close in order: %s", error->message);
  asb_keep_alive_stop (closing->backend->keep_alive);
  asb_activity_gate_seal (closing->backend->gate);
  g_object_notify_by_pspec (G_OBJECT (closing->backend), properties[PROP_CLOSED]);
  g_task_return_boolean (closing->task, TRUE);
  closing_free (closing);
}

static void
close_transport (AsbClosing *closing)
{
  asb_transport_close_async (closing->backend->transport, NULL, transport_closed_cb, closing);
}

static void
store_closed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbClosing *closing = user_data;
  g_autoptr (GError) error = NULL;

  if (!asb_history_store_close_finish (ASB_HISTORY_STORE (source), result, &error))
    g_debug ("The history store did not close in order: %s", error->message);
  close_transport (closing);
}

static void
close_store (AsbClosing *closing)
{
  AsbBackend *self = closing->backend;

  asb_backend_let_go_of_pause (self);
  if (self->store && self->owns_store)
    asb_history_store_close_async (self->store, NULL, store_closed_cb, closing);
  else
    close_transport (closing);
}

static void
sandbox_dealt_with_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbClosing *closing = user_data;
  GError *error = NULL;

  asb_call_finish_boolean (source, result, &error);
  if (error)
    closing_fail (closing, error);
  else
    close_store (closing);
}

static gboolean
delete_later_cb (gpointer user_data)
{
  AsbBackend *self = user_data;

  asb_provider_delete_sandbox_async (self->provider, ASB_BACKEND_SANDBOX_ID (self), NULL, NULL,
                                     NULL);
  return G_SOURCE_REMOVE;
}

static void
schedule_deletion (AsbBackend *self, GMainContext *context)
{
  g_autoptr (GSource) source
      = g_timeout_source_new_seconds ((guint)MIN (self->cleanup_ttl_seconds, G_MAXUINT / 1000));

  g_source_set_callback (source, delete_later_cb, g_object_ref (self), g_object_unref);
  g_source_attach (source, context);
}

static void
deal_with_sandbox (AsbClosing *closing)
{
  static const AsbCallKind kind = { "close the backend", 0, NULL };
  AsbBackend *self = closing->backend;
  GTask *task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, g_task_get_cancellable (closing->task),
                                sandbox_dealt_with_cb, closing, deal_with_sandbox);
  AsbClosure *coordinator = self->close_coordinator;

  if (coordinator)
    {
      ((AsbCloseCoordinator)coordinator->function) (self, task, coordinator->user_data);
      g_object_unref (task);
      return;
    }
  if (self->created && self->cleanup == ASB_CLEANUP_POLICY_ON_CLOSE)
    {
      expect_connection (self, FALSE);
      delete_sandbox (self, task);
      return;
    }
  if (self->created && self->cleanup == ASB_CLEANUP_POLICY_TTL)
    schedule_deletion (self, g_object_get_data (G_OBJECT (closing->task), "asb-context"));
  g_task_return_boolean (task, TRUE);
  g_object_unref (task);
}

/* Now nobody renews it any more. */
static void
held_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  deal_with_sandbox (user_data);
}

static void
drained_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbClosing *closing = user_data;
  AsbBackend *self = closing->backend;
  GError *error = NULL;

  if (!asb_activity_gate_close_finish (ASB_ACTIVITY_GATE (source), result, &error))
    {
      asb_run_complete_error (closing->backend, "sandbox.close", NULL, error);
      g_task_return_error (closing->task, error);
      closing_free (closing);
    }
  else if (asb_activity_gate_is_sealed (closing->backend->gate))
    {
      g_task_return_boolean (closing->task, TRUE);
      closing_free (closing);
    }
  else
    {
      asb_keep_alive_hold_async (self->keep_alive, held_cb, closing);
      asb_keep_alive_cancel (self->keep_alive);
    }
}

/* @context: where a deletion that comes later happens. */
static void
close_backend (AsbBackend *self, GMainContext *context, GCancellable *cancellable,
               GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "close the backend", 0, NULL };
  AsbClosing *closing = g_new0 (AsbClosing, 1);

  closing->backend = g_object_ref (self);
  closing->task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                                  asb_backend_close_async);
  g_object_set_data_full (G_OBJECT (closing->task), "asb-context", g_main_context_ref (context),
                          (GDestroyNotify)g_main_context_unref);
  asb_activity_gate_close_async (self->gate, self->drain_timeout_ms,
                                 g_task_get_cancellable (closing->task), drained_cb, closing);
}

/**
 * asb_backend_close_async:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is closed
 * @user_data: data for @callback
 *
 * Closes the backend: new operations are refused, those in flight are awaited, and the sandbox is
 * dealt with as [property@BackendOptions:cleanup] says, if this backend created it. Commands that
 * were started and still run end with a sandbox that is deleted, and run on in one that is not.
 *
 * If operations do not end in time this fails with %ASB_ERROR_LOCK_ACQUISITION_TIMEOUT: after 30
 * seconds, or [property@ConcurrencyConfig:lifecycle-lock-timeout-seconds];
 * if the sandbox cannot be deleted, with that error. In both cases the backend is open again and
 * nothing was touched. Closing a closed backend succeeds.
 *
 * Since: 1.0
 */
void
asb_backend_close_async (AsbBackend *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                         gpointer user_data)
{
  g_autoptr (GMainContext) context = NULL;

  g_return_if_fail (ASB_IS_BACKEND (self));

  context = g_main_context_ref_thread_default ();
  close_backend (self, context, cancellable, callback, user_data);
}

/**
 * asb_backend_close_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.close_async].
 *
 * Returns: whether it is closed
 *
 * Since: 1.0
 */
gboolean
asb_backend_close_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_backend_close:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Closes the backend. Blocks; see [method@Backend.close_async].
 *
 * Returns: whether it is closed
 *
 * Since: 1.0
 */
gboolean
asb_backend_close (AsbBackend *self, GCancellable *cancellable, GError **error)
{
  g_autoptr (GMainContext) context = NULL;
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), FALSE);

  context = g_main_context_ref_thread_default ();
  asb_sync_begin (&sync);
  close_backend (self, context, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_close_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_backend_query_info_async:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks the provider for the sandbox as it is now.
 *
 * Since: 1.0
 */
void
asb_backend_query_info_async (AsbBackend *self, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "get the sandbox", 0, NULL };
  AsbRunRecord record = { .operation_type = "sandbox.get" };
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));

  task = asb_call_begin (self, &kind, ASB_TYPE_SANDBOX_INFO, cancellable, callback, user_data,
                         asb_backend_query_info_async);
  asb_run_begin (self, task, &record, NULL, perform_query_info);
}

/**
 * asb_backend_query_info_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.query_info_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_backend_query_info_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_query_info:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks the provider for the sandbox as it is now. Blocks; see [method@Backend.query_info_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_backend_query_info (AsbBackend *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  asb_sync_begin (&sync);
  asb_backend_query_info_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_query_info_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_backend_delete_sandbox_async:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Deletes the sandbox, whoever created it, and all that runs in it. The backend stays; close it
 * afterwards. A sandbox that is gone already is no error.
 *
 * Since: 1.0
 */
void
asb_backend_delete_sandbox_async (AsbBackend *self, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "delete the sandbox", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));

  task = asb_call_begin (self, &kind, G_TYPE_BOOLEAN, cancellable, callback, user_data,
                         asb_backend_delete_sandbox_async);
  delete_sandbox (self, task);
}

/**
 * asb_backend_delete_sandbox_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.delete_sandbox_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_backend_delete_sandbox_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), FALSE);

  return asb_call_finish_boolean (self, result, error);
}

/**
 * asb_backend_delete_sandbox:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Deletes the sandbox, whoever created it, and all that runs in it. The backend stays; close it
 * afterwards. A sandbox that is gone already is no error. Blocks; see
 * [method@Backend.delete_sandbox_async].
 *
 * Returns: whether it was done
 *
 * Since: 1.0
 */
gboolean
asb_backend_delete_sandbox (AsbBackend *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), FALSE);

  asb_sync_begin (&sync);
  asb_backend_delete_sandbox_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_delete_sandbox_finish (self, asb_sync_wait (&sync), error);
}
