/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-archive-result-private.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbArchiveResult:
 *
 * What became of an archive that was unpacked, or of a folder that was packed.
 *
 * Since: 1.0
 */

struct _AsbArchiveResult
{
  GObject parent_instance;

  AsbArchiveFormat format;
  guint64 n_members;
  guint64 n_files;
  guint64 n_directories;
  guint64 n_links;
  guint64 n_bytes;
  guint64 n_archive_bytes;
  guint64 n_replaced;
  guint64 n_skipped;
  char **errors;
  guint64 n_errors;
};

enum
{
  PROP_0,
  PROP_FORMAT,
  PROP_N_MEMBERS,
  PROP_N_FILES,
  PROP_N_DIRECTORIES,
  PROP_N_LINKS,
  PROP_N_BYTES,
  PROP_N_ARCHIVE_BYTES,
  PROP_N_REPLACED,
  PROP_N_SKIPPED,
  PROP_ERRORS,
  PROP_N_ERRORS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbArchiveResult, asb_archive_result, G_TYPE_OBJECT)

static void
asb_archive_result_finalize (GObject *object)
{
  AsbArchiveResult *self = ASB_ARCHIVE_RESULT (object);

  g_clear_pointer (&self->errors, g_strfreev);

  G_OBJECT_CLASS (asb_archive_result_parent_class)->finalize (object);
}

