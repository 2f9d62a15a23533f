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

/* Calls @visit for each entry. It may remove the entry, so a directory is read again until a whole
 * pass meets none. */
typedef gboolean (*Visit) (int fd, const char *name, gpointer data, GError **error);

static gboolean
visit_all (int fd, Visit visit, gpointer data, GError **error)
{
  int own = openat (fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = own >= 0 ? fdopendir (own) : NULL;
  gboolean going_on = dir != NULL;
  guint met = 1;

  if (!dir)
    set_error (error, ".");
  while (going_on && met > 0)
    {
      struct dirent *entry;

      met = 0;
      rewinddir (dir);
      while (going_on && (entry = readdir (dir)))
        if (!is_dots (entry->d_name))
          {
            met++;
            going_on = visit (fd, entry->d_name, data, error);
          }
    }
  if (dir)
    closedir (dir);
  return going_on;
}

typedef struct
{
  int top;
  guint64 counter;
} Removal;

/* Moves a directory up to the top under a name that is free there: so no tree is too deep, and two
 * descriptors are enough. */
static gboolean
lift (int fd, const char *name, Removal *removal)
{
  for (;;)
    {
      char free_name[32];

      g_snprintf (free_name, sizeof free_name, "lifted-%" G_GUINT64_FORMAT, removal->counter++);
      if (renameat2 (fd, name, removal->top, free_name, RENAME_NOREPLACE) == 0)
        return TRUE;
      if (errno != EEXIST)
        return FALSE;
    }
}

static gboolean
remove_or_lift (int fd, const char *name, gpointer data, GError **error)
{
  int directory;
  gboolean done;

  if (unlinkat (fd, name, 0) == 0 || unlinkat (fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
    return TRUE;
  directory = open_directory (fd, name);
  done = directory >= 0 && lift (fd, name, data);
  if (!done)
    set_error (error, name);
  if (directory >= 0)
    close (directory);
  return done;
}

static gboolean
remove_at_top (int fd, const char *name, gpointer data, GError **error)
{
  int directory;
  gboolean done;

  if (unlinkat (fd, name, 0) == 0 || unlinkat (fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
    return TRUE;
  directory = open_directory (fd, name);
  if (directory < 0)
    {
      set_error (error, name);
      return FALSE;
    }
  done = visit_all (directory, remove_or_lift, data, error);
  close (directory);
  if (!done)
    return FALSE;
  if (unlinkat (fd, name, AT_REMOVEDIR) == 0)
    return TRUE;
  set_error (error, name);
  return FALSE;
}

gboolean
asb_local_tree_remove (int parent_fd, const char *name, GError **error)
{
  Removal removal = { -1, 0 };
  gboolean done;

  if (unlinkat (parent_fd, name, 0) == 0 || errno == ENOENT)
    return TRUE;
  removal.top = open_directory (parent_fd, name);
  if (removal.top < 0)
    {
      set_error (error, name);
      return FALSE;
    }
  done = visit_all (removal.top, remove_at_top, &removal, error);
  close (removal.top);
  if (!done)
    return FALSE;
  if (unlinkat (parent_fd, name, AT_REMOVEDIR) == 0)
    return TRUE;
  set_error (error, name);
  return FALSE;
}
