/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-spec.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

static const char *const DEFAULT_INCLUDE[] = { "**/*", NULL };

/**
 * AsbUploadSpec:
 *
 * What is uploaded from this machine into a sandbox, and by which rules: for
 * [method@Backend.upload_local] and [property@BackendOptions:uploads].
 *
 * Which files of this machine may be read at all, and where in the sandbox they may go, is said by
 * [class@UploadConfig].
 *
 * Patterns are those of `.gitignore`: `*`, `?` and `[…]`, also with `[:alpha:]` and its like, match
 * in one segment of a path, `**` any number of segments, a slash at the beginning or in the middle
 * ties a pattern to the source, one at the end means directories only, `!` takes back what a
 * pattern before has said. A pattern that matches a directory matches all that is in it.
 *
 * Since: 1.0
 */

struct _AsbUploadSpec
{
  GObject parent_instance;

  char *source;
  char *target;
  char **include;
  char **exclude;
  AsbUploadConflict conflict;
  AsbUploadSymlinks symlinks;
  gboolean atomic;
  gboolean preserve_mode;
  gboolean preserve_mtime;
  guint64 max_files;
  guint64 max_total_bytes;
  guint64 max_file_bytes;
};

enum
{
  PROP_0,
  PROP_SOURCE,
  PROP_TARGET,
  PROP_INCLUDE,
  PROP_EXCLUDE,
  PROP_CONFLICT,
  PROP_SYMLINKS,
  PROP_ATOMIC,
  PROP_PRESERVE_MODE,
  PROP_PRESERVE_MTIME,
  PROP_MAX_FILES,
  PROP_MAX_TOTAL_BYTES,
  PROP_MAX_FILE_BYTES,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbUploadSpec, asb_upload_spec, G_TYPE_OBJECT)

static void
asb_upload_spec_finalize (GObject *object)
{
  AsbUploadSpec *self = ASB_UPLOAD_SPEC (object);

  g_clear_pointer (&self->source, g_free);
  g_clear_pointer (&self->target, g_free);
  g_clear_pointer (&self->include, g_strfreev);
  g_clear_pointer (&self->exclude, g_strfreev);

  G_OBJECT_CLASS (asb_upload_spec_parent_class)->finalize (object);
}

