/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-create.h"

#include "asb-opensandbox-creation.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-find.h"
#include "asb-opensandbox-get.h"
#include "asb-opensandbox-identity.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-labels.h"
#include "asb-opensandbox-order.h"
#include "asb-opensandbox-readiness.h"
#include "asb-opensandbox-restore.h"
#include "asb-opensandbox-sandbox.h"
#include "asb-opensandbox-site.h"

#define MAX_SEARCH_SECONDS 600

/* The state of one creation, in the call of its task. */
typedef struct
{
  char *instance_id;
  char *sandbox_id; /* (nullable): once it is known */
  gboolean runs;    /* as the answer to its creation says */
  gboolean await_readiness;
  gboolean came_late;               /* it is there, and nobody wants it any more */
  gboolean awaited_snapshot;        /* which is done once */
  gint64 began_at;                  /* monotonic */
  AsbOpensandboxCreation *creation; /* (nullable): with an idempotency key */
  GError *error;                    /* (nullable): what will be answered */
} Making;

static void start (GTask *task);
static void post (GTask *task);

static void
making_free (gpointer data)
{
  Making *making = data;

  g_free (making->instance_id);
  g_free (making->sandbox_id);
  g_clear_pointer (&making->creation, asb_opensandbox_creation_unref);
  g_clear_error (&making->error);
  g_free (making);
}

static Making *
get_making (GTask *task)
{
  return asb_opensandbox_call_get (task)->state;
}

static AsbOpensandboxLifecycle *
get_lifecycle (GTask *task)
{
  return asb_opensandbox_call_get (task)->lifecycle;
}

/* The end. Whoever waits for this one to end goes on now. */

typedef enum
{
  OUTCOME_MADE,
  OUTCOME_NOTHING,
  OUTCOME_OPEN,     /* there may be one */
  OUTCOME_AS_BEFORE /* nothing was learnt about the one that is there */
} Outcome;

static void
note_outcome (AsbOpensandboxLifecycle *lifecycle, const char *key, AsbOpensandboxCreation *creation,
              Making *making, Outcome outcome)
{
  if (outcome == OUTCOME_AS_BEFORE)
    return;
  g_clear_pointer (&creation->sandbox_id, g_free);
  g_clear_pointer (&creation->instance_id, g_free);
  creation->began_at = making->began_at;
  if (outcome == OUTCOME_MADE)
    creation->sandbox_id = g_strdup (making->sandbox_id);
  else if (outcome == OUTCOME_OPEN)
    creation->instance_id = g_strdup (making->instance_id);
  else
    g_hash_table_remove (asb_opensandbox_lifecycle_get_creations (lifecycle), key);
}

static void
release (GTask *task, Outcome outcome)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  Making *making = call->state;
  g_autoptr (AsbOpensandboxCreation) creation = g_steal_pointer (&making->creation);
  g_autoptr (GPtrArray) waiting = NULL;

  if (!creation)
    return;
  creation->is_running = FALSE;
  waiting = g_steal_pointer (&creation->waiting);
  creation->waiting = g_ptr_array_new_with_free_func (g_object_unref);
  note_outcome (call->lifecycle, call->name, creation, making, outcome);
  for (guint i = 0; i < waiting->len; i++)
    start (waiting->pdata[i]);
}

/* Takes @error. */
static void
fail (GTask *task, GError *error, Outcome outcome)
{
  Making *making = get_making (task);

  asb_opensandbox_get_note_sandbox (error, making->sandbox_id, making->instance_id);
  release (task, outcome);
  g_task_return_error (task, error);
}

static void
succeed (GTask *task, AsbSandboxInfo *info)
{
  release (task, OUTCOME_MADE);
  asb_opensandbox_call_return_object (task, g_object_ref (info), NULL);
}

/* Undoing. It goes on when the caller has given up. */

static void
undone_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Making *making = get_making (task);
  g_autoptr (GError) error = NULL;

  if (making->came_late)
    g_prefix_error (&making->error,
                    "It took longer than the option “request-timeout-seconds” allows: ");
  if (!asb_opensandbox_delete_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error)
      && !g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND))
    g_prefix_error (&making->error,
                    "Sandbox “%s” is left behind, since it could not be deleted (%s): ",
                    making->sandbox_id, error->message);
  else if (making->came_late)
    g_prefix_error (&making->error, "What came too late was deleted again. ");
  fail (task, g_steal_pointer (&making->error), OUTCOME_NOTHING);
}

