/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-execd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lookalike-command.h"
#include "lookalike-paths.h"
#include "lookalike-proxy.h"
#include "lookalike-pty.h"
#include "lookalike-router.h"
#include "lookalike-sandbox.h"
#include "lookalike-session.h"

#define TOKEN_HEADER "X-EXECD-ACCESS-TOKEN"

static void
ping (LookalikeRequest *request)
{
  lookalike_request_reply_empty (request, SOUP_STATUS_OK);
}

static const LookalikeRoute routes[] = {
  { "GET", "ping", ping, FALSE },
  { "POST", "command", lookalike_execd_run_command, FALSE },
  { "DELETE", "command", lookalike_execd_interrupt, FALSE },
  { "GET", "command/status/:", lookalike_execd_get_command_status, FALSE },
  { "GET", "command/:/logs", lookalike_execd_get_command_logs, FALSE },
  { "POST", "session", lookalike_execd_create_session, TRUE },
  { "POST", "session/:/run", lookalike_execd_run_in_session, TRUE },
  { "DELETE", "session/:", lookalike_execd_delete_session, TRUE },
  { "POST", "code", lookalike_execd_run_code, FALSE },
  { "DELETE", "code", lookalike_execd_interrupt, FALSE },
  { "POST", "code/context", lookalike_execd_create_context, FALSE },
  { "GET", "code/contexts", lookalike_execd_list_contexts, FALSE },
  { "DELETE", "code/contexts", lookalike_execd_delete_contexts, FALSE },
  { "GET", "code/contexts/:", lookalike_execd_get_context, FALSE },
  { "DELETE", "code/contexts/:", lookalike_execd_get_context, FALSE },
  { "POST", "pty", lookalike_execd_create_pty, TRUE },
  { "GET", "pty/:", lookalike_execd_get_pty, TRUE },
  { "DELETE", "pty/:", lookalike_execd_delete_pty, TRUE },
  { "GET", "pty/:/ws", lookalike_execd_connect_pty, TRUE },
  { "DELETE", "files", lookalike_execd_delete_files, FALSE },
  { "GET", "files/info", lookalike_execd_get_files_info, FALSE },
  { "POST", "files/mv", lookalike_execd_move_files, FALSE },
  { "POST", "files/permissions", lookalike_execd_set_permissions, FALSE },
  { "GET", "files/search", lookalike_execd_search, FALSE },
  { "POST", "files/replace", lookalike_execd_replace, FALSE },
  { "POST", "files/upload", lookalike_execd_upload, FALSE },
  { "GET", "files/download", lookalike_execd_download, FALSE },
  { "GET", "directories/list", lookalike_execd_list_directory, TRUE },
  { "POST", "directories", lookalike_execd_make_directories, FALSE },
  { "DELETE", "directories", lookalike_execd_delete_directories, FALSE },
  { "GET", "metrics", lookalike_execd_get_metrics, FALSE },
  { "GET", "metrics/watch", lookalike_execd_watch_metrics, FALSE },
};

static gboolean
is_let_in (LookalikeRequest *request)
{
  const char *token = request->lookalike->config.execd_token;
  const char *given = lookalike_request_get_header (request, TOKEN_HEADER);

  return token == NULL || (given != NULL && strcmp (given, token) == 0);
}

static void
handle (LookalikeRequest *request)
{
  g_autofree char *allowed = NULL;
  const LookalikeRoute *route;

  if (!is_let_in (request))
    {
      lookalike_request_reply_json (
          request, SOUP_STATUS_UNAUTHORIZED,
          "{\"error\":\"Unauthorized: invalid or missing header " TOKEN_HEADER "\"}");
      return;
    }
  if (g_str_has_prefix (request->path, "/proxy/"))
    {
      lookalike_proxy_from_execd (request);
      return;
    }
  route = lookalike_router_find (request, routes, G_N_ELEMENTS (routes), 0, &allowed);
  if (route != NULL)
    route->handler (request);
  else
    lookalike_request_reply (request, SOUP_STATUS_NOT_FOUND, "text/plain", "404 page not found",
                             -1);
}

