/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "guest-world.h"

#include "asb-wire-json.h"
#include "call.h"
#include "connection.h"
#include "fuzz.h"
#include "listener.h"
#include "orphans.h"
#include "process.h"
#include "stand-ins.h"
#include "websocket-door.h"
#include "websocket-opening.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* No process of the system has such a number. */
#define FIRST_PID (1 << 24)
#define MAX_DESCRIPTORS 512

World world;

static void (*world_step) (void);
static LoopSource *driver;

/* Under these names the linker finds what the broker calls. */
pid_t __wrap_process_fork (const char *name, int type, int (*helper_main) (int socket_fd, void *),
                           void *data, const int *kept, size_t n_kept, int *socket_fd);
Listener *__wrap_listener_new (Broker *broker, int fd, void (*take) (Broker *broker, int fd));
void __wrap_listener_free (Listener *listener);
int __wrap_websocket_door_listen (unsigned *port);
void __wrap_orphans_kill (Broker *broker);

static void
close_fd (int *fd)
{
  if (*fd >= 0)
    close (*fd);
  *fd = -1;
}

/* Helpers. */

static HelperKind
kind_of (const char *name)
{
  if (strcmp (name, "asb-historian") == 0)
    return HELPER_HISTORIAN;
  return strcmp (name, "asb-worker") == 0 ? HELPER_WORKER : HELPER_SUPERVISOR;
}

