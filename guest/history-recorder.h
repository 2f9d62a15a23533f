/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who records: a name for this process that nobody else has, and by which others of the same
 * sandbox can see whether it still lives. */

#pragma once

#include <stdbool.h>

#define HISTORY_RECORDER_SIZE 256

void history_recorder_name (char name[HISTORY_RECORDER_SIZE]);

/* Whether it does, and its guest. False also where that cannot be known: without /proc, or of
 * another sandbox or machine. */
bool history_recorder_lives (const char *name);
