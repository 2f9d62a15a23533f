/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-upload-config.h"

#include "asb-property-private.h"
#include "asb-upload-config-private.h"

static const char *const DEFAULT_SANDBOX_ROOTS[] = { "/workspace", NULL };
static const char *const DEFAULT_PROTECTED_ROOTS[] = { "/.agent-history", "/.agent-upload", NULL };
static const char *const DEFAULT_EXCLUDES[]
    = { ".git/",         ".env",   ".env.*",       ".ssh/",           ".aws/",          ".gnupg/",
        "node_modules/", ".venv/", "__pycache__/", ".agent-history/", ".sandboxignore", NULL };

/**
 * AsbUploadConfig:
 *
 * Which files of this machine may be uploaded, and where in a sandbox they may go: for
 * [method@Backend.upload_local] and [property@BackendOptions:upload-config].
 *
 * Without it nothing may be uploaded: a program has to say which directories of this machine it
 * opens.
 *
 * Since: 1.0
 */

struct _AsbUploadConfig
{
  GObject parent_instance;

  char **allowed_local_roots;
  char **allowed_sandbox_roots;
  char **protected_sandbox_roots;
  char **default_excludes;
  guint max_parallel_files;
  guint archive_min_files;
  gboolean partial_success;
  gboolean redact_local_paths;
  AsbClosure *approval;
  AsbClosure *progress;
};

enum
{
  PROP_0,
  PROP_ALLOWED_LOCAL_ROOTS,
  PROP_ALLOWED_SANDBOX_ROOTS,
  PROP_PROTECTED_SANDBOX_ROOTS,
  PROP_DEFAULT_EXCLUDES,
  PROP_MAX_PARALLEL_FILES,
  PROP_ARCHIVE_MIN_FILES,
  PROP_PARTIAL_SUCCESS,
  PROP_REDACT_LOCAL_PATHS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbUploadConfig, asb_upload_config, G_TYPE_OBJECT)

static void
asb_upload_config_finalize (GObject *object)
{
  AsbUploadConfig *self = ASB_UPLOAD_CONFIG (object);

  g_clear_pointer (&self->allowed_local_roots, g_strfreev);
  g_clear_pointer (&self->allowed_sandbox_roots, g_strfreev);
  g_clear_pointer (&self->protected_sandbox_roots, g_strfreev);
  g_clear_pointer (&self->default_excludes, g_strfreev);
  g_clear_pointer (&self->approval, asb_closure_unref);
  g_clear_pointer (&self->progress, asb_closure_unref);

  G_OBJECT_CLASS (asb_upload_config_parent_class)->finalize (object);
}

