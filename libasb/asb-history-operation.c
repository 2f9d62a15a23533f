/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-history-operation.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbHistoryOperation:
 *
 * One operation as it stands in the record.
 *
 * Since: 1.0
 */

struct _AsbHistoryOperation
{
  GObject parent_instance;

  gint64 seq;
  char *event_id;
  char *operation_type;
  AsbOperationStatus status;
  char *source;
  char *actor_type;
  char *actor_id;
  char *thread_id;
  char *run_id;
  char *correlation_id;
  char *occurred_at;
  char *completed_at;
  gint64 duration_ms;
  GVariant *request;
  GVariant *result;
  GVariant *command;
  GVariant *file_operation;
};

enum
{
  PROP_0,
  PROP_SEQ,
  PROP_EVENT_ID,
  PROP_OPERATION_TYPE,
  PROP_STATUS,
  PROP_SOURCE,
  PROP_ACTOR_TYPE,
  PROP_ACTOR_ID,
  PROP_THREAD_ID,
  PROP_RUN_ID,
  PROP_CORRELATION_ID,
  PROP_OCCURRED_AT,
  PROP_COMPLETED_AT,
  PROP_DURATION_MS,
  PROP_REQUEST,
  PROP_RESULT,
  PROP_COMMAND,
  PROP_FILE_OPERATION,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbHistoryOperation, asb_history_operation, G_TYPE_OBJECT)

static void
asb_history_operation_finalize (GObject *object)
{
  AsbHistoryOperation *self = ASB_HISTORY_OPERATION (object);

  g_clear_pointer (&self->event_id, g_free);
  g_clear_pointer (&self->operation_type, g_free);
  g_clear_pointer (&self->source, g_free);
  g_clear_pointer (&self->actor_type, g_free);
  g_clear_pointer (&self->actor_id, g_free);
  g_clear_pointer (&self->thread_id, g_free);
  g_clear_pointer (&self->run_id, g_free);
  g_clear_pointer (&self->correlation_id, g_free);
  g_clear_pointer (&self->occurred_at, g_free);
  g_clear_pointer (&self->completed_at, g_free);
  g_clear_pointer (&self->request, g_variant_unref);
  g_clear_pointer (&self->result, g_variant_unref);
  g_clear_pointer (&self->command, g_variant_unref);
  g_clear_pointer (&self->file_operation, g_variant_unref);

  G_OBJECT_CLASS (asb_history_operation_parent_class)->finalize (object);
}

