/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* file.watch: tells what changes as long as the client likes to hear of it. What the client does
 * not take in time is dropped, and that is told, so that no more than the window is ever kept. */

#include "file-operations.h"

#include "arguments.h"
#include "asb-wire-json.h"
#include "walk.h"
#include "watch-tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/* Room that the window has again before the client is told that something was dropped. */
#define ROOM_AGAIN ASB_FRAME_MAX_DATA

/* For the other half of a renaming, which the kernel reports at once. */
#define MILLISECOND INT64_C (1000000)
#define MOVE_TIMEOUT (100 * MILLISECOND)

/* What has left a place and may appear at another. */
typedef struct
{
  bool is_there;
  int64_t due; /* when it has left for good */
  uint32_t cookie;
  bool is_directory;
  WatchedDirectory *parent;
  char name[NAME_MAX + 1];
} Departure;

/* The renaming that was told last, as long as nothing has come after it. */
typedef struct
{
  int from_wd; /* 0: none */
  int to_wd;
  char from[NAME_MAX + 1];
  char to[NAME_MAX + 1];
} Renaming;

typedef struct
{
  FileWorker *worker;
  WatchTree tree;
  char *path;
  char only[NAME_MAX + 1]; /* of what is in the directory; empty: all */
  Departure departure;
  Renaming last;
  bool stands;    /* the client knows that it does */
  bool is_behind; /* the kernel may have told more */
  bool is_gone;
  bool is_lossy; /* something was dropped, and that has not been told */
  Failure *failure;
  size_t size;
  char bytes[ASB_FRAME_MAX_DATA];
} Watch;

/* Telling. */

static void
flush (Watch *watch)
{
  size_t size = watch->size;

  watch->size = 0;
  if (size > 0)
    worker_send (watch->worker, watch->bytes, size);
}

/* False when there is no room. What is in the buffer has always room in the window, so that sending
 * it does not wait. */
static bool
put_line (Watch *watch, const char *line, size_t length)
{
  if (watch->size + length + 1 > sizeof watch->bytes)
    flush (watch);
  if (length + 1 > sizeof watch->bytes || watch->size + length + 1 > worker_room (watch->worker))
    return false;
  memcpy (watch->bytes + watch->size, line, length);
  watch->size += length;
  watch->bytes[watch->size++] = '\n';
  return true;
}

/* Takes @event. */
static void
tell (Watch *watch, json_t *event)
{
  char *line = watch->is_lossy ? NULL : asb_wire_json_dump (event);

  if (!line || !put_line (watch, line, strlen (line)))
    watch->is_lossy = true;
  free (line);
  json_decref (event);
}

static void
tell_loss (Watch *watch)
{
  if (!watch->is_lossy || worker_room (watch->worker) < watch->size + ROOM_AGAIN)
    return;
  watch->is_lossy = false;
  tell (watch, json_pack ("{s:s}", "event", "overflow"));
}

static json_t *
text (const char *value)
{
  return asb_wire_text_new (value, strlen (value));
}

static json_t *
event_new (const char *name, const char *path, bool is_directory)
{
  return json_pack ("{s:s, s:o, s:b}", "event", name, "path", text (path), "is_directory",
                    is_directory);
}

/* The path clients know; false when it is too long, or not what is watched. */
static bool
path_of (const Watch *watch, const WatchedDirectory *parent, const char *name, char path[PATH_MAX])
{
  if (watch->only[0] && strcmp (watch->only, name) == 0)
    return strlen (strcpy (path, watch->path)) > 0;
  return watched_directory_path (parent, name, path);
}

static bool
is_wanted (const Watch *watch, const char *name)
{
  return !watch->only[0] || strcmp (watch->only, name) == 0;
}

static void
tell_of (Watch *watch, const char *event, const WatchedDirectory *parent, const char *name,
         bool is_directory)
{
  char path[PATH_MAX];

  if (!is_wanted (watch, name))
    return;
  if (path_of (watch, parent, name, path))
    tell (watch, event_new (event, path, is_directory));
  else
    watch->is_lossy = true;
}

