/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-etc.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A bind mount costs a quarter of a millisecond, so what is small is copied. */
#define MAX_COPY_BYTES (1024 * 1024)
#define SMALL_ENTRIES 24
#define SMALL_BYTES (64 * 1024)

static const char *const large[] = {
  "/etc/alternatives",  "/etc/fonts",     "/etc/pki/ca-trust/extracted",
  "/etc/pki/tls/certs", "/etc/ssl/certs",
};

static const char *const small[] = {
  "/etc/bash.bashrc",     "/etc/debian_version",   "/etc/gai.conf",
  "/etc/host.conf",       "/etc/inputrc",          "/etc/ld.so.cache",
  "/etc/ld.so.conf",      "/etc/ld.so.conf.d",     "/etc/locale.alias",
  "/etc/locale.conf",     "/etc/localtime",        "/etc/lsb-release",
  "/etc/magic",           "/etc/mime.types",       "/etc/networks",
  "/etc/os-release",      "/etc/pki/tls/cert.pem", "/etc/protocols",
  "/etc/services",        "/etc/shells",           "/etc/ssl/cert.pem",
  "/etc/ssl/openssl.cnf", "/etc/terminfo",         "/etc/timezone",
};

/* Of these there are several versions side by side. */
static const char *const prefixes[] = { "java-", "openjdk", "perl", "python" };

typedef struct
{
  guint entries;
  goffset bytes;
} Budget;

static gboolean
is_small (const char *path, Budget *left)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *entry = g_build_filename (path, name, NULL);
      struct stat status;

      if (left->entries-- == 0)
        return FALSE;
      if (lstat (entry, &status) != 0)
        continue;
      left->bytes -= S_ISREG (status.st_mode) ? status.st_size : 0;
      if (left->bytes < 0 || (S_ISDIR (status.st_mode) && !is_small (entry, left)))
        return FALSE;
    }
  return TRUE;
}

static void
add_link (AsbLocalArguments *arguments, const char *path)
{
  g_autofree char *target = g_file_read_link (path, NULL);

  if (target)
    asb_local_arguments_add (arguments, "--symlink", target, path, NULL);
}

/* What not everybody may read stays outside, also when the caller could read it. */
static void
add_file (AsbLocalArguments *arguments, const char *path, const struct stat *status)
{
  int fd;

  if (!(status->st_mode & S_IROTH))
    return;
  if (status->st_size > MAX_COPY_BYTES)
    {
      asb_local_arguments_add (arguments, "--ro-bind-try", path, path, NULL);
      return;
    }
  fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return;
  asb_local_arguments_add (arguments, "--perms", "0644", NULL);
  asb_local_arguments_add_fd (arguments, "--file", fd, path);
}

static void add_path (AsbLocalArguments *arguments, const char *path);

static void
bind_directory (AsbLocalArguments *arguments, const char *path)
{
  asb_local_arguments_add (arguments, "--ro-bind-try", path, path, NULL);
}

static void
add_directory (AsbLocalArguments *arguments, const char *path)
{
  Budget budget = { SMALL_ENTRIES, SMALL_BYTES };
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (!is_small (path, &budget))
    {
      bind_directory (arguments, path);
      return;
    }
  dir = g_dir_open (path, 0, NULL);
  if (!dir)
    return;
  asb_local_arguments_add (arguments, "--dir", path, NULL);
  while ((name = g_dir_read_name (dir)))
    {
      g_autofree char *entry = g_build_filename (path, name, NULL);

      add_path (arguments, entry);
    }
}

static void
add_path (AsbLocalArguments *arguments, const char *path)
{
  struct stat status;

  if (lstat (path, &status) != 0)
    return;
  if (S_ISLNK (status.st_mode))
    add_link (arguments, path);
  else if (S_ISREG (status.st_mode))
    add_file (arguments, path, &status);
  else if (S_ISDIR (status.st_mode))
    add_directory (arguments, path);
}

static gboolean
has_prefix (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (name, prefixes[i]))
      return TRUE;
  return FALSE;
}

static void
add_each (AsbLocalArguments *arguments, const char *const *paths, gsize n_paths,
          void (*add) (AsbLocalArguments *arguments, const char *path))
{
  for (gsize i = 0; i < n_paths; i++)
    if (g_access (paths[i], F_OK) == 0)
      {
        asb_local_arguments_add_parents (arguments, paths[i]);
        add (arguments, paths[i]);
      }
}

static void
add_allowed (AsbLocalArguments *arguments)
{
  g_autoptr (GDir) dir = g_dir_open ("/etc", 0, NULL);
  const char *name;

  add_each (arguments, large, G_N_ELEMENTS (large), bind_directory);
  add_each (arguments, small, G_N_ELEMENTS (small), add_path);
  while (dir && (name = g_dir_read_name (dir)))
    if (has_prefix (name))
      {
        g_autofree char *path = g_build_filename ("/etc", name, NULL);

        add_path (arguments, path);
      }
}

static gboolean
add_text (AsbLocalArguments *arguments, const char *path, const char *text, GError **error)
{
  int fd = asb_local_memory_file (text, strlen (text), error);

  if (fd < 0)
    return FALSE;
  asb_local_arguments_add (arguments, "--perms", "0644", NULL);
  asb_local_arguments_add_fd (arguments, "--file", fd, path);
  return TRUE;
}

static gboolean
add_users (AsbLocalArguments *arguments, const AsbLocalEtc *etc, GError **error)
{
  g_autoptr (GString) users = g_string_new ("root:x:0:0:root:/:/usr/sbin/nologin\n");
  g_autoptr (GString) groups = g_string_new ("root:x:0:\n");

  g_string_append_printf (users, "agent:x:%u:%u:agent:/home/agent:%s\n", etc->uid, etc->gid,
                          etc->shell);
  g_string_append_printf (groups, "agent:x:%u:\n", etc->gid);
  if (etc->uid != 65534)
    g_string_append (users, "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n");
  if (etc->gid != 65534)
    g_string_append (groups, "nogroup:x:65534:\n");
  return add_text (arguments, "/etc/passwd", users->str, error)
         && add_text (arguments, "/etc/group", groups->str, error);
}

static gboolean
add_network (AsbLocalArguments *arguments, const AsbLocalEtc *etc, GError **error)
{
  g_autofree char *hosts
      = g_strdup_printf ("127.0.0.1 localhost\n::1 localhost\n127.0.1.1 %s\n", etc->hostname);
  g_autofree char *hostname = g_strconcat (etc->hostname, "\n", NULL);
  g_autofree char *resolver = NULL;

  if (etc->host_network)
    g_file_get_contents ("/etc/resolv.conf", &resolver, NULL, NULL);
  return add_text (arguments, "/etc/hosts", hosts, error)
         && add_text (arguments, "/etc/hostname", hostname, error)
         && add_text (arguments, "/etc/nsswitch.conf",
                      "passwd: files\ngroup: files\nhosts: files dns\nnetworks: files\n"
                      "protocols: files\nservices: files\nethers: files\nrpc: files\n",
                      error)
         && (!resolver || add_text (arguments, "/etc/resolv.conf", resolver, error));
}

gboolean
asb_local_etc_add (AsbLocalArguments *arguments, const AsbLocalEtc *etc, GError **error)
{
  asb_local_arguments_add (arguments, "--dir", "/etc", NULL);
  add_allowed (arguments);
  asb_local_arguments_add (arguments, "--symlink", "/proc/self/mounts", "/etc/mtab", NULL);
  return add_users (arguments, etc, error) && add_network (arguments, etc, error);
}
