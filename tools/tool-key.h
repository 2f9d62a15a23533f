/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reading a key that no command line shows. */

#pragma once

#include <gio/gio.h>

/* @what: “key” or what else it is, for errors. Returns: (transfer full): the first line of the file
 * at @path */
char *tool_key_read_file (const char *path, const char *what, GError **error);
/* The same of a name and a password, which may have blanks. */
char *tool_key_read_login (const char *path, GError **error);
/* From standard input; at a terminal it is asked for with @prompt, and what is typed does not show.
 * Returns: (transfer full): the first line */
char *tool_key_read_input (const char *prompt, GCancellable *cancellable, GError **error);
