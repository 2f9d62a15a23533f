/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "orphans.h"

#include "command.h"
#include "process-tree.h"
#include "recorder.h"
#include "worker-pool.h"

#include <stdlib.h>

void
orphans_kill (Broker *broker)
{
  size_t capacity = command_count (broker) + WORKER_POOL_MAX_WORKERS + 2;
  pid_t *pids = calloc (capacity, sizeof *pids);
  ProcessTreeSpared spared = { .pids = pids };

  /* Better an orphan that lives on than the guest's own processes ended. */
  if (!pids)
    return;
  spared.n_pids = command_list_supervisors (broker, pids);
  spared.n_pids += worker_pool_list (broker->workers, pids + spared.n_pids);
  pids[spared.n_pids++] = recorder_pid (broker->recorder);
  pids[spared.n_pids++] = broker->spare_pid;
  process_tree_kill (&spared);
  free (pids);
}
