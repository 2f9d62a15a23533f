/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How many operations of a backend there may be at once, and which are tried again. */

#pragma once

#include "asb-concurrency-config.h"
#include "asb-retry-config.h"
#include "asb-slot-queue-private.h"

typedef struct _AsbWorkRules AsbWorkRules;

/* Both may be NULL: everything at once; nothing again. They are not looked at afterwards. */
AsbWorkRules *asb_work_rules_new (AsbConcurrencyConfig *concurrency, AsbRetryConfig *retry);
void asb_work_rules_free (AsbWorkRules *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbWorkRules, asb_work_rules_free)

/* Returns: (transfer none) (nullable): where an operation of this type waits for its turn */
AsbSlotQueue *asb_work_rules_find_queue (AsbWorkRules *self, const char *operation_type);
/* How long closing waits. */
guint asb_work_rules_get_drain_ms (AsbWorkRules *self);
/* How long an upload waits for another one to the same target. */
double asb_work_rules_get_upload_seconds (AsbWorkRules *self);

/* Whether what has failed is to be tried again, and after how long. @n_attempts: with the one that
 * failed; @began_at: monotonic, of the first one. */
gboolean asb_work_rules_wants_retry (AsbWorkRules *self, const GError *error, guint n_attempts,
                                     gint64 began_at, guint *delay_ms);
/* Whether an operation of this type only looks. */
gboolean asb_work_rules_is_repeatable (const char *operation_type);

/* Calls @func after @delay_ms, or as soon as @cancellable (nullable) is cancelled, in @context. */
void asb_work_rules_wait (guint delay_ms, GMainContext *context, GCancellable *cancellable,
                          GSourceFunc func, gpointer user_data);
