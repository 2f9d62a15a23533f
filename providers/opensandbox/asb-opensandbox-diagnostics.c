/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-diagnostics.h"

#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-json.h"

#define MAX_REPLY (16 * 1024 * 1024)
#define MAX_TYPE_BYTES 100
#define WHAT "the diagnostics"

AsbDiagnostics *
asb_opensandbox_diagnostics_parse (GBytes *body, GError **error)
{
  g_autoptr (JsonObject) object = asb_opensandbox_json_parse_object (body, WHAT, error);
  g_auto (GStrv) warnings = NULL;
  const char *kind = NULL, *scope = NULL, *content = NULL, *content_type = NULL;
  const char *delivery = NULL;
  gboolean truncated = FALSE;

  if (!object || !asb_opensandbox_json_get_string (object, "kind", TRUE, &kind, error)
      || !asb_opensandbox_json_get_string (object, "scope", FALSE, &scope, error)
      || !asb_opensandbox_json_get_string (object, "delivery", FALSE, &delivery, error)
      || !asb_opensandbox_json_get_string (object, "content", FALSE, &content, error)
      || !asb_opensandbox_json_get_string (object, "contentType", FALSE, &content_type, error)
      || !asb_opensandbox_json_get_bool (object, "truncated", FALSE, &truncated, error)
      || !asb_opensandbox_json_get_strv (object, "warnings", FALSE, &warnings, error))
    return NULL;
  if (!content)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                   "The diagnostics hold no content; it would have to be had by “%s”",
                   delivery ? delivery : "other means");
      return NULL;
    }
  return g_object_new (ASB_TYPE_DIAGNOSTICS, "kind", kind, "scope", scope, "content", content,
                       "content-type", content_type, "truncated", truncated, "warnings", warnings,
                       NULL);
}

/* A page is of something else that answers on the way to the server. */
static gboolean
check_type (const char *type, GError **error)
{
  g_autofree char *shown = NULL;

  if (!type || g_ascii_strncasecmp (type, "text/plain", strlen ("text/plain")) == 0)
    return TRUE;
  shown = asb_opensandbox_error_dup_text (type, strlen (type), MAX_TYPE_BYTES);
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
               "The diagnostics should be plain text, and what came is “%s”; ask whoever runs the "
               "server what answers at its address",
               shown);
  return FALSE;
}

/* Plain text, which servers give where no scope was asked for, and for all that is but text. */
static AsbDiagnostics *
wrap (AsbOpensandboxCall *call, AsbOpensandboxReply *reply, GError **error)
{
  const char *type = asb_opensandbox_reply_get_header (reply, "Content-Type");
  GBytes *body = asb_opensandbox_reply_get_body (reply);
  gsize size = 0;
  const char *data = g_bytes_get_data (body, &size);
  g_autofree char *text = NULL;

  if (!check_type (type, error))
    return NULL;
  text = g_utf8_make_valid (data ? data : "", (gssize)size);
  return g_object_new (ASB_TYPE_DIAGNOSTICS, "kind", call->name, "content", text, "content-type",
                       type, NULL);
}

/* The server of that version has the route, and nothing behind it. */
static GError *
take_error (GError *error)
{
  if (asb_opensandbox_error_get_status (error) == 501)
    error->code = ASB_ERROR_UNSUPPORTED_CAPABILITY;
  return error;
}

static void
got_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  AsbDiagnostics *diagnostics = NULL;
  GError *error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  if (!reply)
    error = take_error (error);
  else if (call->scope)
    diagnostics
        = asb_opensandbox_diagnostics_parse (asb_opensandbox_reply_get_body (reply), &error);
  else
    diagnostics = wrap (call, reply, &error);
  asb_opensandbox_call_return_object (task, diagnostics, error);
}

static gboolean
check (AsbOpensandboxCall *call, GError **error)
{
  static const char *const kinds[] = { "logs", "events", "inspect", "summary", NULL };

  if (!g_strv_contains (kinds, call->name))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "There are no diagnostics “%s”, but “logs”, “events”, “inspect” and “summary”",
                   call->name);
      return FALSE;
    }
  if (call->scope && !g_str_equal (call->name, "logs") && !g_str_equal (call->name, "events"))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "The diagnostics “%s” have no scopes", call->name);
      return FALSE;
    }
  return TRUE;
}

void
asb_opensandbox_diagnostics_get (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  g_autoptr (AsbOpensandboxRequest) request = NULL;
  GError *error = NULL;

  if (!check (call, &error))
    {
      g_task_return_error (task, error);
      return;
    }
  request = asb_opensandbox_lifecycle_new_request (
      call->lifecycle, "GET", "get diagnostics of the sandbox", "sandboxes", call->sandbox_id,
      "diagnostics", call->name, NULL);
  if (call->scope)
    asb_opensandbox_request_add_query (request, "scope", call->scope);
  asb_opensandbox_request_set_max_reply (request, MAX_REPLY);
  asb_opensandbox_client_send_async (asb_opensandbox_lifecycle_get_client (call->lifecycle),
                                     request, g_task_get_cancellable (task), got_cb,
                                     g_object_ref (task));
}
