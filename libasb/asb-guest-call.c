/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-call-private.h"

#include <string.h>

#include "asb-cancel-source-private.h"
#include "asb-guest-channel-private.h"
#include "asb-guest-connection-private.h"
#include "asb-guest-error-private.h"
#include "asb-guest-json-private.h"
#include "asb-guest-record-private.h"
#include "asb-io-thread-private.h"
#include "asb-timer-private.h"
#include "asb-wire-json.h"
#include "asb-wire-variant-private.h"

#define RECORD_ERROR_KEY "asb-record-error"

static gboolean
encode (AsbGuestCall *self, json_t *arguments, GError **error)
{
  g_autoptr (json_t) request = json_pack ("{s:s, s:o}", "call", self->name, "args", arguments);

  if (self->operation)
    {
      json_t *record = asb_guest_record_new (self->operation, error);

      if (!record)
        return FALSE;
      json_object_set_new (request, "record", record);
    }
  self->request = asb_wire_json_dump (request);
  self->request_size = self->request ? strlen (self->request) : 0;
  if (self->request && self->request_size <= ASB_FRAME_MAX_CONTROL)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_TOO_LARGE,
               "Could not call “%s”: the request is larger than 1 MiB", self->name);
  return FALSE;
}

AsbGuestCall *
asb_guest_call_new (const char *name, json_t *arguments, AsbOperation *operation,
                    const AsbGuestCallKind *kind, gpointer data, GError **error)
{
  g_autoptr (AsbGuestCall) self = g_new0 (AsbGuestCall, 1);

  g_atomic_ref_count_init (&self->references);
  self->kind = kind;
  self->data = data;
  self->name = g_strdup (name);
  self->operation = operation ? g_object_ref (operation) : NULL;
  for (guint16 i = 0; i < ASB_N_CHANNELS; i++)
    asb_guest_channel_init (&self->channels[i], self, i);
  return encode (self, arguments, error) ? g_steal_pointer (&self) : NULL;
}

