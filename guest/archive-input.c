/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "archive-input.h"

#include "archive-zip.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define BLOCK_SIZE 65536
#define MAGIC_SIZE 4

/* A tar ends with two blocks of zeros. */
#define TAR_END 1024

/* What may stand behind that: the rest of a tape record, and more. */
#define MAX_PADDING (16 * 1024 * 1024)

/* Beside the files, a zip holds their names. */
#define MAX_ZIP_NAMES (64 * 1024 * 1024)

/* Of a tar what is read before something of it is told: headers, and the map of a file with holes,
 * all of which libarchive keeps. */
#define MAX_STEP (2 * 1024 * 1024)

/* What comes out is not compared with what went in before it is this much. */
#define RATIO_SLACK (32 * 1024 * 1024)

/* With the header and the checksum of gzip. */
#define GZIP_WINDOW (15 + 16)

typedef enum
{
  FORMAT_TAR,
  FORMAT_TAR_GZIP,
  FORMAT_ZIP
} Format;

static const char *const FORMAT_NAMES[] = { "tar", "tar.gz", "zip" };

struct ArchiveInput
{
  const ArchiveCaller *caller;
  const ArchiveBounds *bounds;
  const char *path;
  Failure *failure;
  Format format;
  struct archive *reader;

  uint64_t received;
  uint8_t magic[MAGIC_SIZE];
  size_t n_magic;
  bool magic_is_read;
  const uint8_t *rest; /* of the chunk the magic came with */
  size_t n_rest;

  z_stream gzip;
  bool in_gzip;      /* to be ended */
  bool in_member;    /* of which some can be joined */
  uint64_t unpacked; /* bytes of the tar */
  uint64_t told;     /* of them, when libarchive last came back */
  uint64_t zeros;    /* at the end of them */

  int spool_fd;
  int64_t spool_size;
  int64_t spool_at;
  uint8_t block[BLOCK_SIZE];
};

static bool
fail (ArchiveInput *input, const char *code, const char *why)
{
  if (!input->failure->code && input->caller->goes_on (input->caller->data))
    {
      failure_set (input->failure, code, "Could not unpack into “%.256s”: %.200s", input->path,
                   why);
      failure_add_path (input->failure, input->path);
    }
  return false;
}

bool
archive_input_fail (ArchiveInput *input, const char *why)
{
  char text[256];

  /* Some of what libarchive says ends with the end of the line. */
  snprintf (text, sizeof text, "The archive is damaged: %.*s", (int)strcspn (why, "\n"), why);
  return fail (input, FAILURE_ARCHIVE_DAMAGED, text);
}

static bool
fail_reading (ArchiveInput *input)
{
  const char *why = archive_error_string (input->reader);

  return archive_input_fail (input, why ? why : "it makes no sense");
}

bool
archive_input_check_ratio (ArchiveInput *input, uint64_t bytes)
{
  if (bytes <= RATIO_SLACK
      || (bytes - RATIO_SLACK) / (uint64_t)input->bounds->ratio <= input->received)
    return true;
  fail (input, FAILURE_TOO_LARGE, "More comes out of the archive than max_ratio allows");
  failure_add_detail (input->failure, "limit", json_string ("max_ratio"));
  return false;
}

/* What the caller has, as it comes. */

static const uint8_t *
receive (ArchiveInput *input, size_t *size)
{
  const uint8_t *bytes = input->caller->receive (input->caller->data, size);

  if (!bytes)
    *size = 0;
  input->received += *size;
  return bytes;
}

static void
read_magic (ArchiveInput *input)
{
  while (input->n_magic < MAGIC_SIZE)
    {
      size_t size;
      const uint8_t *bytes = receive (input, &size);
      size_t wanted = MAGIC_SIZE - input->n_magic < size ? MAGIC_SIZE - input->n_magic : size;

      if (!bytes)
        return;
      memcpy (input->magic + input->n_magic, bytes, wanted);
      input->n_magic += wanted;
      input->rest = bytes + wanted;
      input->n_rest = size - wanted;
    }
}

/* NULL at the end. Never an empty chunk. */
static const uint8_t *
next_chunk (ArchiveInput *input, size_t *size)
{
  const uint8_t *bytes;

  if (!input->magic_is_read)
    {
      input->magic_is_read = true;
      *size = input->n_magic;
      return input->n_magic > 0 ? input->magic : NULL;
    }
  if (input->n_rest > 0)
    {
      *size = input->n_rest;
      input->n_rest = 0;
      return input->rest;
    }
  do
    bytes = receive (input, size);
  while (bytes && *size == 0);
  return bytes;
}

/* gzip. */

