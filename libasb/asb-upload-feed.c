/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-feed-private.h"

#include <gio/gunixinputstream.h>

#include "asb-carry-private.h"
#include "asb-error.h"

typedef struct
{
  const AsbUploadEntry *entry;
  GInputStream *input;
  GChecksum *hash;
  guint64 *n_bytes; /* (nullable) */
  const char *why;
} Feed;

static void
feed_free (gpointer data)
{
  Feed *feed = data;

  g_clear_object (&feed->input);
  g_clear_pointer (&feed->hash, g_checksum_free);
  g_free (feed);
}

static GTask *
task_new (gpointer source, const AsbUploadEntry *entry, GCancellable *cancellable,
          GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (source, cancellable, callback, user_data);
  Feed *feed = g_new0 (Feed, 1);

  feed->entry = entry;
  feed->hash = g_checksum_new (G_CHECKSUM_SHA256);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, feed, feed_free);
  return task;
}

static gboolean
is_same (const Feed *feed)
{
  return g_str_equal (g_checksum_get_string (feed->hash), feed->entry->hash);
}

/* Takes @task and @error. */
static void
return_error (GTask *task, GError *error)
{
  g_task_return_error (task, error);
  g_object_unref (task);
}

static GError *
new_file_error (const Feed *feed)
{
  g_autofree char *shown = asb_upload_show (feed->entry->path);

  return g_error_new (ASB_ERROR, ASB_ERROR_UPLOAD_PARTIAL_FAILURE, "Could not upload “%s”: %s",
                      shown, feed->why);
}

static void
look (gpointer data, gconstpointer bytes, gsize size)
{
  Feed *feed = data;

  g_checksum_update (feed->hash, bytes, (gssize)size);
  if (feed->n_bytes)
    *feed->n_bytes += size;
}

/* Writing. */

static gboolean
check (gpointer data, GError **error)
{
  Feed *feed = data;

  if (is_same (feed))
    return TRUE;
  feed->why = ASB_UPLOAD_HAS_CHANGED;
  g_propagate_error (error, new_file_error (feed));
  return FALSE;
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;

  if (asb_carry_finish (result, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
opened_output_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  static const AsbCarryFuncs funcs = { look, check };
  GTask *task = user_data;
  Feed *feed = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (GOutputStream) output
      = asb_transport_open_write_finish (ASB_TRANSPORT (source), result, &error);

  if (output)
    asb_carry_async (feed->input, output, &funcs, feed, g_task_get_cancellable (task), written_cb,
                     task);
  else
    return_error (task, error);
}

void
asb_upload_feed_async (AsbTransport *transport, AsbFileRequest *request,
                       const AsbUploadEntry *entry, int root_fd, guint64 *n_bytes,
                       GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = task_new (transport, entry, cancellable, callback, user_data);
  Feed *feed = g_task_get_task_data (task);
  int fd = asb_upload_entry_open (entry, root_fd, &feed->why);

  g_task_set_source_tag (task, asb_upload_feed_async);
  if (fd < 0)
    {
      return_error (task, new_file_error (feed));
      return;
    }
  feed->input = g_unix_input_stream_new (fd, TRUE);
  feed->n_bytes = n_bytes;
  asb_transport_open_write_async (transport, request, cancellable, opened_output_cb, task);
}

gboolean
asb_upload_feed_finish (GAsyncResult *result, const char **why, GError **error)
{
  Feed *feed = g_task_get_task_data (G_TASK (result));

  *why = feed->why;
  return g_task_propagate_boolean (G_TASK (result), error);
}

/* Comparing. */

static void
compared_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  GError *error = NULL;

  if (asb_carry_finish (result, &error))
    g_task_return_boolean (task, is_same (g_task_get_task_data (task)));
  else
    g_task_return_error (task, error);
}

static void
opened_input_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  static const AsbCarryFuncs funcs = { look, NULL };
  GTask *task = user_data;
  Feed *feed = g_task_get_task_data (task);
  GError *error = NULL;

  feed->input = asb_transport_open_read_finish (ASB_TRANSPORT (source), result, &error);
  if (feed->input)
    asb_carry_async (feed->input, NULL, &funcs, feed, g_task_get_cancellable (task), compared_cb,
                     task);
  else
    return_error (task, error);
}

void
asb_upload_feed_compare_async (AsbTransport *transport, AsbFileRequest *request,
                               const AsbUploadEntry *entry, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = task_new (transport, entry, cancellable, callback, user_data);

  g_task_set_source_tag (task, asb_upload_feed_compare_async);
  asb_transport_open_read_async (transport, request, cancellable, opened_input_cb, task);
}

gboolean
asb_upload_feed_compare_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
