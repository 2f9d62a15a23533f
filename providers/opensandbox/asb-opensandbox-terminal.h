/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] Commands by /pty: those with a terminal, and those that are given standard input. */

#pragma once

#include "asb-opensandbox-command.h"

/* Answers @task, whose source is the transport, with the process. */
void asb_opensandbox_terminal_start (AsbOpensandboxExecd *execd, AsbCommandSpec *spec, GTask *task);
