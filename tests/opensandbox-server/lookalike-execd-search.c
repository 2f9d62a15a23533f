/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What walks a tree: search, and the list of a folder. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lookalike-execd.h"
#include "lookalike-file-info.h"
#include "lookalike-files.h"
#include "lookalike-glob.h"
#include "lookalike-paths.h"
#include "lookalike-sandbox.h"

typedef struct
{
  LookalikeSandbox *sandbox;
  GString *json;
  const char *pattern; /* NULL: everything */
  gint64 depth;
} Walk;

static void
add (Walk *walk, const char *path, const struct stat *info)
{
  if (walk->json->len > 1)
    g_string_append_c (walk->json, ',');
  lookalike_file_info_append (walk->json, walk->sandbox, path, info);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static GPtrArray *
list_names (int folder_fd)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  int fd = openat (folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = fd >= 0 ? fdopendir (fd) : NULL;
  struct dirent *entry;

  while (folder != NULL && (entry = readdir (folder)) != NULL)
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
      g_ptr_array_add (names, g_strdup (entry->d_name));
  if (folder != NULL)
    closedir (folder);
  g_ptr_array_sort (names, compare_names);
  return g_steal_pointer (&names);
}

static void walk_folder (Walk *walk, int folder_fd, const char *path, gint64 depth);

static void
walk_entry (Walk *walk, int folder_fd, const char *name, const char *path, gint64 depth)
{
  struct stat info;
  int fd;

  if (fstatat (folder_fd, name, &info, AT_SYMLINK_NOFOLLOW) < 0)
    return;
  if (walk->pattern == NULL
      || (!S_ISDIR (info.st_mode) && lookalike_glob_matches (walk->pattern, name)))
    add (walk, path, &info);
  if (!S_ISDIR (info.st_mode) || depth + 1 >= walk->depth)
    return;
  fd = openat (folder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return;
  walk_folder (walk, fd, path, depth + 1);
  close (fd);
}

static void
walk_folder (Walk *walk, int folder_fd, const char *path, gint64 depth)
{
  g_autoptr (GPtrArray) names = list_names (folder_fd);

  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *child = g_build_filename (path, names->pdata[i], NULL);

      walk_entry (walk, folder_fd, names->pdata[i], child, depth);
    }
}

/* The "path" of the query, made absolute; NULL after an answer. */
static char *
get_path (LookalikeRequest *request)
{
  g_autofree char *asked = lookalike_request_get_query (request, "path");
  g_autoptr (GError) error = NULL;
  char *path;

  if (asked == NULL || asked[0] == '\0')
    {
      lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "MISSING_QUERY",
                              "missing query parameter 'path'");
      return NULL;
    }
  path = lookalike_path_expand (request->sandbox, asked, &error);
  if (path == NULL)
    lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                            "error converting path %s to absolute. %s", asked, error->message);
  return path;
}

static void
reply (LookalikeRequest *request, Walk *walk)
{
  g_string_append_c (walk->json, ']');
  lookalike_request_reply_json (request, SOUP_STATUS_OK, walk->json->str);
}

void
lookalike_execd_search (LookalikeRequest *request)
{
  g_autofree char *path = get_path (request);
  g_autofree char *pattern = lookalike_request_get_query (request, "pattern");
  g_autoptr (GString) json = g_string_new ("[");
  g_autofree char *name = NULL;
  Walk walk = { request->sandbox, json, pattern, G_MAXINT64 };
  int fd;

  if (path == NULL)
    return;
  if (pattern == NULL || pattern[0] == '\0')
    walk.pattern = "**";
  fd = lookalike_path_open (request->sandbox, path, O_RDONLY | O_NONBLOCK, 0);
  if (fd < 0)
    {
      lookalike_files_fail (request, "stat", path, errno);
      return;
    }
  close (fd);
  if (!lookalike_glob_is_valid (walk.pattern))
    {
      lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                              "error searching files. invalid pattern %s: syntax error in pattern",
                              walk.pattern);
      return;
    }
  fd = lookalike_path_open_parent (request->sandbox, path, &name);
  if (fd < 0)
    {
      lookalike_files_fail (request, "stat", path, errno);
      return;
    }
  if (name != NULL)
    walk_entry (&walk, fd, name, path, 0);
  else
    walk_folder (&walk, fd, path, 0);
  close (fd);
  reply (request, &walk);
}

static void
refuse_folder (LookalikeRequest *request, const char *why, const char *path)
{
  lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_REQUEST_BODY", "%s: %s", why,
                          path);
}

/* The folder itself, or an answer and -1. A link is not followed. */
static int
open_folder (LookalikeRequest *request, const char *path)
{
  g_autofree char *name = NULL;
  struct stat info;
  int parent = lookalike_path_open_parent (request->sandbox, path, &name);
  int fd = -1;

  if (parent < 0 || (name != NULL && fstatat (parent, name, &info, AT_SYMLINK_NOFOLLOW) < 0))
    lookalike_files_fail (request, "lstat", path, errno);
  else if (name != NULL && S_ISLNK (info.st_mode))
    refuse_folder (request, "path is a symbolic link, refusing to traverse", path);
  else if (name != NULL && !S_ISDIR (info.st_mode))
    refuse_folder (request, "path is not a directory", path);
  else
    {
      fd = openat (parent, name != NULL ? name : ".",
                   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (fd < 0)
        lookalike_files_fail (request, "open", path, errno);
    }
  if (parent >= 0)
    close (parent);
  return fd;
}

void
lookalike_execd_list_directory (LookalikeRequest *request)
{
  g_autofree char *path = get_path (request);
  g_autofree char *text = lookalike_request_get_query (request, "depth");
  g_autoptr (GString) json = g_string_new ("[");
  Walk walk = { request->sandbox, json, NULL, 1 };
  int fd;

  if (path == NULL)
    return;
  if (text != NULL && text[0] != '\0'
      && !g_ascii_string_to_signed (text, 10, 0, G_MAXINT32, &walk.depth, NULL))
    {
      refuse_folder (request, "invalid query parameter 'depth'", text);
      return;
    }
  fd = open_folder (request, path);
  if (fd < 0)
    return;
  if (walk.depth > 0)
    walk_folder (&walk, fd, path, 0);
  close (fd);
  reply (request, &walk);
}
