/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-backend.h"
#include "asb-command.h"
#include "asb-process.h"
#include "asb-slot-queue-private.h"

/* Told once, when the end of a command becomes known, to record it. @result is NULL if @error is
 * set. @recorded, which may be NULL, is called when that is done. */
typedef void (*AsbCommandEnded) (AsbCommandResult *result, const GError *error, gpointer user_data,
                                 GAsyncReadyCallback recorded, gpointer recorded_data);

/* @context: where signals are emitted and properties notified; NULL for the default one. The end is
 * learned there, or by whoever waits. Takes @ended_data. */
AsbCommand *asb_command_new (AsbBackend *backend, AsbProcess *process, AsbCommandFlags flags,
                             GMainContext *context, AsbCommandEnded ended, gpointer ended_data,
                             GDestroyNotify ended_destroy);

/* A place of its own among those that run at once, which it leaves when its end is known. Takes
 * @slot (nullable). */
void asb_command_take_slot (AsbCommand *self, AsbSlotQueue *slot);

/* Whether output can be read from streams. */
gboolean asb_command_has_streams (AsbCommand *self);
