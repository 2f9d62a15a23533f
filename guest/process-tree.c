/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "process-tree.h"

#include "standstill.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SIGNAL_PASSES 2
#define MAX_STOP_PASSES 200
#define FIRST_CAPACITY 256

/* Open addressing; 0 is an empty place. */
typedef struct
{
  pid_t *places;
  size_t capacity; /* a power of two */
  size_t count;
} PidSet;

typedef struct
{
  pid_t *pids;
  size_t n;
  size_t capacity;
} PidList;

typedef struct
{
  DIR *proc;
  pid_t root;
  const ProcessTreeSpared *spared;
  PidSet found;
  int signals[2];   /* to each, as it is found; 0: none */
  size_t n_reached; /* those that will act on what they are sent */
} Walk;

static size_t
place_of (const PidSet *set, pid_t pid)
{
  size_t place = ((uint32_t)pid * UINT32_C (2654435761)) & (set->capacity - 1);

  while (set->places[place] != 0 && set->places[place] != pid)
    place = (place + 1) & (set->capacity - 1);
  return place;
}

/* Never 0, the parent of those that came from outside the namespace: an empty place is none. */
static bool
set_has (const PidSet *set, pid_t pid)
{
  return pid != 0 && set->capacity > 0 && set->places[place_of (set, pid)] == pid;
}

static bool
set_grow (PidSet *set)
{
  PidSet larger = { .capacity = set->capacity ? 2 * set->capacity : FIRST_CAPACITY };

  larger.places = calloc (larger.capacity, sizeof *larger.places);
  if (!larger.places)
    return false;
  larger.count = set->count;
  for (size_t i = 0; i < set->capacity; i++)
    if (set->places[i] != 0)
      larger.places[place_of (&larger, set->places[i])] = set->places[i];
  free (set->places);
  *set = larger;
  return true;
}

/* When memory is short the set stays as it is, and the next pass finds the process again. */
static void
set_add (PidSet *set, pid_t pid)
{
  if (2 * (set->count + 1) > set->capacity && !set_grow (set))
    return;
  set->places[place_of (set, pid)] = pid;
  set->count++;
}

bool
process_tree_is_visible (void)
{
  char link[16] = "";

  if (readlink ("/proc/self", link, sizeof link - 1) < 0)
    return false;
  return strtol (link, NULL, 10) == getpid ();
}

