/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-packer.h"

#include <locale.h>
#include <string.h>

#include "archive-input.h"
#include "archive-name.h"
#include "asb-opensandbox-failure.h"
#include "asb-opensandbox-shell.h"

#define ARCHIVE_RESULT_KEY "asb-archive-result"
#define BUFFER_SIZE (64 * 1024)
#define MAX_TOLD_ERRORS 64

static const ArchiveBounds NO_BOUNDS = { INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX };

struct _AsbOpensandboxPacker
{
  AsbPipe *to;
  GInputStream *input;
  GOutputStream *output;
  GWeakRef stream;
  GCancellable *closed;
  char *shown;
  gboolean gzip;
  ArchiveBounds bounds;
  ArchiveCaller caller;
  ArchiveInput *reader;
  struct archive *writer;
  struct archive_entry *member;
  struct archive_entry *entry; /* as it is packed */
  char path[PATH_MAX];
  ArchiveCounts counts;
  Failure failure;
  GError *error; /* of reading or writing */
  gboolean is_refused;
  gboolean is_over;
  GPtrArray *errors;
  guint64 n_errors;
  char buffer[BUFFER_SIZE];
};

static void
packer_free (AsbOpensandboxPacker *self)
{
  asb_pipe_unref (self->to);
  g_object_unref (self->input);
  g_object_unref (self->output);
  g_object_unref (self->closed);
  g_weak_ref_clear (&self->stream);
  g_ptr_array_unref (self->errors);
  failure_clear (&self->failure);
  g_clear_error (&self->error);
  g_free (self->shown);
  g_free (self);
}

/* The two ends. */

static const uint8_t *
receive (void *data, size_t *size)
{
  AsbOpensandboxPacker *self = data;
  gssize n = g_input_stream_read (self->input, self->buffer, sizeof self->buffer, self->closed,
                                  self->error ? NULL : &self->error);

  if (n <= 0)
    return NULL;
  *size = (size_t)n;
  return (const uint8_t *)self->buffer;
}

static bool
goes_on (void *data)
{
  AsbOpensandboxPacker *self = data;

  return !self->error && !self->is_refused;
}

/* A writer that has failed writes zeros for what is missing of a file when it is freed, so it is
 * not told. */
static la_ssize_t
send_bytes (struct archive *writer, void *data, const void *bytes, size_t size)
{
  AsbOpensandboxPacker *self = data;

  if (self->is_over || self->is_refused)
    return (la_ssize_t)size;
  if (g_output_stream_write_all (self->output, bytes, size, NULL, self->closed, NULL))
    self->counts.archive_bytes += size;
  else
    self->is_refused = TRUE;
  return (la_ssize_t)size;
}

static gboolean
fail_writing (AsbOpensandboxPacker *self)
{
  const char *why = archive_error_string (self->writer);

  if (goes_on (self) && !self->failure.code)
    failure_set (&self->failure, FAILURE_IO_ERROR, "Could not pack “%.256s”: %.128s", self->path,
                 why ? why : "it cannot be written");
  return FALSE;
}

/* Members. */

static gboolean
leave_out (AsbOpensandboxPacker *self, const char *path, const char *why)
{
  g_autofree char *shown = g_utf8_make_valid (path, -1);

  self->n_errors++;
  if (self->errors->len < MAX_TOLD_ERRORS)
    g_ptr_array_add (self->errors, g_strdup_printf ("%s: %s", shown, why));
  return TRUE;
}

static gboolean
refuse_size (AsbOpensandboxPacker *self, const char *limit, int64_t maximum)
{
  failure_set (&self->failure, FAILURE_TOO_LARGE,
               "Could not pack “%.256s”: that is more than %s, %lld", self->path, limit,
               (long long)maximum);
  failure_add_path (&self->failure, self->path);
  failure_add_detail (&self->failure, "limit", json_string (limit));
  return FALSE;
}

static void
begin_entry (AsbOpensandboxPacker *self, unsigned type)
{
  struct archive_entry *member = self->member;

  archive_entry_clear (self->entry);
  archive_entry_set_pathname (self->entry, self->path);
  archive_entry_set_filetype (self->entry, type);
  archive_entry_set_perm (self->entry, archive_entry_perm (member) & 0777);
  archive_entry_set_mtime (self->entry, archive_entry_mtime (member),
                           archive_entry_mtime_nsec (member));
  archive_entry_set_size (self->entry, 0);
}

