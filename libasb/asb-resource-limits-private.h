/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-resource-limits.h"

/* Returns: (transfer full) (nullable): a copy of @limits (nullable), which others may change */
AsbResourceLimits *asb_resource_limits_copy (AsbResourceLimits *limits);

/* Returns: (transfer floating): those of @limits that are set, by their names in the protocol of
 * the guest and in the record; a{sv} of x */
GVariant *asb_resource_limits_to_variant (AsbResourceLimits *limits);
