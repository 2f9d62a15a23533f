/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-command-result.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbCommandResult:
 *
 * How a command ended, and what it printed, as far as that was kept.
 *
 * Since: 1.0
 */

struct _AsbCommandResult
{
  GObject parent_instance;

  char *command_id;
  AsbCommandState state;
  gboolean has_exit_status;
  int exit_status;
  int term_signal;
  GBytes *stdout_bytes;
  GBytes *stderr_bytes;
  guint64 stdout_total;
  guint64 stderr_total;
  gboolean stdout_truncated;
  gboolean stderr_truncated;
  gboolean exact;
  gint64 duration_us;
  GDateTime *started_at;
  GDateTime *ended_at;
  char *record_error;
};

enum
{
  PROP_0,
  PROP_COMMAND_ID,
  PROP_STATE,
  PROP_HAS_EXIT_STATUS,
  PROP_EXIT_STATUS,
  PROP_TERM_SIGNAL,
  PROP_STDOUT_BYTES,
  PROP_STDERR_BYTES,
  PROP_STDOUT_TOTAL,
  PROP_STDERR_TOTAL,
  PROP_STDOUT_TRUNCATED,
  PROP_STDERR_TRUNCATED,
  PROP_EXACT,
  PROP_DURATION_US,
  PROP_STARTED_AT,
  PROP_ENDED_AT,
  PROP_RECORD_ERROR,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbCommandResult, asb_command_result, G_TYPE_OBJECT)

static void
asb_command_result_finalize (GObject *object)
{
  AsbCommandResult *self = ASB_COMMAND_RESULT (object);

  g_clear_pointer (&self->command_id, g_free);
  g_clear_pointer (&self->stdout_bytes, g_bytes_unref);
  g_clear_pointer (&self->stderr_bytes, g_bytes_unref);
  g_clear_pointer (&self->started_at, g_date_time_unref);
  g_clear_pointer (&self->ended_at, g_date_time_unref);
  g_clear_pointer (&self->record_error, g_free);

  G_OBJECT_CLASS (asb_command_result_parent_class)->finalize (object);
}

