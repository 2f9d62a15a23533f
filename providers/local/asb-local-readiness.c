/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-readiness.h"

#include <asb.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"

/* What the guest writes, and not what stands there by a mistake. */
#define READY '+'

int
asb_local_readiness_open (int *theirs, GError **error)
{
  int ends[2];

  if (pipe2 (ends, O_CLOEXEC) == 0)
    {
      *theirs = ends[1];
      return ends[0];
    }
  asb_local_set_failure (error, errno, "make a pipe");
  return -1;
}

/* Whether something can be read, or there will be nothing more. */
static gboolean
wait_until_readable (int fd, guint seconds, GCancellable *cancellable)
{
  gint64 end = g_get_monotonic_time () + seconds * G_TIME_SPAN_SECOND;
  GPollFD fds[2] = { { .fd = fd, .events = G_IO_IN } };
  gboolean is_watched = g_cancellable_make_pollfd (cancellable, &fds[1]);
  gint64 left;

  while ((left = end - g_get_monotonic_time ()) > 0 && !fds[0].revents
         && !g_cancellable_is_cancelled (cancellable))
    if (g_poll (fds, is_watched ? 2 : 1, (gint)(left / G_TIME_SPAN_MILLISECOND) + 1) < 0
        && errno != EINTR)
      break;
  if (is_watched)
    g_cancellable_release_fd (cancellable);
  return fds[0].revents != 0;
}

gboolean
asb_local_readiness_wait (int fd, guint seconds, GCancellable *cancellable, GError **error)
{
  gboolean is_readable = wait_until_readable (fd, seconds, cancellable);
  char byte = 0;

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (!is_readable)
    g_set_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT, "The guest was not ready within %u seconds",
                 seconds);
  else if (TEMP_FAILURE_RETRY (read (fd, &byte, 1)) == 1 && byte == READY)
    return TRUE;
  else
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_CLOSED, "The guest ended before it was ready");
  return FALSE;
}
