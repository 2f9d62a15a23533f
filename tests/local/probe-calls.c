/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* System calls under the filter. The arguments are such that an unfiltered kernel would give
 * another answer than the filter, and would do no harm. */

#include "probe.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BAD (-1L)
#define HIGH_BITS (0xdeadL << 32)
#define OPEN_TREE_ATTR 467
#define END_OF_CALLS 1024

typedef struct
{
  const char *name;
  int reason;
  long call;
  long arguments[5];
} Try;

static long
make (const Try *try)
{
  const long *arguments = try->arguments;

  return syscall (try->call, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]);
}

static void
must_be_refused (const Try *try)
{
  errno = 0;
  if (make (try) == -1 && errno == try->reason)
    return;
  printf ("%s: %s instead of %s\n", try->name, errno ? strerrorname_np (errno) : "done",
          strerrorname_np (try->reason));
}

static const Try calls[] = {
  { "open_tree", ENOSYS, SYS_open_tree, { BAD, 0, BAD } },
  { "move_mount", ENOSYS, SYS_move_mount, { BAD, 0, BAD, 0, BAD } },
  { "fsopen", ENOSYS, SYS_fsopen, { 0, BAD } },
  { "fsconfig", ENOSYS, SYS_fsconfig, { BAD } },
  { "fsmount", ENOSYS, SYS_fsmount, { BAD } },
  { "fspick", ENOSYS, SYS_fspick, { BAD } },
  { "mount_setattr", ENOSYS, SYS_mount_setattr, { BAD } },
  { "mount", EPERM, SYS_mount, { 0, 0, BAD } },
  { "chroot", EPERM, SYS_chroot, { BAD } },
  { "umount2", EPERM, SYS_umount2, { 0, BAD } },
  { "clone3", ENOSYS, SYS_clone3, { 0, 0 } },
  { "setns", EPERM, SYS_setns, { BAD, 0 } },
  { "unshare user", EPERM, SYS_unshare, { CLONE_NEWUSER } },
  { "unshare user, mount", EPERM, SYS_unshare, { CLONE_NEWUSER | CLONE_NEWNS } },
  { "unshare user, high bits", EPERM, SYS_unshare, { HIGH_BITS | CLONE_NEWUSER } },
  { "add_key", EPERM, SYS_add_key, { 0, 0, 0, 0, BAD } },
  { "keyctl", EPERM, SYS_keyctl, { 0, BAD } },
  { "request_key", EPERM, SYS_request_key, { 0, 0, 0, BAD } },
  { "bpf", EPERM, SYS_bpf, { BAD, 0, 0 } },
  { "perf_event_open", EPERM, SYS_perf_event_open, { 0, 0, BAD, BAD, BAD } },
  { "userfaultfd", ENOSYS, SYS_userfaultfd, { BAD } },
  { "io_uring_setup", ENOSYS, SYS_io_uring_setup, { 0, 0 } },
  { "io_uring_enter", ENOSYS, SYS_io_uring_enter, { BAD } },
  { "io_uring_register", ENOSYS, SYS_io_uring_register, { BAD } },
  { "kcmp", EPERM, SYS_kcmp, { BAD, BAD, BAD } },
  { "mbind", EPERM, SYS_mbind, { 0, 0, BAD } },
  { "set_mempolicy", EPERM, SYS_set_mempolicy, { BAD } },
  { "move_pages", EPERM, SYS_move_pages, { 0, 0, 0, 0, 0 } },
  { "open_by_handle_at", EPERM, SYS_open_by_handle_at, { BAD, 0, BAD } },
  { "fanotify_init", EPERM, SYS_fanotify_init, { BAD, BAD } },
  { "quotactl", EPERM, SYS_quotactl, { BAD, 0, 0, 0 } },
  { "settimeofday", EPERM, SYS_settimeofday, { BAD, 0 } },
  { "clock_settime", EPERM, SYS_clock_settime, { 0, BAD } },
  { "syslog", EPERM, SYS_syslog, { 10, 0, 0 } },
  { "typing", EPERM, SYS_ioctl, { 0, TIOCSTI, 0 } },
  { "typing, high bits", EPERM, SYS_ioctl, { 0, HIGH_BITS | TIOCSTI, 0 } },
  { "the console", EPERM, SYS_ioctl, { 0, TIOCLINUX, 0 } },
  { "the console, high bits", EPERM, SYS_ioctl, { 0, HIGH_BITS | TIOCLINUX, 0 } },
  { "line disciplines", EPERM, SYS_ioctl, { 0, TIOCSETD, 0 } },
  { "limits of another", EPERM, SYS_prlimit64, { 1, RLIMIT_NOFILE, BAD, 0 } },
  { "limits of another, high bits", EPERM, SYS_prlimit64, { HIGH_BITS, RLIMIT_NOFILE, BAD, 0 } },
  { "personality, high bits", EPERM, SYS_personality, { HIGH_BITS | READ_IMPLIES_EXEC } },
};

