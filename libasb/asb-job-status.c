/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-job-private.h"

#include "asb-error.h"
#include "asb-guest-command-private.h"
#include "asb-guest-error-private.h"
#include "asb-guest-json-private.h"
#include "asb-wire-json.h"
#include "asb-wire-variant-private.h"

#define MAX_ID_LENGTH 256
#define MAX_TEXT_LENGTH 4096

/* The members of a status, as they come. */
typedef struct
{
  const char *id;
  char *name;
  char *command;
  gint64 pid;
  GDateTime *started_at;
  AsbCommandResult *result;
  AsbCommandState state;
  gint64 total[2];
  gint64 first[2];
  char *output_error;
  char *record_error;
} Status;

static void
status_clear (Status *status)
{
  g_clear_pointer (&status->name, g_free);
  g_clear_pointer (&status->command, g_free);
  g_clear_pointer (&status->started_at, g_date_time_unref);
  g_clear_object (&status->result);
  g_clear_pointer (&status->output_error, g_free);
  g_clear_pointer (&status->record_error, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Status, status_clear)

/* For people, who read text. One that is empty says nothing, and hides no other job. */
static gboolean
parse_text (const json_t *json, const char *member, char **value, GError **error)
{
  g_autofree char *bytes = NULL;

  if (!asb_guest_json_has (json, member)
      || g_strcmp0 (json_string_value (json_object_get (json, member)), "") == 0)
    return TRUE;
  if (!asb_guest_json_get_text (json, member, MAX_TEXT_LENGTH, &bytes, error))
    return FALSE;
  *value = g_utf8_make_valid (bytes, -1);
  return TRUE;
}

static gboolean
parse_message (const json_t *json, const char *member, char **value, GError **error)
{
  const char *message;

  if (!asb_guest_json_has (json, member))
    return TRUE;
  if (!asb_guest_json_get_string (json, member, MAX_TEXT_LENGTH, &message, error))
    return FALSE;
  *value = asb_guest_message_dup (message);
  return TRUE;
}

static gboolean
parse_stream (const json_t *json, const char *member, gint64 *total, gint64 *first, GError **error)
{
  const json_t *stream;

  return asb_guest_json_get_object (json, member, &stream, error)
         && asb_guest_json_get_integer (stream, "bytes", 0, ASB_WIRE_MAX_INTEGER, total, error)
         && asb_guest_json_get_integer (stream, "first", 0, *total, first, error);
}

static gboolean
parse_record (const json_t *json, Status *status, GError **error)
{
  const json_t *record;
  const char *state;

  if (!asb_guest_json_has (json, "record"))
    return TRUE;
  if (!asb_guest_json_get_object (json, "record", &record, error)
      || !asb_guest_json_get_string (record, "state", MAX_TEXT_LENGTH, &state, error))
    return FALSE;
  if (g_str_equal (state, "complete"))
    return TRUE;
  if (!parse_message (record, "message", &status->record_error, error))
    return FALSE;
  if (!status->record_error)
    status->record_error = g_strdup ("The guest could not keep the record");
  return TRUE;
}

/* One that has ended without saying how has ended somehow. */
static AsbCommandResult *
unknown_result_new (const Status *status)
{
  return g_object_new (ASB_TYPE_COMMAND_RESULT, "command-id", status->id, "state",
                       ASB_COMMAND_STATE_UNKNOWN, "stdout-total", (guint64)status->total[0],
                       "stderr-total", (guint64)status->total[1], "exact", TRUE, "started-at",
                       status->started_at, "record-error", status->record_error, NULL);
}

static gboolean
parse_end (const json_t *json, Status *status, GError **error)
{
  const json_t *result;
  const char *state;

  if (!asb_guest_json_get_string (json, "state", MAX_TEXT_LENGTH, &state, error))
    return FALSE;
  status->state = ASB_COMMAND_STATE_RUNNING;
  if (g_str_equal (state, "running"))
    return TRUE;
  if (!g_str_equal (state, "ended"))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                           "“state” is neither “running” nor “ended”");
      return FALSE;
    }
  if (!asb_guest_json_has (json, "result"))
    status->result = unknown_result_new (status);
  else if (asb_guest_json_get_object (json, "result", &result, error))
    status->result = asb_guest_command_result_new (result, status->id, status->record_error, error);
  if (status->result)
    status->state = asb_command_result_get_state (status->result);
  return status->result != NULL;
}

static gboolean
parse (const json_t *json, Status *status, GError **error)
{
  return asb_guest_json_get_string (json, "job_id", MAX_ID_LENGTH, &status->id, error)
         && parse_text (json, "name", &status->name, error)
         && parse_text (json, "command", &status->command, error)
         && asb_guest_json_get_integer (json, "pid", 1, G_MAXINT32, &status->pid, error)
         && asb_guest_json_get_time (json, "started_at", &status->started_at, error)
         && parse_stream (json, "stdout", &status->total[0], &status->first[0], error)
         && parse_stream (json, "stderr", &status->total[1], &status->first[1], error)
         && parse_message (json, "output_error", &status->output_error, error)
         && parse_record (json, status, error) && parse_end (json, status, error);
}

static AsbJob *
job_new (AsbBackend *backend, const json_t *json, const char *record_error, GError **error)
{
  g_auto (Status) status = { .record_error = g_strdup (record_error) };
  AsbJob *self;

  if (!parse (json, &status, error))
    {
      g_prefix_error (error, "What is said of a job is not in order: ");
      return NULL;
    }
  self = g_object_new (ASB_TYPE_JOB, "id", status.id, "name", status.name, "command",
                       status.command ? status.command : "", "pid", (int)status.pid, "state",
                       status.state, "started-at", status.started_at, "result", status.result,
                       "stdout-total", (guint64)status.total[0], "stderr-total",
                       (guint64)status.total[1], "stdout-first", (guint64)status.first[0],
                       "stderr-first", (guint64)status.first[1], "output-error",
                       status.output_error, "record-error", status.record_error, NULL);
  asb_job_set_backend (self, backend);
  return self;
}

AsbJob *
asb_job_new_from_json (AsbBackend *backend, const json_t *status, GError **error)
{
  return job_new (backend, status, NULL, error);
}

AsbJob *
asb_job_new_from_variant (AsbBackend *backend, GVariant *status, GError **error)
{
  return asb_job_new_started (backend, status, NULL, error);
}

AsbJob *
asb_job_new_started (AsbBackend *backend, GVariant *status, const char *record_error,
                     GError **error)
{
  g_autoptr (json_t) json = asb_wire_variant_to_json (status, error);

  return json ? job_new (backend, json, record_error, error) : NULL;
}
