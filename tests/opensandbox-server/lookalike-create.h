/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "lookalike-validation.h"

G_BEGIN_DECLS

/* What a creation must have: the 422 part, then the rest. The latter is TRUE after an answer. */
void lookalike_create_validate (LookalikeValidation *validation, LookalikeRequest *request,
                                JsonObject *body);
/* What the server's own pool of sandboxes would be asked for. */
gboolean lookalike_create_has_pool (JsonObject *body);
gboolean lookalike_create_refuse (LookalikeRequest *request, JsonObject *body);

G_END_DECLS
