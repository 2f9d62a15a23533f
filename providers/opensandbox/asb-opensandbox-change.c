/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-change.h"

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-get.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-labels.h"
#include "asb-opensandbox-readiness.h"
#include "asb-opensandbox-sandbox.h"

/* Seconds by which a server may set another end than it was told. */
#define MAX_DEVIATION 5

/* Takes @error. */
static void
fail (GTask *task, GError *error)
{
  asb_opensandbox_get_note_sandbox (error, asb_opensandbox_call_get (task)->sandbox_id, NULL);
  g_task_return_error (task, error);
}

/* Its end. */

char *
asb_opensandbox_change_print_time (gint64 microseconds)
{
  g_autoptr (GDateTime) second = g_date_time_new_from_unix_utc (microseconds / G_USEC_PER_SEC);
  g_autofree char *text = second ? g_date_time_format (second, "%Y-%m-%dT%H:%M:%S") : NULL;

  if (!text)
    return NULL;
  return g_strdup_printf ("%s.%06d+00:00", text, (int)(microseconds % G_USEC_PER_SEC));
}

/* Something in between may say that all is well. */
static gboolean
is_told (JsonNode *node)
{
  g_autoptr (GDateTime) expires_at = NULL;

  return JSON_NODE_HOLDS_OBJECT (node)
         && asb_opensandbox_json_get_time (json_node_get_object (node), "expiresAt", TRUE,
                                           &expires_at, NULL);
}

static gboolean
has_moved (AsbSandboxInfo *info, gint64 moment)
{
  GDateTime *expires_at = asb_sandbox_info_get_expires_at (info);

  return expires_at
         && ABS (g_date_time_to_unix (expires_at) - moment / G_USEC_PER_SEC) <= MAX_DEVIATION;
}

static void
got_after_renewal_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  GError *error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_opensandbox_get_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (info && !has_moved (info, *(gint64 *)call->state))
    error = g_error_new_literal (ASB_ERROR, ASB_ERROR_PROTOCOL,
                                 "Could not renew the sandbox: the server's answer does not say "
                                 "until when it lives, and it ends when it did before");
  if (error)
    fail (task, error);
  else
    asb_opensandbox_call_return_object (task, g_steal_pointer (&info), NULL);
}

static void
renewed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  GError *error = NULL;
  g_autoptr (JsonNode) node
      = asb_opensandbox_lifecycle_call_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (!node)
    fail (task, error);
  else if (is_told (node))
    asb_opensandbox_call_return_sandbox (task);
  else
    asb_opensandbox_get_async (call->lifecycle, call->sandbox_id, g_task_get_cancellable (task),
                               got_after_renewal_cb, g_object_ref (task));
}

/* The moment is one of the server's clock, whatever ours shows. */
static void
renew (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  AsbOpensandboxClient *client = asb_opensandbox_lifecycle_get_client (call->lifecycle);
  gint64 end = asb_opensandbox_client_get_server_time (client) + call->number * G_USEC_PER_SEC;
  g_autofree char *moment = asb_opensandbox_change_print_time (end);
  g_autoptr (JsonNode) body = NULL;
  g_autoptr (JsonObject) object = json_object_new ();
  AsbOpensandboxRequest *request = asb_opensandbox_lifecycle_new_request (
      call->lifecycle, "POST", "renew the sandbox", "sandboxes", call->sandbox_id,
      "renew-expiration", NULL);

  call->state = g_memdup2 (&end, sizeof end);
  call->free_state = g_free;
  json_object_set_string_member (object, "expiresAt", moment);
  body = json_node_init_object (json_node_alloc (), object);
  asb_opensandbox_request_set_json (request, body);
  /* To the same moment once more does no harm. */
  asb_opensandbox_request_set_retry (request, TRUE);
  asb_opensandbox_call_send (task, request, renewed_cb);
}

/* A server that has not been heard yet has not told its time. */
static void
got_before_renewal_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_opensandbox_get_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (info)
    renew (task);
  else
    fail (task, error);
}

void
asb_opensandbox_change_expiry (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);

  if (asb_opensandbox_lifecycle_was_heard (call->lifecycle))
    renew (task);
  else
    asb_opensandbox_get_async (call->lifecycle, call->sandbox_id, g_task_get_cancellable (task),
                               got_before_renewal_cb, g_object_ref (task));
}

/* Its metadata. */

/* The record in the sandbox, and whoever looks for it, knows it by that. */
static gboolean
check_key (const char *key, GError **error)
{
  if (!g_str_equal (key, ASB_OPENSANDBOX_LABEL_INSTANCE_ID))
    return TRUE;
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                       "The metadata key “" ASB_OPENSANDBOX_LABEL_INSTANCE_ID
                       "” cannot be changed: the record in the sandbox is kept under it");
  return FALSE;
}

