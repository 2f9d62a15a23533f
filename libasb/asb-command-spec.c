/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-command-spec.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbCommandSpec:
 *
 * A command to run: a program with arguments, or text for a shell.
 *
 * Arguments, paths and environment are bytes without NUL; they need not be UTF-8.
 *
 * Since: 1.0
 */

#define DEFAULT_COLUMNS 80
#define DEFAULT_ROWS 24

/* The highest number of a user or a group; the next stands for none. */
#define MAX_ID (G_GINT64_CONSTANT (4294967295) - 1)

struct _AsbCommandSpec
{
  GObject parent_instance;

  char **argv;
  char *shell;
  char *cwd;
  char **environment;
  char **unset_environment;
  AsbCommandFlags flags;
  guint64 timeout_ms;
  AsbResourceLimits *limits;
  gint64 uid;
  gint64 gid;
  gboolean tty;
  gboolean exact_output;
  guint columns;
  guint rows;
  AsbOperation *operation;
};

enum
{
  PROP_0,
  PROP_ARGV,
  PROP_SHELL,
  PROP_CWD,
  PROP_ENVIRONMENT,
  PROP_UNSET_ENVIRONMENT,
  PROP_FLAGS,
  PROP_TIMEOUT_MS,
  PROP_LIMITS,
  PROP_UID,
  PROP_GID,
  PROP_TTY,
  PROP_COLUMNS,
  PROP_ROWS,
  PROP_EXACT_OUTPUT,
  PROP_OPERATION,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbCommandSpec, asb_command_spec, G_TYPE_OBJECT)

static void
asb_command_spec_finalize (GObject *object)
{
  AsbCommandSpec *self = ASB_COMMAND_SPEC (object);

  g_clear_pointer (&self->argv, g_strfreev);
  g_clear_pointer (&self->shell, g_free);
  g_clear_pointer (&self->cwd, g_free);
  g_clear_pointer (&self->environment, g_strfreev);
  g_clear_pointer (&self->unset_environment, g_strfreev);
  g_clear_object (&self->limits);
  g_clear_object (&self->operation);

  G_OBJECT_CLASS (asb_command_spec_parent_class)->finalize (object);
}

