/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-snapshot.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbSnapshot:
 *
 * What a provider knows of a snapshot at one moment.
 *
 * Since: 1.0
 */

struct _AsbSnapshot
{
  GObject parent_instance;

  char *id;
  char *sandbox_id;
  char *name;
  AsbSnapshotState state;
  char *message;
  GDateTime *created_at;
};

enum
{
  PROP_0,
  PROP_ID,
  PROP_SANDBOX_ID,
  PROP_NAME,
  PROP_STATE,
  PROP_MESSAGE,
  PROP_CREATED_AT,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbSnapshot, asb_snapshot, G_TYPE_OBJECT)

static void
asb_snapshot_finalize (GObject *object)
{
  AsbSnapshot *self = ASB_SNAPSHOT (object);

  g_clear_pointer (&self->id, g_free);
  g_clear_pointer (&self->sandbox_id, g_free);
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->message, g_free);
  g_clear_pointer (&self->created_at, g_date_time_unref);

  G_OBJECT_CLASS (asb_snapshot_parent_class)->finalize (object);
}

static void
asb_snapshot_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbSnapshot *self = ASB_SNAPSHOT (object);

  switch (property_id)
    {
    case PROP_ID:
      g_value_set_string (value, self->id);
      break;
    case PROP_SANDBOX_ID:
      g_value_set_string (value, self->sandbox_id);
      break;
    case PROP_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_STATE:
      g_value_set_enum (value, self->state);
      break;
    case PROP_MESSAGE:
      g_value_set_string (value, self->message);
      break;
    case PROP_CREATED_AT:
      g_value_set_boxed (value, self->created_at);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_snapshot_set_property (GObject *object, guint property_id, const GValue *value,
                           GParamSpec *pspec)
{
  AsbSnapshot *self = ASB_SNAPSHOT (object);

  switch (property_id)
    {
    case PROP_ID:
      self->id = g_value_dup_string (value);
      break;
    case PROP_SANDBOX_ID:
      self->sandbox_id = g_value_dup_string (value);
      break;
    case PROP_NAME:
      self->name = g_value_dup_string (value);
      break;
    case PROP_STATE:
      self->state = g_value_get_enum (value);
      break;
    case PROP_MESSAGE:
      self->message = g_value_dup_string (value);
      break;
    case PROP_CREATED_AT:
      self->created_at = g_value_dup_boxed (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_snapshot_class_init (AsbSnapshotClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_snapshot_finalize;
  object_class->get_property = asb_snapshot_get_property;
  object_class->set_property = asb_snapshot_set_property;

  /**
   * AsbSnapshot:id:
   *
   * The id, as the provider gave it out.
   *
   * Since: 1.0
   */
  properties[PROP_ID] = g_param_spec_string ("id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSnapshot:sandbox-id:
   *
   * The sandbox it was made of.
   *
   * Since: 1.0
   */
  properties[PROP_SANDBOX_ID]
      = g_param_spec_string ("sandbox-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSnapshot:name:
   *
   * The name given to it, for people.
   *
   * Since: 1.0
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSnapshot:state:
   *
   * The state.
   *
   * Since: 1.0
   */
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, ASB_TYPE_SNAPSHOT_STATE, 0,
                                              ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSnapshot:message:
   *
   * Why it is in this state, for people.
   *
   * Since: 1.0
   */
  properties[PROP_MESSAGE]
      = g_param_spec_string ("message", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbSnapshot:created-at:
   *
   * When it was made.
   *
   * Since: 1.0
   */
  properties[PROP_CREATED_AT]
      = g_param_spec_boxed ("created-at", NULL, NULL, G_TYPE_DATE_TIME, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_snapshot_init (AsbSnapshot *self)
{
}

/**
 * asb_snapshot_get_id:
 * @self: a [class@Snapshot]
 *
 * Gets [property@Snapshot:id].
 *
 * Returns: (transfer none): the id, as the provider gave it out
 *
 * Since: 1.0
 */
const char *
asb_snapshot_get_id (AsbSnapshot *self)
{
  g_return_val_if_fail (ASB_IS_SNAPSHOT (self), NULL);

  return self->id;
}

/**
 * asb_snapshot_get_sandbox_id:
 * @self: a [class@Snapshot]
 *
 * Gets [property@Snapshot:sandbox-id].
 *
 * Returns: (transfer none) (nullable): the sandbox it was made of
 *
 * Since: 1.0
 */
const char *
asb_snapshot_get_sandbox_id (AsbSnapshot *self)
{
  g_return_val_if_fail (ASB_IS_SNAPSHOT (self), NULL);

  return self->sandbox_id;
}

/**
 * asb_snapshot_get_name:
 * @self: a [class@Snapshot]
 *
 * Gets [property@Snapshot:name].
 *
 * Returns: (transfer none) (nullable): the name given to it, for people
 *
 * Since: 1.0
 */
const char *
asb_snapshot_get_name (AsbSnapshot *self)
{
  g_return_val_if_fail (ASB_IS_SNAPSHOT (self), NULL);

  return self->name;
}

/**
 * asb_snapshot_get_state:
 * @self: a [class@Snapshot]
 *
 * Gets [property@Snapshot:state].
 *
 * Returns: the state
 *
 * Since: 1.0
 */
AsbSnapshotState
asb_snapshot_get_state (AsbSnapshot *self)
{
  g_return_val_if_fail (ASB_IS_SNAPSHOT (self), 0);

  return self->state;
}

/**
 * asb_snapshot_get_message:
 * @self: a [class@Snapshot]
 *
 * Gets [property@Snapshot:message].
 *
 * Returns: (transfer none) (nullable): why it is in this state, for people
 *
 * Since: 1.0
 */
const char *
asb_snapshot_get_message (AsbSnapshot *self)
{
  g_return_val_if_fail (ASB_IS_SNAPSHOT (self), NULL);

  return self->message;
}

/**
 * asb_snapshot_get_created_at:
 * @self: a [class@Snapshot]
 *
 * Gets [property@Snapshot:created-at].
 *
 * Returns: (transfer none) (nullable): when it was made
 *
 * Since: 1.0
 */
GDateTime *
asb_snapshot_get_created_at (AsbSnapshot *self)
{
  g_return_val_if_fail (ASB_IS_SNAPSHOT (self), NULL);

  return self->created_at;
}
