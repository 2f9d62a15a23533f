/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-job.h"

#include <string.h>

#include "asb-opensandbox-json.h"

#define MAX_ID 128
#define MAX_NAME 128
#define MAX_COMMAND 256
#define MAX_PID 4194304

void
asb_opensandbox_job_free (AsbOpensandboxJob *self)
{
  g_free (self->id);
  g_free (self->command_id);
  g_free (self->token);
  g_free (self->name);
  g_free (self->command);
  asb_opensandbox_command_end_clear (&self->end);
  g_free (self);
}

static gboolean
is_word (const char *text)
{
  return *text && strlen (text) <= MAX_ID
         && strspn (text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_")
                == strlen (text);
}

gboolean
asb_opensandbox_job_split_id (const char *id, char **command_id, char **token)
{
  g_auto (GStrv) parts = g_strsplit (id, ".", 3);

  if (g_strv_length (parts) != 2 || !is_word (parts[0]) || !is_word (parts[1]))
    return FALSE;
  *command_id = g_strdup (parts[0]);
  *token = g_strdup (parts[1]);
  return TRUE;
}

/* Anybody in the sandbox could have written it. */
static char *
decode_text (const char *line, gsize max)
{
  gsize size;
  g_autofree guchar *bytes = g_base64_decode (line, &size);

  return g_utf8_make_valid ((const char *)bytes, (gssize)MIN (size, max));
}

static gboolean
parse_numbers (AsbOpensandboxJob *self, char **lines)
{
  guint64 pid;

  if (!g_ascii_string_to_unsigned (lines[1], 10, 1, MAX_PID, &pid, NULL)
      || !g_ascii_string_to_signed (lines[2], 10, 0, G_MAXINT64 / 1000, &self->started_us, NULL)
      || !g_ascii_string_to_unsigned (lines[3], 10, 0, G_MAXINT64, &self->timeout_ms, NULL)
      || !g_ascii_string_to_unsigned (lines[7], 10, 0, G_MAXINT64, &self->sizes[0], NULL)
      || !g_ascii_string_to_unsigned (lines[8], 10, 0, G_MAXINT64, &self->sizes[1], NULL))
    return FALSE;
  self->pid = (int)pid;
  self->number = self->started_us;
  self->stopped = strcmp (lines[9], "1") == 0;
  return TRUE;
}

/* “ID PID START TIMEOUT NAME COMMAND .” and what ASB_OPENSANDBOX_JOB_TELL adds. */
AsbOpensandboxJob *
asb_opensandbox_job_parse (char **lines, GError **error)
{
  g_autoptr (AsbOpensandboxJob) self = g_new0 (AsbOpensandboxJob, 1);

  for (guint i = 0; i < ASB_OPENSANDBOX_JOB_LINES; i++)
    if (!lines[i] || strlen (lines[i]) > 4096)
      {
        g_set_error_literal (error, ASB_ERROR, ASB_ERROR_JOB_NOT_FOUND,
                             "There is no such job, or it is forgotten");
        return NULL;
      }
  if (!asb_opensandbox_job_split_id (lines[0], &self->command_id, &self->token)
      || !parse_numbers (self, lines))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                           "What the sandbox says of a job makes no sense");
      return NULL;
    }
  self->id = g_strdup (lines[0]);
  if (strcmp (lines[4], "-") != 0)
    self->name = decode_text (lines[4], MAX_NAME);
  self->command = decode_text (lines[5], MAX_COMMAND);
  self->running = TRUE;
  return g_steal_pointer (&self);
}

