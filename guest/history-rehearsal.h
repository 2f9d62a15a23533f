/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What makes the first opening of a record slow is the first use of the code for it. */

#pragma once

/* Goes through it once, with a record in memory that nobody sees, while nobody waits. */
void history_rehearse (void);
