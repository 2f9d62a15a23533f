/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Streams that break: between the library and a guest, each passes on so many bytes. */

#pragma once

#include <gio/gio.h>

typedef struct
{
  GMutex mutex;
  GRand *chance;
  guint n_streams;
  guint n_cut;
  guint n_steady_after; /* how many streams break at most */
  GPtrArray *threads;
  GArray *half_open; /* descriptors of the guest's side that are left open */
} Cutter;

Cutter *cutter_new (guint32 seed, guint n_streams_that_break);
/* When no stream is in use any more. */
void cutter_free (Cutter *self);

/* From any thread. Takes @connection, a stream to a guest over a socket; what comes out does not
 * look like one. */
GIOStream *cutter_wrap (Cutter *self, GIOStream *connection);
guint cutter_count (Cutter *self);
