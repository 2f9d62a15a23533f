/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-connection-internal.h"

#include "asb-error.h"
#include "asb-guest-error-private.h"
#include "asb-wire-json.h"
#include "asb-wire-variant-private.h"

/* How many PINGs may come while the answers cannot be written. */
#define MAX_PONGS 64

static gboolean
refuse (GError **error, const char *reason)
{
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL, reason);
  return FALSE;
}

static json_t *
parse_json (const AsbFrameHeader *header, const guint8 *payload, GError **error)
{
  const char *reason = NULL;
  json_t *json = asb_wire_json_parse (payload, header->length, &reason);

  if (!json)
    refuse (error, reason);
  return json;
}

static gboolean
handle_hello (AsbGuestConnection *self, const AsbFrameHeader *header, const guint8 *payload,
              GError **error)
{
  g_autoptr (json_t) json = NULL;

  if (self->state == ASB_GUEST_STATE_OPEN)
    return refuse (error, "a second HELLO came");
  json = parse_json (header, payload, error);
  if (json && self->state == ASB_GUEST_STATE_INTERRUPTED)
    return asb_guest_resume_handle_hello (self, json, error);
  if (!json || !asb_guest_hello_parse (&self->hello, json, error))
    return FALSE;
  asb_guest_connection_opened (self);
  return TRUE;
}

static gboolean
handle_goodbye (AsbGuestConnection *self, const AsbFrameHeader *header, const guint8 *payload,
                GError **error)
{
  g_autoptr (json_t) json = parse_json (header, payload, error);
  g_autoptr (GError) farewell = NULL;
  g_autofree char *message = NULL;
  int code;

  if (!json)
    return FALSE;
  message = asb_guest_goodbye_to_message (json, &code);
  if (!message)
    return refuse (error, "a GOODBYE came without code and message");
  farewell = g_error_new (ASB_ERROR, code, "The guest ended the connection: %s", message);
  /* Others may leave room for us. */
  if (self->state == ASB_GUEST_STATE_INTERRUPTED && code == ASB_ERROR_TOO_MANY_REQUESTS)
    {
      asb_guest_resume_failed (self, farewell);
      return TRUE;
    }
  if (self->state != ASB_GUEST_STATE_OPENING)
    farewell->code = ASB_ERROR_INTERRUPTED;
  asb_guest_connection_end (self, g_steal_pointer (&farewell), NULL);
  return TRUE;
}

static gboolean
handle_ping (AsbGuestConnection *self, const AsbFrameHeader *header, const guint8 *payload,
             GError **error)
{
  if (++self->n_pongs > MAX_PONGS)
    return refuse (error, "PINGs came faster than they can be answered");
  asb_guest_send_urgent (self, ASB_FRAME_PONG, payload, header->length);
  return TRUE;
}

static AsbGuestCall *
find_call (AsbGuestConnection *self, const AsbFrameHeader *header)
{
  AsbGuestCall *call = g_hash_table_lookup (self->calls, GUINT_TO_POINTER (header->call));

  return call ? asb_guest_call_ref (call) : NULL;
}

static gboolean
handle_reply (AsbGuestCall *call, const AsbFrameHeader *header, const guint8 *payload,
              GError **error)
{
  g_autoptr (json_t) json = NULL;

  if (!call)
    return refuse (error, "a reply or an event came for a call that is over");
  json = parse_json (header, payload, error);
  if (!json)
    return FALSE;
  return header->type == ASB_FRAME_REPLY ? asb_guest_call_handle_reply (call, json, error)
                                         : asb_guest_call_handle_event (call, json, error);
}

static gboolean
handle_data (AsbGuestConnection *self, AsbGuestCall *call, const AsbFrameHeader *header,
             const guint8 *payload, GError **error)
{
  if (!asb_guest_call_handle_data (call, header->channel, payload, header->length,
                                   header->flags & ASB_FRAME_FLAG_FIN, error))
    return FALSE;
  if (call->channels[header->channel].mode != ASB_GUEST_CHANNEL_PIPE)
    asb_guest_send_credit (self, &call->channels[header->channel]);
  return TRUE;
}

static gboolean
handle_credit (AsbGuestConnection *self, AsbGuestCall *call, const AsbFrameHeader *header,
               const guint8 *payload, GError **error)
{
  if (!asb_guest_call_handle_credit (call, header->channel, asb_frame_count_read (payload), error))
    return FALSE;
  if (header->channel == ASB_CHANNEL_INPUT
      && call->channels[header->channel].mode != ASB_GUEST_CHANNEL_NONE)
    asb_guest_send_data (self, &call->channels[header->channel]);
  return TRUE;
}

/* It was sent before the guest knew that the call is over here. It must not wait for credit that
 * never comes. */
