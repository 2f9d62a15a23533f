/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-local-process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How often a folder is looked at, which tells nobody when it goes. */
#define INTERVAL_MILLISECONDS 5

static int
open_folder (pid_t pid)
{
  char path[32];

  g_snprintf (path, sizeof path, "/proc/%d", (int)pid);
  return open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int
asb_local_process_open (pid_t pid)
{
  int process = (int)syscall (SYS_pidfd_open, pid, 0);

  return process < 0 && errno == ENOSYS ? open_folder (pid) : process;
}

static gboolean
is_folder (int process)
{
  struct stat info;

  return fstat (process, &info) == 0 && S_ISDIR (info.st_mode);
}

gboolean
asb_local_process_can_be_polled (int process)
{
  return process >= 0 && !is_folder (process);
}

/* Returns: its state as the kernel tells it, 0 if there is no such process. */
static char
read_state (int folder)
{
  char content[256] = "";
  int fd = openat (folder, "stat", O_RDONLY | O_CLOEXEC);
  gssize size = fd >= 0 ? read (fd, content, sizeof content - 1) : 0;
  const char *end = size > 0 ? strrchr (content, ')') : NULL;

  if (fd >= 0)
    close (fd);
  return end && strlen (end) >= 3 ? end[2] : 0;
}

/* One that nobody has waited for has ended, too. */
static gboolean
has_ended (int folder)
{
  char state = read_state (folder);

  return state == 0 || state == 'Z' || state == 'X';
}

static gboolean
wait_for_folder (int folder, int milliseconds)
{
  gint64 end = g_get_monotonic_time () + milliseconds * G_TIME_SPAN_MILLISECOND;

  while (!has_ended (folder))
    {
      if (milliseconds >= 0 && g_get_monotonic_time () >= end)
        return FALSE;
      poll (NULL, 0, INTERVAL_MILLISECONDS);
    }
  return TRUE;
}

gboolean
asb_local_process_wait (int process, int milliseconds)
{
  struct pollfd event = { .fd = process, .events = POLLIN };

  if (is_folder (process))
    return wait_for_folder (process, milliseconds);
  return TEMP_FAILURE_RETRY (poll (&event, 1, milliseconds)) == 1;
}

static pid_t
pid_of (int folder)
{
  char path[48];
  char target[48] = "";

  g_snprintf (path, sizeof path, "/proc/self/fd/%d", folder);
  if (readlink (path, target, sizeof target - 1) <= 0 || !g_str_has_prefix (target, "/proc/"))
    return 0;
  return (pid_t)strtol (target + strlen ("/proc/"), NULL, 10);
}

gboolean
asb_local_process_signal (int process, int number)
{
  pid_t pid;

  if (!is_folder (process))
    return syscall (SYS_pidfd_send_signal, process, number, NULL, 0) == 0;
  pid = has_ended (process) ? 0 : pid_of (process);
  return pid > 1 && kill (pid, number) == 0;
}

static pid_t
pid_of_descriptor (int process)
{
  g_autofree char *path = g_strdup_printf ("/proc/self/fdinfo/%d", process);
  g_autofree char *content = NULL;
  const char *line;

  if (!g_file_get_contents (path, &content, NULL, NULL) || !(line = strstr (content, "\nPid:\t")))
    return 0;
  return (pid_t)strtol (line + strlen ("\nPid:\t"), NULL, 10);
}

gboolean
asb_local_process_is_stopped (int process)
{
  pid_t pid = is_folder (process) ? 0 : pid_of_descriptor (process);
  int folder = is_folder (process) ? process : pid > 0 ? open_folder (pid) : -1;
  char state = folder >= 0 ? read_state (folder) : 0;

  if (folder >= 0 && folder != process)
    close (folder);
  return state == 'T' || state == 't';
}
