/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-key.h"
#include "tool-message.h"
#include "tool-secret.h"
#include "tool-server.h"

static struct
{
  gboolean forget;
} options;

static gboolean
forget (Tool *tool, const char *origin, GError **error)
{
  g_autoptr (GError) cause = NULL;

  if (tool_secret_forget (tool, origin, &cause))
    return TRUE;
  if (cause)
    g_propagate_error (error, g_steal_pointer (&cause));
  else
    g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "No key of %s is stored", origin);
  return FALSE;
}

static gboolean
store (Tool *tool, const char *origin, GError **error)
{
  g_autofree char *prompt = g_strdup_printf ("API key of %s: ", origin);
  g_autofree char *key = tool_key_read_input (prompt, tool->cancellable, error);

  return key && tool_secret_store (tool, origin, key, error);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *origin = tool_server_dup_origin (&error);

  if (origin && (options.forget ? forget (tool, origin, &error) : store (tool, origin, &error)))
    return TOOL_EXIT_DONE;
  tool_message_error (error);
  return TOOL_EXIT_FAILED;
}

static const ToolOption option_entries[] = {
  { "forget", '\0', TOOL_OPTION_FLAG, &options.forget, NULL,
    "removes the key that is stored for the server" },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb login --server https://sandboxes.example.org", "Asks for the key and stores it." },
  { "asb login < key.txt", "Takes it from a file, for the server that is used if none is given." },
  { NULL, NULL },
};

const ToolCommand tool_command_login = {
  .name = "login",
  .summary = "store the key of a server",
  .description
  = "Stores the key of an OpenSandbox server in the secret service of the desktop, from where "
    "other commands take it when neither --api-key-file nor $OPEN_SANDBOX_API_KEY gives one. The "
    "key is read from standard input, or asked for at a terminal.\n\n"
    "The secret has the attributes service, which is asb, and server, the server's scheme, host "
    "and port, so secret-tool can look after it, too:\n\n"
    "  secret-tool store --label='API key' service asb server http://localhost:8080\n\n"
    "Where the secret is locked, commands wait a minute for the password that the service asks "
    "for. One that does not answer within five seconds is passed over, and that is told.",
  .options = option_entries,
  .more_options = tool_server_address_options,
  .examples = examples,
  .run = run,
};
