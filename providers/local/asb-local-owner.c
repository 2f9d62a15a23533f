/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-owner.h"

#include <asb.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"
#include "asb-local-make.h"

#define FILE_NAME "owner"

static GMutex mutex;

/* Path of a folder → memory with the descriptor of its file, −1: forgotten; under the mutex. */
static GHashTable *held;

static void
close_and_free (gpointer data)
{
  int *fd = data;

  if (*fd >= 0)
    close (*fd);
  g_free (fd);
}

static void
before_fork (void)
{
  g_mutex_lock (&mutex);
}

static void
after_fork (void)
{
  g_mutex_unlock (&mutex);
}

/* A child that does not execute anything would hold the locks when its parent has ended. It may
 * free nothing, as another thread may have been at it. */
static void
forget_in_child (void)
{
  GHashTableIter iter;
  gpointer data;

  if (held)
    {
      g_hash_table_iter_init (&iter, held);
      while (g_hash_table_iter_next (&iter, NULL, &data))
        {
          int *fd = data;

          if (*fd >= 0)
            close (*fd);
          *fd = -1;
        }
    }
  g_mutex_unlock (&mutex);
}

static GHashTable *
get_held (void)
{
  if (!held)
    {
      held = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, close_and_free);
      pthread_atfork (before_fork, after_fork, forget_in_child);
    }
  return held;
}

static gboolean
is_held (const char *path)
{
  const int *fd = g_hash_table_lookup (get_held (), path);

  return fd && *fd >= 0;
}

gboolean
asb_local_owner_hold (AsbLocalFolder *folder, GError **error)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  int fd;

  if (is_held (folder->path))
    return TRUE;
  fd = asb_local_make_file (folder->fd, FILE_NAME, O_RDWR);
  if (fd < 0)
    {
      asb_local_set_failure (error, errno, "make “%s/%s”", folder->path, FILE_NAME);
      return FALSE;
    }
  /* If another program owns it, it does so as long as it lives. */
  if (fcntl (fd, F_OFD_SETLK, &lock) == 0)
    g_hash_table_insert (held, g_strdup (folder->path), g_memdup2 (&fd, sizeof fd));
  else
    close (fd);
  return TRUE;
}

gboolean
asb_local_owner_lives (AsbLocalFolder *folder)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  int fd = openat (folder->fd, FILE_NAME, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  gboolean lives = fd >= 0 && fcntl (fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;

  if (fd >= 0)
    close (fd);
  return lives;
}

void
asb_local_owner_forget (AsbLocalFolder *folder)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);

  if (held)
    g_hash_table_remove (held, folder->path);
}
