/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-history-change.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbHistoryChange:
 *
 * A notice that something about a recorded operation changed.
 *
 * Since: 1.0
 */

struct _AsbHistoryChange
{
  GObject parent_instance;

  gint64 seq;
  char *change_id;
  char *event_id;
  char *change_type;
  char *changed_at;
  char *operation_type;
  char *status;
};

enum
{
  PROP_0,
  PROP_SEQ,
  PROP_CHANGE_ID,
  PROP_EVENT_ID,
  PROP_CHANGE_TYPE,
  PROP_CHANGED_AT,
  PROP_OPERATION_TYPE,
  PROP_STATUS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbHistoryChange, asb_history_change, G_TYPE_OBJECT)

static void
asb_history_change_finalize (GObject *object)
{
  AsbHistoryChange *self = ASB_HISTORY_CHANGE (object);

  g_clear_pointer (&self->change_id, g_free);
  g_clear_pointer (&self->event_id, g_free);
  g_clear_pointer (&self->change_type, g_free);
  g_clear_pointer (&self->changed_at, g_free);
  g_clear_pointer (&self->operation_type, g_free);
  g_clear_pointer (&self->status, g_free);

  G_OBJECT_CLASS (asb_history_change_parent_class)->finalize (object);
}

static void
asb_history_change_get_property (GObject *object, guint property_id, GValue *value,
                                 GParamSpec *pspec)
{
  AsbHistoryChange *self = ASB_HISTORY_CHANGE (object);

  switch (property_id)
    {
    case PROP_SEQ:
      g_value_set_int64 (value, self->seq);
      break;
    case PROP_CHANGE_ID:
      g_value_set_string (value, self->change_id);
      break;
    case PROP_EVENT_ID:
      g_value_set_string (value, self->event_id);
      break;
    case PROP_CHANGE_TYPE:
      g_value_set_string (value, self->change_type);
      break;
    case PROP_CHANGED_AT:
      g_value_set_string (value, self->changed_at);
      break;
    case PROP_OPERATION_TYPE:
      g_value_set_string (value, self->operation_type);
      break;
    case PROP_STATUS:
      g_value_set_string (value, self->status);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_history_change_set_property (GObject *object, guint property_id, const GValue *value,
                                 GParamSpec *pspec)
{
  AsbHistoryChange *self = ASB_HISTORY_CHANGE (object);

  switch (property_id)
    {
    case PROP_SEQ:
      self->seq = g_value_get_int64 (value);
      break;
    case PROP_CHANGE_ID:
      self->change_id = g_value_dup_string (value);
      break;
    case PROP_EVENT_ID:
      self->event_id = g_value_dup_string (value);
      break;
    case PROP_CHANGE_TYPE:
      self->change_type = g_value_dup_string (value);
      break;
    case PROP_CHANGED_AT:
      self->changed_at = g_value_dup_string (value);
      break;
    case PROP_OPERATION_TYPE:
      self->operation_type = g_value_dup_string (value);
      break;
    case PROP_STATUS:
      self->status = g_value_dup_string (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_history_change_class_init (AsbHistoryChangeClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_history_change_finalize;
  object_class->get_property = asb_history_change_get_property;
  object_class->set_property = asb_history_change_set_property;

  /**
   * AsbHistoryChange:seq:
   *
   * The number of the change; later changes have higher ones.
   *
   * Since: 1.0
   */
  properties[PROP_SEQ]
      = g_param_spec_int64 ("seq", NULL, NULL, G_MININT64, G_MAXINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryChange:change-id:
   *
   * The id of the change.
   *
   * Since: 1.0
   */
  properties[PROP_CHANGE_ID]
      = g_param_spec_string ("change-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryChange:event-id:
   *
   * The id of the operation.
   *
   * Since: 1.0
   */
  properties[PROP_EVENT_ID]
      = g_param_spec_string ("event-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryChange:change-type:
   *
   * `created`, `output_appended`, `completed` or `storage_state_changed`.
   *
   * Since: 1.0
   */
  properties[PROP_CHANGE_TYPE]
      = g_param_spec_string ("change-type", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryChange:changed-at:
   *
   * When, ISO 8601 in UTC.
   *
   * Since: 1.0
   */
  properties[PROP_CHANGED_AT]
      = g_param_spec_string ("changed-at", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryChange:operation-type:
   *
   * What the operation does.
   *
   * Since: 1.0
   */
  properties[PROP_OPERATION_TYPE]
      = g_param_spec_string ("operation-type", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryChange:status:
   *
   * How the operation stands now.
   *
   * Since: 1.0
   */
  properties[PROP_STATUS]
      = g_param_spec_string ("status", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_history_change_init (AsbHistoryChange *self)
{
}

/**
 * asb_history_change_get_seq:
 * @self: a [class@HistoryChange]
 *
 * Gets [property@HistoryChange:seq].
 *
 * Returns: the number of the change; later changes have higher ones
 *
 * Since: 1.0
 */
gint64
asb_history_change_get_seq (AsbHistoryChange *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CHANGE (self), 0);

  return self->seq;
}

/**
 * asb_history_change_get_change_id:
 * @self: a [class@HistoryChange]
 *
 * Gets [property@HistoryChange:change-id].
 *
 * Returns: (transfer none): the id of the change
 *
 * Since: 1.0
 */
const char *
asb_history_change_get_change_id (AsbHistoryChange *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CHANGE (self), NULL);

  return self->change_id;
}

/**
 * asb_history_change_get_event_id:
 * @self: a [class@HistoryChange]
 *
 * Gets [property@HistoryChange:event-id].
 *
 * Returns: (transfer none): the id of the operation
 *
 * Since: 1.0
 */
const char *
asb_history_change_get_event_id (AsbHistoryChange *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CHANGE (self), NULL);

  return self->event_id;
}

/**
 * asb_history_change_get_change_type:
 * @self: a [class@HistoryChange]
 *
 * Gets [property@HistoryChange:change-type].
 *
 * Returns: (transfer none): `created`, `output_appended`, `completed` or `storage_state_changed`
 *
 * Since: 1.0
 */
const char *
asb_history_change_get_change_type (AsbHistoryChange *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CHANGE (self), NULL);

  return self->change_type;
}

/**
 * asb_history_change_get_changed_at:
 * @self: a [class@HistoryChange]
 *
 * Gets [property@HistoryChange:changed-at].
 *
 * Returns: (transfer none): when, ISO 8601 in UTC
 *
 * Since: 1.0
 */
const char *
asb_history_change_get_changed_at (AsbHistoryChange *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CHANGE (self), NULL);

  return self->changed_at;
}

/**
 * asb_history_change_get_operation_type:
 * @self: a [class@HistoryChange]
 *
 * Gets [property@HistoryChange:operation-type].
 *
 * Returns: (transfer none): what the operation does
 *
 * Since: 1.0
 */
const char *
asb_history_change_get_operation_type (AsbHistoryChange *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CHANGE (self), NULL);

  return self->operation_type;
}

/**
 * asb_history_change_get_status:
 * @self: a [class@HistoryChange]
 *
 * Gets [property@HistoryChange:status].
 *
 * Returns: (transfer none): how the operation stands now
 *
 * Since: 1.0
 */
const char *
asb_history_change_get_status (AsbHistoryChange *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_CHANGE (self), NULL);

  return self->status;
}
