/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command-input.h"

#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define PIPE_SIZE (256 * 1024)

static void
input_ready (void *data, uint32_t events)
{
  CommandInput *input = data;

  if (events & EPOLLERR)
    {
      /* Nobody reads it any more. */
      command_input_close (input);
      call_stop_input (input->call);
    }
  else
    command_input_write (input);
}

int
command_input_open (CommandInput *input, Call *call)
{
  int ends[2];

  if (pipe2 (ends, O_CLOEXEC) != 0)
    return -1;
  fcntl (ends[1], F_SETPIPE_SZ, PIPE_SIZE);
  input->source = descriptor_set_nonblocking (ends[1])
                      ? loop_add (call->broker->loop, ends[1], 0, input_ready, input)
                      : NULL;
  if (!input->source)
    {
      close (ends[0]);
      close (ends[1]);
      return -1;
    }
  input->call = call;
  input->fd = ends[1];
  return ends[0];
}

/* False when the pipe takes no more, for now or for ever. */
static bool
write_first (CommandInput *input)
{
  OutFrame *frame = input->call->inlet.waiting.first;
  size_t left = frame->header.length - input->offset;
  ssize_t n = left > 0 ? write (input->fd, out_frame_payload (frame) + input->offset, left) : 0;

  if (n < 0 && errno == EINTR)
    return true;
  if (n < 0 && errno != EAGAIN)
    {
      command_input_close (input);
      call_stop_input (input->call);
    }
  if (n < 0)
    return false;
  input->written += (uint64_t)n;
  input->offset += (size_t)n;
  if ((size_t)n == left)
    {
      free (frame_queue_pop (&input->call->inlet.waiting));
      input->offset = 0;
    }
  return true;
}

void
command_input_write (CommandInput *input)
{
  Inlet *inlet;

  if (input->fd < 0)
    return;
  inlet = &input->call->inlet;
  while (input->fd >= 0 && inlet->waiting.first)
    if (!write_first (input))
      break;
  if (input->written - inlet->credited >= ASB_FRAME_CREDIT_STEP)
    call_credit_input (input->call, input->written);
  if (input->fd >= 0 && inlet->ended && !inlet->waiting.first)
    command_input_close (input);
  if (input->fd >= 0)
    loop_set_events (input->source, EPOLLERR | (inlet->waiting.first ? EPOLLOUT : 0));
}

void
command_input_close (CommandInput *input)
{
  if (input->fd < 0)
    return;
  loop_remove (input->source);
  input->source = NULL;
  close (input->fd);
  input->fd = -1;
}
