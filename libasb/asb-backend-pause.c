/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-call-private.h"
#include "asb-enum-types.h"
#include "asb-error-private.h"
#include "asb-backend-pause-private.h"
#include "asb-backend-restart-private.h"
#include "asb-guest-connection-private.h"
#include "asb-guest-transport-private.h"
#include "asb-run-private.h"
#include "asb-sync-private.h"
#include "asb-weak-private.h"

/* Freezing the sandbox of a backend. What is at its other side does not answer meanwhile, nor can
 * the record be written that is kept inside. */

gboolean
asb_backend_is_paused (AsbBackend *self)
{
  return g_atomic_int_get (&self->pause) != ASB_PAUSE_STATE_RUNNING;
}

GError *
asb_backend_new_paused_error (AsbBackend *self)
{
  return g_error_new (ASB_ERROR, ASB_ERROR_SANDBOX_STATE, "Sandbox “%s” is paused; resume it first",
                      ASB_BACKEND_SANDBOX_ID (self));
}

static gboolean
records_in_place (AsbBackend *self)
{
  return self->recorder && asb_recorder_get_records_in_place (self->recorder);
}

/* What expects something of the sandbox: the connection, deadlines, and who renews it. */
static void
expect_answers (AsbBackend *self, gboolean expected)
{
  AsbTransport *transport = g_atomic_pointer_get (&self->transport);

  if (ASB_IS_GUEST_TRANSPORT (transport))
    asb_guest_connection_set_paused (
        asb_guest_transport_get_connection (ASB_GUEST_TRANSPORT (transport)), !expected);
  asb_call_set_paused (transport, !expected);
  if (records_in_place (self))
    asb_call_set_paused (self->store, !expected);
  asb_keep_alive_set_paused (self->keep_alive, !expected);
}

static void
go_to_sleep (AsbBackend *self)
{
  g_atomic_int_set (&self->pause, ASB_PAUSE_STATE_PAUSING);
  if (records_in_place (self))
    asb_recorder_set_suspended (self->recorder, TRUE);
  expect_answers (self, FALSE);
}

static void
wake_up (AsbBackend *self)
{
  g_atomic_int_set (&self->pause, ASB_PAUSE_STATE_RUNNING);
  expect_answers (self, TRUE);
}

/* Now what was not written is. */
static void
record_again (AsbBackend *self)
{
  if (records_in_place (self))
    asb_recorder_set_suspended (self->recorder, FALSE);
}

static GVariant *
describe_state (AsbSandboxInfo *info)
{
  g_autoptr (GEnumClass) enum_class = g_type_class_ref (ASB_TYPE_SANDBOX_STATE);
  GEnumValue *state = g_enum_get_value (enum_class, (int)asb_sandbox_info_get_state (info));
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "state", "s", state ? state->value_nick : "unknown");
  return g_variant_dict_end (&dict);
}

/* Takes @info. */
static void
return_info (AsbRun *run, AsbSandboxInfo *info)
{
  asb_run_return_object (run, info, describe_state (info));
}

/* Pausing. */

/* Takes @info (nullable) and @error. */
static void
paused (AsbRun *run, AsbSandboxInfo *info, GError *error)
{
  gboolean was_paused = GPOINTER_TO_INT (g_task_get_task_data (run->task));

  if (info || was_paused)
    g_atomic_int_set (&run->backend->pause, ASB_PAUSE_STATE_PAUSED);
  else
    {
      wake_up (run->backend);
      record_again (run->backend);
    }
  if (info)
    return_info (run, info);
  else
    asb_run_return_error (run, error);
}

/* What failed may have been done all the same, be it by somebody else. Takes the error of the run
 * unless the sandbox is as it was to be. */
