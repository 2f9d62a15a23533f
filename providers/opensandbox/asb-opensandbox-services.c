/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-services.h"

#include <libsoup/soup.h>
#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-get.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-options.h"
#include "asb-opensandbox-reach.h"
#include "asb-opensandbox-variant.h"

/* What a sidecar says whose sandbox has no proxy for credentials. */
#define NO_PROXY "requires transparent mitmproxy"

typedef struct
{
  const char *name;
  const char *what;
  const char *method;
  const char *path;       /* what it is appended to is said by needs_sandbox */
  const char *key;        /* the argument that ends the path, or NULL */
  gboolean has_body;      /* the other arguments are sent */
  gboolean needs_sandbox; /* it is asked of the sidecar */
} Service;

static const Service services[] = {
  { "credential_vault.create", "create the credential vault", "POST", "/credential-vault", NULL,
    TRUE, TRUE },
  { "credential_vault.get", "get the credential vault", "GET", "/credential-vault", NULL, FALSE,
    TRUE },
  { "credential_vault.patch", "change the credential vault", "PATCH", "/credential-vault", NULL,
    TRUE, TRUE },
  { "credential_vault.delete", "delete the credential vault", "DELETE", "/credential-vault", NULL,
    FALSE, TRUE },
  { "credential_vault.list_credentials", "list the credentials", "GET",
    "/credential-vault/credentials", NULL, FALSE, TRUE },
  { "credential_vault.get_credential", "get the credential", "GET", "/credential-vault/credentials",
    "name", FALSE, TRUE },
  { "credential_vault.list_bindings", "list the bindings", "GET", "/credential-vault/bindings",
    NULL, FALSE, TRUE },
  { "credential_vault.get_binding", "get the binding", "GET", "/credential-vault/bindings", "name",
    FALSE, TRUE },
  { "pools.create", "create the pool", "POST", "/pools", NULL, TRUE, FALSE },
  { "pools.list", "list the pools", "GET", "/pools", NULL, FALSE, FALSE },
  { "pools.get", "get the pool", "GET", "/pools", "name", FALSE, FALSE },
  { "pools.update", "change the pool", "PUT", "/pools", "name", TRUE, FALSE },
  { "pools.delete", "delete the pool", "DELETE", "/pools", "name", FALSE, FALSE },
  { "templates.create", "create the template", "POST", "/templates", NULL, TRUE, FALSE },
  { "templates.list", "list the templates", "GET", "/templates", NULL, FALSE, FALSE },
  { "templates.get", "get the template", "GET", "/templates", "template_id", FALSE, FALSE },
  { "templates.delete", "delete the template", "DELETE", "/templates", "template_id", FALSE,
    FALSE },
};

static const Service *
find_service (const char *name, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (services); i++)
    if (g_str_equal (services[i].name, name))
      return &services[i];
  g_set_error (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
               "The provider “opensandbox” has no service “%s”", name);
  return NULL;
}

/* The answer. */

/* What this server cannot do is said as such. */
static GError *
take_error (AsbOpensandboxCall *call, GError *error)
{
  guint status = asb_opensandbox_error_get_status (error);

  if (status == 501)
    error->code = ASB_ERROR_UNSUPPORTED_CAPABILITY;
  else if (status == SOUP_STATUS_PRECONDITION_FAILED && strstr (error->message, NO_PROXY))
    {
      g_prefix_error (&error, "The vault is for sandboxes that are made with “credential_proxy”: ");
      error->code = ASB_ERROR_UNSUPPORTED_CAPABILITY;
    }
  if (call->sandbox_id)
    asb_opensandbox_get_note_sandbox (error, call->sandbox_id, NULL);
  return error;
}

static gboolean
was_deleted (AsbOpensandboxCall *call, const GError *error)
{
  const Service *service = call->state;

  return g_str_equal (service->method, "DELETE") && asb_opensandbox_error_is_deleted_before (error);
}

static void
take_reply (GTask *task, AsbOpensandboxReply *reply, GError *error)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  GBytes *body = reply ? asb_opensandbox_reply_get_body (reply) : NULL;
  g_autoptr (JsonNode) node = NULL;

  if (!reply && was_deleted (call, error))
    {
      g_clear_error (&error);
      node = json_node_new (JSON_NODE_NULL);
    }
  else if (body && g_bytes_get_size (body) == 0)
    node = json_node_new (JSON_NODE_NULL);
  else if (body)
    node = asb_opensandbox_json_parse (body, "the answer of the service", &error);
  if (node && JSON_NODE_HOLDS_VALUE (node))
    {
      g_clear_pointer (&node, json_node_unref);
      g_set_error_literal (&error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                           "The answer of the service is neither an object nor a list");
    }
  if (error)
    error = take_error (call, error);
  asb_opensandbox_call_return_variant (task, node ? asb_opensandbox_variant_from_json (node) : NULL,
                                       error);
}