/* Takes @error. */
static void
undo (GTask *task, GError *error)
{
  Making *making = get_making (task);

  making->error = error;
  asb_opensandbox_delete_async (get_lifecycle (task), making->sandbox_id, NULL, undone_cb,
                                g_object_ref (task));
}

static gboolean
undo_if_cancelled (GTask *task)
{
  GError *error = NULL;

  if (!g_cancellable_set_error_if_cancelled (g_task_get_cancellable (task), &error))
    return FALSE;
  undo (task, error);
  return TRUE;
}

/* Getting ready. */

static void
ready_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_opensandbox_readiness_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (!info)
    {
      undo (task, error);
      return;
    }
  if (!undo_if_cancelled (task))
    succeed (task, info);
}

static void
looked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_opensandbox_get_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (!info)
    undo (task, error);
  else if (!undo_if_cancelled (task))
    succeed (task, info);
}

static void
await_readiness (GTask *task)
{
  if (undo_if_cancelled (task))
    return;
  if (!get_making (task)->await_readiness)
    asb_opensandbox_get_async (get_lifecycle (task), get_making (task)->sandbox_id,
                               g_task_get_cancellable (task), looked_cb, g_object_ref (task));
  else
    asb_opensandbox_readiness_async (get_lifecycle (task), get_making (task)->sandbox_id,
                                     get_making (task)->runs, g_task_get_cancellable (task),
                                     ready_cb, g_object_ref (task));
}

/* A lost answer. */

static GError *
new_open_error (Making *making, const char *cause)
{
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  g_autofree char *message = g_strdup_printf (
      "Whether the sandbox was made is unknown: %s. It was not found under its instance id “%s”; "
      "if it appears later, the metadata “" ASB_OPENSANDBOX_LABEL_INSTANCE_ID "” find it",
      cause, making->instance_id);
  GVariantDict details;

  g_variant_dict_init (&details, NULL);
  g_variant_dict_insert (&details, ASB_OPENSANDBOX_LABEL_INSTANCE_ID, "s", making->instance_id);
  asb_error_info_set_details (info, g_variant_dict_end (&details));
  return asb_error_new_with_info (ASB_ERROR_INTERRUPTED, message, info);
}

static void
found_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Making *making = get_making (task);
  g_autoptr (GError) cause = g_steal_pointer (&making->error);
  g_autoptr (GError) error = NULL;

  making->sandbox_id
      = asb_opensandbox_find_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);
  if (!making->sandbox_id)
    fail (task, new_open_error (making, cause->message), OUTCOME_OPEN);
  /* Whoever set a limit to the request has no use for what came later. */
  else if (g_error_matches (cause, ASB_ERROR, ASB_ERROR_TIMED_OUT))
    {
      making->came_late = TRUE;
      undo (task, g_steal_pointer (&cause));
    }
  else
    await_readiness (task);
}

/* Takes @cause. */
static void
find (GTask *task, GError *cause)
{
  AsbOpensandboxLifecycle *lifecycle = get_lifecycle (task);
  AsbOpensandboxSettings *settings = asb_opensandbox_lifecycle_get_settings (lifecycle);
  Making *making = get_making (task);

  making->error = cause;
  asb_opensandbox_find_async (
      lifecycle, making->instance_id, making->began_at,
      (guint)(MIN (settings->ready_timeout_seconds, MAX_SEARCH_SECONDS) * 1000), found_cb,
      g_object_ref (task));
}

/* Whether the server said no, or never heard of it. */
static gboolean
is_settled (const GError *error)
{
  guint status = asb_opensandbox_error_get_status (error);
  AsbErrorInfo *info = asb_error_get_info (error);

  if (status == 0)
    return asb_opensandbox_error_was_not_sent (error);
  /* What stands between says 408, and 5xx in words of its own. */
  if (status == 408)
    return FALSE;
  return status >= 300 && (status < 500 || asb_error_info_get_provider_error_code (info));
}

/* The request. */

