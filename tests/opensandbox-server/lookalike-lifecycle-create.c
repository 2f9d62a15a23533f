/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "lookalike-create.h"
#include "lookalike-egress.h"
#include "lookalike-image.h"
#include "lookalike-json.h"
#include "lookalike-lifecycle.h"
#include "lookalike-sandbox.h"
#include "lookalike-snapshots.h"

static void
started_cb (LookalikeSandbox *sandbox, const GError *error, gpointer user_data)
{
  g_autoptr (LookalikeRequest) request = user_data;
  g_autoptr (JsonObject) reply = NULL;

  if (error != NULL)
    {
      lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR,
                              "DOCKER::SANDBOX_START_FAILED", "Failed to start the sandbox: %s",
                              error->message);
      g_hash_table_remove (request->lookalike->sandboxes, sandbox->id);
      return;
    }
  reply = lookalike_lifecycle_describe (sandbox, TRUE);
  lookalike_request_reply_object (request, SOUP_STATUS_ACCEPTED, reply);
}

static JsonObject *
copy_object (JsonObject *object)
{
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (JsonNode) copy = NULL;

  if (object == NULL)
    return NULL;
  node = json_node_init_object (json_node_alloc (), object);
  copy = json_node_copy (node);
  return json_object_ref (json_node_get_object (copy));
}

static void
take_environment (LookalikeSandbox *sandbox, JsonObject *env)
{
  g_autoptr (GList) names = env != NULL ? json_object_get_members (env) : NULL;

  for (GList *i = names; i != NULL; i = i->next)
    {
      const char *value = lookalike_json_get_string (env, i->data);

      if (value != NULL && ((const char *)i->data)[0] != '\0' && strchr (i->data, '=') == NULL)
        sandbox->environment = g_environ_setenv (sandbox->environment, i->data, value, TRUE);
    }
}

static JsonArray *
take_entrypoint (JsonObject *body)
{
  JsonArray *given = lookalike_json_get_array (body, "entrypoint");
  JsonArray *standard;

  if (given != NULL)
    return json_array_ref (given);
  standard = json_array_new ();
  json_array_add_string_element (standard, "tail");
  json_array_add_string_element (standard, "-f");
  json_array_add_string_element (standard, "/dev/null");
  return standard;
}

/* FALSE after an answer. */
static gboolean
take_policy (LookalikeRequest *request, LookalikeSandbox *sandbox, JsonObject *body)
{
  JsonObject *proxy = lookalike_json_get_object (body, "credentialProxy");
  g_autoptr (GError) error = NULL;

  if (!lookalike_json_has (body, "networkPolicy"))
    return TRUE;
  sandbox->egress = lookalike_egress_new (json_object_get_member (body, "networkPolicy"),
                                          lookalike_json_get_boolean (proxy, "enabled"), &error);
  if (sandbox->egress == NULL)
    lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR,
                            "DOCKER::SANDBOX_START_FAILED",
                            "Egress sidecar did not become ready within 30s for sandbox %s: %s",
                            sandbox->id, error->message);
  return sandbox->egress != NULL;
}

static void
take_times (LookalikeSandbox *sandbox, JsonObject *body)
{
  gint64 timeout = lookalike_json_get_int (body, "timeout", 0);
  const char *renew
      = lookalike_json_get_string (sandbox->extensions, "access.renew.extend.seconds");
  g_autoptr (GDateTime) expires = NULL;

  if (timeout > 0)
    expires = g_date_time_add_seconds (sandbox->created_at, (double)timeout);
  lookalike_sandbox_set_expiry (sandbox, expires);
  sandbox->renew_seconds = renew != NULL ? g_ascii_strtoll (renew, NULL, 10) : 0;
}

static void
fill (LookalikeSandbox *sandbox, JsonObject *body, LookalikeSnapshot *snapshot)
{
  sandbox->image = copy_object (snapshot != NULL ? snapshot->image
                                                 : lookalike_json_get_object (body, "image"));
  if (sandbox->image != NULL && json_object_has_member (sandbox->image, "auth"))
    json_object_remove_member (sandbox->image, "auth");
  if (snapshot != NULL)
    sandbox->snapshot_id = g_strdup (snapshot->id);
  sandbox->platform = copy_object (lookalike_json_get_object (body, "platform"));
  sandbox->extensions = copy_object (lookalike_json_get_object (body, "extensions"));
  if (lookalike_json_get_object (body, "metadata") != NULL)
    {
      json_object_unref (sandbox->metadata);
      sandbox->metadata = copy_object (lookalike_json_get_object (body, "metadata"));
    }
  sandbox->entrypoint = take_entrypoint (body);
  if (lookalike_json_get_boolean (body, "secureAccess"))
    {
      g_autofree char *uuid = g_uuid_string_random ();

      sandbox->secure_access = g_strdelimit (g_strdup (uuid), "-", '_');
    }
  take_environment (sandbox, lookalike_json_get_object (body, "env"));
  take_times (sandbox, body);
}

