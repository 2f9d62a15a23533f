/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>

#include "tool-commands.h"
#include "tool-json.h"
#include "tool-message.h"
#include "tool-output.h"
#include "tool-sandbox.h"
#include "tool-text.h"

#define MAX_PORT 65535

static struct
{
  const char *lifetime;
  gboolean json;
} options;

static gboolean
parse_port (const char *text, guint *port, GError **error)
{
  guint64 number;

  if (g_ascii_string_to_unsigned (text, 10, 1, MAX_PORT, &number, NULL))
    {
      *port = (guint)number;
      return TRUE;
    }
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "“%s” is no port; give a number from 1 to 65535", text);
  return FALSE;
}

/* 0: the address is not signed. */
static gboolean
parse_expiry (gint64 *expires, GError **error)
{
  guint64 milliseconds;

  *expires = 0;
  if (!options.lifetime)
    return TRUE;
  if (!tool_text_parse_duration (options.lifetime, &milliseconds, error))
    return FALSE;
  *expires = g_get_real_time () / G_USEC_PER_SEC + (gint64)MAX (milliseconds / 1000, 1);
  return TRUE;
}

static AsbEndpoint *
look_up (Tool *tool, const ToolParsed *parsed, GError **error)
{
  g_auto (ToolSandbox) sandbox = { 0 };
  g_auto (ToolWait) wait = { 0 };
  gint64 expires;
  guint port;

  if (!parse_port (tool_parsed_get (parsed, 1), &port, error) || !parse_expiry (&expires, error)
      || !tool_sandbox_find (tool, tool_parsed_get (parsed, 0), TOOL_SANDBOX_LIVE, &sandbox, error))
    return NULL;
  asb_provider_get_endpoint_async (sandbox.provider, tool_sandbox_get_id (sandbox.info), port,
                                   expires, tool->cancellable, tool_wait_cb, &wait);
  return asb_provider_get_endpoint_finish (sandbox.provider, tool_wait (&wait), error);
}

static int
print (AsbEndpoint *endpoint)
{
  g_autofree char *line = NULL;
  ToolJson *json;

  if (options.json)
    {
      json = tool_json_new ();
      tool_json_begin_object (json, NULL);
      tool_json_add_integer (json, "port", asb_endpoint_get_port (endpoint));
      tool_json_add_text (json, "url", asb_endpoint_get_uri (endpoint));
      tool_json_add_table (json, "headers", asb_endpoint_get_headers (endpoint));
      tool_json_end_object (json);
      return tool_json_print (json);
    }
  if (asb_endpoint_get_headers (endpoint)
      && g_hash_table_size (asb_endpoint_get_headers (endpoint)) > 0)
    tool_message ("Requests to this address need headers, which may be secret; --json prints them");
  line = g_strconcat (asb_endpoint_get_uri (endpoint), "\n", NULL);
  return tool_output_print (line, strlen (line));
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbEndpoint) endpoint = look_up (tool, parsed, &error);

  if (endpoint)
    return print (endpoint);
  tool_message_error (error);
  return TOOL_EXIT_FAILED;
}

static const ToolOption option_entries[] = {
  { "expires", '\0', TOOL_OPTION_TEXT, &options.lifetime, "TIME",
    "asks for a signed address that is good for so long: seconds, or 90s, 5m, 2h, 1d" },
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL,
    "prints JSON, for programs: the headers too, which may be secret" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { "PORT", "the port that something in the sandbox listens on", 0, TOOL_COMPLETE_NOTHING },
  { NULL },
};

static const ToolExample examples[] = {
  { "curl \"$(asb endpoint opensandbox:5f2c 8000)/index.html\"",
    "Fetches a page from a server in the sandbox." },
  { NULL, NULL },
};

const ToolCommand tool_command_endpoint = {
  .name = "endpoint",
  .summary = "tell where a port of a sandbox is reached",
  .description
  = "Prints the address at which what listens on a port of the sandbox is reached from "
    "here. Whether something listens there is not looked at.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
