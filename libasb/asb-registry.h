/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include "asb-history-store.h"
#include "asb-provider.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_REGISTRY (asb_registry_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbRegistry, asb_registry, ASB, REGISTRY, GObject)

/**
 * AsbProviderFactory:
 * @registry: the registry
 * @name: the name that was asked for
 * @options: (nullable): options, an `a{sv}`
 * @error: return location for an error
 * @user_data: data given at registration
 *
 * Makes a provider.
 *
 * Returns: (transfer full) (nullable): the provider, or %NULL with @error set
 *
 * Since: 1.0
 */
typedef AsbProvider *(*AsbProviderFactory) (AsbRegistry *registry, const char *name,
                                            GVariant *options, gpointer user_data, GError **error);

/**
 * AsbHistoryStoreFactory:
 * @registry: the registry
 * @name: the name that was asked for
 * @options: (nullable): options, an `a{sv}`
 * @error: return location for an error
 * @user_data: data given at registration
 *
 * Makes a history store.
 *
 * Returns: (transfer full) (nullable): the store, or %NULL with @error set
 *
 * Since: 1.0
 */
typedef AsbHistoryStore *(*AsbHistoryStoreFactory) (AsbRegistry *registry, const char *name,
                                                    GVariant *options, gpointer user_data,
                                                    GError **error);

ASB_AVAILABLE_IN_1_0
AsbRegistry *asb_registry_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
AsbRegistry *asb_registry_get_default (void);

ASB_AVAILABLE_IN_1_0
gboolean asb_registry_register_provider (AsbRegistry *self, const char *name, GType type,
                                         GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_registry_register_provider_factory (AsbRegistry *self, const char *name,
                                                 AsbProviderFactory factory, gpointer user_data,
                                                 GDestroyNotify destroy, GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_registry_register_history_store (AsbRegistry *self, const char *name, GType type,
                                              GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_registry_register_history_store_factory (AsbRegistry *self, const char *name,
                                                      AsbHistoryStoreFactory factory,
                                                      gpointer user_data, GDestroyNotify destroy,
                                                      GError **error);
ASB_AVAILABLE_IN_1_0
gboolean asb_registry_unregister_provider (AsbRegistry *self, const char *name);
ASB_AVAILABLE_IN_1_0
gboolean asb_registry_unregister_history_store (AsbRegistry *self, const char *name);

ASB_AVAILABLE_IN_1_0
AsbProvider *asb_registry_create_provider (AsbRegistry *self, const char *name, GVariant *options,
                                           GError **error);
ASB_AVAILABLE_IN_1_0
AsbHistoryStore *asb_registry_create_history_store (AsbRegistry *self, const char *name,
                                                    GVariant *options, GError **error);

ASB_AVAILABLE_IN_1_0
char **asb_registry_list_providers (AsbRegistry *self) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
char **asb_registry_list_history_stores (AsbRegistry *self) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
char *asb_registry_find_provider_module (AsbRegistry *self,
                                         const char *name) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
char *asb_registry_find_history_store_module (AsbRegistry *self,
                                              const char *name) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
void asb_registry_prepend_module_path (AsbRegistry *self, const char *path);
ASB_AVAILABLE_IN_1_0
char **asb_registry_dup_module_paths (AsbRegistry *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