static void
asb_upload_config_get_property (GObject *object, guint property_id, GValue *value,
                                GParamSpec *pspec)
{
  AsbUploadConfig *self = ASB_UPLOAD_CONFIG (object);

  switch (property_id)
    {
    case PROP_ALLOWED_LOCAL_ROOTS:
      g_value_set_boxed (value, self->allowed_local_roots);
      break;
    case PROP_ALLOWED_SANDBOX_ROOTS:
      g_value_set_boxed (value, self->allowed_sandbox_roots);
      break;
    case PROP_PROTECTED_SANDBOX_ROOTS:
      g_value_set_boxed (value, self->protected_sandbox_roots);
      break;
    case PROP_DEFAULT_EXCLUDES:
      g_value_set_boxed (value, self->default_excludes);
      break;
    case PROP_MAX_PARALLEL_FILES:
      g_value_set_uint (value, self->max_parallel_files);
      break;
    case PROP_ARCHIVE_MIN_FILES:
      g_value_set_uint (value, self->archive_min_files);
      break;
    case PROP_PARTIAL_SUCCESS:
      g_value_set_boolean (value, self->partial_success);
      break;
    case PROP_REDACT_LOCAL_PATHS:
      g_value_set_boolean (value, self->redact_local_paths);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_upload_config_set_property (GObject *object, guint property_id, const GValue *value,
                                GParamSpec *pspec)
{
  AsbUploadConfig *self = ASB_UPLOAD_CONFIG (object);

  switch (property_id)
    {
    case PROP_ALLOWED_LOCAL_ROOTS:
      asb_upload_config_set_allowed_local_roots (self, g_value_get_boxed (value));
      break;
    case PROP_ALLOWED_SANDBOX_ROOTS:
      asb_upload_config_set_allowed_sandbox_roots (self, g_value_get_boxed (value));
      break;
    case PROP_PROTECTED_SANDBOX_ROOTS:
      asb_upload_config_set_protected_sandbox_roots (self, g_value_get_boxed (value));
      break;
    case PROP_DEFAULT_EXCLUDES:
      asb_upload_config_set_default_excludes (self, g_value_get_boxed (value));
      break;
    case PROP_MAX_PARALLEL_FILES:
      asb_upload_config_set_max_parallel_files (self, g_value_get_uint (value));
      break;
    case PROP_ARCHIVE_MIN_FILES:
      asb_upload_config_set_archive_min_files (self, g_value_get_uint (value));
      break;
    case PROP_PARTIAL_SUCCESS:
      asb_upload_config_set_partial_success (self, g_value_get_boolean (value));
      break;
    case PROP_REDACT_LOCAL_PATHS:
      asb_upload_config_set_redact_local_paths (self, g_value_get_boolean (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_upload_config_class_init (AsbUploadConfigClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_upload_config_finalize;
  object_class->get_property = asb_upload_config_get_property;
  object_class->set_property = asb_upload_config_set_property;

  /**
   * AsbUploadConfig:allowed-local-roots:
   *
   * Directories of this machine that may be read. What is uploaded must lie in one of them, where
   * links on the way have been followed. None by default: nothing may be uploaded. `~` at the
   * beginning stands for the home directory.
   *
   * Since: 1.0
   */
  properties[PROP_ALLOWED_LOCAL_ROOTS]
      = g_param_spec_boxed ("allowed-local-roots", NULL, NULL, G_TYPE_STRV, ASB_PARAM_READWRITE);

  /**
   * AsbUploadConfig:allowed-sandbox-roots:
   *
   * Directories of the sandbox that may be uploaded into. `/workspace` if nothing else is set.
   * Where symbolic links are on the way to the target, it counts where they lead when it is looked
   * at, before anything is sent.
   *
   * Since: 1.0
   */
  properties[PROP_ALLOWED_SANDBOX_ROOTS]
      = g_param_spec_boxed ("allowed-sandbox-roots", NULL, NULL, G_TYPE_STRV, ASB_PARAM_READWRITE);

  /**
   * AsbUploadConfig:protected-sandbox-roots:
   *
   * Directories of the sandbox that are never uploaded into. `/.agent-history` and `/.agent-upload`
   * if nothing else is set.
   *
   * Since: 1.0
   */
  properties[PROP_PROTECTED_SANDBOX_ROOTS] = g_param_spec_boxed (
      "protected-sandbox-roots", NULL, NULL, G_TYPE_STRV, ASB_PARAM_READWRITE);

  /**
   * AsbUploadConfig:default-excludes:
   *
   * Patterns, as of [property@UploadSpec:exclude], of what is never uploaded. The default keeps
   * secrets and what is large and made again out of it: `.git/`, `.env`, `.env.*`, `.ssh/`,
   * `.aws/`, `.gnupg/`, `node_modules/`, `.venv/`, `__pycache__/`, `.agent-history/` and
   * `.sandboxignore`.
   *
   * Since: 1.0
   */
  properties[PROP_DEFAULT_EXCLUDES]
      = g_param_spec_boxed ("default-excludes", NULL, NULL, G_TYPE_STRV, ASB_PARAM_READWRITE);

  /**
   * AsbUploadConfig:max-parallel-files:
   *
   * How many files are read at once when the source is looked at. 1 to 128; the default is 8. No
   * more than there are processors.
   *
   * Since: 1.0
   */
  properties[PROP_MAX_PARALLEL_FILES]
      = g_param_spec_uint ("max-parallel-files", NULL, NULL, 0, G_MAXUINT, 8, ASB_PARAM_READWRITE);

  /**
   * AsbUploadConfig:archive-min-files:
   *
   * From how many files on an archive is worth it. At least 1; the default is 64. Here what goes by
   * a transport that takes archives always goes as one, since that is never more requests; the
   * number is taken for the sake of programs that set it.
   *
   * Since: 1.0
   */
  properties[PROP_ARCHIVE_MIN_FILES]
      = g_param_spec_uint ("archive-min-files", NULL, NULL, 0, G_MAXUINT, 64, ASB_PARAM_READWRITE);

  /**
   * AsbUploadConfig:partial-success:
   *
   * Whether files that cannot be read, or have changed since they were looked at, are left out and
   * named in [property@UploadResult:failures]. Otherwise the upload fails with
   * %ASB_ERROR_UPLOAD_PARTIAL_FAILURE, whose details name them, and nothing is changed.
   *
   * Since: 1.0
   */
  properties[PROP_PARTIAL_SUCCESS]
      = g_param_spec_boolean ("partial-success", NULL, NULL, FALSE, ASB_PARAM_READWRITE);

  /**
   * AsbUploadConfig:redact-local-paths:
   *
   * Whether messages, which the record in the sandbox holds as well, name the source only by its
   * last segment, and not where on this machine it is.
   *
   * Since: 1.0
   */
  properties[PROP_REDACT_LOCAL_PATHS]
      = g_param_spec_boolean ("redact-local-paths", NULL, NULL, TRUE, ASB_PARAM_READWRITE);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_upload_config_init (AsbUploadConfig *self)
{
  self->allowed_local_roots = g_new0 (char *, 1);
  self->allowed_sandbox_roots = g_strdupv ((char **)DEFAULT_SANDBOX_ROOTS);
  self->protected_sandbox_roots = g_strdupv ((char **)DEFAULT_PROTECTED_ROOTS);
  self->default_excludes = g_strdupv ((char **)DEFAULT_EXCLUDES);
  self->max_parallel_files = 8;
  self->archive_min_files = 64;
  self->redact_local_paths = TRUE;
}

/**
 * asb_upload_config_new:
 *
 * Creates the rules of uploads, by which nothing may be uploaded yet.
 *
 * Returns: (transfer full): a new [class@UploadConfig]
 *
 * Since: 1.0
 */
AsbUploadConfig *
asb_upload_config_new (void)
{
  return g_object_new (ASB_TYPE_UPLOAD_CONFIG, NULL);
}

/**
 * asb_upload_config_set_approval:
 * @self: a [class@UploadConfig]
 * @approval: (nullable) (scope notified) (closure user_data) (destroy destroy): decides whether an
 * upload may go on
 * @user_data: data for @approval
 * @destroy: (nullable): frees @user_data
 *
 * Sets who is asked about each upload. What is not approved fails with %ASB_ERROR_UPLOAD_POLICY.
 *
 * Since: 1.0
 */
void
asb_upload_config_set_approval (AsbUploadConfig *self, AsbUploadApproval approval,
                                gpointer user_data, GDestroyNotify destroy)
{
  g_return_if_fail (ASB_IS_UPLOAD_CONFIG (self));

  asb_closure_replace (&self->approval, G_CALLBACK (approval), user_data, destroy);
}

/**
 * asb_upload_config_set_progress:
 * @self: a [class@UploadConfig]
 * @progress: (nullable) (scope notified) (closure user_data) (destroy destroy): is told how far an
 * upload is
 * @user_data: data for @progress
 * @destroy: (nullable): frees @user_data
 *
 * Sets who is told how far each upload is.
 *
 * Since: 1.0
 */
void
asb_upload_config_set_progress (AsbUploadConfig *self, AsbUploadProgress progress,
                                gpointer user_data, GDestroyNotify destroy)
{
  g_return_if_fail (ASB_IS_UPLOAD_CONFIG (self));

  asb_closure_replace (&self->progress, G_CALLBACK (progress), user_data, destroy);
}

static void
share_closure (AsbClosure **field, AsbClosure *closure)
{
  g_clear_pointer (field, asb_closure_unref);
  *field = closure ? asb_closure_ref (closure) : NULL;
}

void
asb_upload_config_share_functions (AsbUploadConfig *self, AsbUploadConfig *from)
{
  share_closure (&self->approval, from->approval);
  share_closure (&self->progress, from->progress);
}

AsbClosure *
asb_upload_config_get_approval (AsbUploadConfig *self)
{
  return self->approval;
}

AsbClosure *
asb_upload_config_get_progress (AsbUploadConfig *self)
{
  return self->progress;
}

/**
 * asb_upload_config_get_allowed_local_roots:
 * @self: a [class@UploadConfig]
 *
 * Gets [property@UploadConfig:allowed-local-roots].
 *
 * Returns: (nullable): directories that may be read
 *
 * Since: 1.0
 */
const char *const *
asb_upload_config_get_allowed_local_roots (AsbUploadConfig *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_CONFIG (self), NULL);

  return (const char *const *)self->allowed_local_roots;
}

/**
 * asb_upload_config_set_allowed_local_roots:
 * @self: a [class@UploadConfig]
 * @allowed_local_roots: (nullable) (array zero-terminated=1): directories that may be read
 *
 * Sets [property@UploadConfig:allowed-local-roots].
 *
 * Since: 1.0
 */
void
asb_upload_config_set_allowed_local_roots (AsbUploadConfig *self,
                                           const char *const *allowed_local_roots)
{
  g_return_if_fail (ASB_IS_UPLOAD_CONFIG (self));

  if (asb_property_replace_strv (&self->allowed_local_roots, allowed_local_roots))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ALLOWED_LOCAL_ROOTS]);
}

/**
 * asb_upload_config_get_allowed_sandbox_roots:
 * @self: a [class@UploadConfig]
 *
 * Gets [property@UploadConfig:allowed-sandbox-roots].
 *
 * Returns: (nullable): directories that may be uploaded into
 *
 * Since: 1.0
 */
const char *const *
asb_upload_config_get_allowed_sandbox_roots (AsbUploadConfig *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_CONFIG (self), NULL);

  return (const char *const *)self->allowed_sandbox_roots;
}

/**
 * asb_upload_config_set_allowed_sandbox_roots:
 * @self: a [class@UploadConfig]
 * @allowed_sandbox_roots: (nullable) (array zero-terminated=1): directories that may be uploaded
 * into
 *
 * Sets [property@UploadConfig:allowed-sandbox-roots].
 *
 * Since: 1.0
 */
void
asb_upload_config_set_allowed_sandbox_roots (AsbUploadConfig *self,
                                             const char *const *allowed_sandbox_roots)
{
  g_return_if_fail (ASB_IS_UPLOAD_CONFIG (self));

  if (asb_property_replace_strv (&self->allowed_sandbox_roots, allowed_sandbox_roots))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ALLOWED_SANDBOX_ROOTS]);
}

/**
 * asb_upload_config_get_protected_sandbox_roots:
 * @self: a [class@UploadConfig]
 *
 * Gets [property@UploadConfig:protected-sandbox-roots].
 *
 * Returns: (nullable): directories that are never uploaded into
 *
 * Since: 1.0
 */
const char *const *
asb_upload_config_get_protected_sandbox_roots (AsbUploadConfig *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_CONFIG (self), NULL);

  return (const char *const *)self->protected_sandbox_roots;
}