/* Each bit alone, and each missing from the question. */
static void
try_personalities (void)
{
  const unsigned long harmless = PER_LINUX32 | UNAME26 | ADDR_NO_RANDOMIZE;

  for (int i = 0; i < 32; i++)
    {
      const long bit = 1L << i;
      const Try alone = { "personality", EPERM, SYS_personality, { bit } };
      const Try others = { "almost a question", EPERM, SYS_personality, { 0xffffffffL ^ bit } };

      if (!((unsigned long)bit & harmless))
        must_be_refused (&alone);
      must_be_refused (&others);
    }
}

static void
try_to_clone (void)
{
  long pid = syscall (SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);

  if (pid == 0)
    _exit (0);
  if (pid > 0)
    waitpid ((pid_t)pid, NULL, 0);
  if (pid >= 0 || errno != EPERM)
    printf ("clone user: %s instead of EPERM\n", pid >= 0 ? "done" : strerrorname_np (errno));
}

static int
is_usual (long family)
{
  return family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
}

static void
try_families (long high_bits)
{
  for (long family = AF_UNSPEC + 1; family < 64; family++)
    {
      const Try one = { "socket", EAFNOSUPPORT, SYS_socket, { high_bits | family, SOCK_RAW, 0 } };
      const Try pair
          = { "socketpair", EAFNOSUPPORT, SYS_socketpair, { high_bits | family, SOCK_RAW, 0, 0 } };

      if (high_bits || !is_usual (family))
        must_be_refused (&one);
      if (high_bits || family != AF_UNIX)
        must_be_refused (&pair);
    }
}

/* Those that are younger than the filter, and the first that it leaves to single processors. */
static void
try_youngest (void)
{
  for (long call = OPEN_TREE_ATTR; call < END_OF_CALLS; call++)
    {
      const Try young = { "a young call", ENOSYS, call, { BAD, 0, BAD, BAD, BAD } };

      must_be_refused (&young);
    }
}

void
probe_calls (void)
{
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    must_be_refused (&calls[i]);
  try_personalities ();
  try_to_clone ();
  try_families (0);
  try_families (HIGH_BITS);
  try_youngest ();
}

static void
must_work (const char *name, int worked)
{
  if (!worked)
    printf ("%s does not work: %s\n", name, strerrorname_np (errno));
}

