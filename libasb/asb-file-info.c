/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-file-info.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbFileInfo:
 *
 * What is known of one file of a sandbox.
 *
 * Since: 1.0
 */

struct _AsbFileInfo
{
  GObject parent_instance;

  char *path;
  AsbFileKind kind;
  guint64 size;
  guint mode;
  guint uid;
  guint gid;
  GDateTime *modified_at;
  char *target;
  char *hash;
  char *previous_hash;
  guint64 n_replaced;
};

enum
{
  PROP_0,
  PROP_PATH,
  PROP_KIND,
  PROP_SIZE,
  PROP_MODE,
  PROP_UID,
  PROP_GID,
  PROP_MODIFIED_AT,
  PROP_TARGET,
  PROP_HASH,
  PROP_PREVIOUS_HASH,
  PROP_N_REPLACED,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbFileInfo, asb_file_info, G_TYPE_OBJECT)

static void
asb_file_info_finalize (GObject *object)
{
  AsbFileInfo *self = ASB_FILE_INFO (object);

  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->modified_at, g_date_time_unref);
  g_clear_pointer (&self->target, g_free);
  g_clear_pointer (&self->hash, g_free);
  g_clear_pointer (&self->previous_hash, g_free);

  G_OBJECT_CLASS (asb_file_info_parent_class)->finalize (object);
}