/**
 * asb_upload_config_set_protected_sandbox_roots:
 * @self: a [class@UploadConfig]
 * @protected_sandbox_roots: (nullable) (array zero-terminated=1): directories that are never
 * uploaded into
 *
 * Sets [property@UploadConfig:protected-sandbox-roots].
 *
 * Since: 1.0
 */
void
asb_upload_config_set_protected_sandbox_roots (AsbUploadConfig *self,
                                               const char *const *protected_sandbox_roots)
{
  g_return_if_fail (ASB_IS_UPLOAD_CONFIG (self));

  if (asb_property_replace_strv (&self->protected_sandbox_roots, protected_sandbox_roots))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROTECTED_SANDBOX_ROOTS]);
}

/**
 * asb_upload_config_get_default_excludes:
 * @self: a [class@UploadConfig]
 *
 * Gets [property@UploadConfig:default-excludes].
 *
 * Returns: (nullable): patterns of what is never uploaded
 *
 * Since: 1.0
 */
const char *const *
asb_upload_config_get_default_excludes (AsbUploadConfig *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_CONFIG (self), NULL);

  return (const char *const *)self->default_excludes;
}

/**
 * asb_upload_config_set_default_excludes:
 * @self: a [class@UploadConfig]
 * @default_excludes: (nullable) (array zero-terminated=1): patterns of what is never uploaded
 *
 * Sets [property@UploadConfig:default-excludes].
 *
 * Since: 1.0
 */
