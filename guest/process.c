/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "process.h"

#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_KEPT 8
#define MAX_OOM_SCORE_ADJ 1000
#define OFFERED_OOM_SCORE_ADJ 500

#define SHORT_TURN (100 * 1000) /* nanoseconds */

/* The number that the kernel gives the process namespace of the machine. */
#define MACHINE_NAMESPACE UINT32_C (0xEFFFFFFC)

/* As sched_setattr(2) has them; the C library has neither them nor the call. */
#define RESET_ON_FORK 1

typedef struct
{
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime;
  uint64_t deadline;
  uint64_t period;
} SchedulingAttributes;

/* Opened while the file is still ours; it stays so when it is no longer. Not as one of the first
 * three, which are for others. */
static int
open_oom_score (void)
{
  int fd = open ("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
  int high = fd >= 0 ? fcntl (fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;

  if (fd >= 0)
    close (fd);
  return high;
}

static int
read_oom_score (int fd)
{
  char text[16] = "";

  if (fd < 0 || pread (fd, text, sizeof text - 1, 0) < 0)
    return 0;
  return (int)strtol (text, NULL, 10);
}

/* It is inherited, so that nothing a command starts comes before it is set. Who may raise the score
 * may take that back. */
void
process_offer_to_oom_killer (const ProcessState *state, bool offered)
{
  int score = state->oom_score_adj + (offered ? OFFERED_OOM_SCORE_ADJ : 0);
  char text[16];
  int length
      = snprintf (text, sizeof text, "%d", score > MAX_OOM_SCORE_ADJ ? MAX_OOM_SCORE_ADJ : score);

  /* Where it is refused there is nothing else to be done. */
  while (state->oom_score_fd >= 0 && pwrite (state->oom_score_fd, text, (size_t)length, 0) < 0
         && errno == EINTR)
    ;
}

void
process_take_short_turns (void)
{
  SchedulingAttributes attributes = { 0 };

  if (syscall (SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0)
    return;
  /* What is forked would not have these again. */
  if (attributes.policy != SCHED_OTHER || attributes.nice < 0)
    return;
  attributes.flags |= RESET_ON_FORK;
  attributes.runtime = SHORT_TURN;
  syscall (SYS_sched_setattr, 0, &attributes, 0);
}

bool
process_take_precedence (void)
{
  SchedulingAttributes attributes
      = { .size = sizeof attributes, .policy = SCHED_RR, .flags = RESET_ON_FORK, .priority = 1 };

  if (syscall (SYS_sched_setattr, 0, &attributes, 0) == 0)
    return true;
  /* A control group can keep us from the one, and not from the other. */
  attributes.policy = SCHED_OTHER;
  attributes.priority = 0;
  attributes.nice = PRIO_MIN;
  return syscall (SYS_sched_setattr, 0, &attributes, 0) == 0;
}

static bool
is_in_namespace (void)
{
  struct stat namespace;

  return stat ("/proc/self/ns/pid", &namespace) == 0 && namespace.st_ino != MACHINE_NAMESPACE;
}

static size_t
raise_file_limit (void)
{
  struct rlimit limit;
  rlim_t before;

  if (getrlimit (RLIMIT_NOFILE, &limit) != 0)
    return 0;
  before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  setrlimit (RLIMIT_NOFILE, &limit);
  return before;
}

void
process_harden (ProcessState *state)
{
  state->oom_score_fd = open_oom_score ();
  state->oom_score_adj = read_oom_score (state->oom_score_fd);
#ifndef __SANITIZE_ADDRESS__
  /* The leak checker looks into the process like a debugger. */
  prctl (PR_SET_DUMPABLE, 0);
#endif
  signal (SIGPIPE, SIG_IGN);
  signal (SIGXFSZ, SIG_IGN);
  signal (SIGIO, SIG_IGN);
  state->max_files = raise_file_limit ();
  state->umask = umask (022);
  state->is_first = getpid () == 1;
  state->may_stop_all = state->is_first || is_in_namespace ();
}

/* A file as large as the memory of a program that fails is more often a surprise than a help. Who
 * wants it can raise the limit again. */
static void
leave_no_core (void)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_CORE, &limit) != 0)
    return;
  limit.rlim_cur = 0;
  setrlimit (RLIMIT_CORE, &limit);
}

void
process_soften (const ProcessState *state)
{
  struct sigaction action = { .sa_handler = SIG_DFL };
  struct rlimit limit;

  for (int i = 1; i < NSIG; i++)
    sigaction (i, &action, NULL);
  umask (state->umask);
  leave_no_core ();
  if (state->max_files == 0 || getrlimit (RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = state->max_files;
  setrlimit (RLIMIT_NOFILE, &limit);
}

static _Noreturn void
run_helper (const char *name, int (*helper_main) (int socket_fd, void *data), void *data,
            int socket_fd, const int *kept, size_t n_kept)
{
  int all_kept[MAX_KEPT + 1] = { socket_fd };
  size_t n = 1;
  sigset_t none;

  for (size_t i = 0; i < n_kept && i < MAX_KEPT; i++)
    all_kept[n++] = kept[i];
  descriptors_close_except (all_kept, n);
  /* A key typed at the terminal of the broker is for the broker alone. */
  setsid ();
  prctl (PR_SET_NAME, name);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  _exit (helper_main (socket_fd, data));
}

pid_t
process_fork (const char *name, int type, int (*helper_main) (int socket_fd, void *data),
              void *data, const int *kept, size_t n_kept, int *socket_fd)
{
  int ends[2];
  pid_t pid;
  int error;

  if (socketpair (AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0)
    return -1;
  pid = descriptor_set_nonblocking (ends[0]) ? fork () : -1;
  if (pid == 0)
    run_helper (name, helper_main, data, ends[1], kept, n_kept);

  error = errno;
  close (ends[1]);
  if (pid < 0)
    close (ends[0]);
  errno = error;
  *socket_fd = pid < 0 ? -1 : ends[0];
  return pid;
}
