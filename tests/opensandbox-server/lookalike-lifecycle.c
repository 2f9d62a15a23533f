/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-lifecycle.h"

#include <string.h>

#include "lookalike-egress.h"
#include "lookalike-faults.h"
#include "lookalike-guard.h"
#include "lookalike-json.h"
#include "lookalike-labels.h"
#include "lookalike-log.h"
#include "lookalike-proxy.h"
#include "lookalike-router.h"
#include "lookalike-sandbox.h"
#include "lookalike-schema.h"
#include "lookalike-time.h"
#include "lookalike-validation.h"
#include "lookalike-websocket.h"

#define VERSION "1.1.1"
#define KEPT_EXTENSIONS "opensandbox.extensions."

char **
lookalike_lifecycle_get_parts (LookalikeRequest *request)
{
  return request->segments + (strcmp (request->segments[0], "v1") == 0 ? 1 : 0);
}

LookalikeSandbox *
lookalike_lifecycle_find (LookalikeRequest *request)
{
  const char *id = lookalike_lifecycle_get_parts (request)[1];
  LookalikeSandbox *sandbox = g_hash_table_lookup (request->lookalike->sandboxes, id);

  if (sandbox == NULL)
    {
      lookalike_request_fail (request, SOUP_STATUS_NOT_FOUND, "DOCKER::SANDBOX_NOT_FOUND",
                              "Sandbox %s not found.", id);
      return NULL;
    }
  if (request->sandbox == NULL)
    request->sandbox = lookalike_sandbox_ref (sandbox);
  return sandbox;
}

static void
set_string (JsonObject *object, const char *name, const char *value, gboolean nulls)
{
  if (value != NULL)
    json_object_set_string_member (object, name, value);
  else if (nulls)
    json_object_set_null_member (object, name);
}

static void
set_time (JsonObject *object, const char *name, GDateTime *time, gboolean nulls)
{
  g_autofree char *text = time != NULL ? lookalike_time_print (time) : NULL;

  set_string (object, name, text, nulls);
}

static void
set_object (JsonObject *object, const char *name, JsonObject *value, gboolean nulls)
{
  if (value != NULL)
    json_object_set_object_member (object, name, json_object_ref (value));
  else if (nulls)
    json_object_set_null_member (object, name);
}

JsonObject *
lookalike_lifecycle_describe_status (const char *state, const char *reason, const char *message,
                                     GDateTime *since)
{
  JsonObject *status = json_object_new ();

  json_object_set_string_member (status, "state", state);
  set_string (status, "reason", reason, FALSE);
  set_string (status, "message", message, FALSE);
  set_time (status, "lastTransitionAt", since, FALSE);
  return status;
}

/* What is kept as labels: of the extensions those that say so by their names. */
static JsonObject *
describe_extensions (LookalikeSandbox *sandbox)
{
  g_autoptr (JsonObject) kept = json_object_new ();
  g_autoptr (GList) names
      = sandbox->extensions != NULL ? json_object_get_members (sandbox->extensions) : NULL;

  for (GList *i = names; i != NULL; i = i->next)
    if (g_str_has_prefix (i->data, KEPT_EXTENSIONS))
      json_object_set_member (kept, i->data, json_object_dup_member (sandbox->extensions, i->data));
  return json_object_get_size (kept) > 0 ? g_steal_pointer (&kept) : NULL;
}

static void
set_source (JsonObject *object, LookalikeSandbox *sandbox, gboolean nulls)
{
  set_object (object, "image", sandbox->snapshot_id == NULL ? sandbox->image : NULL, nulls);
  set_string (object, "snapshotId", sandbox->snapshot_id, nulls);
}

