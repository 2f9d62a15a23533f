/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Paths of clients, resolved in the sandbox and nowhere else, whatever links say. */

#pragma once

#include "lookalike.h"

G_BEGIN_DECLS

/* "~", "$NAME" and "${NAME}" filled in, made absolute and clean; NULL when a name is unknown. */
char *lookalike_path_expand (LookalikeSandbox *sandbox, const char *path, GError **error);

/* -1 and errno. Links are followed, within the sandbox. */
int lookalike_path_open (LookalikeSandbox *sandbox, const char *path, int flags, mode_t mode);
/* The folder of @path and its last part (NULL for the root itself). */
int lookalike_path_open_parent (LookalikeSandbox *sandbox, const char *path, char **name);

int lookalike_path_make_folders (LookalikeSandbox *sandbox, const char *path, mode_t mode);
gboolean lookalike_path_exists (LookalikeSandbox *sandbox, const char *path);

/* Everything below, the folder too; what is missing is fine. */
int lookalike_remove_tree (int parent_fd, const char *name);

/* Go's words for errno: "open /x: no such file or directory". */
char *lookalike_path_describe (const char *operation, const char *path, int error_number);

G_END_DECLS
