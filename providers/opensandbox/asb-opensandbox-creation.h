/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is known of a creation under its idempotency key: another one with that key waits for it and
 * gets the same sandbox. [io] */

#pragma once

#include <gio/gio.h>

/* So many keys are remembered. What is running, and who waits for it, is beyond that. */
#define ASB_OPENSANDBOX_MAX_CREATIONS 1024

typedef struct
{
  grefcount references;
  gboolean is_running;
  char *sandbox_id;   /* (nullable): what it made */
  char *instance_id;  /* (nullable): by what something may be found whose making was left open */
  gint64 began_at;    /* monotonic: when that was tried */
  gint64 asked_at;    /* monotonic: when the key was last used */
  GPtrArray *waiting; /* GTask */
} AsbOpensandboxCreation;

AsbOpensandboxCreation *asb_opensandbox_creation_ref (AsbOpensandboxCreation *self);
void asb_opensandbox_creation_unref (AsbOpensandboxCreation *self);

/* What they are kept in: idempotency key → AsbOpensandboxCreation */
GHashTable *asb_opensandbox_creation_new_table (void);

/* That of @key, new if there is none. Of those that are not running, the one whose key was not used
 * for the longest time goes for it where there are too many.
 * Returns: (transfer none) */
AsbOpensandboxCreation *asb_opensandbox_creation_look_up (GHashTable *creations, const char *key);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxCreation, asb_opensandbox_creation_unref)
