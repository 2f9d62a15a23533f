/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-call-private.h"
#include "asb-error.h"
#include "asb-run-private.h"
#include "asb-sync-private.h"

/* Renewing the sandbox of a backend at somebody's word. */

typedef struct
{
  gint64 seconds;
  gint64 began_at;
} Renewal;

/* Takes @task. */
static void
refuse_seconds (GTask *task, gint64 seconds)
{
  g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "A sandbox cannot be renewed for %" G_GINT64_FORMAT
                           " seconds: there must be more than 0",
                           seconds);
  g_object_unref (task);
}

static GVariant *
describe_seconds (gint64 seconds)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "seconds", "x", seconds);
  return g_variant_dict_end (&dict);
}

static GVariant *
describe_expiry (AsbSandboxInfo *info)
{
  GDateTime *expires_at = asb_sandbox_info_get_expires_at (info);
  g_autofree char *text = expires_at ? g_date_time_format_iso8601 (expires_at) : NULL;
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "expires_at", asb_run_describe_text (text));
  return g_variant_dict_end (&dict);
}

static void
renewed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  const Renewal *renewal = g_task_get_task_data (run->task);
  GError *error = NULL;
  AsbSandboxInfo *info = asb_provider_renew_sandbox_finish (ASB_PROVIDER (source), result, &error);

  asb_keep_alive_release (run->backend->keep_alive, renewal->began_at, info ? renewal->seconds : 0);
  if (info)
    asb_run_return_object (run, info, describe_expiry (info));
  else
    asb_run_return_error (run, error);
}

/* Now no other renewal can come after this one and undo it. */
static void
held_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  Renewal *renewal = g_task_get_task_data (run->task);

  renewal->began_at = g_get_monotonic_time ();
  asb_provider_renew_sandbox_async (run->backend->provider, ASB_BACKEND_SANDBOX_ID (run->backend),
                                    renewal->seconds, g_task_get_cancellable (run->task),
                                    renewed_cb, run);
}

static void
perform_renew (AsbRun *run)
{
  asb_keep_alive_hold_async (run->backend->keep_alive, held_cb, run);
}

/**
 * asb_backend_renew_async:
 * @self: a [class@Backend]
 * @seconds: how long it shall live from now on, > 0
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Sets when the sandbox expires, whatever was said of it before. Where it is kept alive by this
 * backend it is not shortened afterwards, but goes on being renewed when that time is nearly over.
 *
 * %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider cannot do it.
 *
 * Since: 1.0
 */
void
asb_backend_renew_async (AsbBackend *self, gint64 seconds, GCancellable *cancellable,
                         GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "renew the sandbox", 0, NULL };
  AsbRunRecord record = { .operation_type = "sandbox.renew" };
  Renewal *renewal;
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));

  task = asb_call_begin (self, &kind, ASB_TYPE_SANDBOX_INFO, cancellable, callback, user_data,
                         asb_backend_renew_async);
  if (seconds <= 0)
    {
      refuse_seconds (task, seconds);
      return;
    }
  renewal = g_new0 (Renewal, 1);
  renewal->seconds = seconds;
  g_task_set_task_data (task, renewal, g_free);
  record.request = describe_seconds (seconds);
  asb_run_begin (self, task, &record, NULL, perform_renew);
}

/**
 * asb_backend_renew_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.renew_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_backend_renew_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_renew:
 * @self: a [class@Backend]
 * @seconds: how long it shall live from now on, > 0
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Sets when the sandbox expires, whatever was said of it before. Where it is kept alive by this
 * backend it is not shortened afterwards, but goes on being renewed when that time is nearly over.
 *
 * %ASB_ERROR_UNSUPPORTED_CAPABILITY where the provider cannot do it.
 *
 * Blocks; see [method@Backend.renew_async].
 *
 * Returns: (transfer full): what the provider knows of it
 *
 * Since: 1.0
 */
AsbSandboxInfo *
asb_backend_renew (AsbBackend *self, gint64 seconds, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  asb_sync_begin (&sync);
  asb_backend_renew_async (self, seconds, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_renew_finish (self, asb_sync_wait (&sync), error);
}
