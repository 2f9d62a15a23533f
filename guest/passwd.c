/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "passwd.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whoever may write the file shall not make us read for ever. */
#define MAX_SIZE (1024 * 1024)

enum
{
  FIELD_UID = 2,
  FIELD_GID = 3,
  FIELD_HOME = 5,
  N_FIELDS = 7
};

static bool
parse_id (const char *text, unsigned long *id)
{
  char *end;

  *id = strtoul (text, &end, 10);
  return end != text && *end == '\0' && *id < UINT32_MAX;
}

static bool
parse_line (char *line, uid_t uid, Passwd *found)
{
  char *fields[N_FIELDS];
  unsigned long id;
  unsigned long gid;

  for (size_t i = 0; i < N_FIELDS; i++)
    {
      fields[i] = strsep (&line, ":\n");
      if (!fields[i])
        return false;
    }
  if (!parse_id (fields[FIELD_UID], &id) || id != uid || !parse_id (fields[FIELD_GID], &gid))
    return false;
  found->gid = (gid_t)gid;
  snprintf (found->home, sizeof found->home, "%s",
            *fields[FIELD_HOME] == '/' ? fields[FIELD_HOME] : "");
  return true;
}

/* A device or a FIFO in its place would have us wait. */
static FILE *
open_file (void)
{
  int fd = open ("/etc/passwd", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  FILE *file = NULL;

  if (fd >= 0 && fstat (fd, &status) == 0 && S_ISREG (status.st_mode))
    file = fdopen (fd, "r");
  if (fd >= 0 && !file)
    close (fd);
  return file;
}

bool
passwd_find (uid_t uid, Passwd *found)
{
  FILE *file = open_file ();
  char line[PASSWD_MAX_LINE];
  size_t size = 0;
  bool done = false;

  while (file && !done && size < MAX_SIZE && fgets (line, sizeof line, file))
    {
      size += strlen (line) + 1;
      done = parse_line (line, uid, found);
    }
  if (file)
    fclose (file);
  return done;
}
