/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* By what a sandbox is told from others. Other clients compute the same. */

#pragma once

#include <glib.h>

/* What stands for the instance id of a sandbox that was made without one. */
char *asb_opensandbox_identity_derive (const char *provider_key, const char *sandbox_id);

/* The instance id the metadata holds, or else the derived one. @metadata may be NULL. */
char *asb_opensandbox_identity_dup_instance_id (const char *provider_key, const char *sandbox_id,
                                                GHashTable *metadata);

/* Whether a request can be made for it: “.” and “..” would lead elsewhere. */
gboolean asb_opensandbox_identity_is_id (const char *id);
