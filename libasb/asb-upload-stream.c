/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-stream-private.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "asb-error.h"
#include "asb-upload-holes-private.h"

/* Of a hole so much is taken into account at once. */
#define HOLE_SIZE (256 * 1024)

struct _AsbUploadStream
{
  GInputStream parent_instance;

  const AsbUploadScan *scan;
  char *name;
  gboolean skips_failed;
  gint64 now;
  guint n_directories; /* that have been told, and … */
  guint n_entries;     /* … files */
  GByteArray *pending; /* to be read, … */
  guint n_taken;       /* … but for so much of it */
  gboolean is_ended;

  AsbUploadEntry *entry; /* whose bytes are read, or NULL */
  int fd;
  GArray *pieces; /* of AsbTarPiece: of them */
  guint n_pieces; /* that have been read, … */
  guint64 at;     /* … and where in the file that is */
  GChecksum *hash;

  AsbUploadSent *sent;
};

G_DEFINE_FINAL_TYPE (AsbUploadStream, asb_upload_stream, G_TYPE_INPUT_STREAM)

static void
end_file (AsbUploadStream *self)
{
  self->entry = NULL;
  if (self->fd >= 0)
    close (self->fd);
  self->fd = -1;
  g_clear_pointer (&self->pieces, g_array_unref);
}

static void
asb_upload_stream_finalize (GObject *object)
{
  AsbUploadStream *self = ASB_UPLOAD_STREAM (object);

  end_file (self);
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->pending, g_byte_array_unref);
  g_clear_pointer (&self->hash, g_checksum_free);

  G_OBJECT_CLASS (asb_upload_stream_parent_class)->finalize (object);
}

/* Headers. */

static guint
get_mode (AsbUploadStream *self, const AsbUploadEntry *entry)
{
  if (asb_upload_spec_get_preserve_mode (self->scan->spec))
    return entry->status.st_mode & 0777;
  return entry->is_directory ? ASB_UPLOAD_FOLDER_MODE : ASB_UPLOAD_FILE_MODE;
}

/* What has no holes needs nobody to know that. */
static void
add_pieces (AsbUploadStream *self, AsbTarMember *member)
{
  const AsbTarPiece *pieces = (const AsbTarPiece *)(gpointer)self->pieces->data;

  if (self->pieces->len == 1 && pieces->start == 0)
    return;
  member->pieces = pieces;
  member->n_pieces = self->pieces->len;
}

static AsbTarMember
describe (AsbUploadStream *self, const AsbUploadEntry *entry)
{
  gboolean keeps_time = asb_upload_spec_get_preserve_mtime (self->scan->spec);
  AsbTarMember member = { .path = self->name ? self->name : entry->path,
                          .link = entry->link,
                          .mode = get_mode (self, entry),
                          .seconds = keeps_time ? entry->status.st_mtim.tv_sec : self->now };

  if (keeps_time)
    member.nanoseconds = entry->status.st_mtim.tv_nsec;
  member.kind = ASB_TAR_FILE;
  if (entry->is_directory)
    member.kind = ASB_TAR_DIRECTORY;
  else if (entry->link)
    member.kind = ASB_TAR_LINK;
  else
    {
      member.size = entry->status.st_size;
      member.hash = entry->hash;
      add_pieces (self, &member);
    }
  return member;
}

static void
tell (AsbUploadStream *self, const AsbUploadEntry *entry)
{
  AsbTarMember member = describe (self, entry);

  /* The directory itself has no name in it. */
  if (!*member.path)
    member.path = "./";
  asb_tar_append_header (self->pending, &member);
}

/* Files. */

static gboolean
fail (AsbUploadStream *self, AsbUploadEntry *entry, const char *why, GError **error)
{
  g_autofree char *shown = asb_upload_show (entry->path);

  entry->why = why;
  self->sent->n_failed++;
  g_set_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_PARTIAL_FAILURE, "Could not upload “%s”: %s",
               shown, why);
  return FALSE;
}

static gboolean
begin_file (AsbUploadStream *self, AsbUploadEntry *entry, GError **error)
{
  const char *why;

  self->fd = asb_upload_entry_open (entry, self->scan->source.root_fd, &why);
  if (self->fd < 0)
    return fail (self, entry, why, self->skips_failed ? NULL : error) || self->skips_failed;
  self->pieces = asb_upload_holes_find (self->fd, &entry->status);
  self->n_pieces = 0;
  self->at = 0;
  tell (self, entry);
  self->entry = entry;
  g_checksum_reset (self->hash);
  self->sent->n_files++;
  return TRUE;
}

static guint64
count_bytes (const GArray *pieces)
{
  guint64 n = 0;

  for (guint i = 0; i < pieces->len; i++)
    n += g_array_index (pieces, AsbTarPiece, i).end - g_array_index (pieces, AsbTarPiece, i).start;
  return n;
}

