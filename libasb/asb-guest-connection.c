/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-connection-internal.h"

#include "asb-error.h"
#include "asb-guest-error-private.h"
#include "asb-io-thread-private.h"
#include "asb-timer-private.h"
#include "asb-wire-variant-private.h"

/* Below that of the streams: what has arrived is looked at before a guest is found silent. */
#define TIMER_PRIORITY (G_PRIORITY_DEFAULT + 10)

const AsbGuestTimeouts asb_guest_default_timeouts = {
  .hello = 30 * G_TIME_SPAN_SECOND,
  .quiet = 30 * G_TIME_SPAN_SECOND,
  .busy = 5 * G_TIME_SPAN_SECOND,
  .answer = 30 * G_TIME_SPAN_SECOND,
  .acknowledge = 20 * G_TIME_SPAN_MILLISECOND,
  .linger = 5 * G_TIME_SPAN_SECOND,
  .retry = 100 * G_TIME_SPAN_MILLISECOND,
};

static void link_received (gpointer owner);
static void link_writable (gpointer owner);
static void link_failed (gpointer owner, const GError *error);
static void link_closed (gpointer owner);
static gpointer link_hold (gpointer owner);
static void link_release (gpointer owner);

static const AsbGuestLinkFuncs link_funcs = {
  .received = link_received,
  .writable = link_writable,
  .failed = link_failed,
  .closed = link_closed,
  .hold = link_hold,
  .release = link_release,
};

static GHashTable *
call_table_new (void)
{
  return g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)asb_guest_call_unref);
}

AsbGuestConnection *
asb_guest_connection_new (GIOStream *stream, const AsbGuestTimeouts *timeouts)
{
  AsbGuestConnection *self = g_new0 (AsbGuestConnection, 1);

  g_atomic_ref_count_init (&self->references);
  self->timeouts = *timeouts;
  self->closed_code = ASB_ERROR_CLOSED;
  self->calls = call_table_new ();
  asb_guest_outbox_init (&self->outbox);
  self->link = asb_guest_link_new (stream, &link_funcs, self);
  return self;
}

