/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tells that something was written in the folder of the database, by whomever. */

#pragma once

#include <stdbool.h>

typedef struct
{
  int fd;    /* −1: there is none; polled while the watch runs */
  int watch; /* −1: it does not run */
} HistoryWatch;

void history_watch_init (HistoryWatch *watch);
void history_watch_clear (HistoryWatch *watch);

/* Begins to watch @directory. FALSE where the kernel has no watch left, or none for this folder. */
bool history_watch_start (HistoryWatch *watch, const char *directory);
bool history_watch_is_running (const HistoryWatch *watch);

/* What was written and not taken is forgotten. */
void history_watch_stop (HistoryWatch *watch);

/* Whether something was written since this was last asked. A watch ends with its folder; that
 * counts as written. */
bool history_watch_take (HistoryWatch *watch);
