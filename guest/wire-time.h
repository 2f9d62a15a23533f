/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <jansson.h>
#include <time.h>

/* A time as the protocol has it: {"sec", "nsec"}. */
static inline json_t *
wire_time_new (const struct timespec *time)
{
  return json_pack ("{s:I, s:I}", "sec", (json_int_t)time->tv_sec, "nsec",
                    (json_int_t)time->tv_nsec);
}
