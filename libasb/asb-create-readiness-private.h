/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waiting until the application says that a new sandbox is ready. */

#pragma once

#include "asb-closure-private.h"
#include "asb-provider.h"

/* @check: an AsbReadinessCheck */
void asb_create_readiness_async (AsbProvider *provider, AsbSandboxRef *ref, AsbClosure *check,
                                 double timeout_seconds, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data);
gboolean asb_create_readiness_finish (AsbProvider *provider, GAsyncResult *result, GError **error);
