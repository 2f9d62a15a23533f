/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <asb.h>
#include <gmodule.h>

#include "asb-local-provider.h"

static gboolean
register_types (AsbRegistry *registry, GError **error)
{
  return asb_registry_register_provider (registry, "local", ASB_TYPE_LOCAL_PROVIDER, error);
}

ASB_DEFINE_MODULE (ASB_MODULE_KIND_PROVIDER, "local", register_types);
