/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "archive-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool
archive_file_open (ArchiveFile *file, int directory_fd, const char *name)
{
  file->error = 0;
  file->n_pieces = 0;
  file->fd = openat (directory_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file->fd < 0)
    return false;
  if (fstat (file->fd, &file->status) == 0 && S_ISREG (file->status.st_mode))
    {
      posix_fadvise (file->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
      return true;
    }
  close (file->fd);
  errno = ENXIO;
  return false;
}

void
archive_file_close (ArchiveFile *file)
{
  close (file->fd);
}

/* The next piece of data from @at on; false when there is none. */
static bool
next_piece (const ArchiveFile *file, int64_t at, int64_t *start, int64_t *end)
{
  *start = at < file->status.st_size ? lseek (file->fd, at, SEEK_DATA) : -1;
  if (*start < 0 || *start >= file->status.st_size)
    return false;
  *end = lseek (file->fd, *start, SEEK_HOLE);
  if (*end <= *start || *end > file->status.st_size)
    *end = file->status.st_size;
  return true;
}

void
archive_file_find_holes (ArchiveFile *file, struct archive_entry *entry)
{
  int64_t size = file->status.st_size;
  int64_t start;
  int64_t end = 0;

  if (file->status.st_blocks * 512 >= size)
    return;
  while (file->n_pieces < ARCHIVE_FILE_MAX_PIECES - 1 && next_piece (file, end, &start, &end))
    {
      if (file->n_pieces == ARCHIVE_FILE_MAX_PIECES - 2)
        end = size;
      file->pieces[file->n_pieces].start = start;
      file->pieces[file->n_pieces++].end = end;
      archive_entry_sparse_add_entry (entry, start, end - start);
    }
  if (file->n_pieces > 0 && end == size)
    return;
  /* One without bytes says where it ends. */
  file->pieces[file->n_pieces].start = size;
  file->pieces[file->n_pieces++].end = size;
  archive_entry_sparse_add_entry (entry, size, 0);
}

/* How much of the @size bytes at @offset lies in the same hole or the same piece. */
static int64_t
measure (const ArchiveFile *file, int64_t size, int64_t offset, bool *is_hole)
{
  int64_t left = file->status.st_size - offset;

  *is_hole = false;
  size = size < left ? size : left;
  for (int i = 0; i < file->n_pieces; i++)
    {
      int64_t start = file->pieces[i].start;
      int64_t end = file->pieces[i].end;

      if (offset >= end && i + 1 < file->n_pieces)
        continue;
      *is_hole = offset < start || offset >= end;
      left = offset < start ? start - offset : offset < end ? end - offset : left;
      return size < left ? size : left;
    }
  return size;
}

/* 0 where there is nothing any more, or an error. */
static ssize_t
read_some (ArchiveFile *file, uint8_t *bytes, size_t size, int64_t offset)
{
  ssize_t n;

  if (file->error != 0)
    return 0;
  do
    n = pread (file->fd, bytes, size, offset);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    file->error = errno;
  return n > 0 ? n : 0;
}

const uint8_t *
archive_file_read (ArchiveFile *file, int64_t offset, size_t *size)
{
  static uint8_t bytes[ARCHIVE_FILE_BLOCK];
  static uint8_t zeros[16 * ARCHIVE_FILE_BLOCK]; /* never written to, so that it takes no memory */
  bool is_hole;
  int64_t wanted = measure (file, sizeof zeros, offset, &is_hole);
  ssize_t n;

  *size = (size_t)wanted;
  if (is_hole)
    return zeros;
  if (*size > sizeof bytes)
    *size = sizeof bytes;
  n = read_some (file, bytes, *size, offset);
  if (n == 0)
    return zeros;
  *size = (size_t)n;
  return bytes;
}

bool
archive_file_has_changed (const ArchiveFile *file)
{
  struct stat now;

  return fstat (file->fd, &now) != 0 || now.st_size != file->status.st_size
         || now.st_mtim.tv_sec != file->status.st_mtim.tv_sec
         || now.st_mtim.tv_nsec != file->status.st_mtim.tv_nsec;
}
