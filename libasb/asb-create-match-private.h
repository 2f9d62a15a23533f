/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether a sandbox is the one that somebody wants to connect to. */

#pragma once

#include "asb-provider.h"

/* Returns: (transfer full) (nullable): why @provider cannot have what @wanted names */
GError *asb_create_check_ref (AsbProvider *provider, AsbSandboxRef *wanted);

/* Returns: (transfer full) (nullable): why @info, of the sandbox with that id, is not it, or cannot
 * be worked in */
GError *asb_create_check_found (AsbProvider *provider, AsbSandboxRef *wanted, AsbSandboxInfo *info);
