/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Goes through a tree with two descriptors and without following a link: first all of a directory,
 * in byte order of names, then one after the other the directories in it. Of the kernel's own file
 * systems (proc, sysfs…) only the one where it begins is entered. */

#pragma once

#include "worker.h"

#include <sys/types.h>

/* Larger directories come in blocks of so many names, each in order. */
#define WALK_BLOCK 65536

typedef struct
{
  int directory_fd;
  const char *name;
  const char *path;     /* absolute */
  const char *relative; /* from where the walk began */
  unsigned char type;   /* DT_DIR and so on, never DT_UNKNOWN */
} WalkEntry;

typedef enum
{
  WALK_ON,
  WALK_PAST, /* not into this directory */
  WALK_END
} WalkNext;

typedef enum
{
  WALK_DONE,
  WALK_ENDED, /* by the visitor, or the call was cancelled */
  WALK_TIMED_OUT,
  WALK_FAILED /* the first directory could not be read, or memory is short; with errno set */
} WalkOutcome;

typedef struct
{
  FileWorker *worker;
  const char *path;
  int64_t max_depth; /* 1: only what is in the directory itself */
  bool hidden;       /* names that begin with a dot, too */
  int64_t deadline;  /* of the monotonic clock, in nanoseconds; 0: none */
  WalkNext (*visit) (void *data, const WalkEntry *entry);
  void (*error) (void *data, int error, const char *path);
  void *data;
} Walk;

WalkOutcome walk_tree (const Walk *walk);

/* The monotonic clock, in nanoseconds. */
int64_t walk_clock (void);
