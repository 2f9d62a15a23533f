/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a port of a sandbox is reached. */

#include "lookalike-endpoints.h"

#include <string.h>

#include "lookalike-egress.h"
#include "lookalike-lifecycle.h"
#include "lookalike-sandbox.h"
#include "lookalike-schema.h"
#include "lookalike-validation.h"

#define MAPPED_PORT 8080

typedef struct
{
  LookalikeRequest *request;
  LookalikeSandbox *sandbox;
  gint64 port;
  gint64 expires; /* -1: not signed */
  gboolean through_server;
  JsonObject *headers;
} Lookup;

static gboolean
has_gateway (Lookup *lookup)
{
  return lookup->request->lookalike->config.endpoints >= LOOKALIKE_ENDPOINTS_HEADER;
}

static char *
make_direct (Lookup *lookup)
{
  guint16 execd = lookup->sandbox->execd->port;
  guint16 mapped = lookalike_sandbox_map_port (lookup->sandbox, (guint)lookup->port);

  /* Docker's bridge maps one port beside that of execd. */
  if (lookup->request->lookalike->config.endpoints == LOOKALIKE_ENDPOINTS_HOST
      || lookup->port == MAPPED_PORT)
    return g_strdup_printf ("127.0.0.1:%u", mapped > 0 ? mapped : (guint)lookup->port);
  return g_strdup_printf ("127.0.0.1:%u/proxy/%u", execd, (guint)lookup->port);
}

static char *
make_through_gateway (Lookup *lookup)
{
  Lookalike *lookalike = lookup->request->lookalike;
  const char *id = lookup->sandbox->id;
  guint gateway = lookalike->gateway->port;
  guint port = (guint)lookup->port;
  g_autofree char *expiry
      = lookup->expires >= 0 ? lookalike_gateway_print_expiry ((guint64)lookup->expires) : NULL;
  g_autofree char *signature
      = expiry != NULL ? lookalike_gateway_sign (lookalike, id, port, expiry) : NULL;
  g_autofree char *name = signature != NULL
                              ? g_strdup_printf ("%s-%u-%s-%s", id, port, expiry, signature)
                              : g_strdup_printf ("%s-%u", id, port);

  if (lookalike->config.endpoints == LOOKALIKE_ENDPOINTS_WILDCARD)
    return g_strdup_printf ("%s.localhost:%u", name, gateway);
  if (lookalike->config.endpoints == LOOKALIKE_ENDPOINTS_HEADER)
    {
      json_object_set_string_member (lookup->headers, "OpenSandbox-Ingress-To", name);
      return g_strdup_printf ("127.0.0.1:%u", gateway);
    }
  if (signature != NULL)
    return g_strdup_printf ("127.0.0.1:%u/%s/%u/%s/%s", gateway, id, port, expiry, signature);
  return g_strdup_printf ("127.0.0.1:%u/%s/%u", gateway, id, port);
}

static char *
make_through_server (Lookup *lookup)
{
  LookalikeRequest *request = lookup->request;
  const char *host = lookalike_request_get_header (request, "Host");
  const char *eip = request->lookalike->config.eip;
  gboolean keeps_v1
      = !request->lookalike->config.old && eip == NULL && strcmp (request->segments[0], "v1") == 0;

  if (json_object_has_member (lookup->headers, "OpenSandbox-Ingress-To"))
    json_object_remove_member (lookup->headers, "OpenSandbox-Ingress-To");
  return g_strdup_printf ("%s%s/sandboxes/%s/proxy/%u",
                          eip != NULL    ? eip
                          : host != NULL ? host
                                         : "127.0.0.1",
                          keeps_v1 ? "/v1" : "", lookup->sandbox->id, (guint)lookup->port);
}

