/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX "-export"
#define PAGES_AT_ONCE 64
#define BYTES_AT_ONCE (64 * 1024)

/* What others write makes it begin again; after that many times the size it is done at once. */
#define MAX_ROUNDS 4

/* Where the header of a database says that it has a write-ahead log, which the copy has not. */
#define FORMAT_OFFSET 18
#define FORMAT_SIZE 2
#define FORMAT_WITHOUT_LOG 1

struct HistoryExport
{
  HistoryStore *store;
  sqlite3 *target;
  sqlite3_file *file;
  int64_t n_copied;
  int64_t offset;
  int64_t size;
};

static bool
fail (const HistoryExport *self, int code, HistoryError *error)
{
  const char *kind
      = (code & 0xff) == SQLITE_FULL ? HISTORY_STORAGE_EXHAUSTED : HISTORY_DATABASE_ERROR;

  return history_error_set (error, kind, "The record could not be copied: %s",
                            sqlite3_errstr (code));
}

/* Its name is only needed to make it: nothing is left of it, whatever happens. */
static int
open_target (HistoryExport *self)
{
  char path[4096];
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW
              | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
  int length
      = snprintf (path, sizeof path, "%s" SUFFIX, self->store->files.paths[HISTORY_FILE_DATABASE]);
  int code;

  if (length >= (int)sizeof path)
    return SQLITE_CANTOPEN;
  unlink (path);
  code = sqlite3_open_v2 (path, &self->target, flags, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_exec (self->target,
                         "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-512;"
                         "PRAGMA mmap_size=0",
                         NULL, NULL, NULL);
  unlink (path);
  return code;
}

HistoryExport *
history_export_new (HistoryStore *store, HistoryError *error)
{
  HistoryDatabase *database = &store->database;
  HistoryExport *self;
  int code;

  if (database->copying)
    {
      history_error_set (error, HISTORY_TOO_MANY_REQUESTS, "The record is being exported already");
      return NULL;
    }
  self = history_allocate (1, sizeof *self);
  self->store = store;
  code = open_target (self);
  if (code == SQLITE_OK)
    database->copying = sqlite3_backup_init (self->target, "main", database->handle, "main");
  if (database->copying)
    return self;
  fail (self, code == SQLITE_OK ? sqlite3_extended_errcode (self->target) : code, error);
  history_export_free (self);
  return NULL;
}

void
history_export_free (HistoryExport *self)
{
  HistoryDatabase *database = &self->store->database;

  if (!self->file && database->copying)
    {
      sqlite3_backup_finish (database->copying);
      database->copying = NULL;
    }
  sqlite3_close (self->target);
  free (self);
}

bool
history_export_is_copied (const HistoryExport *self)
{
  return self->file != NULL;
}

static bool
finish_copy (HistoryExport *self, HistoryError *error)
{
  HistoryDatabase *database = &self->store->database;
  int code = sqlite3_backup_finish (database->copying);
  sqlite3_int64 size = 0;

  database->copying = NULL;
  if (code == SQLITE_OK)
    code = sqlite3_file_control (self->target, "main", SQLITE_FCNTL_FILE_POINTER, &self->file);
  if (code == SQLITE_OK)
    code = self->file->pMethods->xFileSize (self->file, &size);
  self->size = size;
  return code == SQLITE_OK || fail (self, code, error);
}

bool
history_export_copy (HistoryExport *self, HistoryError *error)
{
  sqlite3_backup *copying = self->store->database.copying;
  int64_t most = (int64_t)MAX_ROUNDS * (copying ? sqlite3_backup_pagecount (copying) : 0);
  int code;

  if (!copying)
    return history_error_set (error, HISTORY_UNAVAILABLE,
                              "The record was closed while it was copied");
  code = sqlite3_backup_step (copying, self->n_copied > most + PAGES_AT_ONCE ? -1 : PAGES_AT_ONCE);
  self->n_copied += PAGES_AT_ONCE;
  if (code == SQLITE_DONE)
    return finish_copy (self, error);
  return code == SQLITE_OK || fail (self, code, error);
}

bool
history_export_read (HistoryExport *self, HistoryBuffer *buffer, HistoryError *error)
{
  int64_t left = self->size - self->offset;
  int size = (int)(left < BYTES_AT_ONCE ? left : BYTES_AT_ONCE);
  char *bytes;
  int code;

  if (size == 0)
    return true;
  bytes = history_buffer_reserve (buffer, (size_t)size);
  code = self->file->pMethods->xRead (self->file, bytes, size, self->offset);
  if (code != SQLITE_OK)
    return fail (self, code, error);
  if (self->offset == 0)
    memset (bytes + FORMAT_OFFSET, FORMAT_WITHOUT_LOG, FORMAT_SIZE);
  history_buffer_extend (buffer, (size_t)size);
  self->offset += size;
  return true;
}
