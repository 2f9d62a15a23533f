/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-clock.h"

#include <time.h>

void
asb_opensandbox_clock_init (AsbOpensandboxClock *self)
{
  g_mutex_init (&self->lock);
  self->is_known = FALSE;
}

void
asb_opensandbox_clock_clear (AsbOpensandboxClock *self)
{
  g_mutex_clear (&self->lock);
}

gint64
asb_opensandbox_clock_now (void)
{
  struct timespec now;

  if (clock_gettime (CLOCK_BOOTTIME, &now) != 0)
    return g_get_monotonic_time ();
  return (gint64)now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

void
asb_opensandbox_clock_learn (AsbOpensandboxClock *self, gint64 date, gint64 sent, gint64 received)
{
  /* The server wrote the date between both, and cut it to a second. */
  gint64 earliest = date - received;
  gint64 latest = date + G_USEC_PER_SEC - sent;

  g_mutex_lock (&self->lock);
  if (self->is_known)
    {
      gint64 both_earliest = MAX (earliest, self->earliest);
      gint64 both_latest = MIN (latest, self->latest);

      /* If they exclude each other the server's clock was set, and the new one counts. */
      if (both_earliest <= both_latest)
        {
          earliest = both_earliest;
          latest = both_latest;
        }
    }
  self->earliest = earliest;
  self->latest = latest;
  self->is_known = TRUE;
  g_mutex_unlock (&self->lock);
}

gint64
asb_opensandbox_clock_get (AsbOpensandboxClock *self)
{
  gint64 time;

  g_mutex_lock (&self->lock);
  time = self->is_known
             ? asb_opensandbox_clock_now () + self->earliest + (self->latest - self->earliest) / 2
             : g_get_real_time ();
  g_mutex_unlock (&self->lock);
  return time;
}