JsonObject *
lookalike_lifecycle_describe (LookalikeSandbox *sandbox, gboolean created)
{
  gboolean nulls = sandbox->lookalike->config.nulls;
  gboolean running = sandbox->state == LOOKALIKE_STATE_RUNNING && !created;
  JsonObject *object = json_object_new ();
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autoptr (JsonObject) extensions = describe_extensions (sandbox);

  json_object_set_string_member (object, "id", sandbox->id);
  if (!created)
    {
      set_source (object, sandbox, nulls);
      set_object (object, "platform", sandbox->platform, nulls);
    }
  json_object_set_object_member (object, "status",
                                 lookalike_lifecycle_describe_status (
                                     lookalike_state_get_name (sandbox->state), sandbox->reason,
                                     running ? "Sandbox container is running." : sandbox->message,
                                     sandbox->transition_at));
  set_object (object, "metadata",
              json_object_get_size (sandbox->metadata) > 0 ? sandbox->metadata : NULL, nulls);
  set_object (object, "extensions", extensions, nulls);
  if (created)
    set_object (object, "platform", sandbox->platform, nulls);
  else
    json_object_set_array_member (object, "entrypoint", json_array_ref (sandbox->entrypoint));
  set_time (object, "expiresAt", sandbox->expires_at, nulls);
  /* The answer to a creation has the time at which it was given. */
  set_time (object, "createdAt", created ? now : sandbox->created_at, nulls);
  if (created)
    json_object_set_array_member (object, "entrypoint", json_array_ref (sandbox->entrypoint));
  return object;
}

static void
reply_sandbox (LookalikeRequest *request, LookalikeSandbox *sandbox)
{
  g_autoptr (JsonObject) object = lookalike_lifecycle_describe (sandbox, FALSE);

  lookalike_request_reply_object (request, SOUP_STATUS_OK, object);
}

static void
get_sandbox (LookalikeRequest *request)
{
  LookalikeSandbox *sandbox = lookalike_lifecycle_find (request);

  if (sandbox != NULL)
    reply_sandbox (request, sandbox);
}

static void
delete_sandbox (LookalikeRequest *request)
{
  if (lookalike_lifecycle_find (request) == NULL)
    return;
  g_hash_table_remove (request->lookalike->sandboxes, request->sandbox->id);
  lookalike_request_reply_empty (request, SOUP_STATUS_NO_CONTENT);
}

static void
pause_sandbox (LookalikeRequest *request)
{
  LookalikeSandbox *sandbox = lookalike_lifecycle_find (request);

  if (sandbox == NULL)
    return;
  if (sandbox->state != LOOKALIKE_STATE_RUNNING)
    {
      lookalike_request_fail (request, SOUP_STATUS_CONFLICT, "DOCKER::SANDBOX_NOT_RUNNING",
                              "Sandbox is not in a running state.");
      return;
    }
  lookalike_sandbox_freeze (sandbox);
  lookalike_request_reply_empty (request, SOUP_STATUS_ACCEPTED);
}

static void
resume_sandbox (LookalikeRequest *request)
{
  LookalikeSandbox *sandbox = lookalike_lifecycle_find (request);

  if (sandbox == NULL)
    return;
  if (sandbox->state != LOOKALIKE_STATE_PAUSED)
    {
      lookalike_request_fail (request, SOUP_STATUS_CONFLICT, "DOCKER::SANDBOX_NOT_PAUSED",
                              "Sandbox is not in a paused state.");
      return;
    }
  lookalike_sandbox_thaw (sandbox);
  lookalike_request_reply_empty (request, SOUP_STATUS_ACCEPTED);
}

static GDateTime *
read_time (LookalikeValidation *validation, JsonObject *body)
{
  JsonNode *node = json_object_get_member (body, "expiresAt");
  GDateTime *time = lookalike_time_parse_node (node);

  if (time != NULL)
    return time;
  if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) != G_TYPE_BOOLEAN)
    lookalike_validation_add (validation, "datetime_from_date_parsing",
                              "Input should be a valid datetime or date, input is too short", node,
                              "body", "expiresAt", NULL);
  else
    lookalike_validation_add (validation, "datetime_type", "Input should be a valid datetime", node,
                              "body", "expiresAt", NULL);
  return NULL;
}

