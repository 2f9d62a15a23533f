/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The directories that a watch has told the kernel of, and where they stand below the one it began
 * with. */

#pragma once

#include "list.h"
#include "worker.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Of one watch. */
#define WATCH_MAX_DIRECTORIES 8192

typedef struct WatchedDirectory WatchedDirectory;

struct WatchedDirectory
{
  int wd;
  dev_t device;
  ino_t inode;
  WatchedDirectory *parent; /* NULL: the watch began here */
  List siblings;
  List children;
  List unlisted; /* of those whose content is still to be looked at, now or later */
  char *name;    /* without a parent: the path */
};

typedef struct
{
  FileWorker *worker;
  int fd; /* of inotify; does not block */
  bool is_recursive;
  WatchedDirectory *root;
  void *by_wd; /* as tsearch () has it */
  size_t n_directories;
  List unlisted;
  List postponed;

  /* What is found in a directory that is new. */
  void (*found) (void *data, const char *path, bool is_directory);
  /* A directory cannot be watched, nor what is below; @failure is to be cleared. */
  void (*failed) (void *data, const char *path, Failure *failure);
  void *data;
} WatchTree;

/* Begins to watch the directory @path, known to clients by that name, with no others. False with
 * @failure set. To be cleared either way. */
bool watch_tree_open (WatchTree *tree, const char *path, Failure *failure);
void watch_tree_clear (WatchTree *tree);

WatchedDirectory *watch_tree_find (const WatchTree *tree, int wd);
WatchedDirectory *watched_directory_child (const WatchedDirectory *parent, const char *name);

/* The path of what is called @name in @directory, or its own for NULL. False when it is too long.
 */
bool watched_directory_path (const WatchedDirectory *directory, const char *name,
                             char path[PATH_MAX]);

/* Whether it is @other, or below it. */
bool watched_directory_is_in (const WatchedDirectory *directory, const WatchedDirectory *other);

/* Watches the directory @name in @parent, too, unless that is known; what is known by another place
 * has moved. What is there then, or NULL. Where @parent is not in its place, of which the kernel
 * will tell, it is looked into later. */
WatchedDirectory *watch_tree_add (WatchTree *tree, WatchedDirectory *parent, const char *name);

/* Looks into the directories that are new, and watches those in them. With @tells what is there is
 * told as found. False when the call is over. */
bool watch_tree_list (WatchTree *tree, bool tells);

/* Looks into those that were postponed, when all that the kernel has told is known, without telling
 * what is there. Whether there were any of which something may not have been told. */
bool watch_tree_catch_up (WatchTree *tree);

/* It has another place. False when memory is short, or that is in itself. */
bool watch_tree_move (WatchedDirectory *directory, WatchedDirectory *parent, const char *name);

/* Forgets @directory and those below it. */
void watch_tree_drop (WatchTree *tree, WatchedDirectory *directory);

/* Forgets all below the root, and looks anew, without telling what is there. */
bool watch_tree_rebuild (WatchTree *tree);
