/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A guest behind other streams than sockets. */

#include "peer.h"

#include <fcntl.h>
#include <gio/gunixinputstream.h>
#include <gio/gunixoutputstream.h>
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TYPE_SLOW_INPUT (slow_input_get_type ())
G_DECLARE_FINAL_TYPE (SlowInput, slow_input, SLOW, INPUT, GFilterInputStream)

/* A stream that cannot be polled. */
struct _SlowInput
{
  GFilterInputStream parent_instance;
};

G_DEFINE_FINAL_TYPE (SlowInput, slow_input, G_TYPE_FILTER_INPUT_STREAM)

static void
slow_input_class_init (SlowInputClass *klass)
{
}

static void
slow_input_init (SlowInput *self)
{
}

#define TYPE_SLOW_OUTPUT (slow_output_get_type ())
G_DECLARE_FINAL_TYPE (SlowOutput, slow_output, SLOW, OUTPUT, GFilterOutputStream)

struct _SlowOutput
{
  GFilterOutputStream parent_instance;
};

G_DEFINE_FINAL_TYPE (SlowOutput, slow_output, G_TYPE_FILTER_OUTPUT_STREAM)

static void
slow_output_class_init (SlowOutputClass *klass)
{
}

static void
slow_output_init (SlowOutput *self)
{
}

#define TYPE_STINGY_OUTPUT (stingy_output_get_type ())
G_DECLARE_FINAL_TYPE (StingyOutput, stingy_output, STINGY, OUTPUT, GFilterOutputStream)

/* A stream that can be polled, and takes a few bytes at a time. */
struct _StingyOutput
{
  GFilterOutputStream parent_instance;
};