AsbGuestCall *
asb_guest_call_ref (AsbGuestCall *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
asb_guest_call_unref (AsbGuestCall *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  for (guint i = 0; i < ASB_N_CHANNELS; i++)
    asb_guest_channel_clear (&self->channels[i]);
  if (self->kind->free)
    self->kind->free (self->data);
  g_clear_object (&self->operation);
  g_clear_object (&self->subject);
  g_clear_object (&self->cancellable);
  g_clear_error (&self->reply_error);
  json_decref (self->result);
  free (self->request);
  g_free (self->record_error);
  g_free (self->name);
  g_free (self);
}

void
asb_guest_call_set_subject (AsbGuestCall *self, gpointer object)
{
  g_set_object (&self->subject, object);
}

void
asb_guest_call_set_cancellable (AsbGuestCall *self, GCancellable *cancellable)
{
  g_set_object (&self->cancellable, cancellable);
}

void
asb_guest_call_set_channel (AsbGuestCall *self, guint number, AsbGuestChannelMode mode)
{
  self->channels[number].mode = mode;
}

static void
channel_changed (gpointer data)
{
  AsbGuestChannel *channel = data;
  g_autoptr (AsbGuestCall) self = channel->call;

  if (self->connection)
    asb_guest_connection_channel_changed (self->connection, channel);
}

/* In the thread of the stream, under the lock of the pipe. */
static void
pipe_changed (gpointer data)
{
  AsbGuestChannel *channel = data;

  asb_guest_call_ref (channel->call);
  asb_io_thread_post (channel_changed, channel);
}

AsbPipe *
asb_guest_call_add_pipe (AsbGuestCall *self, guint number)
{
  AsbGuestChannel *channel = &self->channels[number];
  AsbPipeStatus status;

  channel->mode = ASB_GUEST_CHANNEL_PIPE;
  channel->pipe = asb_pipe_new (ASB_FRAME_WINDOW);
  asb_pipe_set_notify (channel->pipe, pipe_changed, channel);
  if (number != ASB_CHANNEL_INPUT)
    asb_pipe_watch (channel->pipe, ASB_FRAME_CREDIT_STEP, &status);
  return channel->pipe;
}

void
asb_guest_call_set_input (AsbGuestCall *self, GBytes *bytes)
{
  AsbGuestChannel *channel = &self->channels[ASB_CHANNEL_INPUT];

  channel->mode = ASB_GUEST_CHANNEL_BYTES;
  channel->bytes = g_bytes_ref (bytes);
}

void
asb_guest_call_refuse_output (AsbGuestCall *self)
{
  for (guint i = ASB_CHANNEL_OUTPUT; i < ASB_N_CHANNELS; i++)
    if (self->channels[i].mode != ASB_GUEST_CHANNEL_NONE)
      {
        self->channels[i].mode = ASB_GUEST_CHANNEL_UNWANTED;
        asb_guest_connection_stop_channel (self->connection, &self->channels[i]);
      }
}

static gboolean
cancelled_cb (gpointer user_data)
{
  g_autoptr (AsbGuestCall) self = asb_guest_call_ref (user_data);
  g_autoptr (AsbGuestConnection) connection = asb_guest_connection_ref (self->connection);

  asb_guest_connection_cancel_call (connection, self);
  asb_guest_connection_flush (connection);
  return G_SOURCE_REMOVE;
}

void
asb_guest_call_attach (AsbGuestCall *self, AsbGuestConnection *connection, guint32 number)
{
  self->connection = connection;
  self->number = number;
  if (!self->cancellable)
    return;
  self->cancelled_source = asb_cancel_source_new (self->cancellable);
  g_source_set_callback (self->cancelled_source, cancelled_cb, self, NULL);
  g_source_attach (self->cancelled_source, asb_io_thread_get_context ());
}

void
asb_guest_call_forget_cancellable (AsbGuestCall *self)
{
  asb_source_clear (&self->cancelled_source);
}

void
asb_guest_call_detach (AsbGuestCall *self)
{
  asb_guest_call_forget_cancellable (self);
  for (guint i = 0; i < ASB_N_CHANNELS; i++)
    if (self->channels[i].pipe)
      asb_pipe_set_notify (self->channels[i].pipe, NULL, NULL);
  self->connection = NULL;
}

static gboolean
refuse (GError **error, const char *message)
{
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL, message);
  return FALSE;
}

/* What comes on channels has begun, or will. */
static void
begin (AsbGuestCall *self)
{
  if (!self->begun && !self->answered && self->kind->begun)
    self->kind->begun (self, self->data);
  self->begun = TRUE;
}

gboolean
asb_guest_call_handle_event (AsbGuestCall *self, const json_t *event, GError **error)
{
  const char *name;

  if (self->replied)
    return refuse (error, "an event came after the reply of its call");
  if (!asb_guest_json_get_string (event, "event", G_MAXSIZE, &name, error))
    return FALSE;
  if (!self->kind->opening && (g_str_equal (name, "opened") || g_str_equal (name, "watching")))
    begin (self);
  if (!self->kind->opening || !g_str_equal (name, self->kind->opening))
    return TRUE;
  if (self->opened)
    return refuse (error, "a call was opened twice");
  self->opened = TRUE;
  return self->answered || self->kind->opened (self, self->data, event, error);
}

/* Only what cannot be understood concerns the connection. */
static gboolean
fail_alone (AsbGuestCall *self, GError *failure, GError **error)
{
  g_autoptr (GError) owned = failure;

  if (g_error_matches (failure, ASB_ERROR, ASB_ERROR_PROTOCOL))
    {
      g_propagate_error (error, g_steal_pointer (&owned));
      return FALSE;
    }
  asb_guest_call_fail (self, failure);
  asb_guest_call_refuse_output (self);
  asb_guest_connection_cancel_call (self->connection, self);
  return TRUE;
}

