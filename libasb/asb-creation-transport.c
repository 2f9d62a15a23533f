/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-creation-private.h"

#include "asb-backend-options-private.h"
#include "asb-call-private.h"
#include "asb-error.h"
#include "asb-guest-placement-private.h"

/* The way in: what the application makes, the guest, or what the provider has instead. */

static void
have_transport (GTask *task, gpointer transport, GError *error)
{
  AsbCreation *creation = g_task_get_task_data (task);

  if (!transport)
    {
      asb_creation_fail (task, error);
      return;
    }
  creation->transport = transport;
  asb_creation_open_store (task);
}

static void
factory_answered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;
  AsbTransport *transport = asb_call_finish_pointer (source, result, &error);

  have_transport (user_data, transport, error);
}

/* Nobody else will ever close it. */
static void
discard_transport (gpointer source, const GValue *result)
{
  AsbTransport *transport = g_value_get_object (result);

  if (transport)
    asb_transport_close_async (transport, NULL, NULL, NULL);
}

static void
call_factory (GTask *task, AsbClosure *factory)
{
  static const AsbCallKind kind = { "make the transport", 120, discard_transport };
  AsbCreation *creation = g_task_get_task_data (task);
  g_autoptr (GTask) inner
      = asb_call_begin (creation->provider, &kind, ASB_TYPE_TRANSPORT,
                        g_task_get_cancellable (task), factory_answered_cb, task, call_factory);

  ((AsbTransportFactory)factory->function) (creation->provider, creation->ref, inner,
                                            factory->user_data);
}

static void
own_transport_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;
  AsbTransport *transport
      = asb_provider_open_transport_finish (ASB_PROVIDER (source), result, &error);

  have_transport (user_data, transport, error);
}

static void
open_own_transport (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);

  asb_provider_open_transport_async (creation->provider,
                                     asb_sandbox_ref_get_sandbox_id (creation->ref),
                                     g_task_get_cancellable (task), own_transport_cb, task);
}

static void
guest_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GTask *task = user_data;
  AsbCreation *creation = g_task_get_task_data (task);
  AsbProvider *provider = ASB_PROVIDER (source);
  GError *error = NULL;
  AsbTransport *transport = asb_guest_placement_open_finish (provider, result, &error);

  if (!transport && g_error_matches (error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE)
      && ASB_PROVIDER_GET_IFACE (provider)->open_transport)
    {
      g_debug ("The provider's own transport is used: %s", error->message);
      creation->guest_is_placed = FALSE;
      creation->no_guest = g_strdup (error->message);
      g_clear_error (&error);
      open_own_transport (task);
      return;
    }
  have_transport (task, transport, error);
}

void
asb_creation_open_transport (GTask *task)
{
  AsbCreation *creation = g_task_get_task_data (task);
  AsbClosure *factory = asb_backend_options_get_transport_factory (creation->options);
  const char *sandbox_id = asb_sandbox_ref_get_sandbox_id (creation->ref);

  if (asb_creation_fail_if_cancelled (task))
    return;
  if (factory)
    call_factory (task, factory);
  else if (ASB_PROVIDER_GET_IFACE (creation->provider)->open_stream)
    {
      creation->guest_is_placed = TRUE;
      asb_guest_placement_open_async (creation->provider, sandbox_id,
                                      asb_backend_options_get_reconnect_seconds (creation->options),
                                      g_task_get_cancellable (task), guest_cb, task);
    }
  else
    open_own_transport (task);
}