AsbGuestConnection *
asb_guest_connection_ref (AsbGuestConnection *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
asb_guest_connection_unref (AsbGuestConnection *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_clear_pointer (&self->timer, g_source_unref);
  g_clear_pointer (&self->calls, g_hash_table_unref);
  asb_guest_outbox_clear (&self->outbox);
  g_clear_pointer (&self->link, asb_guest_link_unref);
  asb_guest_hello_clear (&self->hello);
  g_clear_error (&self->end_error);
  g_clear_error (&self->interruption);
  g_clear_error (&self->failure);
  g_clear_object (&self->asking);
  if (self->news_destroy)
    self->news_destroy (self->news_data);
  if (self->pause_destroy)
    self->pause_destroy (self->pause_data);
  if (self->reopening.free)
    self->reopening.free (self->reopening.data);
  g_free (self->token);
  g_free (self);
}

const AsbGuestHello *
asb_guest_connection_get_hello (AsbGuestConnection *self)
{
  return &self->hello;
}

void
asb_guest_connection_set_news_func (AsbGuestConnection *self, AsbGuestNewsFunc news, gpointer data,
                                    GDestroyNotify destroy)
{
  self->news = news;
  self->news_data = data;
  self->news_destroy = destroy;
}

void
asb_guest_connection_tell (AsbGuestConnection *self, AsbTransportState state, const GError *error)
{
  if (self->news)
    self->news (self->news_data, state, error);
}

void
asb_guest_connection_set_reopening (AsbGuestConnection *self, const AsbGuestReopening *reopening)
{
  self->reopening = *reopening;
}

/* What a connection waits for, and what it does then. */

/* A command can stop the guest itself, which goes on when it is asked something; one that does so
 * over and over lets it come on by a little only each time. */
static gint64
get_time_to_ask (AsbGuestConnection *self)
{
  gint64 busy = g_hash_table_size (self->calls) > 0 ? self->timeouts.busy : G_MAXINT64;

  return MAX (self->last_heard, self->last_asked) + MIN (busy, self->timeouts.quiet);
}

static gint64
next_time (AsbGuestConnection *self)
{
  gint64 at = 0;

  if (self->state == ASB_GUEST_STATE_INTERRUPTED)
    return asb_guest_resume_earlier (asb_guest_resume_get_time (self), self->doubt_at);
  if (self->state != ASB_GUEST_STATE_OPEN)
    return self->give_up_at;
  if (!self->paused)
    at = MIN (get_time_to_ask (self),
              self->asked_at > 0 ? self->asked_at + self->timeouts.answer : G_MAXINT64);
  at = asb_guest_resume_earlier (at, self->doubt_at);
  return asb_guest_resume_earlier (at, self->acknowledge_at);
}

/* A timer that goes off too early is set again; only going off earlier needs setting it. */
void
asb_guest_connection_update_timer (AsbGuestConnection *self)
{
  gint64 at = next_time (self);

  if (at <= 0 || (self->timer_at > 0 && self->timer_at <= at))
    return;
  self->timer_at = at;
  g_source_set_ready_time (self->timer, at);
}

static void
look_after_peer (AsbGuestConnection *self, gint64 now)
{
  if (self->paused)
    return;
  if (self->asked_at > 0 && now >= self->asked_at + self->timeouts.answer)
    {
      g_autoptr (GError) error = NULL;

      g_set_error (&error, ASB_ERROR, ASB_ERROR_TIMED_OUT, "No sign of life for %d seconds",
                   (int)(self->timeouts.answer / G_TIME_SPAN_SECOND));
      asb_guest_connection_lose (self, error);
    }
  else if (now >= get_time_to_ask (self))
    {
      self->last_asked = now;
      self->asked_at = self->asked_at > 0 ? self->asked_at : now;
      asb_guest_send_urgent (self, ASB_FRAME_PING, NULL, 0);
      asb_guest_doubt_begin (self);
    }
}

static void
answer_close_tasks (AsbGuestConnection *self)
{
  GTask *task;

  while ((task = g_queue_pop_head (&self->close_tasks)))
    {
      g_task_return_boolean (task, TRUE);
      g_object_unref (task);
    }
}

/* Of it the connection hears nothing more. */
static void
link_closed (gpointer owner)
{
  AsbGuestConnection *self = owner;

  self->link_closed = TRUE;
  g_source_destroy (self->timer);
  answer_close_tasks (self);
  asb_guest_connection_unref (self);
}

static void
close_link (AsbGuestConnection *self)
{
  self->state = ASB_GUEST_STATE_CLOSED;
  if (self->link)
    asb_guest_link_close (self->link);
  else
    asb_io_thread_post (link_closed, self);
}

static void
give_up (AsbGuestConnection *self)
{
  if (self->state == ASB_GUEST_STATE_OPENING)
    asb_guest_connection_end (self,
                              g_error_new (ASB_ERROR, ASB_ERROR_TIMED_OUT,
                                           "The guest did not say hello within %d seconds",
                                           (int)(self->timeouts.hello / G_TIME_SPAN_SECOND)),
                              NULL);
  else
    {
      close_link (self);
      answer_close_tasks (self);
    }
}

static gboolean
timer_cb (gpointer user_data)
{
  g_autoptr (AsbGuestConnection) self = asb_guest_connection_ref (user_data);
  gint64 now = g_get_monotonic_time ();

  self->timer_at = 0;
  asb_guest_doubt_go_on (self, now);
  if (self->state == ASB_GUEST_STATE_OPEN)
    look_after_peer (self, now);
  else if (self->state == ASB_GUEST_STATE_INTERRUPTED)
    asb_guest_resume_go_on (self, now);
  else if (self->give_up_at > 0 && now >= self->give_up_at)
    {
      self->give_up_at = 0;
      give_up (self);
    }
  asb_guest_connection_flush (self);
  asb_guest_connection_update_timer (self);
  return G_SOURCE_CONTINUE;
}

static void
start_timer (AsbGuestConnection *self)
{
  self->timer = asb_timer_new ("asb guest timer", timer_cb, self, NULL);
  g_source_set_priority (self->timer, TIMER_PRIORITY);
  g_source_attach (self->timer, asb_io_thread_get_context ());
}

/* The link. */

static void
link_received (gpointer owner)
{
  asb_guest_receive (owner);
}

static void
link_writable (gpointer owner)
{
  asb_guest_connection_flush (owner);
}

static void
link_failed (gpointer owner, const GError *error)
{
  asb_guest_connection_lose (owner, error);
}

static gpointer
link_hold (gpointer owner)
{
  return asb_guest_connection_ref (owner);
}

static void
link_release (gpointer owner)
{
  asb_guest_connection_unref (owner);
}

/* The beginning. */

typedef struct
{
  AsbGuestConnection *connection;
  AsbGuestCall *call;
  GTask *task;
  gboolean paused;
  GError *error;
} Request;

static Request *
request_new (AsbGuestConnection *connection)
{
  Request *request = g_new0 (Request, 1);

  request->connection = asb_guest_connection_ref (connection);
  return request;
}

static void
request_free (Request *request)
{
  g_clear_pointer (&request->call, asb_guest_call_unref);
  g_clear_object (&request->task);
  g_clear_error (&request->error);
  asb_guest_connection_unref (request->connection);
  g_free (request);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Request, request_free)

static void
open_in_thread (gpointer data)
{
  g_autoptr (Request) request = data;
  AsbGuestConnection *self = request->connection;

  /* Until the link is closed. */
  asb_guest_connection_ref (self);
  start_timer (self);
  self->state = ASB_GUEST_STATE_OPENING;
  self->give_up_at = g_get_monotonic_time () + self->timeouts.hello;
  asb_guest_connection_update_timer (self);
  asb_guest_link_start (self->link);
  asb_guest_send_json (
      self, ASB_FRAME_HELLO,
      asb_guest_hello_new (self->token, self->reopening.limit / G_TIME_SPAN_MILLISECOND));
  asb_guest_connection_flush (self);
}

void
asb_guest_connection_use (AsbGuestConnection *self, GIOStream *stream, json_t *hello)
{
  self->link = asb_guest_link_new (stream, &link_funcs, self);
  asb_guest_link_start (self->link);
  asb_guest_send_json (self, ASB_FRAME_HELLO, hello);
  asb_guest_connection_flush (self);
}

void
asb_guest_connection_open (AsbGuestConnection *self, const char *token, AsbGuestOpenedFunc opened,
                           gpointer data)
{
  Request *request = request_new (self);

  self->token = g_strdup (token);
  self->opened = opened;
  self->opened_data = data;
  asb_io_thread_post (open_in_thread, request);
}

void
asb_guest_connection_opened (AsbGuestConnection *self)
{
  self->state = ASB_GUEST_STATE_OPEN;
  self->give_up_at = 0;
  self->opened (self, NULL, self->opened_data);
  asb_guest_connection_update_timer (self);
}

/* The end. */

/* Whether a call was done is unknown only if it was sent. */
static void
interrupt_call (AsbGuestConnection *self, AsbGuestCall *call, guint64 last_sent)
{
  const gboolean sent = call->sequence > 0 && call->sequence <= last_sent;
  g_autoptr (GError) error = (sent ? asb_guest_error_new : asb_guest_error_new_unsent) (
      sent ? self->end_error->code : self->closed_code, call->name, call->operation,
      self->end_error->message);

  asb_guest_send_forget (self, call);
  asb_guest_call_detach (call);
  asb_guest_call_interrupt (call, error);
}

static void
interrupt_calls (AsbGuestConnection *self, guint64 last_sent)
{
  g_autoptr (GHashTable) calls = g_steal_pointer (&self->calls);
  GHashTableIter iter;
  gpointer call;

  self->calls = call_table_new ();
  /* They hold calls, which hold us: what was to be told of one that had been sent, too. */
  asb_guest_send_drop_controls (self);
  g_hash_table_iter_init (&iter, calls);
  while (g_hash_table_iter_next (&iter, NULL, &call))
    interrupt_call (self, call, last_sent);
}

static void
say_goodbye (AsbGuestConnection *self, const char *code)
{
  asb_guest_send_json (self, ASB_FRAME_GOODBYE,
                       json_pack ("{s:s, s:s}", "code", code, "message", self->end_error->message));
  asb_guest_connection_flush (self);
}

static void
tell_end (AsbGuestConnection *self, AsbGuestState before)
{
  if (before == ASB_GUEST_STATE_OPENING)
    self->opened (self, self->end_error, self->opened_data);
  else
    asb_guest_connection_tell (self, ASB_TRANSPORT_STATE_CLOSED, self->end_error);
}

void
asb_guest_connection_end (AsbGuestConnection *self, GError *error, const char *goodbye)
{
  AsbGuestState before = self->state;
  guint64 last_sent = self->outbox.last_written;

  if (before != ASB_GUEST_STATE_OPENING && before != ASB_GUEST_STATE_OPEN
      && before != ASB_GUEST_STATE_INTERRUPTED)
    {
      g_error_free (error);
      return;
    }
  asb_guest_resume_stop (self);
  asb_guest_doubt_stop (self);
  self->state = ASB_GUEST_STATE_CLOSING;
  self->end_error = error;
  self->acknowledge_at = 0;
  self->give_up_at = g_get_monotonic_time () + self->timeouts.linger;
  asb_guest_connection_update_timer (self);
  if (self->link)
    asb_guest_link_stop_reading (self->link);
  if (goodbye && self->link)
    last_sent = asb_guest_outbox_drop_unwritten (&self->outbox);
  tell_end (self, before);
  interrupt_calls (self, last_sent);
  if (goodbye && self->link)
    say_goodbye (self, goodbye);
  else
    close_link (self);
}

void
asb_guest_connection_written (AsbGuestConnection *self)
{
  if (self->state == ASB_GUEST_STATE_CLOSING && asb_guest_link_is_idle (self->link))
    close_link (self);
}

void
asb_guest_connection_refuse (AsbGuestConnection *self, const char *reason)
{
  g_autoptr (GError) error
      = g_error_new (ASB_ERROR, ASB_ERROR_PROTOCOL, "The guest broke the protocol: %s", reason);

  /* Whoever that is: the guest we know may answer another time. */
  if (self->state == ASB_GUEST_STATE_INTERRUPTED)
    {
      asb_guest_resume_failed (self, error);
      return;
    }
  asb_guest_connection_end (self, g_steal_pointer (&error), "protocol_error");
}

void
asb_guest_connection_lose (AsbGuestConnection *self, const GError *error)
{
  const char *cause = error ? error->message : "The stream ended";
  GError *loss;

  if (self->state == ASB_GUEST_STATE_CLOSING)
    {
      close_link (self);
      return;
    }
  if (self->state == ASB_GUEST_STATE_INTERRUPTED)
    {
      asb_guest_resume_failed (self, error);
      return;
    }
  loss = self->state == ASB_GUEST_STATE_OPENING
             ? g_error_new (ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE,
                            "The guest did not say hello: %s", cause)
             : g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                            "The connection to the guest was lost: %s", cause);
  if (asb_guest_resume_is_possible (self))
    asb_guest_resume_begin (self, loss);
  else
    asb_guest_connection_end (self, loss, NULL);
}

