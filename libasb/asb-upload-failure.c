/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-failure.h"

#include "asb-property-private.h"

/**
 * AsbUploadFailure:
 *
 * A file that was left out of an upload, and why.
 *
 * Since: 1.0
 */

struct _AsbUploadFailure
{
  GObject parent_instance;

  char *relative_path;
  char *error_code;
  char *message;
};

enum
{
  PROP_0,
  PROP_RELATIVE_PATH,
  PROP_ERROR_CODE,
  PROP_MESSAGE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbUploadFailure, asb_upload_failure, G_TYPE_OBJECT)

static void
asb_upload_failure_finalize (GObject *object)
{
  AsbUploadFailure *self = ASB_UPLOAD_FAILURE (object);

  g_clear_pointer (&self->relative_path, g_free);
  g_clear_pointer (&self->error_code, g_free);
  g_clear_pointer (&self->message, g_free);

  G_OBJECT_CLASS (asb_upload_failure_parent_class)->finalize (object);
}

static void
asb_upload_failure_get_property (GObject *object, guint property_id, GValue *value,
                                 GParamSpec *pspec)
{
  AsbUploadFailure *self = ASB_UPLOAD_FAILURE (object);

  switch (property_id)
    {
    case PROP_RELATIVE_PATH:
      g_value_set_string (value, self->relative_path);
      break;
    case PROP_ERROR_CODE:
      g_value_set_string (value, self->error_code);
      break;
    case PROP_MESSAGE:
      g_value_set_string (value, self->message);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_upload_failure_set_property (GObject *object, guint property_id, const GValue *value,
                                 GParamSpec *pspec)
{
  AsbUploadFailure *self = ASB_UPLOAD_FAILURE (object);

  switch (property_id)
    {
    case PROP_RELATIVE_PATH:
      self->relative_path = g_value_dup_string (value);
      break;
    case PROP_ERROR_CODE:
      self->error_code = g_value_dup_string (value);
      break;
    case PROP_MESSAGE:
      self->message = g_value_dup_string (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_upload_failure_class_init (AsbUploadFailureClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_upload_failure_finalize;
  object_class->get_property = asb_upload_failure_get_property;
  object_class->set_property = asb_upload_failure_set_property;

  /**
   * AsbUploadFailure:relative-path:
   *
   * Which one, relative to the source. A byte that is not UTF-8 is shown as U+FFFD.
   *
   * Since: 1.0
   */
  properties[PROP_RELATIVE_PATH]
      = g_param_spec_string ("relative-path", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbUploadFailure:error-code:
   *
   * The code of the error, as `asb_error_code_to_string ()` tells it.
   *
   * Since: 1.0
   */
  properties[PROP_ERROR_CODE]
      = g_param_spec_string ("error-code", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbUploadFailure:message:
   *
   * What was the matter, for people.
   *
   * Since: 1.0
   */
  properties[PROP_MESSAGE]
      = g_param_spec_string ("message", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_upload_failure_init (AsbUploadFailure *self)
{
}

/**
 * asb_upload_failure_get_relative_path:
 * @self: a [class@UploadFailure]
 *
 * Gets [property@UploadFailure:relative-path].
 *
 * Returns: which one
 *
 * Since: 1.0
 */
const char *
asb_upload_failure_get_relative_path (AsbUploadFailure *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_FAILURE (self), NULL);

  return self->relative_path;
}

/**
 * asb_upload_failure_get_error_code:
 * @self: a [class@UploadFailure]
 *
 * Gets [property@UploadFailure:error-code].
 *
 * Returns: the code of the error
 *
 * Since: 1.0
 */
const char *
asb_upload_failure_get_error_code (AsbUploadFailure *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_FAILURE (self), NULL);

  return self->error_code;
}

/**
 * asb_upload_failure_get_message:
 * @self: a [class@UploadFailure]
 *
 * Gets [property@UploadFailure:message].
 *
 * Returns: what was the matter
 *
 * Since: 1.0
 */
const char *
asb_upload_failure_get_message (AsbUploadFailure *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_FAILURE (self), NULL);

  return self->message;
}
