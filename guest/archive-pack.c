/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "archive-folder.h"

#include "archive-file.h"
#include "archive-name.h"
#include "kernel-files.h"
#include "name-list.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_SIZE 65536
#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

/* Of so many files with several names it is known which these are; more become copies. */
#define MAX_SHARED 65536

/* The first name of a file that has several. */
typedef struct
{
  dev_t device;
  ino_t inode;
  char path[];
} Shared;

typedef struct
{
  const ArchivePacking *packing;
  const ArchiveCaller *caller;
  ArchiveCounts *counts;
  Failure *failure;
  struct archive *writer;
  struct archive_entry *entry;
  void *shared; /* a tree */
  size_t n_shared;
  bool in_kernel_files;
  bool is_refused; /* nobody takes any more */
  bool is_over;
  int depth;
  char path[PATH_MAX];
} Pack;

static bool pack_name (Pack *pack, int directory_fd, const char *name);

static bool
goes_on (const Pack *pack)
{
  return !pack->is_refused && pack->caller->goes_on (pack->caller->data);
}

static bool
fail_writing (Pack *pack)
{
  const char *why = archive_error_string (pack->writer);

  if (goes_on (pack) && !pack->failure->code)
    failure_set (pack->failure, FAILURE_IO_ERROR, "Could not pack “%.256s”: %.128s", pack->path,
                 why ? why : "it cannot be written");
  return false;
}

static bool
refuse_size (Pack *pack, const char *limit, int64_t maximum)
{
  failure_set (pack->failure, FAILURE_TOO_LARGE,
               "Could not pack “%.256s”: that is more than %s, %lld", pack->path, limit,
               (long long)maximum);
  failure_add_path (pack->failure, pack->path);
  failure_add_detail (pack->failure, "limit", json_string (limit));
  return false;
}

/* The rest goes on without it. */
static bool
leave_out (Pack *pack, const char *code, const char *why)
{
  pack->caller->left_out (pack->caller->data, pack->path, code, why);
  return true;
}

static bool
leave_out_errno (Pack *pack, int error)
{
  Failure failure = { 0 };

  failure_set_errno (&failure, error, "pack", pack->path);
  leave_out (pack, failure.code, strerrordesc_np (error));
  failure_clear (&failure);
  return true;
}

/* Headers. */

static void
begin_entry (Pack *pack, const struct stat *status, unsigned type)
{
  archive_entry_clear (pack->entry);
  archive_entry_set_pathname (pack->entry, pack->path);
  archive_entry_set_filetype (pack->entry, type);
  archive_entry_set_perm (pack->entry, status->st_mode & 0777);
  archive_entry_set_mtime (pack->entry, status->st_mtim.tv_sec, status->st_mtim.tv_nsec);
  archive_entry_set_size (pack->entry, 0);
}

static bool
write_header (Pack *pack)
{
  if (pack->counts->members >= (uint64_t)pack->packing->bounds.members)
    return refuse_size (pack, "max_members", pack->packing->bounds.members);
  if (archive_write_header (pack->writer, pack->entry) < ARCHIVE_WARN)
    return fail_writing (pack);
  pack->counts->members++;
  return goes_on (pack);
}

/* Files with several names. */

static int
compare_shared (const void *a, const void *b)
{
  const Shared *first = a;
  const Shared *second = b;

  if (first->device != second->device)
    return first->device < second->device ? -1 : 1;
  return first->inode < second->inode ? -1 : first->inode > second->inode;
}

/* The name under which it has been packed, NULL when it is the first. */
static const char *
find_shared (Pack *pack, const struct stat *status)
{
  size_t length = strlen (pack->path);
  Shared *shared;
  Shared *const *found;

  if (status->st_nlink < 2)
    return NULL;
  shared = malloc (sizeof *shared + length + 1);
  if (!shared)
    return NULL;
  shared->device = status->st_dev;
  shared->inode = status->st_ino;
  memcpy (shared->path, pack->path, length + 1);
  found = pack->n_shared < MAX_SHARED ? tsearch (shared, &pack->shared, compare_shared)
                                      : tfind (shared, &pack->shared, compare_shared);
  if (found && *found == shared)
    {
      pack->n_shared++;
      return NULL;
    }
  free (shared);
  return found ? (*found)->path : NULL;
}

static bool
pack_hard_link (Pack *pack, const struct stat *status, const char *first)
{
  begin_entry (pack, status, AE_IFREG);
  archive_entry_set_hardlink (pack->entry, first);
  pack->counts->links++;
  return write_header (pack);
}

/* Files. */

static bool
write_all (Pack *pack, const uint8_t *bytes, size_t size)
{
  while (size > 0)
    {
      la_ssize_t n = archive_write_data (pack->writer, bytes, size);

      if (n <= 0)
        return fail_writing (pack);
      bytes += n;
      size -= (size_t)n;
    }
  return goes_on (pack);
}

