/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "peer.h"

#include <string.h>

#include "asb-pipe-stream-private.h"

#define CAPACITY 1000

/* One that was joined may be among them for a moment yet. */
static guint
count_threads (void)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (tasks))
    n++;
  return n;
}

static void
fill (guint8 *bytes, gsize size, guint seed)
{
  for (gsize i = 0; i < size; i++)
    bytes[i] = (guint8)(seed + i * 7 + i / 251);
}

/* Every size of piece keeps the bytes and their order, round and round the ring. */
static void
test_order (void)
{
  guint8 bytes[CAPACITY];
  guint8 taken[CAPACITY];

  for (gsize piece = 1; piece <= CAPACITY; piece += 37)
    {
      g_autoptr (AsbPipe) pipe = asb_pipe_new (CAPACITY);
      gsize total = 0;

      for (guint round = 0; round < 30; round++)
        {
          fill (bytes, piece, round);
          g_assert_cmpuint (asb_pipe_push (pipe, bytes, piece), ==, piece);
          g_assert_cmpint (asb_pipe_read (pipe, taken, CAPACITY, FALSE, NULL, NULL), ==, piece);
          g_assert_cmpmem (taken, piece, bytes, piece);
          total += piece;
        }
      g_assert_cmpuint (total, ==, piece * 30);
    }
}

static void
test_capacity (void)
{
  g_autoptr (AsbPipe) pipe = asb_pipe_new (CAPACITY);
  guint8 bytes[CAPACITY + 1] = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (asb_pipe_push (pipe, bytes, sizeof bytes), ==, CAPACITY);
  g_assert_cmpuint (asb_pipe_push (pipe, bytes, 1), ==, 0);
  g_assert_false (asb_pipe_check (pipe, ASB_PIPE_CONDITION_WRITABLE));
  g_assert_cmpint (asb_pipe_write (pipe, bytes, 1, FALSE, NULL, &error), ==, -1);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK);
  g_assert_cmpuint (asb_pipe_pull (pipe, bytes, 10), ==, 10);
  g_assert_true (asb_pipe_check (pipe, ASB_PIPE_CONDITION_WRITABLE));
  g_assert_cmpuint (asb_pipe_push (pipe, bytes, 100), ==, 10);
}

/* What was written before the end, or before an error, can still be read. */
static void
test_end (void)
{
  g_autoptr (GError) lost
      = g_error_new_literal (ASB_ERROR, ASB_ERROR_INTERRUPTED, "The line is cut");

  for (int failing = 0; failing < 2; failing++)
    {
      g_autoptr (AsbPipe) pipe = asb_pipe_new (CAPACITY);
      g_autoptr (GInputStream) stream = asb_pipe_input_stream_new (pipe, NULL);
      g_autoptr (GError) error = NULL;
      char bytes[10];

      asb_pipe_push (pipe, "abc", 3);
      if (failing)
        asb_pipe_finish_error (pipe, lost);
      asb_pipe_finish (pipe);
      g_assert_cmpuint (asb_pipe_push (pipe, "def", 3), ==, 0);
      g_assert_cmpint (g_input_stream_read (stream, bytes, 2, NULL, NULL), ==, 2);
      g_assert_cmpint (g_input_stream_read (stream, bytes, 2, NULL, NULL), ==, 1);
      for (int i = 0; i < 2; i++)
        {
          g_assert_cmpint (g_input_stream_read (stream, bytes, 2, NULL, &error), ==,
                           failing ? -1 : 0);
          if (failing)
            g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
          g_clear_error (&error);
        }
    }
}

static void
count_cb (gpointer data)
{
  ++*(guint *)data;
}

