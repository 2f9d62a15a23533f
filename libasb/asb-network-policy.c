/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-network-policy.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbNetworkPolicy:
 *
 * What a sandbox may connect to. The first rule for a target wins; what no rule is for falls to the
 * default action.
 *
 * Since: 1.0
 */

struct _AsbNetworkPolicy
{
  GObject parent_instance;

  AsbNetworkAction default_action;
  GListStore *rules;
  char *mode;
  char *enforcement;
};

enum
{
  PROP_0,
  PROP_DEFAULT_ACTION,
  PROP_RULES,
  PROP_MODE,
  PROP_ENFORCEMENT,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbNetworkPolicy, asb_network_policy, G_TYPE_OBJECT)

static void
asb_network_policy_finalize (GObject *object)
{
  AsbNetworkPolicy *self = ASB_NETWORK_POLICY (object);

  g_clear_object (&self->rules);
  g_clear_pointer (&self->mode, g_free);
  g_clear_pointer (&self->enforcement, g_free);

  G_OBJECT_CLASS (asb_network_policy_parent_class)->finalize (object);
}

static void
asb_network_policy_get_property (GObject *object, guint property_id, GValue *value,
                                 GParamSpec *pspec)
{
  AsbNetworkPolicy *self = ASB_NETWORK_POLICY (object);

  switch (property_id)
    {
    case PROP_DEFAULT_ACTION:
      g_value_set_enum (value, self->default_action);
      break;
    case PROP_RULES:
      g_value_set_object (value, self->rules);
      break;
    case PROP_MODE:
      g_value_set_string (value, self->mode);
      break;
    case PROP_ENFORCEMENT:
      g_value_set_string (value, self->enforcement);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_network_policy_set_property (GObject *object, guint property_id, const GValue *value,
                                 GParamSpec *pspec)
{
  AsbNetworkPolicy *self = ASB_NETWORK_POLICY (object);

  switch (property_id)
    {
    case PROP_DEFAULT_ACTION:
      asb_network_policy_set_default_action (self, g_value_get_enum (value));
      break;
    case PROP_RULES:
      asb_network_policy_set_rules (self, g_value_get_object (value));
      break;
    case PROP_MODE:
      asb_network_policy_set_mode (self, g_value_get_string (value));
      break;
    case PROP_ENFORCEMENT:
      asb_network_policy_set_enforcement (self, g_value_get_string (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_network_policy_class_init (AsbNetworkPolicyClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_network_policy_finalize;
  object_class->get_property = asb_network_policy_get_property;
  object_class->set_property = asb_network_policy_set_property;

  /**
   * AsbNetworkPolicy:default-action:
   *
   * What becomes of connections no rule is for. The default is %ASB_NETWORK_ACTION_DENY.
   *
   * Since: 1.0
   */
  properties[PROP_DEFAULT_ACTION]
      = g_param_spec_enum ("default-action", NULL, NULL, ASB_TYPE_NETWORK_ACTION,
                           ASB_NETWORK_ACTION_DENY, ASB_PARAM_READWRITE);

  /**
   * AsbNetworkPolicy:rules:
   *
   * The rules, [class@NetworkRule], in their order.
   *
   * Since: 1.0
   */
  properties[PROP_RULES]
      = g_param_spec_object ("rules", NULL, NULL, G_TYPE_LIST_MODEL, ASB_PARAM_READWRITE);

  /**
   * AsbNetworkPolicy:mode:
   *
   * How the policy is enforced, in the provider's words, of a policy that was read; %NULL where the
   * provider does not tell. It does not count in one that is set.
   *
   * Since: 1.0
   */
  properties[PROP_MODE] = g_param_spec_string ("mode", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbNetworkPolicy:enforcement:
   *
   * By what it is enforced, in the provider's words, of a policy that was read; %NULL where the
   * provider does not tell. It does not count in one that is set.
   *
   * Since: 1.0
   */
  properties[PROP_ENFORCEMENT]
      = g_param_spec_string ("enforcement", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_network_policy_init (AsbNetworkPolicy *self)
{
  self->default_action = ASB_NETWORK_ACTION_DENY;
  self->rules = g_list_store_new (ASB_TYPE_NETWORK_RULE);
}

/**
 * asb_network_policy_new:
 *
 * Makes a [class@NetworkPolicy] with every property at its default.
 *
 * Returns: (transfer full): a new [class@NetworkPolicy]
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_network_policy_new (void)
{
  return g_object_new (ASB_TYPE_NETWORK_POLICY, NULL);
}

/**
 * asb_network_policy_get_default_action:
 * @self: a [class@NetworkPolicy]
 *
 * Gets [property@NetworkPolicy:default-action].
 *
 * Returns: what becomes of connections no rule is for
 *
 * Since: 1.0
 */
AsbNetworkAction
asb_network_policy_get_default_action (AsbNetworkPolicy *self)
{
  g_return_val_if_fail (ASB_IS_NETWORK_POLICY (self), 0);

  return self->default_action;
}

/**
 * asb_network_policy_set_default_action:
 * @self: a [class@NetworkPolicy]
 * @default_action: what becomes of connections no rule is for
 *
 * Sets [property@NetworkPolicy:default-action].
 *
 * Since: 1.0
 */
void
asb_network_policy_set_default_action (AsbNetworkPolicy *self, AsbNetworkAction default_action)
{
  g_return_if_fail (ASB_IS_NETWORK_POLICY (self));

  if (self->default_action == default_action)
    return;
  self->default_action = default_action;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_DEFAULT_ACTION]);
}

/**
 * asb_network_policy_get_rules:
 * @self: a [class@NetworkPolicy]
 *
 * Gets [property@NetworkPolicy:rules].
 *
 * Returns: (transfer none): the rules, [class@NetworkRule], in their order
 *
 * Since: 1.0
 */
GListModel *
asb_network_policy_get_rules (AsbNetworkPolicy *self)
{
  g_return_val_if_fail (ASB_IS_NETWORK_POLICY (self), NULL);

  return G_LIST_MODEL (self->rules);
}

/**
 * asb_network_policy_set_rules:
 * @self: a [class@NetworkPolicy]
 * @rules: (nullable): a list of [class@NetworkRule], %NULL for none
 *
 * Sets [property@NetworkPolicy:rules] to what is in the list now.
 *
 * Since: 1.0
 */
void
asb_network_policy_set_rules (AsbNetworkPolicy *self, GListModel *rules)
{
  g_autoptr (GListStore) copy = NULL;

  g_return_if_fail (ASB_IS_NETWORK_POLICY (self));
  g_return_if_fail (!rules || G_IS_LIST_MODEL (rules));

  copy = g_list_store_new (ASB_TYPE_NETWORK_RULE);
  for (guint i = 0; rules && i < g_list_model_get_n_items (rules); i++)
    {
      g_autoptr (GObject) rule = g_list_model_get_item (rules, i);

      g_return_if_fail (ASB_IS_NETWORK_RULE (rule));
      g_list_store_append (copy, rule);
    }
  g_set_object (&self->rules, copy);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RULES]);
}

/**
 * asb_network_policy_get_mode:
 * @self: a [class@NetworkPolicy]
 *
 * Gets [property@NetworkPolicy:mode].
 *
 * Returns: (transfer none) (nullable): how it is enforced, in the provider's words
 *
 * Since: 1.0
 */
const char *
asb_network_policy_get_mode (AsbNetworkPolicy *self)
{
  g_return_val_if_fail (ASB_IS_NETWORK_POLICY (self), NULL);

  return self->mode;
}

/**
 * asb_network_policy_set_mode:
 * @self: a [class@NetworkPolicy]
 * @mode: (nullable): how it is enforced, in the provider's words
 *
 * Sets [property@NetworkPolicy:mode].
 *
 * Since: 1.0
 */
void
asb_network_policy_set_mode (AsbNetworkPolicy *self, const char *mode)
{
  g_return_if_fail (ASB_IS_NETWORK_POLICY (self));

  if (asb_property_replace_string (&self->mode, mode))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MODE]);
}

/**
 * asb_network_policy_get_enforcement:
 * @self: a [class@NetworkPolicy]
 *
 * Gets [property@NetworkPolicy:enforcement].
 *
 * Returns: (transfer none) (nullable): by what it is enforced, in the provider's words
 *
 * Since: 1.0
 */
const char *
asb_network_policy_get_enforcement (AsbNetworkPolicy *self)
{
  g_return_val_if_fail (ASB_IS_NETWORK_POLICY (self), NULL);

  return self->enforcement;
}

/**
 * asb_network_policy_set_enforcement:
 * @self: a [class@NetworkPolicy]
 * @enforcement: (nullable): by what it is enforced, in the provider's words
 *
 * Sets [property@NetworkPolicy:enforcement].
 *
 * Since: 1.0
 */
void
asb_network_policy_set_enforcement (AsbNetworkPolicy *self, const char *enforcement)
{
  g_return_if_fail (ASB_IS_NETWORK_POLICY (self));

  if (asb_property_replace_string (&self->enforcement, enforcement))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ENFORCEMENT]);
}

/**
 * asb_network_policy_add_rule:
 * @self: a [class@NetworkPolicy]
 * @action: what becomes of connections
 * @target: the host, address or network
 *
 * Adds a rule behind those in [property@NetworkPolicy:rules].
 *
 * Since: 1.0
 */
void
asb_network_policy_add_rule (AsbNetworkPolicy *self, AsbNetworkAction action, const char *target)
{
  g_autoptr (AsbNetworkRule) rule = NULL;

  g_return_if_fail (ASB_IS_NETWORK_POLICY (self));
  g_return_if_fail (target != NULL);

  rule = asb_network_rule_new (action, target);
  g_list_store_append (self->rules, rule);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RULES]);
}
