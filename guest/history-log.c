/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-log.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>

#define NAME "asb-log"
#define LOG_HEADER_SIZE 32
#define FRAME_HEADER_SIZE 24
#define MAX_HELD (128 * 1024)

/* What SQLite appends is held back until the frame that commits is complete, and then written as a
 * whole before SQLite is told that the frame was. Nobody looks at a frame before its commit stands
 * in the index of the log, which comes later. Whatever else is done to the file comes after what is
 * held, and nothing is held that is not appended: frames SQLite changes again it has appended
 * before. */
typedef struct
{
  sqlite3_file file;
  sqlite3_file *real;
  unsigned char *held;
  int n_held;

  /* Where the log ends, with what is held; never too low for what we appended. */
  sqlite3_int64 end;
  bool page_commits;

  /* Why and from where on there is nothing of what SQLite was told is written: its transaction can
   * only be rolled back. */
  int loss;
  sqlite3_int64 lost_from;
} LogFile;

static int
flush (LogFile *self)
{
  int n = self->n_held;

  self->n_held = 0;
  if (n == 0 || self->loss != SQLITE_OK)
    return self->loss;
  self->lost_from = self->end - n;
  self->loss = self->real->pMethods->xWrite (self->real, self->held, n, self->lost_from);
  return self->loss;
}

static int
log_close (sqlite3_file *file)
{
  LogFile *self = (LogFile *)file;
  int code = self->real->pMethods->xClose (self->real);

  /* What is held is of no transaction that was committed. */
  sqlite3_free (self->held);
  return code;
}

static int
log_read (sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset)
{
  LogFile *self = (LogFile *)file;
  int code = flush (self);

  if (code == SQLITE_OK || offset + size <= self->lost_from)
    return self->real->pMethods->xRead (self->real, bytes, size, offset);
  return code;
}

static int
write_now (LogFile *self, const void *bytes, int size, sqlite3_int64 offset)
{
  int code = flush (self);

  if (code == SQLITE_OK)
    code = self->real->pMethods->xWrite (self->real, bytes, size, offset);
  if (offset == 0 && size == LOG_HEADER_SIZE)
    self->end = size;
  else if (code == SQLITE_OK && offset + size > self->end)
    self->end = offset + size;
  return code;
}

static void
hold (LogFile *self, const void *bytes, int size)
{
  memcpy (self->held + self->n_held, bytes, (size_t)size);
  self->n_held += size;
  self->end += size;
}

/* A frame says in its header how large the database is after its commit, if it is the last. */
static bool
frame_commits (const unsigned char *header)
{
  return header[4] || header[5] || header[6] || header[7];
}

static int
log_write (sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
  LogFile *self = (LogFile *)file;
  bool is_header = size == FRAME_HEADER_SIZE;
  bool follows = offset == self->end && offset >= LOG_HEADER_SIZE;
  int code = SQLITE_OK;

  /* It begins again with what was lost, or before. */
  if (self->loss != SQLITE_OK && offset <= self->lost_from)
    self->loss = SQLITE_OK;
  if (self->loss != SQLITE_OK)
    return self->loss;
  if (!follows || (!is_header && self->n_held == 0) || size > MAX_HELD)
    return write_now (self, bytes, size, offset);
  if (self->n_held + size > MAX_HELD)
    code = flush (self);
  if (code != SQLITE_OK)
    return code;
  hold (self, bytes, size);
  if (is_header)
    self->page_commits = frame_commits (bytes);
  return !is_header && self->page_commits ? flush (self) : SQLITE_OK;
}

static int
log_truncate (sqlite3_file *file, sqlite3_int64 size)
{
  LogFile *self = (LogFile *)file;
  int code = flush (self);

  if (code == SQLITE_OK)
    code = self->real->pMethods->xTruncate (self->real, size);
  return code;
}

static int
log_sync (sqlite3_file *file, int flags)
{
  LogFile *self = (LogFile *)file;
  int code = flush (self);

  return code == SQLITE_OK ? self->real->pMethods->xSync (self->real, flags) : code;
}

static int
log_size (sqlite3_file *file, sqlite3_int64 *size)
{
  LogFile *self = (LogFile *)file;
  int code = flush (self);

  return code == SQLITE_OK ? self->real->pMethods->xFileSize (self->real, size) : code;
}

static int
log_lock (sqlite3_file *file, int lock)
{
  LogFile *self = (LogFile *)file;

  return self->real->pMethods->xLock (self->real, lock);
}

static int
log_unlock (sqlite3_file *file, int lock)
{
  LogFile *self = (LogFile *)file;

  return self->real->pMethods->xUnlock (self->real, lock);
}

static int
log_check_reserved_lock (sqlite3_file *file, int *is_reserved)
{
  LogFile *self = (LogFile *)file;

  return self->real->pMethods->xCheckReservedLock (self->real, is_reserved);
}

static int
log_control (sqlite3_file *file, int operation, void *argument)
{
  LogFile *self = (LogFile *)file;

  return self->real->pMethods->xFileControl (self->real, operation, argument);
}

static int
log_sector_size (sqlite3_file *file)
{
  LogFile *self = (LogFile *)file;

  return self->real->pMethods->xSectorSize (self->real);
}

static int
log_characteristics (sqlite3_file *file)
{
  LogFile *self = (LogFile *)file;

  return self->real->pMethods->xDeviceCharacteristics (self->real);
}

static const sqlite3_io_methods METHODS = {
  .iVersion = 1,
  .xClose = log_close,
  .xRead = log_read,
  .xWrite = log_write,
  .xTruncate = log_truncate,
  .xSync = log_sync,
  .xFileSize = log_size,
  .xLock = log_lock,
  .xUnlock = log_unlock,
  .xCheckReservedLock = log_check_reserved_lock,
  .xFileControl = log_control,
  .xSectorSize = log_sector_size,
  .xDeviceCharacteristics = log_characteristics,
};

static int
open_file (sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
  sqlite3_vfs *base = sqlite3_vfs_find (NULL);
  LogFile *self = (LogFile *)file;
  int code;

  file->pMethods = NULL;
  if (!(flags & SQLITE_OPEN_WAL))
    return base->xOpen (base, name, file, flags, out_flags);
  *self = (LogFile){ .real = (sqlite3_file *)(self + 1), .held = sqlite3_malloc (MAX_HELD) };
  if (!self->held)
    return SQLITE_NOMEM;
  self->real->pMethods = NULL;
  code = base->xOpen (base, name, self->real, flags, out_flags);
  if (code == SQLITE_OK)
    {
      self->file.pMethods = &METHODS;
      return SQLITE_OK;
    }
  sqlite3_free (self->held);
  return code;
}

const char *
history_log_register (void)
{
  static sqlite3_vfs vfs;
  sqlite3_vfs *base = sqlite3_vfs_find (NULL);

  if (!base)
    return NULL;
  if (!vfs.zName)
    {
      vfs = *base;
      vfs.zName = NAME;
      vfs.pNext = NULL;
      vfs.szOsFile += (int)sizeof (LogFile);
      vfs.xOpen = open_file;
    }
  return sqlite3_vfs_register (&vfs, 0) == SQLITE_OK ? NAME : NULL;
}

void
history_log_begin (sqlite3 *handle)
{
  sqlite3_file *log = NULL;

  sqlite3_file_control (handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (log && log->pMethods == &METHODS)
    ((LogFile *)log)->loss = SQLITE_OK;
}
