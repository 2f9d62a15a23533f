/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-launch.h"

#include <asb.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"
#include "asb-local-user.h"

/* Kept of standard error, and told of it. */
#define OUTPUT_SIZE (16 * 1024)
#define OUTPUT_TOLD (4 * 1024)
#define GRACE_MILLISECONDS 2000

#define MAX_SOURCES 16

static const char *const no_environment[] = { NULL };

struct _AsbLocalLaunch
{
  GSubprocess *process;
  int output;
};

/* Of a fixed size: a talkative guest gets an error instead of our memory. */
static int
open_output (GError **error)
{
  int fd = memfd_create ("asb-local-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  if (fd >= 0 && ftruncate (fd, OUTPUT_SIZE) == 0
      && fcntl (fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0)
    return fd;
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER, "Could not make a file in memory: %s",
               g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return -1;
}

static void
write_text (const char *text)
{
  G_GNUC_UNUSED gssize written = write (STDERR_FILENO, text, strlen (text));
}

/* Shows a source at the place where bubblewrap is told to find it. */
static gboolean
show_source (guint index, int fd)
{
  char from[64], to[ASB_LOCAL_SOURCE_PATH_SIZE];
  struct stat status;

  g_snprintf (from, sizeof from, "/proc/self/fd/%d", fd);
  asb_local_source_path (index, to, sizeof to);
  if (fstat (fd, &status) != 0)
    return FALSE;
  if (S_ISDIR (status.st_mode) ? mkdir (to, 0700) != 0 : mknod (to, S_IFREG | 0600, 0) != 0)
    return FALSE;
  return mount (from, to, NULL, MS_BIND, NULL) == 0;
}

/* In a mount namespace of its own: the other user may not reach these places, and nobody else shall
 * see them. All are opened before the folder they are shown in hides any. */
static gboolean
show_sources (GPtrArray *sources)
{
  int fds[MAX_SOURCES];

  if (sources->len > MAX_SOURCES || unshare (CLONE_NEWNS) != 0
      || mount (NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0)
    return FALSE;
  for (guint i = 0; i < sources->len; i++)
    {
      fds[i] = open (sources->pdata[i], O_PATH | O_CLOEXEC);
      if (fds[i] < 0)
        return FALSE;
    }
  if (mount ("tmpfs", ASB_LOCAL_SOURCES_FOLDER, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0)
    return FALSE;
  for (guint i = 0; i < sources->len; i++)
    if (!show_source (i, fds[i]))
      return FALSE;
  return TRUE;
}

static gboolean
become (uid_t user, gid_t group)
{
  return setgroups (0, NULL) == 0 && setresgid (group, group, group) == 0
         && setresuid (user, user, user) == 0;
}

static void G_GNUC_NORETURN
give_up (const char *what)
{
  write_text (what);
  write_text (": ");
  write_text (strerrordesc_np (errno));
  write_text ("\n");
  _exit (1);
}

typedef struct
{
  GPtrArray *sources; /* NULL: the user stays the same */
  uid_t user;
  gid_t group;
  char program[ASB_LOCAL_SOURCE_PATH_SIZE]; /* where the other user finds it */
  char **argv;
} Setup;

/* Runs in the new process: only what is safe after fork (). */
static void
detach_cb (gpointer user_data)
{
  const Setup *setup = user_data;
  sigset_t none;

  setsid ();
  umask (022);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  for (int number = 1; number < NSIG; number++)
    signal (number, SIG_DFL);
  /* The keys of the caller's session stay outside. */
  syscall (SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
  if (!setup->sources)
    return;
  if (!show_sources (setup->sources))
    give_up ("root of this container may not mount");
  if (!become (setup->user, setup->group))
    give_up ("root of this container may not become another user");
  execve (setup->program, setup->argv, (char **)no_environment);
  give_up ("the user nobody may not execute bubblewrap");
}

static GSubprocessLauncher *
prepare (AsbLocalArguments *arguments, Setup *setup, int output)
{
  GSubprocessLauncher *launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE);

  g_subprocess_launcher_set_environ (launcher, (char **)no_environment);
  g_subprocess_launcher_set_cwd (launcher, "/");
  g_subprocess_launcher_set_child_setup (launcher, detach_cb, setup, NULL);
  g_subprocess_launcher_take_stderr_fd (launcher, output);
  for (guint i = 0; i < arguments->fds->len; i++)
    g_subprocess_launcher_take_fd (launcher, g_array_index (arguments->fds, int, i),
                                   ASB_LOCAL_FIRST_FD + (int)i);
  g_array_set_clear_func (arguments->fds, NULL);
  g_array_set_size (arguments->fds, 0);
  return launcher;
}

static GSubprocess *
spawn (const char *program, AsbLocalArguments *arguments, const char *const *command, int output,
       GError **error)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GSubprocessLauncher) launcher = NULL;
  Setup setup = { .user = asb_local_user_outside (), .group = asb_local_group_outside () };
  char options_number[16];
  int options = asb_local_memory_file (arguments->options->data, arguments->options->len, error);

  if (options < 0)
    return NULL;
  g_snprintf (options_number, sizeof options_number, "%d",
              asb_local_arguments_take_fd (arguments, options));
  g_ptr_array_add (argv, (gpointer)program);
  g_ptr_array_add (argv, (gpointer) "--args");
  g_ptr_array_add (argv, options_number);
  g_ptr_array_add (argv, (gpointer) "--");
  for (gsize i = 0; command[i]; i++)
    g_ptr_array_add (argv, (gpointer)command[i]);
  g_ptr_array_add (argv, NULL);
  setup.argv = (char **)argv->pdata;
  if (asb_local_user_differs ())
    {
      setup.sources = arguments->sources;
      asb_local_source_path (arguments->sources->len, setup.program, sizeof setup.program);
      g_ptr_array_add (arguments->sources, g_strdup (program));
    }
  launcher = prepare (arguments, &setup, output);
  return g_subprocess_launcher_spawnv (launcher, (const char *const *)argv->pdata, error);
}

AsbLocalLaunch *
asb_local_launch (const char *program, AsbLocalArguments *arguments, const char *const *command,
                  GError **error)
{
  g_autoptr (AsbLocalLaunch) self = g_new0 (AsbLocalLaunch, 1);
  g_autoptr (GError) cause = NULL;

  self->output = open_output (error);
  if (self->output < 0)
    return NULL;
  self->process
      = spawn (program, arguments, command, fcntl (self->output, F_DUPFD_CLOEXEC, 3), &cause);
  if (self->process)
    return g_steal_pointer (&self);
  asb_local_set_unavailable (error, ASB_ERROR_PROVIDER_UNAVAILABLE,
                             "let everybody execute bubblewrap", cause->message);
  return NULL;
}

char *
asb_local_launch_dup_output (AsbLocalLaunch *self)
{
  char content[OUTPUT_SIZE + 1] = "";
  gssize size = pread (self->output, content, OUTPUT_SIZE, 0);
  gsize length = strnlen (content, size > 0 ? (gsize)size : 0);
  gsize start = length > OUTPUT_TOLD ? length - OUTPUT_TOLD : 0;
  g_autofree char *text = g_utf8_make_valid (content + start, (gssize)(length - start));
  g_auto (GStrv) lines = g_strsplit (g_strchomp (text), "\n", -1);

  return g_strjoinv ("; ", lines);
}

static gboolean
ends_by_itself (pid_t pid)
{
  int fd = (int)syscall (SYS_pidfd_open, pid, 0);
  struct pollfd event = { .fd = fd, .events = POLLIN };
  gboolean ended = fd < 0 || TEMP_FAILURE_RETRY (poll (&event, 1, GRACE_MILLISECONDS)) == 1;

  if (fd >= 0)
    close (fd);
  return ended;
}

int
asb_local_launch_end (AsbLocalLaunch *self, gboolean at_once)
{
  const char *identifier = g_subprocess_get_identifier (self->process);
  pid_t pid = identifier ? (pid_t)g_ascii_strtoll (identifier, NULL, 10) : 0;

  /* Its process group is its own, and what it started to become the sandbox is still in there. */
  if (pid > 1 && (at_once || !ends_by_itself (pid)))
    kill (-pid, SIGKILL);
  g_subprocess_wait (self->process, NULL, NULL);
  return g_subprocess_get_status (self->process);
}

void
asb_local_launch_free (AsbLocalLaunch *self)
{
  g_clear_object (&self->process);
  if (self->output >= 0)
    close (self->output);
  g_free (self);
}
