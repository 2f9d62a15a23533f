/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] Reading a file: looked at first, since execd downloads what is none, then downloaded. */

#pragma once

#include "asb-opensandbox-native-call.h"

void asb_opensandbox_native_read_file (GTask *task);
void asb_opensandbox_native_open_read (GTask *task);
void asb_opensandbox_native_read_lines (GTask *task);

/* For operations that need a file on their way: its bytes, up to @length (−1: all) from @offset on.
 * @task is answered when that fails; else @callback is called with the stream and what is known of
 * the file, both transfer full, once bytes come. */
typedef void (*AsbOpensandboxReadOpened) (GTask *task, GInputStream *stream, AsbFileInfo *info);
void asb_opensandbox_native_read_open (GTask *task, AsbOpensandboxExecd *execd, const char *path,
                                       guint64 offset, gint64 length,
                                       AsbOpensandboxReadOpened callback);

/* The same, with all bytes gathered, at most @max of them. */
typedef void (*AsbOpensandboxReadGathered) (GTask *task, GBytes *bytes, AsbFileInfo *info);
void asb_opensandbox_native_read_gather (GTask *task, AsbOpensandboxExecd *execd, const char *path,
                                         guint64 offset, gint64 length,
                                         AsbOpensandboxReadGathered callback);
