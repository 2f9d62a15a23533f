/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The processes of a sandbox: bubblewrap around them, or nothing where it does not work. */

#pragma once

#include "lookalike-image.h"
#include "lookalike-sandbox.h"

G_BEGIN_DECLS

/* Starts the entry point in the folder that is laid out. */
void lookalike_container_start (LookalikeSandbox *sandbox, const LookalikeImage *image,
                                LookalikeStartedFunc started, gpointer user_data);
/* The entry point is the container: if it has ended, so does everything else. */
void lookalike_container_settle (LookalikeSandbox *sandbox);
/* Begins to kill everything, where many are to end at once. */
void lookalike_container_hurry (LookalikeSandbox *sandbox);
/* Kills everything and waits for the end. */
void lookalike_container_kill (LookalikeSandbox *sandbox);

G_END_DECLS
