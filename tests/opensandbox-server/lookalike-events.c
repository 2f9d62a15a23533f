/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-events.h"

#include "lookalike-json.h"

#define FULL (1 << 20)

struct _LookalikeEvents
{
  LookalikeRequest *request;
  GRand *rand;
  guint ping;
  guint grace;
  guint n_events;
  gsize waiting;
  gboolean started;
  gboolean ended;
};

static void
clear (gpointer data)
{
  LookalikeEvents *self = data;

  g_signal_handlers_disconnect_by_data (self->request->message, self);
  g_clear_handle_id (&self->ping, g_source_remove);
  g_clear_handle_id (&self->grace, g_source_remove);
  g_clear_pointer (&self->rand, g_rand_free);
  g_clear_pointer (&self->request, lookalike_request_unref);
}

static void
wrote_cb (SoupServerMessage *message, guint size, LookalikeEvents *self)
{
  self->waiting -= MIN (self->waiting, size);
}

static void
finished_cb (SoupServerMessage *message, LookalikeEvents *self)
{
  self->ended = TRUE;
  g_clear_handle_id (&self->ping, g_source_remove);
  g_clear_handle_id (&self->grace, g_source_remove);
}

LookalikeEvents *
lookalike_events_new (LookalikeRequest *request)
{
  LookalikeEvents *self = g_rc_box_new0 (LookalikeEvents);
  const LookalikeConfig *config = &request->lookalike->config;

  self->request = lookalike_request_ref (request);
  if (config->split > 0)
    self->rand = g_rand_new_with_seed ((guint32)config->split_seed);
  g_signal_connect (request->message, "wrote-body-data", G_CALLBACK (wrote_cb), self);
  g_signal_connect (request->message, "finished", G_CALLBACK (finished_cb), self);
  return self;
}

static LookalikeEvents *
lookalike_events_ref (LookalikeEvents *self)
{
  return g_rc_box_acquire (self);
}

void
lookalike_events_unref (LookalikeEvents *self)
{
  g_rc_box_release_full (self, clear);
}

static void
start (LookalikeEvents *self)
{
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (self->request->message);

  if (self->started)
    return;
  self->started = TRUE;
  soup_message_headers_replace (headers, "Content-Type", "text/event-stream");
  soup_message_headers_replace (headers, "Cache-Control", "no-cache");
  soup_message_headers_replace (headers, "Connection", "keep-alive");
  soup_message_headers_replace (headers, "X-Accel-Buffering", "no");
  soup_message_headers_set_encoding (headers, SOUP_ENCODING_CHUNKED);
  lookalike_request_start_stream (self->request, SOUP_STATUS_OK);
}

static gsize
choose_size (LookalikeEvents *self, gsize size)
{
  gint32 largest = MAX (self->request->lookalike->config.split, 1);
  gsize piece = self->rand != NULL ? (gsize)g_rand_int_range (self->rand, 1, largest + 1) : size;

  return MIN (size, piece);
}

/* Each piece becomes a chunk of its own: with --split also within an event. */
static void
send_bytes (LookalikeEvents *self, const char *bytes, gsize size)
{
  start (self);
  self->waiting += size;
  while (size > 0)
    {
      gsize now = choose_size (self, size);
      g_autoptr (GBytes) piece = g_bytes_new (bytes, now);

      lookalike_request_send (self->request, piece);
      bytes += now;
      size -= now;
    }
}

static void
end_now (LookalikeEvents *self)
{
  self->ended = TRUE;
  g_clear_handle_id (&self->ping, g_source_remove);
  g_clear_handle_id (&self->grace, g_source_remove);
  lookalike_request_end_stream (self->request);
}

static GString *
begin_event (const char *type)
{
  GString *event = g_string_new (NULL);

  g_string_printf (event, "{\"type\":\"%s\"", type);
  return event;
}

