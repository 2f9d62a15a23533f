/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-endpoints.h"

#include <asb.h>

#include "asb-opensandbox-headers.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-url.h"

#define REMEMBERED_US (600 * G_USEC_PER_SEC)
#define MAX_REMEMBERED 1024
#define MAX_ENDPOINT_BYTES 2048
#define WHAT "look the endpoint up"

typedef struct
{
  AsbOpensandboxEndpoint *endpoint;
  gint64 until; /* monotonic */
} Entry;

struct _AsbOpensandboxEndpoints
{
  GObject parent_instance;

  AsbOpensandboxClient *client;
  GHashTable *sandboxes; /* id → (port → Entry) */
  guint n_entries;
};

G_DEFINE_FINAL_TYPE (AsbOpensandboxEndpoints, asb_opensandbox_endpoints, G_TYPE_OBJECT)

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  asb_opensandbox_endpoint_unref (entry->endpoint);
  g_free (entry);
}

static void
asb_opensandbox_endpoints_finalize (GObject *object)
{
  AsbOpensandboxEndpoints *self = ASB_OPENSANDBOX_ENDPOINTS (object);

  g_clear_object (&self->client);
  g_clear_pointer (&self->sandboxes, g_hash_table_unref);

  G_OBJECT_CLASS (asb_opensandbox_endpoints_parent_class)->finalize (object);
}

static void
asb_opensandbox_endpoints_class_init (AsbOpensandboxEndpointsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_opensandbox_endpoints_finalize;
}

static void
asb_opensandbox_endpoints_init (AsbOpensandboxEndpoints *self)
{
  self->sandboxes
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_hash_table_unref);
}

AsbOpensandboxEndpoints *
asb_opensandbox_endpoints_new (AsbOpensandboxClient *client)
{
  AsbOpensandboxEndpoints *self = g_object_new (ASB_TYPE_OPENSANDBOX_ENDPOINTS, NULL);

  self->client = g_object_ref (client);
  return self;
}

/* What is remembered. */

static AsbOpensandboxEndpoint *
recall (AsbOpensandboxEndpoints *self, const char *sandbox_id, guint port)
{
  GHashTable *ports = g_hash_table_lookup (self->sandboxes, sandbox_id);
  Entry *entry = ports ? g_hash_table_lookup (ports, GUINT_TO_POINTER (port)) : NULL;

  if (!entry || entry->until <= g_get_monotonic_time ())
    return NULL;
  return asb_opensandbox_endpoint_ref (entry->endpoint);
}

static void
remember (AsbOpensandboxEndpoints *self, const char *sandbox_id, guint port,
          AsbOpensandboxEndpoint *endpoint)
{
  GHashTable *ports;
  Entry *entry = g_new0 (Entry, 1);

  entry->endpoint = asb_opensandbox_endpoint_ref (endpoint);
  entry->until = g_get_monotonic_time () + REMEMBERED_US;
  if (self->n_entries >= MAX_REMEMBERED)
    {
      g_hash_table_remove_all (self->sandboxes);
      self->n_entries = 0;
    }
  ports = g_hash_table_lookup (self->sandboxes, sandbox_id);
  if (!ports)
    {
      ports = g_hash_table_new_full (NULL, NULL, NULL, entry_free);
      g_hash_table_insert (self->sandboxes, g_strdup (sandbox_id), ports);
    }
  if (g_hash_table_replace (ports, GUINT_TO_POINTER (port), entry))
    self->n_entries++;
}

void
asb_opensandbox_endpoints_forget (AsbOpensandboxEndpoints *self, const char *sandbox_id)
{
  GHashTable *ports = g_hash_table_lookup (self->sandboxes, sandbox_id);

  if (!ports)
    return;
  self->n_entries -= g_hash_table_size (ports);
  g_hash_table_remove (self->sandboxes, sandbox_id);
}

/* What a server says. */

/* It is printed, handed to other programs and sent. */
static gboolean
is_plain (const char *address)
{
  for (const char *at = address; *at; at++)
    if (!g_ascii_isgraph (*at))
      return FALSE;
  return TRUE;
}

