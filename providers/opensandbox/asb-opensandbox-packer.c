/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-packer.h"

#include <string.h>

#include "archive-input.h"
#include "archive-name.h"
#include "archive-output.h"
#include "asb-opensandbox-archive.h"
#include "asb-opensandbox-failure.h"
#include "asb-opensandbox-shell.h"

#define ARCHIVE_RESULT_KEY "asb-archive-result"

static const ArchiveBounds NO_BOUNDS = { INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX };

struct _AsbOpensandboxPacker
{
  AsbPipe *to;
  AsbOpensandboxArchiveSource source;
  GOutputStream *output;
  GWeakRef stream;
  char *shown;
  gboolean gzip;
  ArchiveBounds bounds;
  ArchiveCaller caller;
  ArchiveInput *reader;
  struct archive_entry *member; /* as it was read */
  ArchiveOutput packed;
  ArchiveCounts counts;
  Failure failure;
  GError *error; /* of reading */
  GPtrArray *errors;
  guint64 n_errors;
};

static void
packer_free (AsbOpensandboxPacker *self)
{
  asb_pipe_unref (self->to);
  asb_opensandbox_archive_source_clear (&self->source);
  g_object_unref (self->output);
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

  return asb_opensandbox_archive_source_read (&self->source, size, &self->error);
}

static bool
goes_on (void *data)
{
  AsbOpensandboxPacker *self = data;

  return !self->error && !self->packed.is_refused;
}

static bool
send_bytes (void *data, const void *bytes, size_t size)
{
  AsbOpensandboxPacker *self = data;

  return g_output_stream_write_all (self->output, bytes, size, NULL, self->source.closed, NULL);
}

/* Members. */

static gboolean
leave_out (AsbOpensandboxPacker *self, const char *path, const char *why)
{
  g_autofree char *shown = g_utf8_make_valid (path, -1);

  self->n_errors++;
  if (self->errors->len < ASB_OPENSANDBOX_PACKER_MAX_ERRORS)
    g_ptr_array_add (self->errors, g_strdup_printf ("%s: %s", shown, why));
  return TRUE;
}

static void
begin_entry (AsbOpensandboxPacker *self)
{
  const struct timespec time = { .tv_sec = archive_entry_mtime (self->member),
                                 .tv_nsec = archive_entry_mtime_nsec (self->member) };

  archive_output_begin (&self->packed, archive_entry_mode (self->member), time);
}

static gboolean
write_zeros (AsbOpensandboxPacker *self, gint64 size)
{
  static const guint8 zeros[ASB_OPENSANDBOX_ARCHIVE_BLOCK] = { 0 };

  for (; size > 0; size -= sizeof zeros)
    if (!archive_output_write (&self->packed, zeros, MIN ((gsize)size, sizeof zeros)))
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
      if (!write_zeros (self, offset - at) || !archive_output_write (&self->packed, bytes, size))
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

  if (!archive_output_check_size (&self->packed, size))
    return FALSE;
  begin_entry (self);
  archive_entry_set_size (self->packed.entry, size);
  return archive_output_write_header (&self->packed) && pack_content (self, size);
}

static gboolean
pack_hard_link (AsbOpensandboxPacker *self)
{
  char target[PATH_MAX];

  if (archive_name_clean (archive_entry_hardlink (self->member), target))
    return leave_out (self, self->packed.path, "It is another name of what is not in the archive");
  begin_entry (self);
  archive_entry_set_filetype (self->packed.entry, AE_IFREG);
  return archive_output_write_hard_link (&self->packed, target);
}

static gboolean
pack_link (AsbOpensandboxPacker *self)
{
  const char *target = archive_entry_symlink (self->member);
  const char *why = target ? archive_target_check (self->packed.path, target) : "It cannot be read";

  if (why)
    return leave_out (self, self->packed.path, why);
  begin_entry (self);
  return archive_output_write_link (&self->packed, target);
}

static gboolean
pack_folder (AsbOpensandboxPacker *self)
{
  if (*self->packed.path == '\0')
    return TRUE;
  begin_entry (self);
  self->counts.directories++;
  return archive_output_write_header (&self->packed);
}

static gboolean
pack_member (AsbOpensandboxPacker *self)
{
  const char *name = archive_entry_pathname (self->member);
  const char *why = archive_name_clean (name, self->packed.path);

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
      return leave_out (self, self->packed.path,
                        archive_entry_filetype (self->member) == AE_IFIFO ? "It is a FIFO"
                                                                          : "It is a device");
    }
}

static gboolean
pack_members (AsbOpensandboxPacker *self)
{
  ArchiveInputStep step;

  while ((step = archive_input_next (self->reader, &self->member)) == ARCHIVE_INPUT_MEMBER)
    if (!pack_member (self))
      return FALSE;
  return step == ARCHIVE_INPUT_END && archive_output_close (&self->packed);
}

static gboolean
pack (AsbOpensandboxPacker *self)
{
  gboolean done;

  self->reader = archive_input_open (&self->caller, &NO_BOUNDS, -1, self->shown, &self->failure);
  done = self->reader && archive_output_open (&self->packed, self->gzip) && pack_members (self);
  archive_output_clear (&self->packed);
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
      if (g_cancellable_is_cancelled (self->source.closed))
        error = g_error_new_literal (ASB_ERROR, ASB_ERROR_CLOSED, "The transport is closed");
      else if (self->error)
        error = g_steal_pointer (&self->error);
      else
        error = asb_opensandbox_failure_to_error (&self->failure);
      asb_pipe_finish_error (self->to, error);
    }
  /* Stops what still comes. */
  g_input_stream_close (self->source.stream, NULL, NULL);
}

static void
run (gpointer data)
{
  finish (data, pack (data));
  packer_free (data);
}

void
asb_opensandbox_packer_start (const AsbOpensandboxPackerRules *rules, AsbPipe *from, AsbPipe *to,
                              GInputStream *stream)
{
  AsbOpensandboxPacker *self = g_new0 (AsbOpensandboxPacker, 1);

  self->to = asb_pipe_ref (to);
  asb_opensandbox_archive_source_init (&self->source, from, rules->closed);
  self->output = asb_pipe_create_output_stream (to, ASB_PIPE_CLOSE_AT_ONCE, NULL);
  g_weak_ref_init (&self->stream, stream);
  self->shown = asb_opensandbox_shell_show_path (rules->path);
  self->gzip = rules->gzip;
  self->bounds
      = (ArchiveBounds){ .members = asb_opensandbox_archive_bound (rules->members, INT64_MAX),
                         .bytes = asb_opensandbox_archive_bound (rules->bytes, INT64_MAX),
                         .file_bytes
                         = asb_opensandbox_archive_bound (rules->file_bytes, INT64_MAX) };
  self->errors = g_ptr_array_ref (rules->errors);
  self->n_errors = rules->n_errors;
  self->caller = (ArchiveCaller){
    .receive = receive, .send = send_bytes, .goes_on = goes_on, .only_tar = true, .data = self
  };
  self->packed = (ArchiveOutput){ .caller = &self->caller,
                                  .bounds = &self->bounds,
                                  .counts = &self->counts,
                                  .failure = &self->failure,
                                  .folder = self->shown };
  g_thread_unref (asb_opensandbox_archive_run ("asb-pack", run, self));
}
