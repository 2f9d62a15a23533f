/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-fault.h"

#include <string.h>

#include "lookalike-json.h"
#include "lookalike-listener.h"

#define MAX_FILL (1 << 30)

static gint64
get_int (LookalikeFault *fault, const char *name, gint64 otherwise)
{
  return lookalike_json_get_int (fault->spec, name, otherwise);
}

static LookalikeTapPlan
make_plan (LookalikeRequest *request)
{
  LookalikeTapPlan plan = LOOKALIKE_TAP_PLAN_INIT;
  const LookalikeConfig *config = &request->lookalike->config;

  plan.split_max = (guint)MAX (config->split, 0);
  plan.split_seed = (guint32)config->split_seed;
  return plan;
}

void
lookalike_fault_reset_plan (LookalikeRequest *request)
{
  LookalikeTapPlan plan = make_plan (request);

  lookalike_tap_set_plan (request->tap, &plan);
}

static gboolean
act_cut (LookalikeFault *fault, LookalikeRequest *request)
{
  LookalikeTapPlan plan = make_plan (request);
  const char *of = lookalike_json_get_string (fault->spec, "of");
  gint64 bytes = get_int (fault, "bytes", -1);

  plan.cut_chunks = get_int (fault, "chunks", -1);
  if (of != NULL && strcmp (of, "response") == 0)
    plan.cut_response = bytes;
  else
    plan.cut_body = bytes;
  if (bytes < 0 && plan.cut_chunks < 0)
    plan.cut_response = 0;
  plan.reset = lookalike_json_get_boolean (fault->spec, "reset");
  if (request->tap != NULL)
    lookalike_tap_set_plan (request->tap, &plan);
  return FALSE;
}

static gboolean
act_stall (LookalikeFault *fault, LookalikeRequest *request)
{
  LookalikeTapPlan plan = make_plan (request);

  plan.stall_body = get_int (fault, "bytes", 0);
  if (request->tap != NULL)
    lookalike_tap_set_plan (request->tap, &plan);
  return FALSE;
}

static gboolean
act_split (LookalikeFault *fault, LookalikeRequest *request)
{
  LookalikeTapPlan plan = make_plan (request);

  plan.split_max = (guint)CLAMP (get_int (fault, "max", 8), 1, 65536);
  plan.split_seed = (guint32)get_int (fault, "seed", 1);
  if (request->tap != NULL)
    lookalike_tap_set_plan (request->tap, &plan);
  return FALSE;
}

static gboolean
act_header_case (LookalikeFault *fault, LookalikeRequest *request)
{
  LookalikeTapPlan plan = make_plan (request);
  const char *to = lookalike_json_get_string (fault->spec, "to");

  plan.header_case = to != NULL && strcmp (to, "upper") == 0 ? 'u' : 'l';
  if (request->tap != NULL)
    lookalike_tap_set_plan (request->tap, &plan);
  return FALSE;
}

static gboolean
act_reset (LookalikeFault *fault, LookalikeRequest *request)
{
  lookalike_request_abort (request, TRUE);
  return TRUE;
}

static gboolean
delay_cb (gpointer data)
{
  LookalikeRequest *request = data;

  request->timer = 0;
  request->listener->handler (request);
  return G_SOURCE_REMOVE;
}

static gboolean
act_delay (LookalikeFault *fault, LookalikeRequest *request)
{
  request->timer = g_timeout_add_full (
      G_PRIORITY_DEFAULT, (guint)CLAMP (get_int (fault, "ms", 1000), 0, G_MAXINT), delay_cb,
      lookalike_request_ref (request), (GDestroyNotify)lookalike_request_unref);
  return TRUE;
}

static gboolean
late_cb (gpointer data)
{
  LookalikeTap *tap = data;

  lookalike_tap_release (tap);
  return G_SOURCE_REMOVE;
}

static gboolean
act_late (LookalikeFault *fault, LookalikeRequest *request)
{
  if (request->tap == NULL)
    return FALSE;
  lookalike_tap_hold (request->tap);
  g_timeout_add_full (G_PRIORITY_DEFAULT, (guint)CLAMP (get_int (fault, "ms", 1000), 0, G_MAXINT),
                      late_cb, g_object_ref (request->tap), g_object_unref);
  return FALSE;
}

