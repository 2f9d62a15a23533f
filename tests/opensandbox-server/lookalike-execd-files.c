/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lookalike-execd.h"
#include "lookalike-file-info.h"
#include "lookalike-json.h"
#include "lookalike-paths.h"
#include "lookalike-sandbox.h"

void
lookalike_files_fail (LookalikeRequest *request, const char *operation, const char *path,
                      int error_number)
{
  g_autofree char *words = lookalike_path_describe (operation, path, error_number);

  if (error_number == ENOENT)
    lookalike_request_fail (request, SOUP_STATUS_NOT_FOUND, "FILE_NOT_FOUND", "file not found. %s",
                            words);
  else
    lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                            "error accessing file: %s", words);
}

void
lookalike_files_fail_runtime (LookalikeRequest *request, const char *why)
{
  lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR", "%s", why);
}

/* The digits of the number are read as octal. */
static gboolean
read_mode (gint64 number, mode_t *mode, char **why)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GINT64_FORMAT, number);
  guint64 value;

  if (g_ascii_string_to_unsigned (digits, 8, 0, G_MAXUINT32, &value, NULL))
    {
      *mode = (mode_t)(value & 0777);
      return TRUE;
    }
  *why = g_strdup_printf ("strconv.ParseUint: parsing \"%s\": invalid syntax", digits);
  return FALSE;
}

static gboolean
change_owner (LookalikeSandbox *sandbox, int fd, const char *path, JsonObject *permission,
              char **why)
{
  const char *owner = lookalike_json_get_string (permission, "owner");
  const char *group = lookalike_json_get_string (permission, "group");
  gint64 uid = owner != NULL && *owner ? lookalike_file_info_find_user (sandbox, owner) : -1;
  gint64 gid = group != NULL && *group ? lookalike_file_info_find_group (sandbox, group) : -1;

  if (uid < 0 && gid < 0)
    {
      uid = getuid ();
      gid = getgid ();
    }
  if (fchownat (fd, "", (uid_t)uid, (gid_t)gid, AT_EMPTY_PATH) == 0)
    return TRUE;
  *why = lookalike_path_describe ("failed to set owner/group for", path, errno);
  return FALSE;
}

gboolean
lookalike_files_apply_permission (LookalikeSandbox *sandbox, const char *path,
                                  JsonObject *permission, char **why)
{
  gint64 number = lookalike_json_get_int (permission, "mode", 0);
  int fd = lookalike_path_open (sandbox, path, O_PATH, 0);
  g_autofree char *magic = g_strdup_printf ("/proc/self/fd/%d", fd);
  mode_t mode = 0;
  gboolean done = FALSE;

  if (fd < 0)
    {
      *why = lookalike_path_describe ("chmod", path, errno);
      return FALSE;
    }
  if (number == 0 || read_mode (number, &mode, why))
    {
      if (number != 0 && chmod (magic, mode) < 0)
        *why = lookalike_path_describe ("chmod", path, errno);
      else
        done = change_owner (sandbox, fd, path, permission, why);
    }
  close (fd);
  return done;
}

/* The path, or an answer. */
static char *
expand (LookalikeRequest *request, const char *path)
{
  g_autoptr (GError) error = NULL;
  char *expanded = lookalike_path_expand (request->sandbox, path, &error);

  if (expanded == NULL)
    lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                            "error accessing file: invalid path: %s", error->message);
  return expanded;
}

static int
stat_path (LookalikeSandbox *sandbox, const char *path, struct stat *info)
{
  g_autofree char *name = NULL;
  int parent = lookalike_path_open_parent (sandbox, path, &name);
  int result;

  if (parent < 0)
    return -1;
  result = fstatat (parent, name != NULL ? name : "", info,
                    AT_SYMLINK_NOFOLLOW | (name != NULL ? 0 : AT_EMPTY_PATH));
  close (parent);
  return result;
}

static gboolean
append_info (LookalikeRequest *request, GString *json, const char *asked)
{
  g_autofree char *path = expand (request, asked);
  struct stat info;

  if (path == NULL)
    return FALSE;
  if (stat_path (request->sandbox, path, &info) < 0)
    {
      int problem = errno;
      g_autofree char *lead = g_strdup_printf (problem == ENOENT ? "file not found: %s: lstat"
                                                                 : "error accessing file %s: lstat",
                                               asked);

      lookalike_files_fail (request, lead, path, problem);
      return FALSE;
    }
  if (json->len > 1)
    g_string_append_c (json, ',');
  lookalike_json_append_string (json, asked, -1);
  g_string_append_c (json, ':');
  lookalike_file_info_append (json, request->sandbox, path, &info);
  return TRUE;
}

