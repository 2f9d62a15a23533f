/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-launch.h"

#include <asb.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"
#include "asb-local-process.h"
#include "asb-local-source.h"
#include "asb-local-staging.h"
#include "asb-local-user.h"

/* Kept of standard error, and told of it. */
#define OUTPUT_SIZE (16 * 1024)
#define OUTPUT_TOLD (4 * 1024)
#define GRACE_MILLISECONDS 2000

static const char *const no_environment[] = { NULL };

struct _AsbLocalLaunch
{
  GSubprocess *process;
  pid_t group; /* of processes, with it at the head */
  int descriptor;
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
  asb_local_set_failure (error, errno, "make a file in memory");
  if (fd >= 0)
    close (fd);
  return -1;
}

static void
write_text (const char *text)
{
  G_GNUC_UNUSED gssize written = write (STDERR_FILENO, text, strlen (text));
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
  AsbLocalStaging staging;                  /* without sources: bubblewrap finds all by itself */
  char program[ASB_LOCAL_SOURCE_PATH_SIZE]; /* where the other user finds it */
  char **argv;
  pid_t *number; /* of the new process, in memory that it shares: it may be gone before we ask */
} Setup;

/* Runs in the new process: only what is safe after fork (). */
static void
detach_cb (gpointer user_data)
{
  const Setup *setup = user_data;
  sigset_t none;

  *setup->number = getpid ();
  setsid ();
  umask (022);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  for (int number = 1; number < NSIG; number++)
    signal (number, SIG_DFL);
  /* The keys of the caller's session stay outside. */
  syscall (SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
  if (!setup->staging.sources)
    return;
  asb_local_stage (&setup->staging);
  if (setup->staging.differs && !become (setup->staging.user, setup->staging.group))
    give_up ("root of this container may not become another user");
  execve (setup->program, setup->argv, (char **)no_environment);
  give_up (setup->staging.differs ? "bubblewrap cannot be executed by the user nobody"
                                  : "bubblewrap cannot be executed");
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
       pid_t *number, GError **error)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GSubprocessLauncher) launcher = NULL;
  Setup setup = { .staging = { .user = asb_local_user_outside (),
                               .group = asb_local_group_outside (),
                               .differs = asb_local_user_differs () },
                  .number = number };
  char options_number[16];
  int options = asb_local_memory_file (arguments->options->data, arguments->options->len, error);

  if (options < 0)
    {
      close (output);
      return NULL;
    }
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
  if (arguments->staged)
    {
      setup.staging.sources = arguments->sources;
      asb_local_source_path (arguments->sources->len, setup.program, sizeof setup.program);
      g_ptr_array_add (arguments->sources, asb_local_source_new (program));
    }
  launcher = prepare (arguments, &setup, output);
  return g_subprocess_launcher_spawnv (launcher, (const char *const *)argv->pdata, error);
}

static GSubprocess *
spawn_and_tell (const char *program, AsbLocalArguments *arguments, const char *const *command,
                int output, pid_t *number, GError **error)
{
  const int protection = PROT_READ | PROT_WRITE;
  pid_t *shared = mmap (NULL, sizeof *shared, protection, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  GSubprocess *process;

  if (shared == MAP_FAILED)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, g_strerror (errno));
      close (output);
      return NULL;
    }
  process = spawn (program, arguments, command, output, shared, error);
  *number = *shared;
  munmap (shared, sizeof *shared);
  return process;
}

static void
set_not_started (GError **error, GError *cause)
{
  const char *cure = asb_local_find_spawn_cure (
      cause, "install the package bubblewrap in place of what is found under its name");

  if (cure)
    asb_local_set_unavailable (error, ASB_ERROR_PROVIDER_UNAVAILABLE, cure, cause->message);
  else
    g_propagate_error (error, g_error_copy (cause));
}

AsbLocalLaunch *
asb_local_launch (const char *program, AsbLocalArguments *arguments, const char *const *command,
                  GError **error)
{
  g_autoptr (AsbLocalLaunch) self = g_new0 (AsbLocalLaunch, 1);
  g_autoptr (GError) cause = NULL;

  self->descriptor = -1;
  self->output = open_output (error);
  if (self->output < 0)
    return NULL;
  self->process = spawn_and_tell (program, arguments, command,
                                  fcntl (self->output, F_DUPFD_CLOEXEC, 3), &self->group, &cause);
  if (self->process)
    {
      self->descriptor = asb_local_process_open (self->group);
      return g_steal_pointer (&self);
    }
  set_not_started (error, cause);
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

guint32
asb_local_launch_get_pid (AsbLocalLaunch *self)
{
  const char *identifier = g_subprocess_get_identifier (self->process);

  return identifier ? (guint32)g_ascii_strtoull (identifier, NULL, 10) : 0;
}

int
asb_local_launch_get_process (AsbLocalLaunch *self)
{
  return self->descriptor;
}

int
asb_local_launch_end (AsbLocalLaunch *self, gboolean at_once)
{
  if (!at_once && self->descriptor >= 0)
    asb_local_process_wait (self->descriptor, GRACE_MILLISECONDS);
  /* Its process group is its own. What it started to become the sandbox is still in there, and may
   * wait for it for ever when it has ended. */
  if (self->group > 1)
    kill (-self->group, SIGKILL);
  g_subprocess_wait (self->process, NULL, NULL);
  return g_subprocess_get_status (self->process);
}

void
asb_local_launch_free (AsbLocalLaunch *self)
{
  g_clear_object (&self->process);
  if (self->descriptor >= 0)
    close (self->descriptor);
  if (self->output >= 0)
    close (self->output);
  g_free (self);
}
