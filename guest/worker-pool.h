/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The file workers as the broker sees them: processes that may hang on a file without anybody else
 * noticing. Each has one call at a time; the others wait their turn. */

#pragma once

#include "call.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define WORKER_POOL_MAX_WATCHES 16

/* That have something to do, and that wait for their clients; beside them one for each session. */
#define WORKER_POOL_MAX_BUSY 8
#define WORKER_POOL_MAX_STALLED 56
#define WORKER_POOL_MAX_WORKERS                                                                    \
  (WORKER_POOL_MAX_BUSY + WORKER_POOL_MAX_STALLED + BROKER_MAX_CONNECTIONS                         \
   + WORKER_POOL_MAX_WATCHES)

typedef struct WorkerTask WorkerTask;

/* NULL when memory is short. */
WorkerPool *worker_pool_new (Broker *broker);
void worker_pool_free (WorkerPool *pool);

/* Has @call done. @finish is called once with the REPLY of the worker, or with NULL and @failure
 * set; it ends with call_finish (). False when memory is short. */
bool worker_pool_submit (WorkerPool *pool, Call *call,
                         void (*finish) (Call *call, json_t *reply, Failure *failure));

/* Whether there is room for another watch. */
bool worker_pool_may_watch (const WorkerPool *pool);

/* Asks the worker to end, and ends it if it does not. May call finish at once. */
void worker_task_cancel (WorkerTask *task);

/* There is something new in the call's inlet, credit for its outlet, or a stop of it. */
void worker_task_input (WorkerTask *task);
void worker_task_credit (WorkerTask *task);
void worker_task_stop (WorkerTask *task);

/* The processes; @pids has room for WORKER_POOL_MAX_WORKERS. */
size_t worker_pool_list (const WorkerPool *pool, pid_t *pids);

/* The process @pid has ended. */
void worker_pool_reaped (WorkerPool *pool, pid_t pid);
