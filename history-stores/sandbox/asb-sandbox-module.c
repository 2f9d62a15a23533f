/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <asb.h>

#include "asb-sandbox-history-store.h"

static gboolean
register_sandbox (AsbRegistry *registry, GError **error)
{
  return asb_registry_register_history_store (registry, "sandbox", ASB_TYPE_SANDBOX_HISTORY_STORE,
                                              error);
}

ASB_DEFINE_MODULE (ASB_MODULE_KIND_HISTORY_STORE, "sandbox", register_sandbox);
