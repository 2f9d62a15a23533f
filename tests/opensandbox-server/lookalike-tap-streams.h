/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "lookalike-tap.h"

G_BEGIN_DECLS

GInputStream *lookalike_tap_input_new (LookalikeTap *tap);
GOutputStream *lookalike_tap_output_new (LookalikeTap *tap);

/* The tap is going: its stream reads nothing and writes nothing from now on. */
void lookalike_tap_stream_forget (gpointer stream);

/* What the streams ask of the tap. */
gboolean lookalike_tap_is_held (LookalikeTap *self, gboolean writing);
GSource *lookalike_tap_create_source (LookalikeTap *self, gboolean writing,
                                      GCancellable *cancellable);
gssize lookalike_tap_read (LookalikeTap *self, void *buffer, gsize size, GError **error);
gssize lookalike_tap_write (LookalikeTap *self, const void *buffer, gsize size, GError **error);

G_END_DECLS
