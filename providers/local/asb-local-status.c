/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-status.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "asb-local-expiry.h"
#include "asb-local-make.h"
#include "asb-local-process.h"
#include "asb-wire-json.h"

#define STATUS_NAME "guest.status"
#define MAX_STATUS_SIZE 4096
#define NOTE_PREFIX "guest "
#define NOTE_FORMAT NOTE_PREFIX "%d %" G_GUINT64_FORMAT " %s"
#define NOTE_PATTERN NOTE_PREFIX "%d %" G_GUINT64_FORMAT " %63s"

int
asb_local_status_open (AsbLocalFolder *folder)
{
  return asb_local_make_file (folder->fd, STATUS_NAME, O_RDWR | O_APPEND);
}

gboolean
asb_local_status_is_locked (int status)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

  return fcntl (status, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

gboolean
asb_local_status_lock (int status)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

  return fcntl (status, F_OFD_SETLK, &lock) == 0 && ftruncate (status, 0) == 0;
}

static pid_t
read_pid (int status)
{
  char content[MAX_STATUS_SIZE];
  gssize size = pread (status, content, sizeof content, 0);
  const char *end = size > 0 ? memchr (content, '\n', (gsize)size) : NULL;
  const char *reason;
  json_t *json = end ? asb_wire_json_parse (content, (gsize)(end - content), &reason) : NULL;
  json_int_t pid = json_integer_value (json_object_get (json, "child-pid"));

  json_decref (json);
  return pid > 1 && pid <= G_MAXINT32 ? (pid_t)pid : 0;
}

/* While the lock is held bubblewrap has not reaped it, so the number means no other process. */
static int
open_locked_process (AsbLocalFolder *folder)
{
  int status = asb_local_status_open (folder);
  pid_t pid = status >= 0 && asb_local_status_is_locked (status) ? read_pid (status) : 0;
  int process = pid ? asb_local_process_open (pid) : -1;

  if (process >= 0 && !asb_local_status_is_locked (status))
    {
      close (process);
      process = -1;
    }
  if (status >= 0)
    close (status);
  return process;
}

/* When a process was started, in a unit of the kernel's; 0 if there is none. With the id of the
 * machine's start it tells the process from any other. */
static guint64
read_start (pid_t pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", (int)pid);
  g_autofree char *content = NULL;
  g_auto (GStrv) fields = NULL;
  const char *end;

  if (!g_file_get_contents (path, &content, NULL, NULL) || !(end = strrchr (content, ')')))
    return 0;
  fields = g_strsplit (end, " ", 22);
  return g_strv_length (fields) == 22 ? g_ascii_strtoull (fields[20], NULL, 10) : 0;
}

void
asb_local_status_note_process (AsbLocalFolder *folder)
{
  int status = asb_local_status_open (folder);
  pid_t pid = status >= 0 ? read_pid (status) : 0;
  g_autofree char *boot_id = asb_local_boot_id ();

  if (pid > 0)
    dprintf (status, NOTE_FORMAT "\n", (int)pid, read_start (pid), boot_id);
  if (status >= 0)
    close (status);
}

static pid_t
parse_note (const char *content, guint64 *start)
{
  g_autofree char *boot_id = asb_local_boot_id ();
  const char *note = strstr (content, "\n" NOTE_PREFIX);
  char noted_id[64] = "";
  int pid = 0;

  if (!note || sscanf (note + 1, NOTE_PATTERN, &pid, start, noted_id) != 3)
    return 0;
  return strcmp (noted_id, boot_id) == 0 && pid > 1 && *start > 0 ? pid : 0;
}

static int
open_noted_process (AsbLocalFolder *folder)
{
  int status = asb_local_status_open (folder);
  char content[MAX_STATUS_SIZE] = "";
  gssize size = status >= 0 ? pread (status, content, sizeof content - 1, 0) : 0;
  guint64 start = 0;
  pid_t pid = size > 0 ? parse_note (content, &start) : 0;
  int process = pid > 0 ? asb_local_process_open (pid) : -1;

  if (status >= 0)
    close (status);
  if (process >= 0 && read_start (pid) != start)
    {
      close (process);
      process = -1;
    }
  return process;
}

int
asb_local_status_open_process (AsbLocalFolder *folder)
{
  int process = open_locked_process (folder);

  return process >= 0 ? process : open_noted_process (folder);
}
