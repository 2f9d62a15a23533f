/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-error-info.h"

#include "asb-enum-types.h"
#include "asb-error-private.h"
#include "asb-property-private.h"

/**
 * AsbErrorInfo:
 *
 * What is known of an error beside its code and message.
 *
 * From C get it with [func@error_get_info]; languages whose bindings keep only domain, code and
 * message of an error call [func@ErrorInfo.get_last] right after catching it.
 *
 * Since: 1.0
 */

struct _AsbErrorInfo
{
  GObject parent_instance;

  char *operation;
  char *operation_id;
  char *provider_name;
  char *provider_key;
  char *sandbox_id;
  char *sandbox_instance_id;
  char *actor_id;
  char *correlation_id;
  char *provider_error_code;
  char *provider_request_id;
  gboolean retryable;
  GVariant *details;
};

enum
{
  PROP_0,
  PROP_OPERATION,
  PROP_OPERATION_ID,
  PROP_PROVIDER_NAME,
  PROP_PROVIDER_KEY,
  PROP_SANDBOX_ID,
  PROP_SANDBOX_INSTANCE_ID,
  PROP_ACTOR_ID,
  PROP_CORRELATION_ID,
  PROP_PROVIDER_ERROR_CODE,
  PROP_PROVIDER_REQUEST_ID,
  PROP_RETRYABLE,
  PROP_DETAILS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbErrorInfo, asb_error_info, G_TYPE_OBJECT)

static void
asb_error_info_finalize (GObject *object)
{
  AsbErrorInfo *self = ASB_ERROR_INFO (object);

  g_clear_pointer (&self->operation, g_free);
  g_clear_pointer (&self->operation_id, g_free);
  g_clear_pointer (&self->provider_name, g_free);
  g_clear_pointer (&self->provider_key, g_free);
  g_clear_pointer (&self->sandbox_id, g_free);
  g_clear_pointer (&self->sandbox_instance_id, g_free);
  g_clear_pointer (&self->actor_id, g_free);
  g_clear_pointer (&self->correlation_id, g_free);
  g_clear_pointer (&self->provider_error_code, g_free);
  g_clear_pointer (&self->provider_request_id, g_free);
  g_clear_pointer (&self->details, g_variant_unref);

  G_OBJECT_CLASS (asb_error_info_parent_class)->finalize (object);
}

