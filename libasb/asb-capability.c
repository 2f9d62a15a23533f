/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-capability.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbCapability:
 *
 * What a sandbox can do in one respect, and how well.
 *
 * Since: 1.0
 */

struct _AsbCapability
{
  GObject parent_instance;

  char *name;
  AsbCapabilitySupport support;
  char *reason;
  char *source;
  GHashTable *limits;
};

enum
{
  PROP_0,
  PROP_NAME,
  PROP_SUPPORT,
  PROP_REASON,
  PROP_SOURCE,
  PROP_LIMITS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbCapability, asb_capability, G_TYPE_OBJECT)

static void
asb_capability_finalize (GObject *object)
{
  AsbCapability *self = ASB_CAPABILITY (object);

  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->reason, g_free);
  g_clear_pointer (&self->source, g_free);
  g_clear_pointer (&self->limits, g_hash_table_unref);

  G_OBJECT_CLASS (asb_capability_parent_class)->finalize (object);
}

static void
asb_capability_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbCapability *self = ASB_CAPABILITY (object);

  switch (property_id)
    {
    case PROP_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_SUPPORT:
      g_value_set_enum (value, self->support);
      break;
    case PROP_REASON:
      g_value_set_string (value, self->reason);
      break;
    case PROP_SOURCE:
      g_value_set_string (value, self->source);
      break;
    case PROP_LIMITS:
      g_value_set_boxed (value, self->limits);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_capability_set_property (GObject *object, guint property_id, const GValue *value,
                             GParamSpec *pspec)
{
  AsbCapability *self = ASB_CAPABILITY (object);

  switch (property_id)
    {
    case PROP_NAME:
      self->name = g_value_dup_string (value);
      break;
    case PROP_SUPPORT:
      self->support = g_value_get_enum (value);
      break;
    case PROP_REASON:
      self->reason = g_value_dup_string (value);
      break;
    case PROP_SOURCE:
      self->source = g_value_dup_string (value);
      break;
    case PROP_LIMITS:
      self->limits = g_value_dup_boxed (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_capability_class_init (AsbCapabilityClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_capability_finalize;
  object_class->get_property = asb_capability_get_property;
  object_class->set_property = asb_capability_set_property;

  /**
   * AsbCapability:name:
   *
   * The name, for example `command_stdin`.
   *
   * Since: 1.0
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCapability:support:
   *
   * How well it is supported.
   *
   * Since: 1.0
   */
  properties[PROP_SUPPORT] = g_param_spec_enum ("support", NULL, NULL, ASB_TYPE_CAPABILITY_SUPPORT,
                                                0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCapability:reason:
   *
   * Why it is unavailable or weaker, for people.
   *
   * Since: 1.0
   */
  properties[PROP_REASON]
      = g_param_spec_string ("reason", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCapability:source:
   *
   * Who says so: `provider`, `transport` or `guest`.
   *
   * Since: 1.0
   */
  properties[PROP_SOURCE]
      = g_param_spec_string ("source", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCapability:limits: (type GLib.HashTable(utf8,utf8))
   *
   * Bounds and variants, by name.
   *
   * Since: 1.0
   */
  properties[PROP_LIMITS]
      = g_param_spec_boxed ("limits", NULL, NULL, G_TYPE_HASH_TABLE, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_capability_init (AsbCapability *self)
{
}

/**
 * asb_capability_new:
 * @name: the name, for example %ASB_CAPABILITY_FILESYSTEM
 * @support: how well it is supported
 * @source: who says so
 * @reason: (nullable): why it is not native
 * @limits: (nullable) (element-type utf8 utf8): how far it goes, by name
 *
 * Makes a capability, with a copy of the limits.
 *
 * Returns: (transfer full): a new [class@Capability]
 *
 * Since: 1.0
 */
AsbCapability *
asb_capability_new (const char *name, AsbCapabilitySupport support, const char *source,
                    const char *reason, GHashTable *limits)
{
  g_autoptr (GHashTable) copy = NULL;

  g_return_val_if_fail (name != NULL, NULL);
  g_return_val_if_fail (source != NULL, NULL);

  asb_property_replace_map (&copy, limits);
  return g_object_new (ASB_TYPE_CAPABILITY, "name", name, "support", support, "source", source,
                       "reason", reason, "limits", copy, NULL);
}

/**
 * asb_capability_get_name:
 * @self: a [class@Capability]
 *
 * Gets [property@Capability:name].
 *
 * Returns: (transfer none): the name, for example `command_stdin`
 *
 * Since: 1.0
 */
const char *
asb_capability_get_name (AsbCapability *self)
{
  g_return_val_if_fail (ASB_IS_CAPABILITY (self), NULL);

  return self->name;
}

/**
 * asb_capability_get_support:
 * @self: a [class@Capability]
 *
 * Gets [property@Capability:support].
 *
 * Returns: how well it is supported
 *
 * Since: 1.0
 */
AsbCapabilitySupport
asb_capability_get_support (AsbCapability *self)
{
  g_return_val_if_fail (ASB_IS_CAPABILITY (self), 0);

  return self->support;
}

/**
 * asb_capability_get_reason:
 * @self: a [class@Capability]
 *
 * Gets [property@Capability:reason].
 *
 * Returns: (transfer none) (nullable): why it is unavailable or weaker, for people
 *
 * Since: 1.0
 */
const char *
asb_capability_get_reason (AsbCapability *self)
{
  g_return_val_if_fail (ASB_IS_CAPABILITY (self), NULL);

  return self->reason;
}

/**
 * asb_capability_get_source:
 * @self: a [class@Capability]
 *
 * Gets [property@Capability:source].
 *
 * Returns: (transfer none) (nullable): who says so: `provider`, `transport` or `guest`
 *
 * Since: 1.0
 */
const char *
asb_capability_get_source (AsbCapability *self)
{
  g_return_val_if_fail (ASB_IS_CAPABILITY (self), NULL);

  return self->source;
}

/**
 * asb_capability_get_limits:
 * @self: a [class@Capability]
 *
 * Gets [property@Capability:limits].
 *
 * Returns: (transfer none) (nullable) (element-type utf8 utf8): bounds and variants, by name
 *
 * Since: 1.0
 */
GHashTable *
asb_capability_get_limits (AsbCapability *self)
{
  g_return_val_if_fail (ASB_IS_CAPABILITY (self), NULL);

  return self->limits;
}
