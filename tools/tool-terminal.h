/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* asb's own terminal, while a command in a sandbox is at one that stands for it. */

#pragma once

#include <glib.h>

/* FALSE when neither standard output nor input is a terminal with a size. */
gboolean tool_terminal_get_size (guint *columns, guint *rows);

/* Writes @prompt to standard error, again where asb goes on after it was stopped, and from then on
 * what is typed does not show. That ends as that which follows does. */
void tool_terminal_ask_hidden (const char *prompt);
/* From now on keys are bytes of standard input, and nothing is done to what is printed. That ends
 * with tool_terminal_leave (), or with asb, however that ends. */
gboolean tool_terminal_enter (GError **error);
/* asb's terminal is as it was before. May be called from a handler of signals, and more than once.
 */
void tool_terminal_leave (void);
