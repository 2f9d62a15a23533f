/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-folder.h"

#include <asb.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asb-local-close.h"
#include "asb-local-diagnosis.h"
#include "asb-local-make.h"
#include "asb-tree-private.h"

#define ID_LENGTH 12
#define ID_ALPHABET "abcdefghijklmnopqrstuvwxyz234567"

/* Not found by their id: being made, and being removed. */
#define NEW_PREFIX ".new-"
#define OLD_PREFIX ".old-"

static void
fill_random (guint8 *bytes, gsize size)
{
  if (getrandom (bytes, size, 0) == (gssize)size)
    return;
  for (gsize i = 0; i < size; i++)
    bytes[i] = (guint8)g_random_int ();
}

static void
fill_from_key (guint8 *bytes, gsize size, const char *key, guint turn)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  guint8 digest[32];
  gsize length = sizeof digest;

  g_checksum_update (checksum, (const guint8 *)key, (gssize)strlen (key));
  g_checksum_update (checksum, (const guint8 *)&turn, sizeof turn);
  g_checksum_get_digest (checksum, digest, &length);
  memcpy (bytes, digest, size);
}

char *
asb_local_id_new (const char *key, guint turn)
{
  guint8 bytes[ID_LENGTH];
  char id[ID_LENGTH + 1] = "";

  if (key)
    fill_from_key (bytes, sizeof bytes, key, turn);
  else
    fill_random (bytes, sizeof bytes);
  for (gsize i = 0; i < ID_LENGTH; i++)
    id[i] = ID_ALPHABET[bytes[i] % 32];
  return g_strdup (id);
}

static gboolean
is_id (const char *id)
{
  return strlen (id) == ID_LENGTH && strspn (id, ID_ALPHABET) == ID_LENGTH;
}

static gboolean
check_root (int fd, const char *path, GError **error)
{
  struct stat status;

  if (fstat (fd, &status) != 0)
    asb_local_set_folder_error (error, path, errno);
  else if (status.st_uid != geteuid ())
    g_set_error (
        error, ASB_ERROR, ASB_ERROR_PROVIDER,
        "Could not use the folder “%s”, it belongs to user %u and not to user %u, who asks "
        "for it: set HOME, XDG_STATE_HOME, or state-dir and record-dir, to what is yours",
        path, status.st_uid, geteuid ());
  else if (status.st_mode & (S_IWGRP | S_IWOTH))
    g_set_error (
        error, ASB_ERROR, ASB_ERROR_PROVIDER,
        "Could not use the folder “%s”, others can write there: take one that is yours, or "
        "“chmod go-w” it",
        path);
  else
    return TRUE;
  return FALSE;
}

static gboolean
make_one (const char *path)
{
  int reason;

  if (asb_local_make_folder (AT_FDCWD, path, 0700))
    return TRUE;
  reason = errno;
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return TRUE;
  errno = reason == EEXIST ? ENOTDIR : reason;
  return FALSE;
}

/* With those it lies in. False with errno set. */
static gboolean
make_folders (const char *path)
{
  for (const char *end = strchr (path + 1, '/'); end; end = strchr (end + 1, '/'))
    {
      g_autofree char *parent = g_strndup (path, (gsize)(end - path));

      if (!make_one (parent))
        return FALSE;
    }
  return make_one (path);
}

int
asb_local_root_open (const char *path, gboolean make, GError **error)
{
  int fd = -1;

  if (!g_path_is_absolute (path))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER,
                   "Could not use the folder “%s”, no absolute path: set XDG_STATE_HOME or HOME, "
                   "or state-dir and record-dir",
                   path);
      return -1;
    }
  if (!make || make_folders (path))
    fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT && !make)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "There is no folder “%s”", path);
  else if (fd < 0)
    asb_local_set_folder_error (error, path, errno);
  else if (check_root (fd, path, error))
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

GPtrArray *
asb_local_root_list (const char *root, GError **error)
{
  g_autoptr (GPtrArray) ids = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) cause = NULL;
  g_autoptr (GDir) dir = g_dir_open (root, 0, &cause);
  const char *name;

  if (!dir && !g_error_matches (cause, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER, "Could not list the sandboxes: %s",
                   cause->message);
      return NULL;
    }
  while (dir && (name = g_dir_read_name (dir)))
    if (is_id (name))
      g_ptr_array_add (ids, g_strdup (name));
  return g_steal_pointer (&ids);
}

/* Whoever still makes or removes it holds its lock. The root is locked against those who have made
 * their folder and not locked it yet. */
static gboolean
lock_abandoned (int root_fd, int fd)
{
  gboolean locked;

  if (TEMP_FAILURE_RETRY (flock (root_fd, LOCK_EX)) != 0)
    return FALSE;
  locked = flock (fd, LOCK_EX | LOCK_NB) == 0;
  flock (root_fd, LOCK_UN);
  return locked;
}

static gboolean
remove_tree (int root_fd, const char *name, GError **error)
{
  const AsbTreeRemoval how = { .close_later = asb_local_close_later };

  return asb_tree_remove (root_fd, name, &how, error);
}

