/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a connection that was lost comes back (docs/guest-protocol.md §2.1): another stream is asked
 * for, again and again, and on it the guest for the session. */

#include "config.h"

#include "asb-guest-connection-internal.h"

#include "asb-error-private.h"
#include "asb-io-thread-private.h"
#include "asb-wire-variant-private.h"

#define MAX_DELAY (5 * G_TIME_SPAN_SECOND)
#define MAX_DOUBLINGS 16

/* A stream that was asked for. */
typedef struct
{
  AsbGuestConnection *connection;
  GCancellable *asking;
  GIOStream *stream;
  GError *error;
} Attempt;

static void
attempt_free (Attempt *attempt)
{
  asb_guest_connection_unref (attempt->connection);
  g_clear_object (&attempt->asking);
  g_clear_object (&attempt->stream);
  g_clear_error (&attempt->error);
  g_free (attempt);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Attempt, attempt_free)

gboolean
asb_guest_resume_is_possible (AsbGuestConnection *self)
{
  return self->state == ASB_GUEST_STATE_OPEN && self->reopening.open && self->reopening.limit > 0;
}

static gint64
linger_ms (AsbGuestConnection *self)
{
  return self->reopening.limit / G_TIME_SPAN_MILLISECOND;
}

/* Waiting. */

gint64
asb_guest_resume_earlier (gint64 a, gint64 b)
{
  if (a == 0 || b == 0)
    return MAX (a, b);
  return MIN (a, b);
}

gint64
asb_guest_resume_get_time (AsbGuestConnection *self)
{
  if (self->paused)
    return 0;
  return asb_guest_resume_earlier (
      self->resume_until, asb_guest_resume_earlier (self->attempt_at, self->attempt_until));
}

/* Each attempt waits twice as long as the one before, and those of many clients spread. */
static gint64
next_delay (AsbGuestConnection *self)
{
  guint doublings = MIN (self->n_attempts - 1, MAX_DOUBLINGS);
  gint64 delay = MIN (self->timeouts.retry << doublings, MAX_DELAY);

  return (gint64)((double)delay * g_random_double_range (0.5, 1));
}

static void
stop_attempt (AsbGuestConnection *self)
{
  self->attempt_at = 0;
  self->attempt_until = 0;
  if (self->asking)
    g_cancellable_cancel (self->asking);
  g_clear_object (&self->asking);
}

void
asb_guest_resume_stop (AsbGuestConnection *self)
{
  stop_attempt (self);
  self->resume_until = 0;
}

static void
drop_link (AsbGuestConnection *self)
{
  if (self->link)
    asb_guest_link_abandon (g_steal_pointer (&self->link));
  asb_guest_outbox_interrupt (&self->outbox);
  self->n_pongs = 0;
}

static void
give_up (AsbGuestConnection *self, const char *reason)
{
  asb_guest_connection_end (self,
                            g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED, "%s, and %s",
                                         self->interruption->message, reason),
                            "closed");
}

/* What says that there is nothing to come back to. */
static gboolean
is_final (const GError *error)
{
  static const int codes[] = {
    ASB_ERROR_SANDBOX_NOT_FOUND, ASB_ERROR_SANDBOX_DELETED,        ASB_ERROR_SANDBOX_EXPIRED,
    ASB_ERROR_SANDBOX_DELETING,  ASB_ERROR_UNSUPPORTED_CAPABILITY, ASB_ERROR_GUEST_UNAVAILABLE,
    ASB_ERROR_COMMAND_NOT_FOUND, ASB_ERROR_INVALID_ARGUMENT,       ASB_ERROR_CLOSED,
    ASB_ERROR_PERMISSION_DENIED,
  };

  if (asb_error_was (error, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED))
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
    if (g_error_matches (error, ASB_ERROR, codes[i]))
      return TRUE;
  return FALSE;
}

void
asb_guest_resume_failed (AsbGuestConnection *self, const GError *error)
{
  g_autofree char *reason = NULL;

  stop_attempt (self);
  drop_link (self);
  g_clear_error (&self->failure);
  self->failure = error ? g_error_copy (error)
                        : g_error_new_literal (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                                               "The stream ended before the guest said hello");
  if (is_final (self->failure))
    {
      /* Whoever wanted something of it should hear that, not that a door is shut. */
      if (asb_error_is_sandbox_gone (self->failure))
        self->closed_code = self->failure->code;
      reason = g_strdup_printf ("cannot come back: %s", self->failure->message);
      give_up (self, reason);
      return;
    }
  self->attempt_at = g_get_monotonic_time () + next_delay (self);
  /* Paused, or ended. */
  if (g_error_matches (self->failure, ASB_ERROR, ASB_ERROR_SANDBOX_STATE))
    asb_guest_doubt_look_now (self);
  asb_guest_connection_update_timer (self);
}

/* An attempt. */

static void
close_unwanted (GIOStream *stream)
{
  g_io_stream_close_async (stream, G_PRIORITY_DEFAULT, NULL, NULL, NULL);
}

