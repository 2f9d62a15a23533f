/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the options of a backend mean for the sandbox that is made, and what the record says of it.
 */

#pragma once

#include "asb-keep-alive-private.h"

/* Returns: (transfer full): what the provider is asked for, with a new instance id unless one is
 * given */
AsbSandboxSpec *asb_create_new_spec (AsbBackendOptions *options, const AsbKeepAlivePlan *plan);

/* What the record of a creation says it was asked for, and what it made. Returns: floating */
GVariant *asb_create_describe (AsbBackendOptions *options);
GVariant *asb_create_describe_ref (AsbSandboxRef *ref);
/* What that of a connection says. Returns: floating */
GVariant *asb_create_describe_state (AsbSandboxState state);
