/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "orphans.h"

#include "crowd.h"
#include "helpers.h"
#include "process-tree.h"
#include "standstill.h"

#include <unistd.h>

#define FIRST_INTERVAL (20 * LOOP_MILLISECOND)
#define LAST_INTERVAL (1000 * LOOP_MILLISECOND)

/* How many there were that will end by it. */
static size_t
kill_once (Broker *broker)
{
  ProcessTreeSpared spared;
  Helpers helpers;
  size_t n;

  /* Better an orphan that lives on for now than the guest's own processes ended. */
  if (!helpers_list (broker, &helpers))
    return 1;
  spared = (ProcessTreeSpared){ helpers.pids, helpers.n };
  n = crowd_kill (broker, getpid (), &spared, 1);
  if (n == 0)
    n = process_tree_kill (&spared);
  helpers_clear (&helpers);
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
  /* Who was killed may have had all others stand still. */
  if (broker->options->process->is_first)
    standstill_end ();
  broker->orphans_interval = FIRST_INTERVAL;
  kill_again (broker);
}
