/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-source.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"
#include "asb-local-make.h"
#include "asb-local-path.h"
#include "asb-local-user.h"

AsbLocalSource *
asb_local_source_new (const char *path)
{
  AsbLocalSource *self = g_new0 (AsbLocalSource, 1);

  self->path = g_strdup (path);
  self->root = -1;
  return self;
}

void
asb_local_source_free (AsbLocalSource *self)
{
  g_free (self->path);
  g_free (self->target);
  g_free (self->changes);
  g_free (self->below);
  g_free (self);
}

static gboolean
refuse (GError **error, const char *path, const char *why)
{
  g_autofree char *shown = g_filename_display_name (path);

  g_set_error (error, ASB_ERROR, ASB_ERROR_LOCAL_PATH_NOT_ALLOWED,
               "The folder “%s” cannot be mounted, %s", shown, why);
  return FALSE;
}

static gboolean
set_failure (GError **error, const char *path)
{
  int reason = errno;
  g_autofree char *shown = g_filename_display_name (path);

  g_set_error (error, ASB_ERROR,
               reason == ENOENT ? ASB_ERROR_LOCAL_PATH_NOT_FOUND : ASB_ERROR_LOCAL_PATH_NOT_ALLOWED,
               "Could not open the folder “%s” to mount it: %s", shown, g_strerror (reason));
  return FALSE;
}

static gboolean
is_same (int first, int second)
{
  struct stat a, b;

  return fstat (first, &a) == 0 && fstat (second, &b) == 0 && a.st_dev == b.st_dev
         && a.st_ino == b.st_ino;
}

