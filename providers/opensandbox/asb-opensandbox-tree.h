/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All that is below a directory of the sandbox, as a shell tells it, and what of it a search is
 * for. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-execd.h"

typedef struct
{
  char *path;
  char **patterns; /* NULL: all match */
  AsbSearchFlags flags;
  guint max_depth; /* 0: any */
  guint time_limit_ms;
} AsbOpensandboxTreeRules;

typedef struct
{
  GPtrArray *entries; /* AsbFileInfo, in the order of the guest's searches */
  GPtrArray *errors;  /* char *, of those that are told */
  guint64 n_errors;
  gboolean is_cut; /* the time was up */
} AsbOpensandboxTree;

void asb_opensandbox_tree_free (AsbOpensandboxTree *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxTree, asb_opensandbox_tree_free)

/* Notes that something could not be looked at. Takes @message. */
void asb_opensandbox_tree_add_error (AsbOpensandboxTree *self, char *message);

/* All of what the shell said of @path. Returns: (transfer full) (nullable) */
AsbOpensandboxTree *asb_opensandbox_tree_parse (const char *path, char **lines, GError **error);

/* [io] Lists what is below @rules->path; of a path that is a file, that file alone. */
void asb_opensandbox_tree_list_async (AsbOpensandboxExecd *execd,
                                      const AsbOpensandboxTreeRules *rules,
                                      GAsyncReadyCallback callback, gpointer user_data);
AsbOpensandboxTree *asb_opensandbox_tree_list_finish (AsbOpensandboxExecd *execd,
                                                      GAsyncResult *result, GError **error);
