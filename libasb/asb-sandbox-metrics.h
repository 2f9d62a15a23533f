/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_SANDBOX_METRICS (asb_sandbox_metrics_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbSandboxMetrics, asb_sandbox_metrics, ASB, SANDBOX_METRICS, GObject)

ASB_AVAILABLE_IN_1_0
double asb_sandbox_metrics_get_cpu_count (AsbSandboxMetrics *self);
ASB_AVAILABLE_IN_1_0
double asb_sandbox_metrics_get_cpu_percent (AsbSandboxMetrics *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_sandbox_metrics_get_memory_total (AsbSandboxMetrics *self);
ASB_AVAILABLE_IN_1_0
guint64 asb_sandbox_metrics_get_memory_used (AsbSandboxMetrics *self);
ASB_AVAILABLE_IN_1_0
GDateTime *asb_sandbox_metrics_get_sampled_at (AsbSandboxMetrics *self);

G_END_DECLS