static const char *
get_image (GTask *task)
{
  JsonObject *body = json_node_get_object (asb_opensandbox_call_get (task)->body);
  JsonObject *image = json_object_has_member (body, "image")
                          ? json_object_get_object_member (body, "image")
                          : NULL;

  return image ? json_object_get_string_member (image, "uri") : NULL;
}

static const char *
get_memory (GTask *task)
{
  JsonObject *body = json_node_get_object (asb_opensandbox_call_get (task)->body);
  JsonObject *limits = json_object_has_member (body, "resourceLimits")
                           ? json_object_get_object_member (body, "resourceLimits")
                           : NULL;

  return limits && json_object_has_member (limits, "memory")
             ? json_object_get_string_member (limits, "memory")
             : NULL;
}

static gboolean
says_that_it_runs (JsonObject *answer)
{
  JsonObject *status = NULL;
  const char *state = NULL;

  return asb_opensandbox_json_get_object (answer, "status", TRUE, &status, NULL)
         && asb_opensandbox_json_get_string (status, "state", TRUE, &state, NULL)
         && asb_opensandbox_sandbox_state_from_string (state) == ASB_SANDBOX_STATE_RUNNING;
}

static void
remember_asked_for (GTask *task)
{
  g_autoptr (AsbOpensandboxSite) site
      = asb_opensandbox_site_get (get_lifecycle (task), get_making (task)->sandbox_id);

  asb_opensandbox_site_set_memory (site, get_memory (task));
  g_clear_pointer (&site->image, g_free);
  if (get_image (task))
    site->image = g_strdup_printf ("%s/%s",
                                   asb_opensandbox_lifecycle_get_fingerprint (get_lifecycle (task)),
                                   get_image (task));
}

/* A snapshot that is still being made. */

static void
snapshot_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Making *making = get_making (task);
  GError *error = g_steal_pointer (&making->error);
  g_autoptr (GError) cause = NULL;
  g_autoptr (AsbSnapshot) snapshot
      = asb_opensandbox_restore_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &cause);

  if (snapshot && asb_snapshot_get_state (snapshot) == ASB_SNAPSHOT_STATE_READY)
    {
      g_clear_error (&error);
      post (task);
      return;
    }
  if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_clear_error (&error);
      error = g_steal_pointer (&cause);
    }
  else if (snapshot && asb_snapshot_get_state (snapshot) != ASB_SNAPSHOT_STATE_UNKNOWN)
    asb_opensandbox_restore_explain (error, snapshot);
  fail (task, error, OUTCOME_NOTHING);
}

/* Takes @error. Nothing was made, so the same may be asked for again. */
static void
await_snapshot (GTask *task, GError *error)
{
  AsbOpensandboxSettings *settings = asb_opensandbox_lifecycle_get_settings (get_lifecycle (task));
  JsonObject *body = json_node_get_object (asb_opensandbox_call_get (task)->body);
  Making *making = get_making (task);

  making->error = error;
  making->awaited_snapshot = TRUE;
  asb_opensandbox_restore_async (
      get_lifecycle (task), json_object_get_string_member (body, "snapshotId"),
      g_get_monotonic_time () + (gint64)(settings->ready_timeout_seconds * G_USEC_PER_SEC),
      g_task_get_cancellable (task), snapshot_cb, g_object_ref (task));
}

static gboolean
can_await_snapshot (GTask *task, const GError *error)
{
  JsonObject *body = json_node_get_object (asb_opensandbox_call_get (task)->body);

  return asb_opensandbox_restore_is_why (error) && !get_making (task)->awaited_snapshot
         && json_object_has_member (body, "snapshotId");
}

static void
posted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Making *making = get_making (task);
  const char *id = NULL;
  GError *error = NULL;
  g_autoptr (JsonObject) object = asb_opensandbox_lifecycle_call_finish_object (
      ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (object && asb_opensandbox_json_get_string (object, "id", TRUE, &id, &error)
      && asb_opensandbox_identity_is_id (id))
    {
      making->sandbox_id = g_strdup (id);
      making->runs = says_that_it_runs (object);
      remember_asked_for (task);
      await_readiness (task);
      return;
    }
  if (!error)
    g_set_error_literal (&error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                         "The server gave a sandbox an id that cannot be used");
  if (can_await_snapshot (task, error))
    await_snapshot (task, error);
  else if (is_settled (error))
    fail (task, error, OUTCOME_NOTHING);
  else
    find (task, error);
}

