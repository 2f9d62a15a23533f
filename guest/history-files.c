/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-files.h"

#include "history-memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DATABASE_NAME "history.sqlite3"
#define MODE_OF_OTHERS ((mode_t)(S_IRWXG | S_IRWXO))
#define MAX_ASIDE_ATTEMPTS 100

/* Behind all bytes that SQLite locks. */
#define PROBE_OFFSET 0x7ffffff0

static const char *const SUFFIXES[HISTORY_N_FILES] = { "", "-wal", "-shm", "-journal" };

static char *
join (const char *a, const char *b, const char *c)
{
  size_t size = strlen (a) + strlen (b) + strlen (c) + 1;
  char *path = history_allocate (size, 1);

  snprintf (path, size, "%s%s%s", a, b, c);
  return path;
}

static char *
cut_trailing_slashes (const char *path)
{
  char *copy = history_copy (path);
  size_t length = strlen (copy);

  while (length > 1 && copy[length - 1] == '/')
    copy[--length] = '\0';
  return copy;
}

static char *
resolve_parent (const char *directory)
{
  char *path = cut_trailing_slashes (directory);
  char *slash = strrchr (path, '/');
  char *parent;
  char *resolved = NULL;

  if (slash && slash != path)
    {
      *slash = '\0';
      parent = realpath (path, NULL);
      if (parent)
        resolved = join (strcmp (parent, "/") == 0 ? "" : parent, "/", slash + 1);
      free (parent);
      *slash = '/';
    }
  if (!resolved)
    return path;
  free (path);
  return resolved;
}

void
history_files_init (HistoryFiles *files, const char *directory)
{
  *files = (HistoryFiles){ .directory = resolve_parent (directory) };
  for (int i = 0; i < HISTORY_N_FILES; i++)
    files->paths[i] = join (files->directory, "/" DATABASE_NAME, SUFFIXES[i]);
}

void
history_files_clear (HistoryFiles *files)
{
  free (files->directory);
  for (int i = 0; i < HISTORY_N_FILES; i++)
    free (files->paths[i]);
}

/* A name that nothing has yet: the time says when the file was put aside. */
static char *
aside_path (const char *path)
{
  char stamp[48];
  struct timespec now;
  struct tm parts;

  clock_gettime (CLOCK_REALTIME, &now);
  gmtime_r (&now.tv_sec, &parts);
  strftime (stamp, sizeof stamp, ".aside-%Y%m%dT%H%M%SZ", &parts);
  for (int i = 0; i < MAX_ASIDE_ATTEMPTS; i++)
    {
      struct stat info;
      char number[16] = "";
      char *candidate;

      if (i > 0)
        snprintf (number, sizeof number, "-%d", i);
      candidate = join (path, stamp, number);
      if (lstat (candidate, &info) < 0 && errno == ENOENT)
        return candidate;
      free (candidate);
    }
  return NULL;
}

static bool
move_aside_failed (const char *path, HistoryError *error)
{
  return history_error_set (error, HISTORY_DATABASE_ERROR, "Could not rename “%s”: %s", path,
                            strerror (errno));
}

static bool
move_directory_aside (const HistoryFiles *files, char **moved, HistoryError *error)
{
  *moved = aside_path (files->directory);
  if (*moved && rename (files->directory, *moved) == 0)
    return true;
  free (*moved);
  *moved = NULL;
  return move_aside_failed (files->directory, error);
}

static bool
make_directory (const HistoryFiles *files, HistoryError *error)
{
  if (mkdir (files->directory, 0700) == 0 || errno == EEXIST)
    return true;
  return history_error_set (
      error, errno == ENOSPC ? HISTORY_STORAGE_EXHAUSTED : HISTORY_DATABASE_ERROR,
      "Could not make the folder “%s”: %s", files->directory, strerror (errno));
}

/* Gives @path, if it is this user's, the mode it has with @needed and without what others may do.
 * Whatever it is by now, no link is followed to it. */
