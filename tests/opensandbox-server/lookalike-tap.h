/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* What is done to the bytes of one answer on their way out; a number below zero is "never". */
typedef struct
{
  gint64 cut_response; /* close after so many bytes, the head included */
  gint64 cut_body;     /* close after so many bytes of the body */
  gint64 cut_chunks;   /* close after so many chunks of a chunked body */
  gint64 stall_body;   /* after so many bytes of the body send nothing more, and stay open */
  gboolean reset;      /* a cut is a reset, not an orderly end */
  guint split_max;     /* 0, or send pieces of random size, at most so large */
  guint32 split_seed;
  char header_case; /* 'u' or 'l': names of headers in upper or lower case; 0 as they are */
} LookalikeTapPlan;

#define LOOKALIKE_TAP_PLAN_INIT                                                                    \
  {                                                                                                \
    -1, -1, -1, -1, FALSE, 0, 0, 0                                                                 \
  }

#define LOOKALIKE_TYPE_TAP (lookalike_tap_get_type ())
G_DECLARE_FINAL_TYPE (LookalikeTap, lookalike_tap, LOOKALIKE, TAP, GIOStream)

/* A connection between SoupServer and its socket, where answers can be spoilt. */
LookalikeTap *lookalike_tap_new (GSocketConnection *connection, guint64 number);

guint64 lookalike_tap_get_number (LookalikeTap *self);
guint64 lookalike_tap_get_written (LookalikeTap *self);

/* Counting starts anew with each plan. */
void lookalike_tap_set_plan (LookalikeTap *self, const LookalikeTapPlan *plan);

/* While held, nothing is read or written and nothing fails: the other side waits. Counted. */
void lookalike_tap_hold (LookalikeTap *self);
void lookalike_tap_release (LookalikeTap *self);

/* Ends the connection now. */
void lookalike_tap_cut (LookalikeTap *self, gboolean reset);

/* Says that nothing more comes, and goes on reading. */
void lookalike_tap_finish (LookalikeTap *self);

/* Calls once when the client has gone, from the main loop. */
void lookalike_tap_watch (LookalikeTap *self, GFunc gone, gpointer user_data);
void lookalike_tap_unwatch (LookalikeTap *self);

/* Calls after each write, with the tap. */
void lookalike_tap_set_written_func (LookalikeTap *self, GFunc written, gpointer user_data);

G_END_DECLS
