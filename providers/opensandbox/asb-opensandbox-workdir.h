/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The working directory of a sandbox, kept in labels: servers have no place of their own for it. */

#pragma once

#include <glib.h>

#define ASB_OPENSANDBOX_LABEL_WORKDIR "agent_sandbox.workdir"

/* Puts @workdir into @metadata, which owns its strings; nothing where it is the usual one. Fails if
 * there is another one already. @workdir: (nullable) */
gboolean asb_opensandbox_workdir_add (GHashTable *metadata, const char *workdir, GError **error);

/* Returns: (nullable): what @metadata says. @metadata: (nullable) */
char *asb_opensandbox_workdir_dup (GHashTable *metadata);
