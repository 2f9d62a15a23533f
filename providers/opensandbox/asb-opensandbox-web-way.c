/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-web-way.h"

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-guest-start.h"

/* Until the WebSocket is open, and until the guest has answered by it. */
#define OPEN_TIMEOUT_MS 10000
#define READY_TIMEOUT_MS 10000

typedef struct
{
  AsbOpensandboxVisit *visit; /* borrowed: it outlives us */
  AsbOpensandboxWebsocketLink *link;
  gboolean is_fresh; /* the guest has just said that it listens */
} Way;

static void
way_free (gpointer data)
{
  Way *self = data;

  g_clear_pointer (&self->link, asb_opensandbox_websocket_link_unref);
  g_free (self);
}

static void start (GTask *task);

/* Takes @error, and a reference to @task. */
static void
handle_failure (GTask *data, GError *error)
{
  g_autoptr (GTask) task = data;
  Way *self = g_task_get_task_data (task);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_task_return_error (task, error);
      return;
    }
  asb_opensandbox_site_forget_door (self->visit->site);
  if (!self->is_fresh)
    {
      g_error_free (error);
      start (g_steal_pointer (&task));
      return;
    }
  g_free (self->visit->no_websocket);
  self->visit->no_websocket = g_strdup (error->message);
  /* Somebody said no. Silence, or a connection that failed, may have been a moment. */
  self->visit->is_shut_for_good = asb_opensandbox_error_get_status (error) != 0
                                  || g_error_matches (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
  g_task_return_error (task, error);
}

static void
waited_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Way *self = g_task_get_task_data (task);
  GError *error = NULL;

  if (asb_opensandbox_websocket_link_wait_finish (result, &error))
    {
      g_task_return_pointer (task, g_steal_pointer (&self->link),
                             (GDestroyNotify)asb_opensandbox_websocket_link_unref);
      return;
    }
  asb_opensandbox_websocket_link_drop (self->link, error);
  g_clear_pointer (&self->link, asb_opensandbox_websocket_link_unref);
  handle_failure (g_steal_pointer (&task), error);
}

static void
connected_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Way *self = g_task_get_task_data (task);
  GError *error = NULL;
  SoupWebsocketConnection *connection
      = asb_opensandbox_client_connect_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  if (!connection)
    {
      handle_failure (g_steal_pointer (&task), error);
      return;
    }
  self->link
      = asb_opensandbox_websocket_link_new (connection, &asb_opensandbox_websocket_plain, NULL);
  asb_opensandbox_websocket_link_wait_async (self->link, READY_TIMEOUT_MS, self->visit->cancellable,
                                             waited_cb, g_steal_pointer (&task));
}

/* Takes @task. */
static void
come_in (GTask *task)
{
  Way *self = g_task_get_task_data (task);
  g_autofree char *path = g_strdup_printf ("/proxy/%u/", self->visit->site->port);
  g_autoptr (AsbOpensandboxRequest) request = asb_opensandbox_execd_new_request (
      self->visit->execd, "GET", path, "reach the guest by a WebSocket");

  asb_opensandbox_request_set_timeout (request, OPEN_TIMEOUT_MS);
  asb_opensandbox_client_connect_async (asb_opensandbox_execd_get_client (self->visit->execd),
                                        request, self->visit->cancellable, connected_cb, task);
}

static void
started_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;

  if (asb_opensandbox_guest_start_finish (result, &error))
    come_in (g_steal_pointer (&task));
  else
    g_task_return_error (task, error);
}

/* Takes @task. */
static void
start (GTask *task)
{
  Way *self = g_task_get_task_data (task);

  self->is_fresh = TRUE;
  asb_opensandbox_guest_start_async (self->visit, started_cb, task);
}

void
asb_opensandbox_web_way_open_async (AsbOpensandboxVisit *visit, GAsyncReadyCallback callback,
                                    gpointer user_data)
{
  GTask *task = g_task_new (NULL, NULL, callback, user_data);
  Way *self = g_new0 (Way, 1);

  self->visit = visit;
  g_task_set_source_tag (task, asb_opensandbox_web_way_open_async);
  g_task_set_task_data (task, self, way_free);
  if (asb_opensandbox_site_has_door (visit->site, visit->token))
    come_in (task);
  else
    start (task);
}

AsbOpensandboxWebsocketLink *
asb_opensandbox_web_way_open_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