static void
asb_error_info_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbErrorInfo *self = ASB_ERROR_INFO (object);

  switch (property_id)
    {
    case PROP_OPERATION:
      g_value_set_string (value, self->operation);
      break;
    case PROP_OPERATION_ID:
      g_value_set_string (value, self->operation_id);
      break;
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
    case PROP_ACTOR_ID:
      g_value_set_string (value, self->actor_id);
      break;
    case PROP_CORRELATION_ID:
      g_value_set_string (value, self->correlation_id);
      break;
    case PROP_PROVIDER_ERROR_CODE:
      g_value_set_string (value, self->provider_error_code);
      break;
    case PROP_PROVIDER_REQUEST_ID:
      g_value_set_string (value, self->provider_request_id);
      break;
    case PROP_RETRYABLE:
      g_value_set_boolean (value, self->retryable);
      break;
    case PROP_DETAILS:
      g_value_set_variant (value, self->details);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_error_info_set_property (GObject *object, guint property_id, const GValue *value,
                             GParamSpec *pspec)
{
  AsbErrorInfo *self = ASB_ERROR_INFO (object);

  switch (property_id)
    {
    case PROP_OPERATION:
      asb_error_info_set_operation (self, g_value_get_string (value));
      break;
    case PROP_OPERATION_ID:
      asb_error_info_set_operation_id (self, g_value_get_string (value));
      break;
    case PROP_PROVIDER_NAME:
      asb_error_info_set_provider_name (self, g_value_get_string (value));
      break;
    case PROP_PROVIDER_KEY:
      asb_error_info_set_provider_key (self, g_value_get_string (value));
      break;
    case PROP_SANDBOX_ID:
      asb_error_info_set_sandbox_id (self, g_value_get_string (value));
      break;
    case PROP_SANDBOX_INSTANCE_ID:
      asb_error_info_set_sandbox_instance_id (self, g_value_get_string (value));
      break;
    case PROP_ACTOR_ID:
      asb_error_info_set_actor_id (self, g_value_get_string (value));
      break;
    case PROP_CORRELATION_ID:
      asb_error_info_set_correlation_id (self, g_value_get_string (value));
      break;
    case PROP_PROVIDER_ERROR_CODE:
      asb_error_info_set_provider_error_code (self, g_value_get_string (value));
      break;
    case PROP_PROVIDER_REQUEST_ID:
      asb_error_info_set_provider_request_id (self, g_value_get_string (value));
      break;
    case PROP_RETRYABLE:
      asb_error_info_set_retryable (self, g_value_get_boolean (value));
      break;
    case PROP_DETAILS:
      asb_error_info_set_details (self, g_value_get_variant (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_error_info_class_init (AsbErrorInfoClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_error_info_finalize;
  object_class->get_property = asb_error_info_get_property;
  object_class->set_property = asb_error_info_set_property;

  /**
   * AsbErrorInfo:operation:
   *
   * What was being done, for example `sandbox.create`.
   *
   * Since: 1.0
   */
  properties[PROP_OPERATION]
      = g_param_spec_string ("operation", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbErrorInfo:operation-id:
   *
   * The id of the operation in the record.
   *
   * Since: 1.0
   */
  properties[PROP_OPERATION_ID]
      = g_param_spec_string ("operation-id", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbErrorInfo:provider-name:
   *
   * The name of the provider.
   *
   * Since: 1.0
   */
  properties[PROP_PROVIDER_NAME]
      = g_param_spec_string ("provider-name", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbErrorInfo:provider-key:
   *
   * Which of several providers of that name.
   *
   * Since: 1.0
   */
  properties[PROP_PROVIDER_KEY]
      = g_param_spec_string ("provider-key", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbErrorInfo:sandbox-id:
   *
   * The id of the sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_SANDBOX_ID]
      = g_param_spec_string ("sandbox-id", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbErrorInfo:sandbox-instance-id:
   *
   * The instance id of the sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_SANDBOX_INSTANCE_ID]
      = g_param_spec_string ("sandbox-instance-id", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbErrorInfo:actor-id:
   *
   * The id of the actor.
   *
   * Since: 1.0
   */
  properties[PROP_ACTOR_ID]
      = g_param_spec_string ("actor-id", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbErrorInfo:correlation-id:
   *
   * What ties operations together.
   *
   * Since: 1.0
   */
  properties[PROP_CORRELATION_ID]
      = g_param_spec_string ("correlation-id", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbErrorInfo:provider-error-code:
   *
   * The code the provider or its server gave.
   *
   * Since: 1.0
   */
  properties[PROP_PROVIDER_ERROR_CODE]
      = g_param_spec_string ("provider-error-code", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbErrorInfo:provider-request-id:
   *
   * The id of the request at the server.
   *
   * Since: 1.0
   */
  properties[PROP_PROVIDER_REQUEST_ID]
      = g_param_spec_string ("provider-request-id", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbErrorInfo:retryable:
   *
   * Whether a repetition may help.
   *
   * Since: 1.0
   */
  properties[PROP_RETRYABLE]
      = g_param_spec_boolean ("retryable", NULL, NULL, FALSE, ASB_PARAM_READWRITE);

  /**
   * AsbErrorInfo:details:
   *
   * Further details by name, an `a{sv}`.
   *
   * Since: 1.0
   */
  properties[PROP_DETAILS]
      = g_param_spec_variant ("details", NULL, NULL, G_VARIANT_TYPE_ANY, NULL, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_error_info_init (AsbErrorInfo *self)
{
}

/**
 * asb_error_info_new:
 *
 * Makes a [class@ErrorInfo] with every property at its default.
 *
 * Returns: (transfer full): a new [class@ErrorInfo]
 *
 * Since: 1.0
 */
AsbErrorInfo *
asb_error_info_new (void)
{
  return g_object_new (ASB_TYPE_ERROR_INFO, NULL);
}

/**
 * asb_error_info_get_operation:
 * @self: a [class@ErrorInfo]
 *
 * Gets [property@ErrorInfo:operation].
 *
 * Returns: (transfer none) (nullable): what was being done, for example `sandbox.create`
 *
 * Since: 1.0
 */
const char *
asb_error_info_get_operation (AsbErrorInfo *self)
{
  g_return_val_if_fail (ASB_IS_ERROR_INFO (self), NULL);

  return self->operation;
}

/**
 * asb_error_info_set_operation:
 * @self: a [class@ErrorInfo]
 * @operation: (nullable): what was being done, for example `sandbox.create`
 *
 * Sets [property@ErrorInfo:operation].
 *
 * Since: 1.0
 */
void
asb_error_info_set_operation (AsbErrorInfo *self, const char *operation)
{
  g_return_if_fail (ASB_IS_ERROR_INFO (self));

  if (asb_property_replace_string (&self->operation, operation))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OPERATION]);
}

/**
 * asb_error_info_get_operation_id:
 * @self: a [class@ErrorInfo]
 *
 * Gets [property@ErrorInfo:operation-id].
 *
 * Returns: (transfer none) (nullable): the id of the operation in the record
 *
 * Since: 1.0
 */
const char *
asb_error_info_get_operation_id (AsbErrorInfo *self)
{
  g_return_val_if_fail (ASB_IS_ERROR_INFO (self), NULL);

  return self->operation_id;
}

/**
 * asb_error_info_set_operation_id:
 * @self: a [class@ErrorInfo]
 * @operation_id: (nullable): the id of the operation in the record
 *
 * Sets [property@ErrorInfo:operation-id].
 *
 * Since: 1.0
 */
void
asb_error_info_set_operation_id (AsbErrorInfo *self, const char *operation_id)
{
  g_return_if_fail (ASB_IS_ERROR_INFO (self));

  if (asb_property_replace_string (&self->operation_id, operation_id))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OPERATION_ID]);
}

/**
 * asb_error_info_get_provider_name:
 * @self: a [class@ErrorInfo]
 *
 * Gets [property@ErrorInfo:provider-name].
 *
 * Returns: (transfer none) (nullable): the name of the provider
 *
 * Since: 1.0
 */
const char *
asb_error_info_get_provider_name (AsbErrorInfo *self)
{
  g_return_val_if_fail (ASB_IS_ERROR_INFO (self), NULL);

  return self->provider_name;
}

/**
 * asb_error_info_set_provider_name:
 * @self: a [class@ErrorInfo]
 * @provider_name: (nullable): the name of the provider
 *
 * Sets [property@ErrorInfo:provider-name].
 *
 * Since: 1.0
 */
void
asb_error_info_set_provider_name (AsbErrorInfo *self, const char *provider_name)
{
  g_return_if_fail (ASB_IS_ERROR_INFO (self));

  if (asb_property_replace_string (&self->provider_name, provider_name))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROVIDER_NAME]);
}

/**
 * asb_error_info_get_provider_key:
 * @self: a [class@ErrorInfo]
 *
 * Gets [property@ErrorInfo:provider-key].
 *
 * Returns: (transfer none) (nullable): which of several providers of that name
 *
 * Since: 1.0
 */
const char *
asb_error_info_get_provider_key (AsbErrorInfo *self)
{
  g_return_val_if_fail (ASB_IS_ERROR_INFO (self), NULL);

  return self->provider_key;
}

/**
 * asb_error_info_set_provider_key:
 * @self: a [class@ErrorInfo]
 * @provider_key: (nullable): which of several providers of that name
 *
 * Sets [property@ErrorInfo:provider-key].
 *
 * Since: 1.0
 */
void
asb_error_info_set_provider_key (AsbErrorInfo *self, const char *provider_key)
{
  g_return_if_fail (ASB_IS_ERROR_INFO (self));

  if (asb_property_replace_string (&self->provider_key, provider_key))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROVIDER_KEY]);
}

/**
 * asb_error_info_get_sandbox_id:
 * @self: a [class@ErrorInfo]
 *
 * Gets [property@ErrorInfo:sandbox-id].
 *
 * Returns: (transfer none) (nullable): the id of the sandbox
 *
 * Since: 1.0
 */
const char *
asb_error_info_get_sandbox_id (AsbErrorInfo *self)
{
  g_return_val_if_fail (ASB_IS_ERROR_INFO (self), NULL);

  return self->sandbox_id;
}

/**
 * asb_error_info_set_sandbox_id:
 * @self: a [class@ErrorInfo]
 * @sandbox_id: (nullable): the id of the sandbox
 *
 * Sets [property@ErrorInfo:sandbox-id].
 *
 * Since: 1.0
 */
void
asb_error_info_set_sandbox_id (AsbErrorInfo *self, const char *sandbox_id)
{
  g_return_if_fail (ASB_IS_ERROR_INFO (self));

  if (asb_property_replace_string (&self->sandbox_id, sandbox_id))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SANDBOX_ID]);
}

/**
 * asb_error_info_get_sandbox_instance_id:
 * @self: a [class@ErrorInfo]
 *
 * Gets [property@ErrorInfo:sandbox-instance-id].
 *
 * Returns: (transfer none) (nullable): the instance id of the sandbox
 *
 * Since: 1.0
 */
const char *
asb_error_info_get_sandbox_instance_id (AsbErrorInfo *self)
{
  g_return_val_if_fail (ASB_IS_ERROR_INFO (self), NULL);

  return self->sandbox_instance_id;
}

/**
 * asb_error_info_set_sandbox_instance_id:
 * @self: a [class@ErrorInfo]
 * @sandbox_instance_id: (nullable): the instance id of the sandbox
 *
 * Sets [property@ErrorInfo:sandbox-instance-id].
 *
 * Since: 1.0
 */
void
asb_error_info_set_sandbox_instance_id (AsbErrorInfo *self, const char *sandbox_instance_id)
{
  g_return_if_fail (ASB_IS_ERROR_INFO (self));

  if (asb_property_replace_string (&self->sandbox_instance_id, sandbox_instance_id))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SANDBOX_INSTANCE_ID]);
}

/**
 * asb_error_info_get_actor_id:
 * @self: a [class@ErrorInfo]
 *
 * Gets [property@ErrorInfo:actor-id].
 *
 * Returns: (transfer none) (nullable): the id of the actor
 *
 * Since: 1.0
 */
const char *
asb_error_info_get_actor_id (AsbErrorInfo *self)
{
  g_return_val_if_fail (ASB_IS_ERROR_INFO (self), NULL);

  return self->actor_id;
}

/**
 * asb_error_info_set_actor_id:
 * @self: a [class@ErrorInfo]
 * @actor_id: (nullable): the id of the actor
 *
 * Sets [property@ErrorInfo:actor-id].
 *
 * Since: 1.0
 */
void
asb_error_info_set_actor_id (AsbErrorInfo *self, const char *actor_id)
{
  g_return_if_fail (ASB_IS_ERROR_INFO (self));

  if (asb_property_replace_string (&self->actor_id, actor_id))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ACTOR_ID]);
}

/**
 * asb_error_info_get_correlation_id:
 * @self: a [class@ErrorInfo]
 *
 * Gets [property@ErrorInfo:correlation-id].
 *
 * Returns: (transfer none) (nullable): what ties operations together
 *
 * Since: 1.0
 */
const char *
asb_error_info_get_correlation_id (AsbErrorInfo *self)
{
  g_return_val_if_fail (ASB_IS_ERROR_INFO (self), NULL);

  return self->correlation_id;
}

/**
 * asb_error_info_set_correlation_id:
 * @self: a [class@ErrorInfo]
 * @correlation_id: (nullable): what ties operations together
 *
 * Sets [property@ErrorInfo:correlation-id].
 *
 * Since: 1.0
 */
void
asb_error_info_set_correlation_id (AsbErrorInfo *self, const char *correlation_id)
{
  g_return_if_fail (ASB_IS_ERROR_INFO (self));

  if (asb_property_replace_string (&self->correlation_id, correlation_id))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CORRELATION_ID]);
}

