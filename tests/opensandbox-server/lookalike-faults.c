/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-faults.h"

#include <string.h>

#include "lookalike-fault.h"
#include "lookalike-json.h"
#include "lookalike-listener.h"

struct _LookalikeFaults
{
  GPtrArray *faults; /* of LookalikeFault */
  guint last_id;
};

LookalikeFaults *
lookalike_faults_new (void)
{
  LookalikeFaults *self = g_new0 (LookalikeFaults, 1);

  self->faults = g_ptr_array_new_with_free_func ((GDestroyNotify)lookalike_fault_free);
  return self;
}

void
lookalike_faults_free (LookalikeFaults *self)
{
  g_ptr_array_unref (self->faults);
  g_free (self);
}

static gboolean
add_one (LookalikeFaults *self, JsonNode *node, GError **error)
{
  LookalikeFault *fault = lookalike_fault_new (node, error);

  if (fault == NULL)
    return FALSE;
  fault->id = ++self->last_id;
  g_ptr_array_add (self->faults, fault);
  return TRUE;
}

static gboolean
lookalike_faults_add (LookalikeFaults *self, JsonNode *node, GError **error)
{
  JsonArray *list;

  if (!JSON_NODE_HOLDS_ARRAY (node))
    return add_one (self, node, error);
  list = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (list); i++)
    if (!add_one (self, json_array_get_element (list, i), error))
      return FALSE;
  return TRUE;
}

gboolean
lookalike_faults_load (LookalikeFaults *self, const char *path, GError **error)
{
  g_autoptr (JsonNode) node = NULL;
  g_autofree char *contents = NULL;
  gsize size;

  if (!g_file_get_contents (path, &contents, &size, error))
    return FALSE;
  node = lookalike_json_parse (contents, size, error);
  if (node != NULL && lookalike_faults_add (self, node, error))
    return TRUE;
  g_prefix_error (error, "Could not use the faults in “%s”: ", path);
  return FALSE;
}

gboolean
lookalike_faults_has_early (LookalikeFaults *self)
{
  for (guint i = 0; i < self->faults->len; i++)
    if (((LookalikeFault *)self->faults->pdata[i])->early)
      return TRUE;
  return FALSE;
}

gboolean
lookalike_faults_apply (LookalikeFaults *self, LookalikeRequest *request, gboolean early)
{
  gboolean taken = FALSE;

  if (request->tap != NULL)
    lookalike_fault_reset_plan (request);
  if (g_str_has_prefix (request->path, "/_"))
    return FALSE;
  for (guint i = 0; i < self->faults->len && !taken; i++)
    {
      LookalikeFault *fault = self->faults->pdata[i];

      if (fault->early == early && lookalike_fault_matches (fault, request))
        taken = lookalike_fault_act (fault, request);
    }
  return taken;
}

static void
reply_list (LookalikeFaults *self, LookalikeRequest *request, guint status)
{
  g_autoptr (JsonObject) reply = json_object_new ();
  JsonArray *list = json_array_new ();

  for (guint i = 0; i < self->faults->len; i++)
    {
      LookalikeFault *fault = self->faults->pdata[i];
      JsonObject *object = json_object_new ();

      json_object_set_int_member (object, "id", fault->id);
      json_object_set_string_member (object, "action", fault->action->name);
      json_object_set_int_member (object, "seen", fault->seen);
      json_object_set_int_member (object, "done", fault->done);
      json_array_add_object_element (list, object);
    }
  json_object_set_array_member (reply, "faults", list);
  lookalike_request_reply_object (request, status, reply);
}

static void
add_from_request (LookalikeFaults *self, LookalikeRequest *request)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = lookalike_request_parse (request, &error);

  if (node == NULL || !lookalike_faults_add (self, node, &error))
    lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_FAULT", "%s",
                            error->message);
  else
    reply_list (self, request, SOUP_STATUS_CREATED);
}

void
lookalike_faults_handle (LookalikeRequest *request)
{
  LookalikeFaults *self = request->lookalike->faults;

  if (strcmp (request->method, "POST") == 0)
    add_from_request (self, request);
  else if (strcmp (request->method, "DELETE") == 0)
    {
      g_ptr_array_set_size (self->faults, 0);
      lookalike_request_reply_empty (request, SOUP_STATUS_NO_CONTENT);
    }
  else
    reply_list (self, request, SOUP_STATUS_OK);
}
