/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-guest-start.h"

#include "asb-opensandbox-run.h"
#include "asb-opensandbox-thread.h"

#define MAX_ERRORS 4096
#define TIMEOUT_MS 30000

typedef struct
{
  AsbOpensandboxVisit *visit; /* borrowed: it outlives us */
  AsbOpensandboxRun *run;
  AsbOpensandboxGuestNews news;
  GString *errors;
  GSource *timer;
  gulong cancelled_id;
} Start;

static void
start_free (gpointer data)
{
  Start *self = data;

  asb_opensandbox_guest_news_clear (&self->news);
  g_string_free (self->errors, TRUE);
  g_free (self);
}

/* Takes @error; the handlers hear nothing more. */
static void
answer (GTask *data, GError *error)
{
  g_autoptr (GTask) task = data;
  Start *self = g_task_get_task_data (task);

  asb_opensandbox_thread_clear_timer (&self->timer);
  g_cancellable_disconnect (self->visit->cancellable, self->cancelled_id);
  asb_opensandbox_run_forget (self->run);
  g_clear_pointer (&self->run, asb_opensandbox_run_unref);
  if (error)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
}

static void
judge (GTask *task)
{
  Start *self = g_task_get_task_data (task);
  AsbOpensandboxVisit *visit = self->visit;

  asb_opensandbox_site_set_architecture (visit->site, self->news.architecture);
  g_free (visit->place);
  visit->place = asb_opensandbox_guest_news_dup_place (&self->news, visit->argv[0]);
  visit->is_unheard = self->news.state == ASB_OPENSANDBOX_GUEST_NONE;
  if (self->news.state == ASB_OPENSANDBOX_GUEST_LISTENS)
    asb_opensandbox_site_set_door (visit->site, self->news.port, visit->token);
  answer (task,
          asb_opensandbox_guest_news_to_error (&self->news, visit->argv[0], self->errors->str));
}

/* Its stream ends a second after the command: its first word is enough. A failure is told on both
 * streams, of which the other may still be on its way. */
static void
event_cb (AsbOpensandboxRun *run, AsbOpensandboxEvent *event, gpointer data)
{
  GTask *task = data;
  Start *self = g_task_get_task_data (task);

  if (event->type == ASB_OPENSANDBOX_EVENT_STDERR && self->errors->len < MAX_ERRORS)
    g_string_append_printf (self->errors, "%.*s\n", MAX_ERRORS, event->text->str);
  if (event->type != ASB_OPENSANDBOX_EVENT_STDOUT || self->news.state != ASB_OPENSANDBOX_GUEST_NONE)
    return;
  if (asb_opensandbox_guest_news_parse (&self->news, event->text->str, event->text->len)
      && self->news.state != ASB_OPENSANDBOX_GUEST_FAILED)
    judge (task);
}

static void
done_cb (AsbOpensandboxRun *run, const GError *error, gpointer data)
{
  if (error)
    answer (data, g_error_copy (error));
  else
    judge (data);
}

static gboolean
too_late_cb (gpointer data)
{
  answer (data, g_error_new (ASB_ERROR, ASB_ERROR_TIMED_OUT,
                             "The guest was not started within %d seconds", TIMEOUT_MS / 1000));
  return G_SOURCE_REMOVE;
}

static gboolean
cancelled_in_thread (gpointer data)
{
  GTask *task = data;
  Start *self = g_task_get_task_data (task);

  /* The reference of whoever posted this is another one. */
  if (self->run)
    answer (task,
            g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled"));
  return G_SOURCE_REMOVE;
}

/* Not from within the emission, which holds a lock. */
static void
cancelled_cb (GCancellable *cancellable, gpointer data)
{
  g_autoptr (GSource) idle = g_idle_source_new ();

  g_source_set_callback (idle, cancelled_in_thread, g_object_ref (data), g_object_unref);
  g_source_attach (idle, asb_opensandbox_thread_get_context ());
}

static AsbOpensandboxRequest *
new_request (AsbOpensandboxVisit *visit, const AsbOpensandboxArrival *arrival)
{
  AsbOpensandboxRequest *request = asb_opensandbox_execd_new_request (
      visit->execd, "POST", "/command", "start the guest in the sandbox");
  g_autofree char *script = asb_opensandbox_guest_script_new_serve (visit->argv[0], arrival);
  g_autoptr (JsonNode) node = json_node_alloc ();
  g_autoptr (JsonObject) body = json_object_new ();
  JsonObject *environment = json_object_new ();

  json_object_set_string_member (environment, ASB_OPENSANDBOX_TOKEN_VARIABLE, visit->token);
  json_object_set_string_member (body, "command", script);
  json_object_set_string_member (body, "cwd", "/");
  json_object_set_object_member (body, "envs", environment);
  json_node_init_object (node, body);
  asb_opensandbox_request_set_json (request, node);
  return request;
}

void
asb_opensandbox_guest_start_async (AsbOpensandboxVisit *visit, const AsbOpensandboxArrival *arrival,
                                   GAsyncReadyCallback callback, gpointer user_data)
{
  static const AsbOpensandboxRunHandlers handlers = { event_cb, done_cb };
  GTask *task = g_task_new (NULL, NULL, callback, user_data);
  Start *self = g_new0 (Start, 1);

  g_task_set_source_tag (task, asb_opensandbox_guest_start_async);
  g_task_set_task_data (task, self, start_free);
  self->visit = visit;
  self->errors = g_string_new (NULL);
  self->run = asb_opensandbox_run_start (visit->execd, new_request (visit, arrival),
                                         ASB_OPENSANDBOX_RUN_COMMAND, &handlers, task);
  self->timer = asb_opensandbox_thread_add_timer (TIMEOUT_MS, too_late_cb, task);
  self->cancelled_id = g_cancellable_connect (visit->cancellable, G_CALLBACK (cancelled_cb),
                                              g_object_ref (task), g_object_unref);
}

gboolean
asb_opensandbox_guest_start_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
