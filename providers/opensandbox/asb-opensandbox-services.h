/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What only this provider offers: the credential vault of a sandbox, the server's pools and
 * templates. README.md tells the functions and their arguments. */

#pragma once

#include "asb-opensandbox-call.h"

/* The caller's thread: answers @task, here or later, with an a{sv}. @arguments: (nullable) */
void asb_opensandbox_services_call (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id,
                                    const char *name, GVariant *arguments, GTask *task);
