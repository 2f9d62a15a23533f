/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#define ASB_INSIDE

#include "asb-backend-options.h"
#include "asb-backend.h"
#include "asb-capabilities.h"
#include "asb-capability.h"
#include "asb-command-result-config.h"
#include "asb-command-result.h"
#include "asb-command-spec.h"
#include "asb-command.h"
#include "asb-enum-types.h"
#include "asb-enums.h"
#include "asb-error-info.h"
#include "asb-error.h"
#include "asb-file-info.h"
#include "asb-file-request.h"
#include "asb-guest-transport.h"
#include "asb-history-change.h"
#include "asb-history-config.h"
#include "asb-history-operation.h"
#include "asb-history-page.h"
#include "asb-history-status.h"
#include "asb-history-store.h"
#include "asb-json-check.h"
#include "asb-module.h"
#include "asb-operation.h"
#include "asb-process.h"
#include "asb-provider.h"
#include "asb-registry.h"
#include "asb-resource-limits.h"
#include "asb-sandbox-filter.h"
#include "asb-sandbox-info.h"
#include "asb-sandbox-ref.h"
#include "asb-sandbox-spec.h"
#include "asb-stream-spec.h"
#include "asb-transport.h"
#include "asb-uuid.h"
#include "asb-version.h"

#undef ASB_INSIDE
