/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A connection to a guest. It lives in the I/O thread; the functions for other threads say so. */

#pragma once

#include "asb-guest-call-private.h"
#include "asb-guest-hello-private.h"

/* In microseconds. */
typedef struct
{
  gint64 hello;       /* how long the guest may take to say hello */
  gint64 quiet;       /* after how much silence it is asked whether it is there */
  gint64 answer;      /* how long it may then stay silent */
  gint64 acknowledge; /* how long an ACK may wait for company */
  gint64 linger;      /* how long the last frames may take */
} AsbGuestTimeouts;

extern const AsbGuestTimeouts asb_guest_default_timeouts;

/* Both run in the I/O thread. */
typedef void (*AsbGuestOpenedFunc) (AsbGuestConnection *connection, const GError *error,
                                    gpointer data);
typedef void (*AsbGuestEndedFunc) (gpointer data, const GError *error);

/* Any thread. Takes over @stream. */
AsbGuestConnection *asb_guest_connection_new (GIOStream *stream, const AsbGuestTimeouts *timeouts);
AsbGuestConnection *asb_guest_connection_ref (AsbGuestConnection *self);
void asb_guest_connection_unref (AsbGuestConnection *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbGuestConnection, asb_guest_connection_unref)

/* Any thread. Says hello; @opened is called once. */
void asb_guest_connection_open (AsbGuestConnection *self, const char *token,
                                AsbGuestOpenedFunc opened, gpointer data);

/* In the I/O thread: called once when an open connection has ended, for whatever reason. */
void asb_guest_connection_set_ended_func (AsbGuestConnection *self, AsbGuestEndedFunc ended,
                                          gpointer data, GDestroyNotify destroy);

/* What the guest said of itself; does not change once the connection is open. */
const AsbGuestHello *asb_guest_connection_get_hello (AsbGuestConnection *self);

/* Any thread. */
void asb_guest_connection_submit (AsbGuestConnection *self, AsbGuestCall *call);
void asb_guest_connection_cancel (AsbGuestConnection *self, AsbGuestCall *call);

/* Any thread. @task may be NULL; it is answered when the stream is closed. */
void asb_guest_connection_close (AsbGuestConnection *self, GTask *task);
/* Any thread. Ends an attempt to open it with @error, which is taken. */
void asb_guest_connection_give_up (AsbGuestConnection *self, GError *error);

/* For calls, in the I/O thread. */
void asb_guest_connection_cancel_call (AsbGuestConnection *self, AsbGuestCall *call);
void asb_guest_connection_stop_channel (AsbGuestConnection *self, AsbGuestChannel *channel);
void asb_guest_connection_channel_changed (AsbGuestConnection *self, AsbGuestChannel *channel);
/* After a change that did not come from the connection itself. */
void asb_guest_connection_flush (AsbGuestConnection *self);
