/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] One folder of a sandbox that is packed: by a tar there into a file, which is downloaded and
 * packed anew on its way. */

#pragma once

#include <asb.h>

#include "asb-opensandbox-execd.h"

typedef struct
{
  const char *path;
  const char *const *names; /* NULL: all that is in it */
  AsbArchiveFormat format;
  guint64 members;
  guint64 bytes;
  guint64 file_bytes;
} AsbOpensandboxPackingRules;

/* Answers @task with the stream. */
void asb_opensandbox_packing_open (AsbOpensandboxExecd *execd,
                                   const AsbOpensandboxPackingRules *rules, GTask *task);
