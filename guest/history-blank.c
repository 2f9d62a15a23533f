/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-blank.h"

#include "history-database.h"
#include "history-schema.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Where the file format has the versions that may write and read a database, and the one of those
 * with a write-ahead log. */
#define WRITE_VERSION_OFFSET 18
#define READ_VERSION_OFFSET 19
#define VERSION_WITH_LOG 2

static void
take_bytes (HistoryBlank *blank, HistoryDatabase *database)
{
  sqlite3_int64 length = 0;

  blank->bytes = sqlite3_serialize (database->handle, "main", &length, 0);
  blank->length = blank->bytes ? (size_t)length : 0;
  if (blank->length <= READ_VERSION_OFFSET)
    {
      history_blank_clear (blank);
      return;
    }
  blank->bytes[WRITE_VERSION_OFFSET] = VERSION_WITH_LOG;
  blank->bytes[READ_VERSION_OFFSET] = VERSION_WITH_LOG;
}

void
history_blank_make (HistoryBlank *blank)
{
  HistoryDatabase database;
  HistoryError ignored;

  *blank = (HistoryBlank){ 0 };
  if (!history_database_connect (&database, ":memory:", NULL, &ignored))
    return;
  if (history_database_begin (&database, &ignored) && history_schema_create (&database, &ignored)
      && history_database_commit (&database, &ignored))
    take_bytes (blank, &database);
  history_database_disconnect (&database, false);
}

static bool
write_bytes (const HistoryBlank *blank, int fd)
{
  size_t done = 0;

  while (done < blank->length)
    {
      ssize_t n = write (fd, blank->bytes + done, blank->length - done);

      if (n < 0 && errno != EINTR)
        return false;
      done += n > 0 ? (size_t)n : 0;
    }
  return true;
}

/* A file without a name: what comes in between leaves nothing behind. */
static int
open_nameless (const char *path)
{
  char folder[PATH_MAX];

  if ((size_t)snprintf (folder, sizeof folder, "%s", path) >= sizeof folder)
    return -1;
  return open (dirname (folder), O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
}

static bool
name_file (int fd, const char *path)
{
  char nameless[sizeof "/proc/self/fd/" + 3 * sizeof fd];

  snprintf (nameless, sizeof nameless, "/proc/self/fd/%d", fd);
  return linkat (AT_FDCWD, nameless, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

bool
history_blank_place (const HistoryBlank *blank, const char *path)
{
  int fd = blank->bytes ? open_nameless (path) : -1;
  bool done;

  if (fd < 0)
    return false;
  done = write_bytes (blank, fd) && name_file (fd, path);
  close (fd);
  return done;
}

void
history_blank_clear (HistoryBlank *blank)
{
  sqlite3_free (blank->bytes);
  *blank = (HistoryBlank){ 0 };
}
