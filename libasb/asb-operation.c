/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-operation.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbOperation:
 *
 * One operation as it goes into the record: who does what, under which id. The core makes it and
 * ties it to the request; a transport that records in place hands it on.
 *
 * Since: 1.0
 */

struct _AsbOperation
{
  GObject parent_instance;

  char *event_id;
  char *operation_type;
  gboolean required;
  char *actor_type;
  char *actor_id;
  char *thread_id;
  char *run_id;
  char *correlation_id;
  GVariant *request;
  GVariant *command;
  GVariant *file_operation;
};

enum
{
  PROP_0,
  PROP_EVENT_ID,
  PROP_OPERATION_TYPE,
  PROP_REQUIRED,
  PROP_ACTOR_TYPE,
  PROP_ACTOR_ID,
  PROP_THREAD_ID,
  PROP_RUN_ID,
  PROP_CORRELATION_ID,
  PROP_REQUEST,
  PROP_COMMAND,
  PROP_FILE_OPERATION,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbOperation, asb_operation, G_TYPE_OBJECT)

static void
asb_operation_finalize (GObject *object)
{
  AsbOperation *self = ASB_OPERATION (object);

  g_clear_pointer (&self->event_id, g_free);
  g_clear_pointer (&self->operation_type, g_free);
  g_clear_pointer (&self->actor_type, g_free);
  g_clear_pointer (&self->actor_id, g_free);
  g_clear_pointer (&self->thread_id, g_free);
  g_clear_pointer (&self->run_id, g_free);
  g_clear_pointer (&self->correlation_id, g_free);
  g_clear_pointer (&self->request, g_variant_unref);
  g_clear_pointer (&self->command, g_variant_unref);
  g_clear_pointer (&self->file_operation, g_variant_unref);

  G_OBJECT_CLASS (asb_operation_parent_class)->finalize (object);
}

