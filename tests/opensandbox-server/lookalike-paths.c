/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lookalike-sandbox.h"

static const char *
find_value (LookalikeSandbox *sandbox, const char *name, GError **error)
{
  const char *value = g_environ_getenv (sandbox->environment, name);

  if (value == NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                 "path references undefined environment variables: %s", name);
  return value;
}

static gsize
measure_name (const char *text)
{
  gsize length = 0;

  if (g_ascii_isdigit (text[0]))
    return 0;
  while (g_ascii_isalnum (text[length]) || text[length] == '_')
    length++;
  return length;
}

/* Appends what the variable at @at stands for; where the text goes on. */
static const char *
append_variable (LookalikeSandbox *sandbox, GString *expanded, const char *at, GError **error)
{
  gboolean braced = at[1] == '{';
  const char *name = at + 1 + braced;
  gsize length = measure_name (name);
  g_autofree char *copy = g_strndup (name, length);
  const char *value;

  if (length == 0 || (braced && name[length] != '}'))
    {
      g_string_append_c (expanded, '$');
      return at + 1;
    }
  value = find_value (sandbox, copy, error);
  if (value == NULL)
    return NULL;
  g_string_append (expanded, value);
  return name + length + braced;
}

char *
lookalike_path_expand (LookalikeSandbox *sandbox, const char *path, GError **error)
{
  g_autoptr (GString) expanded = g_string_new (NULL);
  const char *home = g_environ_getenv (sandbox->environment, "HOME");

  if (sandbox->lookalike->config.old)
    return g_canonicalize_filename (path, "/");
  for (const char *at = path; *at != '\0';)
    if (*at == '$')
      {
        at = append_variable (sandbox, expanded, at, error);
        if (at == NULL)
          return NULL;
      }
    else
      g_string_append_c (expanded, *at++);
  if (expanded->str[0] == '~' && (expanded->str[1] == '/' || expanded->str[1] == '\0'))
    {
      g_string_erase (expanded, 0, 1);
      g_string_prepend (expanded, home != NULL ? home : "/root");
    }
  return g_canonicalize_filename (expanded->str, "/");
}

static int
open_in_root (int root_fd, const char *path, int flags, mode_t mode)
{
  struct open_how how = {
    .flags = (guint64)(unsigned)(flags | O_CLOEXEC),
    .mode = flags & O_CREAT ? mode : 0,
    .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
  };

  return (int)syscall (SYS_openat2, root_fd, path, &how, sizeof how);
}

int
lookalike_path_open (LookalikeSandbox *sandbox, const char *path, int flags, mode_t mode)
{
  return open_in_root (sandbox->root_fd, path, flags, mode);
}

int
lookalike_path_open_parent (LookalikeSandbox *sandbox, const char *path, char **name)
{
  g_autofree char *parent = g_path_get_dirname (path);

  *name = strcmp (path, "/") == 0 ? NULL : g_path_get_basename (path);
  return open_in_root (sandbox->root_fd, parent, O_PATH | O_DIRECTORY, 0);
}

int
lookalike_path_make_folders (LookalikeSandbox *sandbox, const char *path, mode_t mode)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  g_autoptr (GString) so_far = g_string_new (NULL);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      g_autofree char *name = NULL;
      int parent_fd, folder_fd;

      if (parts[i][0] == '\0')
        continue;
      g_string_append_printf (so_far, "/%s", parts[i]);
      parent_fd = lookalike_path_open_parent (sandbox, so_far->str, &name);
      if (parent_fd < 0)
        return -1;
      mkdirat (parent_fd, name, mode);
      close (parent_fd);
      folder_fd = lookalike_path_open (sandbox, so_far->str, O_PATH | O_DIRECTORY, 0);
      if (folder_fd < 0)
        return -1;
      close (folder_fd);
    }
  return 0;
}

gboolean
lookalike_path_exists (LookalikeSandbox *sandbox, const char *path)
{
  int fd = lookalike_path_open (sandbox, path, O_PATH, 0);

  if (fd < 0)
    return FALSE;
  close (fd);
  return TRUE;
}

static int
remove_children (int folder_fd)
{
  DIR *folder = fdopendir (folder_fd);
  struct dirent *entry;
  int result = 0;

  if (folder == NULL)
    {
      close (folder_fd);
      return -1;
    }
  while (result == 0 && (entry = readdir (folder)) != NULL)
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
      result = lookalike_remove_tree (dirfd (folder), entry->d_name);
  closedir (folder);
  return result;
}

int
lookalike_remove_tree (int parent_fd, const char *name)
{
  int folder_fd;

  if (unlinkat (parent_fd, name, 0) == 0 || errno == ENOENT)
    return 0;
  if (errno != EISDIR && errno != EPERM)
    return -1;
  folder_fd = openat (parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder_fd < 0 && errno == EACCES && fchmodat (parent_fd, name, 0700, 0) == 0)
    folder_fd = openat (parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder_fd < 0 || remove_children (folder_fd) < 0)
    return -1;
  return unlinkat (parent_fd, name, AT_REMOVEDIR);
}

char *
lookalike_path_describe (const char *operation, const char *path, int error_number)
{
  g_autofree char *why = g_ascii_strdown (g_strerror (error_number), -1);

  return g_strdup_printf ("%s %s: %s", operation, path, why);
}
