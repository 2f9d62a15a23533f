/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-entrance.h"

#include "asb-opensandbox-call.h"
#include "asb-opensandbox-cancel.h"
#include "asb-opensandbox-pty-way.h"
#include "asb-opensandbox-upload.h"
#include "asb-opensandbox-web-way.h"
#include "asb-opensandbox-websocket-stream.h"

#define WEBSOCKET "websocket"
#define PTY "pty"
#define BROKEN_OFF "asb-broken-off" /* the error meanwhile */
#define CHOSEN "the option “transport” asks for it"

static AsbOpensandboxVisit *
get_visit (GTask *task)
{
  return asb_opensandbox_call_get (task)->state;
}

static AsbOpensandboxTransportChoice
get_choice (AsbOpensandboxVisit *visit)
{
  return asb_opensandbox_lifecycle_get_settings (visit->lifecycle)->transport;
}

/* Where the application asks for the guest the provider's own transport must not stand in for it.
 * Takes @error. */
static GError *
make_binding (AsbOpensandboxVisit *visit, GError *error)
{
  if (get_choice (visit) != ASB_OPENSANDBOX_TRANSPORT_AUTO
      && g_error_matches (error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE))
    error->code = ASB_ERROR_UNSUPPORTED_CAPABILITY;
  return error;
}

/* What became of execd says more than that its words broke off. */
static void
pinged_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxSite *site = get_visit (task)->site;
  GError *error = g_object_steal_data (G_OBJECT (task), BROKEN_OFF);
  g_autoptr (GError) fault = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &fault);

  if (reply || g_error_matches (fault, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_task_return_error (task, asb_opensandbox_site_suspect_memory (site, error));
      return;
    }
  g_prefix_error (&fault, "%s; ", error->message);
  g_error_free (error);
  g_task_return_error (task, asb_opensandbox_site_suspect_memory (site, g_steal_pointer (&fault)));
}

/* Takes @error. */
static void
look_into (GTask *task, GError *error)
{
  AsbOpensandboxVisit *visit = get_visit (task);
  g_autoptr (AsbOpensandboxRequest) request = asb_opensandbox_execd_new_request (
      visit->execd, "GET", "/ping", "reach execd in the sandbox again");

  g_object_set_data (G_OBJECT (task), BROKEN_OFF, error);
  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (visit->execd), request,
                                     visit->cancellable, pinged_cb, g_object_ref (task));
}

/* Takes @error. */
static void
return_failure (GTask *task, GError *error)
{
  AsbOpensandboxVisit *visit = get_visit (task);

  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_COMMAND_NOT_FOUND))
    asb_opensandbox_upload_was_missed (visit->site, visit->argv[0], visit->started_at);
  else if (g_error_matches (error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE))
    asb_opensandbox_site_set_no_guest (visit->site, error->message);
  else
    /* It may have moved, or be gone: whoever tries again asks the server anew. */
    asb_opensandbox_endpoints_forget (asb_opensandbox_lifecycle_get_endpoints (visit->lifecycle),
                                      visit->sandbox_id);
  if (visit->execd && g_error_matches (error, ASB_ERROR, ASB_ERROR_INTERRUPTED))
    look_into (task, error);
  else
    g_task_return_error (
        task, make_binding (visit, asb_opensandbox_site_suspect_memory (visit->site, error)));
}

/* Takes @link. */
static void
return_stream (GTask *task, AsbOpensandboxWebsocketLink *link, const char *way, const char *reason)
{
  g_autoptr (AsbOpensandboxWebsocketLink) owned = link;
  AsbOpensandboxVisit *visit = get_visit (task);

  asb_stream_spec_set_way (visit->spec, way);
  asb_stream_spec_set_way_reason (visit->spec, reason);
  asb_opensandbox_call_return_object (task, asb_opensandbox_websocket_stream_new (link), NULL);
}

/* By a PTY. */

static void
remember_shut (AsbOpensandboxVisit *visit)
{
  if (!visit->is_shut_for_good || visit->site->no_websocket)
    return;
  visit->site->no_websocket = g_strdup (visit->no_websocket);
}

