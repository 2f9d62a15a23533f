/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Starts a program in a sandbox that runs already, and ends the way that program ends.
 *
 * usage: asb-lookalike-enter [--pid HOLDER] [--cwd-fd N] [--uid N] [--gid N] [--tty]
 *                            [--report N] -- PROGRAM [ARGUMENT…]
 *
 * On the report descriptor it says the process id of the program, as this side of the
 * namespaces sees it, and, when the program cannot be run, an "E" with the error number. */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct
{
  long holder;
  long uid;
  long gid;
  int cwd_fd;
  int report_fd;
  int tty;
  int ignores_interrupt;
  char **argv;
} Options;

/* What Docker leaves to a container. */
static const int kept_capabilities[] = {
  CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_FOWNER,  CAP_FSETID,           CAP_KILL,       CAP_SETGID,
  CAP_SETUID, CAP_SETPCAP,      CAP_NET_RAW, CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT, CAP_AUDIT_WRITE,
};

static void
report (const Options *options, char kind, long value)
{
  char line[32];
  int length = snprintf (line, sizeof line, "%c%ld\n", kind, value);

  if (options->report_fd >= 0 && write (options->report_fd, line, (size_t)length) < 0)
    _exit (125);
}

static void __attribute__ ((noreturn)) give_up (const Options *options, int error_number)
{
  report (options, 'E', error_number);
  _exit (error_number == ENOENT ? 127 : 126);
}

/* A namespace of the holder; -1 when it is ours, or -2 when it cannot be had. */
static int
open_namespace (long pid, const char *name)
{
  char path[64];
  struct stat theirs, ours;
  int fd;

  snprintf (path, sizeof path, "/proc/%ld/ns/%s", pid, name);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return -2;
  snprintf (path, sizeof path, "/proc/self/ns/%s", name);
  if (fstat (fd, &theirs) < 0 || stat (path, &ours) < 0 || theirs.st_ino != ours.st_ino)
    return fd;
  close (fd);
  return -1;
}

/* bubblewrap without privileges makes a user namespace that owns the others, and a second one
 * in it that the programs see: the owner comes first. */
static int
join_owner (int namespace_fd)
{
  int owner = ioctl (namespace_fd, NS_GET_USERNS);
  struct stat theirs, ours;
  int result = 0;

  if (owner < 0)
    return -1;
  if (fstat (owner, &theirs) < 0 || stat ("/proc/self/ns/user", &ours) < 0)
    result = -1;
  else if (theirs.st_ino != ours.st_ino)
    result = setns (owner, CLONE_NEWUSER);
  close (owner);
  return result;
}

static int
join_namespaces (long pid)
{
  static const struct
  {
    const char *name;
    int flag;
  } kinds[] = { { "mnt", CLONE_NEWNS },
                { "ipc", CLONE_NEWIPC },
                { "uts", CLONE_NEWUTS },
                { "pid", CLONE_NEWPID } };
  int descriptors[4];
  int user = open_namespace (pid, "user");

  for (size_t i = 0; i < 4; i++)
    if ((descriptors[i] = open_namespace (pid, kinds[i].name)) == -2)
      return -1;
  if (descriptors[0] >= 0 && join_owner (descriptors[0]) < 0)
    return -1;
  /* /proc is another one once the mounts are joined. */
  for (size_t i = 4; i-- > 0;)
    if (descriptors[i] >= 0 && setns (descriptors[i], kinds[i].flag) < 0)
      return -1;
  if (user < 0)
    return user == -2 ? -1 : 0;
  /* The owner may be the last one too. */
  return setns (user, CLONE_NEWUSER) < 0 && errno != EINVAL ? -1 : 0;
}

