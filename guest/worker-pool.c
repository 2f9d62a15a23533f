/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "worker-pool.h"

#include "asb-wire-json.h"
#include "link.h"
#include "process.h"
#include "worker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define MAX_IDLE 2

/* Searches last as long as the tree is large. The other workers are for what is done at once. */
#define MAX_SEARCHING (WORKER_POOL_MAX_BUSY / 2)

/* What does not end by itself by then hangs. */
#define CANCEL_TIMEOUT (500 * LOOP_MILLISECOND)
#define CLEANUP_TIMEOUT (60000 * LOOP_MILLISECOND)

typedef struct
{
  List link;
  WorkerPool *pool;
  Link *socket;
  pid_t pid; /* 0: waited for */
  uint32_t number;
  WorkerTask *task;
  uint64_t n_told; /* frames, of the call */
  bool is_stalled; /* it waits for the client */
  char *lock;      /* the file it wants to be the only one to write */
  bool has_lock;
} Worker;

struct WorkerTask
{
  List link; /* of those that wait */
  WorkerPool *pool;
  Call *call;
  void (*finish) (Call *call, json_t *reply, Failure *failure);
  Worker *worker; /* NULL: it waits its turn */
  LoopTimer cancel_timer;
  uint64_t credited;
  bool is_ending; /* has been asked to */
};

struct WorkerPool
{
  Broker *broker;
  List workers;
  List waiting;
  uint64_t turn; /* of looking which sessions have a worker */
};

static void assign (WorkerPool *pool);

/* From the list of those that wait, and from the timers when it is cancelled. */
static void
unlink_task (WorkerTask *task)
{
  list_remove (&task->link);
  loop_timer_stop (&task->cancel_timer);
}

static void
finish_task (WorkerTask *task, json_t *reply, Failure *failure)
{
  unlink_task (task);
  task->finish (task->call, reply, failure);
  free (task);
}

static void
free_task (WorkerTask *task)
{
  unlink_task (task);
  free (task);
}

static void
finish_cancelled (WorkerTask *task)
{
  Failure failure = { 0 };

  failure_set (&failure, FAILURE_CANCELLED, "The call was cancelled");
  finish_task (task, NULL, &failure);
}

/* Something of the call it does, which may be what it waits for. */
static void
tell (Worker *worker, AsbFrameHeader *header, const void *payload)
{
  header->call = worker->number;
  worker->n_told++;
  worker->is_stalled = false;
  link_send (worker->socket, header, payload);
}

/* Locks: one writer of a file at a time, in the order they asked. */

static bool
is_locked (const WorkerPool *pool, const char *lock)
{
  LIST_FOREACH (node, &pool->workers)
    {
      const Worker *worker = LIST_ITEM (node, Worker, link);

      if (worker->has_lock && strcmp (worker->lock, lock) == 0)
        return true;
    }
  return false;
}

static void
grant_locks (WorkerPool *pool)
{
  LIST_FOREACH (node, &pool->workers)
    {
      Worker *worker = LIST_ITEM (node, Worker, link);
      AsbFrameHeader header = { .type = ASB_FRAME_EVENT };

      if (!worker->lock || worker->has_lock || is_locked (pool, worker->lock))
        continue;
      worker->has_lock = true;
      tell (worker, &header, NULL);
    }
}

static void
drop_lock (Worker *worker)
{
  free (worker->lock);
  worker->lock = NULL;
  worker->has_lock = false;
  grant_locks (worker->pool);
}

/* One that has been waited for has no number any more; what it said last may still be read. */
static void
kill_worker (const Worker *worker)
{
  if (worker->pid > 0)
    kill (worker->pid, SIGKILL);
}

static void
ask_for_lock (Worker *worker, json_t *event)
{
  const char *lock = json_string_value (json_object_get (event, "lock"));

  drop_lock (worker);
  worker->lock = lock ? strdup (lock) : NULL;
  if (!worker->lock)
    kill_worker (worker);
  grant_locks (worker->pool);
}

/* Workers. */