static void
asb_command_spec_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbCommandSpec *self = ASB_COMMAND_SPEC (object);

  switch (property_id)
    {
    case PROP_ARGV:
      g_value_set_boxed (value, self->argv);
      break;
    case PROP_SHELL:
      g_value_set_string (value, self->shell);
      break;
    case PROP_CWD:
      g_value_set_string (value, self->cwd);
      break;
    case PROP_ENVIRONMENT:
      g_value_set_boxed (value, self->environment);
      break;
    case PROP_UNSET_ENVIRONMENT:
      g_value_set_boxed (value, self->unset_environment);
      break;
    case PROP_FLAGS:
      g_value_set_flags (value, self->flags);
      break;
    case PROP_TIMEOUT_MS:
      g_value_set_uint64 (value, self->timeout_ms);
      break;
    case PROP_LIMITS:
      g_value_set_object (value, self->limits);
      break;
    case PROP_UID:
      g_value_set_int64 (value, self->uid);
      break;
    case PROP_GID:
      g_value_set_int64 (value, self->gid);
      break;
    case PROP_TTY:
      g_value_set_boolean (value, self->tty);
      break;
    case PROP_COLUMNS:
      g_value_set_uint (value, self->columns);
      break;
    case PROP_ROWS:
      g_value_set_uint (value, self->rows);
      break;
    case PROP_EXACT_OUTPUT:
      g_value_set_boolean (value, self->exact_output);
      break;
    case PROP_OPERATION:
      g_value_set_object (value, self->operation);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_command_spec_set_property (GObject *object, guint property_id, const GValue *value,
                               GParamSpec *pspec)
{
  AsbCommandSpec *self = ASB_COMMAND_SPEC (object);

  switch (property_id)
    {
    case PROP_ARGV:
      asb_command_spec_set_argv (self, g_value_get_boxed (value));
      break;
    case PROP_SHELL:
      asb_command_spec_set_shell (self, g_value_get_string (value));
      break;
    case PROP_CWD:
      asb_command_spec_set_cwd (self, g_value_get_string (value));
      break;
    case PROP_ENVIRONMENT:
      asb_command_spec_set_environment (self, g_value_get_boxed (value));
      break;
    case PROP_UNSET_ENVIRONMENT:
      asb_command_spec_set_unset_environment (self, g_value_get_boxed (value));
      break;
    case PROP_FLAGS:
      asb_command_spec_set_flags (self, g_value_get_flags (value));
      break;
    case PROP_TIMEOUT_MS:
      asb_command_spec_set_timeout_ms (self, g_value_get_uint64 (value));
      break;
    case PROP_LIMITS:
      asb_command_spec_set_limits (self, g_value_get_object (value));
      break;
    case PROP_UID:
      asb_command_spec_set_uid (self, g_value_get_int64 (value));
      break;
    case PROP_GID:
      asb_command_spec_set_gid (self, g_value_get_int64 (value));
      break;
    case PROP_TTY:
      asb_command_spec_set_tty (self, g_value_get_boolean (value));
      break;
    case PROP_COLUMNS:
      asb_command_spec_set_columns (self, g_value_get_uint (value));
      break;
    case PROP_ROWS:
      asb_command_spec_set_rows (self, g_value_get_uint (value));
      break;
    case PROP_EXACT_OUTPUT:
      asb_command_spec_set_exact_output (self, g_value_get_boolean (value));
      break;
    case PROP_OPERATION:
      asb_command_spec_set_operation (self, g_value_get_object (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_command_spec_class_init (AsbCommandSpecClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_command_spec_finalize;
  object_class->get_property = asb_command_spec_get_property;
  object_class->set_property = asb_command_spec_set_property;

  /**
   * AsbCommandSpec:argv:
   *
   * The program and its arguments; %NULL when there is shell text.
   *
   * Since: 1.0
   */
  properties[PROP_ARGV] = g_param_spec_boxed ("argv", NULL, NULL, G_TYPE_STRV, ASB_PARAM_READWRITE);

  /**
   * AsbCommandSpec:shell:
   *
   * Text for `bash -c`, or `sh -c` where there is no bash; %NULL when there are arguments.
   *
   * Since: 1.0
   */
  properties[PROP_SHELL] = g_param_spec_string ("shell", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbCommandSpec:cwd:
   *
   * The working directory, absolute or relative to that of the backend; %NULL for that of the
   * backend.
   *
   * Since: 1.0
   */
  properties[PROP_CWD] = g_param_spec_string ("cwd", NULL, NULL, NULL, ASB_PARAM_READWRITE);

  /**
   * AsbCommandSpec:environment:
   *
   * `NAME=value` to add to the environment.
   *
   * Since: 1.0
   */
  properties[PROP_ENVIRONMENT]
      = g_param_spec_boxed ("environment", NULL, NULL, G_TYPE_STRV, ASB_PARAM_READWRITE);

  /**
   * AsbCommandSpec:unset-environment:
   *
   * Names to leave out of the environment.
   *
   * Since: 1.0
   */
  properties[PROP_UNSET_ENVIRONMENT]
      = g_param_spec_boxed ("unset-environment", NULL, NULL, G_TYPE_STRV, ASB_PARAM_READWRITE);

  /**
   * AsbCommandSpec:flags:
   *
   * What is to be done with the standard streams.
   *
   * Since: 1.0
   */
  properties[PROP_FLAGS]
      = g_param_spec_flags ("flags", NULL, NULL, ASB_TYPE_COMMAND_FLAGS, 0, ASB_PARAM_READWRITE);

  /**
   * AsbCommandSpec:timeout-ms:
   *
   * Milliseconds after which the command and all it started is ended; 0 for no limit, at most
   * 2^53 − 1.
   *
   * Since: 1.0
   */
  properties[PROP_TIMEOUT_MS]
      = g_param_spec_uint64 ("timeout-ms", NULL, NULL, 0, 9007199254740991, 0, ASB_PARAM_READWRITE);

  /**
   * AsbCommandSpec:limits:
   *
   * What the command and all that it starts may take; %NULL for what its sandbox allows. Limits can
   * only be lower than those of the sandbox: a higher one is %ASB_ERROR_INVALID_ARGUMENT and the
   * message names it and the bound.
   *
   * Since: 1.0
   */
  properties[PROP_LIMITS]
      = g_param_spec_object ("limits", NULL, NULL, ASB_TYPE_RESOURCE_LIMITS, ASB_PARAM_READWRITE);

  /**
   * AsbCommandSpec:uid:
   *
   * Number of the user to run as, −1 for the one the sandbox works as. HOME follows the user unless
   * [property@CommandSpec:environment] has it. Where the sandbox may not become another user, as in
   * a local one, nothing is run and the error is %ASB_ERROR_PERMISSION_DENIED.
   *
   * Since: 1.0
   */
  properties[PROP_UID]
      = g_param_spec_int64 ("uid", NULL, NULL, -1, MAX_ID, -1, ASB_PARAM_READWRITE);

  /**
   * AsbCommandSpec:gid:
   *
   * Number of the group to run as, −1 for that of the user. A command that runs as another user or
   * group is in no other groups.
   *
   * Since: 1.0
   */
  properties[PROP_GID]
      = g_param_spec_int64 ("gid", NULL, NULL, -1, MAX_ID, -1, ASB_PARAM_READWRITE);

  /**
   * AsbCommandSpec:tty:
   *
   * Whether the command gets a terminal, which is all three of its standard streams: what it prints
   * comes as standard output, and there is no stream of standard error. With
   * %ASB_COMMAND_FLAGS_STDIN_PIPE what is written to it is typed, and closing it types the
   * character for the end of a file. TERM is for [property@CommandSpec:environment] to say.
   *
   * Since: 1.0
   */
  properties[PROP_TTY] = g_param_spec_boolean ("tty", NULL, NULL, FALSE, ASB_PARAM_READWRITE);

  /**
   * AsbCommandSpec:columns:
   *
   * Columns of the terminal when it begins; [method@Command.resize] changes them. 1 to 65,535; the
   * default is 80.
   *
   * Since: 1.0
   */
  properties[PROP_COLUMNS] = g_param_spec_uint ("columns", NULL, NULL, 1, G_MAXUINT16,
                                                DEFAULT_COLUMNS, ASB_PARAM_READWRITE);

  /**
   * AsbCommandSpec:rows:
   *
   * Rows of the terminal when it begins. 1 to 65,535; the default is 24.
   *
   * Since: 1.0
   */
  properties[PROP_ROWS]
      = g_param_spec_uint ("rows", NULL, NULL, 1, G_MAXUINT16, DEFAULT_ROWS, ASB_PARAM_READWRITE);

  /**
   * AsbCommandSpec:exact-output:
   *
   * Whether output must be exact, byte for byte, where a transport would else deliver it sooner and
   * less exactly: it may then come as a whole when the command has ended. Most transports are exact
   * at all times and need not be asked; those that cannot be refuse with
   * %ASB_ERROR_UNSUPPORTED_CAPABILITY. [method@Backend.execute], which waits for the end anyway,
   * always asks. See %ASB_CAPABILITY_EXACT_OUTPUT and [property@CommandResult:exact].
   *
   * Since: 1.0
   */
  properties[PROP_EXACT_OUTPUT]
      = g_param_spec_boolean ("exact-output", NULL, NULL, FALSE, ASB_PARAM_READWRITE);

  /**
   * AsbCommandSpec:operation:
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
asb_command_spec_init (AsbCommandSpec *self)
{
  self->uid = -1;
  self->gid = -1;
  self->columns = DEFAULT_COLUMNS;
  self->rows = DEFAULT_ROWS;
}

/**
 * asb_command_spec_new:
 *
 * Makes a [class@CommandSpec] with every property at its default.
 *
 * Returns: (transfer full): a new [class@CommandSpec]
 *
 * Since: 1.0
 */
AsbCommandSpec *
asb_command_spec_new (void)
{
  return g_object_new (ASB_TYPE_COMMAND_SPEC, NULL);
}

/**
 * asb_command_spec_get_argv:
 * @self: a [class@CommandSpec]
 *
 * Gets [property@CommandSpec:argv].
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1) (element-type filename): the
 * program and its arguments; %NULL when there is shell text
 *
 * Since: 1.0
 */
const char *const *
asb_command_spec_get_argv (AsbCommandSpec *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (self), NULL);

  return (const char *const *)self->argv;
}

/**
 * asb_command_spec_set_argv:
 * @self: a [class@CommandSpec]
 * @argv: (nullable) (array zero-terminated=1) (element-type filename): the program and its
 * arguments; %NULL when there is shell text
 *
 * Sets [property@CommandSpec:argv].
 *
 * Since: 1.0
 */
void
asb_command_spec_set_argv (AsbCommandSpec *self, const char *const *argv)
{
  g_return_if_fail (ASB_IS_COMMAND_SPEC (self));

  if (asb_property_replace_strv (&self->argv, argv))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ARGV]);
}

/**
 * asb_command_spec_get_shell:
 * @self: a [class@CommandSpec]
 *
 * Gets [property@CommandSpec:shell].
 *
 * Returns: (transfer none) (nullable) (type filename): text for `bash -c`, or `sh -c` where there
 * is no bash; %NULL when there are arguments
 *
 * Since: 1.0
 */
const char *
asb_command_spec_get_shell (AsbCommandSpec *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (self), NULL);

  return self->shell;
}

/**
 * asb_command_spec_set_shell:
 * @self: a [class@CommandSpec]
 * @shell: (nullable) (type filename): text for `bash -c`, or `sh -c` where there is no bash;
 * %NULL when there are arguments
 *
 * Sets [property@CommandSpec:shell].
 *
 * Since: 1.0
 */
void
asb_command_spec_set_shell (AsbCommandSpec *self, const char *shell)
{
  g_return_if_fail (ASB_IS_COMMAND_SPEC (self));

  if (asb_property_replace_string (&self->shell, shell))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SHELL]);
}

/**
 * asb_command_spec_get_cwd:
 * @self: a [class@CommandSpec]
 *
 * Gets [property@CommandSpec:cwd].
 *
 * Returns: (transfer none) (nullable) (type filename): the working directory, absolute or
 * relative to that of the backend; %NULL for that of the backend
 *
 * Since: 1.0
 */
const char *
asb_command_spec_get_cwd (AsbCommandSpec *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (self), NULL);

  return self->cwd;
}

