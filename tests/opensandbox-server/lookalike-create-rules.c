/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rules of POST /sandboxes. */

#include <string.h>

#include "lookalike-create.h"
#include "lookalike-json.h"
#include "lookalike-labels.h"

#define SHORTEST 60
#define RENEW "access.renew.extend.seconds"
#define RENEW_MIN 300
#define RENEW_MAX 86400
#define LABEL "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
#define NO_LIMIT "Invalid resourceLimits.%s: '%s'; must resolve to a positive resource limit."
#define HOOKS "OPENSANDBOX_LIFECYCLE"

static const char *
get_pool (JsonObject *body)
{
  const char *pool
      = lookalike_json_get_string (lookalike_json_get_object (body, "extensions"), "poolRef");

  return pool != NULL && pool[0] != '\0' ? pool : NULL;
}

static gboolean
has_text (JsonObject *object, const char *name)
{
  const char *text = lookalike_json_get_string (object, name);

  return text != NULL && text[strspn (text, " \t\n")] != '\0';
}

static void
check_image (LookalikeValidation *validation, JsonObject *body)
{
  JsonNode *node = json_object_get_member (body, "image");
  JsonObject *auth;

  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    return;
  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      lookalike_validation_add (
          validation, "model_attributes_type",
          "Input should be a valid dictionary or object to extract fields from", node, "body",
          "image", NULL);
      return;
    }
  if (lookalike_json_get_string (json_node_get_object (node), "uri") == NULL)
    lookalike_validation_add (validation, "missing", "Field required", node, "body", "image", "uri",
                              NULL);
  auth = lookalike_json_get_object (json_node_get_object (node), "auth");
  for (const char *name = "username\0password\0"; auth != NULL && *name != '\0';
       name += strlen (name) + 1)
    if (lookalike_json_get_string (auth, name) == NULL)
      lookalike_validation_add (validation, "missing", "Field required", NULL, "body", "image",
                                "auth", name, NULL);
}

static void
check_timeout (LookalikeValidation *validation, LookalikeRequest *request, JsonObject *body)
{
  JsonNode *node = json_object_get_member (body, "timeout");
  gboolean absent = node == NULL || JSON_NODE_HOLDS_NULL (node);

  if (absent && request->lookalike->config.old)
    lookalike_validation_add (validation, "missing", "Field required", NULL, "body", "timeout",
                              NULL);
  if (absent)
    return;
  if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_INT64)
    lookalike_validation_add (validation, "int_type", "Input should be a valid integer", node,
                              "body", "timeout", NULL);
  else if (json_node_get_int (node) < SHORTEST)
    {
      lookalike_validation_add (validation, "greater_than_equal",
                                "Input should be greater than or equal to 60", node, "body",
                                "timeout", NULL);
      lookalike_validation_set_bound (validation, "ge", SHORTEST);
    }
}

static void
check_entrypoint (LookalikeValidation *validation, JsonObject *body)
{
  JsonNode *node = json_object_get_member (body, "entrypoint");

  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    return;
  if (!lookalike_json_is_string_list (node))
    lookalike_validation_add (validation, "list_type", "Input should be a valid list", node, "body",
                              "entrypoint", NULL);
  else if (json_array_get_length (json_node_get_array (node)) == 0)
    lookalike_validation_add (validation, "too_short",
                              "List should have at least 1 item after validation, not 0", node,
                              "body", "entrypoint", NULL);
}

static void
add_mismatch (LookalikeValidation *validation, JsonNode *value, const char *pattern,
              const char *volume, const char *member, const char *inner)
{
  g_autofree char *words = g_strdup_printf ("String should match pattern '%s'", pattern);

  lookalike_validation_add (validation, "string_pattern_mismatch", words, value, "body", "volumes",
                            volume, member, inner, NULL);
}

static void
check_volume (LookalikeValidation *validation, JsonNode *node, const char *place)
{
  JsonObject *volume = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  const char *name = lookalike_json_get_string (volume, "name");
  const char *path = lookalike_json_get_string (volume, "mountPath");
  JsonObject *pvc = lookalike_json_get_object (volume, "pvc");
  JsonObject *host = lookalike_json_get_object (volume, "host");
  const char *claim = lookalike_json_get_string (pvc, "claimName");
  const char *host_path = lookalike_json_get_string (host, "path");
  guint backends = 0;

  if (volume == NULL || name == NULL || path == NULL)
    {
      lookalike_validation_add (validation, "missing", "Field required", node, "body", "volumes",
                                place, volume != NULL && name != NULL ? "mountPath" : "name", NULL);
      return;
    }
  if (path[0] != '/')
    add_mismatch (validation, json_object_get_member (volume, "mountPath"), "^/.*", place,
                  "mountPath", NULL);
  if (!lookalike_labels_is_dns_label (name))
    add_mismatch (validation, json_object_get_member (volume, "name"), LABEL, place, "name", NULL);
  if (claim != NULL && !lookalike_labels_is_dns_label (claim))
    add_mismatch (validation, json_object_get_member (pvc, "claimName"), LABEL, place, "pvc",
                  "claimName");
  if (host_path != NULL && host_path[0] != '/')
    add_mismatch (validation, json_object_get_member (host, "path"), "^(/|[A-Za-z]:[\\\\/])", place,
                  "host", "path");
  for (const char *backend = "host\0pvc\0ossfs\0"; *backend != '\0';
       backend += strlen (backend) + 1)
    backends += lookalike_json_has (volume, backend) ? 1 : 0;
  if (backends != 1)
    lookalike_validation_add_rule (
        validation, backends == 0 ? "Exactly one backend (host, pvc, ossfs) must be specified, but "
                                    "none was provided."
                                  : "Exactly one backend (host, pvc, ossfs) must be specified, but "
                                    "multiple were provided.");
}

