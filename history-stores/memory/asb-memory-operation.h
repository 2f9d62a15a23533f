/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One operation as it is kept, and the changes that made it so. */

#pragma once

#include "asb-memory-record.h"

typedef struct
{
  gint64 seq;
  char *change_id;
  const char *type;
  char *changed_at;
} AsbMemoryChange;

typedef struct
{
  gint64 seq;
  char *event_id;
  char *operation_type;
  char *status;
  char *occurred_at;
  char *completed_at;
  gint64 duration_ms;
  GVariant *started;   /* the event of its start, an a{sv} */
  GVariant *completed; /* (nullable): that of its end */
  char *storage_state; /* (nullable): as it was changed later */
  GPtrArray *chunks[2];
  guint64 output_size;
  gboolean output_truncated;
  gsize size;
  GPtrArray *changes; /* AsbMemoryChange */
} AsbMemoryOperation;

AsbMemoryOperation *asb_memory_operation_new (const AsbMemoryRecord *record, gint64 seq);
void asb_memory_operation_free (AsbMemoryOperation *self);

gboolean asb_memory_operation_is_finished (const AsbMemoryOperation *self);

/* @max_output: bytes of output kept of one operation. Returns how many bytes it grew by. */
gsize asb_memory_operation_add_output (AsbMemoryOperation *self, const AsbMemoryRecord *record,
                                       const gboolean captured[2], guint64 max_output);
gsize asb_memory_operation_complete (AsbMemoryOperation *self, const AsbMemoryRecord *record);
gsize asb_memory_operation_add_change (AsbMemoryOperation *self, const AsbMemoryRecord *record,
                                       gint64 seq);

/* Returns: (transfer full) */
AsbHistoryOperation *asb_memory_operation_describe (const AsbMemoryOperation *self);
AsbHistoryChange *asb_memory_operation_describe_change (const AsbMemoryOperation *self,
                                                        const AsbMemoryChange *change);
GBytes *asb_memory_operation_join_output (const AsbMemoryOperation *self, AsbOutputStream stream);
