/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the handlers of files. */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

/* 404 for what is not there, 500 for the rest. */
void lookalike_files_fail (LookalikeRequest *request, const char *operation, const char *path,
                           int error_number);
void lookalike_files_fail_runtime (LookalikeRequest *request, const char *why);

/* Owner, group and mode of a permission object; FALSE with Go's words in @why. A number of the
 * wrong type was refused before. */
gboolean lookalike_files_apply_permission (LookalikeSandbox *sandbox, const char *path,
                                           JsonObject *permission, char **why);

G_END_DECLS
