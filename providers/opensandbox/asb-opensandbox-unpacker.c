/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-unpacker.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "archive-member.h"
#include "asb-opensandbox-archive.h"
#include "asb-opensandbox-bundle.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-failure.h"
#include "asb-opensandbox-shell.h"
#include "asb-opensandbox-shipment.h"
#include "asb-opensandbox-thread.h"

#define MIB (1024 * 1024)

/* When an upload has so much it is ended, and the next begun. */
#define SHIPMENT_FILES (ASB_OPENSANDBOX_SHIPMENT_MAX_FILES - 100)
#define SHIPMENT_BYTES (16 * MIB)

#define LIST_MODE 0600

struct _AsbOpensandboxUnpacker
{
  AsbOpensandboxExecd *execd;
  AsbOpensandboxArchiveSource source;
  AsbPipe *pipe;
  char *path;
  char *shown;
  char *staging;
  char *named; /* in it, what goes by its own name */
  gboolean is_new;
  ArchiveBounds bounds;
  AsbOpensandboxUnpackerDone done;
  gpointer data;
  GThread *thread;

  /* Of the thread, until it is done. */
  ArchiveCaller caller;
  ArchiveCounts counts;
  Failure failure;
  gboolean is_uploaded; /* with the lists, which come last */
  ArchiveMember member;
  AsbOpensandboxBundle *bundle;
  AsbOpensandboxShipment *shipment;
  GError *error;
};

void
asb_opensandbox_unpacker_free (AsbOpensandboxUnpacker *self)
{
  g_thread_join (self->thread);
  failure_clear (&self->failure);
  g_clear_pointer (&self->bundle, asb_opensandbox_bundle_free);
  g_object_unref (self->execd);
  asb_opensandbox_archive_source_clear (&self->source);
  g_clear_error (&self->error);
  asb_pipe_unref (self->pipe);
  g_free (self->path);
  g_free (self->shown);
  g_free (self->named);
  g_free (self->staging);
  g_free (self);
}

/* What the guest's reader of archives is lent. */

static const uint8_t *
receive (void *data, size_t *size)
{
  AsbOpensandboxUnpacker *self = data;

  return asb_opensandbox_archive_source_read (&self->source, size, &self->error);
}

static bool
goes_on (void *data)
{
  AsbOpensandboxUnpacker *self = data;

  return !self->error && !asb_pipe_is_aborted (self->pipe);
}

/* Uploads. */

static gboolean
end_shipment (AsbOpensandboxUnpacker *self)
{
  gboolean ended = asb_opensandbox_shipment_end (self->shipment, &self->error);

  g_clear_pointer (&self->shipment, asb_opensandbox_shipment_free);
  return ended;
}

static gboolean
begin_file (AsbOpensandboxUnpacker *self, const char *place, guint mode)
{
  if (self->shipment
      && (asb_opensandbox_shipment_get_n_files (self->shipment) >= SHIPMENT_FILES
          || asb_opensandbox_shipment_get_size (self->shipment) >= SHIPMENT_BYTES)
      && !end_shipment (self))
    return FALSE;
  if (!self->shipment)
    self->shipment = asb_opensandbox_shipment_new (self->execd, "unpack the archive");
  return asb_opensandbox_shipment_begin_file (self->shipment, place, mode, &self->error);
}

static gboolean
write_bytes (AsbOpensandboxUnpacker *self, gconstpointer bytes, gsize size)
{
  return asb_opensandbox_shipment_write (self->shipment, bytes, size, &self->error);
}

/* Holes do not travel. */
static gboolean
write_zeros (AsbOpensandboxUnpacker *self, gint64 size)
{
  static const guint8 zeros[ASB_OPENSANDBOX_ARCHIVE_BLOCK] = { 0 };

  for (; size > 0; size -= sizeof zeros)
    if (!write_bytes (self, zeros, MIN ((gsize)size, sizeof zeros))
        || asb_pipe_is_aborted (self->pipe))
      return FALSE;
  return TRUE;
}

static gboolean
write_content (AsbOpensandboxUnpacker *self)
{
  ArchiveMember *member = &self->member;
  gint64 at = 0;
  const void *bytes;
  size_t size;
  int64_t offset;

  for (;;)
    {
      if (!archive_member_read (member, &bytes, &size, &offset))
        return FALSE;
      if (size == 0)
        return write_zeros (self, member->end - at);
      if (!write_zeros (self, offset - at) || !write_bytes (self, bytes, size))
        return FALSE;
      at = offset + (gint64)size;
    }
}

/* Members. */

