/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-inquiry.h"

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-redact.h"
#include "asb-opensandbox-sandbox.h"
#include "asb-opensandbox-verdict.h"

/* Whoever waits has an error already. */
#define TIMEOUT_MS 5000
#define MAX_WORDS 300

/* In the details of a verdict. */
#define STATE "state"
#define PAUSED "paused"

typedef struct
{
  char *sandbox_id;
  char *fault;
  gboolean runs; /* so the server says */
} Inquiry;

static void
inquiry_free (gpointer data)
{
  Inquiry *self = data;

  g_free (self->sandbox_id);
  g_free (self->fault);
  g_free (self);
}

static GError *
new_verdict (Inquiry *self, int code, const char *what)
{
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  g_autofree char *message
      = g_strdup_printf ("Sandbox “%s” %s (%s)", self->sandbox_id, what, self->fault);

  asb_error_info_set_sandbox_id (info, self->sandbox_id);
  return asb_error_new_with_info (code, message, info);
}

static GError *
new_pause (Inquiry *self)
{
  GError *verdict = new_verdict (self, ASB_ERROR_SANDBOX_STATE, "is paused; resume it first");
  GVariantDict details;

  g_variant_dict_init (&details, NULL);
  g_variant_dict_insert (&details, STATE, "s", PAUSED);
  asb_error_info_set_details (asb_error_get_info (verdict), g_variant_dict_end (&details));
  return verdict;
}

gboolean
asb_opensandbox_inquiry_is_pause (const GError *verdict)
{
  AsbErrorInfo *info = asb_error_get_info (verdict);
  GVariant *details = info ? asb_error_info_get_details (info) : NULL;
  const char *state;

  return details && g_variant_lookup (details, STATE, "&s", &state) && g_str_equal (state, PAUSED);
}

/* With the server's words, where it has any. */
static GError *
new_end (Inquiry *self, JsonObject *status)
{
  g_autoptr (GString) text = g_string_new ("has ended");
  const char *reason = NULL;
  const char *message = NULL;
  g_autofree char *shown = NULL;

  asb_opensandbox_json_get_string (status, "reason", FALSE, &reason, NULL);
  asb_opensandbox_json_get_string (status, "message", FALSE, &message, NULL);
  if (reason || message)
    g_string_append_printf (text, ": %s%s%s", reason ? reason : "", reason && message ? ": " : "",
                            message ? message : "");
  shown = asb_opensandbox_error_dup_text (text->str, text->len, MAX_WORDS);
  g_string_assign (text, shown);
  if (asb_opensandbox_verdict_is_memory (reason, message))
    g_string_append (text, ASB_OPENSANDBOX_VERDICT_MEMORY);
  return new_verdict (self, ASB_ERROR_SANDBOX_STATE, text->str);
}

static GError *
judge (Inquiry *self, const char *state, JsonObject *status)
{
  switch (asb_opensandbox_sandbox_state_from_string (state))
    {
    case ASB_SANDBOX_STATE_PAUSED:
      return new_pause (self);
    case ASB_SANDBOX_STATE_STOPPING:
      return new_verdict (self, ASB_ERROR_SANDBOX_STATE, "is being deleted");
    case ASB_SANDBOX_STATE_STOPPED:
    case ASB_SANDBOX_STATE_FAILED:
      return new_end (self, status);
    case ASB_SANDBOX_STATE_RUNNING:
      self->runs = TRUE;
      return NULL;
    default:
      return NULL;
    }
}

static GError *
read_state (Inquiry *self, AsbOpensandboxReply *reply)
{
  g_autoptr (JsonObject) object = asb_opensandbox_json_parse_object (
      asb_opensandbox_reply_get_body (reply), "the sandbox", NULL);
  JsonObject *status = NULL;
  const char *state = NULL;

  if (!object || !asb_opensandbox_json_get_object (object, "status", TRUE, &status, NULL)
      || !asb_opensandbox_json_get_string (status, "state", TRUE, &state, NULL))
    return NULL;
  return judge (self, state, status);
}

static const char *
name_fate (const GError *gone)
{
  if (gone->code == ASB_ERROR_SANDBOX_EXPIRED)
    return "is not there any more: its time was up";
  if (gone->code == ASB_ERROR_SANDBOX_DELETED)
    return "is not there any more: it was deleted";
  return "is not there any more";
}

static void
asked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Inquiry *self = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  AsbOpensandboxClient *client = ASB_OPENSANDBOX_CLIENT (source);
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (client, result, &error);
  GError *verdict = NULL;

  if (reply)
    verdict = read_state (self, reply);
  else if (asb_opensandbox_error_is_gone (error))
    verdict = new_verdict (self, error->code, name_fate (error));
  if (verdict)
    verdict = asb_opensandbox_redact_error (verdict, asb_opensandbox_client_get_settings (client),
                                            asb_opensandbox_client_get_lifecycle (client));
  g_task_return_pointer (task, verdict, (GDestroyNotify)g_error_free);
}

void
asb_opensandbox_inquiry_async (AsbOpensandboxClient *client, const char *sandbox_id,
                               const GError *fault, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  g_autofree char *escaped = g_uri_escape_string (sandbox_id, NULL, FALSE);
  g_autofree char *path = g_strconcat ("/sandboxes/", escaped, NULL);
  g_autoptr (AsbOpensandboxRequest) request
      = asb_opensandbox_request_new ("GET", asb_opensandbox_client_get_lifecycle (client), path);
  GTask *task = g_task_new (client, NULL, callback, user_data);
  Inquiry *self = g_new0 (Inquiry, 1);

  self->sandbox_id = g_strdup (sandbox_id);
  self->fault = g_strdup (fault->message);
  g_task_set_source_tag (task, asb_opensandbox_inquiry_async);
  g_task_set_task_data (task, self, inquiry_free);
  asb_opensandbox_request_set_what (request, "ask for the state of the sandbox");
  asb_opensandbox_request_set_sandbox (request, sandbox_id);
  asb_opensandbox_request_set_timeout (request, TIMEOUT_MS);
  asb_opensandbox_request_set_retry (request, FALSE);
  asb_opensandbox_client_send_async (client, request, cancellable, asked_cb, task);
}

GError *
asb_opensandbox_inquiry_finish (GAsyncResult *result)
{
  return g_task_propagate_pointer (G_TASK (result), NULL);
}

gboolean
asb_opensandbox_inquiry_found_running (GAsyncResult *result)
{
  Inquiry *self = g_task_get_task_data (G_TASK (result));

  return self->runs;
}
