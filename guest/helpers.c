/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "helpers.h"

#include "command.h"
#include "recorder.h"
#include "spare-supervisor.h"
#include "worker-pool.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

/* Who pauses the whole sandbox by signals comes to us as well before that. */
#define DELAY (100 * LOOP_MILLISECOND)

/* What is stopped so often in a row would be held for ever by whoever does it. */
#define MAX_CONTINUED 50

bool
helpers_list (const Broker *broker, Helpers *helpers)
{
  size_t capacity = command_count (broker) + WORKER_POOL_MAX_WORKERS + BROKER_MAX_SPARES + 1;
  pid_t *pids = calloc (capacity, sizeof *pids);
  size_t n;

  *helpers = (Helpers){ .pids = pids };
  if (!pids)
    return false;
  n = command_list_supervisors (broker, pids);
  n += worker_pool_list (broker->workers, pids + n);
  n += spare_supervisors_list (broker, pids + n);
  pids[n] = recorder_pid (broker->recorder);
  helpers->n = pids[n] > 0 ? n + 1 : n;
  return true;
}

void
helpers_clear (Helpers *helpers)
{
  free (helpers->pids);
}

/* The child @pid, or with P_ALL any. It is told of again as long as it is stopped. */
static bool
is_stopped (idtype_t which, pid_t pid)
{
  siginfo_t info = { 0 };

  return waitid (which, (id_t)pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

/* How many there were. */
static size_t
signal_stopped (const Helpers *helpers, int number)
{
  size_t n = 0;

  for (size_t i = 0; i < helpers->n; i++)
    if (is_stopped (P_PID, helpers->pids[i]) && kill (helpers->pids[i], number) == 0)
      n++;
  return n;
}

static void
go_on (void *data)
{
  Broker *broker = data;
  bool is_enough = broker->n_continued >= MAX_CONTINUED;
  Helpers helpers;

  if (!helpers_list (broker, &helpers))
    return;
  if (signal_stopped (&helpers, is_enough ? SIGKILL : SIGCONT) == 0 || is_enough)
    broker->n_continued = 0;
  else
    {
      broker->n_continued++;
      loop_timer_start (broker->loop, &broker->helpers_timer, DELAY);
    }
  helpers_clear (&helpers);
}

void
helpers_init (Broker *broker)
{
  loop_timer_init (&broker->helpers_timer, go_on, broker);
}

void
helpers_look (Broker *broker)
{
  if (list_is_empty (&broker->helpers_timer.link) && is_stopped (P_ALL, 0))
    loop_timer_start (broker->loop, &broker->helpers_timer, DELAY);
}
