/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The two programs of the host a local sandbox is made of. */

#pragma once

#include <glib.h>

/* The absolute path of bubblewrap: @option if given (a bare name is looked for in PATH), else what
 * PATH has. */
char *asb_local_find_bubblewrap (const char *option, GError **error);

/* The absolute path of the guest: @option if given, else ASB_GUEST_PATH, else the installed one. */
char *asb_local_find_guest (const char *option, GError **error);
