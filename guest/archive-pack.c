/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "archive-folder.h"

#include "archive-file.h"
#include "archive-name.h"
#include "archive-output.h"
#include "kernel-files.h"
#include "name-list.h"

#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

/* Of so many files with several names it is known which these are; more become copies. */
#define MAX_SHARED_SIZE ((size_t)8 * 1024 * 1024)

/* What the tree adds to each. */
#define NODE_SIZE 64

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
  ArchiveOutput output;
  void *shared; /* a tree */
  size_t shared_size;
  bool in_kernel_files;
  int depth;
} Pack;

static bool pack_name (Pack *pack, int directory_fd, const char *name);

/* The rest goes on without it. */
static bool
leave_out (Pack *pack, const char *code, const char *why)
{
  pack->packing->caller->left_out (pack->packing->caller->data, pack->output.path, code, why);
  return true;
}

static bool
leave_out_errno (Pack *pack, int error)
{
  Failure failure = { 0 };

  failure_set_errno (&failure, error, "pack", pack->output.path);
  leave_out (pack, failure.code, strerrordesc_np (error));
  failure_clear (&failure);
  return true;
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
  size_t length = strlen (pack->output.path);
  Shared *shared;
  Shared *const *found;

  if (status->st_nlink < 2)
    return NULL;
  shared = malloc (sizeof *shared + length + 1);
  if (!shared)
    return NULL;
  shared->device = status->st_dev;
  shared->inode = status->st_ino;
  memcpy (shared->path, pack->output.path, length + 1);
  found = pack->shared_size < MAX_SHARED_SIZE ? tsearch (shared, &pack->shared, compare_shared)
                                              : tfind (shared, &pack->shared, compare_shared);
  if (found && *found == shared)
    {
      pack->shared_size += sizeof *shared + NODE_SIZE + length + 1;
      return NULL;
    }
  free (shared);
  return found ? (*found)->path : NULL;
}

/* Files. */

/* The header has told how long it is; where it is not so any more zeros stand for the rest. */
static bool
write_content (Pack *pack, ArchiveFile *file)
{
  int64_t done = 0;

  while (done < file->status.st_size)
    {
      size_t size;
      const uint8_t *bytes = archive_file_read (file, done, &size);

      if (!archive_output_write (&pack->output, bytes, size))
        return false;
      done += (int64_t)size;
    }
  pack->output.counts->bytes += (uint64_t)done;
  pack->output.counts->files++;
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
  ArchiveOutput *output = &pack->output;
  const struct stat *status = &file->status;
  const char *first = find_shared (pack, status);

  archive_output_begin (output, status->st_mode, status->st_mtim);
  if (first)
    return archive_output_write_hard_link (output, first);
  if (!archive_output_check_size (output, status->st_size))
    return false;
  archive_entry_set_size (output->entry, status->st_size);
  archive_file_find_holes (file, output->entry);
  return archive_output_write_header (output) && write_content (pack, file);
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
  why = archive_target_check (pack->output.path, target);
  if (why)
    return leave_out (pack, FAILURE_ARCHIVE_SECURITY, why);
  archive_output_begin (&pack->output, status->st_mode, status->st_mtim);
  return archive_output_write_link (&pack->output, target);
}

/* Folders. */

static bool
pack_names (Pack *pack, int directory_fd, const NameList *names)
{
  size_t length = strlen (pack->output.path);
  bool done = true;

  for (size_t i = 0; done && i < names->n_names; i++)
    {
      const char *name = names->sorted[i];

      if (length + strlen (name) + 2 > sizeof pack->output.path)
        {
          leave_out (pack, FAILURE_INVALID_ARGUMENT, "What is in it has too long a path");
          continue;
        }
      snprintf (pack->output.path + length, sizeof pack->output.path - length, "%s%s",
                length > 0 ? "/" : "", name);
      done = archive_output_goes_on (&pack->output) && pack_name (pack, directory_fd, name);
      pack->output.path[length] = '\0';
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
    done = failure_set_errno (pack->output.failure, ENOMEM, "pack", pack->output.path);
  name_list_clear (&names);
  closedir (folder);
  return done;
}

/* Why it is not gone into, NULL when it is. */
static const char *
reason_not_to_enter (const Pack *pack, int fd)
{
  const ArchiveCaller *caller = pack->packing->caller;
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
  archive_output_begin (&pack->output, status->st_mode, status->st_mtim);
  pack->output.counts->directories++;
  if (!archive_output_write_header (&pack->output))
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
  const char *why = archive_name_clean (wanted, pack->output.path);
  const char *name;
  int fd;
  bool done;

  if (why || *pack->output.path == '\0')
    return failure_set (pack->output.failure, FAILURE_INVALID_ARGUMENT,
                        "Could not pack “%.256s”: %s", wanted,
                        why ? why : "it has no name in the folder");
  name = archive_name_split (pack->output.path, directory);
  fd = archive_open_below (pack->packing->directory_fd, directory);
  if (fd < 0)
    return leave_out_errno (pack, errno);
  pack->depth = count_slashes (pack->output.path);
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
                 : failure_set_errno (pack->output.failure, errno, "pack", packing->path);
}

bool
archive_pack (const ArchivePacking *packing, ArchiveCounts *counts, Failure *failure)
{
  Pack pack = { .packing = packing,
                .output = { .caller = packing->caller,
                            .bounds = &packing->bounds,
                            .counts = counts,
                            .failure = failure,
                            .folder = packing->path },
                .in_kernel_files = is_kernel_files (packing->directory_fd) };
  bool done;

  *counts = (ArchiveCounts){ .format = packing->gzip ? "tar.gz" : "tar" };
  done = archive_output_open (&pack.output, packing->gzip) && pack_everything (&pack)
         && archive_output_close (&pack.output);
  archive_output_clear (&pack.output);
  tdestroy (pack.shared, free);
  return done;
}
