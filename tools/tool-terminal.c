/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-terminal.h"

#include <asb.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* asb catches those that end a program in an orderly way (tool-signals.h). */
static const int fatal_signals[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV };

/* The terminal is the process's, so there is one of these. */
static struct
{
  struct termios before;
  volatile sig_atomic_t is_entered;
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
leave_and_fail (int signal_number)
{
  tool_terminal_leave ();
  raise (signal_number);
}

static void
watch_fatal_signals (void)
{
  struct sigaction action = { .sa_handler = leave_and_fail, .sa_flags = (int)SA_RESETHAND };

  sigemptyset (&action.sa_mask);
  for (gsize i = 0; i < G_N_ELEMENTS (fatal_signals); i++)
    sigaction (fatal_signals[i], &action, NULL);
}

gboolean
tool_terminal_enter (GError **error)
{
  struct termios raw;

  if (tcgetattr (STDIN_FILENO, &terminal.before) == 0)
    {
      raw = terminal.before;
      cfmakeraw (&raw);
      watch_fatal_signals ();
      atexit (tool_terminal_leave);
      terminal.is_entered = TRUE;
      if (tcsetattr (STDIN_FILENO, TCSANOW, &raw) == 0)
        return TRUE;
    }
  terminal.is_entered = FALSE;
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
  terminal.is_entered = FALSE;
  errno = saved;
}
