/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "archive-folder.h"

#include "archive-attributes.h"
#include "archive-input.h"
#include "archive-merge.h"
#include "archive-name.h"
#include "archive-staging.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SET_ID (S_ISUID | S_ISGID)

typedef struct
{
  const ArchiveUnpacking *unpacking;
  const ArchiveCaller *caller;
  ArchiveCounts *counts;
  Failure *failure;
  ArchiveStaging staging;
  ArchiveInput *input;
  ArchiveAttributesList attributes;

  /* Of the member. */
  struct archive_entry *entry;
  char path[PATH_MAX];
  char directory[PATH_MAX]; /* of the one before, too, until the next is opened */
  const char *name;
  int directory_fd;
} Unpack;

/* Why a member is not unpacked, and with it nothing. */

static bool
fail (Unpack *unpack, int error)
{
  return failure_set_errno (unpack->failure, error, "unpack", unpack->path);
}

static bool
refuse_as (Unpack *unpack, const char *code, const char *path, const char *why)
{
  failure_set (unpack->failure, code, "Could not unpack “%.256s”: %s; nothing was unpacked", path,
               why);
  failure_add_path (unpack->failure, path);
  return false;
}

static bool
refuse (Unpack *unpack, const char *why)
{
  return refuse_as (unpack, FAILURE_ARCHIVE_SECURITY, unpack->path, why);
}

static bool
refuse_size (Unpack *unpack, const char *limit, int64_t maximum)
{
  char why[128];

  snprintf (why, sizeof why, "that is more than %s, %lld", limit, (long long)maximum);
  refuse_as (unpack, FAILURE_TOO_LARGE, unpack->path, why);
  failure_add_detail (unpack->failure, "limit", json_string (limit));
  return false;
}

/* Looking at a member. */

static bool
check_name (Unpack *unpack)
{
  const char *name = archive_entry_pathname (unpack->entry);
  const char *why = archive_name_clean (name, unpack->path);

  if (why)
    return refuse_as (unpack, FAILURE_ARCHIVE_SECURITY, name, why);
  if (*unpack->path == '\0' && archive_entry_filetype (unpack->entry) != AE_IFDIR)
    return refuse_as (unpack, FAILURE_ARCHIVE_SECURITY, name, "it has no name in the folder");
  return true;
}

static bool
check_kind (Unpack *unpack)
{
  if (archive_entry_perm (unpack->entry) & SET_ID)
    return refuse (unpack, "it has a set-user-ID or set-group-ID bit");
  if (archive_entry_hardlink (unpack->entry))
    return true;
  switch (archive_entry_filetype (unpack->entry))
    {
    case AE_IFREG:
    case AE_IFDIR:
    case AE_IFLNK:
      return true;
    case AE_IFIFO:
      return refuse (unpack, "it is a FIFO");
    case AE_IFCHR:
    case AE_IFBLK:
      return refuse (unpack, "it is a device");
    case AE_IFSOCK:
      return refuse (unpack, "it is a socket");
    default:
      return refuse (unpack, "it is neither a file nor a folder nor a link");
    }
}

/* How many bytes there may be in this member, by what the archive says and by the bounds. */
static int64_t
room_for_member (const Unpack *unpack)
{
  const ArchiveBounds *bounds = &unpack->unpacking->bounds;
  int64_t left = bounds->bytes - (int64_t)unpack->counts->bytes;

  if (archive_entry_size_is_set (unpack->entry))
    return archive_entry_size (unpack->entry);
  return left < bounds->file_bytes ? left : bounds->file_bytes;
}

