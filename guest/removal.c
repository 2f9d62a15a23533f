/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "removal.h"

#include <sys/stat.h>

static void
end (Broker *broker)
{
  removal_unwatch (broker);
  broker->is_removed = true;
  broker_stop (broker, NULL);
}

static void
removal_ready (void *data, uint32_t events)
{
  end (data);
}

bool
removal_watch (Broker *broker)
{
  int fd = broker->options->removal_fd;

  if (fd < 0)
    return true;
  broker->removal_source = loop_add (broker->loop, fd, EPOLLIN, removal_ready, broker);
  return broker->removal_source != NULL;
}

void
removal_unwatch (Broker *broker)
{
  loop_remove (broker->removal_source);
  broker->removal_source = NULL;
}

/* A folder that is mounted has no links any more. One that the sandbox can remove itself has no
 * name then, and that of our record may be made again. */
static bool
is_removed (const Broker *broker)
{
  struct stat status;

  return !broker->options->checks_peers && stat (broker->options->history_dir, &status) == 0
         && status.st_nlink == 0;
}

void
removal_check (Broker *broker)
{
  if (broker->stop_stage == STOP_NOT && is_removed (broker))
    end (broker);
}
