/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-backend-options.h"
#include "asb-backend.h"
#include "asb-enums.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_POOL (asb_pool_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbPool, asb_pool, ASB, POOL, GObject)

/**
 * AsbPoolPreparer:
 * @backend: a new one, in which work can begin
 * @task: to be answered with a boolean when it is prepared. An error means that it is of no use
 * @user_data: data given with the function
 *
 * Prepares a new sandbox of a pool: puts files there, or installs something.
 *
 * Since: 1.0
 */
typedef void (*AsbPoolPreparer) (AsbBackend *backend, GTask *task, gpointer user_data);

ASB_AVAILABLE_IN_1_0
AsbPool *asb_pool_new (AsbBackendOptions *options, guint max_idle) G_GNUC_WARN_UNUSED_RESULT;

ASB_AVAILABLE_IN_1_0
AsbBackendOptions *asb_pool_get_options (AsbPool *self);
ASB_AVAILABLE_IN_1_0
guint asb_pool_get_max_idle (AsbPool *self);
ASB_AVAILABLE_IN_1_0
void asb_pool_set_max_idle (AsbPool *self, guint max_idle);
ASB_AVAILABLE_IN_1_0
guint asb_pool_get_warmup_concurrency (AsbPool *self);
ASB_AVAILABLE_IN_1_0
void asb_pool_set_warmup_concurrency (AsbPool *self, guint warmup_concurrency);
ASB_AVAILABLE_IN_1_0
gint64 asb_pool_get_idle_timeout (AsbPool *self);
ASB_AVAILABLE_IN_1_0
void asb_pool_set_idle_timeout (AsbPool *self, gint64 idle_timeout);
ASB_AVAILABLE_IN_1_0
guint asb_pool_get_degraded_threshold (AsbPool *self);
ASB_AVAILABLE_IN_1_0
void asb_pool_set_degraded_threshold (AsbPool *self, guint degraded_threshold);
ASB_AVAILABLE_IN_1_0
guint asb_pool_get_max_acquire_retries (AsbPool *self);
ASB_AVAILABLE_IN_1_0
void asb_pool_set_max_acquire_retries (AsbPool *self, guint max_acquire_retries);
ASB_AVAILABLE_IN_1_0
AsbPoolState asb_pool_get_state (AsbPool *self);
ASB_AVAILABLE_IN_1_0
gboolean asb_pool_get_degraded (AsbPool *self);
ASB_AVAILABLE_IN_1_0
guint asb_pool_get_idle_count (AsbPool *self);
ASB_AVAILABLE_IN_1_0
guint asb_pool_get_failure_count (AsbPool *self);
ASB_AVAILABLE_IN_1_0
GError *asb_pool_get_last_error (AsbPool *self) G_GNUC_WARN_UNUSED_RESULT;

ASB_AVAILABLE_IN_1_0
void asb_pool_set_preparer (AsbPool *self, AsbPoolPreparer preparer, gpointer user_data,
                            GDestroyNotify destroy);

ASB_AVAILABLE_IN_1_0
gboolean asb_pool_start (AsbPool *self, GError **error);

ASB_AVAILABLE_IN_1_0
AsbBackend *asb_pool_acquire (AsbPool *self, AsbAcquirePolicy policy, gint64 lifetime_seconds,
                              GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_pool_acquire_async (AsbPool *self, AsbAcquirePolicy policy, gint64 lifetime_seconds,
                             GCancellable *cancellable, GAsyncReadyCallback callback,
                             gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbBackend *asb_pool_acquire_finish (AsbPool *self, GAsyncResult *result, GError **error);

ASB_AVAILABLE_IN_1_0
gssize asb_pool_release_all_idle (AsbPool *self, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_pool_release_all_idle_async (AsbPool *self, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
gssize asb_pool_release_all_idle_finish (AsbPool *self, GAsyncResult *result, GError **error);

ASB_AVAILABLE_IN_1_0
gboolean asb_pool_shutdown (AsbPool *self, GCancellable *cancellable, GError **error);
ASB_AVAILABLE_IN_1_0
void asb_pool_shutdown_async (AsbPool *self, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data);
ASB_AVAILABLE_IN_1_0
gboolean asb_pool_shutdown_finish (AsbPool *self, GAsyncResult *result, GError **error);

G_END_DECLS
