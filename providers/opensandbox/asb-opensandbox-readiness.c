/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-readiness.h"

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-get.h"
#include "asb-opensandbox-site.h"
#include "asb-opensandbox-verdict.h"
#include "asb-opensandbox-wait.h"

/* Most are there at once, or a moment later. */
#define FIRST_PAUSE_MS 10
#define MAX_PAUSE_MS 200
#define LOOKS_EVERY 5
#define MAX_PING_MS 5000

typedef struct
{
  AsbOpensandboxVerdict verdict;
  AsbSandboxInfo *info; /* (nullable): of one that runs, asked meanwhile */
  gboolean is_asking;
  gboolean is_reached; /* and waits for the answer */
  gint64 deadline;
  guint n_tries;
} Watch;

static void
watch_free (gpointer data)
{
  Watch *watch = data;

  asb_opensandbox_verdict_clear (&watch->verdict);
  g_clear_object (&watch->info);
  g_free (watch);
}

static void try_again (GTask *task);

static guint
get_time_left_ms (Watch *watch)
{
  gint64 left = (watch->deadline - g_get_monotonic_time ()) / 1000;

  return (guint)CLAMP (left, 1, G_MAXINT);
}

/* The end. */

static void
explained_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;

  AsbOpensandboxLifecycle *lifecycle = ASB_OPENSANDBOX_LIFECYCLE (source);
  Watch *watch = g_task_get_task_data (task);
  g_autoptr (AsbOpensandboxSite) site
      = asb_opensandbox_site_get (lifecycle, watch->verdict.sandbox_id);

  g_task_return_error (task, asb_opensandbox_site_suspect_memory (
                                 site, asb_opensandbox_verdict_explain_finish (lifecycle, result)));
}

static void
give_up (GTask *task)
{
  Watch *watch = g_task_get_task_data (task);

  asb_opensandbox_verdict_explain_async (g_task_get_source_object (task), &watch->verdict,
                                         g_task_get_cancellable (task), explained_cb,
                                         g_object_ref (task));
}

static void
got_ready_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  AsbSandboxInfo *info
      = asb_opensandbox_get_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (info)
    g_task_return_pointer (task, info, g_object_unref);
  else
    g_task_return_error (task, error);
}

/* Between two tries. */

static void
waited_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;

  if (asb_opensandbox_wait_finish (result, &error))
    try_again (task);
  else
    g_task_return_error (task, error);
}

static guint
choose_pause_ms (Watch *watch)
{
  guint pause = FIRST_PAUSE_MS << MIN (watch->n_tries, 8);

  return MIN (MIN (pause, MAX_PAUSE_MS), get_time_left_ms (watch));
}

static void
pause_a_little (GTask *task)
{
  Watch *watch = g_task_get_task_data (task);

  if (g_get_monotonic_time () >= watch->deadline)
    give_up (task);
  else
    asb_opensandbox_wait_async (choose_pause_ms (watch), g_task_get_cancellable (task), waited_cb,
                                g_object_ref (task));
}

/* A sandbox that has ended never gets ready, and there is no need to wait for that. */
static void
looked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Watch *watch = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_opensandbox_get_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      || asb_opensandbox_error_is_gone (error))
    g_task_return_error (task, g_steal_pointer (&error));
  else if (asb_opensandbox_verdict_is_final (&watch->verdict, info))
    give_up (task);
  else
    pause_a_little (task);
}

/* A try that had no time left says nothing, or not all, and must not stand for what an earlier one
 * has met. */
static gboolean
was_cut_short (Watch *watch, const GError *error)
{
  const GError *last = watch->verdict.last_error;
  const guint status = asb_opensandbox_error_get_status (error);

  return last && get_time_left_ms (watch) <= 1
         && (g_error_matches (error, ASB_ERROR, ASB_ERROR_TIMED_OUT)
             || (status > 0 && status == asb_opensandbox_error_get_status (last)));
}

/* Takes @error. */
static void
not_yet (GTask *task, GError *error)
{
  Watch *watch = g_task_get_task_data (task);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_task_return_error (task, error);
      return;
    }
  if (was_cut_short (watch, error))
    {
      g_error_free (error);
      give_up (task);
      return;
    }
  g_clear_error (&watch->verdict.last_error);
  watch->verdict.last_error = error;
  if (asb_opensandbox_verdict_is_refusal (error))
    give_up (task);
  else if (watch->n_tries++ % LOOKS_EVERY == 0)
    asb_opensandbox_get_async (g_task_get_source_object (task), watch->verdict.sandbox_id,
                               g_task_get_cancellable (task), looked_cb, g_object_ref (task));
  else
    pause_a_little (task);
}

