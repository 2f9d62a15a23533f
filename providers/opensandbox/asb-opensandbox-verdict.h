/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Why a sandbox did not get ready: by what was tried last, by its state, and by what the server has
 * seen of it. */

#pragma once

#include "asb-opensandbox-lifecycle.h"

typedef struct
{
  char *sandbox_id;
  double seconds;       /* how long was waited */
  GError *last_error;   /* of the last try */
  AsbSandboxInfo *info; /* (nullable): what it was when last seen */
  gboolean is_direct;   /* it is reached without the server */
} AsbOpensandboxVerdict;

void asb_opensandbox_verdict_clear (AsbOpensandboxVerdict *self);

/* Whether waiting longer helps nothing: a key or token was refused. */
gboolean asb_opensandbox_verdict_is_refusal (const GError *error);

/* Whether a sandbox that ended for that had too little memory. Both may be NULL. */
gboolean asb_opensandbox_verdict_is_memory (const char *reason, const char *message);
#define ASB_OPENSANDBOX_VERDICT_MEMORY                                                             \
  "; that is what a lack of memory looks like: ask for more of the resource “memory”"

/* Notes what the sandbox is, and says whether it has ended. @info may be NULL. */
gboolean asb_opensandbox_verdict_is_final (AsbOpensandboxVerdict *self, AsbSandboxInfo *info);

/* [io] Asks the server for what it knows, and never fails to make an error of it. @self must stay.
 */
void asb_opensandbox_verdict_explain_async (AsbOpensandboxLifecycle *lifecycle,
                                            AsbOpensandboxVerdict *self, GCancellable *cancellable,
                                            GAsyncReadyCallback callback, gpointer user_data);

/* Returns: (transfer full) */
GError *asb_opensandbox_verdict_explain_finish (AsbOpensandboxLifecycle *lifecycle,
                                                GAsyncResult *result);
