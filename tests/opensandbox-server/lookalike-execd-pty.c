/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-execd.h"
#include "lookalike-json.h"
#include "lookalike-paths.h"
#include "lookalike-pty.h"
#include "lookalike-sandbox.h"
#include "lookalike-websocket.h"

static LookalikePty *
find (LookalikeRequest *request)
{
  LookalikePty *pty = g_hash_table_lookup (request->sandbox->ptys, request->segments[1]);

  if (pty == NULL)
    lookalike_request_fail (request, SOUP_STATUS_NOT_FOUND, "CONTEXT_NOT_FOUND",
                            "pty session %s not found", request->segments[1]);
  return pty;
}

/* execd goes on after the error, and says an id that does not exist. */
static void
fail_twice (LookalikeRequest *request, const char *cwd)
{
  g_autofree char *uuid = g_uuid_string_random ();
  g_autoptr (GString) json = g_string_new ("{\"code\":\"RUNTIME_ERROR\",\"message\":");
  g_autofree char *message = g_strdup_printf (
      "error creating pty session: error creating PTY session work directory: mkdir %s: not a "
      "directory",
      cwd);

  lookalike_json_append_string (json, message, -1);
  g_string_append_printf (json, "}{\"session_id\":\"%s\"}", uuid);
  lookalike_request_reply_json (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, json->str);
}

static const LookalikeGoField create_fields[] = {
  { "cwd", &lookalike_go_string, NULL },
  { "command", &lookalike_go_string, NULL },
  { NULL, NULL, NULL },
};

static const LookalikeGoType create_type
    = { LOOKALIKE_GO_STRUCT, "model.CreatePTYSessionRequest", create_fields, NULL };

void
lookalike_execd_create_pty (LookalikeRequest *request)
{
  g_autoptr (JsonObject) spec
      = lookalike_execd_parse_optional (request, &create_type, "error parsing request: ");
  const char *cwd = spec != NULL ? lookalike_json_get_string (spec, "cwd") : NULL;
  g_autofree char *folder = NULL;
  g_autofree char *json = NULL;
  LookalikePty *pty;

  if (spec == NULL)
    return;
  if (cwd != NULL && cwd[0] != '\0')
    {
      folder = lookalike_path_expand (request->sandbox, cwd, NULL);
      if (folder == NULL || lookalike_path_make_folders (request->sandbox, folder, 0777) < 0)
        {
          fail_twice (request, cwd);
          return;
        }
    }
  pty = lookalike_pty_new (request->sandbox, folder, lookalike_json_get_string (spec, "command"));
  g_hash_table_insert (request->sandbox->ptys, (char *)lookalike_pty_get_id (pty), pty);
  json = g_strdup_printf ("{\"session_id\":\"%s\"}", lookalike_pty_get_id (pty));
  lookalike_request_reply_json (request, SOUP_STATUS_CREATED, json);
}

void
lookalike_execd_get_pty (LookalikeRequest *request)
{
  LookalikePty *pty = find (request);
  g_autofree char *json = NULL;

  if (pty == NULL)
    return;
  json = g_strdup_printf (
      "{\"session_id\":\"%s\",\"running\":%s,\"output_offset\":%" G_GINT64_FORMAT "}",
      lookalike_pty_get_id (pty), lookalike_pty_is_running (pty) ? "true" : "false",
      lookalike_pty_get_replay (pty)->total);
  lookalike_request_reply_json (request, SOUP_STATUS_OK, json);
}

void
lookalike_execd_delete_pty (LookalikeRequest *request)
{
  LookalikePty *pty = find (request);

  if (pty == NULL)
    return;
  g_hash_table_remove (request->sandbox->ptys, request->segments[1]);
  lookalike_request_reply_empty (request, SOUP_STATUS_OK);
}

void
lookalike_execd_connect_pty (LookalikeRequest *request)
{
  LookalikePty *pty = find (request);
  g_autofree char *takeover = lookalike_request_get_query (request, "takeover");
  gboolean takes_over = g_strcmp0 (takeover, "1") == 0 && lookalike_request_is_upgrade (request);

  if (pty == NULL)
    return;
  if (lookalike_pty_get_client (pty) != NULL && !takes_over)
    lookalike_request_fail (request, SOUP_STATUS_CONFLICT, "ALREADY_CONNECTED",
                            "another client is already connected to pty session %s",
                            lookalike_pty_get_id (pty));
  else if (!lookalike_websocket_is_valid (request))
    lookalike_request_reply (request, SOUP_STATUS_BAD_REQUEST, "text/plain; charset=utf-8",
                             "Bad Request\n", -1);
  else
    lookalike_pty_client_connect (pty, request);
}