static void
close_in_thread (gpointer data)
{
  g_autoptr (Request) request = data;
  AsbGuestConnection *self = request->connection;

  if (request->task && self->link_closed)
    g_task_return_boolean (request->task, TRUE);
  else if (request->task)
    g_queue_push_tail (&self->close_tasks, g_steal_pointer (&request->task));
  asb_guest_connection_end (
      self, g_error_new_literal (ASB_ERROR, ASB_ERROR_CLOSED, "The transport is closed"), "closed");
}

void
asb_guest_connection_close (AsbGuestConnection *self, GTask *task)
{
  Request *request = request_new (self);

  request->task = task ? g_object_ref (task) : NULL;
  asb_io_thread_post (close_in_thread, request);
}

static void
give_up_in_thread (gpointer data)
{
  g_autoptr (Request) request = data;

  if (request->connection->state == ASB_GUEST_STATE_OPENING)
    asb_guest_connection_end (request->connection, g_steal_pointer (&request->error), NULL);
}

void
asb_guest_connection_give_up (AsbGuestConnection *self, GError *error)
{
  Request *request = request_new (self);

  request->error = error;
  asb_io_thread_post (give_up_in_thread, request);
}

/* A pause. */

typedef struct
{
  AsbGuestConnection *connection;
  AsbGuestPauseFunc news;
  gpointer data;
  GDestroyNotify destroy;
} PauseListener;

