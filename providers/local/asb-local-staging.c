/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-staging.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asb-local-source.h"

#define MAX_SOURCES 64

static void
write_text (const char *text)
{
  G_GNUC_UNUSED gssize written = write (STDERR_FILENO, text, strlen (text));
}

static void G_GNUC_NORETURN
give_up (const char *what)
{
  int reason = errno;

  write_text (what);
  write_text (": ");
  write_text (strerrordesc_np (reason));
  write_text ("\n");
  _exit (1);
}

/* About a folder of the user. @why: what is at fault and the cure. */
static void G_GNUC_NORETURN
give_up_source (const AsbLocalSource *source, const char *why)
{
  int reason = errno;

  write_text (ASB_LOCAL_STAGING_PREFIX "Could not mount “");
  write_text (source->path);
  write_text ("” at “");
  write_text (source->target);
  write_text ("”, ");
  errno = reason;
  give_up (why);
}

static gboolean
write_file (const char *path, const char *text)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC);
  gboolean done = fd >= 0 && write (fd, text, strlen (text)) == (gssize)strlen (text);
  int reason = errno;

  if (fd >= 0)
    close (fd);
  errno = reason;
  return done;
}

static gboolean
write_map (const char *path, unsigned inside, unsigned outside)
{
  char map[32];

  g_snprintf (map, sizeof map, "%u %u 1", inside, outside);
  return write_file (path, map);
}

/* Who is not root may only mount in a user namespace of one's own, and is the same user there. */
static gboolean
become_own_master (const AsbLocalStaging *self)
{
  return unshare (CLONE_NEWUSER | CLONE_NEWNS) == 0
         && (write_file ("/proc/self/setgroups", "deny") || errno == ENOENT)
         && write_map ("/proc/self/uid_map", self->user, self->user)
         && write_map ("/proc/self/gid_map", self->group, self->group);
}

/* The files of /proc that tell the ids belong to root then: the user was changed, or the program is
 * closed to inspection on purpose. */
static gboolean
is_closed (void)
{
  return prctl (PR_GET_DUMPABLE) != 1;
}

static void
enter_namespaces (const AsbLocalStaging *self)
{
  if (!self->differs && is_closed ())
    {
      errno = EPERM;
      give_up (
          ASB_LOCAL_STAGING_PREFIX
          "Folders cannot be mounted by a program that is not dumpable; one that has changed its "
          "user must execute itself again");
    }
  if (self->differs ? unshare (CLONE_NEWNS) != 0 : !become_own_master (self))
    give_up (self->differs ? "root of this container may not mount"
                           : "setting up uid map of a user namespace");
  if (mount ("none", "/", "none", MS_REC | MS_SLAVE, NULL) != 0)
    give_up ("this user may not mount, not even in a user namespace");
}

/* A folder of the user must be the one that was checked. */
static int
open_folder (const AsbLocalSource *source)
{
  struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                          .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
  int fd = (int)syscall (SYS_openat2, AT_FDCWD, source->path, &how, sizeof how);
  struct stat status;

  if (fd < 0 || fstat (fd, &status) != 0)
    give_up_source (source, "it cannot be opened");
  errno = ESTALE;
  if (status.st_dev != source->device || status.st_ino != source->inode)
    give_up_source (source, "another folder has come in its place");
  return fd;
}

typedef struct
{
  int fds[MAX_SOURCES];
  int changes[MAX_SOURCES]; /* of overlays */
} Opened;