static void
asb_operation_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbOperation *self = ASB_OPERATION (object);

  switch (property_id)
    {
    case PROP_EVENT_ID:
      g_value_set_string (value, self->event_id);
      break;
    case PROP_OPERATION_TYPE:
      g_value_set_string (value, self->operation_type);
      break;
    case PROP_REQUIRED:
      g_value_set_boolean (value, self->required);
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
    case PROP_REQUEST:
      g_value_set_variant (value, self->request);
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
asb_operation_set_property (GObject *object, guint property_id, const GValue *value,
                            GParamSpec *pspec)
{
  AsbOperation *self = ASB_OPERATION (object);

  switch (property_id)
    {
    case PROP_EVENT_ID:
      self->event_id = g_value_dup_string (value);
      break;
    case PROP_OPERATION_TYPE:
      self->operation_type = g_value_dup_string (value);
      break;
    case PROP_REQUIRED:
      self->required = g_value_get_boolean (value);
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
    case PROP_REQUEST:
      self->request = g_value_dup_variant (value);
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
asb_operation_class_init (AsbOperationClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_operation_finalize;
  object_class->get_property = asb_operation_get_property;
  object_class->set_property = asb_operation_set_property;

  /**
   * AsbOperation:event-id:
   *
   * The id, a UUIDv7.
   *
   * Since: 1.0
   */
  properties[PROP_EVENT_ID]
      = g_param_spec_string ("event-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbOperation:operation-type:
   *
   * What is done, for example `command.execute`.
   *
   * Since: 1.0
   */
  properties[PROP_OPERATION_TYPE]
      = g_param_spec_string ("operation-type", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbOperation:required:
   *
   * Whether the operation is to be refused if its start cannot be recorded.
   *
   * Since: 1.0
   */
  properties[PROP_REQUIRED]
      = g_param_spec_boolean ("required", NULL, NULL, FALSE, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbOperation:actor-type:
   *
   * Who does it: `agent`, `user` or `system`.
   *
   * Since: 1.0
   */
  properties[PROP_ACTOR_TYPE]
      = g_param_spec_string ("actor-type", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbOperation:actor-id:
   *
   * The id of the actor.
   *
   * Since: 1.0
   */
  properties[PROP_ACTOR_ID]
      = g_param_spec_string ("actor-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbOperation:thread-id:
   *
   * The thread (conversation) it belongs to.
   *
   * Since: 1.0
   */
  properties[PROP_THREAD_ID]
      = g_param_spec_string ("thread-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbOperation:run-id:
   *
   * The run it belongs to.
   *
   * Since: 1.0
   */
  properties[PROP_RUN_ID]
      = g_param_spec_string ("run-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbOperation:correlation-id:
   *
   * What ties operations together.
   *
   * Since: 1.0
   */
  properties[PROP_CORRELATION_ID]
      = g_param_spec_string ("correlation-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbOperation:request:
   *
   * The request as recorded, an `a{sv}`.
   *
   * Since: 1.0
   */
  properties[PROP_REQUEST] = g_param_spec_variant ("request", NULL, NULL, G_VARIANT_TYPE_ANY, NULL,
                                                   ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbOperation:command:
   *
   * The command as recorded: `command`, `cwd`, `timeout_ms`; an `a{sv}`.
   *
   * Since: 1.0
   */
  properties[PROP_COMMAND] = g_param_spec_variant ("command", NULL, NULL, G_VARIANT_TYPE_ANY, NULL,
                                                   ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbOperation:file-operation:
   *
   * The file operation as recorded: `path`, `change_type`, `before_hash`; an `a{sv}`.
   *
   * Since: 1.0
   */
  properties[PROP_FILE_OPERATION] = g_param_spec_variant (
      "file-operation", NULL, NULL, G_VARIANT_TYPE_ANY, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_operation_init (AsbOperation *self)
{
}

/**
 * asb_operation_get_event_id:
 * @self: a [class@Operation]
 *
 * Gets [property@Operation:event-id].
 *
 * Returns: (transfer none): the id, a UUIDv7
 *
 * Since: 1.0
 */
const char *
asb_operation_get_event_id (AsbOperation *self)
{
  g_return_val_if_fail (ASB_IS_OPERATION (self), NULL);

  return self->event_id;
}

/**
 * asb_operation_get_operation_type:
 * @self: a [class@Operation]
 *
 * Gets [property@Operation:operation-type].
 *
 * Returns: (transfer none): what is done, for example `command.execute`
 *
 * Since: 1.0
 */
const char *
asb_operation_get_operation_type (AsbOperation *self)
{
  g_return_val_if_fail (ASB_IS_OPERATION (self), NULL);

  return self->operation_type;
}

/**
 * asb_operation_get_required:
 * @self: a [class@Operation]
 *
 * Gets [property@Operation:required].
 *
 * Returns: whether the operation is to be refused if its start cannot be recorded
 *
 * Since: 1.0
 */
gboolean
asb_operation_get_required (AsbOperation *self)
{
  g_return_val_if_fail (ASB_IS_OPERATION (self), FALSE);

  return self->required;
}

/**
 * asb_operation_get_actor_type:
 * @self: a [class@Operation]
 *
 * Gets [property@Operation:actor-type].
 *
 * Returns: (transfer none): who does it: `agent`, `user` or `system`
 *
 * Since: 1.0
 */
const char *
asb_operation_get_actor_type (AsbOperation *self)
{
  g_return_val_if_fail (ASB_IS_OPERATION (self), NULL);

  return self->actor_type;
}

/**
 * asb_operation_get_actor_id:
 * @self: a [class@Operation]
 *
 * Gets [property@Operation:actor-id].
 *
 * Returns: (transfer none) (nullable): the id of the actor
 *
 * Since: 1.0
 */
const char *
asb_operation_get_actor_id (AsbOperation *self)
{
  g_return_val_if_fail (ASB_IS_OPERATION (self), NULL);

  return self->actor_id;
}

/**
 * asb_operation_get_thread_id:
 * @self: a [class@Operation]
 *
 * Gets [property@Operation:thread-id].
 *
 * Returns: (transfer none) (nullable): the thread (conversation) it belongs to
 *
 * Since: 1.0
 */
const char *
asb_operation_get_thread_id (AsbOperation *self)
{
  g_return_val_if_fail (ASB_IS_OPERATION (self), NULL);

  return self->thread_id;
}

/**
 * asb_operation_get_run_id:
 * @self: a [class@Operation]
 *
 * Gets [property@Operation:run-id].
 *
 * Returns: (transfer none) (nullable): the run it belongs to
 *
 * Since: 1.0
 */
const char *
asb_operation_get_run_id (AsbOperation *self)
{
  g_return_val_if_fail (ASB_IS_OPERATION (self), NULL);

  return self->run_id;
}

/**
 * asb_operation_get_correlation_id:
 * @self: a [class@Operation]
 *
 * Gets [property@Operation:correlation-id].
 *
 * Returns: (transfer none): what ties operations together
 *
 * Since: 1.0
 */
const char *
asb_operation_get_correlation_id (AsbOperation *self)
{
  g_return_val_if_fail (ASB_IS_OPERATION (self), NULL);

  return self->correlation_id;
}

/**
 * asb_operation_get_request:
 * @self: a [class@Operation]
 *
 * Gets [property@Operation:request].
 *
 * Returns: (transfer none) (nullable): the request as recorded, an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
asb_operation_get_request (AsbOperation *self)
{
  g_return_val_if_fail (ASB_IS_OPERATION (self), NULL);

  return self->request;
}

/**
 * asb_operation_get_command:
 * @self: a [class@Operation]
 *
 * Gets [property@Operation:command].
 *
 * Returns: (transfer none) (nullable): the command as recorded: `command`, `cwd`, `timeout_ms`;
 * an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
asb_operation_get_command (AsbOperation *self)
{
  g_return_val_if_fail (ASB_IS_OPERATION (self), NULL);

  return self->command;
}

/**
 * asb_operation_get_file_operation:
 * @self: a [class@Operation]
 *
 * Gets [property@Operation:file-operation].
 *
 * Returns: (transfer none) (nullable): the file operation as recorded: `path`, `change_type`,
 * `before_hash`; an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
asb_operation_get_file_operation (AsbOperation *self)
{
  g_return_val_if_fail (ASB_IS_OPERATION (self), NULL);

  return self->file_operation;
}
