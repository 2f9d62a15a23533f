/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* As the lifecycle server writes it: microseconds only when there are some. */
char *lookalike_time_print (GDateTime *time);
/* As Go writes it; @nanoseconds below one microsecond are added. */
char *lookalike_time_print_nano (GDateTime *time, guint nanoseconds);

/* A string, without a zone it is UTC; or seconds since the epoch, as a number or in a string. NULL
 * where it is no time. */
GDateTime *lookalike_time_parse_node (JsonNode *node);

G_END_DECLS