/**
 * asb_command_spec_set_cwd:
 * @self: a [class@CommandSpec]
 * @cwd: (nullable) (type filename): the working directory, absolute or relative to that of the
 * backend; %NULL for that of the backend
 *
 * Sets [property@CommandSpec:cwd].
 *
 * Since: 1.0
 */
void
asb_command_spec_set_cwd (AsbCommandSpec *self, const char *cwd)
{
  g_return_if_fail (ASB_IS_COMMAND_SPEC (self));

  if (asb_property_replace_string (&self->cwd, cwd))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CWD]);
}

/**
 * asb_command_spec_get_environment:
 * @self: a [class@CommandSpec]
 *
 * Gets [property@CommandSpec:environment].
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1) (element-type filename):
 * `NAME=value` to add to the environment
 *
 * Since: 1.0
 */
const char *const *
asb_command_spec_get_environment (AsbCommandSpec *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (self), NULL);

  return (const char *const *)self->environment;
}

/**
 * asb_command_spec_set_environment:
 * @self: a [class@CommandSpec]
 * @environment: (nullable) (array zero-terminated=1) (element-type filename): `NAME=value` to add
 * to the environment
 *
 * Sets [property@CommandSpec:environment].
 *
 * Since: 1.0
 */
void
asb_command_spec_set_environment (AsbCommandSpec *self, const char *const *environment)
{
  g_return_if_fail (ASB_IS_COMMAND_SPEC (self));

  if (asb_property_replace_strv (&self->environment, environment))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ENVIRONMENT]);
}

