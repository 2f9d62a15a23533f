/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "crowd.h"

#include "standstill.h"

#include <unistd.h>

static size_t
kill_now (Broker *broker, pid_t root, const ProcessTreeSpared *spared, size_t least)
{
  int64_t began = loop_now ();
  size_t n = process_tree_kill_in_standstill (root, spared, least);
  int64_t ended = loop_now ();

  /* Many crowds at once shall not keep us from all else. */
  broker->next_crowd = ended + (ended - began);
  return n >= least ? n : 0;
}

size_t
crowd_kill (Broker *broker, pid_t root, const ProcessTreeSpared *spared, size_t least)
{
  const ProcessState *process = broker->options->process;
  int lock_fd;
  size_t n;

  if (!process->may_stop_all || loop_now () < broker->next_crowd || !standstill_is_needed ())
    return 0;
  lock_fd = standstill_lock ();
  /* Nobody can stop the first process. */
  if (lock_fd < 0 && !process->is_first)
    return 0;
  standstill_begin ();
  n = kill_now (broker, root, spared, least);
  if (lock_fd >= 0)
    close (lock_fd);
  else
    standstill_end ();
  return n;
}

size_t
crowd_kill_stopped (Broker *broker, pid_t root, size_t least)
{
  return kill_now (broker, root, NULL, least);
}
