/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Moves bytes between memory and the stream to a guest, in the I/O thread, without blocking it:
 * pollable streams are polled, for others GIO uses its threads. */

#pragma once

#include <gio/gio.h>

#include "asb-guest-reader-private.h"

typedef struct
{
  /* What has been read stands in the reader. */
  void (*received) (gpointer owner);
  /* Writing may go on. */
  void (*writable) (gpointer owner);
  /* The last news: @error is NULL at the end of the stream. */
  void (*failed) (gpointer owner, const GError *error);
  void (*closed) (gpointer owner);
  gpointer (*hold) (gpointer owner);
  void (*release) (gpointer owner);
} AsbGuestLinkFuncs;

typedef struct
{
  guint references; /* the I/O thread's */
  gboolean abandoned;
  const AsbGuestLinkFuncs *funcs;
  gpointer owner;
  GIOStream *stream;
  GPollableInputStream *pollable_input;   /* not owned; NULL: not pollable */
  GPollableOutputStream *pollable_output; /* likewise */
  GSource *read_source;
  GSource *write_source;
  GCancellable *cancellable;
  GByteArray *outgoing; /* what a thread is writing */
  gboolean reading;     /* a thread is */
  gboolean stopped;     /* nothing more is to be read */
  gboolean closing;
  AsbGuestReader reader;
} AsbGuestLink;

AsbGuestLink *asb_guest_link_new (GIOStream *stream, const AsbGuestLinkFuncs *funcs,
                                  gpointer owner);
void asb_guest_link_unref (AsbGuestLink *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbGuestLink, asb_guest_link_unref)

void asb_guest_link_start (AsbGuestLink *self);

/* FALSE with @error set when the stream is broken. *@written is 0 when it has to wait. */
gboolean asb_guest_link_write (AsbGuestLink *self, GOutputVector *vectors, guint n_vectors,
                               gsize *written, GError **error);
/* Whether everything was written. */
gboolean asb_guest_link_is_idle (AsbGuestLink *self);

void asb_guest_link_stop_reading (AsbGuestLink *self);
void asb_guest_link_close (AsbGuestLink *self);
/* Likewise, and the owner hears nothing more of it. Takes the reference. */
void asb_guest_link_abandon (AsbGuestLink *self);