/* Members may follow one another, and zeros the last of them. */
static bool
begin_member (ArchiveInput *input)
{
  z_stream *gzip = &input->gzip;

  while (gzip->avail_in > 0 && *gzip->next_in == 0)
    {
      gzip->next_in++;
      gzip->avail_in--;
    }
  if (gzip->avail_in == 0)
    return true;
  input->in_member = true;
  return inflateReset (gzip) == Z_OK || archive_input_fail (input, "gzip cannot go on");
}

static bool
inflate_chunk (ArchiveInput *input)
{
  int status = inflate (&input->gzip, Z_NO_FLUSH);

  if (status == Z_STREAM_END)
    input->in_member = false;
  else if (status == Z_MEM_ERROR)
    return failure_set_errno (input->failure, ENOMEM, "unpack into", input->path);
  else if (status != Z_OK && status != Z_BUF_ERROR)
    return archive_input_fail (input, input->gzip.msg ? input->gzip.msg : "it is no gzip");
  return true;
}

/* -1: failed. */
static ssize_t
next_inflated (ArchiveInput *input)
{
  z_stream *gzip = &input->gzip;

  gzip->next_out = input->block;
  gzip->avail_out = BLOCK_SIZE;
  while (gzip->avail_out == BLOCK_SIZE)
    {
      if (gzip->avail_in == 0)
        {
          size_t size;

          gzip->next_in = (uint8_t *)next_chunk (input, &size);
          if (!gzip->next_in && input->in_member)
            archive_input_fail (input, "it ends too early");
          if (!gzip->next_in)
            return input->in_member ? -1 : 0;
          gzip->avail_in = (unsigned)size;
        }
      if (!input->in_member && !begin_member (input))
        return -1;
      if (input->in_member && !inflate_chunk (input))
        return -1;
    }
  return BLOCK_SIZE - gzip->avail_out;
}

/* The bytes of the tar. */

static void
count (ArchiveInput *input, const uint8_t *bytes, size_t size)
{
  size_t n = 0;

  input->unpacked += size;
  while (n < size && bytes[size - 1 - n] == 0)
    n++;
  input->zeros = n == size ? input->zeros + n : n;
}

/* -1: failed; 0: the end. */
static ssize_t
next_of_tar (ArchiveInput *input, const uint8_t **bytes)
{
  ssize_t n;
  size_t size = 0;

  *bytes = input->block;
  if (input->format == FORMAT_TAR_GZIP)
    n = next_inflated (input);
  else
    {
      *bytes = next_chunk (input, &size);
      n = (ssize_t)size;
    }
  if (!input->caller->goes_on (input->caller->data))
    return -1;
  if (n <= 0)
    return n;
  count (input, *bytes, (size_t)n);
  return input->format == FORMAT_TAR || archive_input_check_ratio (input, input->unpacked) ? n : -1;
}

/* What is behind the last member is no part of it, but says whether the stream is whole. */
static bool
read_to_end (ArchiveInput *input)
{
  uint64_t end = (uint64_t)archive_read_header_position (input->reader);
  const uint8_t *bytes;
  ssize_t n;

  while ((n = next_of_tar (input, &bytes)) > 0 && input->unpacked - end <= MAX_PADDING)
    ;
  if (n < 0)
    return false;
  if (input->unpacked - end < TAR_END)
    return archive_input_fail (input, "it ends too early");
  return (n == 0 && input->zeros >= input->unpacked - end)
         || archive_input_fail (input, "something follows its end");
}

static la_ssize_t
read_tar (struct archive *reader, void *data, const void **bytes)
{
  const uint8_t *chunk = NULL;
  ArchiveInput *input = data;
  ssize_t n = next_of_tar (input, &chunk);

  if (n > 0 && input->unpacked - input->told > MAX_STEP)
    {
      fail (input, FAILURE_TOO_LARGE,
            "A header or the map of a file with holes is larger than 2 MiB");
      n = -1;
    }
  if (n < 0)
    archive_set_error (reader, EIO, "it could not be read");
  *bytes = chunk;
  return n;
}

/* zip. */

