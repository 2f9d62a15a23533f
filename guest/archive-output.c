/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "archive-output.h"

#include <archive.h>
#include <errno.h>

#define BLOCK_SIZE 65536

bool
archive_output_goes_on (const ArchiveOutput *output)
{
  return !output->is_refused && output->caller->goes_on (output->caller->data);
}

static bool
fail (ArchiveOutput *output)
{
  const char *why = archive_error_string (output->writer);

  if (archive_output_goes_on (output) && !output->failure->code)
    failure_set (output->failure, FAILURE_IO_ERROR, "Could not pack “%.256s”: %.128s", output->path,
                 why ? why : "it cannot be written");
  return false;
}

/* A writer that has failed is not freed as a whole, so it does so only when it is freed: then it
 * would write zeros for what is missing of a file. */
static la_ssize_t
send_bytes (struct archive *writer, void *data, const void *bytes, size_t size)
{
  ArchiveOutput *output = data;

  if (output->is_over)
    {
      archive_set_error (writer, EPIPE, "nobody takes it");
      return -1;
    }
  if (!output->is_refused && output->caller->send (output->caller->data, bytes, size))
    output->counts->archive_bytes += size;
  else
    output->is_refused = true;
  return (la_ssize_t)size;
}

bool
archive_output_open (ArchiveOutput *output, bool gzip)
{
  struct archive *writer = output->writer = archive_write_new ();

  output->entry = archive_entry_new ();
  if (!writer || !output->entry)
    return failure_set_errno (output->failure, ENOMEM, "pack", output->folder);
  archive_write_set_format_pax_restricted (writer);
  if (output->caller->refuses_names)
    *output->caller->refuses_names = false;
  if (gzip)
    {
      archive_write_add_filter_gzip (writer);
      /* Equal files make equal archives. */
      archive_write_set_filter_option (writer, "gzip", "timestamp", NULL);
    }
  archive_write_set_bytes_per_block (writer, BLOCK_SIZE);
  archive_write_set_bytes_in_last_block (writer, 1);
  return archive_write_open (writer, output, NULL, send_bytes, NULL) == ARCHIVE_OK || fail (output);
}

static bool
refuse_size (ArchiveOutput *output, const char *limit, int64_t maximum)
{
  failure_set (output->failure, FAILURE_TOO_LARGE,
               "Could not pack “%.256s”: that is more than %s, %lld", output->path, limit,
               (long long)maximum);
  failure_add_path (output->failure, output->path);
  failure_add_detail (output->failure, "limit", json_string (limit));
  return false;
}

bool
archive_output_check_size (ArchiveOutput *output, int64_t size)
{
  const ArchiveBounds *bounds = output->bounds;

  if (size > bounds->file_bytes)
    return refuse_size (output, "max_file_bytes", bounds->file_bytes);
  if (size > bounds->bytes - (int64_t)output->counts->bytes)
    return refuse_size (output, "max_bytes", bounds->bytes);
  return true;
}

void
archive_output_begin (ArchiveOutput *output, mode_t mode, struct timespec time)
{
  archive_entry_clear (output->entry);
  archive_entry_set_pathname (output->entry, output->path);
  archive_entry_set_filetype (output->entry, mode & AE_IFMT);
  archive_entry_set_perm (output->entry, mode & 0777);
  archive_entry_set_mtime (output->entry, time.tv_sec, time.tv_nsec);
  archive_entry_set_size (output->entry, 0);
}

bool
archive_output_write_header (ArchiveOutput *output)
{
  if (output->counts->members >= (uint64_t)output->bounds->members)
    return refuse_size (output, "max_members", output->bounds->members);
  if (archive_write_header (output->writer, output->entry) < ARCHIVE_WARN)
    return fail (output);
  output->counts->members++;
  return archive_output_goes_on (output);
}

bool
archive_output_write_hard_link (ArchiveOutput *output, const char *target)
{
  archive_entry_set_hardlink (output->entry, target);
  output->counts->links++;
  return archive_output_write_header (output);
}

bool
archive_output_write_link (ArchiveOutput *output, const char *target)
{
  archive_entry_set_symlink (output->entry, target);
  output->counts->links++;
  return archive_output_write_header (output);
}

bool
archive_output_write (ArchiveOutput *output, const uint8_t *bytes, size_t size)
{
  while (size > 0)
    {
      la_ssize_t n = archive_write_data (output->writer, bytes, size);

      if (n <= 0)
        return fail (output);
      bytes += n;
      size -= (size_t)n;
    }
  return archive_output_goes_on (output);
}

bool
archive_output_close (ArchiveOutput *output)
{
  if (archive_write_close (output->writer) != ARCHIVE_OK)
    return fail (output);
  return !output->is_refused;
}

void
archive_output_clear (ArchiveOutput *output)
{
  output->is_over = true;
  if (output->writer)
    archive_write_free (output->writer);
  archive_entry_free (output->entry);
}
