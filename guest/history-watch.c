/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-watch.h"

#include <errno.h>
#include <limits.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/inotify.h>
#include <unistd.h>

/* The write-ahead log where there is one, else the database; either may be new, or another. */
#define WRITTEN (IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
#define FOLDER_GONE (IN_DELETE_SELF | IN_MOVE_SELF)

void
history_watch_init (HistoryWatch *watch)
{
  *watch = (HistoryWatch){ -1, -1 };
}

void
history_watch_clear (HistoryWatch *watch)
{
  if (watch->fd >= 0)
    close (watch->fd);
  history_watch_init (watch);
}

bool
history_watch_is_running (const HistoryWatch *watch)
{
  return watch->watch >= 0;
}

bool
history_watch_start (HistoryWatch *watch, const char *directory)
{
  if (watch->fd < 0)
    watch->fd = inotify_init1 (IN_NONBLOCK | IN_CLOEXEC);
  watch->watch = inotify_add_watch (watch->fd, directory,
                                    WRITTEN | FOLDER_GONE | IN_ONLYDIR | IN_DONT_FOLLOW);
  return watch->watch >= 0;
}

/* The descriptor stays: closing it makes the kernel wait for its readers. */
void
history_watch_stop (HistoryWatch *watch)
{
  if (watch->watch < 0)
    return;
  inotify_rm_watch (watch->fd, watch->watch);
  watch->watch = -1;
}

/* An earlier watch on the same descriptor may be told of, too. */
static void
look_at (HistoryWatch *watch, const struct inotify_event *event)
{
  if (event->wd != watch->watch)
    return;
  if (event->mask & FOLDER_GONE)
    history_watch_stop (watch);
  else if (event->mask & IN_IGNORED)
    watch->watch = -1;
}

bool
history_watch_take (HistoryWatch *watch)
{
  alignas (struct inotify_event) uint8_t bytes[16 * (sizeof (struct inotify_event) + NAME_MAX + 1)];
  bool was_written = false;

  while (watch->fd >= 0)
    {
      const ssize_t n = read (watch->fd, bytes, sizeof bytes);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      was_written = true;
      for (ssize_t at = 0; at < n;)
        {
          const struct inotify_event *event = (const void *)(bytes + at);

          look_at (watch, event);
          at += (ssize_t)(sizeof *event + event->len);
        }
    }
  return was_written;
}