static AsbSandboxInfo *
find_state (AsbRun *run, GObject *source, GAsyncResult *result, AsbSandboxState wanted,
            GError **error)
{
  g_autoptr (AsbSandboxInfo) info
      = asb_provider_get_sandbox_finish (ASB_PROVIDER (source), result, NULL);

  if (info && asb_sandbox_info_get_state (info) == wanted)
    {
      g_clear_error (&run->error);
      return g_steal_pointer (&info);
    }
  g_propagate_error (error, g_steal_pointer (&run->error));
  return NULL;
}

static void
look_after_pausing_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  AsbSandboxInfo *info = find_state (run, source, result, ASB_SANDBOX_STATE_PAUSED, &error);

  paused (run, info, error);
}

/* Also when it was cancelled, so that it is known how it is. Takes @error. */
static void
look (AsbRun *run, GError *error, GAsyncReadyCallback callback)
{
  run->error = error;
  asb_provider_get_sandbox_async (run->backend->provider, ASB_BACKEND_SANDBOX_ID (run->backend),
                                  NULL, callback, run);
}

static void
paused_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  AsbSandboxInfo *info = asb_provider_pause_sandbox_finish (ASB_PROVIDER (source), result, &error);

  if (info || g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY))
    paused (run, info, error);
  else
    look (run, error, look_after_pausing_cb);
}

static void
perform_pause (AsbRun *run)
{
  g_task_set_task_data (
      run->task,
      GINT_TO_POINTER (g_atomic_int_get (&run->backend->pause) == ASB_PAUSE_STATE_PAUSED), NULL);
  /* Before it is, so that nobody takes it for dead in between. */
  go_to_sleep (run->backend);
  asb_provider_pause_sandbox_async (run->backend->provider, ASB_BACKEND_SANDBOX_ID (run->backend),
                                    g_task_get_cancellable (run->task), paused_cb, run);
}

/* Resuming. */

static void
restarted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  AsbSandboxInfo *info = g_value_dup_object (&run->value);
  g_autoptr (GError) error = NULL;

  g_value_unset (&run->value);
  /* The sandbox goes on all the same; the next operation tries again. */
  if (!asb_backend_restart_finish (ASB_BACKEND (source), result, &error))
    g_debug ("The guest was not started again: %s", error->message);
  record_again (run->backend);
  return_info (run, info);
}

/* Takes @info (nullable) and @error. */
static void
resumed (AsbRun *run, AsbSandboxInfo *info, GError *error)
{
  AsbBackend *self = run->backend;

  if (!info)
    {
      asb_run_return_error (run, error);
      return;
    }
  wake_up (self);
  if (!records_in_place (self) || !asb_backend_needs_restart (self))
    {
      record_again (self);
      return_info (run, info);
      return;
    }
  g_value_init (&run->value, ASB_TYPE_SANDBOX_INFO);
  g_value_take_object (&run->value, info);
  asb_backend_restart_async (self, g_task_get_cancellable (run->task), restarted_cb, run);
}

static void
look_after_resuming_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  AsbSandboxInfo *info = find_state (run, source, result, ASB_SANDBOX_STATE_RUNNING, &error);

  resumed (run, info, error);
}

static void
resumed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  AsbSandboxInfo *info = asb_provider_resume_sandbox_finish (ASB_PROVIDER (source), result, &error);

  if (info || g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY))
    resumed (run, info, error);
  else
    look (run, error, look_after_resuming_cb);
}

static void
perform_resume (AsbRun *run)
{
  asb_provider_resume_sandbox_async (run->backend->provider, ASB_BACKEND_SANDBOX_ID (run->backend),
                                     g_task_get_cancellable (run->task), resumed_cb, run);
}

void
asb_backend_found_paused (AsbBackend *self)
{
  if (!g_atomic_int_compare_and_exchange (&self->pause, ASB_PAUSE_STATE_RUNNING,
                                          ASB_PAUSE_STATE_PAUSED))
    return;
  if (records_in_place (self))
    asb_recorder_set_suspended (self->recorder, TRUE);
  expect_answers (self, FALSE);
}