static AsbOpensandboxBundleInfo
get_info (struct archive_entry *entry)
{
  return (AsbOpensandboxBundleInfo){ .mode = archive_entry_perm (entry) & 0777,
                                     .has_time = archive_entry_mtime_is_set (entry) != 0,
                                     .time = archive_entry_mtime (entry) };
}

/* A shell must be able to speak of it later. */
static gboolean
check_bundle (AsbOpensandboxUnpacker *self, const char *why)
{
  if (why)
    return archive_member_refuse (&self->member, why);
  if (asb_opensandbox_bundle_is_full (self->bundle))
    return failure_set (&self->failure, FAILURE_TOO_LARGE,
                        "Could not unpack into “%.256s”: The names in the archive are too long "
                        "altogether; nothing was unpacked",
                        self->shown);
  return TRUE;
}

static gboolean
take_file (AsbOpensandboxUnpacker *self)
{
  AsbOpensandboxBundleInfo info = get_info (self->member.entry);
  g_autofree char *place = NULL;
  const char *why;

  if (*self->member.hash)
    info.hash = self->member.hash;
  why = asb_opensandbox_bundle_add_file (self->bundle, self->member.path, &info, &place);

  if (!check_bundle (self, why) || !begin_file (self, place, info.mode) || !write_content (self))
    return FALSE;
  self->counts.files++;
  return TRUE;
}

static gboolean
take_folder (AsbOpensandboxUnpacker *self)
{
  AsbOpensandboxBundleInfo info = get_info (self->member.entry);

  self->counts.directories++;
  return check_bundle (self,
                       asb_opensandbox_bundle_add_folder (self->bundle, self->member.path, &info));
}

static gboolean
take_link (AsbOpensandboxUnpacker *self)
{
  AsbOpensandboxBundleInfo info = get_info (self->member.entry);
  const char *target = archive_member_check_link (&self->member);

  self->counts.links++;
  return target
         && check_bundle (self, asb_opensandbox_bundle_add_link (self->bundle, self->member.path,
                                                                 target, &info));
}

static gboolean
take_hard_link (AsbOpensandboxUnpacker *self)
{
  char target[PATH_MAX];

  self->counts.links++;
  return archive_member_check_hard_link (&self->member, target)
         && check_bundle (
             self, asb_opensandbox_bundle_add_hard_link (self->bundle, self->member.path, target));
}

static gboolean
take_no_file (AsbOpensandboxUnpacker *self)
{
  if (archive_entry_hardlink (self->member.entry))
    return take_hard_link (self);
  return archive_entry_filetype (self->member.entry) == AE_IFDIR ? take_folder (self)
                                                                 : take_link (self);
}

static gboolean
take_member (AsbOpensandboxUnpacker *self)
{
  if (!archive_member_check (&self->member))
    return FALSE;
  if (archive_member_is_file (&self->member))
    return take_file (self);
  return take_no_file (self) && archive_member_drop (&self->member);
}

static gboolean
take_members (AsbOpensandboxUnpacker *self)
{
  ArchiveInputStep step;

  while ((step = archive_input_next (self->member.input, &self->member.entry))
         == ARCHIVE_INPUT_MEMBER)
    if (!take_member (self))
      return FALSE;
  return step == ARCHIVE_INPUT_END;
}

/* Lists. */

/* Takes @text. */
static gboolean
write_list (AsbOpensandboxUnpacker *self, const char *name, char *text)
{
  g_autofree char *list = text;
  g_autofree char *place = g_strdup_printf ("%s/%s", self->staging, name);

  return begin_file (self, place, LIST_MODE) && write_bytes (self, list, strlen (list));
}

static gboolean
write_lists (AsbOpensandboxUnpacker *self)
{
  return write_list (self, "list", asb_opensandbox_bundle_list (self->bundle, self->is_new))
         && write_list (self, "sums", asb_opensandbox_bundle_list_sums (self->bundle))
         && write_list (self, "odd", asb_opensandbox_bundle_list_odd_sums (self->bundle))
         && write_list (self, "pairs", asb_opensandbox_bundle_list_pairs (self->bundle))
         && write_list (self, "last", asb_opensandbox_bundle_list_last (self->bundle, self->is_new))
         && end_shipment (self);
}

/* The thread. */

