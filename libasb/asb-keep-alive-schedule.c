/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-keep-alive-private.h"

/* While it is kept, it is renewed when a third of its time is over, so that two renewals may fail;
 * after use no oftener than each tenth. */
#define WHILE_KEPT 3
#define AFTER_USE 10
/* Failures are repeated after a sixtieth of the time first, and at the latest after a sixth. */
#define FIRST_RETRY 60
#define LAST_RETRY 6
#define MAX_DOUBLINGS 4

/* A part of the time after the last renewal. Where somebody has renewed it for longer, not before
 * that time is as short as ours: renewing sets the end, and must not move it back. */
static gint64
after_part (const AsbKeepAliveState *state, gint64 divisor)
{
  gint64 length = MIN (state->window, MAX (state->expires_at - state->renewed_at, 0));

  return MAX (state->renewed_at + length / divisor,
              state->expires_at - state->window + state->window / divisor);
}

static gint64
after_failure (const AsbKeepAliveState *state)
{
  guint doublings = MIN (state->n_failures - 1, MAX_DOUBLINGS);

  return state->failed_at
         + MIN ((state->window / FIRST_RETRY) << doublings, state->window / LAST_RETRY);
}

gint64
asb_keep_alive_next (const AsbKeepAliveState *state)
{
  gint64 at;

  if (state->is_over || state->is_paused || state->n_holders > 0 || state->is_asking)
    return ASB_KEEP_ALIVE_NEVER;
  if (state->always || state->n_running > 0)
    at = after_part (state, WHILE_KEPT);
  else if (state->used_at > 0 && state->used_at + state->window > state->expires_at)
    at = after_part (state, AFTER_USE);
  else
    return ASB_KEEP_ALIVE_NEVER;
  return state->n_failures > 0 ? MAX (at, after_failure (state)) : at;
}