static const char *
explain_pty (AsbOpensandboxVisit *visit)
{
  if (visit->no_websocket)
    return visit->no_websocket;
  if (visit->site->no_websocket && get_choice (visit) != ASB_OPENSANDBOX_TRANSPORT_PTY)
    return visit->site->no_websocket;
  return asb_opensandbox_visit_is_to_guest (visit) ? CHOSEN : "only the guest has another way";
}

static void
pty_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxVisit *visit = get_visit (task);
  GError *error = NULL;
  AsbOpensandboxWebsocketLink *link = asb_opensandbox_pty_way_open_finish (result, &error);

  if (link)
    {
      remember_shut (visit);
      return_stream (task, link, PTY, explain_pty (visit));
      return;
    }
  if (g_error_matches (error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE) && visit->no_websocket)
    g_prefix_error (&error, "%s; ", visit->no_websocket);
  return_failure (task, error);
}

static void
open_pty (GTask *task)
{
  asb_opensandbox_pty_way_open_async (get_visit (task), pty_cb, g_object_ref (task));
}

/* By a WebSocket. */

static void
web_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxVisit *visit = get_visit (task);
  GError *error = NULL;
  AsbOpensandboxWebsocketLink *link = asb_opensandbox_web_way_open_finish (result, &error);

  if (link)
    {
      return_stream (task, link, WEBSOCKET, NULL);
      return;
    }
  if (!visit->no_websocket || get_choice (visit) == ASB_OPENSANDBOX_TRANSPORT_WEBSOCKET)
    {
      return_failure (task, error);
      return;
    }
  g_error_free (error);
  open_pty (task);
}

static gboolean
is_by_pty (AsbOpensandboxVisit *visit)
{
  return get_choice (visit) == ASB_OPENSANDBOX_TRANSPORT_PTY
         || !asb_opensandbox_visit_is_to_guest (visit)
         || (visit->site->no_websocket
             && get_choice (visit) != ASB_OPENSANDBOX_TRANSPORT_WEBSOCKET);
}

static void
looked_up_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxVisit *visit = get_visit (task);
  GError *error = NULL;

  visit->endpoint = asb_opensandbox_endpoints_lookup_finish (ASB_OPENSANDBOX_ENDPOINTS (source),
                                                             result, &error);
  if (!visit->endpoint)
    {
      return_failure (task, error);
      return;
    }
  visit->execd = asb_opensandbox_execd_new (asb_opensandbox_lifecycle_get_client (visit->lifecycle),
                                            visit->endpoint);
  if (is_by_pty (visit))
    open_pty (task);
  else
    asb_opensandbox_web_way_open_async (visit, web_cb, g_steal_pointer (&task));
}

static void
open_in_thread (GTask *task)
{
  AsbOpensandboxVisit *visit = get_visit (task);

  visit->started_at = g_get_monotonic_time ();
  visit->cancellable = asb_opensandbox_cancel_new (task);
  visit->site = asb_opensandbox_site_get (visit->lifecycle, visit->sandbox_id);
  asb_opensandbox_endpoints_lookup_async (
      asb_opensandbox_lifecycle_get_endpoints (visit->lifecycle), visit->sandbox_id,
      ASB_OPENSANDBOX_PORT_EXECD, visit->cancellable, looked_up_cb, g_object_ref (task));
}

static const char *
find_objection (AsbOpensandboxVisit *visit)
{
  if (get_choice (visit) == ASB_OPENSANDBOX_TRANSPORT_NATIVE)
    return "The option “transport” asks for the native one";
  return visit->argv[0] ? NULL : "There is no guest in the sandboxes of this provider";
}

void
asb_opensandbox_entrance_open_stream (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id,
                                      AsbStreamSpec *spec, GTask *task)
{
  g_autoptr (AsbOpensandboxVisit) visit = asb_opensandbox_visit_new (lifecycle, sandbox_id, spec);
  const char *objection = find_objection (visit);
  AsbOpensandboxCall *call;

  if (asb_stream_spec_get_record_only (spec))
    {
      g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                               "The record of a sandbox that is gone is gone with it");
      return;
    }
  if (objection)
    {
      g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE, "%s", objection);
      return;
    }
  call = asb_opensandbox_call_new (lifecycle, sandbox_id);
  call->state = g_steal_pointer (&visit);
  call->free_state = (GDestroyNotify)asb_opensandbox_visit_free;
  asb_opensandbox_call_run (call, task, open_in_thread);
}
