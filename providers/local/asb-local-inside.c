/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-inside.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asb-local-etc.h"

/* Inside, root of the host is an ordinary user: it has no capabilities there anyway. */
#define UID_FOR_ROOT 1000

static unsigned
id_inside (unsigned id)
{
  return id == 0 ? UID_FOR_ROOT : id;
}

static void
add_namespaces (AsbLocalArguments *arguments, const AsbLocalInside *inside)
{
  char uid[16], gid[16];

  g_snprintf (uid, sizeof uid, "%u", id_inside (geteuid ()));
  g_snprintf (gid, sizeof gid, "%u", id_inside (getegid ()));
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

/* Whether a file of /proc is for root only, or tells of the host's other work. */
static gboolean
is_hidden (const char *name, const char *path)
{
  struct stat status;

  if (lstat (path, &status) != 0 || !S_ISREG (status.st_mode))
    return FALSE;
  return !(status.st_mode & S_IROTH) || strcmp (name, "keys") == 0
         || strcmp (name, "latency_stats") == 0;
}

/* Bound without devices, /dev/null cannot be opened. */
static void
add_mask (AsbLocalArguments *arguments, const char *name)
{
  g_autofree char *path = g_build_filename ("/proc", name, NULL);

  if (is_hidden (name, path))
    asb_local_arguments_add (arguments, "--ro-bind", "/dev/null", path, NULL);
}

/* For the kernel, root without capabilities still owns the files of /proc that belong to the host:
 * it could write those whose mode lets their owner, and change the mode of the others. Bubblewrap
 * looks at the wrong thing there, so nothing of it is writable. An ordinary user owns none. */
static void
add_proc (AsbLocalArguments *arguments)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  asb_local_arguments_add (arguments, "--proc", "/proc", NULL);
  if (geteuid () != 0)
    return;
  dir = g_dir_open ("/proc", 0, NULL);
  while (dir && (name = g_dir_read_name (dir)))
    if (!g_ascii_isdigit (name[0]))
      add_mask (arguments, name);
  asb_local_arguments_add (arguments, "--remount-ro", "/proc", NULL);
}

static void
add_bind (AsbLocalArguments *arguments, const AsbLocalInside *inside, const char *folder,
          const char *target)
{
  g_autofree char *source = g_build_filename (inside->folder, folder, NULL);

  asb_local_arguments_add_parents (arguments, target);
  asb_local_arguments_add (arguments, "--bind", source, target, NULL);
}

static void
add_folders (AsbLocalArguments *arguments, const AsbLocalInside *inside)
{
  asb_local_arguments_add (arguments, "--tmpfs", "/run", "--dir", "/var", "--symlink", "../tmp",
                           "/var/tmp", "--symlink", "../run", "/var/run", NULL);
  if (asb_local_workdir_is_elsewhere (inside->workdir))
    add_bind (arguments, inside, inside->workdir->folder, inside->workdir->mount);
  add_bind (arguments, inside, ASB_LOCAL_FOLDER_TMP, "/tmp");
  add_bind (arguments, inside, ASB_LOCAL_FOLDER_WORKSPACE, "/workspace");
  add_bind (arguments, inside, ASB_LOCAL_FOLDER_HOME, "/home/agent");
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
    .uid = id_inside (geteuid ()),
    .gid = id_inside (getegid ()),
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

gboolean
asb_local_inside_add (AsbLocalArguments *arguments, const AsbLocalInside *inside, GError **error)
{
  add_namespaces (arguments, inside);
  add_programs (arguments);
  add_proc (arguments);
  asb_local_arguments_add (arguments, "--dev", "/dev", NULL);
  if (!inside->workdir)
    asb_local_arguments_add (arguments, "--chdir", "/", NULL);
  else if (!add_user_land (arguments, inside, error))
    return FALSE;
  add_bind (arguments, inside, ASB_LOCAL_FOLDER_HISTORY, ASB_LOCAL_HISTORY_INSIDE);
  asb_local_arguments_add (arguments, "--ro-bind", inside->guest, ASB_LOCAL_GUEST_INSIDE,
                           "--remount-ro", "/", NULL);
  return TRUE;
}
