/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-command-script.h"
#include "asb-opensandbox-native-jobs.h"
#include "asb-opensandbox-run.h"
#include "asb-opensandbox-script.h"
#include "asb-opensandbox-shell.h"

/* Starting a job. A command in the background says nothing of how it begins: it tells another one,
 * in the foreground, through a FIFO. */

#define START_TIMEOUT_MS 30000

/* $1 the folder, $2 the user it is for, or nothing. */
#define LISTEN                                                                                     \
  "[ -d " ASB_OPENSANDBOX_JOBS " ] || mkdir -m 711 " ASB_OPENSANDBOX_JOBS " || exit\n"             \
  "mkdir -m 700 \"$1\" && mkfifo \"$1/f\" || exit\n"                                               \
  "[ -z \"$2\" ] || chown -R \"$2\" \"$1\" || exit\n"                                              \
  "echo ready\n"                                                                                   \
  "cat \"$1/f\"\n"                                                                                 \
  "rm -f \"$1/f\"\n"

/* $1 the folder; what follows are the lines of the job. */
#define REMEMBER                                                                                   \
  "f=$1\n"                                                                                         \
  "shift\n"                                                                                        \
  "printf '%s\\n' \"$@\" >\"$f/n\" && mv \"$f/n\" \"$f/m\"\n"

typedef struct
{
  AsbOpensandboxExecd *execd;
  AsbCommandSpec *spec;
  char *name;
  char *token;
  char *folder;
  AsbOpensandboxRun *listener;
  AsbOpensandboxRun *background;
  gboolean background_began;
  gboolean listener_done;
  gboolean over; /* the answer is on its way */
  int pid;
  gint64 started_us;
  GError *refusal;
  GString *errors;
  GVariant *status;
} JobStart;

static void
job_start_free (gpointer data)
{
  JobStart *self = data;

  g_clear_object (&self->execd);
  g_clear_object (&self->spec);
  g_clear_pointer (&self->listener, asb_opensandbox_run_unref);
  g_clear_pointer (&self->background, asb_opensandbox_run_unref);
  g_clear_pointer (&self->status, g_variant_unref);
  g_clear_error (&self->refusal);
  g_string_free (self->errors, TRUE);
  g_free (self->name);
  g_free (self->token);
  g_free (self->folder);
  g_free (self);
}

static void
removed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, NULL);
}

static void
fail (GTask *task, GError *error)
{
  JobStart *self = g_task_get_task_data (task);
  const char *const arguments[] = { self->folder, NULL };

  self->over = TRUE;
  asb_opensandbox_script_run_async (self->execd, "rm -rf \"$1\"", arguments, "forget the job", NULL,
                                    removed_cb, NULL);
  g_task_return_error (task, error);
}

static void
remembered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  JobStart *self = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (AsbOpensandboxScriptResult) done = asb_opensandbox_script_run_finish_well (
      ASB_OPENSANDBOX_EXECD (source), result, NULL, &error);

  if (done)
    asb_opensandbox_answer_variant (task, g_steal_pointer (&self->status));
  else
    g_task_return_error (task, error);
}

/* The command as people type it. */
static char *
describe (AsbCommandSpec *spec)
{
  const char *const *argv = asb_command_spec_get_argv (spec);

  return argv && argv[0] ? g_strjoinv (" ", (char **)argv)
                         : g_strdup (asb_command_spec_get_shell (spec));
}

static void
remember (GTask *task)
{
  JobStart *self = g_task_get_task_data (task);
  g_autofree char *id
      = g_strdup_printf ("%s.%s", asb_opensandbox_run_get_id (self->background), self->token);
  g_autofree char *command = describe (self->spec);
  g_autofree char *command64
      = g_base64_encode ((const guchar *)command, MIN (strlen (command), 1024));
  g_autofree char *name64 = self->name
                                ? g_base64_encode ((const guchar *)self->name, strlen (self->name))
                                : g_strdup ("-");
  g_autofree char *pid = g_strdup_printf ("%d", self->pid);
  g_autofree char *started = g_strdup_printf ("%" G_GINT64_FORMAT, self->started_us);
  g_autofree char *timeout
      = g_strdup_printf ("%" G_GUINT64_FORMAT, asb_command_spec_get_timeout_ms (self->spec));
  char *lines[] = { id,          pid,         started,     timeout,     name64, command64,
                    (char *)".", (char *)"0", (char *)"0", (char *)"0", NULL };
  const char *const arguments[]
      = { self->folder, id, pid, started, timeout, name64, command64, ".", NULL };
  GError *error = NULL;
  g_autoptr (AsbOpensandboxJob) job = asb_opensandbox_job_parse (lines, &error);

  if (!job)
    {
      fail (task, error);
      return;
    }
  self->over = TRUE;
  self->status = g_variant_ref_sink (asb_opensandbox_job_to_variant (job));
  asb_opensandbox_script_run_async (self->execd, REMEMBER, arguments, "remember the job", NULL,
                                    remembered_cb, g_object_ref (task));
}

