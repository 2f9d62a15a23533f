/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-connection-internal.h"

#include <string.h>

#include "asb-wire-json.h"

/* An ACK goes along with what is sent anyway, and alone after half of what the protocol allows. */
#define ACK_FRAMES 32
#define ACK_BYTES (128 * 1024)

/* Data is taken from the streams only as it can be written soon, so that calls need not wait behind
 * much of it. */
#define MAX_UNWRITTEN_DATA (192 * 1024)

/* A frame without payload, or the CALL, that waits for room. */
typedef struct
{
  AsbFrameType type;
  AsbGuestCall *call;
  guint16 channel;
} Control;

static void
control_free (Control *control)
{
  asb_guest_call_unref (control->call);
  g_free (control);
}

void
asb_guest_send_control (AsbGuestConnection *self, AsbFrameType type, AsbGuestCall *call,
                        guint16 channel)
{
  Control *control = g_new (Control, 1);

  control->type = type;
  control->call = asb_guest_call_ref (call);
  control->channel = channel;
  g_queue_push_tail (&self->controls, control);
}

static void
add_urgent (AsbGuestConnection *self, AsbFrameHeader *header, gconstpointer payload)
{
  asb_guest_outbox_add_urgent (&self->outbox, header, payload);
}

void
asb_guest_send_urgent (AsbGuestConnection *self, AsbFrameType type, gconstpointer payload,
                       gsize size)
{
  AsbFrameHeader header = { .type = type, .length = (guint32)size };

  add_urgent (self, &header, payload);
}

void
asb_guest_send_json (AsbGuestConnection *self, AsbFrameType type, json_t *json)
{
  char *text = asb_wire_json_dump (json);

  asb_guest_send_urgent (self, type, text, strlen (text));
  free (text);
  json_decref (json);
}

static void
enqueue (GQueue *queue, AsbGuestChannel *channel)
{
  if (channel->link.data)
    return;
  channel->link.data = channel;
  g_queue_push_tail_link (queue, &channel->link);
}

static void
dequeue (GQueue *queue, AsbGuestChannel *channel)
{
  g_queue_unlink (queue, &channel->link);
  channel->link.data = NULL;
}

void
asb_guest_send_data (AsbGuestConnection *self, AsbGuestChannel *channel)
{
  enqueue (&self->sendable, channel);
}

void
asb_guest_send_credit (AsbGuestConnection *self, AsbGuestChannel *channel)
{
  enqueue (&self->creditable, channel);
}

static void
drop_controls (AsbGuestConnection *self, AsbGuestCall *call)
{
  GList *link = self->controls.head;

  while (link)
    {
      GList *next = link->next;
      Control *control = link->data;

      if (control->call == call)
        {
          g_queue_delete_link (&self->controls, link);
          control_free (control);
        }
      link = next;
    }
}

void
asb_guest_send_forget (AsbGuestConnection *self, AsbGuestCall *call)
{
  for (guint i = 0; i < ASB_N_CHANNELS; i++)
    if (call->channels[i].link.data)
      dequeue (i == ASB_CHANNEL_INPUT ? &self->sendable : &self->creditable, &call->channels[i]);
  if (call->sequence == 0)
    drop_controls (self, call);
}

void
asb_guest_send_drop_controls (AsbGuestConnection *self)
{
  g_queue_clear_full (&self->controls, (GDestroyNotify)control_free);
}

void
asb_guest_send_stop (AsbGuestConnection *self, guint32 call, guint16 channel)
{
  AsbFrameHeader header = { .type = ASB_FRAME_STOP, .call = call, .channel = channel };
  guint64 key = (guint64)call << 16 | channel;

  if (key == self->last_stopped || !asb_guest_outbox_has_room (&self->outbox, 0))
    return;
  self->last_stopped = key;
  asb_guest_outbox_add (&self->outbox, &header);
}

static void
queue_call (AsbGuestConnection *self, AsbGuestCall *call, AsbFrameHeader *header)
{
  guint8 *payload = asb_guest_outbox_add (&self->outbox, header);

  memcpy (payload, call->request, call->request_size);
  g_clear_pointer (&call->request, free);
  call->sequence = header->sequence;
  if (call->channels[ASB_CHANNEL_INPUT].mode != ASB_GUEST_CHANNEL_NONE)
    asb_guest_send_data (self, &call->channels[ASB_CHANNEL_INPUT]);
  if (call->kind->queued)
    call->kind->queued (call, call->data);
}

