/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folders of this machine on a command line: “SOURCE[:TARGET][:MODE]”. */

#pragma once

#include "tool-command.h"

typedef struct
{
  GPtrArray *mounts;
  const char *project;
} ToolMounts;

/* The options, for a list of them. */
#define TOOL_MOUNT_OPTIONS(values)                                                                 \
  { "mount",                                                                                       \
    'v',                                                                                           \
    TOOL_OPTION_BYTES_LIST,                                                                        \
    &(values).mounts,                                                                              \
    "SOURCE[:TARGET][:MODE]",                                                                      \
    "shows a folder of this machine in the sandbox, at TARGET or else at /workspace/NAME; MODE "   \
    "is "                                                                                          \
    "ro (read-only, also if not given), rw (changes are made to the folder itself) or overlay "    \
    "(changes are kept with the sandbox)",                                                         \
    TOOL_COMPLETE_FILE,                                                                            \
    TOOL_GROUP_SANDBOX },                                                                          \
  {                                                                                                \
    "project", 'p', TOOL_OPTION_BYTES, &(values).project, "DIR[:MODE]",                            \
        "works on a folder of this machine: shows it at /workspace, as an overlay if no other "    \
        "MODE "                                                                                    \
        "is given",                                                                                \
        TOOL_COMPLETE_FILE, TOOL_GROUP_SANDBOX                                                     \
  }

/* Puts what was given in @options. */
gboolean tool_mounts_apply (const ToolMounts *self, AsbBackendOptions *options, GError **error);

/* For example “/home/me/src at /workspace, overlay”. */
char *tool_mount_dup_text (AsbMount *mount);
