/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <asb.h>

#include "asb-opensandbox-client.h"
#include "asb-opensandbox-lifecycle.h"

#define ASB_OPENSANDBOX_PROVIDER_NAME "opensandbox"
#define ASB_OPENSANDBOX_PROVIDER_KEY "opensandbox-default"

#define ASB_TYPE_OPENSANDBOX_PROVIDER (asb_opensandbox_provider_get_type ())
G_DECLARE_FINAL_TYPE (AsbOpensandboxProvider, asb_opensandbox_provider, ASB, OPENSANDBOX_PROVIDER,
                      GObject)

/* Any thread. They stay as they are once the provider is initialised. */
AsbOpensandboxLifecycle *asb_opensandbox_provider_get_lifecycle (AsbOpensandboxProvider *self);
