/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A PTY session: bash on a terminal or on pipes, and the one client it has. */

#pragma once

#include "lookalike-replay.h"
#include "lookalike-request.h"

G_BEGIN_DECLS

typedef struct _LookalikePty LookalikePty;
typedef struct _LookalikePtyClient LookalikePtyClient;

/* Who is told of output and of the end. */
typedef struct
{
  void (*output) (LookalikePty *pty, guint8 opcode, const guint8 *bytes, gsize size, gpointer data);
  void (*ended) (LookalikePty *pty, int exit_code, gpointer data);
} LookalikePtyEvents;

LookalikePty *lookalike_pty_new (LookalikeSandbox *sandbox, const char *cwd, const char *command);
LookalikePty *lookalike_pty_ref (LookalikePty *self);
void lookalike_pty_unref (LookalikePty *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LookalikePty, lookalike_pty_unref)
/* Ends it, its client too, and gives the reference up. */
void lookalike_pty_remove (LookalikePty *self);

const char *lookalike_pty_get_id (LookalikePty *self);
gboolean lookalike_pty_is_running (LookalikePty *self);
gboolean lookalike_pty_is_terminal (LookalikePty *self);
LookalikeReplay *lookalike_pty_get_replay (LookalikePty *self);

gboolean lookalike_pty_start (LookalikePty *self, gboolean terminal, GError **error);
void lookalike_pty_write (LookalikePty *self, const guint8 *bytes, gsize size);
void lookalike_pty_signal (LookalikePty *self, const char *name);
void lookalike_pty_resize (LookalikePty *self, int columns, int rows);
/* While the client is slow nothing is read. */
void lookalike_pty_hold_output (LookalikePty *self, gboolean hold);

void lookalike_pty_set_events (LookalikePty *self, const LookalikePtyEvents *events, gpointer data);
LookalikePtyClient *lookalike_pty_get_client (LookalikePty *self);
void lookalike_pty_set_client (LookalikePty *self, LookalikePtyClient *client);

/* In lookalike-pty-client.c */
void lookalike_pty_client_connect (LookalikePty *pty, LookalikeRequest *request);

G_END_DECLS
