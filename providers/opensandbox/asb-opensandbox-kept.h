/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] What is known of connections, by the numbers that libsoup gives them: whether somebody has
 * used them before, and since when they are idle. */

#pragma once

#include <gio/gio.h>

/* Before so many are known, those that are gone are not looked for. */
#define ASB_OPENSANDBOX_MIN_KEPT 4096

typedef struct
{
  GHashTable *connections; /* number → what is known */
  guint enough;            /* when there are so many, those that are gone are forgotten */
} AsbOpensandboxKept;

void asb_opensandbox_kept_init (AsbOpensandboxKept *self);
void asb_opensandbox_kept_clear (AsbOpensandboxKept *self);

/* It is @stream so far, and as long as that is there it is known. */
void asb_opensandbox_kept_note_stream (AsbOpensandboxKept *self, guint64 number, GIOStream *stream);

/* It is free again. */
void asb_opensandbox_kept_note_use (AsbOpensandboxKept *self, guint64 number);

/* Whether it was used before, and how long ago, in microseconds. */
gboolean asb_opensandbox_kept_was_used (AsbOpensandboxKept *self, guint64 number, gint64 *idle);

/* Returns: (transfer full) (nullable) */
GIOStream *asb_opensandbox_kept_dup_stream (AsbOpensandboxKept *self, guint64 number);