static void
asb_archive_result_get_property (GObject *object, guint property_id, GValue *value,
                                 GParamSpec *pspec)
{
  AsbArchiveResult *self = ASB_ARCHIVE_RESULT (object);

  switch (property_id)
    {
    case PROP_FORMAT:
      g_value_set_enum (value, self->format);
      break;
    case PROP_N_MEMBERS:
      g_value_set_uint64 (value, self->n_members);
      break;
    case PROP_N_FILES:
      g_value_set_uint64 (value, self->n_files);
      break;
    case PROP_N_DIRECTORIES:
      g_value_set_uint64 (value, self->n_directories);
      break;
    case PROP_N_LINKS:
      g_value_set_uint64 (value, self->n_links);
      break;
    case PROP_N_BYTES:
      g_value_set_uint64 (value, self->n_bytes);
      break;
    case PROP_N_ARCHIVE_BYTES:
      g_value_set_uint64 (value, self->n_archive_bytes);
      break;
    case PROP_N_REPLACED:
      g_value_set_uint64 (value, self->n_replaced);
      break;
    case PROP_N_SKIPPED:
      g_value_set_uint64 (value, self->n_skipped);
      break;
    case PROP_ERRORS:
      g_value_set_boxed (value, self->errors);
      break;
    case PROP_N_ERRORS:
      g_value_set_uint64 (value, self->n_errors);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_archive_result_set_property (GObject *object, guint property_id, const GValue *value,
                                 GParamSpec *pspec)
{
  AsbArchiveResult *self = ASB_ARCHIVE_RESULT (object);

  switch (property_id)
    {
    case PROP_FORMAT:
      self->format = g_value_get_enum (value);
      break;
    case PROP_N_MEMBERS:
      self->n_members = g_value_get_uint64 (value);
      break;
    case PROP_N_FILES:
      self->n_files = g_value_get_uint64 (value);
      break;
    case PROP_N_DIRECTORIES:
      self->n_directories = g_value_get_uint64 (value);
      break;
    case PROP_N_LINKS:
      self->n_links = g_value_get_uint64 (value);
      break;
    case PROP_N_BYTES:
      self->n_bytes = g_value_get_uint64 (value);
      break;
    case PROP_N_ARCHIVE_BYTES:
      self->n_archive_bytes = g_value_get_uint64 (value);
      break;
    case PROP_N_REPLACED:
      self->n_replaced = g_value_get_uint64 (value);
      break;
    case PROP_N_SKIPPED:
      self->n_skipped = g_value_get_uint64 (value);
      break;
    case PROP_ERRORS:
      self->errors = g_value_dup_boxed (value);
      break;
    case PROP_N_ERRORS:
      self->n_errors = g_value_get_uint64 (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_archive_result_class_init (AsbArchiveResultClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_archive_result_finalize;
  object_class->get_property = asb_archive_result_get_property;
  object_class->set_property = asb_archive_result_set_property;

  /**
   * AsbArchiveResult:format:
   *
   * What the archive is.
   *
   * Since: 1.0
   */
  properties[PROP_FORMAT] = g_param_spec_enum ("format", NULL, NULL, ASB_TYPE_ARCHIVE_FORMAT, 0,
                                               ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbArchiveResult:n-members:
   *
   * How many members the archive has.
   *
   * Since: 1.0
   */
  properties[PROP_N_MEMBERS]
      = g_param_spec_uint64 ("n-members", NULL, NULL, 0, G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbArchiveResult:n-files:
   *
   * How many of them are files.
   *
   * Since: 1.0
   */
  properties[PROP_N_FILES]
      = g_param_spec_uint64 ("n-files", NULL, NULL, 0, G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbArchiveResult:n-directories:
   *
   * How many of them are directories.
   *
   * Since: 1.0
   */
  properties[PROP_N_DIRECTORIES] = g_param_spec_uint64 ("n-directories", NULL, NULL, 0, G_MAXUINT64,
                                                        0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbArchiveResult:n-links:
   *
   * How many of them are symbolic or hard links.
   *
   * Since: 1.0
   */
  properties[PROP_N_LINKS]
      = g_param_spec_uint64 ("n-links", NULL, NULL, 0, G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbArchiveResult:n-bytes:
   *
   * Bytes of all files.
   *
   * Since: 1.0
   */
  properties[PROP_N_BYTES]
      = g_param_spec_uint64 ("n-bytes", NULL, NULL, 0, G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbArchiveResult:n-archive-bytes:
   *
   * Bytes of the archive.
   *
   * Since: 1.0
   */
  properties[PROP_N_ARCHIVE_BYTES] = g_param_spec_uint64 ("n-archive-bytes", NULL, NULL, 0,
                                                          G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbArchiveResult:n-replaced:
   *
   * How many files of the folder were replaced.
   *
   * Since: 1.0
   */
  properties[PROP_N_REPLACED]
      = g_param_spec_uint64 ("n-replaced", NULL, NULL, 0, G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbArchiveResult:n-skipped:
   *
   * How many members were skipped, because something was in their way.
   *
   * Since: 1.0
   */
  properties[PROP_N_SKIPPED]
      = g_param_spec_uint64 ("n-skipped", NULL, NULL, 0, G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbArchiveResult:errors:
   *
   * The first of the errors of packing, each a path and a sentence: what is not in the archive, or
   * not as it should be.
   *
   * Since: 1.0
   */
  properties[PROP_ERRORS]
      = g_param_spec_boxed ("errors", NULL, NULL, G_TYPE_STRV, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbArchiveResult:n-errors:
   *
   * How many things are not in the archive, or not as they should be.
   *
   * Since: 1.0
   */
  properties[PROP_N_ERRORS]
      = g_param_spec_uint64 ("n-errors", NULL, NULL, 0, G_MAXUINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_archive_result_init (AsbArchiveResult *self)
{
}

/**
 * asb_archive_result_get_format:
 * @self: a [class@ArchiveResult]
 *
 * Gets [property@ArchiveResult:format].
 *
 * Returns: what the archive is
 *
 * Since: 1.0
 */
AsbArchiveFormat
asb_archive_result_get_format (AsbArchiveResult *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_RESULT (self), 0);

  return self->format;
}

/**
 * asb_archive_result_get_n_members:
 * @self: a [class@ArchiveResult]
 *
 * Gets [property@ArchiveResult:n-members].
 *
 * Returns: how many members the archive has
 *
 * Since: 1.0
 */
guint64
asb_archive_result_get_n_members (AsbArchiveResult *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_RESULT (self), 0);

  return self->n_members;
}

/**
 * asb_archive_result_get_n_files:
 * @self: a [class@ArchiveResult]
 *
 * Gets [property@ArchiveResult:n-files].
 *
 * Returns: how many of them are files
 *
 * Since: 1.0
 */
guint64
asb_archive_result_get_n_files (AsbArchiveResult *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_RESULT (self), 0);

  return self->n_files;
}

/**
 * asb_archive_result_get_n_directories:
 * @self: a [class@ArchiveResult]
 *
 * Gets [property@ArchiveResult:n-directories].
 *
 * Returns: how many of them are directories
 *
 * Since: 1.0
 */
guint64
asb_archive_result_get_n_directories (AsbArchiveResult *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_RESULT (self), 0);

  return self->n_directories;
}

/**
 * asb_archive_result_get_n_links:
 * @self: a [class@ArchiveResult]
 *
 * Gets [property@ArchiveResult:n-links].
 *
 * Returns: how many of them are symbolic or hard links
 *
 * Since: 1.0
 */
guint64
asb_archive_result_get_n_links (AsbArchiveResult *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_RESULT (self), 0);

  return self->n_links;
}

/**
 * asb_archive_result_get_n_bytes:
 * @self: a [class@ArchiveResult]
 *
 * Gets [property@ArchiveResult:n-bytes].
 *
 * Returns: bytes of all files
 *
 * Since: 1.0
 */
guint64
asb_archive_result_get_n_bytes (AsbArchiveResult *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_RESULT (self), 0);

  return self->n_bytes;
}

/**
 * asb_archive_result_get_n_archive_bytes:
 * @self: a [class@ArchiveResult]
 *
 * Gets [property@ArchiveResult:n-archive-bytes].
 *
 * Returns: bytes of the archive
 *
 * Since: 1.0
 */
guint64
asb_archive_result_get_n_archive_bytes (AsbArchiveResult *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_RESULT (self), 0);

  return self->n_archive_bytes;
}

/**
 * asb_archive_result_get_n_replaced:
 * @self: a [class@ArchiveResult]
 *
 * Gets [property@ArchiveResult:n-replaced].
 *
 * Returns: how many files of the folder were replaced
 *
 * Since: 1.0
 */
guint64
asb_archive_result_get_n_replaced (AsbArchiveResult *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_RESULT (self), 0);

  return self->n_replaced;
}

/**
 * asb_archive_result_get_n_skipped:
 * @self: a [class@ArchiveResult]
 *
 * Gets [property@ArchiveResult:n-skipped].
 *
 * Returns: how many members were skipped
 *
 * Since: 1.0
 */
guint64
asb_archive_result_get_n_skipped (AsbArchiveResult *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_RESULT (self), 0);

  return self->n_skipped;
}

/**
 * asb_archive_result_get_errors:
 * @self: a [class@ArchiveResult]
 *
 * Gets [property@ArchiveResult:errors].
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1): the first of the errors of
 * packing, each a path and a sentence
 *
 * Since: 1.0
 */
const char *const *
asb_archive_result_get_errors (AsbArchiveResult *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_RESULT (self), NULL);

  return (const char *const *)self->errors;
}

/**
 * asb_archive_result_get_n_errors:
 * @self: a [class@ArchiveResult]
 *
 * Gets [property@ArchiveResult:n-errors].
 *
 * Returns: how many things are not in the archive, or not as they should be
 *
 * Since: 1.0
 */
guint64
asb_archive_result_get_n_errors (AsbArchiveResult *self)
{
  g_return_val_if_fail (ASB_IS_ARCHIVE_RESULT (self), 0);

  return self->n_errors;
}

/**
 * asb_archive_result_get_for_stream:
 * @stream: what [method@Backend.open_archive] has given
 *
 * Gets what became of a folder that was packed, once @stream has been read to its end.
 *
 * Returns: (transfer none) (nullable): it, or %NULL when the end has not been reached
 *
 * Since: 1.0
 */
AsbArchiveResult *
asb_archive_result_get_for_stream (GInputStream *stream)
{
  g_return_val_if_fail (G_IS_INPUT_STREAM (stream), NULL);

  return g_object_get_data (G_OBJECT (stream), ASB_ARCHIVE_RESULT_KEY);
}
