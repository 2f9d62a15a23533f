/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-pty-frame.h"

#include <asb.h>
#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-json.h"

#define OPCODE_STDOUT 0x01
#define OPCODE_STDERR 0x02
#define OPCODE_REPLAY 0x03
#define OFFSET_SIZE 8

#define MAX_ID 128
#define MAX_EXIT_CODE 255
#define MAX_SHOWN 400

void
asb_opensandbox_pty_frame_clear (AsbOpensandboxPtyFrame *self)
{
  g_clear_pointer (&self->words, g_free);
}

static void
parse_replay (AsbOpensandboxPtyFrame *self)
{
  if (self->size < OFFSET_SIZE)
    return;
  for (gsize i = 0; i < OFFSET_SIZE; i++)
    self->offset = self->offset << 8 | self->bytes[i];
  self->bytes += OFFSET_SIZE;
  self->size -= OFFSET_SIZE;
  self->type = ASB_OPENSANDBOX_PTY_FRAME_REPLAY;
}

/* What is not understood, and an empty message, is of no interest. */
static void
parse_binary (AsbOpensandboxPtyFrame *self, GBytes *message)
{
  gsize size;
  const guint8 *bytes = g_bytes_get_data (message, &size);

  if (size == 0)
    return;
  self->bytes = bytes + 1;
  self->size = size - 1;
  if (bytes[0] == OPCODE_STDOUT)
    self->type = ASB_OPENSANDBOX_PTY_FRAME_STDOUT;
  else if (bytes[0] == OPCODE_STDERR)
    self->type = ASB_OPENSANDBOX_PTY_FRAME_STDERR;
  else if (bytes[0] == OPCODE_REPLAY)
    parse_replay (self);
}

static gboolean
parse_exit (AsbOpensandboxPtyFrame *self, JsonObject *object, GError **error)
{
  gint64 exit_code = -1;

  if (!asb_opensandbox_json_get_int (object, "exit_code", FALSE, &exit_code, error))
    return FALSE;
  if (exit_code >= 0 && exit_code <= MAX_EXIT_CODE)
    self->exit_code = (int)exit_code;
  self->type = ASB_OPENSANDBOX_PTY_FRAME_EXIT;
  return TRUE;
}

static gboolean
parse_failure (AsbOpensandboxPtyFrame *self, JsonObject *object, GError **error)
{
  const char *words = NULL;
  const char *code = NULL;

  if (!asb_opensandbox_json_get_string (object, "error", FALSE, &words, error)
      || !asb_opensandbox_json_get_string (object, "code", FALSE, &code, error))
    return FALSE;
  if (!words)
    words = code ? code : "";
  self->words = asb_opensandbox_error_dup_text (words, strlen (words), MAX_SHOWN);
  self->did_not_start = g_strcmp0 (code, "START_FAILED") == 0;
  self->type = ASB_OPENSANDBOX_PTY_FRAME_ERROR;
  return TRUE;
}

static gboolean
parse_text (AsbOpensandboxPtyFrame *self, GBytes *message, GError **error)
{
  g_autoptr (JsonObject) object
      = asb_opensandbox_json_parse_object (message, "a message of execd's PTY", error);
  const char *type = NULL;

  if (!object || !asb_opensandbox_json_get_string (object, "type", TRUE, &type, error))
    return FALSE;
  if (g_str_equal (type, "exit"))
    return parse_exit (self, object, error);
  if (g_str_equal (type, "error"))
    return parse_failure (self, object, error);
  if (g_str_equal (type, "pong"))
    self->type = ASB_OPENSANDBOX_PTY_FRAME_PONG;
  return TRUE;
}

gboolean
asb_opensandbox_pty_frame_parse (AsbOpensandboxPtyFrame *self, gboolean is_text, GBytes *message,
                                 GError **error)
{
  *self = (AsbOpensandboxPtyFrame){ .exit_code = -1 };
  if (is_text)
    return parse_text (self, message, error);
  parse_binary (self, message);
  return TRUE;
}

char *
asb_opensandbox_pty_frame_parse_session (GBytes *body, GError **error)
{
  g_autoptr (JsonObject) object
      = asb_opensandbox_json_parse_object (body, "the new PTY session", error);
  const char *id = NULL;

  if (!object || !asb_opensandbox_json_get_string (object, "session_id", TRUE, &id, error))
    return NULL;
  if (*id && strlen (id) <= MAX_ID
      && strspn (id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_")
             == strlen (id))
    return g_strdup (id);
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                       "The id of a PTY session makes no sense");
  return NULL;
}
