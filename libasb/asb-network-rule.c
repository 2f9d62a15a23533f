/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-network-rule.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbNetworkRule:
 *
 * What becomes of connections to one target.
 *
 * Since: 1.0
 */

struct _AsbNetworkRule
{
  GObject parent_instance;

  AsbNetworkAction action;
  char *target;
};

enum
{
  PROP_0,
  PROP_ACTION,
  PROP_TARGET,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbNetworkRule, asb_network_rule, G_TYPE_OBJECT)

static void
asb_network_rule_finalize (GObject *object)
{
  AsbNetworkRule *self = ASB_NETWORK_RULE (object);

  g_clear_pointer (&self->target, g_free);

  G_OBJECT_CLASS (asb_network_rule_parent_class)->finalize (object);
}

static void
asb_network_rule_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbNetworkRule *self = ASB_NETWORK_RULE (object);

  switch (property_id)
    {
    case PROP_ACTION:
      g_value_set_enum (value, self->action);
      break;
    case PROP_TARGET:
      g_value_set_string (value, self->target);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_network_rule_set_property (GObject *object, guint property_id, const GValue *value,
                               GParamSpec *pspec)
{
  AsbNetworkRule *self = ASB_NETWORK_RULE (object);

  switch (property_id)
    {
    case PROP_ACTION:
      self->action = g_value_get_enum (value);
      break;
    case PROP_TARGET:
      self->target = g_value_dup_string (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_network_rule_class_init (AsbNetworkRuleClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_network_rule_finalize;
  object_class->get_property = asb_network_rule_get_property;
  object_class->set_property = asb_network_rule_set_property;

  /**
   * AsbNetworkRule:action:
   *
   * What becomes of them.
   *
   * Since: 1.0
   */
  properties[PROP_ACTION] = g_param_spec_enum ("action", NULL, NULL, ASB_TYPE_NETWORK_ACTION, 0,
                                               ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbNetworkRule:target:
   *
   * The name of a host, one with `*.` in front for all below it, an address, or a network in CIDR
   * notation, as far as the provider takes them.
   *
   * Since: 1.0
   */
  properties[PROP_TARGET]
      = g_param_spec_string ("target", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_network_rule_init (AsbNetworkRule *self)
{
}

/**
 * asb_network_rule_get_action:
 * @self: a [class@NetworkRule]
 *
 * Gets [property@NetworkRule:action].
 *
 * Returns: what becomes of them
 *
 * Since: 1.0
 */
AsbNetworkAction
asb_network_rule_get_action (AsbNetworkRule *self)
{
  g_return_val_if_fail (ASB_IS_NETWORK_RULE (self), 0);

  return self->action;
}

/**
 * asb_network_rule_get_target:
 * @self: a [class@NetworkRule]
 *
 * Gets [property@NetworkRule:target].
 *
 * Returns: (transfer none) (nullable): the host, address or network
 *
 * Since: 1.0
 */
const char *
asb_network_rule_get_target (AsbNetworkRule *self)
{
  g_return_val_if_fail (ASB_IS_NETWORK_RULE (self), NULL);

  return self->target;
}

/**
 * asb_network_rule_new:
 * @action: what becomes of connections
 * @target: the host, address or network
 *
 * Makes a rule.
 *
 * Returns: (transfer full): a new [class@NetworkRule]
 *
 * Since: 1.0
 */
AsbNetworkRule *
asb_network_rule_new (AsbNetworkAction action, const char *target)
{
  g_return_val_if_fail (target != NULL, NULL);

  return g_object_new (ASB_TYPE_NETWORK_RULE, "action", action, "target", target, NULL);
}
