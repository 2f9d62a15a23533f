/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-sandbox-info.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbSandboxInfo:
 *
 * What a provider knows of a sandbox at one moment.
 *
 * Since: 1.0
 */

struct _AsbSandboxInfo
{
  GObject parent_instance;

  AsbSandboxRef *ref;
  AsbSandboxState state;
  char *name;
  char *image;
  char *workdir;
  gboolean made_workdir;
  GDateTime *created_at;
  GDateTime *expires_at;
  GListModel *mounts;
  AsbResourceLimits *limits;
  char *network;
  char *message;
  char *reason;
};

enum
{
  PROP_0,
  PROP_REF,
  PROP_STATE,
  PROP_NAME,
  PROP_IMAGE,
  PROP_WORKDIR,
  PROP_MADE_WORKDIR,
  PROP_CREATED_AT,
  PROP_EXPIRES_AT,
  PROP_MOUNTS,
  PROP_LIMITS,
  PROP_NETWORK,
  PROP_MESSAGE,
  PROP_REASON,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbSandboxInfo, asb_sandbox_info, G_TYPE_OBJECT)

static void
asb_sandbox_info_finalize (GObject *object)
{
  AsbSandboxInfo *self = ASB_SANDBOX_INFO (object);

  g_clear_object (&self->ref);
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->image, g_free);
  g_clear_pointer (&self->workdir, g_free);
  g_clear_pointer (&self->created_at, g_date_time_unref);
  g_clear_pointer (&self->expires_at, g_date_time_unref);
  g_clear_object (&self->mounts);
  g_clear_object (&self->limits);
  g_clear_pointer (&self->network, g_free);
  g_clear_pointer (&self->message, g_free);
  g_clear_pointer (&self->reason, g_free);

  G_OBJECT_CLASS (asb_sandbox_info_parent_class)->finalize (object);
}

