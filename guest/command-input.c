/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command-input.h"

#include "command-terminal.h"
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

  if (events & (input->is_terminal ? EPOLLERR | EPOLLHUP : EPOLLERR))
    {
      /* Nobody reads it any more. */
      command_input_close (input);
      call_stop_input (input->call);
    }
  else
    command_input_write (input);
}

static bool
take (CommandInput *input, Call *call, int fd)
{
  input->source = fd >= 0 && descriptor_set_nonblocking (fd)
                      ? loop_add (call->broker->loop, fd, 0, input_ready, input)
                      : NULL;
  if (!input->source)
    return false;
  input->call = call;
  input->fd = fd;
  return true;
}

bool
command_input_open_terminal (CommandInput *input, Call *call, int fd)
{
  int copy = fcntl (fd, F_DUPFD_CLOEXEC, 0);

  input->is_terminal = true;
  if (take (input, call, copy))
    return true;
  if (copy >= 0)
    close (copy);
  return false;
}

int
command_input_open (CommandInput *input, Call *call)
{
  int ends[2];

  if (pipe2 (ends, O_CLOEXEC) != 0)
    return -1;
  fcntl (ends[1], F_SETPIPE_SZ, PIPE_SIZE);
  if (!take (input, call, ends[1]))
    {
      close (ends[0]);
      close (ends[1]);
      return -1;
    }
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
  if (n > 0)
    input->in_line = out_frame_payload (frame)[input->offset + (size_t)n - 1] != '\n';
  input->written += (uint64_t)n;
  input->offset += (size_t)n;
  if ((size_t)n == left)
    {
      free (frame_queue_pop (&input->call->inlet.waiting));
      input->offset = 0;
    }
  return true;
}

/* Closes nothing at a terminal: a line that was begun takes the first of two characters, and the
 * second, or a single one, is the end. False when it takes no more for now. */
static bool
end (CommandInput *input)
{
  unsigned char character;

  if (!input->is_terminal)
    return true;
  if (!input->ended)
    input->n_ends = input->in_line ? 2 : 1;
  input->ended = true;
  character = command_terminal_end_character (input->fd);
  while (input->n_ends > 0)
    {
      ssize_t n = write (input->fd, &character, 1);

      if (n < 0 && errno != EINTR)
        return errno != EAGAIN;
      input->n_ends -= n > 0;
    }
  return true;
}

/* Nobody reads a pipe any more: that is worth knowing. A terminal always has a reader. */
static void
watch (CommandInput *input)
{
  bool waits = input->call->inlet.waiting.first || input->n_ends > 0;

  loop_set_events (input->source, (input->is_terminal ? 0 : EPOLLERR) | (waits ? EPOLLOUT : 0));
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
  if (input->fd >= 0 && inlet->ended && !inlet->waiting.first && end (input))
    command_input_close (input);
  if (input->fd >= 0)
    watch (input);
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
