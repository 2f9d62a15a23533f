/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is wrong with a creation of which each member is right by itself. */

#include <string.h>

#include "lookalike-create.h"
#include "lookalike-json.h"
#include "lookalike-labels.h"
#include "lookalike-schema.h"

#define RENEW "access.renew.extend.seconds"
#define RENEW_MIN 300
#define RENEW_MAX 86400
#define INVALID "SANDBOX::INVALID_PARAMETER"
#define EGRESS "OPENSANDBOX_EGRESS_"
#define NO_LIMIT "Invalid resourceLimits.%s: '%s'; must resolve to a positive resource limit."

static const char *const egress_env[] = {
  EGRESS "CREDENTIAL_VAULT_REQUIRE_SCOPED_MATCH",
  EGRESS "CREDENTIAL_VAULT_REQUIRE_TLS",
  EGRESS "CREDENTIAL_VAULT_TRUSTED_PROXY_CIDRS",
  EGRESS "DENY_WEBHOOK",
  EGRESS "DNS_UPSTREAM_TIMEOUT",
  EGRESS "LOG_LEVEL",
  EGRESS "METRICS_EXTRA_ATTRS",
  EGRESS "MITMPROXY_EXTRA_PORTS",
  EGRESS "MITMPROXY_SSL_INSECURE",
  EGRESS "MITMPROXY_TRANSPARENT",
  EGRESS "POLICY_FILE",
  NULL,
};

static char *
find_bad_renewal (JsonObject *body)
{
  const char *text
      = lookalike_json_get_string (lookalike_json_get_object (body, "extensions"), RENEW);
  gint64 seconds;

  if (text == NULL)
    return NULL;
  if (text[strspn (text, " \t\r\n")] == '\0')
    return g_strdup ("Invalid extensions[\"" RENEW "\"]: empty value; omit the key to disable "
                     "renew-on-access, or use an integer between 300 and 86400 seconds.");
  if (!lookalike_schema_read_integer (text, &seconds) || strchr (text, '.') != NULL)
    return g_strdup_printf ("Invalid extensions[\"" RENEW "\"]: must be a base-10 integer string "
                            "between 300 and 86400, got '%s'.",
                            text);
  if (seconds >= RENEW_MIN && seconds <= RENEW_MAX)
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

static gboolean
is_device_count (const char *text)
{
  gint64 count;

  return g_ascii_strcasecmp (text, "all") == 0
         || (lookalike_schema_read_integer (text, &count) && strchr (text, '.') == NULL
             && count > 0);
}

static char *
find_bad_resource (JsonObject *body)
{
  JsonObject *limits = lookalike_json_get_object (body, "resourceLimits");
  const char *cpu = lookalike_json_get_string (limits, "cpu");
  const char *memory = lookalike_json_get_string (limits, "memory");
  const char *gpu = lookalike_json_get_string (limits, "gpu");

  if (gpu != NULL && !is_device_count (gpu))
    return g_strdup_printf ("Invalid resourceLimits.gpu: '%s'; must resolve to a positive device "
                            "count or 'all'.",
                            gpu);
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
    if (g_str_has_prefix (i->data, EGRESS) && !g_strv_contains (egress_env, i->data))
      {
        g_autofree char *allowed = g_strjoinv ("', '", (char **)egress_env);

        return g_strdup_printf ("Environment variable '%s' is not allowed; permitted " EGRESS
                                " keys: ['%s']",
                                (char *)i->data, allowed);
      }
  return NULL;
}

/* What is asked of a platform, whatever the case. */
static gboolean
is_one_of (const char *text, const char *const *words)
{
  g_autofree char *lower = g_ascii_strdown (text, -1);

  return g_strv_contains (words, g_strstrip (lower));
}

static char *
find_bad_platform (JsonObject *body)
{
  static const char *const systems[] = { "linux", "windows", NULL };
  static const char *const machines[] = { "amd64", "arm64", NULL };
  JsonObject *platform = lookalike_json_get_object (body, "platform");
  const char *os = lookalike_json_get_string (platform, "os");
  const char *arch = lookalike_json_get_string (platform, "arch");

  if (platform == NULL)
    return NULL;
  if (!is_one_of (os, systems))
    return g_strdup_printf ("Unsupported platform.os '%s'. Supported values: ['linux', 'windows'].",
                            os);
  if (!is_one_of (arch, machines))
    return g_strdup_printf ("Unsupported platform.arch '%s'. Supported values: ['amd64', 'arm64'].",
                            arch);
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
  return NULL;
}

static char *
find_bad_sub_path (const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path != NULL ? path : "", "/", -1);

  if (path != NULL && path[0] == '/')
    return g_strdup_printf ("SubPath '%s' must be a relative path, not absolute.", path);
  if (g_strv_contains ((const char *const *)parts, ".."))
    return g_strdup_printf ("SubPath '%s' contains path traversal '..' which is not allowed.",
                            path);
  return NULL;
}

