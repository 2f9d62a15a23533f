/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "command-terminal.h"

#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define DEFAULT_END 4
#define DISABLED 0

void
command_terminal_init (CommandTerminal *terminal)
{
  terminal->master_fd = -1;
  terminal->slave_fd = -1;
}

/* Where /dev is not made by udev there may be no link. */
static int
open_master (void)
{
  int fd = open ("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

  if (fd < 0 && errno == ENOENT)
    fd = open ("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  return fd;
}

/* By the master alone, whatever is mounted at /dev/pts; systems before Linux 4.13 need the name. */
static int
open_slave (int master_fd)
{
  int fd = ioctl (master_fd, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  unsigned number;
  char path[32];

  if (fd >= 0 || (errno != EINVAL && errno != ENOTTY) || ioctl (master_fd, TIOCGPTN, &number) != 0)
    return fd;
  snprintf (path, sizeof path, "/dev/pts/%u", number);
  return open (path, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

/* What is erased shall be a character, not a byte of it. */
static void
expect_utf8 (int slave_fd)
{
  struct termios settings;

  if (tcgetattr (slave_fd, &settings) != 0)
    return;
  settings.c_iflag |= IUTF8;
  tcsetattr (slave_fd, TCSANOW, &settings);
}

bool
command_terminal_open (CommandTerminal *terminal, const TerminalSize *size)
{
  int unlocked = 0;

  terminal->master_fd = open_master ();
  if (terminal->master_fd < 0 || ioctl (terminal->master_fd, TIOCSPTLCK, &unlocked) != 0)
    return false;
  terminal->slave_fd = open_slave (terminal->master_fd);
  if (terminal->slave_fd < 0)
    return false;
  expect_utf8 (terminal->slave_fd);
  return command_terminal_resize (terminal, size);
}

void
command_terminal_close (CommandTerminal *terminal)
{
  if (terminal->slave_fd >= 0)
    close (terminal->slave_fd);
  if (terminal->master_fd >= 0)
    close (terminal->master_fd);
  command_terminal_init (terminal);
}

bool
command_terminal_resize (const CommandTerminal *terminal, const TerminalSize *size)
{
  struct winsize window = { .ws_col = size->columns, .ws_row = size->rows };

  return terminal->master_fd >= 0 && ioctl (terminal->master_fd, TIOCSWINSZ, &window) == 0;
}

bool
command_terminal_signal (const CommandTerminal *terminal, int signal_number)
{
  if (signal_number != SIGINT && signal_number != SIGQUIT && signal_number != SIGTSTP)
    return false;
  return terminal->master_fd >= 0 && ioctl (terminal->master_fd, TIOCSIG, signal_number) == 0;
}

unsigned char
command_terminal_end_character (int master_fd)
{
  struct termios settings;

  if (tcgetattr (master_fd, &settings) != 0 || settings.c_cc[VEOF] == DISABLED)
    return DEFAULT_END;
  return settings.c_cc[VEOF];
}
