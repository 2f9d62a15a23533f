/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A WebSocket whose client is silent, or takes nothing, with a clock that the test turns. */

#include "websocket-frame.h"
#include "websocket-stream.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The loop that the stream sees. */

static struct
{
  LoopTimer *timer; /* that runs */
  int64_t now;
} world;

void
loop_timer_init (LoopTimer *timer, void (*callback) (void *data), void *data)
{
  timer->callback = callback;
  timer->data = data;
}

void
loop_timer_start (Loop *loop, LoopTimer *timer, int64_t delay)
{
  (void)loop;
  timer->due = world.now + delay;
  world.timer = timer;
}

void
loop_timer_stop (LoopTimer *timer)
{
  if (world.timer == timer)
    world.timer = NULL;
}

static void
pass_seconds (int64_t seconds)
{
  const int64_t end = world.now + seconds * 1000 * LOOP_MILLISECOND;

  while (world.timer && world.timer->due <= end)
    {
      LoopTimer *timer = world.timer;

      world.now = timer->due;
      world.timer = NULL;
      timer->callback (timer->data);
    }
  world.now = end;
}

/* Both ends. */

typedef struct
{
  ByteStream *stream;
  int client;
  unsigned n_wakes;
} Ends;

static void
be_woken (void *data)
{
  Ends *ends = data;

  ends->n_wakes++;
}

/* Without the greeting. */
static void
ends_open (Ends *ends)
{
  char greeting[2];
  int fds[2];

  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), ==, 0);
  *ends = (Ends){ .stream = websocket_stream_new (NULL, fds[0]), .client = fds[1] };
  g_assert_nonnull (ends->stream);
  ends->stream->wake = be_woken;
  ends->stream->wake_data = ends;
  g_assert_cmpint (read (ends->client, greeting, sizeof greeting), ==, 2);
  g_assert_cmpmem (greeting, 2, "\x82\0", 2);
}

static void
ends_close (Ends *ends)
{
  byte_stream_free (ends->stream);
  g_assert_null (world.timer);
  close (ends->client);
}

/* What a connection does when its stream wakes it. */
static void
send_waiting (Ends *ends)
{
  g_assert_cmpint (byte_stream_send (ends->stream, NULL, 0), ==, 0);
}

static void
assert_comes (Ends *ends, const char *bytes, size_t size)
{
  char got[256];
  ssize_t n = read (ends->client, got, sizeof got);

  g_assert_cmpint (n, >=, 0);
  g_assert_cmpmem (got, (size_t)n, bytes, size);
}

static void
assert_nothing_comes (Ends *ends)
{
  char got;

  g_assert_cmpint (read (ends->client, &got, 1), ==, -1);
  g_assert_cmpint (errno, ==, EAGAIN);
}

/* A frame of the client that is masked with zeros. */
static void
say (Ends *ends, WebsocketOpcode opcode, const char *payload)
{
  char frame[64] = { (char)(0x80 | opcode), (char)(0x80 | strlen (payload)) };
  size_t size = 6 + strlen (payload);
  char got[64];

  memcpy (frame + 6, payload, strlen (payload));
  g_assert_cmpint (write (ends->client, frame, size), ==, (ssize_t)size);
  byte_stream_receive (ends->stream, got, sizeof got);
}

/* Whether it is at its end, as who reads from it sees. */
static gboolean
is_lost (Ends *ends)
{
  char got;

  return byte_stream_receive (ends->stream, &got, 1) == 0;
}

static void
test_silent (void)
{
  Ends ends;

  ends_open (&ends);
  pass_seconds (19);
  g_assert_cmpuint (ends.n_wakes, ==, 0);
  for (int i = 0; i < 3; i++)
    {
      pass_seconds (i == 0 ? 1 : 20);
      g_assert_cmpuint (ends.n_wakes, ==, i + 1);
      send_waiting (&ends);
      assert_comes (&ends, "\x89\3asb", 5);
      send_waiting (&ends);
      assert_nothing_comes (&ends);
    }
  pass_seconds (19);
  g_assert_false (is_lost (&ends));
  pass_seconds (1);
  g_assert_true (is_lost (&ends));
  ends_close (&ends);
}

