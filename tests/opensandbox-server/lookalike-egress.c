/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-egress.h"

#include <string.h>

#include "lookalike-json.h"
#include "lookalike-sandbox.h"

#define MAX_RULES 4096
#define AUTH_HEADER "OPENSANDBOX-EGRESS-AUTH"

static LookalikeRule *
rule_new (const char *action, const char *target)
{
  LookalikeRule *rule = g_new0 (LookalikeRule, 1);

  rule->action = g_strdup (action);
  rule->target = g_strdup (target);
  return rule;
}

static void
rule_free (LookalikeRule *rule)
{
  g_free (rule->action);
  g_free (rule->target);
  g_free (rule);
}

static GPtrArray *
rules_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)rule_free);
}

static char *
normalize_action (const char *action)
{
  g_autofree char *lower = g_ascii_strdown (action != NULL ? action : "", -1);
  char *stripped = g_strstrip (lower);

  return g_strdup (stripped[0] != '\0' ? stripped : "deny");
}

static gboolean
set_invalid (GError **error, const char *format, const char *what)
{
  g_autofree char *message = g_strconcat (format, what, NULL);

  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, message);
  return FALSE;
}

static gboolean
add_rule (GPtrArray *rules, JsonNode *node, GError **error)
{
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  const char *target = lookalike_json_get_string (object, "target");
  g_autofree char *action = normalize_action (lookalike_json_get_string (object, "action"));
  g_autofree char *stripped = g_strstrip (g_strdup (target != NULL ? target : ""));

  if (object == NULL)
    return set_invalid (error, "json: cannot unmarshal into EgressRule", "");
  if (strcmp (action, "allow") != 0 && strcmp (action, "deny") != 0)
    return set_invalid (error, "unsupported action ", action);
  if (stripped[0] == '\0')
    return set_invalid (error, "egress target cannot be empty", "");
  g_ptr_array_add (rules, rule_new (action, stripped));
  return TRUE;
}

