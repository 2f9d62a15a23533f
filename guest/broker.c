/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "broker.h"

#include "call-kinds.h"
#include "command.h"
#include "connection.h"
#include "descriptors.h"
#include "expiry.h"
#include "helpers.h"
#include "job.h"
#include "listener.h"
#include "orphans.h"
#include "recorder.h"
#include "removal.h"
#include "spare-supervisor.h"
#include "websocket-door.h"
#include "worker-pool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* Together within the two seconds in which everything has to end. */
#define WORK_TIMEOUT (1400 * LOOP_MILLISECOND)
#define HISTORY_TIMEOUT (350 * LOOP_MILLISECOND)
#define REPLY_TIMEOUT (150 * LOOP_MILLISECOND)

void
broker_random_id (char id[BROKER_ID_SIZE])
{
  unsigned char bytes[(BROKER_ID_SIZE - 1) / 2];

  if (getrandom (bytes, sizeof bytes, 0) != sizeof bytes)
    abort ();
  for (size_t i = 0; i < sizeof bytes; i++)
    snprintf (id + 2 * i, 3, "%02x", bytes[i]);
}

/* The end. */

static bool
is_work_done (const Broker *broker)
{
  if (!list_is_empty (&broker->commands))
    return false;
  LIST_FOREACH (node, &broker->calls)
    {
      const Call *call = LIST_ITEM (node, Call, broker_link);

      if (call != broker->stop_call && !call->replied)
        return false;
    }
  return true;
}

static void
set_stage (Broker *broker, StopStage stage, int64_t timeout)
{
  broker->stop_stage = stage;
  loop_timer_start (broker->loop, &broker->stop_timer, timeout);
  loop_task_queue (broker->loop, &broker->stop_task);
}

static void
reply_to_stop (Broker *broker)
{
  Outcome outcome = { .result = json_object (), .status = "succeeded" };

  if (broker->stop_stage >= STOP_REPLYING)
    return;
  if (broker->stop_call)
    call_finish (broker->stop_call, &outcome);
  else
    json_decref (outcome.result);
  broker->stop_call = NULL;
  set_stage (broker, STOP_REPLYING, REPLY_TIMEOUT);
}

static void
history_closed (void *data, json_t *reply)
{
  reply_to_stop (data);
}

static void
close_history (Broker *broker)
{
  static const RecorderCallbacks callbacks = { .reply = history_closed };
  json_t *request = json_pack ("{s:s}", "call", "historian.close");
  uint32_t number;

  set_stage (broker, STOP_CLOSING_HISTORY, HISTORY_TIMEOUT);
  number = recorder_call (broker->recorder, request, &callbacks, broker);
  json_decref (request);
  if (number == 0)
    reply_to_stop (broker);
}

static void
stop_step (void *data)
{
  Broker *broker = data;

  if (broker->stop_stage == STOP_NOT && list_is_empty (&broker->sessions) && is_work_done (broker))
    broker_stop (broker, NULL);
  else if (broker->stop_stage == STOP_ENDING_WORK && is_work_done (broker))
    close_history (broker);
  else if (broker->stop_stage == STOP_REPLYING && connections_are_flushed (broker))
    loop_quit (broker->loop);
}

static void
stop_timed_out (void *data)
{
  Broker *broker = data;

  if (broker->stop_stage == STOP_ENDING_WORK)
    {
      command_give_up_all (broker);
      close_history (broker);
    }
  else if (broker->stop_stage == STOP_CLOSING_HISTORY)
    reply_to_stop (broker);
  else
    loop_quit (broker->loop);
}

void
broker_stop_check (Broker *broker)
{
  if (broker->stop_stage != STOP_NOT || broker->is_draining)
    loop_task_queue (broker->loop, &broker->stop_task);
}

void
broker_drain (Broker *broker)
{
  broker->is_draining = true;
  broker_stop_check (broker);
}

void
broker_stop (Broker *broker, Call *call)
{
  if (broker->stop_stage != STOP_NOT)
    return;
  broker->stop_call = call;
  set_stage (broker, STOP_ENDING_WORK, WORK_TIMEOUT);
  listener_free (broker->listener);
  broker->listener = NULL;
  websocket_door_close (broker);
  command_cancel_all (broker);
  LIST_FOREACH (node, &broker->calls)
    {
      Call *other = LIST_ITEM (node, Call, broker_link);

      if (other != call)
        call_cancel (other);
    }
}

static void
start_shutdown (Call *call)
{
  broker_stop (call->broker, call);
}

const CallKind GUEST_KINDS[] = {
  { .name = "guest.shutdown", .start = start_shutdown },
  { .name = NULL },
};

/* What the system tells. */

static void
reap (Broker *broker)
{
  pid_t pid;

  while ((pid = waitpid (-1, NULL, WNOHANG)) > 0)
    {
      command_reaped (broker, pid);
      spare_supervisor_reaped (broker, pid);
      worker_pool_reaped (broker->workers, pid);
      recorder_reaped (broker->recorder, pid);
    }
  helpers_look (broker);
}

