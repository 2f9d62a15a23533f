/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-result.h"

#include "asb-property-private.h"

/**
 * AsbUploadResult:
 *
 * What became of an upload.
 *
 * Since: 1.0
 */

struct _AsbUploadResult
{
  GObject parent_instance;

  char *upload_id;
  char *target;
  guint64 total_files;
  guint64 uploaded_files;
  guint64 skipped_files;
  guint64 failed_files;
  guint64 total_bytes;
  gboolean atomic;
  char *manifest_hash;
  GListModel *failures;
};

enum
{
  PROP_0,
  PROP_UPLOAD_ID,
  PROP_TARGET,
  PROP_TOTAL_FILES,
  PROP_UPLOADED_FILES,
  PROP_SKIPPED_FILES,
  PROP_FAILED_FILES,
  PROP_TOTAL_BYTES,
  PROP_ATOMIC,
  PROP_MANIFEST_HASH,
  PROP_FAILURES,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbUploadResult, asb_upload_result, G_TYPE_OBJECT)

static void
asb_upload_result_finalize (GObject *object)
{
  AsbUploadResult *self = ASB_UPLOAD_RESULT (object);

  g_clear_pointer (&self->upload_id, g_free);
  g_clear_pointer (&self->target, g_free);
  g_clear_pointer (&self->manifest_hash, g_free);
  g_clear_object (&self->failures);

  G_OBJECT_CLASS (asb_upload_result_parent_class)->finalize (object);
}