static void
set_pause_func_in_thread (gpointer data)
{
  g_autofree PauseListener *listener = data;
  g_autoptr (AsbGuestConnection) self = listener->connection;

  self->pause_news = listener->news;
  self->pause_data = listener->data;
  self->pause_destroy = listener->destroy;
}

void
asb_guest_connection_set_pause_func (AsbGuestConnection *self, AsbGuestPauseFunc news,
                                     gpointer data, GDestroyNotify destroy)
{
  PauseListener *listener = g_new0 (PauseListener, 1);

  listener->connection = asb_guest_connection_ref (self);
  listener->news = news;
  listener->data = data;
  listener->destroy = destroy;
  asb_io_thread_post (set_pause_func_in_thread, listener);
}

void
asb_guest_connection_set_pause (AsbGuestConnection *self, gboolean paused)
{
  gint64 now = g_get_monotonic_time ();

  if (self->paused == paused)
    return;
  self->paused = paused;
  self->asked_at = 0;
  /* After a pause it is asked at once: the connection may be lost. */
  self->last_heard = self->paused ? now : now - self->timeouts.quiet;
  self->last_asked = self->last_heard;
  if (self->state == ASB_GUEST_STATE_INTERRUPTED)
    asb_guest_resume_pause (self, now);
  if (self->timer)
    asb_guest_connection_update_timer (self);
}

