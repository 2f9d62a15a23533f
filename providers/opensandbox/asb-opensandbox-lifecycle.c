/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-lifecycle.h"

#include "asb-opensandbox-creation.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-thread.h"

struct _AsbOpensandboxLifecycle
{
  GObject parent_instance;

  AsbOpensandboxClient *client;
  AsbOpensandboxEndpoints *endpoints;
  GHashTable *creations; /* idempotency key → AsbOpensandboxCreation */
  char *key;
  char *fingerprint;
  gboolean was_heard;
};

G_DEFINE_FINAL_TYPE (AsbOpensandboxLifecycle, asb_opensandbox_lifecycle, G_TYPE_OBJECT)

static void
asb_opensandbox_lifecycle_finalize (GObject *object)
{
  AsbOpensandboxLifecycle *self = ASB_OPENSANDBOX_LIFECYCLE (object);

  asb_opensandbox_thread_unref (g_steal_pointer (&self->endpoints));
  asb_opensandbox_thread_unref (g_steal_pointer (&self->client));
  g_clear_pointer (&self->creations, g_hash_table_unref);
  g_clear_pointer (&self->key, g_free);
  g_clear_pointer (&self->fingerprint, g_free);

  G_OBJECT_CLASS (asb_opensandbox_lifecycle_parent_class)->finalize (object);
}

static void
asb_opensandbox_lifecycle_class_init (AsbOpensandboxLifecycleClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_opensandbox_lifecycle_finalize;
}

static void
asb_opensandbox_lifecycle_init (AsbOpensandboxLifecycle *self)
{
  self->creations = asb_opensandbox_creation_new_table ();
}

AsbOpensandboxLifecycle *
asb_opensandbox_lifecycle_new (AsbOpensandboxClient *client, const char *provider_key)
{
  AsbOpensandboxLifecycle *self = g_object_new (ASB_TYPE_OPENSANDBOX_LIFECYCLE, NULL);

  self->client = g_object_ref (client);
  self->endpoints = asb_opensandbox_endpoints_new (client);
  self->key = g_strdup (provider_key);
  self->fingerprint
      = asb_opensandbox_settings_dup_fingerprint (asb_opensandbox_client_get_settings (client));
  return self;
}

AsbOpensandboxClient *
asb_opensandbox_lifecycle_get_client (AsbOpensandboxLifecycle *self)
{
  return self->client;
}

AsbOpensandboxSettings *
asb_opensandbox_lifecycle_get_settings (AsbOpensandboxLifecycle *self)
{
  return asb_opensandbox_client_get_settings (self->client);
}

AsbOpensandboxEndpoints *
asb_opensandbox_lifecycle_get_endpoints (AsbOpensandboxLifecycle *self)
{
  return self->endpoints;
}

const char *
asb_opensandbox_lifecycle_get_key (AsbOpensandboxLifecycle *self)
{
  return self->key;
}

const char *
asb_opensandbox_lifecycle_get_fingerprint (AsbOpensandboxLifecycle *self)
{
  return self->fingerprint;
}

GHashTable *
asb_opensandbox_lifecycle_get_creations (AsbOpensandboxLifecycle *self)
{
  return self->creations;
}

gboolean
asb_opensandbox_lifecycle_was_heard (AsbOpensandboxLifecycle *self)
{
  return self->was_heard;
}

AsbOpensandboxRequest *
asb_opensandbox_lifecycle_new_request (AsbOpensandboxLifecycle *self, const char *method,
                                       const char *what, ...)
{
  g_autoptr (GString) path = g_string_new (NULL);
  AsbOpensandboxRequest *request;
  const char *sandbox_id = NULL;
  const char *segment;
  va_list segments;

  va_start (segments, what);
  while ((segment = va_arg (segments, const char *)) != NULL)
    {
      if (g_str_equal (path->str, "/sandboxes"))
        sandbox_id = segment;
      g_string_append_c (path, '/');
      g_string_append_uri_escaped (path, segment, NULL, FALSE);
    }
  va_end (segments);
  request = asb_opensandbox_request_new (
      method, asb_opensandbox_client_get_lifecycle (self->client), path->str);
  asb_opensandbox_request_set_what (request, what);
  if (sandbox_id)
    asb_opensandbox_request_set_sandbox (request, sandbox_id);
  return request;
}

static void
sent_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxLifecycle *self = g_task_get_source_object (task);
  GError *error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);
  GBytes *body = reply ? asb_opensandbox_reply_get_body (reply) : NULL;
  JsonNode *node = NULL;

  self->was_heard = self->was_heard || body;
  if (body && g_bytes_get_size (body) == 0)
    node = json_node_new (JSON_NODE_NULL);
  else if (body)
    node = asb_opensandbox_json_parse (body, "the reply of the server", &error);
  if (node)
    g_task_return_pointer (task, node, (GDestroyNotify)json_node_unref);
  else
    g_task_return_error (task, error);
}

void
asb_opensandbox_lifecycle_call_async (AsbOpensandboxLifecycle *self, AsbOpensandboxRequest *request,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer user_data)
{
  GTask *task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, asb_opensandbox_lifecycle_call_async);
  /* What the server answered counts, also when the cancellation came at the same time. */
  g_task_set_check_cancellable (task, FALSE);
  asb_opensandbox_client_send_async (self->client, request, cancellable, sent_cb, task);
}

JsonNode *
asb_opensandbox_lifecycle_call_finish (AsbOpensandboxLifecycle *self, GAsyncResult *result,
                                       GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

JsonObject *
asb_opensandbox_lifecycle_call_finish_object (AsbOpensandboxLifecycle *self, GAsyncResult *result,
                                              GError **error)
{
  g_autoptr (JsonNode) node = asb_opensandbox_lifecycle_call_finish (self, result, error);

  if (!node)
    return NULL;
  if (JSON_NODE_HOLDS_OBJECT (node))
    return json_node_dup_object (node);
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                       "The reply of the server is no JSON object");
  return NULL;
}
