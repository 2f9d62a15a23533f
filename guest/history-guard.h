/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SQLite maps the shared memory of the write-ahead log, a file that others may cut short while it
 * is mapped. */

#pragma once

#include <stdbool.h>

/* From now on such a page reads as zeroes instead of ending the process. */
void history_guard_install (void);

/* Whether that has happened since the last time this was asked: what was read then is not to be
 * trusted. */
bool history_guard_tripped (void);
