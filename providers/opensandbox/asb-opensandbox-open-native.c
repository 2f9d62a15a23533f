/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-open-native.h"

#include "asb-opensandbox-native.h"
#include "asb-opensandbox-site.h"

#define CHOSEN "the option “transport” asks for execd's own API"

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  AsbTransport *transport
      = asb_opensandbox_native_open_finish (ASB_OPENSANDBOX_CLIENT (source), result, &error);

  asb_opensandbox_call_return_object (task, transport, error);
}

static gboolean
is_chosen (AsbOpensandboxLifecycle *lifecycle)
{
  return asb_opensandbox_lifecycle_get_settings (lifecycle)->transport
         == ASB_OPENSANDBOX_TRANSPORT_NATIVE;
}

static void
found_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);
  g_autoptr (AsbOpensandboxSite) site
      = asb_opensandbox_site_get (call->lifecycle, call->sandbox_id);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxEndpoint) endpoint = asb_opensandbox_endpoints_lookup_finish (
      ASB_OPENSANDBOX_ENDPOINTS (source), result, &error);

  if (!endpoint)
    {
      g_task_return_error (task, g_steal_pointer (&error));
      return;
    }
  asb_opensandbox_native_open_async (asb_opensandbox_lifecycle_get_client (call->lifecycle),
                                     endpoint,
                                     is_chosen (call->lifecycle) ? CHOSEN : site->no_guest,
                                     g_task_get_cancellable (task), opened_cb, g_object_ref (task));
}

void
asb_opensandbox_open_native (GTask *task)
{
  AsbOpensandboxCall *call = asb_opensandbox_call_get (task);

  asb_opensandbox_endpoints_lookup_async (
      asb_opensandbox_lifecycle_get_endpoints (call->lifecycle), call->sandbox_id,
      ASB_OPENSANDBOX_PORT_EXECD, g_task_get_cancellable (task), found_cb, g_object_ref (task));
}
