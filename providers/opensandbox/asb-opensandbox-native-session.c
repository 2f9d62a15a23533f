/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-native-session.h"

#include <string.h>

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-cancel.h"
#include "asb-opensandbox-command-end.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-native-ask.h"
#include "asb-opensandbox-run.h"
#include "asb-opensandbox-shell.h"
#include "asb-opensandbox-start.h"

/* What is printed, at most; the rest is counted. */
#define MAX_OUTPUT (16 * 1024 * 1024)

/* execd says so with status 500. */
#define NO_SESSION "context not found"
#define NO_BASH "exec: \"bash\": executable file not found"

/* What left the group of processes of its command may hold the output open. */
#define GRACE_MS 1000

#define MAX_PID 4194304

/* execd's own limit is behind ours, for when this program is gone. */
#define BACKSTOP_MS 5000

typedef struct
{
  AsbOpensandboxExecd *execd;
  AsbOpensandboxRun *run;
  AsbOpensandboxCancelWatch *cancelled;
  GSource *limit;
  char *token; /* what it prints first, with the number of its shell, which leads its group */
  int pid;     /* of that, 0 until then */
  gboolean killed;
  gboolean is_unwanted; /* the task is answered */
  GString *output;
  guint64 total;
  AsbOpensandboxCommandEnd end;
  gint64 duration; /* −1: not said */
  gboolean timed_out;
} Session;

/* Before the task is answered, since it is let go of anywhere. */
static void
stop (Session *self)
{
  asb_opensandbox_cancel_unwatch (&self->cancelled);
  asb_opensandbox_thread_clear_timer (&self->limit);
  g_clear_pointer (&self->run, asb_opensandbox_run_unref);
}

static void
session_free (gpointer data)
{
  Session *self = data;

  g_clear_object (&self->execd);
  g_free (self->token);
  g_string_free (self->output, TRUE);
  asb_opensandbox_command_end_clear (&self->end);
  g_free (self);
}

static GError *
translate (const GError *error)
{
  if (strstr (error->message, NO_SESSION) || strstr (error->message, "CONTEXT_NOT_FOUND"))
    return g_error_new_literal (ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                                "The sandbox has no such session; it may have been deleted");
  if (strstr (error->message, NO_BASH))
    return g_error_new_literal (ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                                "The image of this sandbox has no bash, which sessions need");
  return g_error_copy (error);
}

/* Running. */

/* execd ends the shell when the connection goes or its time is over, and nothing that it runs. */
static void
kill_group (Session *self)
{
  if (self->pid > 0)
    asb_opensandbox_start_kill (self->execd, self->pid);
  self->killed = TRUE;
}

static gboolean
take_pid (Session *self, const GString *text)
{
  guint64 number;

  if (self->pid > 0 || !g_str_has_prefix (text->str, self->token)
      || !g_ascii_string_to_unsigned (text->str + strlen (self->token), 10, 1, MAX_PID, &number,
                                      NULL))
    return FALSE;
  self->pid = (int)number;
  if (self->killed)
    kill_group (self);
  return TRUE;
}

/* Blank lines do not come, and the others without their ends. */
static void
add_line (Session *self, GString *text)
{
  gsize room = MAX_OUTPUT - self->output->len;

  if (take_pid (self, text))
    return;
  if (text->len == 0 || text->str[text->len - 1] != '\n')
    g_string_append_c (text, '\n');
  self->total += text->len;
  g_string_append_len (self->output, text->str, (gssize)MIN (text->len, room));
}

static void
event_cb (AsbOpensandboxRun *run, AsbOpensandboxEvent *event, gpointer data)
{
  Session *self = g_task_get_task_data (data);

  if (event->type == ASB_OPENSANDBOX_EVENT_STDOUT || event->type == ASB_OPENSANDBOX_EVENT_STDERR)
    add_line (self, event->text);
  else
    asb_opensandbox_command_end_take (&self->end, event);
  if (event->type == ASB_OPENSANDBOX_EVENT_COMPLETE)
    self->duration = event->number;
}

