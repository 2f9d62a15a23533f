/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-request.h"

#include <string.h>

#include "lookalike-json.h"
#include "lookalike-listener.h"
#include "lookalike-sandbox.h"

/* Of “/” an empty one: there is always a first. */
static char **
split_path (const char *path)
{
  g_auto (GStrv) raw = g_strsplit (path[0] == '/' ? path + 1 : path, "/", -1);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (raw[0] == NULL)
    g_strv_builder_add (builder, "");
  for (guint i = 0; raw[i] != NULL; i++)
    {
      g_autofree char *decoded = g_uri_unescape_string (raw[i], NULL);

      g_strv_builder_add (builder, decoded != NULL ? decoded : raw[i]);
    }
  return g_strv_builder_end (builder);
}

static void
finished_cb (SoupServerMessage *message, LookalikeRequest *request)
{
  request->finished = TRUE;
  lookalike_request_unwatch (request);
  g_signal_handlers_disconnect_by_data (message, request);
  lookalike_request_unref (request);
}

/* libsoup does not call a message finished whose connection it ends itself, but all that waits for
 * the end has to hear of it. */
static void
disconnected_cb (SoupServerMessage *message, LookalikeRequest *request)
{
  if (!request->finished)
    g_signal_emit_by_name (message, "finished");
}

LookalikeRequest *
lookalike_request_new (LookalikeListener *listener, SoupServerMessage *message)
{
  LookalikeRequest *request = g_rc_box_new0 (LookalikeRequest);
  GUri *uri = soup_server_message_get_uri (message);

  request->lookalike = listener->lookalike;
  request->listener = lookalike_listener_ref (listener);
  request->sandbox = listener->sandbox != NULL ? lookalike_sandbox_ref (listener->sandbox) : NULL;
  request->message = g_object_ref (message);
  request->tap = lookalike_listener_find_tap (listener, message);
  request->method = soup_server_message_get_method (message);
  request->path = g_strdup (g_uri_get_path (uri));
  request->query = g_strdup (g_uri_get_query (uri));
  request->segments = split_path (request->path);
  /* Until it is done, whatever its handler keeps. */
  lookalike_request_ref (request);
  g_signal_connect (message, "finished", G_CALLBACK (finished_cb), request);
  g_signal_connect (message, "disconnected", G_CALLBACK (disconnected_cb), request);
  return request;
}

LookalikeRequest *
lookalike_request_ref (LookalikeRequest *request)
{
  return g_rc_box_acquire (request);
}

static void
clear (gpointer data)
{
  LookalikeRequest *request = data;

  g_clear_handle_id (&request->timer, g_source_remove);
  g_clear_pointer (&request->sandbox, lookalike_sandbox_unref);
  g_clear_object (&request->tap);
  g_clear_object (&request->message);
  g_clear_pointer (&request->listener, lookalike_listener_unref);
  g_free (request->path);
  g_strfreev (request->segments);
  g_free (request->query);
  g_free (request->wrong_type);
  g_free (request->tail);
}

void
lookalike_request_unref (LookalikeRequest *request)
{
  g_rc_box_release_full (request, clear);
}

const char *
lookalike_request_get_header (LookalikeRequest *request, const char *name)
{
  return soup_message_headers_get_list (soup_server_message_get_request_headers (request->message),
                                        name);
}

GBytes *
lookalike_request_get_body (LookalikeRequest *request)
{
  return soup_message_body_flatten (soup_server_message_get_request_body (request->message));
}

static char *
decode_form (const char *text)
{
  g_autofree char *spaced = g_strdup (text);
  char *decoded = g_uri_unescape_string (g_strdelimit (spaced, "+", ' '), NULL);

  return decoded != NULL ? decoded : g_strdup (text);
}

char **
lookalike_request_get_queries (LookalikeRequest *request, const char *name)
{
  g_auto (GStrv) pairs = g_strsplit (request->query != NULL ? request->query : "", "&", -1);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; pairs[i] != NULL; i++)
    {
      char *value = strchr (pairs[i], '=');
      g_autofree char *key = NULL;
      g_autofree char *decoded = NULL;

      if (pairs[i][0] == '\0')
        continue;
      if (value != NULL)
        *value++ = '\0';
      key = decode_form (pairs[i]);
      decoded = decode_form (value != NULL ? value : "");
      if (strcmp (key, name) == 0)
        g_strv_builder_add (builder, decoded);
    }
  return g_strv_builder_end (builder);
}

