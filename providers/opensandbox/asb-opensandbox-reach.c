/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-reach.h"

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-get.h"

/* What a lookup gives for the sidecars that the server has started. Before 0.1.8 it gave none. */
#define SIDECAR_TOKEN "OPENSANDBOX-EGRESS-AUTH"

typedef struct
{
  char *sandbox_id;
  guint port;
  gboolean has_sidecar;
  AsbOpensandboxNewRequest new_request;
  gpointer request_data;
} Reach;

static void
reach_free (gpointer data)
{
  Reach *reach = data;

  g_free (reach->sandbox_id);
  g_free (reach);
}

/* The proxies' word that nobody listens, or the kernel's. */
static gboolean
is_nobody_there (const GError *error)
{
  return g_error_matches (error, ASB_ERROR, ASB_ERROR_PROVIDER)
         && (asb_opensandbox_error_get_status (error) == 502
             || asb_opensandbox_error_was_not_sent (error));
}

/* Takes @error. */
static GError *
explain (const Reach *reach, GError *error)
{
  asb_opensandbox_get_note_sandbox (error, reach->sandbox_id, NULL);
  if (reach->port != ASB_OPENSANDBOX_PORT_EGRESS || reach->has_sidecar || !is_nobody_there (error))
    return error;
  g_prefix_error (
      &error, "Sandbox “%s” has no egress sidecar; one that is made with a network policy has: ",
      reach->sandbox_id);
  error->code = ASB_ERROR_UNSUPPORTED_CAPABILITY;
  asb_error_info_set_retryable (asb_error_get_info (error), FALSE);
  return error;
}

static void
sent_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxLifecycle *lifecycle = g_task_get_source_object (task);
  Reach *reach = g_task_get_task_data (task);
  GError *error = NULL;
  AsbOpensandboxReply *reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);
  guint status;

  if (reply)
    {
      g_task_return_pointer (task, reply, (GDestroyNotify)asb_opensandbox_reply_unref);
      return;
    }
  status = asb_opensandbox_error_get_status (error);
  if (status == 0 || status == 502 || status == 404)
    asb_opensandbox_endpoints_forget (asb_opensandbox_lifecycle_get_endpoints (lifecycle),
                                      reach->sandbox_id);
  g_task_return_error (task, explain (reach, error));
}

static void
looked_up_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxLifecycle *lifecycle = g_task_get_source_object (task);
  Reach *reach = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (AsbOpensandboxRequest) request = NULL;
  g_autoptr (AsbOpensandboxEndpoint) endpoint = asb_opensandbox_endpoints_lookup_finish (
      ASB_OPENSANDBOX_ENDPOINTS (source), result, &error);

  if (!endpoint)
    {
      asb_opensandbox_get_note_sandbox (error, reach->sandbox_id, NULL);
      g_task_return_error (task, error);
      return;
    }
  reach->has_sidecar = g_hash_table_contains (endpoint->headers, SIDECAR_TOKEN);
  request = reach->new_request (endpoint, reach->request_data);
  /* Nobody will listen the next time either. */
  if (reach->port == ASB_OPENSANDBOX_PORT_EGRESS && !reach->has_sidecar)
    asb_opensandbox_request_set_once (request);
  asb_opensandbox_client_send_async (asb_opensandbox_lifecycle_get_client (lifecycle), request,
                                     g_task_get_cancellable (task), sent_cb, g_object_ref (task));
}

void
asb_opensandbox_reach_async (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id, guint port,
                             AsbOpensandboxNewRequest new_request, gpointer request_data,
                             GCancellable *cancellable, GAsyncReadyCallback callback,
                             gpointer user_data)
{
  GTask *task = g_task_new (lifecycle, cancellable, callback, user_data);
  Reach *reach = g_new0 (Reach, 1);

  reach->sandbox_id = g_strdup (sandbox_id);
  reach->port = port;
  reach->new_request = new_request;
  reach->request_data = request_data;
  g_task_set_source_tag (task, asb_opensandbox_reach_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, reach, reach_free);
  asb_opensandbox_endpoints_lookup_async (asb_opensandbox_lifecycle_get_endpoints (lifecycle),
                                          sandbox_id, port, cancellable, looked_up_cb, task);
}

AsbOpensandboxReply *
asb_opensandbox_reach_finish (AsbOpensandboxLifecycle *lifecycle, GAsyncResult *result,
                              GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