/* One that finds its socket closed ends, unless a command has stopped it. */
static void
free_worker (Worker *worker)
{
  list_remove (&worker->link);
  drop_lock (worker);
  link_free (worker->socket);
  if (worker->pid > 0)
    kill (worker->pid, SIGCONT);
  free (worker);
}

static size_t
count_idle (const WorkerPool *pool)
{
  size_t n = 0;

  LIST_FOREACH (node, &pool->workers)
    n += LIST_ITEM (node, Worker, link)->task == NULL;
  return n;
}

static void
receive_reply (Worker *worker, json_t *reply)
{
  WorkerTask *task = worker->task;
  WorkerPool *pool = worker->pool;
  Failure failure = { 0 };

  worker->task = NULL;
  worker->is_stalled = false;
  drop_lock (worker);
  if (!json_object_get (reply, "result"))
    failure_from_json (&failure, json_object_get (reply, "error"));
  finish_task (task, reply, &failure);
  assign (pool);
  if (!worker->task && count_idle (pool) > MAX_IDLE)
    free_worker (worker);
}

/* It has heard @heard frames, and waits for one more: unless that is on its way, for the client. */
static void
note_stalled (Worker *worker, json_t *heard)
{
  worker->is_stalled = (uint64_t)json_integer_value (heard) == worker->n_told;
  assign (worker->pool);
}

static void
receive_json (Worker *worker, const AsbFrameHeader *header, const uint8_t *payload)
{
  const char *reason;
  json_t *json = asb_wire_json_parse (payload, header->length, &reason);

  if (!json)
    kill_worker (worker);
  else if (header->type == ASB_FRAME_REPLY)
    receive_reply (worker, json);
  else if (json_object_get (json, "lock"))
    ask_for_lock (worker, json);
  else if (json_object_get (json, "stalled"))
    note_stalled (worker, json_object_get (json, "stalled"));
  else
    call_event (worker->task->call, json);
  json_decref (json);
}

static void
receive_data (const Worker *worker, const AsbFrameHeader *header, const uint8_t *payload)
{
  OutFrame *frame = out_frame_new (header, payload);

  if (frame)
    call_send (worker->task->call, ASB_CHANNEL_OUTPUT, frame);
  else
    kill_worker (worker);
}

static void
worker_frame (void *data, const AsbFrameHeader *header, const uint8_t *payload)
{
  Worker *worker = data;

  if (!worker->task || header->call != worker->number)
    return;
  switch (header->type)
    {
    case ASB_FRAME_REPLY:
    case ASB_FRAME_EVENT:
      receive_json (worker, header, payload);
      break;
    case ASB_FRAME_DATA:
      receive_data (worker, header, payload);
      break;
    case ASB_FRAME_CREDIT:
      call_credit_input (worker->task->call, asb_frame_count_read (payload));
      break;
    default:
      break;
    }
}

static void
worker_closed (void *data)
{
  Worker *worker = data;
  WorkerPool *pool = worker->pool;
  WorkerTask *task = worker->task;
  Failure failure = { 0 };

  kill_worker (worker);
  free_worker (worker);
  if (task && task->call->cancelled)
    finish_cancelled (task);
  else if (task)
    {
      failure_set (&failure, FAILURE_INTERNAL, "The file worker ended in the middle of the call");
      finish_task (task, NULL, &failure);
    }
  assign (pool);
}

static const LinkCallbacks LINK_CALLBACKS = { worker_frame, worker_closed };

/* NULL with errno set when there is no room for another process. */
static Worker *
worker_new (WorkerPool *pool)
{
  Worker *worker = calloc (1, sizeof *worker);
  int fd;

  if (!worker)
    return NULL;
  worker->pool = pool;
  worker->pid = process_fork ("asb-worker", SOCK_STREAM, worker_main,
                              (void *)pool->broker->options->history_dir, NULL, 0, &fd);
  if (worker->pid > 0)
    worker->socket = link_new (pool->broker->loop, fd, &LINK_CALLBACKS, worker);
  if (!worker->socket)
    {
      free (worker);
      return NULL;
    }
  list_append (&pool->workers, &worker->link);
  return worker;
}

static Worker *
find_idle (const WorkerPool *pool)
{
  LIST_FOREACH (node, &pool->workers)
    {
      Worker *worker = LIST_ITEM (node, Worker, link);

      if (!worker->task)
        return worker;
    }
  return NULL;
}

