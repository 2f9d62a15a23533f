/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-native-jobs.h"
#include "asb-opensandbox-script.h"
#include "asb-opensandbox-thread.h"
#include "asb-opensandbox-wait.h"

/* What a job has printed, and prints: a piece at a time, when there is room for it. */

#define RESULT_KEY "asb-result"
#define PIECE "196608"
#define PIPE_CAPACITY (256 * 1024)

/* $1 the folder, $2 the file, $3 the offset. In one line, since each is an event. */
#define READ                                                                                       \
  "cd \"$1\" || exit\n"                                                                            \
  "n=0\n"                                                                                          \
  "[ ! -f $2 ] || n=$(($(wc -c <$2)))\n"                                                           \
  "echo $n\n"                                                                                      \
  "[ $n -le $3 ] || { tail -c +$(($3+1)) $2 | head -c " PIECE " | base64 | tr -d '\\n'; echo; }\n"

typedef struct
{
  AsbOpensandboxExecd *execd;
  char *id;
  char *folder;
  const char *file;
  guint64 begin;
  guint64 offset;
  gint64 end; /* what is behind it is not wanted; −1: all */
  gboolean follow;
  gboolean ended; /* the job has, and what it printed is all there */
  AsbPipe *pipe;
  GWeakRef stream;
  GBytes *rest;
  GSource *source; /* waits for room, or for time */
  guint wait_ms;
} Output;

static void
output_free (Output *self)
{
  g_clear_object (&self->execd);
  g_clear_pointer (&self->pipe, asb_pipe_unref);
  g_clear_pointer (&self->rest, g_bytes_unref);
  g_weak_ref_clear (&self->stream);
  asb_opensandbox_thread_clear_timer (&self->source);
  g_free (self->id);
  g_free (self->folder);
  g_free (self);
}

/* Takes @error (nullable). */
static void
finish (Output *self, GError *error)
{
  g_autoptr (GObject) stream = g_weak_ref_get (&self->stream);
  g_autoptr (GError) held = error;
  GVariantDict dict;

  if (stream && !error)
    {
      g_variant_dict_init (&dict, NULL);
      g_variant_dict_insert (&dict, "offset", "x", (gint64)self->begin);
      g_variant_dict_insert (&dict, "next_offset", "x", (gint64)self->offset);
      g_variant_dict_insert (&dict, "ended", "b", self->ended);
      g_object_set_data_full (stream, RESULT_KEY, g_variant_ref_sink (g_variant_dict_end (&dict)),
                              (GDestroyNotify)g_variant_unref);
    }
  if (error)
    asb_pipe_finish_error (self->pipe, error);
  else
    asb_pipe_finish (self->pipe);
  output_free (self);
}

static void read_more (Output *self);
static void push_rest (Output *self);

static gboolean
ready_cb (gpointer user_data)
{
  Output *self = user_data;

  asb_opensandbox_thread_clear_timer (&self->source);
  if (self->rest)
    push_rest (self);
  else
    read_more (self);
  return G_SOURCE_REMOVE;
}

static void
push_rest (Output *self)
{
  g_autoptr (GBytes) bytes = g_steal_pointer (&self->rest);
  gsize size = g_bytes_get_size (bytes);
  gsize pushed = asb_pipe_push (self->pipe, g_bytes_get_data (bytes, NULL), size);

  self->offset += pushed;
  if (asb_pipe_is_stopped (self->pipe))
    {
      finish (self, NULL);
      return;
    }
  if (pushed == size)
    {
      read_more (self);
      return;
    }
  self->rest = g_bytes_new_from_bytes (bytes, pushed, size - pushed);
  self->source = asb_pipe_create_source (self->pipe, ASB_PIPE_CONDITION_WRITABLE);
  g_source_set_callback (self->source, ready_cb, self, NULL);
  g_source_attach (self->source, asb_opensandbox_thread_get_context ());
}

