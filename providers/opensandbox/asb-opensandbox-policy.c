/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-policy.h"

#include "asb-opensandbox-json.h"
#include "asb-opensandbox-target.h"

#define WHAT "the network policy"

static const char *
action_to_string (AsbNetworkAction action)
{
  return action == ASB_NETWORK_ACTION_ALLOW ? "allow" : "deny";
}

static JsonArray *
rules_to_array (AsbNetworkPolicy *policy)
{
  GListModel *rules = asb_network_policy_get_rules (policy);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < g_list_model_get_n_items (rules); i++)
    {
      g_autoptr (AsbNetworkRule) rule = g_list_model_get_item (rules, i);
      JsonObject *object = json_object_new ();

      json_object_set_string_member (object, "action",
                                     action_to_string (asb_network_rule_get_action (rule)));
      json_object_set_string_member (object, "target", asb_network_rule_get_target (rule));
      json_array_add_object_element (array, object);
    }
  return array;
}

gboolean
asb_opensandbox_policy_check (AsbNetworkPolicy *policy, GError **error)
{
  GListModel *rules = asb_network_policy_get_rules (policy);

  for (guint i = 0; i < g_list_model_get_n_items (rules); i++)
    {
      g_autoptr (AsbNetworkRule) rule = g_list_model_get_item (rules, i);

      if (!asb_opensandbox_target_check (asb_network_rule_get_target (rule), error))
        return FALSE;
    }
  return TRUE;
}

JsonNode *
asb_opensandbox_policy_rules_to_json (AsbNetworkPolicy *policy)
{
  g_autoptr (JsonArray) rules = rules_to_array (policy);

  return json_node_init_array (json_node_alloc (), rules);
}

JsonNode *
asb_opensandbox_policy_to_json (AsbNetworkPolicy *policy)
{
  g_autoptr (JsonObject) object = json_object_new ();

  json_object_set_string_member (object, "defaultAction",
                                 action_to_string (asb_network_policy_get_default_action (policy)));
  json_object_set_array_member (object, "egress", rules_to_array (policy));
  return json_node_init_object (json_node_alloc (), object);
}

static gboolean
parse_action (const char *text, AsbNetworkAction *action, GError **error)
{
  if (g_ascii_strcasecmp (text, "allow") == 0)
    *action = ASB_NETWORK_ACTION_ALLOW;
  else if (g_ascii_strcasecmp (text, "deny") == 0)
    *action = ASB_NETWORK_ACTION_DENY;
  else
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                           "The network policy holds an action that is neither “allow” nor "
                           "“deny”");
      return FALSE;
    }
  return TRUE;
}

static gboolean
read_rules (JsonArray *rules, AsbNetworkPolicy *policy, GError **error)
{
  for (guint i = 0; i < json_array_get_length (rules); i++)
    {
      JsonObject *rule = asb_opensandbox_json_get_element (rules, i, WHAT, error);
      const char *text = NULL;
      const char *target = NULL;
      AsbNetworkAction action;

      if (!rule || !asb_opensandbox_json_get_string (rule, "action", TRUE, &text, error)
          || !asb_opensandbox_json_get_string (rule, "target", TRUE, &target, error)
          || !parse_action (text, &action, error))
        return FALSE;
      asb_network_policy_add_rule (policy, action, target);
    }
  return TRUE;
}

static gboolean
read_policy (JsonObject *object, AsbNetworkPolicy *policy, GError **error)
{
  JsonArray *rules = NULL;
  const char *text = NULL;
  AsbNetworkAction action = ASB_NETWORK_ACTION_DENY; /* as the sidecar has it */

  if (!asb_opensandbox_json_get_string (object, "defaultAction", FALSE, &text, error)
      || !asb_opensandbox_json_get_array (object, "egress", FALSE, &rules, error)
      || (text && !parse_action (text, &action, error))
      || (rules && !read_rules (rules, policy, error)))
    return FALSE;
  asb_network_policy_set_default_action (policy, action);
  return TRUE;
}

AsbNetworkPolicy *
asb_opensandbox_policy_parse (GBytes *body, GError **error)
{
  g_autoptr (JsonObject) object = asb_opensandbox_json_parse_object (body, WHAT, error);
  g_autoptr (AsbNetworkPolicy) policy = asb_network_policy_new ();
  JsonObject *inner = NULL;
  const char *mode = NULL;
  const char *enforcement = NULL;

  if (!object || !asb_opensandbox_json_get_string (object, "mode", FALSE, &mode, error)
      || !asb_opensandbox_json_get_string (object, "enforcementMode", FALSE, &enforcement, error)
      || !asb_opensandbox_json_get_object (object, "policy", TRUE, &inner, error)
      || !read_policy (inner, policy, error))
    return NULL;
  asb_network_policy_set_mode (policy, mode);
  asb_network_policy_set_enforcement (policy, enforcement);
  return g_steal_pointer (&policy);
}