static void
tell_written (Watch *watch, const WatchedDirectory *parent, const char *name)
{
  char path[PATH_MAX];
  json_t *event;

  if (!is_wanted (watch, name) || !path_of (watch, parent, name, path))
    return;
  event = event_new ("changed", path, false);
  json_object_set_new (event, "closed", json_true ());
  tell (watch, event);
}

static void
tell_found (void *data, const char *path, bool is_directory)
{
  tell (data, event_new ("created", path, is_directory));
}

/* What is too much from the beginning is an error; what becomes so is news. */
static void
tell_failed (void *data, const char *path, Failure *failure)
{
  Watch *watch = data;

  if (!watch->stands && strcmp (failure->code, FAILURE_TOO_MANY_REQUESTS) == 0)
    {
      if (!watch->failure->code)
        {
          *watch->failure = *failure;
          json_incref (failure->details);
        }
      return;
    }
  tell (watch, json_pack ("{s:s, s:o, s:s, s:s}", "event", "unwatched", "path", text (path), "code",
                          failure->code, "message", failure->message));
}

/* What the kernel reports. */

static void
enter (Watch *watch, WatchedDirectory *parent, const char *name, bool is_directory)
{
  WatchedDirectory *before;
  WatchedDirectory *now;

  if (!is_directory || !watch->tree.is_recursive)
    return;
  before = watched_directory_child (parent, name);
  now = watch_tree_add (&watch->tree, parent, name);
  /* It has gone from there, and where to will be read later. */
  if (before && now && before != now)
    watch_tree_drop (&watch->tree, before);
  watch_tree_list (&watch->tree, true);
}

/* What has gone from there, as far as it is known. What stands there now has come since, and stays,
 * also where two have changed places, of which the kernel tells the coming of one first. */
static WatchedDirectory *
find_gone (Watch *watch, WatchedDirectory *parent, const char *name)
{
  WatchedDirectory *gone = watched_directory_child (parent, name);

  return gone && watch_tree_add (&watch->tree, parent, name) != gone ? gone : NULL;
}

static void
leave (Watch *watch, WatchedDirectory *parent, const char *name)
{
  WatchedDirectory *gone = find_gone (watch, parent, name);

  if (gone)
    watch_tree_drop (&watch->tree, gone);
  watch_tree_list (&watch->tree, true);
}

/* It has left for where nobody looks. */
static void
settle_departure (Watch *watch)
{
  Departure *departure = &watch->departure;

  if (!departure->is_there)
    return;
  departure->is_there = false;
  leave (watch, departure->parent, departure->name);
  tell_of (watch, "deleted", departure->parent, departure->name, departure->is_directory);
}

static void
depart (Watch *watch, WatchedDirectory *parent, const struct inotify_event *event)
{
  Departure *departure = &watch->departure;

  departure->is_there = true;
  departure->due = walk_clock () + MOVE_TIMEOUT;
  departure->cookie = event->cookie;
  departure->is_directory = (event->mask & IN_ISDIR) != 0;
  departure->parent = parent;
  strncpy (departure->name, event->name, NAME_MAX);
}

static void
tell_moved (Watch *watch, const WatchedDirectory *parent, const char *name)
{
  const Departure *departure = &watch->departure;
  char from[PATH_MAX];
  char to[PATH_MAX];
  json_t *event;

  if (!is_wanted (watch, name) && !is_wanted (watch, departure->name))
    return;
  if (!path_of (watch, departure->parent, departure->name, from)
      || !path_of (watch, parent, name, to))
    {
      watch->is_lossy = true;
      return;
    }
  event = event_new ("moved", from, departure->is_directory);
  json_object_set_new (event, "to", text (to));
  tell (watch, event);
}

/* Of two that change places the kernel tells two renamings, one after the other, by which the first
 * would be back where it was and the second gone. */
static bool
have_changed_places (const Watch *watch, const WatchedDirectory *parent, const char *name)
{
  const Departure *departure = &watch->departure;
  const Renaming *last = &watch->last;
  char path[PATH_MAX];
  struct stat status;

  return last->from_wd == parent->wd && last->to_wd == departure->parent->wd
         && strcmp (last->from, name) == 0 && strcmp (last->to, departure->name) == 0
         && watched_directory_path (departure->parent, departure->name, path)
         && lstat (path, &status) == 0;
}

