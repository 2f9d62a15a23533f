/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-image.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Programs of the image, by links to those of this machine, come first in PATH; an image that
 * lacks some has them instead of this machine's folders. */
#define IMAGE_BIN "/opt/image/bin"
#define HOST_USR "/opt/image/usr"
#define STANDARD_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

static const char *const passwd = "root:x:0:0:root:/root:/bin/sh\n"
                                  "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
                                  "user:x:1000:1000:user:/home/user:/bin/sh\n"
                                  "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n";
static const char *const group = "root:x:0:\ndaemon:x:1:\nuser:x:1000:\nnogroup:x:65534:\n";

LookalikeImage
lookalike_image_find (const char *uri)
{
  const char *name = strrchr (uri, '/');
  LookalikeImage image = { TRUE, TRUE, TRUE, FALSE };

  name = name != NULL ? name + 1 : uri;
  if (strstr (uri, "no-such-image") != NULL)
    image.exists = FALSE;
  image.is_sealed = g_str_has_prefix (name, "nonroot");
  if (g_str_has_prefix (name, "busybox") || g_str_has_prefix (name, "alpine"))
    image.has_bash = image.has_python = FALSE;
  else if (g_str_has_prefix (name, "ubuntu") || g_str_has_prefix (name, "debian")
           || g_str_has_prefix (name, "nginx") || g_str_has_prefix (name, "node"))
    image.has_python = FALSE;
  return image;
}

/* What a busybox has; in the order of strcmp (). */
static const char *const applets[] = {
  "[",        "[[",        "ar",      "arch",    "ash",       "awk",        "base32",
  "base64",   "basename",  "bc",      "bunzip2", "bzcat",     "bzip2",      "cal",
  "cat",      "chgrp",     "chmod",   "chown",   "chroot",    "chrt",       "cksum",
  "clear",    "cmp",       "comm",    "cp",      "cpio",      "cut",        "date",
  "dc",       "dd",        "df",      "diff",    "dirname",   "dmesg",      "dos2unix",
  "du",       "echo",      "ed",      "egrep",   "env",       "expand",     "expr",
  "factor",   "fallocate", "false",   "fgrep",   "find",      "flock",      "fold",
  "free",     "fsync",     "fuser",   "getopt",  "grep",      "groups",     "gunzip",
  "gzip",     "head",      "hexdump", "hostid",  "hostname",  "id",         "install",
  "ionice",   "ipcs",      "kill",    "killall", "less",      "link",       "ln",
  "logger",   "logname",   "ls",      "lsof",    "md5sum",    "mesg",       "mkdir",
  "mkfifo",   "mknod",     "mktemp",  "more",    "mount",     "mountpoint", "mv",
  "nc",       "nice",      "nl",      "nohup",   "nproc",     "nslookup",   "od",
  "paste",    "patch",     "pgrep",   "pidof",   "ping",      "pkill",      "pmap",
  "printenv", "printf",    "ps",      "pwd",     "pwdx",      "readlink",   "realpath",
  "renice",   "reset",     "rev",     "rm",      "rmdir",     "sed",        "seq",
  "setpriv",  "setsid",    "sh",      "sha1sum", "sha256sum", "sha512sum",  "shred",
  "shuf",     "sleep",     "sort",    "split",   "stat",      "strings",    "stty",
  "su",       "sum",       "sync",    "sysctl",  "tac",       "tail",       "tar",
  "tee",      "test",      "timeout", "top",     "touch",     "tr",         "true",
  "truncate", "tsort",     "tty",     "ulimit",  "umount",    "uname",      "unexpand",
  "uniq",     "unlink",    "unzip",   "uptime",  "usleep",    "uudecode",   "uuencode",
  "vi",       "w",         "watch",   "wc",      "wget",      "which",      "who",
  "whoami",   "xargs",     "xxd",     "yes",     "zcat",
};

static int
compare_names (const void *name, const void *entry)
{
  return strcmp (name, *(const char *const *)entry);
}

static gboolean
is_left_out (const LookalikeImage *image, const char *name)
{
  if (!image->has_bash)
    return bsearch (name, applets, G_N_ELEMENTS (applets), sizeof *applets, compare_names) == NULL;
  return !image->has_python
         && (g_str_has_prefix (name, "python") || g_str_has_prefix (name, "pydoc"));
}