static void stingy_output_iface_init (GPollableOutputStreamInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (StingyOutput, stingy_output, G_TYPE_FILTER_OUTPUT_STREAM,
                               G_IMPLEMENT_INTERFACE (G_TYPE_POLLABLE_OUTPUT_STREAM,
                                                      stingy_output_iface_init))

static GPollableOutputStream *
stingy_output_get_base (GPollableOutputStream *stream)
{
  return G_POLLABLE_OUTPUT_STREAM (
      g_filter_output_stream_get_base_stream (G_FILTER_OUTPUT_STREAM (stream)));
}

static gboolean
stingy_output_is_writable (GPollableOutputStream *stream)
{
  return g_pollable_output_stream_is_writable (stingy_output_get_base (stream));
}

static GSource *
stingy_output_create_source (GPollableOutputStream *stream, GCancellable *cancellable)
{
  g_autoptr (GSource) source
      = g_pollable_output_stream_create_source (stingy_output_get_base (stream), cancellable);

  return g_pollable_source_new_full (stream, source, NULL);
}

static gssize
stingy_output_write_nonblocking (GPollableOutputStream *stream, const void *bytes, gsize size,
                                 GError **error)
{
  return g_pollable_output_stream_write_nonblocking (stingy_output_get_base (stream), bytes,
                                                     MIN (size, 7), NULL, error);
}

static void
stingy_output_iface_init (GPollableOutputStreamInterface *iface)
{
  iface->is_writable = stingy_output_is_writable;
  iface->create_source = stingy_output_create_source;
  iface->write_nonblocking = stingy_output_write_nonblocking;
}

static void
stingy_output_class_init (StingyOutputClass *klass)
{
}

static void
stingy_output_init (StingyOutput *self)
{
}

/* Takes the stream; its output goes through one of this type. */
static GIOStream *
stream_new_with (GIOStream *stream, GInputStream *input, GType output_type)
{
  g_autoptr (GOutputStream) output
      = g_object_new (output_type, "base-stream", g_io_stream_get_output_stream (stream), NULL);
  GIOStream *other = g_simple_io_stream_new (input, output);

  /* The streams live by the connection they belong to. */
  g_object_set_data_full (G_OBJECT (other), "stream", stream, g_object_unref);
  return other;
}

static GIOStream *
slow_stream_new (GIOStream *stream)
{
  g_autoptr (GInputStream) input
      = g_object_new (TYPE_SLOW_INPUT, "base-stream", g_io_stream_get_input_stream (stream), NULL);

  return stream_new_with (stream, input, TYPE_SLOW_OUTPUT);
}

/* Two pipes, in both directions one. */
static void
use_pipes (Peer *peer, int *input_fd)
{
  g_autoptr (GInputStream) input = NULL;
  g_autoptr (GOutputStream) output = NULL;
  int to_library[2];
  int from_library[2];

  g_assert_true (g_unix_open_pipe (to_library, FD_CLOEXEC, NULL));
  g_assert_true (g_unix_open_pipe (from_library, FD_CLOEXEC, NULL));
  /* A page, so that it is often full in the middle of a frame. */
  g_assert_cmpint (fcntl (from_library[1], F_SETPIPE_SZ, 4096), >, 0);
  input = g_unix_input_stream_new (to_library[0], TRUE);
  output = g_unix_output_stream_new (from_library[1], TRUE);
  g_clear_object (&peer->stream);
  peer->stream = g_simple_io_stream_new (input, output);
  close (peer->fd);
  peer->fd = from_library[0];
  *input_fd = to_library[1];
}

/* Joins the pipes to the socket the peer speaks on. */
typedef struct
{
  int from;
  int to;
} Join;

static gpointer
join (gpointer data)
{
  Join *ends = data;
  char bytes[10000];
  ssize_t n;

  while ((n = read (ends->from, bytes, sizeof bytes)) > 0)
    for (ssize_t done = 0; done < n;)
      {
        ssize_t m = write (ends->to, bytes + done, (size_t)(n - done));

        if (m < 0)
          return NULL;
        done += m;
      }
  shutdown (ends->to, SHUT_WR);
  return NULL;
}

/* What the library credits of the echo is credited to it in turn, so that both windows are kept. */
static gboolean
echo_frame (Peer *peer, const PeerFrame *frame)
{
  gconstpointer bytes = g_bytes_get_data (frame->payload, NULL);

  if (frame->header.type == ASB_FRAME_CREDIT)
    peer_send_count (peer, ASB_FRAME_CREDIT, 1, 0, asb_frame_count_read (bytes));
  if (frame->header.type != ASB_FRAME_DATA)
    return TRUE;
  peer_send_count (peer, ASB_FRAME_ACK, 0, 0, peer->received);
  peer_send (peer, ASB_FRAME_DATA, 1, 1, frame->header.flags, bytes, frame->header.length);
  return !(frame->header.flags & ASB_FRAME_FLAG_FIN);
}

static gpointer
serve_echo (gpointer data)
{
  Peer *peer = data;
  gboolean more = TRUE;

  peer_frame_free (peer_expect_call (peer, "command.start"));
  peer_send_text (peer, ASB_FRAME_EVENT, 1, PEER_STARTED);
  while (more)
    {
      g_autoptr (PeerFrame) frame = peer_receive (peer);

      g_assert_nonnull (frame);
      more = echo_frame (peer, frame);
    }
  peer_send_text (peer, ASB_FRAME_REPLY, 1, PEER_RESULT);
  return NULL;
}

static gpointer
write_pattern (gpointer data)
{
  GOutputStream *input = data;
  g_autofree guint8 *bytes = g_malloc (100000);

  for (int i = 0; i < 100000; i++)
    bytes[i] = (guint8)(i % 251);
  for (int i = 0; i < 10; i++)
    g_assert_true (g_output_stream_write_all (input, bytes, 100000, NULL, NULL, NULL));
  g_assert_true (g_output_stream_close (input, NULL, NULL));
  return NULL;
}

/* A megabyte goes there and back. */
static void
echo (Peer *peer, AsbTransport *transport)
{
  g_autoptr (AsbCommandSpec) spec = asb_command_spec_new_shell ("cat");
  g_autoptr (AsbProcess) process = NULL;
  g_autoptr (GError) error = NULL;
  GThread *server = g_thread_new ("echo", serve_echo, peer);
  GThread *writer;
  guint8 bytes[8192];
  gsize total = 0;
  gssize n;

  asb_command_spec_set_flags (spec, ASB_COMMAND_FLAGS_STDIN_PIPE);
  process = asb_transport_start_command (transport, spec, NULL, &error);
  g_assert_no_error (error);
  writer = g_thread_new ("writer", write_pattern, asb_process_get_stdin (process));
  while ((n = g_input_stream_read (asb_process_get_stdout (process), bytes, sizeof bytes, NULL,
                                   &error))
         > 0)
    for (gssize i = 0; i < n; i++)
      g_assert_cmpuint (bytes[i], ==, total++ % 100000 % 251);
  g_assert_no_error (error);
  g_assert_cmpuint (total, ==, 1000000);
  g_thread_join (writer);
  g_thread_join (server);
  g_clear_object (&process);
  g_assert_true (asb_transport_close (transport, NULL, NULL));
}

static void
test_slow_stream (void)
{
  g_autoptr (Peer) peer = peer_new ();
  g_autoptr (AsbTransport) transport = NULL;

  peer->stream = slow_stream_new (peer->stream);
  transport = peer_open (peer);
  echo (peer, transport);
}

/* Whatever the threads that read and write were doing. */
static void
test_slow_resumed (void)
{
  for (gssize n = 0; n < 1000000; n += 50001)
    {
      g_autoptr (Peer) peer = peer_new ();
      g_autoptr (AsbTransport) transport = NULL;

      peer->stream = slow_stream_new (peer->stream);
      peer->wrap = slow_stream_new;
      transport = peer_open_resumable (peer, 3600 * G_TIME_SPAN_SECOND);
      if (n % 2)
        peer->sendable = n;
      else
        peer->receivable = n;
      echo (peer, transport);
      g_assert_cmpuint (peer->n_resumed, ==, 1);
    }
}

/* Whatever part of a frame is taken, the next begins where it ended. */
static void
test_short_writes (void)
{
  g_autoptr (Peer) peer = peer_new ();
  g_autoptr (AsbTransport) transport = NULL;

  peer->stream = stream_new_with (peer->stream, g_io_stream_get_input_stream (peer->stream),
                                  TYPE_STINGY_OUTPUT);
  transport = peer_open (peer);
  for (guint i = 1; i <= 20; i++)
    {
      Pending pending[3] = { { 0 } };

      for (guint j = 0; j < G_N_ELEMENTS (pending); j++)
        asb_transport_call_async (transport, "several", NULL, NULL, pending_cb, &pending[j]);
      for (guint j = 0; j < G_N_ELEMENTS (pending); j++)
        {
          g_autoptr (PeerFrame) frame = peer_expect_call (peer, "several");

          peer_send_text (peer, ASB_FRAME_REPLY, frame->header.call, "{\"result\": {}}");
        }
      for (guint j = 0; j < G_N_ELEMENTS (pending); j++)
        {
          g_autoptr (GAsyncResult) result = pending_wait (&pending[j]);
          g_autoptr (GVariant) answer = asb_transport_call_finish (transport, result, NULL);

          g_assert_nonnull (answer);
        }
    }
  g_assert_true (asb_transport_close (transport, NULL, NULL));
}

/* The farewell is under way in a thread when all has been handed over. */
static void
test_slow_farewell (void)
{
  for (int i = 0; i < 20; i++)
    {
      g_autoptr (Peer) peer = peer_new ();
      g_autoptr (AsbTransport) transport = NULL;

      peer->stream = slow_stream_new (peer->stream);
      transport = peer_open (peer);
      asb_transport_close_async (transport, NULL, NULL, NULL);
      peer_skip (peer, ASB_FRAME_GOODBYE);
    }
}

static void
test_pipes (void)
{
  g_autoptr (Peer) peer = peer_new ();
  int ends[2];
  int input_fd;
  Join joins[2];
  GThread *threads[2];
  g_autoptr (AsbTransport) transport = NULL;

  use_pipes (peer, &input_fd);
  g_assert_no_errno (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
  joins[0] = (Join){ peer->fd, ends[0] };
  joins[1] = (Join){ ends[0], input_fd };
  peer->fd = ends[1];
  for (int i = 0; i < 2; i++)
    threads[i] = g_thread_new ("join", join, &joins[i]);
  transport = peer_open (peer);
  echo (peer, transport);
  peer_close (peer);
  for (int i = 0; i < 2; i++)
    g_thread_join (threads[i]);
  close (joins[0].from);
  close (ends[0]);
  close (input_fd);
}

/* A stream that cannot be polled is lost and closed like any other. */
static void
test_slow_lost (void)
{
  g_autoptr (Peer) peer = peer_new ();
  Pending pending = { 0 };
  g_autoptr (AsbTransport) transport = NULL;
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GVariant) answer = NULL;
  g_autoptr (GError) error = NULL;

  peer->stream = slow_stream_new (peer->stream);
  transport = peer_open (peer);
  asb_transport_call_async (transport, "x", NULL, NULL, pending_cb, &pending);
  peer_skip (peer, ASB_FRAME_CALL);
  peer_close (peer);
  result = pending_wait (&pending);
  answer = asb_transport_call_finish (transport, result, &error);
  g_assert_null (answer);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_INTERRUPTED);
}