static void
reached_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_reach_finish (ASB_OPENSANDBOX_LIFECYCLE (source), result, &error);

  take_reply (task, reply, error);
}

static void
sent_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  take_reply (task, reply, error);
}

/* The question. */

static AsbOpensandboxRequest *
new_request (AsbOpensandboxEndpoint *endpoint, gpointer user_data)
{
  AsbOpensandboxCall *call = user_data;
  const Service *service = call->state;
  AsbOpensandboxRequest *request
      = asb_opensandbox_request_new (service->method, endpoint, call->scope);

  asb_opensandbox_request_set_what (request, service->what);
  if (call->body)
    asb_opensandbox_request_set_json (request, call->body);
  return request;
}

static void
start (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  const Service *service = call->state;
  AsbOpensandboxClient *client = asb_opensandbox_lifecycle_get_client (call->lifecycle);
  g_autoptr (AsbOpensandboxRequest) request = NULL;

  if (service->needs_sandbox)
    {
      asb_opensandbox_reach_async (call->lifecycle, call->sandbox_id, ASB_OPENSANDBOX_PORT_EGRESS,
                                   new_request, call, g_task_get_cancellable (task), reached_cb,
                                   g_object_ref (task));
      return;
    }
  request = new_request (asb_opensandbox_client_get_lifecycle (client), call);
  asb_opensandbox_client_send_async (client, request, g_task_get_cancellable (task), sent_cb,
                                     g_object_ref (task));
}

/* The caller's thread. */

static gboolean
check_sandbox (const Service *service, const char *sandbox_id, GError **error)
{
  if (service->needs_sandbox == (sandbox_id != NULL))
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               service->needs_sandbox ? "The service “%s” is one of a sandbox, which must be named"
                                      : "The service “%s” is not one of a sandbox",
               service->name);
  return FALSE;
}

static gboolean
check_key (const Service *service, const char *key, GError **error)
{
  if (*key != '\0' && !strchr (key, '/') && !g_str_equal (key, ".") && !g_str_equal (key, ".."))
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
               "The argument “%s” of the service “%s” must not be “%s”: it is empty, or cannot be "
               "named in a request",
               service->key, service->name, key);
  return FALSE;
}

/* Returns: (transfer full) (nullable) */
static char *
build_path (const Service *service, GVariantDict *arguments, GError **error)
{
  const char *key = NULL;
  g_autofree char *escaped = NULL;

  if (!service->key)
    return g_strdup (service->path);
  if (!g_variant_dict_lookup (arguments, service->key, "&s", &key))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "The service “%s” needs the argument “%s”, a string", service->name,
                   service->key);
      return NULL;
    }
  if (!check_key (service, key, error))
    return NULL;
  escaped = g_uri_escape_string (key, NULL, FALSE);
  g_variant_dict_remove (arguments, service->key);
  return g_strconcat (service->path, "/", escaped, NULL);
}

static gboolean
build_body (const Service *service, GVariantDict *arguments, JsonNode **body, GError **error)
{
  g_autoptr (GVariant) rest = g_variant_ref_sink (g_variant_dict_end (arguments));

  if (service->has_body)
    {
      *body = asb_opensandbox_options_to_json (rest, error);
      return *body != NULL;
    }
  if (g_variant_n_children (rest) == 0)
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT, "The service “%s” takes no %s",
               service->name, service->key ? "more than one argument" : "arguments");
  return FALSE;
}

void
asb_opensandbox_services_call (AsbOpensandboxLifecycle *lifecycle, const char *sandbox_id,
                               const char *name, GVariant *arguments, GTask *task)
{
  g_autoptr (AsbOpensandboxCall) call = asb_opensandbox_call_new (lifecycle, sandbox_id);
  g_auto (GVariantDict) rest = G_VARIANT_DICT_INIT (arguments);
  GError *error = NULL;
  const Service *service = find_service (name, &error);

  if (service && check_sandbox (service, sandbox_id, &error))
    call->scope = build_path (service, &rest, &error);
  if (!call->scope || !build_body (service, &rest, &call->body, &error))
    {
      g_task_return_error (task, error);
      return;
    }
  call->state = (gpointer)service;
  asb_opensandbox_call_run (g_steal_pointer (&call), task, start);
}
