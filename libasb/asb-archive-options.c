/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-archive-options.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbArchiveOptions:
 *
 * How an archive is unpacked into a folder of a sandbox, or a folder packed: for
 * [method@Backend.extract_archive] and [method@Backend.open_archive].
 *
 * Since: 1.0
 */

struct _AsbArchiveOptions
{
  GObject parent_instance;

  char *path;
  char **names;
  AsbArchiveConflict conflict;
  AsbArchiveFormat format;
  guint64 max_members;
  guint64 max_bytes;
  guint64 max_file_bytes;
  guint64 max_ratio;
  AsbOperation *operation;
};

enum
{
  PROP_0,
  PROP_PATH,
  PROP_NAMES,
  PROP_CONFLICT,
  PROP_FORMAT,
  PROP_MAX_MEMBERS,
  PROP_MAX_BYTES,
  PROP_MAX_FILE_BYTES,
  PROP_MAX_RATIO,
  PROP_OPERATION,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbArchiveOptions, asb_archive_options, G_TYPE_OBJECT)

static void
asb_archive_options_finalize (GObject *object)
{
  AsbArchiveOptions *self = ASB_ARCHIVE_OPTIONS (object);

  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->names, g_strfreev);
  g_clear_object (&self->operation);

  G_OBJECT_CLASS (asb_archive_options_parent_class)->finalize (object);
}