char *
lookalike_request_get_query (LookalikeRequest *request, const char *name)
{
  g_auto (GStrv) values = lookalike_request_get_queries (request, name);
  guint length = g_strv_length (values);
  gboolean last = strcmp (request->listener->hop, "lifecycle") == 0;

  /* The server takes the last one, execd the first. */
  return g_strdup (length > 0 && last ? values[length - 1] : values[0]);
}

JsonNode *
lookalike_request_parse (LookalikeRequest *request, GError **error)
{
  g_autoptr (GBytes) body = lookalike_request_get_body (request);
  gsize size;
  const char *data = g_bytes_get_data (body, &size);

  return lookalike_json_parse (data != NULL ? data : "", size, error);
}

/* Who answers may not know that the client has gone. */
static void
resume (LookalikeRequest *request)
{
  if (!request->finished)
    soup_server_message_unpause (request->message);
}

/* Headers of an answer that is about to go; FALSE when it must not. */
static gboolean
begin (LookalikeRequest *request, guint status)
{
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (request->message);

  if (request->answered)
    return FALSE;
  request->answered = TRUE;
  soup_server_message_set_status (request->message, status, NULL);
  if (request->wrong_type != NULL)
    soup_message_headers_replace (headers, "Content-Type", request->wrong_type);
  return TRUE;
}

/* Having taken the length away, libsoup thinks that the end of the connection is the end of the
 * body. */
static void
keep_connection_cb (SoupServerMessage *message, gpointer user_data)
{
  soup_message_headers_set_encoding (soup_server_message_get_response_headers (message),
                                     SOUP_ENCODING_NONE);
}

void
lookalike_request_reply (LookalikeRequest *request, guint status, const char *type,
                         const char *body, gssize size)
{
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (request->message);

  if (request->answered)
    return;
  if (type != NULL)
    soup_message_headers_replace (headers, "Content-Type", type);
  begin (request, status);
  /* libsoup would cut a part out of it by itself, even where there is none. */
  soup_message_headers_remove (soup_server_message_get_request_headers (request->message), "Range");
  if (status == SOUP_STATUS_NO_CONTENT || status == SOUP_STATUS_NOT_MODIFIED)
    g_signal_connect (request->message, "wrote-headers", G_CALLBACK (keep_connection_cb), NULL);
  if (body != NULL)
    soup_message_body_append (soup_server_message_get_response_body (request->message),
                              SOUP_MEMORY_COPY, body, size < 0 ? strlen (body) : (gsize)size);
  resume (request);
}

static const char *
json_type (LookalikeRequest *request)
{
  return strcmp (request->listener->hop, "execd") == 0 ? "application/json; charset=utf-8"
                                                       : "application/json";
}

void
lookalike_request_reply_json (LookalikeRequest *request, guint status, const char *json)
{
  lookalike_request_reply (request, status, json_type (request), json, -1);
}

void
lookalike_request_reply_object (LookalikeRequest *request, guint status, JsonObject *object)
{
  g_autofree char *json = lookalike_json_print_object (object);

  lookalike_request_reply_json (request, status, json);
}

void
lookalike_request_reply_empty (LookalikeRequest *request, guint status)
{
  lookalike_request_reply (request, status, NULL, NULL, 0);
}

void
lookalike_request_fail (LookalikeRequest *request, guint status, const char *code,
                        const char *format, ...)
{
  g_autoptr (GString) json = g_string_new ("{\"code\":");
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  lookalike_json_append_string (json, code, -1);
  if (message[0] != '\0')
    {
      g_string_append (json, ",\"message\":");
      lookalike_json_append_string (json, message, -1);
    }
  g_string_append_c (json, '}');
  lookalike_request_reply_json (request, status, json->str);
}

void
lookalike_request_start_stream (LookalikeRequest *request, guint status)
{
  if (!begin (request, status))
    return;
  soup_message_body_set_accumulate (soup_server_message_get_response_body (request->message),
                                    FALSE);
  resume (request);
}