static bool
check_size (Unpack *unpack)
{
  const ArchiveBounds *bounds = &unpack->unpacking->bounds;
  int64_t size = archive_entry_size_is_set (unpack->entry) ? archive_entry_size (unpack->entry) : 0;

  if (unpack->counts->members >= (uint64_t)bounds->members)
    return refuse_size (unpack, "max_members", bounds->members);
  if (size < 0)
    return archive_input_fail (unpack->input, "a member has a size below zero");
  if (size > bounds->file_bytes)
    return refuse_size (unpack, "max_file_bytes", bounds->file_bytes);
  if (size > bounds->bytes - (int64_t)unpack->counts->bytes)
    return refuse_size (unpack, "max_bytes", bounds->bytes);
  return archive_entry_filetype (unpack->entry) != AE_IFREG
         || archive_entry_sparse_count (unpack->entry) > 0
         || archive_input_check_ratio (unpack->input, unpack->counts->bytes + (uint64_t)size);
}

/* Making it. */

/* Goes to the folder @path, making what is missing. −1 with the failure set. */
static int
make_folders (Unpack *unpack, const char *path)
{
  char part[PATH_MAX];
  int fd = archive_open_below (unpack->staging.fd, path);

  if (fd >= 0 || errno != ENOENT)
    return fd;
  for (const char *slash = path; slash; slash = strchr (slash + 1, '/'))
    {
      memcpy (part, path, (size_t)(slash - path));
      part[slash - path] = '\0';
      if (*part && mkdirat (unpack->staging.fd, part, 0755) != 0 && errno != EEXIST)
        return -1;
    }
  if (mkdirat (unpack->staging.fd, path, 0755) != 0 && errno != EEXIST)
    return -1;
  return archive_open_below (unpack->staging.fd, path);
}

static bool
open_directory (Unpack *unpack)
{
  char directory[PATH_MAX];
  const char *name = archive_name_split (unpack->path, directory);

  unpack->name = name;
  if (unpack->directory_fd >= 0 && strcmp (directory, unpack->directory) == 0)
    return true;
  if (unpack->directory_fd >= 0)
    close (unpack->directory_fd);
  strcpy (unpack->directory, directory);
  unpack->directory_fd = make_folders (unpack, directory);
  if (unpack->directory_fd >= 0)
    return true;
  if (errno == ENOTDIR || errno == ELOOP)
    return refuse (unpack, "a member before it is no folder, and it is said to be in it");
  return fail (unpack, errno);
}

/* Of two members with one name the later counts. */
static bool
clear_way (Unpack *unpack)
{
  if (unlinkat (unpack->directory_fd, unpack->name, 0) == 0 || errno == ENOENT)
    return true;
  if (errno == EISDIR || errno == EPERM)
    return refuse (unpack, "a member before it is a folder and has the same name");
  return fail (unpack, errno);
}

static struct timespec
mtime_of (const Unpack *unpack)
{
  struct timespec time = { .tv_nsec = UTIME_OMIT };

  if (archive_entry_mtime_is_set (unpack->entry))
    {
      time.tv_sec = archive_entry_mtime (unpack->entry);
      time.tv_nsec = archive_entry_mtime_nsec (unpack->entry);
    }
  return time;
}

static bool
write_block (Unpack *unpack, int fd, const uint8_t *bytes, size_t size, int64_t offset)
{
  while (size > 0)
    {
      ssize_t n = pwrite (fd, bytes, size, offset);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return fail (unpack, errno);
      bytes += n;
      size -= (size_t)n;
      offset += n;
    }
  return true;
}

/* Holes stay holes. */
static bool
write_content (Unpack *unpack, int fd)
{
  bool is_known = archive_entry_size_is_set (unpack->entry);
  int64_t room = room_for_member (unpack);
  int64_t end = 0;
  int64_t offset;
  const void *bytes;
  size_t size;

  for (;;)
    {
      if (!archive_input_read (unpack->input, &bytes, &size, &offset))
        return false;
      if (size == 0)
        break;
      if (offset < end || offset > room || (int64_t)size > room - offset)
        return is_known ? archive_input_fail (unpack->input, "a member is larger than it says")
                        : refuse_size (unpack, "max_file_bytes", room);
      if (!write_block (unpack, fd, bytes, size, offset))
        return false;
      end = offset + (int64_t)size;
    }
  if (is_known)
    end = room;
  unpack->counts->bytes += (uint64_t)end;
  return ftruncate (fd, end) == 0 || fail (unpack, errno);
}