static void
asb_archive_options_get_property (GObject *object, guint property_id, GValue *value,
                                  GParamSpec *pspec)
{
  AsbArchiveOptions *self = ASB_ARCHIVE_OPTIONS (object);

  switch (property_id)
    {
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_NAMES:
      g_value_set_boxed (value, self->names);
      break;
    case PROP_CONFLICT:
      g_value_set_enum (value, self->conflict);
      break;
    case PROP_FORMAT:
      g_value_set_enum (value, self->format);
      break;
    case PROP_MAX_MEMBERS:
      g_value_set_uint64 (value, self->max_members);
      break;
    case PROP_MAX_BYTES:
      g_value_set_uint64 (value, self->max_bytes);
      break;
    case PROP_MAX_FILE_BYTES:
      g_value_set_uint64 (value, self->max_file_bytes);
      break;
    case PROP_MAX_RATIO:
      g_value_set_uint64 (value, self->max_ratio);
      break;
    case PROP_OPERATION:
      g_value_set_object (value, self->operation);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_archive_options_set_property (GObject *object, guint property_id, const GValue *value,
                                  GParamSpec *pspec)
{
  AsbArchiveOptions *self = ASB_ARCHIVE_OPTIONS (object);

  switch (property_id)
    {
    case PROP_PATH:
      asb_archive_options_set_path (self, g_value_get_string (value));
      break;
    case PROP_NAMES:
      asb_archive_options_set_names (self, g_value_get_boxed (value));
      break;
    case PROP_CONFLICT:
      asb_archive_options_set_conflict (self, g_value_get_enum (value));
      break;
    case PROP_FORMAT:
      asb_archive_options_set_format (self, g_value_get_enum (value));
      break;
    case PROP_MAX_MEMBERS:
      asb_archive_options_set_max_members (self, g_value_get_uint64 (value));
      break;
    case PROP_MAX_BYTES:
      asb_archive_options_set_max_bytes (self, g_value_get_uint64 (value));
      break;
    case PROP_MAX_FILE_BYTES:
      asb_archive_options_set_max_file_bytes (self, g_value_get_uint64 (value));
      break;
    case PROP_MAX_RATIO:
      asb_archive_options_set_max_ratio (self, g_value_get_uint64 (value));
      break;
    case PROP_OPERATION:
      asb_archive_options_set_operation (self, g_value_get_object (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_archive_options_class_init (AsbArchiveOptionsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_archive_options_finalize;
  object_class->get_property = asb_archive_options_get_property;
  object_class->set_property = asb_archive_options_set_property;

  /**
   * AsbArchiveOptions:path:
   *
   * The folder; absolute for a transport.
   *
   * Since: 1.0
   */
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbArchiveOptions:names:
   *
   * What of the folder to pack: names in it, or paths below it. %NULL: everything. Unpacking takes
   * everything.
   *
   * Since: 1.0
   */
  properties[PROP_NAMES]
      = g_param_spec_boxed ("names", NULL, NULL, G_TYPE_STRV, ASB_PARAM_READWRITE);

  /**
   * AsbArchiveOptions:conflict:
   *
   * What becomes of a file that is in the way of one of the archive. The default is
   * %ASB_ARCHIVE_CONFLICT_ERROR.
   *
   * Since: 1.0
   */
  properties[PROP_CONFLICT] = g_param_spec_enum ("conflict", NULL, NULL, ASB_TYPE_ARCHIVE_CONFLICT,
                                                 0, ASB_PARAM_READWRITE);

  /**
   * AsbArchiveOptions:format:
   *
   * What to pack into: %ASB_ARCHIVE_FORMAT_TAR or %ASB_ARCHIVE_FORMAT_TAR_GZIP. What is unpacked
   * tells by itself what it is. The default is %ASB_ARCHIVE_FORMAT_TAR.
   *
   * Since: 1.0
   */
  properties[PROP_FORMAT]
      = g_param_spec_enum ("format", NULL, NULL, ASB_TYPE_ARCHIVE_FORMAT, 0, ASB_PARAM_READWRITE);

  /**
   * AsbArchiveOptions:max-members:
   *
   * How many members there may be. 0: as many as the sandbox takes, 10,000, to unpack, and any
   * number to pack.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_MEMBERS] = g_param_spec_uint64 (
      "max-members", NULL, NULL, 0, ASB_ARCHIVE_OPTIONS_UNLIMITED, 0, ASB_PARAM_READWRITE);

  /**
   * AsbArchiveOptions:max-bytes:
   *
   * How many bytes all files may have together. 0: as many as the sandbox takes, 512 MiB, to
   * unpack, and any number to pack.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_BYTES] = g_param_spec_uint64 (
      "max-bytes", NULL, NULL, 0, ASB_ARCHIVE_OPTIONS_UNLIMITED, 0, ASB_PARAM_READWRITE);

  /**
   * AsbArchiveOptions:max-file-bytes:
   *
   * How many bytes one file may have. 0: as many as the sandbox takes, 128 MiB, to unpack, and any
   * number to pack.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_FILE_BYTES] = g_param_spec_uint64 (
      "max-file-bytes", NULL, NULL, 0, ASB_ARCHIVE_OPTIONS_UNLIMITED, 0, ASB_PARAM_READWRITE);

  /**
   * AsbArchiveOptions:max-ratio:
   *
   * How many times as much as came in may come out. 0: as the sandbox takes it, 200.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_RATIO] = g_param_spec_uint64 (
      "max-ratio", NULL, NULL, 0, ASB_ARCHIVE_OPTIONS_UNLIMITED, 0, ASB_PARAM_READWRITE);

  /**
   * AsbArchiveOptions:operation:
   *
   * The operation as recorded; set by the backend.
   *
   * Since: 1.0
   */
  properties[PROP_OPERATION]
      = g_param_spec_object ("operation", NULL, NULL, ASB_TYPE_OPERATION, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_archive_options_init (AsbArchiveOptions *self)
{
}

/**
 * asb_archive_options_new:
 *
 * Makes a [class@ArchiveOptions] with every property at its default.
 *
 * Returns: (transfer full): a new [class@ArchiveOptions]
 *
 * Since: 1.0
 */
AsbArchiveOptions *
asb_archive_options_new (void)
{
  return g_object_new (ASB_TYPE_ARCHIVE_OPTIONS, NULL);
}

/**
 * asb_archive_options_get_path:
 * @self: a [class@ArchiveOptions]
 *
 * Gets [property@ArchiveOptions:path].
 *
 * Returns: (transfer none) (nullable) (type filename): the folder; absolute for a transport
 *
 * Since: 1.0
 */
const char *
asb_archive_options_get_path (AsbArchiveOptions *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_OPTIONS (self), NULL);

  return self->path;
}

/**
 * asb_archive_options_set_path:
 * @self: a [class@ArchiveOptions]
 * @path: (nullable) (type filename): the folder; absolute for a transport
 *
 * Sets [property@ArchiveOptions:path].
 *
 * Since: 1.0
 */
void
asb_archive_options_set_path (AsbArchiveOptions *self, const char *path)
{
  g_return_if_fail (ASB_IS_ARCHIVE_OPTIONS (self));

  if (asb_property_replace_string (&self->path, path))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PATH]);
}

/**
 * asb_archive_options_get_names:
 * @self: a [class@ArchiveOptions]
 *
 * Gets [property@ArchiveOptions:names].
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1) (element-type filename): what of
 * the folder to pack: names in it, or paths below it; %NULL: everything
 *
 * Since: 1.0
 */
const char *const *
asb_archive_options_get_names (AsbArchiveOptions *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_OPTIONS (self), NULL);

  return (const char *const *)self->names;
}

/**
 * asb_archive_options_set_names:
 * @self: a [class@ArchiveOptions]
 * @names: (nullable) (array zero-terminated=1) (element-type filename): what of the folder to
 * pack: names in it, or paths below it; %NULL: everything
 *
 * Sets [property@ArchiveOptions:names].
 *
 * Since: 1.0
 */
void
asb_archive_options_set_names (AsbArchiveOptions *self, const char *const *names)
{
  g_return_if_fail (ASB_IS_ARCHIVE_OPTIONS (self));

  if (asb_property_replace_strv (&self->names, names))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NAMES]);
}

/**
 * asb_archive_options_get_conflict:
 * @self: a [class@ArchiveOptions]
 *
 * Gets [property@ArchiveOptions:conflict].
 *
 * Returns: what becomes of a file that is in the way of one of the archive
 *
 * Since: 1.0
 */
AsbArchiveConflict
asb_archive_options_get_conflict (AsbArchiveOptions *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_OPTIONS (self), 0);

  return self->conflict;
}

/**
 * asb_archive_options_set_conflict:
 * @self: a [class@ArchiveOptions]
 * @conflict: what becomes of a file that is in the way of one of the archive
 *
 * Sets [property@ArchiveOptions:conflict].
 *
 * Since: 1.0
 */
void
asb_archive_options_set_conflict (AsbArchiveOptions *self, AsbArchiveConflict conflict)
{
  g_return_if_fail (ASB_IS_ARCHIVE_OPTIONS (self));

  if (self->conflict == conflict)
    return;
  self->conflict = conflict;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONFLICT]);
}

