/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Paths of files: where they lead, what is there, and whether that may be changed. */

#pragma once

#include "worker.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/* The directory and the name in it that a path stands for. */
typedef struct
{
  int directory_fd; /* opened with O_PATH */
  char name[NAME_MAX + 1];
} FilePlace;

/* Finds the place of @path itself. False with errno set. */
bool file_place_open (FilePlace *place, const char *path);

/* The place that @path leads to when its last segment is a symbolic link, whether there is
 * something or not. */
bool file_place_follow (FilePlace *place, const char *path);
void file_place_close (FilePlace *place);

/* The history must not be changed by this way. False with @failure set when @path, or the directory
 * it is in, belongs to it. What does not exist yet is judged by the first that does above it. */
bool file_check_changeable (const FileWorker *worker, const char *path, Failure *failure);

/* The same for a place that has been found. @path is for the message. */
bool file_place_check_changeable (const FileWorker *worker, const FilePlace *place,
                                  const char *path, Failure *failure);

/* Whether @status is of the history's directory. */
bool file_is_history (const FileWorker *worker, const struct stat *status);

/* Whether the history lies somewhere in the directory that @status is of. */
bool file_holds_history (const FileWorker *worker, const struct stat *status);

/* False with @failure set unless @status is of a regular file. */
bool file_check_regular (const struct stat *status, const char *what, const char *path,
                         Failure *failure);

/* Opens the regular file at @path for reading; −1 with @failure set for anything else. Only looks
 * first: opening a FIFO, a terminal or a device does something to it. */
int file_open_regular (const char *path, const char *what, struct stat *status, Failure *failure);

/* What clients are told of a file. @path names it; @target is that of a symbolic link, or NULL. */
json_t *file_entry_new (const char *path, const struct stat *status, const char *target);

/* Makes the directories above @path that are missing. False with errno set. */
bool file_make_parents (const char *path);
