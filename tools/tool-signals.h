/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Signals that reach asb, brought into the main loop. */

#pragma once

#include "tool.h"

/* What to do with a signal. */
typedef void (*ToolSignalHandler) (int signal_number, gpointer user_data);

/* From now on the signals that end a program cancel what @tool does; those that are ignored, as
 * under nohup, stay so. A second interrupt within two seconds ends asb at once, and so does one
 * signal that the main loop does not see for five seconds. */
void tool_signals_install (Tool *tool);
/* Hands signals to @handler instead, USR1, USR2 and WINCH too; %NULL: as at first. */
void tool_signals_set_handler (ToolSignalHandler handler, gpointer user_data);
/* Returns: the signal that cancelled the work, or 0 */
int tool_signals_get_caught (void);