/* Somebody else has paused or resumed it. In the I/O thread. */
static void
pause_news (gpointer data, gboolean paused)
{
  g_autoptr (AsbBackend) self = g_weak_ref_get (data);

  if (self && paused)
    asb_backend_found_paused (self);
  else if (self)
    asb_backend_found_running (self);
}

void
asb_backend_watch_pauses (AsbBackend *self, AsbTransport *transport)
{
  if (ASB_IS_GUEST_TRANSPORT (transport))
    asb_guest_connection_set_pause_func (
        asb_guest_transport_get_connection (ASB_GUEST_TRANSPORT (transport)), pause_news,
        asb_weak_new (self), asb_weak_free);
}

void
asb_backend_found_running (AsbBackend *self)
{
  if (g_atomic_int_get (&self->pause) != ASB_PAUSE_STATE_PAUSED)
    return;
  wake_up (self);
  record_again (self);
}

void
asb_backend_let_go_of_pause (AsbBackend *self)
{
  if (!asb_backend_is_paused (self))
    return;
  wake_up (self);
  asb_keep_alive_set_paused (self->keep_alive, TRUE);
}

/**
 * asb_backend_pause_async:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Freezes the sandbox and everything in it. Commands that run go on when it is resumed, and the
 * time they may take does not pass meanwhile; nor does that of other operations in flight. Until
 * then work in the sandbox is refused with %ASB_ERROR_SANDBOX_STATE, and it is neither renewed nor
 * are lost connections to it made anew.
 *
 * A sandbox that is frozen already is no error. %ASB_ERROR_UNSUPPORTED_CAPABILITY where the
 * provider cannot do it.
 *
 * Since: 1.0
 */
void
asb_backend_pause_async (AsbBackend *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                         gpointer user_data)
{
  static const AsbCallKind kind = { "pause the sandbox", 0, NULL };
  AsbRunRecord record = { .operation_type = "sandbox.pause" };
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));

  task = asb_call_begin (self, &kind, ASB_TYPE_SANDBOX_INFO, cancellable, callback, user_data,
                         asb_backend_pause_async);
  asb_run_begin (self, task, &record, NULL, perform_pause);
}

/**
 * asb_backend_pause_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.pause_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_backend_pause_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_pause:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Freezes the sandbox and everything in it. Commands that run go on when it is resumed, and the
 * time they may take does not pass meanwhile; nor does that of other operations in flight. Until
 * then work in the sandbox is refused with %ASB_ERROR_SANDBOX_STATE, and it is neither renewed nor
 * are lost connections to it made anew.
 *
 * A sandbox that is frozen already is no error. %ASB_ERROR_UNSUPPORTED_CAPABILITY where the
 * provider cannot do it.
 *
 * Blocks; see [method@Backend.pause_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_backend_pause (AsbBackend *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  asb_sync_begin (&sync);
  asb_backend_pause_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_pause_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_backend_resume_async:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Lets a frozen sandbox go on, and what runs in it. A sandbox that runs is no error.
 *
 * Since: 1.0
 */
void
asb_backend_resume_async (AsbBackend *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                          gpointer user_data)
{
  static const AsbCallKind kind = { "resume the sandbox", 0, NULL };
  AsbRunRecord record = { .operation_type = "sandbox.resume" };
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));

  task = asb_call_begin (self, &kind, ASB_TYPE_SANDBOX_INFO, cancellable, callback, user_data,
                         asb_backend_resume_async);
  asb_run_begin (self, task, &record, NULL, perform_resume);
}

/**
 * asb_backend_resume_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.resume_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_backend_resume_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_resume:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Lets a frozen sandbox go on, and what runs in it. A sandbox that runs is no error. Blocks; see
 * [method@Backend.resume_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_backend_resume (AsbBackend *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  asb_sync_begin (&sync);
  asb_backend_resume_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_resume_finish (self, asb_sync_wait (&sync), error);
}
