/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What execd's /pty says: its reply to a new session, and the messages of its WebSocket. */

#pragma once

#include <gio/gio.h>

typedef enum
{
  ASB_OPENSANDBOX_PTY_FRAME_OTHER, /* of no interest, or not known */
  ASB_OPENSANDBOX_PTY_FRAME_STDOUT,
  ASB_OPENSANDBOX_PTY_FRAME_STDERR,
  ASB_OPENSANDBOX_PTY_FRAME_REPLAY, /* output again, from an offset on */
  ASB_OPENSANDBOX_PTY_FRAME_PONG,
  ASB_OPENSANDBOX_PTY_FRAME_ERROR,
  ASB_OPENSANDBOX_PTY_FRAME_EXIT
} AsbOpensandboxPtyFrameType;

typedef struct
{
  AsbOpensandboxPtyFrameType type;
  const guint8 *bytes; /* of output, in the message */
  gsize size;
  guint64 offset;         /* of a replay */
  int exit_code;          /* 0 to 255, or −1 */
  char *words;            /* of an error, fit to be shown, maybe empty */
  gboolean did_not_start; /* is what the error is */
} AsbOpensandboxPtyFrame;

/* Reads a message, which has to live as long as *@self. */
gboolean asb_opensandbox_pty_frame_parse (AsbOpensandboxPtyFrame *self, gboolean is_text,
                                          GBytes *message, GError **error);

void asb_opensandbox_pty_frame_clear (AsbOpensandboxPtyFrame *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AsbOpensandboxPtyFrame, asb_opensandbox_pty_frame_clear)

/* Returns: (transfer full) (nullable): the id of a new session, which is fit for a path */
char *asb_opensandbox_pty_frame_parse_session (GBytes *body, GError **error);
