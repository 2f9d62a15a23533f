/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the clock of a server shows, judged by the dates of its replies. Its hands are moved by a
 * clock of ours that nobody sets, so that neither a wrong clock here nor one that is put right
 * matters. Any thread. */

#pragma once

#include <glib.h>

typedef struct
{
  GMutex lock;
  gboolean is_known;
  gint64 earliest; /* bounds of server time − our clock, in microseconds */
  gint64 latest;
} AsbOpensandboxClock;

void asb_opensandbox_clock_init (AsbOpensandboxClock *self);
void asb_opensandbox_clock_clear (AsbOpensandboxClock *self);

/* Our clock in microseconds: it runs on while the machine is suspended. */
gint64 asb_opensandbox_clock_now (void);

/* A reply to a request sent at @sent, received at @received (both of asb_opensandbox_clock_now ()),
 * bears @date: microseconds since 1970, in whole seconds. */
void asb_opensandbox_clock_learn (AsbOpensandboxClock *self, gint64 date, gint64 sent,
                                  gint64 received);

/* Microseconds since 1970 on the server; what our wall clock shows as long as nothing is known. */
gint64 asb_opensandbox_clock_get (AsbOpensandboxClock *self);
