/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-time.h"

#include <stdio.h>
#include <time.h>

void
history_time_now (char text[HISTORY_TIME_SIZE])
{
  struct timespec now;
  struct tm parts;
  char seconds[20];

  clock_gettime (CLOCK_REALTIME, &now);
  gmtime_r (&now.tv_sec, &parts);
  strftime (seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &parts);
  snprintf (text, HISTORY_TIME_SIZE, "%s.%06uZ", seconds, (unsigned)(now.tv_nsec / 1000) % 1000000);
}

int64_t
history_time_monotonic (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
