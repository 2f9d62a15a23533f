/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-process.h"

#include <errno.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lookalike-execd.h"
#include "lookalike-sandbox.h"

#define REPORT_FD 3
#define CWD_FD 4

static void
clear (gpointer data)
{
  LookalikeProcess *self = data;

  g_clear_object (&self->helper);
}

void
lookalike_process_unref (LookalikeProcess *self)
{
  g_rc_box_release_full (self, clear);
}

/* With the first process of a container the kernel ends all others, execd among them. */
static gboolean
is_ending (int holder)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/exe", holder);
  g_autofree char *program = g_file_read_link (path, NULL);

  return program == NULL;
}

static void
ended_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (LookalikeProcess) self = user_data;
  GSubprocess *helper = G_SUBPROCESS (object);

  g_subprocess_wait_finish (helper, result, NULL);
  self->ended = TRUE;
  self->exit_code = -1;
  if (g_subprocess_get_if_exited (helper))
    self->exit_code = g_subprocess_get_exit_status (helper);
  else
    self->signal = g_subprocess_get_term_sig (helper);
  if (self->signal == SIGKILL && self->holder > 0 && is_ending (self->holder))
    return;
  if (self->ended_func != NULL)
    self->ended_func (self, self->user_data);
}

/* The helper says "P123" for the program's id, and "E2" when there is nothing to run. The end
 * of what it says is the moment the program runs. */
static int
read_report (int fd, int *pid)
{
  char text[64] = "";
  gsize length = 0;
  gssize got;
  char *failure;

  while (length < sizeof text - 1
         && ((got = read (fd, text + length, sizeof text - 1 - length)) > 0
             || (got < 0 && errno == EINTR)))
    length += got > 0 ? (gsize)got : 0;
  text[length] = '\0';
  failure = strchr (text, 'E');
  if (failure != NULL)
    return atoi (failure + 1);
  if (strchr (text, 'P') == NULL)
    return ECHILD;
  *pid = atoi (strchr (text, 'P') + 1);
  return 0;
}

static void
add_number (GPtrArray *arguments, const char *option, gint64 number)
{
  if (number < 0)
    return;
  g_ptr_array_add (arguments, g_strdup (option));
  g_ptr_array_add (arguments, g_strdup_printf ("%" G_GINT64_FORMAT, number));
}

static GPtrArray *
make_arguments (LookalikeSandbox *sandbox, const LookalikeProcessSpec *spec)
{
  GPtrArray *arguments = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (arguments, g_strdup (sandbox->lookalike->enter_path));
  add_number (arguments, "--pid", sandbox->holder > 0 ? sandbox->holder : -1);
  add_number (arguments, "--report", REPORT_FD);
  add_number (arguments, "--cwd-fd", CWD_FD);
  add_number (arguments, "--uid", spec->uid);
  add_number (arguments, "--gid", spec->gid);
  if (spec->tty)
    g_ptr_array_add (arguments, g_strdup ("--tty"));
  if (spec->ignores_interrupt)
    g_ptr_array_add (arguments, g_strdup ("--ignore-interrupt"));
  g_ptr_array_add (arguments, g_strdup ("--"));
  for (guint i = 0; spec->argv[i] != NULL; i++)
    g_ptr_array_add (arguments, g_strdup (spec->argv[i]));
  g_ptr_array_add (arguments, NULL);
  return arguments;
}