/**
 * asb_command_spec_get_unset_environment:
 * @self: a [class@CommandSpec]
 *
 * Gets [property@CommandSpec:unset-environment].
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1) (element-type filename): names to
 * leave out of the environment
 *
 * Since: 1.0
 */
const char *const *
asb_command_spec_get_unset_environment (AsbCommandSpec *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (self), NULL);

  return (const char *const *)self->unset_environment;
}

/**
 * asb_command_spec_set_unset_environment:
 * @self: a [class@CommandSpec]
 * @unset_environment: (nullable) (array zero-terminated=1) (element-type filename): names to
 * leave out of the environment
 *
 * Sets [property@CommandSpec:unset-environment].
 *
 * Since: 1.0
 */
void
asb_command_spec_set_unset_environment (AsbCommandSpec *self, const char *const *unset_environment)
{
  g_return_if_fail (ASB_IS_COMMAND_SPEC (self));

  if (asb_property_replace_strv (&self->unset_environment, unset_environment))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_UNSET_ENVIRONMENT]);
}

/**
 * asb_command_spec_get_flags:
 * @self: a [class@CommandSpec]
 *
 * Gets [property@CommandSpec:flags].
 *
 * Returns: what is to be done with the standard streams
 *
 * Since: 1.0
 */
AsbCommandFlags
asb_command_spec_get_flags (AsbCommandSpec *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (self), 0);

  return self->flags;
}

