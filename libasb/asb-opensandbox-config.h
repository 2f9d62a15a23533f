/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-backend-options.h"
#include "asb-backend.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_OPENSANDBOX_CONFIG (asb_opensandbox_config_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbOpensandboxConfig, asb_opensandbox_config, ASB, OPENSANDBOX_CONFIG,
                      AsbBackendOptions)

ASB_AVAILABLE_IN_1_0
AsbOpensandboxConfig *asb_opensandbox_config_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
const char *asb_opensandbox_config_get_api_key (AsbOpensandboxConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_opensandbox_config_set_api_key (AsbOpensandboxConfig *self, const char *api_key);
ASB_AVAILABLE_IN_1_0
const char *asb_opensandbox_config_get_execd_token (AsbOpensandboxConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_opensandbox_config_set_execd_token (AsbOpensandboxConfig *self, const char *execd_token);
ASB_AVAILABLE_IN_1_0
const char *asb_opensandbox_config_get_provider_key (AsbOpensandboxConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_opensandbox_config_set_provider_key (AsbOpensandboxConfig *self, const char *provider_key);
ASB_AVAILABLE_IN_1_0
gboolean asb_opensandbox_config_get_use_server_proxy (AsbOpensandboxConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_opensandbox_config_set_use_server_proxy (AsbOpensandboxConfig *self,
                                                  gboolean use_server_proxy);
ASB_AVAILABLE_IN_1_0
double asb_opensandbox_config_get_request_timeout_seconds (AsbOpensandboxConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_opensandbox_config_set_request_timeout_seconds (AsbOpensandboxConfig *self,
                                                         double request_timeout_seconds);
ASB_AVAILABLE_IN_1_0
double asb_opensandbox_config_get_idle_timeout_seconds (AsbOpensandboxConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_opensandbox_config_set_idle_timeout_seconds (AsbOpensandboxConfig *self,
                                                      double idle_timeout_seconds);
ASB_AVAILABLE_IN_1_0
GHashTable *asb_opensandbox_config_get_headers (AsbOpensandboxConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_opensandbox_config_set_headers (AsbOpensandboxConfig *self, GHashTable *headers);
ASB_AVAILABLE_IN_1_0
gboolean asb_opensandbox_config_get_debug (AsbOpensandboxConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_opensandbox_config_set_debug (AsbOpensandboxConfig *self, gboolean debug);
ASB_AVAILABLE_IN_1_0
guint asb_opensandbox_config_get_max_connections (AsbOpensandboxConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_opensandbox_config_set_max_connections (AsbOpensandboxConfig *self, guint max_connections);
ASB_AVAILABLE_IN_1_0
guint asb_opensandbox_config_get_max_connections_per_host (AsbOpensandboxConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_opensandbox_config_set_max_connections_per_host (AsbOpensandboxConfig *self,
                                                          guint max_connections_per_host);
ASB_AVAILABLE_IN_1_0
guint asb_opensandbox_config_get_keep_alive_seconds (AsbOpensandboxConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_opensandbox_config_set_keep_alive_seconds (AsbOpensandboxConfig *self,
                                                    guint keep_alive_seconds);
ASB_AVAILABLE_IN_1_0
const char *asb_opensandbox_config_get_proxy (AsbOpensandboxConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_opensandbox_config_set_proxy (AsbOpensandboxConfig *self, const char *proxy);
ASB_AVAILABLE_IN_1_0
const char *asb_opensandbox_config_get_tls_ca_file (AsbOpensandboxConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_opensandbox_config_set_tls_ca_file (AsbOpensandboxConfig *self, const char *tls_ca_file);
ASB_AVAILABLE_IN_1_0
const char *asb_opensandbox_config_get_transport (AsbOpensandboxConfig *self);
ASB_AVAILABLE_IN_1_0
void asb_opensandbox_config_set_transport (AsbOpensandboxConfig *self, const char *transport);

ASB_AVAILABLE_IN_1_0
AsbBackendOptions *asb_opensandbox_config_make_options (AsbOpensandboxConfig *self, const char *url,
                                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
AsbBackend *asb_create_opensandbox_backend (const char *url, AsbOpensandboxConfig *config,
                                            GCancellable *cancellable,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
void asb_create_opensandbox_backend_async (const char *url, AsbOpensandboxConfig *config,
                                           GCancellable *cancellable, GAsyncReadyCallback callback,
                                           gpointer user_data);
ASB_AVAILABLE_IN_1_0
AsbBackend *asb_create_opensandbox_backend_finish (GAsyncResult *result,
                                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
