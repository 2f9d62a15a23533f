/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether the settings for how many operations there may be at once, and which are tried again, are
 * in their ranges: %ASB_ERROR_INVALID_ARGUMENT names the first that is not. */

#pragma once

#include "asb-concurrency-config.h"
#include "asb-retry-config.h"

gboolean asb_concurrency_config_check (AsbConcurrencyConfig *self, GError **error);
gboolean asb_retry_config_check (AsbRetryConfig *self, GError **error);
