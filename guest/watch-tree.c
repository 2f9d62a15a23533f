/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "watch-tree.h"

#include "file-path.h"
#include "kernel-files.h"
#include "walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#define EVENTS                                                                                     \
  (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB    \
   | IN_ONLYDIR)

static int
compare (const void *a, const void *b)
{
  int first = ((const WatchedDirectory *)a)->wd;
  int second = ((const WatchedDirectory *)b)->wd;

  return (first > second) - (first < second);
}

WatchedDirectory *
watch_tree_find (const WatchTree *tree, int wd)
{
  const WatchedDirectory wanted = { .wd = wd };
  WatchedDirectory *const *found = tfind (&wanted, &tree->by_wd, compare);

  return found ? *found : NULL;
}

WatchedDirectory *
watched_directory_child (const WatchedDirectory *parent, const char *name)
{
  LIST_FOREACH (node, &parent->children)
    {
      WatchedDirectory *child = LIST_ITEM (node, WatchedDirectory, siblings);

      if (strcmp (child->name, name) == 0)
        return child;
    }
  return NULL;
}

/* Puts @name, and a slash, in front of what begins at *@start. */
static bool
prepend (char path[PATH_MAX], size_t *start, const char *name)
{
  size_t length = strlen (name);

  if (length + 1 > *start)
    return false;
  *start -= length;
  memcpy (path + *start, name, length);
  path[--*start] = '/';
  return true;
}

bool
watched_directory_path (const WatchedDirectory *directory, const char *name, char path[PATH_MAX])
{
  size_t start = PATH_MAX - 1;
  size_t length;
  const char *root;

  path[start] = '\0';
  if (name && !prepend (path, &start, name))
    return false;
  for (; directory->parent; directory = directory->parent)
    if (!prepend (path, &start, directory->name))
      return false;
  /* Of “/” nothing is left before the slash of the next. */
  root = strcmp (directory->name, "/") == 0 && path[start] ? "" : directory->name;
  length = strlen (root);
  if (length > start)
    return false;
  memmove (path + length, path + start, PATH_MAX - start);
  memcpy (path, root, length);
  return true;
}

bool
watched_directory_is_in (const WatchedDirectory *directory, const WatchedDirectory *other)
{
  while (directory && directory != other)
    directory = directory->parent;
  return directory != NULL;
}

bool
watch_tree_move (WatchedDirectory *directory, WatchedDirectory *parent, const char *name)
{
  char *copy = watched_directory_is_in (parent, directory) ? NULL : strdup (name);

  if (!copy)
    return false;
  free (directory->name);
  directory->name = copy;
  directory->parent = parent;
  list_remove (&directory->siblings);
  list_append (&parent->children, &directory->siblings);
  return true;
}

/* Adding. */

static void
fail (WatchTree *tree, const char *path, Failure *failure)
{
  if (tree->failed)
    tree->failed (tree->data, path, failure);
  failure_clear (failure);
}

/* What the numbers of inotify mean is not what they mean for files. */
static bool
set_failure (Failure *failure, int error, const char *path)
{
  if (error == ENOSPC)
    return failure_set (failure, FAILURE_TOO_MANY_REQUESTS,
                        "The system lets “%.256s” not be watched, as there are as many watches as "
                        "fs.inotify.max_user_watches allows",
                        path);
  return failure_set_errno (failure, error, "watch", path);
}

static void
free_directory (WatchedDirectory *directory)
{
  list_remove (&directory->siblings);
  list_remove (&directory->unlisted);
  free (directory->name);
  free (directory);
}

static bool
is_same (const WatchedDirectory *directory, const struct stat *status)
{
  return directory->device == status->st_dev && directory->inode == status->st_ino;
}

/* Of what cannot be opened by its path. */
static bool
is_elsewhere (int error)
{
  return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ESTALE;
}

/* The directory itself, not what may be at its path by now: whatever is asked of the descriptor is
 * about what the kernel tells of. −1 with errno set, to ESTALE when another stands there. */
static int
open_watched (const WatchedDirectory *directory, int flags, char path[PATH_MAX])
{
  struct stat status;
  int fd;

  errno = ENAMETOOLONG;
  if (!watched_directory_path (directory, NULL, path))
    return -1;
  flags |= O_DIRECTORY | O_CLOEXEC | (directory->parent ? O_NOFOLLOW : 0);
  fd = open (path, flags);
  if (fd < 0 || (fstat (fd, &status) == 0 && is_same (directory, &status)))
    return fd;
  close (fd);
  errno = ESTALE;
  return -1;
}

/* NULL when memory is short. */
static WatchedDirectory *
insert (WatchTree *tree, int wd, const struct stat *status, WatchedDirectory *parent,
        const char *name)
{
  WatchedDirectory *directory = calloc (1, sizeof *directory);

  if (!directory)
    return NULL;
  directory->wd = wd;
  directory->device = status->st_dev;
  directory->inode = status->st_ino;
  directory->parent = parent;
  list_init (&directory->siblings);
  list_init (&directory->children);
  list_init (&directory->unlisted);
  directory->name = strdup (name);
  if (!directory->name || !tsearch (directory, &tree->by_wd, compare))
    {
      free_directory (directory);
      return NULL;
    }
  tree->n_directories++;
  if (parent)
    list_append (&parent->children, &directory->siblings);
  if (tree->is_recursive)
    list_append (&tree->unlisted, &directory->unlisted);
  return directory;
}

