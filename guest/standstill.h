/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All that runs in the namespace of the guest, stopped in one step. Where thousands of processes
 * want the processor, who should end them one by one gets a thousandth of it, and never gets done.
 * What the guest may not send signals to goes on, and so does the first process. */

#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Whether there are so many. */
bool standstill_is_needed (void);

/* Who is to begin opens this, and has it open until all goes on: two that stopped each other at
 * once would both stay so. -1 when another has it. */
int standstill_lock (void);

/* Stops all but the caller and the first process. Once only, until all goes on: what is stopped
 * twice looks as if others had done it before. */
void standstill_begin (void);

/* Lets @pid go on, unless somebody had stopped it before. */
void standstill_release (pid_t pid);

/* Lets all go on, also what somebody had stopped before. */
void standstill_end (void);