/**
 * asb_command_spec_set_flags:
 * @self: a [class@CommandSpec]
 * @flags: what is to be done with the standard streams
 *
 * Sets [property@CommandSpec:flags].
 *
 * Since: 1.0
 */
void
asb_command_spec_set_flags (AsbCommandSpec *self, AsbCommandFlags flags)
{
  g_return_if_fail (ASB_IS_COMMAND_SPEC (self));

  if (self->flags == flags)
    return;
  self->flags = flags;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FLAGS]);
}

/**
 * asb_command_spec_get_timeout_ms:
 * @self: a [class@CommandSpec]
 *
 * Gets [property@CommandSpec:timeout-ms].
 *
 * Returns: milliseconds after which the command and all it started is ended; 0 for no limit, at
 * most 2^53 − 1
 *
 * Since: 1.0
 */
guint64
asb_command_spec_get_timeout_ms (AsbCommandSpec *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (self), 0);

  return self->timeout_ms;
}

/**
 * asb_command_spec_set_timeout_ms:
 * @self: a [class@CommandSpec]
 * @timeout_ms: milliseconds after which the command and all it started is ended; 0 for no limit,
 * at most 2^53 − 1
 *
 * Sets [property@CommandSpec:timeout-ms].
 *
 * Since: 1.0
 */
void
asb_command_spec_set_timeout_ms (AsbCommandSpec *self, guint64 timeout_ms)
{
  g_return_if_fail (ASB_IS_COMMAND_SPEC (self));

  if (self->timeout_ms == timeout_ms)
    return;
  self->timeout_ms = timeout_ms;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TIMEOUT_MS]);
}

/**
 * asb_command_spec_get_limits:
 * @self: a [class@CommandSpec]
 *
 * Gets [property@CommandSpec:limits].
 *
 * Returns: (transfer none) (nullable): what the command may take; %NULL for what its sandbox allows
 *
 * Since: 1.0
 */
AsbResourceLimits *
asb_command_spec_get_limits (AsbCommandSpec *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (self), NULL);

  return self->limits;
}

/**
 * asb_command_spec_set_limits:
 * @self: a [class@CommandSpec]
 * @limits: (nullable): what the command may take; %NULL for what its sandbox allows
 *
 * Sets [property@CommandSpec:limits].
 *
 * Since: 1.0
 */
