/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-native-jobs.h"

#include <signal.h>
#include <string.h>

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-script.h"
#include "asb-opensandbox-start.h"
#include "asb-opensandbox-thread.h"
#include "asb-opensandbox-wait.h"

#define MAX_LIST 100
#define HARD_STOP_US (500 * 1000)

/* Looking one up: its folder, and what execd says. */

typedef struct
{
  AsbOpensandboxExecd *execd;
  AsbOpensandboxJob *job;
  AsbOpensandboxJobFound callback;
  gpointer data;
} Look;

static void
finish_look (Look *self, GError *error)
{
  if (error)
    g_clear_pointer (&self->job, asb_opensandbox_job_free);
  self->callback (g_steal_pointer (&self->job), error, self->data);
  g_object_unref (self->execd);
  g_free (self);
}

/* execd forgets commands when it is started anew. */
static void
status_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Look *self = user_data;
  GError *error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);
  g_autoptr (JsonObject) object = NULL;

  if (error && asb_opensandbox_error_get_status (error) == SOUP_STATUS_NOT_FOUND)
    g_clear_error (&error);
  if (reply)
    object = asb_opensandbox_json_parse_object (asb_opensandbox_reply_get_body (reply),
                                                "the status of a job", &error);
  if (!error)
    asb_opensandbox_job_take_status (self->job, object, &error);
  finish_look (self, error);
}

/* Takes @job. */
static void
ask_execd (AsbOpensandboxExecd *execd, AsbOpensandboxJob *job, AsbOpensandboxJobFound callback,
           gpointer data)
{
  Look *self = g_new0 (Look, 1);
  g_autofree char *path = g_strdup_printf ("/command/status/%s", job->command_id);
  g_autoptr (AsbOpensandboxRequest) request
      = asb_opensandbox_execd_new_request (execd, "GET", path, "ask for the job");

  self->execd = g_object_ref (execd);
  self->job = job;
  self->callback = callback;
  self->data = data;
  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (execd), request,
                                     asb_opensandbox_execd_get_cancellable (execd), status_cb,
                                     self);
}

static void
told_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Look *self = user_data;
  GError *error = NULL;
  g_autoptr (AsbOpensandboxScriptResult) done = asb_opensandbox_script_run_finish_well (
      ASB_OPENSANDBOX_EXECD (source), result, NULL, &error);
  AsbOpensandboxJob *job = done ? asb_opensandbox_job_parse (done->lines, &error) : NULL;

  if (!job)
    {
      finish_look (self, error);
      return;
    }
  ask_execd (self->execd, job, self->callback, self->data);
  g_object_unref (self->execd);
  g_free (self);
}

void
asb_opensandbox_native_look_up_job (AsbOpensandboxExecd *execd, const char *id,
                                    AsbOpensandboxJobFound callback, gpointer data)
{
  g_autofree char *command_id = NULL;
  g_autofree char *token = NULL;
  g_autofree char *folder = NULL;
  const char *arguments[] = { NULL, NULL };
  Look *self;

  if (!id || !asb_opensandbox_job_split_id (id, &command_id, &token))
    {
      callback (NULL,
                g_error_new (ASB_ERROR, ASB_ERROR_JOB_NOT_FOUND, "There is no job “%.128s”",
                             id ? id : ""),
                data);
      return;
    }
  folder = g_strdup_printf (ASB_OPENSANDBOX_JOBS "/%s", token);
  arguments[0] = folder;
  self = g_new0 (Look, 1);
  self->execd = g_object_ref (execd);
  self->callback = callback;
  self->data = data;
  asb_opensandbox_script_ask_async (execd, ASB_OPENSANDBOX_JOB_TELL, arguments, "ask for the job",
                                    NULL, told_cb, self);
}

/* The calls. */

typedef struct
{
  AsbOpensandboxExecd *execd;
  char *id;
  int signal_number;
  GPtrArray *jobs; /* to be asked for; with “list” */
  guint n_asked;
  GVariantBuilder list;
  gboolean more;
  gint64 stop_at; /* when to stop it harder; 0: not at all */
  guint wait_ms;
  GSource *timer;
} JobCall;

static void
job_call_free (gpointer data)
{
  JobCall *self = data;

  g_clear_object (&self->execd);
  g_clear_pointer (&self->jobs, g_ptr_array_unref);
  asb_opensandbox_thread_clear_timer (&self->timer);
  g_free (self->id);
  g_free (self);
}

static void
answer_status_cb (AsbOpensandboxJob *job, GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  g_autoptr (AsbOpensandboxJob) held = job;

  if (job)
    asb_opensandbox_answer_variant (task, asb_opensandbox_job_to_variant (job));
  else
    g_task_return_error (task, error);
}

static void wait_on (GTask *task);