static void
renew (LookalikeRequest *request, LookalikeSandbox *sandbox, GDateTime *when)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autoptr (JsonObject) reply = NULL;

  if (g_date_time_compare (when, now) <= 0)
    {
      lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "DOCKER::INVALID_EXPIRATION",
                              "New expiration time must be in the future.");
      return;
    }
  if (sandbox->expires_at == NULL)
    {
      lookalike_request_fail (request, SOUP_STATUS_CONFLICT, "DOCKER::INVALID_EXPIRATION",
                              "Sandbox %s does not have automatic expiration enabled.",
                              sandbox->id);
      return;
    }
  lookalike_sandbox_set_expiry (sandbox, when);
  reply = json_object_new ();
  set_time (reply, "expiresAt", sandbox->expires_at, FALSE);
  lookalike_request_reply_object (request, SOUP_STATUS_OK, reply);
}

static void
renew_sandbox (LookalikeRequest *request)
{
  static const LookalikeField members[] = {
    { .name = "expiresAt", .kind = LOOKALIKE_KIND_ANY, .flags = LOOKALIKE_FIELD_REQUIRED },
    { .name = NULL },
  };
  g_auto (LookalikeValidation) validation;
  g_autoptr (JsonObject) body = NULL;
  g_autoptr (GDateTime) when = NULL;
  LookalikeSandbox *sandbox;

  lookalike_validation_init (&validation);
  body = lookalike_validation_parse (&validation, request);
  if (body != NULL)
    lookalike_schema_check (&validation, members, body);
  if (body != NULL && json_array_get_length (validation.errors) == 0)
    when = read_time (&validation, body);
  if (lookalike_validation_refuse (&validation, request))
    return;
  sandbox = lookalike_lifecycle_find (request);
  if (sandbox != NULL)
    renew (request, sandbox, when);
}

static gboolean
refuse_patch (LookalikeRequest *request, JsonObject *patch)
{
  g_autoptr (GList) keys = json_object_get_members (patch);
  g_autofree char *why = NULL;

  for (GList *i = keys; i != NULL; i = i->next)
    if (lookalike_labels_is_reserved (i->data))
      {
        lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "INVALID_METADATA_LABEL",
                                "Metadata key '%s' is reserved (opensandbox.io/ prefix).",
                                (char *)i->data);
        return TRUE;
      }
  why = lookalike_labels_check (patch);
  if (why != NULL)
    lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "SANDBOX::INVALID_METADATA_LABEL",
                            "%s", why);
  return why != NULL;
}

static void
patch_metadata (LookalikeRequest *request)
{
  g_auto (LookalikeValidation) validation;
  g_autoptr (JsonObject) patch = NULL;
  g_autoptr (GList) keys = NULL;
  LookalikeSandbox *sandbox;

  lookalike_validation_init (&validation);
  patch = lookalike_validation_parse (&validation, request);
  if (patch != NULL)
    lookalike_schema_check_map (&validation, patch);
  if (lookalike_validation_refuse (&validation, request))
    return;
  sandbox = lookalike_lifecycle_find (request);
  if (sandbox == NULL || refuse_patch (request, patch))
    return;
  keys = json_object_get_members (patch);
  for (GList *i = keys; i != NULL; i = i->next)
    {
      const char *value = lookalike_json_get_string (patch, i->data);

      if (value != NULL)
        json_object_set_string_member (sandbox->metadata, i->data, value);
      else if (json_object_has_member (sandbox->metadata, i->data))
        json_object_remove_member (sandbox->metadata, i->data);
    }
  reply_sandbox (request, sandbox);
}

/* The server hears from the sidecar when that goes on again. */
static void
ask_frozen_sidecar (LookalikeRequest *request, LookalikeSandbox *sandbox)
{
  LookalikeProxyRoute route = { .style = LOOKALIKE_PROXY_SERVER };

  soup_message_headers_replace (soup_server_message_get_request_headers (request->message),
                                "OPENSANDBOX-EGRESS-AUTH", sandbox->egress->token);
  route.port = lookalike_sandbox_map_port (sandbox, 18080);
  route.name = g_strdup ("172.17.0.2:18080");
  route.target = g_strdup ("/policy");
  lookalike_proxy_pass (request, route);
}