static void
note_renaming (Watch *watch, const WatchedDirectory *parent, const char *name)
{
  const Departure *departure = &watch->departure;

  if (have_changed_places (watch, parent, name))
    watch->is_lossy = true;
  watch->last = (Renaming){ .from_wd = departure->parent->wd, .to_wd = parent->wd };
  memcpy (watch->last.from, departure->name, sizeof watch->last.from);
  strncpy (watch->last.to, name, NAME_MAX);
}

/* The kernel tells what was, and the tree may have been looked at since: then they may not go
 * together. */
static bool
can_move (WatchedDirectory *child, const WatchedDirectory *parent, const WatchedDirectory *there)
{
  return !watched_directory_is_in (parent, child)
         && (!there || there == child || !watched_directory_is_in (child, there));
}

/* Both halves of a renaming are known. */
static void
arrive_from_within (Watch *watch, WatchedDirectory *parent, const char *name)
{
  Departure *departure = &watch->departure;
  WatchedDirectory *child;
  WatchedDirectory *there;

  departure->is_there = false;
  tell_moved (watch, parent, name);
  note_renaming (watch, parent, name);
  if (!departure->is_directory)
    return;
  child = find_gone (watch, departure->parent, departure->name);
  there = watched_directory_child (parent, name);
  if (child && !can_move (child, parent, there))
    {
      watch->is_lossy = true;
      watch_tree_rebuild (&watch->tree);
      return;
    }
  if (there && there != child)
    watch_tree_drop (&watch->tree, there);
  if (child && !watch_tree_move (child, parent, name))
    watch_tree_drop (&watch->tree, child);
  /* By now it may be another one. */
  enter (watch, parent, name, true);
}

static void
arrive (Watch *watch, WatchedDirectory *parent, const char *name, bool is_directory)
{
  tell_of (watch, "created", parent, name, is_directory);
  enter (watch, parent, name, is_directory);
}

static void
take_event_of_itself (Watch *watch, WatchedDirectory *directory, uint32_t mask)
{
  bool is_root = directory == watch->tree.root;

  if (is_root && mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED))
    watch->is_gone = true;
  else if (mask & IN_IGNORED)
    watch_tree_drop (&watch->tree, directory);
  else if (is_root && mask & IN_ATTRIB && !watch->only[0])
    tell (watch, event_new ("attributes", watch->path, true));
}

static void
take_event_within (Watch *watch, WatchedDirectory *directory, const struct inotify_event *event)
{
  bool is_directory = (event->mask & IN_ISDIR) != 0;

  if (event->mask & IN_MOVED_FROM)
    depart (watch, directory, event);
  else if (event->mask & (IN_CREATE | IN_MOVED_TO))
    arrive (watch, directory, event->name, is_directory);
  else if (event->mask & IN_CLOSE_WRITE)
    tell_written (watch, directory, event->name);
  else if (event->mask & IN_DELETE)
    {
      leave (watch, directory, event->name);
      tell_of (watch, "deleted", directory, event->name, is_directory);
    }
  else if (event->mask & (IN_MODIFY | IN_ATTRIB))
    tell_of (watch, event->mask & IN_MODIFY ? "changed" : "attributes", directory, event->name,
             is_directory);
}

static void
take_event (Watch *watch, const struct inotify_event *event)
{
  WatchedDirectory *directory = watch_tree_find (&watch->tree, event->wd);

  if (directory && event->len > 0 && event->mask & IN_MOVED_TO && watch->departure.is_there
      && watch->departure.cookie == event->cookie)
    {
      arrive_from_within (watch, directory, event->name);
      return;
    }
  settle_departure (watch);
  if (!(event->mask & IN_MOVED_FROM))
    watch->last.from_wd = 0;
  /* That may have been where this comes from. */
  directory = watch_tree_find (&watch->tree, event->wd);
  if (event->mask & IN_Q_OVERFLOW)
    {
      watch->is_lossy = true;
      watch_tree_rebuild (&watch->tree);
    }
  else if (directory && event->len == 0)
    take_event_of_itself (watch, directory, event->mask);
  else if (directory)
    take_event_within (watch, directory, event);
}

