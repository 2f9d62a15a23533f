/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The frame decoders of both sides: the same bytes, in pieces, are the same frames. */

#include "fuzz.h"

#include "asb-frame.h"
#include "frames.h"

#include <unistd.h>

#define MAX_FRAMES 4096

typedef struct
{
  AsbFrameHeader header;
  const uint8_t *payload;
} Frame;

typedef struct
{
  Frame frames[MAX_FRAMES];
  size_t n_frames;
  AsbFrameStatus end;
} Frames;

static void
check_header (const AsbFrameHeader *header, const uint8_t *bytes)
{
  uint8_t written[ASB_FRAME_HEADER_SIZE];
  bool numbered = asb_frame_type_is_numbered (header->type);

  asb_frame_header_write (header, written);
  FUZZ_CHECK (memcmp (written, bytes, sizeof written) == 0);
  FUZZ_CHECK (header->length <= ASB_FRAME_MAX_CONTROL);
  FUZZ_CHECK (header->type != ASB_FRAME_DATA || header->length <= ASB_FRAME_MAX_DATA);
  FUZZ_CHECK (header->channel < ASB_N_CHANNELS);
  FUZZ_CHECK (numbered == (header->sequence != 0));
  FUZZ_CHECK (!numbered || header->call != 0);
}

/* All at once. */
static void
parse_whole (const uint8_t *bytes, size_t size, Frames *frames)
{
  const char *reason = NULL;

  frames->n_frames = 0;
  while (frames->n_frames < MAX_FRAMES)
    {
      Frame *frame = &frames->frames[frames->n_frames];

      frames->end = asb_frame_parse (bytes, size, &frame->header, &reason);
      FUZZ_CHECK ((frames->end == ASB_FRAME_INVALID) == (reason != NULL));
      if (frames->end != ASB_FRAME_OK)
        return;
      check_header (&frame->header, bytes);
      frame->payload = bytes + ASB_FRAME_HEADER_SIZE;
      bytes += ASB_FRAME_HEADER_SIZE + frame->header.length;
      size -= ASB_FRAME_HEADER_SIZE + frame->header.length;
      frames->n_frames++;
    }
}

static void
check_frame (const Frame *expected, const AsbFrameHeader *header, const uint8_t *payload)
{
  FUZZ_CHECK (memcmp (&expected->header, header, sizeof *header) == 0);
  FUZZ_CHECK (header->length == 0 || memcmp (expected->payload, payload, header->length) == 0);
}

static AsbFrameStatus
take_frames (FrameReader *reader, const Frames *frames, size_t *n)
{
  AsbFrameHeader header = { 0 };
  const uint8_t *payload;
  const char *reason;
  AsbFrameStatus status;

  while ((status = frame_reader_next (reader, &header, &payload, &reason)) == ASB_FRAME_OK)
    {
      FUZZ_CHECK (*n < frames->n_frames);
      check_frame (&frames->frames[(*n)++], &header, payload);
      memset (&header, 0, sizeof header);
    }
  return status;
}

/* In pieces of @step bytes, as the guest reads them from a socket. */
static void
parse_pieces (const uint8_t *bytes, size_t size, size_t step, const Frames *frames)
{
  FrameReader reader = { 0 };
  AsbFrameStatus status = ASB_FRAME_NEED_MORE;
  int ends[2];
  size_t n = 0;

  FUZZ_CHECK (pipe (ends) == 0);
  for (size_t at = 0; at < size && status == ASB_FRAME_NEED_MORE; at += step)
    {
      size_t piece = size - at < step ? size - at : step;

      FUZZ_CHECK (write (ends[1], bytes + at, piece) == (ssize_t)piece);
      FUZZ_CHECK (frame_reader_fill (&reader, ends[0]) == FRAME_READER_DATA);
      status = take_frames (&reader, frames, &n);
    }
  if (frames->n_frames < MAX_FRAMES)
    FUZZ_CHECK (n == frames->n_frames && (size == 0 || status == frames->end));
  close (ends[1]);
  if (status == ASB_FRAME_NEED_MORE)
    FUZZ_CHECK (frame_reader_fill (&reader, ends[0]) == FRAME_READER_CLOSED);
  close (ends[0]);
  frame_reader_clear (&reader);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static Frames frames;
  FuzzInput input = { data, data + size };
  /* No more than a pipe and a first read take at once. */
  size_t step = fuzz_take_short (&input) % 4096 + 1;

  memset (&frames, 0, sizeof frames);
  parse_whole (input.at, fuzz_left (&input), &frames);
  parse_pieces (input.at, fuzz_left (&input), step, &frames);
  return 0;
}
