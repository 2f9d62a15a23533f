/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the guest's sources say went wrong, as an error. */

#pragma once

#include <glib.h>

#include "failure.h"

/* Of none it is one of ASB_ERROR_INTERNAL. Returns: (transfer full) */
GError *asb_opensandbox_failure_to_error (const Failure *failure);
