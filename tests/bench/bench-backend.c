/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where the work is done: a local sandbox, or one of the server that ASB_BENCH_SERVER names. */

#include "bench.h"

#define SERVER_VARIABLE "ASB_BENCH_SERVER"
#define TRANSPORT_VARIABLE "ASB_BENCH_TRANSPORT"
#define IMAGE_VARIABLE "ASB_BENCH_IMAGE"

/* What a client that dies leaves goes by itself. */
#define LIFETIME 600

static AsbHistoryConfig *
new_history (gboolean recorded)
{
  AsbHistoryConfig *history = asb_history_config_new ();

  asb_history_config_set_mode (history,
                               recorded ? ASB_HISTORY_MODE_SANDBOX : ASB_HISTORY_MODE_NONE);
  return history;
}

static AsbBackendOptions *
new_local (void)
{
  AsbBackendOptions *options = asb_backend_options_new ();

  asb_backend_options_set_provider_name (options, "local");
  return options;
}

static AsbBackendOptions *
new_remote (void)
{
  AsbOpensandboxConfig *config = asb_opensandbox_config_new ();
  AsbBackendOptions *options = ASB_BACKEND_OPTIONS (config);
  const char *transport = g_getenv (TRANSPORT_VARIABLE);
  const char *image = g_getenv (IMAGE_VARIABLE);

  if (transport)
    asb_opensandbox_config_set_transport (config, transport);
  if (image)
    asb_backend_options_set_image (options, image);
  asb_backend_options_set_sandbox_ttl_mode (options, ASB_TTL_MODE_SECONDS);
  asb_backend_options_set_sandbox_ttl_seconds (options, LIFETIME);
  return options;
}

void
bench_create_async (gboolean recorded, GAsyncReadyCallback callback, gpointer user_data)
{
  const char *server = g_getenv (SERVER_VARIABLE);
  g_autoptr (AsbBackendOptions) options = server ? new_remote () : new_local ();
  g_autoptr (AsbHistoryConfig) history = new_history (recorded);

  asb_backend_options_set_history (options, history);
  if (server)
    asb_create_opensandbox_backend_async (server, ASB_OPENSANDBOX_CONFIG (options), NULL, callback,
                                          user_data);
  else
    asb_create_backend_async (options, NULL, callback, user_data);
}

AsbBackend *
bench_create_finish (GAsyncResult *result)
{
  g_autoptr (GError) error = NULL;
  AsbBackend *backend = g_getenv (SERVER_VARIABLE)
                            ? asb_create_opensandbox_backend_finish (result, &error)
                            : asb_create_backend_finish (result, &error);

  g_assert_no_error (error);
  return backend;
}

static void
created_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbBackend **backend = user_data;

  *backend = bench_create_finish (result);
}

AsbBackend *
bench_create (gboolean recorded)
{
  AsbBackend *backend = NULL;

  bench_create_async (recorded, created_cb, &backend);
  while (!backend)
    g_main_context_iteration (NULL, TRUE);
  return backend;
}

void
bench_destroy (AsbBackend *backend)
{
  g_autoptr (GError) error = NULL;

  asb_backend_close (backend, NULL, &error);
  g_assert_no_error (error);
  g_object_unref (backend);
}