/* The header has told how long it is; where it is not so any more zeros stand for the rest. */
static bool
write_content (Pack *pack, ArchiveFile *file)
{
  int64_t done = 0;

  while (done < file->status.st_size)
    {
      size_t size;
      const uint8_t *bytes = archive_file_read (file, done, &size);

      if (!write_all (pack, bytes, size))
        return false;
      done += (int64_t)size;
    }
  pack->counts->bytes += (uint64_t)done;
  pack->counts->files++;
  if (file->error != 0)
    return leave_out_errno (pack, file->error);
  if (archive_file_has_changed (file))
    return leave_out (pack, FAILURE_CONCURRENT_MODIFICATION,
                      "It has changed while it was read, and may be neither the one nor the other");
  return true;
}

static bool
pack_content (Pack *pack, ArchiveFile *file)
{
  const ArchiveBounds *bounds = &pack->packing->bounds;
  const char *first = find_shared (pack, &file->status);

  if (first)
    return pack_hard_link (pack, &file->status, first);
  if (file->status.st_size > bounds->file_bytes)
    return refuse_size (pack, "max_file_bytes", bounds->file_bytes);
  if (file->status.st_size > bounds->bytes - (int64_t)pack->counts->bytes)
    return refuse_size (pack, "max_bytes", bounds->bytes);
  begin_entry (pack, &file->status, AE_IFREG);
  archive_entry_set_size (pack->entry, file->status.st_size);
  archive_file_find_holes (file, pack->entry);
  return write_header (pack) && write_content (pack, file);
}

static bool
pack_file (Pack *pack, int directory_fd, const char *name)
{
  ArchiveFile file;
  bool done;

  if (!archive_file_open (&file, directory_fd, name))
    return leave_out_errno (pack, errno);
  done = pack_content (pack, &file);
  archive_file_close (&file);
  return done;
}

/* Links. */

static bool
pack_link (Pack *pack, int directory_fd, const char *name, const struct stat *status)
{
  char target[PATH_MAX];
  ssize_t length = readlinkat (directory_fd, name, target, sizeof target - 1);
  const char *why;

  if (length < 0)
    return leave_out_errno (pack, errno);
  target[length] = '\0';
  why = archive_target_check (pack->path, target);
  if (why)
    return leave_out (pack, FAILURE_ARCHIVE_SECURITY, why);
  begin_entry (pack, status, AE_IFLNK);
  archive_entry_set_symlink (pack->entry, target);
  pack->counts->links++;
  return write_header (pack);
}

/* Folders. */

static bool
pack_names (Pack *pack, int directory_fd, const NameList *names)
{
  size_t length = strlen (pack->path);
  bool done = true;

  for (size_t i = 0; done && i < names->n_names; i++)
    {
      const char *name = names->sorted[i];

      if (length + strlen (name) + 2 > sizeof pack->path)
        {
          leave_out (pack, FAILURE_INVALID_ARGUMENT, "What is in it has too long a path");
          continue;
        }
      snprintf (pack->path + length, sizeof pack->path - length, "%s%s", length > 0 ? "/" : "",
                name);
      done = goes_on (pack) && pack_name (pack, directory_fd, name);
      pack->path[length] = '\0';
    }
  return done;
}

/* Takes @fd. */
static bool
pack_all_in (Pack *pack, int fd)
{
  DIR *folder = fdopendir (fd);
  NameList names = { 0 };
  bool done = true;

  if (!folder)
    {
      close (fd);
      return leave_out_errno (pack, errno);
    }
  if (name_list_read (&names, folder, SIZE_MAX) != NAMES_READ)
    leave_out_errno (pack, errno);
  if (name_list_sort (&names))
    done = pack_names (pack, fd, &names);
  else
    done = failure_set_errno (pack->failure, ENOMEM, "pack", pack->path);
  name_list_clear (&names);
  closedir (folder);
  return done;
}

/* Why it is not gone into, NULL when it is. */
static const char *
reason_not_to_enter (const Pack *pack, int fd)
{
  const ArchiveCaller *caller = pack->caller;
  struct stat status;

  if (caller->is_protected && fstat (fd, &status) == 0
      && caller->is_protected (caller->data, &status))
    return "It belongs to the history";
  if (!pack->in_kernel_files && is_kernel_files (fd))
    return "It shows what the kernel knows instead of files";
  return NULL;
}

static bool
pack_folder (Pack *pack, int directory_fd, const char *name, const struct stat *status)
{
  const char *why;
  int error;
  int fd;
  bool done;

  if (pack->depth >= ARCHIVE_MAX_DEPTH)
    return leave_out (pack, FAILURE_TOO_LARGE, "It lies deeper than 200 folders");
  fd = openat (directory_fd, name, OPEN_FOLDER);
  error = errno;
  why = fd >= 0 ? reason_not_to_enter (pack, fd) : NULL;
  if (why)
    {
      close (fd);
      return leave_out (pack, FAILURE_PATH_PROTECTED, why);
    }
  begin_entry (pack, status, AE_IFDIR);
  pack->counts->directories++;
  if (!write_header (pack))
    {
      if (fd >= 0)
        close (fd);
      return false;
    }
  if (fd < 0)
    return leave_out_errno (pack, error);
  pack->depth++;
  done = pack_all_in (pack, fd);
  pack->depth--;
  return done;
}

