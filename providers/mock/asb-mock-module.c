/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <asb.h>

#include "asb-mock-provider.h"

static gboolean
register_mock (AsbRegistry *registry, GError **error)
{
  return asb_registry_register_provider (registry, "mock", ASB_TYPE_MOCK_PROVIDER, error);
}

ASB_DEFINE_MODULE (ASB_MODULE_KIND_PROVIDER, "mock", register_mock);
