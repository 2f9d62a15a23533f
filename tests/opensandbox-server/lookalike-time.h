/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* As the lifecycle server writes it: microseconds only when there are some. */
char *lookalike_time_print (GDateTime *time);
/* As Go writes it; @nanoseconds below one microsecond are added. */
char *lookalike_time_print_nano (GDateTime *time, guint nanoseconds);

/* RFC 3339, without a zone it is UTC; or seconds since the epoch. NULL when it is neither. */
GDateTime *lookalike_time_parse (const char *text);

G_END_DECLS
