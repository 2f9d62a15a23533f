/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-websocket-opening.h"

/* A proxy may open its side before it knows whether there is another. */
#define OPEN_TIMEOUT_MS 10000

typedef struct
{
  const AsbOpensandboxWebsocketKind *kind;
  gpointer data; /* before there is a link */
  guint ready_ms;
  AsbOpensandboxWebsocketLink *link;
} Opening;

static void
opening_free (gpointer data)
{
  Opening *self = data;

  if (self->data && self->kind->free)
    self->kind->free (self->data);
  g_clear_pointer (&self->link, asb_opensandbox_websocket_link_unref);
  g_free (self);
}

static void
waited_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Opening *self = g_task_get_task_data (task);
  GError *error = NULL;

  if (asb_opensandbox_websocket_link_wait_finish (result, &error))
    {
      g_task_return_pointer (task, g_steal_pointer (&self->link),
                             (GDestroyNotify)asb_opensandbox_websocket_link_unref);
      return;
    }
  asb_opensandbox_websocket_link_drop (self->link, error);
  g_task_return_error (task, error);
}

static void
connected_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Opening *self = g_task_get_task_data (task);
  GError *error = NULL;
  SoupWebsocketConnection *connection
      = asb_opensandbox_client_connect_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  if (!connection)
    {
      g_task_return_error (task, error);
      return;
    }
  self->link
      = asb_opensandbox_websocket_link_new (connection, self->kind, g_steal_pointer (&self->data));
  asb_opensandbox_websocket_link_wait_async (
      self->link, self->ready_ms, g_task_get_cancellable (task), waited_cb, g_object_ref (task));
}

void
asb_opensandbox_websocket_opening_async (AsbOpensandboxClient *client,
                                         AsbOpensandboxRequest *request,
                                         const AsbOpensandboxWebsocketKind *kind, gpointer data,
                                         guint ready_ms, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  Opening *self = g_new0 (Opening, 1);

  self->kind = kind;
  self->data = data;
  self->ready_ms = ready_ms;
  g_task_set_source_tag (task, asb_opensandbox_websocket_opening_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, self, opening_free);
  asb_opensandbox_request_set_timeout (request, OPEN_TIMEOUT_MS);
  asb_opensandbox_client_connect_async (client, request, cancellable, connected_cb,
                                        g_object_ref (task));
}

AsbOpensandboxWebsocketLink *
asb_opensandbox_websocket_opening_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
