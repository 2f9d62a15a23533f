/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <unistd.h>

#include "tool-commands.h"
#include "tool-message.h"
#include "tool-no-record.h"
#include "tool-output.h"
#include "tool-sandbox.h"

/* Returns: the exit status */
static int
print_file (Tool *tool, AsbBackend *backend, const char *path)
{
  g_auto (ToolWait) open_wait = { 0 };
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GError) error = NULL;

  asb_backend_open_read_async (backend, path, tool->cancellable, tool_wait_cb, &open_wait);
  stream = asb_backend_open_read_finish (backend, tool_wait (&open_wait), &error);
  if (!stream)
    {
      tool_message_error (error);
      return TOOL_EXIT_FAILED;
    }
  tool_copy_async (stream, STDOUT_FILENO, NULL, tool->cancellable, tool_wait_cb, &wait);
  if (tool_copy_finish (tool_wait (&wait), &error))
    return TOOL_EXIT_DONE;
  return tool_output_fail (error);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbBackend) backend = tool_sandbox_connect (tool, tool_parsed_get (parsed, 0), &error);
  int status = TOOL_EXIT_DONE;

  if (!backend)
    {
      tool_message_error (error);
      return TOOL_EXIT_FAILED;
    }
  for (guint i = 1; i < parsed->arguments->len && status <= TOOL_EXIT_FAILED; i++)
    {
      const int file_status = print_file (tool, backend, tool_parsed_get (parsed, i));

      status = MAX (status, file_status);
    }
  tool_backend_close (backend);
  return status;
}

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { "PATH", "a file in the sandbox; from the folder where commands run, unless it begins with /",
    TOOL_ARGUMENT_REPEATED },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb cat scratch build.log | less", "Reads one file." },
  { "asb cat scratch part1 part2 > whole", "Joins two files." },
  { NULL, NULL },
};

const ToolCommand tool_command_cat = {
  .name = "cat",
  .summary = "print files of a sandbox",
  .description = "Prints the contents of files in a sandbox, one after the other, byte for byte. A "
                 "file that cannot be read is reported, and the others are printed.",
  .options = tool_no_record_options,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