static void
open_sources (const AsbLocalStaging *self, Opened *opened)
{
  if (self->sources->len > MAX_SOURCES)
    _exit (1);
  for (guint i = 0; i < self->sources->len; i++)
    {
      const AsbLocalSource *source = self->sources->pdata[i];

      opened->fds[i]
          = source->target ? open_folder (source) : open (source->path, O_PATH | O_CLOEXEC);
      if (opened->fds[i] < 0)
        give_up (source->path);
      if (!source->changes)
        continue;
      opened->changes[i] = open (source->changes, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (opened->changes[i] < 0)
        give_up_source (source, "the folder for its changes cannot be opened");
    }
}

static gboolean
bind_fd (int fd, const char *to)
{
  char from[64];

  g_snprintf (from, sizeof from, "/proc/self/fd/%d", fd);
  return mount (from, to, "none", MS_BIND, NULL) == 0;
}

static void
show_own (const AsbLocalSource *source, int fd, const char *to)
{
  struct stat status;

  if (fstat (fd, &status) != 0
      || (S_ISDIR (status.st_mode) ? mkdir (to, 0700) != 0 : mknod (to, S_IFREG | 0600, 0) != 0)
      || !bind_fd (fd, to))
    give_up (source->path);
}

/* Another user's ids are those of a user namespace that nobody is in. */
static int
open_mapping (const AsbLocalStaging *self, const AsbLocalSource *source)
{
  int ends[2];
  char path[64];
  gboolean mapped;
  int fd = -1;
  pid_t pid;

  if (pipe2 (ends, O_CLOEXEC) != 0)
    return -1;
  pid = (pid_t)syscall (SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
  if (pid == 0)
    {
      char byte;

      close (ends[1]);
      _exit (read (ends[0], &byte, 1) == 0 ? 0 : 1);
    }
  g_snprintf (path, sizeof path, "/proc/%d/uid_map", (int)pid);
  mapped = pid > 0 && write_map (path, source->owner, self->user);
  g_snprintf (path, sizeof path, "/proc/%d/gid_map", (int)pid);
  mapped = mapped && write_map (path, source->group, self->group);
  g_snprintf (path, sizeof path, "/proc/%d/ns/user", (int)pid);
  if (mapped)
    fd = open (path, O_RDONLY | O_CLOEXEC);
  close (ends[0]);
  close (ends[1]);
  if (pid > 0)
    waitpid (pid, NULL, 0);
  return fd;
}

/* Only root can show the files of one user as those of another. */
static void
map_owner (const AsbLocalStaging *self, const AsbLocalSource *source, int tree)
{
  struct mount_attr attributes = { .attr_set = MOUNT_ATTR_IDMAP };
  int mapping;

  if (!self->differs || (source->owner == self->user && source->group == self->group))
    return;
  mapping = open_mapping (self, source);
  if (mapping < 0)
    give_up_source (source, "the ids of its files cannot be mapped to those of the sandbox");
  attributes.userns_fd = (guint64)mapping;
  if (mount_setattr (tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes) != 0)
    give_up_source (source,
                    "the kernel or the file system cannot show its files as those of the user "
                    "“nobody”, as which root's sandboxes work; give that user the folder, or call "
                    "as its owner");
  close (mapping);
}

static void
show_tree (const AsbLocalStaging *self, const AsbLocalSource *source, int fd, const char *to)
{
  struct mount_attr attributes = { .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV };
  int tree = open_tree (fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);

  if (tree < 0)
    give_up_source (source, "it cannot be bound");
  if (source->mode != ASB_MOUNT_MODE_READ_WRITE)
    attributes.attr_set |= MOUNT_ATTR_RDONLY;
  if (mount_setattr (tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes) != 0)
    give_up_source (source, "the kernel cannot bound its use, Linux 5.12 can");
  map_owner (self, source, tree);
  if (mkdir (to, 0700) != 0 || move_mount (tree, "", AT_FDCWD, to, MOVE_MOUNT_F_EMPTY_PATH) != 0)
    give_up_source (source, "it cannot be shown");
  close (tree);
}

/* In a user namespace the kernel marks what was deleted with attributes that users may set. */
static void
show_overlay (const AsbLocalStaging *self, const AsbLocalSource *source, const Opened *opened,
              guint index, const char *to)
{
  char options[256], lower[64], changes[64];

  g_snprintf (lower, sizeof lower, ASB_LOCAL_SOURCES_FOLDER "/lower-%u", index);
  g_snprintf (changes, sizeof changes, ASB_LOCAL_SOURCES_FOLDER "/changes-%u", index);
  g_snprintf (options, sizeof options, "lowerdir=%s,upperdir=%s/upper,workdir=%s/work%s", lower,
              changes, changes, self->differs ? "" : ",userxattr");
  show_tree (self, source, opened->fds[index], lower);
  if (mkdir (changes, 0700) != 0 || !bind_fd (opened->changes[index], changes)
      || mkdir (to, 0700) != 0)
    give_up_source (source, "the folder for its changes cannot be shown");
  if (mount ("overlay", to, "overlay", MS_NOSUID | MS_NODEV, options) != 0)
    give_up_source (
        source, "the kernel refuses an overlay: it needs Linux 5.11 with overlayfs, and a file "
                "system that is no overlay itself for the folder and for the option “state-dir”");
}

/* Attaches a mount to its place in another. Nobody can put a link there meanwhile. */
static void
attach (const AsbLocalSource *source, guint index)
{
  struct open_how how
      = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
          .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
  char path[ASB_LOCAL_SOURCE_PATH_SIZE];
  int root, place, tree;

  asb_local_source_path (index, path, sizeof path);
  tree = open_tree (AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
  asb_local_source_path ((guint)source->root, path, sizeof path);
  root = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  place = root < 0 ? -1 : (int)syscall (SYS_openat2, root, source->below, &how, sizeof how);
  if (tree < 0 || place < 0
      || move_mount (tree, "", place, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0)
    give_up_source (source, "there must be a folder, and no link");
  close (tree);
  close (root);
  close (place);
}

static void
show_source (const AsbLocalStaging *self, const Opened *opened, guint index)
{
  const AsbLocalSource *source = self->sources->pdata[index];
  char to[ASB_LOCAL_SOURCE_PATH_SIZE];

  asb_local_source_path (index, to, sizeof to);
  if (!source->target)
    show_own (source, opened->fds[index], to);
  else if (source->changes)
    show_overlay (self, source, opened, index, to);
  else
    show_tree (self, source, opened->fds[index], to);
}

/* For each thing it shows bubblewrap reads the list of all mounts, and most of them are often
 * here. Nothing of it is ever shown. Nobody but root may take away what was there before. */
static void
shorten_mounts (const AsbLocalStaging *self)
{
  if (self->differs)
    umount2 ("/sys", MNT_DETACH);
}

void
asb_local_stage (const AsbLocalStaging *self)
{
  Opened opened;

  enter_namespaces (self);
  open_sources (self, &opened);
  if (mount ("tmpfs", ASB_LOCAL_SOURCES_FOLDER, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0)
    give_up (self->differs ? "root of this container may not mount"
                           : "mounting in a user namespace is not permitted");
  for (guint i = 0; i < self->sources->len; i++)
    show_source (self, &opened, i);
  for (guint i = 0; i < self->sources->len; i++)
    {
      const AsbLocalSource *source = self->sources->pdata[i];

      if (source->root >= 0)
        attach (source, i);
    }
  shorten_mounts (self);
}
