/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether a guest that is silent can answer at all: somebody else may have paused its sandbox, or
 * ended it, and the provider knows. */

#include "config.h"

#include "asb-guest-connection-internal.h"

#include "asb-error-private.h"
#include "asb-guest-error-private.h"
#include "asb-io-thread-private.h"

#define MAX_DELAY (30 * G_TIME_SPAN_SECOND)

/* What the provider says, on its way to the I/O thread. */
typedef struct
{
  AsbGuestConnection *connection;
  gint64 asked_at;
  guint n_resumed; /* by then */
  AsbSandboxState state;
  GError *error; /* NULL: @state is known */
} Verdict;

static void
verdict_free (Verdict *verdict)
{
  g_clear_error (&verdict->error);
  asb_guest_connection_unref (verdict->connection);
  g_free (verdict);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Verdict, verdict_free)

/* Doubts. */

static gboolean
is_waiting (AsbGuestConnection *self)
{
  return self->state == ASB_GUEST_STATE_OPEN && !self->paused
         && (self->outbox.frames.head || self->asked_at > 0);
}

static void
doubt_after (AsbGuestConnection *self, gint64 delay)
{
  self->doubt_delay = delay;
  self->doubt_at = g_get_monotonic_time () + delay;
  asb_guest_connection_update_timer (self);
}

void
asb_guest_doubt_begin (AsbGuestConnection *self)
{
  if (self->doubt_at == 0 && !self->is_inquiring && self->reopening.inquire && is_waiting (self))
    doubt_after (self, self->reopening.patience);
}

/* Twice as late as the last time. */
static void
look_later (AsbGuestConnection *self)
{
  doubt_after (self, CLAMP (self->doubt_delay * 2, self->reopening.patience, MAX_DELAY));
}

void
asb_guest_doubt_look_now (AsbGuestConnection *self)
{
  if (self->reopening.inquire && !self->is_inquiring)
    doubt_after (self, 0);
}

void
asb_guest_doubt_stop (AsbGuestConnection *self)
{
  self->doubt_at = 0;
}

/* It is paused. */

static gboolean
has_arrived (AsbGuestConnection *self, AsbGuestCall *call)
{
  return call->sequence > 0 && call->sequence <= asb_guest_outbox_get_acknowledged (&self->outbox);
}

/* What has not arrived is told off, as by a backend that knows of the pause. If it stands in a
 * buffer before the guest all the same, the cancellation stands behind it. */
static void
refuse_calls (AsbGuestConnection *self, int code, const char *message)
{
  g_autoptr (GList) calls = g_hash_table_get_values (self->calls);

  g_list_foreach (calls, (GFunc)asb_guest_call_ref, NULL);
  for (GList *item = calls; item; item = item->next)
    {
      g_autoptr (AsbGuestCall) call = item->data;
      g_autoptr (GError) error = NULL;

      if (call->connection != self || has_arrived (self, call))
        continue;
      error = asb_guest_error_new (code, call->name, call->operation, message);
      asb_guest_connection_refuse_call (self, call, error);
    }
  asb_guest_connection_flush (self);
}

/* Who calls a sandbox that sleeps is not to wait until it is awake, nor for the next look at it. */
void
asb_guest_doubt_meet_call (AsbGuestConnection *self)
{
  if (self->paused)
    asb_guest_doubt_look_now (self);
}

static void
tell_pause (AsbGuestConnection *self, gboolean paused)
{
  if (self->pause_news)
    self->pause_news (self->pause_data, paused);
}

/* The backend hears of it first, so that what is refused finds it knowing. */
static void
freeze (AsbGuestConnection *self)
{
  gboolean is_news = !self->is_frozen;

  self->is_frozen = TRUE;
  asb_guest_connection_set_pause (self, TRUE);
  if (is_news)
    tell_pause (self, TRUE);
  refuse_calls (self, ASB_ERROR_SANDBOX_STATE, "The sandbox is paused; resume it first");
  look_later (self);
}

void
asb_guest_doubt_thaw (AsbGuestConnection *self)
{
  gboolean was_frozen = self->is_frozen;

  self->n_resumed++;
  self->is_frozen = FALSE;
  asb_guest_doubt_stop (self);
  asb_guest_connection_set_pause (self, FALSE);
  if (was_frozen)
    tell_pause (self, FALSE);
}

/* It is over. */

static gboolean
is_over (Verdict *verdict)
{
  if (verdict->error)
    return asb_error_is_sandbox_gone (verdict->error);
  return verdict->state == ASB_SANDBOX_STATE_STOPPING || verdict->state == ASB_SANDBOX_STATE_STOPPED
         || verdict->state == ASB_SANDBOX_STATE_FAILED
         || verdict->state == ASB_SANDBOX_STATE_DELETED;
}

/* What has arrived may have been done. */
static void
end (AsbGuestConnection *self, Verdict *verdict)
{
  const char *message = verdict->error ? verdict->error->message : "The sandbox has ended";

  self->closed_code = verdict->error ? verdict->error->code : ASB_ERROR_SANDBOX_STATE;
  refuse_calls (self, self->closed_code, message);
  asb_guest_connection_end (self,
                            g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                                         "The connection to the guest was lost: %s", message),
                            NULL);
}

/* The question. */

static gboolean
is_outdated (AsbGuestConnection *self, Verdict *verdict)
{
  if (self->n_resumed != verdict->n_resumed)
    return TRUE;
  if (self->state == ASB_GUEST_STATE_OPEN)
    return self->last_heard > verdict->asked_at;
  return self->state != ASB_GUEST_STATE_INTERRUPTED;
}

/* The backend had it paused, and somebody else may have resumed it. */
static void
stay_paused (AsbGuestConnection *self, Verdict *verdict)
{
  if (!verdict->error && verdict->state == ASB_SANDBOX_STATE_RUNNING)
    tell_pause (self, FALSE);
  look_later (self);
}

static void
judged_in_thread (gpointer data)
{
  g_autoptr (Verdict) verdict = data;
  AsbGuestConnection *self = verdict->connection;

  self->is_inquiring = FALSE;
  if (is_outdated (self, verdict))
    asb_guest_doubt_begin (self);
  else if (is_over (verdict))
    end (self, verdict);
  else if (!verdict->error && verdict->state == ASB_SANDBOX_STATE_PAUSED)
    freeze (self);
  else if (!verdict->error && self->is_frozen)
    asb_guest_doubt_thaw (self);
  else if (self->paused && !self->is_frozen)
    stay_paused (self, verdict);
  else if (self->is_frozen || is_waiting (self))
    look_later (self);
}

static void
judged (gpointer data, AsbSandboxState state, GError *error)
{
  Verdict *verdict = data;

  verdict->state = state;
  verdict->error = error;
  asb_io_thread_post (judged_in_thread, verdict);
}

void
asb_guest_doubt_go_on (AsbGuestConnection *self, gint64 now)
{
  Verdict *verdict;

  if (self->doubt_at == 0 || now < self->doubt_at)
    return;
  self->doubt_at = 0;
  self->is_inquiring = TRUE;
  verdict = g_new0 (Verdict, 1);
  verdict->connection = asb_guest_connection_ref (self);
  verdict->asked_at = now;
  verdict->n_resumed = self->n_resumed;
  self->reopening.inquire (self->reopening.data, judged, verdict);
}
