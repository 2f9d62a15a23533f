/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "spare-supervisor.h"

#include "supervisor.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#define IDLE_TIME (2000 * LOOP_MILLISECOND)

/* By then most commands have ended, and given theirs back. */
#define DELAY (20 * LOOP_MILLISECOND)

/* When memory runs out, it shall be the doing of commands, and of who looks after them last. */
static pid_t
fork_supervisor (Broker *broker, int *socket_fd)
{
  const ProcessState *process = broker->options->process;
  pid_t pid;
  int error;

  process_offer_to_oom_killer (process, true);
  pid = process_fork ("asb-supervisor", SOCK_SEQPACKET, supervisor_main, (void *)process, NULL, 0,
                      socket_fd);
  error = errno;
  process_offer_to_oom_killer (process, false);
  errno = error;
  return pid;
}

static void
make_spare (void *data)
{
  Broker *broker = data;
  SpareSupervisors *spares = &broker->spares;

  if (spares->n > 0 || broker->stop_stage != STOP_NOT)
    return;
  spares->items[0].pid = fork_supervisor (broker, &spares->items[0].fd);
  if (spares->items[0].pid > 0)
    spares->n = 1;
}

/* One that finds its socket closed ends. Whoever is of our user can have stopped it. */
static void
dismiss (pid_t pid, int socket_fd)
{
  close (socket_fd);
  if (pid > 0)
    kill (pid, SIGCONT);
}

static void
dismiss_down_to (SpareSupervisors *spares, size_t n)
{
  while (spares->n > n)
    {
      spares->n--;
      dismiss (spares->items[spares->n].pid, spares->items[spares->n].fd);
    }
}

static void
dismiss_others (void *data)
{
  dismiss_down_to (&((Broker *)data)->spares, 1);
}

void
spare_supervisors_dismiss (Broker *broker)
{
  loop_timer_stop (&broker->spares.timer);
  loop_timer_stop (&broker->spares.delay);
  dismiss_down_to (&broker->spares, 0);
}

void
spare_supervisors_init (Broker *broker)
{
  loop_task_init (&broker->spares.task, make_spare, broker);
  loop_timer_init (&broker->spares.timer, dismiss_others, broker);
  loop_timer_init (&broker->spares.delay, make_spare, broker);
}

void
spare_supervisor_prepare (Broker *broker)
{
  loop_task_queue (broker->loop, &broker->spares.task);
}

void
spare_supervisor_prepare_later (Broker *broker)
{
  loop_timer_start (broker->loop, &broker->spares.delay, DELAY);
}

bool
spare_supervisor_take (Broker *broker, bool fresh, pid_t *pid, int *socket_fd)
{
  SpareSupervisors *spares = &broker->spares;

  if (fresh || spares->n == 0)
    {
      *pid = fork_supervisor (broker, socket_fd);
      return *pid > 0;
    }
  spares->n--;
  *pid = spares->items[spares->n].pid;
  *socket_fd = spares->items[spares->n].fd;
  kill (*pid, SIGCONT);
  return true;
}

void
spare_supervisor_return (Broker *broker, pid_t pid, int socket_fd)
{
  SpareSupervisors *spares = &broker->spares;

  if (pid <= 0 || spares->n == BROKER_MAX_SPARES || broker->stop_stage != STOP_NOT)
    {
      dismiss (pid, socket_fd);
      return;
    }
  spares->items[spares->n].pid = pid;
  spares->items[spares->n].fd = socket_fd;
  spares->n++;
  if (spares->n > 1)
    loop_timer_start (broker->loop, &spares->timer, IDLE_TIME);
}

void
spare_supervisor_reaped (Broker *broker, pid_t pid)
{
  SpareSupervisors *spares = &broker->spares;

  for (size_t i = 0; i < spares->n; i++)
    if (spares->items[i].pid == pid)
      {
        close (spares->items[i].fd);
        spares->items[i] = spares->items[--spares->n];
        return;
      }
}

size_t
spare_supervisors_list (const Broker *broker, pid_t *pids)
{
  for (size_t i = 0; i < broker->spares.n; i++)
    pids[i] = broker->spares.items[i].pid;
  return broker->spares.n;
}
