/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* References that came from elsewhere. */

#pragma once

#include "asb-sandbox-ref.h"

/* Returns: (nullable): why @self is of no use, to go on after “the answer”: “names a sandbox …” */
const char *asb_sandbox_ref_find_fault (AsbSandboxRef *self);

/* Of names and values that are to be kept with a sandbox; there may be none. */
gboolean asb_sandbox_metadata_is_text (GHashTable *metadata);
gboolean asb_sandbox_metadata_is_small (GHashTable *metadata);
