/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>

#include "asb-backend-commands-private.h"
#include "asb-call-private.h"
#include "asb-error-private.h"
#include "asb-guest-json-private.h"
#include "asb-job-private.h"
#include "asb-sync-private.h"
#include "asb-wire-json.h"
#include "asb-wire-variant-private.h"

#define PAGE_SIZE 100
#define MAX_JOBS 100000
#define NAME_KEY "asb-job-name"
#define MAX_NAME_LENGTH 128

/* Starting. */

/* A record that is kept here gets its end as long as somebody here is told of it. */
typedef struct
{
  AsbJob *job;
  AsbBackend *backend;
  AsbOperation *operation;
  GMainContext *context;
} Watch;

static void
watch_free (Watch *watch)
{
  g_object_unref (watch->job);
  g_object_unref (watch->backend);
  g_main_context_unref (watch->context);
  g_object_unref (watch->operation);
  g_free (watch);
}

static void
recorded_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  if (!asb_recorder_complete_finish (ASB_RECORDER (source), result, &error))
    g_debug ("The end of a job was not recorded: %s", error->message);
  watch_free (user_data);
}

static void
watched_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Watch *watch = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbCommandResult) end = asb_job_wait_finish (ASB_JOB (source), result, &error);

  asb_backend_record_command_end (watch->backend->recorder, watch->operation, end, error,
                                  recorded_cb, watch);
}

static gboolean
begin_watching_cb (gpointer user_data)
{
  Watch *watch = user_data;

  g_main_context_push_thread_default (watch->context);
  asb_job_wait_async (watch->job, NULL, watched_cb, watch);
  g_main_context_pop_thread_default (watch->context);
  return G_SOURCE_REMOVE;
}

/* Takes @operation (nullable). */
static void
watch (AsbJob *job, AsbOperation *operation, GMainContext *context)
{
  g_autoptr (GSource) source = NULL;
  Watch *self;

  if (!operation)
    return;
  self = g_new0 (Watch, 1);
  self->job = g_object_ref (job);
  self->backend = g_object_ref (asb_job_get_backend (job));
  self->operation = operation;
  self->context = g_main_context_ref (context);
  source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (source, "AsbJob watch");
  g_source_set_callback (source, begin_watching_cb, self, NULL);
  g_source_attach (source, context);
}

static void
started_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  g_autoptr (GVariant) status
      = asb_transport_start_job_finish (ASB_TRANSPORT (source), result, &error);
  const char *record_error = g_object_get_data (G_OBJECT (run->request), "asb-record-error");
  g_autoptr (AsbJob) job
      = status ? asb_job_new_started (run->backend, status, record_error, &error) : NULL;
  g_autoptr (GMainContext) context = NULL;

  if (!job)
    {
      asb_run_return_error (run, error);
      return;
    }
  context = g_main_context_ref (g_object_get_data (G_OBJECT (run->request), "asb-context"));
  watch (job, asb_run_return_started (run, g_object_ref (job)), context);
}

static void
perform_start (AsbRun *run)
{
  asb_transport_start_job_async (run->backend->transport, ASB_COMMAND_SPEC (run->request),
                                 g_object_get_data (G_OBJECT (run->task), NAME_KEY),
                                 g_task_get_cancellable (run->task), started_cb, run);
}

static gboolean
check_name (const char *name, GError **error)
{
  gsize length = name ? strlen (name) : 0;

  if (!name || (length > 0 && length <= MAX_NAME_LENGTH && g_utf8_validate (name, -1, NULL)))
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "The name of a job must be text in UTF-8, of 1 to %d bytes", MAX_NAME_LENGTH);
  return FALSE;
}

/* @context: where the end is recorded; not the private one of a blocking call. */
static void
start_job (AsbBackend *self, AsbCommandSpec *spec, const char *name, GMainContext *context,
           GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "start the job", 0, NULL };
  GTask *task = asb_call_begin (self, &kind, ASB_TYPE_JOB, cancellable, callback, user_data,
                                asb_backend_start_job_async);
  GError *error = NULL;

  if (!check_name (name, &error))
    {
      g_task_return_error (task, error);
      g_object_unref (task);
      return;
    }
  g_object_set_data_full (G_OBJECT (task), NAME_KEY, g_strdup (name), g_free);
  asb_backend_begin_command (self, task, spec, asb_command_spec_get_flags (spec), context,
                             perform_start);
}

/* Looking at them. That is not recorded. */

static void
status_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  g_autoptr (GVariant) status = asb_transport_call_finish (ASB_TRANSPORT (source), result, &error);
  AsbJob *job = status ? asb_job_new_from_variant (run->backend, status, &error) : NULL;

  if (job)
    asb_run_return_object (run, job, NULL);
  else
    asb_run_return_error (run, error);
}

static void
perform_query (AsbRun *run)
{
  GVariantDict arguments;

  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert_value (&arguments, "job_id",
                               asb_run_describe_text (g_task_get_task_data (run->task)));
  asb_transport_call_async (run->backend->transport, "job.status", g_variant_dict_end (&arguments),
                            g_task_get_cancellable (run->task), status_cb, run);
}