/* The snapshot a body asks for; FALSE after an answer. */
static gboolean
find_snapshot (LookalikeRequest *request, JsonObject *body, LookalikeSnapshot **snapshot)
{
  const char *id = lookalike_json_get_string (body, "snapshotId");

  *snapshot = NULL;
  if (id == NULL || id[0] == '\0')
    return TRUE;
  *snapshot = g_hash_table_lookup (request->lookalike->snapshots, id);
  if (*snapshot == NULL)
    lookalike_request_fail (request, SOUP_STATUS_NOT_FOUND, "SNAPSHOT::NOT_FOUND",
                            "Snapshot %s not found", id);
  else if (!(*snapshot)->ready)
    lookalike_request_fail (request, SOUP_STATUS_CONFLICT, "SNAPSHOT::NOT_READY",
                            "Snapshot %s is not ready for restore.", id);
  return *snapshot != NULL && (*snapshot)->ready;
}

#define PART "[a-z0-9]+([._-]+[a-z0-9]+)*"
#define REFERENCE                                                                                  \
  "^([A-Za-z0-9.-]+(:[0-9]+)?/)?" PART "(/" PART ")*(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?"               \
  "(@sha256:[0-9a-f]{64})?$"

/* What Docker says of a registry's refusal; NULL if there is none. */
static const char *
find_refusal (const char *uri, JsonObject *auth)
{
  if (!g_str_has_prefix (uri, "private.example.org/"))
    return NULL;
  if (auth == NULL)
    return "Head \"https://private.example.org/v2/\": no basic auth credentials";
  if (g_strcmp0 (lookalike_json_get_string (auth, "username"), "ann") != 0
      || g_strcmp0 (lookalike_json_get_string (auth, "password"), "open sesame") != 0)
    return "unauthorized";
  return NULL;
}

/* FALSE after an answer. */
static gboolean
may_pull (LookalikeRequest *request, JsonObject *body)
{
  JsonObject *image = lookalike_json_get_object (body, "image");
  const char *uri = lookalike_json_get_string (image, "uri");
  const char *refusal
      = uri != NULL ? find_refusal (uri, lookalike_json_get_object (image, "auth")) : NULL;

  if (refusal != NULL)
    lookalike_request_fail (
        request, SOUP_STATUS_INTERNAL_SERVER_ERROR, "DOCKER::SANDBOX_IMAGE_PULL_FAILED",
        "Failed to pull image %s: 500 Server Error: Internal Server Error (\"%s\")", uri, refusal);
  return refusal == NULL;
}

static gboolean
has_image (LookalikeRequest *request, LookalikeSandbox *sandbox)
{
  const char *uri = lookalike_json_get_string (sandbox->image, "uri");
  gboolean is_reference = uri == NULL || g_regex_match_simple (REFERENCE, uri, 0, 0);

  if (uri == NULL || (is_reference && lookalike_image_find (uri).exists))
    return TRUE;
  if (is_reference)
    lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR,
                            "DOCKER::SANDBOX_IMAGE_PULL_FAILED",
                            "Failed to pull image %s: 404 Client Error: Not Found (\"manifest for "
                            "%s not found: manifest unknown\")",
                            uri, uri);
  else
    lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR,
                            "DOCKER::SANDBOX_IMAGE_PULL_FAILED",
                            "Failed to inspect image %s: 400 Client Error: Bad Request (\"no such "
                            "image: %s: invalid reference format\")",
                            uri, uri);
  return FALSE;
}

static gboolean
has_environment (LookalikeRequest *request, JsonObject *body)
{
  JsonObject *env = lookalike_json_get_object (body, "env");
  const char *value = lookalike_json_get_string (env, "");

  if (value == NULL)
    return TRUE;
  lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR,
                          "DOCKER::SANDBOX_START_FAILED",
                          "Failed to create or start container: 400 Client Error: Bad Request "
                          "(\"invalid environment variable: =%s\")",
                          value);
  return FALSE;
}

static void
create (LookalikeRequest *request, JsonObject *body)
{
  g_autoptr (LookalikeSandbox) sandbox = NULL;
  LookalikeSnapshot *snapshot;

  if (!find_snapshot (request, body, &snapshot) || !may_pull (request, body))
    return;
  sandbox = lookalike_sandbox_new (request->lookalike);
  if (!take_policy (request, sandbox, body))
    return;
  fill (sandbox, body, snapshot);
  if (!has_image (request, sandbox) || !has_environment (request, body))
    {
      lookalike_sandbox_set_expiry (sandbox, NULL);
      return;
    }
  g_hash_table_insert (request->lookalike->sandboxes, sandbox->id, lookalike_sandbox_ref (sandbox));
  lookalike_sandbox_start (sandbox, snapshot != NULL ? snapshot->folder : NULL, started_cb,
                           lookalike_request_ref (request));
}

void
lookalike_lifecycle_create (LookalikeRequest *request)
{
  g_auto (LookalikeValidation) validation;
  g_autoptr (JsonObject) body = NULL;

  lookalike_validation_init (&validation);
  body = lookalike_validation_parse (&validation, request);
  if (body != NULL)
    lookalike_create_validate (&validation, request, body);
  if (!lookalike_validation_refuse (&validation, request)
      && !lookalike_create_refuse (request, body))
    create (request, body);
}