static gboolean
write_header (AsbOpensandboxPacker *self)
{
  if (self->counts.members >= (uint64_t)self->bounds.members)
    return refuse_size (self, "max_members", self->bounds.members);
  if (archive_write_header (self->writer, self->entry) < ARCHIVE_WARN)
    return fail_writing (self);
  self->counts.members++;
  return goes_on (self);
}

static gboolean
write_all (AsbOpensandboxPacker *self, const guint8 *bytes, gsize size)
{
  while (size > 0)
    {
      la_ssize_t n = archive_write_data (self->writer, bytes, size);

      if (n <= 0)
        return fail_writing (self);
      bytes += n;
      size -= (gsize)n;
    }
  return goes_on (self);
}

static gboolean
write_zeros (AsbOpensandboxPacker *self, gint64 size)
{
  static const guint8 zeros[BUFFER_SIZE] = { 0 };

  for (; size > 0; size -= sizeof zeros)
    if (!write_all (self, zeros, MIN ((gsize)size, sizeof zeros)))
      return FALSE;
  return TRUE;
}

static gboolean
pack_content (AsbOpensandboxPacker *self, gint64 total)
{
  gint64 at = 0;
  const void *bytes;
  size_t size;
  int64_t offset;

  do
    {
      if (!archive_input_read (self->reader, &bytes, &size, &offset))
        return FALSE;
      if (size == 0)
        offset = total;
      if (!write_zeros (self, offset - at) || !write_all (self, bytes, size))
        return FALSE;
      at = offset + (gint64)size;
    }
  while (size > 0);
  self->counts.bytes += (guint64)total;
  self->counts.files++;
  return TRUE;
}

static gboolean
pack_file (AsbOpensandboxPacker *self)
{
  gint64 size = archive_entry_size (self->member);

  if (size > self->bounds.file_bytes)
    return refuse_size (self, "max_file_bytes", self->bounds.file_bytes);
  if (size > self->bounds.bytes - (gint64)self->counts.bytes)
    return refuse_size (self, "max_bytes", self->bounds.bytes);
  begin_entry (self, AE_IFREG);
  archive_entry_set_size (self->entry, size);
  return write_header (self) && pack_content (self, size);
}

static gboolean
pack_hard_link (AsbOpensandboxPacker *self)
{
  char target[PATH_MAX];

  if (archive_name_clean (archive_entry_hardlink (self->member), target))
    return leave_out (self, self->path, "It is another name of what is not in the archive");
  begin_entry (self, AE_IFREG);
  archive_entry_set_hardlink (self->entry, target);
  self->counts.links++;
  return write_header (self);
}

static gboolean
pack_link (AsbOpensandboxPacker *self)
{
  const char *target = archive_entry_symlink (self->member);
  const char *why = target ? archive_target_check (self->path, target) : "It cannot be read";

  if (why)
    return leave_out (self, self->path, why);
  begin_entry (self, AE_IFLNK);
  archive_entry_set_symlink (self->entry, target);
  self->counts.links++;
  return write_header (self);
}

static gboolean
pack_folder (AsbOpensandboxPacker *self)
{
  if (*self->path == '\0')
    return TRUE;
  begin_entry (self, AE_IFDIR);
  self->counts.directories++;
  return write_header (self);
}

static gboolean
pack_member (AsbOpensandboxPacker *self)
{
  const char *name = archive_entry_pathname (self->member);
  const char *why = archive_name_clean (name, self->path);

  if (why)
    return leave_out (self, name, why);
  if (archive_entry_hardlink (self->member))
    return pack_hard_link (self);
  switch (archive_entry_filetype (self->member))
    {
    case AE_IFREG:
      return pack_file (self);
    case AE_IFDIR:
      return pack_folder (self);
    case AE_IFLNK:
      return pack_link (self);
    default:
      return leave_out (self, self->path,
                        archive_entry_filetype (self->member) == AE_IFIFO ? "It is a FIFO"
                                                                          : "It is a device");
    }
}

static gboolean
open_writer (AsbOpensandboxPacker *self)
{
  struct archive *writer = self->writer;

  archive_write_set_format_pax_restricted (writer);
  if (self->gzip)
    {
      archive_write_add_filter_gzip (writer);
      /* Equal files make equal archives. */
      archive_write_set_filter_option (writer, "gzip", "timestamp", NULL);
    }
  archive_write_set_bytes_per_block (writer, BUFFER_SIZE);
  archive_write_set_bytes_in_last_block (writer, 1);
  return archive_write_open (writer, self, NULL, send_bytes, NULL) == ARCHIVE_OK
         || fail_writing (self);
}

