/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Notices that this process was stopped for some time, with all that runs beside it: a sandbox that
 * is frozen, a machine that pauses its containers, SIGSTOP. No clock tells: the monotonic one goes
 * on meanwhile, and the kernel says nothing. But who waits at most so long and finds that much more
 * time has passed was stopped, or got no processor; how long it wanted one is known. */

#pragma once

#include <stdint.h>

/* Who has a deadline that counts running time waits no longer than this, so that a pause is known
 * to so much. */
#define PAUSE_HEARTBEAT (INT64_C (500) * 1000000)

/* What is shorter is no pause but a bad moment. */
#define PAUSE_LEAST (INT64_C (1500) * 1000000)

typedef struct
{
  /* When it was looked at. What is due is due by this and no later clock. */
  int64_t last;

  /* How long the process has waited for a processor, and when that was looked up. */
  int64_t starved;
  int64_t starved_at;
} PauseWatch;

void pause_watch_init (PauseWatch *watch, int64_t now);

/* To be called after each wait, which was to last @wait at most; it is @now. The time for which
 * this process was stopped since the last call, 0 if it was not. */
int64_t pause_watch_look (PauseWatch *watch, int64_t wait, int64_t now);
