/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads a stream to its end and keeps the first and the last bytes of it. */

#pragma once

#include <gio/gio.h>

typedef struct
{
  GBytes *bytes;
  guint64 total;
  gboolean truncated;
} AsbCollectedOutput;

void asb_collected_output_free (AsbCollectedOutput *output);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbCollectedOutput, asb_collected_output_free)

/* @max_size: bytes to keep; @tail_size: how many of them are the last ones, bounded by @max_size.
 */
void asb_output_collect_async (GInputStream *stream, guint64 max_size, guint64 tail_size,
                               GCancellable *cancellable, GAsyncReadyCallback callback,
                               gpointer user_data);
/* Returns: (transfer full) */
AsbCollectedOutput *asb_output_collect_finish (GInputStream *stream, GAsyncResult *result,
                                               GError **error);
