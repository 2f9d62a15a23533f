/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Commands as a guest is asked for them, and as it tells of their end. */

#pragma once

#include "asb-command-result.h"
#include "asb-command-spec.h"

#include <jansson.h>

/* NULL with @error set when the command cannot be sent. */
json_t *asb_guest_command_arguments (AsbCommandSpec *spec, GError **error);

gboolean asb_guest_command_has_input (AsbCommandSpec *spec);
gboolean asb_guest_command_has_output (AsbCommandSpec *spec);
gboolean asb_guest_command_has_errors (AsbCommandSpec *spec);

/* NULL with @error set when the guest makes no sense. @record_error is nullable. */
AsbCommandResult *asb_guest_command_result_new (const json_t *result, const char *command_id,
                                                const char *record_error, GError **error);