static void
begin_query (GTask *task, const char *job_id)
{
  const AsbRunRecord nothing = { .travels = TRUE };

  g_task_set_task_data (task, g_strdup (job_id), g_free);
  asb_run_begin (g_task_get_source_object (task), task, &nothing, NULL, perform_query);
}

typedef struct
{
  GListStore *store;
  gint64 last; /* number of a job */
} Listing;

static void
listing_free (gpointer data)
{
  Listing *listing = data;

  g_object_unref (listing->store);
  g_free (listing);
}

static gboolean
add_page (AsbRun *run, const json_t *page, gboolean *more, GError **error)
{
  Listing *listing = g_task_get_task_data (run->task);
  const json_t *jobs;

  if (!asb_guest_json_get_array (page, "jobs", PAGE_SIZE, &jobs, error)
      || !asb_guest_json_get_boolean (page, "more", more, error))
    return FALSE;
  for (gsize i = 0; i < json_array_size (jobs); i++)
    {
      const json_t *status = json_array_get (jobs, i);
      g_autoptr (AsbJob) job = asb_job_new_from_json (run->backend, status, error);

      if (!job
          || !asb_guest_json_get_integer (status, "number", listing->last + 1, ASB_WIRE_MAX_INTEGER,
                                          &listing->last, error))
        return FALSE;
      g_list_store_append (listing->store, job);
    }
  if (*more
      && (json_array_size (jobs) == 0
          || g_list_model_get_n_items (G_LIST_MODEL (listing->store)) >= MAX_JOBS))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL, "The list of jobs does not end");
      return FALSE;
    }
  return TRUE;
}

static void ask_for_page (AsbRun *run);

static void
page_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbRun *run = user_data;
  GError *error = NULL;
  g_autoptr (GVariant) answer = asb_transport_call_finish (ASB_TRANSPORT (source), result, &error);
  g_autoptr (json_t) page = answer ? asb_wire_variant_to_json (answer, &error) : NULL;
  Listing *listing = g_task_get_task_data (run->task);
  gboolean more;

  if (!page || !add_page (run, page, &more, &error))
    asb_run_return_error (run, error);
  else if (more)
    ask_for_page (run);
  else
    asb_run_return_object (run, g_object_ref (listing->store), NULL);
}

static void
ask_for_page (AsbRun *run)
{
  const Listing *listing = g_task_get_task_data (run->task);
  GVariantDict arguments;

  g_variant_dict_init (&arguments, NULL);
  g_variant_dict_insert (&arguments, "after", "x", listing->last);
  g_variant_dict_insert (&arguments, "limit", "x", (gint64)PAGE_SIZE);
  asb_transport_call_async (run->backend->transport, "job.list", g_variant_dict_end (&arguments),
                            g_task_get_cancellable (run->task), page_cb, run);
}

static void
begin_list (GTask *task)
{
  const AsbRunRecord nothing = { .travels = TRUE };
  Listing *listing = g_new0 (Listing, 1);

  listing->store = g_list_store_new (ASB_TYPE_JOB);
  g_task_set_task_data (task, listing, listing_free);
  asb_run_begin (g_task_get_source_object (task), task, &nothing, NULL, ask_for_page);
}

/**
 * asb_backend_start_job_async:
 * @self: a [class@Backend]
 * @spec: the command; of its flags those that give it an input are refused, and those that silence
 * or merge its output decide what is kept
 * @name: (nullable): a label for people, of 1 to 128 bytes; it need not be unique
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Starts a command that runs on for itself: also when this backend is closed, or this program
 * killed. Done when the program runs; %ASB_ERROR_COMMAND_NOT_FOUND,
 * %ASB_ERROR_COMMAND_NOT_EXECUTABLE and %ASB_ERROR_WORKING_DIRECTORY say why it does not, and then
 * there is no job. A sandbox that ends takes its jobs with it.
 *
 * A sandbox keeps 1,000 jobs at most; those that ended first are forgotten.
 * %ASB_ERROR_TOO_MANY_REQUESTS means that so many are running. A record inside the sandbox gets the
 * end of the job there; another one gets it in the thread-default main context of this call, as
 * long as that runs.
 *
 * Since: 1.0
 */
void
asb_backend_start_job_async (AsbBackend *self, AsbCommandSpec *spec, const char *name,
                             GCancellable *cancellable, GAsyncReadyCallback callback,
                             gpointer user_data)
{
  g_autoptr (GMainContext) context = NULL;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (ASB_IS_COMMAND_SPEC (spec));

  context = g_main_context_ref_thread_default ();
  start_job (self, spec, name, context, cancellable, callback, user_data);
}

/**
 * asb_backend_start_job_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.start_job_async].
 *
 * Returns: (transfer full): the job, running
 *
 * Since: 1.0
 */