/* execd tells nobody of an end: it is asked, less and less often. */
static gboolean
look_again_cb (gpointer user_data)
{
  GTask *task = user_data;
  JobCall *self = g_task_get_task_data (task);

  asb_opensandbox_thread_clear_timer (&self->timer);
  wait_on (task);
  return G_SOURCE_REMOVE;
}

static void
waited_cb (AsbOpensandboxJob *job, GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  JobCall *self = g_task_get_task_data (task);

  if (!job || !job->running)
    {
      answer_status_cb (job, error, g_object_ref (task));
      return;
    }
  if (g_task_return_error_if_cancelled (task))
    {
      asb_opensandbox_job_free (job);
      return;
    }
  if (self->stop_at > 0 && g_get_monotonic_time () >= self->stop_at)
    {
      asb_opensandbox_start_kill (self->execd, job->pid);
      self->stop_at = 0;
    }
  asb_opensandbox_job_free (job);
  self->timer = asb_opensandbox_thread_add_timer (asb_opensandbox_wait_next (&self->wait_ms),
                                                  look_again_cb, NULL);
  g_source_set_callback (self->timer, look_again_cb, g_object_ref (task), g_object_unref);
}

static void
wait_on (GTask *task)
{
  JobCall *self = g_task_get_task_data (task);

  asb_opensandbox_native_look_up_job (self->execd, self->id, waited_cb, g_object_ref (task));
}

static void
stop_sent_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, NULL);

  wait_on (task);
}

static void
stop_found_cb (AsbOpensandboxJob *job, GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  JobCall *self = g_task_get_task_data (task);
  g_autoptr (AsbOpensandboxJob) held = job;
  g_autofree char *folder = NULL;
  g_autofree char *pid = NULL;
  const char *arguments[] = { NULL, NULL, NULL };

  if (!job || !job->running)
    {
      answer_status_cb (g_steal_pointer (&held), error, g_object_ref (task));
      return;
    }
  folder = g_strdup_printf (ASB_OPENSANDBOX_JOBS "/%s", job->token);
  pid = g_strdup_printf ("%d", job->pid);
  arguments[0] = folder;
  arguments[1] = pid;
  self->stop_at = g_get_monotonic_time () + HARD_STOP_US;
  asb_opensandbox_script_run_async (self->execd, ": >\"$1/c\"; kill -15 \"-$2\"", arguments,
                                    "stop the job", NULL, stop_sent_cb, g_object_ref (task));
}

static void
signalled_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  gboolean delivered = g_task_propagate_boolean (G_TASK (result), &error);
  GVariantDict dict;

  if (error)
    {
      g_task_return_error (task, error);
      return;
    }
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "delivered", "b", delivered);
  asb_opensandbox_answer_variant (task, g_variant_dict_end (&dict));
}

static void
signal_found_cb (AsbOpensandboxJob *job, GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  JobCall *self = g_task_get_task_data (task);
  g_autoptr (AsbOpensandboxJob) held = job;
  g_autoptr (GTask) inner = NULL;

  if (!job)
    {
      g_task_return_error (task, error);
      return;
    }
  inner = g_task_new (NULL, NULL, signalled_cb, g_object_ref (task));
  if (job->running)
    asb_opensandbox_start_send_signal (self->execd, job->pid, self->signal_number, inner);
  else
    g_task_return_boolean (inner, FALSE);
}

static void
removed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  g_autoptr (AsbOpensandboxScriptResult) done = asb_opensandbox_script_run_finish_well (
      ASB_OPENSANDBOX_EXECD (source), result, NULL, &error);

  if (done)
    asb_opensandbox_answer_variant (task, g_variant_new ("a{sv}", NULL));
  else
    g_task_return_error (task, error);
}

static void
remove_found_cb (AsbOpensandboxJob *job, GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  JobCall *self = g_task_get_task_data (task);
  g_autoptr (AsbOpensandboxJob) held = job;
  g_autofree char *folder = NULL;
  const char *arguments[] = { NULL, NULL };

  if (!job)
    g_task_return_error (task, error);
  else if (job->running)
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_JOB_RUNNING,
                             "Job “%s” has not ended: stop it first", job->id);
  else
    {
      folder = g_strdup_printf (ASB_OPENSANDBOX_JOBS "/%s", job->token);
      arguments[0] = folder;
      asb_opensandbox_script_run_async (self->execd, "rm -rf \"$1\"", arguments, "forget the job",
                                        NULL, removed_cb, g_object_ref (task));
    }
}

/* The list: all folders at once, then each is asked for. */

#define LIST                                                                                       \
  "for j in " ASB_OPENSANDBOX_JOBS "/*; do\n"                                                      \
  "set -- \"$j\"\n" ASB_OPENSANDBOX_JOB_TELL "done\n"

static void ask_next (GTask *task);

static void
listed_one_cb (AsbOpensandboxJob *job, GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  JobCall *self = g_task_get_task_data (task);
  g_autoptr (AsbOpensandboxJob) held = job;

  if (!job)
    {
      g_variant_builder_clear (&self->list);
      g_task_return_error (task, error);
      return;
    }
  g_variant_builder_add_value (&self->list, asb_opensandbox_job_to_variant (job));
  ask_next (task);
}