static gboolean
has_all (const LookalikeImage *image)
{
  return image->has_bash && image->has_python;
}

static void
link_programs (const LookalikeImage *image, const char *bin, const char *from, const char *seen_as)
{
  g_autoptr (GDir) folder = g_dir_open (from, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *link = g_build_filename (bin, name, NULL);
      g_autofree char *target = g_build_filename (seen_as, name, NULL);

      if (!is_left_out (image, name) && symlink (target, link) < 0)
        continue;
    }
}

static gboolean
lay_out_programs (const LookalikeImage *image, const char *root_path, gboolean confined,
                  GError **error)
{
  g_autofree char *bin = g_build_filename (root_path, IMAGE_BIN, NULL);

  if (g_mkdir_with_parents (bin, 0755) < 0)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "Could not make the folder “%s”", bin);
      return FALSE;
    }
  if (has_all (image))
    {
      g_autofree char *python = g_build_filename (bin, "python", NULL);

      /* Debian calls it python3 only, the images python too. */
      return symlink ("/usr/bin/python3", python) == 0 || errno == EEXIST;
    }
  link_programs (image, bin, "/usr/bin", confined ? HOST_USR "/bin" : "/usr/bin");
  link_programs (image, bin, "/usr/sbin", confined ? HOST_USR "/sbin" : "/usr/sbin");
  return TRUE;
}

static gboolean
write_etc (const char *root_path, GError **error)
{
  static const char *const copied[] = { "ld.so.cache", "ld.so.conf", "localtime", "nsswitch.conf",
                                        "resolv.conf", "os-release", "services",  "protocols" };
  g_autofree char *etc = g_build_filename (root_path, "etc", NULL);
  g_autofree char *passwd_path = g_build_filename (etc, "passwd", NULL);
  g_autofree char *group_path = g_build_filename (etc, "group", NULL);
  g_autofree char *hosts_path = g_build_filename (etc, "hosts", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (copied); i++)
    {
      g_autofree char *from = g_build_filename ("/etc", copied[i], NULL);
      g_autofree char *to = g_build_filename (etc, copied[i], NULL);
      g_autofree char *contents = NULL;
      gsize size;

      if (g_file_get_contents (from, &contents, &size, NULL))
        g_file_set_contents (to, contents, (gssize)size, NULL);
    }
  return g_file_set_contents (passwd_path, passwd, -1, error)
         && g_file_set_contents (group_path, group, -1, error)
         && g_file_set_contents (hosts_path, "127.0.0.1 localhost\n::1 localhost\n", -1, error);
}

static void
lay_out_links (const char *root_path)
{
  static const char *const names[] = { "bin", "sbin", "lib", "lib32", "lib64", "libx32" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *host = g_build_filename ("/", names[i], NULL);
      g_autofree char *target = g_file_read_link (host, NULL);
      g_autofree char *link = g_build_filename (root_path, names[i], NULL);

      if (target != NULL && symlink (target, link) < 0)
        continue;
      if (target == NULL && g_file_test (host, G_FILE_TEST_IS_DIR))
        g_mkdir (link, 0755);
    }
}

gboolean
lookalike_image_lay_out (const LookalikeImage *image, const char *root_path, gboolean confined,
                         GError **error)
{
  static const char *const folders[] = { "dev", "etc", "home/user", "mnt", "opt", "proc",   "root",
                                         "run", "srv", "sys",       "tmp", "usr", "var/tmp" };

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *path = g_build_filename (root_path, folders[i], NULL);

      if (g_mkdir_with_parents (path, 0755) < 0)
        {
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "Could not make the folder “%s”",
                       path);
          return FALSE;
        }
      if (g_str_has_suffix (path, "tmp") && g_chmod (path, 01777) < 0)
        continue;
    }
  lay_out_links (root_path);
  return write_etc (root_path, error) && lay_out_programs (image, root_path, confined, error);
}

char **
lookalike_image_make_environment (const LookalikeImage *image, const char *root_path,
                                  const char *hostname)
{
  const char *root = root_path != NULL ? root_path : "";
  gboolean host_too = root_path == NULL || has_all (image);
  g_autofree char *path = g_strconcat (root, IMAGE_BIN, host_too ? ":" STANDARD_PATH : NULL, NULL);
  g_autofree char *home = g_strconcat (root, "/root", NULL);
  char **environment = NULL;

  environment = g_environ_setenv (environment, "PATH", path, TRUE);
  environment = g_environ_setenv (environment, "HOME", home, TRUE);
  environment = g_environ_setenv (environment, "HOSTNAME", hostname, TRUE);
  environment = g_environ_setenv (environment, "LANG", "C.UTF-8", TRUE);
  return environment;
}

