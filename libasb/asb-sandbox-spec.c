/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-sandbox-spec.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbSandboxSpec:
 *
 * What a sandbox that is to be created should be like. A provider refuses what it cannot give
 * with %ASB_ERROR_UNSUPPORTED_CAPABILITY, it does not leave it out silently.
 *
 * Since: 1.0
 */

struct _AsbSandboxSpec
{
  GObject parent_instance;

  char *name;
  char *instance_id;
  char *image;
  char *workdir;
  char **environment;
  GHashTable *metadata;
  AsbResourceLimits *limits;
  GListStore *mounts;
  AsbLifetime lifetime;
  AsbTtlMode ttl_mode;
  gint64 ttl_seconds;
  gboolean await_readiness;
  char *idempotency_key;
  char **entrypoint;
  GHashTable *resources;
  AsbNetworkPolicy *network_policy;
  char *snapshot_id;
  char *platform;
  char *image_username;
  char *image_password;
  GVariant *create_options;
  AsbCleanupPolicy cleanup;
};

enum
{
  PROP_0,
  PROP_NAME,
  PROP_INSTANCE_ID,
  PROP_IMAGE,
  PROP_WORKDIR,
  PROP_ENVIRONMENT,
  PROP_METADATA,
  PROP_LIMITS,
  PROP_MOUNTS,
  PROP_LIFETIME,
  PROP_TTL_MODE,
  PROP_TTL_SECONDS,
  PROP_AWAIT_READINESS,
  PROP_IDEMPOTENCY_KEY,
  PROP_ENTRYPOINT,
  PROP_RESOURCES,
  PROP_NETWORK_POLICY,
  PROP_SNAPSHOT_ID,
  PROP_PLATFORM,
  PROP_IMAGE_USERNAME,
  PROP_IMAGE_PASSWORD,
  PROP_CREATE_OPTIONS,
  PROP_CLEANUP,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbSandboxSpec, asb_sandbox_spec, G_TYPE_OBJECT)

static void
asb_sandbox_spec_finalize (GObject *object)
{
  AsbSandboxSpec *self = ASB_SANDBOX_SPEC (object);

  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->instance_id, g_free);
  g_clear_pointer (&self->image, g_free);
  g_clear_pointer (&self->workdir, g_free);
  g_clear_pointer (&self->environment, g_strfreev);
  g_clear_pointer (&self->metadata, g_hash_table_unref);
  g_clear_object (&self->limits);
  g_clear_object (&self->mounts);
  g_clear_pointer (&self->idempotency_key, g_free);
  g_clear_pointer (&self->entrypoint, g_strfreev);
  g_clear_pointer (&self->resources, g_hash_table_unref);
  g_clear_object (&self->network_policy);
  g_clear_pointer (&self->snapshot_id, g_free);
  g_clear_pointer (&self->platform, g_free);
  g_clear_pointer (&self->image_username, g_free);
  g_clear_pointer (&self->image_password, g_free);
  g_clear_pointer (&self->create_options, g_variant_unref);

  G_OBJECT_CLASS (asb_sandbox_spec_parent_class)->finalize (object);
}

