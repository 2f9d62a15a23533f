/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One call to a guest, from its CALL to its REPLY and the end of its channels.
 *
 * It is made in any thread, handed to a connection, and then belongs to the I/O thread; all of its
 * functions run there. */

#pragma once

#include "asb-operation.h"
#include "asb-pipe-private.h"

#include <jansson.h>

#include "asb-frame.h"

typedef struct _AsbGuestCall AsbGuestCall;
typedef struct _AsbGuestConnection AsbGuestConnection;

/* What a call does with the news of it. A function that returns FALSE has set an error: with
 * %ASB_ERROR_PROTOCOL what came makes no sense and the connection ends, with another one this call
 * fails and is cancelled. */
typedef struct
{
  /* The CALL is on its way; may be NULL. */
  void (*queued) (AsbGuestCall *call, gpointer data);
  /* The event without which there is no result; NULL: there is none. */
  const char *opening;
  gboolean (*opened) (AsbGuestCall *call, gpointer data, const json_t *event, GError **error);
  /* Before the first byte of a channel, or when a call without such an event says “opened”; may be
   * NULL. */
  void (*begun) (AsbGuestCall *call, gpointer data);
  /* For channels of the mode %ASB_GUEST_CHANNEL_SINK. */
  gboolean (*received) (AsbGuestCall *call, gpointer data, const guint8 *bytes, gsize size,
                        GError **error);
  /* One of these two comes once, at last. */
  gboolean (*result) (AsbGuestCall *call, gpointer data, const json_t *result, GError **error);
  void (*failed) (AsbGuestCall *call, gpointer data, const GError *error);
  GDestroyNotify free;
} AsbGuestCallKind;

typedef enum
{
  ASB_GUEST_CHANNEL_NONE,     /* frames of it make no sense */
  ASB_GUEST_CHANNEL_UNWANTED, /* refused as soon as something comes */
  ASB_GUEST_CHANNEL_SINK,     /* given to the call */
  ASB_GUEST_CHANNEL_PIPE,
  ASB_GUEST_CHANNEL_BYTES /* sent from memory */
} AsbGuestChannelMode;

typedef struct
{
  AsbGuestCall *call;
  guint16 number;
  AsbGuestChannelMode mode;
  AsbPipe *pipe;
  GBytes *bytes;
  guint64 total;  /* bytes received or sent */
  guint64 credit; /* as told to, or by, the guest */
  gboolean finished;
  gboolean stopped;
  GList link; /* in a queue of the connection, with data set while it is */
} AsbGuestChannel;

struct _AsbGuestCall
{
  gatomicrefcount references;
  const AsbGuestCallKind *kind;
  gpointer data;
  char *name;
  AsbOperation *operation;
  GObject *subject;
  GCancellable *cancellable;

  AsbGuestConnection *connection;
  GSource *cancelled_source;
  char *request; /* until it is queued; allocated by jansson */
  gsize request_size;
  guint32 number;
  guint64 sequence;
  AsbGuestChannel channels[ASB_N_CHANNELS];
  gboolean end_with_reply; /* the end of a pipe waits for the REPLY */
  gboolean opened;
  gboolean begun;
  gboolean replied;
  gboolean answered;
  gboolean cancelled; /* CANCEL was queued */
  char *record_error;
  GError *reply_error;
  json_t *result; /* of a call that still gathers bytes */
};

/* Takes @arguments; owns @data from here on, also when it fails. */
AsbGuestCall *asb_guest_call_new (const char *name, json_t *arguments, AsbOperation *operation,
                                  const AsbGuestCallKind *kind, gpointer data, GError **error);
AsbGuestCall *asb_guest_call_ref (AsbGuestCall *self);
void asb_guest_call_unref (AsbGuestCall *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbGuestCall, asb_guest_call_unref)

/* These are for before it is handed to a connection. */

/* The object gets the data “asb-record-error”, a string, when the record is not complete. */
void asb_guest_call_set_subject (AsbGuestCall *self, gpointer object);

/* Cancelling sends CANCEL; the answer is that of the guest. */
void asb_guest_call_set_cancellable (AsbGuestCall *self, GCancellable *cancellable);
void asb_guest_call_set_channel (AsbGuestCall *self, guint number, AsbGuestChannelMode mode);
AsbPipe *asb_guest_call_add_pipe (AsbGuestCall *self, guint number);
void asb_guest_call_set_input (AsbGuestCall *self, GBytes *bytes);

/* In the I/O thread. From here on what comes on the channels is refused. */
void asb_guest_call_refuse_output (AsbGuestCall *self);

/* Likewise. The cancellable of the task has done its part. */
void asb_guest_call_forget_cancellable (AsbGuestCall *self);

/* For the connection. */
void asb_guest_call_attach (AsbGuestCall *self, AsbGuestConnection *connection, guint32 number);
gboolean asb_guest_call_handle_event (AsbGuestCall *self, const json_t *event, GError **error);
gboolean asb_guest_call_handle_data (AsbGuestCall *self, guint16 number, const guint8 *bytes,
                                     gsize size, gboolean finished, GError **error);
gboolean asb_guest_call_handle_stop (AsbGuestCall *self, guint16 number, GError **error);
gboolean asb_guest_call_handle_credit (AsbGuestCall *self, guint16 number, guint64 credit,
                                       GError **error);
gboolean asb_guest_call_handle_reply (AsbGuestCall *self, const json_t *reply, GError **error);
/* The REPLY will not come, or is not wanted any more. */
void asb_guest_call_fail (AsbGuestCall *self, const GError *error);
/* The connection has ended. */
void asb_guest_call_interrupt (AsbGuestCall *self, const GError *error);
gboolean asb_guest_call_is_over (AsbGuestCall *self);
/* Nothing of it reaches the connection any more. */
void asb_guest_call_detach (AsbGuestCall *self);
