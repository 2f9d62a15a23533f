/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs inside a sandbox and tries what must not work there. Prints a line for each thing that did;
 * changes nothing of the host even where it could. */

#include "probe.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* What belongs to the sandbox's own processes, or only leads there. */
static int
is_own (const char *name)
{
  return (name[0] >= '0' && name[0] <= '9') || strcmp (name, "self") == 0
         || strcmp (name, "thread-self") == 0 || strcmp (name, "net") == 0
         || strcmp (name, "mounts") == 0 || strcmp (name, ".") == 0 || strcmp (name, "..") == 0;
}

static void
try_to_change (const char *path)
{
  struct stat status;
  int fd;

  if (lstat (path, &status) != 0 || S_ISLNK (status.st_mode))
    return;
  if (chmod (path, status.st_mode & 07777) == 0)
    printf ("mode of %s\n", path);
  if (!S_ISREG (status.st_mode))
    return;
  fd = open (path, O_WRONLY | O_NONBLOCK);
  if (fd < 0)
    return;
  printf ("%s is writable\n", path);
  close (fd);
}

static void
walk (const char *folder, int at_top)
{
  DIR *dir = opendir (folder);
  struct dirent *entry;

  while (dir && (entry = readdir (dir)))
    {
      char path[8192];

      if (strcmp (entry->d_name, ".") == 0 || strcmp (entry->d_name, "..") == 0
          || (at_top && is_own (entry->d_name)))
        continue;
      snprintf (path, sizeof path, "%s/%s", folder, entry->d_name);
      try_to_change (path);
      if (entry->d_type == DT_DIR)
        walk (path, 0);
    }
  if (dir)
    closedir (dir);
}

static void
probe_devices (void)
{
  static const char *const names[]
      = { "full", "null", "random", "tty", "urandom", "zero", "ptmx", "kmsg", "mem", "vda", "sda" };

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
      char path[64];
      struct stat status;

      snprintf (path, sizeof path, "/dev/%s", names[i]);
      if (lstat (path, &status) != 0 || !(S_ISCHR (status.st_mode) || S_ISBLK (status.st_mode)))
        continue;
      if (i > 5)
        printf ("%s is there\n", path);
      else if (chmod (path, status.st_mode & 07777) == 0)
        printf ("mode of %s\n", path);
    }
}

static void
probe_readable (int argc, char **argv)
{
  for (int i = 2; i < argc; i++)
    {
      int fd = open (argv[i], O_RDONLY | O_NONBLOCK);

      if (fd < 0)
        continue;
      printf ("%s is readable\n", argv[i]);
      close (fd);
    }
}

static void
probe_writable (int argc, char **argv)
{
  for (int i = 2; i < argc; i++)
    {
      char path[4096];
      int fd;

      snprintf (path, sizeof path, "%s/asb-probe", argv[i]);
      fd = open (path, O_WRONLY | O_CREAT | O_EXCL, 0600);
      if (fd < 0)
        continue;
      printf ("%s is writable\n", argv[i]);
      close (fd);
      unlink (path);
    }
}

static void
probe_rights (void)
{
  static const int flags[] = { CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET };

  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (unshare (flags[i]) == 0)
      printf ("unshare %x\n", (unsigned)flags[i]);
  if (mount ("none", "/workspace", "tmpfs", 0, NULL) == 0)
    printf ("mount\n");
  if (mount (NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) == 0)
    printf ("remount\n");
  if (umount2 ("/proc", MNT_DETACH) == 0)
    printf ("umount\n");
  if (chroot ("/") == 0)
    printf ("chroot\n");
  if (setuid (0) == 0)
    printf ("setuid\n");
  if (mknod ("/workspace/node", S_IFCHR | 0600, 0x501) == 0)
    printf ("mknod\n");
}

static void
probe_terminal (void)
{
  int tty = open ("/dev/tty", O_RDWR);

  if (tty >= 0)
    printf ("/dev/tty can be opened\n");
  for (int fd = 0; fd < 3; fd++)
    {
      if (isatty (fd))
        printf ("descriptor %d is a terminal\n", fd);
      if (ioctl (fd, TIOCSTI, "#") == 0)
        printf ("typed into descriptor %d\n", fd);
    }
}

static void
probe_descriptors (void)
{
  for (int fd = 3; fd < 1024; fd++)
    if (fcntl (fd, F_GETFD) >= 0)
      printf ("descriptor %d is open\n", fd);
}

static void
probe_port (const char *port)
{
  struct sockaddr_in address = { .sin_family = AF_INET,
                                 .sin_port = htons ((uint16_t)atoi (port)),
                                 .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  int fd = socket (AF_INET, SOCK_STREAM, 0);

  if (connect (fd, (struct sockaddr *)&address, sizeof address) == 0)
    printf ("port %s answers\n", port);
}

static void
probe_abstract (const char *name)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM, 0);

  snprintf (address.sun_path + 1, sizeof address.sun_path - 1, "%s", name);
  if (connect (fd, (struct sockaddr *)&address,
               (socklen_t)(offsetof (struct sockaddr_un, sun_path) + 1 + strlen (name)))
      == 0)
    printf ("abstract socket %s answers\n", name);
}

int
main (int argc, char **argv)
{
  const char *verb = argc > 1 ? argv[1] : "";

  if (strcmp (verb, "proc") == 0)
    walk ("/proc", 1);
  else if (strcmp (verb, "devices") == 0)
    probe_devices ();
  else if (strcmp (verb, "readable") == 0)
    probe_readable (argc, argv);
  else if (strcmp (verb, "writable") == 0)
    probe_writable (argc, argv);
  else if (strcmp (verb, "rights") == 0)
    probe_rights ();
  else if (strcmp (verb, "terminal") == 0)
    probe_terminal ();
  else if (strcmp (verb, "descriptors") == 0)
    probe_descriptors ();
  else if (strcmp (verb, "port") == 0 && argc == 3)
    probe_port (argv[2]);
  else if (strcmp (verb, "abstract") == 0 && argc == 3)
    probe_abstract (argv[2]);
  else if (strcmp (verb, "calls") == 0)
    probe_calls ();
  else if (strcmp (verb, "needed") == 0)
    probe_needed ();
  else if (strcmp (verb, "compat") == 0)
    probe_compat ();
  else if (strcmp (verb, "guest") == 0)
    probe_guest ();
  else if (strcmp (verb, "setuid") == 0)
    probe_setuid (argc, argv);
  else if (strcmp (verb, "link") == 0 && argc == 3)
    probe_link (argv[2]);
  else if (strcmp (verb, "forks") == 0)
    probe_forks ();
  else if (strcmp (verb, "bomb") == 0)
    probe_bomb ();
  else if (strcmp (verb, "memory") == 0)
    probe_memory ();
  else if (strcmp (verb, "file") == 0 && argc == 3)
    probe_file (argv[2]);
  else
    return 2;
  printf ("probed\n");
  return 0;
}
