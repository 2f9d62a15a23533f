/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-native-code.h"

#include <string.h>

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-cancel.h"
#include "asb-opensandbox-error.h"
#include "asb-opensandbox-native-ask.h"
#include "asb-opensandbox-run.h"
#include "asb-opensandbox-variant.h"

/* What is printed, at most; the rest is counted. */
#define MAX_OUTPUT (16 * 1024 * 1024)
#define MAX_RESULTS 1000
#define MAX_RESULTS_SIZE (64 * 1024 * 1024)

/* Without a Jupyter server execd tries for a while. */
#define CREATE_TIMEOUT_MS 60000

#define NO_CONTEXT "CONTEXT_NOT_FOUND"
#define NOT_CONFIGURED "language runtime server not configured"

typedef struct
{
  AsbOpensandboxExecd *execd;
  AsbOpensandboxRun *run;
  AsbOpensandboxCancelWatch *cancelled;
  char *id;
  GString *output[2];
  guint64 total[2];
  GVariantBuilder results;
  guint n_results;
  gsize results_size;
  gint64 count;    /* −1: not said */
  gint64 duration; /* −1: not said */
  GVariant *error;
  gboolean completed;
} Code;

static void
code_free (gpointer data)
{
  Code *self = data;

  g_clear_object (&self->execd);
  g_free (self->id);
  g_string_free (self->output[0], TRUE);
  g_string_free (self->output[1], TRUE);
  g_variant_builder_clear (&self->results);
  g_clear_pointer (&self->error, g_variant_unref);
  g_free (self);
}

/* Before the task is answered, since it is let go of anywhere. */
static void
stop (Code *self)
{
  asb_opensandbox_cancel_unwatch (&self->cancelled);
  g_clear_pointer (&self->run, asb_opensandbox_run_unref);
}

static GError *
translate (const GError *error)
{
  if (strstr (error->message, NO_CONTEXT))
    return g_error_new_literal (ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                                "The sandbox has no such code context; it may have been deleted");
  if (!strstr (error->message, NOT_CONFIGURED))
    return g_error_copy (error);
  return g_error_new_literal (ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                              "The image of this sandbox has no Jupyter server, which runs code");
}

/* Running. */

static void
add_output (Code *self, guint which, GString *text)
{
  gsize room = MAX_OUTPUT - self->output[which]->len;

  self->total[which] += text->len;
  g_string_append_len (self->output[which], text->str, (gssize)MIN (text->len, room));
}

static GVariant *
describe_error (AsbOpensandboxEvent *event)
{
  static const char *const none[] = { NULL };
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "name", "s", event->name);
  g_variant_dict_insert (&dict, "value", "s", event->value);
  g_variant_dict_insert (&dict, "traceback", "^as",
                         event->traceback ? event->traceback : (char **)none);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

static void
add_result (Code *self, JsonObject *object)
{
  g_autoptr (JsonNode) node = json_node_alloc ();
  g_autoptr (GVariant) variant = NULL;

  json_node_init_object (node, object);
  variant = asb_opensandbox_variant_from_json (node);
  self->results_size += g_variant_get_size (variant);
  if (self->n_results++ < MAX_RESULTS && self->results_size <= MAX_RESULTS_SIZE)
    g_variant_builder_add_value (&self->results, variant);
}

static void
event_cb (AsbOpensandboxRun *run, AsbOpensandboxEvent *event, gpointer data)
{
  Code *self = g_task_get_task_data (data);

  switch (event->type)
    {
    case ASB_OPENSANDBOX_EVENT_STDOUT:
      add_output (self, 0, event->text);
      break;
    case ASB_OPENSANDBOX_EVENT_STDERR:
      add_output (self, 1, event->text);
      break;
    case ASB_OPENSANDBOX_EVENT_RESULT:
      if (event->results)
        add_result (self, event->results);
      break;
    case ASB_OPENSANDBOX_EVENT_COUNT:
      self->count = event->number;
      break;
    case ASB_OPENSANDBOX_EVENT_ERROR:
      g_clear_pointer (&self->error, g_variant_unref);
      self->error = describe_error (event);
      break;
    case ASB_OPENSANDBOX_EVENT_COMPLETE:
      self->completed = TRUE;
      self->duration = event->number;
      break;
    default:
      break;
    }
}

static GVariant *
describe (Code *self)
{
  static const char *const names[] = { "stdout", "stderr" };
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *total = g_strdup_printf ("%s_total", names[i]);
      g_autofree char *text
          = g_utf8_make_valid (self->output[i]->str, (gssize)self->output[i]->len);

      g_variant_dict_insert (&dict, names[i], "s", text);
      g_variant_dict_insert (&dict, total, "x", (gint64)self->total[i]);
    }
  if (self->id)
    g_variant_dict_insert (&dict, "id", "s", self->id);
  g_variant_dict_insert_value (&dict, "results", g_variant_builder_end (&self->results));
  if (self->count >= 0)
    g_variant_dict_insert (&dict, "execution_count", "x", self->count);
  if (self->duration >= 0)
    g_variant_dict_insert (&dict, "duration_ms", "x", self->duration);
  if (self->error)
    g_variant_dict_insert_value (&dict, "error", self->error);
  return g_variant_dict_end (&dict);
}

static void
done_cb (AsbOpensandboxRun *run, const GError *error, gpointer data)
{
  g_autoptr (GTask) task = data;
  Code *self = g_task_get_task_data (task);
  g_autoptr (GError) described
      = error ? asb_opensandbox_run_describe (run, "run the code", error) : NULL;

  self->id = g_strdup (asb_opensandbox_run_get_id (run));
  stop (self);
  if (described)
    g_task_return_error (task, translate (described));
  else if (!self->completed && !self->error)
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INTERRUPTED,
                             "How the code ended, and whether it has, is unknown: its events ended "
                             "without saying so");
  else
    asb_opensandbox_answer_variant (task, describe (self));
}

