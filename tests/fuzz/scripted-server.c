/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "scripted-server.h"

#include "asb-opensandbox-provider.h"
#include "hostile-websocket.h"

#define MAX_TRIES 100
#define ENDPOINTS "/endpoints/"
#define END ".asb-end"
#define TIDY "asb_end EXIT\\nrm -"
#define LOOK_FOR_BASH "command -v bash"
#define TOKEN_LENGTH 32
#define MAX_MESSAGE 4096

/* In what is told, for what cannot be known beforehand: what a request is about, and the word that
 * ends the output of a terminal. */
#define MARK_TOKEN '\036'
#define MARK_WORD '\037'

/* The kinds of answers. */
enum
{
  RUN,     /* a script that ends well, with these lines, and no end of them for an odd byte */
  FAIL,    /* one with the other byte as its status; what is behind NUL is its standard error */
  BREAK,   /* one whose end does not come */
  EVENTS,  /* these bytes instead of events */
  BODY,    /* a body */
  PART,    /* a part of a file, from where it was asked for, or a byte behind that */
  CUT,     /* a body whose end does not come */
  REFUSAL, /* a status, with these words */
  SILENCE, /* the end of the connection */
  N_KINDS
};

static const char *const refusals[]
    = { "404 Not Found", "400 Bad Request", "401 Unauthorized", "409 Conflict", "405 Not Allowed",
        "416 No",        "500 X",           "507 Full" };

typedef struct
{
  uint8_t kind;
  uint8_t more;
  FuzzInput bytes;
  GString *text; /* what they mean */
} Answer;

static GMutex lock;
static HostileServer *server;
/* A copy, for whoever still answers when the call is over. */
static uint8_t the_bytes[8192];
static FuzzInput the_answers;
static gboolean is_begun;
static char token[TOKEN_LENGTH + 1];
static char word[TOKEN_LENGTH + 1];
static ScriptedNews the_news;

/* What the request says. */

static gsize
count_digits (const char *at)
{
  return strspn (at, "0123456789abcdef");
}

/* The last token in @text, or the first, replaces @found. */
static void
find_token (const char *text, gboolean is_last, char *found)
{
  while (*text)
    {
      gsize n = count_digits (text);

      if (n == TOKEN_LENGTH)
        {
          memcpy (found, text, n);
          if (!is_last)
            return;
        }
      text += MAX (n, 1);
    }
}

static gboolean
is_to (const char *head, const char *method, const char *path)
{
  return g_str_has_prefix (head, method) && strstr (head, path) != NULL;
}

static gboolean
asks_for_events (const char *head)
{
  return is_to (head, "POST", "/command ") || is_to (head, "POST", "/run ")
         || is_to (head, "POST", "/code ");
}

static void
learn (const char *head, const char *body)
{
  gboolean is_upload = is_to (head, "POST", "/files/upload");

  if (is_upload)
    FUZZ_CHECK (!strstr (body, "\"path\"") || strstr (body, "\"path\":\"/")
                || strstr (body, "\"path\" : \"/"));
  if (is_to (head, "POST", "/pty "))
    find_token (body, TRUE, word);
  /* What is uploaded has its name in front of it. */
  else if (is_upload || asks_for_events (head))
    find_token (body, is_upload, token);
}

/* The next answer. */

static GString *
new_meant (const uint8_t *bytes, size_t size)
{
  GString *text = g_string_sized_new (size);

  for (size_t i = 0; i < size; i++)
    if (bytes[i] == MARK_TOKEN)
      g_string_append (text, token);
    else if (bytes[i] == MARK_WORD)
      g_string_append (text, word);
    else
      g_string_append_c (text, (char)bytes[i]);
  return text;
}

/* FALSE when nothing is left. */
static gboolean
take_answer (Answer *answer)
{
  const uint8_t *bytes;
  size_t size;

  if (fuzz_left (&the_answers) == 0)
    return FALSE;
  answer->kind = fuzz_take_byte (&the_answers) % N_KINDS;
  answer->more = fuzz_take_byte (&the_answers);
  bytes = fuzz_take_bytes (&the_answers, &size);
  answer->bytes = (FuzzInput){ bytes, bytes + size };
  answer->text = new_meant (bytes, size);
  return TRUE;
}

/* Events. */

/* Commands of applications have none. */
static gboolean
says_end (HostileConnection *connection)
{
  return strstr (hostile_connection_get_body (connection), "asb_end") != NULL;
}

