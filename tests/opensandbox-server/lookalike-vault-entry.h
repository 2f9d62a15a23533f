/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Credentials and bindings of a vault, checked. Values are not kept: nothing here uses them. */

#pragma once

#include "lookalike-egress.h"

G_BEGIN_DECLS

typedef struct
{
  char *name;
  gint64 revision;
  JsonObject *shown;      /* what the state tells of it */
  GPtrArray *credentials; /* names a binding uses; NULL for a credential */
  GPtrArray *hosts;
} LookalikeVaultEntry;

LookalikeVaultEntry *lookalike_vault_entry_new_credential (JsonNode *node, gint64 revision,
                                                           GError **error);
LookalikeVaultEntry *lookalike_vault_entry_new_binding (JsonNode *node, gint64 revision,
                                                        GError **error);
LookalikeVaultEntry *lookalike_vault_entry_ref (LookalikeVaultEntry *self);
void lookalike_vault_entry_unref (LookalikeVaultEntry *self);

G_END_DECLS