/* Done or not, the client hears nothing. */
static gboolean
act_silent (LookalikeFault *fault, LookalikeRequest *request)
{
  if (request->tap != NULL)
    lookalike_tap_hold (request->tap);
  return !lookalike_json_get_boolean (fault->spec, "work");
}

static gboolean
act_type (LookalikeFault *fault, LookalikeRequest *request)
{
  const char *type = lookalike_json_get_string (fault->spec, "type");

  g_free (request->wrong_type);
  request->wrong_type = g_strdup (type != NULL ? type : "text/html; charset=utf-8");
  return FALSE;
}

static void
set_headers (LookalikeFault *fault, LookalikeRequest *request)
{
  JsonObject *headers = lookalike_json_get_object (fault->spec, "headers");
  g_autoptr (GList) names = headers != NULL ? json_object_get_members (headers) : NULL;

  for (GList *i = names; i != NULL; i = i->next)
    {
      const char *value = lookalike_json_get_string (headers, i->data);

      if (value != NULL)
        soup_message_headers_replace (soup_server_message_get_response_headers (request->message),
                                      i->data, value);
    }
}

/* Where libsoup would read the body first. */
static void
reply_early (LookalikeRequest *request, guint status, const char *type, const GString *body)
{
  SoupMessageHeadersIter iter;
  const char *name, *value;
  g_autoptr (GString) answer = g_string_new (NULL);

  g_string_printf (answer, "HTTP/1.1 %u %s\r\nContent-Type: %s\r\n", status,
                   soup_status_get_phrase (status), type);
  soup_message_headers_iter_init (&iter,
                                  soup_server_message_get_response_headers (request->message));
  while (soup_message_headers_iter_next (&iter, &name, &value))
    g_string_append_printf (answer, "%s: %s\r\n", name, value);
  g_string_append_printf (
      answer, "Content-Length: %" G_GSIZE_FORMAT "\r\nConnection: close\r\n\r\n", body->len);
  g_string_append_len (answer, body->str, (gssize)body->len);
  lookalike_request_reply_raw (request, answer->str, answer->len);
}

static gboolean
act_reply (LookalikeFault *fault, LookalikeRequest *request)
{
  const char *body = lookalike_json_get_string (fault->spec, "body");
  JsonObject *json = lookalike_json_get_object (fault->spec, "json");
  const char *type = lookalike_json_get_string (fault->spec, "type");
  guint status = (guint)get_int (fault, "status", 500);
  gint64 fill = CLAMP (get_int (fault, "fill", 0), 0, MAX_FILL);
  g_autofree char *printed = json != NULL ? lookalike_json_print_object (json) : NULL;
  g_autoptr (GString) text = g_string_new (printed != NULL ? printed : body);

  if (type == NULL)
    type = json != NULL ? "application/json" : "text/plain";
  if (fill > 0)
    {
      gsize start = text->len;

      g_string_set_size (text, start + (gsize)fill);
      memset (text->str + start, 'x', (gsize)fill);
    }
  set_headers (fault, request);
  if (fault->early)
    reply_early (request, status, type, text);
  else
    lookalike_request_reply (request, status, type, text->str, (gssize)text->len);
  return TRUE;
}

static gboolean
act_redirect (LookalikeFault *fault, LookalikeRequest *request)
{
  const char *to = lookalike_json_get_string (fault->spec, "to");

  soup_message_headers_replace (soup_server_message_get_response_headers (request->message),
                                "Location", to != NULL ? to : request->path);
  lookalike_request_reply_empty (request, (guint)get_int (fault, "status", 307));
  return TRUE;
}

static gboolean
act_close_code (LookalikeFault *fault, LookalikeRequest *request)
{
  request->close_code = (int)get_int (fault, "code", 1011);
  request->close_after = (guint)MAX (get_int (fault, "frames", 0), 0);
  return FALSE;
}