void
lookalike_request_send (LookalikeRequest *request, GBytes *piece)
{
  soup_message_body_append_bytes (soup_server_message_get_response_body (request->message), piece);
  resume (request);
}

void
lookalike_request_end_stream (LookalikeRequest *request)
{
  soup_message_body_complete (soup_server_message_get_response_body (request->message));
  resume (request);
}

GIOStream *
lookalike_request_steal (LookalikeRequest *request)
{
  GIOStream *stream;

  request->answered = TRUE;
  if (request->finished)
    return NULL;
  stream = soup_server_message_steal_connection (request->message);
  /* Where libsoup does not say itself that this was the end. */
  if (!request->finished)
    finished_cb (request->message, request);
  return stream;
}

typedef struct
{
  GIOStream *stream;
  LookalikeTap *tap;
  GBytes *bytes;
  char rest[4096];
} RawReply;

static void
raw_reply_free (RawReply *raw)
{
  g_io_stream_close (raw->stream, NULL, NULL);
  g_object_unref (raw->stream);
  g_clear_object (&raw->tap);
  g_bytes_unref (raw->bytes);
  g_free (raw);
}

static void read_rest (RawReply *raw);

static void
rest_read_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  RawReply *raw = user_data;

  if (g_input_stream_read_finish (G_INPUT_STREAM (object), result, NULL) > 0)
    read_rest (raw);
  else
    raw_reply_free (raw);
}

/* To close a socket with something unread in it would be a reset, and take the answer along. */
static void
read_rest (RawReply *raw)
{
  g_input_stream_read_async (g_io_stream_get_input_stream (raw->stream), raw->rest,
                             sizeof raw->rest, G_PRIORITY_DEFAULT, NULL, rest_read_cb, raw);
}

static void
raw_written_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  RawReply *raw = user_data;

  if (!g_output_stream_write_all_finish (G_OUTPUT_STREAM (object), result, NULL, NULL)
      || raw->tap == NULL)
    {
      raw_reply_free (raw);
      return;
    }
  lookalike_tap_finish (raw->tap);
  read_rest (raw);
}

void
lookalike_request_reply_raw (LookalikeRequest *request, const char *bytes, gsize size)
{
  GIOStream *stream = lookalike_request_steal (request);
  RawReply *raw;

  if (stream == NULL)
    return;
  raw = g_new0 (RawReply, 1);
  raw->stream = stream;
  raw->tap = request->tap != NULL ? g_object_ref (request->tap) : NULL;
  raw->bytes = g_bytes_new (bytes, size);
  g_output_stream_write_all_async (g_io_stream_get_output_stream (stream),
                                   g_bytes_get_data (raw->bytes, NULL), size, G_PRIORITY_DEFAULT,
                                   NULL, raw_written_cb, raw);
}

void
lookalike_request_abort (LookalikeRequest *request, gboolean reset)
{
  g_autoptr (LookalikeRequest) keep = lookalike_request_ref (request);

  if (request->tap != NULL)
    lookalike_tap_cut (request->tap, reset);
  begin (request, SOUP_STATUS_INTERNAL_SERVER_ERROR);
  resume (request);
}

static void
gone_cb (gpointer tap, gpointer user_data)
{
  g_autoptr (LookalikeRequest) request = lookalike_request_ref (user_data);
  GFunc gone = g_steal_pointer (&request->gone);

  if (gone != NULL)
    gone (request, request->gone_data);
}

void
lookalike_request_watch (LookalikeRequest *request, GFunc gone, gpointer user_data)
{
  request->gone = gone;
  request->gone_data = user_data;
  if (request->tap != NULL)
    lookalike_tap_watch (request->tap, gone_cb, request);
}

void
lookalike_request_unwatch (LookalikeRequest *request)
{
  if (request->gone != NULL && request->tap != NULL)
    lookalike_tap_unwatch (request->tap);
  request->gone = NULL;
}

gboolean
lookalike_request_is_upgrade (LookalikeRequest *request)
{
  const char *upgrade = lookalike_request_get_header (request, "Upgrade");

  return upgrade != NULL && g_ascii_strcasecmp (upgrade, "websocket") == 0;
}