static void
handle_network_policy (LookalikeRequest *request)
{
  LookalikeSandbox *sandbox = lookalike_lifecycle_find (request);

  if (sandbox == NULL)
    return;
  if (sandbox->egress != NULL && sandbox->state == LOOKALIKE_STATE_PAUSED)
    ask_frozen_sidecar (request, sandbox);
  else if (sandbox->egress != NULL)
    lookalike_egress_handle_policy (request, sandbox->egress);
  else
    lookalike_request_fail (request, SOUP_STATUS_BAD_GATEWAY, "BACKEND_CONNECTION_FAILED",
                            "Could not connect to the backend sandbox 172.17.0.2:18080: All "
                            "connection attempts failed");
}

static const LookalikeField capacity[] = {
  { .name = "bufferMax", .kind = LOOKALIKE_KIND_INTEGER, .flags = LOOKALIKE_FIELD_REQUIRED },
  { .name = "bufferMin", .kind = LOOKALIKE_KIND_INTEGER, .flags = LOOKALIKE_FIELD_REQUIRED },
  { .name = "poolMax", .kind = LOOKALIKE_KIND_INTEGER, .flags = LOOKALIKE_FIELD_REQUIRED },
  { .name = "poolMin", .kind = LOOKALIKE_KIND_INTEGER, .flags = LOOKALIKE_FIELD_REQUIRED },
  { .name = NULL },
};

static const LookalikeField pool[] = {
  { .name = "name",
    .kind = LOOKALIKE_KIND_STRING,
    .flags = LOOKALIKE_FIELD_REQUIRED,
    .most = 253,
    .pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" },
  { .name = "template", .kind = LOOKALIKE_KIND_DICT, .flags = LOOKALIKE_FIELD_REQUIRED },
  { .name = "capacitySpec",
    .kind = LOOKALIKE_KIND_MODEL,
    .flags = LOOKALIKE_FIELD_REQUIRED,
    .members = capacity },
  { .name = NULL },
};

static const LookalikeField event[] = {
  { .name = "eventType",
    .kind = LOOKALIKE_KIND_STRING,
    .flags = LOOKALIKE_FIELD_REQUIRED,
    .words = "'sandbox.create'" },
  { .name = "sandboxId", .kind = LOOKALIKE_KIND_STRING },
  { .name = "image", .kind = LOOKALIKE_KIND_STRING },
  { .name = "createDurationMs", .kind = LOOKALIKE_KIND_INTEGER, .flags = LOOKALIKE_FIELD_REQUIRED },
  { .name = "success", .kind = LOOKALIKE_KIND_BOOLEAN, .flags = LOOKALIKE_FIELD_REQUIRED },
  { .name = NULL },
};

/* FALSE after an answer. */
static gboolean
check_body (LookalikeRequest *request, const LookalikeField *members)
{
  g_auto (LookalikeValidation) validation;
  g_autoptr (JsonObject) body = NULL;

  lookalike_validation_init (&validation);
  body = lookalike_validation_parse (&validation, request);
  if (body != NULL)
    lookalike_schema_check (&validation, members, body);
  return !lookalike_validation_refuse (&validation, request);
}

static void
refuse_pools (LookalikeRequest *request)
{
  /* Of the two that have a body, the one that changes a pool has the last member only. */
  if ((strcmp (request->method, "POST") == 0 && !check_body (request, pool))
      || (strcmp (request->method, "PUT") == 0 && !check_body (request, pool + 2)))
    return;
  lookalike_request_fail (request, SOUP_STATUS_NOT_IMPLEMENTED, "KUBERNETES::POOL_NOT_SUPPORTED",
                          "Pool management is only available when runtime.type is 'kubernetes'.");
}

static void
refuse_templates (LookalikeRequest *request)
{
  lookalike_request_fail (request, SOUP_STATUS_NOT_IMPLEMENTED, "FSB::API_NOT_SUPPORTED",
                          "Template management requires the kubernetes runtime.");
}

static void
take_metrics (LookalikeRequest *request)
{
  if (check_body (request, event))
    lookalike_request_reply_empty (request, SOUP_STATUS_NO_CONTENT);
}

static void
tell_health (LookalikeRequest *request)
{
  lookalike_request_reply_json (request, SOUP_STATUS_OK, "{\"status\":\"healthy\"}");
}

static void
tell_version (LookalikeRequest *request)
{
  lookalike_request_reply_json (request, SOUP_STATUS_OK, "{\"version\":\"" VERSION "\"}");
}

static gboolean
may_enter (LookalikeRequest *request, LookalikeSandbox *sandbox)
{
  const char *given = lookalike_request_get_header (request, "OpenSandbox-Secure-Access");

  return sandbox->secure_access == NULL || g_strcmp0 (given, sandbox->secure_access) == 0;
}

static gboolean
is_port (LookalikeRequest *request)
{
  return g_ascii_string_to_unsigned (lookalike_lifecycle_get_parts (request)[3], 10, 0, G_MAXINT,
                                     NULL, NULL);
}

static void
proxy_websocket (LookalikeRequest *request)
{
  const char *id = lookalike_lifecycle_get_parts (request)[1];
  LookalikeSandbox *sandbox = g_hash_table_lookup (request->lookalike->sandboxes, id);

  if (request->lookalike->config.old)
    lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "GENERAL::UNKNOWN_ERROR",
                            "Websocket upgrade is not supported yet");
  else if (sandbox == NULL)
    {
      g_autofree char *reason = g_strdup_printf (
          "{'code': 'DOCKER::SANDBOX_NOT_FOUND', 'message': 'Sandbox %s not found.'}", id);

      lookalike_websocket_refuse (request, SOUP_WEBSOCKET_CLOSE_SERVER_ERROR, reason);
    }
  else if (!may_enter (request, sandbox))
    lookalike_websocket_refuse (request, SOUP_WEBSOCKET_CLOSE_POLICY_VIOLATION,
                                "Missing or invalid secure-access token");
  else
    {
      request->sandbox = lookalike_sandbox_ref (sandbox);
      lookalike_proxy_from_server (request);
    }
}