/* A transport over pipes, whose other ends are peer->fd and @input_fd. */
static AsbTransport *
open_over_pipes (Peer *peer, int input_fd)
{
  g_autoptr (GBytes) hello
      = peer_frame_new (peer, ASB_FRAME_HELLO, 0, 0, 0, PEER_HELLO, strlen (PEER_HELLO));
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  Pending pending = { 0 };
  AsbGuestTransport *transport;

  g_assert_cmpint (write (input_fd, g_bytes_get_data (hello, NULL), g_bytes_get_size (hello)), ==,
                   g_bytes_get_size (hello));
  asb_guest_transport_new_async (peer->stream, NULL, NULL, pending_cb, &pending);
  g_clear_object (&peer->stream);
  result = pending_wait (&pending);
  transport = asb_guest_transport_new_finish (result, &error);
  g_assert_no_error (error);
  return ASB_TRANSPORT (transport);
}

/* Whoever writes to a pipe that nobody reads any more is told so, and not ended by a signal. */
static void
test_pipe_broken (void)
{
  g_autoptr (Peer) peer = peer_new ();
  g_autoptr (AsbTransport) transport = NULL;
  g_autoptr (GVariant) answer = NULL;
  g_autoptr (GError) error = NULL;
  int input_fd;

  signal (SIGPIPE, SIG_DFL);
  use_pipes (peer, &input_fd);
  transport = open_over_pipes (peer, input_fd);
  peer_close (peer);
  answer = asb_transport_call (transport, "x", NULL, NULL, &error);
  g_assert_null (answer);
  g_assert_error (error, ASB_ERROR, ASB_ERROR_CLOSED);
  close (input_fd);
}