/**
 * asb_error_info_get_provider_error_code:
 * @self: a [class@ErrorInfo]
 *
 * Gets [property@ErrorInfo:provider-error-code].
 *
 * Returns: (transfer none) (nullable): the code the provider or its server gave
 *
 * Since: 1.0
 */
const char *
asb_error_info_get_provider_error_code (AsbErrorInfo *self)
{
  g_return_val_if_fail (ASB_IS_ERROR_INFO (self), NULL);

  return self->provider_error_code;
}

/**
 * asb_error_info_set_provider_error_code:
 * @self: a [class@ErrorInfo]
 * @provider_error_code: (nullable): the code the provider or its server gave
 *
 * Sets [property@ErrorInfo:provider-error-code].
 *
 * Since: 1.0
 */
void
asb_error_info_set_provider_error_code (AsbErrorInfo *self, const char *provider_error_code)
{
  g_return_if_fail (ASB_IS_ERROR_INFO (self));

  if (asb_property_replace_string (&self->provider_error_code, provider_error_code))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROVIDER_ERROR_CODE]);
}

/**
 * asb_error_info_get_provider_request_id:
 * @self: a [class@ErrorInfo]
 *
 * Gets [property@ErrorInfo:provider-request-id].
 *
 * Returns: (transfer none) (nullable): the id of the request at the server
 *
 * Since: 1.0
 */
