/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-snapshots.h"

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-identity.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-pages.h"
#include "asb-opensandbox-sandbox.h"

#define MAX_MESSAGE_BYTES 512

/* What servers say. */

static AsbSnapshotState
parse_state (const char *text)
{
  static const struct
  {
    const char *name;
    AsbSnapshotState state;
  } states[] = {
    { "creating", ASB_SNAPSHOT_STATE_CREATING },
    { "ready", ASB_SNAPSHOT_STATE_READY },
    { "failed", ASB_SNAPSHOT_STATE_FAILED },
    { "deleting", ASB_SNAPSHOT_STATE_DELETING },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (states); i++)
    if (g_ascii_strcasecmp (text, states[i].name) == 0)
      return states[i].state;
  return ASB_SNAPSHOT_STATE_UNKNOWN;
}

static gboolean
read_id (JsonObject *object, const char **id, GError **error)
{
  if (!asb_opensandbox_json_get_string (object, "id", TRUE, id, error))
    return FALSE;
  if (asb_opensandbox_identity_is_id (*id))
    return TRUE;
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "its id is none");
  return FALSE;
}

AsbSnapshot *
asb_opensandbox_snapshots_parse (AsbOpensandboxLifecycle *lifecycle, JsonObject *object,
                                 GError **error)
{
  g_autoptr (GDateTime) created_at = NULL;
  g_autofree char *message = NULL;
  JsonObject *status = NULL;
  const char *id = NULL, *sandbox_id = NULL, *name = NULL;
  const char *state = NULL, *reason = NULL, *said = NULL;

  if (!read_id (object, &id, error)
      || !asb_opensandbox_json_get_string (object, "sandboxId", FALSE, &sandbox_id, error)
      || !asb_opensandbox_json_get_string (object, "name", FALSE, &name, error)
      || !asb_opensandbox_json_get_object (object, "status", TRUE, &status, error)
      || !asb_opensandbox_json_get_string (status, "state", TRUE, &state, error)
      || !asb_opensandbox_json_get_string (status, "reason", FALSE, &reason, error)
      || !asb_opensandbox_json_get_string (status, "message", FALSE, &said, error)
      || !asb_opensandbox_json_get_time (object, "createdAt", FALSE, &created_at, error))
    {
      g_prefix_error (error, "The server's account of a snapshot cannot be used: ");
      return NULL;
    }
  message = asb_opensandbox_sandbox_dup_said (lifecycle, said && *said ? said : reason,
                                              MAX_MESSAGE_BYTES);
  return g_object_new (ASB_TYPE_SNAPSHOT, "id", id, "sandbox-id", sandbox_id, "name", name, "state",
                       parse_state (state), "message", message, "created-at", created_at, NULL);
}

/* Takes @error. What is not there is a snapshot, and no sandbox. */
static GError *
take_snapshot_error (GError *error)
{
  if (asb_opensandbox_error_get_status (error) == 404
      && !asb_opensandbox_error_is_unknown_route (error))
    error->code = ASB_ERROR_SNAPSHOT_NOT_FOUND;
  return error;
}

static void
got_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbSnapshot *snapshot = NULL;
  GError *error = NULL;
  g_autoptr (JsonObject) object = asb_opensandbox_lifecycle_call_finish_object (
      ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (object)
    snapshot = asb_opensandbox_snapshots_parse (ASB_OPENSANDBOX_LIFECYCLE (source), object, &error);
  if (!snapshot && asb_opensandbox_call_get (task)->sandbox_id == NULL)
    error = take_snapshot_error (error);
  asb_opensandbox_call_return_object (task, snapshot, error);
}