static void
set_paused_in_thread (gpointer data)
{
  g_autoptr (Request) request = data;
  AsbGuestConnection *self = request->connection;

  if (request->paused)
    asb_guest_connection_set_pause (self, TRUE);
  else
    asb_guest_doubt_thaw (self);
}

void
asb_guest_connection_set_paused (AsbGuestConnection *self, gboolean paused)
{
  Request *request = request_new (self);

  request->paused = paused;
  asb_io_thread_post (set_paused_in_thread, request);
}

/* Calls. */

/* How many may wait for a connection to come back, with those that were sent. */
#define MAX_INTERRUPTED_CALLS 1024

/* Why a call cannot be sent; NULL if it can. */
static GError *
find_hindrance (AsbGuestConnection *self, AsbGuestCall *call)
{
  GError *error = NULL;

  if (self->state != ASB_GUEST_STATE_OPEN && self->state != ASB_GUEST_STATE_INTERRUPTED)
    return asb_guest_error_new_unsent (self->closed_code, call->name, call->operation,
                                       self->end_error->message);
  if (self->state == ASB_GUEST_STATE_INTERRUPTED
      && g_hash_table_size (self->calls) >= MAX_INTERRUPTED_CALLS)
    return asb_guest_error_new (ASB_ERROR_TOO_MANY_REQUESTS, call->name, call->operation,
                                "Too many calls wait for the connection to the guest");
  if (self->last_number == G_MAXUINT32)
    return asb_guest_error_new (ASB_ERROR_CLOSED, call->name, call->operation,
                                "The connection has no numbers left for calls");
  g_cancellable_set_error_if_cancelled (call->cancellable, &error);
  return error;
}

static void
submit_in_thread (gpointer data)
{
  g_autoptr (Request) request = data;
  AsbGuestConnection *self = request->connection;
  AsbGuestCall *call = request->call;
  g_autoptr (GError) hindrance = find_hindrance (self, call);

  if (hindrance)
    {
      asb_guest_call_detach (call);
      asb_guest_call_interrupt (call, hindrance);
      return;
    }
  asb_guest_call_attach (call, self, ++self->last_number);
  g_hash_table_insert (self->calls, GUINT_TO_POINTER (call->number), asb_guest_call_ref (call));
  asb_guest_send_control (self, ASB_FRAME_CALL, call, 0);
  asb_guest_doubt_meet_call (self);
  asb_guest_connection_flush (self);
  /* From now on silence means more. */
  asb_guest_connection_update_timer (self);
}

