/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-events.h"

#include <asb.h>
#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-event-text.h"
#include "asb-opensandbox-json.h"

#define MAX_TRACEBACK 1000
#define MAX_SHOWN 200
#define MAX_FAILURE 400

struct _AsbOpensandboxEvents
{
  GByteArray *bytes;
  gsize start;   /* of the line that is looked at */
  gsize scanned; /* up to here it has no end */
  gboolean ended;
  GError *error;
};

static const struct
{
  const char *name;
  AsbOpensandboxEventType type;
} TYPES[] = {
  { "init", ASB_OPENSANDBOX_EVENT_INIT },
  { "ping", ASB_OPENSANDBOX_EVENT_PING },
  { "stdout", ASB_OPENSANDBOX_EVENT_STDOUT },
  { "stderr", ASB_OPENSANDBOX_EVENT_STDERR },
  { "result", ASB_OPENSANDBOX_EVENT_RESULT },
  { "execution_count", ASB_OPENSANDBOX_EVENT_COUNT },
  { "status", ASB_OPENSANDBOX_EVENT_STATUS },
  { "error", ASB_OPENSANDBOX_EVENT_ERROR },
  { "execution_complete", ASB_OPENSANDBOX_EVENT_COMPLETE },
};

void
asb_opensandbox_event_clear (AsbOpensandboxEvent *self)
{
  if (self->text)
    g_string_free (self->text, TRUE);
  g_free (self->name);
  g_free (self->value);
  g_strfreev (self->traceback);
  if (self->results)
    json_object_unref (self->results);
  *self = (AsbOpensandboxEvent){ 0 };
}

AsbOpensandboxEvents *
asb_opensandbox_events_new (void)
{
  AsbOpensandboxEvents *self = g_new0 (AsbOpensandboxEvents, 1);

  self->bytes = g_byte_array_new ();
  return self;
}

void
asb_opensandbox_events_free (AsbOpensandboxEvents *self)
{
  g_byte_array_unref (self->bytes);
  g_clear_error (&self->error);
  g_free (self);
}

void
asb_opensandbox_events_push (AsbOpensandboxEvents *self, gconstpointer bytes, gsize size)
{
  if (self->error || self->ended)
    return;
  if (self->start > 0)
    g_byte_array_remove_range (self->bytes, 0, (guint)self->start);
  self->scanned -= self->start;
  self->start = 0;
  if (self->bytes->len + size <= ASB_OPENSANDBOX_EVENTS_MAX_LINE)
    g_byte_array_append (self->bytes, bytes, (guint)size);
  else
    g_set_error (&self->error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                 "execd sent a line of more than %d MiB",
                 ASB_OPENSANDBOX_EVENTS_MAX_LINE / (1024 * 1024));
}

void
asb_opensandbox_events_end (AsbOpensandboxEvents *self)
{
  self->ended = TRUE;
}

/* FALSE when there is none yet. */
static gboolean
take_line (AsbOpensandboxEvents *self, const char **line, gsize *size)
{
  const guint8 *data = self->bytes->data;
  const guint8 *end = self->scanned < self->bytes->len
                          ? memchr (data + self->scanned, '\n', self->bytes->len - self->scanned)
                          : NULL;
  gsize next;

  if (!end && (!self->ended || self->start == self->bytes->len))
    {
      self->scanned = self->bytes->len;
      return FALSE;
    }
  next = end ? (gsize)(end - data) + 1 : self->bytes->len;
  *line = (const char *)data + self->start;
  *size = (end ? next - 1 : next) - self->start;
  self->start = self->scanned = next;
  return TRUE;
}

static gboolean
has_prefix (const char *line, gsize size, const char *prefix)
{
  gsize length = strlen (prefix);

  return size >= length && memcmp (line, prefix, length) == 0;
}

/* FALSE for a line that says nothing. */
static gboolean
strip (const char **line, gsize *size)
{
  static const char *const ignored[] = { ":", "event:", "id:", "retry:" };

  if (*size > 0 && (*line)[*size - 1] == '\r')
    (*size)--;
  if (has_prefix (*line, *size, "data:"))
    {
      *line += strlen ("data:");
      *size -= strlen ("data:");
    }
  for (gsize i = 0; i < G_N_ELEMENTS (ignored); i++)
    if (has_prefix (*line, *size, ignored[i]))
      return FALSE;
  while (*size > 0 && g_ascii_isspace (**line))
    {
      (*line)++;
      (*size)--;
    }
  return *size > 0;
}

