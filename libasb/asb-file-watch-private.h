/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-file-watch.h"

#include <jansson.h>

/* What a line of file.watch says (docs/guest-protocol.md §4.2). NULL with %ASB_ERROR_PROTOCOL when
 * that makes no sense, and without an error for an event that nobody here knows. */
AsbFileEvent *asb_file_event_new_from_json (const json_t *line, GError **error);
AsbFileEvent *asb_file_event_new_overflow (void);

/* A watch that reads @stream and gives its signals in @context. NULL with
 * %ASB_ERROR_UNSUPPORTED_CAPABILITY for a stream that cannot be waited for. */
AsbFileWatch *asb_file_watch_new (const char *path, GInputStream *stream, GMainContext *context,
                                  GError **error);

/* Begins to give signals. Only then, so that none is given before somebody could listen. */
void asb_file_watch_start (AsbFileWatch *self);
