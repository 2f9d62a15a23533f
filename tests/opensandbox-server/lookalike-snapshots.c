/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-snapshots.h"

#include <fcntl.h>
#include <string.h>

#include "lookalike-json.h"
#include "lookalike-lifecycle.h"
#include "lookalike-paths.h"
#include "lookalike-sandbox.h"
#include "lookalike-time.h"

/* How often one that is held is looked at. */
#define HOLD_MS 10

static void
clear (gpointer data)
{
  LookalikeSnapshot *self = data;

  lookalike_remove_tree (AT_FDCWD, self->folder);
  g_free (self->id);
  g_free (self->sandbox_id);
  g_free (self->name);
  g_free (self->folder);
  g_clear_pointer (&self->image, json_object_unref);
  g_clear_pointer (&self->created_at, g_date_time_unref);
  g_clear_pointer (&self->transition_at, g_date_time_unref);
}

void
lookalike_snapshot_unref (LookalikeSnapshot *self)
{
  g_rc_box_release_full (self, clear);
}

static const char *
get_state (LookalikeSnapshot *self)
{
  if (self->deleting)
    return "Deleting";
  if (self->failed)
    return "Failed";
  return self->ready ? "Ready" : "Creating";
}

static const char *
get_reason (LookalikeSnapshot *self)
{
  if (self->deleting)
    return "snapshot_delete_requested";
  if (self->failed)
    return "snapshot_runtime_failed";
  return self->ready ? "snapshot_runtime_ready" : "snapshot_accepted";
}

static const char *
get_message (LookalikeSnapshot *self)
{
  if (self->deleting)
    return "Snapshot deletion requested.";
  if (self->failed)
    return "Docker snapshot image could not be created.";
  return self->ready ? "Docker snapshot image created successfully."
                     : "Snapshot creation accepted.";
}

static JsonObject *
describe (LookalikeSnapshot *self)
{
  JsonObject *object = json_object_new ();
  g_autofree char *created = lookalike_time_print (self->created_at);

  json_object_set_string_member (object, "id", self->id);
  json_object_set_string_member (object, "sandboxId", self->sandbox_id);
  if (self->name != NULL)
    json_object_set_string_member (object, "name", self->name);
  json_object_set_object_member (
      object, "status",
      lookalike_lifecycle_describe_status (get_state (self), get_reason (self), get_message (self),
                                           self->transition_at));
  json_object_set_string_member (object, "createdAt", created);
  return object;
}

static gboolean
settle_cb (gpointer user_data)
{
  LookalikeSnapshot *self = user_data;

  if (self->lookalike->config.hold_snapshots)
    return G_SOURCE_CONTINUE;
  self->failed = !self->copied || self->lookalike->config.fail_snapshots;
  self->ready = !self->failed;
  g_clear_pointer (&self->transition_at, g_date_time_unref);
  self->transition_at = g_date_time_new_now_utc ();
  return G_SOURCE_REMOVE;
}

static void
copied_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  LookalikeSnapshot *self = user_data;

  self->copied = g_subprocess_wait_check_finish (G_SUBPROCESS (object), result, NULL);
  g_timeout_add_full (G_PRIORITY_DEFAULT, HOLD_MS, settle_cb, g_rc_box_acquire (self),
                      (GDestroyNotify)lookalike_snapshot_unref);
  lookalike_snapshot_unref (self);
}

static LookalikeSnapshot *
snapshot_new (LookalikeSandbox *sandbox, const char *name)
{
  LookalikeSnapshot *self = g_rc_box_new0 (LookalikeSnapshot);
  g_autofree char *folder_name = NULL;

  self->id = g_uuid_string_random ();
  folder_name = g_strconcat ("snapshot-", self->id, NULL);
  self->lookalike = sandbox->lookalike;
  self->sandbox_id = g_strdup (sandbox->id);
  self->name = g_strdup (name);
  self->folder = g_build_filename (sandbox->lookalike->root, folder_name, NULL);
  self->image = json_object_ref (sandbox->image);
  self->created_at = g_date_time_new_now_utc ();
  self->transition_at = g_date_time_new_now_utc ();
  return self;
}

static void
start_copy (LookalikeSnapshot *self, LookalikeSandbox *sandbox)
{
  g_autoptr (GSubprocess) copy = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, NULL, "cp", "-a",
      "--reflink=auto", sandbox->root_path, self->folder, NULL);

  if (copy != NULL)
    g_subprocess_wait_check_async (copy, NULL, copied_cb, g_rc_box_acquire (self));
  else
    self->failed = TRUE;
}

