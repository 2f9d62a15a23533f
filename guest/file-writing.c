/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "file-writing.h"

#include "arguments.h"
#include "asb-wire-json.h"
#include "diff.h"
#include "history-text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define MAX_DIFF 65536
#define CHECK_INTERVAL (8 * 1024 * 1024)

/* Who makes a file with more of them pays nothing for it, and reading it may take for ever. */
#define MAX_HOLES (INT64_C (1) << 30)

void
writing_begin (Writing *writing, FileWorker *worker, Failure *failure)
{
  *writing = (Writing){
    .worker = worker, .failure = failure, .fd = -1, .mode = -1, .place.directory_fd = -1
  };
}

bool
writing_fail (Writing *writing, int error)
{
  return failure_set_errno (writing->failure, error, "write", writing->path);
}

/* For want of memory less is kept, and the record knows that there was more. */
static void
keep (Kept *kept, const uint8_t *bytes, size_t size)
{
  size_t wanted = kept->max_size - kept->size < size ? kept->max_size - kept->size : size;
  uint8_t *larger = wanted > 0 ? realloc (kept->bytes, kept->size + wanted) : NULL;

  if (!larger)
    return;
  memcpy (larger + kept->size, bytes, wanted);
  kept->bytes = larger;
  kept->size += wanted;
}

static bool
is_hash (const char *text)
{
  return strlen (text) == 64 && strspn (text, "0123456789abcdef") == 64;
}

bool
writing_parse_hash (Writing *writing, json_t *args)
{
  return argument_text (args, "expected_hash", &writing->expected_hash, writing->failure)
         && (!writing->expected_hash || is_hash (writing->expected_hash)
             || failure_set (writing->failure, FAILURE_INVALID_ARGUMENT,
                             "Argument “expected_hash” must be 64 lower-case hexadecimal digits"));
}

bool
writing_open_place (Writing *writing)
{
  bool found;

  if (!file_check_changeable (writing->worker, writing->path, writing->failure))
    return false;
  if (writing->make_parents && !file_make_parents (writing->path))
    return writing_fail (writing, errno);
  found = writing->create_only ? file_place_open (&writing->place, writing->path)
                               : file_place_follow (&writing->place, writing->path);
  if (!found)
    return writing_fail (writing, errno);
  return file_place_check_changeable (writing->worker, &writing->place, writing->path,
                                      writing->failure);
}

bool
writing_look (Writing *writing)
{
  int directory_fd = writing->place.directory_fd;

  writing->exists
      = fstatat (directory_fd, writing->place.name, &writing->status, AT_SYMLINK_NOFOLLOW) == 0;
  if (!writing->exists)
    return errno == ENOENT ? true : writing_fail (writing, errno);
  if (writing->create_only)
    return writing_fail (writing, EEXIST);
  if (!file_check_regular (&writing->status, "write", writing->path, writing->failure))
    return false;
  /* Renaming would get round it. */
  if (faccessat (directory_fd, writing->place.name, W_OK, AT_EACCESS) != 0)
    return writing_fail (writing, errno);
  return true;
}

static void
describe_descriptor (const Writing *writing, char link[32])
{
  snprintf (link, 32, "/proc/self/fd/%d", writing->fd);
}

/* A file without a name is gone when this process is. Not every file system has that, and it takes
 * /proc to give it a name. */
