/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] One session of execd's /pty: a shell that is given its text by a file nobody else can read,
 * and a WebSocket to it. */

#pragma once

#include <libsoup/soup.h>

#include "asb-opensandbox-execd.h"

typedef struct _AsbOpensandboxPty AsbOpensandboxPty;

typedef struct
{
  /* @is_stderr: where there is no terminal. */
  void (*output) (AsbOpensandboxPty *pty, gboolean is_stderr, const guint8 *bytes, gsize size,
                  gpointer data);
  /* All that was typed has been taken. */
  void (*taken) (AsbOpensandboxPty *pty, gpointer data);
  /* Once. @error is NULL when the command has ended with @exit_code, which for a signal is less
   * than 0: the number of the signal, negated, or −1 where that is not known. */
  void (*ended) (AsbOpensandboxPty *pty, int exit_code, const GError *error, gpointer data);
} AsbOpensandboxPtyHandlers;

/* Runs the text of @script, which begins when all is connected. @handlers are called, with @data,
 * until “ended” has been. */
AsbOpensandboxPty *asb_opensandbox_pty_open (AsbOpensandboxExecd *execd, GBytes *script,
                                             gboolean with_terminal,
                                             const AsbOpensandboxPtyHandlers *handlers,
                                             gpointer data);
void asb_opensandbox_pty_unref (AsbOpensandboxPty *self);

/* The id of the session; NULL before there is one. */
const char *asb_opensandbox_pty_get_id (AsbOpensandboxPty *self);

/* Sends it at once, and asks to be told when it is taken. FALSE when there is no connection. */
gboolean asb_opensandbox_pty_type (AsbOpensandboxPty *self, gconstpointer bytes, gsize size);
gboolean asb_opensandbox_pty_resize (AsbOpensandboxPty *self, guint columns, guint rows);

/* Ends the session with all that runs in it. */
void asb_opensandbox_pty_remove (AsbOpensandboxPty *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxPty, asb_opensandbox_pty_unref)
