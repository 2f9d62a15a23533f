/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "asb-metrics-watch.h"

/* From now on signals are given in @context (nullable: the default one). What was pushed before
 * waits for that. Only the first time counts. */
void asb_metrics_watch_attach (AsbMetricsWatch *self, GMainContext *context);