static gboolean
deliver (AsbGuestCall *self, AsbGuestChannel *channel, const guint8 *bytes, gsize size,
         GError **error)
{
  GError *failure = NULL;

  switch (channel->mode)
    {
    case ASB_GUEST_CHANNEL_PIPE:
      asb_pipe_push (channel->pipe, bytes, size);
      return TRUE;
    case ASB_GUEST_CHANNEL_SINK:
      return self->kind->received (self, self->data, bytes, size, &failure)
             || fail_alone (self, failure, error);
    default:
      asb_guest_connection_stop_channel (self->connection, channel);
      return TRUE;
    }
}

static gboolean
deliver_result (AsbGuestCall *self, const json_t *result, GError **error)
{
  if (!self->answered && !self->kind->result (self, self->data, result, error))
    return FALSE;
  self->answered = TRUE;
  asb_guest_call_forget_cancellable (self);
  return TRUE;
}

/* Whether bytes the call gathers are still to come: the REPLY does not wait for them. */
static gboolean
is_gathering (AsbGuestCall *self)
{
  for (guint i = ASB_CHANNEL_OUTPUT; i < ASB_N_CHANNELS; i++)
    if (self->channels[i].mode == ASB_GUEST_CHANNEL_SINK && !self->channels[i].finished)
      return TRUE;
  return FALSE;
}

static void
end_channel (AsbGuestCall *self, AsbGuestChannel *channel)
{
  if (channel->pipe && channel->finished && (self->replied || !self->end_with_reply))
    asb_pipe_finish (channel->pipe);
}

gboolean
asb_guest_call_handle_data (AsbGuestCall *self, guint16 number, const guint8 *bytes, gsize size,
                            gboolean finished, GError **error)
{
  AsbGuestChannel *channel = &self->channels[number];

  if (!asb_guest_channel_check_data (channel, size, error))
    return FALSE;
  if (size > 0 && self->kind->opening && !self->opened)
    return refuse (error, "data came before its call was opened");
  if (size > 0)
    begin (self);

  channel->total += size;
  if (size > 0 && !channel->stopped && !deliver (self, channel, bytes, size, error))
    return FALSE;
  channel->finished = finished;
  end_channel (self, channel);
  return !self->result || is_gathering (self) || deliver_result (self, self->result, error);
}

gboolean
asb_guest_call_handle_stop (AsbGuestCall *self, guint16 number, GError **error)
{
  g_autoptr (GError) broken = NULL;

  if (number != ASB_CHANNEL_INPUT || self->channels[number].mode == ASB_GUEST_CHANNEL_NONE)
    return refuse (error, "a channel was stopped that nothing is sent on");
  broken = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE, "The reader has gone away");
  asb_guest_channel_break (&self->channels[number], broken);
  return TRUE;
}

gboolean
asb_guest_call_handle_credit (AsbGuestCall *self, guint16 number, guint64 credit, GError **error)
{
  AsbGuestChannel *channel = &self->channels[number];
  guint64 sent = number == ASB_CHANNEL_INPUT ? channel->total : 0;

  if (credit > sent)
    return refuse (error, "more was credited than was sent");
  if (number == ASB_CHANNEL_INPUT)
    channel->credit = MAX (channel->credit, credit);
  return TRUE;
}

void
asb_guest_call_fail (AsbGuestCall *self, const GError *error)
{
  if (self->answered)
    return;
  self->answered = TRUE;
  asb_guest_call_forget_cancellable (self);
  self->kind->failed (self, self->data, error);
}

static gboolean
handle_record (AsbGuestCall *self, const json_t *reply, GError **error)
{
  char *message;

  if (!self->operation)
    return TRUE;
  if (!asb_guest_record_parse (reply, &message, error))
    return FALSE;
  if (self->subject)
    g_object_set_data_full (self->subject, RECORD_ERROR_KEY, g_strdup (message), g_free);
  self->record_error = message;
  return TRUE;
}