pid_t
__wrap_process_fork (const char *name, int type, int (*helper_main) (int socket_fd, void *),
                     void *data, const int *kept, size_t n_kept, int *socket_fd)
{
  Helper *helper = &world.helpers[world.n_helpers];
  int ends[2];

  *socket_fd = -1;
  errno = EAGAIN;
  if (world.forks_fail || world.n_helpers == WORLD_MAX_HELPERS
      || socketpair (AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
    return -1;
  *helper = (Helper){ .kind = kind_of (name),
                      .pid = FIRST_PID + (pid_t)world.n_helpers,
                      .fd = ends[1] };
  memset (helper->command_fds, -1, sizeof helper->command_fds);
  world.n_helpers++;
  *socket_fd = ends[0];
  return helper->pid;
}

void
helper_end (Helper *helper)
{
  close_fd (&helper->fd);
  for (size_t i = 0; i < SUPERVISOR_MAX_DESCRIPTORS; i++)
    close_fd (&helper->command_fds[i]);
  frame_reader_clear (&helper->reader);
}

static void
kill_helper (pid_t pid, int signal_number)
{
  unsigned number = (unsigned)(pid - FIRST_PID);

  FUZZ_CHECK (number < world.n_helpers && (signal_number == SIGKILL || signal_number == SIGCONT));
  /* Whoever has been waited for, its number may be that of another process. */
  FUZZ_CHECK (!world.helpers[number].is_waited_for);
  if (signal_number == SIGKILL)
    helper_end (&world.helpers[number]);
}

static pid_t
wait_for_helper (void)
{
  for (unsigned i = 0; i < world.n_helpers; i++)
    if (world.helpers[i].fd < 0 && !world.helpers[i].is_waited_for)
      {
        world.helpers[i].is_waited_for = true;
        return world.helpers[i].pid;
      }
  return 0;
}

Helper *
world_helper (unsigned number)
{
  return world.n_helpers > 0 ? &world.helpers[number % world.n_helpers] : NULL;
}

void
helper_say (Helper *helper, const SupervisorMessage *message)
{
  helper_send_bytes (helper, message, sizeof *message);
}

void
helper_send_bytes (Helper *helper, const void *bytes, size_t size)
{
  if (helper->fd >= 0)
    send (helper->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void
helper_send (Helper *helper, const AsbFrameHeader *header, const void *payload)
{
  uint8_t *bytes = malloc (ASB_FRAME_HEADER_SIZE + (size_t)header->length);

  FUZZ_CHECK (bytes != NULL);
  asb_frame_header_write (header, bytes);
  if (header->length > 0)
    memcpy (bytes + ASB_FRAME_HEADER_SIZE, payload, header->length);
  helper_send_bytes (helper, bytes, ASB_FRAME_HEADER_SIZE + (size_t)header->length);
  free (bytes);
}

void
helper_print (Helper *helper, unsigned stream, const void *bytes, size_t size)
{
  int fd = helper->command_fds[stream];

  if (fd >= 0 && fcntl (fd, F_SETFL, O_NONBLOCK) == 0 && write (fd, bytes, size) < 0)
    FUZZ_CHECK (errno == EAGAIN || errno == EPIPE || errno == EBADF || errno == EIO);
}

void
helper_close_stream (Helper *helper, unsigned stream)
{
  close_fd (&helper->command_fds[stream]);
}

/* What the real ones would say. */

static void
take_command (Helper *helper, struct msghdr *message)
{
  struct cmsghdr *header = CMSG_FIRSTHDR (message);
  size_t size = header ? header->cmsg_len - CMSG_LEN (0) : 0;

  FUZZ_CHECK (header && header->cmsg_type == SCM_RIGHTS
              && (size == SUPERVISOR_N_DESCRIPTORS * sizeof (int)
                  || size == SUPERVISOR_MAX_DESCRIPTORS * sizeof (int)));
  for (size_t i = 0; i < SUPERVISOR_MAX_DESCRIPTORS; i++)
    close_fd (&helper->command_fds[i]);
  memcpy (helper->command_fds, CMSG_DATA (header), size);
}

static void
answer_as_supervisor (Helper *helper, const SupervisorMessage *asked)
{
  SupervisorMessage answer = { .realtime.tv_sec = 1700000000, .monotonic = stand_ins.now };

  answer.kind = asked->kind == SUPERVISOR_BEGIN    ? SUPERVISOR_STARTED
                : asked->kind == SUPERVISOR_SIGNAL ? SUPERVISOR_SIGNALLED
                                                   : SUPERVISOR_KILLING;
  answer.value = asked->kind == SUPERVISOR_KILL ? 0 : 1;
  helper_say (helper, &answer);
  if (asked->kind != SUPERVISOR_KILL)
    return;
  answer.kind = SUPERVISOR_EXITED;
  answer.value = SIGTERM;
  helper_say (helper, &answer);
  answer.kind = SUPERVISOR_ENDED;
  answer.last = true;
  helper_say (helper, &answer);
}

static bool
receive_as_supervisor (Helper *helper)
{
  union
  {
    struct cmsghdr header;
    char bytes[CMSG_SPACE (sizeof helper->command_fds)];
  } control;
  SupervisorMessage asked;
  struct iovec vector = { &asked, sizeof asked };
  struct msghdr message = { .msg_iov = &vector,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes };

  if (helper->fd < 0 || recvmsg (helper->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) <= 0)
    return false;
  FUZZ_CHECK (asked.kind <= SUPERVISOR_SIGNAL);
  if (asked.kind == SUPERVISOR_BEGIN)
    take_command (helper, &message);
  if (!world.helpers_are_silent)
    answer_as_supervisor (helper, &asked);
  return true;
}

static void
answer_frame (Helper *helper, const AsbFrameHeader *asked, const char *text)
{
  AsbFrameHeader reply = {
    .length = (uint32_t)strlen (text), .type = ASB_FRAME_REPLY, .call = asked->call, .sequence = 1
  };

  helper_send (helper, &reply, text);
}

static void
take_frame (Helper *helper, const AsbFrameHeader *header, const uint8_t *payload)
{
  const char *reason;
  json_t *json;

  if (header->type != ASB_FRAME_CALL)
    return;
  json = asb_wire_json_parse (payload, header->length, &reason);
  FUZZ_CHECK (json && json_is_string (json_object_get (json, "call")));
  json_decref (json);
  helper->last_call = header->call;
  if (!world.helpers_are_silent)
    answer_frame (helper, header,
                  helper->kind == HELPER_WORKER ? "{\"result\":{},\"recorded\":{}}"
                                                : "{\"result\":{\"state\":\"complete\"}}");
}

static void
receive_frames (Helper *helper)
{
  AsbFrameHeader header;
  const uint8_t *payload;
  const char *reason;
  AsbFrameStatus status;

  while (helper->fd >= 0 && frame_reader_fill (&helper->reader, helper->fd) == FRAME_READER_DATA)
    while ((status = frame_reader_next (&helper->reader, &header, &payload, &reason))
           != ASB_FRAME_NEED_MORE)
      {
        FUZZ_CHECK (status == ASB_FRAME_OK);
        take_frame (helper, &header, payload);
      }
}

static void
run_helpers (void)
{
  unsigned failing = stand_ins.failing_allocation;

  /* Only the broker is short of memory. */
  stand_ins.failing_allocation = 0;
  for (unsigned i = 0; i < world.n_helpers; i++)
    if (world.helpers[i].kind == HELPER_SUPERVISOR)
      while (receive_as_supervisor (&world.helpers[i]))
        ;
    else
      receive_frames (&world.helpers[i]);
  stand_ins.failing_allocation = failing;
}

/* The rest of the world. */

static void
turn (void *data, uint32_t events)
{
  unsigned failing = stand_ins.failing_allocation;

  run_helpers ();
  stand_ins.failing_allocation = 0;
  world_step ();
  if (stand_ins.failing_allocation == 0)
    stand_ins.failing_allocation = failing;
  world.n_turns++;
}

Listener *
__wrap_listener_new (Broker *broker, int fd, void (*take) (Broker *broker, int fd))
{
  if (world.driver_fd >= 0)
    {
      world.door_fd = fd;
      return (Listener *)&world.door_fd;
    }
  world.broker = broker;
  world.is_listening = true;
  world.driver_fd = eventfd (1, EFD_CLOEXEC | EFD_NONBLOCK);
  driver = loop_add (broker->loop, world.driver_fd, EPOLLIN, turn, NULL);
  FUZZ_CHECK (driver != NULL);
  return (Listener *)&world;
}

/* What calls of the history hold that were never answered goes with the process. */
static void
note_unanswered (const Broker *broker)
{
  LIST_FOREACH (node, &broker->calls)
    {
      const Call *call = LIST_ITEM (node, Call, broker_link);

      if (call->operation && strncmp (call->kind->name, "history.", 8) == 0
          && world.n_unanswered < WORLD_MAX_UNANSWERED)
        world.unanswered[world.n_unanswered++] = call->operation;
    }
}

/* Is called when the broker begins to end, and when it is torn down. */
void
__wrap_listener_free (Listener *listener)
{
  const Broker *broker = world.broker;

  if (listener == (Listener *)&world.door_fd)
    {
      close_fd (&world.door_fd);
      return;
    }
  if (!world.is_listening)
    {
      loop_remove (driver);
      note_unanswered (broker);
    }
  world.is_listening = false;
  world.left_fds[0] = broker->nothing_fd;
  world.left_fds[1] = broker->signal_fd;
}

int
__wrap_websocket_door_listen (unsigned *port)
{
  *port = *port > 0 ? *port : 1;
  return eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void
__wrap_orphans_kill (Broker *broker)
{
}

int
world_connect (void)
{
  int ends[2];

  if (!world.is_listening
      || socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
    return -1;
  connection_open_socket (world.broker, ends[0]);
  return ends[1];
}

int
world_visit (void)
{
  int ends[2];

  if (!world.is_listening
      || socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
    return -1;
  websocket_opening_begin (world.broker, ends[0]);
  return ends[1];
}

static int
open_signals (void)
{
  int ends[2];

  FUZZ_CHECK (pipe2 (ends, O_CLOEXEC | O_NONBLOCK) == 0);
  world.signal_fd = ends[1];
  return ends[0];
}

void
world_signal (uint32_t number)
{
  struct signalfd_siginfo info = { .ssi_signo = number };

  if (write (world.signal_fd, &info, sizeof info) < 0)
    FUZZ_CHECK (errno == EAGAIN || errno == EPIPE);
}

unsigned
world_count_descriptors (void)
{
  unsigned n = 0;

  for (int fd = 0; fd < MAX_DESCRIPTORS; fd++)
    n += fcntl (fd, F_GETFD) >= 0;
  return n;
}

void
world_run (void (*step) (void))
{
  static char *entries[] = { NULL };
  Environment environment = { .entries = entries };
  ProcessState process = { .oom_score_fd = -1 };
  BrokerOptions options = { .listen_fd = -1,
                            .liveness_fd = -1,
                            .removal_fd = -1,
                            /* Jobs have files there, without names. */
                            .history_dir = "/tmp",
                            .token = WORLD_TOKEN,
                            .environment = &environment,
                            .process = &process };

  world = (World){ .driver_fd = -1, .door_fd = -1, .signal_fd = -1 };
  world_step = step;
  stand_ins_reset ();
  stand_ins.kill = kill_helper;
  stand_ins.wait = wait_for_helper;
  stand_ins.open_signals = open_signals;
  signal (SIGPIPE, SIG_IGN);

  FUZZ_CHECK (broker_run (&options) == 0);

  stand_ins.failing_allocation = 0;
  for (unsigned i = 0; i < world.n_unanswered; i++)
    free (world.unanswered[i]);
  for (unsigned i = 0; i < world.n_helpers; i++)
    helper_end (&world.helpers[i]);
  for (size_t i = 0; i < sizeof world.left_fds / sizeof world.left_fds[0]; i++)
    close_fd (&world.left_fds[i]);
  close_fd (&world.driver_fd);
  close_fd (&world.signal_fd);
}