static bool
open_unnamed (Writing *writing)
{
  char link[32];

  writing->fd = openat (writing->place.directory_fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (writing->fd < 0)
    return false;
  describe_descriptor (writing, link);
  if (faccessat (AT_FDCWD, link, F_OK, 0) == 0)
    return true;
  close (writing->fd);
  writing->fd = -1;
  return false;
}

static bool
choose_name (Writing *writing)
{
  uint64_t number;

  if (getrandom (&number, sizeof number, 0) != sizeof number)
    return writing_fail (writing, errno);
  snprintf (writing->temporary, sizeof writing->temporary, ".asb-%016llx",
            (unsigned long long)number);
  return true;
}

static bool
open_named (Writing *writing)
{
  if (!choose_name (writing))
    return false;
  writing->fd = openat (writing->place.directory_fd, writing->temporary,
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (writing->fd >= 0)
    return true;
  writing->temporary[0] = '\0';
  return writing_fail (writing, errno);
}

bool
writing_open_temporary (Writing *writing)
{
  sha256_begin (&writing->hash);
  return open_unnamed (writing) || open_named (writing);
}

static bool
write_all (Writing *writing, const uint8_t *bytes, size_t size)
{
  while (size > 0)
    {
      ssize_t n = write (writing->fd, bytes, size);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return writing_fail (writing, errno);
      bytes += n;
      size -= (size_t)n;
    }
  return true;
}

bool
writing_add (Writing *writing, const uint8_t *bytes, size_t size)
{
  if (!write_all (writing, bytes, size))
    return false;
  sha256_add (&writing->hash, bytes, size);
  keep (&writing->after, bytes, size);
  writing->size += size;
  return true;
}

void
writing_end_content (Writing *writing)
{
  sha256_end (&writing->hash, writing->hash_text);
}

mode_t
writing_mode (const Writing *writing)
{
  if (writing->mode >= 0)
    return (mode_t)writing->mode;
  return writing->exists ? writing->status.st_mode & 07777 : 0644;
}

bool
writing_copy_owner (Writing *writing, const struct stat *from, mode_t *mode)
{
  struct stat status;

  if (fstat (writing->fd, &status) != 0)
    return false;
  if ((status.st_uid == from->st_uid && status.st_gid == from->st_gid)
      || fchown (writing->fd, from->st_uid, from->st_gid) == 0)
    return true;
  *mode &= ~(mode_t)(S_ISUID | S_ISGID);
  return errno == EPERM || errno == EINVAL;
}

/* The mode comes second, since a change of owner may reduce it. */
bool
writing_set_attributes (Writing *writing)
{
  mode_t mode = writing_mode (writing);
  mode_t reduced = mode;

  if (writing->exists && !writing_copy_owner (writing, &writing->status, &reduced))
    return writing_fail (writing, errno);
  /* Who says a mode means it. */
  if (fchmod (writing->fd, writing->mode >= 0 ? mode : reduced) != 0)
    return writing_fail (writing, errno);
  return true;
}

bool
writing_sync (Writing *writing)
{
  return fsync (writing->fd) == 0 || writing_fail (writing, errno);
}

bool
file_lock (FileWorker *worker, int directory_fd, const char *name)
{
  struct stat status;
  char text[NAME_MAX * 2 + 64];
  char *encoded = asb_wire_base64_encode (name, strlen (name));

  errno = ENOMEM;
  if (!encoded || fstat (directory_fd, &status) != 0)
    {
      free (encoded);
      return false;
    }
  snprintf (text, sizeof text, "%llx:%llx:%s", (unsigned long long)status.st_dev,
            (unsigned long long)status.st_ino, encoded);
  free (encoded);
  errno = 0;
  return worker_lock (worker, text);
}

bool
writing_lock (Writing *writing)
{
  if (file_lock (writing->worker, writing->place.directory_fd, writing->place.name))
    return true;
  return errno == 0 ? false : writing_fail (writing, errno);
}

/* Whether a file can be read to its end, as far as need be. */
static bool
may_be_read (const Writing *writing, const struct stat *status)
{
  errno = EFBIG;
  return writing->expected_hash || status->st_size - status->st_blocks * 512 <= MAX_HOLES;
}

/* False when the call was cancelled, or with errno set; what somebody adds to without end has no
 * hash. */
static bool
hash_before (Writing *writing, int fd)
{
  static uint8_t bytes[ASB_FRAME_MAX_DATA];
  size_t since_check = 0;
  struct stat status;
  off_t most;
  off_t total = 0;
  Sha256 hash;
  ssize_t n;

  if (fstat (fd, &status) != 0 || !may_be_read (writing, &status))
    return false;
  most = status.st_size + (off_t)sizeof bytes;
  sha256_begin (&hash);
  while ((n = read (fd, bytes, sizeof bytes)) != 0)
    {
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return false;
      sha256_add (&hash, bytes, (size_t)n);
      keep (&writing->before, bytes, (size_t)n);
      since_check += (size_t)n;
      total += n;
      if (total > most)
        return true;
      errno = 0;
      if (since_check >= CHECK_INTERVAL && !worker_goes_on (writing->worker))
        return false;
      since_check %= CHECK_INTERVAL;
    }
  sha256_end (&hash, writing->previous_hash);
  return true;
}

bool
writing_read_before (Writing *writing)
{
  int fd;
  int error;
  bool done;

  if (!writing->exists)
    return true;
  fd = openat (writing->place.directory_fd, writing->place.name,
               O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
  done = fd >= 0 && hash_before (writing, fd);
  error = errno;
  if (fd >= 0)
    close (fd);
  if (!worker_goes_on (writing->worker))
    return false;
  /* Who may not read it may still replace it, but not compare it. */
  return done || !writing->expected_hash ? true : writing_fail (writing, error);
}

bool
writing_compare (Writing *writing)
{
  bool exists = writing->exists;

  if (!writing->expected_hash
      || (exists && strcmp (writing->expected_hash, writing->previous_hash) == 0))
    return true;
  failure_set (writing->failure, FAILURE_CONCURRENT_MODIFICATION,
               exists ? "“%.256s” has changed since it was read" : "“%.256s” no longer exists",
               writing->path);
  failure_add_path (writing->failure, writing->path);
  failure_add_detail (writing->failure, "expected_hash", json_string (writing->expected_hash));
  failure_add_detail (writing->failure, "actual_hash",
                      *writing->previous_hash ? json_string (writing->previous_hash)
                                              : json_null ());
  return false;
}

/* Puts the file without a name at @name. */
static bool
link_unnamed (const Writing *writing, const char *name)
{
  char link[32];

  describe_descriptor (writing, link);
  return linkat (AT_FDCWD, link, writing->place.directory_fd, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Some file systems know no renaming without replacing. */
static bool
rename_new (const Writing *writing)
{
  int fd = writing->place.directory_fd;

  if (!*writing->temporary)
    return link_unnamed (writing, writing->place.name);
  if (renameat2 (fd, writing->temporary, fd, writing->place.name, RENAME_NOREPLACE) == 0)
    return true;
  if (errno != EINVAL && errno != ENOSYS)
    return false;
  return linkat (fd, writing->temporary, fd, writing->place.name, 0) == 0
         && unlinkat (fd, writing->temporary, 0) == 0;
}

static bool
rename_over (Writing *writing)
{
  int fd = writing->place.directory_fd;

  if (!*writing->temporary)
    {
      if (!choose_name (writing))
        return false;
      if (!link_unnamed (writing, writing->temporary))
        {
          writing->temporary[0] = '\0';
          return false;
        }
    }
  return renameat (fd, writing->temporary, fd, writing->place.name) == 0;
}

bool
writing_put_in_place (Writing *writing)
{
  int fd = writing->place.directory_fd;
  bool done = writing->create_only ? rename_new (writing) : rename_over (writing);
  int directory_fd;

  if (!done)
    return writing->failure->code ? false : writing_fail (writing, errno);
  writing->temporary[0] = '\0';
  directory_fd = openat (fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory_fd >= 0)
    {
      fsync (directory_fd);
      close (directory_fd);
    }
  return true;
}

static char *
make_diff (const Writing *writing, bool *truncated)
{
  bool whole = writing->exists && writing->size <= WRITING_MAX_DIFFED
               && writing->after.size == writing->size && writing->before.size <= WRITING_MAX_DIFFED
               && (uint64_t)writing->status.st_size == writing->before.size;

  if (!writing->wants_diff || !whole)
    return NULL;
  return guest_unified_diff (writing->path, writing->before.bytes, writing->before.size,
                             writing->after.bytes, writing->after.size, MAX_DIFF, truncated);
}

static void
add_content (const Writing *writing, json_t *recorded)
{
  size_t size
      = writing->after.size < WRITING_MAX_PREVIEW ? writing->after.size : WRITING_MAX_PREVIEW;
  char *content = history_text_replace (writing->after.bytes, size, NULL);

  json_object_set_new (recorded, "content", json_string (content));
  json_object_set_new (recorded, "content_truncated", json_boolean (size < writing->size));
  free (content);
}

static json_t *
make_recorded (const Writing *writing)
{
  char *path = history_text_replace (writing->path, strlen (writing->path), NULL);
  json_t *recorded = json_pack (
      "{s:s, s:I, s:s, s:s*}", "path", path, "size", (json_int_t)writing->size, "content_hash",
      writing->hash_text, "previous_hash", *writing->previous_hash ? writing->previous_hash : NULL);
  bool truncated = false;
  char *diff = make_diff (writing, &truncated);

  free (path);
  if (diff)
    {
      json_object_set_new (recorded, "diff", json_string (diff));
      json_object_set_new (recorded, "diff_truncated", json_boolean (truncated));
    }
  else
    add_content (writing, recorded);
  free (diff);
  return recorded;
}

void
writing_make_result (const Writing *writing, FileResult *result)
{
  struct stat status = { 0 };

  fstat (writing->fd, &status);
  result->result = json_pack ("{s:I, s:s, s:s*, s:o}", "size", (json_int_t)writing->size, "hash",
                              writing->hash_text, "previous_hash",
                              *writing->previous_hash ? writing->previous_hash : NULL, "entry",
                              file_entry_new (writing->path, &status, NULL));
  if (writing->worker->recorded)
    result->recorded = make_recorded (writing);
}

void
writing_clear (Writing *writing)
{
  if (writing->fd >= 0 && *writing->temporary)
    unlinkat (writing->place.directory_fd, writing->temporary, 0);
  if (writing->fd >= 0)
    close (writing->fd);
  file_place_close (&writing->place);
  free (writing->path);
  free (writing->expected_hash);
  free (writing->before.bytes);
  free (writing->after.bytes);
}
