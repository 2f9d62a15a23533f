/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Commands that find the working directory and the environment that the one before left: execd's
 * sessions of bash. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-execd.h"

/* [io] Whether it is one of these calls, of which README.md has a table; answers @task then.
 * @arguments is an a{sv}. */
gboolean asb_opensandbox_native_call_session (AsbOpensandboxExecd *execd, const char *name,
                                              GVariant *arguments, GTask *task);
