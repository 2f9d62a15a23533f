/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The places of the host that bubblewrap mounts, where it cannot be told their paths: another user
 * may not reach them, or somebody could exchange them meanwhile. They are shown to it in a mount
 * namespace of its own. */

#pragma once

#include <sys/types.h>

#include "asb-local-mount.h"

/* Of a state folder: what is changed in overlays. */
#define ASB_LOCAL_FOLDER_OVERLAYS "overlays"

typedef struct
{
  char *path; /* of the host */

  /* Of a folder that the user named; without target it is one of the sandbox's own. */
  char *target; /* inside */
  AsbMountMode mode;
  dev_t device; /* what was found at the path when it was checked */
  ino_t inode;
  uid_t owner; /* who is shown as the user of the sandbox */
  gid_t group;
  char *changes; /* of the host: where an overlay keeps them, NULL without */
  int root;      /* the index of the source that @target lies in, or -1 */
  char *below;   /* and where in there */
} AsbLocalSource;

AsbLocalSource *asb_local_source_new (const char *path);
void asb_local_source_free (AsbLocalSource *self);

/* Where a sandbox keeps its files, and what no folder of the user may give it a way to. */
typedef struct
{
  const char *folder; /* of the sandbox */
  const char *state_dir;
  const char *record_dir;
} AsbLocalPlaces;

/* Opens and checks the folder that each of @mounts names. Returns: one AsbLocalSource for each, in
 * their order */
GPtrArray *asb_local_sources_new (GPtrArray *mounts, const AsbLocalPlaces *places, GError **error);

/* Makes the folders where overlays keep their changes, in a state folder nobody has seen yet. */
gboolean asb_local_sources_make_changes (GPtrArray *mounts, int state_fd, GError **error);

/* Whether there is a folder @path inside, below the target of @mount. */
gboolean asb_local_mount_check_folder (const AsbLocalMount *mount, const char *path,
                                       GError **error);
