/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-verdict.h"

#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-get.h"
#include "asb-opensandbox-redact.h"

#define MAX_LOG_BYTES 300
#define ASK_MS 5000
#define OUT_OF_MEMORY_STATUS "137"

void
asb_opensandbox_verdict_clear (AsbOpensandboxVerdict *self)
{
  g_clear_pointer (&self->sandbox_id, g_free);
  g_clear_error (&self->last_error);
  g_clear_object (&self->info);
}

gboolean
asb_opensandbox_verdict_is_refusal (const GError *error)
{
  guint status = asb_opensandbox_error_get_status (error);

  return status == 401 || status == 403;
}

static gboolean
has_ended (AsbSandboxInfo *info)
{
  AsbSandboxState state = asb_sandbox_info_get_state (info);

  return state == ASB_SANDBOX_STATE_FAILED || state == ASB_SANDBOX_STATE_STOPPED
         || state == ASB_SANDBOX_STATE_STOPPING;
}

gboolean
asb_opensandbox_verdict_is_final (AsbOpensandboxVerdict *self, AsbSandboxInfo *info)
{
  if (!info)
    return FALSE;
  g_set_object (&self->info, info);
  return has_ended (info);
}

/* The sentence. */

static gboolean
mentions (const char *text, const char *word)
{
  return text && strstr (text, word);
}

/* It ended with that status: not where the digits are part of a name. */
static gboolean
tells_status (const char *text, const char *status)
{
  static const char *const words[] = { "code", "status", "exited", "exit" };

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    for (const char *at = strstr (text, words[i]); at; at = strstr (at + 1, words[i]))
      {
        const char *number = at + strlen (words[i]);

        number += strspn (number, " :=(");
        if (g_str_has_prefix (number, status) && !g_ascii_isalnum (number[strlen (status)]))
          return TRUE;
      }
  return FALSE;
}

gboolean
asb_opensandbox_verdict_is_memory (const char *reason, const char *message)
{
  g_autofree char *lower = g_ascii_strdown (message ? message : "", -1);

  return mentions (reason, "OOM") || mentions (message, "OOM") || mentions (lower, "out of memory")
         || tells_status (lower, OUT_OF_MEMORY_STATUS);
}

static gboolean
looks_like_image (AsbSandboxInfo *info)
{
  const char *reason = asb_sandbox_info_get_reason (info);
  const char *message = asb_sandbox_info_get_message (info);

  return mentions (reason, "IMAGE") || mentions (reason, "ImagePull")
         || mentions (reason, "ErrImage") || mentions (message, "ImagePull")
         || mentions (message, "ErrImage") || mentions (message, "pull image");
}

static void
append_state (GString *text, AsbSandboxInfo *info)
{
  g_autoptr (GEnumClass) states = g_type_class_ref (ASB_TYPE_SANDBOX_STATE);
  GEnumValue *state = g_enum_get_value (states, (int)asb_sandbox_info_get_state (info));
  const char *reason = asb_sandbox_info_get_reason (info);
  const char *message = asb_sandbox_info_get_message (info);

  g_string_append_printf (text, "; the server says it is %s", state->value_nick);
  if (reason)
    g_string_append_printf (text, ", %s", reason);
  if (message)
    g_string_append_printf (text, ": %s", message);
  if (asb_opensandbox_verdict_is_memory (reason, message))
    g_string_append (text, ASB_OPENSANDBOX_VERDICT_MEMORY);
  else if (looks_like_image (info))
    g_string_append (text, "; check the name of the image and who may have it");
  else if (mentions (message, "Insufficient "))
    g_string_append (text, "; no machine has as much left: ask for less of its “resources”");
}

static void
append_hint (GString *text, const AsbOpensandboxVerdict *self)
{
  guint status = asb_opensandbox_error_get_status (self->last_error);

  if (status == 401 && mentions (self->last_error->message, "X-EXECD-ACCESS-TOKEN"))
    g_string_append (text, "; set the option “execd-token” to what execd was started with");
  else if (self->is_direct && status == 0
           && !mentions (self->last_error->message, "use-server-proxy"))
    g_string_append (text, "; if sandboxes cannot be reached from here, set the option "
                           "“use-server-proxy”");
}

