/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Code contexts of an image that has no Jupyter server; and DELETE of all three kinds. */

#include "lookalike-command.h"
#include "lookalike-execd.h"
#include "lookalike-json.h"
#include "lookalike-sandbox.h"
#include "lookalike-session.h"

#define NOT_CONFIGURED "language runtime server not configured, please check your image runtime"

static const LookalikeGoField context_fields[] = {
  { "id", &lookalike_go_string, NULL },
  { "language", &lookalike_go_string, "CodeContextRequest" },
  { "cwd", &lookalike_go_string, "CodeContextRequest" },
  { NULL, NULL, NULL },
};

static const LookalikeGoType context_type
    = { LOOKALIKE_GO_STRUCT, "model.CodeContext", context_fields, NULL };

static const LookalikeGoField run_fields[] = {
  { "context", &context_type, NULL },
  { "code", &lookalike_go_string, NULL },
  { NULL, NULL, NULL },
};

static const LookalikeGoType run_type
    = { LOOKALIKE_GO_STRUCT, "model.RunCodeRequest", run_fields, NULL };

static const LookalikeGoField new_context_fields[] = {
  { "language", &lookalike_go_string, NULL },
  { "cwd", &lookalike_go_string, NULL },
  { NULL, NULL, NULL },
};

static const LookalikeGoType new_context_type
    = { LOOKALIKE_GO_STRUCT, "model.CodeContextRequest", new_context_fields, NULL };

void
lookalike_execd_run_code (LookalikeRequest *request)
{
  g_autoptr (JsonObject) spec
      = lookalike_execd_parse_object (request, &run_type, LOOKALIKE_EXECD_MAYBE);
  const char *code = spec != NULL ? lookalike_json_get_string (spec, "code") : NULL;
  const char *language = NULL;
  g_autoptr (JsonObject) command = NULL;

  if (spec == NULL)
    return;
  if (code == NULL || code[0] == '\0')
    {
      lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_REQUEST_BODY",
                              "invalid request, validation error Key: 'RunCodeRequest.Code' "
                              "Error:Field validation for 'Code' failed on the 'required' tag");
      return;
    }
  language = lookalike_json_get_string (lookalike_json_get_object (spec, "context"), "language");
  if (language != NULL && language[0] != '\0' && !g_str_equal (language, "command"))
    {
      lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                              "error running codes " NOT_CONFIGURED);
      return;
    }
  command = json_object_new ();
  json_object_set_string_member (command, "command", code);
  lookalike_command_run (request, command, FALSE);
}

void
lookalike_execd_create_context (LookalikeRequest *request)
{
  g_autoptr (JsonObject) spec
      = lookalike_execd_parse_object (request, &new_context_type, LOOKALIKE_EXECD_MAYBE);

  if (spec != NULL)
    lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                            "error creating code context. " NOT_CONFIGURED);
}

void
lookalike_execd_list_contexts (LookalikeRequest *request)
{
  g_autofree char *language = lookalike_request_get_query (request, "language");

  if (language != NULL && (g_str_equal (language, "sql") || g_str_equal (language, "command")))
    lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                            "unsupported language context operation: %s", language);
  else
    lookalike_request_reply_json (request, SOUP_STATUS_OK, "[]");
}

void
lookalike_execd_delete_contexts (LookalikeRequest *request)
{
  g_autofree char *language = lookalike_request_get_query (request, "language");

  if (language == NULL || language[0] == '\0')
    lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "MISSING_QUERY",
                            "missing query parameter 'language'");
  else
    lookalike_request_reply_empty (request, SOUP_STATUS_OK);
}

void
lookalike_execd_get_context (LookalikeRequest *request)
{
  lookalike_request_fail (request, SOUP_STATUS_NOT_FOUND, "CONTEXT_NOT_FOUND",
                          "context %s not found", request->segments[2]);
}

static void
refuse_interrupt (LookalikeRequest *request, const char *why)
{
  lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "RUNTIME_ERROR",
                          "error interruptting code context. %s", why);
}

void
lookalike_execd_interrupt (LookalikeRequest *request)
{
  g_autofree char *id = lookalike_request_get_query (request, "id");
  LookalikeCommand *command = NULL;
  LookalikeSession *session = NULL;

  if (id == NULL || id[0] == '\0')
    {
      lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "MISSING_QUERY",
                              "missing query parameter 'id'");
      return;
    }
  command = g_hash_table_lookup (request->sandbox->commands, id);
  session = g_hash_table_lookup (request->sandbox->sessions, id);
  if (command != NULL)
    {
      if (!lookalike_command_interrupt (command, request))
        {
          g_autofree char *why = g_strdup_printf ("command session %s is not running", id);

          refuse_interrupt (request, why);
        }
    }
  else if (session != NULL)
    {
      lookalike_session_end (request->sandbox, session);
      lookalike_request_reply_empty (request, SOUP_STATUS_OK);
    }
  else
    refuse_interrupt (request, "no such session");
}