static void
asb_sandbox_spec_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbSandboxSpec *self = ASB_SANDBOX_SPEC (object);

  switch (property_id)
    {
    case PROP_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_INSTANCE_ID:
      g_value_set_string (value, self->instance_id);
      break;
    case PROP_IMAGE:
      g_value_set_string (value, self->image);
      break;
    case PROP_WORKDIR:
      g_value_set_string (value, self->workdir);
      break;
    case PROP_ENVIRONMENT:
      g_value_set_boxed (value, self->environment);
      break;
    case PROP_METADATA:
      g_value_set_boxed (value, self->metadata);
      break;
    case PROP_LIMITS:
      g_value_set_object (value, self->limits);
      break;
    case PROP_MOUNTS:
      g_value_set_object (value, self->mounts);
      break;
    case PROP_LIFETIME:
      g_value_set_enum (value, self->lifetime);
      break;
    case PROP_TTL_MODE:
      g_value_set_enum (value, self->ttl_mode);
      break;
    case PROP_TTL_SECONDS:
      g_value_set_int64 (value, self->ttl_seconds);
      break;
    case PROP_AWAIT_READINESS:
      g_value_set_boolean (value, self->await_readiness);
      break;
    case PROP_IDEMPOTENCY_KEY:
      g_value_set_string (value, self->idempotency_key);
      break;
    case PROP_ENTRYPOINT:
      g_value_set_boxed (value, self->entrypoint);
      break;
    case PROP_RESOURCES:
      g_value_set_boxed (value, self->resources);
      break;
    case PROP_NETWORK_POLICY:
      g_value_set_object (value, self->network_policy);
      break;
    case PROP_SNAPSHOT_ID:
      g_value_set_string (value, self->snapshot_id);
      break;
    case PROP_PLATFORM:
      g_value_set_string (value, self->platform);
      break;
    case PROP_IMAGE_USERNAME:
      g_value_set_string (value, self->image_username);
      break;
    case PROP_IMAGE_PASSWORD:
      g_value_set_string (value, self->image_password);
      break;
    case PROP_CREATE_OPTIONS:
      g_value_set_variant (value, self->create_options);
      break;
    case PROP_CLEANUP:
      g_value_set_enum (value, self->cleanup);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_sandbox_spec_set_property (GObject *object, guint property_id, const GValue *value,
                               GParamSpec *pspec)
{
  AsbSandboxSpec *self = ASB_SANDBOX_SPEC (object);

  switch (property_id)
    {
    case PROP_NAME:
      asb_sandbox_spec_set_name (self, g_value_get_string (value));
      break;
    case PROP_INSTANCE_ID:
      asb_sandbox_spec_set_instance_id (self, g_value_get_string (value));
      break;
    case PROP_IMAGE:
      asb_sandbox_spec_set_image (self, g_value_get_string (value));
      break;
    case PROP_WORKDIR:
      asb_sandbox_spec_set_workdir (self, g_value_get_string (value));
      break;
    case PROP_ENVIRONMENT:
      asb_sandbox_spec_set_environment (self, g_value_get_boxed (value));
      break;
    case PROP_METADATA:
      asb_sandbox_spec_set_metadata (self, g_value_get_boxed (value));
      break;
    case PROP_LIMITS:
      asb_sandbox_spec_set_limits (self, g_value_get_object (value));
      break;
    case PROP_MOUNTS:
      asb_sandbox_spec_set_mounts (self, g_value_get_object (value));
      break;
    case PROP_LIFETIME:
      asb_sandbox_spec_set_lifetime (self, g_value_get_enum (value));
      break;
    case PROP_TTL_MODE:
      asb_sandbox_spec_set_ttl_mode (self, g_value_get_enum (value));
      break;
    case PROP_TTL_SECONDS:
      asb_sandbox_spec_set_ttl_seconds (self, g_value_get_int64 (value));
      break;
    case PROP_AWAIT_READINESS:
      asb_sandbox_spec_set_await_readiness (self, g_value_get_boolean (value));
      break;
    case PROP_IDEMPOTENCY_KEY:
      asb_sandbox_spec_set_idempotency_key (self, g_value_get_string (value));
      break;
    case PROP_ENTRYPOINT:
      asb_sandbox_spec_set_entrypoint (self, g_value_get_boxed (value));
      break;
    case PROP_RESOURCES:
      asb_sandbox_spec_set_resources (self, g_value_get_boxed (value));
      break;
    case PROP_NETWORK_POLICY:
      asb_sandbox_spec_set_network_policy (self, g_value_get_object (value));
      break;
    case PROP_SNAPSHOT_ID:
      asb_sandbox_spec_set_snapshot_id (self, g_value_get_string (value));
      break;
    case PROP_PLATFORM:
      asb_sandbox_spec_set_platform (self, g_value_get_string (value));
      break;
    case PROP_IMAGE_USERNAME:
      asb_sandbox_spec_set_image_username (self, g_value_get_string (value));
      break;
    case PROP_IMAGE_PASSWORD:
      asb_sandbox_spec_set_image_password (self, g_value_get_string (value));
      break;
    case PROP_CREATE_OPTIONS:
      asb_sandbox_spec_set_create_options (self, g_value_get_variant (value));
      break;
    case PROP_CLEANUP:
      asb_sandbox_spec_set_cleanup (self, g_value_get_enum (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_sandbox_spec_class_init (AsbSandboxSpecClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_sandbox_spec_finalize;
  object_class->get_property = asb_sandbox_spec_get_property;
  object_class->set_property = asb_sandbox_spec_set_property;

  /**
   * AsbSandboxSpec:name:
   *
   * A name for people; 1 to 128 characters, no control characters.
   *
   * Since: 1.0
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:instance-id:
   *
   * The instance id the sandbox shall have; made by the core.
   *
   * Since: 1.0
   */
  properties[PROP_INSTANCE_ID]
      = g_param_spec_string ("instance-id", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:image:
   *
   * The image; %NULL for the default of the provider.
   *
   * Since: 1.0
   */
  properties[PROP_IMAGE] = g_param_spec_string ("image", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:workdir:
   *
   * The default working directory, made if missing. The default is `/workspace`.
   *
   * Since: 1.0
   */
  properties[PROP_WORKDIR]
      = g_param_spec_string ("workdir", NULL, NULL, "/workspace", ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:environment:
   *
   * `NAME=value` for every command inside.
   *
   * Since: 1.0
   */
  properties[PROP_ENVIRONMENT]
      = g_param_spec_boxed ("environment", NULL, NULL, G_TYPE_STRV, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:metadata: (type GLib.HashTable(utf8,utf8))
   *
   * Names and values to keep with the sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_METADATA]
      = g_param_spec_boxed ("metadata", NULL, NULL, G_TYPE_HASH_TABLE, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:limits:
   *
   * What each command inside may take, and no command of the sandbox more; %NULL for what the
   * provider has as a default. With [const@CAPABILITY_RESOURCE_LIMITS] native, memory and processes
   * are those of all together, too.
   *
   * Since: 1.0
   */
  properties[PROP_LIMITS]
      = g_param_spec_object ("limits", NULL, NULL, ASB_TYPE_RESOURCE_LIMITS, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:mounts:
   *
   * Folders of the host to show in the sandbox: [class@Mount].
   *
   * Since: 1.0
   */
  properties[PROP_MOUNTS]
      = g_param_spec_object ("mounts", NULL, NULL, G_TYPE_LIST_MODEL, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:lifetime:
   *
   * Whether it ends with the program that makes it. The default is %ASB_LIFETIME_OWNED.
   *
   * Since: 1.0
   */
  properties[PROP_LIFETIME]
      = g_param_spec_enum ("lifetime", NULL, NULL, ASB_TYPE_LIFETIME, 0, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:ttl-mode:
   *
   * What was said about the time to live. The default is %ASB_TTL_MODE_UNSET.
   *
   * Since: 1.0
   */
  properties[PROP_TTL_MODE]
      = g_param_spec_enum ("ttl-mode", NULL, NULL, ASB_TYPE_TTL_MODE, 0, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:ttl-seconds:
   *
   * The time to live in seconds, with %ASB_TTL_MODE_SECONDS.
   *
   * Since: 1.0
   */
  properties[PROP_TTL_SECONDS] = g_param_spec_int64 ("ttl-seconds", NULL, NULL, G_MININT64,
                                                     G_MAXINT64, 0, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:await-readiness:
   *
   * Whether the answer is to wait until it can be worked in the sandbox. If not, whoever asked for
   * the sandbox finds that out. The default is %TRUE.
   *
   * Since: 1.0
   */
  properties[PROP_AWAIT_READINESS]
      = g_param_spec_boolean ("await-readiness", NULL, NULL, TRUE, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:idempotency-key:
   *
   * A key under which a repeated creation finds the first.
   *
   * Since: 1.0
   */
  properties[PROP_IDEMPOTENCY_KEY]
      = g_param_spec_string ("idempotency-key", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:entrypoint:
   *
   * The first program of the sandbox with its arguments; %NULL for the provider's own.
   *
   * Since: 1.0
   */
  properties[PROP_ENTRYPOINT]
      = g_param_spec_boxed ("entrypoint", NULL, NULL, G_TYPE_STRV, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:resources: (type GLib.HashTable(utf8,utf8))
   *
   * Shares of the host to ask for, by name, in the provider's notation: `cpu` → `1`, `memory` →
   * `2Gi`. %NULL for the provider's default.
   *
   * Since: 1.0
   */
  properties[PROP_RESOURCES]
      = g_param_spec_boxed ("resources", NULL, NULL, G_TYPE_HASH_TABLE, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:network-policy:
   *
   * What the sandbox may connect to; %NULL for the provider's default.
   *
   * Since: 1.0
   */
  properties[PROP_NETWORK_POLICY] = g_param_spec_object (
      "network-policy", NULL, NULL, ASB_TYPE_NETWORK_POLICY, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:snapshot-id:
   *
   * The snapshot to make the sandbox from, instead of an image.
   *
   * Since: 1.0
   */
  properties[PROP_SNAPSHOT_ID]
      = g_param_spec_string ("snapshot-id", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:platform:
   *
   * The operating system and processor, for example `linux/amd64`; %NULL for any.
   *
   * Since: 1.0
   */
  properties[PROP_PLATFORM]
      = g_param_spec_string ("platform", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:image-username:
   *
   * The name to fetch the image with, where its registry asks for one.
   *
   * Since: 1.0
   */
  properties[PROP_IMAGE_USERNAME]
      = g_param_spec_string ("image-username", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:image-password:
   *
   * The password or token to fetch the image with. It is in no record, log or error.
   *
   * Since: 1.0
   */
  properties[PROP_IMAGE_PASSWORD]
      = g_param_spec_string ("image-password", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:create-options:
   *
   * What only one provider takes, an `a{sv}`. It refuses options it does not know.
   *
   * Since: 1.0
   */
  properties[PROP_CREATE_OPTIONS] = g_param_spec_variant (
      "create-options", NULL, NULL, G_VARIANT_TYPE_ANY, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbSandboxSpec:cleanup:
   *
   * What the backend that makes the sandbox does with it when it is closed: for providers whose
   * sandboxes end by themselves. The default is %ASB_CLEANUP_POLICY_ON_CLOSE.
   *
   * Since: 1.0
   */
  properties[PROP_CLEANUP]
      = g_param_spec_enum ("cleanup", NULL, NULL, ASB_TYPE_CLEANUP_POLICY, 0, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_sandbox_spec_init (AsbSandboxSpec *self)
{
  self->workdir = g_strdup ("/workspace");
  self->mounts = g_list_store_new (ASB_TYPE_MOUNT);
  self->await_readiness = TRUE;
}

/**
 * asb_sandbox_spec_new:
 *
 * Makes a [class@SandboxSpec] with every property at its default.
 *
 * Returns: (transfer full): a new [class@SandboxSpec]
 *
 * Since: 1.0
 */
AsbSandboxSpec *
asb_sandbox_spec_new (void)
{
  return g_object_new (ASB_TYPE_SANDBOX_SPEC, NULL);
}

/**
 * asb_sandbox_spec_get_name:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:name].
 *
 * Returns: (transfer none) (nullable): a name for people; 1 to 128 characters, no control
 * characters
 *
 * Since: 1.0
 */
const char *
asb_sandbox_spec_get_name (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return self->name;
}

/**
 * asb_sandbox_spec_set_name:
 * @self: a [class@SandboxSpec]
 * @name: (nullable): a name for people; 1 to 128 characters, no control characters
 *
 * Sets [property@SandboxSpec:name].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_name (AsbSandboxSpec *self, const char *name)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (asb_property_replace_string (&self->name, name))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NAME]);
}

/**
 * asb_sandbox_spec_get_instance_id:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:instance-id].
 *
 * Returns: (transfer none) (nullable): the instance id the sandbox shall have; made by the core
 *
 * Since: 1.0
 */
const char *
asb_sandbox_spec_get_instance_id (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return self->instance_id;
}

/**
 * asb_sandbox_spec_set_instance_id:
 * @self: a [class@SandboxSpec]
 * @instance_id: (nullable): the instance id the sandbox shall have; made by the core
 *
 * Sets [property@SandboxSpec:instance-id].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_instance_id (AsbSandboxSpec *self, const char *instance_id)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (asb_property_replace_string (&self->instance_id, instance_id))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_INSTANCE_ID]);
}

/**
 * asb_sandbox_spec_get_image:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:image].
 *
 * Returns: (transfer none) (nullable): the image; %NULL for the default of the provider
 *
 * Since: 1.0
 */
const char *
asb_sandbox_spec_get_image (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return self->image;
}

/**
 * asb_sandbox_spec_set_image:
 * @self: a [class@SandboxSpec]
 * @image: (nullable): the image; %NULL for the default of the provider
 *
 * Sets [property@SandboxSpec:image].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_image (AsbSandboxSpec *self, const char *image)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (asb_property_replace_string (&self->image, image))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_IMAGE]);
}

/**
 * asb_sandbox_spec_get_workdir:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:workdir].
 *
 * Returns: (transfer none) (type filename): the default working directory, made if missing
 *
 * Since: 1.0
 */
const char *
asb_sandbox_spec_get_workdir (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return self->workdir;
}

/**
 * asb_sandbox_spec_set_workdir:
 * @self: a [class@SandboxSpec]
 * @workdir: (type filename): the default working directory, made if missing
 *
 * Sets [property@SandboxSpec:workdir].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_workdir (AsbSandboxSpec *self, const char *workdir)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (asb_property_replace_string (&self->workdir, workdir))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_WORKDIR]);
}

/**
 * asb_sandbox_spec_get_environment:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:environment].
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1) (element-type filename):
 * `NAME=value` for every command inside
 *
 * Since: 1.0
 */
const char *const *
asb_sandbox_spec_get_environment (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return (const char *const *)self->environment;
}

/**
 * asb_sandbox_spec_set_environment:
 * @self: a [class@SandboxSpec]
 * @environment: (nullable) (array zero-terminated=1) (element-type filename): `NAME=value` for
 * every command inside
 *
 * Sets [property@SandboxSpec:environment].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_environment (AsbSandboxSpec *self, const char *const *environment)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (asb_property_replace_strv (&self->environment, environment))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ENVIRONMENT]);
}

/**
 * asb_sandbox_spec_get_metadata:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:metadata].
 *
 * Returns: (transfer none) (nullable) (element-type utf8 utf8): names and values to keep with the
 * sandbox
 *
 * Since: 1.0
 */
GHashTable *
asb_sandbox_spec_get_metadata (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return self->metadata;
}

/**
 * asb_sandbox_spec_set_metadata:
 * @self: a [class@SandboxSpec]
 * @metadata: (nullable) (element-type utf8 utf8): names and values to keep with the sandbox
 *
 * Sets [property@SandboxSpec:metadata].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_metadata (AsbSandboxSpec *self, GHashTable *metadata)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (asb_property_replace_map (&self->metadata, metadata))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_METADATA]);
}

/**
 * asb_sandbox_spec_get_limits:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:limits].
 *
 * Returns: (transfer none) (nullable): what each command inside may take; %NULL for what the
 * provider has as a default
 *
 * Since: 1.0
 */
AsbResourceLimits *
asb_sandbox_spec_get_limits (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return self->limits;
}

/**
 * asb_sandbox_spec_set_limits:
 * @self: a [class@SandboxSpec]
 * @limits: (nullable): what each command inside may take; %NULL for what the provider has as a
 * default
 *
 * Sets [property@SandboxSpec:limits].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_limits (AsbSandboxSpec *self, AsbResourceLimits *limits)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (g_set_object (&self->limits, limits))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LIMITS]);
}

/**
 * asb_sandbox_spec_get_mounts:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:mounts].
 *
 * Returns: (transfer none): a list of [class@Mount], maybe empty
 *
 * Since: 1.0
 */
GListModel *
asb_sandbox_spec_get_mounts (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return G_LIST_MODEL (self->mounts);
}

/**
 * asb_sandbox_spec_set_mounts:
 * @self: a [class@SandboxSpec]
 * @mounts: (nullable): a list of [class@Mount], %NULL for none
 *
 * Sets [property@SandboxSpec:mounts] to what is in the list now.
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_mounts (AsbSandboxSpec *self, GListModel *mounts)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));
  g_return_if_fail (!mounts || G_IS_LIST_MODEL (mounts));

  if (asb_property_replace_items (self->mounts, mounts))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MOUNTS]);
}

/**
 * asb_sandbox_spec_add_mount:
 * @self: a [class@SandboxSpec]
 * @mount: a folder of the host to show
 *
 * Adds to [property@SandboxSpec:mounts].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_add_mount (AsbSandboxSpec *self, AsbMount *mount)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));
  g_return_if_fail (ASB_IS_MOUNT (mount));

  g_list_store_append (self->mounts, mount);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MOUNTS]);
}

/**
 * asb_sandbox_spec_get_lifetime:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:lifetime].
 *
 * Returns: whether it ends with the program that makes it
 *
 * Since: 1.0
 */
AsbLifetime
asb_sandbox_spec_get_lifetime (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), 0);

  return self->lifetime;
}

/**
 * asb_sandbox_spec_set_lifetime:
 * @self: a [class@SandboxSpec]
 * @lifetime: whether it ends with the program that makes it
 *
 * Sets [property@SandboxSpec:lifetime].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_lifetime (AsbSandboxSpec *self, AsbLifetime lifetime)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (self->lifetime == lifetime)
    return;
  self->lifetime = lifetime;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LIFETIME]);
}

/**
 * asb_sandbox_spec_get_ttl_mode:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:ttl-mode].
 *
 * Returns: what was said about the time to live
 *
 * Since: 1.0
 */
AsbTtlMode
asb_sandbox_spec_get_ttl_mode (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), 0);

  return self->ttl_mode;
}

/**
 * asb_sandbox_spec_set_ttl_mode:
 * @self: a [class@SandboxSpec]
 * @ttl_mode: what was said about the time to live
 *
 * Sets [property@SandboxSpec:ttl-mode].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_ttl_mode (AsbSandboxSpec *self, AsbTtlMode ttl_mode)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (self->ttl_mode == ttl_mode)
    return;
  self->ttl_mode = ttl_mode;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TTL_MODE]);
}

/**
 * asb_sandbox_spec_get_ttl_seconds:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:ttl-seconds].
 *
 * Returns: the time to live in seconds, with %ASB_TTL_MODE_SECONDS
 *
 * Since: 1.0
 */
gint64
asb_sandbox_spec_get_ttl_seconds (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), 0);

  return self->ttl_seconds;
}

/**
 * asb_sandbox_spec_set_ttl_seconds:
 * @self: a [class@SandboxSpec]
 * @ttl_seconds: the time to live in seconds, with %ASB_TTL_MODE_SECONDS
 *
 * Sets [property@SandboxSpec:ttl-seconds].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_ttl_seconds (AsbSandboxSpec *self, gint64 ttl_seconds)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (self->ttl_seconds == ttl_seconds)
    return;
  self->ttl_seconds = ttl_seconds;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TTL_SECONDS]);
}

/**
 * asb_sandbox_spec_get_await_readiness:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:await-readiness].
 *
 * Returns: whether the answer is to wait until it can be worked in the sandbox
 *
 * Since: 1.0
 */
gboolean
asb_sandbox_spec_get_await_readiness (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), FALSE);

  return self->await_readiness;
}

/**
 * asb_sandbox_spec_set_await_readiness:
 * @self: a [class@SandboxSpec]
 * @await_readiness: whether the answer is to wait until it can be worked in the sandbox
 *
 * Sets [property@SandboxSpec:await-readiness].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_await_readiness (AsbSandboxSpec *self, gboolean await_readiness)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  await_readiness = !!await_readiness;
  if (self->await_readiness == await_readiness)
    return;
  self->await_readiness = await_readiness;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_AWAIT_READINESS]);
}

/**
 * asb_sandbox_spec_get_idempotency_key:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:idempotency-key].
 *
 * Returns: (transfer none) (nullable): a key under which a repeated creation finds the first
 *
 * Since: 1.0
 */
const char *
asb_sandbox_spec_get_idempotency_key (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return self->idempotency_key;
}

/**
 * asb_sandbox_spec_set_idempotency_key:
 * @self: a [class@SandboxSpec]
 * @idempotency_key: (nullable): a key under which a repeated creation finds the first
 *
 * Sets [property@SandboxSpec:idempotency-key].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_idempotency_key (AsbSandboxSpec *self, const char *idempotency_key)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (asb_property_replace_string (&self->idempotency_key, idempotency_key))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_IDEMPOTENCY_KEY]);
}

/**
 * asb_sandbox_spec_get_entrypoint:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:entrypoint].
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1): the first program of the sandbox
 * with its arguments; %NULL for the provider's own
 *
 * Since: 1.0
 */
const char *const *
asb_sandbox_spec_get_entrypoint (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return (const char *const *)self->entrypoint;
}

/**
 * asb_sandbox_spec_set_entrypoint:
 * @self: a [class@SandboxSpec]
 * @entrypoint: (nullable) (array zero-terminated=1): the first program of the sandbox with its
 * arguments; %NULL for the provider's own
 *
 * Sets [property@SandboxSpec:entrypoint].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_entrypoint (AsbSandboxSpec *self, const char *const *entrypoint)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (asb_property_replace_strv (&self->entrypoint, entrypoint))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ENTRYPOINT]);
}

/**
 * asb_sandbox_spec_get_resources:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:resources].
 *
 * Returns: (transfer none) (nullable) (element-type utf8 utf8): shares of the host to ask for, by
 * name, in the provider's notation: `cpu` → `1`, `memory` → `2Gi`
 *
 * Since: 1.0
 */
GHashTable *
asb_sandbox_spec_get_resources (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return self->resources;
}

/**
 * asb_sandbox_spec_set_resources:
 * @self: a [class@SandboxSpec]
 * @resources: (nullable) (element-type utf8 utf8): shares of the host to ask for, by name, in the
 * provider's notation: `cpu` → `1`, `memory` → `2Gi`
 *
 * Sets [property@SandboxSpec:resources].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_resources (AsbSandboxSpec *self, GHashTable *resources)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (asb_property_replace_map (&self->resources, resources))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RESOURCES]);
}

/**
 * asb_sandbox_spec_get_network_policy:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:network-policy].
 *
 * Returns: (transfer none) (nullable): what the sandbox may connect to; %NULL for the provider's
 * default
 *
 * Since: 1.0
 */
AsbNetworkPolicy *
asb_sandbox_spec_get_network_policy (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return self->network_policy;
}

/**
 * asb_sandbox_spec_set_network_policy:
 * @self: a [class@SandboxSpec]
 * @network_policy: (nullable): what the sandbox may connect to; %NULL for the provider's default
 *
 * Sets [property@SandboxSpec:network-policy].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_network_policy (AsbSandboxSpec *self, AsbNetworkPolicy *network_policy)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (g_set_object (&self->network_policy, network_policy))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NETWORK_POLICY]);
}

/**
 * asb_sandbox_spec_get_snapshot_id:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:snapshot-id].
 *
 * Returns: (transfer none) (nullable): the snapshot to make the sandbox from, instead of an image
 *
 * Since: 1.0
 */
const char *
asb_sandbox_spec_get_snapshot_id (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return self->snapshot_id;
}

/**
 * asb_sandbox_spec_set_snapshot_id:
 * @self: a [class@SandboxSpec]
 * @snapshot_id: (nullable): the snapshot to make the sandbox from, instead of an image
 *
 * Sets [property@SandboxSpec:snapshot-id].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_snapshot_id (AsbSandboxSpec *self, const char *snapshot_id)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (asb_property_replace_string (&self->snapshot_id, snapshot_id))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SNAPSHOT_ID]);
}

/**
 * asb_sandbox_spec_get_platform:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:platform].
 *
 * Returns: (transfer none) (nullable): the operating system and processor, for example
 * `linux/amd64`; %NULL for any
 *
 * Since: 1.0
 */
const char *
asb_sandbox_spec_get_platform (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return self->platform;
}

/**
 * asb_sandbox_spec_set_platform:
 * @self: a [class@SandboxSpec]
 * @platform: (nullable): the operating system and processor, for example `linux/amd64`; %NULL for
 * any
 *
 * Sets [property@SandboxSpec:platform].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_platform (AsbSandboxSpec *self, const char *platform)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (asb_property_replace_string (&self->platform, platform))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PLATFORM]);
}

/**
 * asb_sandbox_spec_get_image_username:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:image-username].
 *
 * Returns: (transfer none) (nullable): the name to fetch the image with, where its registry asks
 * for one
 *
 * Since: 1.0
 */
const char *
asb_sandbox_spec_get_image_username (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return self->image_username;
}

/**
 * asb_sandbox_spec_set_image_username:
 * @self: a [class@SandboxSpec]
 * @image_username: (nullable): the name to fetch the image with, where its registry asks for one
 *
 * Sets [property@SandboxSpec:image-username].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_image_username (AsbSandboxSpec *self, const char *image_username)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (asb_property_replace_string (&self->image_username, image_username))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_IMAGE_USERNAME]);
}

/**
 * asb_sandbox_spec_get_image_password:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:image-password].
 *
 * Returns: (transfer none) (nullable): the password or token to fetch the image with
 *
 * Since: 1.0
 */
const char *
asb_sandbox_spec_get_image_password (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return self->image_password;
}

/**
 * asb_sandbox_spec_set_image_password:
 * @self: a [class@SandboxSpec]
 * @image_password: (nullable): the password or token to fetch the image with
 *
 * Sets [property@SandboxSpec:image-password].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_image_password (AsbSandboxSpec *self, const char *image_password)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (asb_property_replace_string (&self->image_password, image_password))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_IMAGE_PASSWORD]);
}

/**
 * asb_sandbox_spec_get_create_options:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:create-options].
 *
 * Returns: (transfer none) (nullable): what only one provider takes, an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
asb_sandbox_spec_get_create_options (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), NULL);

  return self->create_options;
}

/**
 * asb_sandbox_spec_set_create_options:
 * @self: a [class@SandboxSpec]
 * @create_options: (nullable): what only one provider takes, an `a{sv}`
 *
 * Sets [property@SandboxSpec:create-options].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_create_options (AsbSandboxSpec *self, GVariant *create_options)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (asb_property_replace_variant (&self->create_options, create_options))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CREATE_OPTIONS]);
}

/**
 * asb_sandbox_spec_get_cleanup:
 * @self: a [class@SandboxSpec]
 *
 * Gets [property@SandboxSpec:cleanup].
 *
 * Returns: what becomes of it when its backend is closed
 *
 * Since: 1.0
 */
AsbCleanupPolicy
asb_sandbox_spec_get_cleanup (AsbSandboxSpec *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_SPEC (self), 0);

  return self->cleanup;
}

/**
 * asb_sandbox_spec_set_cleanup:
 * @self: a [class@SandboxSpec]
 * @cleanup: what becomes of it when its backend is closed
 *
 * Sets [property@SandboxSpec:cleanup].
 *
 * Since: 1.0
 */
void
asb_sandbox_spec_set_cleanup (AsbSandboxSpec *self, AsbCleanupPolicy cleanup)
{
  g_return_if_fail (ASB_IS_SANDBOX_SPEC (self));

  if (self->cleanup == cleanup)
    return;
  self->cleanup = cleanup;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CLEANUP]);
}