/* False when the process is gone. */
static bool
read_status (int proc_fd, const char *pid, char *state, pid_t *parent)
{
  char path[32];
  char text[512];
  const char *end;
  ssize_t n;
  int fd;

  snprintf (path, sizeof path, "%.16s/stat", pid);
  fd = openat (proc_fd, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  n = read (fd, text, sizeof text - 1);
  close (fd);
  text[n > 0 ? n : 0] = '\0';
  /* The name before it may hold anything, also brackets. */
  end = strrchr (text, ')');
  return end && sscanf (end, ") %c %d", state, parent) == 2;
}

char
process_tree_state_of (pid_t pid)
{
  int proc_fd = open ("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
  char name[16];
  char state = 0;
  pid_t parent;

  if (proc_fd < 0)
    return 0;
  snprintf (name, sizeof name, "%d", pid);
  if (!read_status (proc_fd, name, &state, &parent))
    state = 0;
  close (proc_fd);
  return state;
}

static bool
is_spared (const Walk *walk, pid_t pid)
{
  for (size_t i = 0; walk->spared && i < walk->spared->n_pids; i++)
    if (walk->spared->pids[i] == pid)
      return true;
  return false;
}

static void
send_signals (Walk *walk, pid_t pid, char state)
{
  bool reached = walk->signals[0] != 0 && kill (pid, walk->signals[0]) == 0;

  if (reached && walk->signals[1] != 0)
    kill (pid, walk->signals[1]);
  if (reached && state != 'D' && state != 'Z' && state != 'X')
    walk->n_reached++;
}

/* Whether it is a descendant that this walk had not seen yet. */
static bool
visit (Walk *walk, const char *name)
{
  pid_t pid = isdigit ((unsigned char)*name) ? (pid_t)strtol (name, NULL, 10) : 0;
  pid_t parent;
  char state;

  if (pid <= 1 || pid == walk->root || set_has (&walk->found, pid))
    return false;
  if (!read_status (dirfd (walk->proc), name, &state, &parent))
    return false;
  if (parent != walk->root && !set_has (&walk->found, parent))
    return false;
  if (parent == walk->root && is_spared (walk, pid))
    return false;
  set_add (&walk->found, pid);
  send_signals (walk, pid, state);
  return true;
}

static size_t
pass (Walk *walk)
{
  struct dirent *entry;
  size_t n_new = 0;

  rewinddir (walk->proc);
  while ((entry = readdir (walk->proc)))
    n_new += visit (walk, entry->d_name);
  return n_new;
}

static void
walk_all (Walk *walk, int max_passes)
{
  walk->proc = process_tree_is_visible () ? opendir ("/proc") : NULL;
  if (!walk->proc)
    return;
  for (int i = 0; i < max_passes && pass (walk) > 0; i++)
    ;
  closedir (walk->proc);
}

size_t
process_tree_continue (pid_t parent)
{
  DIR *proc = process_tree_is_visible () ? opendir ("/proc") : NULL;
  struct dirent *entry;
  size_t n = 0;

  while (proc && (entry = readdir (proc)))
    {
      pid_t pid
          = isdigit ((unsigned char)*entry->d_name) ? (pid_t)strtol (entry->d_name, NULL, 10) : 0;
      pid_t its_parent;
      char state;

      if (pid > 1 && read_status (dirfd (proc), entry->d_name, &state, &its_parent)
          && its_parent == parent && state == 'T' && kill (pid, SIGCONT) == 0)
        n++;
    }
  if (proc)
    closedir (proc);
  return n;
}

void
process_tree_terminate (const ProcessTreeSpared *spared)
{
  Walk walk = { .root = getpid (), .spared = spared, .signals = { SIGTERM, SIGCONT } };

  walk_all (&walk, MAX_SIGNAL_PASSES);
  free (walk.found.places);
}

static void
kill_found (const PidSet *found)
{
  for (size_t i = 0; i < found->capacity; i++)
    if (found->places[i] != 0)
      kill (found->places[i], SIGKILL);
}

size_t
process_tree_kill (const ProcessTreeSpared *spared)
{
  Walk walk = { .root = getpid (), .spared = spared, .signals = { SIGSTOP } };

  walk_all (&walk, MAX_STOP_PASSES);
  kill_found (&walk.found);
  free (walk.found.places);
  return walk.n_reached;
}

static bool
list_add (PidList *list, pid_t pid)
{
  if (list->n == list->capacity)
    {
      size_t capacity = list->capacity ? 2 * list->capacity : FIRST_CAPACITY;
      pid_t *larger = reallocarray (list->pids, capacity, sizeof *larger);

      if (!larger)
        return false;
      list->pids = larger;
      list->capacity = capacity;
    }
  list->pids[list->n++] = pid;
  return true;
}

/* All processes there are, in the order of /proc. False when memory or descriptors are short. */
static bool
list_all (PidList *list)
{
  DIR *proc = process_tree_is_visible () ? opendir ("/proc") : NULL;
  bool is_whole = proc != NULL;
  struct dirent *entry;

  while (is_whole && (entry = readdir (proc)))
    if (isdigit ((unsigned char)*entry->d_name))
      is_whole = list_add (list, (pid_t)strtol (entry->d_name, NULL, 10));
  if (proc)
    closedir (proc);
  return is_whole;
}

/* Children mostly come after their parents: a shell that goes on before them would take them for
 * stopped. */
static void
release_all_but (const PidSet *found)
{
  PidList list = { 0 };

  if (!list_all (&list))
    standstill_end ();
  else
    for (size_t i = list.n; i > 0; i--)
      if (!set_has (found, list.pids[i - 1]))
        standstill_release (list.pids[i - 1]);
  free (list.pids);
}

size_t
process_tree_kill_in_standstill (pid_t root, const ProcessTreeSpared *spared, size_t least)
{
  static const PidSet none;
  Walk walk = { .root = root, .spared = spared };
  size_t n;

  walk_all (&walk, MAX_STOP_PASSES);
  n = walk.found.count;
  if (n >= least)
    kill_found (&walk.found);
  release_all_but (n >= least ? &walk.found : &none);
  free (walk.found.places);
  return n;
}