/* Whether @upper is @lower, or one of the directories it is in. */
static gboolean
is_in (int lower, int upper)
{
  int at = fcntl (lower, F_DUPFD_CLOEXEC, 3);
  gboolean found = FALSE;

  while (at >= 0 && !(found = is_same (at, upper)))
    {
      int parent = openat (at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
      gboolean is_top = parent < 0 || is_same (parent, at);

      close (at);
      at = is_top ? -1 : parent;
      if (is_top && parent >= 0)
        close (parent);
    }
  if (at >= 0)
    close (at);
  return found;
}

/* The directory @path, or the one that it will be made in. */
static int
open_nearest (const char *path, gboolean *is_there)
{
  g_autofree char *at = g_strdup (path);
  int fd;

  *is_there = TRUE;
  while ((fd = open (at, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0 && errno == ENOENT
         && strcmp (at, "/") != 0)
    {
      char *parent = g_path_get_dirname (at);

      g_free (at);
      at = parent;
      *is_there = FALSE;
    }
  return fd;
}

/* Compares directories themselves: a path may lead to one in many ways. */
static gboolean
touches (int fd, const char *path)
{
  gboolean is_there;
  int other = open_nearest (path, &is_there);
  gboolean found = other >= 0 && (is_in (other, fd) || (is_there && is_in (fd, other)));

  if (other >= 0)
    close (other);
  return found;
}

static gboolean
is_directory_itself (int fd, const char *path)
{
  int other = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  gboolean same = other >= 0 && is_same (fd, other);

  if (other >= 0)
    close (other);
  return same;
}

static gboolean
is_of_kernel (int fd)
{
  static const guint32 kinds[]
      = { PROC_SUPER_MAGIC, SYSFS_MAGIC,      CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC,
          DEBUGFS_MAGIC,    SECURITYFS_MAGIC, TRACEFS_MAGIC,      BPF_FS_MAGIC,
          SELINUX_MAGIC,    SMACK_MAGIC,      DEVPTS_SUPER_MAGIC, EFIVARFS_MAGIC };
  struct statfs status;

  if (fstatfs (fd, &status) != 0)
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if ((guint32)status.f_type == kinds[i])
      return TRUE;
  return is_directory_itself (fd, "/dev");
}

/* Root may do all, and its sandboxes work as the owner, who may not. */
static gboolean
may (int fd, int wanted)
{
  char link[64];
  struct stat status;

  g_snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  if (faccessat (AT_FDCWD, link, wanted, AT_EACCESS) != 0 || fstat (fd, &status) != 0)
    return FALSE;
  errno = EACCES;
  return !asb_local_user_differs () || (((int)status.st_mode >> 6) & wanted) == wanted;
}

static gboolean
check_source (int fd, const AsbLocalMount *mount, const AsbLocalPlaces *places, GError **error)
{
  if (is_directory_itself (fd, "/"))
    return refuse (error, mount->source, "it holds the whole host; take a project's folder");
  if (is_of_kernel (fd))
    return refuse (error, mount->source, "it belongs to the kernel");
  if (touches (fd, places->state_dir))
    return refuse (error, mount->source, "it holds the state of sandboxes, or is part of it");
  if (touches (fd, places->record_dir))
    return refuse (error, mount->source, "it holds the records of sandboxes, or is part of them");
  if (!may (fd, R_OK | X_OK))
    return set_failure (error, mount->source);
  if (mount->mode == ASB_MOUNT_MODE_READ_WRITE && !may (fd, W_OK))
    return refuse (error, mount->source,
                   "nothing may be written there: show it read-only or as an overlay");
  return TRUE;
}

/* The path was resolved when the sandbox was created: a link in it now leads to somewhere else. */
static int
open_resolved (const char *path)
{
  struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                          .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };

  return (int)syscall (SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

/* Nothing is made in a folder of the user: what a mount inside it stands on has to be there. */
static gboolean
is_folder_in (const AsbLocalMount *outer, const char *below)
{
  struct open_how how
      = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
          .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
  int folder = open_resolved (outer->source);
  int fd = folder >= 0 ? (int)syscall (SYS_openat2, folder, below, &how, sizeof how) : -1;
  int reason = errno;

  if (fd >= 0)
    close (fd);
  if (folder >= 0)
    close (folder);
  errno = reason;
  return fd >= 0;
}

static const AsbLocalMount *
find_outer (GPtrArray *mounts, guint index, int *outer_index)
{
  const AsbLocalMount *mount = mounts->pdata[index];
  const AsbLocalMount *outer = NULL;

  for (guint i = 0; i < index; i++)
    {
      const AsbLocalMount *candidate = mounts->pdata[i];

      if (!asb_local_path_below (mount->target, candidate->target))
        continue;
      outer = candidate;
      if (*outer_index < 0)
        *outer_index = (int)i;
    }
  return outer;
}

/* A mount below others is attached to the outermost of them. */
static gboolean
place (AsbLocalSource *self, GPtrArray *mounts, guint index, GError **error)
{
  const AsbLocalMount *mount = mounts->pdata[index];
  const AsbLocalMount *outer = find_outer (mounts, index, &self->root);
  const AsbLocalMount *outermost = outer ? mounts->pdata[self->root] : NULL;
  g_autofree char *shown = g_filename_display_name (mount->target);

  if (!outer)
    return TRUE;
  self->below = g_strdup (asb_local_path_below (mount->target, outermost->target));
  if (is_folder_in (outer, asb_local_path_below (mount->target, outer->target)))
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_LOCAL_PATH_NOT_ALLOWED,
               "Nothing can be mounted at “%s”, since there is no such folder in “%s”, where it "
               "would have to be made: %s",
               shown, outer->source, g_strerror (errno));
  return FALSE;
}

static AsbLocalSource *
source_new (GPtrArray *mounts, guint index, const AsbLocalPlaces *places, GError **error)
{
  const AsbLocalMount *mount = mounts->pdata[index];
  AsbLocalSource *self = asb_local_source_new (mount->source);
  int fd = open_resolved (mount->source);
  struct stat status = { 0 };
  gboolean done = FALSE;

  if (fd < 0 || fstat (fd, &status) != 0)
    set_failure (error, mount->source);
  else
    done = check_source (fd, mount, places, error) && place (self, mounts, index, error);
  if (fd >= 0)
    close (fd);
  self->target = g_strdup (mount->target);
  self->mode = mount->mode;
  self->device = status.st_dev;
  self->inode = status.st_ino;
  self->owner = status.st_uid;
  self->group = status.st_gid;
  if (mount->mode == ASB_MOUNT_MODE_OVERLAY)
    self->changes = g_strdup_printf ("%s/" ASB_LOCAL_FOLDER_OVERLAYS "/%u", places->folder, index);
  if (!done)
    g_clear_pointer (&self, asb_local_source_free);
  return self;
}

GPtrArray *
asb_local_sources_new (GPtrArray *mounts, const AsbLocalPlaces *places, GError **error)
{
  g_autoptr (GPtrArray) sources
      = g_ptr_array_new_with_free_func ((GDestroyNotify)asb_local_source_free);

  for (guint i = 0; i < mounts->len; i++)
    {
      AsbLocalSource *source = source_new (mounts, i, places, error);

      if (!source)
        return NULL;
      g_ptr_array_add (sources, source);
    }
  return g_steal_pointer (&sources);
}

/* The root of an overlay has the mode of the folder that holds its changes. */
static gboolean
make_folder (int parent, const char *name, mode_t mode)
{
  return asb_local_make_folder (parent, name, mode) && asb_local_user_give (parent, name);
}

static gboolean
make_changes (int overlays, const AsbLocalMount *mount, guint index)
{
  char name[16], upper[32], work[32];
  struct stat status;

  g_snprintf (name, sizeof name, "%u", index);
  g_snprintf (upper, sizeof upper, "%u/upper", index);
  g_snprintf (work, sizeof work, "%u/work", index);
  return stat (mount->source, &status) == 0 && make_folder (overlays, name, 0700)
         && make_folder (overlays, upper, (status.st_mode & 0777) | 0700)
         && make_folder (overlays, work, 0700);
}

gboolean
asb_local_sources_make_changes (GPtrArray *mounts, int state_fd, GError **error)
{
  int overlays = -1;
  gboolean done = TRUE;

  for (guint i = 0; done && i < mounts->len; i++)
    {
      const AsbLocalMount *mount = mounts->pdata[i];

      if (mount->mode != ASB_MOUNT_MODE_OVERLAY)
        continue;
      if (overlays < 0 && asb_local_make_folder (state_fd, ASB_LOCAL_FOLDER_OVERLAYS, 0700))
        overlays = openat (state_fd, ASB_LOCAL_FOLDER_OVERLAYS,
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      done = overlays >= 0 && make_changes (overlays, mount, i);
    }
  if (!done)
    asb_local_set_failure (error, errno, "make the folder for the changes of an overlay");
  if (overlays >= 0)
    close (overlays);
  return done;
}

gboolean
asb_local_mount_check_folder (const AsbLocalMount *mount, const char *path, GError **error)
{
  struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
  const char *below = asb_local_path_below (path, mount->target);
  int folder = open_resolved (mount->source);
  int fd, reason;

  if (folder < 0)
    return set_failure (error, mount->source);
  fd = (int)syscall (SYS_openat2, folder, below[0] ? below : ".", &how, sizeof how);
  reason = errno;
  close (folder);
  if (fd >= 0)
    close (fd);
  /* A link may lead out of the folder to what only the sandbox has. */
  if (fd >= 0 || (reason != ENOENT && reason != ENOTDIR))
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_WORKING_DIRECTORY,
               "There is no working directory “%s”, and none is made in “%s”: %s", path,
               mount->source, g_strerror (reason));
  return FALSE;
}
