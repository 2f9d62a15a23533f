/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "orphans.h"

#include "command.h"
#include "process-tree.h"
#include "recorder.h"
#include "spare-supervisor.h"
#include "worker-pool.h"

#include <stdlib.h>

#define FIRST_INTERVAL (20 * LOOP_MILLISECOND)
#define LAST_INTERVAL (1000 * LOOP_MILLISECOND)

/* How many there were that will end by it. */
static size_t
kill_once (Broker *broker)
{
  size_t n;
  size_t capacity = command_count (broker) + WORKER_POOL_MAX_WORKERS + BROKER_MAX_SPARES + 1;
  pid_t *pids = calloc (capacity, sizeof *pids);
  ProcessTreeSpared spared = { .pids = pids };

  /* Better an orphan that lives on for now than the guest's own processes ended. */
  if (!pids)
    return 1;
  spared.n_pids = command_list_supervisors (broker, pids);
  spared.n_pids += worker_pool_list (broker->workers, pids + spared.n_pids);
  pids[spared.n_pids++] = recorder_pid (broker->recorder);
  spared.n_pids += spare_supervisors_list (broker, pids + spared.n_pids);
  n = process_tree_kill (&spared);
  free (pids);
  return n;
}

static void
kill_again (void *data)
{
  Broker *broker = data;

  if (kill_once (broker) == 0)
    return;
  loop_timer_start (broker->loop, &broker->orphans_timer, broker->orphans_interval);
  if (broker->orphans_interval < LAST_INTERVAL)
    broker->orphans_interval *= 2;
}

void
orphans_init (Broker *broker)
{
  loop_timer_init (&broker->orphans_timer, kill_again, broker);
}

void
orphans_kill (Broker *broker)
{
  broker->orphans_interval = FIRST_INTERVAL;
  kill_again (broker);
}
