/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The envelope that ties a request to its record (docs/guest-protocol.md §4.3). */

#pragma once

#include "asb-operation.h"

#include <jansson.h>

/* NULL with @error set when what is to be recorded cannot be sent. */
json_t *asb_guest_record_new (AsbOperation *operation, GError **error);

/* Sets *@message to why the record is not complete, or to NULL when it is. FALSE with @error set if
 * @reply tells of its record what makes no sense. */
gboolean asb_guest_record_parse (const json_t *reply, char **message, GError **error);
