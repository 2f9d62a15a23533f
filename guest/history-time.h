/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <stdint.h>

#define HISTORY_TIME_SIZE 28

/* Now, in UTC, as the record has it: 2026-01-31T12:00:00.000000Z. */
void history_time_now (char text[HISTORY_TIME_SIZE]);

/* The same for a time that many seconds ago; the earliest there is, "", where that is beyond. */
void history_time_ago (char text[HISTORY_TIME_SIZE], int64_t seconds);

/* Nanoseconds of a clock that only goes forward. */
int64_t history_time_monotonic (void);
