/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-native-write.h"

#include <string.h>

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-writing.h"

#define FILE_INFO_KEY "asb-file-info"
#define PIPE_CAPACITY (256 * 1024)

static gboolean
check_rules (AsbOpensandboxNativeCall *call, GTask *task)
{
  const char *hash = call->expected_hash;
  const char *fault = NULL;

  if (hash && (call->flags & ASB_FILE_FLAGS_CREATE_ONLY))
    fault = "A file that must be new has no expected hash";
  else if (hash && (strlen (hash) != 64 || strspn (hash, "0123456789abcdef") != 64))
    fault = "The expected hash must be 64 lower-case hexadecimal digits";
  if (!fault)
    return TRUE;
  g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "%s", fault);
  return FALSE;
}

static void
prepare (GTask *task, AsbOpensandboxWritingReady callback)
{
  AsbOpensandboxNativeCall *call = asb_opensandbox_native_call_get (task);
  AsbOpensandboxWritingRules rules
      = { call->path, call->expected_hash, call->mode, call->flags, 0 };

  if (check_rules (call, task))
    asb_opensandbox_writing_prepare (call->execd, &rules, callback, g_object_ref (task));
}

/* From bytes. */

static void
bytes_ready_cb (AsbOpensandboxWriting *writing, const GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  GBytes *contents = asb_opensandbox_native_call_get (task)->contents;
  g_autoptr (GInputStream) stream = g_memory_input_stream_new ();

  if (!writing)
    {
      g_task_return_error (task, g_error_copy (error));
      return;
    }
  if (contents && g_bytes_get_size (contents) > 0)
    g_memory_input_stream_add_bytes (G_MEMORY_INPUT_STREAM (stream), contents);
  asb_opensandbox_writing_upload (writing, stream,
                                  contents ? (gint64)g_bytes_get_size (contents) : 0, NULL,
                                  asb_opensandbox_answer_written, g_object_ref (task));
}

void
asb_opensandbox_native_write_file (GTask *task)
{
  prepare (task, bytes_ready_cb);
}

/* From a stream: the upload goes on while the application writes, and ends when it closes. */

typedef struct
{
  AsbPipe *pipe;
  GWeakRef stream; /* which may be gone before it is over */
} Upload;

static void
stream_written_cb (AsbFileInfo *info, const GError *error, gpointer data)
{
  Upload *upload = data;
  g_autoptr (GObject) stream = g_weak_ref_get (&upload->stream);

  if (stream && info)
    g_object_set_data_full (stream, FILE_INFO_KEY, g_object_ref (info), g_object_unref);
  if (error)
    {
      asb_pipe_stop (upload->pipe, error);
      asb_pipe_settle_error (upload->pipe, error);
    }
  else
    asb_pipe_settle (upload->pipe);
  asb_pipe_unref (upload->pipe);
  g_weak_ref_clear (&upload->stream);
  g_free (upload);
}

static void
stream_ready_cb (AsbOpensandboxWriting *writing, const GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  g_autoptr (GInputStream) content = NULL;
  GOutputStream *stream;
  Upload *upload;

  if (!writing)
    {
      g_task_return_error (task, g_error_copy (error));
      return;
    }
  upload = g_new0 (Upload, 1);
  upload->pipe = asb_pipe_new (PIPE_CAPACITY);
  content = asb_pipe_create_input_stream (upload->pipe, NULL);
  stream = asb_pipe_create_output_stream (upload->pipe, ASB_PIPE_CLOSE_COMMITS,
                                          g_task_get_source_object (task));
  g_weak_ref_init (&upload->stream, stream);
  asb_opensandbox_writing_upload (writing, content, -1, upload->pipe, stream_written_cb, upload);
  asb_opensandbox_answer_object (task, stream);
}

void
asb_opensandbox_native_open_write (GTask *task)
{
  prepare (task, stream_ready_cb);
}
