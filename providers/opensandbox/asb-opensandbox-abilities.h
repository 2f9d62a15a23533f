/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the provider can do, as far as that is known before a server was asked. */

#pragma once

#include <asb.h>

/* Returns: (transfer full) */
AsbCapabilities *asb_opensandbox_abilities_new (void);
