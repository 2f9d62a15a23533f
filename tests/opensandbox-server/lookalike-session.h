/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A bash session: an environment and a folder that runs hand on to each other. */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

typedef struct _LookalikeSession LookalikeSession;

void lookalike_session_unref (LookalikeSession *self);

/* Ends the run that is going on, and the session. */
void lookalike_session_end (LookalikeSandbox *sandbox, LookalikeSession *self);

G_END_DECLS