/* Both must have said their part. */
static void
go_on (GTask *task, const GError *error)
{
  JobStart *self = g_task_get_task_data (task);

  if (self->over)
    return;
  if (self->refusal)
    fail (task, g_steal_pointer (&self->refusal));
  else if (error)
    fail (task, g_error_copy (error));
  else if (self->pid > 0 && self->background_began && asb_opensandbox_run_get_id (self->background))
    remember (task);
  else if (self->listener_done && self->pid == 0)
    fail (task,
          g_error_new (ASB_ERROR, ASB_ERROR_COMMAND_EXECUTION, "The job could not be started: %s",
                       self->errors->len > 0 ? self->errors->str : "no reason given"));
}

static void
background_done_cb (AsbOpensandboxRun *run, const GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  JobStart *self = g_task_get_task_data (task);

  self->background_began = error == NULL;
  go_on (task, error);
}

static const AsbOpensandboxRunHandlers background_handlers = { NULL, background_done_cb };

static void
start_background (GTask *task)
{
  JobStart *self = g_task_get_task_data (task);
  g_autoptr (JsonNode) body = NULL;
  AsbOpensandboxRequest *request;
  GError *error = NULL;
  g_autofree char *script
      = asb_opensandbox_command_script_new_job (self->spec, self->token, self->folder, &error);

  if (!script)
    {
      self->refusal = error;
      asb_opensandbox_run_forget (self->listener);
      go_on (task, NULL);
      return;
    }
  body = asb_opensandbox_command_script_new_body (self->spec, script, TRUE);
  request = asb_opensandbox_execd_new_request (self->execd, "POST", "/command", "start the job");
  asb_opensandbox_request_set_json (request, body);
  self->background = asb_opensandbox_run_start (self->execd, request, ASB_OPENSANDBOX_RUN_COMMAND,
                                                &background_handlers, g_object_ref (task));
}

static void
listener_event_cb (AsbOpensandboxRun *run, AsbOpensandboxEvent *event, gpointer data)
{
  GTask *task = data;
  JobStart *self = g_task_get_task_data (task);

  if (event->type == ASB_OPENSANDBOX_EVENT_STDERR && self->errors->len < 400)
    g_string_append_len (self->errors, event->text->str, (gssize)MIN (event->text->len, 400));
  if (event->type != ASB_OPENSANDBOX_EVENT_STDOUT)
    return;
  if (!self->background && strcmp (event->text->str, "ready") == 0)
    {
      self->started_us = g_get_real_time ();
      start_background (task);
    }
  else
    asb_opensandbox_command_script_read (self->spec, self->token, event->text->str,
                                         event->text->len, &self->pid,
                                         self->refusal ? NULL : &self->refusal);
}

static void
listener_done_cb (AsbOpensandboxRun *run, const GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;

  ((JobStart *)g_task_get_task_data (task))->listener_done = TRUE;
  go_on (task, error);
}

static const AsbOpensandboxRunHandlers listener_handlers = { listener_event_cb, listener_done_cb };

void
asb_opensandbox_native_start_job (AsbOpensandboxExecd *execd, AsbCommandSpec *spec,
                                  const char *name, GTask *task)
{
  JobStart *self = g_new0 (JobStart, 1);
  gint64 uid = asb_command_spec_get_uid (spec);
  g_autofree char *owner = uid >= 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, uid) : g_strdup ("");
  const char *arguments[] = { NULL, owner, NULL };

  self->execd = g_object_ref (execd);
  self->spec = g_object_ref (spec);
  self->name = g_strdup (name);
  self->errors = g_string_new (NULL);
  self->token = asb_opensandbox_shell_new_token ();
  self->folder = g_strdup_printf (ASB_OPENSANDBOX_JOBS "/%s", self->token);
  arguments[0] = self->folder;
  g_task_set_task_data (task, self, job_start_free);
  self->listener = asb_opensandbox_run_start (
      execd,
      asb_opensandbox_script_new_request (execd, LISTEN, arguments, START_TIMEOUT_MS,
                                          "start the job"),
      ASB_OPENSANDBOX_RUN_COMMAND, &listener_handlers, g_object_ref (task));
}