static void
asb_upload_spec_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbUploadSpec *self = ASB_UPLOAD_SPEC (object);

  switch (property_id)
    {
    case PROP_SOURCE:
      g_value_set_string (value, self->source);
      break;
    case PROP_TARGET:
      g_value_set_string (value, self->target);
      break;
    case PROP_INCLUDE:
      g_value_set_boxed (value, self->include);
      break;
    case PROP_EXCLUDE:
      g_value_set_boxed (value, self->exclude);
      break;
    case PROP_CONFLICT:
      g_value_set_enum (value, self->conflict);
      break;
    case PROP_SYMLINKS:
      g_value_set_enum (value, self->symlinks);
      break;
    case PROP_ATOMIC:
      g_value_set_boolean (value, self->atomic);
      break;
    case PROP_PRESERVE_MODE:
      g_value_set_boolean (value, self->preserve_mode);
      break;
    case PROP_PRESERVE_MTIME:
      g_value_set_boolean (value, self->preserve_mtime);
      break;
    case PROP_MAX_FILES:
      g_value_set_uint64 (value, self->max_files);
      break;
    case PROP_MAX_TOTAL_BYTES:
      g_value_set_uint64 (value, self->max_total_bytes);
      break;
    case PROP_MAX_FILE_BYTES:
      g_value_set_uint64 (value, self->max_file_bytes);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_upload_spec_set_property (GObject *object, guint property_id, const GValue *value,
                              GParamSpec *pspec)
{
  AsbUploadSpec *self = ASB_UPLOAD_SPEC (object);

  switch (property_id)
    {
    case PROP_SOURCE:
      asb_upload_spec_set_source (self, g_value_get_string (value));
      break;
    case PROP_TARGET:
      asb_upload_spec_set_target (self, g_value_get_string (value));
      break;
    case PROP_INCLUDE:
      asb_upload_spec_set_include (self, g_value_get_boxed (value));
      break;
    case PROP_EXCLUDE:
      asb_upload_spec_set_exclude (self, g_value_get_boxed (value));
      break;
    case PROP_CONFLICT:
      asb_upload_spec_set_conflict (self, g_value_get_enum (value));
      break;
    case PROP_SYMLINKS:
      asb_upload_spec_set_symlinks (self, g_value_get_enum (value));
      break;
    case PROP_ATOMIC:
      asb_upload_spec_set_atomic (self, g_value_get_boolean (value));
      break;
    case PROP_PRESERVE_MODE:
      asb_upload_spec_set_preserve_mode (self, g_value_get_boolean (value));
      break;
    case PROP_PRESERVE_MTIME:
      asb_upload_spec_set_preserve_mtime (self, g_value_get_boolean (value));
      break;
    case PROP_MAX_FILES:
      asb_upload_spec_set_max_files (self, g_value_get_uint64 (value));
      break;
    case PROP_MAX_TOTAL_BYTES:
      asb_upload_spec_set_max_total_bytes (self, g_value_get_uint64 (value));
      break;
    case PROP_MAX_FILE_BYTES:
      asb_upload_spec_set_max_file_bytes (self, g_value_get_uint64 (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_upload_spec_class_init (AsbUploadSpecClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_upload_spec_finalize;
  object_class->get_property = asb_upload_spec_get_property;
  object_class->set_property = asb_upload_spec_set_property;

  /**
   * AsbUploadSpec:source:
   *
   * The file or the directory of this machine, as a path in the encoding of file names. `~` at the
   * beginning stands for the home directory.
   *
   * What of a directory is not to be uploaded is said by [property@UploadSpec:include] and
   * [property@UploadSpec:exclude], by [property@UploadConfig:default-excludes] and by the lines of
   * a file `.sandboxignore` in the directory itself, which cannot take back what the others leave
   * out. A single file that these rules leave out is an error.
   *
   * Since: 1.0
   */
  properties[PROP_SOURCE] = g_param_spec_string ("source", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbUploadSpec:target:
   *
   * Where it goes in the sandbox: an absolute path without `..`; of a file its own new path, of a
   * directory that of the directory that what is in it goes to.
   *
   * Since: 1.0
   */
  properties[PROP_TARGET] = g_param_spec_string ("target", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbUploadSpec:include:
   *
   * Patterns of what is uploaded. The default takes all of it.
   *
   * Since: 1.0
   */
  properties[PROP_INCLUDE]
      = g_param_spec_boxed ("include", NULL, NULL, G_TYPE_STRV, ASB_PARAM_READWRITE);

  /**
   * AsbUploadSpec:exclude:
   *
   * Patterns of what is left out of that.
   *
   * Since: 1.0
   */
  properties[PROP_EXCLUDE]
      = g_param_spec_boxed ("exclude", NULL, NULL, G_TYPE_STRV, ASB_PARAM_READWRITE);

  /**
   * AsbUploadSpec:conflict:
   *
   * What becomes of a file of the sandbox that is in the way. The default is
   * %ASB_UPLOAD_CONFLICT_IF_CHANGED. Other files in the target stay, whatever this says.
   *
   * Since: 1.0
   */
  properties[PROP_CONFLICT]
      = g_param_spec_enum ("conflict", NULL, NULL, ASB_TYPE_UPLOAD_CONFLICT,
                           ASB_UPLOAD_CONFLICT_IF_CHANGED, ASB_PARAM_READWRITE);

  /**
   * AsbUploadSpec:symlinks:
   *
   * What becomes of symbolic links in the source. The default is %ASB_UPLOAD_SYMLINKS_REJECT.
   * Nothing outside the source is ever read by way of one.
   *
   * Since: 1.0
   */
  properties[PROP_SYMLINKS] = g_param_spec_enum ("symlinks", NULL, NULL, ASB_TYPE_UPLOAD_SYMLINKS,
                                                 ASB_UPLOAD_SYMLINKS_REJECT, ASB_PARAM_READWRITE);

  /**
   * AsbUploadSpec:atomic:
   *
   * Whether nothing is to be changed when not all of it can be put in place. %FALSE lets a
   * transport that takes no archives write each file to its place at once; with all others it makes
   * no difference. [property@UploadResult:atomic] tells.
   *
   * Since: 1.0
   */
  properties[PROP_ATOMIC] = g_param_spec_boolean ("atomic", NULL, NULL, TRUE, ASB_PARAM_READWRITE);

  /**
   * AsbUploadSpec:preserve-mode:
   *
   * Whether files and directories keep their permissions (0777). Otherwise files get 0644 and
   * directories 0755.
   *
   * Since: 1.0
   */
  properties[PROP_PRESERVE_MODE]
      = g_param_spec_boolean ("preserve-mode", NULL, NULL, FALSE, ASB_PARAM_READWRITE);

  /**
   * AsbUploadSpec:preserve-mtime:
   *
   * Whether files and directories keep their time of modification. Otherwise it is the time of the
   * upload.
   *
   * Since: 1.0
   */
  properties[PROP_PRESERVE_MTIME]
      = g_param_spec_boolean ("preserve-mtime", NULL, NULL, FALSE, ASB_PARAM_READWRITE);

  /**
   * AsbUploadSpec:max-files:
   *
   * The greatest number of files. At least 1; the default is 10,000. So many directories may be
   * there as well, and 10,000 even if fewer files may.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_FILES] = g_param_spec_uint64 (
      "max-files", NULL, NULL, 0, ASB_ARCHIVE_OPTIONS_UNLIMITED, 10000, ASB_PARAM_READWRITE);

  /**
   * AsbUploadSpec:max-total-bytes:
   *
   * The greatest size of all files together, in bytes. At least 1; the default is 512 MiB.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_TOTAL_BYTES]
      = g_param_spec_uint64 ("max-total-bytes", NULL, NULL, 0, ASB_ARCHIVE_OPTIONS_UNLIMITED,
                             512 * 1024 * 1024, ASB_PARAM_READWRITE);

  /**
   * AsbUploadSpec:max-file-bytes:
   *
   * The greatest size of a file, in bytes. At least 1; the default is 128 MiB.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_FILE_BYTES]
      = g_param_spec_uint64 ("max-file-bytes", NULL, NULL, 0, ASB_ARCHIVE_OPTIONS_UNLIMITED,
                             128 * 1024 * 1024, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_upload_spec_init (AsbUploadSpec *self)
{
  self->include = g_strdupv ((char **)DEFAULT_INCLUDE);
  self->exclude = g_new0 (char *, 1);
  self->conflict = ASB_UPLOAD_CONFLICT_IF_CHANGED;
  self->symlinks = ASB_UPLOAD_SYMLINKS_REJECT;
  self->atomic = TRUE;
  self->max_files = 10000;
  self->max_total_bytes = 512 * 1024 * 1024;
  self->max_file_bytes = 128 * 1024 * 1024;
}

/**
 * asb_upload_spec_new:
 * @source: (nullable) (type filename): the file or the directory of this machine
 * @target: (nullable): where it goes in the sandbox
 *
 * Creates the description of an upload, by the rules that hold when nothing else is said.
 *
 * Returns: (transfer full): a new [class@UploadSpec]
 *
 * Since: 1.0
 */
AsbUploadSpec *
asb_upload_spec_new (const char *source, const char *target)
{
  return g_object_new (ASB_TYPE_UPLOAD_SPEC, "source", source, "target", target, NULL);
}

/**
 * asb_upload_spec_get_source:
 * @self: a [class@UploadSpec]
 *
 * Gets [property@UploadSpec:source].
 *
 * Returns: (nullable) (type filename): the file or the directory
 *
 * Since: 1.0
 */
const char *
asb_upload_spec_get_source (AsbUploadSpec *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_SPEC (self), NULL);

  return self->source;
}

/**
 * asb_upload_spec_set_source:
 * @self: a [class@UploadSpec]
 * @source: (nullable) (type filename): the file or the directory
 *
 * Sets [property@UploadSpec:source].
 *
 * Since: 1.0
 */
void
asb_upload_spec_set_source (AsbUploadSpec *self, const char *source)
{
  g_return_if_fail (ASB_IS_UPLOAD_SPEC (self));

  if (asb_property_replace_string (&self->source, source))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SOURCE]);
}

/**
 * asb_upload_spec_get_target:
 * @self: a [class@UploadSpec]
 *
 * Gets [property@UploadSpec:target].
 *
 * Returns: (nullable): where it goes
 *
 * Since: 1.0
 */
const char *
asb_upload_spec_get_target (AsbUploadSpec *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_SPEC (self), NULL);

  return self->target;
}

/**
 * asb_upload_spec_set_target:
 * @self: a [class@UploadSpec]
 * @target: (nullable): where it goes
 *
 * Sets [property@UploadSpec:target].
 *
 * Since: 1.0
 */
void
asb_upload_spec_set_target (AsbUploadSpec *self, const char *target)
{
  g_return_if_fail (ASB_IS_UPLOAD_SPEC (self));

  if (asb_property_replace_string (&self->target, target))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TARGET]);
}

/**
 * asb_upload_spec_get_include:
 * @self: a [class@UploadSpec]
 *
 * Gets [property@UploadSpec:include].
 *
 * Returns: (nullable): patterns of what is uploaded
 *
 * Since: 1.0
 */
const char *const *
asb_upload_spec_get_include (AsbUploadSpec *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_SPEC (self), NULL);

  return (const char *const *)self->include;
}

/**
 * asb_upload_spec_set_include:
 * @self: a [class@UploadSpec]
 * @include: (nullable) (array zero-terminated=1): patterns of what is uploaded
 *
 * Sets [property@UploadSpec:include].
 *
 * Since: 1.0
 */
void
asb_upload_spec_set_include (AsbUploadSpec *self, const char *const *include)
{
  g_return_if_fail (ASB_IS_UPLOAD_SPEC (self));

  if (asb_property_replace_strv (&self->include, include))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_INCLUDE]);
}