/* As the first process of a sandbox the guest does not take orders from those inside. */
static bool
is_from_outside (const struct signalfd_siginfo *info)
{
  return getpid () != 1 || info->ssi_pid == 0;
}

static void
signal_ready (void *data, uint32_t events)
{
  Broker *broker = data;
  struct signalfd_siginfo info;

  while (read (broker->signal_fd, &info, sizeof info) == sizeof info)
    if (info.ssi_signo == SIGCHLD)
      reap (broker);
    else if (is_from_outside (&info))
      broker_stop (broker, NULL);
}

static void
liveness_ready (void *data, uint32_t events)
{
  Broker *broker = data;
  char bytes[256];
  ssize_t n = read (broker->options->liveness_fd, bytes, sizeof bytes);

  if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
    return;
  loop_remove (broker->liveness_source);
  broker->liveness_source = NULL;
  broker_stop (broker, NULL);
}

static bool
watch_signals (Broker *broker)
{
  sigset_t signals;

  sigemptyset (&signals);
  sigaddset (&signals, SIGCHLD);
  sigaddset (&signals, SIGTERM);
  sigaddset (&signals, SIGINT);
  sigaddset (&signals, SIGHUP);
  sigprocmask (SIG_BLOCK, &signals, NULL);
  broker->signal_fd = signalfd (-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (broker->signal_fd >= 0)
    broker->signal_source
        = loop_add (broker->loop, broker->signal_fd, EPOLLIN, signal_ready, broker);
  return broker->signal_source != NULL;
}

static bool
watch_liveness (Broker *broker)
{
  int fd = broker->options->liveness_fd;

  if (fd < 0)
    return true;
  if (!descriptor_set_nonblocking (fd))
    return false;
  broker->liveness_source = loop_add (broker->loop, fd, EPOLLIN, liveness_ready, broker);
  return broker->liveness_source != NULL;
}

static bool
set_up (Broker *broker)
{
  broker->loop = loop_new ();
  if (!broker->loop || !watch_signals (broker))
    return false;
  list_init (&broker->connections);
  list_init (&broker->sessions);
  list_init (&broker->commands);
  list_init (&broker->calls);
  list_init (&broker->jobs);
  list_init (&broker->ended_jobs);
  list_init (&broker->openings);
  loop_timer_init (&broker->stop_timer, stop_timed_out, broker);
  helpers_init (broker);
  orphans_init (broker);
  loop_task_init (&broker->stop_task, stop_step, broker);
  spare_supervisors_init (broker);
  broker_random_id (broker->boot_id);
  broker_random_id (broker->token);
  if (broker->options->token && !token_list_add (&broker->tokens, broker->options->token))
    return false;
  broker->nothing_fd = descriptor_open_nothing ();
  broker->recorder = recorder_new (broker->loop, broker->options->history_dir);
  broker->workers = worker_pool_new (broker);
  return broker->nothing_fd >= 0 && broker->recorder && broker->workers && watch_liveness (broker)
         && removal_watch (broker) && expiry_set (broker, broker->options->expire_after);
}

/* Whatever goes on is over: with their sockets all our processes end, and what they look after. */
static void
tear_down (Broker *broker)
{
  listener_free (broker->listener);
  websocket_door_close (broker);
  connections_close (broker);
  command_free_all (broker);
  spare_supervisors_dismiss (broker);
  worker_pool_free (broker->workers);
  recorder_free (broker->recorder);
  call_free_all (broker);
  job_free_all (broker);
  loop_remove (broker->signal_source);
  loop_remove (broker->liveness_source);
  removal_unwatch (broker);
  expiry_clear (broker);
  loop_free (broker->loop);
  token_list_clear (&broker->tokens);
}

static bool
open_door (Broker *broker)
{
  const BrokerOptions *options = broker->options;
  json_t *door = NULL;

  if (options->listens && !websocket_door_open (broker, options->port))
    {
      fprintf (stderr, "asb-guest: Could not listen at “127.0.0.1:%u”: %s\n", options->port,
               strerrordesc_np (errno));
      return false;
    }
  if (options->listens)
    door = websocket_door_describe (broker, !options->token);
  if (options->ready)
    options->ready (options->data, door);
  json_decref (door);
  return true;
}

int
broker_run (const BrokerOptions *options)
{
  Broker broker = { .options = options };

  /* What a killed supervisor leaves behind comes to us, and not to a stranger. */
  prctl (PR_SET_CHILD_SUBREAPER, 1);
  if (set_up (&broker))
    broker.listener
        = listener_new (&broker, options->listen_fd,
                        options->checks_peers ? connection_open_local : connection_open_socket);
  if (!broker.listener)
    {
      fprintf (stderr, "asb-guest: Could not begin to serve: %s\n", strerrordesc_np (errno));
      return 1;
    }
  if (!open_door (&broker))
    return 1;
  if (!options->record_only)
    spare_supervisor_prepare (&broker);
  loop_run (broker.loop);
  tear_down (&broker);
  return 0;
}
