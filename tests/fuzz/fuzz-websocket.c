/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* WebSockets as the guest opens and speaks them: requests; frames, which are the same in whatever
 * pieces they come; and the stream within, whose peer does as it likes. */

#include "fuzz.h"

#include "asb-wire-json.h"
#include "loop.h"
#include "pause.h"
#include "stand-ins.h"
#include "websocket-frame.h"
#include "websocket-request.h"
#include "websocket-stream.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_CUT 1024
#define MAX_BYTES 65536
#define MAX_SENT (4 * 65536)
#define MAX_VECTORS 4
#define SMALL_BUFFER 4096
#define SECOND INT64_C (1000000000)

/* No client that is silent for so long is waited for. */
#define SILENCE (21 * SECOND)
#define SILENT_TURNS 5

/* The time that leaps here is time in which all went on. */
int64_t __wrap_pause_watch_look (PauseWatch *watch, int64_t wait, int64_t now);

int64_t
__wrap_pause_watch_look (PauseWatch *watch, int64_t wait, int64_t now)
{
  watch->last = now;
  (void)wait;
  return 0;
}

/* Requests. */

static bool
is_status (int status)
{
  static const int STATUSES[] = { 101, 400, 403, 405, 426, 431, 505 };

  for (size_t i = 0; i < sizeof STATUSES / sizeof *STATUSES; i++)
    if (status == STATUSES[i])
      return true;
  return false;
}

static void
check_answer (int status, const WebsocketRequest *request)
{
  char answer[WEBSOCKET_MAX_ANSWER];
  size_t size = websocket_answer (status, request, answer);

  FUZZ_CHECK (size > 16 && size < sizeof answer);
  FUZZ_CHECK (memcmp (answer, "HTTP/1.1 ", 9) == 0 && atoi (answer + 9) == status);
  FUZZ_CHECK (memcmp (answer + size - 4, "\r\n\r\n", 4) == 0);
}

static void
fuzz_request (const char *bytes, size_t size)
{
  WebsocketRequest request;
  int status;

  if (size > WEBSOCKET_MAX_REQUEST)
    size = WEBSOCKET_MAX_REQUEST;
  status = websocket_request_parse (bytes, size, &request);
  FUZZ_CHECK (status == 0 ? size < WEBSOCKET_MAX_REQUEST : is_status (status));
  if (status != 0)
    check_answer (status, &request);
  FUZZ_CHECK (strlen (request.key) == (status == 101 ? WEBSOCKET_KEY_LENGTH : 0));
  /* Before its end it asks for nothing. */
  for (size_t i = 0; (status == 0 || status == 101) && i < size && i < MAX_CUT; i++)
    FUZZ_CHECK (websocket_request_parse (bytes, i, &request) != 101);
}

/* Frames. */

typedef struct
{
  WebsocketDecoder decoder;
  uint8_t payload[MAX_BYTES];
  size_t payload_size;
  uint8_t control[MAX_BYTES];
  size_t control_size;
  bool is_over;
} Decoded;

static void
note_control (Decoded *decoded)
{
  const WebsocketDecoder *decoder = &decoded->decoder;

  FUZZ_CHECK (decoder->opcode >= WEBSOCKET_CLOSE && decoder->opcode <= WEBSOCKET_PONG);
  FUZZ_CHECK (decoder->control_size <= WEBSOCKET_MAX_CONTROL);
  decoded->control[decoded->control_size++] = decoder->opcode;
  memcpy (decoded->control + decoded->control_size, decoder->control, decoder->control_size);
  decoded->control_size += decoder->control_size;
  decoded->is_over = decoder->opcode == WEBSOCKET_CLOSE;
  if (decoded->is_over)
    FUZZ_CHECK (websocket_close_code (decoder) >= 1000 && websocket_close_code (decoder) < 5000);
}

static void
decode (Decoded *decoded, const uint8_t *bytes, size_t size)
{
  uint8_t copy[MAX_BYTES];
  WebsocketInput input = { .from = copy, .end = copy + size, .to = copy };
  WebsocketEvent event = WEBSOCKET_CONTROL;

  memcpy (copy, bytes, size);
  while (event == WEBSOCKET_CONTROL && !decoded->is_over)
    {
      event = websocket_decode (&decoded->decoder, &input);
      FUZZ_CHECK (input.to <= input.from && input.from <= input.end);
      if (event == WEBSOCKET_CONTROL)
        note_control (decoded);
      decoded->is_over |= event == WEBSOCKET_INVALID;
      FUZZ_CHECK (event != WEBSOCKET_MORE || input.from == input.end);
    }
  memcpy (decoded->payload + decoded->payload_size, copy, (size_t)(input.to - copy));
  decoded->payload_size += (size_t)(input.to - copy);
}