static void
asb_command_result_get_property (GObject *object, guint property_id, GValue *value,
                                 GParamSpec *pspec)
{
  AsbCommandResult *self = ASB_COMMAND_RESULT (object);

  switch (property_id)
    {
    case PROP_COMMAND_ID:
      g_value_set_string (value, self->command_id);
      break;
    case PROP_STATE:
      g_value_set_enum (value, self->state);
      break;
    case PROP_HAS_EXIT_STATUS:
      g_value_set_boolean (value, self->has_exit_status);
      break;
    case PROP_EXIT_STATUS:
      g_value_set_int (value, asb_command_result_get_exit_status (self));
      break;
    case PROP_TERM_SIGNAL:
      g_value_set_int (value, self->term_signal);
      break;
    case PROP_STDOUT_BYTES:
      g_value_set_boxed (value, self->stdout_bytes);
      break;
    case PROP_STDERR_BYTES:
      g_value_set_boxed (value, self->stderr_bytes);
      break;
    case PROP_STDOUT_TOTAL:
      g_value_set_uint64 (value, self->stdout_total);
      break;
    case PROP_STDERR_TOTAL:
      g_value_set_uint64 (value, self->stderr_total);
      break;
    case PROP_STDOUT_TRUNCATED:
      g_value_set_boolean (value, self->stdout_truncated);
      break;
    case PROP_STDERR_TRUNCATED:
      g_value_set_boolean (value, self->stderr_truncated);
      break;
    case PROP_EXACT:
      g_value_set_boolean (value, self->exact);
      break;
    case PROP_DURATION_US:
      g_value_set_int64 (value, self->duration_us);
      break;
    case PROP_STARTED_AT:
      g_value_set_boxed (value, self->started_at);
      break;
    case PROP_ENDED_AT:
      g_value_set_boxed (value, self->ended_at);
      break;
    case PROP_RECORD_ERROR:
      g_value_set_string (value, self->record_error);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_command_result_set_property (GObject *object, guint property_id, const GValue *value,
                                 GParamSpec *pspec)
{
  AsbCommandResult *self = ASB_COMMAND_RESULT (object);

  switch (property_id)
    {
    case PROP_COMMAND_ID:
      self->command_id = g_value_dup_string (value);
      break;
    case PROP_STATE:
      self->state = g_value_get_enum (value);
      break;
    case PROP_HAS_EXIT_STATUS:
      self->has_exit_status = g_value_get_boolean (value);
      break;
    case PROP_EXIT_STATUS:
      self->exit_status = g_value_get_int (value);
      break;
    case PROP_TERM_SIGNAL:
      self->term_signal = g_value_get_int (value);
      break;
    case PROP_STDOUT_BYTES:
      self->stdout_bytes = g_value_dup_boxed (value);
      break;
    case PROP_STDERR_BYTES:
      self->stderr_bytes = g_value_dup_boxed (value);
      break;
    case PROP_STDOUT_TOTAL:
      self->stdout_total = g_value_get_uint64 (value);
      break;
    case PROP_STDERR_TOTAL:
      self->stderr_total = g_value_get_uint64 (value);
      break;
    case PROP_STDOUT_TRUNCATED:
      self->stdout_truncated = g_value_get_boolean (value);
      break;
    case PROP_STDERR_TRUNCATED:
      self->stderr_truncated = g_value_get_boolean (value);
      break;
    case PROP_EXACT:
      self->exact = g_value_get_boolean (value);
      break;
    case PROP_DURATION_US:
      self->duration_us = g_value_get_int64 (value);
      break;
    case PROP_STARTED_AT:
      self->started_at = g_value_dup_boxed (value);
      break;
    case PROP_ENDED_AT:
      self->ended_at = g_value_dup_boxed (value);
      break;
    case PROP_RECORD_ERROR:
      self->record_error = g_value_dup_string (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

/* With which status something goes that was told to is not how it ended: 0 would look like success.
 */
static void
asb_command_result_constructed (GObject *object)
{
  AsbCommandResult *self = ASB_COMMAND_RESULT (object);

  G_OBJECT_CLASS (asb_command_result_parent_class)->constructed (object);
  self->has_exit_status
      = self->has_exit_status
        && (self->state == ASB_COMMAND_STATE_SUCCEEDED || self->state == ASB_COMMAND_STATE_FAILED);
}

static void
asb_command_result_class_init (AsbCommandResultClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->constructed = asb_command_result_constructed;
  object_class->finalize = asb_command_result_finalize;
  object_class->get_property = asb_command_result_get_property;
  object_class->set_property = asb_command_result_set_property;

  /**
   * AsbCommandResult:command-id:
   *
   * The id of the command.
   *
   * Since: 1.0
   */
  properties[PROP_COMMAND_ID]
      = g_param_spec_string ("command-id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCommandResult:state:
   *
   * How it ended.
   *
   * Since: 1.0
   */
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, ASB_TYPE_COMMAND_STATE, 0,
                                              ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCommandResult:has-exit-status:
   *
   * Whether it ended by itself with an exit status. What was ended, by its time limit or by you,
   * has none, whatever it made of that.
   *
   * Since: 1.0
   */
  properties[PROP_HAS_EXIT_STATUS]
      = g_param_spec_boolean ("has-exit-status", NULL, NULL, FALSE, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCommandResult:exit-status:
   *
   * The exit status, with [property@CommandResult:has-exit-status]; −1 without.
   *
   * Since: 1.0
   */
  properties[PROP_EXIT_STATUS] = g_param_spec_int ("exit-status", NULL, NULL, G_MININT, G_MAXINT,
                                                   -1, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCommandResult:term-signal:
   *
   * The signal that ended it, 0 for none.
   *
   * Since: 1.0
   */
  properties[PROP_TERM_SIGNAL] = g_param_spec_int ("term-signal", NULL, NULL, G_MININT, G_MAXINT, 0,
                                                   ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCommandResult:stdout-bytes:
   *
   * What was kept of standard output.
   *
   * Since: 1.0
   */
  properties[PROP_STDOUT_BYTES]
      = g_param_spec_boxed ("stdout-bytes", NULL, NULL, G_TYPE_BYTES, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCommandResult:stderr-bytes:
   *
   * What was kept of standard error.
   *
   * Since: 1.0
   */
  properties[PROP_STDERR_BYTES]
      = g_param_spec_boxed ("stderr-bytes", NULL, NULL, G_TYPE_BYTES, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCommandResult:stdout-total:
   *
   * Bytes written to standard output.
   *
   * Since: 1.0
   */
  properties[PROP_STDOUT_TOTAL] = g_param_spec_uint64 ("stdout-total", NULL, NULL, 0, G_MAXUINT64,
                                                       0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCommandResult:stderr-total:
   *
   * Bytes written to standard error.
   *
   * Since: 1.0
   */
  properties[PROP_STDERR_TOTAL] = g_param_spec_uint64 ("stderr-total", NULL, NULL, 0, G_MAXUINT64,
                                                       0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCommandResult:stdout-truncated:
   *
   * Whether [property@CommandResult:stdout-bytes] is only the head and the tail.
   *
   * Since: 1.0
   */
  properties[PROP_STDOUT_TRUNCATED]
      = g_param_spec_boolean ("stdout-truncated", NULL, NULL, FALSE, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCommandResult:stderr-truncated:
   *
   * Whether [property@CommandResult:stderr-bytes] is only the head and the tail.
   *
   * Since: 1.0
   */
  properties[PROP_STDERR_TRUNCATED]
      = g_param_spec_boolean ("stderr-truncated", NULL, NULL, FALSE, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCommandResult:exact:
   *
   * Whether the bytes are exactly those the command wrote.
   *
   * Since: 1.0
   */
  properties[PROP_EXACT]
      = g_param_spec_boolean ("exact", NULL, NULL, FALSE, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCommandResult:duration-us:
   *
   * How long it ran, in microseconds, by a clock that does not jump.
   *
   * Since: 1.0
   */
  properties[PROP_DURATION_US] = g_param_spec_int64 ("duration-us", NULL, NULL, G_MININT64,
                                                     G_MAXINT64, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCommandResult:started-at:
   *
   * When it started, by the clock of the sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_STARTED_AT]
      = g_param_spec_boxed ("started-at", NULL, NULL, G_TYPE_DATE_TIME, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCommandResult:ended-at:
   *
   * When it ended, by the clock of the sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_ENDED_AT]
      = g_param_spec_boxed ("ended-at", NULL, NULL, G_TYPE_DATE_TIME, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbCommandResult:record-error:
   *
   * Why the record of it is not complete; %NULL if it is, or none was asked for.
   *
   * Since: 1.0
   */
  properties[PROP_RECORD_ERROR]
      = g_param_spec_string ("record-error", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_command_result_init (AsbCommandResult *self)
{
}

/**
 * asb_command_result_get_command_id:
 * @self: a [class@CommandResult]
 *
 * Gets [property@CommandResult:command-id].
 *
 * Returns: (transfer none): the id of the command
 *
 * Since: 1.0
 */
const char *
asb_command_result_get_command_id (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), NULL);

  return self->command_id;
}

/**
 * asb_command_result_get_state:
 * @self: a [class@CommandResult]
 *
 * Gets [property@CommandResult:state].
 *
 * Returns: how it ended
 *
 * Since: 1.0
 */
AsbCommandState
asb_command_result_get_state (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), 0);

  return self->state;
}

/**
 * asb_command_result_get_has_exit_status:
 * @self: a [class@CommandResult]
 *
 * Gets [property@CommandResult:has-exit-status].
 *
 * Returns: whether it ended by itself with an exit status
 *
 * Since: 1.0
 */
gboolean
asb_command_result_get_has_exit_status (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), FALSE);

  return self->has_exit_status;
}

/**
 * asb_command_result_get_exit_status:
 * @self: a [class@CommandResult]
 *
 * Gets [property@CommandResult:exit-status]. What was ended by a signal, a deadline or a cancelled
 * call, or has an outcome that nobody knows, has none: it is not taken for a 0.
 *
 * Returns: the exit status, with [property@CommandResult:has-exit-status]; −1 without
 *
 * Since: 1.0
 */
int
asb_command_result_get_exit_status (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), 0);

  return self->has_exit_status ? self->exit_status : -1;
}

/**
 * asb_command_result_get_term_signal:
 * @self: a [class@CommandResult]
 *
 * Gets [property@CommandResult:term-signal].
 *
 * Returns: the signal that ended it, 0 for none
 *
 * Since: 1.0
 */
int
asb_command_result_get_term_signal (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), 0);

  return self->term_signal;
}

/**
 * asb_command_result_get_stdout_bytes:
 * @self: a [class@CommandResult]
 *
 * Gets [property@CommandResult:stdout-bytes].
 *
 * Returns: (transfer none) (nullable): what was kept of standard output
 *
 * Since: 1.0
 */
GBytes *
asb_command_result_get_stdout_bytes (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), NULL);

  return self->stdout_bytes;
}

/**
 * asb_command_result_get_stderr_bytes:
 * @self: a [class@CommandResult]
 *
 * Gets [property@CommandResult:stderr-bytes].
 *
 * Returns: (transfer none) (nullable): what was kept of standard error
 *
 * Since: 1.0
 */
GBytes *
asb_command_result_get_stderr_bytes (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), NULL);

  return self->stderr_bytes;
}

/**
 * asb_command_result_get_stdout_total:
 * @self: a [class@CommandResult]
 *
 * Gets [property@CommandResult:stdout-total].
 *
 * Returns: bytes written to standard output
 *
 * Since: 1.0
 */
guint64
asb_command_result_get_stdout_total (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), 0);

  return self->stdout_total;
}

/**
 * asb_command_result_get_stderr_total:
 * @self: a [class@CommandResult]
 *
 * Gets [property@CommandResult:stderr-total].
 *
 * Returns: bytes written to standard error
 *
 * Since: 1.0
 */
guint64
asb_command_result_get_stderr_total (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), 0);

  return self->stderr_total;
}

/**
 * asb_command_result_get_stdout_truncated:
 * @self: a [class@CommandResult]
 *
 * Gets [property@CommandResult:stdout-truncated].
 *
 * Returns: whether [property@CommandResult:stdout-bytes] is only the head and the tail
 *
 * Since: 1.0
 */
gboolean
asb_command_result_get_stdout_truncated (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), FALSE);

  return self->stdout_truncated;
}