static int
can_trace (void)
{
  int status = 0;
  pid_t child = fork ();

  if (child == 0)
    {
      if (ptrace (PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit (1);
      raise (SIGSTOP);
      _exit (0);
    }
  waitpid (child, &status, 0);
  if (!WIFSTOPPED (status))
    return 0;
  ptrace (PTRACE_CONT, child, NULL, NULL);
  return waitpid (child, &status, 0) == child && WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

void
probe_needed (void)
{
  static const int families[] = { AF_UNIX, AF_INET, AF_INET6 };
  static const unsigned long personalities[]
      = { 0xffffffff, ADDR_NO_RANDOMIZE, PER_LINUX32, PER_LINUX | UNAME26, PER_LINUX };
  struct rlimit limit;
  int fds[2];

  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    must_work ("socket", socket (families[i], SOCK_STREAM, 0) >= 0);
  must_work ("netlink", socket (AF_NETLINK, SOCK_RAW, 0) >= 0);
  must_work ("socketpair", socketpair (AF_UNIX, SOCK_STREAM, 0, fds) == 0);
  for (size_t i = 0; i < sizeof personalities / sizeof *personalities; i++)
    must_work ("personality", personality (personalities[i]) >= 0);
  must_work ("unshare of files", unshare (CLONE_FILES | CLONE_FS) == 0);
  must_work ("ptrace", can_trace ());
  must_work ("memory in a file", memfd_create ("probe", 0) >= 0);
  must_work ("looking at limits", prlimit (getpid (), RLIMIT_NOFILE, NULL, &limit) == 0);
  must_work ("own limits", prlimit (0, RLIMIT_NOFILE, &limit, NULL) == 0);
  must_work ("limits", setrlimit (RLIMIT_NOFILE, &limit) == 0);
  must_work ("pidfd_open", syscall (SYS_pidfd_open, getpid (), 0) >= 0);
}

#ifdef __x86_64__
#define I386_CLONE 120
#define I386_IOCTL 54
#define I386_KEYCTL 288
#define I386_SOCKETCALL 102
#define I386_SOCKET 359
#define I386_UNSHARE 310
#define X32_BIT 0x40000000

static long
call_i386 (long call, long first, long second)
{
  long result;

  __asm__ volatile("int $0x80"
                   : "=a"(result)
                   : "a"(call), "b"(first), "c"(second), "d"(0L), "S"(0L), "D"(0L)
                   : "memory", "r8", "r9", "r10", "r11");
  return (int)result;
}

static void
must_be_refused_i386 (const char *name, int reason, long call, long first, long second)
{
  long result = call_i386 (call, first, second);

  if (result != -reason)
    printf ("32-bit %s: %ld instead of -%s\n", name, result, strerrorname_np (reason));
}

static void
try_i386 (void)
{
  /* A family of sockets, in memory that 32 bits reach. */
  int *family
      = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

  family[0] = AF_VSOCK;
  family[1] = SOCK_STREAM;
  must_be_refused_i386 ("unshare", EPERM, I386_UNSHARE, CLONE_NEWUSER, 0);
  must_be_refused_i386 ("clone", EPERM, I386_CLONE, CLONE_NEWUSER | SIGCHLD, 0);
  must_be_refused_i386 ("typing", EPERM, I386_IOCTL, 0, TIOCSTI);
  must_be_refused_i386 ("keyctl", EPERM, I386_KEYCTL, 0, BAD);
  must_be_refused_i386 ("socket", EAFNOSUPPORT, I386_SOCKET, AF_VSOCK, SOCK_STREAM);
  must_be_refused_i386 ("socketcall", EAFNOSUPPORT, I386_SOCKETCALL, 1, (long)(intptr_t)family);
  must_be_refused_i386 ("a young call", ENOSYS, OPEN_TREE_ATTR, BAD, BAD);
}

/* Where the kernel has no such calls, the attempt ends the process: all are refused then. */
void
probe_compat (void)
{
  const Try x32 = { "x32 keyctl", ENOSYS, X32_BIT | SYS_keyctl, { 0, BAD } };
  pid_t child;

  must_be_refused (&x32);
  fflush (stdout);
  child = fork ();
  if (child == 0)
    {
      try_i386 ();
      fflush (stdout);
      _exit (0);
    }
  waitpid (child, NULL, 0);
}
#else
void
probe_compat (void)
{
}
#endif
