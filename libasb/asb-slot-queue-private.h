/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* So many at once; the others wait, first come, first served. From any thread. */

#pragma once

#include <gio/gio.h>

#define ASB_TYPE_SLOT_QUEUE (asb_slot_queue_get_type ())

G_DECLARE_FINAL_TYPE (AsbSlotQueue, asb_slot_queue, ASB, SLOT_QUEUE, GObject)

/* Whoever waits for longer than @seconds fails with @code, an ASB_ERROR. @what, for people:
 * “commands” */
AsbSlotQueue *asb_slot_queue_new (guint n_slots, double seconds, int code, const char *what);

/* Takes a slot if one is free and nobody waits for it. */
gboolean asb_slot_queue_try (AsbSlotQueue *self);
/* Done with a slot taken. */
void asb_slot_queue_take_async (AsbSlotQueue *self, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer user_data);
gboolean asb_slot_queue_take_finish (AsbSlotQueue *self, GAsyncResult *result, GError **error);

/* For who has a slot: hands it to the next. */
void asb_slot_queue_leave (AsbSlotQueue *self);
