/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the members of POST /sandboxes have to be; what is asked of them together. */

#include <string.h>

#include "lookalike-create.h"
#include "lookalike-json.h"
#include "lookalike-schema.h"

#define LABEL "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
#define HOOKS "OPENSANDBOX_LIFECYCLE"
#define SHORTEST 60

#define STRING .kind = LOOKALIKE_KIND_STRING
#define INTEGER .kind = LOOKALIKE_KIND_INTEGER
#define BOOLEAN .kind = LOOKALIKE_KIND_BOOLEAN, .flags = LOOKALIKE_FIELD_NO_NULL
#define MAP .kind = LOOKALIKE_KIND_MAP
#define LIST .kind = LOOKALIKE_KIND_LIST
#define MODEL .kind = LOOKALIKE_KIND_MODEL
#define REQUIRED .flags = LOOKALIKE_FIELD_REQUIRED
#define CLOSED .flags = LOOKALIKE_FIELD_CLOSED

static const LookalikeField auth[] = {
  { .name = "username", STRING, REQUIRED },
  { .name = "password", STRING, REQUIRED },
  { .name = NULL },
};

static const LookalikeField image[] = {
  { .name = "uri", STRING, REQUIRED },
  { .name = "auth", MODEL, .members = auth },
  { .name = NULL },
};

static const LookalikeField platform[] = {
  { .name = "os", STRING, REQUIRED },
  { .name = "arch", STRING, REQUIRED },
  { .name = NULL },
};

static const LookalikeField rule[] = {
  { .name = "action", STRING, REQUIRED },
  { .name = "target", STRING, REQUIRED, .least = 1 },
  { .name = NULL },
};

static const LookalikeField policy[] = {
  { .name = "defaultAction", STRING },
  { .name = "egress", LIST, .flags = LOOKALIKE_FIELD_NO_NULL, .members = rule },
  { .name = NULL },
};

static const LookalikeField proxy[] = {
  { .name = "enabled", BOOLEAN },
  { .name = NULL },
};

static const LookalikeField host[] = {
  { .name = "path", STRING, REQUIRED, .pattern = "^(/|[A-Za-z]:[\\\\/])" },
  { .name = NULL },
};

static const LookalikeField pvc[] = {
  { .name = "claimName", STRING, REQUIRED, .pattern = LABEL, .most = 253 },
  { .name = "createIfNotExists", BOOLEAN },
  { .name = "deleteOnSandboxTermination", BOOLEAN },
  { .name = "storageClass", STRING },
  { .name = "storage", STRING, .pattern = "^\\d+(\\.\\d+)?(Ki|Mi|Gi|Ti|Pi|Ei)?$" },
  { .name = "accessModes", LIST },
  { .name = NULL },
};

static const LookalikeField ossfs[] = {
  { .name = "bucket", STRING, REQUIRED, .least = 3, .most = 63 },
  { .name = "endpoint", STRING, REQUIRED, .least = 1 },
  { .name = "version", STRING, .flags = LOOKALIKE_FIELD_NO_NULL, .words = "'1.0' or '2.0'" },
  { .name = "options", LIST },
  { .name = "accessKeyId", STRING, .least = 1 },
  { .name = "accessKeySecret", STRING, .least = 1 },
  { .name = NULL },
};

static const LookalikeField hook[] = {
  { .name = "command", LIST, REQUIRED, .least = 1 },
  { .name = "timeoutSeconds", INTEGER, .least = 1, .most = 10800 },
  { .name = NULL },
};

static const LookalikeField periodic[] = {
  { .name = "name", STRING, REQUIRED, .least = 1 },
  { .name = "schedule", STRING, REQUIRED, .least = 1 },
  { .name = "command", LIST, REQUIRED, .least = 1 },
  { .name = "timeoutSeconds", INTEGER, .least = 1, .most = 300 },
  { .name = NULL },
};

static const LookalikeField lifecycle[] = {
  { .name = "preStart", MODEL, CLOSED, .members = hook },
  { .name = "periodic", LIST, CLOSED, .members = periodic },
  { .name = NULL },
};

static const char *
find_fault_of_ossfs (JsonObject *volume)
{
  if (lookalike_json_has (volume, "accessKeyId") && lookalike_json_has (volume, "accessKeySecret"))
    return NULL;
  return "OSSFS inline credentials are required: accessKeyId and accessKeySecret.";
}

static const char *
find_fault_of_volume (JsonObject *volume)
{
  guint backends = 0;

  for (const char *backend = "host\0pvc\0ossfs\0"; *backend != '\0';
       backend += strlen (backend) + 1)
    backends += lookalike_json_has (volume, backend) ? 1 : 0;
  if (backends == 1)
    return NULL;
  return backends == 0 ? "Exactly one backend (host, pvc, ossfs) must be specified, but none was "
                         "provided."
                       : "Exactly one backend (host, pvc, ossfs) must be specified, but multiple "
                         "were provided.";
}

