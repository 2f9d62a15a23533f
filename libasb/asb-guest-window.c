/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-transport-private.h"

#include "asb-call-private.h"
#include "asb-error.h"
#include "asb-guest-file-private.h"
#include "asb-guest-json-private.h"
#include "asb-wire-json.h"

/* Windows of lines, which are gathered in memory, and bounded whatever the guest says. */

#define MAX_BYTES (16 * 1024 * 1024)

typedef struct
{
  GTask *task;
  GByteArray *bytes;
} Window;

static gboolean
is_wrong (const char *what, GError **error)
{
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL, what);
  return FALSE;
}

static gboolean
window_received (AsbGuestCall *call, gpointer data, const guint8 *bytes, gsize size, GError **error)
{
  Window *self = data;

  if (size > MAX_BYTES - self->bytes->len)
    return is_wrong ("there are more bytes than were asked for", error);
  g_byte_array_append (self->bytes, bytes, (guint)size);
  return TRUE;
}

static gboolean
parse_state (const json_t *result, AsbLineState *state, GError **error)
{
  static const char *const names[] = {
    [ASB_LINE_STATE_NOTHING] = "nothing",   [ASB_LINE_STATE_LINES] = "lines",
    [ASB_LINE_STATE_BLANK] = "blank",       [ASB_LINE_STATE_EMPTY_FILE] = "empty_file",
    [ASB_LINE_STATE_PAST_END] = "past_end",
  };
  const char *name;

  if (!asb_guest_json_get_string (result, "state", G_MAXSIZE, &name, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], name))
      {
        *state = i;
        return TRUE;
      }
  return is_wrong ("“state” is not one of its words", error);
}

static gboolean
parse_total (const json_t *result, gint64 *total, GError **error)
{
  *total = -1;
  return !asb_guest_json_has (result, "total_lines")
         || asb_guest_json_get_integer (result, "total_lines", 0, ASB_WIRE_MAX_INTEGER, total,
                                        error);
}

static gboolean
window_result (AsbGuestCall *call, gpointer data, const json_t *result, GError **error)
{
  Window *self = data;
  g_autoptr (GBytes) bytes = NULL;
  AsbLineState state;
  gint64 n_lines;
  gint64 count;
  gint64 size;
  gint64 total;
  gboolean more;
  gboolean truncated;

  if (!parse_state (result, &state, error) || !parse_total (result, &total, error)
      || !asb_guest_json_get_integer (result, "lines", 0, ASB_WIRE_MAX_INTEGER, &n_lines, error)
      || !asb_guest_json_get_integer (result, "bytes", 0, ASB_WIRE_MAX_INTEGER, &count, error)
      || !asb_guest_json_get_integer (result, "size", 0, ASB_WIRE_MAX_INTEGER, &size, error)
      || !asb_guest_json_get_boolean (result, "more", &more, error)
      || !asb_guest_json_get_boolean (result, "truncated", &truncated, error))
    return FALSE;
  if (count != self->bytes->len)
    return is_wrong ("“bytes” is not how many bytes of the file came", error);
  bytes = g_byte_array_free_to_bytes (g_steal_pointer (&self->bytes));
  asb_task_return_object (self->task, g_object_new (ASB_TYPE_LINE_WINDOW, "state", state, "bytes",
                                                    bytes, "n-lines", (guint64)n_lines, "more",
                                                    more, "truncated", truncated, "total-lines",
                                                    total, "file-size", (guint64)size, NULL));
  return TRUE;
}

static void
window_failed (AsbGuestCall *call, gpointer data, const GError *error)
{
  Window *self = data;

  g_task_return_error (self->task, g_error_copy (error));
}

static void
window_free (gpointer data)
{
  Window *self = data;

  g_object_unref (self->task);
  g_clear_pointer (&self->bytes, g_byte_array_unref);
  g_free (self);
}

static const AsbGuestCallKind window_kind = {
  .received = window_received,
  .result = window_result,
  .failed = window_failed,
  .free = window_free,
};

void
asb_guest_read_lines (AsbTransport *transport, AsbFileRequest *request, GTask *task)
{
  GError *error = NULL;
  json_t *arguments = asb_guest_file_lines_arguments (request, &error);
  AsbGuestCall *call = NULL;
  Window *self;

  if (arguments)
    {
      self = g_new0 (Window, 1);
      self->task = g_object_ref (task);
      self->bytes = g_byte_array_new ();
      call = asb_guest_call_new ("file.read_lines", arguments,
                                 asb_file_request_get_operation (request), &window_kind, self,
                                 &error);
    }
  if (call)
    {
      asb_guest_call_set_subject (call, request);
      asb_guest_call_set_channel (call, ASB_CHANNEL_OUTPUT, ASB_GUEST_CHANNEL_SINK);
    }
  asb_guest_transport_submit (transport, call, task, error);
}
