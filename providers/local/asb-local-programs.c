/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-programs.h"

#include <asb.h>
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"

#define INSTALLED_GUEST ASB_GUEST_DIR "/" ASB_GUEST_ARCH "/asb-guest"

static gboolean
is_privileged (void)
{
  return getauxval (AT_SECURE) != 0;
}

static gboolean
check_executable (const char *path, int code, const char *cure, GError **error)
{
  int reason = 0;
  g_autofree char *cause = NULL;

  if (access (path, X_OK) != 0)
    reason = errno;
  else if (g_file_test (path, G_FILE_TEST_IS_DIR))
    reason = EISDIR;
  if (reason == 0)
    return TRUE;
  cause = g_strdup_printf ("Could not execute “%s”: %s", path, g_strerror (reason));
  asb_local_set_unavailable (error, code, cure, cause);
  return FALSE;
}

/* A file of that name in PATH that cannot be executed is worth saying: it is not missing. */
static char *
find_in_path (const char *name)
{
  const char *path = is_privileged () ? NULL : g_getenv ("PATH");
  g_auto (GStrv) folders = g_strsplit (path ? path : "/usr/bin:/bin", ":", -1);
  g_autofree char *found = is_privileged () ? NULL : g_find_program_in_path (name);

  for (gsize i = 0; !found && folders[i]; i++)
    {
      g_autofree char *candidate = g_build_filename (folders[i], name, NULL);

      if (g_path_is_absolute (candidate) && g_file_test (candidate, G_FILE_TEST_EXISTS))
        found = g_steal_pointer (&candidate);
    }
  return found ? g_canonicalize_filename (found, NULL) : NULL;
}

char *
asb_local_find_bubblewrap (const char *option, GError **error)
{
  const char *name = option ? option : "bwrap";
  g_autofree char *path
      = strchr (name, '/') ? g_canonicalize_filename (name, NULL) : find_in_path (name);

  if (!path)
    {
      g_autofree char *cause = g_strdup_printf ("There is no program “%s” in PATH", name);

      asb_local_set_unavailable (error, ASB_ERROR_PROVIDER_UNAVAILABLE,
                                 "install the package bubblewrap", cause);
      return NULL;
    }
  if (!check_executable (path, ASB_ERROR_PROVIDER_UNAVAILABLE,
                         "install the package bubblewrap, and let it be executable", error))
    return NULL;
  return g_steal_pointer (&path);
}

char *
asb_local_find_guest (const char *option, GError **error)
{
  const char *environment = is_privileged () ? NULL : g_getenv ("ASB_GUEST_PATH");
  const char *name = option ? option : environment ? environment : INSTALLED_GUEST;
  g_autofree char *path = g_canonicalize_filename (name, NULL);

  if (!check_executable (path, ASB_ERROR_GUEST_UNAVAILABLE,
                         "install the guest program or set ASB_GUEST_PATH", error))
    return NULL;
  return g_steal_pointer (&path);
}
