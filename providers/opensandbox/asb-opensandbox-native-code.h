/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Code that runs in a language of its own, with what it left behind the last time: where the image
 * has a Jupyter server. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-execd.h"

/* [io] Whether it is one of these calls, of which README.md has a table; answers @task then.
 * @arguments is an a{sv}. */
gboolean asb_opensandbox_native_call_code (AsbOpensandboxExecd *execd, const char *name,
                                           GVariant *arguments, GTask *task);
