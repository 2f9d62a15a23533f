/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an archive comes to: which names there will be, and where the files among them are uploaded.
 * Then the list from which a shell makes the one of the other. By one thread. */

#pragma once

#include <glib.h>

typedef struct _AsbOpensandboxBundle AsbOpensandboxBundle;

/* What a member says of itself. */
typedef struct
{
  guint mode;
  gboolean has_time;
  gint64 time;      /* of modification, seconds since 1970 */
  const char *hash; /* (nullable): of a file, what its bytes come to */
} AsbOpensandboxBundleInfo;

/* The two folders files are uploaded to, as paths for execd: @named is where they have their names
 * already, if execd can say these, @numbered where they have none. */
AsbOpensandboxBundle *asb_opensandbox_bundle_new (const char *named, const char *numbered);
void asb_opensandbox_bundle_free (AsbOpensandboxBundle *self);

/* @path is clean, as archive-name.h says. NULL, or why it cannot be. */
const char *asb_opensandbox_bundle_add_folder (AsbOpensandboxBundle *self, const char *path,
                                               const AsbOpensandboxBundleInfo *info);
const char *asb_opensandbox_bundle_add_link (AsbOpensandboxBundle *self, const char *path,
                                             const char *target,
                                             const AsbOpensandboxBundleInfo *info);
const char *asb_opensandbox_bundle_add_hard_link (AsbOpensandboxBundle *self, const char *path,
                                                  const char *target);

/* *@place: where to upload it to (transfer full). */
const char *asb_opensandbox_bundle_add_file (AsbOpensandboxBundle *self, const char *path,
                                             const AsbOpensandboxBundleInfo *info, char **place);

/* Whether that is more than is kept. */
gboolean asb_opensandbox_bundle_is_full (AsbOpensandboxBundle *self);

/* Once all is in it: lines for a shell, of the commands that asb-opensandbox-unpacking.c defines.
 * @is_new: whether the folder itself comes to be, too. Returns: (transfer full) */
char *asb_opensandbox_bundle_list (AsbOpensandboxBundle *self, gboolean is_new);

/* What comes in its place, with that of whom. Returns: (transfer full) */
char *asb_opensandbox_bundle_list_pairs (AsbOpensandboxBundle *self);

/* What the bytes of the files that are told of come to, as “sha256sum -c” takes it, and as the
 * shell does for names that it would read another way. Both return: (transfer full) */
char *asb_opensandbox_bundle_list_sums (AsbOpensandboxBundle *self);
char *asb_opensandbox_bundle_list_odd_sums (AsbOpensandboxBundle *self);

/* The modes that keep their owner out, for when all is in place. Returns: (transfer full) */
char *asb_opensandbox_bundle_list_last (AsbOpensandboxBundle *self, gboolean is_new);

/* What the pairs call @number; NULL if nothing is. */
const char *asb_opensandbox_bundle_get_name (AsbOpensandboxBundle *self, guint64 number);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxBundle, asb_opensandbox_bundle_free)
