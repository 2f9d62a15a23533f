/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is known of a creation under its idempotency key: another one with that key waits for it and
 * gets the same sandbox. [io] */

#pragma once

#include <gio/gio.h>

typedef struct
{
  grefcount references;
  gboolean is_running;
  char *sandbox_id;   /* (nullable): what it made */
  char *instance_id;  /* (nullable): by what something may be found whose making was left open */
  gint64 began_at;    /* monotonic: when that was tried */
  GPtrArray *waiting; /* GTask */
} AsbOpensandboxCreation;

AsbOpensandboxCreation *asb_opensandbox_creation_new (void);
AsbOpensandboxCreation *asb_opensandbox_creation_ref (AsbOpensandboxCreation *self);
void asb_opensandbox_creation_unref (AsbOpensandboxCreation *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxCreation, asb_opensandbox_creation_unref)
