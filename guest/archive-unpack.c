/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "archive-folder.h"

#include "archive-attributes.h"
#include "archive-file.h"
#include "archive-member.h"
#include "archive-merge.h"
#include "archive-name.h"
#include "archive-staging.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  const ArchiveUnpacking *unpacking;
  const ArchiveCaller *caller;
  ArchiveCounts *counts;
  Failure *failure;
  ArchiveStaging staging;
  ArchiveInput *input;
  ArchiveAttributesList attributes;
  bool has_work; /* something is to be put in place */

  ArchiveMember member;
  char directory[PATH_MAX]; /* of the one before, too, until the next is opened */
  const char *name;
  int directory_fd;
} Unpack;

static bool
fail (Unpack *unpack, int error)
{
  return failure_set_errno (unpack->failure, error, "unpack", unpack->member.path);
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
  const char *name = archive_name_split (unpack->member.path, directory);

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
    return archive_member_refuse (&unpack->member, ARCHIVE_MEMBER_IN_NO_FOLDER);
  return fail (unpack, errno);
}

/* Of two members with one name the later counts. */
static bool
clear_way (Unpack *unpack)
{
  if (unlinkat (unpack->directory_fd, unpack->name, 0) == 0 || errno == ENOENT)
    return true;
  if (errno == EISDIR || errno == EPERM)
    return archive_member_refuse (&unpack->member, ARCHIVE_MEMBER_IS_FOLDER);
  return fail (unpack, errno);
}

