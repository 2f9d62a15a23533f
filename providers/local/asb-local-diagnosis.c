/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-diagnosis.h"

#include <asb.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asb-local-inside.h"
#include "asb-local-staging.h"

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

#define FIRST_OF_SIGNALS                                                                           \
  128 /* of the exit statuses by which bubblewrap tells how its child ended */

#define CHROOT_CURE                                                                                \
  "in a chroot the kernel makes no user namespaces: enter the folder as a container, for example " \
  "with systemd-nspawn"

#define TMP_CURE "make the folder /tmp, where bubblewrap puts a sandbox together"

/* Docker hides parts of /proc, too, which is not allowed then. */
#define PROFILE_CURE                                                                               \
  "in a container, run it with a seccomp and AppArmor profile that permits them (docker: "         \
  "--security-opt seccomp=unconfined --security-opt systempaths=unconfined)"

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
  return "allow user namespaces; " PROFILE_CURE "; " CHROOT_CURE;
}

static const char *
find_limit_cure (void)
{
  if (setting_is ("/proc/sys/user/max_user_namespaces", "0"))
    return find_namespace_cure ();
  return "no more namespaces can be made: end what holds some, raise “sysctl "
         "user.max_user_namespaces”, or nest fewer containers";
}

/* What bubblewrap and the steps before it say, and what helps. The first that fits counts. */
static const struct
{
  const char *sign;
  const char *and_sign; /* may be NULL */
  const char *cure;     /* NULL: @find_cure knows */
  const char *(*find_cure) (void);
} causes[] = {
  /* Nothing is mounted at its root. */
  { "may not mount", "Invalid argument", CHROOT_CURE, NULL },
  { "make / slave", "Invalid argument", CHROOT_CURE, NULL },
  { "may not mount", "No such file", TMP_CURE, NULL },
  { "Failed to mount tmpfs", "No such file", TMP_CURE, NULL },
  { "pivot_root", "not permitted", "allow mounts, and to change the root; " PROFILE_CURE, NULL },
  { "may not mount", NULL,
    "give root the right to mount (CAP_SYS_ADMIN), or start as an ordinary user, who needs none" },
  { "may not become another user", NULL,
    "give root the rights CAP_SETUID and CAP_SETGID, or start as an ordinary user" },
  { "by the user nobody", "Resource temporarily",
    "the user nobody may have no more processes: raise “ulimit -u”" },
  { "bubblewrap cannot be executed", "ermission denied", "let everybody execute bubblewrap" },
  { "bubblewrap cannot be executed", NULL,
    "install the package bubblewrap in place of what is found under its name" },
  { "max_*_namespaces", NULL, NULL, find_limit_cure },
  { "max_user_namespaces", NULL,
    "bubblewrap must be able to write in /proc/sys/user; in a container, run it with a writable "
    "/proc/sys (docker: --security-opt systempaths=unconfined)" },
  { "mount proc", NULL,
    "/proc of this container is hidden in part, and no other can be had then: run it with all of "
    "/proc (docker: --security-opt systempaths=unconfined, podman: --security-opt unmask=ALL)" },
  { "SECCOMP", NULL, "the kernel needs CONFIG_SECCOMP_FILTER" },
  { "Unknown option", NULL, "install bubblewrap 0.8 or later" },
  { "Unexpected capabilities", NULL,
    "start without ambient capabilities, and bubblewrap without file capabilities" },
  { "find source path", NULL,
    "the folder must be there, and its parents open to the user who runs bubblewrap" },
  { "Read-only file system", NULL,
    "what is to be written lies on a read-only file system: set state-dir to another" },
  { "No space left", "Can't", "make room where the state folder is, or in memory" },
  { "No space left", "info_fd", "make room where the state folder is", NULL },
  { "quota", NULL, "make room where the state folder is", NULL },
  { "No space left", NULL, NULL, find_limit_cure },
  { "Too many open files", NULL, "raise “ulimit -n”" },
  { "Resource temporarily unavailable", NULL, "raise “ulimit -u”, or end other processes" },
  { "Cannot allocate memory", NULL, "make memory free, or raise “ulimit -v”" },
  { "uid map", NULL, NULL, find_namespace_cure },
  { "gid map", NULL, NULL, find_namespace_cure },
  { "setgroups", NULL, NULL, find_namespace_cure },
  { "amespace", NULL, NULL, find_namespace_cure },
  { "loopback", NULL, NULL, find_namespace_cure },
  { "unshare", NULL, NULL, find_namespace_cure },
  { "ermission denied", NULL, NULL, find_namespace_cure },
  { "not permitted", NULL, NULL, find_namespace_cure },
};