/* It must be host[:port][/path] and nothing that would lead elsewhere than it seems. */
static GUri *
parse_address (const char *scheme, const char *address, GError **error)
{
  g_autofree char *url = g_strconcat (scheme, "://", address, NULL);
  g_autoptr (GUri) uri = NULL;
  const char *fault = NULL;

  if (strlen (address) <= MAX_ENDPOINT_BYTES)
    uri = g_uri_parse (url, G_URI_FLAGS_ENCODED | G_URI_FLAGS_HAS_PASSWORD, NULL);
  if (!uri || !g_uri_get_host (uri) || !*g_uri_get_host (uri) || strstr (address, "://"))
    fault = "it is not “host:port/path”";
  else if (!is_plain (address))
    fault = "it holds characters that no address has";
  else if (g_uri_get_userinfo (uri))
    fault = "it holds a name or password";
  else if (g_uri_get_query (uri) || g_uri_get_fragment (uri))
    fault = "it holds a query or fragment";
  if (!fault)
    return g_steal_pointer (&uri);
  g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
               "The endpoint the server gave cannot be used: %s", fault);
  return NULL;
}

/* …/sandboxes/ID/proxy/PORT: what is in front of the server may have a path of its own. */
static gboolean
is_proxy_path (const char *path, guint port)
{
  g_autofree char *end = g_strdup_printf ("proxy/%u", port);
  const char *id = g_strrstr (path, "/sandboxes/");
  const char *slash;

  if (!id)
    return FALSE;
  id += strlen ("/sandboxes/");
  slash = strchr (id, '/');
  return slash && slash != id && g_str_equal (slash + 1, end);
}

/* The API key is for the lifecycle server alone, and for the paths on which it passes requests on:
 * those of other servers it may have named, and of gateways at its address, are none of it. */
static gboolean
is_server_proxy (GUri *uri, AsbOpensandboxSettings *settings, guint port)
{
  g_autofree char *url = g_strconcat (settings->scheme, "://", settings->domain, "/", NULL);
  g_autoptr (GUri) server = g_uri_parse (url, G_URI_FLAGS_ENCODED, NULL);

  return server && asb_opensandbox_url_same_origin (uri, server)
         && is_proxy_path (g_uri_get_path (uri), port);
}

/* On Docker bridges the way to any port leads through execd, which wants to see its token. */
static gboolean
leads_through_execd (GUri *uri, guint port)
{
  g_autofree char *path = g_strdup_printf ("/proxy/%u", port);

  return port == ASB_OPENSANDBOX_PORT_EXECD || g_str_equal (g_uri_get_path (uri), path);
}

static AsbOpensandboxEndpoint *
to_endpoint (const char *address, GHashTable *headers, AsbOpensandboxSettings *settings, guint port,
             GError **error)
{
  AsbOpensandboxEndpointFlags flags = ASB_OPENSANDBOX_ENDPOINT_NONE;
  g_autoptr (GUri) uri = parse_address (settings->scheme, address, error);
  g_autofree char *base = NULL;

  if (!uri)
    return NULL;
  if (is_server_proxy (uri, settings, port))
    flags |= ASB_OPENSANDBOX_ENDPOINT_SEND_KEY;
  else if (!settings->use_server_proxy)
    flags |= ASB_OPENSANDBOX_ENDPOINT_DIRECT;
  if (leads_through_execd (uri, port))
    flags |= ASB_OPENSANDBOX_ENDPOINT_SEND_EXECD_TOKEN;
  base = g_strconcat (settings->scheme, "://", address, NULL);
  return asb_opensandbox_endpoint_new (base, headers, flags);
}

static gboolean
check_headers (GHashTable *headers, GError **error)
{
  GHashTableIter iter;
  gpointer name, value;

  if (!headers)
    return TRUE;
  g_hash_table_iter_init (&iter, headers);
  while (g_hash_table_iter_next (&iter, &name, &value))
    if (!asb_opensandbox_headers_is_name (name) || !asb_opensandbox_headers_is_value (value)
        || !asb_opensandbox_headers_is_settable (name))
      {
        g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                             "The endpoint the server gave cannot be used: one of its headers "
                             "would break a request");
        return FALSE;
      }
  return TRUE;
}

AsbOpensandboxEndpoint *
asb_opensandbox_endpoints_parse (GBytes *body, AsbOpensandboxSettings *settings, guint port,
                                 GError **error)
{
  g_autoptr (JsonObject) object = asb_opensandbox_json_parse_object (body, "the endpoint", error);
  g_autoptr (GHashTable) headers = NULL;
  const char *address = NULL;

  if (!object || !asb_opensandbox_json_get_string (object, "endpoint", TRUE, &address, error)
      || !asb_opensandbox_json_get_string_map (object, "headers", FALSE, &headers, error)
      || !check_headers (headers, error))
    return NULL;
  return to_endpoint (address, headers, settings, port, error);
}