void
asb_upload_config_set_default_excludes (AsbUploadConfig *self, const char *const *default_excludes)
{
  g_return_if_fail (ASB_IS_UPLOAD_CONFIG (self));

  if (asb_property_replace_strv (&self->default_excludes, default_excludes))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_DEFAULT_EXCLUDES]);
}

/**
 * asb_upload_config_get_max_parallel_files:
 * @self: a [class@UploadConfig]
 *
 * Gets [property@UploadConfig:max-parallel-files].
 *
 * Returns: how many files are read at once
 *
 * Since: 1.0
 */
guint
asb_upload_config_get_max_parallel_files (AsbUploadConfig *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_CONFIG (self), 0);

  return self->max_parallel_files;
}

/**
 * asb_upload_config_set_max_parallel_files:
 * @self: a [class@UploadConfig]
 * @max_parallel_files: how many files are read at once
 *
 * Sets [property@UploadConfig:max-parallel-files].
 *
 * Since: 1.0
 */
void
asb_upload_config_set_max_parallel_files (AsbUploadConfig *self, guint max_parallel_files)
{
  g_return_if_fail (ASB_IS_UPLOAD_CONFIG (self));

  if (self->max_parallel_files == max_parallel_files)
    return;
  self->max_parallel_files = max_parallel_files;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAX_PARALLEL_FILES]);
}