/* One try. */

static void
finish (GTask *task)
{
  Watch *watch = g_task_get_task_data (task);

  if (watch->info)
    g_task_return_pointer (task, g_steal_pointer (&watch->info), g_object_unref);
  else if (watch->is_asking)
    watch->is_reached = TRUE;
  else
    asb_opensandbox_get_async (g_task_get_source_object (task), watch->verdict.sandbox_id,
                               g_task_get_cancellable (task), got_ready_cb, g_object_ref (task));
}

static void
answered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Watch *watch = g_task_get_task_data (task);
  g_autoptr (AsbSandboxInfo) info
      = asb_opensandbox_get_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, NULL);

  watch->is_asking = FALSE;
  if (info && asb_sandbox_info_get_state (info) == ASB_SANDBOX_STATE_RUNNING)
    watch->info = g_steal_pointer (&info);
  if (watch->is_reached)
    finish (task);
}

static void
ask_meanwhile (GTask *task)
{
  Watch *watch = g_task_get_task_data (task);

  watch->is_asking = TRUE;
  asb_opensandbox_get_async (g_task_get_source_object (task), watch->verdict.sandbox_id,
                             g_task_get_cancellable (task), answered_cb, g_object_ref (task));
}

static void
pinged_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxLifecycle *lifecycle = g_task_get_source_object (task);
  Watch *watch = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  if (reply)
    {
      finish (task);
      return;
    }
  /* The next try asks for the way again: it may have been that of another sandbox. */
  if (asb_opensandbox_error_get_status (error) == 0)
    asb_opensandbox_endpoints_forget (asb_opensandbox_lifecycle_get_endpoints (lifecycle),
                                      watch->verdict.sandbox_id);
  not_yet (task, error);
}

static void
ping (GTask *task, AsbOpensandboxEndpoint *endpoint)
{
  AsbOpensandboxLifecycle *lifecycle = g_task_get_source_object (task);
  Watch *watch = g_task_get_task_data (task);
  g_autoptr (AsbOpensandboxRequest) request
      = asb_opensandbox_request_new ("GET", endpoint, "/ping");

  watch->verdict.is_direct = (endpoint->flags & ASB_OPENSANDBOX_ENDPOINT_DIRECT) != 0;
  asb_opensandbox_request_set_what (request, "reach execd in the sandbox");
  asb_opensandbox_request_set_retry (request, FALSE);
  asb_opensandbox_request_set_timeout (request, MIN (MAX_PING_MS, get_time_left_ms (watch)));
  asb_opensandbox_client_send_async (asb_opensandbox_lifecycle_get_client (lifecycle), request,
                                     g_task_get_cancellable (task), pinged_cb, g_object_ref (task));
}

static void
looked_up_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  g_autoptr (AsbOpensandboxEndpoint) endpoint = asb_opensandbox_endpoints_lookup_finish (
      ASB_OPENSANDBOX_ENDPOINTS (source), result, &error);

  if (endpoint)
    ping (task, endpoint);
  else
    not_yet (task, error);
}

static void
try_again (GTask *task)
{
  AsbOpensandboxLifecycle *lifecycle = g_task_get_source_object (task);
  Watch *watch = g_task_get_task_data (task);

  asb_opensandbox_endpoints_lookup_async (
      asb_opensandbox_lifecycle_get_endpoints (lifecycle), watch->verdict.sandbox_id,
      ASB_OPENSANDBOX_PORT_EXECD, g_task_get_cancellable (task), looked_up_cb, g_object_ref (task));
}

void
asb_opensandbox_readiness_async (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id,
                                 gboolean runs, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data)
{
  AsbOpensandboxSettings *settings = asb_opensandbox_lifecycle_get_settings (lifecycle);
  g_autoptr (GTask) task = g_task_new (lifecycle, cancellable, callback, user_data);
  Watch *watch = g_new0 (Watch, 1);

  watch->verdict.sandbox_id = g_strdup (sandbox_id);
  watch->verdict.seconds = settings->ready_timeout_seconds;
  watch->deadline = g_get_monotonic_time ()
                    + (gint64)(settings->ready_timeout_seconds * (double)G_USEC_PER_SEC);
  g_task_set_source_tag (task, asb_opensandbox_readiness_async);
  g_task_set_task_data (task, watch, watch_free);
  try_again (task);
  if (runs)
    ask_meanwhile (task);
}

AsbSandboxInfo *
asb_opensandbox_readiness_finish (AsbOpensandboxLifecycle *lifecycle, GAsyncResult *result,
                                  GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
