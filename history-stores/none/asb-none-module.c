/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <asb.h>

#include "asb-none-history-store.h"

static gboolean
register_none (AsbRegistry *registry, GError **error)
{
  return asb_registry_register_history_store (registry, "none", ASB_TYPE_NONE_HISTORY_STORE, error);
}

ASB_DEFINE_MODULE (ASB_MODULE_KIND_HISTORY_STORE, "none", register_none);