static gboolean
pack_members (AsbOpensandboxPacker *self)
{
  ArchiveInputStep step;

  while ((step = archive_input_next (self->reader, &self->member)) == ARCHIVE_INPUT_MEMBER)
    if (!pack_member (self))
      return FALSE;
  return step == ARCHIVE_INPUT_END
         && (archive_write_close (self->writer) == ARCHIVE_OK || fail_writing (self));
}

static gboolean
pack (AsbOpensandboxPacker *self)
{
  gboolean done;

  self->writer = archive_write_new ();
  self->entry = archive_entry_new ();
  self->reader = archive_input_open (&self->caller, &NO_BOUNDS, -1, self->shown, &self->failure);
  done = self->reader && open_writer (self) && pack_members (self) && !self->is_refused;
  self->is_over = TRUE;
  archive_write_free (self->writer);
  archive_entry_free (self->entry);
  archive_input_free (self->reader);
  return done;
}

/* The end. */

static AsbArchiveResult *
new_result (AsbOpensandboxPacker *self)
{
  const ArchiveCounts *counts = &self->counts;

  g_ptr_array_add (self->errors, NULL);
  return g_object_new (ASB_TYPE_ARCHIVE_RESULT, "format",
                       self->gzip ? ASB_ARCHIVE_FORMAT_TAR_GZIP : ASB_ARCHIVE_FORMAT_TAR,
                       "n-members", counts->members, "n-files", counts->files, "n-directories",
                       counts->directories, "n-links", counts->links, "n-bytes", counts->bytes,
                       "n-archive-bytes", counts->archive_bytes, "errors", self->errors->pdata,
                       "n-errors", self->n_errors, NULL);
}

static void
finish (AsbOpensandboxPacker *self, gboolean done)
{
  g_autoptr (GObject) stream = g_weak_ref_get (&self->stream);
  g_autoptr (GError) error = NULL;

  if (done && stream)
    g_object_set_data_full (stream, ARCHIVE_RESULT_KEY, new_result (self), g_object_unref);
  if (done)
    asb_pipe_finish (self->to);
  else
    {
      if (g_cancellable_is_cancelled (self->closed))
        error = g_error_new_literal (ASB_ERROR, ASB_ERROR_CLOSED, "The transport is closed");
      else if (self->error)
        error = g_steal_pointer (&self->error);
      else
        error = asb_opensandbox_failure_to_error (&self->failure);
      asb_pipe_finish_error (self->to, error);
    }
  /* Stops what still comes. */
  g_input_stream_close (self->input, NULL, NULL);
}

/* Names are bytes, whatever the locale of the program: in this one none is converted. */
static gpointer
run (gpointer data)
{
  locale_t plain = newlocale (LC_ALL_MASK, "C", NULL);

  uselocale (plain);
  finish (data, pack (data));
  uselocale (LC_GLOBAL_LOCALE);
  freelocale (plain);
  packer_free (data);
  return NULL;
}

static int64_t
bound_of (guint64 bound)
{
  return bound > 0 && bound < INT64_MAX ? (int64_t)bound : INT64_MAX;
}

void
asb_opensandbox_packer_start (const AsbOpensandboxPackerRules *rules, AsbPipe *from, AsbPipe *to,
                              GInputStream *stream)
{
  AsbOpensandboxPacker *self = g_new0 (AsbOpensandboxPacker, 1);

  self->to = asb_pipe_ref (to);
  self->input = asb_pipe_create_input_stream (from, NULL);
  self->output = asb_pipe_create_output_stream (to, ASB_PIPE_CLOSE_AT_ONCE, NULL);
  g_weak_ref_init (&self->stream, stream);
  self->closed = g_object_ref (rules->closed);
  self->shown = asb_opensandbox_shell_show_path (rules->path);
  self->gzip = rules->gzip;
  self->bounds = (ArchiveBounds){ .members = bound_of (rules->members),
                                  .bytes = bound_of (rules->bytes),
                                  .file_bytes = bound_of (rules->file_bytes) };
  self->errors = g_ptr_array_ref (rules->errors);
  self->n_errors = rules->n_errors;
  self->caller
      = (ArchiveCaller){ .receive = receive, .goes_on = goes_on, .only_tar = true, .data = self };
  g_thread_unref (g_thread_new ("asb-pack", run, self));
}