static void
proxy (LookalikeRequest *request)
{
  LookalikeSandbox *sandbox;

  if (!is_port (request))
    {
      g_auto (LookalikeValidation) validation;
      g_autoptr (JsonNode) input
          = json_node_init_string (json_node_alloc (), lookalike_lifecycle_get_parts (request)[3]);

      lookalike_validation_init (&validation);
      lookalike_validation_add (
          &validation, "int_parsing",
          "Input should be a valid integer, unable to parse string as an integer", input, "path",
          "port", NULL);
      lookalike_validation_refuse (&validation, request);
      return;
    }
  if (lookalike_websocket_is_valid (request))
    {
      proxy_websocket (request);
      return;
    }
  sandbox = lookalike_lifecycle_find (request);
  if (sandbox == NULL)
    return;
  if (!may_enter (request, sandbox))
    lookalike_request_fail (
        request, SOUP_STATUS_UNAUTHORIZED, "MISSING_OR_INVALID_SECURE_ACCESS",
        "This sandbox requires the OpenSandbox-Secure-Access header for access.");
  else if (lookalike_request_is_upgrade (request))
    lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, "GENERAL::UNKNOWN_ERROR",
                            "Websocket upgrade is not supported yet");
  else
    lookalike_proxy_from_server (request);
}

#define PROXY(method)                                                                              \
  { method, "sandboxes/:/proxy/:", proxy, FALSE },                                                 \
  {                                                                                                \
    method, "sandboxes/:/proxy/:/*", proxy, FALSE                                                  \
  }
#define POLICY(method)                                                                             \
  {                                                                                                \
    method, "sandboxes/:/networkpolicy", handle_network_policy, TRUE                               \
  }

