/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <signal.h>
#include <string.h>

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-command-end.h"
#include "asb-opensandbox-command-script.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-native-jobs.h"
#include "asb-opensandbox-run.h"
#include "asb-opensandbox-script.h"
#include "asb-opensandbox-shell.h"
#include "asb-opensandbox-start.h"
#include "asb-opensandbox-thread.h"

/* Starting a job. A command in the background says nothing of how it begins: it tells another one,
 * in the foreground, through a FIFO. execd counts the time of a command from before it begins. One
 * that was ended so early has not begun, and is started again with more time to. */

#define START_TIMEOUT_MS 60000

/* Of what is said when it cannot be started. */
#define MAX_SAID 400

/* What means nothing to a shell. */
#define PLAIN G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-+=:,./@%"

/* After its time a job that has not begun is looked for. */
#define LOOK_MS 500
#define MAX_LOOKS 20
#define FIRST_ALLOWANCE_MS 2000
#define MAX_ALLOWANCE_MS 32000

/* $1 the folder, $2 the user it is for, or nothing. Nobody hears of it, or of what went wrong with
 * it, where there is no room in /tmp. */
#define LISTEN                                                                                     \
  "no () { echo >&2 || exit " G_STRINGIFY (                                                        \
      ASB_OPENSANDBOX_COMMAND_UNHEARD) "; exit 1; }\n"                                             \
                                       "[ -d " ASB_OPENSANDBOX_JOBS                                \
                                       " ] || mkdir -p -m 711 " ASB_OPENSANDBOX_JOBS " || no\n"    \
                                       "mkdir -m 700 \"$1\" && mkfifo \"$1/f\" || no\n"            \
                                       "[ -z \"$2\" ] || chown -R \"$2\" \"$1\" || no\n"           \
                                       "echo ready || exit " G_STRINGIFY (                         \
                                           ASB_OPENSANDBOX_COMMAND_UNHEARD) "\n"                   \
                                                                            "cat \"$1/f\"\n"       \
                                                                            "rm -f \"$1/f\"\n"

/* Who waits at the FIFO for one that will not come waits no longer. */
#define RELEASE "[ ! -p \"$1/f\" ] || : 3<>\"$1/f\"\n"
#define FORGET RELEASE "rm -rf \"$1\""

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
  guint allowance_ms;
  AsbOpensandboxRun *listener;
  AsbOpensandboxRun *background;
  gboolean background_began;
  gboolean background_ended; /* before it told anything */
  gboolean listener_done;
  gboolean over; /* the answer is on its way */
  GSource *look;
  gboolean looking;
  guint n_looks;
  int pid;
  gint64 started_us;
  GError *refusal;
  GString *errors;
  AsbOpensandboxCommandEnd end; /* of who listens */
  GVariant *status;
} JobStart;

static void begin (GTask *task);

static void
clear_attempt (JobStart *self)
{
  g_clear_pointer (&self->listener, asb_opensandbox_run_unref);
  g_clear_pointer (&self->background, asb_opensandbox_run_unref);
  asb_opensandbox_thread_clear_timer (&self->look);
  asb_opensandbox_command_end_clear (&self->end);
  g_clear_pointer (&self->token, g_free);
  g_clear_pointer (&self->folder, g_free);
  self->background_began = FALSE;
  self->background_ended = FALSE;
  self->listener_done = FALSE;
  self->n_looks = 0;
}

static void
job_start_free (gpointer data)
{
  JobStart *self = data;

  clear_attempt (self);
  g_clear_object (&self->execd);
  g_clear_object (&self->spec);
  g_clear_pointer (&self->status, g_variant_unref);
  g_clear_error (&self->refusal);
  g_string_free (self->errors, TRUE);
  g_free (self->name);
  g_free (self);
}

static void
removed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, NULL);
}

static void
run_script (JobStart *self, const char *script, const char *what)
{
  const char *const arguments[] = { self->folder, NULL };

  asb_opensandbox_script_run_async (self->execd, script, arguments, what, NULL, removed_cb, NULL);
}

/* What nobody will remember must not run. */
static void
drop_background (JobStart *self)
{
  const char *id = self->background ? asb_opensandbox_run_get_id (self->background) : NULL;

  if (id && !self->background_ended)
    asb_opensandbox_start_interrupt (self->execd, id);
}

