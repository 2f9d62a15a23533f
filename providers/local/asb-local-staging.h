/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shows sources to bubblewrap, in a mount namespace of its own. */

#pragma once

#include "asb-local-arguments.h"

/* What the process writes to standard error, and what follows is for people, when it is the fault
 * of a folder of the user. */
#define ASB_LOCAL_STAGING_PREFIX "asb-mount: "

typedef struct
{
  GPtrArray *sources; /* AsbLocalSource */
  uid_t user;         /* whose the sandbox is, as the host sees them */
  gid_t group;
  gboolean differs; /* from the caller, who is root then */
} AsbLocalStaging;

/* Runs in a new process that has one thread, before it becomes bubblewrap: only what is safe after
 * fork (). All sources are opened before the folder they are shown in hides any. Does not return if
 * it fails. */
void asb_local_stage (const AsbLocalStaging *self);
