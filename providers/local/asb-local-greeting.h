/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Short talks with a guest over a connection of one's own, each with a deadline. */

#pragma once

#include <gio/gio.h>

/* Tells it when its time is up; blocks until it has answered. */
gboolean asb_local_tell_expiry (GIOStream *stream, gint64 milliseconds, guint seconds,
                                GError **error);

/* What is done while the guest is at work. It may take its time: the answer waits. */
typedef struct
{
  void (*run) (gpointer data);
  gpointer data;
} AsbLocalMeanwhile;

/* Asks it to complete its record and end; blocks until it has answered. @meanwhile may be NULL, and
 * is not run when the guest cannot be asked. */
gboolean asb_local_ask_to_end (GIOStream *stream, guint seconds, const AsbLocalMeanwhile *meanwhile,
                               GError **error);

/* Whether the guest serves its record: one that was told to end before does not. */
gboolean asb_local_ask_for_record (GIOStream *stream, guint seconds, GCancellable *cancellable,
                                   GError **error);
