/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "passwd.h"

#include <errno.h>
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

/* Digits alone: what else strtoul () takes, a sign for one, would be somebody else's number. */
static bool
parse_id (const char *text, unsigned long *id)
{
  size_t length = strspn (text, "0123456789");

  errno = 0;
  *id = strtoul (text, NULL, 10);
  return length > 0 && text[length] == '\0' && errno == 0 && *id < UINT32_MAX;
}

static bool
parse_line (char *line, uid_t uid, Passwd *found)
{
  char *fields[N_FIELDS];
  unsigned long id;
  unsigned long gid;

  for (size_t i = 0; i < N_FIELDS; i++)
    {
      fields[i] = strsep (&line, ":");
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

/* Without its end, of at most @left bytes; of a line that is too long, or holds a NUL, nothing is
 * left. False at the end of the file. */
static bool
read_line (FILE *file, char line[PASSWD_MAX_LINE], size_t *left)
{
  size_t size = 0;
  int c = 0;

  for (; *left > 0 && (c = getc (file)) != EOF && c != '\n'; --*left)
    if (size < PASSWD_MAX_LINE)
      line[size++] = (char)c;
  if (*left > 0)
    --*left;
  if (size == PASSWD_MAX_LINE || memchr (line, '\0', size))
    size = 0;
  line[size] = '\0';
  return c == '\n' || (c == EOF && size > 0);
}

bool
passwd_find (uid_t uid, Passwd *found)
{
  FILE *file = open_file ();
  char line[PASSWD_MAX_LINE];
  size_t left = MAX_SIZE;
  bool done = false;

  while (file && !done && read_line (file, line, &left))
    done = parse_line (line, uid, found);
  if (file)
    fclose (file);
  return done;
}
