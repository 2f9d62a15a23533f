/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "archive-merge.h"

#include "archive-same.h"
#include "archive-undo.h"
#include "name-list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

typedef struct
{
  const ArchiveUnpacking *unpacking;
  ArchiveAttributesList *attributes;
  ArchiveCounts *counts;
  Failure *failure;
  bool moves;    /* not only looks */
  bool has_work; /* something is to be moved */
  ArchiveMoves moved;
  char path[PATH_MAX];
} Merge;

/* A name in both folders. */
typedef struct
{
  int from_fd;
  int to_fd;
  const char *name;
  struct stat from;
  struct stat to;
  bool exists;
} Pair;

static bool merge_folder (Merge *merge, int from_fd, int to_fd);

static bool
fail (Merge *merge, int error)
{
  return failure_set_errno (merge->failure, error, "unpack", merge->path);
}

static bool
look (Merge *merge, Pair *pair)
{
  if (fstatat (pair->from_fd, pair->name, &pair->from, AT_SYMLINK_NOFOLLOW) != 0)
    return fail (merge, errno);
  pair->exists = fstatat (pair->to_fd, pair->name, &pair->to, AT_SYMLINK_NOFOLLOW) == 0;
  return pair->exists || errno == ENOENT ? true : fail (merge, errno);
}

/* Not every file system knows how to rename without replacing. */
static bool
rename_new (const Pair *pair)
{
  if (renameat2 (pair->from_fd, pair->name, pair->to_fd, pair->name, RENAME_NOREPLACE) == 0)
    return true;
  if (errno != EINVAL && errno != ENOSYS)
    return false;
  if (S_ISDIR (pair->from.st_mode))
    return renameat (pair->from_fd, pair->name, pair->to_fd, pair->name) == 0;
  return linkat (pair->from_fd, pair->name, pair->to_fd, pair->name, 0) == 0;
}

/* Where one mounted thing ends and another begins: renaming does not cross that, even if both are
 * of the same file system. Old kernels only tell of that. */
static uint64_t
mount_of (int fd)
{
  struct statx status;

  if (statx (fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &status) != 0)
    return 0;
  return status.stx_mask & STATX_MNT_ID
             ? status.stx_mnt_id
             : (uint64_t)status.stx_dev_major << 32 | status.stx_dev_minor;
}

/* Whether something can be put into the folder, before anything is. */
static bool
check_folder (Merge *merge, const Pair *pair)
{
  if (faccessat (pair->to_fd, ".", W_OK | X_OK, AT_EACCESS) != 0)
    return fail (merge, errno);
  return mount_of (pair->from_fd) == mount_of (pair->to_fd) ? true : fail (merge, EXDEV);
}

static bool
put (Merge *merge, Pair *pair)
{
  merge->has_work = true;
  if (!merge->moves)
    return check_folder (merge, pair);
  if (!archive_moves_reserve (&merge->moved, merge->path) || !rename_new (pair))
    return fail (merge, errno);
  archive_moves_add (&merge->moved, merge->path, &pair->from, false);
  return true;
}

static bool
replace (Merge *merge, Pair *pair)
{
  const ArchiveCaller *caller = merge->unpacking->caller;

  /* Renaming would get round it. */
  if (S_ISREG (pair->to.st_mode) && faccessat (pair->to_fd, pair->name, W_OK, AT_EACCESS) != 0)
    return fail (merge, errno);
  merge->has_work = true;
  if (!merge->moves)
    return check_folder (merge, pair);
  /* Who cancels now is too late: it would be done by half. */
  errno = 0;
  if (caller->lock && !caller->lock (caller->data, pair->to_fd, pair->name) && errno != 0)
    return fail (merge, errno);
  if (!archive_moves_reserve (&merge->moved, merge->path)
      || !archive_replace_keeping (pair->from_fd, pair->to_fd, pair->name))
    return fail (merge, errno);
  archive_moves_add (&merge->moved, merge->path, &pair->from, true);
  merge->counts->replaced++;
  return true;
}

static bool
is_folder_merged (const Pair *pair)
{
  return pair->exists && S_ISDIR (pair->from.st_mode) && S_ISDIR (pair->to.st_mode);
}

/* What is the same is not looked at again, and need not be moved. */
static bool
is_dropped (const Merge *merge, const Pair *pair)
{
  return !merge->moves
         && archive_is_same (merge->unpacking->caller, pair->from_fd, pair->to_fd, pair->name)
         && unlinkat (pair->from_fd, pair->name, 0) == 0;
}

/* How many things that are no folders stay out when @name does. Nobody else is in the private
 * folder; what cannot be looked at counts once. */
static uint64_t
count_left_out (int directory_fd, const char *name, int depth)
{
  int fd = openat (directory_fd, name, OPEN_FOLDER);
  DIR *folder = fd >= 0 && depth <= ARCHIVE_MAX_DEPTH ? fdopendir (fd) : NULL;
  const struct dirent *entry;
  uint64_t count = 0;

  if (!folder)
    {
      if (fd >= 0)
        close (fd);
      return 1;
    }
  while ((entry = readdir (folder)))
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
      count += count_left_out (dirfd (folder), entry->d_name, depth + 1);
  closedir (folder);
  return count;
}

