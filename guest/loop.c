/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "loop.h"

#include "descriptors.h"
#include "pause.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MAX_EVENTS 64

struct LoopSource
{
  List link;
  Loop *loop;
  int fd;
  uint32_t events;
  bool removed;
  bool awakens;
  void (*callback) (void *data, uint32_t events);
  void *data;
};

struct Loop
{
  int epoll_fd;
  bool quit;
  List timers;
  List tasks;
  List removed;
  PauseWatch pauses;
};

Loop *
loop_new (void)
{
  Loop *loop = calloc (1, sizeof *loop);

  if (!loop)
    return NULL;
  loop->epoll_fd = epoll_create1 (EPOLL_CLOEXEC);
  if (loop->epoll_fd < 0)
    {
      free (loop);
      return NULL;
    }
  list_init (&loop->timers);
  list_init (&loop->tasks);
  list_init (&loop->removed);
  pause_watch_init (&loop->pauses, loop_now ());
  return loop;
}

static void
free_removed (Loop *loop)
{
  LIST_FOREACH (node, &loop->removed)
    {
      list_remove (node);
      free (LIST_ITEM (node, LoopSource, link));
    }
}

int64_t
loop_now (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool
counts_running (const Loop *loop)
{
  LIST_FOREACH (node, &loop->timers)
    {
      if (LIST_ITEM (node, LoopTimer, link)->counts_running)
        return true;
    }
  return false;
}

/* Until the next timer is due; −1 when there is none. */
static int64_t
time_to_wait (const Loop *loop)
{
  int64_t left;

  if (list_is_empty (&loop->timers))
    return -1;
  left = LIST_ITEM (loop->timers.next, LoopTimer, link)->due - loop_now ();
  if (left < 0)
    return 0;
  return left > PAUSE_HEARTBEAT && counts_running (loop) ? PAUSE_HEARTBEAT : left;
}

/* What was to be done in some time is to be done in that time of running. */
static void
postpone_timers (Loop *loop, int64_t wait)
{
  int64_t pause = pause_watch_look (&loop->pauses, wait < 0 ? INT64_MAX / 2 : wait, loop_now ());

  if (pause > 0)
    LIST_FOREACH (node, &loop->timers)
      LIST_ITEM (node, LoopTimer, link)->due += pause;
}

/* Those that were due when we last looked whether we had been stopped: it may have come since, and
 * is then seen in the next turn. */
static void
run_timers (Loop *loop)
{
  int64_t now = loop->pauses.last;

  while (!list_is_empty (&loop->timers))
    {
      LoopTimer *timer = LIST_ITEM (loop->timers.next, LoopTimer, link);

      if (timer->due > now)
        return;
      list_remove (&timer->link);
      timer->callback (timer->data);
    }
}

static void
run_tasks (Loop *loop)
{
  while (!list_is_empty (&loop->tasks))
    {
      LoopTask *task = LIST_ITEM (loop->tasks.next, LoopTask, link);

      list_remove (&task->link);
      task->callback (task->data);
    }
}

static void
run_turn (Loop *loop)
{
  struct epoll_event events[MAX_EVENTS];
  int64_t wait = time_to_wait (loop);
  int64_t left = (wait + LOOP_MILLISECOND - 1) / LOOP_MILLISECOND;
  int n = epoll_wait (loop->epoll_fd, events, MAX_EVENTS,
                      wait < 0 ? -1 : (int)(left > INT_MAX ? INT_MAX : left));

  postpone_timers (loop, wait);
  for (int i = 0; i < n; i++)
    {
      LoopSource *source = events[i].data.ptr;

      if (!source->removed)
        source->callback (source->data, events[i].events);
    }
  run_timers (loop);
  run_tasks (loop);
  free_removed (loop);
}

void
loop_run (Loop *loop)
{
  run_tasks (loop);
  while (!loop->quit)
    run_turn (loop);
}

void
loop_free (Loop *loop)
{
  run_tasks (loop);
  free_removed (loop);
  close (loop->epoll_fd);
  free (loop);
}

void
loop_quit (Loop *loop)
{
  loop->quit = true;
}

static bool
control (LoopSource *source, int operation)
{
  struct epoll_event event = { .events = source->events, .data.ptr = source };

  return epoll_ctl (source->loop->epoll_fd, operation, source->fd, &event) == 0;
}

LoopSource *
loop_add (Loop *loop, int fd, uint32_t events, void (*callback) (void *data, uint32_t events),
          void *data)
{
  LoopSource *source = calloc (1, sizeof *source);

  if (!source)
    return NULL;
  list_init (&source->link);
  source->loop = loop;
  source->fd = fd;
  source->events = events;
  source->callback = callback;
  source->data = data;
  if (events != 0 && !control (source, EPOLL_CTL_ADD))
    {
      free (source);
      return NULL;
    }
  source->awakens = descriptor_set_awakening (fd);
  return source;
}

bool
loop_set_events (LoopSource *source, uint32_t events)
{
  uint32_t before = source->events;

  if (before == events)
    return true;
  source->events = events;
  if (events == 0)
    return control (source, EPOLL_CTL_DEL);
  return control (source, before == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD);
}

void
loop_remove (LoopSource *source)
{
  if (!source)
    return;
  loop_set_events (source, 0);
  if (source->awakens)
    descriptor_unset_awakening (source->fd);
  /* An event of this turn may still point to it. */
  source->removed = true;
  list_append (&source->loop->removed, &source->link);
}

void
loop_timer_init (LoopTimer *timer, void (*callback) (void *data), void *data)
{
  list_init (&timer->link);
  timer->callback = callback;
  timer->data = data;
  timer->counts_running = false;
}

void
loop_timer_count_running (LoopTimer *timer)
{
  timer->counts_running = true;
}

void
loop_timer_start (Loop *loop, LoopTimer *timer, int64_t delay)
{
  List *position = &loop->timers;

  list_remove (&timer->link);
  timer->due = loop_now () + delay;
  while (position->previous != &loop->timers
         && LIST_ITEM (position->previous, LoopTimer, link)->due > timer->due)
    position = position->previous;
  list_insert_before (position, &timer->link);
}

void
loop_timer_stop (LoopTimer *timer)
{
  list_remove (&timer->link);
}

void
loop_task_init (LoopTask *task, void (*callback) (void *data), void *data)
{
  list_init (&task->link);
  task->callback = callback;
  task->data = data;
}

void
loop_task_queue (Loop *loop, LoopTask *task)
{
  list_remove (&task->link);
  list_append (&loop->tasks, &task->link);
}

void
loop_task_cancel (LoopTask *task)
{
  list_remove (&task->link);
}