static const LookalikeRoute routes[] = {
  { "GET", "health", tell_health, FALSE },
  { "GET", "version", tell_version, TRUE },
  { "POST", "sandboxes", lookalike_lifecycle_create, FALSE },
  { "GET", "sandboxes", lookalike_lifecycle_list, FALSE },
  { "GET", "sandboxes/:", get_sandbox, FALSE },
  { "DELETE", "sandboxes/:", delete_sandbox, FALSE },
  { "PATCH", "sandboxes/:/metadata", patch_metadata, TRUE },
  { "POST", "sandboxes/:/pause", pause_sandbox, FALSE },
  { "POST", "sandboxes/:/resume", resume_sandbox, FALSE },
  { "POST", "sandboxes/:/renew-expiration", renew_sandbox, FALSE },
  { "GET", "sandboxes/:/endpoints/:", lookalike_lifecycle_get_endpoint, FALSE },
  { "POST", "sandboxes/:/snapshots", lookalike_lifecycle_create_snapshot, TRUE },
  { "GET", "snapshots", lookalike_lifecycle_list_snapshots, TRUE },
  { "GET", "snapshots/:", lookalike_lifecycle_get_snapshot, TRUE },
  { "DELETE", "snapshots/:", lookalike_lifecycle_delete_snapshot, TRUE },
  { "GET", "sandboxes/:/diagnostics/logs", lookalike_lifecycle_get_logs, TRUE },
  { "GET", "sandboxes/:/diagnostics/events", lookalike_lifecycle_get_events, TRUE },
  { "GET", "sandboxes/:/diagnostics/inspect", lookalike_lifecycle_inspect, TRUE },
  { "GET", "sandboxes/:/diagnostics/summary", lookalike_lifecycle_summarize, TRUE },
  POLICY ("GET"),
  POLICY ("PUT"),
  POLICY ("PATCH"),
  POLICY ("DELETE"),
  { "POST", "pools", refuse_pools, TRUE },
  { "GET", "pools", refuse_pools, TRUE },
  { "GET", "pools/:", refuse_pools, TRUE },
  { "PUT", "pools/:", refuse_pools, TRUE },
  { "DELETE", "pools/:", refuse_pools, TRUE },
  { "POST", "templates", refuse_templates, TRUE },
  { "GET", "templates", refuse_templates, TRUE },
  { "GET", "templates/:", refuse_templates, TRUE },
  { "DELETE", "templates/:", refuse_templates, TRUE },
  { "POST", "metrics/events", take_metrics, TRUE },
  PROXY ("GET"),
  PROXY ("POST"),
  PROXY ("PUT"),
  PROXY ("DELETE"),
  PROXY ("PATCH"),
};

static const LookalikeRoute own_routes[] = {
  { "GET", "_faults", lookalike_faults_handle, FALSE },
  { "POST", "_faults", lookalike_faults_handle, FALSE },
  { "DELETE", "_faults", lookalike_faults_handle, FALSE },
  { "GET", "_requests", lookalike_log_handle, FALSE },
  { "DELETE", "_requests", lookalike_log_handle, FALSE },
  { "GET", "_settings", lookalike_lifecycle_change_settings, FALSE },
  { "POST", "_settings", lookalike_lifecycle_change_settings, FALSE },
};

static gboolean
is_exempt (LookalikeRequest *request)
{
  static const char *const paths[] = { "/health", "/docs", "/redoc", "/openapi.json" };
  char **parts = lookalike_lifecycle_get_parts (request);

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    if (g_str_has_prefix (request->path, paths[i]))
      return TRUE;
  if (g_str_has_prefix (request->path, "/version"))
    return !request->lookalike->config.old;
  return g_strv_length (parts) >= 4 && strcmp (parts[0], "sandboxes") == 0
         && strcmp (parts[2], "proxy") == 0 && is_port (request)
         && strstr (request->path, "..") == NULL;
}

