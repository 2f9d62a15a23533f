/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-make.h"
#include "asb-local-removal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

/* It is never open: only of such a file one is told at once that it is gone. The folders are held
 * by what is mounted of them, and other files are replaced. */
#define FILE_NAME "present"

int
asb_local_removal_watch (AsbLocalFolder *folder)
{
  int file = asb_local_make_file (folder->fd, FILE_NAME, O_WRONLY);
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d/" FILE_NAME, folder->fd);
  int watch;

  if (file < 0)
    return -1;
  close (file);
  watch = inotify_init1 (IN_CLOEXEC | IN_NONBLOCK);
  if (watch >= 0 && inotify_add_watch (watch, path, IN_DELETE_SELF | IN_DONT_FOLLOW) >= 0)
    return watch;
  g_debug ("The removal of sandbox %s cannot be watched: %s", folder->id, g_strerror (errno));
  if (watch >= 0)
    close (watch);
  return -1;
}
