/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What asb says about itself, on standard error: one sentence a line. */

#pragma once

#include "tool.h"

void tool_message (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* Puts @advice behind what @error says. */
void tool_message_advise (GError *error, const char *advice);
/* Says @error with the next step to take. Nothing is said of an operation that was cancelled, as
 * it was the user who did that. */
void tool_message_error (const GError *error);