static void
test_notify_reader (void)
{
  g_autoptr (AsbPipe) pipe = asb_pipe_new (CAPACITY);
  g_autoptr (GInputStream) stream = asb_pipe_input_stream_new (pipe, NULL);
  AsbPipeStatus status;
  guint n = 0;
  guint8 bytes[CAPACITY] = { 0 };

  asb_pipe_set_notify (pipe, count_cb, &n);
  asb_pipe_watch (pipe, 100, &status);
  asb_pipe_push (pipe, bytes, CAPACITY);
  g_assert_cmpint (g_input_stream_read (stream, bytes, 99, NULL, NULL), ==, 99);
  g_assert_cmpuint (n, ==, 0);
  g_assert_cmpint (g_input_stream_read (stream, bytes, 1, NULL, NULL), ==, 1);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpint (g_input_stream_read (stream, bytes, 200, NULL, NULL), ==, 200);
  g_assert_cmpuint (n, ==, 1);
  asb_pipe_watch (pipe, 400, &status);
  g_assert_cmpuint (status.taken, ==, 300);
  g_assert_cmpuint (status.waiting, ==, CAPACITY - 300);
  g_assert_false (status.stopped);
  g_assert_true (g_input_stream_close (stream, NULL, NULL));
  g_assert_cmpuint (n, ==, 2);
  asb_pipe_watch (pipe, 400, &status);
  g_assert_true (status.stopped);
  g_assert_cmpuint (status.waiting, ==, 0);
  g_assert_cmpuint (asb_pipe_push (pipe, bytes, 1), ==, 0);
  asb_pipe_set_notify (pipe, NULL, NULL);
}

static void
test_notify_writer (void)
{
  g_autoptr (AsbPipe) pipe = asb_pipe_new (CAPACITY);
  g_autoptr (GOutputStream) stream
      = asb_pipe_output_stream_new (pipe, ASB_PIPE_CLOSE_AT_ONCE, NULL);
  AsbPipeStatus status;
  char taken[10];
  guint n = 0;

  asb_pipe_set_notify (pipe, count_cb, &n);
  asb_pipe_watch (pipe, G_MAXUINT64, &status);
  g_assert_cmpint (g_output_stream_write (stream, "abc", 3, NULL, NULL), ==, 3);
  g_assert_cmpint (g_output_stream_write (stream, "de", 2, NULL, NULL), ==, 2);
  g_assert_cmpuint (n, ==, 1);
  asb_pipe_watch (pipe, G_MAXUINT64, &status);
  g_assert_cmpuint (status.waiting, ==, 5);
  g_assert_cmpuint (asb_pipe_pull (pipe, taken, 10), ==, 5);
  g_assert_cmpmem (taken, 5, "abcde", 5);
  g_assert_true (g_output_stream_close (stream, NULL, NULL));
  g_assert_cmpuint (n, ==, 2);
  asb_pipe_watch (pipe, G_MAXUINT64, &status);
  g_assert_true (status.finished);
  g_assert_false (status.aborted);
  asb_pipe_set_notify (pipe, NULL, NULL);
}

static void
test_broken (void)
{
  g_autoptr (AsbPipe) pipe = asb_pipe_new (CAPACITY);
  g_autoptr (GOutputStream) stream
      = asb_pipe_output_stream_new (pipe, ASB_PIPE_CLOSE_AT_ONCE, NULL);
  g_autoptr (GError) broken = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE, "Gone");
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_output_stream_write (stream, "abc", 3, NULL, NULL), ==, 3);
  asb_pipe_stop (pipe, broken);
  g_assert_cmpint (g_output_stream_write (stream, "abc", 3, NULL, &error), ==, -1);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE);
}

/* A connection that is told when the stream has read. */
typedef struct
{
  AsbPipe *pipe;
  gsize total;
  GMutex lock;
  GCond changed;
  gboolean told;
} Worker;

static void
tell_worker (gpointer data)
{
  Worker *worker = data;

  g_mutex_lock (&worker->lock);
  worker->told = TRUE;
  g_cond_signal (&worker->changed);
  g_mutex_unlock (&worker->lock);
}

static void
wait_for_reader (Worker *worker)
{
  AsbPipeStatus status;

  asb_pipe_watch (worker->pipe, 0, &status);
  if (status.waiting < CAPACITY)
    return;
  g_mutex_lock (&worker->lock);
  while (!worker->told)
    g_cond_wait (&worker->changed, &worker->lock);
  worker->told = FALSE;
  g_mutex_unlock (&worker->lock);
}

