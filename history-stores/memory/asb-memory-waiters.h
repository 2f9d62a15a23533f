/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Those who wait for a change of the record. All functions are called with the mutex of the store
 * held, except where they say not. */

#pragma once

#include "asb-memory-log.h"

typedef struct _AsbMemoryWaiters AsbMemoryWaiters;

/* @mutex: of the store */
AsbMemoryWaiters *asb_memory_waiters_new (GMutex *mutex, AsbMemoryLog *log);
void asb_memory_waiters_free (AsbMemoryWaiters *self);

/* Answers @task with a page of what comes after @after_seq, when there is some or the time is over.
 */
void asb_memory_waiters_add (AsbMemoryWaiters *self, gint64 after_seq, guint limit,
                             guint64 max_bytes, guint timeout_ms, GTask *task);

/* Returns: (transfer full): those for whom there is something, with their answers */
GPtrArray *asb_memory_waiters_take_ready (AsbMemoryWaiters *self);
/* Returns: (transfer full): all, without answers */
GPtrArray *asb_memory_waiters_take_all (AsbMemoryWaiters *self);

/* Without the mutex: answers them, and takes @taken. Those without an answer are told that the
 * store was closed. */
void asb_memory_waiters_answer (GPtrArray *taken);
