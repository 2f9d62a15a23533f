/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-job-private.h"

#include "asb-enum-types.h"
#include "asb-property-private.h"

/**
 * AsbJob:
 *
 * A command that runs in a sandbox for itself, whoever is connected.
 *
 * [method@Backend.start_job] starts one, [method@Backend.list_jobs] and [method@Backend.query_job]
 * find it again, also from another program. It ends when its command does, when its time is up, by
 * [method@Job.stop], or with the sandbox. What it prints is kept in the sandbox, within bounds, and
 * can be read from any offset, also while it runs: [method@Job.open_output].
 *
 * The properties are a picture of the moment in which the object was made, and do not change; ask
 * again with [method@Backend.query_job]. Dropping the object does nothing to the job.
 *
 * Since: 1.0
 */

struct _AsbJob
{
  GObject parent_instance;

  AsbBackend *backend;
  char *id;
  char *name;
  char *command;
  int pid;
  AsbCommandState state;
  GDateTime *started_at;
  AsbCommandResult *result;
  guint64 stdout_total;
  guint64 stderr_total;
  guint64 stdout_first;
  guint64 stderr_first;
  char *output_error;
  char *record_error;
};

enum
{
  PROP_0,
  PROP_ID,
  PROP_NAME,
  PROP_COMMAND,
  PROP_PID,
  PROP_STATE,
  PROP_STARTED_AT,
  PROP_RESULT,
  PROP_STDOUT_TOTAL,
  PROP_STDERR_TOTAL,
  PROP_STDOUT_FIRST,
  PROP_STDERR_FIRST,
  PROP_OUTPUT_ERROR,
  PROP_RECORD_ERROR,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AsbJob, asb_job, G_TYPE_OBJECT)

static void
asb_job_finalize (GObject *object)
{
  AsbJob *self = ASB_JOB (object);

  g_clear_object (&self->backend);
  g_clear_pointer (&self->id, g_free);
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->command, g_free);
  g_clear_pointer (&self->started_at, g_date_time_unref);
  g_clear_object (&self->result);
  g_clear_pointer (&self->output_error, g_free);
  g_clear_pointer (&self->record_error, g_free);

  G_OBJECT_CLASS (asb_job_parent_class)->finalize (object);
}