/* Before anybody hears of the end: whoever writes fails from then on. */
static void
break_input (AsbGuestCall *self)
{
  g_autoptr (GError) broken = NULL;

  broken = self->reply_error ? g_error_copy (self->reply_error)
                             : g_error_new_literal (G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE,
                                                    "The reader has gone away");
  asb_guest_channel_break (&self->channels[ASB_CHANNEL_INPUT], broken);
}

static gboolean
handle_error (AsbGuestCall *self, const json_t *json, GError **error)
{
  g_autoptr (GError) failure = asb_guest_error_from_json (json, self->name, self->operation, error);

  if (!failure)
    return FALSE;
  self->reply_error = g_steal_pointer (&failure);
  break_input (self);
  asb_guest_call_fail (self, self->reply_error);
  return TRUE;
}

static gboolean
handle_result (AsbGuestCall *self, const json_t *result, GError **error)
{
  if (self->kind->opening && !self->opened)
    return refuse (error, "a result came before its call was opened");
  break_input (self);
  if (!is_gathering (self))
    return deliver_result (self, result, error);
  self->result = json_incref ((json_t *)result);
  return TRUE;
}

static gboolean
handle_outcome (AsbGuestCall *self, const json_t *reply, GError **error)
{
  const json_t *outcome;

  if (json_object_get (reply, "error"))
    return !json_object_get (reply, "result")
               ? asb_guest_json_get_object (reply, "error", &outcome, error)
                     && handle_error (self, outcome, error)
               : refuse (error, "a reply holds a result and an error");
  return asb_guest_json_get_object (reply, "result", &outcome, error)
         && handle_result (self, outcome, error);
}

/* Whoever reads gets what is on its way. */
static void
end_pipes (AsbGuestCall *self)
{
  AsbPipe *input = self->channels[ASB_CHANNEL_INPUT].pipe;

  if (input && self->reply_error)
    asb_pipe_settle_error (input, self->reply_error);
  else if (input)
    asb_pipe_settle (input);
  for (guint i = ASB_CHANNEL_OUTPUT; i < ASB_N_CHANNELS; i++)
    if (self->reply_error && self->channels[i].pipe)
      asb_pipe_finish_error (self->channels[i].pipe, self->reply_error);
    else
      end_channel (self, &self->channels[i]);
}

gboolean
asb_guest_call_handle_reply (AsbGuestCall *self, const json_t *reply, GError **error)
{
  if (self->replied)
    return refuse (error, "a second reply of a call came");
  if (!handle_record (self, reply, error) || !handle_outcome (self, reply, error))
    return FALSE;
  self->replied = TRUE;
  end_pipes (self);
  return TRUE;
}

void
asb_guest_call_interrupt (AsbGuestCall *self, const GError *error)
{
  for (guint i = 0; i < ASB_N_CHANNELS; i++)
    {
      AsbPipe *pipe = self->channels[i].pipe;

      if (!pipe)
        continue;
      if (i == ASB_CHANNEL_INPUT)
        {
          asb_pipe_stop (pipe, error);
          asb_pipe_settle_error (pipe, error);
        }
      else
        asb_pipe_finish_error (pipe, error);
    }
  asb_guest_call_fail (self, error);
}

gboolean
asb_guest_call_is_over (AsbGuestCall *self)
{
  if (!self->replied)
    return FALSE;
  for (guint i = ASB_CHANNEL_OUTPUT; i < ASB_N_CHANNELS; i++)
    {
      AsbGuestChannel *channel = &self->channels[i];

      if (asb_guest_channel_is_fed_by_guest (channel) && !channel->finished && !channel->stopped
          && channel->mode != ASB_GUEST_CHANNEL_UNWANTED)
        return FALSE;
    }
  return TRUE;
}
