/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The records of a batch, taken apart and checked. */

#pragma once

#include <asb.h>

typedef enum
{
  ASB_MEMORY_RECORD_STARTED,
  ASB_MEMORY_RECORD_OUTPUT,
  ASB_MEMORY_RECORD_COMPLETED,
  ASB_MEMORY_RECORD_STORAGE_STATE
} AsbMemoryRecordType;

typedef struct
{
  AsbOutputStream stream;
  gint64 index;
  GBytes *bytes;
} AsbMemoryChunk;

typedef struct
{
  AsbMemoryRecordType type;
  char *change_id;
  char *event_id;
  GVariant *event;   /* started, completed: an a{sv} */
  GPtrArray *chunks; /* output: AsbMemoryChunk */
  char *text;        /* started: the type of the operation; completed: the status; storage state */
  char *time;        /* started, completed */
  gsize size;        /* bytes it will take, about */
} AsbMemoryRecord;

void asb_memory_chunk_free (AsbMemoryChunk *self);

/* Returns: (transfer full) (nullable): of AsbMemoryRecord */
GPtrArray *asb_memory_records_parse (GVariant *batch, GError **error);