/**
 * asb_upload_config_get_archive_min_files:
 * @self: a [class@UploadConfig]
 *
 * Gets [property@UploadConfig:archive-min-files].
 *
 * Returns: from how many files on an archive is worth it
 *
 * Since: 1.0
 */
guint
asb_upload_config_get_archive_min_files (AsbUploadConfig *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_CONFIG (self), 0);

  return self->archive_min_files;
}

/**
 * asb_upload_config_set_archive_min_files:
 * @self: a [class@UploadConfig]
 * @archive_min_files: from how many files on an archive is worth it
 *
 * Sets [property@UploadConfig:archive-min-files].
 *
 * Since: 1.0
 */
void
asb_upload_config_set_archive_min_files (AsbUploadConfig *self, guint archive_min_files)
{
  g_return_if_fail (ASB_IS_UPLOAD_CONFIG (self));

  if (self->archive_min_files == archive_min_files)
    return;
  self->archive_min_files = archive_min_files;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ARCHIVE_MIN_FILES]);
}

/**
 * asb_upload_config_get_partial_success:
 * @self: a [class@UploadConfig]
 *
 * Gets [property@UploadConfig:partial-success].
 *
 * Returns: whether files that cannot be read are left out
 *
 * Since: 1.0
 */
gboolean
asb_upload_config_get_partial_success (AsbUploadConfig *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_CONFIG (self), FALSE);

  return self->partial_success;
}

/**
 * asb_upload_config_set_partial_success:
 * @self: a [class@UploadConfig]
 * @partial_success: whether files that cannot be read are left out
 *
 * Sets [property@UploadConfig:partial-success].
 *
 * Since: 1.0
 */
void
asb_upload_config_set_partial_success (AsbUploadConfig *self, gboolean partial_success)
{
  g_return_if_fail (ASB_IS_UPLOAD_CONFIG (self));

  partial_success = !!partial_success;
  if (self->partial_success == partial_success)
    return;
  self->partial_success = partial_success;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PARTIAL_SUCCESS]);
}

/**
 * asb_upload_config_get_redact_local_paths:
 * @self: a [class@UploadConfig]
 *
 * Gets [property@UploadConfig:redact-local-paths].
 *
 * Returns: whether messages do not tell where the source is
 *
 * Since: 1.0
 */
gboolean
asb_upload_config_get_redact_local_paths (AsbUploadConfig *self)
{
  g_return_val_if_fail (ASB_IS_UPLOAD_CONFIG (self), FALSE);

  return self->redact_local_paths;
}

/**
 * asb_upload_config_set_redact_local_paths:
 * @self: a [class@UploadConfig]
 * @redact_local_paths: whether messages do not tell where the source is
 *
 * Sets [property@UploadConfig:redact-local-paths].
 *
 * Since: 1.0
 */
void
asb_upload_config_set_redact_local_paths (AsbUploadConfig *self, gboolean redact_local_paths)
{
  g_return_if_fail (ASB_IS_UPLOAD_CONFIG (self));

  redact_local_paths = !!redact_local_paths;
  if (self->redact_local_paths == redact_local_paths)
    return;
  self->redact_local_paths = redact_local_paths;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_REDACT_LOCAL_PATHS]);
}
