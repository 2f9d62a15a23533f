/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-history-status.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbHistoryStatus:
 *
 * How a history store is doing.
 *
 * Since: 1.0
 */

struct _AsbHistoryStatus
{
  GObject parent_instance;

  char *state;
  char *message;
  char *journal_mode;
  guint64 database_bytes;
  guint64 operations;
  gint64 min_available_seq;
  gint64 max_seq;
};

enum
{
  PROP_0,
  PROP_STATE,
  PROP_MESSAGE,
  PROP_JOURNAL_MODE,
  PROP_DATABASE_BYTES,
  PROP_OPERATIONS,
  PROP_MIN_AVAILABLE_SEQ,
  PROP_MAX_SEQ,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbHistoryStatus, asb_history_status, G_TYPE_OBJECT)

static void
asb_history_status_finalize (GObject *object)
{
  AsbHistoryStatus *self = ASB_HISTORY_STATUS (object);

  g_clear_pointer (&self->state, g_free);
  g_clear_pointer (&self->message, g_free);
  g_clear_pointer (&self->journal_mode, g_free);

  G_OBJECT_CLASS (asb_history_status_parent_class)->finalize (object);
}

static void
asb_history_status_get_property (GObject *object, guint property_id, GValue *value,
                                 GParamSpec *pspec)
{
  AsbHistoryStatus *self = ASB_HISTORY_STATUS (object);

  switch (property_id)
    {
    case PROP_STATE:
      g_value_set_string (value, self->state);
      break;
    case PROP_MESSAGE:
      g_value_set_string (value, self->message);
      break;
    case PROP_JOURNAL_MODE:
      g_value_set_string (value, self->journal_mode);
      break;
    case PROP_DATABASE_BYTES:
      g_value_set_uint64 (value, self->database_bytes);
      break;
    case PROP_OPERATIONS:
      g_value_set_uint64 (value, self->operations);
      break;
    case PROP_MIN_AVAILABLE_SEQ:
      g_value_set_int64 (value, self->min_available_seq);
      break;
    case PROP_MAX_SEQ:
      g_value_set_int64 (value, self->max_seq);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_history_status_set_property (GObject *object, guint property_id, const GValue *value,
                                 GParamSpec *pspec)
{
  AsbHistoryStatus *self = ASB_HISTORY_STATUS (object);

  switch (property_id)
    {
    case PROP_STATE:
      self->state = g_value_dup_string (value);
      break;
    case PROP_MESSAGE:
      self->message = g_value_dup_string (value);
      break;
    case PROP_JOURNAL_MODE:
      self->journal_mode = g_value_dup_string (value);
      break;
    case PROP_DATABASE_BYTES:
      self->database_bytes = g_value_get_uint64 (value);
      break;
    case PROP_OPERATIONS:
      self->operations = g_value_get_uint64 (value);
      break;
    case PROP_MIN_AVAILABLE_SEQ:
      self->min_available_seq = g_value_get_int64 (value);
      break;
    case PROP_MAX_SEQ:
      self->max_seq = g_value_get_int64 (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_history_status_class_init (AsbHistoryStatusClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_history_status_finalize;
  object_class->get_property = asb_history_status_get_property;
  object_class->set_property = asb_history_status_set_property;

  /**
   * AsbHistoryStatus:state:
   *
   * `open`, `closed`, `failed` or `unavailable`.
   *
   * Since: 1.0
   */
  properties[PROP_STATE]
      = g_param_spec_string ("state", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryStatus:message:
   *
   * Why it is not open, for people.
   *
   * Since: 1.0
   */
  properties[PROP_MESSAGE]
      = g_param_spec_string ("message", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryStatus:journal-mode:
   *
   * How the database writes, for example `wal`.
   *
   * Since: 1.0
   */
  properties[PROP_JOURNAL_MODE]
      = g_param_spec_string ("journal-mode", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryStatus:database-bytes:
   *
   * The size of the database.
   *
   * Since: 1.0
   */
  properties[PROP_DATABASE_BYTES] = g_param_spec_uint64 ("database-bytes", NULL, NULL, 0,
                                                         G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryStatus:operations:
   *
   * How many operations are recorded.
   *
   * Since: 1.0
   */
  properties[PROP_OPERATIONS]
      = g_param_spec_uint64 ("operations", NULL, NULL, 0, G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryStatus:min-available-seq:
   *
   * The lowest change number that is still there.
   *
   * Since: 1.0
   */
  properties[PROP_MIN_AVAILABLE_SEQ] = g_param_spec_int64 (
      "min-available-seq", NULL, NULL, G_MININT64, G_MAXINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryStatus:max-seq:
   *
   * The highest change number.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_SEQ] = g_param_spec_int64 ("max-seq", NULL, NULL, G_MININT64, G_MAXINT64, 0,
                                                 ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_history_status_init (AsbHistoryStatus *self)
{
}

/**
 * asb_history_status_get_state:
 * @self: a [class@HistoryStatus]
 *
 * Gets [property@HistoryStatus:state].
 *
 * Returns: (transfer none): `open`, `closed`, `failed` or `unavailable`
 *
 * Since: 1.0
 */
const char *
asb_history_status_get_state (AsbHistoryStatus *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STATUS (self), NULL);

  return self->state;
}

/**
 * asb_history_status_get_message:
 * @self: a [class@HistoryStatus]
 *
 * Gets [property@HistoryStatus:message].
 *
 * Returns: (transfer none) (nullable): why it is not open, for people
 *
 * Since: 1.0
 */
const char *
asb_history_status_get_message (AsbHistoryStatus *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STATUS (self), NULL);

  return self->message;
}

/**
 * asb_history_status_get_journal_mode:
 * @self: a [class@HistoryStatus]
 *
 * Gets [property@HistoryStatus:journal-mode].
 *
 * Returns: (transfer none) (nullable): how the database writes, for example `wal`
 *
 * Since: 1.0
 */
const char *
asb_history_status_get_journal_mode (AsbHistoryStatus *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STATUS (self), NULL);

  return self->journal_mode;
}

/**
 * asb_history_status_get_database_bytes:
 * @self: a [class@HistoryStatus]
 *
 * Gets [property@HistoryStatus:database-bytes].
 *
 * Returns: the size of the database
 *
 * Since: 1.0
 */
guint64
asb_history_status_get_database_bytes (AsbHistoryStatus *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STATUS (self), 0);

  return self->database_bytes;
}

/**
 * asb_history_status_get_operations:
 * @self: a [class@HistoryStatus]
 *
 * Gets [property@HistoryStatus:operations].
 *
 * Returns: how many operations are recorded
 *
 * Since: 1.0
 */
guint64
asb_history_status_get_operations (AsbHistoryStatus *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STATUS (self), 0);

  return self->operations;
}

/**
 * asb_history_status_get_min_available_seq:
 * @self: a [class@HistoryStatus]
 *
 * Gets [property@HistoryStatus:min-available-seq].
 *
 * Returns: the lowest change number that is still there
 *
 * Since: 1.0
 */
gint64
asb_history_status_get_min_available_seq (AsbHistoryStatus *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STATUS (self), 0);

  return self->min_available_seq;
}

/**
 * asb_history_status_get_max_seq:
 * @self: a [class@HistoryStatus]
 *
 * Gets [property@HistoryStatus:max-seq].
 *
 * Returns: the highest change number
 *
 * Since: 1.0
 */
gint64
asb_history_status_get_max_seq (AsbHistoryStatus *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_STATUS (self), 0);

  return self->max_seq;
}
