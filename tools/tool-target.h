/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A local file that is replaced as a whole or not at all. */

#pragma once

#include <gio/gio.h>

typedef struct
{
  int fd;          /* to write to; -1 at first */
  char *path;      /* what is to be replaced; NULL: written to as it is */
  char *temporary; /* where it is written to until then */
  guint mode;
} ToolTarget;

/* Opens @path, or the file in it that is named as @source is when it is a directory. A device or a
 * FIFO is written to as it is. */
gboolean tool_target_open (ToolTarget *self, const char *path, const char *source, guint mode,
                           GError **error);
gboolean tool_target_commit (ToolTarget *self, GError **error);
/* What was not committed is gone. */
void tool_target_clear (ToolTarget *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolTarget, tool_target_clear)