/* What nobody means: the record, which changes with all that is done, and the kernel's own. */
static bool
is_left_out (const WatchTree *tree, int fd, struct stat *status)
{
  return fstat (fd, status) != 0 || file_is_history (tree->worker, status) || is_kernel_files (fd);
}

/* Watches what @fd is of, whatever has its name meanwhile; by that only where there is no /proc. */
static int
watch_descriptor (const WatchTree *tree, int fd, const char *path, uint32_t events)
{
  char link[32];
  int wd;

  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  wd = inotify_add_watch (tree->fd, link, events);
  if (wd < 0 && (errno == ENOENT || errno == ENOTDIR))
    wd = inotify_add_watch (tree->fd, path, events);
  return wd;
}

/* The number of the watch of @name in @parent_fd; -1 with errno set, 0 when the directory is left
 * out. */
static int
watch_name (const WatchTree *tree, int parent_fd, const char *name, const char *path,
            struct stat *status)
{
  int fd = openat (parent_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int wd = 0;
  int error;

  if (fd < 0)
    return -1;
  if (!is_left_out (tree, fd, status))
    wd = watch_descriptor (tree, fd, path, EVENTS);
  error = errno;
  close (fd);
  errno = error;
  return wd;
}

static void
fail_full (WatchTree *tree, const char *path)
{
  Failure failure = { 0 };

  failure_set (&failure, FAILURE_TOO_MANY_REQUESTS,
               "“%.256s” is not watched, as one watch has at most %d directories", path,
               WATCH_MAX_DIRECTORIES);
  failure_add_path (&failure, path);
  fail (tree, path, &failure);
}

static void
fail_errno (WatchTree *tree, const char *path, int error)
{
  Failure failure = { 0 };

  /* What went away meanwhile is told, or will be. */
  if (is_elsewhere (error))
    return;
  set_failure (&failure, error, path);
  fail (tree, path, &failure);
}

/* What is at @path is known by another place: it has come from there, and what the kernel said of
 * that will be read later. */
static void
put_right (WatchedDirectory *known, WatchedDirectory *parent, const char *name)
{
  if (known->parent && (known->parent != parent || strcmp (known->name, name) != 0))
    watch_tree_move (known, parent, name);
}

static WatchedDirectory *
watch_directory (WatchTree *tree, WatchedDirectory *parent, int parent_fd, const char *name,
                 const char *path)
{
  struct stat status;
  int wd = watch_name (tree, parent_fd, name, path, &status);
  WatchedDirectory *directory = wd > 0 ? watch_tree_find (tree, wd) : NULL;

  if (wd < 0)
    fail_errno (tree, path, errno);
  if (directory)
    put_right (directory, parent, name);
  else if (wd > 0 && !(directory = insert (tree, wd, &status, parent, name)))
    {
      inotify_rm_watch (tree->fd, wd);
      fail_errno (tree, path, ENOMEM);
    }
  return directory;
}

/* @parent_fd: of the parent itself */
static WatchedDirectory *
add_in (WatchTree *tree, WatchedDirectory *parent, int parent_fd, const char *name)
{
  char path[PATH_MAX];

  if (!watched_directory_path (parent, name, path))
    {
      watched_directory_path (parent, NULL, path);
      fail_errno (tree, path, ENAMETOOLONG);
      return NULL;
    }
  if (tree->n_directories < WATCH_MAX_DIRECTORIES)
    return watch_directory (tree, parent, parent_fd, name, path);
  if (!watched_directory_child (parent, name))
    fail_full (tree, path);
  return NULL;
}

/* Looks into it when all that the kernel has told is known. */
static void
postpone (WatchTree *tree, WatchedDirectory *directory)
{
  list_remove (&directory->unlisted);
  list_append (&tree->postponed, &directory->unlisted);
}

WatchedDirectory *
watch_tree_add (WatchTree *tree, WatchedDirectory *parent, const char *name)
{
  char path[PATH_MAX] = "";
  int parent_fd = open_watched (parent, O_PATH, path);
  WatchedDirectory *directory;

  if (parent_fd < 0 && is_elsewhere (errno))
    postpone (tree, parent);
  else if (parent_fd < 0)
    fail_errno (tree, path, errno);
  if (parent_fd < 0)
    return NULL;
  directory = add_in (tree, parent, parent_fd, name);
  close (parent_fd);
  return directory;
}

/* The number of the watch of the directory with which all begins. */
static int
watch_root (const WatchTree *tree, const char *path, struct stat *status)
{
  int fd = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  int wd = -1;
  int error;

  if (fd < 0)
    return -1;
  if (fstat (fd, status) == 0)
    wd = watch_descriptor (tree, fd, path, EVENTS | IN_DELETE_SELF | IN_MOVE_SELF);
  error = errno;
  close (fd);
  errno = error;
  return wd;
}

bool
watch_tree_open (WatchTree *tree, const char *path, Failure *failure)
{
  struct stat status;
  int wd;

  list_init (&tree->unlisted);
  list_init (&tree->postponed);
  tree->fd = inotify_init1 (IN_NONBLOCK | IN_CLOEXEC);
  if (tree->fd < 0 && errno == EMFILE)
    return failure_set (failure, FAILURE_TOO_MANY_REQUESTS,
                        "The system takes no more watches: there are as many as "
                        "fs.inotify.max_user_instances, or the limit of open files, allows");
  if (tree->fd < 0)
    return failure_set_errno (failure, errno, "watch", path);
  wd = watch_root (tree, path, &status);
  if (wd < 0)
    return set_failure (failure, errno, path);
  tree->root = insert (tree, wd, &status, NULL, path);
  return tree->root || failure_set_errno (failure, ENOMEM, "watch", path);
}

/* Listing. */

static bool
is_directory (DIR *directory, const struct dirent *entry)
{
  struct stat status;

  if (entry->d_type != DT_UNKNOWN)
    return entry->d_type == DT_DIR;
  return fstatat (dirfd (directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0
         && S_ISDIR (status.st_mode);
}

static void
take_entry (WatchTree *tree, WatchedDirectory *parent, DIR *directory, const struct dirent *entry,
            bool tells)
{
  char path[PATH_MAX];
  bool is_below = is_directory (directory, entry);

  if (strcmp (entry->d_name, ".") == 0 || strcmp (entry->d_name, "..") == 0)
    return;
  if (tells && watched_directory_path (parent, entry->d_name, path))
    tree->found (tree->data, path, is_below);
  if (is_below)
    add_in (tree, parent, dirfd (directory), entry->d_name);
}

/* False when the call is over. */
static bool
list_one (WatchTree *tree, WatchedDirectory *parent, bool tells)
{
  char path[PATH_MAX] = "";
  int fd = open_watched (parent, O_RDONLY | O_NONBLOCK, path);
  DIR *directory = fd >= 0 ? fdopendir (fd) : NULL;
  const struct dirent *entry;
  bool goes_on = true;

  if (!directory)
    {
      if (fd < 0 && is_elsewhere (errno))
        postpone (tree, parent);
      else
        fail_errno (tree, path, errno);
      if (fd >= 0)
        close (fd);
      return worker_goes_on (tree->worker);
    }
  while (goes_on && (entry = readdir (directory)))
    {
      take_entry (tree, parent, directory, entry, tells);
      goes_on = worker_goes_on (tree->worker) && !tree->worker->stopped;
    }
  closedir (directory);
  return goes_on;
}

bool
watch_tree_list (WatchTree *tree, bool tells)
{
  while (!list_is_empty (&tree->unlisted))
    {
      List *node = tree->unlisted.next;

      list_remove (node);
      if (!list_one (tree, LIST_ITEM (node, WatchedDirectory, unlisted), tells))
        return false;
    }
  return true;
}

static size_t
count (const List *list)
{
  size_t n = 0;

  LIST_FOREACH (node, list)
    n++;
  return n;
}

/* Whether fewer are left that are not in their places. */
static bool
list_postponed (WatchTree *tree)
{
  size_t n = count (&tree->postponed);

  LIST_FOREACH (node, &tree->postponed)
    {
      list_remove (node);
      list_append (&tree->unlisted, node);
    }
  watch_tree_list (tree, false);
  return count (&tree->postponed) < n;
}

/* Looking into one may show where others are. */
bool
watch_tree_catch_up (WatchTree *tree)
{
  bool were_any = false;

  while (list_postponed (tree))
    were_any = true;
  return were_any;
}

/* Forgetting. */

static WatchedDirectory *
deepest (WatchedDirectory *directory)
{
  while (!list_is_empty (&directory->children))
    directory = LIST_ITEM (directory->children.next, WatchedDirectory, siblings);
  return directory;
}

void
watch_tree_drop (WatchTree *tree, WatchedDirectory *directory)
{
  bool is_last;

  do
    {
      WatchedDirectory *leaf = deepest (directory);

      is_last = leaf == directory;
      /* Fails for what the kernel has forgotten itself. */
      inotify_rm_watch (tree->fd, leaf->wd);
      tdelete (leaf, &tree->by_wd, compare);
      tree->n_directories--;
      free_directory (leaf);
    }
  while (!is_last);
}

bool
watch_tree_rebuild (WatchTree *tree)
{
  while (!list_is_empty (&tree->root->children))
    watch_tree_drop (tree, LIST_ITEM (tree->root->children.next, WatchedDirectory, siblings));
  if (tree->is_recursive)
    {
      list_remove (&tree->root->unlisted);
      list_append (&tree->unlisted, &tree->root->unlisted);
    }
  return watch_tree_list (tree, false);
}

void
watch_tree_clear (WatchTree *tree)
{
  if (tree->root)
    watch_tree_drop (tree, tree->root);
  tree->root = NULL;
  if (tree->fd >= 0)
    close (tree->fd);
  tree->fd = -1;
}
