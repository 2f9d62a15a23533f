/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-limits.h"
#include "tool-message.h"
#include "tool-no-record.h"
#include "tool-run.h"
#include "tool-sandbox.h"

static struct
{
  gboolean detach;
  const char *name;
  GPtrArray *limits;
} options;

static gboolean
check_detached (AsbCommandSpec *spec, GError **error)
{
  if (options.detach && asb_command_spec_get_tty (spec))
    g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                         "Nobody sits at the terminal of a job; give --detach or --tty");
  else if (options.detach && tool_run_is_interactive ())
    g_set_error_literal (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                         "A job has no input, since nobody stays to give it one; leave out "
                         "--interactive, and let the command read a file that asb put brought");
  else
    return TRUE;
  return FALSE;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (AsbCommandSpec) spec = NULL;
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  if (options.name && !options.detach)
    g_set_error_literal (&error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                         "Only a job has a name; give --detach too");
  else
    spec = tool_run_make_spec (parsed, 1, &error);
  if (spec && check_detached (spec, &error)
      && tool_limits_set_command (spec, options.limits, &error))
    backend = tool_sandbox_connect (tool, tool_parsed_get (parsed, 0), &error);
  if (!backend)
    {
      tool_message_error (error);
      return TOOL_EXIT_ASB;
    }
  status = options.detach ? tool_run_detached (tool, backend, spec, options.name)
                          : tool_run_command (tool, backend, spec);
  tool_backend_close (backend);
  return status;
}

static const ToolOption option_entries[] = {
  { "detach", 'd', TOOL_OPTION_FLAG, &options.detach, NULL,
    "starts the command as a job that runs for itself, without input, and prints its ID; see asb "
    "jobs" },
  { "name", 'n', TOOL_OPTION_TEXT, &options.name, "NAME", "a name for the job" },
  TOOL_NO_RECORD_OPTION,
  { "limit", '\0', TOOL_OPTION_TEXTS, &options.limits, TOOL_LIMIT_ARGUMENT, TOOL_LIMIT_SUMMARY },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  TOOL_RUN_ARGUMENTS,
  { NULL },
};

static const ToolExample examples[] = {
  { "asb exec scratch -- make -j2 test", "Runs one program." },
  { "asb exec scratch 'cd src && git log | head'", "Runs a line of shell." },
  { "asb exec scratch -- sh < script.sh", "Runs a script of this machine." },
  { "asb exec scratch -w src -e LANG=C.UTF-8 -- ./configure",
    "Works in another folder, with a variable." },
  { "asb exec -d -n build scratch -- make", "Starts a job, and does not wait for it." },
  { "asb exec -it scratch -- python3", "Gives it a terminal, to work with by hand." },
  { NULL, NULL },
};

const ToolCommand tool_command_exec = {
  .name = "exec",
  .summary = "run a command in a sandbox that is there",
  .description
  = "Runs a command in a sandbox that asb create has made.\n\n"
    "Standard input, output and error are those of asb, byte for byte. Standard input is given to "
    "the command unless it is a terminal or /dev/null. Signals are passed on; a second interrupt "
    "within two seconds ends the command and all it started. The exit status is that of the "
    "command. What the command leaves running in the background goes on.",
  .options = option_entries,
  .more_options = tool_run_options,
  .arguments = arguments,
  .examples = examples,
  .foreign_from = 2,
  .usage_status = TOOL_EXIT_ASB,
  .run = run,
};