static void
attempt_answered_in_thread (gpointer data)
{
  g_autoptr (Attempt) attempt = data;
  AsbGuestConnection *self = attempt->connection;

  if (self->asking != attempt->asking)
    {
      if (attempt->stream)
        close_unwanted (attempt->stream);
      return;
    }
  g_clear_object (&self->asking);
  if (!attempt->stream)
    {
      asb_guest_resume_failed (self, attempt->error);
      return;
    }
  self->attempt_until = g_get_monotonic_time () + self->timeouts.hello;
  asb_guest_connection_use (
      self, attempt->stream,
      asb_guest_hello_resume (&self->hello, self->token, linger_ms (self), self->received));
  asb_guest_connection_update_timer (self);
}

static void
attempt_answered (gpointer data, GIOStream *stream, GError *error)
{
  Attempt *attempt = data;

  attempt->stream = stream;
  attempt->error = error;
  asb_io_thread_post (attempt_answered_in_thread, attempt);
}

static void
begin_attempt (AsbGuestConnection *self, gint64 now)
{
  Attempt *attempt = g_new0 (Attempt, 1);

  self->n_attempts++;
  self->attempt_at = 0;
  self->attempt_until = now + self->timeouts.hello;
  self->asking = g_cancellable_new ();
  attempt->connection = asb_guest_connection_ref (self);
  attempt->asking = g_object_ref (self->asking);
  self->reopening.open (self->reopening.data, self->asking, attempt_answered, attempt);
}

static void
run_out_of_time (AsbGuestConnection *self)
{
  g_autofree char *reason = g_strdup_printf (
      "did not come back within %g seconds%s%s", (double)self->reopening.limit / G_TIME_SPAN_SECOND,
      self->failure ? ": " : "", self->failure ? self->failure->message : "");

  give_up (self, reason);
}

void
asb_guest_resume_go_on (AsbGuestConnection *self, gint64 now)
{
  g_autoptr (GError) error = NULL;

  if (self->paused)
    return;
  if (now >= self->resume_until)
    run_out_of_time (self);
  else if (self->attempt_until > 0 && now >= self->attempt_until)
    {
      g_set_error (&error, ASB_ERROR, ASB_ERROR_TIMED_OUT,
                   "The guest did not say hello within %d seconds",
                   (int)(self->timeouts.hello / G_TIME_SPAN_SECOND));
      asb_guest_resume_failed (self, error);
    }
  else if (self->attempt_at > 0 && now >= self->attempt_at)
    begin_attempt (self, now);
}

static void
start_trying (AsbGuestConnection *self, gint64 now)
{
  self->n_attempts = 0;
  self->attempt_at = now;
  self->resume_until = now + self->reopening.limit;
}

void
asb_guest_resume_begin (AsbGuestConnection *self, GError *loss)
{
  self->state = ASB_GUEST_STATE_INTERRUPTED;
  g_clear_error (&self->interruption);
  g_clear_error (&self->failure);
  self->interruption = loss;
  self->asked_at = 0;
  self->acknowledge_at = 0;
  drop_link (self);
  asb_guest_doubt_stop (self);
  start_trying (self, g_get_monotonic_time ());
  if (self->is_frozen)
    asb_guest_doubt_look_now (self);
  asb_guest_connection_tell (self, ASB_TRANSPORT_STATE_INTERRUPTED, loss);
  asb_guest_connection_update_timer (self);
}

void
asb_guest_resume_pause (AsbGuestConnection *self, gint64 now)
{
  stop_attempt (self);
  drop_link (self);
  if (!self->paused)
    start_trying (self, now);
}

/* The guest is there again. */

static void
resumed (AsbGuestConnection *self)
{
  asb_guest_resume_stop (self);
  g_clear_error (&self->interruption);
  self->state = ASB_GUEST_STATE_OPEN;
  self->acknowledged = self->received;
  self->unacknowledged_bytes = 0;
  self->last_heard = g_get_monotonic_time ();
  asb_guest_send_all_credit (self);
  asb_guest_connection_tell (self, ASB_TRANSPORT_STATE_CONNECTED, NULL);
  asb_guest_connection_update_timer (self);
}

gboolean
asb_guest_resume_handle_hello (AsbGuestConnection *self, const json_t *json, GError **error)
{
  g_autoptr (GError) local = NULL;
  guint64 received;

  if (!asb_guest_hello_parse_resumed (&self->hello, json, &received, &local))
    {
      if (g_error_matches (local, ASB_ERROR, ASB_ERROR_PROTOCOL))
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return FALSE;
        }
      give_up (self, local ? local->message : "the guest does not know of it any more");
      return TRUE;
    }
  if (!asb_guest_outbox_resume (&self->outbox, received))
    {
      asb_guest_connection_end (
          self,
          g_error_new_literal (ASB_ERROR, ASB_ERROR_PROTOCOL,
                               "The guest broke the protocol: it tells of having received what was "
                               "not sent, or less than before"),
          "protocol_error");
      return TRUE;
    }
  resumed (self);
  return TRUE;
}
