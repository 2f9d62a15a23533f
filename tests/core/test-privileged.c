/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <asb.h>
#include <dlfcn.h>
#include <sys/auxv.h>

/* Whether this program is told that it has rights its user has not: it stands for libc here. */
static gboolean is_privileged;

unsigned long
getauxval (unsigned long type)
{
  unsigned long (*next) (unsigned long) = dlsym (RTLD_NEXT, "getauxval");

  return type == AT_SECURE && is_privileged ? 1 : next (type);
}

static AsbProvider *
create_mock (GError **error)
{
  g_autoptr (AsbRegistry) registry = asb_registry_new ();

  return asb_registry_create_provider (registry, "mock", NULL, error);
}

static void
test_module_path (void)
{
  g_autoptr (AsbProvider) found = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Who runs a program with more rights than theirs does not choose its modules");

  is_privileged = TRUE;
  g_assert_null (create_mock (&error));
  g_assert_error (error, ASB_ERROR, ASB_ERROR_MODULE_NOT_FOUND);
  g_clear_error (&error);

  is_privileged = FALSE;
  found = create_mock (&error);
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/privileged/module-path", test_module_path);
  return g_test_run ();
}
