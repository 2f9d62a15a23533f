/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-liveness.h"

#include <asb.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"

static GMutex mutex;

static gboolean
make_pipe (int ends[2], GError **error)
{
  if (pipe2 (ends, O_CLOEXEC) == 0)
    return TRUE;
  asb_local_set_failure (error, errno, "make a pipe");
  return FALSE;
}

static int
duplicate (int fd, GError **error)
{
  int copy = fcntl (fd, F_DUPFD_CLOEXEC, 3);

  if (copy < 0)
    asb_local_set_failure (error, errno, "duplicate a descriptor");
  return copy;
}

static int process_ends[2] = { -1, -1 };

/* A forked child that does not execute anything would keep its parent's sandboxes alive. Runs in
 * that child: no locks. */
static void
forget_in_child (void)
{
  for (int i = 0; i < 2; i++)
    if (process_ends[i] >= 0)
      {
        close (process_ends[i]);
        process_ends[i] = -1;
      }
}

int
asb_local_liveness_of_process (GError **error)
{
  static gsize registered;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);

  if (g_once_init_enter (&registered))
    g_once_init_leave (&registered, pthread_atfork (NULL, NULL, forget_in_child) == 0 ? 1 : 2);
  if (process_ends[1] < 0 && !make_pipe (process_ends, error))
    return -1;
  return duplicate (process_ends[0], error);
}

struct _AsbLocalHolder
{
  int references; /* under the mutex */
  int writing_end;
  char *path;
};

static GHashTable *holders; /* by path, under the mutex */

AsbLocalHolder *
asb_local_holder_new (const char *path, int *reading_end, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  AsbLocalHolder *self;
  int ends[2];

  if (!make_pipe (ends, error))
    return NULL;
  self = g_new0 (AsbLocalHolder, 1);
  self->references = 1;
  self->writing_end = ends[1];
  self->path = g_strdup (path);
  if (!holders)
    holders = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_replace (holders, self->path, self);
  *reading_end = ends[0];
  return self;
}

void
asb_local_holder_unref (AsbLocalHolder *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);

  if (--self->references > 0)
    return;
  if (g_hash_table_lookup (holders, self->path) == self)
    g_hash_table_remove (holders, self->path);
  close (self->writing_end);
  g_free (self->path);
  g_free (self);
}

AsbLocalHolder *
asb_local_holder_find (const char *path)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  AsbLocalHolder *self = holders ? g_hash_table_lookup (holders, path) : NULL;

  if (self)
    self->references++;
  return self;
}

void
asb_local_holder_attach (AsbLocalHolder *self, GObject *connection)
{
  g_mutex_lock (&mutex);
  self->references++;
  g_mutex_unlock (&mutex);
  g_object_set_data_full (connection, "asb-local-holder", self,
                          (GDestroyNotify)asb_local_holder_unref);
}