static void
fuzz_frames (const uint8_t *bytes, size_t size, size_t step)
{
  static Decoded whole;
  static Decoded pieces;

  whole = (Decoded){ 0 };
  pieces = (Decoded){ 0 };
  if (size > MAX_BYTES / 2)
    size = MAX_BYTES / 2;
  decode (&whole, bytes, size);
  for (size_t at = 0; at < size && !pieces.is_over; at += step)
    decode (&pieces, bytes + at, size - at < step ? size - at : step);
  FUZZ_CHECK (whole.is_over == pieces.is_over
              && whole.decoder.close_code == pieces.decoder.close_code);
  FUZZ_CHECK (whole.payload_size == pieces.payload_size
              && memcmp (whole.payload, pieces.payload, whole.payload_size) == 0);
  FUZZ_CHECK (whole.control_size == pieces.control_size
              && memcmp (whole.control, pieces.control, whole.control_size) == 0);
}

/* The stream. */

static FuzzInput input;
static Loop *loop;
static LoopSource *driver;
static ByteStream *stream;
static int peer;
static bool is_ended;   /* nothing more comes from the stream */
static bool is_broken;  /* nor can more be sent */
static bool has_failed; /* for want of memory, maybe */
static unsigned n_turns_to_end;
static uint64_t n_accepted; /* bytes of ours */
static uint64_t n_delivered;
static bool is_close_delivered;

/* What the stream has sent and nobody has looked at. */
static uint8_t sent[MAX_SENT];
static size_t n_sent;

static uint8_t
pattern (uint64_t at)
{
  return (uint8_t)(at * 7 % 251);
}

static size_t
frame_length (size_t *header_size)
{
  size_t length = n_sent >= 2 ? sent[1] & 0x7f : 0;

  FUZZ_CHECK (n_sent < 2 || (sent[1] & 0x80) == 0);
  *header_size = length == 126 ? 4 : length == 127 ? 10 : 2;
  if (n_sent < *header_size || length < 126)
    return length;
  length = 0;
  for (size_t i = 2; i < *header_size; i++)
    length = length << 8 | sent[i];
  FUZZ_CHECK (length >= 126 && (*header_size == 4 || length > UINT16_MAX));
  return length;
}

static void
check_frame (const uint8_t *payload, size_t length)
{
  uint8_t opcode = sent[0] & 0x0f;

  FUZZ_CHECK ((sent[0] & 0xf0) == 0x80 && !is_close_delivered);
  FUZZ_CHECK (length <= (opcode & 8 ? WEBSOCKET_MAX_CONTROL : WEBSOCKET_MAX_MESSAGE));
  FUZZ_CHECK (opcode == WEBSOCKET_BINARY
              || (opcode >= WEBSOCKET_CLOSE && opcode <= WEBSOCKET_PONG));
  is_close_delivered = opcode == WEBSOCKET_CLOSE;
  FUZZ_CHECK (!is_close_delivered || length == 2);
  for (size_t i = 0; opcode == WEBSOCKET_BINARY && i < length; i++)
    FUZZ_CHECK (payload[i] == pattern (n_delivered++));
  FUZZ_CHECK (n_delivered <= n_accepted);
}

static void
check_frames (void)
{
  size_t header_size;
  size_t length = frame_length (&header_size);

  while (n_sent >= 2 && n_sent >= header_size && n_sent >= header_size + length)
    {
      check_frame (sent + header_size, length);
      n_sent -= header_size + length;
      memmove (sent, sent + header_size + length, n_sent);
      length = frame_length (&header_size);
    }
}

static void
peer_reads (void)
{
  ssize_t n;

  do
    {
      n = recv (peer, sent + n_sent, sizeof sent - n_sent, MSG_DONTWAIT);
      if (n > 0)
        n_sent += (size_t)n;
      check_frames ();
    }
  while (n > 0);
}

