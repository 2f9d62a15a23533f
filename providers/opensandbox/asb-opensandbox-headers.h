/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names and values of HTTP headers, and those that this module reads. */

#pragma once

#include <glib.h>

#define ASB_OPENSANDBOX_KEY_HEADER "OPEN-SANDBOX-API-KEY"
#define ASB_OPENSANDBOX_EXECD_TOKEN_HEADER "X-EXECD-ACCESS-TOKEN"
#define ASB_OPENSANDBOX_REQUEST_ID_HEADER "X-Request-ID"

/* An empty map from names, which are the same in any case, to values; both are owned by it. */
GHashTable *asb_opensandbox_headers_new (void);

gboolean asb_opensandbox_headers_equal_name (const char *first, const char *second);

/* Whether it can be sent as a name, or a value, and mean itself there. */
gboolean asb_opensandbox_headers_is_name (const char *name);
gboolean asb_opensandbox_headers_is_value (const char *value);

/* Whether a program may set it: those that frame a message belong to the HTTP library. */
gboolean asb_opensandbox_headers_is_settable (const char *name);

/* Whether it means the same in each request: not one that names the other side, and not one that
 * asks for a part of an answer, or for one under a condition. */
gboolean asb_opensandbox_headers_is_for_all (const char *name);

/* Retry-After in seconds from @now (in microseconds since 1970), which dates are compared with; −1
 * if it is absent or says nothing. */
gint64 asb_opensandbox_headers_parse_retry_after (const char *value, gint64 now);

/* A Date header in microseconds since 1970; −1 if it is absent or none. */
gint64 asb_opensandbox_headers_parse_date (const char *value);

/* “bytes 0-9/100” and “bytes * /100”. What is not said is −1. */
gboolean asb_opensandbox_headers_parse_content_range (const char *value, gint64 *start, gint64 *end,
                                                      gint64 *total);
