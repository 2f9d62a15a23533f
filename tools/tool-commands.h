/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The commands, each in a file of its own. */

#pragma once

#include "tool-command.h"

extern const ToolCommand tool_command_cat;
extern const ToolCommand tool_command_create;
extern const ToolCommand tool_command_doctor;
extern const ToolCommand tool_command_exec;
extern const ToolCommand tool_command_find_files;
extern const ToolCommand tool_command_get;
extern const ToolCommand tool_command_grep;
extern const ToolCommand tool_command_help;
extern const ToolCommand tool_command_history;
extern const ToolCommand tool_command_info;
extern const ToolCommand tool_command_list;
extern const ToolCommand tool_command_ls;
extern const ToolCommand tool_command_put;
extern const ToolCommand tool_command_prune;
extern const ToolCommand tool_command_rm;
extern const ToolCommand tool_command_run;
extern const ToolCommand tool_command_shell;
extern const ToolCommand tool_command_upload;
extern const ToolCommand tool_command_modules;
extern const ToolCommand tool_command_version;
extern const ToolCommand tool_command_watch;

extern const ToolCommand tool_command_diagnostics;
extern const ToolCommand tool_command_endpoint;
extern const ToolCommand tool_command_login;
extern const ToolCommand tool_command_metrics;
extern const ToolCommand tool_command_pause;
extern const ToolCommand tool_command_renew;
extern const ToolCommand tool_command_resume;

extern const ToolCommand tool_command_egress;
extern const ToolCommand tool_command_egress_allow;
extern const ToolCommand tool_command_egress_deny;
extern const ToolCommand tool_command_egress_get;
extern const ToolCommand tool_command_egress_remove;
extern const ToolCommand tool_command_egress_set;

extern const ToolCommand tool_command_snapshot;
extern const ToolCommand tool_command_snapshot_create;
extern const ToolCommand tool_command_snapshot_list;
extern const ToolCommand tool_command_snapshot_rm;
extern const ToolCommand tool_command_snapshot_show;

extern const ToolCommand tool_command_jobs;
extern const ToolCommand tool_command_jobs_attach;
extern const ToolCommand tool_command_jobs_list;
extern const ToolCommand tool_command_jobs_logs;
extern const ToolCommand tool_command_jobs_rm;
extern const ToolCommand tool_command_jobs_signal;
extern const ToolCommand tool_command_jobs_stop;
extern const ToolCommand tool_command_jobs_wait;

extern const ToolCommand tool_command_history_list;
extern const ToolCommand tool_command_history_output;
extern const ToolCommand tool_command_history_cleanup;
extern const ToolCommand tool_command_history_rm;
extern const ToolCommand tool_command_history_export;
extern const ToolCommand tool_command_history_show;
extern const ToolCommand tool_command_history_status;
