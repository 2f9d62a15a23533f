/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "history-recorder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define RANDOM_BYTES 16
#define MACHINE_SIZE 64

/* Of a process, as Linux has it since ever (proc(5)). */
#define FLAG_EXITING 4

/* Where the number of a process, with the time it was started, means one process only. */
typedef struct
{
  char machine[MACHINE_SIZE]; /* since it was started */
  unsigned long long processes;
} Realm;

typedef struct
{
  unsigned long long number;
  unsigned long long parent;
  unsigned long long start; /* 0: it has ended, or cannot be seen */
} Process;

static bool
read_file (const char *path, char *content, size_t size)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd >= 0 ? read (fd, content, size - 1) : -1;

  if (fd >= 0)
    close (fd);
  content[n > 0 ? n : 0] = '\0';
  return n > 0;
}

static bool
find_realm (Realm *realm)
{
  struct stat status;

  if (!read_file ("/proc/sys/kernel/random/boot_id", realm->machine, sizeof realm->machine)
      || stat ("/proc/self/ns/pid", &status) != 0)
    return false;
  realm->machine[strcspn (realm->machine, "\n")] = '\0';
  realm->processes = (unsigned long long)status.st_ino;
  return true;
}

/* The state is the third field of what /proc says of it, the parent the fourth, the flags the
 * ninth, the start the 22nd; the second is a name that may hold anything. Who was killed has closed
 * its descriptors, and may have a successor, some time before it is a zombie. */
static Process
find_process (const char *name)
{
  char path[64];
  char content[1024];
  const char *fields;
  Process found = { 0 };
  unsigned flags;
  char state;

  snprintf (path, sizeof path, "/proc/%s/stat", name);
  if (!read_file (path, content, sizeof content))
    return found;
  fields = strrchr (content, ')');
  if (!fields
      || sscanf (
             fields,
             ") %c %llu %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
             &state, &found.parent, &flags, &found.start)
             != 4
      || state == 'Z' || state == 'X' || (flags & FLAG_EXITING))
    found.start = 0;
  found.number = strtoull (content, NULL, 10);
  return found;
}

static Process
find_number (unsigned long long number)
{
  char name[32];

  snprintf (name, sizeof name, "%llu", number);
  return find_process (name);
}

void
history_recorder_name (char name[HISTORY_RECORDER_SIZE])
{
  unsigned char bytes[RANDOM_BYTES];
  Realm realm;
  Process self = find_process ("self");
  Process guest = find_number (self.parent);
  int end = 0;

  if (getrandom (bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
    abort ();
  for (size_t i = 0; i < sizeof bytes; i++)
    end += sprintf (name + end, "%02x", bytes[i]);
  if (self.start != 0 && find_realm (&realm))
    snprintf (name + end, HISTORY_RECORDER_SIZE - (size_t)end, " %s %llu %llu %llu %llu %llu",
              realm.machine, realm.processes, self.number, self.start, guest.number, guest.start);
}

static bool
still_lives (const Process *noted)
{
  return noted->start != 0 && find_number (noted->number).start == noted->start;
}

/* When its guest has ended nothing more comes to it. */
bool
history_recorder_lives (const char *name)
{
  Realm here;
  Realm there = { 0 };
  Process self = { 0 };
  Process guest = { 0 };

  return sscanf (name, "%*32[0-9a-f] %63s %llu %llu %llu %llu %llu", there.machine,
                 &there.processes, &self.number, &self.start, &guest.number, &guest.start)
             == 6
         && find_realm (&here) && there.processes == here.processes
         && strcmp (there.machine, here.machine) == 0 && still_lives (&self)
         && still_lives (&guest);
}