static void
drop_capabilities (void)
{
  for (int capability = 0; prctl (PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
    {
      int keep = 0;

      for (size_t i = 0; i < sizeof kept_capabilities / sizeof kept_capabilities[0]; i++)
        keep = keep || kept_capabilities[i] == capability;
      if (!keep)
        prctl (PR_CAPBSET_DROP, capability, 0, 0, 0);
    }
}

static int
become_user (const Options *options)
{
  gid_t group = options->gid >= 0 ? (gid_t)options->gid : (gid_t)options->uid;

  if (options->uid < 0)
    return 0;
  if (setgroups (0, NULL) < 0 || setgid (group) < 0 || setuid ((uid_t)options->uid) < 0)
    return -1;
  return 0;
}

/* What started the server may ignore some, as a shell does for what it runs in the background. */
static void
reset_signals (void)
{
  sigset_t none;

  for (int number = 1; number < NSIG; number++)
    signal (number, SIG_DFL);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
}

static void __attribute__ ((noreturn)) run_program (const Options *options)
{
  reset_signals ();
  if (options->ignores_interrupt)
    signal (SIGINT, SIG_IGN);
  if (options->tty)
    {
      setsid ();
      ioctl (0, TIOCSCTTY, 0);
    }
  else
    setpgid (0, 0);
  if (options->cwd_fd >= 0 && fchdir (options->cwd_fd) < 0)
    give_up (options, errno);
  if (options->holder > 0)
    drop_capabilities ();
  if (become_user (options) < 0)
    give_up (options, errno);
  execvp (options->argv[0], options->argv);
  give_up (options, errno);
}

/* The status of a shell would lose which signal it was. */
static void __attribute__ ((noreturn)) end_like (int status)
{
  struct rlimit no_core = { 0, 0 };

  if (WIFEXITED (status))
    _exit (WEXITSTATUS (status));
  setrlimit (RLIMIT_CORE, &no_core);
  signal (WTERMSIG (status), SIG_DFL);
  kill (getpid (), WTERMSIG (status));
  _exit (128 + WTERMSIG (status));
}

static int
parse_options (int argc, char **argv, Options *options)
{
  int i = 1;

  for (; i < argc && strcmp (argv[i], "--") != 0; i++)
    if (strcmp (argv[i], "--tty") == 0)
      options->tty = 1;
    else if (strcmp (argv[i], "--ignore-interrupt") == 0)
      options->ignores_interrupt = 1;
    else if (i + 1 >= argc)
      return -1;
    else if (strcmp (argv[i], "--pid") == 0)
      options->holder = atol (argv[++i]);
    else if (strcmp (argv[i], "--uid") == 0)
      options->uid = atol (argv[++i]);
    else if (strcmp (argv[i], "--gid") == 0)
      options->gid = atol (argv[++i]);
    else if (strcmp (argv[i], "--cwd-fd") == 0)
      options->cwd_fd = atoi (argv[++i]);
    else if (strcmp (argv[i], "--report") == 0)
      options->report_fd = atoi (argv[++i]);
    else
      return -1;
  options->argv = argv + i + 1;
  return i + 1 < argc ? 0 : -1;
}

int
main (int argc, char **argv)
{
  Options options = { .uid = -1, .gid = -1, .cwd_fd = -1, .report_fd = -1 };
  pid_t child;
  int status;

  if (parse_options (argc, argv, &options) < 0)
    return 125;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (options.report_fd >= 0)
    fcntl (options.report_fd, F_SETFD, FD_CLOEXEC);
  if (options.cwd_fd >= 0)
    fcntl (options.cwd_fd, F_SETFD, FD_CLOEXEC);
  if (options.holder > 0 && join_namespaces (options.holder) < 0)
    give_up (&options, errno);
  child = fork ();
  if (child < 0)
    give_up (&options, errno);
  if (child == 0)
    run_program (&options);
  report (&options, 'P', child);
  close (options.report_fd);
  /* The output of the program ends with the program, not with this process. */
  for (int descriptor = 0; descriptor < 3; descriptor++)
    close (descriptor);
  while (waitpid (child, &status, 0) < 0)
    if (errno != EINTR)
      return 125;
  end_like (status);
}