static void
fail (GTask *task, GError *error)
{
  JobStart *self = g_task_get_task_data (task);

  self->over = TRUE;
  asb_opensandbox_thread_clear_timer (&self->look);
  drop_background (self);
  run_script (self, FORGET, "forget the job");
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

/* The command as people type it, as the guest shows it, too. */
static char *
describe (AsbCommandSpec *spec)
{
  const char *const *argv = asb_command_spec_get_argv (spec);
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);

  if (!argv || !argv[0])
    return g_strdup (asb_command_spec_get_shell (spec));
  for (gsize i = 0; argv[i]; i++)
    {
      gboolean is_plain = argv[i][0] != '\0' && argv[i][strspn (argv[i], PLAIN)] == '\0';

      g_ptr_array_add (words, is_plain ? g_strdup (argv[i]) : g_shell_quote (argv[i]));
    }
  g_ptr_array_add (words, NULL);
  return g_strjoinv (" ", (char **)words->pdata);
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
  asb_opensandbox_thread_clear_timer (&self->look);
  self->status = g_variant_ref_sink (asb_opensandbox_job_to_variant (job));
  asb_opensandbox_script_run_async (self->execd, REMEMBER, arguments, "remember the job", NULL,
                                    remembered_cb, g_object_ref (task));
}

/* Why who listens has heard nothing. */
static GError *
new_silence_error (JobStart *self)
{
  GError *unheard
      = self->background ? NULL : asb_opensandbox_command_end_new_unheard (&self->end, "job");
  g_autofree char *reason = NULL;

  if (unheard)
    return unheard;
  if (self->errors->len > 0)
    reason = asb_opensandbox_error_dup_text (self->errors->str, self->errors->len, MAX_SAID);
  else if (self->background_ended)
    reason = g_strdup ("its time was up before it had begun");
  else if (self->end.term_signal == SIGKILL)
    reason = g_strdup_printf ("it had not begun after %d seconds", START_TIMEOUT_MS / 1000);
  else
    reason = g_strdup (self->end.message ? self->end.message : "it ended before it had begun");
  return g_error_new (ASB_ERROR, ASB_ERROR_COMMAND_EXECUTION, "The job could not be started: %s",
                      reason);
}

/* Nothing of the job itself has been done. */
static gboolean
may_begin_again (JobStart *self)
{
  return self->background_ended && self->errors->len == 0
         && asb_command_spec_get_timeout_ms (self->spec) > 0
         && self->allowance_ms < MAX_ALLOWANCE_MS;
}

static void
begin_again (GTask *task)
{
  JobStart *self = g_task_get_task_data (task);

  run_script (self, FORGET, "forget the job");
  clear_attempt (self);
  self->allowance_ms = self->allowance_ms == 0 ? FIRST_ALLOWANCE_MS : self->allowance_ms * 4;
  begin (task);
}

static void look (GTask *task);

static void
go_on_silent (GTask *task)
{
  JobStart *self = g_task_get_task_data (task);
  gboolean may_be_late = self->background && self->errors->len == 0
                         && asb_command_spec_get_timeout_ms (self->spec) > 0;

  if (may_be_late && !self->background_began)
    return;
  if (may_be_late && !self->background_ended && self->n_looks < MAX_LOOKS)
    look (task);
  else if (may_begin_again (self))
    begin_again (task);
  else
    fail (task, new_silence_error (self));
}

/* Both must have said their part. */
static void
go_on (GTask *task, const GError *error)
{
  JobStart *self = g_task_get_task_data (task);

  if (self->over)
    return;
  if (self->refusal)
    {
      self->background_ended = TRUE;
      fail (task, g_steal_pointer (&self->refusal));
    }
  else if (error)
    fail (task, g_error_copy (error));
  else if (self->pid > 0 && self->background_began && asb_opensandbox_run_get_id (self->background))
    remember (task);
  else if (self->listener_done && self->pid == 0)
    go_on_silent (task);
}

/* A job whose time is up before it has begun. */

static void look_later (GTask *task, guint milliseconds);

static void
looked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  JobStart *self = g_task_get_task_data (task);
  AsbOpensandboxCommandEnd end = { 0 };
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, NULL);
  GBytes *body = reply ? asb_opensandbox_reply_get_body (reply) : NULL;
  g_autoptr (JsonObject) object
      = body ? asb_opensandbox_json_parse_object (body, "the status of a job", NULL) : NULL;
  gboolean running = TRUE;

  self->looking = FALSE;
  if (self->over || self->pid > 0)
    return;
  if (object)
    asb_opensandbox_command_end_parse_status (&end, object, &running, NULL);
  asb_opensandbox_command_end_clear (&end);
  self->background_ended = !running;
  if (running && (!self->listener_done || self->n_looks < MAX_LOOKS))
    look_later (task, LOOK_MS);
  else if (self->listener_done)
    go_on_silent (task);
  else
    run_script (self, RELEASE, "ask for the job");
}

