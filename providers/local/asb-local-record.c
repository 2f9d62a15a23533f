/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"
#include "asb-local-inside.h"
#include "asb-local-make.h"
#include "asb-local-user.h"
#include "asb-local-write.h"

/* The database, its journal, and databases of other identities that were renamed aside. */
#define FILE_PREFIX "history."
#define COPY_SIZE (64 * 1024)

static gboolean
set_error (GError **error, const char *name)
{
  asb_local_set_failure (error, errno, "keep the record “%s”", name);
  return FALSE;
}

static int
open_folder (int parent)
{
  return openat (parent, ASB_LOCAL_FOLDER_HISTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static gboolean
copy_content (int from, int to)
{
  g_autofree char *buffer = g_malloc (COPY_SIZE);
  gssize size;

  while ((size = TEMP_FAILURE_RETRY (read (from, buffer, COPY_SIZE))) > 0)
    if (!asb_local_write_all (to, buffer, (gsize)size))
      return FALSE;
  return size == 0 && fsync (to) == 0;
}

/* For a record folder on another file system, or one without hard links. */
static gboolean
copy_file (int from_folder, int to_folder, const char *name)
{
  int from = openat (from_folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  int to = asb_local_make_file (to_folder, name, O_WRONLY | O_TRUNC);
  gboolean done
      = from >= 0 && to >= 0 && asb_local_user_give (to_folder, name) && copy_content (from, to);
  int reason = errno;

  if (from >= 0)
    close (from);
  if (to >= 0)
    close (to);
  errno = reason;
  return done;
}

/* The sandbox could write there: anything may stand under these names. */
static gboolean
is_record_file (int folder, const char *name)
{
  struct stat status;

  return g_str_has_prefix (name, FILE_PREFIX)
         && fstatat (folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG (status.st_mode);
}

/* Until the sandbox is removed its own file stays: nothing is lost when something fails halfway. */
static gboolean
keep_files (DIR *from, int to, GError **error)
{
  struct dirent *entry;

  while ((entry = readdir (from)))
    if (is_record_file (dirfd (from), entry->d_name)
        && linkat (dirfd (from), entry->d_name, to, entry->d_name, 0) != 0
        && !copy_file (dirfd (from), to, entry->d_name))
      return set_error (error, entry->d_name);
  return TRUE;
}

static gboolean
keep_history (AsbLocalFolder *folder, AsbLocalFolder *record, GError **error)
{
  int from_fd = open_folder (folder->fd);
  DIR *from = from_fd >= 0 ? fdopendir (from_fd) : NULL;
  int to = open_folder (record->fd);
  gboolean done = from && to >= 0 ? keep_files (from, to, error) : set_error (error, folder->id);

  if (to >= 0)
    close (to);
  if (from)
    closedir (from);
  return done;
}

static gboolean
make_history (AsbLocalFolder *record, GError **error)
{
  return (asb_local_make_folder (record->fd, ASB_LOCAL_FOLDER_HISTORY, 0700)
          && asb_local_user_give (record->fd, ASB_LOCAL_FOLDER_HISTORY))
         || set_error (error, record->id);
}

gboolean
asb_local_record_prepare (AsbLocalFolder *folder, const char *records, AsbLocalFolder **record,
                          GError **error)
{
  g_autoptr (AsbLocalMetadata) metadata = NULL;
  g_autoptr (AsbLocalFolder) made = NULL;

  *record = NULL;
  /* A deletion that its program did not survive has kept it already. */
  if (asb_local_folder_exists (records, folder->id))
    return TRUE;
  metadata = asb_local_metadata_load (folder->fd, folder->path, error);
  made = metadata ? asb_local_folder_new (records, folder->id, error) : NULL;
  if (!made)
    return FALSE;
  metadata->deleted_at = g_get_real_time ();
  metadata->expired = asb_local_expiry_get_left (&metadata->expiry) <= 0;
  if (asb_local_metadata_save (metadata, made->fd, made->path, error) && make_history (made, error))
    {
      *record = g_steal_pointer (&made);
      return TRUE;
    }
  asb_local_folder_remove (made, NULL);
  return FALSE;
}

gboolean
asb_local_record_keep (AsbLocalFolder *folder, AsbLocalFolder *record, GError **error)
{
  return keep_history (folder, record, error) && asb_local_folder_publish (record, error);
}