JsonNode *
asb_opensandbox_change_new_patch (GVariant *changes, GError **error)
{
  g_autoptr (JsonObject) patch = json_object_new ();
  GVariantIter iter;
  const char *key;
  const char *value;

  g_variant_iter_init (&iter, changes);
  while (g_variant_iter_next (&iter, "{&sm&s}", &key, &value))
    {
      if (!check_key (key, error) || !asb_opensandbox_labels_check (key, value, error))
        return NULL;
      if (value)
        json_object_set_string_member (patch, key, value);
      else
        json_object_set_null_member (patch, key);
    }
  return json_node_init_object (json_node_alloc (), patch);
}

static void
patched_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxLifecycle *lifecycle = ASB_OPENSANDBOX_LIFECYCLE (source);
  g_autoptr (GTask) task = user_data;
  AsbSandboxInfo *info = NULL;
  GError *error = NULL;
  g_autoptr (JsonObject) object
      = asb_opensandbox_lifecycle_call_finish_object (lifecycle, result, &error);

  if (object)
    info = asb_opensandbox_sandbox_parse (lifecycle, object, &error);
  asb_opensandbox_call_return_object (task, info, error);
}

void
asb_opensandbox_change_metadata (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  AsbOpensandboxRequest *request = asb_opensandbox_lifecycle_new_request (
      call->lifecycle, "PATCH", "change the metadata of the sandbox", "sandboxes", call->sandbox_id,
      "metadata", NULL);

  asb_opensandbox_request_set_json (request, call->body);
  asb_opensandbox_call_send (task, request, patched_cb);
}

/* Frozen and back. Servers with Docker are done when they answer, those with Kubernetes begin then.
 * A server that refuses what is so already is not wrong enough to matter. */

typedef struct
{
  AsbSandboxState wanted;
  GError *error; /* (nullable): of the request */
} Turn;

static void
turn_free (gpointer data)
{
  Turn *turn = data;

  g_clear_error (&turn->error);
  g_free (turn);
}

static void
ready_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  AsbSandboxInfo *info
      = asb_opensandbox_readiness_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  asb_opensandbox_call_return_object (task, info, error);
}

/* Takes @info. */
static void
arrive (GTask *task, AsbSandboxInfo *info)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  g_autoptr (AsbSandboxInfo) owned = info;

  asb_opensandbox_endpoints_forget (asb_opensandbox_lifecycle_get_endpoints (call->lifecycle),
                                    call->sandbox_id);
  if (((Turn *)call->state)->wanted == ASB_SANDBOX_STATE_RUNNING)
    asb_opensandbox_readiness_async (call->lifecycle, call->sandbox_id, FALSE,
                                     g_task_get_cancellable (task), ready_cb, g_object_ref (task));
  else
    asb_opensandbox_call_return_object (task, g_steal_pointer (&owned), NULL);
}

static void
arrived_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  AsbSandboxInfo *info
      = asb_opensandbox_get_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (info)
    arrive (task, info);
  else
    fail (task, error);
}

static void
looked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Turn *turn = asb_opensandbox_call_get (task)->state;
  g_autoptr (AsbSandboxInfo) info
      = asb_opensandbox_get_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, NULL);

  if (info && asb_sandbox_info_get_state (info) == turn->wanted)
    arrive (task, g_steal_pointer (&info));
  else
    fail (task, g_steal_pointer (&turn->error));
}

static void
asked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxLifecycle *lifecycle = ASB_OPENSANDBOX_LIFECYCLE (source);
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  Turn *turn = call->state;
  g_autoptr (JsonNode) node
      = asb_opensandbox_lifecycle_call_finish (lifecycle, result, &turn->error);

  if (node)
    asb_opensandbox_get_in_state_async (lifecycle, call->sandbox_id, turn->wanted,
                                        g_task_get_cancellable (task), arrived_cb,
                                        g_object_ref (task));
  else if (asb_opensandbox_error_is_gone (turn->error)
           || g_error_matches (turn->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    fail (task, g_steal_pointer (&turn->error));
  else
    asb_opensandbox_get_async (lifecycle, call->sandbox_id, g_task_get_cancellable (task),
                               looked_cb, g_object_ref (task));
}

static void
turn_to (GTask *task, AsbSandboxState wanted, const char *verb, const char *what)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  Turn *turn = g_new0 (Turn, 1);

  turn->wanted = wanted;
  call->state = turn;
  call->free_state = turn_free;
  asb_opensandbox_endpoints_forget (asb_opensandbox_lifecycle_get_endpoints (call->lifecycle),
                                    call->sandbox_id);
  asb_opensandbox_call_send (task,
                             asb_opensandbox_lifecycle_new_request (call->lifecycle, "POST", what,
                                                                    "sandboxes", call->sandbox_id,
                                                                    verb, NULL),
                             asked_cb);
}

void
asb_opensandbox_change_to_paused (GTask *task)
{
  turn_to (task, ASB_SANDBOX_STATE_PAUSED, "pause", "pause the sandbox");
}

void
asb_opensandbox_change_to_running (GTask *task)
{
  turn_to (task, ASB_SANDBOX_STATE_RUNNING, "resume", "resume the sandbox");
}
