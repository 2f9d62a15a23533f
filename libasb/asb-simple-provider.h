/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include "asb-module.h"
#include "asb-provider.h"
#include "asb-version.h"

G_BEGIN_DECLS

#define ASB_TYPE_SIMPLE_PROVIDER (asb_simple_provider_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_DERIVABLE_TYPE (AsbSimpleProvider, asb_simple_provider, ASB, SIMPLE_PROVIDER, GObject)

struct _AsbSimpleProviderClass
{
  GObjectClass parent_class;

  /*< public >*/
  gboolean (*create) (AsbSimpleProvider *self, const char *sandbox_id, AsbSandboxSpec *spec,
                      GCancellable *cancellable, GError **error);
  gboolean (*remove) (AsbSimpleProvider *self, const char *sandbox_id, GCancellable *cancellable,
                      GError **error);
  AsbSandboxState (*get_state) (AsbSimpleProvider *self, const char *sandbox_id,
                                GCancellable *cancellable, GError **error);
  GIOStream *(*open_program) (AsbSimpleProvider *self, const char *sandbox_id,
                              const char *const *argv, GCancellable *cancellable, GError **error);
  gboolean (*store_file) (AsbSimpleProvider *self, const char *sandbox_id, const char *path,
                          GBytes *contents, guint mode, GCancellable *cancellable, GError **error);
  gboolean thread_safe;

  /*< private >*/
  gpointer _reserved[16];
};

/**
 * ASB_DEFINE_SIMPLE_PROVIDER_MODULE: (skip)
 * @TypeName: the name of the class, in CamelCase
 * @type_name: the same in lower case, with `_`
 * @provider_name: the name of the provider, a string
 *
 * Defines a class derived from [class@SimpleProvider], and the module it is in: the whole of a
 * module but the function `type_name_class_init`, which says what the class can do.
 *
 * Since: 1.0
 */
#define ASB_DEFINE_SIMPLE_PROVIDER_MODULE(TypeName, type_name, provider_name)                      \
  typedef AsbSimpleProvider TypeName;                                                              \
  typedef AsbSimpleProviderClass TypeName##Class;                                                  \
  GType type_name##_get_type (void);                                                               \
  G_DEFINE_TYPE (TypeName, type_name, ASB_TYPE_SIMPLE_PROVIDER)                                    \
  static void type_name##_init (TypeName *self)                                                    \
  {                                                                                                \
  }                                                                                                \
  static gboolean type_name##_register (AsbRegistry *registry, GError **error)                     \
  {                                                                                                \
    return asb_registry_register_provider (registry, provider_name, type_name##_get_type (),       \
                                           error);                                                 \
  }                                                                                                \
  ASB_DEFINE_MODULE (ASB_MODULE_KIND_PROVIDER, provider_name, type_name##_register)

ASB_AVAILABLE_IN_1_0
const char *asb_simple_provider_get_name (AsbSimpleProvider *self);
ASB_AVAILABLE_IN_1_0
void asb_simple_provider_set_name (AsbSimpleProvider *self, const char *name);
ASB_AVAILABLE_IN_1_0
char *asb_simple_provider_dup_folder (AsbSimpleProvider *self,
                                      const char *sandbox_id) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
gboolean asb_simple_provider_end_guest (AsbSimpleProvider *self, const char *sandbox_id,
                                        GCancellable *cancellable, GError **error);

G_END_DECLS