/* Not cancellable: closing the connection would not keep the server from going on, and its answer
 * tells what there is to delete. */
static void
post (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  g_autoptr (AsbOpensandboxRequest) request = asb_opensandbox_lifecycle_new_request (
      call->lifecycle, "POST", "create the sandbox", "sandboxes", NULL);

  get_making (task)->began_at = g_get_monotonic_time ();
  asb_opensandbox_request_set_json (request, call->body);
  asb_opensandbox_lifecycle_call_async (call->lifecycle, request, NULL, posted_cb,
                                        g_object_ref (task));
}

/* What came of an earlier creation with the same idempotency key. */

static void
adopt (GTask *task, char *sandbox_id)
{
  Making *making = get_making (task);

  making->sandbox_id = sandbox_id;
  await_readiness (task);
}

static void
found_earlier_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  char *id = asb_opensandbox_find_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (id)
    adopt (task, id);
  else if (error)
    fail (task, error, OUTCOME_AS_BEFORE);
  else
    post (task);
}

static void
got_earlier_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Making *making = get_making (task);
  GError *error = NULL;
  g_autoptr (AsbSandboxInfo) info
      = asb_opensandbox_get_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (info)
    {
      making->sandbox_id = g_strdup (making->creation->sandbox_id);
      succeed (task, info);
    }
  else if (asb_opensandbox_error_is_gone (error))
    {
      g_clear_error (&error);
      post (task);
    }
  else
    fail (task, error, OUTCOME_AS_BEFORE);
}

static void
start_with_key (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  Making *making = call->state;
  AsbOpensandboxCreation *creation = asb_opensandbox_creation_look_up (
      asb_opensandbox_lifecycle_get_creations (call->lifecycle), call->name);

  if (creation->is_running)
    {
      g_ptr_array_add (creation->waiting, g_object_ref (task));
      return;
    }
  creation->is_running = TRUE;
  making->creation = asb_opensandbox_creation_ref (creation);
  if (creation->sandbox_id)
    asb_opensandbox_get_async (call->lifecycle, creation->sandbox_id, g_task_get_cancellable (task),
                               got_earlier_cb, g_object_ref (task));
  else if (creation->instance_id)
    asb_opensandbox_find_async (call->lifecycle, creation->instance_id, creation->began_at, 0,
                                found_earlier_cb, g_object_ref (task));
  else
    post (task);
}

static void
start (GTask *task)
{
  GError *error = NULL;

  if (g_cancellable_set_error_if_cancelled (g_task_get_cancellable (task), &error))
    g_task_return_error (task, error);
  else if (asb_opensandbox_call_get (task)->name)
    start_with_key (task);
  else
    post (task);
}

/* The caller's thread. */

static char *
choose_instance_id (AsbSandboxSpec *spec)
{
  GHashTable *metadata = asb_sandbox_spec_get_metadata (spec);
  const char *given = asb_sandbox_spec_get_instance_id (spec);

  if ((!given || !*given) && metadata)
    given = g_hash_table_lookup (metadata, ASB_OPENSANDBOX_LABEL_INSTANCE_ID);
  return given && *given ? g_strdup (given) : asb_uuid_v7_new ();
}

void
asb_opensandbox_create (AsbOpensandboxLifecycle *lifecycle, AsbSandboxSpec *spec, GTask *task)
{
  g_autofree char *instance_id = choose_instance_id (spec);
  GError *error = NULL;
  g_autoptr (JsonNode) body = asb_opensandbox_order_new (spec, instance_id, &error);
  AsbOpensandboxCall *call;
  Making *making;

  if (!body)
    {
      g_task_return_error (task, error);
      return;
    }
  making = g_new0 (Making, 1);
  making->instance_id = g_steal_pointer (&instance_id);
  making->await_readiness = asb_sandbox_spec_get_await_readiness (spec);
  call = asb_opensandbox_call_new (lifecycle, NULL);
  call->body = g_steal_pointer (&body);
  call->name = g_strdup (asb_sandbox_spec_get_idempotency_key (spec));
  call->state = making;
  call->free_state = making_free;
  asb_opensandbox_call_run (call, task, start);
}