static void add (GPtrArray *arguments, ...) G_GNUC_NULL_TERMINATED;

static void
add (GPtrArray *arguments, ...)
{
  va_list list;
  const char *argument;

  va_start (list, arguments);
  while ((argument = va_arg (list, const char *)) != NULL)
    g_ptr_array_add (arguments, g_strdup (argument));
  va_end (list);
}

static void
add_programs (GPtrArray *arguments, const LookalikeImage *image, const char *root_path)
{
  g_autofree char *bin = g_build_filename (root_path, IMAGE_BIN, NULL);

  add (arguments, "--ro-bind", "/usr", "/usr", NULL);
  if (has_all (image))
    return;
  /* What is left out must not be found by its full name either. */
  add (arguments, "--ro-bind", "/usr", HOST_USR, "--ro-bind", bin, "/usr/bin", NULL);
  add (arguments, "--tmpfs", "/usr/sbin", "--tmpfs", "/usr/local", NULL);
  for (const char *name = "bash\0python3\0python3.11\0python3.12\0python3.13\0"; *name != '\0';
       name += strlen (name) + 1)
    {
      g_autofree char *host = g_build_filename ("/usr/bin", name, NULL);
      g_autofree char *seen_as = g_build_filename (HOST_USR "/bin", name, NULL);

      if (is_left_out (image, name) && g_file_test (host, G_FILE_TEST_IS_REGULAR))
        add (arguments, "--ro-bind", "/dev/null", seen_as, NULL);
    }
}

static void
add_host_folders (GPtrArray *arguments)
{
  static const char *const names[]
      = { "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc/alternatives", "etc/ssl" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename ("/", names[i], NULL);

      if (!g_file_test (path, G_FILE_TEST_IS_SYMLINK))
        add (arguments, "--ro-bind-try", path, path, NULL);
    }
}

/* Who runs in it is still root, as everywhere, who could write to folders of others. */
static void
seal (GPtrArray *arguments, const char *root_path)
{
  static const char *const open[] = { "tmp", "var/tmp", "home/user" };

  for (guint i = 0; i < G_N_ELEMENTS (open); i++)
    {
      g_autofree char *folder = g_build_filename (root_path, open[i], NULL);
      g_autofree char *seen_as = g_build_filename ("/", open[i], NULL);

      add (arguments, "--bind", folder, seen_as, NULL);
    }
  add (arguments, "--remount-ro", "/", NULL);
}

GPtrArray *
lookalike_image_make_arguments (const LookalikeImage *image, const char *root_path,
                                const char *hostname, int status_fd)
{
  static const char *const capabilities[]
      = { "CAP_CHOWN",   "CAP_DAC_OVERRIDE", "CAP_FOWNER",           "CAP_FSETID",
          "CAP_KILL",    "CAP_SETGID",       "CAP_SETUID",           "CAP_SETPCAP",
          "CAP_NET_RAW", "CAP_SYS_CHROOT",   "CAP_NET_BIND_SERVICE", "CAP_AUDIT_WRITE" };
  GPtrArray *arguments = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *fd = g_strdup_printf ("%d", status_fd);

  add (arguments, "bwrap", "--bind", root_path, "/", NULL);
  add_programs (arguments, image, root_path);
  add_host_folders (arguments);
  add (arguments, "--proc", "/proc", "--dev", "/dev", "--unshare-pid", "--unshare-ipc",
       "--unshare-uts", "--hostname", hostname, "--die-with-parent", "--new-session", "--chdir",
       "/", "--json-status-fd", fd, NULL);
  if (image->is_sealed)
    seal (arguments, root_path);
  if (getuid () == 0)
    {
      add (arguments, "--cap-drop", "ALL", NULL);
      for (guint i = 0; i < G_N_ELEMENTS (capabilities); i++)
        add (arguments, "--cap-add", capabilities[i], NULL);
    }
  add (arguments, "--", NULL);
  return arguments;
}
