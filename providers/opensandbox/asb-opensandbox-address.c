/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-address.h"

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-get.h"
#include "asb-opensandbox-headers.h"

/* With the headers that whoever goes there has to send. The key of the server is not among them:
 * its proxy asks for none, but for that of a server of several tenants. */
static GHashTable *
collect_headers (AsbOpensandboxLifecycle *lifecycle, AsbOpensandboxEndpoint *endpoint)
{
  AsbOpensandboxSettings *settings = asb_opensandbox_lifecycle_get_settings (lifecycle);
  GHashTable *headers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  GHashTableIter iter;
  gpointer name, value;

  g_hash_table_iter_init (&iter, endpoint->headers);
  while (g_hash_table_iter_next (&iter, &name, &value))
    g_hash_table_insert (headers, g_strdup (name), g_strdup (value));
  if ((endpoint->flags & ASB_OPENSANDBOX_ENDPOINT_SEND_EXECD_TOKEN) && settings->execd_token)
    g_hash_table_insert (headers, g_strdup (ASB_OPENSANDBOX_EXECD_TOKEN_HEADER),
                         g_strdup (settings->execd_token));
  return headers;
}

/* Signing is a matter of gateways: other servers do not do it. */
static GError *
take_error (AsbOpensandboxCall *call, GError *error)
{
  AsbErrorInfo *info = error->domain == ASB_ERROR ? asb_error_get_info (error) : NULL;
  const char *code = info ? asb_error_info_get_provider_error_code (info) : NULL;

  if (g_strcmp0 (code, "SANDBOX::API_NOT_SUPPORTED") == 0)
    error->code = ASB_ERROR_UNSUPPORTED_CAPABILITY;
  asb_opensandbox_get_note_sandbox (error, call->sandbox_id, NULL);
  return error;
}

static void
looked_up_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  GError *error = NULL;
  g_autoptr (GHashTable) headers = NULL;
  g_autoptr (AsbOpensandboxEndpoint) endpoint = asb_opensandbox_endpoints_lookup_finish (
      ASB_OPENSANDBOX_ENDPOINTS (source), result, &error);

  if (!endpoint)
    {
      g_task_return_error (task, take_error (call, error));
      return;
    }
  headers = collect_headers (call->lifecycle, endpoint);
  asb_opensandbox_call_return_object (task,
                                      g_object_new (ASB_TYPE_ENDPOINT, "port", call->port, "uri",
                                                    endpoint->base, "headers", headers, NULL),
                                      NULL);
}

void
asb_opensandbox_address_get (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  AsbOpensandboxEndpoints *endpoints = asb_opensandbox_lifecycle_get_endpoints (call->lifecycle);

  if (call->number != 0)
    asb_opensandbox_endpoints_lookup_signed_async (endpoints, call->sandbox_id, call->port,
                                                   call->number, g_task_get_cancellable (task),
                                                   looked_up_cb, g_object_ref (task));
  else
    asb_opensandbox_endpoints_lookup_async (endpoints, call->sandbox_id, call->port,
                                            g_task_get_cancellable (task), looked_up_cb,
                                            g_object_ref (task));
}