static void
ask_next (GTask *task)
{
  JobCall *self = g_task_get_task_data (task);
  GVariantDict dict;

  if (self->n_asked < self->jobs->len)
    {
      ask_execd (self->execd, g_steal_pointer (&self->jobs->pdata[self->n_asked++]), listed_one_cb,
                 g_object_ref (task));
      return;
    }
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "jobs", g_variant_builder_end (&self->list));
  g_variant_dict_insert (&dict, "more", "b", self->more);
  asb_opensandbox_answer_variant (task, g_variant_dict_end (&dict));
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  gint64 first = (*(AsbOpensandboxJob *const *)a)->number;
  gint64 second = (*(AsbOpensandboxJob *const *)b)->number;

  return first < second ? -1 : first > second;
}

static void
free_job (gpointer job)
{
  if (job)
    asb_opensandbox_job_free (job);
}

/* Those with a number above @after. What makes no sense is not ours. */
static void
take_list (JobCall *self, char **lines, gint64 after, guint limit)
{
  guint n_lines = g_strv_length (lines);

  for (guint at = 0; at + ASB_OPENSANDBOX_JOB_LINES <= n_lines; at += ASB_OPENSANDBOX_JOB_LINES)
    {
      AsbOpensandboxJob *job = asb_opensandbox_job_parse (lines + at, NULL);

      if (job && job->number > after)
        g_ptr_array_add (self->jobs, job);
      else if (job)
        asb_opensandbox_job_free (job);
    }
  g_ptr_array_sort (self->jobs, compare_numbers);
  self->more = self->jobs->len > limit;
  if (self->more)
    g_ptr_array_set_size (self->jobs, (int)limit);
}

#define ARGUMENTS_KEY "asb-opensandbox-arguments"

static void
listed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  JobCall *self = g_task_get_task_data (task);
  GVariant *arguments = g_object_get_data (G_OBJECT (task), ARGUMENTS_KEY);
  GError *error = NULL;
  g_autoptr (AsbOpensandboxScriptResult) done = asb_opensandbox_script_run_finish_well (
      ASB_OPENSANDBOX_EXECD (source), result, NULL, &error);
  gint64 after = 0;
  gint64 limit = MAX_LIST;

  if (!done)
    {
      g_task_return_error (task, error);
      return;
    }
  g_variant_lookup (arguments, "after", "x", &after);
  g_variant_lookup (arguments, "limit", "x", &limit);
  self->jobs = g_ptr_array_new_with_free_func (free_job);
  take_list (self, done->lines, after, (guint)CLAMP (limit, 1, MAX_LIST));
  g_variant_builder_init (&self->list, G_VARIANT_TYPE ("aa{sv}"));
  ask_next (task);
}

static void
list (AsbOpensandboxExecd *execd, GTask *task)
{
  const char *const arguments[] = { NULL };

  asb_opensandbox_script_ask_async (execd, LIST, arguments, "list the jobs", NULL, listed_cb,
                                    g_object_ref (task));
}

static gboolean
look_up_signal (GVariant *arguments, int *number)
{
  gint64 value = 0;
  gint32 small = 0;

  if (g_variant_lookup (arguments, "signal", "i", &small))
    value = small;
  else
    g_variant_lookup (arguments, "signal", "x", &value);
  *number = (int)CLAMP (value, 0, 65);
  return value >= 1 && value <= 64;
}

gboolean
asb_opensandbox_native_call_job (AsbOpensandboxExecd *execd, const char *name, GVariant *arguments,
                                 GTask *task)
{
  static const struct
  {
    const char *name;
    AsbOpensandboxJobFound found;
  } calls[] = { { "job.status", answer_status_cb }, { "job.wait", waited_cb },
                { "job.stop", stop_found_cb },      { "job.signal", signal_found_cb },
                { "job.remove", remove_found_cb },  { "job.list", NULL } };
  JobCall *self;

  for (gsize i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      if (strcmp (name, calls[i].name) != 0)
        continue;
      self = g_new0 (JobCall, 1);
      self->execd = g_object_ref (execd);
      g_variant_lookup (arguments, "job_id", "s", &self->id);
      g_object_set_data_full (G_OBJECT (task), ARGUMENTS_KEY, g_variant_ref (arguments),
                              (GDestroyNotify)g_variant_unref);
      g_task_set_task_data (task, self, job_call_free);
      if (!calls[i].found)
        list (execd, task);
      else if (calls[i].found == signal_found_cb
               && !look_up_signal (arguments, &self->signal_number))
        g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                                 "A signal is a number from 1 to 64");
      else
        asb_opensandbox_native_look_up_job (execd, self->id, calls[i].found, g_object_ref (task));
      return TRUE;
    }
  return FALSE;
}
