/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Keys of servers in the secret service of the desktop, where asb was built with libsecret. */

#pragma once

#include "tool.h"

/* Returns: (transfer full) (nullable): the key that is kept for @origin; NULL, without an error,
 * where there is none or no service to ask */
char *tool_secret_find (Tool *tool, const char *origin);
gboolean tool_secret_store (Tool *tool, const char *origin, const char *key, GError **error);
/* Returns: whether one was there and is gone; FALSE without an error: there was none */
gboolean tool_secret_forget (Tool *tool, const char *origin, GError **error);