static gboolean
add_rules (GPtrArray *rules, JsonArray *array, GError **error)
{
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    if (!add_rule (rules, json_array_get_element (array, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
parse_policy (JsonNode *node, char **default_action, GPtrArray **rules, GError **error)
{
  g_autoptr (GPtrArray) parsed = rules_new ();
  JsonObject *policy = NULL;
  g_autofree char *action = NULL;

  if (node != NULL && !JSON_NODE_HOLDS_NULL (node) && !JSON_NODE_HOLDS_OBJECT (node))
    return set_invalid (error, "json: cannot unmarshal into NetworkPolicy", "");
  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
    policy = json_node_get_object (node);
  action = normalize_action (lookalike_json_get_string (policy, "defaultAction"));
  if (!add_rules (parsed, lookalike_json_get_array (policy, "egress"), error))
    return FALSE;
  *default_action = g_steal_pointer (&action);
  *rules = g_steal_pointer (&parsed);
  return TRUE;
}

LookalikeEgress *
lookalike_egress_new (JsonNode *policy, gboolean proxy_enabled, GError **error)
{
  guint32 random[6];
  LookalikeEgress *self;
  char *default_action;
  GPtrArray *rules;

  if (!parse_policy (policy, &default_action, &rules, error))
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (random); i++)
    random[i] = g_random_int ();
  self = g_new0 (LookalikeEgress, 1);
  self->token = g_base64_encode ((const guchar *)random, sizeof random);
  g_strdelimit (self->token, "+", '-');
  g_strdelimit (self->token, "/", '_');
  self->default_action = default_action;
  self->rules = rules;
  self->proxy_enabled = proxy_enabled;
  return self;
}

void
lookalike_egress_free (LookalikeEgress *self)
{
  g_free (self->token);
  g_free (self->default_action);
  g_ptr_array_unref (self->rules);
  g_clear_pointer (&self->vault, lookalike_vault_free);
  g_free (self);
}

void
lookalike_egress_refuse (LookalikeRequest *request, guint status, const char *format, ...)
{
  g_autofree char *message = NULL;
  g_autofree char *line = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  line = g_strconcat (message, "\n", NULL);
  lookalike_request_reply (request, status, "text/plain; charset=utf-8", line, -1);
}

gboolean
lookalike_egress_allows (LookalikeEgress *self, const char *host)
{
  for (guint i = 0; i < self->rules->len; i++)
    {
      LookalikeRule *rule = self->rules->pdata[i];
      const char *target = rule->target;

      if (strcmp (rule->action, "allow") != 0)
        continue;
      if (g_ascii_strcasecmp (target, host) == 0)
        return TRUE;
      if (g_str_has_prefix (target, "*.") && strlen (host) > strlen (target + 1)
          && g_ascii_strcasecmp (host + strlen (host) - strlen (target + 1), target + 1) == 0)
        return TRUE;
    }
  return FALSE;
}

static const char *
get_mode (LookalikeEgress *self)
{
  if (self->rules->len > 0)
    return "enforcing";
  return strcmp (self->default_action, "allow") == 0 ? "allow_all" : "deny_all";
}

static void
append_policy (GString *json, LookalikeRequest *request, LookalikeEgress *self)
{
  g_string_append (json, ",\"policy\":{\"egress\":");
  if (self->rules->len == 0 && request->lookalike->config.egress_null)
    g_string_append (json, "null");
  else
    g_string_append_c (json, '[');
  for (guint i = 0; i < self->rules->len; i++)
    {
      LookalikeRule *rule = self->rules->pdata[i];

      g_string_append_printf (json, "%s{\"action\":\"%s\",\"target\":", i > 0 ? "," : "",
                              rule->action);
      lookalike_json_append_string (json, rule->target, -1);
      g_string_append_c (json, '}');
    }
  if (self->rules->len > 0 || !request->lookalike->config.egress_null)
    g_string_append_c (json, ']');
  g_string_append_printf (json, ",\"defaultAction\":\"%s\"}", self->default_action);
}

static void
reply_status (LookalikeRequest *request, LookalikeEgress *self, const char *reason, gboolean policy)
{
  g_autoptr (GString) json = g_string_new (NULL);

  g_string_printf (json, "{\"status\":\"ok\",\"mode\":\"%s\",\"enforcementMode\":\"dns\"",
                   get_mode (self));
  if (reason != NULL)
    g_string_append_printf (json, ",\"reason\":\"%s\"", reason);
  if (policy)
    append_policy (json, request, self);
  g_string_append (json, "}\n");
  lookalike_request_reply (request, SOUP_STATUS_OK, "application/json", json->str, -1);
}

/* Takes the rules when the vault can live with them. */
static gboolean
commit (LookalikeRequest *request, LookalikeEgress *self, const char *action, GPtrArray *rules)
{
  g_autoptr (GPtrArray) before = self->rules;
  g_autofree char *why = NULL;

  if (rules->len > MAX_RULES)
    {
      lookalike_egress_refuse (request, SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE,
                               "egress rule total count %u exceeds limit %u", rules->len,
                               MAX_RULES);
      g_ptr_array_ref (before);
      return FALSE;
    }
  self->rules = g_ptr_array_ref (rules);
  why = self->vault != NULL ? lookalike_vault_check_policy (self->vault, self) : NULL;
  if (why != NULL)
    {
      g_ptr_array_unref (self->rules);
      self->rules = g_ptr_array_ref (before);
      lookalike_egress_refuse (request, SOUP_STATUS_BAD_REQUEST,
                               "credential vault policy validation: %s", why);
      return FALSE;
    }
  if (action != NULL)
    {
      g_free (self->default_action);
      self->default_action = g_strdup (action);
    }
  return TRUE;
}

static void
replace_policy (LookalikeRequest *request, LookalikeEgress *self)
{
  g_autoptr (GBytes) body = lookalike_request_get_body (request);
  gboolean empty = g_bytes_get_size (body) == 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = empty ? NULL : lookalike_request_parse (request, &error);
  g_autoptr (GPtrArray) rules = NULL;
  g_autofree char *action = NULL;

  if (error != NULL || !parse_policy (node, &action, &rules, &error))
    lookalike_egress_refuse (request, SOUP_STATUS_BAD_REQUEST, "invalid policy: %s",
                             error->message);
  else if (commit (request, self, action, rules))
    reply_status (request, self, empty ? "policy reset to default deny-all" : NULL, FALSE);
}

static gboolean
has_target (GPtrArray *rules, const char *target)
{
  for (guint i = 0; i < rules->len; i++)
    if (g_ascii_strcasecmp (((LookalikeRule *)rules->pdata[i])->target, target) == 0)
      return TRUE;
  return FALSE;
}

static void
merge_rules (GPtrArray *merged, GPtrArray *more)
{
  for (guint i = 0; i < more->len; i++)
    {
      LookalikeRule *rule = more->pdata[i];

      if (!has_target (merged, rule->target))
        g_ptr_array_add (merged, rule_new (rule->action, rule->target));
    }
}

static JsonArray *
parse_array (LookalikeRequest *request, const char *what, JsonNode **node)
{
  g_autoptr (GError) error = NULL;

  *node = lookalike_request_parse (request, &error);
  if (*node == NULL || !JSON_NODE_HOLDS_ARRAY (*node))
    lookalike_egress_refuse (request, SOUP_STATUS_BAD_REQUEST, "invalid %s: %s", what,
                             error != NULL ? error->message : "json: cannot unmarshal");
  else if (json_array_get_length (json_node_get_array (*node)) == 0)
    lookalike_egress_refuse (request, SOUP_STATUS_BAD_REQUEST, "invalid %s: empty array", what);
  else
    return json_node_get_array (*node);
  return NULL;
}

static void
patch_policy (LookalikeRequest *request, LookalikeEgress *self)
{
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) merged = rules_new ();
  g_autoptr (GPtrArray) first = rules_new ();
  JsonArray *array = parse_array (request, "patch rules", &node);

  if (array == NULL)
    return;
  if (!add_rules (first, array, &error))
    {
      lookalike_egress_refuse (request, SOUP_STATUS_BAD_REQUEST, "invalid merged policy: %s",
                               error->message);
      return;
    }
  merge_rules (merged, first);
  merge_rules (merged, self->rules);
  if (commit (request, self, NULL, merged))
    reply_status (request, self, NULL, FALSE);
}

static gboolean
lists_target (JsonArray *targets, const char *target)
{
  for (guint i = 0; i < json_array_get_length (targets); i++)
    {
      g_autofree char *listed = g_strstrip (g_strdup (json_array_get_string_element (targets, i)));

      if (g_ascii_strcasecmp (listed, target) == 0)
        return TRUE;
    }
  return FALSE;
}

static void
delete_rules (LookalikeRequest *request, LookalikeEgress *self)
{
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GPtrArray) kept = rules_new ();
  JsonArray *targets = parse_array (request, "delete targets", &node);

  if (targets == NULL)
    return;
  if (!lookalike_json_is_string_list (node))
    {
      lookalike_egress_refuse (request, SOUP_STATUS_BAD_REQUEST,
                               "invalid delete targets: json: cannot unmarshal into string");
      return;
    }
  for (guint i = 0; i < self->rules->len; i++)
    {
      LookalikeRule *rule = self->rules->pdata[i];

      if (!lists_target (targets, rule->target))
        g_ptr_array_add (kept, rule_new (rule->action, rule->target));
    }
  if (kept->len == self->rules->len)
    reply_status (request, self, "no matching targets found", FALSE);
  else if (commit (request, self, NULL, kept))
    reply_status (request, self, NULL, FALSE);
}

void
lookalike_egress_handle_policy (LookalikeRequest *request, LookalikeEgress *self)
{
  if (strcmp (request->method, "GET") == 0)
    reply_status (request, self, NULL, TRUE);
  else if (strcmp (request->method, "POST") == 0 || strcmp (request->method, "PUT") == 0)
    replace_policy (request, self);
  else if (strcmp (request->method, "PATCH") == 0)
    patch_policy (request, self);
  else if (strcmp (request->method, "DELETE") == 0)
    delete_rules (request, self);
  else
    {
      soup_message_headers_replace (soup_server_message_get_response_headers (request->message),
                                    "Allow", "GET, POST, PUT, PATCH, DELETE");
      lookalike_egress_refuse (request, SOUP_STATUS_METHOD_NOT_ALLOWED, "method not allowed");
    }
}

static void
handle (LookalikeRequest *request)
{
  LookalikeEgress *self = request->sandbox->egress;
  const char *given = lookalike_request_get_header (request, AUTH_HEADER);
  const char *first = request->segments[0];

  if (strcmp (request->path, "/healthz") == 0)
    lookalike_request_reply (request, SOUP_STATUS_OK, "text/plain; charset=utf-8", "ok", -1);
  else if (strcmp (first, "policy") != 0 && strcmp (first, "credential-vault") != 0)
    lookalike_egress_refuse (request, SOUP_STATUS_NOT_FOUND, "404 page not found");
  else if (strcmp (request->path, "/credential-vault/_active") == 0)
    lookalike_egress_refuse (request, SOUP_STATUS_FORBIDDEN, "forbidden");
  else if (g_strcmp0 (given, self->token) != 0)
    lookalike_egress_refuse (request, SOUP_STATUS_UNAUTHORIZED, "unauthorized");
  else if (strcmp (first, "credential-vault") == 0)
    lookalike_vault_handle (request, self);
  else
    lookalike_egress_handle_policy (request, self);
}

gboolean
lookalike_egress_open (LookalikeSandbox *sandbox, GError **error)
{
  if (sandbox->egress == NULL)
    return TRUE;
  sandbox->sidecar
      = lookalike_listener_new (sandbox->lookalike, "egress", 0, sandbox, handle, error);
  return sandbox->sidecar != NULL;
}
