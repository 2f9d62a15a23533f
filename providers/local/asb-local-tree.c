/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-tree.h"

#include <asb.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asb-local-close.h"

/* How deep a directory is entered in place: it costs a descriptor each. */
#define MAX_DEPTH 32

/* How many levels of directories are closed later: those that every sandbox has. */
#define CLOSED_LATER 2

static void
set_error (GError **error, const char *name)
{
  int reason = errno;
  g_autofree char *readable = g_filename_display_name (name);

  g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER, "Could not remove “%s”: %s", readable,
               g_strerror (reason));
}

/* Opens a directory whatever its mode is: it may have been made unreadable on purpose. */
static int
open_directory (int parent, const char *name)
{
  int place = openat (parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  char link[64];
  int fd;

  if (place < 0)
    return -1;
  g_snprintf (link, sizeof link, "/proc/self/fd/%d", place);
  fd = chmod (link, 0700) == 0 ? openat (place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  close (place);
  return fd;
}

static gboolean
is_dots (const char *name)
{
  return strcmp (name, ".") == 0 || strcmp (name, "..") == 0;
}

typedef struct
{
  int top; /* -1 before it is open */
  guint depth;
  guint64 counter;
} Removal;

/* Moves a directory up to the top under a name that is free there. */
static gboolean
lift (int fd, const char *name, Removal *removal)
{
  int directory = open_directory (fd, name);
  gboolean done = FALSE;

  if (directory < 0)
    return FALSE;
  close (directory);
  do
    {
      char free_name[32];

      g_snprintf (free_name, sizeof free_name, "lifted-%" G_GUINT64_FORMAT, removal->counter++);
      done = renameat2 (fd, name, removal->top, free_name, RENAME_NOREPLACE) == 0;
    }
  while (!done && errno == EEXIST);
  return done;
}

static gboolean remove_directory (int parent, const char *name, Removal *removal, GError **error);

static gboolean
remove_entry (int fd, const char *name, Removal *removal, GError **error)
{
  if (unlinkat (fd, name, 0) == 0 || errno == ENOENT)
    return TRUE;
  /* No tree is too deep, and the descriptors suffice. */
  if (removal->depth < MAX_DEPTH)
    return remove_directory (fd, name, removal, error);
  if (lift (fd, name, removal))
    return TRUE;
  set_error (error, name);
  return FALSE;
}

/* Takes @fd. What is lifted meanwhile, and what a directory that changes does not show, is left to
 * another round. */
static gboolean
remove_entries (int fd, Removal *removal, GError **error)
{
  DIR *dir = fdopendir (fd);
  struct dirent *entry;
  gboolean done = dir != NULL;

  if (!dir)
    {
      set_error (error, ".");
      close (fd);
      return FALSE;
    }
  if (removal->depth == 0)
    removal->top = fd;
  removal->depth++;
  while (done && (entry = readdir (dir)))
    if (!is_dots (entry->d_name))
      done = remove_entry (fd, entry->d_name, removal, error);
  removal->depth--;
  closedir (dir);
  return done;
}

static gboolean
remove_directory (int parent, const char *name, Removal *removal, GError **error)
{
  do
    {
      int fd = open_directory (parent, name);
      int kept = fd >= 0 && removal->depth < CLOSED_LATER ? fcntl (fd, F_DUPFD_CLOEXEC, 3) : -1;
      gboolean done = fd >= 0 && remove_entries (fd, removal, error);
      gboolean removed = done && unlinkat (parent, name, AT_REMOVEDIR) == 0;
      int reason = errno;

      if (kept >= 0)
        asb_local_close_later (kept);
      if (fd >= 0 && !done)
        return FALSE;
      if (removed)
        return TRUE;
      errno = reason;
    }
  while (errno == ENOTEMPTY || errno == EEXIST);
  set_error (error, name);
  return FALSE;
}

gboolean
asb_local_tree_remove (int parent_fd, const char *name, GError **error)
{
  Removal removal = { .top = -1 };

  if (unlinkat (parent_fd, name, 0) == 0 || errno == ENOENT)
    return TRUE;
  return remove_directory (parent_fd, name, &removal, error);
}
