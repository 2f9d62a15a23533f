/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "lookalike-lifecycle.h"
#include "lookalike-sandbox.h"
#include "lookalike-time.h"
#include "lookalike-validation.h"

static char *
make_events (LookalikeSandbox *sandbox)
{
  g_autofree char *created = lookalike_time_print (sandbox->created_at);
  g_autofree char *changed = lookalike_time_print (sandbox->transition_at);

  return g_strdup_printf ("%s create %s\n%s %s %s\n", created, sandbox->id, changed,
                          lookalike_state_get_name (sandbox->state), sandbox->reason);
}

static char *
make_logs (LookalikeSandbox *sandbox)
{
  return g_strdup_printf ("execd is listening for sandbox %s\n", sandbox->id);
}

static char *
make_inspection (LookalikeSandbox *sandbox)
{
  return g_strdup_printf ("Sandbox ID: %s\nState: %s\nReason: %s\nMessage: %s\n", sandbox->id,
                          lookalike_state_get_name (sandbox->state), sandbox->reason,
                          sandbox->message != NULL ? sandbox->message : "");
}

static void
reply_text (LookalikeRequest *request, const char *text, gboolean deprecated)
{
  if (deprecated)
    soup_message_headers_replace (soup_server_message_get_response_headers (request->message),
                                  "Deprecation", "true");
  lookalike_request_reply (request, SOUP_STATUS_OK, "text/plain; charset=utf-8", text, -1);
}

static void
reply_descriptor (LookalikeRequest *request, const char *kind, const char *scope, const char *text)
{
  g_autoptr (JsonObject) object = json_object_new ();

  json_object_set_string_member (object, "sandboxId", request->sandbox->id);
  json_object_set_string_member (object, "kind", kind);
  json_object_set_string_member (object, "scope", scope);
  json_object_set_string_member (object, "delivery", "inline");
  json_object_set_string_member (object, "contentType", "text/plain; charset=utf-8");
  json_object_set_string_member (object, "content", text);
  json_object_set_int_member (object, "contentLength", (gint64)strlen (text));
  json_object_set_boolean_member (object, "truncated", FALSE);
  if (strcmp (scope, "all") == 0)
    {
      JsonArray *warnings = json_array_new ();

      json_array_add_string_element (
          warnings, "The current backend only contributes one source to the all scope.");
      json_object_set_array_member (object, "warnings", warnings);
    }
  lookalike_request_reply_object (request, SOUP_STATUS_OK, object);
}

static void
reply_either (LookalikeRequest *request, const char *kind, const char *own_scope, const char *text)
{
  g_autofree char *asked = lookalike_request_get_query (request, "scope");
  g_autofree char *scope = asked != NULL ? g_strstrip (g_ascii_strdown (asked, -1)) : NULL;

  if (scope == NULL)
    reply_text (request, text, TRUE);
  else if (strcmp (scope, own_scope) != 0 && strcmp (scope, "all") != 0)
    lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "DIAGNOSTICS_SCOPE_UNSUPPORTED",
                            "Unsupported %s diagnostics scope '%s'. Supported scopes: all, %s.",
                            kind, asked, own_scope);
  else
    reply_descriptor (request, kind, scope, text);
}

/* FALSE after a 422. */
static gboolean
check_number (LookalikeRequest *request, const char *name, gint64 highest)
{
  g_auto (LookalikeValidation) validation;
  gint64 value;

  lookalike_validation_init (&validation);
  lookalike_validation_check_number (&validation, request, name, 1, highest, &value);
  return !lookalike_validation_refuse (&validation, request);
}

void
lookalike_lifecycle_get_logs (LookalikeRequest *request)
{
  LookalikeSandbox *sandbox
      = check_number (request, "tail", 10000) ? lookalike_lifecycle_find (request) : NULL;
  g_autofree char *text = sandbox != NULL ? make_logs (sandbox) : NULL;

  if (text != NULL)
    reply_either (request, "logs", "container", text);
}

void
lookalike_lifecycle_get_events (LookalikeRequest *request)
{
  LookalikeSandbox *sandbox
      = check_number (request, "limit", 500) ? lookalike_lifecycle_find (request) : NULL;
  g_autofree char *text = sandbox != NULL ? make_events (sandbox) : NULL;

  if (text != NULL)
    reply_either (request, "events", "runtime", text);
}

void
lookalike_lifecycle_inspect (LookalikeRequest *request)
{
  LookalikeSandbox *sandbox = lookalike_lifecycle_find (request);
  g_autofree char *text = sandbox != NULL ? make_inspection (sandbox) : NULL;

  if (text != NULL)
    reply_text (request, text, FALSE);
}

void
lookalike_lifecycle_summarize (LookalikeRequest *request)
{
  LookalikeSandbox *sandbox
      = check_number (request, "tail", 10000) && check_number (request, "event_limit", 500)
            ? lookalike_lifecycle_find (request)
            : NULL;
  g_autofree char *inspection = sandbox != NULL ? make_inspection (sandbox) : NULL;
  g_autofree char *events = sandbox != NULL ? make_events (sandbox) : NULL;
  g_autofree char *logs = sandbox != NULL ? make_logs (sandbox) : NULL;
  g_autofree char *text = NULL;

  if (sandbox == NULL)
    return;
  text = g_strdup_printf ("SANDBOX DIAGNOSTICS SUMMARY\n\nINSPECT\n%s\nEVENTS\n%s\nLOGS\n%s",
                          inspection, events, logs);
  reply_text (request, text, FALSE);
}
