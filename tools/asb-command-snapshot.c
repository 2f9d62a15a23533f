/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"

static const ToolCommand *const children[] = {
  &tool_command_snapshot_create,
  &tool_command_snapshot_list,
  &tool_command_snapshot_show,
  &tool_command_snapshot_rm,
  NULL,
};

static const ToolExample examples[] = {
  { "asb snapshot create --name ready opensandbox:5f2c", "Keeps what the sandbox is now." },
  { "asb create --provider opensandbox --snapshot 9a0e…", "Makes a sandbox of that." },
  { NULL, NULL },
};

const ToolCommand tool_command_snapshot = {
  .name = "snapshot",
  .summary = "keep what a sandbox is, to make others of it",
  .description = "A snapshot is a copy of the files of a sandbox, of which new sandboxes can be "
                 "made: asb create --snapshot. They are there where the provider has them.",
  .children = children,
  .examples = examples,
};