static void
begin (Worker *worker, WorkerTask *task)
{
  Call *call = task->call;
  json_t *request = json_pack ("{s:s, s:O, s:b}", "call", call->kind->name, "args", call->args,
                               "recorded", call->record.state == RECORD_ACTIVE);
  Failure failure = { 0 };

  list_remove (&task->link);
  worker->task = task;
  task->worker = worker;
  worker->number = worker->number % UINT32_MAX + 1;
  worker->n_told = 0;
  if (link_send_json (worker->socket, ASB_FRAME_CALL, worker->number, request))
    {
      worker_task_input (task);
      /* It was stopped before its turn came. */
      if (task->is_ending)
        worker_task_stop (task);
    }
  else
    {
      worker->task = NULL;
      failure_set (&failure, FAILURE_INVALID_ARGUMENT, "The arguments are larger than 1 MiB");
      finish_task (task, NULL, &failure);
    }
  json_decref (request);
}

typedef struct
{
  size_t n_working; /* also on searches; not on watches */
  size_t n_searching;
  size_t n_watching;
  size_t n_stalled; /* of those that are no watches */
} Load;

static Load
measure (const WorkerPool *pool)
{
  Load load = { 0 };

  LIST_FOREACH (node, &pool->workers)
    {
      const Worker *worker = LIST_ITEM (node, Worker, link);
      const CallKind *kind = worker->task ? worker->task->call->kind : NULL;

      if (!kind)
        continue;
      load.n_watching += kind->is_watch;
      load.n_stalled += !kind->is_watch && worker->is_stalled;
      load.n_working += !kind->is_watch && !worker->is_stalled;
      load.n_searching += kind->is_search && !worker->is_stalled;
    }
  return load;
}

/* Whoever has closed a watch may begin another at once, which waits until that has ended. */
bool
worker_pool_may_watch (const WorkerPool *pool)
{
  size_t n = 0;

  LIST_FOREACH (node, &pool->workers)
    {
      const WorkerTask *task = LIST_ITEM (node, Worker, link)->task;

      n += task && task->call->kind->is_watch && !task->is_ending;
    }
  LIST_FOREACH (waiting, &pool->waiting)
    n += LIST_ITEM (waiting, WorkerTask, link)->call->kind->is_watch;
  return n < WORKER_POOL_MAX_WATCHES;
}

static bool
may_begin (const Load *load, const CallKind *kind)
{
  if (kind->is_watch)
    return load->n_watching < WORKER_POOL_MAX_WATCHES;
  /* Who waits for a client keeps nobody from working, up to a number of processes. */
  return load->n_working < WORKER_POOL_MAX_BUSY
         && load->n_working + load->n_stalled < WORKER_POOL_MAX_BUSY + WORKER_POOL_MAX_STALLED
         && (!kind->is_search || load->n_searching < MAX_SEARCHING);
}

/* Marks the sessions that have a worker, but for their watches. */
static void
mark_served (WorkerPool *pool)
{
  pool->turn++;
  LIST_FOREACH (node, &pool->workers)
    {
      const WorkerTask *task = LIST_ITEM (node, Worker, link)->task;

      if (task && !task->call->kind->is_watch && task->call->session)
        task->call->session->worker_turn = pool->turn;
    }
}

/* No client can keep another from having anything done. */
static bool
is_first_of_session (const WorkerPool *pool, const Call *call)
{
  return call->session && !call->kind->is_watch && call->session->worker_turn != pool->turn;
}

/* The first that waits and may begin, NULL when there is none. */
static WorkerTask *
find_next (WorkerPool *pool, const Load *load)
{
  mark_served (pool);
  LIST_FOREACH (node, &pool->waiting)
    {
      WorkerTask *task = LIST_ITEM (node, WorkerTask, link);

      if (may_begin (load, task->call->kind) || is_first_of_session (pool, task->call))
        return task;
    }
  return NULL;
}