void
lookalike_execd_get_files_info (LookalikeRequest *request)
{
  g_auto (GStrv) paths = lookalike_request_get_queries (request, "path");
  g_autoptr (GString) json = g_string_new ("{");

  for (guint i = 0; paths[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *)paths + i + 1, paths[i])
        && !append_info (request, json, paths[i]))
      return;
  g_string_append_c (json, '}');
  lookalike_request_reply_json (request, SOUP_STATUS_OK, json->str);
}

/* Go's words, or NULL. */
static char *
delete_file (LookalikeSandbox *sandbox, const char *path)
{
  g_autofree char *name = NULL;
  int parent;
  struct stat info;
  char *failure = NULL;
  int fd = lookalike_path_open (sandbox, path, O_PATH, 0);

  if (fd < 0)
    return errno == ENOENT ? NULL : lookalike_path_describe ("stat", path, errno);
  if (fstat (fd, &info) == 0 && S_ISDIR (info.st_mode))
    failure = g_strdup_printf ("path is a directory: %s", path);
  close (fd);
  if (failure != NULL)
    return failure;
  parent = lookalike_path_open_parent (sandbox, path, &name);
  if (parent < 0 || name == NULL || unlinkat (parent, name, 0) < 0)
    failure = lookalike_path_describe ("failed to remove file: remove", path, errno);
  if (parent >= 0)
    close (parent);
  return failure;
}

void
lookalike_execd_delete_files (LookalikeRequest *request)
{
  g_auto (GStrv) paths = lookalike_request_get_queries (request, "path");

  for (guint i = 0; paths[i] != NULL; i++)
    {
      g_autofree char *path = expand (request, paths[i]);
      g_autofree char *failure = path != NULL ? delete_file (request->sandbox, path) : NULL;

      if (failure != NULL)
        lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                                "error removing file %s. %s", paths[i], failure);
      if (path == NULL || failure != NULL)
        return;
    }
  lookalike_request_reply_empty (request, SOUP_STATUS_OK);
}

static const LookalikeGoField permission_fields[] = {
  { "owner", &lookalike_go_string, NULL },
  { "group", &lookalike_go_string, NULL },
  { "mode", &lookalike_go_int, NULL },
  { NULL, NULL, NULL },
};

static const LookalikeGoType permission_type
    = { LOOKALIKE_GO_STRUCT, "model.Permission", permission_fields, NULL };

static const LookalikeGoType permissions_type
    = { LOOKALIKE_GO_MAP, "map[string]model.Permission", NULL, &permission_type };

/* {"path": permission}: NULL after a refusal. */
static JsonObject *
parse_permissions (LookalikeRequest *request)
{
  return lookalike_execd_parse_object (request, &permissions_type, LOOKALIKE_EXECD_MAYBE);
}

void
lookalike_execd_set_permissions (LookalikeRequest *request)
{
  g_autoptr (JsonObject) map = parse_permissions (request);
  g_autoptr (GList) paths = map != NULL ? json_object_get_members (map) : NULL;

  if (map == NULL)
    return;
  for (GList *i = paths; i != NULL; i = i->next)
    {
      g_autofree char *path = expand (request, i->data);
      g_autofree char *why = NULL;

      if (path == NULL)
        return;
      if (!lookalike_files_apply_permission (request->sandbox, path,
                                             lookalike_json_get_object (map, i->data), &why))
        {
          lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                                  "error changing permissions for %s. %s", (char *)i->data, why);
          return;
        }
    }
  lookalike_request_reply_empty (request, SOUP_STATUS_OK);
}

static int
rename_path (LookalikeSandbox *sandbox, const char *from, const char *to)
{
  g_autofree char *from_name = NULL;
  g_autofree char *to_name = NULL;
  int from_parent = lookalike_path_open_parent (sandbox, from, &from_name);
  int to_parent = lookalike_path_open_parent (sandbox, to, &to_name);
  int result = -1;

  if (from_parent >= 0 && to_parent >= 0 && from_name != NULL && to_name != NULL)
    result = renameat (from_parent, from_name, to_parent, to_name);
  if (from_parent >= 0)
    close (from_parent);
  if (to_parent >= 0)
    close (to_parent);
  return result;
}