const char *
asb_error_info_get_provider_request_id (AsbErrorInfo *self)
{
  g_return_val_if_fail (ASB_IS_ERROR_INFO (self), NULL);

  return self->provider_request_id;
}

/**
 * asb_error_info_set_provider_request_id:
 * @self: a [class@ErrorInfo]
 * @provider_request_id: (nullable): the id of the request at the server
 *
 * Sets [property@ErrorInfo:provider-request-id].
 *
 * Since: 1.0
 */
void
asb_error_info_set_provider_request_id (AsbErrorInfo *self, const char *provider_request_id)
{
  g_return_if_fail (ASB_IS_ERROR_INFO (self));

  if (asb_property_replace_string (&self->provider_request_id, provider_request_id))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROVIDER_REQUEST_ID]);
}

/**
 * asb_error_info_get_retryable:
 * @self: a [class@ErrorInfo]
 *
 * Gets [property@ErrorInfo:retryable].
 *
 * Returns: whether a repetition may help
 *
 * Since: 1.0
 */
gboolean
asb_error_info_get_retryable (AsbErrorInfo *self)
{
  g_return_val_if_fail (ASB_IS_ERROR_INFO (self), FALSE);

  return self->retryable;
}

/**
 * asb_error_info_set_retryable:
 * @self: a [class@ErrorInfo]
 * @retryable: whether a repetition may help
 *
 * Sets [property@ErrorInfo:retryable].
 *
 * Since: 1.0
 */