static void
asb_sandbox_info_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbSandboxInfo *self = ASB_SANDBOX_INFO (object);

  switch (property_id)
    {
    case PROP_REF:
      g_value_set_object (value, self->ref);
      break;
    case PROP_STATE:
      g_value_set_enum (value, self->state);
      break;
    case PROP_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_IMAGE:
      g_value_set_string (value, self->image);
      break;
    case PROP_WORKDIR:
      g_value_set_string (value, self->workdir);
      break;
    case PROP_MADE_WORKDIR:
      g_value_set_boolean (value, self->made_workdir);
      break;
    case PROP_CREATED_AT:
      g_value_set_boxed (value, self->created_at);
      break;
    case PROP_EXPIRES_AT:
      g_value_set_boxed (value, self->expires_at);
      break;
    case PROP_MOUNTS:
      g_value_set_object (value, self->mounts);
      break;
    case PROP_LIMITS:
      g_value_set_object (value, self->limits);
      break;
    case PROP_NETWORK:
      g_value_set_string (value, self->network);
      break;
    case PROP_MESSAGE:
      g_value_set_string (value, self->message);
      break;
    case PROP_REASON:
      g_value_set_string (value, self->reason);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_sandbox_info_set_property (GObject *object, guint property_id, const GValue *value,
                               GParamSpec *pspec)
{
  AsbSandboxInfo *self = ASB_SANDBOX_INFO (object);

  switch (property_id)
    {
    case PROP_REF:
      self->ref = g_value_dup_object (value);
      break;
    case PROP_STATE:
      self->state = g_value_get_enum (value);
      break;
    case PROP_NAME:
      self->name = g_value_dup_string (value);
      break;
    case PROP_IMAGE:
      self->image = g_value_dup_string (value);
      break;
    case PROP_WORKDIR:
      self->workdir = g_value_dup_string (value);
      break;
    case PROP_MADE_WORKDIR:
      self->made_workdir = g_value_get_boolean (value);
      break;
    case PROP_CREATED_AT:
      self->created_at = g_value_dup_boxed (value);
      break;
    case PROP_EXPIRES_AT:
      self->expires_at = g_value_dup_boxed (value);
      break;
    case PROP_MOUNTS:
      self->mounts = g_value_dup_object (value);
      break;
    case PROP_LIMITS:
      self->limits = g_value_dup_object (value);
      break;
    case PROP_NETWORK:
      self->network = g_value_dup_string (value);
      break;
    case PROP_MESSAGE:
      self->message = g_value_dup_string (value);
      break;
    case PROP_REASON:
      self->reason = g_value_dup_string (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_sandbox_info_class_init (AsbSandboxInfoClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_sandbox_info_finalize;
  object_class->get_property = asb_sandbox_info_get_property;
  object_class->set_property = asb_sandbox_info_set_property;

  /**
   * AsbSandboxInfo:ref:
   *
   * The identity. In Python it is read by `get_ref ()` or `props.ref`: `ref` alone is a method of
   * each object there.
   *
   * Since: 1.0
   */
  properties[PROP_REF]
      = g_param_spec_object ("ref", NULL, NULL, ASB_TYPE_SANDBOX_REF, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxInfo:state:
   *
   * The state.
   *
   * Since: 1.0
   */
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, ASB_TYPE_SANDBOX_STATE, 0,
                                              ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxInfo:name:
   *
   * The name given to it, for people; several may have the same.
   *
   * Since: 1.0
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxInfo:image:
   *
   * The image it was made from.
   *
   * Since: 1.0
   */
  properties[PROP_IMAGE]
      = g_param_spec_string ("image", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxInfo:workdir:
   *
   * The default working directory inside.
   *
   * Since: 1.0
   */
  properties[PROP_WORKDIR]
      = g_param_spec_string ("workdir", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxInfo:made-workdir:
   *
   * Whether the provider itself made the working directory at creation. Where it did not the
   * backend does.
   *
   * Since: 1.0
   */
  properties[PROP_MADE_WORKDIR]
      = g_param_spec_boolean ("made-workdir", NULL, NULL, FALSE, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxInfo:created-at:
   *
   * When it was created.
   *
   * Since: 1.0
   */
  properties[PROP_CREATED_AT]
      = g_param_spec_boxed ("created-at", NULL, NULL, G_TYPE_DATE_TIME, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxInfo:expires-at:
   *
   * When it expires; %NULL for never, or unknown.
   *
   * Since: 1.0
   */
  properties[PROP_EXPIRES_AT]
      = g_param_spec_boxed ("expires-at", NULL, NULL, G_TYPE_DATE_TIME, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxInfo:mounts:
   *
   * The folders of the host it shows: [class@Mount], with their paths resolved. %NULL where the
   * provider does not tell.
   *
   * Since: 1.0
   */
  properties[PROP_MOUNTS]
      = g_param_spec_object ("mounts", NULL, NULL, G_TYPE_LIST_MODEL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxInfo:limits:
   *
   * What its processes may take, with what holds where nothing was said. %NULL where the provider
   * does not tell.
   *
   * Since: 1.0
   */
  properties[PROP_LIMITS] = g_param_spec_object ("limits", NULL, NULL, ASB_TYPE_RESOURCE_LIMITS,
                                                 ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxInfo:network:
   *
   * The network it has, in the provider's words: of a local sandbox `none` or `host`. %NULL where
   * the provider does not tell.
   *
   * Since: 1.0
   */
  properties[PROP_NETWORK]
      = g_param_spec_string ("network", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxInfo:message:
   *
   * Why it is in this state, for people.
   *
   * Since: 1.0
   */
  properties[PROP_MESSAGE]
      = g_param_spec_string ("message", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSandboxInfo:reason:
   *
   * Why it is in this state, in a word of the provider, for example `image_pull_failed`.
   *
   * Since: 1.0
   */
  properties[PROP_REASON]
      = g_param_spec_string ("reason", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_sandbox_info_init (AsbSandboxInfo *self)
{
}

/**
 * asb_sandbox_info_get_ref:
 * @self: a [class@SandboxInfo]
 *
 * Gets [property@SandboxInfo:ref].
 *
 * Returns: (transfer none): the identity
 *
 * Since: 1.0
 */
AsbSandboxRef *
asb_sandbox_info_get_ref (AsbSandboxInfo *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_INFO (self), NULL);

  return self->ref;
}

/**
 * asb_sandbox_info_get_state:
 * @self: a [class@SandboxInfo]
 *
 * Gets [property@SandboxInfo:state].
 *
 * Returns: the state
 *
 * Since: 1.0
 */
AsbSandboxState
asb_sandbox_info_get_state (AsbSandboxInfo *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_INFO (self), 0);

  return self->state;
}

/**
 * asb_sandbox_info_get_name:
 * @self: a [class@SandboxInfo]
 *
 * Gets [property@SandboxInfo:name].
 *
 * Returns: (transfer none) (nullable): the name given to it, for people; several may have the
 * same
 *
 * Since: 1.0
 */
const char *
asb_sandbox_info_get_name (AsbSandboxInfo *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_INFO (self), NULL);

  return self->name;
}

/**
 * asb_sandbox_info_get_image:
 * @self: a [class@SandboxInfo]
 *
 * Gets [property@SandboxInfo:image].
 *
 * Returns: (transfer none) (nullable): the image it was made from
 *
 * Since: 1.0
 */
const char *
asb_sandbox_info_get_image (AsbSandboxInfo *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_INFO (self), NULL);

  return self->image;
}

/**
 * asb_sandbox_info_get_workdir:
 * @self: a [class@SandboxInfo]
 *
 * Gets [property@SandboxInfo:workdir].
 *
 * Returns: (transfer none) (nullable) (type filename): the default working directory inside
 *
 * Since: 1.0
 */
const char *
asb_sandbox_info_get_workdir (AsbSandboxInfo *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_INFO (self), NULL);

  return self->workdir;
}

/**
 * asb_sandbox_info_get_made_workdir:
 * @self: a [class@SandboxInfo]
 *
 * Gets [property@SandboxInfo:made-workdir].
 *
 * Returns: whether the provider made the working directory
 *
 * Since: 1.0
 */
gboolean
asb_sandbox_info_get_made_workdir (AsbSandboxInfo *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_INFO (self), FALSE);

  return self->made_workdir;
}

/**
 * asb_sandbox_info_get_created_at:
 * @self: a [class@SandboxInfo]
 *
 * Gets [property@SandboxInfo:created-at].
 *
 * Returns: (transfer none) (nullable): when it was created
 *
 * Since: 1.0
 */
GDateTime *
asb_sandbox_info_get_created_at (AsbSandboxInfo *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_INFO (self), NULL);

  return self->created_at;
}

/**
 * asb_sandbox_info_get_expires_at:
 * @self: a [class@SandboxInfo]
 *
 * Gets [property@SandboxInfo:expires-at].
 *
 * Returns: (transfer none) (nullable): when it expires; %NULL for never, or unknown
 *
 * Since: 1.0
 */
GDateTime *
asb_sandbox_info_get_expires_at (AsbSandboxInfo *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_INFO (self), NULL);

  return self->expires_at;
}

/**
 * asb_sandbox_info_get_mounts:
 * @self: a [class@SandboxInfo]
 *
 * Gets [property@SandboxInfo:mounts].
 *
 * Returns: (transfer none) (nullable): a list of [class@Mount]
 *
 * Since: 1.0
 */
GListModel *
asb_sandbox_info_get_mounts (AsbSandboxInfo *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_INFO (self), NULL);

  return self->mounts;
}

/**
 * asb_sandbox_info_get_limits:
 * @self: a [class@SandboxInfo]
 *
 * Gets [property@SandboxInfo:limits].
 *
 * Returns: (transfer none) (nullable): what its processes may take
 *
 * Since: 1.0
 */
AsbResourceLimits *
asb_sandbox_info_get_limits (AsbSandboxInfo *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_INFO (self), NULL);

  return self->limits;
}

/**
 * asb_sandbox_info_get_network:
 * @self: a [class@SandboxInfo]
 *
 * Gets [property@SandboxInfo:network].
 *
 * Returns: (transfer none) (nullable): the network it has, in the provider's words
 *
 * Since: 1.0
 */
const char *
asb_sandbox_info_get_network (AsbSandboxInfo *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_INFO (self), NULL);

  return self->network;
}

/**
 * asb_sandbox_info_get_message:
 * @self: a [class@SandboxInfo]
 *
 * Gets [property@SandboxInfo:message].
 *
 * Returns: (transfer none) (nullable): why it is in this state, for people
 *
 * Since: 1.0
 */
const char *
asb_sandbox_info_get_message (AsbSandboxInfo *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_INFO (self), NULL);

  return self->message;
}

/**
 * asb_sandbox_info_get_reason:
 * @self: a [class@SandboxInfo]
 *
 * Gets [property@SandboxInfo:reason].
 *
 * Returns: (transfer none) (nullable): why it is in this state, in a word of the provider
 *
 * Since: 1.0
 */
const char *
asb_sandbox_info_get_reason (AsbSandboxInfo *self)
{
  g_return_val_if_fail (ASB_IS_SANDBOX_INFO (self), NULL);

  return self->reason;
}
