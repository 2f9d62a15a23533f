/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Programs that measure: each prints microseconds, one number a line, for bench.py. */

#pragma once

#include <asb.h>

/* One piece of what goes through cat. */
#define PIECE_SIZE (64 * 1024)

/* What the lines of a command's output are made of. */
#define BENCH_LINE "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"

void bench_print_since (gint64 start);
/* To the end of a line, or of standard input. */
void bench_wait_for_input (void);

/* A new sandbox. What goes wrong ends the program. */
AsbBackend *bench_create (gboolean recorded);
void bench_create_async (gboolean recorded, GAsyncReadyCallback callback, gpointer user_data);
AsbBackend *bench_create_finish (GAsyncResult *result);
void bench_destroy (AsbBackend *backend);

void bench_files (guint rounds);
void bench_created (guint rounds);
void bench_big_file (guint64 size);
void bench_many (guint count);

/* The floor: the same work without a sandbox. */
void bench_plain_spawn (guint rounds);
void bench_plain_cat (guint64 size);
