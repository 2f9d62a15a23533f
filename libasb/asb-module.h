/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include "asb-registry.h"
#include "asb-version.h"

G_BEGIN_DECLS

/**
 * AsbModuleKind:
 * @ASB_MODULE_KIND_PROVIDER: `libasb-provider-NAME.so`
 * @ASB_MODULE_KIND_HISTORY_STORE: `libasb-history-NAME.so`
 *
 * What a module offers.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_MODULE_KIND_PROVIDER,
  ASB_MODULE_KIND_HISTORY_STORE
} AsbModuleKind;

typedef struct _AsbModuleDescriptor AsbModuleDescriptor;

/**
 * AsbModuleDescriptor: (skip)
 * @kind: what the module offers
 * @name: its name, the NAME of its file
 * @major: the major version of the library it was built for
 * @minor: the minor version of the library it was built for
 * @register_types: registers what it offers on a registry, under @name; may be called several times
 *
 * What a module exports. Define it with ASB_DEFINE_MODULE().
 *
 * Since: 1.0
 */
struct _AsbModuleDescriptor
{
  AsbModuleKind kind;
  const char *name;
  guint major;
  guint minor;
  gboolean (*register_types) (AsbRegistry *registry, GError **error);

  /*< private >*/
  gpointer _reserved[8];
};

/**
 * ASB_DEFINE_MODULE: (skip)
 * @module_kind: an [enum@ModuleKind]
 * @module_name: the name, a string
 * @module_register: the function that registers what the module offers
 *
 * Defines the one symbol a module exports, `asb_module`.
 *
 * Since: 1.0
 */
#define ASB_DEFINE_MODULE(module_kind, module_name, module_register)                               \
  G_MODULE_EXPORT extern const AsbModuleDescriptor asb_module;                                     \
  const AsbModuleDescriptor asb_module = { .kind = (module_kind),                                  \
                                           .name = (module_name),                                  \
                                           .major = ASB_MAJOR_VERSION,                             \
                                           .minor = ASB_MINOR_VERSION,                             \
                                           .register_types = (module_register) }

G_END_DECLS