/**
 * asb_upload_spec_get_exclude:
 * @self: a [class@UploadSpec]
 *
 * Gets [property@UploadSpec:exclude].
 *
 * Returns: (nullable): patterns of what is left out
 *
 * Since: 1.0
 */
const char *const *
asb_upload_spec_get_exclude (AsbUploadSpec *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_SPEC (self), NULL);

  return (const char *const *)self->exclude;
}

/**
 * asb_upload_spec_set_exclude:
 * @self: a [class@UploadSpec]
 * @exclude: (nullable) (array zero-terminated=1): patterns of what is left out
 *
 * Sets [property@UploadSpec:exclude].
 *
 * Since: 1.0
 */
void
asb_upload_spec_set_exclude (AsbUploadSpec *self, const char *const *exclude)
{
  g_return_if_fail (ASB_IS_UPLOAD_SPEC (self));

  if (asb_property_replace_strv (&self->exclude, exclude))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_EXCLUDE]);
}

/**
 * asb_upload_spec_get_conflict:
 * @self: a [class@UploadSpec]
 *
 * Gets [property@UploadSpec:conflict].
 *
 * Returns: what becomes of a file that is in the way
 *
 * Since: 1.0
 */
AsbUploadConflict
asb_upload_spec_get_conflict (AsbUploadSpec *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_SPEC (self), ASB_UPLOAD_CONFLICT_IF_CHANGED);

  return self->conflict;
}