/* FALSE after an answer. */
static gboolean
check_key (LookalikeRequest *request)
{
  const char *key = request->lookalike->config.api_key;
  const char *given = lookalike_request_get_header (request, "OPEN-SANDBOX-API-KEY");

  if (key == NULL || is_exempt (request) || g_strcmp0 (given, key) == 0)
    return TRUE;
  if (given == NULL || given[0] == '\0')
    lookalike_request_fail (request, SOUP_STATUS_UNAUTHORIZED, "MISSING_API_KEY",
                            "Authentication credentials are missing. Provide API key via "
                            "OPEN-SANDBOX-API-KEY header.");
  else
    lookalike_request_fail (request, SOUP_STATUS_UNAUTHORIZED, "INVALID_API_KEY",
                            "Authentication credentials are invalid. Check your API key and try "
                            "again.");
  return FALSE;
}

static void
set_request_id (LookalikeRequest *request)
{
  const char *given = lookalike_request_get_header (request, "X-Request-ID");
  g_autofree char *id = g_strstrip (g_strdup (given != NULL ? given : ""));

  if (id[0] == '\0')
    {
      g_autofree char *uuid = g_uuid_string_random ();
      g_auto (GStrv) parts = g_strsplit (uuid, "-", -1);

      g_free (id);
      id = g_strjoinv ("", parts);
    }
  soup_message_headers_replace (soup_server_message_get_response_headers (request->message),
                                "X-Request-ID", id);
}

/* Of a few routes there is but one kind. */
static gboolean
has_version (LookalikeRequest *request, guint skip)
{
  const char *first = request->segments[skip] != NULL ? request->segments[skip] : "";

  if (strcmp (first, "health") == 0 || strcmp (first, "version") == 0)
    return skip == 0;
  return strcmp (first, "metrics") != 0 || skip == 1;
}

/* Where the address without the “/” at its end leads somewhere. */
static gboolean
redirect (LookalikeRequest *request, guint skip)
{
  const char *host = lookalike_request_get_header (request, "Host");
  guint last = g_strv_length (request->segments) - 1;
  g_autofree char *allowed = NULL;
  g_autofree char *to = NULL;
  const LookalikeRoute *found;
  char *empty;

  if (last <= skip || request->segments[last][0] != '\0')
    return FALSE;
  empty = g_steal_pointer (&request->segments[last]);
  found = lookalike_router_find (request, routes, G_N_ELEMENTS (routes), skip, &allowed);
  request->segments[last] = empty;
  if (found == NULL && allowed == NULL)
    return FALSE;
  to = g_strdup_printf ("http://%s%.*s%s%s", host != NULL ? host : "localhost",
                        (int)strlen (request->path) - 1, request->path,
                        request->query != NULL ? "?" : "",
                        request->query != NULL ? request->query : "");
  soup_message_headers_replace (soup_server_message_get_response_headers (request->message),
                                "Location", to);
  lookalike_request_reply_empty (request, SOUP_STATUS_TEMPORARY_REDIRECT);
  return TRUE;
}

static void
route (LookalikeRequest *request)
{
  guint skip = (guint)(lookalike_lifecycle_get_parts (request) - request->segments);
  g_autofree char *allowed = NULL;
  const LookalikeRoute *found = NULL;

  if (has_version (request, skip))
    found = lookalike_router_find (request, routes, G_N_ELEMENTS (routes), skip, &allowed);
  if (found != NULL)
    found->handler (request);
  else if (allowed != NULL)
    {
      soup_message_headers_replace (soup_server_message_get_response_headers (request->message),
                                    "Allow", allowed);
      lookalike_request_reply_json (request, SOUP_STATUS_METHOD_NOT_ALLOWED,
                                    "{\"detail\":\"Method Not Allowed\"}");
    }
  else if (!redirect (request, skip))
    lookalike_request_reply_json (request, SOUP_STATUS_NOT_FOUND, "{\"detail\":\"Not Found\"}");
}

void
lookalike_lifecycle_handle (LookalikeRequest *request)
{
  g_autofree char *allowed = NULL;
  const LookalikeRoute *own
      = lookalike_router_find (request, own_routes, G_N_ELEMENTS (own_routes), 0, &allowed);

  if (own != NULL)
    {
      own->handler (request);
      return;
    }
  set_request_id (request);
  if (!lookalike_guard_tell_browser (request) && check_key (request))
    route (request);
}
