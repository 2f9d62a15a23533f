/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "spare-supervisor.h"

#include "supervisor.h"

#include <sys/socket.h>
#include <unistd.h>

static pid_t
fork_supervisor (Broker *broker, int *socket_fd)
{
  return process_fork ("asb-supervisor", SOCK_SEQPACKET, supervisor_main,
                       (void *)broker->options->process, NULL, 0, socket_fd);
}

static void
make_spare (void *data)
{
  Broker *broker = data;

  if (broker->spare_pid <= 0 && broker->stop_stage == STOP_NOT)
    broker->spare_pid = fork_supervisor (broker, &broker->spare_fd);
}

void
spare_supervisor_prepare (Broker *broker)
{
  broker->spare_task.callback = make_spare;
  broker->spare_task.data = broker;
  loop_task_queue (broker->loop, &broker->spare_task);
}

bool
spare_supervisor_take (Broker *broker, bool fresh, pid_t *pid, int *socket_fd)
{
  if (fresh || broker->spare_pid <= 0)
    *pid = fork_supervisor (broker, socket_fd);
  else
    {
      *pid = broker->spare_pid;
      *socket_fd = broker->spare_fd;
      broker->spare_pid = 0;
    }
  return *pid > 0;
}

void
spare_supervisor_reaped (Broker *broker, pid_t pid)
{
  if (broker->spare_pid != pid)
    return;
  close (broker->spare_fd);
  broker->spare_pid = 0;
}
