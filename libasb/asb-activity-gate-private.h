/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Counts the operations that are running, and closes when none is. */

#pragma once

#include <gio/gio.h>

#define ASB_TYPE_ACTIVITY_GATE (asb_activity_gate_get_type ())

G_DECLARE_FINAL_TYPE (AsbActivityGate, asb_activity_gate, ASB, ACTIVITY_GATE, GObject)

AsbActivityGate *asb_activity_gate_new (void);

/* Fails with ASB_ERROR_CLOSED, or ASB_ERROR_SANDBOX_DELETING while the gate is closing. From any
 * thread. */
gboolean asb_activity_gate_enter (AsbActivityGate *self, GError **error);
void asb_activity_gate_leave (AsbActivityGate *self);

/* Lets nobody in and waits until everybody has left. The caller then has the gate until it opens or
 * seals it; others who want to close it meanwhile wait too. After @timeout_ms, or when cancelled,
 * this fails, with ASB_ERROR_LOCK_ACQUISITION_TIMEOUT, and the gate is open again unless somebody
 * else closes it. */
void asb_activity_gate_close_async (AsbActivityGate *self, guint timeout_ms,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data);
gboolean asb_activity_gate_close_finish (AsbActivityGate *self, GAsyncResult *result,
                                         GError **error);

/* For who has the gate: opens it, or hands it to the next who wants to close it. */
void asb_activity_gate_reopen (AsbActivityGate *self);
/* For who has the gate: from now on entering fails with ASB_ERROR_CLOSED, and closing is done at
 * once. */
void asb_activity_gate_seal (AsbActivityGate *self);
gboolean asb_activity_gate_is_sealed (AsbActivityGate *self);