static void
reply (Lookup *lookup)
{
  g_autoptr (JsonObject) object = json_object_new ();
  g_autofree char *endpoint
      = has_gateway (lookup) ? make_through_gateway (lookup) : make_direct (lookup);

  if (lookup->sandbox->secure_access != NULL && lookup->expires < 0)
    json_object_set_string_member (lookup->headers, "OpenSandbox-Secure-Access",
                                   lookup->sandbox->secure_access);
  if (lookup->port == LOOKALIKE_EGRESS_PORT && lookup->sandbox->egress != NULL)
    json_object_set_string_member (lookup->headers, "OPENSANDBOX-EGRESS-AUTH",
                                   lookup->sandbox->egress->token);
  if (lookup->through_server)
    {
      g_free (endpoint);
      endpoint = make_through_server (lookup);
    }
  json_object_set_string_member (object, "endpoint", endpoint);
  if (json_object_get_size (lookup->headers) > 0)
    json_object_set_object_member (object, "headers", json_object_ref (lookup->headers));
  lookalike_request_reply_object (lookup->request, SOUP_STATUS_OK, object);
}

/* The words for a 400, and their code; NULL when it can be told. */
static const char *
find_fault (Lookup *lookup, const char **code)
{
  *code = "SANDBOX::INVALID_PARAMETER";
  if (lookup->through_server && lookup->expires >= 0)
    return "use_server_proxy cannot be combined with expires; signed endpoints require the gateway "
           "route.";
  *code = "SANDBOX::API_NOT_SUPPORTED";
  if (lookup->expires >= 0
      && (!has_gateway (lookup) || lookup->request->lookalike->config.signing_key == NULL))
    return "Signed routes (expires parameter) are not supported when runtime.type='docker'. Use "
           "the "
           "Kubernetes runtime for signed routes.";
  *code = "SANDBOX::INVALID_PARAMETER";
  if (lookup->expires >= 0 && lookup->expires <= g_get_real_time () / G_USEC_PER_SEC)
    return "expires must be in the future.";
  *code = "DOCKER::INVALID_PORT";
  return lookup->port < 1 || lookup->port > 65535 ? "Port must be between 1 and 65535." : NULL;
}

static gboolean
read_numbers (Lookup *lookup)
{
  g_auto (LookalikeValidation) validation;
  const char *port = lookalike_lifecycle_get_parts (lookup->request)[3];
  g_autofree char *proxy = lookalike_request_get_query (lookup->request, "use_server_proxy");
  g_autoptr (JsonNode) input = json_node_init_string (json_node_alloc (), port);

  lookalike_validation_init (&validation);
  if (!lookalike_schema_read_integer (port, &lookup->port))
    lookalike_validation_add (
        &validation, "int_parsing",
        "Input should be a valid integer, unable to parse string as an integer", input, "path",
        "port", NULL);
  if (proxy != NULL && !lookalike_schema_read_boolean (proxy, &lookup->through_server))
    {
      json_node_set_string (input, proxy);
      lookalike_validation_add (&validation, "bool_parsing",
                                "Input should be a valid boolean, unable to interpret input", input,
                                "query", "use_server_proxy", NULL);
    }
  lookalike_validation_check_number (&validation, lookup->request, "expires", 0, G_MAXINT64,
                                     &lookup->expires);
  return !lookalike_validation_refuse (&validation, lookup->request);
}

void
lookalike_lifecycle_get_endpoint (LookalikeRequest *request)
{
  g_autoptr (JsonObject) headers = json_object_new ();
  Lookup lookup = { .request = request, .expires = -1, .headers = headers };
  const char *code;
  const char *fault;

  if (!read_numbers (&lookup))
    return;
  fault = find_fault (&lookup, &code);
  if (fault != NULL)
    {
      lookalike_request_fail (request, SOUP_STATUS_BAD_REQUEST, code, "%s", fault);
      return;
    }
  lookup.sandbox = lookalike_lifecycle_find (request);
  if (lookup.sandbox == NULL)
    return;
  if (lookup.sandbox->execd == NULL)
    lookalike_request_fail (request, SOUP_STATUS_INTERNAL_SERVER_ERROR,
                            "DOCKER::NETWORK_MODE_ENDPOINT_UNAVAILABLE",
                            "Missing host port mapping for execd proxy port 44772.");
  else
    reply (&lookup);
}
