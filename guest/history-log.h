/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The write-ahead log, written with one call for each commit instead of two for each page. */

#pragma once

#include <sqlite3.h>

/* Registers the way to open files that does so, once for the process, and gives its name. NULL when
 * there is no memory: SQLite's own way does the same. */
const char *history_log_register (void);

/* A transaction has begun: whatever could not be written before belongs to none. */
void history_log_begin (sqlite3 *handle);
