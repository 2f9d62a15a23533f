/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A SoupServer on a loopback port, below which connections are counted and can be spoilt. */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

struct _LookalikeListener
{
  Lookalike *lookalike;
  LookalikeSandbox *sandbox; /* not owned: it owns us */
  const char *hop;
  LookalikeHandler handler;
  GPtrArray *sockets; /* of GSocket, that listen */
  GPtrArray *sources; /* of GSource, none while frozen */
  SoupServer *server;
  GHashTable *taps; /* port of the client -> tap, not owned */
  guint16 port;
  gboolean frozen;
  gboolean closed;
};

LookalikeListener *lookalike_listener_new (Lookalike *lookalike, const char *hop, guint16 port,
                                           LookalikeSandbox *sandbox, LookalikeHandler handler,
                                           GError **error);
LookalikeListener *lookalike_listener_ref (LookalikeListener *self);
void lookalike_listener_unref (LookalikeListener *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LookalikeListener, lookalike_listener_unref)

/* Ends its connections too. */
void lookalike_listener_close (LookalikeListener *self);

/* Like a frozen process: connections are made, and nothing happens on them. */
void lookalike_listener_freeze (LookalikeListener *self);
void lookalike_listener_thaw (LookalikeListener *self);

LookalikeTap *lookalike_listener_find_tap (LookalikeListener *self, SoupServerMessage *message);

G_END_DECLS