static void
check_shape (LookalikeValidation *validation, JsonObject *body)
{
  JsonArray *volumes = lookalike_json_get_array (body, "volumes");
  JsonObject *proxy = lookalike_json_get_object (body, "credentialProxy");
  JsonObject *env = lookalike_json_get_object (body, "env");

  for (guint i = 0; volumes != NULL && i < json_array_get_length (volumes); i++)
    {
      g_autofree char *place = g_strdup_printf ("%u", i);

      check_volume (validation, json_array_get_element (volumes, i), place);
    }
  if (proxy != NULL && lookalike_json_get_boolean (proxy, "enabled")
      && !lookalike_json_has (body, "networkPolicy"))
    lookalike_validation_add_rule (validation, "credentialProxy.enabled requires networkPolicy.");
  if (env != NULL && lookalike_json_has (env, HOOKS))
    lookalike_validation_add_rule (validation, "Environment variable '" HOOKS "' is reserved. Use "
                                               "the lifecycle request field instead.");
}

/* What speaks of several members is only looked at when each is right by itself. */
static void
check_whole (LookalikeValidation *validation, JsonObject *body)
{
  gboolean has_image = has_text (lookalike_json_get_object (body, "image"), "uri");
  gboolean has_snapshot = has_text (body, "snapshotId");

  if (has_text (body, "templateId") || get_pool (body) != NULL)
    return;
  if (has_image == has_snapshot)
    lookalike_validation_add_rule (validation,
                                   "Exactly one of image or snapshotId must be provided.");
  else if (has_image && !lookalike_json_has (body, "entrypoint"))
    lookalike_validation_add_rule (validation, "Entrypoint is required when image is provided.");
  else if (!lookalike_json_has (body, "resourceLimits"))
    lookalike_validation_add_rule (validation,
                                   "resourceLimits is required when poolRef is not provided.");
}

void
lookalike_create_validate (LookalikeValidation *validation, LookalikeRequest *request,
                           JsonObject *body)
{
  check_image (validation, body);
  check_timeout (validation, request, body);
  check_entrypoint (validation, body);
  lookalike_validation_check_string_map (validation, body, "resourceLimits", FALSE);
  lookalike_validation_check_string_map (validation, body, "resourceRequests", FALSE);
  lookalike_validation_check_string_map (validation, body, "env", TRUE);
  lookalike_validation_check_string_map (validation, body, "metadata", FALSE);
  lookalike_validation_check_string_map (validation, body, "extensions", FALSE);
  check_shape (validation, body);
  if (json_array_get_length (validation->errors) == 0)
    check_whole (validation, body);
}

static char *
find_bad_renewal (JsonObject *body)
{
  const char *text
      = lookalike_json_get_string (lookalike_json_get_object (body, "extensions"), RENEW);
  guint64 seconds;

  if (text == NULL || g_ascii_string_to_unsigned (text, 10, RENEW_MIN, RENEW_MAX, &seconds, NULL))
    return NULL;
  return g_strdup_printf ("Invalid extensions[\"" RENEW
                          "\"]: must be between 300 and 86400 seconds "
                          "(5 minutes to 24 hours inclusive), got %s.",
                          text);
}

static gboolean
is_quantity (const char *text, const char *units)
{
  char *end;
  double value = g_ascii_strtod (text, &end);
  g_autofree char *unit = g_strdup_printf (",%s,", end);
  g_autofree char *lower = g_ascii_strdown (unit, -1);

  return end != text && value > 0 && strstr (units, lower) != NULL;
}

static char *
find_bad_resource (JsonObject *body)
{
  JsonObject *limits = lookalike_json_get_object (body, "resourceLimits");
  const char *cpu = lookalike_json_get_string (limits, "cpu");
  const char *memory = lookalike_json_get_string (limits, "memory");

  if (cpu != NULL && !is_quantity (cpu, ",,m,"))
    return g_strdup_printf (NO_LIMIT, "cpu", cpu);
  if (memory != NULL && !is_quantity (memory, ",,b,k,kb,ki,m,mb,mi,g,gb,gi,t,tb,ti,"))
    return g_strdup_printf (NO_LIMIT, "memory", memory);
  return NULL;
}