static const char *
name_state (Session *self)
{
  if (self->timed_out)
    return "timeout";
  return self->end.has_exit_status && self->end.exit_status == 0 ? "succeeded" : "failed";
}

static GVariant *
describe (Session *self)
{
  g_autofree char *text = g_utf8_make_valid (self->output->str, (gssize)self->output->len);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "state", "s", name_state (self));
  g_variant_dict_insert (&dict, "output", "s", text);
  g_variant_dict_insert (&dict, "output_total", "x", (gint64)self->total);
  if (self->end.has_exit_status && !self->timed_out)
    g_variant_dict_insert (&dict, "exit_status", "i", self->end.exit_status);
  if (self->end.term_signal && !self->timed_out)
    g_variant_dict_insert (&dict, "term_signal", "i", self->end.term_signal);
  if (self->duration >= 0)
    g_variant_dict_insert (&dict, "duration_ms", "x", self->duration);
  return g_variant_dict_end (&dict);
}

/* “signal: killed” comes where the exit status would be. */
static gboolean
has_ended (Session *self)
{
  if (!self->end.has_exit_status && self->end.message && self->end.term_signal == 0)
    self->end.term_signal = asb_opensandbox_command_end_parse_signal (self->end.message);
  return self->timed_out || self->end.has_exit_status || self->end.term_signal > 0;
}

static void
done_cb (AsbOpensandboxRun *run, const GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  Session *self = g_task_get_task_data (task);
  g_autoptr (GError) described = NULL;

  if (error)
    described = asb_opensandbox_run_describe (run, "run the command in the session", error);
  stop (self);
  if (self->is_unwanted)
    return;
  if (has_ended (self))
    {
      asb_opensandbox_answer_variant (task, describe (self));
      return;
    }
  if (!described)
    described = g_error_new (ASB_ERROR, ASB_ERROR_COMMAND_EXECUTION,
                             "The command could not be run in the session: %s",
                             self->end.message ? self->end.message : "no reason given");
  g_task_return_error (task, translate (described));
}

static const AsbOpensandboxRunHandlers handlers = { event_cb, done_cb };

/* The caller is answered at once. A command that may have begun, and whose number has not come yet,
 * is listened to until it has. */
static void
cancelled_cb (gpointer data)
{
  g_autoptr (GTask) task = g_object_ref (data);
  Session *self = g_task_get_task_data (task);

  asb_opensandbox_thread_clear_timer (&self->limit);
  self->is_unwanted = TRUE;
  if (self->pid > 0)
    {
      asb_opensandbox_run_forget (self->run);
      stop (self);
      g_object_unref (data); /* of the run */
    }
  kill_group (self);
  g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled");
}

static gboolean
waited_cb (gpointer data)
{
  g_autoptr (GTask) task = data;
  Session *self = g_task_get_task_data (task);

  asb_opensandbox_run_forget (self->run);
  stop (self);
  asb_opensandbox_answer_variant (task, describe (self));
  return G_SOURCE_REMOVE;
}

static gboolean
limit_cb (gpointer data)
{
  Session *self = g_task_get_task_data (data);

  asb_opensandbox_thread_clear_timer (&self->limit);
  self->timed_out = TRUE;
  kill_group (self);
  self->limit = asb_opensandbox_thread_add_timer (GRACE_MS, waited_cb, data);
  return G_SOURCE_REMOVE;
}

/* With a slash in front. NULL: the task is answered. */
static char *
dup_path (GVariant *arguments, GTask *task)
{
  const char *id = "";
  g_autofree char *escaped = NULL;

  g_variant_lookup (arguments, "session_id", "&s", &id);
  if (*id)
    {
      escaped = g_uri_escape_string (id, NULL, FALSE);
      return g_strdup_printf ("/session/%s", escaped);
    }
  g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "Which session is meant is not said: “session_id” is missing");
  return NULL;
}