/**
 * asb_archive_options_get_format:
 * @self: a [class@ArchiveOptions]
 *
 * Gets [property@ArchiveOptions:format].
 *
 * Returns: what to pack into
 *
 * Since: 1.0
 */
AsbArchiveFormat
asb_archive_options_get_format (AsbArchiveOptions *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_OPTIONS (self), 0);

  return self->format;
}

/**
 * asb_archive_options_set_format:
 * @self: a [class@ArchiveOptions]
 * @format: what to pack into
 *
 * Sets [property@ArchiveOptions:format].
 *
 * Since: 1.0
 */
void
asb_archive_options_set_format (AsbArchiveOptions *self, AsbArchiveFormat format)
{
  g_return_if_fail (ASB_IS_ARCHIVE_OPTIONS (self));

  if (self->format == format)
    return;
  self->format = format;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FORMAT]);
}

/**
 * asb_archive_options_get_max_members:
 * @self: a [class@ArchiveOptions]
 *
 * Gets [property@ArchiveOptions:max-members].
 *
 * Returns: how many members there may be; 0: as many as the sandbox takes
 *
 * Since: 1.0
 */
guint64
asb_archive_options_get_max_members (AsbArchiveOptions *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_OPTIONS (self), 0);

  return self->max_members;
}

/**
 * asb_archive_options_set_max_members:
 * @self: a [class@ArchiveOptions]
 * @max_members: how many members there may be; 0: as many as the sandbox takes
 *
 * Sets [property@ArchiveOptions:max-members].
 *
 * Since: 1.0
 */
void
asb_archive_options_set_max_members (AsbArchiveOptions *self, guint64 max_members)
{
  g_return_if_fail (ASB_IS_ARCHIVE_OPTIONS (self));
  g_return_if_fail (max_members <= ASB_ARCHIVE_OPTIONS_UNLIMITED);

  if (self->max_members == max_members)
    return;
  self->max_members = max_members;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_MEMBERS]);
}

/**
 * asb_archive_options_get_max_bytes:
 * @self: a [class@ArchiveOptions]
 *
 * Gets [property@ArchiveOptions:max-bytes].
 *
 * Returns: how many bytes all files may have together; 0: as many as the sandbox takes
 *
 * Since: 1.0
 */