void
asb_guest_connection_submit (AsbGuestConnection *self, AsbGuestCall *call)
{
  Request *request = request_new (self);

  request->call = asb_guest_call_ref (call);
  asb_io_thread_post (submit_in_thread, request);
}

void
asb_guest_connection_forget (AsbGuestConnection *self, AsbGuestCall *call)
{
  asb_guest_send_forget (self, call);
  asb_guest_call_detach (call);
  g_hash_table_remove (self->calls, GUINT_TO_POINTER (call->number));
}

/* It was not sent, or has been done: there is nothing left to ask of the guest. */
static void
cancel_here (AsbGuestConnection *self, AsbGuestCall *call)
{
  g_autoptr (GError) error = NULL;

  g_set_error_literal (&error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled");
  if (call->sequence > 0)
    asb_guest_call_refuse_output (call);
  asb_guest_call_interrupt (call, error);
  asb_guest_connection_forget (self, call);
}

/* What the guest makes of it will come when it comes; who has cancelled does not wait for that. */
static void
answer_cancelled (AsbGuestCall *call)
{
  g_autoptr (GError) error = NULL;

  if (!call->cancelled_source)
    return;
  g_set_error_literal (&error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled");
  asb_guest_call_fail (call, error);
  asb_guest_call_refuse_output (call);
}

void
asb_guest_connection_cancel_call (AsbGuestConnection *self, AsbGuestCall *call)
{
  g_autoptr (GError) broken = NULL;

  if (call->cancelled || call->connection != self || (call->replied && call->answered))
    return;
  call->cancelled = TRUE;
  if (call->sequence == 0 || call->replied)
    {
      cancel_here (self, call);
      return;
    }
  broken = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE, "The operation was cancelled");
  asb_guest_channel_break (&call->channels[ASB_CHANNEL_INPUT], broken);
  asb_guest_send_control (self, ASB_FRAME_CANCEL, call, 0);
  if (self->state == ASB_GUEST_STATE_INTERRUPTED)
    answer_cancelled (call);
}

void
asb_guest_connection_refuse_call (AsbGuestConnection *self, AsbGuestCall *call, const GError *error)
{
  if (call->sequence == 0)
    {
      asb_guest_call_interrupt (call, error);
      asb_guest_connection_forget (self, call);
      return;
    }
  asb_guest_connection_cancel_call (self, call);
  asb_guest_call_fail (call, error);
  asb_guest_call_refuse_output (call);
}

static void
cancel_in_thread (gpointer data)
{
  g_autoptr (Request) request = data;

  asb_guest_connection_cancel_call (request->connection, request->call);
  asb_guest_connection_flush (request->connection);
}

void
asb_guest_connection_cancel (AsbGuestConnection *self, AsbGuestCall *call)
{
  Request *request = request_new (self);

  request->call = asb_guest_call_ref (call);
  asb_io_thread_post (cancel_in_thread, request);
}

void
asb_guest_connection_stop_channel (AsbGuestConnection *self, AsbGuestChannel *channel)
{
  if (channel->stopped || channel->finished)
    return;
  channel->stopped = TRUE;
  asb_guest_send_control (self, ASB_FRAME_STOP, channel->call, channel->number);
}

void
asb_guest_connection_channel_changed (AsbGuestConnection *self, AsbGuestChannel *channel)
{
  AsbPipeStatus status;

  asb_pipe_watch (channel->pipe, G_MAXUINT64, &status);
  if (channel->number != ASB_CHANNEL_INPUT)
    {
      if (status.stopped)
        asb_guest_connection_stop_channel (self, channel);
      else
        asb_guest_send_credit (self, channel);
    }
  else if (status.aborted)
    asb_guest_connection_cancel_call (self, channel->call);
  else if (channel->call->sequence > 0)
    asb_guest_send_data (self, channel);
  if (channel->call->connection && asb_guest_call_is_over (channel->call))
    asb_guest_connection_forget (self, channel->call);
  asb_guest_connection_flush (self);
}
