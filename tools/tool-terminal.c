/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-terminal.h"

#include <asb.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* asb catches those that end a program in an orderly way (tool-signals.h). */
static const int fatal_signals[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV };

/* Whoever stops asb takes its terminal. */
static const int stop_signals[] = { SIGTSTP, SIGTTIN, SIGTTOU };

/* The terminal is the process's, so there is one of these. */
static struct
{
  struct termios before;
  struct termios entered;
  const char *prompt; /* that was written, or NULL */
  volatile sig_atomic_t is_entered;
  volatile sig_atomic_t is_wanted; /* again, when asb goes on after it was stopped */
} terminal;

static gboolean
get_size_of (int fd, guint *columns, guint *rows)
{
  struct winsize size;

  if (ioctl (fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    return FALSE;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return TRUE;
}

gboolean
tool_terminal_get_size (guint *columns, guint *rows)
{
  return get_size_of (STDOUT_FILENO, columns, rows) || get_size_of (STDIN_FILENO, columns, rows);
}

static void
catch_signal (int signal_number, void (*handler) (int), int flags)
{
  struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
  struct sigaction present;

  if (sigaction (signal_number, NULL, &present) == 0 && present.sa_handler == SIG_IGN)
    return;
  sigemptyset (&action.sa_mask);
  sigaction (signal_number, &action, NULL);
}

static void
leave_and_fail (int signal_number)
{
  tool_terminal_leave ();
  raise (signal_number);
}

static void
wait_stopped (int signal_number)
{
  sigset_t this_signal;
  sigset_t before;

  sigemptyset (&this_signal);
  sigaddset (&this_signal, signal_number);
  catch_signal (signal_number, SIG_DFL, 0);
  raise (signal_number);
  sigprocmask (SIG_UNBLOCK, &this_signal, &before);
  sigprocmask (SIG_SETMASK, &before, NULL);
}

/* The last thing: who reads it may type. */
static void
write_prompt (void)
{
  const gssize written
      = terminal.prompt ? write (STDERR_FILENO, terminal.prompt, strlen (terminal.prompt)) : 0;

  (void)written;
}

/* In the background the terminal is somebody else's. */
static void
enter_again (int signal_number)
{
  const int saved = errno;
  const pid_t group = tcgetpgrp (STDIN_FILENO);

  if (terminal.is_wanted && !terminal.is_entered && (group < 0 || group == getpgrp ())
      && tcsetattr (STDIN_FILENO, TCSANOW, &terminal.entered) == 0)
    {
      terminal.is_entered = TRUE;
      write_prompt ();
      /* Meanwhile others were told of it. */
      raise (SIGWINCH);
    }
  errno = saved;
}

/* A shell has the terminal as it was before while asb is stopped. */
static void
leave_and_stop (int signal_number)
{
  const int saved = errno;
  const gboolean is_wanted = terminal.is_wanted;
  const char *prompt = terminal.prompt;

  tool_terminal_leave ();
  terminal.is_wanted = is_wanted;
  terminal.prompt = prompt;
  wait_stopped (signal_number);
  enter_again (SIGCONT);
  catch_signal (signal_number, leave_and_stop, SA_RESTART);
  errno = saved;
}

static gboolean
enter (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fatal_signals); i++)
    catch_signal (fatal_signals[i], leave_and_fail, (int)SA_RESETHAND);
  for (gsize i = 0; i < G_N_ELEMENTS (stop_signals); i++)
    catch_signal (stop_signals[i], leave_and_stop, SA_RESTART);
  catch_signal (SIGCONT, enter_again, SA_RESTART);
  atexit (tool_terminal_leave);
  terminal.is_entered = terminal.is_wanted = TRUE;
  if (tcsetattr (STDIN_FILENO, TCSANOW, &terminal.entered) == 0)
    return TRUE;
  terminal.is_entered = terminal.is_wanted = FALSE;
  return FALSE;
}

void
tool_terminal_ask_hidden (const char *prompt)
{
  if (tcgetattr (STDIN_FILENO, &terminal.before) == 0)
    {
      terminal.entered = terminal.before;
      terminal.entered.c_lflag &= ~(tcflag_t)ECHO;
      enter ();
    }
  terminal.prompt = prompt;
  write_prompt ();
}

gboolean
tool_terminal_enter (GError **error)
{
  if (tcgetattr (STDIN_FILENO, &terminal.before) == 0)
    {
      terminal.entered = terminal.before;
      cfmakeraw (&terminal.entered);
      if (enter ())
        return TRUE;
    }
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
               "Could not hand the terminal to the command: %s", g_strerror (errno));
  return FALSE;
}

void
tool_terminal_leave (void)
{
  const int saved = errno;

  if (terminal.is_entered)
    tcsetattr (STDIN_FILENO, TCSANOW, &terminal.before);
  terminal.is_entered = terminal.is_wanted = FALSE;
  terminal.prompt = NULL;
  errno = saved;
}