static void
asb_file_info_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbFileInfo *self = ASB_FILE_INFO (object);

  switch (property_id)
    {
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_KIND:
      g_value_set_enum (value, self->kind);
      break;
    case PROP_SIZE:
      g_value_set_uint64 (value, self->size);
      break;
    case PROP_MODE:
      g_value_set_uint (value, self->mode);
      break;
    case PROP_UID:
      g_value_set_uint (value, self->uid);
      break;
    case PROP_GID:
      g_value_set_uint (value, self->gid);
      break;
    case PROP_MODIFIED_AT:
      g_value_set_boxed (value, self->modified_at);
      break;
    case PROP_TARGET:
      g_value_set_string (value, self->target);
      break;
    case PROP_HASH:
      g_value_set_string (value, self->hash);
      break;
    case PROP_PREVIOUS_HASH:
      g_value_set_string (value, self->previous_hash);
      break;
    case PROP_N_REPLACED:
      g_value_set_uint64 (value, self->n_replaced);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_file_info_set_property (GObject *object, guint property_id, const GValue *value,
                            GParamSpec *pspec)
{
  AsbFileInfo *self = ASB_FILE_INFO (object);

  switch (property_id)
    {
    case PROP_PATH:
      self->path = g_value_dup_string (value);
      break;
    case PROP_KIND:
      self->kind = g_value_get_enum (value);
      break;
    case PROP_SIZE:
      self->size = g_value_get_uint64 (value);
      break;
    case PROP_MODE:
      self->mode = g_value_get_uint (value);
      break;
    case PROP_UID:
      self->uid = g_value_get_uint (value);
      break;
    case PROP_GID:
      self->gid = g_value_get_uint (value);
      break;
    case PROP_MODIFIED_AT:
      self->modified_at = g_value_dup_boxed (value);
      break;
    case PROP_TARGET:
      self->target = g_value_dup_string (value);
      break;
    case PROP_HASH:
      self->hash = g_value_dup_string (value);
      break;
    case PROP_PREVIOUS_HASH:
      self->previous_hash = g_value_dup_string (value);
      break;
    case PROP_N_REPLACED:
      self->n_replaced = g_value_get_uint64 (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_file_info_class_init (AsbFileInfoClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_file_info_finalize;
  object_class->get_property = asb_file_info_get_property;
  object_class->set_property = asb_file_info_set_property;

  /**
   * AsbFileInfo:path:
   *
   * The absolute path, bytes without NUL.
   *
   * Since: 1.0
   */
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbFileInfo:kind:
   *
   * What it is.
   *
   * Since: 1.0
   */
  properties[PROP_KIND]
      = g_param_spec_enum ("kind", NULL, NULL, ASB_TYPE_FILE_KIND, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbFileInfo:size:
   *
   * Its size in bytes.
   *
   * Since: 1.0
   */
  properties[PROP_SIZE]
      = g_param_spec_uint64 ("size", NULL, NULL, 0, G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbFileInfo:mode:
   *
   * Its permission bits, 0 to 07777.
   *
   * Since: 1.0
   */
  properties[PROP_MODE]
      = g_param_spec_uint ("mode", NULL, NULL, 0, G_MAXUINT, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbFileInfo:uid:
   *
   * The number of its owner.
   *
   * Since: 1.0
   */
  properties[PROP_UID]
      = g_param_spec_uint ("uid", NULL, NULL, 0, G_MAXUINT, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbFileInfo:gid:
   *
   * The number of its group.
   *
   * Since: 1.0
   */
  properties[PROP_GID]
      = g_param_spec_uint ("gid", NULL, NULL, 0, G_MAXUINT, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbFileInfo:modified-at:
   *
   * When it was last changed.
   *
   * Since: 1.0
   */
  properties[PROP_MODIFIED_AT]
      = g_param_spec_boxed ("modified-at", NULL, NULL, G_TYPE_DATE_TIME, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbFileInfo:target:
   *
   * Where a symbolic link points to.
   *
   * Since: 1.0
   */
  properties[PROP_TARGET]
      = g_param_spec_string ("target", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbFileInfo:hash:
   *
   * The SHA-256 of the contents, 64 lower-case hex digits, where the operation had to read or
   * write all of them.
   *
   * Since: 1.0
   */
  properties[PROP_HASH] = g_param_spec_string ("hash", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbFileInfo:previous-hash:
   *
   * The SHA-256 of what a write replaced, where it was known.
   *
   * Since: 1.0
   */
  properties[PROP_PREVIOUS_HASH]
      = g_param_spec_string ("previous-hash", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbFileInfo:n-replaced:
   *
   * How often an edit has replaced its text; 0 for everything else.
   *
   * Since: 1.0
   */
  properties[PROP_N_REPLACED]
      = g_param_spec_uint64 ("n-replaced", NULL, NULL, 0, G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_file_info_init (AsbFileInfo *self)
{
}

/**
 * asb_file_info_get_path:
 * @self: a [class@FileInfo]
 *
 * Gets [property@FileInfo:path].
 *
 * Returns: (transfer none) (type filename): the absolute path, bytes without NUL
 *
 * Since: 1.0
 */
const char *
asb_file_info_get_path (AsbFileInfo *self)
{
  g_return_val_if_fail (ASB_IS_FILE_INFO (self), NULL);

  return self->path;
}

/**
 * asb_file_info_get_kind:
 * @self: a [class@FileInfo]
 *
 * Gets [property@FileInfo:kind].
 *
 * Returns: what it is
 *
 * Since: 1.0
 */
AsbFileKind
asb_file_info_get_kind (AsbFileInfo *self)
{
  g_return_val_if_fail (ASB_IS_FILE_INFO (self), 0);

  return self->kind;
}

/**
 * asb_file_info_get_size:
 * @self: a [class@FileInfo]
 *
 * Gets [property@FileInfo:size].
 *
 * Returns: its size in bytes
 *
 * Since: 1.0
 */
guint64
asb_file_info_get_size (AsbFileInfo *self)
{
  g_return_val_if_fail (ASB_IS_FILE_INFO (self), 0);

  return self->size;
}

/**
 * asb_file_info_get_mode:
 * @self: a [class@FileInfo]
 *
 * Gets [property@FileInfo:mode].
 *
 * Returns: its permission bits, 0 to 07777
 *
 * Since: 1.0
 */
guint
asb_file_info_get_mode (AsbFileInfo *self)
{
  g_return_val_if_fail (ASB_IS_FILE_INFO (self), 0);

  return self->mode;
}

/**
 * asb_file_info_get_uid:
 * @self: a [class@FileInfo]
 *
 * Gets [property@FileInfo:uid].
 *
 * Returns: the number of its owner
 *
 * Since: 1.0
 */
guint
asb_file_info_get_uid (AsbFileInfo *self)
{
  g_return_val_if_fail (ASB_IS_FILE_INFO (self), 0);

  return self->uid;
}

/**
 * asb_file_info_get_gid:
 * @self: a [class@FileInfo]
 *
 * Gets [property@FileInfo:gid].
 *
 * Returns: the number of its group
 *
 * Since: 1.0
 */
guint
asb_file_info_get_gid (AsbFileInfo *self)
{
  g_return_val_if_fail (ASB_IS_FILE_INFO (self), 0);

  return self->gid;
}

/**
 * asb_file_info_get_modified_at:
 * @self: a [class@FileInfo]
 *
 * Gets [property@FileInfo:modified-at].
 *
 * Returns: (transfer none) (nullable): when it was last changed
 *
 * Since: 1.0
 */
GDateTime *
asb_file_info_get_modified_at (AsbFileInfo *self)
{
  g_return_val_if_fail (ASB_IS_FILE_INFO (self), NULL);

  return self->modified_at;
}

/**
 * asb_file_info_get_target:
 * @self: a [class@FileInfo]
 *
 * Gets [property@FileInfo:target].
 *
 * Returns: (transfer none) (nullable) (type filename): where a symbolic link points to
 *
 * Since: 1.0
 */
const char *
asb_file_info_get_target (AsbFileInfo *self)
{
  g_return_val_if_fail (ASB_IS_FILE_INFO (self), NULL);

  return self->target;
}

/**
 * asb_file_info_get_hash:
 * @self: a [class@FileInfo]
 *
 * Gets [property@FileInfo:hash].
 *
 * Returns: (transfer none) (nullable): the SHA-256 of the contents, 64 lower-case hex digits,
 * where the operation had to read or write all of them
 *
 * Since: 1.0
 */
const char *
asb_file_info_get_hash (AsbFileInfo *self)
{
  g_return_val_if_fail (ASB_IS_FILE_INFO (self), NULL);

  return self->hash;
}

/**
 * asb_file_info_get_previous_hash:
 * @self: a [class@FileInfo]
 *
 * Gets [property@FileInfo:previous-hash].
 *
 * Returns: (transfer none) (nullable): the SHA-256 of what a write replaced, where it was known
 *
 * Since: 1.0
 */
const char *
asb_file_info_get_previous_hash (AsbFileInfo *self)
{
  g_return_val_if_fail (ASB_IS_FILE_INFO (self), NULL);

  return self->previous_hash;
}

/**
 * asb_file_info_get_n_replaced:
 * @self: a [class@FileInfo]
 *
 * Gets [property@FileInfo:n-replaced].
 *
 * Returns: how often an edit has replaced its text; 0 for everything else
 *
 * Since: 1.0
 */
guint64
asb_file_info_get_n_replaced (AsbFileInfo *self)
{
  g_return_val_if_fail (ASB_IS_FILE_INFO (self), 0);

  return self->n_replaced;
}

/**
 * asb_file_info_dup_name:
 * @self: a [class@FileInfo]
 *
 * Gets the last segment of the path.
 *
 * Returns: (transfer full) (nullable) (type filename): the name, bytes without NUL; %NULL if there
 * is no path
 *
 * Since: 1.0
 */
char *
asb_file_info_dup_name (AsbFileInfo *self)
{
  g_return_val_if_fail (ASB_IS_FILE_INFO (self), NULL);

  return self->path ? g_path_get_basename (self->path) : NULL;
}
