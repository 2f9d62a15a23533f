/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-manifest.h"

#include "asb-property-private.h"

/**
 * AsbUploadManifest:
 *
 * What an upload holds: each file with its size and the SHA-256 of its bytes.
 *
 * Since: 1.0
 */

struct _AsbUploadManifest
{
  GObject parent_instance;

  char *upload_id;
  char *target;
  char *source_root_hash;
  char *manifest_hash;
  char **paths;
  guint64 total_bytes;
};

enum
{
  PROP_0,
  PROP_UPLOAD_ID,
  PROP_TARGET,
  PROP_SOURCE_ROOT_HASH,
  PROP_MANIFEST_HASH,
  PROP_PATHS,
  PROP_TOTAL_BYTES,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbUploadManifest, asb_upload_manifest, G_TYPE_OBJECT)

static void
asb_upload_manifest_finalize (GObject *object)
{
  AsbUploadManifest *self = ASB_UPLOAD_MANIFEST (object);

  g_clear_pointer (&self->upload_id, g_free);
  g_clear_pointer (&self->target, g_free);
  g_clear_pointer (&self->source_root_hash, g_free);
  g_clear_pointer (&self->manifest_hash, g_free);
  g_clear_pointer (&self->paths, g_strfreev);

  G_OBJECT_CLASS (asb_upload_manifest_parent_class)->finalize (object);
}

static void
asb_upload_manifest_get_property (GObject *object, guint property_id, GValue *value,
                                  GParamSpec *pspec)
{
  AsbUploadManifest *self = ASB_UPLOAD_MANIFEST (object);

  switch (property_id)
    {
    case PROP_UPLOAD_ID:
      g_value_set_string (value, self->upload_id);
      break;
    case PROP_TARGET:
      g_value_set_string (value, self->target);
      break;
    case PROP_SOURCE_ROOT_HASH:
      g_value_set_string (value, self->source_root_hash);
      break;
    case PROP_MANIFEST_HASH:
      g_value_set_string (value, self->manifest_hash);
      break;
    case PROP_PATHS:
      g_value_set_boxed (value, self->paths);
      break;
    case PROP_TOTAL_BYTES:
      g_value_set_uint64 (value, self->total_bytes);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_upload_manifest_set_property (GObject *object, guint property_id, const GValue *value,
                                  GParamSpec *pspec)
{
  AsbUploadManifest *self = ASB_UPLOAD_MANIFEST (object);

  switch (property_id)
    {
    case PROP_UPLOAD_ID:
      self->upload_id = g_value_dup_string (value);
      break;
    case PROP_TARGET:
      self->target = g_value_dup_string (value);
      break;
    case PROP_SOURCE_ROOT_HASH:
      self->source_root_hash = g_value_dup_string (value);
      break;
    case PROP_MANIFEST_HASH:
      self->manifest_hash = g_value_dup_string (value);
      break;
    case PROP_PATHS:
      self->paths = g_value_dup_boxed (value);
      break;
    case PROP_TOTAL_BYTES:
      self->total_bytes = g_value_get_uint64 (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_upload_manifest_class_init (AsbUploadManifestClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_upload_manifest_finalize;
  object_class->get_property = asb_upload_manifest_get_property;
  object_class->set_property = asb_upload_manifest_set_property;

  /**
   * AsbUploadManifest:upload-id:
   *
   * The id of the upload.
   *
   * Since: 1.0
   */
  properties[PROP_UPLOAD_ID]
      = g_param_spec_string ("upload-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbUploadManifest:target:
   *
   * Where it goes in the sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_TARGET]
      = g_param_spec_string ("target", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbUploadManifest:source-root-hash:
   *
   * SHA-256, as 64 hexadecimal digits, of what is told of all files as JSON.
   *
   * Since: 1.0
   */
  properties[PROP_SOURCE_ROOT_HASH]
      = g_param_spec_string ("source-root-hash", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbUploadManifest:manifest-hash:
   *
   * SHA-256, as 64 hexadecimal digits, of all of the manifest as JSON.
   *
   * Since: 1.0
   */
  properties[PROP_MANIFEST_HASH]
      = g_param_spec_string ("manifest-hash", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbUploadManifest:paths:
   *
   * The files, relative to the source, in byte order. A byte that is not UTF-8 is shown as U+FFFD.
   *
   * Since: 1.0
   */
  properties[PROP_PATHS]
      = g_param_spec_boxed ("paths", NULL, NULL, G_TYPE_STRV, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbUploadManifest:total-bytes:
   *
   * The size of all files together.
   *
   * Since: 1.0
   */
  properties[PROP_TOTAL_BYTES] = g_param_spec_uint64 ("total-bytes", NULL, NULL, 0, G_MAXUINT64, 0,
                                                      ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_upload_manifest_init (AsbUploadManifest *self)
{
}

/**
 * asb_upload_manifest_get_upload_id:
 * @self: a [class@UploadManifest]
 *
 * Gets [property@UploadManifest:upload-id].
 *
 * Returns: the id of the upload
 *
 * Since: 1.0
 */
const char *
asb_upload_manifest_get_upload_id (AsbUploadManifest *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_MANIFEST (self), NULL);

  return self->upload_id;
}

/**
 * asb_upload_manifest_get_target:
 * @self: a [class@UploadManifest]
 *
 * Gets [property@UploadManifest:target].
 *
 * Returns: where it goes
 *
 * Since: 1.0
 */
const char *
asb_upload_manifest_get_target (AsbUploadManifest *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_MANIFEST (self), NULL);

  return self->target;
}

/**
 * asb_upload_manifest_get_source_root_hash:
 * @self: a [class@UploadManifest]
 *
 * Gets [property@UploadManifest:source-root-hash].
 *
 * Returns: the hash of the files
 *
 * Since: 1.0
 */
const char *
asb_upload_manifest_get_source_root_hash (AsbUploadManifest *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_MANIFEST (self), NULL);

  return self->source_root_hash;
}

/**
 * asb_upload_manifest_get_manifest_hash:
 * @self: a [class@UploadManifest]
 *
 * Gets [property@UploadManifest:manifest-hash].
 *
 * Returns: the hash of the manifest
 *
 * Since: 1.0
 */
const char *
asb_upload_manifest_get_manifest_hash (AsbUploadManifest *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_MANIFEST (self), NULL);

  return self->manifest_hash;
}

/**
 * asb_upload_manifest_get_paths:
 * @self: a [class@UploadManifest]
 *
 * Gets [property@UploadManifest:paths].
 *
 * Returns: the files
 *
 * Since: 1.0
 */
const char *const *
asb_upload_manifest_get_paths (AsbUploadManifest *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_MANIFEST (self), NULL);

  return (const char *const *)self->paths;
}

/**
 * asb_upload_manifest_get_total_bytes:
 * @self: a [class@UploadManifest]
 *
 * Gets [property@UploadManifest:total-bytes].
 *
 * Returns: the size of all files together
 *
 * Since: 1.0
 */
guint64
asb_upload_manifest_get_total_bytes (AsbUploadManifest *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_MANIFEST (self), 0);

  return self->total_bytes;
}