/**
 * asb_command_result_get_stderr_truncated:
 * @self: a [class@CommandResult]
 *
 * Gets [property@CommandResult:stderr-truncated].
 *
 * Returns: whether [property@CommandResult:stderr-bytes] is only the head and the tail
 *
 * Since: 1.0
 */
gboolean
asb_command_result_get_stderr_truncated (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), FALSE);

  return self->stderr_truncated;
}

/**
 * asb_command_result_get_exact:
 * @self: a [class@CommandResult]
 *
 * Gets [property@CommandResult:exact].
 *
 * Returns: whether the bytes are exactly those the command wrote
 *
 * Since: 1.0
 */
gboolean
asb_command_result_get_exact (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), FALSE);

  return self->exact;
}

/**
 * asb_command_result_get_duration_us:
 * @self: a [class@CommandResult]
 *
 * Gets [property@CommandResult:duration-us].
 *
 * Returns: how long it ran, in microseconds, by a clock that does not jump
 *
 * Since: 1.0
 */
gint64
asb_command_result_get_duration_us (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), 0);

  return self->duration_us;
}

/**
 * asb_command_result_get_started_at:
 * @self: a [class@CommandResult]
 *
 * Gets [property@CommandResult:started-at].
 *
 * Returns: (transfer none) (nullable): when it started, by the clock of the sandbox
 *
 * Since: 1.0
 */
