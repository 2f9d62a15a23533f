/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-close.h"

#include <glib.h>
#include <unistd.h>

/* They wait for the disk, all at the same time. */
#define MAX_THREADS 8

static void
close_fd (gpointer data, gpointer user_data)
{
  close (GPOINTER_TO_INT (data));
}

void
asb_local_close_later (int fd)
{
  static GThreadPool *pool;

  if (g_once_init_enter (&pool))
    g_once_init_leave (&pool, g_thread_pool_new (close_fd, NULL, MAX_THREADS, FALSE, NULL));
  /* Not 0, which cannot be pushed: it is standard input anyway. */
  if (fd > 0)
    g_thread_pool_push (pool, GINT_TO_POINTER (fd), NULL);
}
