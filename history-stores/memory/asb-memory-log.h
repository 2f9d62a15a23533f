/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The record itself: operations in the order of their start, changes in the order in which they
 * came, within bounds. Not for several threads at once. */

#pragma once

#include "asb-memory-operation.h"

typedef struct
{
  guint max_operations;
  guint64 max_bytes;
  guint64 max_operation_output_bytes;
  gboolean captured[2];   /* by AsbOutputStream */
  gboolean delete_oldest; /* to make room */
  gboolean stop;          /* without room: leave things out instead of refusing them */
  gboolean no_output;     /* there is no room: output leaves no trace but that some is missing */
} AsbMemoryLimits;

typedef struct _AsbMemoryLog AsbMemoryLog;

AsbMemoryLog *asb_memory_log_new (void);
void asb_memory_log_free (AsbMemoryLog *self);

/* All or none. */
gboolean asb_memory_log_apply (AsbMemoryLog *self, GPtrArray *records,
                               const AsbMemoryLimits *limits, GError **error);

/* Returns: (transfer none) (nullable) */
AsbMemoryOperation *asb_memory_log_find (AsbMemoryLog *self, const char *event_id);
/* Returns: (transfer full) */
AsbHistoryPage *asb_memory_log_query (AsbMemoryLog *self, gint64 after_seq, guint limit,
                                      guint64 max_bytes);

/* Whether such a page says anything. */
gboolean asb_memory_log_has_news (AsbMemoryLog *self, gint64 after_seq);

/* Deletes finished operations whose changes are all at most @protected_seq: those completed before
 * @completed_before (nullable), and then the oldest until @max_bytes are not exceeded. */
void asb_memory_log_cleanup (AsbMemoryLog *self, gint64 protected_seq, const char *completed_before,
                             guint64 max_bytes);

guint64 asb_memory_log_get_size (AsbMemoryLog *self);
guint asb_memory_log_get_n_operations (AsbMemoryLog *self);
gint64 asb_memory_log_get_min_seq (AsbMemoryLog *self);
gint64 asb_memory_log_get_max_seq (AsbMemoryLog *self);
