/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-backend-private.h"

/* What is known of the sandbox. */
typedef enum
{
  ASB_PAUSE_STATE_RUNNING,
  ASB_PAUSE_STATE_PAUSING,
  ASB_PAUSE_STATE_PAUSED
} AsbPauseState;

/* Whether the sandbox is paused, or about to be by this backend, and what is refused then. */
gboolean asb_backend_is_paused (AsbBackend *self);
GError *asb_backend_new_paused_error (AsbBackend *self);

/* Somebody else has paused it. Any thread. */
void asb_backend_found_paused (AsbBackend *self);

/* Has the backend hear of that by its connection. Any thread. */
void asb_backend_watch_pauses (AsbBackend *self, AsbTransport *transport);

/* Somebody else has resumed it: it was paused before it was looked at, and was found running. */
void asb_backend_found_running (AsbBackend *self);

/* It is being closed: nothing is waited for any more, also of a sandbox that stays paused. */
void asb_backend_let_go_of_pause (AsbBackend *self);
