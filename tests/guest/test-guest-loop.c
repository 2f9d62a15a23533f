/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A process that is stopped in the middle of a turn of its loop, for longer than a timer was to
 * run: the timer is not due before it has run so long. */

#include "loop.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

/* The shortest that is a pause is 1.5 s. */
#define PAUSE_MILLISECONDS 2000

typedef struct
{
  Loop *loop;
  LoopSource *source;
  LoopTimer timer;
  LoopTask task;
  bool turn_is_over;
  bool was_too_early;
} Stopped;

static void
end_turn (void *data)
{
  Stopped *self = data;

  self->turn_is_over = true;
}

static void
be_due (void *data)
{
  Stopped *self = data;

  self->was_too_early = !self->turn_is_over;
  loop_quit (self->loop);
}

static void
stop (void *data, uint32_t events)
{
  Stopped *self = data;

  (void)events;
  loop_remove (self->source);
  loop_task_queue (self->loop, &self->task);
  loop_timer_start (self->loop, &self->timer, 1000 * LOOP_MILLISECOND);
  raise (SIGSTOP);
}

static int
run_and_be_stopped (void)
{
  Stopped self = { .loop = loop_new () };
  int ends[2];

  if (!self.loop || pipe (ends) != 0 || write (ends[1], "", 1) != 1)
    return 2;
  loop_timer_init (&self.timer, be_due, &self);
  loop_timer_count_running (&self.timer);
  loop_task_init (&self.task, end_turn, &self);
  self.source = loop_add (self.loop, ends[0], EPOLLIN, stop, &self);
  loop_run (self.loop);
  loop_free (self.loop);
  return self.was_too_early;
}

int
main (void)
{
  pid_t pid;
  int status;

  puts ("1..1");
  fflush (stdout);
  pid = fork ();
  if (pid == 0)
    _exit (run_and_be_stopped ());
  waitpid (pid, &status, WUNTRACED);
  poll (NULL, 0, PAUSE_MILLISECONDS);
  kill (pid, SIGCONT);
  waitpid (pid, &status, 0);
  if (!WIFEXITED (status) || WEXITSTATUS (status) != 0)
    printf ("not ");
  puts ("ok 1 a timer that was not due before a pause");
  return 0;
}
