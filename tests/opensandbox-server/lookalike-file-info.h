/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What execd tells of a file. */

#pragma once

#include <sys/stat.h>

#include "lookalike.h"

G_BEGIN_DECLS

void lookalike_file_info_append (GString *json, LookalikeSandbox *sandbox, const char *path,
                                 const struct stat *info);

/* Names of /etc/passwd and /etc/group in the sandbox; -1 when there is no such name. */
gint64 lookalike_file_info_find_user (LookalikeSandbox *sandbox, const char *name);
gint64 lookalike_file_info_find_group (LookalikeSandbox *sandbox, const char *name);

/* The first group of a user; 0 where the sandbox knows nothing of one. */
gint64 lookalike_file_info_find_first_group (LookalikeSandbox *sandbox, gint64 uid);

G_END_DECLS