static void
end_event (LookalikeEvents *self, GString *event, const char *error)
{
  g_autoptr (GString) bytes = event;

  if (self->ended)
    return;
  g_string_append_printf (bytes, ",\"timestamp\":%" G_GINT64_FORMAT, g_get_real_time () / 1000);
  g_string_append (bytes, error);
  g_string_append (bytes, "}\n\n");
  send_bytes (self, bytes->str, bytes->len);
  self->n_events++;
  if (self->request->tail != NULL && self->n_events >= self->request->tail_after)
    {
      send_bytes (self, self->request->tail, strlen (self->request->tail));
      end_now (self);
    }
}

static gboolean
ping_cb (gpointer data)
{
  lookalike_events_send_text (data, "ping", "pong", 4);
  return G_SOURCE_CONTINUE;
}

void
lookalike_events_send_init (LookalikeEvents *self, const char *id)
{
  g_autoptr (LookalikeEvents) keep = lookalike_events_ref (self);

  lookalike_events_send_text (self, "init", id, strlen (id));
  lookalike_events_send_text (self, "ping", "pong", 4);
  if (!self->ended)
    self->ping
        = g_timeout_add ((guint)MAX (self->request->lookalike->config.ping_ms, 1), ping_cb, self);
}

void
lookalike_events_send_text (LookalikeEvents *self, const char *type, const char *text, gsize length)
{
  GString *event;

  if (length == 0)
    return;
  event = begin_event (type);
  g_string_append (event, ",\"text\":");
  lookalike_json_append_string (event, text, (gssize)length);
  end_event (self, event, "");
}

static void
send_late_ping (LookalikeEvents *self)
{
  if (self->request->lookalike->config.late_ping)
    lookalike_events_send_text (self, "ping", "pong", 4);
}

void
lookalike_events_send_error (LookalikeEvents *self, const char *value, const char *traceback)
{
  g_autoptr (GString) error
      = g_string_new (",\"error\":{\"ename\":\"CommandExecError\",\"evalue\":");

  lookalike_json_append_string (error, value, -1);
  g_string_append (error, ",\"traceback\":[");
  lookalike_json_append_string (error, traceback, -1);
  g_string_append (error, "]}");
  end_event (self, begin_event ("error"), error->str);
  send_late_ping (self);
}

void
lookalike_events_send_complete (LookalikeEvents *self, gint64 milliseconds)
{
  GString *event = begin_event ("execution_complete");

  if (milliseconds > 0)
    g_string_append_printf (event, ",\"execution_time\":%" G_GINT64_FORMAT, milliseconds);
  end_event (self, event, "");
  send_late_ping (self);
}

void
lookalike_events_fail (LookalikeEvents *self, const char *format, ...)
{
  g_autoptr (GString) envelope = g_string_new ("{\"code\":\"RUNTIME_ERROR\",\"message\":");
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (self->ended)
    return;
  if (!self->started)
    {
      self->ended = TRUE;
      lookalike_request_fail (self->request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                              "%s", message);
      return;
    }
  lookalike_json_append_string (envelope, message, -1);
  g_string_append_c (envelope, '}');
  send_bytes (self, envelope->str, envelope->len);
  end_now (self);
}

static gboolean
grace_cb (gpointer data)
{
  LookalikeEvents *self = data;

  self->grace = 0;
  end_now (self);
  return G_SOURCE_REMOVE;
}

void
lookalike_events_end (LookalikeEvents *self, gboolean after_grace)
{
  if (self->ended)
    return;
  if (!after_grace)
    end_now (self);
  else if (self->grace == 0)
    self->grace = g_timeout_add_full (
        G_PRIORITY_DEFAULT, (guint)MAX (self->request->lookalike->config.grace_ms, 0), grace_cb,
        lookalike_events_ref (self), (GDestroyNotify)lookalike_events_unref);
}

gboolean
lookalike_events_is_full (LookalikeEvents *self)
{
  return !self->ended && self->waiting > FULL;
}
