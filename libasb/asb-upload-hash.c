/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-hash-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "asb-error.h"

#define BLOCK_SIZE (256 * 1024)

/* Fewer files are not worth a thread. */
#define FILES_PER_THREAD 16

typedef struct
{
  AsbUploadScan *scan;
  GCancellable *cancellable;
  int next; /* of the entries, which are taken one by one */
} Hashing;

static gboolean
add_bytes (GChecksum *hash, int fd, guint64 size, GCancellable *cancellable)
{
  g_autofree guint8 *block = g_malloc (BLOCK_SIZE);
  guint64 total = 0;

  while (!g_cancellable_is_cancelled (cancellable))
    {
      gssize n = read (fd, block, BLOCK_SIZE);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return n == 0 && total == size;
      total += (guint64)n;
      g_checksum_update (hash, block, n);
      if (total > size)
        break;
    }
  return FALSE;
}

static void
hash_file (AsbUploadEntry *entry, int root_fd, GCancellable *cancellable)
{
  g_autoptr (GChecksum) hash = g_checksum_new (G_CHECKSUM_SHA256);
  int fd = asb_upload_entry_open (entry, root_fd, &entry->why);

  if (fd < 0)
    return;
  errno = 0;
  if (!add_bytes (hash, fd, entry->status.st_size, cancellable))
    entry->why = errno != 0 ? g_strerror (errno) : ASB_UPLOAD_HAS_CHANGED;
  else if (!asb_upload_entry_is_unchanged (entry, fd))
    entry->why = ASB_UPLOAD_HAS_CHANGED;
  close (fd);
  g_strlcpy (entry->hash, g_checksum_get_string (hash), sizeof entry->hash);
}

static void
hash_link (AsbUploadEntry *entry)
{
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, entry->link, -1);

  g_strlcpy (entry->hash, hash, sizeof entry->hash);
}

static gpointer
hash_some (gpointer data)
{
  Hashing *hashing = data;
  GPtrArray *entries = hashing->scan->entries;

  for (;;)
    {
      guint i = (guint)g_atomic_int_add (&hashing->next, 1);
      AsbUploadEntry *entry;

      if (i >= entries->len || g_cancellable_is_cancelled (hashing->cancellable))
        return NULL;
      entry = entries->pdata[i];
      if (entry->link)
        hash_link (entry);
      else
        hash_file (entry, hashing->scan->source.root_fd, hashing->cancellable);
    }
}

static void
hash_in_threads (Hashing *hashing, guint n_threads)
{
  g_autoptr (GPtrArray) threads = g_ptr_array_new ();

  for (guint i = 1; i < n_threads; i++)
    {
      GThread *thread = g_thread_try_new ("asb-upload", hash_some, hashing, NULL);

      if (thread)
        g_ptr_array_add (threads, thread);
    }
  hash_some (hashing);
  for (guint i = 0; i < threads->len; i++)
    g_thread_join (threads->pdata[i]);
}

gboolean
asb_upload_hash_all (AsbUploadScan *scan, AsbUploadConfig *config, GCancellable *cancellable,
                     GError **error)
{
  guint most = MIN (asb_upload_config_get_max_parallel_files (config), g_get_num_processors ());
  Hashing hashing = { .scan = scan, .cancellable = cancellable };

  hash_in_threads (&hashing, CLAMP (scan->entries->len / FILES_PER_THREAD, 1, MAX (most, 1)));
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  asb_upload_scan_drop_failed (scan);
  return TRUE;
}
