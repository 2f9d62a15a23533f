/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command-output.h"

#include "descriptors.h"
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PIPE_SIZE (256 * 1024)
#define MAX_IN_TERMINAL (256 * 1024)

/* A frame that is nearly full goes out as it is; of a small one a copy of the right size, if there
 * is memory for it. */
#define FULL_ENOUGH (ASB_FRAME_MAX_DATA / 2)

/* A pipe at its end mostly means that the command ends, and what is told of that goes with it. */
#define END_DELAY (3 * LOOP_MILLISECOND)

static OutFrame *spare;

static OutFrame *
take_spare (void)
{
  OutFrame *frame = spare ? spare : out_frame_alloc (ASB_FRAME_MAX_DATA);

  spare = NULL;
  return frame;
}

static void
give_back (OutFrame *frame)
{
  free (spare);
  spare = frame;
}

static void
pass_on (CommandOutput *output, OutFrame *frame, size_t size)
{
  AsbFrameHeader header = { .length = (uint32_t)size };
  OutFrame *copy;

  record_output (&output->call->record, output->channel, out_frame_payload (frame), size);
  if (output->call->job)
    job_add_output (output->call->job, output->channel, out_frame_payload (frame), size);
  if (!call_is_heard (output->call, output->channel))
    {
      give_back (frame);
      return;
    }
  copy = size < FULL_ENOUGH ? out_frame_new (&header, out_frame_payload (frame)) : NULL;
  if (copy)
    give_back (frame);
  else
    frame->header.length = (uint32_t)size;
  call_send (output->call, output->channel, copy ? copy : frame);
}

static void
end_channel (void *data)
{
  CommandOutput *output = data;

  if (output->call)
    call_end_channel (output->call, output->channel);
}

static void
at_end (CommandOutput *output)
{
  command_output_close (output);
  loop_timer_start (output->broker->loop, &output->end_timer, END_DELAY);
}

/* Reads at most @size bytes: how many, 0 when there are none for now or ever. */
static size_t
read_some (CommandOutput *output, size_t size)
{
  OutFrame *frame = take_spare ();
  ssize_t n;

  /* For want of memory the command waits. */
  if (!frame)
    return 0;
  if (size > ASB_FRAME_MAX_DATA)
    size = ASB_FRAME_MAX_DATA;
  n = read (output->fd, out_frame_payload (frame), size);
  if (n > 0 && output->call)
    {
      output->total += (uint64_t)n;
      pass_on (output, frame, (size_t)n);
    }
  else
    give_back (frame);
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
    at_end (output);
  return n > 0 ? (size_t)n : 0;
}

static void
output_ready (void *data, uint32_t events)
{
  CommandOutput *output = data;
  size_t room = output->call ? call_room (output->call, output->channel) : SIZE_MAX;

  if (room > 0)
    read_some (output, room);
  else
    loop_set_events (output->source, 0);
}

void
command_output_init (CommandOutput *output)
{
  output->fd = -1;
  loop_timer_init (&output->end_timer, end_channel, output);
}

static bool
take (CommandOutput *output, Call *call, unsigned channel, int fd)
{
  output->source = fd >= 0 && descriptor_set_nonblocking (fd)
                       ? loop_add (call->broker->loop, fd, 0, output_ready, output)
                       : NULL;
  if (!output->source)
    return false;
  output->broker = call->broker;
  output->call = call;
  output->channel = channel;
  output->fd = fd;
  return true;
}

bool
command_output_open_terminal (CommandOutput *output, Call *call, unsigned channel, int fd)
{
  int copy = fcntl (fd, F_DUPFD_CLOEXEC, 0);

  output->is_terminal = true;
  if (take (output, call, channel, copy))
    return true;
  if (copy >= 0)
    close (copy);
  return false;
}

int
command_output_open (CommandOutput *output, Call *call, unsigned channel)
{
  int ends[2];

  if (pipe2 (ends, O_CLOEXEC) != 0)
    return -1;
  /* Fewer turns for the same bytes; the limits of the user may forbid it. */
  fcntl (ends[0], F_SETPIPE_SZ, PIPE_SIZE);
  if (!take (output, call, channel, ends[0]))
    {
      close (ends[0]);
      close (ends[1]);
      return -1;
    }
  return ends[1];
}

void
command_output_resume (CommandOutput *output)
{
  if (output->fd >= 0)
    loop_set_events (output->source, EPOLLIN);
}

/* What a terminal holds it does not tell: it is read until there is no more, or more than it can
 * hold. */
static void
finish_terminal (CommandOutput *output)
{
  size_t left = MAX_IN_TERMINAL;

  while (left > 0 && output->fd >= 0)
    {
      size_t n = read_some (output, left);

      if (n == 0)
        break;
      left -= n;
    }
  output->call = NULL;
  command_output_close (output);
}

void
command_output_finish (CommandOutput *output)
{
  int left = 0;

  loop_timer_stop (&output->end_timer);
  if (output->fd < 0)
    return;
  if (output->is_terminal)
    {
      finish_terminal (output);
      return;
    }
  ioctl (output->fd, FIONREAD, &left);
  while (left > 0 && output->fd >= 0)
    {
      size_t n = read_some (output, (size_t)left);

      if (n == 0)
        break;
      left -= (int)n;
    }
  output->call = NULL;
  command_output_resume (output);
}

void
command_output_close (CommandOutput *output)
{
  loop_timer_stop (&output->end_timer);
  if (output->fd < 0)
    return;
  loop_remove (output->source);
  output->source = NULL;
  close (output->fd);
  output->fd = -1;
}