static void
asb_upload_result_get_property (GObject *object, guint property_id, GValue *value,
                                GParamSpec *pspec)
{
  AsbUploadResult *self = ASB_UPLOAD_RESULT (object);

  switch (property_id)
    {
    case PROP_UPLOAD_ID:
      g_value_set_string (value, self->upload_id);
      break;
    case PROP_TARGET:
      g_value_set_string (value, self->target);
      break;
    case PROP_TOTAL_FILES:
      g_value_set_uint64 (value, self->total_files);
      break;
    case PROP_UPLOADED_FILES:
      g_value_set_uint64 (value, self->uploaded_files);
      break;
    case PROP_SKIPPED_FILES:
      g_value_set_uint64 (value, self->skipped_files);
      break;
    case PROP_FAILED_FILES:
      g_value_set_uint64 (value, self->failed_files);
      break;
    case PROP_TOTAL_BYTES:
      g_value_set_uint64 (value, self->total_bytes);
      break;
    case PROP_ATOMIC:
      g_value_set_boolean (value, self->atomic);
      break;
    case PROP_MANIFEST_HASH:
      g_value_set_string (value, self->manifest_hash);
      break;
    case PROP_FAILURES:
      g_value_set_object (value, self->failures);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_upload_result_set_property (GObject *object, guint property_id, const GValue *value,
                                GParamSpec *pspec)
{
  AsbUploadResult *self = ASB_UPLOAD_RESULT (object);

  switch (property_id)
    {
    case PROP_UPLOAD_ID:
      self->upload_id = g_value_dup_string (value);
      break;
    case PROP_TARGET:
      self->target = g_value_dup_string (value);
      break;
    case PROP_TOTAL_FILES:
      self->total_files = g_value_get_uint64 (value);
      break;
    case PROP_UPLOADED_FILES:
      self->uploaded_files = g_value_get_uint64 (value);
      break;
    case PROP_SKIPPED_FILES:
      self->skipped_files = g_value_get_uint64 (value);
      break;
    case PROP_FAILED_FILES:
      self->failed_files = g_value_get_uint64 (value);
      break;
    case PROP_TOTAL_BYTES:
      self->total_bytes = g_value_get_uint64 (value);
      break;
    case PROP_ATOMIC:
      self->atomic = g_value_get_boolean (value);
      break;
    case PROP_MANIFEST_HASH:
      self->manifest_hash = g_value_dup_string (value);
      break;
    case PROP_FAILURES:
      self->failures = g_value_dup_object (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_upload_result_class_init (AsbUploadResultClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_upload_result_finalize;
  object_class->get_property = asb_upload_result_get_property;
  object_class->set_property = asb_upload_result_set_property;

  /**
   * AsbUploadResult:upload-id:
   *
   * The id of the upload, which the record has, too.
   *
   * Since: 1.0
   */
  properties[PROP_UPLOAD_ID]
      = g_param_spec_string ("upload-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbUploadResult:target:
   *
   * Where it went in the sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_TARGET]
      = g_param_spec_string ("target", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbUploadResult:total-files:
   *
   * How many files were to be uploaded, links that stayed links among them.
   *
   * Since: 1.0
   */
  properties[PROP_TOTAL_FILES] = g_param_spec_uint64 ("total-files", NULL, NULL, 0, G_MAXUINT64, 0,
                                                      ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbUploadResult:uploaded-files:
   *
   * How many of them were put in place.
   *
   * Since: 1.0
   */
  properties[PROP_UPLOADED_FILES] = g_param_spec_uint64 ("uploaded-files", NULL, NULL, 0,
                                                         G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbUploadResult:skipped-files:
   *
   * How many of them were left out since something was there, or the same.
   *
   * Since: 1.0
   */
  properties[PROP_SKIPPED_FILES] = g_param_spec_uint64 ("skipped-files", NULL, NULL, 0, G_MAXUINT64,
                                                        0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbUploadResult:failed-files:
   *
   * How many failed: those of [property@UploadResult:failures].
   *
   * Since: 1.0
   */
  properties[PROP_FAILED_FILES] = g_param_spec_uint64 ("failed-files", NULL, NULL, 0, G_MAXUINT64,
                                                       0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbUploadResult:total-bytes:
   *
   * The size of all of them together.
   *
   * Since: 1.0
   */
  properties[PROP_TOTAL_BYTES] = g_param_spec_uint64 ("total-bytes", NULL, NULL, 0, G_MAXUINT64, 0,
                                                      ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbUploadResult:atomic:
   *
   * Whether it was put in place so that nothing would have been changed if not all of it could have
   * been.
   *
   * Since: 1.0
   */
  properties[PROP_ATOMIC]
      = g_param_spec_boolean ("atomic", NULL, NULL, FALSE, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbUploadResult:manifest-hash:
   *
   * [property@UploadManifest:manifest-hash] of what was uploaded.
   *
   * Since: 1.0
   */
  properties[PROP_MANIFEST_HASH]
      = g_param_spec_string ("manifest-hash", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbUploadResult:failures:
   *
   * The files that failed, a list of [class@UploadFailure]. Empty unless
   * [property@UploadConfig:partial-success] is set.
   *
   * Since: 1.0
   */
  properties[PROP_FAILURES]
      = g_param_spec_object ("failures", NULL, NULL, G_TYPE_LIST_MODEL, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_upload_result_init (AsbUploadResult *self)
{
}

/**
 * asb_upload_result_get_upload_id:
 * @self: a [class@UploadResult]
 *
 * Gets [property@UploadResult:upload-id].
 *
 * Returns: the id of the upload
 *
 * Since: 1.0
 */
const char *
asb_upload_result_get_upload_id (AsbUploadResult *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_RESULT (self), NULL);

  return self->upload_id;
}

/**
 * asb_upload_result_get_target:
 * @self: a [class@UploadResult]
 *
 * Gets [property@UploadResult:target].
 *
 * Returns: where it went
 *
 * Since: 1.0
 */
const char *
asb_upload_result_get_target (AsbUploadResult *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_RESULT (self), NULL);

  return self->target;
}

/**
 * asb_upload_result_get_total_files:
 * @self: a [class@UploadResult]
 *
 * Gets [property@UploadResult:total-files].
 *
 * Returns: how many files were to be uploaded
 *
 * Since: 1.0
 */
guint64
asb_upload_result_get_total_files (AsbUploadResult *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_RESULT (self), 0);

  return self->total_files;
}

/**
 * asb_upload_result_get_uploaded_files:
 * @self: a [class@UploadResult]
 *
 * Gets [property@UploadResult:uploaded-files].
 *
 * Returns: how many were put in place
 *
 * Since: 1.0
 */
guint64
asb_upload_result_get_uploaded_files (AsbUploadResult *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_RESULT (self), 0);

  return self->uploaded_files;
}

/**
 * asb_upload_result_get_skipped_files:
 * @self: a [class@UploadResult]
 *
 * Gets [property@UploadResult:skipped-files].
 *
 * Returns: how many were left out
 *
 * Since: 1.0
 */
guint64
asb_upload_result_get_skipped_files (AsbUploadResult *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_RESULT (self), 0);

  return self->skipped_files;
}

/**
 * asb_upload_result_get_failed_files:
 * @self: a [class@UploadResult]
 *
 * Gets [property@UploadResult:failed-files].
 *
 * Returns: how many failed
 *
 * Since: 1.0
 */
guint64
asb_upload_result_get_failed_files (AsbUploadResult *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_RESULT (self), 0);

  return self->failed_files;
}

/**
 * asb_upload_result_get_total_bytes:
 * @self: a [class@UploadResult]
 *
 * Gets [property@UploadResult:total-bytes].
 *
 * Returns: the size of all of them together
 *
 * Since: 1.0
 */
guint64
asb_upload_result_get_total_bytes (AsbUploadResult *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_RESULT (self), 0);

  return self->total_bytes;
}

/**
 * asb_upload_result_get_atomic:
 * @self: a [class@UploadResult]
 *
 * Gets [property@UploadResult:atomic].
 *
 * Returns: whether it was all of it or nothing
 *
 * Since: 1.0
 */
gboolean
asb_upload_result_get_atomic (AsbUploadResult *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_RESULT (self), FALSE);

  return self->atomic;
}

/**
 * asb_upload_result_get_manifest_hash:
 * @self: a [class@UploadResult]
 *
 * Gets [property@UploadResult:manifest-hash].
 *
 * Returns: the hash of the manifest
 *
 * Since: 1.0
 */
const char *
asb_upload_result_get_manifest_hash (AsbUploadResult *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_RESULT (self), NULL);

  return self->manifest_hash;
}

/**
 * asb_upload_result_get_failures:
 * @self: a [class@UploadResult]
 *
 * Gets [property@UploadResult:failures].
 *
 * Returns: (transfer none): a list of [class@UploadFailure]
 *
 * Since: 1.0
 */
GListModel *
asb_upload_result_get_failures (AsbUploadResult *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_RESULT (self), NULL);

  return self->failures;
}