gboolean
lookalike_execd_open (LookalikeSandbox *sandbox, GError **error)
{
  sandbox->commands = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                             (GDestroyNotify)lookalike_command_unref);
  sandbox->sessions = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                             (GDestroyNotify)lookalike_session_unref);
  sandbox->ptys
      = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)lookalike_pty_remove);
  sandbox->execd = lookalike_listener_new (sandbox->lookalike, "execd", 0, sandbox, handle, error);
  return sandbox->execd != NULL;
}

void
lookalike_execd_close (LookalikeSandbox *sandbox)
{
  g_clear_pointer (&sandbox->commands, g_hash_table_unref);
  g_clear_pointer (&sandbox->sessions, g_hash_table_unref);
  g_clear_pointer (&sandbox->ptys, g_hash_table_unref);
}

static gboolean
is_program (LookalikeSandbox *sandbox, const char *path)
{
  int fd;
  gboolean found;

  if (!sandbox->lookalike->confined)
    return g_file_test (path, G_FILE_TEST_IS_EXECUTABLE);
  fd = lookalike_path_open (sandbox, path, O_PATH, 0);
  if (fd < 0)
    return FALSE;
  found = faccessat (fd, "", X_OK, AT_EMPTY_PATH) == 0;
  close (fd);
  return found;
}

char *
lookalike_execd_find_program (LookalikeSandbox *sandbox, const char *name)
{
  const char *path = g_environ_getenv (sandbox->environment, "PATH");
  g_auto (GStrv) folders = g_strsplit (path != NULL ? path : "", ":", -1);

  for (guint i = 0; folders[i] != NULL; i++)
    {
      g_autofree char *candidate = g_build_filename (folders[i], name, NULL);

      if (is_program (sandbox, candidate))
        return g_steal_pointer (&candidate);
    }
  return NULL;
}

const char *
lookalike_execd_get_shell (LookalikeSandbox *sandbox)
{
  g_autofree char *bash = lookalike_execd_find_program (sandbox, "bash");

  return bash != NULL ? "bash" : "sh";
}

int
lookalike_execd_open_cwd (LookalikeSandbox *sandbox, const char *cwd, GError **error)
{
  g_autofree char *path = NULL;
  int fd;

  if (cwd == NULL || cwd[0] == '\0')
    cwd = "/";
  path = lookalike_path_expand (sandbox, cwd, error);
  if (path == NULL)
    {
      g_prefix_error (error, "cannot resolve working directory \"%s\": ", cwd);
      return -1;
    }
  fd = lookalike_path_open (sandbox, path, O_PATH, 0);
  if (fd < 0)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
                 "working directory does not exist: %s: stat %s: no such file or directory", cwd,
                 path);
  else if (faccessat (fd, ".", F_OK, 0) < 0)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_DIRECTORY,
                   "working directory path is not a directory: %s", cwd);
      close (fd);
      fd = -1;
    }
  return fd;
}

static JsonNode *
decode (LookalikeRequest *request, const LookalikeGoType *type, GError **error)
{
  g_autoptr (GBytes) body = lookalike_request_get_body (request);
  gsize size;
  const char *data = g_bytes_get_data (body, &size);

  return lookalike_go_decode (data != NULL ? data : "", size, type, FALSE, error);
}

static void
refuse_body (LookalikeRequest *request, const char *lead, const GError *error)
{
  lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_REQUEST_BODY", "%s%s", lead,
                          error->message);
}

static JsonObject *
take_object (JsonNode *node)
{
  return JSON_NODE_HOLDS_OBJECT (node) ? json_node_dup_object (node) : json_object_new ();
}

JsonNode *
lookalike_execd_parse (LookalikeRequest *request, const LookalikeGoType *type, const char *lead)
{
  g_autoptr (GError) error = NULL;
  JsonNode *node = decode (request, type, &error);

  if (node == NULL)
    refuse_body (request, lead, error);
  return node;
}

JsonObject *
lookalike_execd_parse_object (LookalikeRequest *request, const LookalikeGoType *type,
                              const char *lead)
{
  g_autoptr (JsonNode) node = lookalike_execd_parse (request, type, lead);

  return node != NULL ? take_object (node) : NULL;
}

JsonObject *
lookalike_execd_parse_optional (LookalikeRequest *request, const LookalikeGoType *type,
                                const char *lead)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = decode (request, type, &error);

  if (node != NULL)
    return take_object (node);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    return json_object_new ();
  refuse_body (request, lead, error);
  return NULL;
}