static const char *
find_cure (const char *output)
{
  for (gsize i = 0; i < G_N_ELEMENTS (causes); i++)
    if (strstr (output, causes[i].sign)
        && (!causes[i].and_sign || strstr (output, causes[i].and_sign)))
      return causes[i].cure ? causes[i].cure : causes[i].find_cure ();
  return "see whether “bwrap --unshare-user --ro-bind / / true” works";
}

static char *
describe_status (int status)
{
  if (WIFSIGNALED (status))
    return g_strdup_printf ("it was ended by signal %d", WTERMSIG (status));
  return g_strdup_printf ("it exited with status %d", WEXITSTATUS (status));
}

/* Bubblewrap and the guest never end of themselves without a word. */
void
asb_local_set_start_failure (GError **error, const char *output, int status)
{
  g_autofree char *ended = describe_status (status);

  if (g_str_has_prefix (output, ASB_LOCAL_STAGING_PREFIX))
    g_set_error_literal (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
                         output + strlen (ASB_LOCAL_STAGING_PREFIX));
  else if (g_str_has_prefix (output, "asb-guest:"))
    asb_local_set_unavailable (error, ASB_ERROR_GUEST_UNAVAILABLE,
                               "the guest program could not begin its work", output);
  else if (strstr (output, ASB_LOCAL_GUEST_INSIDE))
    asb_local_set_unavailable (error, ASB_ERROR_GUEST_UNAVAILABLE,
                               "the guest program must be a static one for this processor", output);
  else if (output[0] == '\0' && WIFEXITED (status) && WEXITSTATUS (status) < FIRST_OF_SIGNALS)
    asb_local_set_unavailable (
        error, ASB_ERROR_PROVIDER_UNAVAILABLE,
        "what stands in the place of bubblewrap, or of the guest program, is "
        "another: install that again",
        ended);
  else
    asb_local_set_unavailable (error, ASB_ERROR_PROVIDER_UNAVAILABLE, find_cure (output),
                               output[0] ? output : ended);
}

/* By code, since messages are in the language of the user. */
const char *
asb_local_find_spawn_cure (const GError *cause, const char *fallback)
{
  if (g_error_matches (cause, ASB_ERROR, ASB_ERROR_PROVIDER)
      || g_error_matches (cause, ASB_ERROR, ASB_ERROR_NO_SPACE))
    return NULL;
  if (g_error_matches (cause, G_SPAWN_ERROR, G_SPAWN_ERROR_FORK))
    return "raise “ulimit -u”, end other processes, or make memory free";
  if (access ("/dev/null", R_OK | W_OK) != 0)
    return "make the device /dev/null, which everybody may read and write";
  return fallback;
}

/* Returns: (nullable): what helps where something has run out, or all needs it. */
static const char *
find_resource_cure (int reason)
{
  switch (reason)
    {
    case ENOSPC:
    case EDQUOT:
      return "make room there";
    case EMFILE:
    case ENFILE:
      return "raise “ulimit -n”";
    case EFBIG:
      return "raise “ulimit -f”";
    case ENOMEM:
      return "make memory free";
    case ENOENT:
      return access ("/proc/self", F_OK) == 0 ? NULL : "mount /proc, which is missing";
    default:
      return NULL;
    }
}

void
asb_local_set_failure (GError **error, int reason, const char *format, ...)
{
  const char *cure = find_resource_cure (reason);
  g_autofree char *what = NULL;
  va_list arguments;

  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, ASB_ERROR,
               reason == ENOSPC || reason == EDQUOT ? ASB_ERROR_NO_SPACE : ASB_ERROR_PROVIDER,
               "Could not %s%s%s%s: %s", what, cure ? " (" : "", cure ? cure : "", cure ? ")" : "",
               g_strerror (reason));
}

void
asb_local_set_folder_error (GError **error, const char *path, int reason)
{
  if (find_resource_cure (reason))
    asb_local_set_failure (error, reason, "use the folder “%s”", path);
  else
    asb_local_set_failure (
        error, reason,
        "use the folder “%s” (set XDG_STATE_HOME, or state-dir and record-dir, to "
        "folders that are yours and can be written)",
        path);
}

void
asb_local_set_owner_error (GError **error, int reason)
{
  asb_local_set_unavailable (error, ASB_ERROR_PROVIDER_UNAVAILABLE,
                             "this root may not give files to the user nobody (65534), as whom a "
                             "sandbox of root runs: map that user into the container and give "
                             "root CAP_CHOWN, or start as an ordinary user",
                             g_strerror (reason));
}