/**
 * asb_upload_spec_set_conflict:
 * @self: a [class@UploadSpec]
 * @conflict: what becomes of a file that is in the way
 *
 * Sets [property@UploadSpec:conflict].
 *
 * Since: 1.0
 */
void
asb_upload_spec_set_conflict (AsbUploadSpec *self, AsbUploadConflict conflict)
{
  g_return_if_fail (ASB_IS_UPLOAD_SPEC (self));

  if (self->conflict == conflict)
    return;
  self->conflict = conflict;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONFLICT]);
}

/**
 * asb_upload_spec_get_symlinks:
 * @self: a [class@UploadSpec]
 *
 * Gets [property@UploadSpec:symlinks].
 *
 * Returns: what becomes of symbolic links
 *
 * Since: 1.0
 */
AsbUploadSymlinks
asb_upload_spec_get_symlinks (AsbUploadSpec *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_SPEC (self), ASB_UPLOAD_SYMLINKS_REJECT);

  return self->symlinks;
}

/**
 * asb_upload_spec_set_symlinks:
 * @self: a [class@UploadSpec]
 * @symlinks: what becomes of symbolic links
 *
 * Sets [property@UploadSpec:symlinks].
 *
 * Since: 1.0
 */
void
asb_upload_spec_set_symlinks (AsbUploadSpec *self, AsbUploadSymlinks symlinks)
{
  g_return_if_fail (ASB_IS_UPLOAD_SPEC (self));

  if (self->symlinks == symlinks)
    return;
  self->symlinks = symlinks;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SYMLINKS]);
}

