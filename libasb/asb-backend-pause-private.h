/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-backend-private.h"

/* What this backend has done with its sandbox. */
typedef enum
{
  ASB_PAUSE_STATE_RUNNING,
  ASB_PAUSE_STATE_PAUSING,
  ASB_PAUSE_STATE_PAUSED
} AsbPauseState;

/* Whether this backend has paused, or is about to pause its sandbox, and what is refused then. */
gboolean asb_backend_is_paused (AsbBackend *self);
GError *asb_backend_new_paused_error (AsbBackend *self);

/* Somebody else has resumed it: it was paused before it was looked at, and was found running. */
void asb_backend_found_running (AsbBackend *self);

/* It is being closed: nothing is waited for any more, also of a sandbox that stays paused. */
void asb_backend_let_go_of_pause (AsbBackend *self);
