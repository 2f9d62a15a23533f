/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-signals.h"

#include <errno.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tool-terminal.h"

#define SECOND_CHANCE_US (2 * G_USEC_PER_SEC)
/* Where the main loop does not turn for so long, asb hangs: in a pipe that nobody reads, or in a
 * file that does not come. */
#define MAX_UNHEARD_S 5

static const int ending_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static const int user_signals[] = { SIGUSR1, SIGUSR2, SIGWINCH };

/* Signals belong to the process, so there is one of these. */
static struct
{
  Tool *tool;
  int pipe[2];
  volatile sig_atomic_t unheard; /* one that the main loop has still to see */
  ToolSignalHandler handler;
  gpointer user_data;
  int caught;
  gint64 interrupted_at;
} signals;

static void
write_signal (int signal_number)
{
  const int saved = errno;
  const guchar byte = signal_number;
  /* A full pipe holds enough signals already. */
  const gssize written = write (signals.pipe[1], &byte, 1);

  (void)written;
  errno = saved;
}

static void
end_at_once (int signal_number)
{
  tool_terminal_leave ();
  _exit (TOOL_EXIT_SIGNAL + signal_number);
}

static void
end_unheard (int signal_number)
{
  if (signals.unheard != 0)
    end_at_once (signals.unheard);
}

static void
write_ending_signal (int signal_number)
{
  if (signals.unheard == 0)
    alarm (MAX_UNHEARD_S);
  signals.unheard = signal_number;
  write_signal (signal_number);
}

static void
do_nothing (int signal_number)
{
}

static void
catch_signal (int signal_number, void (*handler) (int))
{
  struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
  struct sigaction present;

  if (sigaction (signal_number, NULL, &present) == 0 && present.sa_handler == SIG_IGN
      && signal_number != SIGPIPE)
    return;
  sigemptyset (&action.sa_mask);
  sigaction (signal_number, &action, NULL);
}

static void
cancel_work (int signal_number)
{
  const gint64 now = g_get_monotonic_time ();

  if (signal_number == SIGINT && signals.caught == SIGINT
      && now - signals.interrupted_at < SECOND_CHANCE_US)
    end_at_once (SIGINT);
  signals.interrupted_at = now;
  signals.caught = signal_number;
  g_cancellable_cancel (signals.tool->cancellable);
}

static gboolean
readable_cb (int fd, GIOCondition condition, gpointer user_data)
{
  guchar byte;

  signals.unheard = 0;
  alarm (0);
  while (read (fd, &byte, 1) == 1)
    if (signals.handler)
      signals.handler (byte, signals.user_data);
    else
      cancel_work (byte);
  return G_SOURCE_CONTINUE;
}

void
tool_signals_install (Tool *tool)
{
  signals.tool = tool;
  if (!g_unix_open_pipe (signals.pipe, FD_CLOEXEC, NULL))
    return;
  g_unix_set_fd_nonblocking (signals.pipe[0], TRUE, NULL);
  g_unix_set_fd_nonblocking (signals.pipe[1], TRUE, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (ending_signals); i++)
    catch_signal (ending_signals[i], write_ending_signal);
  catch_signal (SIGALRM, end_unheard);
  /* A handler, as a signal that is ignored would be ignored by programs started from here too. */
  catch_signal (SIGPIPE, do_nothing);
  /* Where files may not grow, writing fails and says so. */
  catch_signal (SIGXFSZ, do_nothing);
  g_unix_fd_add (signals.pipe[0], G_IO_IN, readable_cb, NULL);
}

void
tool_signals_set_handler (ToolSignalHandler handler, gpointer user_data)
{
  signals.handler = handler;
  signals.user_data = user_data;
  for (gsize i = 0; handler && i < G_N_ELEMENTS (user_signals); i++)
    catch_signal (user_signals[i], write_signal);
}

int
tool_signals_get_caught (void)
{
  return signals.caught;
}