/* Reads once, so that what the client says is heard in between. */
static void
take_events (Watch *watch)
{
  static char bytes[65536] __attribute__ ((aligned (__alignof__(struct inotify_event))));
  ssize_t n = read (watch->tree.fd, bytes, sizeof bytes);

  if (n <= 0 && walk_clock () >= watch->departure.due)
    settle_departure (watch);
  /* Once, whatever comes of it: more will be known only when more has been told. */
  if (n <= 0 && watch->is_behind && watch_tree_catch_up (&watch->tree))
    watch->is_lossy = true;
  watch->is_behind = n > 0;
  for (const char *at = bytes; n > 0 && at < bytes + n && !watch->is_gone;)
    {
      const struct inotify_event *event = (const void *)at;

      take_event (watch, event);
      at += sizeof *event + event->len;
    }
}

/* Beginning and end. */

/* A file is watched in its directory, so that one that takes its place is seen, too. */
static bool
open_tree (Watch *watch)
{
  struct stat status;
  char whole[PATH_MAX];
  char *name;

  if (stat (watch->path, &status) != 0)
    return failure_set_errno (watch->failure, errno, "watch", watch->path);
  if (S_ISDIR (status.st_mode))
    return watch_tree_open (&watch->tree, watch->path, watch->failure);
  if (!realpath (watch->path, whole))
    return failure_set_errno (watch->failure, errno, "watch", watch->path);
  name = strrchr (whole, '/');
  strncpy (watch->only, name + 1, NAME_MAX);
  name[name == whole] = '\0';
  watch->tree.is_recursive = false;
  return watch_tree_open (&watch->tree, whole, watch->failure);
}

static bool
begin (Watch *watch)
{
  if (!open_tree (watch) || !watch_tree_list (&watch->tree, false) || watch->failure->code)
    return watch->worker->stopped && !watch->failure->code;
  worker_send_event (watch->worker, json_pack ("{s:s, s:I}", "event", "watching", "directories",
                                               (json_int_t)watch->tree.n_directories));
  watch->stands = true;
  return true;
}

/* Milliseconds; -1: until something comes. */
static int
time_to_wait (const Watch *watch)
{
  int64_t left = watch->departure.due - walk_clock ();

  if (watch->is_behind && !list_is_empty (&watch->tree.postponed))
    return 0;
  if (!watch->departure.is_there)
    return -1;
  return left > 0 ? (int)(left / MILLISECOND) + 1 : 0;
}

/* False when the call was cancelled. */
static bool
go_on (Watch *watch)
{
  while (!watch->worker->stopped && !watch->is_gone)
    {
      flush (watch);
      if (!worker_wait_for (watch->worker, watch->tree.fd, time_to_wait (watch)))
        return false;
      take_events (watch);
      tell_loss (watch);
    }
  if (watch->is_gone)
    tell (watch, json_pack ("{s:s, s:o}", "event", "gone", "path", text (watch->path)));
  flush (watch);
  return true;
}

static json_t *
make_result (const Watch *watch)
{
  return json_pack ("{s:s, s:b}", "reason", watch->is_gone ? "gone" : "stopped", "overflow",
                    watch->is_lossy);
}

bool
file_watch (FileWorker *worker, FileResult *result, Failure *failure)
{
  static Watch watch;
  bool done;

  watch = (Watch){ .worker = worker, .failure = failure };
  watch.tree = (WatchTree){
    .worker = worker, .fd = -1, .found = tell_found, .failed = tell_failed, .data = &watch
  };
  done = argument_boolean (worker->args, "recursive", false, &watch.tree.is_recursive, failure)
         && argument_path (worker->args, "path", &watch.path, failure) && begin (&watch)
         && go_on (&watch);
  if (done)
    result->result = make_result (&watch);
  watch_tree_clear (&watch.tree);
  free (watch.path);
  return done;
}