static gboolean
sweep_entry (int root_fd, const char *name)
{
  int fd = openat (root_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  gboolean removed;

  if (fd < 0)
    return FALSE;
  removed = lock_abandoned (root_fd, fd) && remove_tree (root_fd, name, NULL);
  close (fd);
  return removed;
}

guint
asb_local_root_sweep (const char *root)
{
  guint n_removed = 0;
  g_autoptr (GDir) dir = g_dir_open (root, 0, NULL);
  int root_fd = asb_local_root_open (root, FALSE, NULL);
  const char *name;

  while (dir && root_fd >= 0 && (name = g_dir_read_name (dir)))
    if (g_str_has_prefix (name, NEW_PREFIX) || g_str_has_prefix (name, OLD_PREFIX))
      n_removed += sweep_entry (root_fd, name) ? 1 : 0;
  if (root_fd >= 0)
    close (root_fd);
  return n_removed;
}

static AsbLocalFolder *
folder_alloc (const char *root, const char *id, int root_fd)
{
  AsbLocalFolder *self = g_new0 (AsbLocalFolder, 1);

  self->id = g_strdup (id);
  self->path = g_build_filename (root, id, NULL);
  self->root_fd = root_fd;
  self->fd = -1;
  return self;
}

void
asb_local_folder_free (AsbLocalFolder *self)
{
  g_free (self->id);
  g_free (self->path);
  g_free (self->staging);
  if (self->removed)
    asb_local_close_later (self->fd);
  else if (self->fd >= 0)
    close (self->fd);
  close (self->root_fd);
  g_free (self);
}

static gboolean
set_not_found (const char *id, GError **error)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_SANDBOX_NOT_FOUND, "There is no sandbox “%s”", id);
  return FALSE;
}

gboolean
asb_local_folder_exists (const char *root, const char *id)
{
  g_autofree char *path = g_build_filename (root, id, NULL);

  return is_id (id) && g_file_test (path, G_FILE_TEST_IS_DIR);
}

AsbLocalFolder *
asb_local_folder_open (const char *root, const char *id, GError **error)
{
  g_autoptr (AsbLocalFolder) self = NULL;
  g_autoptr (GError) cause = NULL;
  int root_fd = is_id (id) ? asb_local_root_open (root, FALSE, &cause) : -1;

  if (root_fd < 0)
    {
      if (cause && !g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
        g_propagate_error (error, g_steal_pointer (&cause));
      else
        set_not_found (id, error);
      return NULL;
    }
  self = folder_alloc (root, id, root_fd);
  self->fd = openat (root_fd, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (self->fd >= 0)
    return g_steal_pointer (&self);
  if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
    set_not_found (id, error);
  else
    asb_local_set_failure (error, errno, "open sandbox “%s”", id);
  return NULL;
}

static gboolean
is_current (AsbLocalFolder *self)
{
  struct stat mine, current;

  return fstat (self->fd, &mine) == 0
         && fstatat (self->root_fd, self->id, &current, AT_SYMLINK_NOFOLLOW) == 0
         && mine.st_ino == current.st_ino && mine.st_dev == current.st_dev;
}

gboolean
asb_local_folder_lock (AsbLocalFolder *self, GError **error)
{
  if (TEMP_FAILURE_RETRY (flock (self->fd, LOCK_EX)) != 0)
    {
      asb_local_set_failure (error, errno, "lock sandbox “%s”", self->id);
      return FALSE;
    }
  return is_current (self) || set_not_found (self->id, error);
}

gboolean
asb_local_folder_try_lock (AsbLocalFolder *self)
{
  return TEMP_FAILURE_RETRY (flock (self->fd, LOCK_EX | LOCK_NB)) == 0 && is_current (self);
}

static gboolean
make_locked (AsbLocalFolder *self)
{
  gboolean done;

  if (TEMP_FAILURE_RETRY (flock (self->root_fd, LOCK_SH)) != 0
      || !asb_local_make_folder (self->root_fd, self->staging, 0700))
    return FALSE;
  self->fd = openat (self->root_fd, self->staging, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  done = self->fd >= 0 && flock (self->fd, LOCK_EX | LOCK_NB) == 0;
  flock (self->root_fd, LOCK_UN);
  return done;
}

AsbLocalFolder *
asb_local_folder_new (const char *root, const char *id, GError **error)
{
  int root_fd = asb_local_root_open (root, TRUE, error);
  g_autoptr (AsbLocalFolder) self = NULL;
  g_autofree char *unique = asb_local_id_new (NULL, 0);

  if (root_fd < 0)
    return NULL;
  self = folder_alloc (root, id, root_fd);
  self->staging = g_strconcat (NEW_PREFIX, unique, NULL);
  if (make_locked (self))
    return g_steal_pointer (&self);
  asb_local_set_folder_error (error, root, errno);
  return NULL;
}

gboolean
asb_local_folder_publish (AsbLocalFolder *self, GError **error)
{
  if (renameat2 (self->root_fd, self->staging, self->root_fd, self->id, RENAME_NOREPLACE) == 0)
    {
      g_clear_pointer (&self->staging, g_free);
      return TRUE;
    }
  g_set_error (error, ASB_ERROR, errno == EEXIST ? ASB_ERROR_ALREADY_EXISTS : ASB_ERROR_PROVIDER,
               "Could not make the folder “%s”: %s", self->path, g_strerror (errno));
  return FALSE;
}

void
asb_local_folder_clear (AsbLocalFolder *self, const char *name)
{
  g_autoptr (GError) error = NULL;

  if (!remove_tree (self->fd, name, &error))
    g_debug ("“%s” of sandbox %s stays for now: %s", name, self->id, error->message);
}

static gboolean
remove_name (AsbLocalFolder *self, const char *name, GError **error)
{
  self->removed = remove_tree (self->root_fd, name, error);
  return self->removed;
}

gboolean
asb_local_folder_remove (AsbLocalFolder *self, GError **error)
{
  g_autofree char *old_name = g_strconcat (OLD_PREFIX, self->id, NULL);

  if (self->staging)
    return remove_name (self, self->staging, error);
  /* An older one of this id, half removed when its program died. */
  if (!remove_tree (self->root_fd, old_name, error))
    return FALSE;
  if (renameat (self->root_fd, self->id, self->root_fd, old_name) == 0)
    return remove_name (self, old_name, error);
  asb_local_set_failure (error, errno, "remove “%s”", self->path);
  return FALSE;
}