static char *
find_bad_environment (JsonObject *body)
{
  JsonObject *env = lookalike_json_get_object (body, "env");
  g_autoptr (GList) names = env != NULL ? json_object_get_members (env) : NULL;

  for (GList *i = names; i != NULL; i = i->next)
    if (g_str_has_prefix (i->data, "OPENSANDBOX_EGRESS_"))
      return g_strdup_printf ("Environment variable '%s' is not allowed.", (char *)i->data);
  return NULL;
}

static char *
find_bad_platform (JsonObject *body)
{
  JsonObject *platform = lookalike_json_get_object (body, "platform");
  const char *os = lookalike_json_get_string (platform, "os");
  const char *arch = lookalike_json_get_string (platform, "arch");

  if (platform == NULL)
    return NULL;
  if (g_strcmp0 (os, "linux") != 0 && g_strcmp0 (os, "windows") != 0)
    return g_strdup_printf ("Unsupported platform.os '%s'. Supported values: ['linux', 'windows'].",
                            os != NULL ? os : "");
  if (g_strcmp0 (arch, "amd64") != 0 && g_strcmp0 (arch, "arm64") != 0)
    return g_strdup_printf ("Unsupported platform.arch '%s'. Supported values: ['amd64', 'arm64'].",
                            arch != NULL ? arch : "");
  return NULL;
}

static char *
find_bad_rest (LookalikeRequest *request, JsonObject *body)
{
  gint64 timeout = lookalike_json_get_int (body, "timeout", 0);
  const LookalikeConfig *config = &request->lookalike->config;

  if (config->max_timeout > 0 && timeout > config->max_timeout)
    return g_strdup_printf ("Sandbox timeout %" G_GINT64_FORMAT
                            "s exceeds configured maximum of %ds.",
                            timeout, config->max_timeout);
  if (lookalike_json_get_boolean (body, "secureAccess")
      && config->endpoints < LOOKALIKE_ENDPOINTS_HEADER)
    return g_strdup ("secureAccess is not supported when runtime.type='docker'. Use the Kubernetes "
                     "runtime to create secured sandboxes.");
  if (lookalike_json_has (body, "lifecycle"))
    return g_strdup ("lifecycle hooks are not supported by the Docker provider.");
  if (lookalike_json_has (body, "templateId"))
    return g_strdup ("templateId is not supported by the Docker provider.");
  return NULL;
}

/* Code and words of a volume that will not do. */
static const char *
find_bad_volume (JsonObject *body, const char **code)
{
  JsonArray *volumes = lookalike_json_get_array (body, "volumes");
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; volumes != NULL && i < json_array_get_length (volumes); i++)
    {
      JsonObject *volume = json_array_get_object_element (volumes, i);
      const char *sub_path = lookalike_json_get_string (volume, "subPath");

      *code = "VOLUME::DUPLICATE_NAME";
      if (!g_hash_table_add (names, (char *)lookalike_json_get_string (volume, "name")))
        return "Duplicate volume name.";
      *code = "VOLUME::INVALID_SUB_PATH";
      if (sub_path != NULL && (sub_path[0] == '/' || strstr (sub_path, "..") != NULL))
        return "SubPath must be relative and stay below.";
    }
  return NULL;
}

static gboolean
refuse_with (LookalikeRequest *request, const char *code, const char *why)
{
  if (why == NULL)
    return FALSE;
  lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, code, "%s", why);
  return TRUE;
}

gboolean
lookalike_create_refuse (LookalikeRequest *request, JsonObject *body)
{
  g_autofree char *renewal = find_bad_renewal (body);
  g_autofree char *labels = lookalike_labels_check (lookalike_json_get_object (body, "metadata"));
  g_autofree char *platform = find_bad_platform (body);
  g_autofree char *resource = find_bad_resource (body);
  g_autofree char *environment = find_bad_environment (body);
  g_autofree char *rest = find_bad_rest (request, body);
  const char *volume_code = NULL;
  const char *volume = find_bad_volume (body, &volume_code);
  static const char *const invalid = "SANDBOX::INVALID_PARAMETER";

  return refuse_with (request, invalid, renewal)
         || refuse_with (request, "SANDBOX::UNSUPPORTED_POOL_REF",
                         get_pool (body) != NULL
                             ? "poolRef is not supported by the Docker provider. Use Kubernetes "
                               "BatchSandbox provider instead."
                             : NULL)
         || refuse_with (request, "SANDBOX::INVALID_METADATA_LABEL", labels)
         || refuse_with (request, invalid, platform) || refuse_with (request, invalid, rest)
         || refuse_with (request, invalid, request->lookalike->config.old ? NULL : resource)
         || refuse_with (request, invalid, environment)
         || refuse_with (request, volume_code, volume);
}
