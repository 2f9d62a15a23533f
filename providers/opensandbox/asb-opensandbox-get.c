/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-get.h"

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-fate.h"
#include "asb-opensandbox-sandbox.h"
#include "asb-opensandbox-wait.h"

#define FIRST_PAUSE_MS 100
#define MAX_PAUSE_MS 1000
#define MAX_AWAIT_US (110 * G_USEC_PER_SEC)
#define MAX_DELETIONS 3

void
asb_opensandbox_get_note_sandbox (GError *error, const char *sandbox_id, const char *instance_id)
{
  AsbErrorInfo *info = error->domain == ASB_ERROR ? asb_error_get_info (error) : NULL;

  if (!info)
    return;
  if (sandbox_id)
    asb_error_info_set_sandbox_id (info, sandbox_id);
  if (instance_id)
    asb_error_info_set_sandbox_instance_id (info, instance_id);
}

/* Asking. */

static AsbSandboxInfo *
parse (AsbOpensandboxLifecycle *lifecycle, JsonObject *object, const char *sandbox_id,
       GError **error)
{
  g_autoptr (AsbSandboxInfo) info = asb_opensandbox_sandbox_parse (lifecycle, object, error);
  AsbSandboxRef *ref = info ? asb_sandbox_info_get_ref (info) : NULL;

  if (!ref || g_str_equal (asb_sandbox_ref_get_sandbox_id (ref), sandbox_id))
    return g_steal_pointer (&info);
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
               "The server was asked for sandbox “%s” and told of another", sandbox_id);
  return NULL;
}

static void
got_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxLifecycle *lifecycle = ASB_OPENSANDBOX_LIFECYCLE (source);
  g_autoptr (GTask) task = user_data;
  const char *sandbox_id = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (JsonObject) object
      = asb_opensandbox_lifecycle_call_finish_object (lifecycle, result, &error);
  AsbSandboxInfo *info = object ? parse (lifecycle, object, sandbox_id, &error) : NULL;

  if (info)
    {
      g_task_return_pointer (task, info, g_object_unref);
      return;
    }
  asb_opensandbox_get_note_sandbox (error, sandbox_id, NULL);
  g_task_return_error (task, error);
}

void
asb_opensandbox_get_async (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id,
                           GCancellable *cancellable, GAsyncReadyCallback callback,
                           gpointer user_data)
{
  GTask *task = g_task_new (lifecycle, cancellable, callback, user_data);
  g_autoptr (AsbOpensandboxRequest) request = asb_opensandbox_lifecycle_new_request (
      lifecycle, "GET", "get the sandbox", "sandboxes", sandbox_id, NULL);

  g_task_set_source_tag (task, asb_opensandbox_get_async);
  g_task_set_task_data (task, g_strdup (sandbox_id), g_free);
  asb_opensandbox_lifecycle_call_async (lifecycle, request, cancellable, got_cb, task);
}

AsbSandboxInfo *
asb_opensandbox_get_finish (AsbOpensandboxLifecycle *lifecycle, GAsyncResult *result,
                            GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* Awaiting. */

typedef struct
{
  char *sandbox_id;
  AsbSandboxState wanted;
  gint64 deadline;
  guint pause_ms;
} Await;

static void
await_free (gpointer data)
{
  Await *await = data;

  g_free (await->sandbox_id);
  g_free (await);
}

static gboolean
has_ended (AsbSandboxState state)
{
  return state == ASB_SANDBOX_STATE_FAILED || state == ASB_SANDBOX_STATE_STOPPED
         || state == ASB_SANDBOX_STATE_STOPPING || state == ASB_SANDBOX_STATE_DELETED;
}

static GError *
new_state_error (Await *await, AsbSandboxInfo *info, gboolean is_late)
{
  const char *reason = asb_sandbox_info_get_reason (info);
  const char *message = asb_sandbox_info_get_message (info);
  g_autoptr (GEnumClass) names = g_type_class_ref (ASB_TYPE_SANDBOX_STATE);
  const char *wanted = g_enum_get_value (names, (int)await->wanted)->value_nick;
  const char *now = g_enum_get_value (names, (int)asb_sandbox_info_get_state (info))->value_nick;
  GError *error = g_error_new (ASB_ERROR, is_late ? ASB_ERROR_TIMED_OUT : ASB_ERROR_SANDBOX_STATE,
                               "Sandbox “%s” did not become %s: it is %s%s%s%s%s",
                               await->sandbox_id, wanted, now, reason ? ", " : "",
                               reason ? reason : "", message ? ": " : "", message ? message : "");

  asb_opensandbox_get_note_sandbox (error, await->sandbox_id, NULL);
  return error;
}

static void ask_for_state (GTask *task);

static void
waited_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;

  if (asb_opensandbox_wait_finish (result, &error))
    ask_for_state (task);
  else
    g_task_return_error (task, error);
}