static const char *
get_path (JsonObject *item, const char *name)
{
  const char *path = lookalike_json_get_string (item, name);

  return path != NULL ? path : "";
}

/* TRUE when it was moved; otherwise the request is answered. */
static gboolean
move_one (LookalikeRequest *request, JsonObject *item)
{
  const char *src = get_path (item, "src");
  const char *dest = get_path (item, "dest");
  g_autofree char *from = expand (request, src);
  g_autofree char *to = from != NULL ? expand (request, dest) : NULL;
  g_autofree char *parent = to != NULL ? g_path_get_dirname (to) : NULL;

  if (to == NULL)
    return FALSE;
  if (!lookalike_path_exists (request->sandbox, from))
    {
      g_autofree char *lead = g_strdup_printf ("source path not found: %s: stat", src);

      lookalike_files_fail (request, lead, from, ENOENT);
    }
  else if (lookalike_path_make_folders (request->sandbox, parent, 0755) < 0)
    lookalike_files_fail (request, "failed to create destination directory: mkdir", parent,
                          errno == ENOENT ? ENOTDIR : errno);
  else if (lookalike_path_exists (request->sandbox, to))
    lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                            "error accessing file: destination path already exists: %s", dest);
  else if (rename_path (request->sandbox, from, to) < 0)
    {
      int problem = errno;
      g_autofree char *both = g_strconcat (from, " ", to, NULL);

      lookalike_files_fail (request, "failed to rename file: rename", both, problem);
    }
  else
    return TRUE;
  return FALSE;
}

static const LookalikeGoField move_fields[] = {
  { "src", &lookalike_go_string, NULL },
  { "dest", &lookalike_go_string, NULL },
  { NULL, NULL, NULL },
};

static const LookalikeGoType move_type
    = { LOOKALIKE_GO_STRUCT, "model.RenameFileItem", move_fields, NULL };

static const LookalikeGoType moves_type
    = { LOOKALIKE_GO_SLICE, "[]model.RenameFileItem", NULL, &move_type };

void
lookalike_execd_move_files (LookalikeRequest *request)
{
  g_autoptr (JsonNode) node = lookalike_execd_parse (request, &moves_type, LOOKALIKE_EXECD_MAYBE);
  JsonArray *items;

  if (node == NULL)
    return;
  items = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  for (guint i = 0; items != NULL && i < json_array_get_length (items); i++)
    if (!move_one (request, json_array_get_object_element (items, i)))
      return;
  lookalike_request_reply_empty (request, SOUP_STATUS_OK);
}

void
lookalike_execd_make_directories (LookalikeRequest *request)
{
  g_autoptr (JsonObject) map = parse_permissions (request);
  g_autoptr (GList) paths = map != NULL ? json_object_get_members (map) : NULL;

  if (map == NULL)
    return;
  for (GList *i = paths; i != NULL; i = i->next)
    {
      g_autofree char *path = expand (request, i->data);
      g_autofree char *why = NULL;

      if (path == NULL)
        return;
      if (lookalike_path_make_folders (request->sandbox, path, 0777) < 0)
        {
          lookalike_files_fail (request, "mkdir", path, errno == ENOENT ? ENOTDIR : errno);
          return;
        }
      if (!lookalike_files_apply_permission (request->sandbox, path,
                                             lookalike_json_get_object (map, i->data), &why))
        {
          g_autofree char *message = g_strdup_printf ("error accessing file: %s", why);

          lookalike_files_fail_runtime (request, message);
          return;
        }
    }
  lookalike_request_reply_empty (request, SOUP_STATUS_OK);
}

void
lookalike_execd_delete_directories (LookalikeRequest *request)
{
  g_auto (GStrv) paths = lookalike_request_get_queries (request, "path");

  for (guint i = 0; paths[i] != NULL; i++)
    {
      g_autofree char *path = expand (request, paths[i]);
      g_autofree char *name = NULL;
      int parent, result;

      if (path == NULL)
        return;
      parent = lookalike_path_open_parent (request->sandbox, path, &name);
      if (parent < 0)
        continue;
      errno = EBUSY;
      result = name != NULL ? lookalike_remove_tree (parent, name) : -1;
      close (parent);
      if (result < 0)
        {
          lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                                  "error removing directory %s. %s", paths[i], g_strerror (errno));
          return;
        }
    }
  lookalike_request_reply_empty (request, SOUP_STATUS_OK);
}