/* Whoever says anything is there, and is asked again only when that is long ago. */
static void
test_heard (void)
{
  const struct
  {
    WebsocketOpcode opcode;
    const char *payload;
  } all[] = { { WEBSOCKET_PONG, "asb" }, { WEBSOCKET_BINARY, "x" }, { WEBSOCKET_BINARY, "" } };

  for (size_t i = 0; i < G_N_ELEMENTS (all); i++)
    {
      Ends ends;

      ends_open (&ends);
      for (int round = 0; round < 5; round++)
        {
          const unsigned before = ends.n_wakes;

          pass_seconds (70);
          g_assert_false (is_lost (&ends));
          g_assert_cmpuint (ends.n_wakes, >, before);
          send_waiting (&ends);
          assert_comes (&ends, "\x89\3asb", 5);
          say (&ends, all[i].opcode, all[i].payload);
        }
      pass_seconds (100);
      g_assert_true (is_lost (&ends));
      ends_close (&ends);
    }
}

/* Who never is silent is not asked. */
static void
test_busy (void)
{
  Ends ends;

  ends_open (&ends);
  for (int i = 0; i < 50; i++)
    {
      pass_seconds (15);
      say (&ends, WEBSOCKET_BINARY, "x");
    }
  g_assert_cmpuint (ends.n_wakes, ==, 0);
  g_assert_false (is_lost (&ends));
  ends_close (&ends);
}

static size_t
fill (Ends *ends)
{
  static const char ZEROS[60000];
  const struct iovec vector = { (void *)ZEROS, sizeof ZEROS };
  size_t size = 0;
  ssize_t n;

  while ((n = byte_stream_send (ends->stream, &vector, 1)) > 0)
    size += (size_t)n;
  g_assert_cmpint (errno, ==, EAGAIN);
  return size;
}

/* All that is on its way, as long as there is anything. */
static GByteArray *
drain (Ends *ends)
{
  GByteArray *got = g_byte_array_new ();
  gboolean done = FALSE;
  guint8 bytes[4096];
  ssize_t n;

  do
    {
      while ((n = read (ends->client, bytes, sizeof bytes)) > 0)
        g_byte_array_append (got, bytes, (guint)n);
      g_assert_cmpint (errno, ==, EAGAIN);
      if (done)
        return got;
      done = byte_stream_send (ends->stream, NULL, 0) == 0;
    }
  while (TRUE);
}

/* Of what waits behind a message that does not fit in there is one of each kind, and the last. */
static void
test_without_room (void)
{
  const char *tail = "\x8a\6second\x89\3asb\x88\2\x03\xe8";
  const size_t tail_size = 8 + 5 + 4;
  Ends ends;

  ends_open (&ends);
  for (int round = 0; round < 3; round++)
    {
      g_autoptr (GByteArray) got = NULL;
      const size_t size = fill (&ends);
      const size_t whole = size + size / 60000 * 4;

      if (round == 2)
        {
          say (&ends, WEBSOCKET_PING, "a first one");
          pass_seconds (40);
          say (&ends, WEBSOCKET_PING, "second");
          byte_stream_finish (ends.stream);
        }
      got = drain (&ends);
      g_assert_cmpuint (got->len, ==, whole + (round == 2 ? tail_size : 0));
      g_assert_cmpmem (got->data + whole, got->len - whole, tail, round == 2 ? tail_size : 0);
    }
  /* Nothing follows the Close. */
  say (&ends, WEBSOCKET_PING, "late");
  pass_seconds (20);
  send_waiting (&ends);
  assert_nothing_comes (&ends);
  ends_close (&ends);
}

/* Whoever sends nothing but headers does not keep the guest from others. */
static void
test_headers (void)
{
  char frames[6000];
  char got[60];
  Ends ends;
  int left;

  ends_open (&ends);
  for (size_t i = 0; i < sizeof frames; i += 6)
    memcpy (frames + i, "\x82\x80\0\0\0\0", 6);
  g_assert_cmpint (write (ends.client, frames, sizeof frames), ==, sizeof frames);
  for (int i = 1; i <= 25; i++)
    {
      g_assert_cmpint (byte_stream_receive (ends.stream, got, sizeof got), ==, -1);
      g_assert_cmpint (errno, ==, EAGAIN);
      g_assert_cmpint (ioctl (ends.stream->fd, FIONREAD, &left), ==, 0);
      g_assert_cmpint (left, ==, (int)sizeof frames - i * 4 * (int)sizeof got);
    }
  ends_close (&ends);
}

/* As much comes as there was room for, headers and all: nothing of it is lost. */
static void
test_exact (void)
{
  char got[16];
  Ends ends;

  ends_open (&ends);
  g_assert_cmpint (write (ends.client,
                          "\x82\x8a\0\0\0\0"
                          "0123456789",
                          16),
                   ==, 16);
  g_assert_cmpint (byte_stream_receive (ends.stream, got, 16), ==, 10);
  g_assert_cmpmem (got, 10, "0123456789", 10);
  g_assert_cmpint (byte_stream_receive (ends.stream, got, 16), ==, -1);
  g_assert_cmpint (errno, ==, EAGAIN);
  ends_close (&ends);
}