static void
got_state_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Await *await = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_opensandbox_get_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);
  gboolean is_late = g_get_monotonic_time () >= await->deadline;

  if (!info)
    g_task_return_error (task, error);
  else if (asb_sandbox_info_get_state (info) == await->wanted)
    g_task_return_pointer (task, g_steal_pointer (&info), g_object_unref);
  else if (has_ended (asb_sandbox_info_get_state (info)) || is_late)
    g_task_return_error (task, new_state_error (await, info, is_late));
  else
    {
      asb_opensandbox_wait_async (await->pause_ms, g_task_get_cancellable (task), waited_cb,
                                  g_object_ref (task));
      await->pause_ms = MIN (await->pause_ms * 2, MAX_PAUSE_MS);
    }
}

static void
ask_for_state (GTask *task)
{
  Await *await = g_task_get_task_data (task);

  asb_opensandbox_get_async (g_task_get_source_object (task), await->sandbox_id,
                             g_task_get_cancellable (task), got_state_cb, g_object_ref (task));
}

void
asb_opensandbox_get_in_state_async (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id,
                                    AsbSandboxState wanted, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (lifecycle, cancellable, callback, user_data);
  Await *await = g_new0 (Await, 1);

  await->sandbox_id = g_strdup (sandbox_id);
  await->wanted = wanted;
  await->deadline = g_get_monotonic_time () + MAX_AWAIT_US;
  await->pause_ms = FIRST_PAUSE_MS;
  g_task_set_source_tag (task, asb_opensandbox_get_in_state_async);
  g_task_set_task_data (task, await, await_free);
  ask_for_state (task);
}

/* Deleting. */

typedef struct
{
  char *sandbox_id;
  guint n_tries;
  gboolean may_have_acted; /* a try whose answer is not known */
} Deletion;

static void
deletion_free (gpointer data)
{
  Deletion *deletion = data;

  g_free (deletion->sandbox_id);
  g_free (deletion);
}

static void delete_once (GTask *task);

/* Something in between has answered, and with what is no answer. */
static gboolean
is_garbled (const GError *error)
{
  return g_error_matches (error, ASB_ERROR, ASB_ERROR_PROTOCOL);
}

/* Somebody else is deleting it at the moment, or it is held by something that lets go. */
static gboolean
is_busy (const GError *error)
{
  AsbErrorInfo *info = error->domain == ASB_ERROR ? asb_error_get_info (error) : NULL;

  return asb_opensandbox_error_get_status (error) == 500 && info
         && g_strcmp0 (asb_error_info_get_provider_error_code (info),
                       "DOCKER::SANDBOX_DELETE_FAILED")
                == 0;
}

static void
paused_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;

  if (asb_opensandbox_wait_finish (result, &error))
    delete_once (task);
  else
    g_task_return_error (task, error);
}

static void
deleted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxLifecycle *lifecycle = ASB_OPENSANDBOX_LIFECYCLE (source);
  g_autoptr (GTask) task = user_data;
  Deletion *deletion = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = asb_opensandbox_lifecycle_call_finish (lifecycle, result, &error);

  asb_opensandbox_endpoints_forget (asb_opensandbox_lifecycle_get_endpoints (lifecycle),
                                    deletion->sandbox_id);
  deletion->may_have_acted
      |= !node && (asb_opensandbox_error_is_repeated (error) || is_garbled (error));
  deletion->n_tries++;
  if (node
      || (deletion->may_have_acted
          && g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND)))
    {
      asb_opensandbox_fate_note_deletion (asb_opensandbox_lifecycle_get_settings (lifecycle),
                                          deletion->sandbox_id);
      g_task_return_boolean (task, TRUE);
    }
  else if ((is_garbled (error) || is_busy (error)) && deletion->n_tries < MAX_DELETIONS)
    asb_opensandbox_wait_async (deletion->n_tries * FIRST_PAUSE_MS, g_task_get_cancellable (task),
                                paused_cb, g_object_ref (task));
  else
    {
      asb_opensandbox_get_note_sandbox (error, deletion->sandbox_id, NULL);
      g_task_return_error (task, g_steal_pointer (&error));
    }
}

static void
delete_once (GTask *task)
{
  AsbOpensandboxLifecycle *lifecycle = g_task_get_source_object (task);
  Deletion *deletion = g_task_get_task_data (task);
  g_autoptr (AsbOpensandboxRequest) request = asb_opensandbox_lifecycle_new_request (
      lifecycle, "DELETE", "delete the sandbox", "sandboxes", deletion->sandbox_id, NULL);

  asb_opensandbox_lifecycle_call_async (lifecycle, request, g_task_get_cancellable (task),
                                        deleted_cb, g_object_ref (task));
}

void
asb_opensandbox_delete_async (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id,
                              GCancellable *cancellable, GAsyncReadyCallback callback,
                              gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (lifecycle, cancellable, callback, user_data);
  Deletion *deletion = g_new0 (Deletion, 1);

  deletion->sandbox_id = g_strdup (sandbox_id);
  g_task_set_source_tag (task, asb_opensandbox_delete_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, deletion, deletion_free);
  delete_once (task);
}

gboolean
asb_opensandbox_delete_finish (AsbOpensandboxLifecycle *lifecycle, GAsyncResult *result,
                               GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
