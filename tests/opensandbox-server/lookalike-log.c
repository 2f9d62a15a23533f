/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-log.h"

#include <string.h>

#include "lookalike-json.h"
#include "lookalike-listener.h"

#define MAX_ENTRIES 20000

struct _LookalikeLog
{
  GQueue entries; /* of JsonObject, oldest first */
  guint64 total;
};

LookalikeLog *
lookalike_log_new (void)
{
  LookalikeLog *self = g_new0 (LookalikeLog, 1);

  g_queue_init (&self->entries);
  return self;
}

void
lookalike_log_free (LookalikeLog *self)
{
  g_queue_clear_full (&self->entries, (GDestroyNotify)json_object_unref);
  g_free (self);
}

static JsonArray *
list_header_names (LookalikeRequest *request)
{
  JsonArray *names = json_array_new ();
  SoupMessageHeadersIter iter;
  const char *name, *value;

  soup_message_headers_iter_init (&iter,
                                  soup_server_message_get_request_headers (request->message));
  while (soup_message_headers_iter_next (&iter, &name, &value))
    json_array_add_string_element (names, name);
  return names;
}

void
lookalike_log_add (LookalikeLog *self, LookalikeRequest *request)
{
  g_autoptr (GBytes) body = NULL;
  JsonObject *entry;

  if (g_str_has_prefix (request->path, "/_"))
    return;
  body = lookalike_request_get_body (request);
  entry = json_object_new ();
  json_object_set_int_member (entry, "number", (gint64)++self->total);
  json_object_set_string_member (entry, "hop", request->listener->hop);
  json_object_set_string_member (entry, "method", request->method);
  json_object_set_string_member (entry, "path", request->path);
  json_object_set_string_member (entry, "query", request->query != NULL ? request->query : "");
  json_object_set_array_member (entry, "headers", list_header_names (request));
  json_object_set_int_member (entry, "body_size", (gint64)g_bytes_get_size (body));
  json_object_set_int_member (entry, "connection",
                              request->tap != NULL ? (gint64)lookalike_tap_get_number (request->tap)
                                                   : 0);
  g_queue_push_tail (&self->entries, entry);
  while (self->entries.length > MAX_ENTRIES)
    json_object_unref (g_queue_pop_head (&self->entries));
}

static void
reply_list (LookalikeLog *self, LookalikeRequest *request)
{
  g_autofree char *hop = lookalike_request_get_query (request, "hop");
  g_autofree char *method = lookalike_request_get_query (request, "method");
  g_autofree char *path = lookalike_request_get_query (request, "path");
  g_autoptr (JsonObject) reply = json_object_new ();
  g_autoptr (GHashTable) connections = g_hash_table_new (NULL, NULL);
  JsonArray *requests = json_array_new ();

  for (GList *i = self->entries.head; i != NULL; i = i->next)
    {
      if ((hop != NULL && strcmp (json_object_get_string_member (i->data, "hop"), hop) != 0)
          || (method != NULL
              && strcmp (json_object_get_string_member (i->data, "method"), method) != 0)
          || (path != NULL
              && !g_pattern_match_simple (path, json_object_get_string_member (i->data, "path"))))
        continue;
      json_array_add_object_element (requests, json_object_ref (i->data));
      g_hash_table_add (connections,
                        GINT_TO_POINTER (json_object_get_int_member (i->data, "connection")));
    }
  json_object_set_int_member (reply, "count", json_array_get_length (requests));
  json_object_set_int_member (reply, "connections", g_hash_table_size (connections));
  json_object_set_int_member (reply, "accepts", (gint64)request->lookalike->connections);
  json_object_set_array_member (reply, "requests", requests);
  lookalike_request_reply_object (request, SOUP_STATUS_OK, reply);
}

void
lookalike_log_handle (LookalikeRequest *request)
{
  LookalikeLog *self = request->lookalike->log;

  if (strcmp (request->method, "DELETE") == 0)
    {
      g_queue_clear_full (&self->entries, (GDestroyNotify)json_object_unref);
      lookalike_request_reply_empty (request, SOUP_STATUS_NO_CONTENT);
    }
  else
    reply_list (self, request);
}
