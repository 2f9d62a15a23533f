/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-guest-program-private.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "asb-error.h"

/* Which file it was, and whether it is still the same. */
typedef struct
{
  dev_t device;
  ino_t inode;
  off_t size;
  struct timespec modified;
  struct timespec changed;
} Identity;

static GMutex mutex;
static Identity loaded_from;
static GBytes *loaded;
static char *loaded_hash;

static char *
find_program (void)
{
  const char *environment = getauxval (AT_SECURE) ? NULL : g_getenv ("ASB_GUEST_PATH");

  if (environment)
    return g_strdup (environment);
  return g_build_filename (ASB_GUEST_DIR, ASB_GUEST_ARCH, "asb-guest", NULL);
}

static void
set_identity (Identity *identity, const struct stat *status)
{
  /* Its padding is compared, too. */
  memset (identity, 0, sizeof *identity);
  identity->device = status->st_dev;
  identity->inode = status->st_ino;
  identity->size = status->st_size;
  identity->modified = status->st_mtim;
  identity->changed = status->st_ctim;
}

static int
open_program (Identity *identity, GError **error)
{
  g_autofree char *name = find_program ();
  int fd = g_open (name, O_RDONLY | O_CLOEXEC, 0);
  struct stat status;

  if (fd >= 0 && fstat (fd, &status) == 0 && S_ISREG (status.st_mode))
    {
      set_identity (identity, &status);
      return fd;
    }
  g_set_error (error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE,
               "Could not read the guest program “%s”: %s; install it, or set ASB_GUEST_PATH", name,
               fd < 0 ? g_strerror (errno) : "It is no file");
  if (fd >= 0)
    g_close (fd, NULL);
  return -1;
}

/* With the mutex. */
static gboolean
read_program (int fd, const Identity *identity, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (GMappedFile) file = g_mapped_file_new_from_fd (fd, FALSE, &local);

  if (!file)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE,
                   "Could not read the guest program: %s", local->message);
      return FALSE;
    }
  g_clear_pointer (&loaded, g_bytes_unref);
  g_free (loaded_hash);
  loaded = g_mapped_file_get_bytes (file);
  loaded_hash = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, loaded);
  loaded_from = *identity;
  return TRUE;
}

gboolean
asb_guest_program_load (GBytes **program, char **hash, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  Identity identity;
  int fd = open_program (&identity, error);
  gboolean done;

  if (fd < 0)
    return FALSE;
  done = (loaded && memcmp (&identity, &loaded_from, sizeof identity) == 0)
         || read_program (fd, &identity, error);
  g_close (fd, NULL);
  if (!done)
    return FALSE;
  *program = g_bytes_ref (loaded);
  *hash = g_strdup (loaded_hash);
  return TRUE;
}

static void
prepare_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  g_autoptr (GBytes) program = NULL;
  g_autofree char *hash = NULL;

  /* Whoever asks for it will hear why not. */
  g_task_return_boolean (task, asb_guest_program_load (&program, &hash, NULL));
}

/* Nobody waits here: where the mutex is held, somebody reads it. */
static gboolean
is_in_hand (void)
{
  gboolean is_loaded;

  if (!g_mutex_trylock (&mutex))
    return TRUE;
  is_loaded = loaded != NULL;
  g_mutex_unlock (&mutex);
  return is_loaded;
}

void
asb_guest_program_prepare (void)
{
  g_autoptr (GTask) task = NULL;

  if (is_in_hand ())
    return;
  task = g_task_new (NULL, NULL, NULL, NULL);
  g_task_set_source_tag (task, asb_guest_program_prepare);
  g_task_run_in_thread (task, prepare_in_thread);
}