static gpointer
feed (gpointer data)
{
  Worker *worker = data;
  guint8 bytes[333];
  gsize done = 0;

  while (done < worker->total)
    {
      gsize size = MIN (sizeof bytes, worker->total - done);
      gsize count;

      for (gsize i = 0; i < size; i++)
        bytes[i] = (guint8)((done + i) % 253);
      count = asb_pipe_push (worker->pipe, bytes, size);
      if (count < size)
        wait_for_reader (worker);
      done += count;
    }
  asb_pipe_finish (worker->pipe);
  return NULL;
}

static void
test_blocking (void)
{
  Worker worker = { asb_pipe_new (CAPACITY), 300000 };
  g_autoptr (GInputStream) stream = asb_pipe_input_stream_new (worker.pipe, NULL);
  GThread *thread;
  guint8 bytes[777];
  gsize total = 0;
  gssize n;

  asb_pipe_set_notify (worker.pipe, tell_worker, &worker);
  thread = g_thread_new ("feed", feed, &worker);

  while ((n = g_input_stream_read (stream, bytes, sizeof bytes, NULL, NULL)) > 0)
    for (gssize i = 0; i < n; i++)
      g_assert_cmpuint (bytes[i], ==, total++ % 253);
  g_assert_cmpuint (total, ==, worker.total);
  g_thread_join (thread);
  asb_pipe_set_notify (worker.pipe, NULL, NULL);
  asb_pipe_unref (worker.pipe);
}

static gpointer
cancel (gpointer data)
{
  g_cancellable_cancel (data);
  return NULL;
}

static void
test_cancel_read (void)
{
  g_autoptr (AsbPipe) pipe = asb_pipe_new (CAPACITY);
  g_autoptr (GInputStream) stream = asb_pipe_input_stream_new (pipe, NULL);
  char byte;

  for (int before = 0; before < 2; before++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      GThread *thread = g_thread_new ("cancel", cancel, cancellable);

      if (before)
        g_thread_join (thread);
      g_assert_cmpint (g_input_stream_read (stream, &byte, 1, cancellable, &error), ==, -1);
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      if (!before)
        g_thread_join (thread);
    }
  asb_pipe_push (pipe, "x", 1);
  g_assert_cmpint (g_input_stream_read (stream, &byte, 1, NULL, NULL), ==, 1);
}

