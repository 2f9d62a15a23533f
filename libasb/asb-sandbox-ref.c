/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-sandbox-ref.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbSandboxRef:
 *
 * The identity of one sandbox: enough to connect to it again, from another program too.
 *
 * Since: 1.0
 */

struct _AsbSandboxRef
{
  GObject parent_instance;

  char *provider_name;
  char *provider_key;
  char *sandbox_id;
  char *sandbox_instance_id;
  char *endpoint_fingerprint;
  GHashTable *metadata;
};

enum
{
  PROP_0,
  PROP_PROVIDER_NAME,
  PROP_PROVIDER_KEY,
  PROP_SANDBOX_ID,
  PROP_SANDBOX_INSTANCE_ID,
  PROP_ENDPOINT_FINGERPRINT,
  PROP_METADATA,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbSandboxRef, asb_sandbox_ref, G_TYPE_OBJECT)

static void
asb_sandbox_ref_finalize (GObject *object)
{
  AsbSandboxRef *self = ASB_SANDBOX_REF (object);

  g_clear_pointer (&self->provider_name, g_free);
  g_clear_pointer (&self->provider_key, g_free);
  g_clear_pointer (&self->sandbox_id, g_free);
  g_clear_pointer (&self->sandbox_instance_id, g_free);
  g_clear_pointer (&self->endpoint_fingerprint, g_free);
  g_clear_pointer (&self->metadata, g_hash_table_unref);

  G_OBJECT_CLASS (asb_sandbox_ref_parent_class)->finalize (object);
}

static void
asb_sandbox_ref_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbSandboxRef *self = ASB_SANDBOX_REF (object);

  switch (property_id)
    {
    case PROP_PROVIDER_NAME:
      g_value_set_string (value, self->provider_name);
      break;
    case PROP_PROVIDER_KEY:
      g_value_set_string (value, self->provider_key);
      break;
    case PROP_SANDBOX_ID:
      g_value_set_string (value, self->sandbox_id);
      break;
    case PROP_SANDBOX_INSTANCE_ID:
      g_value_set_string (value, self->sandbox_instance_id);
      break;
    case PROP_ENDPOINT_FINGERPRINT:
      g_value_set_string (value, self->endpoint_fingerprint);
      break;
    case PROP_METADATA:
      g_value_set_boxed (value, self->metadata);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_sandbox_ref_set_property (GObject *object, guint property_id, const GValue *value,
                              GParamSpec *pspec)
{
  AsbSandboxRef *self = ASB_SANDBOX_REF (object);

  switch (property_id)
    {
    case PROP_PROVIDER_NAME:
      self->provider_name = g_value_dup_string (value);
      break;
    case PROP_PROVIDER_KEY:
      self->provider_key = g_value_dup_string (value);
      break;
    case PROP_SANDBOX_ID:
      self->sandbox_id = g_value_dup_string (value);
      break;
    case PROP_SANDBOX_INSTANCE_ID:
      self->sandbox_instance_id = g_value_dup_string (value);
      break;
    case PROP_ENDPOINT_FINGERPRINT:
      self->endpoint_fingerprint = g_value_dup_string (value);
      break;
    case PROP_METADATA:
      self->metadata = g_value_dup_boxed (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_sandbox_ref_class_init (AsbSandboxRefClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_sandbox_ref_finalize;
  object_class->get_property = asb_sandbox_ref_get_property;
  object_class->set_property = asb_sandbox_ref_set_property;

  /**
   * AsbSandboxRef:provider-name:
   *
   * The name of the provider, for example `local`.
   *
   * Since: 1.0
   */
  properties[PROP_PROVIDER_NAME]
      = g_param_spec_string ("provider-name", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxRef:provider-key:
   *
   * Which of several providers of that name.
   *
   * Since: 1.0
   */
  properties[PROP_PROVIDER_KEY]
      = g_param_spec_string ("provider-key", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxRef:sandbox-id:
   *
   * The id the provider gave.
   *
   * Since: 1.0
   */
  properties[PROP_SANDBOX_ID]
      = g_param_spec_string ("sandbox-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxRef:sandbox-instance-id:
   *
   * The id of this very sandbox, should the provider use an id twice.
   *
   * Since: 1.0
   */
  properties[PROP_SANDBOX_INSTANCE_ID]
      = g_param_spec_string ("sandbox-instance-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxRef:endpoint-fingerprint:
   *
   * A hash of the server address, where there is a server.
   *
   * Since: 1.0
   */
  properties[PROP_ENDPOINT_FINGERPRINT]
      = g_param_spec_string ("endpoint-fingerprint", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxRef:metadata:
   *
   * Names and values kept with the sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_METADATA]
      = g_param_spec_boxed ("metadata", NULL, NULL, G_TYPE_HASH_TABLE, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_sandbox_ref_init (AsbSandboxRef *self)
{
}

/**
 * asb_sandbox_ref_get_provider_name:
 * @self: a [class@SandboxRef]
 *
 * Gets [property@SandboxRef:provider-name].
 *
 * Returns: (transfer none): the name of the provider, for example `local`
 *
 * Since: 1.0
 */
const char *
asb_sandbox_ref_get_provider_name (AsbSandboxRef *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_REF (self), NULL);

  return self->provider_name;
}

/**
 * asb_sandbox_ref_get_provider_key:
 * @self: a [class@SandboxRef]
 *
 * Gets [property@SandboxRef:provider-key].
 *
 * Returns: (transfer none): which of several providers of that name
 *
 * Since: 1.0
 */
const char *
asb_sandbox_ref_get_provider_key (AsbSandboxRef *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_REF (self), NULL);

  return self->provider_key;
}

/**
 * asb_sandbox_ref_get_sandbox_id:
 * @self: a [class@SandboxRef]
 *
 * Gets [property@SandboxRef:sandbox-id].
 *
 * Returns: (transfer none): the id the provider gave
 *
 * Since: 1.0
 */
const char *
asb_sandbox_ref_get_sandbox_id (AsbSandboxRef *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_REF (self), NULL);

  return self->sandbox_id;
}

/**
 * asb_sandbox_ref_get_sandbox_instance_id:
 * @self: a [class@SandboxRef]
 *
 * Gets [property@SandboxRef:sandbox-instance-id].
 *
 * Returns: (transfer none): the id of this very sandbox, should the provider use an id twice
 *
 * Since: 1.0
 */
const char *
asb_sandbox_ref_get_sandbox_instance_id (AsbSandboxRef *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_REF (self), NULL);

  return self->sandbox_instance_id;
}

/**
 * asb_sandbox_ref_get_endpoint_fingerprint:
 * @self: a [class@SandboxRef]
 *
 * Gets [property@SandboxRef:endpoint-fingerprint].
 *
 * Returns: (transfer none) (nullable): a hash of the server address, where there is a server
 *
 * Since: 1.0
 */
const char *
asb_sandbox_ref_get_endpoint_fingerprint (AsbSandboxRef *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_REF (self), NULL);

  return self->endpoint_fingerprint;
}

/**
 * asb_sandbox_ref_get_metadata:
 * @self: a [class@SandboxRef]
 *
 * Gets [property@SandboxRef:metadata].
 *
 * Returns: (transfer none) (nullable) (element-type utf8 utf8): names and values kept with the
 * sandbox
 *
 * Since: 1.0
 */
GHashTable *
asb_sandbox_ref_get_metadata (AsbSandboxRef *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_REF (self), NULL);

  return self->metadata;
}