guint64
asb_archive_options_get_max_bytes (AsbArchiveOptions *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_OPTIONS (self), 0);

  return self->max_bytes;
}

/**
 * asb_archive_options_set_max_bytes:
 * @self: a [class@ArchiveOptions]
 * @max_bytes: how many bytes all files may have together; 0: as many as the sandbox takes
 *
 * Sets [property@ArchiveOptions:max-bytes].
 *
 * Since: 1.0
 */
void
asb_archive_options_set_max_bytes (AsbArchiveOptions *self, guint64 max_bytes)
{
  g_return_if_fail (ASB_IS_ARCHIVE_OPTIONS (self));
  g_return_if_fail (max_bytes <= ASB_ARCHIVE_OPTIONS_UNLIMITED);

  if (self->max_bytes == max_bytes)
    return;
  self->max_bytes = max_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_BYTES]);
}

/**
 * asb_archive_options_get_max_file_bytes:
 * @self: a [class@ArchiveOptions]
 *
 * Gets [property@ArchiveOptions:max-file-bytes].
 *
 * Returns: how many bytes one file may have; 0: as many as the sandbox takes
 *
 * Since: 1.0
 */
guint64
asb_archive_options_get_max_file_bytes (AsbArchiveOptions *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_OPTIONS (self), 0);

  return self->max_file_bytes;
}

/**
 * asb_archive_options_set_max_file_bytes:
 * @self: a [class@ArchiveOptions]
 * @max_file_bytes: how many bytes one file may have; 0: as many as the sandbox takes
 *
 * Sets [property@ArchiveOptions:max-file-bytes].
 *
 * Since: 1.0
 */
void
asb_archive_options_set_max_file_bytes (AsbArchiveOptions *self, guint64 max_file_bytes)
{
  g_return_if_fail (ASB_IS_ARCHIVE_OPTIONS (self));
  g_return_if_fail (max_file_bytes <= ASB_ARCHIVE_OPTIONS_UNLIMITED);

  if (self->max_file_bytes == max_file_bytes)
    return;
  self->max_file_bytes = max_file_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_FILE_BYTES]);
}

/**
 * asb_archive_options_get_max_ratio:
 * @self: a [class@ArchiveOptions]
 *
 * Gets [property@ArchiveOptions:max-ratio].
 *
 * Returns: how many times as much as came in may come out; 0: as the sandbox takes it
 *
 * Since: 1.0
 */
guint64
asb_archive_options_get_max_ratio (AsbArchiveOptions *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_OPTIONS (self), 0);

  return self->max_ratio;
}

/**
 * asb_archive_options_set_max_ratio:
 * @self: a [class@ArchiveOptions]
 * @max_ratio: how many times as much as came in may come out; 0: as the sandbox takes it
 *
 * Sets [property@ArchiveOptions:max-ratio].
 *
 * Since: 1.0
 */
void
asb_archive_options_set_max_ratio (AsbArchiveOptions *self, guint64 max_ratio)
{
  g_return_if_fail (ASB_IS_ARCHIVE_OPTIONS (self));
  g_return_if_fail (max_ratio <= ASB_ARCHIVE_OPTIONS_UNLIMITED);

  if (self->max_ratio == max_ratio)
    return;
  self->max_ratio = max_ratio;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_RATIO]);
}

/**
 * asb_archive_options_get_operation:
 * @self: a [class@ArchiveOptions]
 *
 * Gets [property@ArchiveOptions:operation].
 *
 * Returns: (transfer none) (nullable): the operation as recorded; set by the backend
 *
 * Since: 1.0
 */
AsbOperation *
asb_archive_options_get_operation (AsbArchiveOptions *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_OPTIONS (self), NULL);

  return self->operation;
}

/**
 * asb_archive_options_set_operation:
 * @self: a [class@ArchiveOptions]
 * @operation: (nullable): the operation as recorded; set by the backend
 *
 * Sets [property@ArchiveOptions:operation].
 *
 * Since: 1.0
 */
void
asb_archive_options_set_operation (AsbArchiveOptions *self, AsbOperation *operation)
{
  g_return_if_fail (ASB_IS_ARCHIVE_OPTIONS (self));
  g_return_if_fail (operation == NULL || ASB_IS_OPERATION (operation));

  if (g_set_object (&self->operation, operation))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OPERATION]);
}