static GSubprocess *
spawn (LookalikeSandbox *sandbox, const LookalikeProcessSpec *spec, int report_fd, GError **error)
{
  GSubprocessFlags flags
      = (spec->stdout_fd < 0 ? G_SUBPROCESS_FLAGS_STDOUT_SILENCE : G_SUBPROCESS_FLAGS_NONE)
        | (spec->stderr_fd < 0 ? G_SUBPROCESS_FLAGS_STDERR_SILENCE : G_SUBPROCESS_FLAGS_NONE);
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (flags);
  g_autoptr (GPtrArray) arguments = make_arguments (sandbox, spec);

  g_subprocess_launcher_set_environ (launcher, spec->environment);
  g_subprocess_launcher_take_fd (launcher, report_fd, REPORT_FD);
  g_subprocess_launcher_take_fd (launcher,
                                 dup (spec->cwd_fd >= 0 ? spec->cwd_fd : sandbox->root_fd), CWD_FD);
  if (spec->stdin_fd >= 0)
    g_subprocess_launcher_take_stdin_fd (launcher, spec->stdin_fd);
  if (spec->stdout_fd >= 0)
    g_subprocess_launcher_take_stdout_fd (launcher, spec->stdout_fd);
  if (spec->stderr_fd >= 0)
    g_subprocess_launcher_take_stderr_fd (launcher, spec->stderr_fd);
  return g_subprocess_launcher_spawnv (launcher, (const char *const *)arguments->pdata, error);
}

static void
say_why (LookalikeSandbox *sandbox, const LookalikeProcessSpec *spec, int error_number,
         GError **error)
{
  g_autofree char *program = lookalike_execd_find_program (sandbox, spec->argv[0]);

  if (error_number == ENOENT && strchr (spec->argv[0], '/') == NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                 "exec: \"%s\": executable file not found in $PATH", spec->argv[0]);
  else
    {
      g_autofree char *why = g_ascii_strdown (g_strerror (error_number), -1);

      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (error_number), "fork/exec %s: %s",
                   program != NULL ? program : spec->argv[0], why);
    }
}

LookalikeProcess *
lookalike_process_start (LookalikeSandbox *sandbox, const LookalikeProcessSpec *spec,
                         GError **error)
{
  g_autoptr (LookalikeProcess) self = g_rc_box_new0 (LookalikeProcess);
  g_autoptr (GError) problem = NULL;
  int report[2];
  int failure;

  if (sandbox->holder < 0)
    {
      say_why (sandbox, spec, ESRCH, error);
      return NULL;
    }
  if (!g_unix_open_pipe (report, FD_CLOEXEC, error))
    return NULL;
  self->helper = spawn (sandbox, spec, report[1], &problem);
  if (self->helper == NULL)
    {
      /* What is too long for the helper is too long for the program. */
      if (g_error_matches (problem, G_SPAWN_ERROR, G_SPAWN_ERROR_TOO_BIG))
        say_why (sandbox, spec, E2BIG, error);
      else
        g_propagate_error (error, g_steal_pointer (&problem));
      close (report[0]);
      return NULL;
    }
  failure = read_report (report[0], &self->pid);
  close (report[0]);
  if (failure != 0)
    {
      say_why (sandbox, spec, failure, error);
      return NULL;
    }
  self->holder = sandbox->holder;
  self->ended_func = spec->ended;
  self->user_data = spec->user_data;
  g_subprocess_wait_async (self->helper, NULL, ended_cb, g_rc_box_acquire (self));
  return g_steal_pointer (&self);
}

void
lookalike_process_forget (LookalikeProcess *self)
{
  self->ended_func = NULL;
}

void
lookalike_process_signal_group (LookalikeProcess *self, int signal_number)
{
  if (self->pid > 1)
    kill (-self->pid, signal_number);
}

void
lookalike_process_signal_leader (LookalikeProcess *self, int signal_number)
{
  if (self->pid > 1 && !self->ended)
    kill (self->pid, signal_number);
}

gboolean
lookalike_process_group_lives (LookalikeProcess *self)
{
  return self->pid > 1 && kill (-self->pid, 0) == 0;
}

char *
lookalike_process_describe_end (LookalikeProcess *self)
{
  g_autofree char *words = NULL;

  if (self->signal == 0)
    return g_strdup_printf ("exit status %d", self->exit_code);
  words = g_ascii_strdown (g_strsignal (self->signal), -1);
  return g_strdup_printf ("signal: %s", words);
}