void
asb_opensandbox_snapshots_create (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  g_autoptr (JsonObject) object = json_object_new ();
  g_autoptr (JsonNode) body = NULL;
  AsbOpensandboxRequest *request = asb_opensandbox_lifecycle_new_request (
      call->lifecycle, "POST", "create a snapshot of the sandbox", "sandboxes", call->sandbox_id,
      "snapshots", NULL);

  if (call->name)
    json_object_set_string_member (object, "name", call->name);
  body = json_node_init_object (json_node_alloc (), object);
  asb_opensandbox_request_set_json (request, body);
  asb_opensandbox_call_send (task, request, got_cb);
}

/* Answers for ids that would lead elsewhere. */
static gboolean
is_impossible (GTask *task, const char *id)
{
  if (asb_opensandbox_identity_is_id (id))
    return FALSE;
  g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_SNAPSHOT_NOT_FOUND,
                           "There is no snapshot “%s”", id);
  return TRUE;
}

void
asb_opensandbox_snapshots_get (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);

  if (!is_impossible (task, call->name))
    asb_opensandbox_call_send (
        task,
        asb_opensandbox_lifecycle_new_request (call->lifecycle, "GET", "get the snapshot",
                                               "snapshots", call->name, NULL),
        got_cb);
}

static void
deleted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  g_autoptr (JsonNode) node
      = asb_opensandbox_lifecycle_call_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (node || asb_opensandbox_error_is_deleted_before (error))
    {
      g_clear_error (&error);
      g_task_return_boolean (task, TRUE);
    }
  else
    g_task_return_error (task, take_snapshot_error (error));
}

void
asb_opensandbox_snapshots_delete (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);

  if (!is_impossible (task, call->name))
    asb_opensandbox_call_send (
        task,
        asb_opensandbox_lifecycle_new_request (call->lifecycle, "DELETE", "delete the snapshot",
                                               "snapshots", call->name, NULL),
        deleted_cb);
}

/* All of them. */

static GObject *
parse_item (AsbOpensandboxLifecycle *lifecycle, JsonObject *item, const char **id, GError **error)
{
  AsbSnapshot *snapshot = asb_opensandbox_snapshots_parse (lifecycle, item, error);

  if (!snapshot)
    return NULL;
  *id = asb_snapshot_get_id (snapshot);
  return G_OBJECT (snapshot);
}

static gboolean
count_item (GObject *item, gpointer filter)
{
  return asb_snapshot_filter_matches (filter, ASB_SNAPSHOT (item));
}

static void
listed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbSnapshotFilter *filter = ASB_SNAPSHOT_FILTER (asb_opensandbox_call_get (task)->object);
  GListModel *page = NULL;
  GError *error = NULL;
  g_autoptr (GListStore) found
      = asb_opensandbox_pages_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  if (found)
    page = asb_snapshot_filter_select (filter, G_LIST_MODEL (found));
  asb_opensandbox_call_return_object (task, page, error);
}

/* The states are looked at here alone: servers know but one of them a question. */
static char **
new_query (AsbSnapshotFilter *filter)
{
  const char *sandbox_id = asb_snapshot_filter_get_sandbox_id (filter);
  const char *name = asb_snapshot_filter_get_name (filter);
  g_autoptr (GStrvBuilder) query = g_strv_builder_new ();

  if (sandbox_id)
    g_strv_builder_add_many (query, "sandboxId", sandbox_id, NULL);
  if (name)
    g_strv_builder_add_many (query, "name", name, NULL);
  return g_strv_builder_end (query);
}

void
asb_opensandbox_snapshots_list (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  AsbSnapshotFilter *filter = ASB_SNAPSHOT_FILTER (call->object);
  AsbOpensandboxPages pages = {
    .what = "list the snapshots",
    .path = "snapshots",
    .query = new_query (filter),
    .parse = parse_item,
    .count = count_item,
    .count_data = g_object_ref (call->object),
    .n_enough
    = (guint64)asb_snapshot_filter_get_page (filter) * asb_snapshot_filter_get_page_size (filter),
  };

  asb_opensandbox_pages_async (call->lifecycle, &pages, g_task_get_cancellable (task), listed_cb,
                               g_object_ref (task));
}