/* @log: (nullable): the last the server has of its output */
static GError *
compose (const AsbOpensandboxVerdict *self, const char *log)
{
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  AsbErrorInfo *last = self->last_error ? asb_error_get_info (self->last_error) : NULL;
  gboolean is_refusal = self->last_error && asb_opensandbox_verdict_is_refusal (self->last_error);
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, "Sandbox “%s” did not get ready", self->sandbox_id);
  if (!is_refusal && !(self->info && has_ended (self->info)))
    g_string_append_printf (text, " in %g s", self->seconds);
  if (self->last_error)
    g_string_append_printf (text, ": %s", self->last_error->message);
  if (self->last_error)
    append_hint (text, self);
  if (self->info && !is_refusal)
    append_state (text, self->info);
  if (log && *log)
    g_string_append_printf (text, "; the last of its output: %s", log);

  asb_error_info_set_sandbox_id (info, self->sandbox_id);
  asb_error_info_set_retryable (info, !is_refusal);
  if (last)
    {
      asb_error_info_set_provider_error_code (info, asb_error_info_get_provider_error_code (last));
      asb_error_info_set_provider_request_id (info, asb_error_info_get_provider_request_id (last));
      asb_error_info_set_details (info, asb_error_info_get_details (last));
    }
  return asb_error_new_with_info (is_refusal ? self->last_error->code : ASB_ERROR_PROVIDER,
                                  text->str, info);
}

/* Asking. */

/* Nothing is cut before what is secret is out of it, which could not be told in halves. */
static char *
dup_end (AsbOpensandboxLifecycle *lifecycle, GBytes *log)
{
  gsize size = 0;
  const char *data = g_bytes_get_data (log, &size);
  g_autofree char *valid = g_utf8_make_valid (data ? data : "", (gssize)size);
  g_autofree char *plain
      = asb_opensandbox_redact (valid, asb_opensandbox_lifecycle_get_settings (lifecycle), NULL);
  gsize length = strlen (plain);
  gsize skipped = length > MAX_LOG_BYTES ? length - MAX_LOG_BYTES : 0;

  return asb_opensandbox_error_dup_text (plain + skipped, length - skipped, MAX_LOG_BYTES);
}

static void
got_log_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxVerdict *self = g_task_get_task_data (task);
  AsbOpensandboxLifecycle *lifecycle = g_task_get_source_object (task);
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, NULL);
  g_autofree char *log = NULL;

  if (reply)
    log = dup_end (lifecycle, asb_opensandbox_reply_get_body (reply));
  g_task_return_pointer (task, compose (self, log), (GDestroyNotify)g_error_free);
}

static void
ask_for_log (GTask *task)
{
  AsbOpensandboxLifecycle *lifecycle = g_task_get_source_object (task);
  AsbOpensandboxVerdict *self = g_task_get_task_data (task);
  g_autoptr (AsbOpensandboxRequest) request = asb_opensandbox_lifecycle_new_request (
      lifecycle, "GET", "get the log of the sandbox", "sandboxes", self->sandbox_id, "diagnostics",
      "logs", NULL);

  asb_opensandbox_request_add_query (request, "tail", "5");
  asb_opensandbox_request_set_timeout (request, ASK_MS);
  asb_opensandbox_client_send_async (asb_opensandbox_lifecycle_get_client (lifecycle), request,
                                     g_task_get_cancellable (task), got_log_cb,
                                     g_object_ref (task));
}

static void
got_info_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxVerdict *self = g_task_get_task_data (task);
  g_autoptr (AsbSandboxInfo) info
      = asb_opensandbox_get_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, NULL);

  /* The output of a sandbox that runs is not why it cannot be reached. */
  if (asb_opensandbox_verdict_is_final (self, info))
    ask_for_log (task);
  else
    g_task_return_pointer (task, compose (self, NULL), (GDestroyNotify)g_error_free);
}

void
asb_opensandbox_verdict_explain_async (AsbOpensandboxLifecycle *lifecycle,
                                       AsbOpensandboxVerdict *self, GCancellable *cancellable,
                                       GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (lifecycle, cancellable, callback, user_data);

  g_task_set_source_tag (task, asb_opensandbox_verdict_explain_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, self, NULL);
  asb_opensandbox_get_async (lifecycle, self->sandbox_id, cancellable, got_info_cb,
                             g_steal_pointer (&task));
}

GError *
asb_opensandbox_verdict_explain_finish (AsbOpensandboxLifecycle *lifecycle, GAsyncResult *result)
{
  return g_task_propagate_pointer (G_TASK (result), NULL);
}