/* It may have printed between the reading and its end. */
static void
asked_cb (AsbOpensandboxJob *job, GError *error, gpointer data)
{
  Output *self = data;
  gboolean running = job && job->running;

  if (job)
    asb_opensandbox_job_free (job);
  if (error || asb_pipe_is_stopped (self->pipe))
    {
      finish (self, error);
      return;
    }
  if (!running)
    {
      self->ended = TRUE;
      read_more (self);
      return;
    }
  self->source = asb_opensandbox_thread_add_timer (asb_opensandbox_wait_next (&self->wait_ms),
                                                   ready_cb, self);
}

static void
come_to_end (Output *self)
{
  if (self->ended || !self->follow)
    finish (self, NULL);
  else
    asb_opensandbox_native_look_up_job (self->execd, self->id, asked_cb, self);
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Output *self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxScriptResult) done = asb_opensandbox_script_run_finish_well (
      ASB_OPENSANDBOX_EXECD (source), result, NULL, &error);
  g_autoptr (GBytes) bytes = done && done->lines[0]
                                 ? asb_opensandbox_script_decode (done->lines, 1, NULL, &error)
                                 : NULL;
  gsize size = bytes ? g_bytes_get_size (bytes) : 0;

  if (error && asb_opensandbox_execd_is_closed (self->execd))
    {
      g_clear_error (&error);
      error = g_error_new_literal (ASB_ERROR, ASB_ERROR_CLOSED, "The transport is closed");
    }
  if (error)
    {
      finish (self, g_steal_pointer (&error));
      return;
    }
  if (self->end >= 0)
    size = MIN (size, (gsize)MAX (self->end - (gint64)self->offset, 0));
  if (size == 0)
    {
      come_to_end (self);
      return;
    }
  self->wait_ms = 0;
  self->rest = g_bytes_new_from_bytes (bytes, 0, size);
  push_rest (self);
}

static void
read_more (Output *self)
{
  g_autofree char *offset = g_strdup_printf ("%" G_GUINT64_FORMAT, self->offset);
  const char *const arguments[] = { self->folder, self->file, offset, NULL };

  asb_opensandbox_script_ask_async (self->execd, READ, arguments, "read what the job printed", NULL,
                                    read_cb, self);
}

#define OUTPUT_KEY "asb-opensandbox-output"

static void
found_cb (AsbOpensandboxJob *job, GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  Output *self = g_object_steal_data (G_OBJECT (task), OUTPUT_KEY);
  GInputStream *stream;

  if (!job)
    {
      g_task_return_error (task, error);
      output_free (self);
      return;
    }
  self->folder = g_strdup_printf (ASB_OPENSANDBOX_JOBS "/%s", job->token);
  self->ended = !job->running;
  if (!self->follow)
    self->end = (gint64)job->sizes[*self->file == 'o' ? 0 : 1];
  asb_opensandbox_job_free (job);
  stream = asb_pipe_create_input_stream (self->pipe, g_task_get_source_object (task));
  g_weak_ref_set (&self->stream, stream);
  asb_opensandbox_answer_object (task, stream);
  read_more (self);
}

void
asb_opensandbox_native_open_job_output (AsbOpensandboxExecd *execd, GVariant *arguments,
                                        GTask *task)
{
  Output *self = g_new0 (Output, 1);
  const char *stream = "stdout";
  gint64 offset = 0;

  g_variant_lookup (arguments, "job_id", "s", &self->id);
  g_variant_lookup (arguments, "stream", "&s", &stream);
  g_variant_lookup (arguments, "offset", "x", &offset);
  g_variant_lookup (arguments, "follow", "b", &self->follow);
  self->execd = g_object_ref (execd);
  self->file = strcmp (stream, "stderr") == 0 ? "e" : "o";
  self->begin = self->offset = (guint64)MAX (offset, 0);
  self->end = -1;
  self->pipe = asb_pipe_new (PIPE_CAPACITY);
  self->wait_ms = 0;
  g_weak_ref_init (&self->stream, NULL);
  g_object_set_data (G_OBJECT (task), OUTPUT_KEY, self);
  asb_opensandbox_native_look_up_job (execd, self->id, found_cb, g_object_ref (task));
}