static void
ignore_frame (AsbGuestConnection *self, const AsbFrameHeader *header)
{
  if (header->type == ASB_FRAME_DATA && header->channel != ASB_CHANNEL_INPUT
      && !(header->flags & ASB_FRAME_FLAG_FIN))
    asb_guest_send_stop (self, header->call, header->channel);
}

static gboolean
handle_call_frame (AsbGuestConnection *self, const AsbFrameHeader *header, const guint8 *payload,
                   GError **error)
{
  g_autoptr (AsbGuestCall) call = find_call (self, header);
  gboolean handled = TRUE;

  if (header->call > self->last_number)
    return refuse (error, "a frame names a call that was never made");
  if (header->type == ASB_FRAME_REPLY || header->type == ASB_FRAME_EVENT)
    handled = handle_reply (call, header, payload, error);
  else if (!call)
    ignore_frame (self, header);
  else if (header->type == ASB_FRAME_DATA)
    handled = handle_data (self, call, header, payload, error);
  else if (header->type == ASB_FRAME_STOP)
    handled = asb_guest_call_handle_stop (call, header->channel, error);
  else
    handled = handle_credit (self, call, header, payload, error);
  if (handled && call && asb_guest_call_is_over (call))
    asb_guest_connection_forget (self, call);
  return handled;
}

static gboolean
handle_frame (AsbGuestConnection *self, const AsbFrameHeader *header, const guint8 *payload,
              GError **error)
{
  switch ((AsbFrameType)header->type)
    {
    case ASB_FRAME_HELLO:
      return handle_hello (self, header, payload, error);
    case ASB_FRAME_GOODBYE:
      return handle_goodbye (self, header, payload, error);
    case ASB_FRAME_ACK:
      return asb_guest_outbox_acknowledge (&self->outbox, asb_frame_count_read (payload))
             || refuse (error, "a frame was acknowledged that was not sent");
    case ASB_FRAME_PING:
      return handle_ping (self, header, payload, error);
    case ASB_FRAME_PONG:
      return TRUE;
    case ASB_FRAME_REPLY:
    case ASB_FRAME_EVENT:
    case ASB_FRAME_DATA:
    case ASB_FRAME_STOP:
    case ASB_FRAME_CREDIT:
      return handle_call_frame (self, header, payload, error);
    default:
      return refuse (error, "a frame came that only the client may send");
    }
}

/* FALSE for a frame that was seen before. */
static gboolean
is_new (AsbGuestConnection *self, const AsbFrameHeader *header)
{
  if (header->sequence <= self->received)
    return FALSE;
  self->received = header->sequence;
  self->unacknowledged_bytes += header->length;
  return TRUE;
}

static gboolean
accept_frame (AsbGuestConnection *self, const AsbFrameHeader *header, const guint8 *payload,
              GError **error)
{
  if (self->state != ASB_GUEST_STATE_OPEN && header->type != ASB_FRAME_HELLO
      && header->type != ASB_FRAME_GOODBYE)
    return refuse (error, "something else than HELLO came first");
  if (!asb_frame_type_is_numbered (header->type))
    return handle_frame (self, header, payload, error);
  if (header->sequence > self->received + 1)
    return refuse (error, "a frame is missing");
  return !is_new (self, header) || handle_frame (self, header, payload, error);
}

static gboolean
receive_frame (AsbGuestConnection *self)
{
  g_autoptr (GError) error = NULL;
  AsbFrameHeader header;
  const guint8 *payload;
  const char *reason = NULL;

  switch (asb_guest_reader_next (&self->link->reader, &header, &payload, &reason))
    {
    case ASB_FRAME_OK:
      if (accept_frame (self, &header, payload, &error))
        return TRUE;
      if (g_error_matches (error, ASB_ERROR, ASB_ERROR_PROTOCOL))
        asb_guest_connection_refuse (self, error->message);
      else
        asb_guest_connection_end (self, g_steal_pointer (&error), "unsupported_version");
      return FALSE;
    case ASB_FRAME_INVALID:
      asb_guest_connection_refuse (self, reason);
      return FALSE;
    default:
      return FALSE;
    }
}

static gboolean
is_receiving (AsbGuestConnection *self)
{
  return self->link
         && (self->state == ASB_GUEST_STATE_OPENING || self->state == ASB_GUEST_STATE_OPEN
             || self->state == ASB_GUEST_STATE_INTERRUPTED);
}

void
asb_guest_receive (AsbGuestConnection *self)
{
  self->last_heard = g_get_monotonic_time ();
  self->asked_at = 0;
  asb_guest_doubt_stop (self);
  if (self->is_frozen && self->state == ASB_GUEST_STATE_OPEN)
    asb_guest_doubt_thaw (self);
  while (is_receiving (self) && receive_frame (self))
    ;
  asb_guest_connection_flush (self);
  asb_guest_connection_update_timer (self);
}