static bool
unpack_file (Unpack *unpack)
{
  struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, mtime_of (unpack) };
  int fd;
  bool done;

  if (!clear_way (unpack))
    return false;
  fd = openat (unpack->directory_fd, unpack->name,
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0)
    return fail (unpack, errno);
  done = write_content (unpack, fd);
  if (done && fchmod (fd, archive_entry_perm (unpack->entry) & 0777) != 0)
    done = fail (unpack, errno);
  if (done)
    futimens (fd, times);
  if (close (fd) != 0 && done)
    done = fail (unpack, errno);
  unpack->counts->files += done;
  return done;
}

static bool
unpack_folder (Unpack *unpack)
{
  mode_t mode = archive_entry_perm (unpack->entry) & 0777;
  struct stat status;

  if (*unpack->path != '\0')
    {
      if (!open_directory (unpack))
        return false;
      if (mkdirat (unpack->directory_fd, unpack->name, mode | 0700) != 0 && errno != EEXIST)
        return fail (unpack, errno);
      if (fstatat (unpack->directory_fd, unpack->name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return fail (unpack, errno);
      if (!S_ISDIR (status.st_mode))
        return refuse (unpack, "a member before it is no folder and has the same name");
    }
  unpack->counts->directories++;
  return archive_attributes_add (&unpack->attributes, unpack->path, mode, mtime_of (unpack))
         || fail (unpack, errno);
}

static bool
unpack_symlink (Unpack *unpack)
{
  struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, mtime_of (unpack) };
  const char *target = archive_entry_symlink (unpack->entry);
  const char *why = target ? archive_target_check (unpack->path, target)
                           : "it cannot be read where the link leads";

  if (why)
    return refuse (unpack, why);
  if (!clear_way (unpack))
    return false;
  if (symlinkat (target, unpack->directory_fd, unpack->name) != 0)
    return fail (unpack, errno);
  utimensat (unpack->directory_fd, unpack->name, times, AT_SYMLINK_NOFOLLOW);
  unpack->counts->links++;
  return true;
}

/* Only with what has been unpacked before. */
static bool
unpack_hard_link (Unpack *unpack)
{
  char target[PATH_MAX];
  char directory[PATH_MAX];
  struct stat status;
  const char *name;
  int fd;
  int error;

  if (archive_name_clean (archive_entry_hardlink (unpack->entry), target) || *target == '\0')
    return refuse (unpack, "the hard link leads out of the folder");
  if (strcmp (target, unpack->path) == 0)
    return refuse (unpack, "the hard link leads to itself");
  name = archive_name_split (target, directory);
  fd = archive_open_below (unpack->staging.fd, directory);
  if (fd < 0 || fstatat (fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG (status.st_mode))
    {
      if (fd >= 0)
        close (fd);
      return refuse (unpack, "the hard link leads to what is no file before it in the archive");
    }
  error = clear_way (unpack) && linkat (fd, name, unpack->directory_fd, unpack->name, 0) != 0
              ? errno
              : 0;
  close (fd);
  if (error != 0)
    return fail (unpack, error);
  unpack->counts->links += unpack->failure->code == NULL;
  return unpack->failure->code == NULL;
}

/* What a link or a folder says that it holds. */
static bool
drop_content (Unpack *unpack)
{
  const void *bytes;
  size_t size;
  int64_t offset;

  do
    if (!archive_input_read (unpack->input, &bytes, &size, &offset))
      return false;
  while (size > 0);
  return true;
}

static bool
unpack_no_file (Unpack *unpack)
{
  if (archive_entry_hardlink (unpack->entry))
    return open_directory (unpack) && unpack_hard_link (unpack);
  if (archive_entry_filetype (unpack->entry) == AE_IFDIR)
    return unpack_folder (unpack);
  return open_directory (unpack) && unpack_symlink (unpack);
}

static bool
unpack_member (Unpack *unpack)
{
  if (!check_name (unpack) || !check_kind (unpack) || !check_size (unpack))
    return false;
  unpack->counts->members++;
  if (archive_entry_filetype (unpack->entry) == AE_IFREG && !archive_entry_hardlink (unpack->entry))
    return open_directory (unpack) && unpack_file (unpack);
  return unpack_no_file (unpack) && drop_content (unpack);
}

static bool
unpack_members (Unpack *unpack)
{
  ArchiveInputStep step;

  while ((step = archive_input_next (unpack->input, &unpack->entry)) == ARCHIVE_INPUT_MEMBER)
    if (!unpack_member (unpack))
      return false;
  return step == ARCHIVE_INPUT_END;
}

/* Putting it in place. */

/* Everything at once: to wait for thousands of files, one after the other, takes much longer.
 * Before anything is renamed, so that no name ever stands for less than the whole file. */
static bool
sync_content (Unpack *unpack)
{
  if (!unpack->unpacking->is_durable || syncfs (unpack->staging.fd) == 0)
    return true;
  return errno == ENOSYS || errno == EPERM
         || failure_set_errno (unpack->failure, errno, "unpack into", unpack->unpacking->path);
}

static void
sync_names (const ArchiveUnpacking *unpacking)
{
  if (unpacking->is_durable)
    syncfs (unpacking->target_fd >= 0 ? unpacking->target_fd : unpacking->parent_fd);
}

static bool
rename_staging (const Unpack *unpack)
{
  const ArchiveStaging *staging = &unpack->staging;
  const char *name = unpack->unpacking->name;

  if (renameat2 (staging->base_fd, staging->name, staging->base_fd, name, RENAME_NOREPLACE) == 0)
    return true;
  /* Where that is unknown, an empty folder may be replaced, which changes nothing. */
  return (errno == EINVAL || errno == ENOSYS)
         && renameat (staging->base_fd, staging->name, staging->base_fd, name) == 0;
}

static bool
put_in_place (Unpack *unpack)
{
  const ArchiveUnpacking *unpacking = unpack->unpacking;

  if (!sync_content (unpack) || !unpack->caller->goes_on (unpack->caller->data))
    return false;
  if (unpacking->target_fd >= 0)
    {
      if (!archive_merge (unpacking, unpack->staging.fd, &unpack->attributes, unpack->counts,
                          unpack->failure))
        return false;
      archive_attributes_apply (&unpack->attributes, unpacking->target_fd);
      return true;
    }
  fchmod (unpack->staging.fd, 0755);
  archive_attributes_apply (&unpack->attributes, unpack->staging.fd);
  if (!rename_staging (unpack))
    return failure_set_errno (unpack->failure, errno, "unpack into", unpacking->path);
  archive_staging_release (&unpack->staging);
  return true;
}

bool
archive_unpack (const ArchiveUnpacking *unpacking, ArchiveCounts *counts, Failure *failure)
{
  Unpack unpack = { .unpacking = unpacking,
                    .caller = unpacking->caller,
                    .counts = counts,
                    .failure = failure,
                    .directory_fd = -1 };
  int base_fd = unpacking->target_fd >= 0 ? unpacking->target_fd : unpacking->parent_fd;
  bool done;

  *counts = (ArchiveCounts){ 0 };
  if (!archive_staging_begin (&unpack.staging, base_fd, unpacking->path, failure))
    return false;
  unpack.input = archive_input_open (unpacking->caller, &unpacking->bounds, unpack.staging.fd,
                                     unpacking->path, failure);
  done = unpack.input && unpack_members (&unpack) && put_in_place (&unpack);
  if (done)
    sync_names (unpacking);
  if (unpack.input)
    {
      counts->format = archive_input_format (unpack.input);
      counts->archive_bytes = archive_input_received (unpack.input);
    }
  archive_input_free (unpack.input);
  archive_attributes_clear (&unpack.attributes);
  if (unpack.directory_fd >= 0)
    close (unpack.directory_fd);
  archive_staging_end (&unpack.staging);
  return done;
}