static char *
find_bad_host_path (const char *path)
{
  if (path == NULL)
    return NULL;
  if (strstr (path, "/..") != NULL)
    return g_strdup_printf ("Host path '%s' contains path traversal component '..'.", path);
  if (strstr (path, "//") != NULL || (strlen (path) > 1 && g_str_has_suffix (path, "/")))
    return g_strdup_printf ("Host path '%s' is not normalized. Remove redundant slashes.", path);
  return NULL;
}

static char *
find_bad_option (JsonObject *ossfs)
{
  JsonArray *options = lookalike_json_get_array (ossfs, "options");

  for (guint i = 0; options != NULL && i < json_array_get_length (options); i++)
    if (g_str_has_prefix (json_array_get_string_element (options, i), "-"))
      return g_strdup ("OSSFS options must be raw option payloads without '-' prefix (e.g. "
                       "'allow_other', 'uid=1000').");
  return NULL;
}

/* Code and words of a volume that will not do. */
static char *
find_bad_volume (JsonObject *body, const char **code)
{
  JsonArray *volumes = lookalike_json_get_array (body, "volumes");
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  char *why = NULL;

  for (guint i = 0; volumes != NULL && why == NULL && i < json_array_get_length (volumes); i++)
    {
      JsonObject *volume = json_array_get_object_element (volumes, i);
      const char *name = lookalike_json_get_string (volume, "name");

      *code = "VOLUME::DUPLICATE_NAME";
      if (!g_hash_table_add (names, (char *)name))
        return g_strdup_printf ("Duplicate volume name '%s'. Each volume must have a unique name.",
                                name);
      *code = "VOLUME::INVALID_SUB_PATH";
      why = find_bad_sub_path (lookalike_json_get_string (volume, "subPath"));
      if (why != NULL)
        break;
      *code = "VOLUME::INVALID_HOST_PATH";
      why = find_bad_host_path (
          lookalike_json_get_string (lookalike_json_get_object (volume, "host"), "path"));
      if (why != NULL)
        break;
      *code = "VOLUME::INVALID_OSSFS_OPTION";
      why = find_bad_option (lookalike_json_get_object (volume, "ossfs"));
    }
  return why;
}

static gboolean
refuse_with (LookalikeRequest *request, const char *code, const char *why)
{
  if (why == NULL)
    return FALSE;
  lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, code, "%s", why);
  return TRUE;
}

static gboolean
refuse_first (LookalikeRequest *request, JsonObject *body)
{
  g_autofree char *renewal = find_bad_renewal (body);
  g_autofree char *labels = lookalike_labels_check (lookalike_json_get_object (body, "metadata"));

  return refuse_with (request, INVALID, renewal)
         || refuse_with (request, INVALID,
                         lookalike_json_has (body, "lifecycle")
                             ? "lifecycle hooks are not supported by the Docker provider."
                             : NULL)
         || refuse_with (request, "SANDBOX::UNSUPPORTED_POOL_REF",
                         lookalike_create_has_pool (body)
                             ? "poolRef is not supported by the Docker provider. Use Kubernetes "
                               "BatchSandbox provider instead."
                             : NULL)
         || refuse_with (request, "DOCKER::INVALID_ENTRYPOINT",
                         lookalike_json_has (body, "templateId")
                             ? "Entrypoint must contain at least one command."
                             : NULL)
         || refuse_with (request, "SANDBOX::INVALID_METADATA_LABEL", labels);
}

gboolean
lookalike_create_refuse (LookalikeRequest *request, JsonObject *body)
{
  g_autofree char *platform = find_bad_platform (body);
  g_autofree char *resource = find_bad_resource (body);
  g_autofree char *environment = find_bad_environment (body);
  g_autofree char *rest = find_bad_rest (request, body);
  const char *volume_code = NULL;
  g_autofree char *volume = find_bad_volume (body, &volume_code);

  return refuse_first (request, body) || refuse_with (request, INVALID, platform)
         || refuse_with (request, INVALID, rest)
         || refuse_with (request, INVALID, request->lookalike->config.old ? NULL : resource)
         || refuse_with (request, INVALID, environment)
         || refuse_with (request, volume_code, volume);
}
