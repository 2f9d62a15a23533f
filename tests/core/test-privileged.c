/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-test.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <pwd.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "asb-guest-program-private.h"

#define REALLY "--really"

/* What a program that was started with more rights than its user's ends with. */
#define STATUS_IGNORED 0
#define STATUS_HEEDED 3
#define STATUS_NOT_PRIVILEGED 4

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

#define SCRIPT "#!/bin/sh\necho bubblewrap 0.8.0\n"

/* Something that can be executed, and says of itself what bubblewrap says. */
static char *
make_program (const char *folder, const char *name)
{
  char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents_full (path, SCRIPT, -1, G_FILE_SET_CONTENTS_NONE, 0755, NULL));
  return path;
}

static gboolean
loads (const char *path)
{
  g_autoptr (GBytes) program = NULL;
  g_autofree char *hash = NULL;
  g_autoptr (GError) error = NULL;

  return asb_guest_program_load (&program, &hash, &error)
         && g_str_has_prefix (g_bytes_get_data (program, NULL), SCRIPT);
}

static void
test_guest (void)
{
  g_autofree char *before = g_strdup (g_getenv ("ASB_GUEST_PATH"));
  g_autofree char *folder = g_dir_make_tmp ("asb-privileged-XXXXXX", NULL);
  g_autofree char *path = make_program (folder, "asb-guest");

  g_test_summary ("Nor do they choose the program that is put into sandboxes");

  g_setenv ("ASB_GUEST_PATH", path, TRUE);
  is_privileged = TRUE;
  g_assert_false (loads (path));
  is_privileged = FALSE;
  g_assert_true (loads (path));
  g_setenv ("ASB_GUEST_PATH", before, TRUE);
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Whether what the local provider would run is one of those. */
static gboolean
would_run (AsbProvider *provider, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) findings = asb_provider_diagnose (provider, NULL, &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  text = g_variant_print (findings, FALSE);
  return strstr (text, path) != NULL;
}

static void
test_local_programs (void)
{
  g_autofree char *before = g_strdup (g_getenv ("ASB_GUEST_PATH"));
  g_autofree char *path_before = g_strdup (g_getenv ("PATH"));
  g_autofree char *folder = g_dir_make_tmp ("asb-privileged-XXXXXX", NULL);
  g_autofree char *guest = make_program (folder, "asb-guest");
  g_autofree char *bubblewrap = make_program (folder, "bwrap");
  g_autoptr (AsbRegistry) registry = asb_registry_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbProvider) provider = asb_registry_create_provider (registry, "local", NULL, &error);

  g_test_summary ("Nor the two programs of this machine a local sandbox is made of");

  g_assert_no_error (error);
  g_setenv ("ASB_GUEST_PATH", guest, TRUE);
  g_setenv ("PATH", folder, TRUE);
  is_privileged = TRUE;
  g_assert_false (would_run (provider, guest));
  g_assert_false (would_run (provider, bubblewrap));
  is_privileged = FALSE;
  g_assert_true (would_run (provider, guest));
  g_assert_true (would_run (provider, bubblewrap));
  g_setenv ("PATH", path_before, TRUE);
  g_setenv ("ASB_GUEST_PATH", before, TRUE);
  g_assert_cmpint (g_remove (guest), ==, 0);
  g_assert_cmpint (g_remove (bubblewrap), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* In the program that has the rights. */
static int
be_privileged (void)
{
  g_autoptr (AsbProvider) mock = NULL;

  if (!getauxval (AT_SECURE))
    return STATUS_NOT_PRIVILEGED;
  mock = create_mock (NULL);
  return mock ? STATUS_HEEDED : STATUS_IGNORED;
}

/* A copy of this program that runs as another user. */
static char *
make_set_user_id (const char *folder, uid_t user)
{
  char *path = g_build_filename (folder, "test-privileged", NULL);
  g_autofree char *contents = NULL;
  gsize length;

  g_assert_true (g_file_get_contents ("/proc/self/exe", &contents, &length, NULL));
  g_assert_true (g_file_set_contents (path, contents, (gssize)length, NULL));
  g_assert_cmpint (chown (path, user, (gid_t)-1), ==, 0);
  g_assert_cmpint (g_chmod (path, 04755), ==, 0);
  return path;
}

static void
test_really (void)
{
  const struct passwd *nobody = getpwnam ("nobody");
  g_autofree char *folder = NULL;
  g_autofree char *path = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("A program that runs as another user than who started it ignores the variable");

  if (geteuid () != 0 || !nobody)
    {
      g_test_skip ("only root can make a program that runs as another user");
      return;
    }
#ifdef __SANITIZE_ADDRESS__
  g_test_skip ("the sanitizer cannot look for leaks in a program of another user");
  return;
#endif
  folder = g_dir_make_tmp ("asb-privileged-XXXXXX", NULL);
  path = make_set_user_id (folder, nobody->pw_uid);
  process = g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, &error, path, REALLY, NULL);
  if (process && g_subprocess_wait (process, NULL, NULL) && g_subprocess_get_if_exited (process)
      && g_subprocess_get_exit_status (process) != STATUS_NOT_PRIVILEGED)
    g_assert_cmpint (g_subprocess_get_exit_status (process), ==, STATUS_IGNORED);
  else
    g_test_skip ("such programs do not get their rights here");
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  if (argc == 2 && g_str_equal (argv[1], REALLY))
    return be_privileged ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/privileged/module-path", test_module_path);
  g_test_add_func ("/privileged/guest", test_guest);
  g_test_add_func ("/privileged/local-programs", test_local_programs);
  g_test_add_func ("/privileged/really", test_really);
  return g_test_run ();
}
