/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>

#include "tool-commands.h"
#include "tool-json.h"
#include "tool-message.h"
#include "tool-output.h"
#include "tool-sandbox.h"
#include "tool-text.h"

#define USUAL_KIND "summary"

static struct
{
  const char *scope;
  gboolean json;
} options;

static AsbDiagnostics *
ask (Tool *tool, const ToolParsed *parsed, GError **error)
{
  const char *kind = tool_parsed_get (parsed, 1);
  g_auto (ToolSandbox) sandbox = { 0 };
  g_auto (ToolWait) wait = { 0 };

  if (!tool_sandbox_find (tool, tool_parsed_get (parsed, 0), TOOL_SANDBOX_ANY, &sandbox, error))
    return NULL;
  asb_provider_get_diagnostics_async (sandbox.provider, tool_sandbox_get_id (sandbox.info),
                                      kind ? kind : USUAL_KIND, options.scope, tool->cancellable,
                                      tool_wait_cb, &wait);
  return asb_provider_get_diagnostics_finish (sandbox.provider, tool_wait (&wait), error);
}

static int
print_json (AsbDiagnostics *diagnostics)
{
  const char *const *warnings = asb_diagnostics_get_warnings (diagnostics);
  ToolJson *json = tool_json_new ();

  tool_json_begin_object (json, NULL);
  tool_json_add_text (json, "kind", asb_diagnostics_get_kind (diagnostics));
  tool_json_add_text (json, "scope", asb_diagnostics_get_scope (diagnostics));
  tool_json_add_text (json, "content_type", asb_diagnostics_get_content_type (diagnostics));
  tool_json_add_text (json, "content", asb_diagnostics_get_content (diagnostics));
  tool_json_add_boolean (json, "truncated", asb_diagnostics_get_truncated (diagnostics));
  tool_json_begin_array (json, "warnings");
  for (; warnings && *warnings; warnings++)
    tool_json_add_text (json, NULL, *warnings);
  tool_json_end_array (json);
  tool_json_end_object (json);
  return tool_json_print (json);
}

/* Lines stay lines; what came out of a sandbox may not steer the terminal. */
static int
print_text (AsbDiagnostics *diagnostics)
{
  const char *const *warnings = asb_diagnostics_get_warnings (diagnostics);
  const char *content = asb_diagnostics_get_content (diagnostics);
  g_auto (GStrv) lines = g_strsplit (content ? content : "", "\n", -1);
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; lines[i]; i++)
    {
      g_autofree char *line = tool_text_dup_printable (lines[i], -1);

      if (lines[i + 1] || *line != '\0')
        g_string_append_printf (text, "%s\n", line);
    }
  for (; warnings && *warnings; warnings++)
    {
      g_autofree char *warning = tool_text_dup_printable (*warnings, -1);

      tool_message ("%s", warning);
    }
  if (asb_diagnostics_get_truncated (diagnostics))
    tool_message ("There is more that the server does not send");
  return tool_output_print (text->str, text->len);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbDiagnostics) diagnostics = ask (tool, parsed, &error);

  if (diagnostics)
    return options.json ? print_json (diagnostics) : print_text (diagnostics);
  tool_message_error (error);
  return TOOL_EXIT_FAILED;
}

static const ToolOption option_entries[] = {
  { "scope", '\0', TOOL_OPTION_TEXT, &options.scope, "SCOPE",
    "asks for this part only, for example container of logs and runtime of events" },
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { NULL },
};

static const char *const kinds[] = { "logs", "events", "inspect", USUAL_KIND, NULL };

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { "KIND", "logs, events, inspect or summary; summary if not given", TOOL_ARGUMENT_OPTIONAL,
    TOOL_COMPLETE_NOTHING, kinds },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb diagnostics opensandbox:5f2c logs", "Prints what the container of the sandbox has said." },
  { NULL, NULL },
};

const ToolCommand tool_command_diagnostics = {
  .name = "diagnostics",
  .summary = "tell what the server knows of a sandbox that does not work",
  .description
  = "Prints what the server that runs a sandbox knows of it: the log of its container, "
    "what happened to it, its state in full, or all of that in short.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