static struct timespec
mtime_of (const Unpack *unpack)
{
  struct timespec time = { .tv_nsec = UTIME_OMIT };

  if (archive_entry_mtime_is_set (unpack->member.entry))
    {
      time.tv_sec = archive_entry_mtime (unpack->member.entry);
      time.tv_nsec = archive_entry_mtime_nsec (unpack->member.entry);
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

/* As if all of it had been read again. A hole may be larger than anything that is ever read. */
static bool
hash_zeros (const Unpack *unpack, Sha256 *hash, int64_t size)
{
  static uint8_t zeros[ARCHIVE_FILE_BLOCK]; /* not constant: that would stand in the program */

  for (; size > 0 && unpack->caller->goes_on (unpack->caller->data); size -= (int64_t)sizeof zeros)
    sha256_add (hash, zeros, size < (int64_t)sizeof zeros ? (size_t)size : sizeof zeros);
  return size <= 0;
}

static bool
end_content (Unpack *unpack, int fd, Sha256 *hash, int64_t end)
{
  ArchiveMember *member = &unpack->member;
  char hex[SHA256_HEX_SIZE];

  if (ftruncate (fd, member->end) != 0)
    return fail (unpack, errno);
  if (*member->hash == '\0')
    return true;
  if (!hash_zeros (unpack, hash, member->end - end))
    return false;
  sha256_end (hash, hex);
  return archive_member_check_hash (member, hex);
}

/* Holes stay holes. */
static bool
write_content (Unpack *unpack, int fd)
{
  ArchiveMember *member = &unpack->member;
  bool is_hashed = *member->hash != '\0';
  Sha256 hash;
  int64_t end = 0;
  int64_t offset;
  const void *bytes;
  size_t size;

  sha256_begin (&hash);
  for (;;)
    {
      if (!archive_member_read (member, &bytes, &size, &offset))
        return false;
      if (size == 0)
        return end_content (unpack, fd, &hash, end);
      if (is_hashed && !hash_zeros (unpack, &hash, offset - end))
        return false;
      if (is_hashed)
        sha256_add (&hash, bytes, size);
      if (!write_block (unpack, fd, bytes, size, offset))
        return false;
      end = offset + (int64_t)size;
    }
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
  if (done && fchmod (fd, archive_entry_perm (unpack->member.entry) & 0777) != 0)
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
  mode_t mode = archive_entry_perm (unpack->member.entry) & 0777;
  struct stat status;

  if (*unpack->member.path != '\0')
    {
      if (!open_directory (unpack))
        return false;
      if (mkdirat (unpack->directory_fd, unpack->name, mode | 0700) != 0 && errno != EEXIST)
        return fail (unpack, errno);
      if (fstatat (unpack->directory_fd, unpack->name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return fail (unpack, errno);
      if (!S_ISDIR (status.st_mode))
        return archive_member_refuse (&unpack->member, ARCHIVE_MEMBER_IS_NO_FOLDER);
    }
  unpack->counts->directories++;
  return archive_attributes_add (&unpack->attributes, unpack->member.path, mode, mtime_of (unpack))
         || fail (unpack, errno);
}

static bool
unpack_symlink (Unpack *unpack)
{
  struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, mtime_of (unpack) };
  const char *target = archive_member_check_link (&unpack->member);

  if (!target || !clear_way (unpack))
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

  if (!archive_member_check_hard_link (&unpack->member, target))
    return false;
  name = archive_name_split (target, directory);
  fd = archive_open_below (unpack->staging.fd, directory);
  if (fd < 0 || fstatat (fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG (status.st_mode))
    {
      if (fd >= 0)
        close (fd);
      return archive_member_refuse (&unpack->member, ARCHIVE_MEMBER_LINKS_NO_FILE);
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

static bool
unpack_no_file (Unpack *unpack)
{
  if (archive_entry_hardlink (unpack->member.entry))
    return open_directory (unpack) && unpack_hard_link (unpack);
  if (archive_entry_filetype (unpack->member.entry) == AE_IFDIR)
    return unpack_folder (unpack);
  return open_directory (unpack) && unpack_symlink (unpack);
}

static bool
unpack_member (Unpack *unpack)
{
  if (!archive_member_check (&unpack->member))
    return false;
  if (archive_member_is_file (&unpack->member))
    return open_directory (unpack) && unpack_file (unpack);
  return unpack_no_file (unpack) && archive_member_drop (&unpack->member);
}

static bool
unpack_members (Unpack *unpack)
{
  ArchiveInputStep step;

  unpack->member.input = unpack->input;
  while ((step = archive_input_next (unpack->input, &unpack->member.entry)) == ARCHIVE_INPUT_MEMBER)
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
  if (!unpack->has_work || !unpack->unpacking->is_durable || syncfs (unpack->staging.fd) == 0)
    return true;
  return errno == ENOSYS || errno == EPERM
         || failure_set_errno (unpack->failure, errno, "unpack into", unpack->unpacking->path);
}

static void
sync_names (const Unpack *unpack)
{
  const ArchiveUnpacking *unpacking = unpack->unpacking;

  if (unpack->has_work && unpacking->is_durable)
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

/* What need not be put in place need not get to the disk, either: everything that waits for it
 * would have to be waited for. */
static bool
prepare (Unpack *unpack)
{
  const ArchiveUnpacking *unpacking = unpack->unpacking;

  return (unpacking->target_fd < 0
          || archive_merge_look (unpacking, unpack->staging.fd, &unpack->attributes, unpack->counts,
                                 &unpack->has_work, unpack->failure))
         && sync_content (unpack) && unpack->caller->goes_on (unpack->caller->data);
}

static bool
put_in_place (Unpack *unpack)
{
  const ArchiveUnpacking *unpacking = unpack->unpacking;
  bool is_undone;

  if (!prepare (unpack))
    return false;
  if (unpacking->target_fd >= 0)
    {
      if (!archive_staging_guard (&unpack->staging, unpacking->path, unpack->failure))
        return false;
      if (!archive_merge_move (unpacking, unpack->staging.fd, &unpack->attributes, unpack->counts,
                               &is_undone, unpack->failure))
        {
          if (!is_undone)
            archive_staging_keep (&unpack->staging, unpacking->path, unpack->failure);
          return false;
        }
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
  Unpack unpack
      = { .unpacking = unpacking,
          .caller = unpacking->caller,
          .counts = counts,
          .failure = failure,
          .has_work = true,
          .member = { .bounds = &unpacking->bounds, .counts = counts, .failure = failure },
          .directory_fd = -1 };
  int base_fd = unpacking->target_fd >= 0 ? unpacking->target_fd : unpacking->parent_fd;
  bool done;

  *counts = (ArchiveCounts){ 0 };
  if (!archive_staging_begin (&unpack.staging, base_fd, unpacking->path, counts, failure))
    return false;
  unpack.input = archive_input_open (unpacking->caller, &unpacking->bounds, unpack.staging.fd,
                                     unpacking->path, failure);
  done = unpack.input && unpack_members (&unpack) && put_in_place (&unpack);
  if (done)
    sync_names (&unpack);
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
  if (unpacking->target_fd >= 0)
    archive_staging_name_kept (counts, unpacking->path, failure);
  return done;
}
