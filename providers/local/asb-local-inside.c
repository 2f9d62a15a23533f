/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-inside.h"

#include <string.h>
#include <unistd.h>

#include "asb-local-etc.h"
#include "asb-local-seccomp.h"
#include "asb-local-source.h"
#include "asb-local-user.h"

static void
add_namespaces (AsbLocalArguments *arguments, const AsbLocalInside *inside)
{
  char uid[16], gid[16];

  g_snprintf (uid, sizeof uid, "%u", asb_local_user_inside ());
  g_snprintf (gid, sizeof gid, "%u", asb_local_group_inside ());
  asb_local_arguments_add (arguments, "--unshare-user", "--unshare-ipc", "--unshare-pid",
                           "--unshare-uts", "--unshare-cgroup-try", "--disable-userns",
                           "--cap-drop", "ALL", "--as-pid-1", "--new-session", "--hostname",
                           inside->hostname, "--uid", uid, "--gid", gid, NULL);
  if (!inside->host_network)
    asb_local_arguments_add (arguments, "--unshare-net", NULL);
}

static void
add_programs (AsbLocalArguments *arguments)
{
  static const char *const names[] = { "/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin" };

  asb_local_arguments_add (arguments, "--ro-bind", "/usr", "/usr", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *target = g_file_read_link (names[i], NULL);

      if (target)
        asb_local_arguments_add (arguments, "--symlink", target, names[i], NULL);
      else
        asb_local_arguments_add (arguments, "--ro-bind-try", names[i], names[i], NULL);
    }
}

static void
add_bind (AsbLocalArguments *arguments, const AsbLocalInside *inside, const char *folder,
          const char *target)
{
  g_autofree char *source = g_build_filename (inside->folder, folder, NULL);

  asb_local_arguments_add_parents (arguments, target);
  asb_local_arguments_add_source (arguments, "--bind", source, target);
}

/* A file system in memory. It takes from the machine's memory what no process is asked for, so it
 * is held to what one process may have. In a scope that is what all have together: files fill a
 * part of it, since nothing frees what they take, and the guest could not live on. */
static void
add_memory (AsbLocalArguments *arguments, const AsbLocalInside *inside, guint part_of_scope,
            const char *mode, const char *target)
{
  guint64 limit = inside->limits ? asb_resource_limits_get_memory_bytes (inside->limits) : 0;
  guint64 size = inside->bus ? limit / part_of_scope : limit;
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, MAX (size, 1));

  if (limit > 0)
    asb_local_arguments_add (arguments, "--size", text, NULL);
  asb_local_arguments_add (arguments, "--perms", mode, "--tmpfs", target, NULL);
}

/* Keys belong to users, not to namespaces: what the caller's are called would stand there. */
static void
add_processes (AsbLocalArguments *arguments)
{
  asb_local_arguments_add (arguments, "--proc", "/proc", NULL);
  if (access ("/proc/keys", F_OK) == 0)
    asb_local_arguments_add (arguments, "--ro-bind", "/dev/null", "/proc/keys", NULL);
}

static void
add_devices (AsbLocalArguments *arguments, const AsbLocalInside *inside)
{
  asb_local_arguments_add (arguments, "--dev", "/dev", NULL);
  add_memory (arguments, inside, 2, "1777", "/dev/shm");
  asb_local_arguments_add (arguments, "--remount-ro", "/dev", NULL);
}

static gboolean
is_mount_target (const AsbLocalInside *inside, const char *path)
{
  for (guint i = 0; inside->mounts && i < inside->mounts->len; i++)
    if (strcmp (((const AsbLocalSource *)inside->mounts->pdata[i])->target, path) == 0)
      return TRUE;
  return FALSE;
}

/* The sandbox's own folder there, unless one of the user takes its place. */
static void
add_own (AsbLocalArguments *arguments, const AsbLocalInside *inside, const char *folder,
         const char *target)
{
  if (!is_mount_target (inside, target))
    add_bind (arguments, inside, folder, target);
}

static void
add_folders (AsbLocalArguments *arguments, const AsbLocalInside *inside)
{
  add_memory (arguments, inside, 4, "0755", "/run");
  asb_local_arguments_add (arguments, "--dir", "/var", "--symlink", "../tmp", "/var/tmp",
                           "--symlink", "../run", "/var/run", NULL);
  if (asb_local_workdir_is_elsewhere (inside->workdir))
    add_bind (arguments, inside, inside->workdir->folder, inside->workdir->mount);
  add_own (arguments, inside, ASB_LOCAL_FOLDER_TMP, "/tmp");
  add_own (arguments, inside, ASB_LOCAL_FOLDER_WORKSPACE, "/workspace");
  add_own (arguments, inside, ASB_LOCAL_FOLDER_HOME, "/home/agent");
  if (inside->mounts)
    asb_local_arguments_take_mounts (arguments, inside->mounts);
}

static const char *
find_shell (void)
{
  return access ("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh";
}

static gboolean
add_user_land (AsbLocalArguments *arguments, const AsbLocalInside *inside, GError **error)
{
  AsbLocalEtc etc = {
    .hostname = inside->hostname,
    .shell = find_shell (),
    .uid = asb_local_user_inside (),
    .gid = asb_local_group_inside (),
    .host_network = inside->host_network,
  };

  add_folders (arguments, inside);
  asb_local_arguments_add (arguments, "--setenv", "PATH",
                           "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
                           "--setenv", "HOME", "/home/agent", "--setenv", "USER", "agent",
                           "--setenv", "LOGNAME", "agent", "--setenv", "SHELL", etc.shell,
                           "--setenv", "LANG", "C.UTF-8", "--chdir", inside->workdir->mount, NULL);
  return asb_local_etc_add (arguments, &etc, error);
}

static gboolean
writes_through (const AsbLocalInside *inside)
{
  for (guint i = 0; inside->mounts && i < inside->mounts->len; i++)
    if (((const AsbLocalSource *)inside->mounts->pdata[i])->mode == ASB_MOUNT_MODE_READ_WRITE)
      return TRUE;
  return FALSE;
}

static gboolean
add_filter (AsbLocalArguments *arguments, const AsbLocalInside *inside, GError **error)
{
  int filter = asb_local_seccomp_open (writes_through (inside), error);

  if (filter < 0)
    return FALSE;
  asb_local_arguments_add_fd (arguments, "--seccomp", filter, NULL);
  return TRUE;
}

gboolean
asb_local_inside_add (AsbLocalArguments *arguments, const AsbLocalInside *inside, GError **error)
{
  if (!add_filter (arguments, inside, error))
    return FALSE;
  add_namespaces (arguments, inside);
  add_programs (arguments);
  add_processes (arguments);
  add_devices (arguments, inside);
  if (!inside->workdir)
    asb_local_arguments_add (arguments, "--chdir", "/", NULL);
  else if (!add_user_land (arguments, inside, error))
    return FALSE;
  add_bind (arguments, inside, ASB_LOCAL_FOLDER_HISTORY, ASB_LOCAL_HISTORY_INSIDE);
  asb_local_arguments_add_source (arguments, "--ro-bind", inside->guest, ASB_LOCAL_GUEST_INSIDE);
  asb_local_arguments_add (arguments, "--remount-ro", "/", NULL);
  return TRUE;
}