AsbJob *
asb_backend_start_job_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_start_job:
 * @self: a [class@Backend]
 * @spec: the command; of its flags those that give it an input are refused, and those that silence
 * or merge its output decide what is kept
 * @name: (nullable): a label for people, of 1 to 128 bytes; it need not be unique
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Starts a command that runs on for itself: also when this backend is closed, or this program
 * killed. Done when the program runs; %ASB_ERROR_COMMAND_NOT_FOUND,
 * %ASB_ERROR_COMMAND_NOT_EXECUTABLE and %ASB_ERROR_WORKING_DIRECTORY say why it does not, and then
 * there is no job. A sandbox that ends takes its jobs with it.
 *
 * A sandbox keeps 1,000 jobs at most; those that ended first are forgotten.
 * %ASB_ERROR_TOO_MANY_REQUESTS means that so many are running. A record inside the sandbox gets the
 * end of the job there; another one gets it in the thread-default main context of this call, as
 * long as that runs. Blocks; see [method@Backend.start_job_async].
 *
 * Returns: (transfer full): the job, running
 *
 * Since: 1.0
 */
AsbJob *
asb_backend_start_job (AsbBackend *self, AsbCommandSpec *spec, const char *name,
                       GCancellable *cancellable, GError **error)
{
  g_autoptr (GMainContext) context = NULL;
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (ASB_IS_COMMAND_SPEC (spec), NULL);

  context = g_main_context_ref_thread_default ();
  asb_sync_begin (&sync);
  start_job (self, spec, name, context, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_start_job_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_backend_list_jobs_async:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Lists the jobs that the sandbox knows, whoever started them: those that run, and those that have
 * ended and are not forgotten.
 *
 * Since: 1.0
 */
void
asb_backend_list_jobs_async (AsbBackend *self, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "list the jobs", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));

  task = asb_call_begin (self, &kind, G_TYPE_LIST_MODEL, cancellable, callback, user_data,
                         asb_backend_list_jobs_async);
  begin_list (task);
}

/**
 * asb_backend_list_jobs_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.list_jobs_async].
 *
 * Returns: (transfer full): the jobs, as [class@Job], in the order in which they started
 *
 * Since: 1.0
 */
GListModel *
asb_backend_list_jobs_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_list_jobs:
 * @self: a [class@Backend]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Lists the jobs that the sandbox knows, whoever started them: those that run, and those that have
 * ended and are not forgotten. Blocks; see [method@Backend.list_jobs_async].
 *
 * Returns: (transfer full): the jobs, as [class@Job], in the order in which they started
 *
 * Since: 1.0
 */
GListModel *
asb_backend_list_jobs (AsbBackend *self, GCancellable *cancellable, GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  asb_sync_begin (&sync);
  asb_backend_list_jobs_async (self, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_list_jobs_finish (self, asb_sync_wait (&sync), error);
}

/**
 * asb_backend_query_job_async:
 * @self: a [class@Backend]
 * @job_id: the [property@Job:id]
 * @cancellable: (nullable): a way to cancel
 * @callback: (scope async): called when it is done
 * @user_data: data for @callback
 *
 * Finds a job by its id. %ASB_ERROR_JOB_NOT_FOUND means that there is none: it was removed,
 * forgotten because many came after it, or the sandbox was started anew and the record says
 * `unknown`.
 *
 * Since: 1.0
 */
void
asb_backend_query_job_async (AsbBackend *self, const char *job_id, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbCallKind kind = { "look at the job", 0, NULL };
  GTask *task;

  g_return_if_fail (ASB_IS_BACKEND (self));
  g_return_if_fail (job_id != NULL);

  task = asb_call_begin (self, &kind, ASB_TYPE_JOB, cancellable, callback, user_data,
                         asb_backend_query_job_async);
  begin_query (task, job_id);
}

/**
 * asb_backend_query_job_finish:
 * @self: a [class@Backend]
 * @result: the result handed to the callback
 * @error: return location for an error
 *
 * Finishes [method@Backend.query_job_async].
 *
 * Returns: (transfer full): the job as it is now
 *
 * Since: 1.0
 */
AsbJob *
asb_backend_query_job_finish (AsbBackend *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);

  return asb_call_finish_pointer (self, result, error);
}

/**
 * asb_backend_query_job:
 * @self: a [class@Backend]
 * @job_id: the [property@Job:id]
 * @cancellable: (nullable): a way to cancel
 * @error: return location for an error
 *
 * Finds a job by its id. %ASB_ERROR_JOB_NOT_FOUND means that there is none: it was removed,
 * forgotten because many came after it, or the sandbox was started anew and the record says
 * `unknown`. Blocks; see [method@Backend.query_job_async].
 *
 * Returns: (transfer full): the job as it is now
 *
 * Since: 1.0
 */
AsbJob *
asb_backend_query_job (AsbBackend *self, const char *job_id, GCancellable *cancellable,
                       GError **error)
{
  g_auto (AsbSync) sync = { 0 };

  g_return_val_if_fail (ASB_IS_BACKEND (self), NULL);
  g_return_val_if_fail (job_id != NULL, NULL);

  asb_sync_begin (&sync);
  asb_backend_query_job_async (self, job_id, cancellable, asb_sync_ready_cb, &sync);
  return asb_backend_query_job_finish (self, asb_sync_wait (&sync), error);
}
