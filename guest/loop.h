/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The event loop of the broker: descriptors, timers, and tasks for the end of a turn. */

#pragma once

#include "list.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#define LOOP_MILLISECOND INT64_C (1000000)

typedef struct Loop Loop;
typedef struct LoopSource LoopSource;

typedef struct
{
  List link;
  void (*callback) (void *data);
  void *data;
  int64_t due;

  /* It counts the time in which this process runs. */
  bool counts_running;
} LoopTimer;

/* Runs once when the descriptors that were ready have been served. */
typedef struct
{
  List link;
  void (*callback) (void *data);
  void *data;
} LoopTask;

/* NULL with errno set when the system has no room for it. */
Loop *loop_new (void);
void loop_run (Loop *loop);
void loop_quit (Loop *loop);
void loop_free (Loop *loop);

/* Nanoseconds of a clock that only goes forward. */
int64_t loop_now (void);

/* Calls @callback whenever one of @events (EPOLLIN…) is there. NULL with errno set when the system
 * has no room for it. */
LoopSource *loop_add (Loop *loop, int fd, uint32_t events,
                      void (*callback) (void *data, uint32_t events), void *data);

/* With no @events at all the descriptor is not looked at, not even for a hang-up. False when the
 * system has no room for it. */
bool loop_set_events (LoopSource *source, uint32_t events);

/* To be called before the descriptor is closed. NULL is allowed. */
void loop_remove (LoopSource *source);

void loop_timer_init (LoopTimer *timer, void (*callback) (void *data), void *data);

/* Makes it count the time in which this process is not stopped. Others notice only the part of a
 * pause that is beyond what they wait for. */
void loop_timer_count_running (LoopTimer *timer);
void loop_timer_start (Loop *loop, LoopTimer *timer, int64_t delay);
void loop_timer_stop (LoopTimer *timer);

void loop_task_init (LoopTask *task, void (*callback) (void *data), void *data);
void loop_task_queue (Loop *loop, LoopTask *task);
void loop_task_cancel (LoopTask *task);
