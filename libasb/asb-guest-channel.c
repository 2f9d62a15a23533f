/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-channel-private.h"

#include <string.h>

#include "asb-error.h"
#include "asb-guest-connection-private.h"
#include "asb-io-thread-private.h"

void
asb_guest_channel_init (AsbGuestChannel *self, AsbGuestCall *call, guint16 number)
{
  self->call = call;
  self->number = number;
}

void
asb_guest_channel_clear (AsbGuestChannel *self)
{
  g_clear_pointer (&self->pipe, asb_pipe_unref);
  g_clear_pointer (&self->bytes, g_bytes_unref);
}

gboolean
asb_guest_channel_is_fed_by_guest (AsbGuestChannel *self)
{
  return self->number != ASB_CHANNEL_INPUT && self->mode != ASB_GUEST_CHANNEL_NONE;
}

static gboolean
refuse (GError **error, const char *message)
{
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL, message);
  return FALSE;
}

gboolean
asb_guest_channel_check_data (AsbGuestChannel *self, gsize size, GError **error)
{
  if (!asb_guest_channel_is_fed_by_guest (self))
    return refuse (error, "data came on a channel that the call does not have");
  if (self->finished)
    return refuse (error, "data came after the end of its channel");
  if (self->total + size > self->credit + ASB_FRAME_WINDOW)
    return refuse (error, "data came beyond the window of its channel");
  return TRUE;
}

/* The pipe is watched anew until it is known to have been read less than a step since. */
static gboolean
update_pipe_credit (AsbGuestChannel *self)
{
  gboolean due = FALSE;
  AsbPipeStatus status;

  asb_pipe_watch (self->pipe, self->credit + ASB_FRAME_CREDIT_STEP, &status);
  while (status.taken - self->credit >= ASB_FRAME_CREDIT_STEP)
    {
      due = TRUE;
      self->credit = status.taken;
      asb_pipe_watch (self->pipe, self->credit + ASB_FRAME_CREDIT_STEP, &status);
    }
  return due;
}

gboolean
asb_guest_channel_update_credit (AsbGuestChannel *self)
{
  if (self->finished || self->stopped)
    return FALSE;
  if (self->mode == ASB_GUEST_CHANNEL_PIPE)
    return update_pipe_credit (self);
  if (self->total - self->credit < ASB_FRAME_CREDIT_STEP)
    return FALSE;
  self->credit = self->total;
  return TRUE;
}

static void
get_waiting (AsbGuestChannel *self, gsize *waiting, gboolean *finished)
{
  AsbPipeStatus status;

  if (self->mode == ASB_GUEST_CHANNEL_BYTES)
    {
      *waiting = g_bytes_get_size (self->bytes) - self->total;
      *finished = TRUE;
      return;
    }
  asb_pipe_watch (self->pipe, G_MAXUINT64, &status);
  *waiting = status.waiting;
  *finished = status.finished && !status.aborted;
}

gboolean
asb_guest_channel_get_sendable (AsbGuestChannel *self, gsize *size, gboolean *finished)
{
  gsize waiting;
  gsize window;

  if (self->mode == ASB_GUEST_CHANNEL_NONE || self->finished || self->stopped)
    return FALSE;
  get_waiting (self, &waiting, finished);
  window = self->credit + ASB_FRAME_WINDOW - self->total;
  *size = MIN (MIN (waiting, window), ASB_FRAME_MAX_DATA);
  *finished = *finished && *size == waiting;
  return *size > 0 || *finished;
}

void
asb_guest_channel_take (AsbGuestChannel *self, guint8 *bytes, gsize size, gboolean finished)
{
  if (self->mode == ASB_GUEST_CHANNEL_PIPE)
    asb_pipe_pull (self->pipe, bytes, size);
  else if (size > 0)
    memcpy (bytes, (const guint8 *)g_bytes_get_data (self->bytes, NULL) + self->total, size);
  self->total += size;
  self->finished = finished;
}

void
asb_guest_channel_break (AsbGuestChannel *self, const GError *error)
{
  self->stopped = TRUE;
  if (self->pipe)
    asb_pipe_stop (self->pipe, error);
}
