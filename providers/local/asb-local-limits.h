/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the commands of a sandbox may take: the guest holds each to it. */

#pragma once

#include <asb.h>
#include <jansson.h>

/* Copies @limits (nullable), and sets the defaults of this provider where nothing is said. */
AsbResourceLimits *asb_local_limits_complete (AsbResourceLimits *limits);

/* Returns: NULL if the members are not what they must be. */
AsbResourceLimits *asb_local_limits_from_json (json_t *json);
json_t *asb_local_limits_to_json (AsbResourceLimits *limits);

/* Whether there is something that no limit of single processes can hold. */
gboolean asb_local_limits_want_scope (AsbResourceLimits *limits);

/* Adds the options of the guest for @limits to @command, of owned strings. */
void asb_local_limits_add_options (AsbResourceLimits *limits, GPtrArray *command);
