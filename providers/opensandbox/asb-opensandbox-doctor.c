/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-doctor.h"

#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-json.h"

#define ASK_MS 10000
#define MAX_VERSION_BYTES 64

typedef struct
{
  GVariantBuilder findings;
} Visit;

static void
visit_free (gpointer data)
{
  Visit *visit = data;

  g_variant_builder_clear (&visit->findings);
  g_free (visit);
}

static void
add (GTask *task, const char *name, const char *state, const char *message, const char *cure)
{
  Visit *visit = asb_opensandbox_call_get (task)->state;

  g_variant_builder_open (&visit->findings, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&visit->findings, "{sv}", "name", g_variant_new_string (name));
  g_variant_builder_add (&visit->findings, "{sv}", "state", g_variant_new_string (state));
  g_variant_builder_add (&visit->findings, "{sv}", "message", g_variant_new_string (message));
  if (cure)
    g_variant_builder_add (&visit->findings, "{sv}", "cure", g_variant_new_string (cure));
  g_variant_builder_close (&visit->findings);
}

static void
finish (GTask *task)
{
  Visit *visit = asb_opensandbox_call_get (task)->state;

  asb_opensandbox_call_return_variant (
      task, g_variant_ref_sink (g_variant_builder_end (&visit->findings)), NULL);
}

/* The paths besides those of the interface stand at the root. */
static void
ask (GTask *task, gboolean is_at_root, const char *path, GAsyncReadyCallback callback)
{
  AsbOpensandboxLifecycle *lifecycle = asb_opensandbox_call_get (task)->lifecycle;
  AsbOpensandboxClient *client = asb_opensandbox_lifecycle_get_client (lifecycle);
  AsbOpensandboxEndpoint *server = asb_opensandbox_client_get_lifecycle (client);
  AsbOpensandboxSettings *settings = asb_opensandbox_lifecycle_get_settings (lifecycle);
  g_autofree char *root = g_strconcat (settings->scheme, "://", settings->domain, NULL);
  g_autoptr (AsbOpensandboxEndpoint) endpoint
      = is_at_root ? asb_opensandbox_endpoint_new (root, NULL, ASB_OPENSANDBOX_ENDPOINT_NONE)
                   : asb_opensandbox_endpoint_ref (server);
  g_autoptr (AsbOpensandboxRequest) request = asb_opensandbox_request_new ("GET", endpoint, path);

  asb_opensandbox_request_set_what (request, "reach the server");
  asb_opensandbox_request_set_retry (request, FALSE);
  asb_opensandbox_request_set_timeout (request, ASK_MS);
  if (!is_at_root)
    asb_opensandbox_request_add_query (request, "pageSize", "1");
  asb_opensandbox_client_send_async (client, request, g_task_get_cancellable (task), callback,
                                     g_object_ref (task));
}

/* The key. */

static void
tried_key_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxLifecycle *lifecycle = asb_opensandbox_call_get (task)->lifecycle;
  gboolean has_key = asb_opensandbox_lifecycle_get_settings (lifecycle)->api_key != NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  if (reply)
    add (task, "key", "ok",
         has_key ? "The server takes the API key" : "The server asks for no API key", NULL);
  else if (asb_opensandbox_error_get_status (error) == 401)
    add (task, "key", "failure", error->message,
         has_key ? "Set OPEN_SANDBOX_API_KEY, or the option “api-key”, to a key of this server"
                 : "Set OPEN_SANDBOX_API_KEY, or the option “api-key”: the server asks for one");
  else
    add (task, "key", "failure", error->message, NULL);
  finish (task);
}

/* The version, which old servers do not tell. */

static char *
parse_version (AsbOpensandboxReply *reply)
{
  const char *version = NULL;
  g_autoptr (JsonObject) object = asb_opensandbox_json_parse_object (
      asb_opensandbox_reply_get_body (reply), "the version", NULL);

  if (!object || !asb_opensandbox_json_get_string (object, "version", TRUE, &version, NULL))
    return NULL;
  return asb_opensandbox_error_dup_text (version, strlen (version), MAX_VERSION_BYTES);
}

static void
got_version_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, NULL);
  g_autofree char *version = reply ? parse_version (reply) : NULL;
  g_autofree char *message
      = version ? g_strdup_printf ("The server says it is version %s", version) : NULL;

  if (message)
    add (task, "version", "ok", message, NULL);
  else
    add (task, "version", "warning",
         "The server does not tell its version: it is older than 1.1, and has not all functions",
         NULL);
  ask (task, FALSE, "/sandboxes", tried_key_cb);
}

/* The server. */

static void
got_health_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxLifecycle *lifecycle = asb_opensandbox_call_get (task)->lifecycle;
  AsbOpensandboxSettings *settings = asb_opensandbox_lifecycle_get_settings (lifecycle);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);
  g_autofree char *message = NULL;

  if (reply)
    {
      message
          = g_strdup_printf ("There is a server at %s://%s", settings->scheme, settings->domain);
      add (task, "server", "ok", message, NULL);
      ask (task, TRUE, "/version", got_version_cb);
      return;
    }
  add (task, "server", "failure", error->message,
       "Set OPEN_SANDBOX_DOMAIN, or the option “url”, to the address of a server; “./dev "
       "demo-server” of the source gives one without Docker");
  finish (task);
}

void
asb_opensandbox_doctor_visit (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  Visit *visit = g_new0 (Visit, 1);

  g_variant_builder_init (&visit->findings, G_VARIANT_TYPE ("aa{sv}"));
  call->state = visit;
  call->free_state = visit_free;
  ask (task, TRUE, "/health", got_health_cb);
}