static void
append_escaped (GString *events, const char *bytes, gsize size)
{
  g_autofree char *valid = g_utf8_make_valid (bytes, (gssize)size);

  for (const char *at = valid; *at; at++)
    if ((guchar)*at < 0x20 || *at == '"' || *at == '\\')
      g_string_append_printf (events, "\\u%04x", (guchar)*at);
    else
      g_string_append_c (events, *at);
}

static void
append_lines (GString *events, const char *stream, const char *text, gsize size)
{
  const char *end = text + size;

  while (text < end)
    {
      const char *newline = memchr (text, '\n', (gsize)(end - text));
      const char *line_end = newline ? newline : end;

      g_string_append_printf (events, "{\"type\":\"%s\",\"text\":\"", stream);
      append_escaped (events, text, (gsize)(line_end - text));
      g_string_append (events, "\",\"timestamp\":1770000000050}\n\n");
      text = newline ? newline + 1 : end;
    }
}

static GString *
begin_events (void)
{
  return g_string_new ("{\"type\":\"init\",\"text\":\"c1\",\"timestamp\":1770000000050}\n\n");
}

static GString *
new_well (const char *text, gsize size, gboolean has_end)
{
  GString *events = begin_events ();

  append_lines (events, "stdout", text, size);
  if (has_end)
    append_lines (events, "stdout", END, strlen (END));
  g_string_append (events, "{\"type\":\"execution_complete\",\"execution_time\":1}\n\n");
  return events;
}

static GString *
new_failed (const GString *text, guint status, gboolean has_end)
{
  GString *events = begin_events ();
  gsize size = strlen (text->str);

  append_lines (events, "stdout", text->str, size);
  if (size < text->len)
    append_lines (events, "stderr", text->str + size + 1, text->len - size - 1);
  if (has_end)
    append_lines (events, "stdout", END, strlen (END));
  g_string_append_printf (events,
                          "{\"type\":\"error\",\"error\":{\"ename\":\"CommandExecError\","
                          "\"evalue\":\"%u\",\"traceback\":[\"exit status %u\"]}}\n\n",
                          status, status);
  return events;
}

/* Sending. @due: how long it is said to be, −1: up to the end of the connection. */

static void
send (HostileConnection *connection, const char *status, const char *headers, const GString *body,
      gint64 due)
{
  g_autofree char *length = due >= 0
                                ? g_strdup_printf ("Content-Length: %" G_GINT64_FORMAT "\r\n", due)
                                : g_strdup ("");
  g_autofree char *head = g_strdup_printf ("HTTP/1.1 %s\r\n%sConnection: close\r\n%s\r\n", status,
                                           length, headers ? headers : "");

  the_news.n_bytes += body->len;
  hostile_connection_cork (connection);
  hostile_connection_write (connection, head);
  hostile_connection_write_bytes (connection, body->str, body->len);
}

static void
send_whole (HostileConnection *connection, const char *status, const char *headers,
            const GString *body)
{
  send (connection, status, headers, body, (gint64)body->len);
}

/* Takes @events. */
static void
send_events (HostileConnection *connection, GString *events, gboolean is_whole)
{
  send (connection, "200 OK", "Content-Type: text/event-stream\r\n", events,
        is_whole ? (gint64)events->len : -1);
  g_string_free (events, TRUE);
}

