/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-diagnosis.h"

#include <asb.h>
#include <string.h>
#include <sys/wait.h>

#include "asb-local-inside.h"

void
asb_local_set_unavailable (GError **error, int code, const char *cure, const char *cause)
{
  g_set_error (error, ASB_ERROR, code,
               "Could not start the sandbox, local sandbox not possible here (%s): %s", cure,
               cause);
}

static gboolean
setting_is (const char *path, const char *value)
{
  g_autofree char *content = NULL;

  return g_file_get_contents (path, &content, NULL, NULL)
         && strcmp (g_strstrip (content), value) == 0;
}

/* The kernel only says that it refuses: why is found in its settings. */
static const char *
find_namespace_cure (void)
{
  if (setting_is ("/proc/sys/user/max_user_namespaces", "0"))
    return "allow user namespaces: “sysctl user.max_user_namespaces=15000”";
  if (setting_is ("/proc/sys/kernel/unprivileged_userns_clone", "0"))
    return "allow user namespaces: “sysctl kernel.unprivileged_userns_clone=1”";
  if (setting_is ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"))
    return "allow bubblewrap user namespaces: give it an AppArmor profile with “userns,”, or "
           "“sysctl kernel.apparmor_restrict_unprivileged_userns=0”";
  return "allow user namespaces; in a container, run it with a seccomp and AppArmor profile that "
         "permits them";
}

static gboolean
is_about_namespaces (const char *output)
{
  static const char *const signs[] = {
    "uid map",          "gid map",       "setgroups",     "amespace", "loopback",
    "ermission denied", "not permitted", "No space left", "unshare",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (signs); i++)
    if (strstr (output, signs[i]))
      return TRUE;
  return FALSE;
}

static char *
describe_status (int status)
{
  if (WIFSIGNALED (status))
    return g_strdup_printf ("it was ended by signal %d", WTERMSIG (status));
  return g_strdup_printf ("it exited with status %d", WEXITSTATUS (status));
}

void
asb_local_set_start_failure (GError **error, const char *output, int status)
{
  g_autofree char *ended = describe_status (status);

  if (g_str_has_prefix (output, "asb-guest:"))
    asb_local_set_unavailable (error, ASB_ERROR_GUEST_UNAVAILABLE,
                               "the guest program could not begin its work", output);
  else if (strstr (output, ASB_LOCAL_GUEST_INSIDE))
    asb_local_set_unavailable (error, ASB_ERROR_GUEST_UNAVAILABLE,
                               "the guest program must be a static one for this processor", output);
  else if (is_about_namespaces (output))
    asb_local_set_unavailable (error, ASB_ERROR_PROVIDER_UNAVAILABLE, find_namespace_cure (),
                               output);
  else
    asb_local_set_unavailable (error, ASB_ERROR_PROVIDER_UNAVAILABLE,
                               "see whether “bwrap --unshare-user --ro-bind / / true” works",
                               output[0] ? output : ended);
}