void
asb_command_spec_set_limits (AsbCommandSpec *self, AsbResourceLimits *limits)
{
  g_return_if_fail (ASB_IS_COMMAND_SPEC (self));

  if (g_set_object (&self->limits, limits))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LIMITS]);
}

/**
 * asb_command_spec_get_uid:
 * @self: a [class@CommandSpec]
 *
 * Gets [property@CommandSpec:uid].
 *
 * Returns: number of the user to run as, −1 for the one the sandbox works as
 *
 * Since: 1.0
 */
gint64
asb_command_spec_get_uid (AsbCommandSpec *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (self), -1);

  return self->uid;
}

/**
 * asb_command_spec_set_uid:
 * @self: a [class@CommandSpec]
 * @uid: number of the user to run as, −1 for the one the sandbox works as; at most 4,294,967,294
 *
 * Sets [property@CommandSpec:uid].
 *
 * Since: 1.0
 */
void
asb_command_spec_set_uid (AsbCommandSpec *self, gint64 uid)
{
  g_return_if_fail (ASB_IS_COMMAND_SPEC (self));
  g_return_if_fail (uid >= -1 && uid <= MAX_ID);

  if (self->uid == uid)
    return;
  self->uid = uid;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_UID]);
}

/**
 * asb_command_spec_get_gid:
 * @self: a [class@CommandSpec]
 *
 * Gets [property@CommandSpec:gid].
 *
 * Returns: number of the group to run as, −1 for that of the user
 *
 * Since: 1.0
 */
gint64
asb_command_spec_get_gid (AsbCommandSpec *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (self), -1);

  return self->gid;
}

/**
 * asb_command_spec_set_gid:
 * @self: a [class@CommandSpec]
 * @gid: number of the group to run as, −1 for that of the user; at most 4,294,967,294
 *
 * Sets [property@CommandSpec:gid].
 *
 * Since: 1.0
 */
void
asb_command_spec_set_gid (AsbCommandSpec *self, gint64 gid)
{
  g_return_if_fail (ASB_IS_COMMAND_SPEC (self));
  g_return_if_fail (gid >= -1 && gid <= MAX_ID);

  if (self->gid == gid)
    return;
  self->gid = gid;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_GID]);
}

/**
 * asb_command_spec_get_tty:
 * @self: a [class@CommandSpec]
 *
 * Gets [property@CommandSpec:tty].
 *
 * Returns: whether the command gets a terminal
 *
 * Since: 1.0
 */
gboolean
asb_command_spec_get_tty (AsbCommandSpec *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (self), FALSE);

  return self->tty;
}

/**
 * asb_command_spec_set_tty:
 * @self: a [class@CommandSpec]
 * @tty: whether the command gets a terminal
 *
 * Sets [property@CommandSpec:tty].
 *
 * Since: 1.0
 */
void
asb_command_spec_set_tty (AsbCommandSpec *self, gboolean tty)
{
  g_return_if_fail (ASB_IS_COMMAND_SPEC (self));

  tty = !!tty;
  if (self->tty == tty)
    return;
  self->tty = tty;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TTY]);
}

/**
 * asb_command_spec_get_columns:
 * @self: a [class@CommandSpec]
 *
 * Gets [property@CommandSpec:columns].
 *
 * Returns: columns of the terminal
 *
 * Since: 1.0
 */
guint
asb_command_spec_get_columns (AsbCommandSpec *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (self), 0);

  return self->columns;
}

/**
 * asb_command_spec_set_columns:
 * @self: a [class@CommandSpec]
 * @columns: columns of the terminal, 1 to 65,535
 *
 * Sets [property@CommandSpec:columns].
 *
 * Since: 1.0
 */
void
asb_command_spec_set_columns (AsbCommandSpec *self, guint columns)
{
  g_return_if_fail (ASB_IS_COMMAND_SPEC (self));
  g_return_if_fail (columns >= 1 && columns <= G_MAXUINT16);

  if (self->columns == columns)
    return;
  self->columns = columns;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_COLUMNS]);
}