/* The line in front is read by take_pid (). */
static JsonObject *
new_body (Session *self, GVariant *arguments, gint64 timeout)
{
  const char *command = "";
  g_autofree char *text = NULL;
  JsonObject *body = json_object_new ();

  g_variant_lookup (arguments, "command", "&s", &command);
  text = g_strdup_printf ("echo %s$$\n%s", self->token, command);
  json_object_set_string_member (body, "command", text);
  asb_opensandbox_native_ask_set_string (body, "cwd", arguments, "cwd");
  if (timeout > 0)
    json_object_set_int_member (body, "timeout", timeout + BACKSTOP_MS);
  return body;
}

static gboolean
check (GVariant *arguments, gint64 *timeout, GTask *task)
{
  const char *command = "";

  *timeout = 0;
  g_variant_lookup (arguments, "command", "&s", &command);
  g_variant_lookup (arguments, "timeout_ms", "x", timeout);
  if (*command && *timeout >= 0 && *timeout < G_MAXINT32 - BACKSTOP_MS)
    return TRUE;
  g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                           "A session takes a “command” that is not empty, and a “timeout_ms” of 0 "
                           "to %d",
                           G_MAXINT32 - BACKSTOP_MS - 1);
  return FALSE;
}

static Session *
session_new (AsbOpensandboxExecd *execd)
{
  g_autofree char *token = asb_opensandbox_shell_new_token ();
  Session *self = g_new0 (Session, 1);

  self->execd = g_object_ref (execd);
  self->token = g_strconcat ("asb-", token, "-", NULL);
  self->output = g_string_new (NULL);
  self->duration = -1;
  return self;
}

static void
run (AsbOpensandboxExecd *execd, GVariant *arguments, GTask *task)
{
  g_autofree char *session = dup_path (arguments, task);
  g_autofree char *path = g_strconcat (session ? session : "", "/run", NULL);
  g_autoptr (JsonObject) body = NULL;
  AsbOpensandboxRequest *request;
  gint64 timeout;
  Session *self;

  if (!session || !check (arguments, &timeout, task))
    return;
  self = session_new (execd);
  g_task_set_task_data (task, self, session_free);
  body = new_body (self, arguments, timeout);
  request
      = asb_opensandbox_execd_new_request (execd, "POST", path, "run the command in the session");
  asb_opensandbox_native_ask_set_body (request, body);
  self->run = asb_opensandbox_run_start (execd, request, ASB_OPENSANDBOX_RUN_COMMAND, &handlers,
                                         g_object_ref (task));
  self->cancelled
      = asb_opensandbox_cancel_watch (g_task_get_cancellable (task), cancelled_cb, task);
  if (timeout > 0)
    self->limit = asb_opensandbox_thread_add_timer ((guint)timeout, limit_cb, task);
}

/* The session itself. */

static void
create (AsbOpensandboxExecd *execd, GVariant *arguments, GTask *task)
{
  AsbOpensandboxRequest *request
      = asb_opensandbox_execd_new_request (execd, "POST", "/session", "make a session");
  g_autoptr (JsonObject) body = json_object_new ();

  asb_opensandbox_native_ask_set_string (body, "cwd", arguments, "cwd");
  asb_opensandbox_native_ask_set_body (request, body);
  asb_opensandbox_native_ask_send (execd, request, translate, task);
}

static void
delete_session (AsbOpensandboxExecd *execd, GVariant *arguments, GTask *task)
{
  g_autofree char *path = dup_path (arguments, task);

  if (path)
    asb_opensandbox_native_ask_send (
        execd, asb_opensandbox_execd_new_request (execd, "DELETE", path, "delete the session"),
        translate, task);
}

gboolean
asb_opensandbox_native_call_session (AsbOpensandboxExecd *execd, const char *name,
                                     GVariant *arguments, GTask *task)
{
  if (strcmp (name, "session.create") == 0)
    create (execd, arguments, task);
  else if (strcmp (name, "session.run") == 0)
    run (execd, arguments, task);
  else if (strcmp (name, "session.delete") == 0)
    delete_session (execd, arguments, task);
  else
    return FALSE;
  return TRUE;
}