GDateTime *
asb_command_result_get_started_at (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), NULL);

  return self->started_at;
}

/**
 * asb_command_result_get_ended_at:
 * @self: a [class@CommandResult]
 *
 * Gets [property@CommandResult:ended-at].
 *
 * Returns: (transfer none) (nullable): when it ended, by the clock of the sandbox
 *
 * Since: 1.0
 */
GDateTime *
asb_command_result_get_ended_at (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), NULL);

  return self->ended_at;
}

/**
 * asb_command_result_get_record_error:
 * @self: a [class@CommandResult]
 *
 * Gets [property@CommandResult:record-error].
 *
 * Returns: (transfer none) (nullable): why the record of it is not complete; %NULL if it is, or
 * none was asked for
 *
 * Since: 1.0
 */
const char *
asb_command_result_get_record_error (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), NULL);

  return self->record_error;
}

static char *
dup_text (GBytes *bytes)
{
  gsize size = 0;
  const char *data = bytes ? g_bytes_get_data (bytes, &size) : NULL;

  return data ? g_utf8_make_valid (data, (gssize)size) : g_strdup ("");
}

/**
 * asb_command_result_dup_stdout_text:
 * @self: a [class@CommandResult]
 *
 * Makes text of what was kept of standard output. Bytes that are not UTF-8, and NUL, become
 * replacement characters.
 *
 * Returns: (transfer full): the text
 *
 * Since: 1.0
 */
char *
asb_command_result_dup_stdout_text (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), NULL);

  return dup_text (self->stdout_bytes);
}

/**
 * asb_command_result_dup_stderr_text:
 * @self: a [class@CommandResult]
 *
 * Makes text of what was kept of standard error. Bytes that are not UTF-8, and NUL, become
 * replacement characters.
 *
 * Returns: (transfer full): the text
 *
 * Since: 1.0
 */
char *
asb_command_result_dup_stderr_text (AsbCommandResult *self)
{
  g_return_val_if_fail (ASB_IS_COMMAND_RESULT (self), NULL);

  return dup_text (self->stderr_bytes);
}
