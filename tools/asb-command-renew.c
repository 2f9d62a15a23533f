/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>

#include "tool-commands.h"
#include "tool-json.h"
#include "tool-message.h"
#include "tool-output.h"
#include "tool-sandbox.h"
#include "tool-text.h"

static struct
{
  gboolean json;
} options;

static AsbSandboxInfo *
renew (Tool *tool, const char *text, gint64 seconds, GError **error)
{
  g_auto (ToolSandbox) sandbox = { 0 };
  g_auto (ToolWait) wait = { 0 };

  if (!tool_sandbox_find (tool, text, TOOL_SANDBOX_LIVE, &sandbox, error))
    return NULL;
  asb_provider_renew_sandbox_async (sandbox.provider, tool_sandbox_get_id (sandbox.info), seconds,
                                    tool->cancellable, tool_wait_cb, &wait);
  return asb_provider_renew_sandbox_finish (sandbox.provider, tool_wait (&wait), error);
}

static int
print (AsbSandboxInfo *info)
{
  g_autofree char *expires = tool_text_dup_time (asb_sandbox_info_get_expires_at (info));
  g_autofree char *line = g_strconcat (expires ? expires : "never", "\n", NULL);
  ToolJson *json;

  if (!options.json)
    return tool_output_print (line, strlen (line));
  json = tool_json_new ();
  tool_json_begin_object (json, NULL);
  tool_json_add_text (json, "id", tool_sandbox_get_id (info));
  tool_json_add_time (json, "expires_at", asb_sandbox_info_get_expires_at (info));
  tool_json_end_object (json);
  return tool_json_print (json);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;
  guint64 milliseconds;

  if (tool_text_parse_duration (tool_parsed_get (parsed, 1), &milliseconds, &error))
    info = renew (tool, tool_parsed_get (parsed, 0), (gint64)MAX (milliseconds / 1000, 1), &error);
  if (info)
    return print (info);
  tool_message_error (error);
  return TOOL_EXIT_FAILED;
}

static const ToolOption option_entries[] = {
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { "TIME", "how long it shall live from now on: seconds, or 90s, 5m, 2h, 1d", 0,
    TOOL_COMPLETE_NOTHING },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb renew opensandbox:5f2c 2h", "Keeps it for two hours from now, and prints until when." },
  { NULL, NULL },
};

const ToolCommand tool_command_renew = {
  .name = "renew",
  .summary = "set when a sandbox ends",
  .description = "Lets a sandbox live for so long from now on, be that more or less than it had "
                 "left, and prints when it ends.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
