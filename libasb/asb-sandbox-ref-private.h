/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* References that came from elsewhere. */

#pragma once

#include "asb-sandbox-ref.h"

/* Returns: (nullable): why @self is of no use, to go on after “the answer”: “names a sandbox …” */
const char *asb_sandbox_ref_find_fault (AsbSandboxRef *self);
