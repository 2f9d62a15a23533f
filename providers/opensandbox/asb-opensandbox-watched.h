/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] What is uploaded, and whose turn it is meanwhile. */

#pragma once

#include <gio/gio.h>

/* Told with TRUE when something was taken to be sent, and with FALSE when more is asked for: in
 * between it is the other side that is waited for. */
typedef void (*AsbOpensandboxWatch) (gboolean is_sending, gpointer data);

#define ASB_TYPE_OPENSANDBOX_WATCHED (asb_opensandbox_watched_get_type ())
G_DECLARE_FINAL_TYPE (AsbOpensandboxWatched, asb_opensandbox_watched, ASB, OPENSANDBOX_WATCHED,
                      GInputStream)

/* @content is pollable. */
AsbOpensandboxWatched *asb_opensandbox_watched_new (GInputStream *content,
                                                    AsbOpensandboxWatch watch, gpointer data);

/* Nobody looks any more. */
void asb_opensandbox_watched_leave (AsbOpensandboxWatched *self);
