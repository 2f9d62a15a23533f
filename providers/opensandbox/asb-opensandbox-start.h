/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] Commands by POST /command: their output as execd's lines or, where it must be exact, through
 * files. */

#pragma once

#include "asb-opensandbox-command.h"

/* Answers @task, whose source is the transport, with the process. */
void asb_opensandbox_start_command (AsbOpensandboxExecd *execd, AsbCommandSpec *spec, GTask *task);

/* Sends @number to the process group @pid, and answers @task: whether there was one. */
void asb_opensandbox_start_send_signal (AsbOpensandboxExecd *execd, int pid, int number,
                                        GTask *task);

/* The same, whoever is there. */
void asb_opensandbox_start_kill (AsbOpensandboxExecd *execd, int pid);

/* Ends the command that execd knows as @id. */
void asb_opensandbox_start_interrupt (AsbOpensandboxExecd *execd, const char *id);