static void
send_part (HostileConnection *connection, const char *head, const Answer *answer)
{
  const char *range = strstr (head, "Range: bytes=");
  guint64 start = range ? g_ascii_strtoull (range + strlen ("Range: bytes="), NULL, 10) : 0;
  guint64 end = start + MAX (answer->text->len, 1) - 1;
  g_autofree char *headers = NULL;

  start += answer->more & 1;
  headers
      = g_strdup_printf ("Content-Range: bytes %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT "/*\r\n",
                         start, MAX (start, end));
  send_whole (connection, "206 Partial Content", headers, answer->text);
}

/* “81a4 6 0 0 …” */
static void
note_size (const Answer *answer)
{
  g_auto (GStrv) fields = g_strsplit (answer->text->str, " ", 4);

  if (answer->kind == RUN && g_strv_length (fields) == 4 && strlen (fields[0]) == 4)
    g_ascii_string_to_unsigned (fields[1], 10, 0, G_MAXUINT64, &the_news.size, NULL);
}

static void
note (const Answer *answer, const char *head)
{
  gboolean is_script = answer->kind <= EVENTS;
  gboolean is_body = answer->kind >= EVENTS && answer->kind < REFUSAL;

  if (asks_for_events (head))
    {
      the_news.was_last_run = answer->kind == RUN;
      the_news.lacked_end = answer->kind == RUN && (answer->more & 1);
      the_news.was_odd |= is_body;
    }
  the_news.had_end |= answer->kind == RUN || answer->kind == FAIL || answer->kind == BODY
                      || answer->kind == PART;
  the_news.was_odd |= is_script && !asks_for_events (head);
  the_news.n_cut += answer->kind == CUT;
  the_news.was_shifted |= answer->kind == PART && (answer->more & 1);
  note_size (answer);
}

static void
tell (HostileConnection *connection, const char *head, const Answer *answer)
{
  switch (answer->kind)
    {
    case RUN:
      send_events (connection,
                   new_well (answer->text->str, answer->text->len,
                             says_end (connection) && !(answer->more & 1)),
                   TRUE);
      break;
    case FAIL:
      send_events (connection,
                   new_failed (answer->text, MAX (answer->more, 1), says_end (connection)), TRUE);
      break;
    case BREAK:
      {
        GString *events = begin_events ();

        append_lines (events, "stdout", answer->text->str, answer->text->len);
        send_events (connection, events, FALSE);
        break;
      }
    case EVENTS:
      send_events (connection, g_string_new_len (answer->text->str, (gssize)answer->text->len),
                   answer->more & 1);
      break;
    case BODY:
      send_whole (connection, "200 OK", NULL, answer->text);
      break;
    case PART:
      send_part (connection, head, answer);
      break;
    case CUT:
      send (connection, "200 OK", NULL, answer->text, (gint64)answer->text->len + 1 + answer->more);
      break;
    case SILENCE:
      break;
    default:
      send_whole (connection, refusals[answer->more % G_N_ELEMENTS (refusals)], NULL, answer->text);
    }
}

static void
send_frame (HostileConnection *connection, uint8_t first, FuzzInput *frames, size_t size)
{
  g_autoptr (GString) payload = new_meant (frames->at, size);

  hostile_websocket_send (connection, first, payload->str, payload->len);
  frames->at += size;
}

/* Frames: a byte that says which, one for their size, and so many bytes. What is left over comes as
 * it is. */
static void
tell_frames (HostileConnection *connection, const char *head, const Answer *answer)
{
  FuzzInput frames = answer->bytes;

  the_news.n_bytes += answer->text->len;
  hostile_websocket_accept (connection, head);
  while (fuzz_left (&frames) > 1)
    {
      uint8_t first = fuzz_take_byte (&frames);
      size_t size = fuzz_take_byte (&frames);

      the_news.had_close |= (first & 0x0f) == HOSTILE_WEBSOCKET_CLOSE;
      if (size > fuzz_left (&frames))
        {
          the_news.was_odd = TRUE;
          hostile_connection_write_bytes (connection, frames.at, fuzz_left (&frames));
          break;
        }
      send_frame (connection, first, &frames, size);
    }
  the_news.had_close |= answer->more & 1;
  if (answer->more & 1)
    hostile_websocket_close (connection, (guint16)(1000 + (answer->more >> 1)), "");
}

/* What is told of itself: the way in, and that things were cleaned up. */
static gboolean
tell_of_itself (HostileConnection *connection, const char *head, const char *body)
{
  g_autofree char *endpoint = NULL;
  g_autoptr (GString) text = NULL;
  gboolean is_tidy = is_to (head, "POST", "/command") && strstr (body, TIDY);

  if (strstr (head, ENDPOINTS))
    {
      text = g_string_new (NULL);
      g_string_printf (text, "{\"endpoint\":\"%s/box\"}", hostile_server_get_domain (server));
      send_whole (connection, "200 OK", "Content-Type: application/json\r\n", text);
    }
  else if (is_tidy || (!is_begun && strstr (body, LOOK_FOR_BASH)))
    send_events (connection, new_well ("", 0, TRUE), TRUE);
  else if (!is_begun && strstr (head, "/pty/none"))
    {
      text = g_string_new ("{\"code\":\"NOT_FOUND\",\"message\":\"no\"}");
      send_whole (connection, "404 Not Found", "Content-Type: application/json\r\n", text);
    }
  else
    return FALSE;
  return TRUE;
}

static void
tell_nothing (HostileConnection *connection, const char *head)
{
  static const char reason[] = "\0No such file or directory";
  g_autoptr (GString) text = g_string_new_len (reason, sizeof reason - 1);
  g_autoptr (GString) nothing = g_string_new (NULL);

  if (is_to (head, "POST", "/command"))
    send_events (connection, new_failed (text, 1, says_end (connection)), TRUE);
  else
    send_whole (connection, "404 Not Found", NULL, nothing);
}

static gboolean
answer (HostileConnection *connection, const char *head, guint number, gpointer data)
{
  g_autoptr (GString) chunks = g_string_new (NULL);
  const char *body = hostile_connection_get_body (connection);
  Answer next = { 0 };
  gboolean is_there;

  if (strstr (head, "Transfer-Encoding: chunked"))
    {
      hostile_connection_read_until (connection, "\r\n0\r\n\r\n", chunks);
      body = chunks->str;
    }
  g_mutex_lock (&lock);
  learn (head, body);
  is_there = !tell_of_itself (connection, head, body);
  if (is_there && take_answer (&next))
    {
      note (&next, head);
      if (next.kind < REFUSAL && strstr (head, "Upgrade: websocket"))
        tell_frames (connection, head, &next);
      else
        tell (connection, head, &next);
      g_string_free (next.text, TRUE);
    }
  else if (is_there)
    tell_nothing (connection, head);
  g_mutex_unlock (&lock);
  /* What was sent must not be lost for what still comes. */
  hostile_connection_shut (connection);
  if (strstr (head, "Upgrade: websocket"))
    hostile_connection_wait (connection);
  return FALSE;
}

/* The server. */

static HostileServer *
get_server (void)
{
  if (server)
    return server;
  /* Nothing of the desktop. */
  g_setenv ("GIO_USE_PROXY_RESOLVER", "dummy", TRUE);
  g_setenv ("GSETTINGS_BACKEND", "memory", TRUE);
  g_log_set_always_fatal ((GLogLevelFlags)(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING));
  server = hostile_server_new (answer, NULL);
  return server;
}

/* There is no time to ask twice. */
AsbProvider *
scripted_server_get_provider (const char *transport)
{
  static GHashTable *providers;
  AsbProvider *provider;
  g_autoptr (GError) error = NULL;

  if (!providers)
    providers = g_hash_table_new (g_str_hash, g_str_equal);
  provider = g_hash_table_lookup (providers, transport);
  if (provider)
    return provider;
  provider = g_initable_new (ASB_TYPE_OPENSANDBOX_PROVIDER, NULL, &error, "url",
                             hostile_server_get_domain (get_server ()), "transport", transport,
                             "request-timeout-seconds", 0.4, "ready-timeout-seconds", 0.05,
                             "idle-timeout-seconds", 1.0, NULL);
  FUZZ_CHECK (provider != NULL);
  g_hash_table_insert (providers, (gpointer)transport, provider);
  return provider;
}

/* That something does not come in time is no fault of it: the machine may have much to do. */
AsbTransport *
scripted_server_open_native (void)
{
  AsbProvider *provider = scripted_server_get_provider ("native");
  AsbTransport *transport = NULL;

  for (guint i = 0; i < MAX_TRIES && !transport; i++)
    transport = asb_provider_open_transport (provider, SCRIPTED_SANDBOX, NULL, NULL);
  FUZZ_CHECK (transport != NULL);
  return transport;
}

void
scripted_server_begin (FuzzInput *input)
{
  size_t size = MIN (fuzz_left (input), sizeof the_bytes);

  g_mutex_lock (&lock);
  memcpy (the_bytes, input->at, size);
  the_answers = (FuzzInput){ the_bytes, the_bytes + size };
  the_news = (ScriptedNews){ 0 };
  is_begun = TRUE;
  g_mutex_unlock (&lock);
}

void
scripted_server_end (void)
{
  g_mutex_lock (&lock);
  the_answers.at = the_answers.end;
  is_begun = FALSE;
  g_mutex_unlock (&lock);
  hostile_server_forget (server);
}

void
scripted_server_get_news (ScriptedNews *news)
{
  g_mutex_lock (&lock);
  *news = the_news;
  g_mutex_unlock (&lock);
}

void
scripted_server_check_error (const GError *error)
{
  if (!error)
    return;
  FUZZ_CHECK (error->domain == ASB_ERROR && asb_error_code_to_string (error->code));
  FUZZ_CHECK (g_utf8_validate (error->message, -1, NULL));
  FUZZ_CHECK (*error->message && strlen (error->message) <= MAX_MESSAGE);
  for (const char *at = error->message; *at; at = g_utf8_next_char (at))
    FUZZ_CHECK (!g_unichar_iscntrl (g_utf8_get_char (at)));
}
