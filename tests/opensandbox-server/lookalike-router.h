/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

typedef struct
{
  const char *method;
  const char *pattern; /* "sandboxes/:/pause"; ":" is any part, "*" any rest */
  LookalikeHandler handler;
  gboolean newer; /* an old server does not have it */
} LookalikeRoute;

/* The route; NULL, and in @allowed the methods that the path would take (NULL: no such path).
 * @skip parts of the path were looked at already. */
const LookalikeRoute *lookalike_router_find (LookalikeRequest *request,
                                             const LookalikeRoute *routes, guint n_routes,
                                             guint skip, char **allowed);

G_END_DECLS