static void
look (GTask *task)
{
  JobStart *self = g_task_get_task_data (task);
  g_autofree char *path
      = g_strdup_printf ("/command/status/%s", asb_opensandbox_run_get_id (self->background));
  g_autoptr (AsbOpensandboxRequest) request
      = asb_opensandbox_execd_new_request (self->execd, "GET", path, "ask for the job");

  asb_opensandbox_thread_clear_timer (&self->look);
  if (self->looking)
    return;
  self->looking = TRUE;
  self->n_looks++;
  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (self->execd), request,
                                     asb_opensandbox_execd_get_cancellable (self->execd), looked_cb,
                                     g_object_ref (task));
}

static gboolean
look_cb (gpointer user_data)
{
  g_autoptr (GTask) task = g_object_ref (user_data);

  look (task);
  return G_SOURCE_REMOVE;
}

static void
look_later (GTask *task, guint milliseconds)
{
  JobStart *self = g_task_get_task_data (task);

  asb_opensandbox_thread_clear_timer (&self->look);
  self->look = asb_opensandbox_thread_add_timer (milliseconds, look_cb, NULL);
  g_source_set_callback (self->look, look_cb, g_object_ref (task), g_object_unref);
}

static void
watch_time (GTask *task)
{
  JobStart *self = g_task_get_task_data (task);
  guint64 timeout_ms = asb_command_spec_get_timeout_ms (self->spec);

  if (timeout_ms > 0 && timeout_ms < START_TIMEOUT_MS && self->pid == 0
      && asb_opensandbox_run_get_id (self->background))
    look_later (task, (guint)timeout_ms + self->allowance_ms + LOOK_MS);
}

static void
background_done_cb (AsbOpensandboxRun *run, const GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  JobStart *self = g_task_get_task_data (task);

  self->background_began = error == NULL;
  if (self->over)
    drop_background (self);
  else if (!error)
    watch_time (task);
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
      go_on (task, NULL);
      return;
    }
  body = asb_opensandbox_command_script_new_job_body (self->spec, script, self->allowance_ms);
  request = asb_opensandbox_execd_new_request (self->execd, "POST", "/command", "start the job");
  asb_opensandbox_request_set_json (request, body);
  self->background = asb_opensandbox_run_start (self->execd, request, ASB_OPENSANDBOX_RUN_COMMAND,
                                                &background_handlers, g_object_ref (task));
}

static void
take_line (GTask *task, AsbOpensandboxEvent *event)
{
  JobStart *self = g_task_get_task_data (task);

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
listener_event_cb (AsbOpensandboxRun *run, AsbOpensandboxEvent *event, gpointer data)
{
  GTask *task = data;
  JobStart *self = g_task_get_task_data (task);

  if (event->type == ASB_OPENSANDBOX_EVENT_STDOUT)
    take_line (task, event);
  else if (event->type == ASB_OPENSANDBOX_EVENT_STDERR && self->errors->len < MAX_SAID)
    g_string_append_len (self->errors, event->text->str, (gssize)MIN (event->text->len, MAX_SAID));
  else
    asb_opensandbox_command_end_take (&self->end, event);
}

static void
listener_done_cb (AsbOpensandboxRun *run, const GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  JobStart *self = g_task_get_task_data (task);

  self->listener_done = TRUE;
  go_on (task, error);
}

static const AsbOpensandboxRunHandlers listener_handlers = { listener_event_cb, listener_done_cb };

static void
begin (GTask *task)
{
  JobStart *self = g_task_get_task_data (task);
  gint64 uid = asb_command_spec_get_uid (self->spec);
  g_autofree char *owner = uid >= 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, uid) : g_strdup ("");
  const char *arguments[] = { NULL, owner, NULL };

  self->token = asb_opensandbox_shell_new_token ();
  self->folder = g_strdup_printf (ASB_OPENSANDBOX_JOBS "/%s", self->token);
  arguments[0] = self->folder;
  self->listener = asb_opensandbox_run_start (
      self->execd,
      asb_opensandbox_script_new_request (self->execd, LISTEN, arguments, START_TIMEOUT_MS,
                                          "start the job"),
      ASB_OPENSANDBOX_RUN_COMMAND, &listener_handlers, g_object_ref (task));
}

void
asb_opensandbox_native_start_job (AsbOpensandboxExecd *execd, AsbCommandSpec *spec,
                                  const char *name, GTask *task)
{
  JobStart *self = g_new0 (JobStart, 1);

  self->execd = g_object_ref (execd);
  self->spec = g_object_ref (spec);
  self->name = g_strdup (name);
  self->errors = g_string_new (NULL);
  g_task_set_task_data (task, self, job_start_free);
  begin (task);
}
