/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folders between this machine and a sandbox: as an archive, by the rules of the guest, which this
 * side keeps to as well. */

#pragma once

#include "tool-command.h"

/* What was left out on the way has been named. */
typedef enum
{
  TOOL_FOLDER_FAILED,
  TOOL_FOLDER_INCOMPLETE,
  TOOL_FOLDER_DONE
} ToolFolderOutcome;

/* The option that says it, for a list of them. */
#define TOOL_FOLDER_CONFLICT_OPTION(value)                                                         \
  {                                                                                                \
    "conflict", '\0', TOOL_OPTION_TEXT, &(value), "RULE",                                          \
        "what becomes of a file that is in the way of one of a folder: error (default), "          \
        "overwrite or skip",                                                                       \
        TOOL_COMPLETE_NOTHING, TOOL_GROUP_OWN, tool_folder_conflicts                               \
  }

/* What it takes, by the values of AsbArchiveConflict. */
extern const char *const tool_folder_conflicts[];

/* Puts what is in the folder @local into @remote, which is made if need be. */
ToolFolderOutcome tool_folder_put (Tool *tool, AsbBackend *backend, const char *local,
                                   const char *remote, AsbArchiveConflict conflict, GError **error);

/* Puts what is in @remote into the folder @local, or into one in it that is named as @remote is,
 * if it is there. */
ToolFolderOutcome tool_folder_get (Tool *tool, AsbBackend *backend, const char *remote,
                                   const char *local, AsbArchiveConflict conflict, GError **error);

/* Writes it to standard output, as a tar. */
ToolFolderOutcome tool_folder_print (Tool *tool, AsbBackend *backend, const char *remote,
                                     GError **error);