static void
asb_history_operation_get_property (GObject *object, guint property_id, GValue *value,
                                    GParamSpec *pspec)
{
  AsbHistoryOperation *self = ASB_HISTORY_OPERATION (object);

  switch (property_id)
    {
    case PROP_SEQ:
      g_value_set_int64 (value, self->seq);
      break;
    case PROP_EVENT_ID:
      g_value_set_string (value, self->event_id);
      break;
    case PROP_OPERATION_TYPE:
      g_value_set_string (value, self->operation_type);
      break;
    case PROP_STATUS:
      g_value_set_enum (value, self->status);
      break;
    case PROP_SOURCE:
      g_value_set_string (value, self->source);
      break;
    case PROP_ACTOR_TYPE:
      g_value_set_string (value, self->actor_type);
      break;
    case PROP_ACTOR_ID:
      g_value_set_string (value, self->actor_id);
      break;
    case PROP_THREAD_ID:
      g_value_set_string (value, self->thread_id);
      break;
    case PROP_RUN_ID:
      g_value_set_string (value, self->run_id);
      break;
    case PROP_CORRELATION_ID:
      g_value_set_string (value, self->correlation_id);
      break;
    case PROP_OCCURRED_AT:
      g_value_set_string (value, self->occurred_at);
      break;
    case PROP_COMPLETED_AT:
      g_value_set_string (value, self->completed_at);
      break;
    case PROP_DURATION_MS:
      g_value_set_int64 (value, self->duration_ms);
      break;
    case PROP_REQUEST:
      g_value_set_variant (value, self->request);
      break;
    case PROP_RESULT:
      g_value_set_variant (value, self->result);
      break;
    case PROP_COMMAND:
      g_value_set_variant (value, self->command);
      break;
    case PROP_FILE_OPERATION:
      g_value_set_variant (value, self->file_operation);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_history_operation_set_property (GObject *object, guint property_id, const GValue *value,
                                    GParamSpec *pspec)
{
  AsbHistoryOperation *self = ASB_HISTORY_OPERATION (object);

  switch (property_id)
    {
    case PROP_SEQ:
      self->seq = g_value_get_int64 (value);
      break;
    case PROP_EVENT_ID:
      self->event_id = g_value_dup_string (value);
      break;
    case PROP_OPERATION_TYPE:
      self->operation_type = g_value_dup_string (value);
      break;
    case PROP_STATUS:
      self->status = g_value_get_enum (value);
      break;
    case PROP_SOURCE:
      self->source = g_value_dup_string (value);
      break;
    case PROP_ACTOR_TYPE:
      self->actor_type = g_value_dup_string (value);
      break;
    case PROP_ACTOR_ID:
      self->actor_id = g_value_dup_string (value);
      break;
    case PROP_THREAD_ID:
      self->thread_id = g_value_dup_string (value);
      break;
    case PROP_RUN_ID:
      self->run_id = g_value_dup_string (value);
      break;
    case PROP_CORRELATION_ID:
      self->correlation_id = g_value_dup_string (value);
      break;
    case PROP_OCCURRED_AT:
      self->occurred_at = g_value_dup_string (value);
      break;
    case PROP_COMPLETED_AT:
      self->completed_at = g_value_dup_string (value);
      break;
    case PROP_DURATION_MS:
      self->duration_ms = g_value_get_int64 (value);
      break;
    case PROP_REQUEST:
      self->request = g_value_dup_variant (value);
      break;
    case PROP_RESULT:
      self->result = g_value_dup_variant (value);
      break;
    case PROP_COMMAND:
      self->command = g_value_dup_variant (value);
      break;
    case PROP_FILE_OPERATION:
      self->file_operation = g_value_dup_variant (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_history_operation_class_init (AsbHistoryOperationClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_history_operation_finalize;
  object_class->get_property = asb_history_operation_get_property;
  object_class->set_property = asb_history_operation_set_property;

  /**
   * AsbHistoryOperation:seq:
   *
   * The number of the operation in the order of starting.
   *
   * Since: 1.0
   */
  properties[PROP_SEQ]
      = g_param_spec_int64 ("seq", NULL, NULL, G_MININT64, G_MAXINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryOperation:event-id:
   *
   * The id.
   *
   * Since: 1.0
   */
  properties[PROP_EVENT_ID]
      = g_param_spec_string ("event-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryOperation:operation-type:
   *
   * What was done, for example `command.execute`.
   *
   * Since: 1.0
   */
  properties[PROP_OPERATION_TYPE]
      = g_param_spec_string ("operation-type", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryOperation:status:
   *
   * How it stands.
   *
   * Since: 1.0
   */
  properties[PROP_STATUS] = g_param_spec_enum ("status", NULL, NULL, ASB_TYPE_OPERATION_STATUS, 0,
                                               ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryOperation:source:
   *
   * Which program recorded it, `sdk` for a library.
   *
   * Since: 1.0
   */
  properties[PROP_SOURCE]
      = g_param_spec_string ("source", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryOperation:actor-type:
   *
   * Who did it: `agent`, `user` or `system`.
   *
   * Since: 1.0
   */
  properties[PROP_ACTOR_TYPE]
      = g_param_spec_string ("actor-type", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryOperation:actor-id:
   *
   * The id of the actor.
   *
   * Since: 1.0
   */
  properties[PROP_ACTOR_ID]
      = g_param_spec_string ("actor-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryOperation:thread-id:
   *
   * The thread (conversation) it belongs to.
   *
   * Since: 1.0
   */
  properties[PROP_THREAD_ID]
      = g_param_spec_string ("thread-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryOperation:run-id:
   *
   * The run it belongs to.
   *
   * Since: 1.0
   */
  properties[PROP_RUN_ID]
      = g_param_spec_string ("run-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryOperation:correlation-id:
   *
   * What ties operations together.
   *
   * Since: 1.0
   */
  properties[PROP_CORRELATION_ID]
      = g_param_spec_string ("correlation-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryOperation:occurred-at:
   *
   * When it started, ISO 8601 in UTC.
   *
   * Since: 1.0
   */
  properties[PROP_OCCURRED_AT]
      = g_param_spec_string ("occurred-at", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryOperation:completed-at:
   *
   * When it ended.
   *
   * Since: 1.0
   */
  properties[PROP_COMPLETED_AT]
      = g_param_spec_string ("completed-at", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryOperation:duration-ms:
   *
   * How long it took in milliseconds, −1 while that is unknown.
   *
   * Since: 1.0
   */
  properties[PROP_DURATION_MS] = g_param_spec_int64 ("duration-ms", NULL, NULL, G_MININT64,
                                                     G_MAXINT64, -1, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryOperation:request:
   *
   * The request, an `a{sv}`.
   *
   * Since: 1.0
   */
  properties[PROP_REQUEST] = g_param_spec_variant ("request", NULL, NULL, G_VARIANT_TYPE_ANY, NULL,
                                                   ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryOperation:result:
   *
   * The result, an `a{sv}`.
   *
   * Since: 1.0
   */
  properties[PROP_RESULT] = g_param_spec_variant ("result", NULL, NULL, G_VARIANT_TYPE_ANY, NULL,
                                                  ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryOperation:command:
   *
   * The command, an `a{sv}` with the columns of the schema.
   *
   * Since: 1.0
   */
  properties[PROP_COMMAND] = g_param_spec_variant ("command", NULL, NULL, G_VARIANT_TYPE_ANY, NULL,
                                                   ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbHistoryOperation:file-operation:
   *
   * The file operation, an `a{sv}` with the columns of the schema.
   *
   * Since: 1.0
   */
  properties[PROP_FILE_OPERATION] = g_param_spec_variant (
      "file-operation", NULL, NULL, G_VARIANT_TYPE_ANY, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_history_operation_init (AsbHistoryOperation *self)
{
}

/**
 * asb_history_operation_get_seq:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:seq].
 *
 * Returns: the number of the operation in the order of starting
 *
 * Since: 1.0
 */
gint64
asb_history_operation_get_seq (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), 0);

  return self->seq;
}

/**
 * asb_history_operation_get_event_id:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:event-id].
 *
 * Returns: (transfer none): the id
 *
 * Since: 1.0
 */
const char *
asb_history_operation_get_event_id (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), NULL);

  return self->event_id;
}

/**
 * asb_history_operation_get_operation_type:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:operation-type].
 *
 * Returns: (transfer none): what was done, for example `command.execute`
 *
 * Since: 1.0
 */
const char *
asb_history_operation_get_operation_type (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), NULL);

  return self->operation_type;
}

/**
 * asb_history_operation_get_status:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:status].
 *
 * Returns: how it stands
 *
 * Since: 1.0
 */
AsbOperationStatus
asb_history_operation_get_status (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), 0);

  return self->status;
}

/**
 * asb_history_operation_get_source:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:source].
 *
 * Returns: (transfer none) (nullable): which program recorded it, `sdk` for a library
 *
 * Since: 1.0
 */
const char *
asb_history_operation_get_source (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), NULL);

  return self->source;
}

/**
 * asb_history_operation_get_actor_type:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:actor-type].
 *
 * Returns: (transfer none) (nullable): who did it: `agent`, `user` or `system`
 *
 * Since: 1.0
 */
const char *
asb_history_operation_get_actor_type (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), NULL);

  return self->actor_type;
}

/**
 * asb_history_operation_get_actor_id:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:actor-id].
 *
 * Returns: (transfer none) (nullable): the id of the actor
 *
 * Since: 1.0
 */
const char *
asb_history_operation_get_actor_id (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), NULL);

  return self->actor_id;
}

/**
 * asb_history_operation_get_thread_id:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:thread-id].
 *
 * Returns: (transfer none) (nullable): the thread (conversation) it belongs to
 *
 * Since: 1.0
 */
const char *
asb_history_operation_get_thread_id (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), NULL);

  return self->thread_id;
}

/**
 * asb_history_operation_get_run_id:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:run-id].
 *
 * Returns: (transfer none) (nullable): the run it belongs to
 *
 * Since: 1.0
 */
const char *
asb_history_operation_get_run_id (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), NULL);

  return self->run_id;
}

/**
 * asb_history_operation_get_correlation_id:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:correlation-id].
 *
 * Returns: (transfer none) (nullable): what ties operations together
 *
 * Since: 1.0
 */
const char *
asb_history_operation_get_correlation_id (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), NULL);

  return self->correlation_id;
}

/**
 * asb_history_operation_get_occurred_at:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:occurred-at].
 *
 * Returns: (transfer none) (nullable): when it started, ISO 8601 in UTC
 *
 * Since: 1.0
 */
const char *
asb_history_operation_get_occurred_at (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), NULL);

  return self->occurred_at;
}

/**
 * asb_history_operation_get_completed_at:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:completed-at].
 *
 * Returns: (transfer none) (nullable): when it ended
 *
 * Since: 1.0
 */
const char *
asb_history_operation_get_completed_at (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), NULL);

  return self->completed_at;
}

