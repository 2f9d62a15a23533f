/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-time.h"

#include <stdio.h>
#include <time.h>

static void
format (char text[HISTORY_TIME_SIZE], const struct timespec *time)
{
  struct tm parts;
  char seconds[20];

  gmtime_r (&time->tv_sec, &parts);
  strftime (seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &parts);
  snprintf (text, HISTORY_TIME_SIZE, "%s.%06uZ", seconds,
            (unsigned)(time->tv_nsec / 1000) % 1000000);
}

void
history_time_now (char text[HISTORY_TIME_SIZE])
{
  struct timespec now;

  clock_gettime (CLOCK_REALTIME, &now);
  format (text, &now);
}

void
history_time_ago (char text[HISTORY_TIME_SIZE], int64_t seconds)
{
  struct timespec time;

  clock_gettime (CLOCK_REALTIME, &time);
  text[0] = 0;
  if (seconds > time.tv_sec)
    return;
  time.tv_sec -= seconds;
  format (text, &time);
}

int64_t
history_time_monotonic (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
