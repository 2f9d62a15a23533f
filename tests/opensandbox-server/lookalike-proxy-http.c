/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-proxy.h"

#include <string.h>

#define PIECE 65536

typedef struct
{
  LookalikeRequest *request;
  LookalikeProxyRoute route;
  SoupMessage *message;
  GInputStream *stream;
  GCancellable *cancellable;
  gboolean chunked;
  gboolean has_body;
  gboolean reading;
  gboolean ended;
} Passage;

static void
passage_free (Passage *passage)
{
  g_signal_handlers_disconnect_by_data (passage->request->message, passage);
  lookalike_request_unref (passage->request);
  g_clear_object (&passage->message);
  g_clear_object (&passage->stream);
  g_clear_object (&passage->cancellable);
  g_free (passage->route.target);
  g_free (passage->route.prefix);
  g_free (passage->route.name);
  g_free (passage);
}

/* The client's side is done; ours may still read. */
static void
finished_cb (SoupServerMessage *message, Passage *passage)
{
  passage->ended = TRUE;
  g_cancellable_cancel (passage->cancellable);
  if (!passage->reading)
    passage_free (passage);
}

static void read_next (Passage *passage);

static void
piece_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Passage *passage = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) piece
      = g_input_stream_read_bytes_finish (G_INPUT_STREAM (object), result, &error);

  passage->reading = FALSE;
  if (passage->ended)
    {
      passage_free (passage);
      return;
    }
  if (piece == NULL)
    lookalike_request_abort (passage->request, FALSE);
  else if (g_bytes_get_size (piece) > 0)
    lookalike_request_send (passage->request, piece);
  else
    lookalike_request_end_stream (passage->request);
}

static void
read_next (Passage *passage)
{
  if (passage->reading || passage->ended)
    return;
  passage->reading = TRUE;
  g_input_stream_read_bytes_async (passage->stream, PIECE, G_PRIORITY_DEFAULT, passage->cancellable,
                                   piece_cb, passage);
}

static void
wrote_chunk_cb (SoupServerMessage *message, Passage *passage)
{
  read_next (passage);
}

static void
copy_location (Passage *passage, SoupMessageHeaders *to, const char *value)
{
  g_autofree char *below = NULL;

  if (passage->route.prefix != NULL && value[0] == '/' && value[1] != '/')
    value = below = g_strconcat (passage->route.prefix, value, NULL);
  soup_message_headers_append (to, "Location", value);
}

static gboolean
may_have_body (Passage *passage)
{
  guint status = soup_message_get_status (passage->message);

  return status != SOUP_STATUS_NO_CONTENT && status != SOUP_STATUS_NOT_MODIFIED;
}

static void
copy_answer_headers (Passage *passage)
{
  SoupMessageHeaders *from = soup_message_get_response_headers (passage->message);
  SoupMessageHeaders *to = soup_server_message_get_response_headers (passage->request->message);
  const char *connection = soup_message_headers_get_list (from, "Connection");
  SoupMessageHeadersIter iter;
  const char *name, *value;

  soup_message_headers_iter_init (&iter, from);
  while (soup_message_headers_iter_next (&iter, &name, &value))
    if (g_ascii_strcasecmp (name, "Location") == 0)
      copy_location (passage, to, value);
    else if (g_ascii_strcasecmp (name, "Date") != 0
             && lookalike_proxy_keeps_header (LOOKALIKE_PROXY_EXECD, name, connection))
      soup_message_headers_append (to, name, value);
  if (!may_have_body (passage))
    return;
  passage->chunked = soup_message_headers_get_encoding (from) != SOUP_ENCODING_CONTENT_LENGTH;
  passage->has_body = passage->chunked || soup_message_headers_get_content_length (from) > 0;
  if (passage->chunked)
    soup_message_headers_set_encoding (to, SOUP_ENCODING_CHUNKED);
  else
    soup_message_headers_set_content_length (to, soup_message_headers_get_content_length (from));
}

static void
sent_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Passage *passage = user_data;
  g_autoptr (GError) error = NULL;

  passage->reading = FALSE;
  passage->stream = soup_session_send_finish (SOUP_SESSION (object), result, &error);
  if (passage->ended)
    {
      passage_free (passage);
      return;
    }
  if (passage->stream == NULL)
    {
      lookalike_proxy_fail (passage->request, &passage->route);
      return;
    }
  copy_answer_headers (passage);
  if (!passage->has_body)
    {
      lookalike_request_reply_empty (passage->request, soup_message_get_status (passage->message));
      return;
    }
  g_signal_connect (passage->request->message, "wrote-chunk", G_CALLBACK (wrote_chunk_cb), passage);
  lookalike_request_start_stream (passage->request, soup_message_get_status (passage->message));
  read_next (passage);
}

static void
add_header (gpointer data, const char *name, const char *value)
{
  soup_message_headers_replace (data, name, value);
}

static void
copy_request_headers (Passage *passage)
{
  SoupMessageHeaders *from = soup_server_message_get_request_headers (passage->request->message);
  SoupMessageHeaders *to = soup_message_get_request_headers (passage->message);
  const char *connection = soup_message_headers_get_list (from, "Connection");
  SoupMessageHeadersIter iter;
  const char *name, *value;

  soup_message_headers_iter_init (&iter, from);
  while (soup_message_headers_iter_next (&iter, &name, &value))
    if (lookalike_proxy_keeps_header (passage->route.style, name, connection))
      soup_message_headers_append (to, name, value);
  lookalike_proxy_get_forwarded (passage->request, passage->route.style, add_header, to);
}

static void
gone_cb (gpointer request, gpointer user_data)
{
  lookalike_request_abort (request, FALSE);
}

void
lookalike_proxy_http_start (LookalikeRequest *request, const LookalikeProxyRoute *route)
{
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%u%s", route->port, route->target);
  g_autoptr (GUri) uri = g_uri_parse (url, SOUP_HTTP_URI_FLAGS, NULL);
  g_autoptr (GBytes) body = lookalike_request_get_body (request);
  Passage *passage;

  if (route->port == 0 || uri == NULL)
    {
      lookalike_proxy_fail (request, route);
      return;
    }
  passage = g_new0 (Passage, 1);
  passage->request = lookalike_request_ref (request);
  passage->route = *route;
  passage->route.target = g_strdup (route->target);
  passage->route.prefix = g_strdup (route->prefix);
  passage->route.name = g_strdup (route->name);
  passage->cancellable = g_cancellable_new ();
  passage->message = soup_message_new_from_uri (request->method, uri);
  soup_message_add_flags (passage->message, SOUP_MESSAGE_NO_REDIRECT | SOUP_MESSAGE_NEW_CONNECTION);
  if (g_bytes_get_size (body) > 0)
    soup_message_set_request_body_from_bytes (passage->message, NULL, body);
  copy_request_headers (passage);
  g_signal_connect (request->message, "finished", G_CALLBACK (finished_cb), passage);
  lookalike_request_watch (request, gone_cb, NULL);
  passage->reading = TRUE;
  soup_session_send_async (request->lookalike->session, passage->message, G_PRIORITY_DEFAULT,
                           passage->cancellable, sent_cb, passage);
}
