/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What JSON costs once it is no text any more: “[]” is two bytes as text, and many in memory. */

#pragma once

#include <jansson.h>
#include <stddef.h>

/* About how many bytes of memory it takes; never much less. */
size_t json_size (const json_t *json);
