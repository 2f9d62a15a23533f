/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A connection to a guest. It lives in the I/O thread; the functions for other threads say so. */

#pragma once

#include "asb-guest-call-private.h"
#include "asb-enums.h"
#include "asb-guest-hello-private.h"

/* In microseconds. */
typedef struct
{
  gint64 hello;       /* how long the guest may take to say hello */
  gint64 quiet;       /* after how much silence it is asked whether it is there */
  gint64 busy;        /* the same while calls wait for it, if that is less */
  gint64 answer;      /* how long it may then stay silent */
  gint64 acknowledge; /* how long an ACK may wait for company */
  gint64 linger;      /* how long the last frames may take */
  gint64 retry;       /* how long to wait before the second attempt to come back */
} AsbGuestTimeouts;

extern const AsbGuestTimeouts asb_guest_default_timeouts;

/* Both run in the I/O thread. @error is NULL when a connection has come back. */
typedef void (*AsbGuestOpenedFunc) (AsbGuestConnection *connection, const GError *error,
                                    gpointer data);
typedef void (*AsbGuestNewsFunc) (gpointer data, AsbTransportState state, const GError *error);

/* Takes a stream or an error. In any thread. */
typedef void (*AsbGuestStreamFunc) (gpointer data, GIOStream *stream, GError *error);

/* Tells the state of a sandbox, or takes an error. In any thread. */
typedef void (*AsbGuestStateFunc) (gpointer data, AsbSandboxState state, GError *error);
/* In the I/O thread: somebody else has paused the sandbox, or it goes on. */
typedef void (*AsbGuestPauseFunc) (gpointer data, gboolean paused);

/* How a connection that was lost comes back. */
typedef struct
{
  /* In the I/O thread: asks for another stream to the guest, and has @answer called once. */
  void (*open) (gpointer data, GCancellable *cancellable, AsbGuestStreamFunc answer,
                gpointer answer_data);
  /* In the I/O thread: asks after the sandbox, and has @answer called once. NULL: nobody knows. */
  void (*inquire) (gpointer data, AsbGuestStateFunc answer, gpointer answer_data);
  gint64 patience; /* with silence, in microseconds, before that */
  gpointer data;
  GDestroyNotify free;
  gint64 limit; /* how long it is tried, in microseconds, a multiple of a millisecond */
} AsbGuestReopening;

/* Any thread. Takes over @stream. */
AsbGuestConnection *asb_guest_connection_new (GIOStream *stream, const AsbGuestTimeouts *timeouts);
AsbGuestConnection *asb_guest_connection_ref (AsbGuestConnection *self);
void asb_guest_connection_unref (AsbGuestConnection *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbGuestConnection, asb_guest_connection_unref)

/* Before it is opened. What @reopening holds is taken. */
void asb_guest_connection_set_reopening (AsbGuestConnection *self,
                                         const AsbGuestReopening *reopening);

/* Any thread. Says hello; @opened is called once. */
void asb_guest_connection_open (AsbGuestConnection *self, const char *token,
                                AsbGuestOpenedFunc opened, gpointer data);

/* In the I/O thread: called when an open connection is interrupted, comes back, or has ended. */
void asb_guest_connection_set_news_func (AsbGuestConnection *self, AsbGuestNewsFunc news,
                                         gpointer data, GDestroyNotify destroy);

/* Any thread. Takes @data. */
void asb_guest_connection_set_pause_func (AsbGuestConnection *self, AsbGuestPauseFunc news,
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

/* Any thread. While the sandbox is known to be paused nothing is expected of the guest. */
void asb_guest_connection_set_paused (AsbGuestConnection *self, gboolean paused);

/* For calls, in the I/O thread. */
void asb_guest_connection_cancel_call (AsbGuestConnection *self, AsbGuestCall *call);
void asb_guest_connection_stop_channel (AsbGuestConnection *self, AsbGuestChannel *channel);
void asb_guest_connection_channel_changed (AsbGuestConnection *self, AsbGuestChannel *channel);
/* After a change that did not come from the connection itself. */
void asb_guest_connection_flush (AsbGuestConnection *self);
