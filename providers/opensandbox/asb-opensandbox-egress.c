/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-egress.h"

#include <asb.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-get.h"
#include "asb-opensandbox-inquiry.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-policy.h"
#include "asb-opensandbox-reach.h"

typedef struct
{
  const char *method;
  const char *what;
  gboolean is_changed;  /* what is asked for now is but how it is */
  gboolean was_changed; /* by this */
  GError *error;        /* (nullable): why the sidecar could not be asked */
} Question;

static void ask_sidecar (GTask *task);
static void ask_server (GTask *task);

static void
question_free (gpointer data)
{
  Question *question = data;

  g_clear_error (&question->error);
  g_free (question);
}

static const char *
get_method (Question *question)
{
  return question->is_changed ? "GET" : question->method;
}

static void
dress (AsbOpensandboxRequest *request, AsbOpensandboxCall *call)
{
  Question *question = call->state;

  asb_opensandbox_request_set_what (request, question->what);
  if (call->body && !question->is_changed)
    asb_opensandbox_request_set_json (request, call->body);
}

/* Takes @error. */
static void
fail (GTask *task, GError *error)
{
  Question *question = asb_opensandbox_call_get (task)->state;

  if (question->was_changed && error->domain == ASB_ERROR)
    g_prefix_error (&error, "That was done, but it is not known how it is now: ");
  g_task_return_error (task, error);
}

/* Something in between may answer, too, and with anything. */
static gboolean
check_changed (AsbOpensandboxReply *reply, GError **error)
{
  GBytes *body = asb_opensandbox_reply_get_body (reply);
  g_autoptr (JsonObject) object = NULL;
  GError *cause = NULL;

  if (g_bytes_get_size (body) == 0)
    return TRUE;
  object = asb_opensandbox_json_parse_object (body, "the answer of the sidecar", &cause);
  if (!object)
    g_propagate_error (error, asb_opensandbox_error_mark_unknown (cause));
  return object != NULL;
}

/* Most sidecars answer a change with no more than that it was done. */
static void
take_reply (GTask *task, AsbOpensandboxReply *reply, void (*ask_again) (GTask *task))
{
  Question *question = asb_opensandbox_call_get (task)->state;
  AsbNetworkPolicy *policy;
  GError *error = NULL;

  if (!g_str_equal (get_method (question), "GET"))
    {
      question->is_changed = question->was_changed = check_changed (reply, &error);
      if (question->is_changed)
        ask_again (task);
      else
        g_task_return_error (task, error);
      return;
    }
  policy = asb_opensandbox_policy_parse (asb_opensandbox_reply_get_body (reply), &error);
  if (policy)
    asb_opensandbox_call_return_object (task, policy, NULL);
  else
    fail (task, error);
}

/* By the server. */

static void
server_answered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  Question *question = call->state;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);
  guint status;

  if (reply)
    {
      take_reply (task, reply, ask_server);
      return;
    }
  status = asb_opensandbox_error_get_status (error);
  /* What the server says of the sandbox or the request counts more than that the sidecar was not
   * to be reached; that it does not know the route, or got no further itself, does not. */
  if (!asb_opensandbox_error_is_unknown_route (error) && status >= 400 && status < 500)
    g_clear_error (&question->error);
  if (!question->error)
    question->error = g_steal_pointer (&error);
  else if (!g_error_matches (question->error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY))
    g_prefix_error (&question->error,
                    "The egress sidecar of sandbox “%s” cannot be reached: ", call->sandbox_id);
  asb_opensandbox_get_note_sandbox (question->error, call->sandbox_id, NULL);
  fail (task, g_steal_pointer (&question->error));
}

static void
ask_server (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  Question *question = call->state;
  g_autoptr (AsbOpensandboxRequest) request = asb_opensandbox_lifecycle_new_request (
      call->lifecycle, get_method (question), question->what, "sandboxes", call->sandbox_id,
      "networkpolicy", NULL);

  dress (request, call);
  asb_opensandbox_request_set_retry (request, FALSE);
  asb_opensandbox_client_send_async (asb_opensandbox_lifecycle_get_client (call->lifecycle),
                                     request, g_task_get_cancellable (task), server_answered_cb,
                                     g_object_ref (task));
}

