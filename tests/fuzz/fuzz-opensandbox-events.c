/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What execd says while a command runs: the events are the same however their bytes are cut, and
 * the quick way to read output reads what a parser of JSON does. The first byte says how large the
 * pieces are; 0 stands for what shells in a sandbox say of files. */

#include "fuzz.h"

#include <asb.h>

#include "asb-opensandbox-command-end.h"
#include "asb-opensandbox-event-text.h"
#include "asb-opensandbox-events.h"
#include "asb-opensandbox-file-info.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-script.h"

#define MAX_ERROR 1024

static void
tell (GString *told, AsbOpensandboxEvent *event)
{
  AsbOpensandboxCommandEnd end = { 0 };

  g_string_append_printf (told, "%d %" G_GINT64_FORMAT " ", event->type, event->number);
  if (event->text)
    g_string_append_len (told, event->text->str, (gssize)event->text->len);
  g_string_append_printf (told, " %s %s", event->name ? event->name : "",
                          event->value ? event->value : "");
  for (guint i = 0; event->traceback && event->traceback[i]; i++)
    g_string_append_printf (told, " %s", event->traceback[i]);
  asb_opensandbox_command_end_take (&end, event);
  FUZZ_CHECK (!end.has_exit_status || (end.exit_status >= 0 && end.exit_status <= 255));
  FUZZ_CHECK (!end.message || g_utf8_validate (end.message, -1, NULL));
  asb_opensandbox_command_end_clear (&end);
}

/* FALSE after the first error: later ones say the same again. */
static gboolean
take (AsbOpensandboxEvents *events, GString *told)
{
  for (;;)
    {
      g_auto (AsbOpensandboxEvent) event = { 0 };
      g_autoptr (GError) error = NULL;

      if (asb_opensandbox_events_next (events, &event, &error))
        {
          tell (told, &event);
          continue;
        }
      if (!error)
        return TRUE;
      FUZZ_CHECK (g_error_matches (error, ASB_ERROR, ASB_ERROR_PROTOCOL));
      FUZZ_CHECK (strlen (error->message) <= MAX_ERROR);
      FUZZ_CHECK (g_utf8_validate (error->message, -1, NULL));
      g_string_append (told, "error");
      return FALSE;
    }
}

static GString *
read_in_pieces (const uint8_t *bytes, gsize size, gsize piece)
{
  g_autoptr (AsbOpensandboxEvents) events = asb_opensandbox_events_new ();
  GString *told = g_string_new (NULL);
  gboolean is_well = TRUE;

  for (gsize at = 0; is_well && at < size; at += piece)
    {
      asb_opensandbox_events_push (events, bytes + at, MIN (piece, size - at));
      is_well = take (events, told);
    }
  asb_opensandbox_events_end (events);
  if (is_well)
    take (events, told);
  return told;
}

static void
check_text (const char *line, gsize size)
{
  gboolean is_stderr;
  GString *text = asb_opensandbox_event_text_parse (line, size, &is_stderr);
  g_autoptr (GBytes) bytes = g_bytes_new (line, size);
  g_autoptr (JsonObject) object = NULL;

  if (text && g_utf8_validate_len (line, size, NULL) && !memchr (text->str, '\0', text->len))
    {
      object = asb_opensandbox_json_parse_object (bytes, "an event", NULL);
      FUZZ_CHECK (object != NULL);
      FUZZ_CHECK (g_str_equal (json_object_get_string_member (object, "type"),
                               is_stderr ? "stderr" : "stdout"));
      FUZZ_CHECK (g_str_equal (json_object_get_string_member (object, "text"), text->str));
    }
  if (text)
    g_string_free (text, TRUE);
}

static void
check_shell (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GError) file_error = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbFileInfo) info
      = asb_opensandbox_file_info_parse (lines[0], "/x", NULL, &file_error);
  guint next = 0;
  g_autoptr (GBytes) decoded = asb_opensandbox_script_decode (lines, 0, &next, &error);

  FUZZ_CHECK ((info == NULL) == (file_error != NULL));
  FUZZ_CHECK ((decoded == NULL) == (error != NULL));
  FUZZ_CHECK (next <= g_strv_length (lines));
  FUZZ_CHECK (!decoded || g_bytes_get_size (decoded) <= strlen (text));
  asb_opensandbox_command_end_parse_signal (text);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, data + size };
  uint8_t piece = fuzz_take_byte (&input);
  gsize left = fuzz_left (&input);
  g_autofree char *text = g_strndup ((const char *)input.at, left);
  g_autoptr (GString) whole = NULL;
  g_autoptr (GString) pieces = NULL;

  if (piece == 0)
    {
      check_shell (text);
      return 0;
    }
  check_text ((const char *)input.at, left);
  whole = read_in_pieces (input.at, left, MAX (left, 1));
  pieces = read_in_pieces (input.at, left, piece);
  FUZZ_CHECK (g_string_equal (whole, pieces));
  return 0;
}
