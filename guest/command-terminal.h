/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The terminal of a command that was asked to have one. */

#pragma once

#include "command-spec.h"

#include <stdbool.h>

typedef struct
{
  int master_fd; /* -1: there is none */
  int slave_fd;  /* held open, so that the terminal outlives a command that closes it for a while */
} CommandTerminal;

void command_terminal_init (CommandTerminal *terminal);

/* Makes it. False with errno set. */
bool command_terminal_open (CommandTerminal *terminal, const TerminalSize *size);

/* Who still has it gets SIGHUP or errors. */
void command_terminal_close (CommandTerminal *terminal);

/* Whoever is in the foreground gets SIGWINCH. */
bool command_terminal_resize (const CommandTerminal *terminal, const TerminalSize *size);

/* Whether @signal_number is one of those that keys send, and has gone to the foreground. */
bool command_terminal_signal (const CommandTerminal *terminal, int signal_number);

/* The character that stands for the end of input. */
unsigned char command_terminal_end_character (int master_fd);
