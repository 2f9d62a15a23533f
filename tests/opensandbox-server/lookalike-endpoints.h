/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

/* Everything a gateway gets. */
void lookalike_gateway_handle (LookalikeRequest *request);

/* The signature of a route, key id included; NULL without a key. */
char *lookalike_gateway_sign (Lookalike *lookalike, const char *id, guint port,
                              const char *expires);
/* Seconds since the epoch in base 36. */
char *lookalike_gateway_print_expiry (guint64 expires);

G_END_DECLS