static const char *
describe_special (mode_t mode)
{
  if (S_ISFIFO (mode))
    return "It is a FIFO";
  return S_ISSOCK (mode) ? "It is a socket" : "It is a device";
}

static bool
pack_name (Pack *pack, int directory_fd, const char *name)
{
  struct stat status;

  if (strncmp (name, ARCHIVE_STAGING_PREFIX, strlen (ARCHIVE_STAGING_PREFIX)) == 0)
    return leave_out (pack, FAILURE_PATH_PROTECTED, "Something is being unpacked in it");
  if (fstatat (directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return leave_out_errno (pack, errno);
  switch (status.st_mode & S_IFMT)
    {
    case S_IFREG:
      return pack_file (pack, directory_fd, name);
    case S_IFDIR:
      return pack_folder (pack, directory_fd, name, &status);
    case S_IFLNK:
      return pack_link (pack, directory_fd, name, &status);
    default:
      return leave_out (pack, FAILURE_NOT_REGULAR_FILE, describe_special (status.st_mode));
    }
}

/* What was asked for. */

static int
count_slashes (const char *path)
{
  int n = 0;

  for (; *path; path++)
    n += *path == '/';
  return n;
}

static bool
pack_wanted (Pack *pack, const char *wanted)
{
  char directory[PATH_MAX];
  const char *why = archive_name_clean (wanted, pack->path);
  const char *name;
  int fd;
  bool done;

  if (why || *pack->path == '\0')
    return failure_set (pack->failure, FAILURE_INVALID_ARGUMENT, "Could not pack “%.256s”: %s",
                        wanted, why ? why : "it has no name in the folder");
  name = archive_name_split (pack->path, directory);
  fd = archive_open_below (pack->packing->directory_fd, directory);
  if (fd < 0)
    return leave_out_errno (pack, errno);
  pack->depth = count_slashes (pack->path);
  done = pack_name (pack, fd, name);
  close (fd);
  return done;
}

static bool
pack_everything (Pack *pack)
{
  const ArchivePacking *packing = pack->packing;
  int fd;

  for (size_t i = 0; i < packing->n_names; i++)
    if (!pack_wanted (pack, packing->names[i]))
      return false;
  if (packing->names)
    return true;
  fd = openat (packing->directory_fd, ".", OPEN_FOLDER);
  return fd >= 0 ? pack_all_in (pack, fd)
                 : failure_set_errno (pack->failure, errno, "pack", packing->path);
}

/* A writer that has failed is not freed as a whole, so it does so only when it is freed: then it
 * would write zeros for what is missing of a file. */
static la_ssize_t
send_bytes (struct archive *writer, void *data, const void *bytes, size_t size)
{
  Pack *pack = data;

  if (pack->is_over)
    {
      archive_set_error (writer, EPIPE, "nobody takes it");
      return -1;
    }
  if (!pack->is_refused && pack->caller->send (pack->caller->data, bytes, size))
    pack->counts->archive_bytes += size;
  else
    pack->is_refused = true;
  return (la_ssize_t)size;
}

static bool
open_writer (Pack *pack)
{
  struct archive *writer = pack->writer = archive_write_new ();

  pack->entry = archive_entry_new ();
  if (!writer || !pack->entry)
    return failure_set_errno (pack->failure, ENOMEM, "pack", pack->packing->path);
  archive_write_set_format_pax_restricted (writer);
  if (pack->caller->refuses_names)
    *pack->caller->refuses_names = false;
  if (pack->packing->gzip)
    {
      archive_write_add_filter_gzip (writer);
      /* Equal files make equal archives. */
      archive_write_set_filter_option (writer, "gzip", "timestamp", NULL);
    }
  archive_write_set_bytes_per_block (writer, BLOCK_SIZE);
  archive_write_set_bytes_in_last_block (writer, 1);
  return archive_write_open (writer, pack, NULL, send_bytes, NULL) == ARCHIVE_OK
         || fail_writing (pack);
}

bool
archive_pack (const ArchivePacking *packing, ArchiveCounts *counts, Failure *failure)
{
  Pack pack = { .packing = packing,
                .caller = packing->caller,
                .counts = counts,
                .failure = failure,
                .in_kernel_files = is_kernel_files (packing->directory_fd) };
  bool done;

  *counts = (ArchiveCounts){ .format = packing->gzip ? "tar.gz" : "tar" };
  done = open_writer (&pack) && pack_everything (&pack);
  if (done && archive_write_close (pack.writer) != ARCHIVE_OK)
    done = fail_writing (&pack);
  done = done && !pack.is_refused;
  pack.is_over = true;
  if (pack.writer)
    archive_write_free (pack.writer);
  archive_entry_free (pack.entry);
  tdestroy (pack.shared, free);
  return done;
}
