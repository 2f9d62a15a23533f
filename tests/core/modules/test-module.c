/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A tiny module, wrong in the way its build says. */

#include <asb.h>

#if defined(IS_PLAIN)

extern int asb_test_some_symbol;
int asb_test_some_symbol = 1;

#else

#define TEST_TYPE_GOOD_PROVIDER (test_good_provider_get_type ())
G_DECLARE_FINAL_TYPE (TestGoodProvider, test_good_provider, TEST, GOOD_PROVIDER, GObject)

struct _TestGoodProvider
{
  GObject parent_instance;
};

static void test_good_provider_iface_init (AsbProviderInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (TestGoodProvider, test_good_provider, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (ASB_TYPE_PROVIDER,
                                                      test_good_provider_iface_init))

static char *
test_good_provider_dup_name (AsbProvider *provider)
{
  return g_strdup (MODULE_NAME);
}

static void
test_good_provider_iface_init (AsbProviderInterface *iface)
{
  iface->dup_name = test_good_provider_dup_name;
}

static void
test_good_provider_class_init (TestGoodProviderClass *klass)
{
}

static void
test_good_provider_init (TestGoodProvider *self)
{
}

#if defined(IS_UNRESOLVED)
extern gboolean asb_test_no_such_function (void);
#endif

static G_GNUC_UNUSED gboolean
register_it (AsbRegistry *registry, GError **error)
{
#if defined(REGISTERS_NOTHING)
  return TRUE;
#elif defined(IS_FAILING)
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_MODULE_INVALID, "The module does not want to");
  return FALSE;
#elif defined(ASKS_FOR)
  g_autoptr (AsbProvider) other = asb_registry_create_provider (registry, ASKS_FOR, NULL, error);

  return other
         && asb_registry_register_provider (registry, MODULE_NAME, G_OBJECT_TYPE (other), error);
#elif defined(IS_SILENT)
  return FALSE;
#elif defined(IS_UNRESOLVED)
  return asb_test_no_such_function ();
#else
  /* For other threads to come meanwhile. */
  for (guint i = 0; i < 10; i++)
    g_thread_yield ();
  return asb_registry_register_provider (registry, MODULE_NAME, TEST_TYPE_GOOD_PROVIDER, error);
#endif
}

#ifndef MODULE_KIND
#define MODULE_KIND ASB_MODULE_KIND_PROVIDER
#endif
#ifndef DESCRIPTOR_NAME
#define DESCRIPTOR_NAME MODULE_NAME
#endif
#ifndef MAJOR
#define MAJOR ASB_MAJOR_VERSION
#endif
#ifndef MINOR
#define MINOR ASB_MINOR_VERSION
#endif
#ifndef REGISTER
#define REGISTER register_it
#endif

G_MODULE_EXPORT extern const AsbModuleDescriptor asb_module;
const AsbModuleDescriptor asb_module = { .kind = MODULE_KIND,
                                         .name = DESCRIPTOR_NAME,
                                         .major = MAJOR,
                                         .minor = MINOR,
                                         .register_types = REGISTER };

#endif