/* By the sidecar. */

/* The sidecar has it, or what passes it on has not heard of the end. */
static gboolean
may_have_been_done (const GError *error)
{
  AsbErrorInfo *info = asb_error_get_info (error);
  const char *code = info ? asb_error_info_get_provider_error_code (info) : NULL;

  return asb_opensandbox_error_is_outcome_unknown (error)
         || asb_opensandbox_error_get_status (error) == 504
         || g_strcmp0 (code, "BACKEND_RESPONSE_FAILED") == 0;
}

/* The server has been asked already, and has said why. */
static gboolean
is_state (const GError *error)
{
  return g_error_matches (error, ASB_ERROR, ASB_ERROR_SANDBOX_STATE)
         || asb_opensandbox_error_is_gone (error);
}

/* Nobody listens there; what does answer has answered. Rules that are added once more would go
 * before those that others have added since. */
static gboolean
is_out_of_reach (Question *question)
{
  const GError *error = question->error;
  guint status = asb_opensandbox_error_get_status (error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) || is_state (error)
      || (g_str_equal (get_method (question), "PATCH") && may_have_been_done (error)))
    return FALSE;
  return status == 0 || status == 502 || status == 504;
}

/* What a frozen sidecar was sent waits for it. Takes @error. */
static GError *
note_pending (Question *question, GError *error)
{
  char *message;

  if (g_str_equal (get_method (question), "GET") || !asb_opensandbox_inquiry_is_pause (error)
      || asb_opensandbox_error_was_not_sent (error))
    return error;
  message = g_strconcat (error->message, "; what was asked for may be done when it goes on", NULL);
  g_free (error->message);
  error->message = message;
  return error;
}

static void
sidecar_answered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Question *question = asb_opensandbox_call_get (task)->state;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_reach_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &question->error);

  if (reply)
    take_reply (task, reply, ask_sidecar);
  else if (is_out_of_reach (question))
    ask_server (task);
  else
    fail (task, note_pending (question, g_steal_pointer (&question->error)));
}

static AsbOpensandboxRequest *
new_request (AsbOpensandboxEndpoint *endpoint, gpointer user_data)
{
  AsbOpensandboxCall *call = user_data;
  Question *question = call->state;
  AsbOpensandboxRequest *request
      = asb_opensandbox_request_new (get_method (question), endpoint, "/policy");

  dress (request, call);
  /* Most sandboxes have no sidecar, and the server is the next to be asked. */
  asb_opensandbox_request_set_once (request);
  return request;
}

static void
ask_sidecar (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);

  asb_opensandbox_reach_async (call->lifecycle, call->sandbox_id, ASB_OPENSANDBOX_PORT_EGRESS,
                               new_request, call, g_task_get_cancellable (task),
                               sidecar_answered_cb, g_object_ref (task));
}

static void
ask (GTask *task, const char *method, const char *what)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  Question *question = g_new0 (Question, 1);

  question->method = method;
  question->what = what;
  /* To change nothing is refused by sidecars, and means no more than to look. */
  question->is_changed = call->body && JSON_NODE_HOLDS_ARRAY (call->body)
                         && json_array_get_length (json_node_get_array (call->body)) == 0;
  call->state = question;
  call->free_state = question_free;
  ask_sidecar (task);
}

void
asb_opensandbox_egress_get (GTask *task)
{
  ask (task, "GET", "get the network policy of the sandbox");
}

void
asb_opensandbox_egress_replace (GTask *task)
{
  ask (task, "PUT", "set the network policy of the sandbox");
}

void
asb_opensandbox_egress_patch (GTask *task)
{
  ask (task, "PATCH", "change the network policy of the sandbox");
}

void
asb_opensandbox_egress_remove (GTask *task)
{
  ask (task, "DELETE", "remove network rules of the sandbox");
}

JsonNode *
asb_opensandbox_egress_new_targets (const char *const *targets)
{
  g_autoptr (JsonArray) array = json_array_new ();

  for (gsize i = 0; targets[i]; i++)
    json_array_add_string_element (array, targets[i]);
  return json_node_init_array (json_node_alloc (), array);
}
