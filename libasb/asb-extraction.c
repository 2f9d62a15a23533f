/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-extraction-private.h"

#include "asb-archive-result-private.h"
#include "asb-error.h"

#define BUFFER_SIZE (64 * 1024)

typedef struct
{
  GInputStream *archive;
  GOutputStream *stream;
  GError *error; /* why it is not closed as a whole */
  char buffer[BUFFER_SIZE];
} Extraction;

static void
extraction_free (gpointer data)
{
  Extraction *extraction = data;

  g_clear_object (&extraction->archive);
  g_clear_object (&extraction->stream);
  g_clear_error (&extraction->error);
  g_free (extraction);
}

static void
closed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  Extraction *extraction = g_task_get_task_data (task);
  AsbArchiveResult *unpacked = g_object_get_data (source, ASB_ARCHIVE_RESULT_KEY);
  GError *error = NULL;

  if (!g_output_stream_close_finish (G_OUTPUT_STREAM (source), result, &error))
    {
      if (extraction->error)
        g_clear_error (&error);
      g_task_return_error (task, error ? error : g_steal_pointer (&extraction->error));
    }
  else if (extraction->error)
    g_task_return_error (task, g_steal_pointer (&extraction->error));
  else if (!unpacked)
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_PROTOCOL,
                             "Could not unpack the archive: The transport does not tell what "
                             "became of it");
  else
    g_task_return_pointer (task, g_object_ref (unpacked), g_object_unref);
}

/* Closing is what unpacks; a cancelled closing leaves everything as it was. Takes both. */
static void
close_stream (GTask *task, GError *error)
{
  Extraction *extraction = g_task_get_task_data (task);
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();

  extraction->error = error;
  g_cancellable_cancel (cancelled);
  g_output_stream_close_async (extraction->stream, G_PRIORITY_DEFAULT,
                               error ? cancelled : g_task_get_cancellable (task), closed_cb, task);
}

static void read_some (GTask *task);

static void
written_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;

  if (g_output_stream_write_all_finish (G_OUTPUT_STREAM (source), result, NULL, &error))
    read_some (user_data);
  else
    close_stream (user_data, error);
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Extraction *extraction = g_task_get_task_data (task);
  GError *error = NULL;
  gssize n = g_input_stream_read_finish (G_INPUT_STREAM (source), result, &error);

  if (n > 0)
    g_output_stream_write_all_async (extraction->stream, extraction->buffer, n, G_PRIORITY_DEFAULT,
                                     g_task_get_cancellable (task), written_cb, task);
  else
    close_stream (task, error);
}

static void
read_some (GTask *task)
{
  Extraction *extraction = g_task_get_task_data (task);

  g_input_stream_read_async (extraction->archive, extraction->buffer, BUFFER_SIZE,
                             G_PRIORITY_DEFAULT, g_task_get_cancellable (task), read_cb, task);
}

static void
extracting_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  Extraction *extraction = g_task_get_task_data (task);
  GError *error = NULL;

  extraction->stream
      = asb_transport_extract_archive_finish (ASB_TRANSPORT (source), result, &error);
  if (extraction->stream)
    {
      read_some (task);
      return;
    }
  g_task_return_error (task, error);
  g_object_unref (task);
}

void
asb_extraction_run_async (AsbTransport *transport, AsbArchiveOptions *options,
                          GInputStream *archive, GCancellable *cancellable,
                          GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (transport, cancellable, callback, user_data);
  Extraction *extraction = g_new0 (Extraction, 1);

  extraction->archive = g_object_ref (archive);
  g_task_set_source_tag (task, asb_extraction_run_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, extraction, extraction_free);
  asb_transport_extract_archive_async (transport, options, cancellable, extracting_cb, task);
}

AsbArchiveResult *
asb_extraction_run_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