static void
test_cancel_write (void)
{
  g_autoptr (AsbPipe) pipe = asb_pipe_new (1);
  g_autoptr (GOutputStream) stream
      = asb_pipe_output_stream_new (pipe, ASB_PIPE_CLOSE_AT_ONCE, NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GThread *thread;

  g_assert_cmpint (g_output_stream_write (stream, "x", 1, NULL, NULL), ==, 1);
  thread = g_thread_new ("cancel", cancel, cancellable);
  g_assert_cmpint (g_output_stream_write (stream, "y", 1, cancellable, &error), ==, -1);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
}

/* Hundreds of streams on which nothing comes are read at once, without a thread for any. */
static void
test_quiet (void)
{
  enum
  {
    N = 300
  };
  g_autoptr (GPtrArray) streams = g_ptr_array_new_with_free_func (g_object_unref);
  AsbPipe *pipes[N];
  Pending pending[N] = { { 0 } };
  static char bytes[N];
  guint before = count_threads ();

  for (guint i = 0; i < N; i++)
    {
      pipes[i] = asb_pipe_new (CAPACITY);
      g_ptr_array_add (streams, asb_pipe_input_stream_new (pipes[i], NULL));
      g_input_stream_read_async (g_ptr_array_index (streams, i), &bytes[i], 1, G_PRIORITY_DEFAULT,
                                 NULL, pending_cb, &pending[i]);
    }
  g_assert_false (pending_is_done (&pending[0]));
  g_assert_cmpuint (count_threads (), <=, before);
  for (guint i = N; i-- > 0;)
    {
      g_autoptr (GAsyncResult) result = NULL;

      g_assert_false (pending_is_done (&pending[i]));
      asb_pipe_push (pipes[i], "z", 1);
      result = pending_wait (&pending[i]);
      g_assert_cmpint (g_input_stream_read_finish (g_ptr_array_index (streams, i), result, NULL),
                       ==, 1);
      g_assert_cmpint (bytes[i], ==, 'z');
      asb_pipe_unref (pipes[i]);
    }
  g_assert_cmpuint (count_threads (), <=, before);
}

/* The same of writing, flushing and closing. */
static void
test_quiet_writers (void)
{
  g_autoptr (AsbPipe) pipe = asb_pipe_new (3);
  g_autoptr (GOutputStream) stream
      = asb_pipe_output_stream_new (pipe, ASB_PIPE_CLOSE_AT_ONCE, NULL);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  Pending pending = { 0 };
  gsize written = 0;
  guint before = count_threads ();
  char taken[3];

  g_output_stream_write_all_async (stream, "abcdefg", 7, G_PRIORITY_DEFAULT, NULL, pending_cb,
                                   &pending);
  for (int i = 0; i < 2; i++)
    {
      g_assert_false (pending_is_done (&pending));
      g_assert_cmpuint (asb_pipe_pull (pipe, taken, 3), ==, 3);
    }
  result = pending_wait (&pending);
  g_assert_true (g_output_stream_write_all_finish (stream, result, &written, &error));
  g_assert_cmpuint (written, ==, 7);
  g_clear_object (&result);

  g_output_stream_flush_async (stream, G_PRIORITY_DEFAULT, NULL, pending_cb, &pending);
  result = pending_wait (&pending);
  g_assert_true (g_output_stream_flush_finish (stream, result, &error));
  g_clear_object (&result);
  g_output_stream_close_async (stream, G_PRIORITY_DEFAULT, NULL, pending_cb, &pending);
  result = pending_wait (&pending);
  g_assert_true (g_output_stream_close_finish (stream, result, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (count_threads (), <=, before);
}

static gboolean
readable_cb (GObject *stream, gpointer user_data)
{
  GString *text = user_data;
  char bytes[2];
  g_autoptr (GError) error = NULL;
  gssize n = g_pollable_input_stream_read_nonblocking (G_POLLABLE_INPUT_STREAM (stream), bytes, 2,
                                                       NULL, &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK))
    return G_SOURCE_CONTINUE;
  g_assert_no_error (error);
  g_string_append_len (text, bytes, n);
  if (n == 0)
    g_string_append_c (text, '.');
  return n > 0;
}

static gpointer
push_slowly (gpointer data)
{
  AsbPipe *pipe = data;

  for (char c = 'a'; c <= 'z'; c++)
    asb_pipe_push (pipe, &c, 1);
  asb_pipe_finish (pipe);
  return NULL;
}

/* A source is woken from another thread, and not lost whenever that happens. */
static void
test_source (void)
{
  for (int i = 0; i < 200; i++)
    {
      g_autoptr (AsbPipe) pipe = asb_pipe_new (CAPACITY);
      g_autoptr (GInputStream) stream = asb_pipe_input_stream_new (pipe, NULL);
      g_autoptr (GSource) source
          = g_pollable_input_stream_create_source (G_POLLABLE_INPUT_STREAM (stream), NULL);
      g_autoptr (GString) text = g_string_new (NULL);
      GThread *thread;

      g_assert_true (g_pollable_input_stream_can_poll (G_POLLABLE_INPUT_STREAM (stream)));
      g_source_set_callback (source, G_SOURCE_FUNC (readable_cb), text, NULL);
      g_source_attach (source, NULL);
      thread = g_thread_new ("push", push_slowly, pipe);
      while (!g_str_has_suffix (text->str, "."))
        g_main_context_iteration (NULL, TRUE);
      g_thread_join (thread);
      g_assert_cmpstr (text->str, ==, "abcdefghijklmnopqrstuvwxyz.");
      g_source_destroy (source);
    }
}

static gboolean
cancelled_cb (GObject *stream, gpointer user_data)
{
  *(gboolean *)user_data = TRUE;
  return G_SOURCE_REMOVE;
}

static void
test_source_cancelled (void)
{
  g_autoptr (AsbPipe) pipe = asb_pipe_new (CAPACITY);
  g_autoptr (GInputStream) stream = asb_pipe_input_stream_new (pipe, NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GSource) source
      = g_pollable_input_stream_create_source (G_POLLABLE_INPUT_STREAM (stream), cancellable);
  gboolean called = FALSE;

  g_source_set_callback (source, G_SOURCE_FUNC (cancelled_cb), &called, NULL);
  g_source_attach (source, NULL);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_false (called);
  g_cancellable_cancel (cancellable);
  while (!called)
    g_main_context_iteration (NULL, TRUE);
  g_source_destroy (source);
}

static void
test_commit (void)
{
  g_autoptr (GError) refused = g_error_new_literal (ASB_ERROR, ASB_ERROR_NO_SPACE, "Full");

  for (int failing = 0; failing < 2; failing++)
    {
      g_autoptr (AsbPipe) pipe = asb_pipe_new (CAPACITY);
      g_autoptr (GOutputStream) stream
          = asb_pipe_output_stream_new (pipe, ASB_PIPE_CLOSE_COMMITS, NULL);
      g_autoptr (GAsyncResult) result = NULL;
      g_autoptr (GError) error = NULL;
      Pending pending = { 0 };

      g_output_stream_close_async (stream, G_PRIORITY_DEFAULT, NULL, pending_cb, &pending);
      g_assert_false (pending_is_done (&pending));
      if (failing)
        asb_pipe_settle_error (pipe, refused);
      asb_pipe_settle (pipe);
      result = pending_wait (&pending);
      g_assert_cmpint (g_output_stream_close_finish (stream, result, &error), ==, !failing);
      if (failing)
        g_assert_error (error, ASB_ERROR, ASB_ERROR_NO_SPACE);
    }
}

static gpointer
settle (gpointer data)
{
  AsbPipe *pipe = data;

  asb_pipe_wait (pipe, ASB_PIPE_CONDITION_READABLE, 0, NULL);
  asb_pipe_settle (pipe);
  return NULL;
}

static void
test_commit_blocking (void)
{
  g_autoptr (AsbPipe) pipe = asb_pipe_new (CAPACITY);
  g_autoptr (GOutputStream) stream
      = asb_pipe_output_stream_new (pipe, ASB_PIPE_CLOSE_COMMITS, NULL);
  GThread *thread = g_thread_new ("settle", settle, pipe);

  g_assert_true (g_output_stream_close (stream, NULL, NULL));
  g_thread_join (thread);
}

/* Nothing is done when the closing is cancelled before it begins, nor when nobody closes. */
static void
test_abort (void)
{
  for (int dropped = 0; dropped < 2; dropped++)
    {
      g_autoptr (AsbPipe) pipe = asb_pipe_new (CAPACITY);
      GOutputStream *stream = asb_pipe_output_stream_new (pipe, ASB_PIPE_CLOSE_COMMITS, NULL);
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      AsbPipeStatus status;
      guint n = 0;

      asb_pipe_set_notify (pipe, count_cb, &n);
      g_cancellable_cancel (cancellable);
      if (!dropped)
        {
          g_assert_false (g_output_stream_close (stream, cancellable, &error));
          g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
        }
      g_object_unref (stream);
      g_assert_cmpuint (n, ==, 1);
      asb_pipe_watch (pipe, G_MAXUINT64, &status);
      g_assert_true (status.aborted);
      g_assert_true (asb_pipe_is_aborted (pipe));
      asb_pipe_set_notify (pipe, NULL, NULL);
    }
}

/* Cancelled while waiting: the answer comes when the outcome is known. GIO answers that it was
 * cancelled, whatever the outcome. */
static void
test_abort_late (void)
{
  g_autoptr (AsbPipe) pipe = asb_pipe_new (CAPACITY);
  g_autoptr (GOutputStream) stream
      = asb_pipe_output_stream_new (pipe, ASB_PIPE_CLOSE_COMMITS, NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  AsbPipeStatus status;
  Pending pending = { 0 };

  g_output_stream_close_async (stream, G_PRIORITY_DEFAULT, cancellable, pending_cb, &pending);
  g_assert_false (pending_is_done (&pending));
  g_cancellable_cancel (cancellable);
  g_assert_false (pending_is_done (&pending));
  asb_pipe_watch (pipe, G_MAXUINT64, &status);
  g_assert_true (status.finished);
  g_assert_true (status.aborted);
  asb_pipe_settle (pipe);
  result = pending_wait (&pending);
  g_assert_false (g_output_stream_close_finish (stream, result, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* What the transport sees of a stream, without a notification. */
static void
test_transport_side (void)
{
  g_autoptr (AsbPipe) in = asb_pipe_new (4);
  g_autoptr (AsbPipe) out = asb_pipe_new (4);
  g_autoptr (GInputStream) input = asb_pipe_create_input_stream (in, NULL);
  g_autoptr (GOutputStream) output
      = asb_pipe_create_output_stream (out, ASB_PIPE_CLOSE_AT_ONCE, NULL);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GBytes) rest = NULL;
  char taken[4];

  g_assert_cmpuint (asb_pipe_push (in, "abcde", 5), ==, 4);
  g_assert_cmpuint (asb_pipe_get_room (in), ==, 0);
  g_assert_cmpint (g_input_stream_read (input, taken, 3, NULL, NULL), ==, 3);
  g_assert_cmpuint (asb_pipe_get_room (in), ==, 3);
  g_assert_cmpuint (asb_pipe_get_taken (in), ==, 3);
  g_assert_cmpuint (asb_pipe_get_waiting (in), ==, 1);
  g_assert_true (g_input_stream_close (input, NULL, NULL));
  g_assert_true (asb_pipe_is_stopped (in));
  g_assert_cmpuint (asb_pipe_get_room (in), ==, 0);

  g_assert_cmpint (g_output_stream_write (output, "xyz", 3, NULL, NULL), ==, 3);
  bytes = asb_pipe_pull_bytes (out, 2);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "xy", 2);
  g_assert_false (asb_pipe_is_finished (out));
  g_assert_true (g_output_stream_close (output, NULL, NULL));
  g_assert_true (asb_pipe_is_finished (out));
  rest = asb_pipe_pull_bytes (out, 100);
  g_assert_cmpuint (g_bytes_get_size (rest), ==, 1);
}

typedef struct
{
  AsbPipe *from; /* what a stream writes */
  AsbPipe *to;   /* what a stream reads */
  GMainLoop *loop;
} Echo;

static gboolean
echo_cb (gpointer user_data)
{
  Echo *echo = user_data;
  guint8 bytes[3];
  gsize size = asb_pipe_pull (echo->from, bytes, MIN (sizeof bytes, asb_pipe_get_room (echo->to)));

  g_assert_cmpuint (asb_pipe_push (echo->to, bytes, size), ==, size);
  if (size > 0 || !asb_pipe_is_finished (echo->from) || asb_pipe_get_waiting (echo->from) > 0)
    return G_SOURCE_CONTINUE;
  asb_pipe_finish (echo->to);
  g_main_loop_quit (echo->loop);
  return G_SOURCE_REMOVE;
}

static gpointer
run_echo (gpointer data)
{
  Echo *echo = data;
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GSource) readable = asb_pipe_create_source (echo->from, ASB_PIPE_CONDITION_READABLE);

  echo->loop = g_main_loop_new (context, FALSE);
  g_source_set_callback (readable, echo_cb, echo, NULL);
  g_source_attach (readable, context);
  g_main_loop_run (echo->loop);
  g_main_loop_unref (echo->loop);
  return NULL;
}

/* A transport in a thread of its own is told by sources of what streams do in another one. */
static void
test_echo (void)
{
  g_autoptr (AsbPipe) from = asb_pipe_new (7);
  g_autoptr (AsbPipe) to = asb_pipe_new (100000);
  g_autoptr (GInputStream) input = asb_pipe_create_input_stream (to, NULL);
  g_autoptr (GOutputStream) output
      = asb_pipe_create_output_stream (from, ASB_PIPE_CLOSE_AT_ONCE, NULL);
  Echo echo = { from, to, NULL };
  GThread *thread = g_thread_new ("echo", run_echo, &echo);
  guint8 bytes[5000];
  guint8 taken[5000];
  gsize size;

  fill (bytes, sizeof bytes, 3);
  g_assert_true (g_output_stream_write_all (output, bytes, sizeof bytes, NULL, NULL, NULL));
  g_assert_true (g_output_stream_close (output, NULL, NULL));
  g_assert_true (g_input_stream_read_all (input, taken, sizeof taken, &size, NULL, NULL));
  g_assert_cmpmem (bytes, sizeof bytes, taken, size);
  g_assert_cmpint (g_input_stream_read (input, taken, 1, NULL, NULL), ==, 0);
  g_thread_join (thread);
}

static gboolean
set_cb (gpointer user_data)
{
  *(gboolean *)user_data = TRUE;
  return G_SOURCE_REMOVE;
}

/* A reader makes room, and a writer that aborts is heard of. */
static void
test_source_of_transport (void)
{
  for (int aborting = 0; aborting < 2; aborting++)
    {
      g_autoptr (AsbPipe) pipe = asb_pipe_new (1);
      g_autoptr (GInputStream) input = asb_pipe_create_input_stream (pipe, NULL);
      GOutputStream *output = asb_pipe_create_output_stream (pipe, ASB_PIPE_CLOSE_COMMITS, NULL);
      g_autoptr (GSource) source = asb_pipe_create_source (
          pipe, aborting ? ASB_PIPE_CONDITION_READABLE : ASB_PIPE_CONDITION_WRITABLE);
      gboolean called = FALSE;
      char byte;

      if (!aborting)
        g_assert_cmpuint (asb_pipe_push (pipe, "x", 1), ==, 1);
      g_source_set_callback (source, set_cb, &called, NULL);
      g_source_attach (source, NULL);
      while (g_main_context_iteration (NULL, FALSE))
        ;
      g_assert_false (called);
      if (aborting)
        g_object_unref (output);
      else
        g_assert_cmpint (g_input_stream_read (input, &byte, 1, NULL, NULL), ==, 1);
      while (!called)
        g_main_context_iteration (NULL, TRUE);
      if (!aborting)
        g_object_unref (output);
    }
}

static void
test_owner (void)
{
  g_autoptr (AsbPipe) pipe = asb_pipe_new (CAPACITY);
  GObject *owner = g_object_new (G_TYPE_OBJECT, NULL);
  gpointer weak = owner;
  GInputStream *stream = asb_pipe_input_stream_new (pipe, owner);

  g_object_add_weak_pointer (owner, &weak);
  g_object_unref (owner);
  g_assert_nonnull (weak);
  g_object_unref (stream);
  g_assert_null (weak);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  /* Starts the worker thread of GLib, which all streams share. */
  g_type_ensure (G_TYPE_TASK);

  g_test_add_func ("/pipe/order", test_order);
  g_test_add_func ("/pipe/capacity", test_capacity);
  g_test_add_func ("/pipe/end", test_end);
  g_test_add_func ("/pipe/notify/reader", test_notify_reader);
  g_test_add_func ("/pipe/notify/writer", test_notify_writer);
  g_test_add_func ("/pipe/broken", test_broken);
  g_test_add_func ("/pipe/blocking", test_blocking);
  g_test_add_func ("/pipe/cancel/read", test_cancel_read);
  g_test_add_func ("/pipe/cancel/write", test_cancel_write);
  g_test_add_func ("/pipe/quiet/readers", test_quiet);
  g_test_add_func ("/pipe/quiet/writers", test_quiet_writers);
  g_test_add_func ("/pipe/source/wakes", test_source);
  g_test_add_func ("/pipe/source/cancelled", test_source_cancelled);
  g_test_add_func ("/pipe/commit/async", test_commit);
  g_test_add_func ("/pipe/commit/blocking", test_commit_blocking);
  g_test_add_func ("/pipe/commit/abort", test_abort);
  g_test_add_func ("/pipe/commit/abort-late", test_abort_late);
  g_test_add_func ("/pipe/owner", test_owner);
  g_test_add_func ("/pipe/transport/state", test_transport_side);
  g_test_add_func ("/pipe/transport/echo", test_echo);
  g_test_add_func ("/pipe/transport/source", test_source_of_transport);

  return g_test_run ();
}