/* There is something that is not to be merged with. */
static bool
meet (Merge *merge, Pair *pair)
{
  bool needs_folder = S_ISDIR (pair->from.st_mode);

  switch (merge->unpacking->conflict)
    {
    case ARCHIVE_CONFLICT_SKIP:
      if (merge->moves)
        merge->counts->skipped += count_left_out (pair->from_fd, pair->name, 0);
      return true;
    case ARCHIVE_CONFLICT_IF_CHANGED:
      if (is_dropped (merge, pair))
        {
          merge->counts->skipped++;
          return true;
        }
      /* fall through */
    case ARCHIVE_CONFLICT_OVERWRITE:
      if (needs_folder || S_ISDIR (pair->to.st_mode))
        return fail (merge, needs_folder ? ENOTDIR : EISDIR);
      return replace (merge, pair);
    default:
      return fail (merge, EEXIST);
    }
}

static bool
enter (Merge *merge, Pair *pair)
{
  const ArchiveCaller *caller = merge->unpacking->caller;
  int from_fd;
  int to_fd;
  bool done = false;

  if (caller->is_protected && caller->is_protected (caller->data, &pair->to))
    {
      failure_set (merge->failure, FAILURE_PATH_PROTECTED,
                   "Could not unpack “%.256s”: it belongs to the history and is protected",
                   merge->path);
      failure_add_path (merge->failure, merge->path);
      return false;
    }
  archive_attributes_forget (merge->attributes, merge->path);
  from_fd = openat (pair->from_fd, pair->name, OPEN_FOLDER);
  to_fd = openat (pair->to_fd, pair->name, OPEN_FOLDER);
  if (from_fd < 0 || to_fd < 0)
    fail (merge, errno);
  else
    done = merge_folder (merge, from_fd, to_fd);
  if (from_fd >= 0)
    close (from_fd);
  if (to_fd >= 0)
    close (to_fd);
  return done;
}

static bool
merge_name (Merge *merge, int from_fd, int to_fd, const char *name)
{
  Pair pair = { .from_fd = from_fd, .to_fd = to_fd, .name = name };

  if (!look (merge, &pair))
    return false;
  if (!pair.exists)
    return put (merge, &pair);
  return is_folder_merged (&pair) ? enter (merge, &pair) : meet (merge, &pair);
}

static bool
merge_names (Merge *merge, const NameList *names, int from_fd, int to_fd)
{
  const ArchiveCaller *caller = merge->unpacking->caller;
  size_t length = strlen (merge->path);
  bool done = true;

  for (size_t i = 0; done && i < names->n_names; i++)
    {
      snprintf (merge->path + length, sizeof merge->path - length, "%s%s", length > 0 ? "/" : "",
                names->sorted[i]);
      /* Half of it in place is worth less than none, and all is there in a moment. */
      done = (merge->moves || caller->goes_on (caller->data))
             && merge_name (merge, from_fd, to_fd, names->sorted[i]);
    }
  merge->path[length] = '\0';
  return done;
}

static bool
merge_folder (Merge *merge, int from_fd, int to_fd)
{
  int fd = openat (from_fd, ".", OPEN_FOLDER);
  DIR *folder = fd >= 0 ? fdopendir (fd) : NULL;
  NameList names = { 0 };
  bool done;

  if (!folder)
    {
      fail (merge, errno);
      if (fd >= 0)
        close (fd);
      return false;
    }
  done = name_list_read (&names, folder, SIZE_MAX) == NAMES_READ && name_list_sort (&names);
  closedir (folder);
  done = done ? merge_names (merge, &names, from_fd, to_fd) : fail (merge, ENOMEM);
  name_list_clear (&names);
  return done;
}

/* Nothing of it is to be left when it is not all of it. */
static bool
undo (Merge *merge, int staging_fd)
{
  bool done = archive_moves_undo (&merge->moved, staging_fd, merge->unpacking->target_fd);

  if (!done)
    failure_add_detail (merge->failure, "incomplete", json_true ());
  merge->counts->replaced = 0;
  return done;
}

bool
archive_merge_look (const ArchiveUnpacking *unpacking, int staging_fd,
                    ArchiveAttributesList *attributes, ArchiveCounts *counts, bool *has_work,
                    Failure *failure)
{
  Merge merge
      = { .unpacking = unpacking, .attributes = attributes, .counts = counts, .failure = failure };
  bool done;

  archive_attributes_forget (attributes, "");
  done = merge_folder (&merge, staging_fd, unpacking->target_fd);
  *has_work = merge.has_work;
  return done;
}

bool
archive_merge_move (const ArchiveUnpacking *unpacking, int staging_fd,
                    ArchiveAttributesList *attributes, ArchiveCounts *counts, bool *is_undone,
                    Failure *failure)
{
  Merge merge = { .unpacking = unpacking,
                  .attributes = attributes,
                  .counts = counts,
                  .failure = failure,
                  .moves = true };
  bool done = merge_folder (&merge, staging_fd, unpacking->target_fd);

  *is_undone = done || undo (&merge, staging_fd);
  archive_moves_clear (&merge.moved);
  return done;
}