static const LookalikeField volume[] = {
  { .name = "name", STRING, REQUIRED, .pattern = LABEL, .most = 63 },
  { .name = "host", MODEL, .members = host },
  { .name = "pvc", MODEL, .members = pvc },
  { .name = "ossfs", MODEL, .members = ossfs, .find_fault = find_fault_of_ossfs },
  { .name = "mountPath", STRING, REQUIRED, .pattern = "^/.*" },
  { .name = "readOnly", BOOLEAN },
  { .name = "subPath", STRING },
  { .name = NULL },
};

static const LookalikeField creation[] = {
  { .name = "image", MODEL, .members = image },
  { .name = "snapshotId", STRING },
  { .name = "platform", MODEL, .members = platform },
  { .name = "timeout", INTEGER, .least = SHORTEST },
  { .name = "resourceLimits", MAP },
  { .name = "resourceRequests", MAP },
  { .name = "env", MAP, .flags = LOOKALIKE_FIELD_NULLS },
  { .name = "metadata", MAP },
  { .name = "lifecycle", MODEL, CLOSED, .members = lifecycle },
  { .name = "entrypoint", LIST, .least = 1 },
  { .name = "networkPolicy", MODEL, .members = policy },
  { .name = "credentialProxy", MODEL, .members = proxy },
  { .name = "secureAccess", BOOLEAN },
  { .name = "volumes", LIST, .members = volume, .find_fault = find_fault_of_volume },
  { .name = "extensions", MAP },
  { .name = "templateId", STRING, .least = 1 },
  { .name = NULL },
};

/* What a template has itself, in the order in which a refusal names it. */
static const char *const shape[] = {
  "credentialProxy", "entrypoint",       "env",          "image",      "lifecycle", "platform",
  "resourceLimits",  "resourceRequests", "secureAccess", "snapshotId", "volumes",
};

static gboolean
has_text (JsonObject *object, const char *name)
{
  const char *text = lookalike_json_get_string (object, name);

  return text != NULL && text[strspn (text, " \t\r\n")] != '\0';
}

static void
check_template (LookalikeValidation *validation, JsonObject *body)
{
  g_autoptr (GString) present = g_string_new (NULL);
  g_autofree char *why = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (shape); i++)
    {
      gboolean is_set = lookalike_json_has (body, shape[i]);

      if (strcmp (shape[i], "secureAccess") == 0)
        is_set = lookalike_json_get_boolean (body, shape[i]);
      if (is_set)
        g_string_append_printf (present, "%s%s", present->len > 0 ? ", " : "", shape[i]);
    }
  why = g_strdup_printf ("templateId cannot be combined with: %s; the workload shape is fixed by "
                         "the template's golden image.",
                         present->str);
  if (present->len > 0)
    lookalike_validation_add_rule (validation, why);
  else if (!lookalike_json_has (body, "timeout"))
    lookalike_validation_add_rule (validation, "timeout is required when templateId is provided.");
}

static const char *
find_fault_of_pool (JsonObject *body)
{
  if (lookalike_json_has (body, "lifecycle"))
    return "lifecycle cannot be used together with poolRef.";
  return has_text (body, "snapshotId") ? "snapshotId cannot be used together with poolRef." : NULL;
}

static const char *
find_fault_of_source (JsonObject *body)
{
  gboolean has_image = has_text (lookalike_json_get_object (body, "image"), "uri");
  JsonObject *vault = lookalike_json_get_object (body, "credentialProxy");

  if (vault != NULL && lookalike_json_get_boolean (vault, "enabled")
      && !lookalike_json_has (body, "networkPolicy"))
    return "credentialProxy.enabled requires networkPolicy.";
  if (has_image == has_text (body, "snapshotId"))
    return "Exactly one of image or snapshotId must be provided.";
  if (has_image && !lookalike_json_has (body, "entrypoint"))
    return "Entrypoint is required when image is provided.";
  if (!lookalike_json_has (body, "resourceLimits"))
    return "resourceLimits is required when poolRef is not provided.";
  return NULL;
}

static void
check_whole (LookalikeValidation *validation, JsonObject *body)
{
  JsonObject *env = lookalike_json_get_object (body, "env");
  const char *fault;

  if (env != NULL && json_object_has_member (env, HOOKS))
    fault
        = "Environment variable '" HOOKS "' is reserved. Use the lifecycle request field instead.";
  else if (has_text (body, "templateId"))
    {
      check_template (validation, body);
      return;
    }
  else
    fault = lookalike_create_has_pool (body) ? find_fault_of_pool (body)
                                             : find_fault_of_source (body);
  if (fault != NULL)
    lookalike_validation_add_rule (validation, fault);
}

gboolean
lookalike_create_has_pool (JsonObject *body)
{
  return has_text (lookalike_json_get_object (body, "extensions"), "poolRef");
}

void
lookalike_create_validate (LookalikeValidation *validation, LookalikeRequest *request,
                           JsonObject *body)
{
  lookalike_schema_check (validation, creation, body);
  if (request->lookalike->config.old && !lookalike_json_has (body, "timeout"))
    lookalike_validation_add (validation, "missing", "Field required", validation->body, "body",
                              "timeout", NULL);
  if (json_array_get_length (validation->errors) == 0)
    check_whole (validation, body);
}