/**
 * asb_upload_spec_get_atomic:
 * @self: a [class@UploadSpec]
 *
 * Gets [property@UploadSpec:atomic].
 *
 * Returns: whether all of it is put in place, or nothing
 *
 * Since: 1.0
 */
gboolean
asb_upload_spec_get_atomic (AsbUploadSpec *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_SPEC (self), FALSE);

  return self->atomic;
}

/**
 * asb_upload_spec_set_atomic:
 * @self: a [class@UploadSpec]
 * @atomic: whether all of it is put in place, or nothing
 *
 * Sets [property@UploadSpec:atomic].
 *
 * Since: 1.0
 */
void
asb_upload_spec_set_atomic (AsbUploadSpec *self, gboolean atomic)
{
  g_return_if_fail (ASB_IS_UPLOAD_SPEC (self));

  atomic = !!atomic;
  if (self->atomic == atomic)
    return;
  self->atomic = atomic;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ATOMIC]);
}

/**
 * asb_upload_spec_get_preserve_mode:
 * @self: a [class@UploadSpec]
 *
 * Gets [property@UploadSpec:preserve-mode].
 *
 * Returns: whether permissions are kept
 *
 * Since: 1.0
 */
gboolean
asb_upload_spec_get_preserve_mode (AsbUploadSpec *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_SPEC (self), FALSE);

  return self->preserve_mode;
}

/**
 * asb_upload_spec_set_preserve_mode:
 * @self: a [class@UploadSpec]
 * @preserve_mode: whether permissions are kept
 *
 * Sets [property@UploadSpec:preserve-mode].
 *
 * Since: 1.0
 */
void
asb_upload_spec_set_preserve_mode (AsbUploadSpec *self, gboolean preserve_mode)
{
  g_return_if_fail (ASB_IS_UPLOAD_SPEC (self));

  preserve_mode = !!preserve_mode;
  if (self->preserve_mode == preserve_mode)
    return;
  self->preserve_mode = preserve_mode;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PRESERVE_MODE]);
}

/**
 * asb_upload_spec_get_preserve_mtime:
 * @self: a [class@UploadSpec]
 *
 * Gets [property@UploadSpec:preserve-mtime].
 *
 * Returns: whether times of modification are kept
 *
 * Since: 1.0
 */