/**
 * asb_command_spec_get_rows:
 * @self: a [class@CommandSpec]
 *
 * Gets [property@CommandSpec:rows].
 *
 * Returns: rows of the terminal
 *
 * Since: 1.0
 */
guint
asb_command_spec_get_rows (AsbCommandSpec *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (self), 0);

  return self->rows;
}

/**
 * asb_command_spec_set_rows:
 * @self: a [class@CommandSpec]
 * @rows: rows of the terminal, 1 to 65,535
 *
 * Sets [property@CommandSpec:rows].
 *
 * Since: 1.0
 */
void
asb_command_spec_set_rows (AsbCommandSpec *self, guint rows)
{
  g_return_if_fail (ASB_IS_COMMAND_SPEC (self));
  g_return_if_fail (rows >= 1 && rows <= G_MAXUINT16);

  if (self->rows == rows)
    return;
  self->rows = rows;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ROWS]);
}

/**
 * asb_command_spec_get_exact_output:
 * @self: a [class@CommandSpec]
 *
 * Gets [property@CommandSpec:exact-output].
 *
 * Returns: whether output must be exact
 *
 * Since: 1.0
 */
gboolean
asb_command_spec_get_exact_output (AsbCommandSpec *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (self), FALSE);

  return self->exact_output;
}

/**
 * asb_command_spec_set_exact_output:
 * @self: a [class@CommandSpec]
 * @exact_output: whether output must be exact
 *
 * Sets [property@CommandSpec:exact-output].
 *
 * Since: 1.0
 */
void
asb_command_spec_set_exact_output (AsbCommandSpec *self, gboolean exact_output)
{
  g_return_if_fail (ASB_IS_COMMAND_SPEC (self));

  exact_output = !!exact_output;
  if (self->exact_output == exact_output)
    return;
  self->exact_output = exact_output;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_EXACT_OUTPUT]);
}

/**
 * asb_command_spec_get_operation:
 * @self: a [class@CommandSpec]
 *
 * Gets [property@CommandSpec:operation].
 *
 * Returns: (transfer none) (nullable): the operation as recorded; set by the backend
 *
 * Since: 1.0
 */
AsbOperation *
asb_command_spec_get_operation (AsbCommandSpec *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (self), NULL);

  return self->operation;
}

/**
 * asb_command_spec_set_operation:
 * @self: a [class@CommandSpec]
 * @operation: (nullable): the operation as recorded; set by the backend
 *
 * Sets [property@CommandSpec:operation].
 *
 * Since: 1.0
 */
void
asb_command_spec_set_operation (AsbCommandSpec *self, AsbOperation *operation)
{
  g_return_if_fail (ASB_IS_COMMAND_SPEC (self));

  if (g_set_object (&self->operation, operation))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OPERATION]);
}

/**
 * asb_command_spec_new_argv:
 * @argv: (array zero-terminated=1) (element-type filename): the program and its arguments, at least
 * one
 *
 * Makes a command of a program and its arguments. No shell looks at them.
 *
 * Returns: (transfer full): a new [class@CommandSpec]
 *
 * Since: 1.0
 */
AsbCommandSpec *
asb_command_spec_new_argv (const char *const *argv)
{
  g_return_val_if_fail (argv != NULL && argv[0] != NULL, NULL);

  return g_object_new (ASB_TYPE_COMMAND_SPEC, "argv", argv, NULL);
}

/**
 * asb_command_spec_new_shell:
 * @shell: (type filename): text for a shell
 *
 * Makes a command of text for a shell, which gets it as one argument: nothing is added to it.
 *
 * Returns: (transfer full): a new [class@CommandSpec]
 *
 * Since: 1.0
 */
AsbCommandSpec *
asb_command_spec_new_shell (const char *shell)
{
  g_return_val_if_fail (shell != NULL, NULL);

  return g_object_new (ASB_TYPE_COMMAND_SPEC, "shell", shell, NULL);
}
