/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether sandboxes can be made on this machine, and what is weaker than it could be. */

#pragma once

#include "asb-local-sandboxes.h"

/* Returns: (transfer full): findings as asb_provider_diagnose () describes them. */
GVariant *asb_local_diagnose (const AsbLocalSettings *settings, GCancellable *cancellable);
