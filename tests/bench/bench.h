/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Programs that measure: each prints microseconds, one number a line, for bench.py. */

#pragma once

#include <glib.h>

/* One piece of what goes through cat. */
#define PIECE_SIZE (64 * 1024)

void bench_print_since (gint64 start);

/* The floor: the same work without a sandbox. */
void bench_plain_spawn (guint rounds);
void bench_plain_cat (guint64 size);
