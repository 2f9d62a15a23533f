/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All that runs in the namespace of the guest, stopped in one step. Where thousands of processes
 * want the processor, who should end them one by one gets a thousandth of it, and never gets done.
 */

#pragma once

#include <stdbool.h>

/* Whether there are so many. */
bool standstill_is_needed (void);

/* Stops all but the caller and the first process, which must be the guest's. */
void standstill_begin (void);

/* Lets all go on, also what somebody had stopped before. */
void standstill_end (void);
