/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-extraction-private.h"

#include "asb-archive-result-private.h"
#include "asb-carry-private.h"
#include "asb-error.h"

typedef struct
{
  GInputStream *archive;
  GOutputStream *stream;
} Extraction;

static void
extraction_free (gpointer data)
{
  Extraction *extraction = data;

  g_clear_object (&extraction->archive);
  g_clear_object (&extraction->stream);
  g_free (extraction);
}

static void
carried_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = G_TASK (user_data);
  Extraction *extraction = g_task_get_task_data (task);
  AsbArchiveResult *unpacked
      = g_object_get_data (G_OBJECT (extraction->stream), ASB_ARCHIVE_RESULT_KEY);
  GError *error = NULL;

  if (!asb_carry_finish (result, &error))
    g_task_return_error (task, error);
  else if (!unpacked)
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_PROTOCOL,
                             "Could not unpack the archive: The transport does not tell what "
                             "became of it");
  else
    g_task_return_pointer (task, g_object_ref (unpacked), g_object_unref);
}

/* Closing is what unpacks. */
static void
extracting_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  static const AsbCarryFuncs funcs = { 0 };
  GTask *task = user_data;
  Extraction *extraction = g_task_get_task_data (task);
  GError *error = NULL;

  extraction->stream
      = asb_transport_extract_archive_finish (ASB_TRANSPORT (source), result, &error);
  if (extraction->stream)
    {
      asb_carry_async (extraction->archive, extraction->stream, &funcs, NULL,
                       g_task_get_cancellable (task), carried_cb, task);
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