gboolean
asb_upload_spec_get_preserve_mtime (AsbUploadSpec *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_SPEC (self), FALSE);

  return self->preserve_mtime;
}

/**
 * asb_upload_spec_set_preserve_mtime:
 * @self: a [class@UploadSpec]
 * @preserve_mtime: whether times of modification are kept
 *
 * Sets [property@UploadSpec:preserve-mtime].
 *
 * Since: 1.0
 */
void
asb_upload_spec_set_preserve_mtime (AsbUploadSpec *self, gboolean preserve_mtime)
{
  g_return_if_fail (ASB_IS_UPLOAD_SPEC (self));

  preserve_mtime = !!preserve_mtime;
  if (self->preserve_mtime == preserve_mtime)
    return;
  self->preserve_mtime = preserve_mtime;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PRESERVE_MTIME]);
}

/**
 * asb_upload_spec_get_max_files:
 * @self: a [class@UploadSpec]
 *
 * Gets [property@UploadSpec:max-files].
 *
 * Returns: the greatest number of files
 *
 * Since: 1.0
 */
guint64
asb_upload_spec_get_max_files (AsbUploadSpec *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_SPEC (self), 0);

  return self->max_files;
}

/**
 * asb_upload_spec_set_max_files:
 * @self: a [class@UploadSpec]
 * @max_files: the greatest number of files
 *
 * Sets [property@UploadSpec:max-files].
 *
 * Since: 1.0
 */
void
asb_upload_spec_set_max_files (AsbUploadSpec *self, guint64 max_files)
{
  g_return_if_fail (ASB_IS_UPLOAD_SPEC (self));

  if (self->max_files == max_files)
    return;
  self->max_files = max_files;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_FILES]);
}

/**
 * asb_upload_spec_get_max_total_bytes:
 * @self: a [class@UploadSpec]
 *
 * Gets [property@UploadSpec:max-total-bytes].
 *
 * Returns: the greatest size of all files together
 *
 * Since: 1.0
 */
guint64
asb_upload_spec_get_max_total_bytes (AsbUploadSpec *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_SPEC (self), 0);

  return self->max_total_bytes;
}

/**
 * asb_upload_spec_set_max_total_bytes:
 * @self: a [class@UploadSpec]
 * @max_total_bytes: the greatest size of all files together
 *
 * Sets [property@UploadSpec:max-total-bytes].
 *
 * Since: 1.0
 */
void
asb_upload_spec_set_max_total_bytes (AsbUploadSpec *self, guint64 max_total_bytes)
{
  g_return_if_fail (ASB_IS_UPLOAD_SPEC (self));

  if (self->max_total_bytes == max_total_bytes)
    return;
  self->max_total_bytes = max_total_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_TOTAL_BYTES]);
}

/**
 * asb_upload_spec_get_max_file_bytes:
 * @self: a [class@UploadSpec]
 *
 * Gets [property@UploadSpec:max-file-bytes].
 *
 * Returns: the greatest size of a file
 *
 * Since: 1.0
 */
guint64
asb_upload_spec_get_max_file_bytes (AsbUploadSpec *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_SPEC (self), 0);

  return self->max_file_bytes;
}

/**
 * asb_upload_spec_set_max_file_bytes:
 * @self: a [class@UploadSpec]
 * @max_file_bytes: the greatest size of a file
 *
 * Sets [property@UploadSpec:max-file-bytes].
 *
 * Since: 1.0
 */
void
asb_upload_spec_set_max_file_bytes (AsbUploadSpec *self, guint64 max_file_bytes)
{
  g_return_if_fail (ASB_IS_UPLOAD_SPEC (self));

  if (self->max_file_bytes == max_file_bytes)
    return;
  self->max_file_bytes = max_file_bytes;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_FILE_BYTES]);
}