static bool
set_own_mode (const char *path, mode_t needed)
{
  int fd = open (path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  char link[32];
  struct stat info;
  bool done;

  if (fd < 0)
    return false;
  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  done = fstat (fd, &info) == 0 && (S_ISDIR (info.st_mode) || S_ISREG (info.st_mode))
         && info.st_uid == geteuid () && (info.st_mode & (needed | MODE_OF_OTHERS)) != needed
         && chmod (link, (info.st_mode & 07777 & ~MODE_OF_OTHERS) | needed) == 0;
  close (fd);
  return done;
}

static HistoryFileMark
mark_of (const struct stat *info)
{
  return (HistoryFileMark){ true, info->st_dev, info->st_ino };
}

static bool
is_closed (const char *path, int wanted)
{
  return faccessat (AT_FDCWD, path, wanted, AT_EACCESS) != 0 && errno == EACCES;
}

/* Asked of each file before each commit: nearly always the mode of what is @user's says it. */
static bool
open_up (const char *path, uid_t user, mode_t needed, HistoryFileMark *mark)
{
  struct stat info;
  bool is_there = lstat (path, &info) == 0;
  int wanted = needed == S_IRWXU ? R_OK | W_OK | X_OK : R_OK | W_OK;

  *mark = is_there ? mark_of (&info) : (HistoryFileMark){ 0 };
  if (is_there ? info.st_uid == user && (info.st_mode & needed) == needed : errno == ENOENT)
    return false;
  return is_closed (path, wanted) && set_own_mode (path, needed);
}

static bool
marks_differ (HistoryFileMark a, HistoryFileMark b)
{
  return a.present != b.present || a.device != b.device || a.inode != b.inode;
}

static HistoryFilesChange
compare (const HistoryFiles *files, const HistoryFileMark *now)
{
  if (!now[HISTORY_FILE_DATABASE].present)
    return HISTORY_FILES_DATABASE_MISSING;
  if (marks_differ (now[HISTORY_FILE_DATABASE], files->marks[HISTORY_FILE_DATABASE]))
    return HISTORY_FILES_DATABASE_REPLACED;
  for (int i = HISTORY_FILE_WAL; i <= HISTORY_FILE_SHARED_MEMORY; i++)
    if (files->marks[i].present && marks_differ (now[i], files->marks[i]))
      return HISTORY_FILES_JOURNAL_CHANGED;
  return HISTORY_FILES_SAME;
}

bool
history_files_open_up (const HistoryFiles *files, bool has_log, HistoryFilesChange *change)
{
  HistoryFileMark now[HISTORY_N_FILES] = { 0 };
  HistoryFileMark folder;
  uid_t user = geteuid ();
  bool changed = open_up (files->directory, user, S_IRWXU, &folder);

  for (int i = 0; i < (has_log ? HISTORY_FILE_JOURNAL : HISTORY_N_FILES); i++)
    if (open_up (files->paths[i], user, S_IRUSR | S_IWUSR, &now[i]))
      changed = true;
  *change = compare (files, now);
  return changed;
}

static bool
check_writable (const HistoryFiles *files, HistoryError *error)
{
  if (faccessat (AT_FDCWD, files->directory, W_OK | X_OK, AT_EACCESS) == 0)
    return true;
  return history_error_set (error, HISTORY_DATABASE_ERROR,
                            "The folder “%s” cannot be written to by user %u: %s", files->directory,
                            (unsigned)geteuid (), strerror (errno));
}

bool
history_files_prepare_directory (HistoryFiles *files, bool make, char **moved, HistoryError *error)
{
  struct stat info;
  bool present = lstat (files->directory, &info) == 0;

  *moved = NULL;
  if (!present && errno != ENOENT)
    return history_error_set (error, HISTORY_UNAVAILABLE, "Could not examine the folder “%s”: %s",
                              files->directory, strerror (errno));
  if (present && !S_ISDIR (info.st_mode) && make && files->directory_was_seen)
    {
      if (!move_directory_aside (files, moved, error))
        return false;
      present = false;
    }
  if (present && !S_ISDIR (info.st_mode))
    return history_error_set (error, HISTORY_UNAVAILABLE,
                              "“%s” is not a folder, or a link to one, which is not followed",
                              files->directory);
  if (!present && !make)
    return history_error_set (error, HISTORY_UNAVAILABLE, "There is no folder “%s”",
                              files->directory);
  /* Images and servers make folders that everybody may look into. */
  if (present && make)
    set_own_mode (files->directory, info.st_mode & S_IRWXU);
  files->directory_was_seen = present || make_directory (files, error);
  return files->directory_was_seen && check_writable (files, error);
}

bool
history_files_database_exists (const HistoryFiles *files)
{
  struct stat info;

  return lstat (files->paths[HISTORY_FILE_DATABASE], &info) == 0;
}

bool
history_files_database_is_empty (const HistoryFiles *files)
{
  struct stat info;

  return lstat (files->paths[HISTORY_FILE_DATABASE], &info) == 0 && info.st_size == 0;
}

/* On some mounts all files have the owner of the mount: that of the folder. */
static bool
owner_is_expected (const HistoryFiles *files, const struct stat *info)
{
  struct stat folder;

  return info->st_uid == geteuid ()
         || (lstat (files->directory, &folder) == 0 && info->st_uid == folder.st_uid);
}

static const char *
find_fault (const HistoryFiles *files, const struct stat *info)
{
  if (S_ISLNK (info->st_mode))
    return "is a symbolic link";
  if (!S_ISREG (info->st_mode))
    return "is not a regular file";
  if (info->st_nlink > 1)
    return "has another name too";
  if (!owner_is_expected (files, info))
    return "belongs to another user";
  return NULL;
}

/* SQLite would take a very short file for an empty database. */
static bool
has_database_header (const HistoryFiles *files)
{
  static const char HEADER[16] = "SQLite format 3";
  int fd
      = open (files->paths[HISTORY_FILE_DATABASE], O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  char start[sizeof HEADER];
  ssize_t n;

  if (fd < 0)
    return true;
  n = read (fd, start, sizeof start);
  close (fd);
  return n <= 0 || (n == sizeof start && memcmp (start, HEADER, sizeof start) == 0);
}

bool
history_files_are_sound (const HistoryFiles *files, const char **fault)
{
  bool has_database = history_files_database_exists (files);

  *fault = NULL;
  for (int i = 0; i < HISTORY_N_FILES && !*fault; i++)
    {
      struct stat info;

      if (lstat (files->paths[i], &info) < 0)
        continue;
      *fault = has_database ? find_fault (files, &info) : "was left by a database that is gone";
    }
  if (!*fault && !has_database_header (files))
    *fault = "is no database";
  return !*fault;
}

bool
history_files_make_database (const HistoryFiles *files, HistoryError *error)
{
  const char *path = files->paths[HISTORY_FILE_DATABASE];
  int fd = open (path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

  if (fd < 0)
    return history_error_set (error,
                              errno == ENOSPC || errno == EDQUOT ? HISTORY_STORAGE_EXHAUSTED
                                                                 : HISTORY_DATABASE_ERROR,
                              "Could not make “%s”: %s", path, strerror (errno));
  close (fd);
  return true;
}

bool
history_files_can_lock (const HistoryFiles *files)
{
  struct flock lock
      = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = PROBE_OFFSET, .l_len = 1 };
  int fd = open (files->paths[HISTORY_FILE_DATABASE], O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  bool works;

  if (fd < 0)
    return true;
  works = fcntl (fd, F_SETLK, &lock) == 0 || errno == EAGAIN || errno == EACCES;
  close (fd);
  return works;
}

/* The write-ahead log goes before its database: left alone, it would be taken for that of the next
 * one. */
bool
history_files_move_aside (const HistoryFiles *files, char **moved, HistoryError *error)
{
  *moved = aside_path (files->paths[HISTORY_FILE_DATABASE]);
  for (int i = HISTORY_N_FILES - 1; *moved && i >= 0; i--)
    {
      char *target = join (*moved, SUFFIXES[i], "");
      bool done = rename (files->paths[i], target) == 0 || errno == ENOENT;

      free (target);
      if (done)
        continue;
      move_aside_failed (files->paths[i], error);
      free (*moved);
      *moved = NULL;
      return false;
    }
  return *moved ? true : move_aside_failed (files->paths[HISTORY_FILE_DATABASE], error);
}

static HistoryFileMark
look_at (const char *path)
{
  struct stat info;

  return lstat (path, &info) < 0 ? (HistoryFileMark){ 0 } : mark_of (&info);
}

void
history_files_mark (HistoryFiles *files)
{
  for (int i = 0; i < HISTORY_N_FILES; i++)
    files->marks[i] = look_at (files->paths[i]);
}

HistoryFilesChange
history_files_compare (const HistoryFiles *files)
{
  HistoryFileMark now[HISTORY_N_FILES];

  for (int i = 0; i < HISTORY_N_FILES; i++)
    now[i] = look_at (files->paths[i]);
  return compare (files, now);
}
