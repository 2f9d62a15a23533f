/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <asb.h>

#include "asb-memory-history-store.h"

static gboolean
register_memory (AsbRegistry *registry, GError **error)
{
  return asb_registry_register_history_store (registry, "memory", ASB_TYPE_MEMORY_HISTORY_STORE,
                                              error);
}

ASB_DEFINE_MODULE (ASB_MODULE_KIND_HISTORY_STORE, "memory", register_memory);
