/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-pty-way.h"

#include "asb-opensandbox-cancel.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-guest-script.h"
#include "asb-opensandbox-pty-frame.h"
#include "asb-opensandbox-pty-session.h"
#include "asb-opensandbox-websocket-opening.h"

#define READY_TIMEOUT_MS 20000

typedef struct
{
  AsbOpensandboxVisit *visit;        /* borrowed: it outlives us */
  AsbOpensandboxPtySession *session; /* until it is gone to */
} Way;

static void
way_free (gpointer data)
{
  Way *self = data;

  g_clear_pointer (&self->session, asb_opensandbox_pty_session_free);
  g_free (self);
}

/* What says that there are no PTYs here, and not that they cannot be reached. */
static gboolean
is_shut (const GError *error)
{
  guint status = asb_opensandbox_error_get_status (error);
  AsbErrorInfo *info = error->domain == ASB_ERROR ? asb_error_get_info (error) : NULL;
  const char *code = info ? asb_error_info_get_provider_error_code (info) : NULL;

  if ((code && g_str_has_suffix (code, "SANDBOX_NOT_FOUND"))
      || asb_opensandbox_error_is_no_way (error))
    return FALSE;
  return status == 404 || status == 405 || status == 501 || status == 500;
}

/* Takes @error. */
static void
return_failure (GTask *task, GError *error)
{
  if (is_shut (error))
    {
      g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE,
                               "There are no PTYs in this sandbox: %s", error->message);
      g_error_free (error);
    }
  else
    g_task_return_error (task, error);
}

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  AsbOpensandboxWebsocketLink *link = asb_opensandbox_websocket_opening_finish (result, &error);

  if (link)
    g_task_return_pointer (task, link, (GDestroyNotify)asb_opensandbox_websocket_link_unref);
  else
    return_failure (task, error);
}

/* Takes @task. */
static void
come_in (GTask *task)
{
  Way *self = g_task_get_task_data (task);
  g_autofree char *id
      = g_uri_escape_string (asb_opensandbox_pty_session_get_id (self->session), NULL, FALSE);
  g_autofree char *path = g_strdup_printf ("/pty/%s/ws", id);
  g_autoptr (AsbOpensandboxRequest) request = asb_opensandbox_execd_new_request (
      self->visit->execd, "GET", path, "reach the program in the sandbox by a PTY");

  asb_opensandbox_request_add_query (request, "pty", "0");
  asb_opensandbox_websocket_opening_async (asb_opensandbox_execd_get_client (self->visit->execd),
                                           request, &asb_opensandbox_pty_session_kind,
                                           g_steal_pointer (&self->session), READY_TIMEOUT_MS,
                                           self->visit->cancellable, opened_cb, task);
}

/* A session that is made. Whoever wanted it may have gone meanwhile; then it is taken down. */
typedef struct
{
  GTask *task; /* NULL when it was cancelled */
  AsbOpensandboxCancelWatch *cancelled;
  AsbOpensandboxExecd *execd;
  AsbOpensandboxSite *site;
  char *program;
} Birth;

static Birth *
birth_new (GTask *task, AsbOpensandboxVisit *visit)
{
  Birth *self = g_new0 (Birth, 1);

  self->task = task;
  self->execd = g_object_ref (visit->execd);
  self->site = asb_opensandbox_site_ref (visit->site);
  self->program = g_strdup (visit->argv[0]);
  return self;
}

static void
birth_free (Birth *self)
{
  asb_opensandbox_cancel_unwatch (&self->cancelled);
  g_clear_object (&self->task);
  g_object_unref (self->execd);
  asb_opensandbox_site_unref (self->site);
  g_free (self->program);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Birth, birth_free)

static void
cancelled_cb (gpointer data)
{
  Birth *birth = data;
  g_autoptr (GTask) task = g_steal_pointer (&birth->task);

  g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled");
}

static void
created_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (Birth) birth = user_data;
  g_autoptr (GTask) task = g_steal_pointer (&birth->task);
  Way *self = task ? g_task_get_task_data (task) : NULL;
  AsbOpensandboxPtySession *session = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);
  g_autofree char *id = NULL;

  asb_opensandbox_cancel_unwatch (&birth->cancelled);
  if (reply)
    id = asb_opensandbox_pty_frame_parse_session (asb_opensandbox_reply_get_body (reply), &error);
  if (id)
    session = asb_opensandbox_pty_session_new (birth->execd, birth->site, id, birth->program);
  if (!task)
    {
      g_clear_pointer (&session, asb_opensandbox_pty_session_free);
      return;
    }
  self->session = session;
  if (session)
    come_in (g_steal_pointer (&task));
  else
    return_failure (task, g_steal_pointer (&error));
}

static AsbOpensandboxRequest *
new_request (AsbOpensandboxVisit *visit)
{
  AsbOpensandboxRequest *request = asb_opensandbox_execd_new_request (
      visit->execd, "POST", "/pty", "start a program in the sandbox by a PTY");
  g_autofree char *script
      = asb_opensandbox_visit_is_to_guest (visit)
            ? asb_opensandbox_guest_script_new_connect (visit->argv[0])
            : asb_opensandbox_guest_script_new_program ((const char *const *)visit->argv);
  g_autoptr (JsonNode) node = json_node_alloc ();
  g_autoptr (JsonObject) body = json_object_new ();

  json_object_set_string_member (body, "cwd", "/");
  json_object_set_string_member (body, "command", script);
  json_node_init_object (node, body);
  asb_opensandbox_request_set_json (request, node);
  return request;
}

/* What was asked for may be made whether or not somebody waits, and only its answer says what is to
 * be taken down. */
void
asb_opensandbox_pty_way_open_async (AsbOpensandboxVisit *visit, GAsyncReadyCallback callback,
                                    gpointer user_data)
{
  GTask *task = g_task_new (NULL, NULL, callback, user_data);
  Way *self = g_new0 (Way, 1);
  g_autoptr (AsbOpensandboxRequest) request = new_request (visit);
  Birth *birth = birth_new (task, visit);

  self->visit = visit;
  g_task_set_source_tag (task, asb_opensandbox_pty_way_open_async);
  g_task_set_task_data (task, self, way_free);
  birth->cancelled = asb_opensandbox_cancel_watch (visit->cancellable, cancelled_cb, birth);
  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (visit->execd), request, NULL,
                                     created_cb, birth);
}

AsbOpensandboxWebsocketLink *
asb_opensandbox_pty_way_open_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