static void
peer_sends (void)
{
  size_t size;
  const uint8_t *bytes = fuzz_take_bytes (&input, &size);

  if (send (peer, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
    FUZZ_CHECK (errno == EAGAIN || errno == EPIPE || errno == ECONNRESET);
}

static void
peer_leaves (void)
{
  shutdown (peer, fuzz_take_byte (&input) & 1 ? SHUT_WR : SHUT_RDWR);
}

static void
note_failure (void)
{
  if (errno != EAGAIN)
    is_broken = true;
  if (errno == ENOMEM)
    has_failed = true;
}

static void
receive (size_t size)
{
  uint8_t bytes[SMALL_BUFFER];
  ssize_t n = byte_stream_receive (stream, bytes, size);

  FUZZ_CHECK (n <= (ssize_t)size && !(is_ended && n > 0));
  if (n == 0)
    is_ended = true;
  if (n < 0)
    note_failure ();
}

static void
stream_receives (void)
{
  receive (fuzz_take_short (&input) % SMALL_BUFFER + 1);
}

static void
stream_sends (void)
{
  static uint8_t bytes[MAX_VECTORS][MAX_BYTES];
  struct iovec vectors[MAX_VECTORS];
  int n = fuzz_take_byte (&input) % (MAX_VECTORS + 1);
  uint64_t at = n_accepted;
  ssize_t accepted;

  for (int i = 0; i < n; i++)
    {
      vectors[i].iov_base = bytes[i];
      vectors[i].iov_len = fuzz_take_short (&input);
      for (size_t j = 0; j < vectors[i].iov_len; j++)
        bytes[i][j] = pattern (at++);
    }
  if (is_broken)
    return;
  accepted = byte_stream_send (stream, vectors, n);
  FUZZ_CHECK (accepted <= (ssize_t)(at - n_accepted));
  if (accepted < 0)
    note_failure ();
  else
    n_accepted += (uint64_t)accepted;
}

static void
stream_finishes (void)
{
  byte_stream_finish (stream);
  is_broken = true;
}

static void
time_passes (void)
{
  stand_ins.now += fuzz_take_byte (&input) * SECOND;
}

static void
memory_ends (void)
{
  stand_ins.failing_allocation = fuzz_take_byte (&input) + 1u;
}

static void (*const HAPPENINGS[]) (void) = {
  peer_sends,   peer_reads,      peer_leaves, stream_receives,
  stream_sends, stream_finishes, time_passes, memory_ends,
};

/* When nothing is heard any more it ends, and what was accepted has been sent, unless it could not
 * be. */
static void
end (void)
{
  stand_ins.failing_allocation = 0;
  peer_reads ();
  receive (SMALL_BUFFER);
  if (byte_stream_send (stream, NULL, 0) == 0 && !has_failed)
    {
      peer_reads ();
      FUZZ_CHECK (n_sent == 0);
    }
  stand_ins.now += SILENCE;
  if (++n_turns_to_end > SILENT_TURNS + 2 * MAX_BYTES / SMALL_BUFFER)
    {
      receive (SMALL_BUFFER);
      FUZZ_CHECK (is_ended || is_broken);
      loop_quit (loop);
    }
}

static void
step (void *data, uint32_t events)
{
  if (fuzz_left (&input) == 0)
    end ();
  else
    HAPPENINGS[fuzz_take_byte (&input) % (sizeof HAPPENINGS / sizeof *HAPPENINGS)]();
}

static void
set_up (int driver_fd)
{
  int size = SMALL_BUFFER;
  int ends[2];

  is_ended = is_broken = has_failed = is_close_delivered = false;
  n_turns_to_end = 0;
  n_accepted = n_delivered = 0;
  n_sent = 0;
  FUZZ_CHECK (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
  setsockopt (ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  peer = ends[1];
  loop = loop_new ();
  FUZZ_CHECK (loop != NULL);
  stream = websocket_stream_new (loop, ends[0]);
  driver = loop_add (loop, driver_fd, EPOLLIN, step, NULL);
  FUZZ_CHECK (stream && driver);
}

static void
fuzz_stream (void)
{
  int driver_fd = eventfd (1, EFD_CLOEXEC | EFD_NONBLOCK);

  FUZZ_CHECK (driver_fd >= 0);
  set_up (driver_fd);
  loop_run (loop);
  byte_stream_free (stream);
  loop_remove (driver);
  loop_free (loop);
  close (driver_fd);
  close (peer);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  uint8_t part;

  input = (FuzzInput){ data, data + size };
  part = fuzz_take_byte (&input) % 3;
  stand_ins_reset ();
  signal (SIGPIPE, SIG_IGN);
  if (part == 0)
    fuzz_request ((const char *)input.at, fuzz_left (&input));
  else if (part == 1)
    {
      size_t step_size = fuzz_take_byte (&input) + 1;

      fuzz_frames (input.at, fuzz_left (&input), step_size);
    }
  else
    fuzz_stream ();
  return 0;
}