/* A pipe that nobody reads from keeps nobody else waiting. */
static void
test_full_pipe (void)
{
  g_autoptr (Peer) unread = peer_new ();
  g_autoptr (Peer) other = peer_new ();
  g_autofree char *text = g_strnfill (900000, 'x');
  g_autoptr (GVariant) arguments
      = g_variant_ref_sink (g_variant_new_parsed ("{'text': <%s>}", text));
  g_autoptr (AsbTransport) transport = NULL;
  g_autoptr (AsbTransport) other_transport = NULL;
  Pending pending = { 0 };
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GVariant) answer = NULL;
  int input_fd;

  use_pipes (unread, &input_fd);
  transport = open_over_pipes (unread, input_fd);
  /* With this in it nothing more would be written to the pipe, of which one page is all. */
  peer_skip (unread, ASB_FRAME_HELLO);
  asb_transport_call_async (transport, "x", arguments, NULL, pending_cb, &pending);
  other_transport = peer_open (other);
  g_assert_null (pending.result);
  peer_close (unread);
  result = pending_wait (&pending);
  answer = asb_transport_call_finish (transport, result, NULL);
  g_assert_null (answer);
  close (input_fd);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/guest-streams/not-pollable", test_slow_stream);
  g_test_add_func ("/guest-streams/not-pollable-resumed", test_slow_resumed);
  g_test_add_func ("/guest-streams/not-pollable-farewell", test_slow_farewell);
  g_test_add_func ("/guest-streams/short-writes", test_short_writes);
  g_test_add_func ("/guest-streams/pipes", test_pipes);
  g_test_add_func ("/guest-streams/pipe-broken", test_pipe_broken);
  g_test_add_func ("/guest-streams/full-pipe", test_full_pipe);
  g_test_add_func ("/guest-streams/not-pollable-lost", test_slow_lost);

  return g_test_run ();
}
