/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What was asked of the look-alike, for tests that count. */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

LookalikeLog *lookalike_log_new (void);
void lookalike_log_free (LookalikeLog *self);

void lookalike_log_add (LookalikeLog *self, LookalikeRequest *request);

/* GET and DELETE /_requests */
void lookalike_log_handle (LookalikeRequest *request);

G_END_DECLS