static bool
open_spool (ArchiveInput *input, int directory_fd)
{
  static const char NAME[] = ARCHIVE_STAGING_PREFIX "zip";

  input->spool_fd = openat (directory_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (input->spool_fd >= 0)
    return true;
  input->spool_fd
      = openat (directory_fd, NAME, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (input->spool_fd < 0)
    return failure_set_errno (input->failure, errno, "unpack into", input->path);
  unlinkat (directory_fd, NAME, 0);
  return true;
}

static bool
write_spool (ArchiveInput *input, const uint8_t *bytes, size_t size)
{
  while (size > 0)
    {
      ssize_t n = write (input->spool_fd, bytes, size);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return failure_set_errno (input->failure, errno, "unpack into", input->path);
      input->spool_size += n;
      bytes += n;
      size -= (size_t)n;
    }
  return true;
}

static bool
spool (ArchiveInput *input, int directory_fd)
{
  const uint8_t *bytes;
  size_t size;

  if (!open_spool (input, directory_fd))
    return false;
  while ((bytes = next_chunk (input, &size)))
    {
      if (input->spool_size - MAX_ZIP_NAMES > input->bounds->bytes)
        {
          fail (input, FAILURE_TOO_LARGE, "The zip is larger than max_bytes");
          failure_add_detail (input->failure, "limit", json_string ("max_bytes"));
          return false;
        }
      if (!write_spool (input, bytes, size))
        return false;
    }
  return input->caller->goes_on (input->caller->data);
}

static la_ssize_t
read_zip (struct archive *reader, void *data, const void **bytes)
{
  ArchiveInput *input = data;
  ssize_t n = pread (input->spool_fd, input->block, BLOCK_SIZE, input->spool_at);

  if (n < 0)
    archive_set_error (reader, errno, "it could not be read");
  else
    input->spool_at += n;
  *bytes = input->block;
  return n;
}

static la_int64_t
skip_zip (struct archive *reader, void *data, la_int64_t request)
{
  ArchiveInput *input = data;
  int64_t left = input->spool_size - input->spool_at;
  int64_t skipped = request < left ? request : left;

  input->spool_at += skipped;
  return skipped;
}

static la_int64_t
seek_zip (struct archive *reader, void *data, la_int64_t offset, int whence)
{
  ArchiveInput *input = data;
  int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? input->spool_at : input->spool_size;
  int64_t wanted;

  if (__builtin_add_overflow (base, offset, &wanted) || wanted < 0 || wanted > input->spool_size)
    {
      archive_set_error (reader, EINVAL, "it points beyond its end");
      return ARCHIVE_FATAL;
    }
  input->spool_at = wanted;
  return wanted;
}

/* libarchive does not take one without members for a zip. */
static bool
prepare_zip (ArchiveInput *input, bool *is_empty)
{
  *is_empty = false;
  switch (archive_zip_prepare (input->spool_fd, input->spool_size, input->bounds->members))
    {
    case ARCHIVE_ZIP_EMPTY:
      *is_empty = true;
      return true;
    case ARCHIVE_ZIP_TOO_MANY:
      fail (input, FAILURE_TOO_LARGE, "The zip has more members than max_members");
      failure_add_detail (input->failure, "limit", json_string ("max_members"));
      return false;
    case ARCHIVE_ZIP_DAMAGED:
      return archive_input_fail (input, "its list of contents is not at its end");
    default:
      return true;
    }
}

/* Members. */

static bool
open_reader (ArchiveInput *input)
{
  struct archive *reader = input->reader = archive_read_new ();

  if (!reader)
    return failure_set_errno (input->failure, ENOMEM, "unpack into", input->path);
  /* libarchive takes names for UTF-8 and composes their characters. In a tar it keeps what it
   * cannot convert as it is, in a zip it loses it. */
  if (input->caller->refuses_names)
    *input->caller->refuses_names = input->format != FORMAT_ZIP;
  archive_read_set_callback_data (reader, input);
  if (input->format == FORMAT_ZIP)
    {
      archive_read_support_format_zip_seekable (reader);
      archive_read_set_read_callback (reader, read_zip);
      archive_read_set_skip_callback (reader, skip_zip);
      archive_read_set_seek_callback (reader, seek_zip);
    }
  else
    {
      archive_read_support_format_tar (reader);
      archive_read_set_read_callback (reader, read_tar);
    }
  return archive_read_open1 (reader) == ARCHIVE_OK || fail_reading (input);
}

static bool
look (ArchiveInput *input)
{
  static const uint8_t GZIP[] = { 0x1f, 0x8b };
  static const uint8_t ZIP[] = { 'P', 'K', 3, 4 };
  static const uint8_t EMPTY_ZIP[] = { 'P', 'K', 5, 6 };

  read_magic (input);
  if (!input->caller->goes_on (input->caller->data))
    return false;
  if (input->n_magic == 0)
    return archive_input_fail (input, "it is empty");
  if (input->n_magic >= sizeof GZIP && memcmp (input->magic, GZIP, sizeof GZIP) == 0)
    input->format = FORMAT_TAR_GZIP;
  else if (input->n_magic == MAGIC_SIZE
           && (memcmp (input->magic, ZIP, MAGIC_SIZE) == 0
               || memcmp (input->magic, EMPTY_ZIP, MAGIC_SIZE) == 0))
    input->format = FORMAT_ZIP;
  if (input->caller->only_tar && input->format != FORMAT_TAR)
    return archive_input_fail (input, "it is no tar");
  return true;
}

static bool
begin (ArchiveInput *input, int directory_fd)
{
  bool is_empty = false;

  if (!look (input))
    return false;
  if (input->format == FORMAT_TAR_GZIP)
    {
      input->in_gzip = input->in_member = inflateInit2 (&input->gzip, GZIP_WINDOW) == Z_OK;
      if (!input->in_gzip)
        return failure_set_errno (input->failure, ENOMEM, "unpack into", input->path);
    }
  if (input->format == FORMAT_ZIP
      && (!spool (input, directory_fd) || !prepare_zip (input, &is_empty)))
    return false;
  return is_empty || open_reader (input);
}

ArchiveInput *
archive_input_open (const ArchiveCaller *caller, const ArchiveBounds *bounds, int directory_fd,
                    const char *path, Failure *failure)
{
  ArchiveInput *input = calloc (1, sizeof *input);

  if (!input)
    {
      failure_set_errno (failure, ENOMEM, "unpack into", path);
      return NULL;
    }
  input->caller = caller;
  input->bounds = bounds;
  input->path = path;
  input->failure = failure;
  input->spool_fd = -1;
  if (begin (input, directory_fd))
    return input;
  archive_input_free (input);
  return NULL;
}

void
archive_input_free (ArchiveInput *input)
{
  if (!input)
    return;
  if (input->reader)
    archive_read_free (input->reader);
  if (input->in_gzip)
    inflateEnd (&input->gzip);
  if (input->spool_fd >= 0)
    close (input->spool_fd);
  free (input);
}

/* Of a zip, what the member is compressed by. Other ways than these two are not linked into the
 * guest. */
static bool
check_compression (ArchiveInput *input, struct archive_entry *entry)
{
  const char *name = archive_format_name (input->reader);
  const char *path = archive_entry_pathname (entry);

  if (archive_entry_is_encrypted (entry))
    failure_set (input->failure, FAILURE_INVALID_ARGUMENT,
                 "Could not unpack “%.256s”: it is encrypted", path);
  else if (input->format == FORMAT_ZIP && archive_entry_size (entry) > 0
           && (!name || (!strstr (name, "(deflation)") && !strstr (name, "(uncompressed)"))))
    failure_set (input->failure, FAILURE_INVALID_ARGUMENT,
                 "Could not unpack “%.256s”: of zip, only “deflate” and “store” are supported, "
                 "this is “%.64s”",
                 path, name ? name : "unknown");
  else
    return true;
  failure_add_path (input->failure, path);
  return false;
}

ArchiveInputStep
archive_input_next (ArchiveInput *input, struct archive_entry **entry)
{
  int status = input->reader ? archive_read_next_header (input->reader, entry) : ARCHIVE_EOF;

  input->told = input->unpacked;
  if (!input->caller->goes_on (input->caller->data) || input->failure->code)
    return ARCHIVE_INPUT_FAILED;
  if (status == ARCHIVE_EOF)
    return input->format == FORMAT_ZIP || read_to_end (input) ? ARCHIVE_INPUT_END
                                                              : ARCHIVE_INPUT_FAILED;
  /* It warns of names it keeps as they are. */
  if (status != ARCHIVE_OK && (status != ARCHIVE_WARN || input->format == FORMAT_ZIP))
    fail_reading (input);
  else if (!archive_entry_pathname (*entry))
    archive_input_fail (input, "a member has no name that can be read");
  else if (check_compression (input, *entry))
    return ARCHIVE_INPUT_MEMBER;
  return ARCHIVE_INPUT_FAILED;
}

bool
archive_input_read (ArchiveInput *input, const void **bytes, size_t *size, int64_t *offset)
{
  la_int64_t at = 0;
  int status;

  do
    status = archive_read_data_block (input->reader, bytes, size, &at);
  while (status == ARCHIVE_OK && *size == 0);
  input->told = input->unpacked;
  *offset = at;
  if (!input->caller->goes_on (input->caller->data) || input->failure->code)
    return false;
  if (status == ARCHIVE_EOF)
    *size = 0;
  return status == ARCHIVE_OK || status == ARCHIVE_EOF || fail_reading (input);
}

const char *
archive_input_format (const ArchiveInput *input)
{
  return FORMAT_NAMES[input->format];
}

uint64_t
archive_input_received (const ArchiveInput *input)
{
  return input->received;
}
