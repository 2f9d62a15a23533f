/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-native-archive.h"

#include <string.h>

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-native-call.h"
#include "asb-opensandbox-native.h"
#include "asb-opensandbox-packing.h"
#include "asb-opensandbox-thread.h"
#include "asb-opensandbox-unpacking.h"

#define ARCHIVE_RESULT_KEY "asb-archive-result"
#define PIPE_CAPACITY (256 * 1024)

/* What was asked for, on its way to the thread of the module. */
typedef struct
{
  AsbOpensandboxExecd *execd;
  char *path;
  AsbArchiveConflict conflict;
  AsbArchiveFormat format;
  char **names; /* clean ones; NULL: all */
  AsbOpensandboxBounds bounds;
} Order;

static void
order_free (gpointer data)
{
  Order *order = data;

  g_object_unref (order->execd);
  g_strfreev (order->names);
  g_free (order->path);
  g_free (order);
}

static Order *
order_new (AsbTransport *transport, AsbArchiveOptions *options)
{
  Order *order = g_new0 (Order, 1);

  order->execd
      = g_object_ref (asb_opensandbox_native_get_execd (ASB_OPENSANDBOX_NATIVE (transport)));
  order->path = asb_opensandbox_native_call_clean (asb_archive_options_get_path (options));
  order->conflict = asb_archive_options_get_conflict (options);
  order->format = asb_archive_options_get_format (options);
  order->bounds
      = (AsbOpensandboxBounds){ .members = asb_archive_options_get_max_members (options),
                                .bytes = asb_archive_options_get_max_bytes (options),
                                .file_bytes = asb_archive_options_get_max_file_bytes (options),
                                .ratio = asb_archive_options_get_max_ratio (options) };
  return order;
}

/* Out. */

static gboolean
check_order (AsbTransport *transport, AsbArchiveOptions *options, GTask *task)
{
  return asb_opensandbox_native_check (transport, task)
         && asb_opensandbox_native_call_check_path (asb_archive_options_get_path (options), task);
}

/* “/./a//b” is “a/b”; NULL where it is no name in the folder. */
static char *
clean_name (const char *name)
{
  g_auto (GStrv) segments = g_strsplit (name, "/", -1);
  g_autofree char *clean = asb_opensandbox_native_call_clean (name);

  if (*name == '/' || strcmp (clean, "/") == 0
      || g_strv_contains ((const char *const *)segments, ".."))
    return NULL;
  return g_strdup (clean + 1);
}

static gboolean
take_names (Order *order, const char *const *names, GTask *task)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (gsize i = 0; names && names[i]; i++)
    {
      g_autofree char *clean = clean_name (names[i]);
      g_autofree char *shown = g_utf8_make_valid (names[i], -1);

      if (!clean)
        {
          g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                                   "Could not pack “%.256s”: it is no name in the directory",
                                   shown);
          return FALSE;
        }
      g_strv_builder_add (builder, clean);
    }
  if (names)
    order->names = g_strv_builder_end (builder);
  return TRUE;
}

static void
open_in_thread (GTask *task)
{
  Order *order = g_task_get_task_data (task);
  const AsbOpensandboxPackingRules rules = { .path = order->path,
                                             .names = (const char *const *)order->names,
                                             .format = order->format,
                                             .members = order->bounds.members,
                                             .bytes = order->bounds.bytes,
                                             .file_bytes = order->bounds.file_bytes };

  asb_opensandbox_packing_open (order->execd, &rules, task);
}

void
asb_opensandbox_native_open_archive (AsbTransport *transport, AsbArchiveOptions *options,
                                     GTask *task)
{
  Order *order;

  if (!check_order (transport, options, task))
    return;
  if (asb_archive_options_get_format (options) == ASB_ARCHIVE_FORMAT_ZIP)
    {
      g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                               "A folder can be packed into a tar, not into a zip");
      return;
    }
  order = order_new (transport, options);
  g_task_set_task_data (task, order, order_free);
  if (take_names (order, asb_archive_options_get_names (options), task))
    asb_opensandbox_thread_run (task, open_in_thread);
}

/* In: the archive comes while the application writes, and is unpacked when it closes. */
typedef struct
{
  AsbPipe *pipe;
  GWeakRef stream; /* which may be gone before it is over */
} Extraction;

static void
unpacked_cb (AsbArchiveResult *result, const GError *error, gpointer data)
{
  Extraction *extraction = data;
  g_autoptr (GObject) stream = g_weak_ref_get (&extraction->stream);

  if (stream && result)
    g_object_set_data_full (stream, ARCHIVE_RESULT_KEY, g_object_ref (result), g_object_unref);
  if (error)
    {
      asb_pipe_stop (extraction->pipe, error);
      asb_pipe_settle_error (extraction->pipe, error);
    }
  else
    asb_pipe_settle (extraction->pipe);
  asb_pipe_unref (extraction->pipe);
  g_weak_ref_clear (&extraction->stream);
  g_free (extraction);
}

static void
ready_cb (AsbOpensandboxUnpacking *unpacking, const GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  GOutputStream *stream;
  Extraction *extraction;

  if (!unpacking)
    {
      g_task_return_error (task, g_error_copy (error));
      return;
    }
  extraction = g_new0 (Extraction, 1);
  extraction->pipe = asb_pipe_new (PIPE_CAPACITY);
  stream = asb_pipe_create_output_stream (extraction->pipe, ASB_PIPE_CLOSE_COMMITS,
                                          g_task_get_source_object (task));
  g_weak_ref_init (&extraction->stream, stream);
  asb_opensandbox_unpacking_run (unpacking, extraction->pipe, unpacked_cb, extraction);
  asb_opensandbox_answer_object (task, stream);
}

static void
extract_in_thread (GTask *task)
{
  Order *order = g_task_get_task_data (task);
  const AsbOpensandboxUnpackingRules rules
      = { .path = order->path, .conflict = order->conflict, .bounds = order->bounds };

  asb_opensandbox_unpacking_prepare (order->execd, &rules, ready_cb, g_object_ref (task));
}

void
asb_opensandbox_native_extract_archive (AsbTransport *transport, AsbArchiveOptions *options,
                                        GTask *task)
{
  if (!check_order (transport, options, task))
    return;
  g_task_set_task_data (task, order_new (transport, options), order_free);
  asb_opensandbox_thread_run (task, extract_in_thread);
}
