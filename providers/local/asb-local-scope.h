/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A scope of systemd around one sandbox: it bounds what all its processes take together. Bubblewrap
 * waits before it starts anything inside until the scope is there. */

#pragma once

#include "asb-local-launch.h"

#include <asb.h>

#define ASB_LOCAL_SYSTEMD_AUTO "auto"
#define ASB_LOCAL_SYSTEMD_NEVER "never"

typedef struct _AsbLocalScope AsbLocalScope;

/* The address of the bus where the manager of the caller is to be found. @option: “auto”, “never”,
 * or an address. Returns: NULL if there is none. */
char *asb_local_scope_find_bus (const char *option);

/* Makes bubblewrap wait. */
AsbLocalScope *asb_local_scope_new (const char *bus, AsbLocalArguments *arguments, GError **error);
void asb_local_scope_free (AsbLocalScope *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbLocalScope, asb_local_scope_free)

/* Has a scope made for @launch, and lets it go on. */
gboolean asb_local_scope_enter (AsbLocalScope *self, AsbLocalLaunch *launch, const char *id,
                                AsbResourceLimits *limits, GCancellable *cancellable,
                                GError **error);