/**
 * asb_history_operation_get_duration_ms:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:duration-ms].
 *
 * Returns: how long it took in milliseconds, −1 while that is unknown
 *
 * Since: 1.0
 */
gint64
asb_history_operation_get_duration_ms (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), 0);

  return self->duration_ms;
}

/**
 * asb_history_operation_get_request:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:request].
 *
 * Returns: (transfer none) (nullable): the request, an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
asb_history_operation_get_request (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), NULL);

  return self->request;
}

/**
 * asb_history_operation_get_result:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:result].
 *
 * Returns: (transfer none) (nullable): the result, an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
asb_history_operation_get_result (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), NULL);

  return self->result;
}

/**
 * asb_history_operation_get_command:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:command].
 *
 * Returns: (transfer none) (nullable): the command, an `a{sv}` with the columns of the schema
 *
 * Since: 1.0
 */
GVariant *
asb_history_operation_get_command (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), NULL);

  return self->command;
}

/**
 * asb_history_operation_get_file_operation:
 * @self: a [class@HistoryOperation]
 *
 * Gets [property@HistoryOperation:file-operation].
 *
 * Returns: (transfer none) (nullable): the file operation, an `a{sv}` with the columns of the
 * schema
 *
 * Since: 1.0
 */
GVariant *
asb_history_operation_get_file_operation (AsbHistoryOperation *self)
{
  g_return_val_if_fail (ASB_IS_HISTORY_OPERATION (self), NULL);

  return self->file_operation;
}