gboolean
asb_opensandbox_job_take_status (AsbOpensandboxJob *self, JsonObject *status, GError **error)
{
  g_autoptr (GDateTime) started = NULL;
  g_autoptr (GDateTime) finished = NULL;

  self->ended_us = self->started_us;
  if (!status)
    {
      self->running = FALSE;
      return TRUE;
    }
  if (!asb_opensandbox_command_end_parse_status (&self->end, status, &self->running, error)
      || !asb_opensandbox_json_get_time (status, "started_at", FALSE, &started, error)
      || !asb_opensandbox_json_get_time (status, "finished_at", FALSE, &finished, error))
    return FALSE;
  self->known = !self->running && (self->end.has_exit_status || self->end.term_signal);
  if (started && finished)
    self->ended_us += MAX (g_date_time_difference (finished, started), 0);
  return TRUE;
}

static GVariant *
new_time (gint64 microseconds)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "sec", "x", microseconds / G_USEC_PER_SEC);
  g_variant_dict_insert (&dict, "nsec", "x", microseconds % G_USEC_PER_SEC * 1000);
  return g_variant_dict_end (&dict);
}

static const char *
reason_of (AsbOpensandboxJob *self)
{
  gint64 duration = self->ended_us - self->started_us;

  if (!self->known)
    return self->stopped ? "cancelled" : "unknown";
  if (self->stopped)
    return "cancelled";
  if (self->end.has_exit_status)
    return "exited";
  return self->timeout_ms > 0 && duration / 1000 >= (gint64)self->timeout_ms ? "timeout"
                                                                             : "signaled";
}

static void
insert_number (GVariantDict *dict, const char *name, gboolean has, gint64 value)
{
  g_variant_dict_insert_value (dict, name,
                               has ? g_variant_new_int64 (value)
                                   : g_variant_new_maybe (G_VARIANT_TYPE_VARIANT, NULL));
}

/* In nanoseconds. The server's dates may be centuries apart, or the wrong way round. */
static gint64
get_duration (AsbOpensandboxJob *self)
{
  return CLAMP (self->ended_us - self->started_us, 0, G_MAXINT64 / 1000) * 1000;
}

static GVariant *
new_result (AsbOpensandboxJob *self)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "command_id", "s", self->id);
  g_variant_dict_insert (&dict, "reason", "s", reason_of (self));
  insert_number (&dict, "exit_code", self->known && self->end.has_exit_status,
                 self->end.exit_status);
  insert_number (&dict, "signal", self->known && self->end.term_signal > 0, self->end.term_signal);
  g_variant_dict_insert (&dict, "duration_ns", "x", get_duration (self));
  g_variant_dict_insert (&dict, "stdout_bytes", "x", (gint64)self->sizes[0]);
  g_variant_dict_insert (&dict, "stderr_bytes", "x", (gint64)self->sizes[1]);
  g_variant_dict_insert_value (&dict, "started_at", new_time (self->started_us));
  g_variant_dict_insert_value (&dict, "ended_at", new_time (self->ended_us));
  return g_variant_dict_end (&dict);
}

static GVariant *
new_stream (guint64 size)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "bytes", "x", (gint64)size);
  g_variant_dict_insert (&dict, "first", "x", (gint64)0);
  return g_variant_dict_end (&dict);
}

GVariant *
asb_opensandbox_job_to_variant (AsbOpensandboxJob *self)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "job_id", "s", self->id);
  g_variant_dict_insert (&dict, "number", "x", self->number);
  if (self->name)
    g_variant_dict_insert (&dict, "name", "s", self->name);
  g_variant_dict_insert (&dict, "command", "s", self->command);
  g_variant_dict_insert (&dict, "pid", "x", (gint64)self->pid);
  g_variant_dict_insert (&dict, "state", "s", self->running ? "running" : "ended");
  g_variant_dict_insert_value (&dict, "started_at", new_time (self->started_us));
  g_variant_dict_insert_value (&dict, "stdout", new_stream (self->sizes[0]));
  g_variant_dict_insert_value (&dict, "stderr", new_stream (self->sizes[1]));
  if (!self->running)
    g_variant_dict_insert_value (&dict, "result", new_result (self));
  return g_variant_dict_end (&dict);
}
