/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-feed-private.h"

#include <gio/gunixinputstream.h>

#include "asb-error.h"

#define BUFFER_SIZE (64 * 1024)

typedef struct
{
  const AsbUploadEntry *entry;
  GInputStream *input;
  GOutputStream *output; /* (nullable): what is read is only compared */
  GChecksum *hash;
  guint64 *n_bytes; /* (nullable) */
  const char *why;
  GError *error;
  char buffer[BUFFER_SIZE];
} Feed;

static void
feed_free (gpointer data)
{
  Feed *feed = data;

  g_clear_object (&feed->input);
  g_clear_object (&feed->output);
  g_clear_pointer (&feed->hash, g_checksum_free);
  g_clear_error (&feed->error);
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

/* Writing: closing puts the file there, and a cancelled closing does not. */

static void read_some (GTask *task);

static void
closed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Feed *feed = g_task_get_task_data (task);
  GError *error = NULL;

  if (!g_output_stream_close_finish (G_OUTPUT_STREAM (source), result, &error) && !feed->error)
    {
      return_error (task, error);
      return;
    }
  g_clear_error (&error);
  if (feed->error)
    g_task_return_error (task, g_steal_pointer (&feed->error));
  else
    g_task_return_boolean (task, TRUE);
  g_object_unref (task);
}

/* Takes @error. */
static void
close_output (GTask *task, GError *error)
{
  Feed *feed = g_task_get_task_data (task);
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();

  feed->error = error;
  g_cancellable_cancel (cancelled);
  g_output_stream_close_async (feed->output, G_PRIORITY_DEFAULT,
                               error ? cancelled : g_task_get_cancellable (task), closed_cb, task);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;

  if (g_output_stream_write_all_finish (G_OUTPUT_STREAM (source), result, NULL, &error))
    read_some (user_data);
  else
    close_output (user_data, error);
}

/* Nothing is left to be read. Takes @error. */
static void
end (GTask *task, GError *error)
{
  Feed *feed = g_task_get_task_data (task);

  if (!feed->output && error)
    return_error (task, error);
  else if (!feed->output)
    {
      g_task_return_boolean (task, is_same (feed));
      g_object_unref (task);
    }
  else if (error || is_same (feed))
    close_output (task, error);
  else
    {
      feed->why = ASB_UPLOAD_HAS_CHANGED;
      close_output (task, new_file_error (feed));
    }
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Feed *feed = g_task_get_task_data (task);
  GError *error = NULL;
  gssize n = g_input_stream_read_finish (G_INPUT_STREAM (source), result, &error);

  if (n <= 0)
    {
      end (task, error);
      return;
    }
  g_checksum_update (feed->hash, (const guchar *)feed->buffer, n);
  if (feed->n_bytes)
    *feed->n_bytes += (guint64)n;
  if (feed->output)
    g_output_stream_write_all_async (feed->output, feed->buffer, n, G_PRIORITY_DEFAULT,
                                     g_task_get_cancellable (task), written_cb, task);
  else
    read_some (task);
}

static void
read_some (GTask *task)
{
  Feed *feed = g_task_get_task_data (task);

  g_input_stream_read_async (feed->input, feed->buffer, BUFFER_SIZE, G_PRIORITY_DEFAULT,
                             g_task_get_cancellable (task), read_cb, task);
}

static void
opened_output_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Feed *feed = g_task_get_task_data (task);
  GError *error = NULL;

  feed->output = asb_transport_open_write_finish (ASB_TRANSPORT (source), result, &error);
  if (feed->output)
    read_some (task);
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
opened_input_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Feed *feed = g_task_get_task_data (task);
  GError *error = NULL;

  feed->input = asb_transport_open_read_finish (ASB_TRANSPORT (source), result, &error);
  if (feed->input)
    read_some (task);
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
