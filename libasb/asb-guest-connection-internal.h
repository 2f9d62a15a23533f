/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the parts of a connection share: its life, what it sends, what it receives. */

#pragma once

#include "asb-guest-channel-private.h"
#include "asb-guest-connection-private.h"
#include "asb-guest-link-private.h"
#include "asb-guest-outbox-private.h"

typedef enum
{
  ASB_GUEST_STATE_NEW,
  ASB_GUEST_STATE_OPENING, /* HELLO was sent */
  ASB_GUEST_STATE_OPEN,
  ASB_GUEST_STATE_INTERRUPTED, /* it may come back; with a link, HELLO was sent there */
  ASB_GUEST_STATE_CLOSING,     /* the last frames are being written */
  ASB_GUEST_STATE_CLOSED
} AsbGuestState;

struct _AsbGuestConnection
{
  gatomicrefcount references;
  AsbGuestTimeouts timeouts;
  AsbGuestState state;
  AsbGuestLink *link; /* NULL: there is none for now */
  char *token;
  AsbGuestHello hello;
  GHashTable *calls; /* number to AsbGuestCall */
  guint32 last_number;
  GError *end_error; /* what ended it */
  int closed_code;   /* what calls are told that were never sent, once it has ended */

  /* What is sent. */
  AsbGuestOutbox outbox;
  GQueue controls;   /* frames of calls that wait for room */
  GQueue sendable;   /* channels with something to send */
  GQueue creditable; /* channels that were read from */
  guint n_pongs;     /* since the last batch */
  guint64 last_stopped;

  /* What was received. */
  guint64 received; /* the last number */
  guint64 acknowledged;
  gsize unacknowledged_bytes;

  /* Times are those of g_get_monotonic_time (), 0 for never. */
  GSource *timer;
  gint64 timer_at;
  gint64 last_heard;
  gint64 last_asked;
  gint64 asked_at; /* when the PING was sent that waits for an answer */
  gint64 acknowledge_at;
  gint64 give_up_at;

  /* How it comes back. */
  AsbGuestReopening reopening;
  gboolean paused;
  GError *interruption;
  GError *failure; /* of the last attempt */
  guint n_attempts;
  GCancellable *asking; /* for a stream */
  gint64 attempt_at;    /* when the next one begins */
  gint64 attempt_until; /* when the one that is being made has failed */
  gint64 resume_until;

  /* Whether it can answer at all. */
  gboolean is_inquiring;
  gboolean is_frozen; /* somebody else has paused the sandbox: paused is TRUE, too */
  guint n_resumed;    /* how often it was known to go on */
  gint64 doubt_at;    /* when the provider is asked */
  gint64 doubt_delay;
  AsbGuestPauseFunc pause_news;
  gpointer pause_data;
  GDestroyNotify pause_destroy;

  AsbGuestOpenedFunc opened;
  gpointer opened_data;
  AsbGuestNewsFunc news;
  gpointer news_data;
  GDestroyNotify news_destroy;
  GQueue close_tasks;
  gboolean link_closed;
};

/* Life. */

/* Takes @error, which is what calls that were sent fail with. With a @goodbye, a code, the guest is
 * told of it. */
void asb_guest_connection_end (AsbGuestConnection *self, GError *error, const char *goodbye);
/* The other side broke the rules: @reason ends a sentence. */
void asb_guest_connection_refuse (AsbGuestConnection *self, const char *reason);
void asb_guest_connection_lose (AsbGuestConnection *self, const GError *error);
void asb_guest_connection_opened (AsbGuestConnection *self);
/* Everything that had to be written was. */
void asb_guest_connection_written (AsbGuestConnection *self);
void asb_guest_connection_update_timer (AsbGuestConnection *self);

void asb_guest_connection_tell (AsbGuestConnection *self, AsbTransportState state,
                                const GError *error);
/* A stream for it to use; from there the HELLO of this side goes out. */
void asb_guest_connection_use (AsbGuestConnection *self, GIOStream *stream, json_t *hello);

/* Lets go of a call that is over. */
void asb_guest_connection_forget (AsbGuestConnection *self, AsbGuestCall *call);

/* Tells a call that it is not done; the guest, if it was sent, to do nothing of it. */
void asb_guest_connection_refuse_call (AsbGuestConnection *self, AsbGuestCall *call,
                                       const GError *error);

/* Whether something is expected of the guest. */
void asb_guest_connection_set_pause (AsbGuestConnection *self, gboolean paused);

/* Silence. The provider is asked after the sandbox once something has waited for long. */
void asb_guest_doubt_begin (AsbGuestConnection *self);
void asb_guest_doubt_stop (AsbGuestConnection *self);
void asb_guest_doubt_look_now (AsbGuestConnection *self);
void asb_guest_doubt_meet_call (AsbGuestConnection *self);
void asb_guest_doubt_go_on (AsbGuestConnection *self, gint64 now);
/* It goes on. */
void asb_guest_doubt_thaw (AsbGuestConnection *self);

/* Coming back. */
gboolean asb_guest_resume_is_possible (AsbGuestConnection *self);
/* Takes @loss. */
void asb_guest_resume_begin (AsbGuestConnection *self, GError *loss);
/* Of an attempt. @error may be NULL: the stream ended. */
void asb_guest_resume_failed (AsbGuestConnection *self, const GError *error);
gboolean asb_guest_resume_handle_hello (AsbGuestConnection *self, const json_t *json,
                                        GError **error);
/* The earlier of two times of which each may be never. */
gint64 asb_guest_resume_earlier (gint64 a, gint64 b);
/* When there is something to do, 0 for never; and that. */
gint64 asb_guest_resume_get_time (AsbGuestConnection *self);
void asb_guest_resume_go_on (AsbGuestConnection *self, gint64 now);
/* The sandbox has been paused, or goes on. */
void asb_guest_resume_pause (AsbGuestConnection *self, gint64 now);
/* It is not to come back any more. */
void asb_guest_resume_stop (AsbGuestConnection *self);

/* Sending. */
void asb_guest_send_control (AsbGuestConnection *self, AsbFrameType type, AsbGuestCall *call,
                             guint16 channel);
void asb_guest_send_urgent (AsbGuestConnection *self, AsbFrameType type, gconstpointer payload,
                            gsize size);
void asb_guest_send_json (AsbGuestConnection *self, AsbFrameType type, json_t *json);
void asb_guest_send_data (AsbGuestConnection *self, AsbGuestChannel *channel);
void asb_guest_send_credit (AsbGuestConnection *self, AsbGuestChannel *channel);
/* Tells all that was told of what was read once more. */
void asb_guest_send_all_credit (AsbGuestConnection *self);
/* Of a call that is over, or was not sent yet. */
void asb_guest_send_forget (AsbGuestConnection *self, AsbGuestCall *call);

/* Of all calls, when nothing will be sent any more. */
void asb_guest_send_drop_controls (AsbGuestConnection *self);
/* For a channel of a call that is over here and on which something comes all the same. */
void asb_guest_send_stop (AsbGuestConnection *self, guint32 call, guint16 channel);

/* Receiving: all frames that stand in the reader. */
void asb_guest_receive (AsbGuestConnection *self);
