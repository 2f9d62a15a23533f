/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a guest says went wrong, as a GError. */

#pragma once

#include "asb-error.h"
#include "asb-operation.h"

#include <jansson.h>

/* For a call that was made in vain: @call is its name, @operation what it was recorded as. */
GError *asb_guest_error_new (int code, const char *call, AsbOperation *operation,
                             const char *message);

/* The same for one of which nothing was sent, so that it may be made on another connection. */
GError *asb_guest_error_new_unsent (int code, const char *call, AsbOperation *operation,
                                    const char *message);

/* The “error” of a REPLY. NULL with @error set if it is none. */
GError *asb_guest_error_from_json (const json_t *json, const char *call, AsbOperation *operation,
                                   GError **error);

/* The payload of a GOODBYE: what to tell people. To be freed. */
char *asb_guest_goodbye_to_message (const json_t *json, int *code);

/* One line that is safe to print: without control characters, and of a bounded length. */
char *asb_guest_message_dup (const char *message);
