/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-provider-private.h"

#include "asb-call-private.h"
#include "asb-metrics-watch-private.h"
#include "asb-sync-private.h"

/* What sandboxes take. */

/* The watch speaks where the caller is, not where a blocking twin waited for it. */
static void
attach_watch (AsbMetricsWatch *watch, GMainContext *context)
{
  g_autoptr (GMainContext) public_context = NULL;

  if (context && context == g_main_context_get_thread_default ())
    {
      public_context = asb_sync_ref_public_context ();
      context = public_context;
    }
  asb_metrics_watch_attach (watch, context);
}

/**
 * AsbProviderInterface::get_metrics:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @task: to be answered with an [class@SandboxMetrics]: what it takes now
 *
 * Does what [method@Provider.get_metrics_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_get_metrics_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Asks what the sandbox takes of the host.
 *
 * Since: 1.0
 */
void
asb_provider_get_metrics_async (AsbProvider *self, const char *sandbox_id,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  static const AsbCallKind kind = { "get the metrics of the sandbox", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_SANDBOX_METRICS, cancellable, callback, user_data,
                         asb_provider_get_metrics_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->get_metrics)
    {
      ASB_PROVIDER_GET_IFACE (self)->get_metrics (self, sandbox_id, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "get_metrics");
}

/**
 * asb_provider_get_metrics_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.get_metrics_async].
 *
 * Returns: (transfer full): what it takes now
 *
 * Since: 1.0
 */
AsbSandboxMetrics *
asb_provider_get_metrics_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_provider_get_metrics:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Asks what the sandbox takes of the host. Blocks; see [method@Provider.get_metrics_async].
 *
 * Returns: (transfer full): what it takes now
 *
 * Since: 1.0
 */
AsbSandboxMetrics *
asb_provider_get_metrics (AsbProvider *self, const char *sandbox_id, GCancellable *cancellable,
                          GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);

  asb_sync_begin (&sync);
  asb_provider_get_metrics_async (self, sandbox_id, cancellable, asb_sync_ready_cb, &sync);
  return asb_provider_get_metrics_finish (self, asb_sync_wait (&sync), error);
}

/**
 * AsbProviderInterface::watch_metrics:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @task: to be answered with an [class@MetricsWatch]: the watch
 *
 * Does what [method@Provider.watch_metrics_async] says.
 *
 * Since: 1.0
 */

/**
 * asb_provider_watch_metrics_async:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Begins to tell what the sandbox takes of the host, as often as the provider does. The signals of
 * the watch come in the thread-default main context of this call; connect to them before that runs
 * again.
 *
 * A provider answers with a watch that it made with [ctor@MetricsWatch.new], and feeds it with
 * [method@MetricsWatch.push].
 *
 * Since: 1.0
 */
void
asb_provider_watch_metrics_async (AsbProvider *self, const char *sandbox_id,
                                  GCancellable *cancellable, GAsyncReadyCallback callback,
                                  gpointer user_data)
{
  static const AsbCallKind kind = { "watch the metrics of the sandbox", 120, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_PROVIDER (self));
  g_return_if_fail (sandbox_id != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_METRICS_WATCH, cancellable, callback, user_data,
                         asb_provider_watch_metrics_async);
  if (asb_call_is_cancelled (task) || asb_provider_id_is_unknown (task, "sandbox", sandbox_id))
    return;
  if (ASB_PROVIDER_GET_IFACE (self)->watch_metrics)
    {
      ASB_PROVIDER_GET_IFACE (self)->watch_metrics (self, sandbox_id, task);
      g_object_unref (task);
    }
  else
    asb_call_unsupported (task, "watch_metrics");
}

/**
 * asb_provider_watch_metrics_finish:
 * @self: a [iface@Provider]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Provider.watch_metrics_async].
 *
 * Returns: (transfer full): the watch
 *
 * Since: 1.0
 */
AsbMetricsWatch *
asb_provider_watch_metrics_finish (AsbProvider *self, GAsyncResult *result, GError **error)
{
  AsbMetricsWatch *watch;

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);

  watch = asb_call_finish_pointer (self, result, error);
  if (watch)
    attach_watch (watch, g_task_get_context (G_TASK (result)));
  return watch;
}

/**
 * asb_provider_watch_metrics:
 * @self: a [iface@Provider]
 * @sandbox_id: the id of the sandbox
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Begins to tell what the sandbox takes of the host, as often as the provider does. The signals of
 * the watch come in the thread-default main context of this call; connect to them before that runs
 * again.
 *
 * A provider answers with a watch that it made with [ctor@MetricsWatch.new], and feeds it with
 * [method@MetricsWatch.push].
 *
 * Blocks; see [method@Provider.watch_metrics_async].
 *
 * Returns: (transfer full): the watch
 *
 * Since: 1.0
 */
AsbMetricsWatch *
asb_provider_watch_metrics (AsbProvider *self, const char *sandbox_id, GCancellable *cancellable,
                            GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (sandbox_id != NULL, NULL);

  asb_sync_begin (&sync);
  asb_provider_watch_metrics_async (self, sandbox_id, cancellable, asb_sync_ready_cb, &sync);
  return asb_provider_watch_metrics_finish (self, asb_sync_wait (&sync), error);
}
