/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What stands in for the system in the guest's sources as they are compiled for fuzzing: time goes
 * on as it is told to, processes are played, memory ends when it is told to. */

#pragma once

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

typedef struct
{
  int64_t now;  /* nanoseconds, of both clocks */
  int64_t tick; /* how far the clock goes each time it is looked at */

  unsigned random; /* how often there was something random */

  /* Which allocation will fail, counted from now; 0: none. */
  unsigned failing_allocation;

  /* Those that are NULL do nothing and succeed. */
  void (*kill) (pid_t pid, int signal_number);
  pid_t (*wait) (void);
  int (*poll) (struct pollfd *polled);
  bool polls_pairs; /* is asked also when something else is waited for, too */
  int read_fd;      /* what is read from there comes from here */
  ssize_t (*read) (void *bytes, size_t size);
  ssize_t (*send) (const struct iovec *vectors, int n);
  int (*open_signals) (void);
} StandIns;

extern StandIns stand_ins;

void stand_ins_reset (void);

/* The names under which the guest's sources call them. */
int fuzz_kill (pid_t pid, int signal_number);
pid_t fuzz_waitpid (pid_t pid, int *status, int options);
int fuzz_clock_gettime (clockid_t clock, struct timespec *time);
ssize_t fuzz_getrandom (void *bytes, size_t size, unsigned flags);
int fuzz_signalfd (int fd, const sigset_t *signals, int flags);
int fuzz_sigprocmask (int how, const sigset_t *set, sigset_t *old);
int fuzz_poll (struct pollfd *polled, nfds_t n, int timeout);
ssize_t fuzz_read (int fd, void *bytes, size_t size);
ssize_t fuzz_writev (int fd, const struct iovec *vectors, int n);
int fuzz_prctl (int option, ...);
void (*fuzz_signal (int signal_number, void (*handler) (int))) (int);
void *fuzz_malloc (size_t size);
void *fuzz_calloc (size_t n, size_t size);
void *fuzz_realloc (void *memory, size_t size);
char *fuzz_strdup (const char *text);
