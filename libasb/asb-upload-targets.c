/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-targets-private.h"

#include "asb-error.h"

/* Those who want to upload to one path. */
typedef struct
{
  AsbSlotQueue *queue;
  guint n_users;
} Line;

struct _AsbUploadTargets
{
  gatomicrefcount references;
  double seconds;
  GMutex mutex;
  GHashTable *lines; /* by path, as long as somebody stands in it */
};

struct _AsbUploadTarget
{
  AsbUploadTargets *targets;
  char *path;
  AsbSlotQueue *queue;
  gboolean has_slot;
};

static void
line_free (gpointer data)
{
  Line *line = data;

  g_object_unref (line->queue);
  g_free (line);
}

AsbUploadTargets *
asb_upload_targets_new (double seconds)
{
  AsbUploadTargets *self = g_new0 (AsbUploadTargets, 1);

  g_atomic_ref_count_init (&self->references);
  g_mutex_init (&self->mutex);
  self->seconds = seconds;
  self->lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, line_free);
  return self;
}

void
asb_upload_targets_unref (AsbUploadTargets *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_hash_table_unref (self->lines);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

/* Returns: (transfer full) */
static AsbSlotQueue *
enter (AsbUploadTargets *self, const char *path)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  Line *line = g_hash_table_lookup (self->lines, path);

  if (!line)
    {
      line = g_new0 (Line, 1);
      line->queue = asb_slot_queue_new (1, self->seconds, ASB_ERROR_LOCK_ACQUISITION_TIMEOUT,
                                        "uploads to the same target");
      g_hash_table_insert (self->lines, g_strdup (path), line);
    }
  line->n_users++;
  return g_object_ref (line->queue);
}

static void
leave (AsbUploadTargets *self, const char *path)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  Line *line = g_hash_table_lookup (self->lines, path);

  if (--line->n_users == 0)
    g_hash_table_remove (self->lines, path);
}

AsbUploadTarget *
asb_upload_target_new (AsbUploadTargets *targets, const char *path)
{
  AsbUploadTarget *self = g_new0 (AsbUploadTarget, 1);

  g_atomic_ref_count_inc (&targets->references);
  self->targets = targets;
  self->path = g_strdup (path);
  self->queue = enter (targets, path);
  return self;
}

void
asb_upload_target_free (AsbUploadTarget *self)
{
  if (self->has_slot)
    asb_slot_queue_leave (self->queue);
  leave (self->targets, self->path);
  g_object_unref (self->queue);
  asb_upload_targets_unref (self->targets);
  g_free (self->path);
  g_free (self);
}

void
asb_upload_target_take_async (AsbUploadTarget *self, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  asb_slot_queue_take_async (self->queue, cancellable, callback, user_data);
}

gboolean
asb_upload_target_take_finish (AsbUploadTarget *self, GAsyncResult *result, GError **error)
{
  self->has_slot = asb_slot_queue_take_finish (self->queue, result, error);
  return self->has_slot;
}