static void
asb_job_get_property (GObject *object, guint property_id, GValue *value, GParamSpec *pspec)
{
  AsbJob *self = ASB_JOB (object);

  switch (property_id)
    {
    case PROP_ID:
      g_value_set_string (value, self->id);
      break;
    case PROP_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_COMMAND:
      g_value_set_string (value, self->command);
      break;
    case PROP_PID:
      g_value_set_int (value, self->pid);
      break;
    case PROP_STATE:
      g_value_set_enum (value, self->state);
      break;
    case PROP_STARTED_AT:
      g_value_set_boxed (value, self->started_at);
      break;
    case PROP_RESULT:
      g_value_set_object (value, self->result);
      break;
    case PROP_STDOUT_TOTAL:
      g_value_set_uint64 (value, self->stdout_total);
      break;
    case PROP_STDERR_TOTAL:
      g_value_set_uint64 (value, self->stderr_total);
      break;
    case PROP_STDOUT_FIRST:
      g_value_set_uint64 (value, self->stdout_first);
      break;
    case PROP_STDERR_FIRST:
      g_value_set_uint64 (value, self->stderr_first);
      break;
    case PROP_OUTPUT_ERROR:
      g_value_set_string (value, self->output_error);
      break;
    case PROP_RECORD_ERROR:
      g_value_set_string (value, self->record_error);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_job_set_property (GObject *object, guint property_id, const GValue *value, GParamSpec *pspec)
{
  AsbJob *self = ASB_JOB (object);

  switch (property_id)
    {
    case PROP_ID:
      self->id = g_value_dup_string (value);
      break;
    case PROP_NAME:
      self->name = g_value_dup_string (value);
      break;
    case PROP_COMMAND:
      self->command = g_value_dup_string (value);
      break;
    case PROP_PID:
      self->pid = g_value_get_int (value);
      break;
    case PROP_STATE:
      self->state = g_value_get_enum (value);
      break;
    case PROP_STARTED_AT:
      self->started_at = g_value_dup_boxed (value);
      break;
    case PROP_RESULT:
      self->result = g_value_dup_object (value);
      break;
    case PROP_STDOUT_TOTAL:
      self->stdout_total = g_value_get_uint64 (value);
      break;
    case PROP_STDERR_TOTAL:
      self->stderr_total = g_value_get_uint64 (value);
      break;
    case PROP_STDOUT_FIRST:
      self->stdout_first = g_value_get_uint64 (value);
      break;
    case PROP_STDERR_FIRST:
      self->stderr_first = g_value_get_uint64 (value);
      break;
    case PROP_OUTPUT_ERROR:
      self->output_error = g_value_dup_string (value);
      break;
    case PROP_RECORD_ERROR:
      self->record_error = g_value_dup_string (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property_id, pspec);
    }
}

static void
asb_job_class_init (AsbJobClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = asb_job_finalize;
  object_class->get_property = asb_job_get_property;
  object_class->set_property = asb_job_set_property;

  /**
   * AsbJob:id: (getter get_id)
   *
   * The id, by which it is found again; also the command id in the record.
   *
   * Since: 1.0
   */
  properties[PROP_ID] = g_param_spec_string ("id", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbJob:name: (getter get_name)
   *
   * The label that was given.
   *
   * Since: 1.0
   */
  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbJob:command: (getter get_command)
   *
   * The command for people to read: at most 256 bytes of it, made UTF-8.
   *
   * Since: 1.0
   */
  properties[PROP_COMMAND]
      = g_param_spec_string ("command", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbJob:pid: (getter get_pid)
   *
   * The number of its process in the sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_PID]
      = g_param_spec_int ("pid", NULL, NULL, 0, G_MAXINT, 0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbJob:state: (getter get_state)
   *
   * Whether it runs, or how it ended; never invented.
   *
   * Since: 1.0
   */
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, ASB_TYPE_COMMAND_STATE,
                                              ASB_COMMAND_STATE_UNKNOWN, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbJob:started-at: (getter get_started_at)
   *
   * When it started, by the clock of the sandbox.
   *
   * Since: 1.0
   */
  properties[PROP_STARTED_AT]
      = g_param_spec_boxed ("started-at", NULL, NULL, G_TYPE_DATE_TIME, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbJob:result: (getter get_result)
   *
   * How it ended, without output; %NULL while it runs.
   *
   * Since: 1.0
   */
  properties[PROP_RESULT] = g_param_spec_object ("result", NULL, NULL, ASB_TYPE_COMMAND_RESULT,
                                                 ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbJob:stdout-total: (getter get_stdout_total)
   *
   * Bytes it has written to standard output.
   *
   * Since: 1.0
   */
  properties[PROP_STDOUT_TOTAL] = g_param_spec_uint64 ("stdout-total", NULL, NULL, 0, G_MAXUINT64,
                                                       0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbJob:stderr-total: (getter get_stderr_total)
   *
   * Bytes it has written to standard error.
   *
   * Since: 1.0
   */
  properties[PROP_STDERR_TOTAL] = g_param_spec_uint64 ("stderr-total", NULL, NULL, 0, G_MAXUINT64,
                                                       0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbJob:stdout-first: (getter get_stdout_first)
   *
   * The offset of the first byte of standard output that is still kept.
   *
   * Since: 1.0
   */
  properties[PROP_STDOUT_FIRST] = g_param_spec_uint64 ("stdout-first", NULL, NULL, 0, G_MAXUINT64,
                                                       0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbJob:stderr-first: (getter get_stderr_first)
   *
   * The offset of the first byte of standard error that is still kept.
   *
   * Since: 1.0
   */
  properties[PROP_STDERR_FIRST] = g_param_spec_uint64 ("stderr-first", NULL, NULL, 0, G_MAXUINT64,
                                                       0, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbJob:output-error: (getter get_output_error)
   *
   * Why less output was kept than the bounds allow; %NULL: it was not.
   *
   * Since: 1.0
   */
  properties[PROP_OUTPUT_ERROR]
      = g_param_spec_string ("output-error", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  /**
   * AsbJob:record-error: (getter get_record_error)
   *
   * Why the record of it is not complete; %NULL if it is, and if there is none.
   *
   * Since: 1.0
   */
  properties[PROP_RECORD_ERROR]
      = g_param_spec_string ("record-error", NULL, NULL, NULL, ASB_PARAM_CONSTRUCT_ONLY);

  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
asb_job_init (AsbJob *self)
{
}

void
asb_job_set_backend (AsbJob *self, AsbBackend *backend)
{
  g_set_object (&self->backend, backend);
}

AsbBackend *
asb_job_get_backend (AsbJob *self)
{
  return self->backend;
}

/**
 * asb_job_get_id:
 * @self: a [class@Job]
 *
 * Gets [property@Job:id].
 *
 * Returns: (transfer none): the id, by which it is found again; also the command id in the record
 *
 * Since: 1.0
 */
const char *
asb_job_get_id (AsbJob *self)
{
  g_return_val_if_fail (ASB_IS_JOB (self), NULL);

  return self->id;
}

/**
 * asb_job_get_name:
 * @self: a [class@Job]
 *
 * Gets [property@Job:name].
 *
 * Returns: (transfer none) (nullable): the label that was given
 *
 * Since: 1.0
 */
const char *
asb_job_get_name (AsbJob *self)
{
  g_return_val_if_fail (ASB_IS_JOB (self), NULL);

  return self->name;
}

/**
 * asb_job_get_command:
 * @self: a [class@Job]
 *
 * Gets [property@Job:command].
 *
 * Returns: (transfer none): the command for people to read: at most 256 bytes of it, made UTF-8
 *
 * Since: 1.0
 */
const char *
asb_job_get_command (AsbJob *self)
{
  g_return_val_if_fail (ASB_IS_JOB (self), NULL);

  return self->command;
}

/**
 * asb_job_get_pid:
 * @self: a [class@Job]
 *
 * Gets [property@Job:pid].
 *
 * Returns: the number of its process in the sandbox
 *
 * Since: 1.0
 */
int
asb_job_get_pid (AsbJob *self)
{
  g_return_val_if_fail (ASB_IS_JOB (self), 0);

  return self->pid;
}

/**
 * asb_job_get_state:
 * @self: a [class@Job]
 *
 * Gets [property@Job:state].
 *
 * Returns: whether it runs, or how it ended; never invented
 *
 * Since: 1.0
 */
AsbCommandState
asb_job_get_state (AsbJob *self)
{
  g_return_val_if_fail (ASB_IS_JOB (self), ASB_COMMAND_STATE_UNKNOWN);

  return self->state;
}

/**
 * asb_job_get_started_at:
 * @self: a [class@Job]
 *
 * Gets [property@Job:started-at].
 *
 * Returns: (transfer none) (nullable): when it started, by the clock of the sandbox
 *
 * Since: 1.0
 */
GDateTime *
asb_job_get_started_at (AsbJob *self)
{
  g_return_val_if_fail (ASB_IS_JOB (self), NULL);

  return self->started_at;
}

/**
 * asb_job_get_result:
 * @self: a [class@Job]
 *
 * Gets [property@Job:result].
 *
 * Returns: (transfer none) (nullable): how it ended, without output; %NULL while it runs
 *
 * Since: 1.0
 */
AsbCommandResult *
asb_job_get_result (AsbJob *self)
{
  g_return_val_if_fail (ASB_IS_JOB (self), NULL);

  return self->result;
}

/**
 * asb_job_get_stdout_total:
 * @self: a [class@Job]
 *
 * Gets [property@Job:stdout-total].
 *
 * Returns: bytes it has written to standard output
 *
 * Since: 1.0
 */
guint64
asb_job_get_stdout_total (AsbJob *self)
{
  g_return_val_if_fail (ASB_IS_JOB (self), 0);

  return self->stdout_total;
}

/**
 * asb_job_get_stderr_total:
 * @self: a [class@Job]
 *
 * Gets [property@Job:stderr-total].
 *
 * Returns: bytes it has written to standard error
 *
 * Since: 1.0
 */
guint64
asb_job_get_stderr_total (AsbJob *self)
{
  g_return_val_if_fail (ASB_IS_JOB (self), 0);

  return self->stderr_total;
}

/**
 * asb_job_get_stdout_first:
 * @self: a [class@Job]
 *
 * Gets [property@Job:stdout-first].
 *
 * Returns: the offset of the first byte of standard output that is still kept
 *
 * Since: 1.0
 */
guint64
asb_job_get_stdout_first (AsbJob *self)
{
  g_return_val_if_fail (ASB_IS_JOB (self), 0);

  return self->stdout_first;
}

/**
 * asb_job_get_stderr_first:
 * @self: a [class@Job]
 *
 * Gets [property@Job:stderr-first].
 *
 * Returns: the offset of the first byte of standard error that is still kept
 *
 * Since: 1.0
 */
guint64
asb_job_get_stderr_first (AsbJob *self)
{
  g_return_val_if_fail (ASB_IS_JOB (self), 0);

  return self->stderr_first;
}

/**
 * asb_job_get_output_error:
 * @self: a [class@Job]
 *
 * Gets [property@Job:output-error].
 *
 * Returns: (transfer none) (nullable): why less output was kept than the bounds allow; %NULL: it
 * was not
 *
 * Since: 1.0
 */
const char *
asb_job_get_output_error (AsbJob *self)
{
  g_return_val_if_fail (ASB_IS_JOB (self), NULL);

  return self->output_error;
}

/**
 * asb_job_get_record_error:
 * @self: a [class@Job]
 *
 * Gets [property@Job:record-error].
 *
 * Returns: (transfer none) (nullable): why the record of it is not complete; %NULL if it is, and if
 * there is none
 *
 * Since: 1.0
 */
const char *
asb_job_get_record_error (AsbJob *self)
{
  g_return_val_if_fail (ASB_IS_JOB (self), NULL);

  return self->record_error;
}