static gboolean
act_tail (LookalikeFault *fault, LookalikeRequest *request)
{
  const char *body = lookalike_json_get_string (fault->spec, "body");

  g_free (request->tail);
  request->tail = g_strdup (
      body != NULL ? body : "{\"code\":\"RUNTIME_ERROR\",\"message\":\"the stream was given up\"}");
  request->tail_after = (guint)MAX (get_int (fault, "events", 2), 0);
  return FALSE;
}

static gboolean
act_short (LookalikeFault *fault, LookalikeRequest *request)
{
  request->file_end = MAX (get_int (fault, "bytes", 1), 1);
  return FALSE;
}

static const LookalikeFaultAction actions[] = {
  { "cut",
    "ends the connection after \"bytes\" of the body (\"of\":\"response\": of all), or after\n"
    "      \"chunks\"; \"reset\":true with RST; neither given: after the work, before an answer",
    act_cut },
  { "reset", "RST before the work is done", act_reset },
  { "stall", "sends \"bytes\" of the body, then nothing, and stays open", act_stall },
  { "split", "writes pieces of 1 to \"max\" bytes (\"seed\"), also within an event", act_split },
  { "delay", "begins the work after \"ms\"", act_delay },
  { "late", "does the work at once and answers after \"ms\"", act_late },
  { "silent", "never answers; \"work\":true does the work all the same", act_silent },
  { "type", "answers with the Content-Type \"type\"", act_type },
  { "reply",
    "answers \"status\" with \"body\" or \"json\", \"headers\", \"type\", and \"fill\" more bytes",
    act_reply },
  { "redirect", "\"status\" (307) to \"to\"", act_redirect },
  { "close", "ends a WebSocket with \"code\" after \"frames\"", act_close_code },
  { "tail", "ends an event stream after \"events\" with \"body\"", act_tail },
  { "short", "sends \"bytes\" of a file as if that were all", act_short },
  { "header-case", "names of headers \"to\" upper or lower case", act_header_case },
};

char *
lookalike_fault_describe_actions (void)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    g_string_append_printf (text, "  %-12s %s\n", actions[i].name, actions[i].says);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* What lets the request go on would have it done twice. */
static gboolean
may_be_early (const LookalikeFaultAction *action)
{
  return action->act == act_reply || action->act == act_reset;
}

LookalikeFault *
lookalike_fault_new (JsonNode *node, GError **error)
{
  JsonObject *spec = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  const char *name = lookalike_json_get_string (spec, "action");
  gboolean early = spec != NULL && lookalike_json_get_boolean (spec, "early");
  LookalikeFault *self;

  for (guint i = 0; i < G_N_ELEMENTS (actions) && name != NULL; i++)
    if (strcmp (name, actions[i].name) == 0 && (!early || may_be_early (&actions[i])))
      {
        self = g_new0 (LookalikeFault, 1);
        self->spec = json_object_ref (spec);
        self->action = &actions[i];
        self->early = early;
        self->nth = lookalike_json_get_int (spec, "nth", 0);
        self->times = lookalike_json_get_int (spec, "times", self->nth > 0 ? 1 : G_MAXINT64);
        return self;
      }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
               "A fault is an object with an “action” that exists%s, not “%s”",
               early ? " and needs no body (reply, reset)" : "", name != NULL ? name : "");
  return NULL;
}

void
lookalike_fault_free (LookalikeFault *self)
{
  json_object_unref (self->spec);
  g_free (self);
}

gboolean
lookalike_fault_matches (LookalikeFault *self, LookalikeRequest *request)
{
  const char *method = lookalike_json_get_string (self->spec, "method");
  const char *path = lookalike_json_get_string (self->spec, "path");
  const char *hop = lookalike_json_get_string (self->spec, "hop");

  if ((method != NULL && strcmp (method, request->method) != 0)
      || (path != NULL && !g_pattern_match_simple (path, request->path))
      || (hop != NULL && strcmp (hop, request->listener->hop) != 0))
    return FALSE;
  self->seen++;
  return self->seen >= self->nth && self->done < self->times;
}

gboolean
lookalike_fault_act (LookalikeFault *self, LookalikeRequest *request)
{
  self->done++;
  return self->action->act (self, request);
}
