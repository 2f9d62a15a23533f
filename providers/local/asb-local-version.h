/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a program says of itself. It may be anything that has the right name. */

#pragma once

#include <glib.h>

/* Returns: the first line of what “@program --version” prints, or NULL with @error set, also when
 * it does not end. */
char *asb_local_ask_version (const char *program, GError **error);
