/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-make.h"

#include <fcntl.h>
#include <sys/stat.h>

gboolean
asb_local_make_folder (int parent, const char *name, mode_t mode)
{
  return mkdirat (parent, name, 0700) == 0 && fchmodat (parent, name, mode, 0) == 0;
}

int
asb_local_make_file (int folder, const char *name, int flags)
{
  int fd = openat (folder, name, flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

  /* One that was there may be another's, and has its mode. */
  if (fd >= 0 && fchmod (fd, 0600) != 0)
    g_debug ("The mode of “%s” stays as it is", name);
  return fd;
}