void
lookalike_lifecycle_create_snapshot (LookalikeRequest *request)
{
  LookalikeSandbox *sandbox = lookalike_lifecycle_find (request);
  g_autoptr (JsonNode) node = sandbox != NULL ? lookalike_request_parse (request, NULL) : NULL;
  g_autoptr (JsonObject) reply = NULL;
  g_autofree char *location = NULL;
  LookalikeSnapshot *snapshot;

  if (sandbox == NULL)
    return;
  if (sandbox->state != LOOKALIKE_STATE_RUNNING)
    {
      lookalike_request_fail (request, SOUP_STATUS_CONFLICT, "SNAPSHOT::INVALID_SOURCE_STATE",
                              "Snapshot can only be created from a Running sandbox.");
      return;
    }
  snapshot
      = snapshot_new (sandbox, node != NULL && JSON_NODE_HOLDS_OBJECT (node)
                                   ? lookalike_json_get_string (json_node_get_object (node), "name")
                                   : NULL);
  g_hash_table_insert (request->lookalike->snapshots, snapshot->id, snapshot);
  reply = describe (snapshot);
  start_copy (snapshot, sandbox);
  location = g_strconcat ("/v1/snapshots/", snapshot->id, NULL);
  soup_message_headers_replace (soup_server_message_get_response_headers (request->message),
                                "Location", location);
  lookalike_request_reply_object (request, SOUP_STATUS_ACCEPTED, reply);
}

static gboolean
is_asked_for (LookalikeSnapshot *snapshot, const char *sandbox_id, const char *name, char **states)
{
  if ((sandbox_id != NULL && strcmp (sandbox_id, snapshot->sandbox_id) != 0)
      || (name != NULL && g_strcmp0 (name, snapshot->name) != 0))
    return FALSE;
  return states[0] == NULL || g_strv_contains ((const char *const *)states, get_state (snapshot));
}

static int
compare_newest_first (gconstpointer a, gconstpointer b)
{
  const LookalikeSnapshot *first = *(LookalikeSnapshot *const *)a;
  const LookalikeSnapshot *second = *(LookalikeSnapshot *const *)b;

  return g_date_time_compare (second->created_at, first->created_at);
}

void
lookalike_lifecycle_list_snapshots (LookalikeRequest *request)
{
  g_autofree char *sandbox_id = lookalike_request_get_query (request, "sandboxId");
  g_autofree char *name = lookalike_request_get_query (request, "name");
  g_auto (GStrv) states = lookalike_request_get_queries (request, "state");
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  g_autoptr (GPtrArray) objects
      = g_ptr_array_new_with_free_func ((GDestroyNotify)json_object_unref);
  LookalikePage page;
  GHashTableIter iter;
  gpointer value;

  if (!lookalike_lifecycle_get_page (request, &page))
    return;
  g_hash_table_iter_init (&iter, request->lookalike->snapshots);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (is_asked_for (value, sandbox_id, name, states))
      g_ptr_array_add (found, value);
  g_ptr_array_sort (found, compare_newest_first);
  for (guint i = 0; i < found->len; i++)
    g_ptr_array_add (objects, describe (found->pdata[i]));
  lookalike_lifecycle_reply_page (request, &page, objects);
}

static LookalikeSnapshot *
find (LookalikeRequest *request)
{
  const char *id = lookalike_lifecycle_get_parts (request)[1];
  LookalikeSnapshot *snapshot = g_hash_table_lookup (request->lookalike->snapshots, id);

  if (snapshot == NULL)
    lookalike_request_fail (request, SOUP_STATUS_NOT_FOUND, "SNAPSHOT::NOT_FOUND",
                            "Snapshot %s not found", id);
  return snapshot;
}

void
lookalike_lifecycle_get_snapshot (LookalikeRequest *request)
{
  LookalikeSnapshot *snapshot = find (request);
  g_autoptr (JsonObject) object = snapshot != NULL ? describe (snapshot) : NULL;

  if (object != NULL)
    lookalike_request_reply_object (request, SOUP_STATUS_OK, object);
}

static gboolean
is_in_use (LookalikeRequest *request, LookalikeSnapshot *snapshot)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, request->lookalike->sandboxes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (g_strcmp0 (((LookalikeSandbox *)value)->snapshot_id, snapshot->id) == 0)
      return TRUE;
  return FALSE;
}

void
lookalike_lifecycle_delete_snapshot (LookalikeRequest *request)
{
  LookalikeSnapshot *snapshot = find (request);

  if (snapshot == NULL)
    return;
  if (!snapshot->ready && !snapshot->failed)
    lookalike_request_fail (request, SOUP_STATUS_CONFLICT, "SNAPSHOT::INVALID_STATE",
                            "Snapshot %s is still being created and cannot be deleted",
                            snapshot->id);
  else if (is_in_use (request, snapshot))
    {
      snapshot->deleting = TRUE;
      snapshot->ready = FALSE;
      snapshot->failed = TRUE;
      lookalike_request_fail (request, SOUP_STATUS_CONFLICT, "SNAPSHOT::DELETE_CONFLICT",
                              "snapshot image cannot be deleted due to a conflict");
    }
  else
    {
      g_hash_table_remove (request->lookalike->snapshots, snapshot->id);
      lookalike_request_reply_empty (request, SOUP_STATUS_NO_CONTENT);
    }
}