static gboolean
finish_file (AsbUploadStream *self, GError **error)
{
  AsbUploadEntry *entry = self->entry;

  if (!g_str_equal (g_checksum_get_string (self->hash), entry->hash))
    return fail (self, entry, ASB_UPLOAD_HAS_CHANGED, error);
  asb_tar_append_padding (self->pending, count_bytes (self->pieces));
  end_file (self);
  return TRUE;
}

/* Of the file so much has been looked at, be it a hole. */
static void
go_on (AsbUploadStream *self, const void *bytes, gsize n)
{
  g_checksum_update (self->hash, bytes, (gssize)n);
  self->at += n;
  __atomic_add_fetch (&self->sent->n_bytes, n, __ATOMIC_RELAXED);
}

static void
pass_hole (AsbUploadStream *self, guint64 end)
{
  static guint8 zeros[HOLE_SIZE]; /* not constant: that would stand in the library */

  go_on (self, zeros, (gsize)MIN (end - self->at, HOLE_SIZE));
}

static gssize
read_bytes (AsbUploadStream *self, void *buffer, gsize size, GError **error)
{
  gssize n;

  do
    n = pread (self->fd, buffer, size, (off_t)self->at);
  while (n < 0 && errno == EINTR);
  if (n > 0)
    go_on (self, buffer, (gsize)n);
  else
    fail (self, self->entry, n < 0 ? g_strerror (errno) : ASB_UPLOAD_HAS_CHANGED, error);
  return n > 0 ? n : -1;
}

static gssize
read_file (AsbUploadStream *self, void *buffer, gsize size, GError **error)
{
  const AsbTarPiece *piece = &g_array_index (self->pieces, AsbTarPiece, self->n_pieces);

  if (self->at < piece->start)
    pass_hole (self, piece->start);
  else if (self->at < piece->end)
    return read_bytes (self, buffer, (gsize)MIN (size, piece->end - self->at), error);
  else
    self->n_pieces++;
  return 0;
}

/* Reading. */

/* A directory comes before what is in it. */
static gboolean
tell_next (AsbUploadStream *self, GError **error)
{
  GPtrArray *directories = self->scan->directories;
  GPtrArray *entries = self->scan->entries;
  AsbUploadEntry *entry;

  if (!self->name && self->n_directories < directories->len)
    {
      tell (self, directories->pdata[self->n_directories++]);
      return TRUE;
    }
  if (self->n_entries == entries->len)
    {
      asb_tar_append_end (self->pending);
      self->is_ended = TRUE;
      return TRUE;
    }
  entry = entries->pdata[self->n_entries++];
  if (!entry->link)
    return begin_file (self, entry, error);
  tell (self, entry);
  self->sent->n_files++;
  return TRUE;
}

static gssize
take_pending (AsbUploadStream *self, void *buffer, gsize size)
{
  gsize n = MIN (size, self->pending->len - self->n_taken);

  memcpy (buffer, self->pending->data + self->n_taken, n);
  self->n_taken += n;
  if (self->n_taken == self->pending->len)
    {
      g_byte_array_set_size (self->pending, 0);
      self->n_taken = 0;
    }
  return (gssize)n;
}

/* Something, and 0 when there is nothing yet. */
static gssize
read_some (AsbUploadStream *self, void *buffer, gsize size, GError **error)
{
  if (self->pending->len > 0)
    return take_pending (self, buffer, size);
  if (self->entry && self->n_pieces < self->pieces->len)
    return read_file (self, buffer, size, error);
  if (self->entry)
    return finish_file (self, error) ? 0 : -1;
  return tell_next (self, error) ? 0 : -1;
}

/* As much as there is room for: many small files are not many small pieces. */
static gssize
asb_upload_stream_read (GInputStream *stream, void *buffer, gsize size, GCancellable *cancellable,
                        GError **error)
{
  AsbUploadStream *self = ASB_UPLOAD_STREAM (stream);
  gsize n_read = 0;

  while (n_read < size && !(self->is_ended && self->pending->len == 0))
    {
      gssize n;

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return -1;
      n = read_some (self, (char *)buffer + n_read, size - n_read, error);
      if (n < 0)
        return -1;
      n_read += (gsize)n;
    }
  return (gssize)n_read;
}

static void
asb_upload_stream_class_init (AsbUploadStreamClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_upload_stream_finalize;
  G_INPUT_STREAM_CLASS (klass)->read_fn = asb_upload_stream_read;
}

static void
asb_upload_stream_init (AsbUploadStream *self)
{
  self->fd = -1;
  self->now = g_get_real_time () / G_USEC_PER_SEC;
  self->pending = g_byte_array_new ();
  self->hash = g_checksum_new (G_CHECKSUM_SHA256);
}

GInputStream *
asb_upload_stream_new (const AsbUploadScan *scan, const char *name, gboolean skips_failed,
                       AsbUploadSent *sent)
{
  AsbUploadStream *self = g_object_new (ASB_TYPE_UPLOAD_STREAM, NULL);

  self->scan = scan;
  self->name = g_strdup (name);
  self->skips_failed = skips_failed;
  self->sent = sent;
  return G_INPUT_STREAM (self);
}
