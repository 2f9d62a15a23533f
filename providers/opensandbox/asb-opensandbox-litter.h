/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] Folders in the sandbox that nobody needs any more. */

#pragma once

#include "asb-opensandbox-execd.h"

/* Deletes @folder, which is absolute, in a moment: after what is asked next, and with others. Who
 * closes @execd waits until that was asked for. */
void asb_opensandbox_litter_add (AsbOpensandboxExecd *execd, const char *folder);