static void
move_controls (AsbGuestConnection *self)
{
  Control *control;

  while ((control = g_queue_peek_head (&self->controls)))
    {
      AsbFrameHeader header
          = { .type = control->type, .call = control->call->number, .channel = control->channel };

      if (control->type == ASB_FRAME_CALL)
        header.length = (guint32)control->call->request_size;
      if (!asb_guest_outbox_has_room (&self->outbox, header.length))
        return;
      g_queue_pop_head (&self->controls);
      if (control->type == ASB_FRAME_CALL)
        queue_call (self, control->call, &header);
      else
        asb_guest_outbox_add (&self->outbox, &header);
      control_free (control);
    }
}

/* FALSE when there is no room for the next frame of the channel. */
static gboolean
move_frame (AsbGuestConnection *self, AsbGuestChannel *channel)
{
  AsbFrameHeader header
      = { .type = ASB_FRAME_DATA, .call = channel->call->number, .channel = channel->number };
  gboolean finished;
  gsize size;

  if (!asb_guest_channel_get_sendable (channel, &size, &finished))
    {
      dequeue (&self->sendable, channel);
      return TRUE;
    }
  if (!asb_guest_outbox_has_room (&self->outbox, size))
    return FALSE;
  header.length = (guint32)size;
  header.flags = finished ? ASB_FRAME_FLAG_FIN : 0;
  asb_guest_channel_take (channel, asb_guest_outbox_add (&self->outbox, &header), size, finished);

  /* The others have their turn. */
  dequeue (&self->sendable, channel);
  enqueue (&self->sendable, channel);
  return TRUE;
}

static void
move_data (AsbGuestConnection *self)
{
  while (self->sendable.head && self->outbox.unwritten_size < MAX_UNWRITTEN_DATA)
    if (!move_frame (self, self->sendable.head->data))
      return;
}

static void
add_credit (AsbGuestConnection *self, const AsbGuestChannel *channel)
{
  AsbFrameHeader header = {
    .type = ASB_FRAME_CREDIT, .call = channel->call->number, .channel = channel->number, .length = 8
  };
  guint8 count[8];

  asb_frame_count_write (channel->credit, count);
  add_urgent (self, &header, count);
}

static void
add_credits (AsbGuestConnection *self)
{
  while (self->creditable.head)
    {
      AsbGuestChannel *channel = self->creditable.head->data;

      dequeue (&self->creditable, channel);
      if (asb_guest_channel_update_credit (channel))
        add_credit (self, channel);
    }
}

void
asb_guest_send_all_credit (AsbGuestConnection *self)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->calls);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      AsbGuestCall *call = value;

      for (guint i = ASB_CHANNEL_OUTPUT; i < ASB_N_CHANNELS; i++)
        if (call->channels[i].credit > 0)
          add_credit (self, &call->channels[i]);
    }
}

static gboolean
is_ack_due (AsbGuestConnection *self)
{
  return self->outbox.unwritten || self->outbox.urgent->len > 0
         || self->received - self->acknowledged >= ACK_FRAMES
         || self->unacknowledged_bytes >= ACK_BYTES
         || (self->acknowledge_at > 0 && g_get_monotonic_time () >= self->acknowledge_at);
}

static void
add_ack (AsbGuestConnection *self)
{
  guint8 count[8];

  if (self->received == self->acknowledged)
    return;
  if (is_ack_due (self))
    {
      asb_frame_count_write (self->received, count);
      asb_guest_send_urgent (self, ASB_FRAME_ACK, count, sizeof count);
      self->acknowledged = self->received;
      self->unacknowledged_bytes = 0;
      self->acknowledge_at = 0;
    }
  else if (self->acknowledge_at == 0)
    {
      self->acknowledge_at = g_get_monotonic_time () + self->timeouts.acknowledge;
      asb_guest_connection_update_timer (self);
    }
}

static void
fill_outbox (AsbGuestConnection *self)
{
  if (self->state != ASB_GUEST_STATE_OPEN)
    return;
  move_controls (self);
  move_data (self);
  add_credits (self);
  add_ack (self);
}

void
asb_guest_connection_flush (AsbGuestConnection *self)
{
  GOutputVector vectors[ASB_GUEST_OUTBOX_MAX_VECTORS];

  while (self->link && self->state != ASB_GUEST_STATE_CLOSED)
    {
      g_autoptr (GError) error = NULL;
      guint n_vectors;
      gsize written;

      if (asb_guest_outbox_is_batch_done (&self->outbox))
        {
          self->n_pongs = 0;
          fill_outbox (self);
        }
      asb_guest_doubt_begin (self);
      n_vectors = asb_guest_outbox_get_batch (&self->outbox, vectors);
      if (n_vectors == 0)
        {
          asb_guest_connection_written (self);
          return;
        }
      if (!asb_guest_link_write (self->link, vectors, n_vectors, &written, &error))
        asb_guest_connection_lose (self, error);
      else if (written == 0)
        return;
      else
        asb_guest_outbox_wrote (&self->outbox, written);
    }
}
