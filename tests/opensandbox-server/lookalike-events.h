/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The event stream of execd: one bare JSON object and an empty line an event. */

#pragma once

#include "lookalike-request.h"

G_BEGIN_DECLS

typedef struct _LookalikeEvents LookalikeEvents;

LookalikeEvents *lookalike_events_new (LookalikeRequest *request);
void lookalike_events_unref (LookalikeEvents *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LookalikeEvents, lookalike_events_unref)

/* The first event, and the pings from now on. */
void lookalike_events_send_init (LookalikeEvents *self, const char *id);
/* "stdout", "stderr"; an empty text is not sent. */
void lookalike_events_send_text (LookalikeEvents *self, const char *type, const char *text,
                                 gsize length);
void lookalike_events_send_error (LookalikeEvents *self, const char *value, const char *traceback);
void lookalike_events_send_complete (LookalikeEvents *self, gint64 milliseconds);
/* The error envelope, as the very last bytes; or the whole answer, before the first event. */
void lookalike_events_fail (LookalikeEvents *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* The end of the stream, after the grace time or at once. */
void lookalike_events_end (LookalikeEvents *self, gboolean after_grace);

/* The client reads too slowly: hold the output back. */
gboolean lookalike_events_is_full (LookalikeEvents *self);

G_END_DECLS