/* Gives the tasks that wait to workers, as long as there are any. */
static void
assign (WorkerPool *pool)
{
  Load load = measure (pool);
  WorkerTask *task;

  while ((task = find_next (pool, &load)))
    {
      Failure failure = { 0 };
      Worker *worker = find_idle (pool);

      if (!worker)
        worker = worker_new (pool);
      if (!worker && load.n_working > 0)
        return;
      if (worker)
        begin (worker, task);
      else
        {
          failure_set (&failure, FAILURE_INTERNAL, "Could not start a file worker: %s",
                       strerrordesc_np (errno));
          finish_task (task, NULL, &failure);
        }
      load = measure (pool);
    }
}

WorkerPool *
worker_pool_new (Broker *broker)
{
  WorkerPool *pool = calloc (1, sizeof *pool);

  if (!pool)
    return NULL;
  pool->broker = broker;
  list_init (&pool->workers);
  list_init (&pool->waiting);
  return pool;
}

void
worker_pool_free (WorkerPool *pool)
{
  LIST_FOREACH (node, &pool->workers)
    {
      Worker *worker = LIST_ITEM (node, Worker, link);

      if (worker->task)
        free_task (worker->task);
      free_worker (worker);
    }
  LIST_FOREACH (waiting, &pool->waiting)
    {
      free_task (LIST_ITEM (waiting, WorkerTask, link));
    }
  free (pool);
}

/* Tasks. */

static void
cancel_timed_out (void *data)
{
  WorkerTask *task = data;

  kill_worker (task->worker);
}

bool
worker_pool_submit (WorkerPool *pool, Call *call,
                    void (*finish) (Call *call, json_t *reply, Failure *failure))
{
  WorkerTask *task = calloc (1, sizeof *task);

  if (!task)
    return false;
  task->pool = pool;
  task->call = call;
  task->finish = finish;
  loop_timer_init (&task->cancel_timer, cancel_timed_out, task);
  call->operation = task;
  list_append (&pool->waiting, &task->link);
  assign (pool);
  return true;
}

void
worker_task_cancel (WorkerTask *task)
{
  AsbFrameHeader header = { .type = ASB_FRAME_CANCEL };

  task->is_ending = true;
  if (!task->worker)
    {
      finish_cancelled (task);
      return;
    }
  tell (task->worker, &header, NULL);
  loop_timer_start (task->pool->broker->loop, &task->cancel_timer,
                    task->call->kind->cleans_up ? CLEANUP_TIMEOUT : CANCEL_TIMEOUT);
}

void
worker_task_input (WorkerTask *task)
{
  FrameQueue *waiting = &task->call->inlet.waiting;

  while (task->worker && waiting->first)
    {
      OutFrame *frame = frame_queue_pop (waiting);

      tell (task->worker, &frame->header, out_frame_payload (frame));
      free (frame);
    }
}

void
worker_task_credit (WorkerTask *task)
{
  AsbFrameHeader header = { .length = 8, .type = ASB_FRAME_CREDIT, .channel = ASB_CHANNEL_OUTPUT };
  uint64_t credited = task->call->outlets[ASB_CHANNEL_OUTPUT].credited;
  uint8_t payload[8];

  if (!task->worker || credited == task->credited)
    return;
  task->credited = credited;
  asb_frame_count_write (credited, payload);
  tell (task->worker, &header, payload);
}

void
worker_task_stop (WorkerTask *task)
{
  AsbFrameHeader header = { .type = ASB_FRAME_STOP, .channel = ASB_CHANNEL_OUTPUT };

  task->is_ending = true;
  if (!task->worker)
    return;
  tell (task->worker, &header, NULL);
}

size_t
worker_pool_list (const WorkerPool *pool, pid_t *pids)
{
  size_t n = 0;

  LIST_FOREACH (node, &pool->workers)
    {
      Worker *worker = LIST_ITEM (node, Worker, link);

      if (worker->pid > 0)
        pids[n++] = worker->pid;
    }
  return n;
}

void
worker_pool_reaped (WorkerPool *pool, pid_t pid)
{
  LIST_FOREACH (node, &pool->workers)
    {
      Worker *worker = LIST_ITEM (node, Worker, link);

      if (worker->pid == pid)
        worker->pid = 0;
    }
}