static gboolean
parse_traceback (JsonObject *object, AsbOpensandboxEvent *event, GError **error)
{
  JsonArray *array;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  guint length;

  if (!asb_opensandbox_json_get_array (object, "traceback", FALSE, &array, error))
    return FALSE;
  length = array ? MIN (json_array_get_length (array), MAX_TRACEBACK) : 0;
  for (guint i = 0; i < length; i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (json_node_get_value_type (node) == G_TYPE_STRING)
        g_strv_builder_add (builder, json_node_get_string (node));
    }
  event->traceback = g_strv_builder_end (builder);
  return TRUE;
}

static gboolean
parse_error (JsonObject *object, AsbOpensandboxEvent *event, GError **error)
{
  JsonObject *inner;
  const char *name;
  const char *value;

  if (!asb_opensandbox_json_get_object (object, "error", TRUE, &inner, error)
      || !asb_opensandbox_json_get_string (inner, "ename", FALSE, &name, error)
      || !asb_opensandbox_json_get_string (inner, "evalue", FALSE, &value, error)
      || !parse_traceback (inner, event, error))
    return FALSE;
  event->name = g_strdup (name ? name : "");
  event->value = g_strdup (value ? value : "");
  return TRUE;
}

/* The error of an ordinary reply, behind events. */
static gboolean
parse_failure (JsonObject *object, AsbOpensandboxEvent *event, GError **error)
{
  const char *code;
  const char *message;

  if (!asb_opensandbox_json_get_string (object, "code", TRUE, &code, error)
      || !asb_opensandbox_json_get_string (object, "message", FALSE, &message, error))
    return FALSE;
  event->type = ASB_OPENSANDBOX_EVENT_FAILURE;
  /* It becomes the text of an error. */
  event->name = asb_opensandbox_error_dup_text (code, strlen (code), MAX_SHOWN);
  event->value = message ? asb_opensandbox_error_dup_text (message, strlen (message), MAX_FAILURE)
                         : g_strdup ("no reason given");
  return TRUE;
}

static gboolean
parse_members (JsonObject *object, AsbOpensandboxEvent *event, GError **error)
{
  const char *number
      = event->type == ASB_OPENSANDBOX_EVENT_COUNT ? "execution_count" : "execution_time";
  const char *text;
  JsonObject *results;

  if (event->type == ASB_OPENSANDBOX_EVENT_ERROR)
    return parse_error (object, event, error);
  if (!asb_opensandbox_json_get_string (object, "text", FALSE, &text, error)
      || !asb_opensandbox_json_get_int (object, number, FALSE, &event->number, error)
      || !asb_opensandbox_json_get_object (object, "results", FALSE, &results, error))
    return FALSE;
  event->text = g_string_new (text);
  event->results = results ? json_object_ref (results) : NULL;
  return TRUE;
}

static gboolean
parse_any (const char *line, gsize size, AsbOpensandboxEvent *event, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (line, size);
  g_autoptr (JsonObject) object = asb_opensandbox_json_parse_object (bytes, "an event", error);
  const char *type;

  if (!object)
    return FALSE;
  if (!json_object_has_member (object, "type") && json_object_has_member (object, "code"))
    return parse_failure (object, event, error);
  if (!asb_opensandbox_json_get_string (object, "type", TRUE, &type, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (TYPES); i++)
    if (strcmp (type, TYPES[i].name) == 0)
      event->type = TYPES[i].type;
  return event->type == ASB_OPENSANDBOX_EVENT_OTHER || parse_members (object, event, error);
}

static gboolean
parse (const char *line, gsize size, AsbOpensandboxEvent *event, GError **error)
{
  gboolean is_stderr;

  if (!g_utf8_validate_len (line, size, NULL))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                           "execd sent an event that is not UTF-8");
      return FALSE;
    }
  event->text = asb_opensandbox_event_text_parse (line, size, &is_stderr);
  if (event->text)
    {
      event->type = is_stderr ? ASB_OPENSANDBOX_EVENT_STDERR : ASB_OPENSANDBOX_EVENT_STDOUT;
      return TRUE;
    }
  return parse_any (line, size, event, error);
}

/* What came instead of JSON helps whoever looks for the cause: often it is a proxy's page. */
static void
describe (const char *line, gsize size, GError *cause, GError **error)
{
  g_autofree char *shown = asb_opensandbox_error_dup_text (line, size, MAX_SHOWN);

  g_propagate_prefixed_error (error, cause, "What execd sends is no event (“%s”): ", shown);
}

gboolean
asb_opensandbox_events_next (AsbOpensandboxEvents *self, AsbOpensandboxEvent *event, GError **error)
{
  const char *line;
  gsize size;

  while (!self->error && take_line (self, &line, &size))
    {
      GError *cause = NULL;

      if (!strip (&line, &size))
        continue;
      if (parse (line, size, event, &cause))
        return TRUE;
      asb_opensandbox_event_clear (event);
      describe (line, size, cause, &self->error);
    }
  if (self->error)
    g_propagate_error (error, g_error_copy (self->error));
  return FALSE;
}
