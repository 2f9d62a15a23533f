/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-guard.h"

#include "asb-opensandbox-thread.h"

static void
end (AsbOpensandboxGuard *self, AsbOpensandboxAbort reason)
{
  if (self->final != ASB_OPENSANDBOX_ABORT_NONE)
    return;
  self->final = reason;
  asb_opensandbox_guard_abort (self, reason);
  self->function (self->data);
}

static gboolean
deadline_cb (gpointer data)
{
  end (data, ASB_OPENSANDBOX_ABORT_TIMED_OUT);
  return G_SOURCE_REMOVE;
}

static void
cancelled_cb (gpointer data)
{
  end (data, ASB_OPENSANDBOX_ABORT_CANCELLED);
}

void
asb_opensandbox_guard_start (AsbOpensandboxGuard *self, GCancellable *cancellable, guint timeout,
                             AsbOpensandboxGuardFunc function, gpointer data)
{
  self->function = function;
  self->data = data;
  self->timeout = timeout;
  self->started = g_get_monotonic_time ();
  if (timeout > 0)
    self->deadline = asb_opensandbox_thread_add_timer (timeout, deadline_cb, self);
  self->cancelled = asb_opensandbox_cancel_watch (cancellable, cancelled_cb, self);
}

void
asb_opensandbox_guard_stop (AsbOpensandboxGuard *self)
{
  asb_opensandbox_thread_clear_timer (&self->deadline);
  asb_opensandbox_cancel_unwatch (&self->cancelled);
  g_clear_object (&self->attempt);
}

GCancellable *
asb_opensandbox_guard_begin (AsbOpensandboxGuard *self)
{
  g_clear_object (&self->attempt);
  self->attempt = g_cancellable_new ();
  self->reason = self->final;
  if (self->final != ASB_OPENSANDBOX_ABORT_NONE)
    g_cancellable_cancel (self->attempt);
  return self->attempt;
}

void
asb_opensandbox_guard_abort (AsbOpensandboxGuard *self, AsbOpensandboxAbort reason)
{
  g_autoptr (GCancellable) attempt = self->attempt ? g_object_ref (self->attempt) : NULL;

  if (self->reason != ASB_OPENSANDBOX_ABORT_NONE)
    return;
  self->reason = reason;
  if (attempt)
    g_cancellable_cancel (attempt);
}

gboolean
asb_opensandbox_guard_has_time (AsbOpensandboxGuard *self, gint64 milliseconds)
{
  gint64 passed = (g_get_monotonic_time () - self->started) / 1000;

  return self->timeout == 0 || passed + milliseconds < self->timeout;
}
