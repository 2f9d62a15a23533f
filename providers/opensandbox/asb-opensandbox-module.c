/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <asb.h>

#include "asb-opensandbox-provider.h"

static gboolean
register_opensandbox (AsbRegistry *registry, GError **error)
{
  return asb_registry_register_provider (registry, ASB_OPENSANDBOX_PROVIDER_NAME,
                                         ASB_TYPE_OPENSANDBOX_PROVIDER, error);
}

ASB_DEFINE_MODULE (ASB_MODULE_KIND_PROVIDER, ASB_OPENSANDBOX_PROVIDER_NAME, register_opensandbox);
