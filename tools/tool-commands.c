/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"

const ToolCommand *const tool_commands[] = {
  &tool_command_run,     &tool_command_create,      &tool_command_exec,    &tool_command_shell,
  &tool_command_list,    &tool_command_info,        &tool_command_rm,      &tool_command_prune,
  &tool_command_ls,      &tool_command_find_files,  &tool_command_grep,    &tool_command_watch,
  &tool_command_cat,     &tool_command_put,         &tool_command_upload,  &tool_command_get,
  &tool_command_jobs,    &tool_command_history,     &tool_command_pause,   &tool_command_resume,
  &tool_command_renew,   &tool_command_endpoint,    &tool_command_egress,  &tool_command_snapshot,
  &tool_command_metrics, &tool_command_diagnostics, &tool_command_modules, &tool_command_doctor,
  &tool_command_login,   &tool_command_version,     &tool_command_help,    NULL,
};
