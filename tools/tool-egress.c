/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-egress.h"

#include "tool-message.h"
#include "tool-output.h"
#include "tool-text.h"

static struct
{
  gboolean json;
} options;

const char *const tool_egress_actions[] = { "allow", "deny", NULL };

const ToolOption tool_egress_options[] = {
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { NULL },
};

const ToolArgument tool_egress_target_arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { "TARGET", "a name such as example.org, *.example.org for all below it, an address or a range",
    TOOL_ARGUMENT_REPEATED, TOOL_COMPLETE_NOTHING },
  { NULL },
};

static int
print_json (AsbNetworkPolicy *policy)
{
  GListModel *rules = asb_network_policy_get_rules (policy);
  ToolJson *json = tool_json_new ();

  tool_json_begin_object (json, NULL);
  tool_json_add_enum (json, "default_action", ASB_TYPE_NETWORK_ACTION,
                      asb_network_policy_get_default_action (policy));
  tool_json_begin_array (json, "rules");
  for (guint i = 0; rules && i < g_list_model_get_n_items (rules); i++)
    {
      g_autoptr (AsbNetworkRule) rule = g_list_model_get_item (rules, i);

      tool_json_begin_object (json, NULL);
      tool_json_add_enum (json, "action", ASB_TYPE_NETWORK_ACTION,
                          asb_network_rule_get_action (rule));
      tool_json_add_text (json, "target", asb_network_rule_get_target (rule));
      tool_json_end_object (json);
    }
  tool_json_end_array (json);
  tool_json_add_text (json, "mode", asb_network_policy_get_mode (policy));
  tool_json_add_text (json, "enforcement", asb_network_policy_get_enforcement (policy));
  tool_json_end_object (json);
  return tool_json_print (json);
}

static int
print_text (AsbNetworkPolicy *policy)
{
  GListModel *rules = asb_network_policy_get_rules (policy);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; rules && i < g_list_model_get_n_items (rules); i++)
    {
      g_autoptr (AsbNetworkRule) rule = g_list_model_get_item (rules, i);
      g_autofree char *target = tool_text_dup_printable (asb_network_rule_get_target (rule), -1);

      g_string_append_printf (
          text, "%-6s %s\n",
          tool_enum_get_nick (ASB_TYPE_NETWORK_ACTION, asb_network_rule_get_action (rule)), target);
    }
  g_string_append_printf (
      text, "%-6s everything else\n",
      tool_enum_get_nick (ASB_TYPE_NETWORK_ACTION, asb_network_policy_get_default_action (policy)));
  return tool_output_print (text->str, text->len);
}

static AsbNetworkPolicy *
ask_sandbox (Tool *tool, const ToolParsed *parsed, ToolEgressAskFunc ask,
             ToolEgressFinishFunc finish, GError **error)
{
  g_auto (ToolSandbox) sandbox = { 0 };
  g_auto (ToolWait) wait = { 0 };

  if (!tool_sandbox_find (tool, tool_parsed_get (parsed, 0), TOOL_SANDBOX_LIVE, &sandbox, error))
    return NULL;
  ask (tool, &sandbox, parsed, &wait);
  return finish (sandbox.provider, tool_wait (&wait), error);
}

int
tool_egress_run (Tool *tool, const ToolParsed *parsed, ToolEgressAskFunc ask,
                 ToolEgressFinishFunc finish)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbNetworkPolicy) policy = ask_sandbox (tool, parsed, ask, finish, &error);

  if (policy)
    return options.json ? print_json (policy) : print_text (policy);
  tool_message_error (error);
  return TOOL_EXIT_FAILED;
}

static void
ask_patch (Tool *tool, const ToolSandbox *sandbox, const ToolParsed *parsed,
           AsbNetworkAction action, ToolWait *wait)
{
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();

  for (guint i = 1; i < parsed->arguments->len; i++)
    asb_network_policy_add_rule (policy, action, tool_parsed_get (parsed, i));
  asb_provider_patch_network_policy_async (sandbox->provider, tool_sandbox_get_id (sandbox->info),
                                           policy, tool->cancellable, tool_wait_cb, wait);
}

static void
ask_allow (Tool *tool, const ToolSandbox *sandbox, const ToolParsed *parsed, ToolWait *wait)
{
  ask_patch (tool, sandbox, parsed, ASB_NETWORK_ACTION_ALLOW, wait);
}

static void
ask_deny (Tool *tool, const ToolSandbox *sandbox, const ToolParsed *parsed, ToolWait *wait)
{
  ask_patch (tool, sandbox, parsed, ASB_NETWORK_ACTION_DENY, wait);
}

int
tool_egress_run_patch (Tool *tool, const ToolParsed *parsed, AsbNetworkAction action)
{
  return tool_egress_run (tool, parsed, action == ASB_NETWORK_ACTION_ALLOW ? ask_allow : ask_deny,
                          asb_provider_patch_network_policy_finish);
}
