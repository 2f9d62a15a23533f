/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Text for a shell, be it bash, dash or that of busybox. */

#pragma once

#include <glib.h>

/* Appends one word that means exactly @bytes, which hold no NUL but need not be UTF-8; the text is,
 * so that JSON can carry it. */
void asb_opensandbox_shell_append_word (GString *script, const char *bytes);

/* Appends “set -- WORD…”. */
void asb_opensandbox_shell_append_arguments (GString *script, const char *const *words);

/* Whether a shell takes it for the name of a variable. */
gboolean asb_opensandbox_shell_is_name (const char *text);

/* What nobody else says: 32 hexadecimal digits. Returns: (transfer full) */
char *asb_opensandbox_shell_new_token (void);

/* Whether execd takes @path as it stands. It fills in “~” and “$NAME” of paths, says in JSON only
 * what is UTF-8, and puts the name of what is downloaded into a header. */
gboolean asb_opensandbox_shell_is_plain_path (const char *path);

/* @path for a message: valid UTF-8, not too long. Returns: (transfer full) */
char *asb_opensandbox_shell_show_path (const char *path);