/* A zip is kept meanwhile, on a disk if possible. */
static int
open_spool_folder (void)
{
  int fd = open ("/var/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd >= 0 && faccessat (fd, ".", W_OK | X_OK, AT_EACCESS) == 0)
    return fd;
  if (fd >= 0)
    close (fd);
  return open (g_get_tmp_dir (), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* What was uploaded for it is not it. */
static GError *
dup_upload_error (AsbOpensandboxUnpacker *self)
{
  GError *error
      = asb_opensandbox_error_rename (g_error_copy (self->error), self->named, self->shown);
  char *message = NULL;

  error = asb_opensandbox_error_rename (error, self->staging, self->shown);
  message = g_strconcat (error->message, "; nothing was unpacked", NULL);

  g_free (error->message);
  error->message = message;
  return error;
}

static void
done_in_thread (gpointer data)
{
  AsbOpensandboxUnpacker *self = data;
  g_autoptr (GError) error = NULL;

  if (asb_pipe_is_aborted (self->pipe))
    error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled");
  else if (self->error && g_cancellable_is_cancelled (self->source.closed))
    error = g_error_new_literal (ASB_ERROR, ASB_ERROR_CLOSED, "The transport is closed");
  else if (self->error)
    error = dup_upload_error (self);
  else if (!self->is_uploaded)
    error = asb_opensandbox_failure_to_error (&self->failure);
  self->done (error, self->data);
}

static void
run (gpointer data)
{
  AsbOpensandboxUnpacker *self = data;
  int folder_fd = open_spool_folder ();

  self->member.input
      = archive_input_open (&self->caller, &self->bounds, folder_fd, self->shown, &self->failure);
  if (self->member.input && take_members (self) && goes_on (self))
    {
      self->counts.format = archive_input_format (self->member.input);
      self->counts.archive_bytes = archive_input_received (self->member.input);
      self->is_uploaded = write_lists (self);
    }
  archive_input_free (self->member.input);
  g_clear_pointer (&self->shipment, asb_opensandbox_shipment_free);
  if (folder_fd >= 0)
    close (folder_fd);
  asb_opensandbox_thread_post (done_in_thread, self);
}

AsbOpensandboxUnpacker *
asb_opensandbox_unpacker_start (AsbOpensandboxExecd *execd, AsbPipe *pipe,
                                const AsbOpensandboxUnpackerPlace *place,
                                const AsbOpensandboxBounds *bounds, AsbOpensandboxUnpackerDone done,
                                gpointer data)
{
  AsbOpensandboxUnpacker *self = g_new0 (AsbOpensandboxUnpacker, 1);
  g_autofree char *numbered = g_strconcat (place->staging, "/f", NULL);

  self->execd = (AsbOpensandboxExecd *)g_object_ref ((gpointer)execd);
  self->pipe = asb_pipe_ref (pipe);
  asb_opensandbox_archive_source_init (&self->source, pipe, place->closed);
  self->path = g_strdup (place->path);
  self->shown = asb_opensandbox_shell_show_path (place->path);
  self->staging = g_strdup (place->staging);
  self->named = g_strdup_printf ("%s/.asb-%s", place->staging, place->token);
  self->is_new = place->is_new;
  self->bounds = (ArchiveBounds){ .members = asb_opensandbox_archive_bound (bounds->members, 10000),
                                  .bytes = asb_opensandbox_archive_bound (bounds->bytes, 512 * MIB),
                                  .file_bytes
                                  = asb_opensandbox_archive_bound (bounds->file_bytes, 128 * MIB),
                                  .ratio = asb_opensandbox_archive_bound (bounds->ratio, 200) };
  self->done = done;
  self->data = data;
  self->caller = (ArchiveCaller){ .receive = receive, .goes_on = goes_on, .data = self };
  self->member = (ArchiveMember){ .bounds = &self->bounds,
                                  .counts = &self->counts,
                                  .failure = &self->failure };
  self->bundle = asb_opensandbox_bundle_new (self->named, numbered);
  self->thread = asb_opensandbox_archive_run ("asb-unpack", run, self);
  return self;
}

/* Results. */

AsbArchiveResult *
asb_opensandbox_unpacker_new_result (AsbOpensandboxUnpacker *self, guint64 n_replaced,
                                     guint64 n_skipped)
{
  const ArchiveCounts *counts = &self->counts;
  AsbArchiveFormat format = ASB_ARCHIVE_FORMAT_TAR;

  if (strcmp (counts->format, "tar.gz") == 0)
    format = ASB_ARCHIVE_FORMAT_TAR_GZIP;
  else if (strcmp (counts->format, "zip") == 0)
    format = ASB_ARCHIVE_FORMAT_ZIP;
  return g_object_new (ASB_TYPE_ARCHIVE_RESULT, "format", format, "n-members", counts->members,
                       "n-files", counts->files, "n-directories", counts->directories, "n-links",
                       counts->links, "n-bytes", counts->bytes, "n-archive-bytes",
                       counts->archive_bytes, "n-replaced", n_replaced, "n-skipped", n_skipped,
                       NULL);
}

const char *
asb_opensandbox_unpacker_get_name (AsbOpensandboxUnpacker *self, guint64 number)
{
  return asb_opensandbox_bundle_get_name (self->bundle, number);
}
