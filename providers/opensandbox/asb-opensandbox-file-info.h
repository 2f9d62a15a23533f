/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the stat of a shell says of a file. */

#pragma once

#include <asb.h>

/* For “stat -c”, of coreutils and of busybox. */
#define ASB_OPENSANDBOX_STAT_FORMAT "%f %s %u %g %Y %y"

typedef struct
{
  const char *target; /* of a link; all of these may be NULL */
  const char *hash;
  const char *previous_hash;
  guint64 n_replaced;
} AsbOpensandboxFileExtra;

/* @line has that format; @extra may be NULL. Returns: (transfer full) (nullable) */
AsbFileInfo *asb_opensandbox_file_info_parse (const char *line, const char *path,
                                              const AsbOpensandboxFileExtra *extra, GError **error);
