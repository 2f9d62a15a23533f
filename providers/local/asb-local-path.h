/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Paths inside a sandbox. */

#pragma once

#include <glib.h>

/* An absolute path without "..", with one slash between its parts and none at its end: NULL if
 * @path is none. "/" becomes "". */
char *asb_local_path_normalize (const char *path);

/* What follows @prefix in @path: "" if they are the same, NULL if it is not below. */
const char *asb_local_path_below (const char *path, const char *prefix);

/* Whether something of the host's, the kernel's or the library's stands there or above. */
gboolean asb_local_path_is_taken (const char *path);

/* Whether something of the sandbox stands below it. */
gboolean asb_local_path_holds_ours (const char *path);