/* Asking. */

typedef struct
{
  char *sandbox_id;
  guint port;
  gboolean is_signed;
} Lookup;

static void
lookup_free (gpointer data)
{
  Lookup *lookup = data;

  g_free (lookup->sandbox_id);
  g_free (lookup);
}

static void
looked_up_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxEndpoints *self = g_task_get_source_object (task);
  Lookup *lookup = g_task_get_task_data (task);
  GError *error = NULL;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);
  AsbOpensandboxEndpoint *endpoint = NULL;

  if (reply)
    endpoint = asb_opensandbox_endpoints_parse (asb_opensandbox_reply_get_body (reply),
                                                asb_opensandbox_client_get_settings (self->client),
                                                lookup->port, &error);
  if (!endpoint)
    {
      g_task_return_error (task, error);
      return;
    }
  asb_opensandbox_endpoint_set_sandbox (endpoint, lookup->sandbox_id);
  if (!lookup->is_signed)
    remember (self, lookup->sandbox_id, lookup->port, endpoint);
  g_task_return_pointer (task, endpoint, (GDestroyNotify)asb_opensandbox_endpoint_unref);
}

static AsbOpensandboxRequest *
new_request (AsbOpensandboxEndpoints *self, const char *sandbox_id, guint port)
{
  g_autofree char *escaped = g_uri_escape_string (sandbox_id, NULL, FALSE);
  g_autofree char *path = g_strdup_printf ("/sandboxes/%s/endpoints/%u", escaped, port);
  AsbOpensandboxRequest *request = asb_opensandbox_request_new (
      "GET", asb_opensandbox_client_get_lifecycle (self->client), path);

  asb_opensandbox_request_set_what (request, WHAT);
  asb_opensandbox_request_set_sandbox (request, sandbox_id);
  return request;
}

static GTask *
new_task (AsbOpensandboxEndpoints *self, const char *sandbox_id, guint port, gboolean is_signed,
          GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (self, cancellable, callback, user_data);
  Lookup *lookup = g_new0 (Lookup, 1);

  lookup->sandbox_id = g_strdup (sandbox_id);
  lookup->port = port;
  lookup->is_signed = is_signed;
  g_task_set_source_tag (task, asb_opensandbox_endpoints_lookup_async);
  g_task_set_task_data (task, lookup, lookup_free);
  return task;
}

void
asb_opensandbox_endpoints_lookup_async (AsbOpensandboxEndpoints *self, const char *sandbox_id,
                                        guint port, GCancellable *cancellable,
                                        GAsyncReadyCallback callback, gpointer user_data)
{
  AsbOpensandboxSettings *settings = asb_opensandbox_client_get_settings (self->client);
  g_autoptr (GTask) task
      = new_task (self, sandbox_id, port, FALSE, cancellable, callback, user_data);
  AsbOpensandboxEndpoint *known = recall (self, sandbox_id, port);
  g_autoptr (AsbOpensandboxRequest) request = NULL;

  if (known)
    {
      g_task_return_pointer (task, known, (GDestroyNotify)asb_opensandbox_endpoint_unref);
      return;
    }
  request = new_request (self, sandbox_id, port);
  asb_opensandbox_request_add_query (request, "use_server_proxy",
                                     settings->use_server_proxy ? "true" : "false");
  asb_opensandbox_client_send_async (self->client, request, cancellable, looked_up_cb,
                                     g_steal_pointer (&task));
}

void
asb_opensandbox_endpoints_lookup_signed_async (AsbOpensandboxEndpoints *self,
                                               const char *sandbox_id, guint port, gint64 expires,
                                               GCancellable *cancellable,
                                               GAsyncReadyCallback callback, gpointer user_data)
{
  g_autofree char *seconds = g_strdup_printf ("%" G_GINT64_FORMAT, expires);
  g_autoptr (AsbOpensandboxRequest) request = new_request (self, sandbox_id, port);
  GTask *task = new_task (self, sandbox_id, port, TRUE, cancellable, callback, user_data);

  asb_opensandbox_request_add_query (request, "expires", seconds);
  asb_opensandbox_client_send_async (self->client, request, cancellable, looked_up_cb, task);
}

AsbOpensandboxEndpoint *
asb_opensandbox_endpoints_lookup_finish (AsbOpensandboxEndpoints *self, GAsyncResult *result,
                                         GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