/* What came before the end is given first; who waits for more learns that there is none, also if
 * the client stays. */
static void
test_end (void)
{
  const char *ways[] = { "\x88\x80\0\0\0\0", "\x81\x81\0\0\0\0x" };

  for (size_t i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      const size_t size = i == 0 ? 6 : 7;
      struct pollfd waiting;
      char got[64];
      Ends ends;

      ends_open (&ends);
      g_assert_cmpint (write (ends.client, "\x82\x81\0\0\0\0y", 7), ==, 7);
      g_assert_cmpint (write (ends.client, ways[i], size), ==, (ssize_t)size);
      g_assert_cmpint (byte_stream_receive (ends.stream, got, sizeof got), ==, 1);
      g_assert_cmpint (got[0], ==, 'y');
      waiting = (struct pollfd){ .fd = ends.stream->fd, .events = POLLIN };
      g_assert_cmpint (poll (&waiting, 1, 0), ==, 1);
      g_assert_true (is_lost (&ends));
      assert_comes (&ends, i == 0 ? "\x88\2\x03\xe8" : "\x88\2\x03\xeb", 4);
      ends_close (&ends);
    }
}

/* A length is written in as few bytes as it needs, and what follows is as long. */
static void
test_lengths (void)
{
  static const struct
  {
    size_t length;
    const char *header;
    size_t header_size;
  } frames[] = {
    { 1, "\x82\x01", 2 },
    { 125, "\x82\x7d", 2 },
    { 126, "\x82\x7e\0\x7e", 4 },
    { 127, "\x82\x7e\0\x7f", 4 },
    { 65535, "\x82\x7e\xff\xff", 4 },
    { 65536, "\x82\x7f\0\0\0\0\0\1\0\0", 10 },
  };
  g_autofree char *bytes = g_malloc0 (65536);
  g_autofree char *got = g_malloc (65536 + 10);
  Ends ends;

  ends_open (&ends);
  for (size_t i = 0; i < G_N_ELEMENTS (frames); i++)
    {
      struct iovec vector = { bytes, frames[i].length };

      g_assert_cmpint (byte_stream_send (ends.stream, &vector, 1), ==, (ssize_t)vector.iov_len);
      g_assert_cmpint (read (ends.client, got, 65536 + 10), ==,
                       (ssize_t)(frames[i].header_size + frames[i].length));
      g_assert_cmpmem (got, frames[i].header_size, frames[i].header, frames[i].header_size);
      assert_nothing_comes (&ends);
    }
  ends_close (&ends);
}

/* What the system does not take of a message comes when there is room, each byte in its place. */
static void
test_rest (void)
{
  enum
  {
    LENGTH = 65536,
    HEADER = 10
  };
  g_autofree char *bytes = g_malloc (LENGTH);
  g_autofree char *got = g_malloc (LENGTH + HEADER);
  struct iovec vectors[] = { { bytes, 30001 }, { bytes + 30001, LENGTH - 30001 } };
  int room = 4608;
  size_t size = 0;
  unsigned n_reads = 0;
  Ends ends;

  for (size_t i = 0; i < LENGTH; i++)
    bytes[i] = (char)(i % 251);
  ends_open (&ends);
  setsockopt (ends.stream->fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  g_assert_cmpint (byte_stream_send (ends.stream, vectors, 2), ==, LENGTH);
  while (size < LENGTH + HEADER)
    {
      ssize_t n = read (ends.client, got + size, LENGTH + HEADER - size);

      g_assert_cmpint (n, >, 0);
      size += (size_t)n;
      n_reads++;
      byte_stream_send (ends.stream, NULL, 0);
    }
  g_assert_cmpuint (n_reads, >, 3);
  g_assert_cmpmem (got + HEADER, LENGTH, bytes, LENGTH);
  send_waiting (&ends);
  assert_nothing_comes (&ends);
  ends_close (&ends);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/guest/websocket-stream/silent", test_silent);
  g_test_add_func ("/guest/websocket-stream/heard", test_heard);
  g_test_add_func ("/guest/websocket-stream/busy", test_busy);
  g_test_add_func ("/guest/websocket-stream/without-room", test_without_room);
  g_test_add_func ("/guest/websocket-stream/headers", test_headers);
  g_test_add_func ("/guest/websocket-stream/lengths", test_lengths);
  g_test_add_func ("/guest/websocket-stream/rest", test_rest);
  g_test_add_func ("/guest/websocket-stream/exact", test_exact);
  g_test_add_func ("/guest/websocket-stream/end", test_end);
  return g_test_run ();
}