static void
interrupted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  if (!reply)
    g_debug ("Code was not interrupted: %s", error->message);
}

static AsbOpensandboxRequest *
new_interruption (AsbOpensandboxExecd *execd, const char *id)
{
  AsbOpensandboxRequest *request
      = asb_opensandbox_execd_new_request (execd, "DELETE", "/code", "interrupt the code");

  asb_opensandbox_request_add_query (request, "id", id);
  asb_opensandbox_request_set_retry (request, FALSE);
  return request;
}

/* What runs goes on when the connection goes. */
static void
cancelled_cb (gpointer data)
{
  g_autoptr (GTask) task = data;
  Code *self = g_task_get_task_data (task);
  const char *id = asb_opensandbox_run_get_id (self->run);
  g_autoptr (AsbOpensandboxRequest) request = id ? new_interruption (self->execd, id) : NULL;

  if (request)
    asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (self->execd), request,
                                       NULL, interrupted_cb, NULL);
  asb_opensandbox_run_forget (self->run);
  stop (self);
  g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled");
}

static const AsbOpensandboxRunHandlers handlers = { event_cb, done_cb };

static void
run (AsbOpensandboxExecd *execd, GVariant *arguments, GTask *task)
{
  AsbOpensandboxRequest *request
      = asb_opensandbox_execd_new_request (execd, "POST", "/code", "run the code");
  g_autoptr (JsonObject) body = json_object_new ();
  JsonObject *context = json_object_new ();
  Code *self = g_new0 (Code, 1);

  asb_opensandbox_native_ask_set_string (body, "code", arguments, "code");
  asb_opensandbox_native_ask_set_string (context, "id", arguments, "context_id");
  asb_opensandbox_native_ask_set_string (context, "language", arguments, "language");
  json_object_set_object_member (body, "context", context);
  asb_opensandbox_native_ask_set_body (request, body);
  self->output[0] = g_string_new (NULL);
  self->output[1] = g_string_new (NULL);
  self->count = self->duration = -1;
  g_variant_builder_init (&self->results, G_VARIANT_TYPE ("aa{sv}"));
  g_task_set_task_data (task, self, code_free);
  self->execd = g_object_ref (execd);
  self->run = asb_opensandbox_run_start (execd, request, ASB_OPENSANDBOX_RUN_CODE, &handlers,
                                         g_object_ref (task));
  self->cancelled
      = asb_opensandbox_cancel_watch (g_task_get_cancellable (task), cancelled_cb, task);
}

/* Contexts. */

/* Takes @request. */
static void
send (AsbOpensandboxExecd *execd, AsbOpensandboxRequest *request, GTask *task)
{
  asb_opensandbox_native_ask_send (execd, request, translate, task);
}

static void
create_context (AsbOpensandboxExecd *execd, GVariant *arguments, GTask *task)
{
  AsbOpensandboxRequest *request
      = asb_opensandbox_execd_new_request (execd, "POST", "/code/context", "make a code context");
  g_autoptr (JsonObject) body = json_object_new ();

  asb_opensandbox_native_ask_set_string (body, "language", arguments, "language");
  asb_opensandbox_native_ask_set_string (body, "cwd", arguments, "cwd");
  asb_opensandbox_native_ask_set_body (request, body);
  asb_opensandbox_request_set_timeout (request, CREATE_TIMEOUT_MS);
  send (execd, request, task);
}

static void
list_contexts (AsbOpensandboxExecd *execd, GVariant *arguments, GTask *task)
{
  AsbOpensandboxRequest *request
      = asb_opensandbox_execd_new_request (execd, "GET", "/code/contexts", "list code contexts");
  const char *language;

  if (g_variant_lookup (arguments, "language", "&s", &language))
    asb_opensandbox_request_add_query (request, "language", language);
  send (execd, request, task);
}

static void
delete_context (AsbOpensandboxExecd *execd, GVariant *arguments, GTask *task)
{
  const char *id = "";
  g_autofree char *escaped = NULL;
  g_autofree char *path = NULL;

  g_variant_lookup (arguments, "context_id", "&s", &id);
  escaped = g_uri_escape_string (id, NULL, FALSE);
  path = g_strdup_printf ("/code/contexts/%s", escaped);
  if (*id)
    send (execd,
          asb_opensandbox_execd_new_request (execd, "DELETE", path, "delete the code context"),
          task);
  else
    g_task_return_new_error (task, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                             "Which context to delete is not said");
}

static void
interrupt (AsbOpensandboxExecd *execd, GVariant *arguments, GTask *task)
{
  const char *id = "";

  g_variant_lookup (arguments, "context_id", "&s", &id);
  send (execd, new_interruption (execd, id), task);
}

gboolean
asb_opensandbox_native_call_code (AsbOpensandboxExecd *execd, const char *name, GVariant *arguments,
                                  GTask *task)
{
  static const struct
  {
    const char *name;
    void (*function) (AsbOpensandboxExecd *execd, GVariant *arguments, GTask *task);
  } calls[] = { { "code.run", run },
                { "code.create_context", create_context },
                { "code.list_contexts", list_contexts },
                { "code.delete_context", delete_context },
                { "code.interrupt", interrupt } };

  for (gsize i = 0; i < G_N_ELEMENTS (calls); i++)
    if (strcmp (name, calls[i].name) == 0)
      {
        calls[i].function (execd, arguments, task);
        return TRUE;
      }
  return FALSE;
}
