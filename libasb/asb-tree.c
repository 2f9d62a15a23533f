/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-tree-private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asb.h"

/* How deep a directory is entered in place: it costs a descriptor each. */
#define MAX_DEPTH 32

/* How many levels of directories may be closed later: those that every sandbox has. */
#define CLOSED_LATER 2

typedef struct
{
  const AsbTreeRemoval *how;
  GString *path; /* of the directory that is being emptied, for errors */
  int top;       /* -1 before it is open */
  guint depth;
  guint64 counter;
} Removal;

/* Whose it is matters when it is not ours. */
static char *
describe_owner (int parent, const char *name)
{
  struct stat status;

  if (fstatat (parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || status.st_uid == geteuid ())
    return g_strdup ("");
  return g_strdup_printf (" (it belongs to user %u)", (guint)status.st_uid);
}

static gboolean
fail (Removal *removal, int parent, const char *name, GError **error)
{
  const int reason = errno;
  g_autofree char *path = g_build_filename (removal->path->str, name, NULL);
  g_autofree char *readable = g_filename_display_name (path);
  g_autofree char *owner = describe_owner (parent, name);

  g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER, "Could not remove “%s”: %s%s", readable,
               reason == EXDEV || reason == EBUSY
                   ? "something is mounted there, which has to be unmounted first"
                   : g_strerror (reason),
               reason == EPERM || reason == EACCES ? owner : "");
  return FALSE;
}

/* What is mounted is somebody else's: the kernel tells, and where it is too old for that another
 * device does. */
static gboolean
is_mounted (int parent, int place)
{
  struct statx status, above;

  if (statx (place, "", AT_EMPTY_PATH, 0, &status) != 0)
    return FALSE;
  if (status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT)
    return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
  return statx (parent, "", AT_EMPTY_PATH, 0, &above) == 0
         && (status.stx_dev_major != above.stx_dev_major
             || status.stx_dev_minor != above.stx_dev_minor);
}

/* Opens a directory whatever its mode is: it may have been made unreadable on purpose. */
static int
open_directory (int parent, const char *name)
{
  int place = openat (parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  char link[64];
  int fd = -1;
  int reason = EXDEV;

  if (place < 0)
    return -1;
  if (!is_mounted (parent, place))
    {
      g_snprintf (link, sizeof link, "/proc/self/fd/%d", place);
      chmod (link, 0700);
      fd = openat (place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      reason = errno;
    }
  close (place);
  errno = reason;
  return fd;
}

static gboolean
is_dots (const char *name)
{
  return strcmp (name, ".") == 0 || strcmp (name, "..") == 0;
}

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
  if (g_cancellable_set_error_if_cancelled (removal->how->cancellable, error))
    return FALSE;
  if (unlinkat (fd, name, 0) == 0 || errno == ENOENT)
    return TRUE;
  if (errno != EISDIR)
    return fail (removal, fd, name, error);
  /* No tree is too deep, and the descriptors suffice. */
  if (removal->depth < MAX_DEPTH)
    return remove_directory (fd, name, removal, error);
  return lift (fd, name, removal) || fail (removal, fd, name, error);
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
      fail (removal, fd, ".", error);
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
empty_directory (int fd, const char *name, Removal *removal, GError **error)
{
  const gsize length = removal->path->len;
  const gboolean later = removal->how->close_later && removal->depth < CLOSED_LATER;
  const int kept = later ? fcntl (fd, F_DUPFD_CLOEXEC, 3) : -1;
  gboolean done;

  g_string_append_printf (removal->path, "%s%s", length > 0 ? "/" : "", name);
  done = remove_entries (fd, removal, error);
  g_string_truncate (removal->path, length);
  if (kept >= 0)
    removal->how->close_later (kept);
  return done;
}

/* Another user's may be empty. */
static gboolean
remove_unread (int parent, const char *name, Removal *removal, GError **error)
{
  const int reason = errno;

  if (unlinkat (parent, name, AT_REMOVEDIR) == 0)
    return TRUE;
  errno = reason;
  return fail (removal, parent, name, error);
}

static gboolean
remove_directory (int parent, const char *name, Removal *removal, GError **error)
{
  do
    {
      int fd = open_directory (parent, name);

      if (fd < 0)
        return remove_unread (parent, name, removal, error);
      if (!empty_directory (fd, name, removal, error))
        return FALSE;
      if (unlinkat (parent, name, AT_REMOVEDIR) == 0)
        return TRUE;
    }
  while (errno == ENOTEMPTY || errno == EEXIST);
  return fail (removal, parent, name, error);
}

gboolean
asb_tree_remove (int parent_fd, const char *name, const AsbTreeRemoval *how, GError **error)
{
  g_autoptr (GString) path = g_string_new (how->folder);
  Removal removal = { .how = how, .path = path, .top = -1 };

  return remove_entry (parent_fd, name, &removal, error);
}
