/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-local-readiness.h"

#include <asb.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "asb-local-diagnosis.h"
#include "asb-local-process.h"

/* What the guest writes, and not what stands there by a mistake. */
#define READY '+'

/* How often a starter is looked at that cannot be polled. */
#define INTERVAL_MILLISECONDS 10

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

typedef enum
{
  NOTHING,
  SOMETHING, /* or there will be nothing more */
  STARTER_ENDED
} News;

static int
get_patience (gint64 left, int process)
{
  int milliseconds = (int)((left + 999) / G_TIME_SPAN_MILLISECOND);

  return process < 0 || asb_local_process_can_be_polled (process)
             ? milliseconds
             : MIN (milliseconds, INTERVAL_MILLISECONDS);
}

static gboolean
has_ended (int process, const GPollFD *polled)
{
  if (process < 0 || asb_local_process_can_be_polled (process))
    return process < 0 || polled->revents;
  return asb_local_process_wait (process, 0);
}

static News
wait_for_news (int fd, int process, guint seconds, GCancellable *cancellable)
{
  gint64 end = g_get_monotonic_time () + (process < 0 ? 0 : seconds * G_TIME_SPAN_SECOND);
  GPollFD fds[3]
      = { { .fd = fd, .events = G_IO_IN },
          { .fd = asb_local_process_can_be_polled (process) ? process : -1, .events = G_IO_IN } };
  gboolean is_watched = g_cancellable_make_pollfd (cancellable, &fds[2]);
  gboolean is_over = process < 0;
  gint64 left;

  do
    {
      left = MAX (end - g_get_monotonic_time (), 0);
      if (g_poll (fds, is_watched ? 3 : 2, get_patience (left, process)) < 0 && errno != EINTR)
        break;
      is_over = has_ended (process, &fds[1]);
    }
  while (left > 0 && !fds[0].revents && !is_over && !g_cancellable_is_cancelled (cancellable));
  if (is_watched)
    g_cancellable_release_fd (cancellable);
  if (fds[0].revents)
    return SOMETHING;
  return is_over ? STARTER_ENDED : NOTHING;
}

gboolean
asb_local_readiness_wait (int fd, int process, guint seconds, GCancellable *cancellable,
                          GError **error)
{
  News news = wait_for_news (fd, process, seconds, cancellable);
  char byte = 0;

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (news == NOTHING)
    g_set_error (error, ASB_ERROR, ASB_ERROR_TIMED_OUT, "The guest was not ready within %u seconds",
                 seconds);
  else if (news == SOMETHING && TEMP_FAILURE_RETRY (read (fd, &byte, 1)) == 1 && byte == READY)
    return TRUE;
  else
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_CLOSED, "The guest ended before it was ready");
  return FALSE;
}
