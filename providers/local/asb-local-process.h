/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A process of another program, by a descriptor, which means that process alone: its number may be
 * another's when it has ended. Linux has such descriptors since 5.3; elsewhere its folder in /proc
 * takes their place. */

#pragma once

#include <glib.h>
#include <sys/types.h>

/* −1 with errno set where there is no such process. */
int asb_local_process_open (pid_t pid);

/* Whether the descriptor can be read when it has ended, which its folder cannot tell by. */
gboolean asb_local_process_can_be_polled (int process);

/* Whether it has ended, or does within @milliseconds; −1 waits for ever. */
gboolean asb_local_process_wait (int process, int milliseconds);

/* FALSE where it has ended or may not be sent the signal. */
gboolean asb_local_process_signal (int process, int number);

/* Whether it was stopped, by a signal or by who traces it, and goes on only when told to. */
gboolean asb_local_process_is_stopped (int process);
