/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-enums.h"
#include "asb-sandbox-metrics.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_METRICS_WATCH (asb_metrics_watch_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbMetricsWatch, asb_metrics_watch, ASB, METRICS_WATCH, GObject)

ASB_AVAILABLE_IN_1_0
AsbMetricsWatch *asb_metrics_watch_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
AsbMetricsWatchState asb_metrics_watch_get_state (AsbMetricsWatch *self);
ASB_AVAILABLE_IN_1_0
GError *asb_metrics_watch_dup_error (AsbMetricsWatch *self) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
void asb_metrics_watch_close (AsbMetricsWatch *self);
ASB_AVAILABLE_IN_1_0
GCancellable *asb_metrics_watch_get_cancellable (AsbMetricsWatch *self);
ASB_AVAILABLE_IN_1_0
void asb_metrics_watch_push (AsbMetricsWatch *self, AsbSandboxMetrics *metrics);
ASB_AVAILABLE_IN_1_0
void asb_metrics_watch_end (AsbMetricsWatch *self);
ASB_AVAILABLE_IN_1_0
void asb_metrics_watch_fail (AsbMetricsWatch *self, const GError *error);

G_END_DECLS