void
asb_error_info_set_retryable (AsbErrorInfo *self, gboolean retryable)
{
  g_return_if_fail (ASB_IS_ERROR_INFO (self));

  if (self->retryable == retryable)
    return;
  self->retryable = retryable;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RETRYABLE]);
}

/**
 * asb_error_info_get_details:
 * @self: a [class@ErrorInfo]
 *
 * Gets [property@ErrorInfo:details].
 *
 * Returns: (transfer none) (nullable): further details by name, an `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
asb_error_info_get_details (AsbErrorInfo *self)
{
  g_return_val_if_fail (ASB_IS_ERROR_INFO (self), NULL);

  return self->details;
}

/**
 * asb_error_info_set_details:
 * @self: a [class@ErrorInfo]
 * @details: (nullable): further details by name, an `a{sv}`
 *
 * Sets [property@ErrorInfo:details].
 *
 * Since: 1.0
 */
void
asb_error_info_set_details (AsbErrorInfo *self, GVariant *details)
{
  g_return_if_fail (ASB_IS_ERROR_INFO (self));

  if (asb_property_replace_variant (&self->details, details))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_DETAILS]);
}

static GPrivate last_info = G_PRIVATE_INIT (g_object_unref);

/**
 * asb_error_info_get_last:
 *
 * Gets the details of the last error that a function of this library handed to the calling thread.
 *
 * Returns: (transfer none) (nullable): the details; valid until the next call in this thread fails
 *
 * Since: 1.0
 */
AsbErrorInfo *
asb_error_info_get_last (void)
{
  return g_private_get (&last_info);
}

void
asb_error_info_set_last (const GError *error)
{
  AsbErrorInfo *info = error ? asb_error_get_info (error) : NULL;

  g_private_replace (&last_info, info ? g_object_ref (info) : NULL);
}

gboolean
asb_error_info_note (GError **error)
{
  asb_error_info_set_last (error ? *error : NULL);
  return FALSE;
}
