/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Replacing a file as a whole: what comes is written aside, synced and put in its place, or
 * nothing is changed. All return false when it failed, with the failure set unless the call was
 * cancelled. */

#pragma once

#include "file-path.h"
#include "sha256.h"

#define WRITING_MAX_DIFFED (1024 * 1024)
#define WRITING_MAX_PREVIEW 10240

/* What the record may want of one side: its first bytes. */
typedef struct
{
  uint8_t *bytes;
  size_t size;
  size_t max_size;
} Kept;

typedef struct
{
  FileWorker *worker;
  Failure *failure;

  char *path;
  char *expected_hash;
  bool create_only;
  bool make_parents;
  int64_t mode; /* −1: not given */

  FilePlace place;
  char temporary[32]; /* empty: it has no name */
  int fd;             /* of the temporary file, −1: there is none */
  uint64_t size;
  Sha256 hash;
  char hash_text[SHA256_HEX_SIZE];
  Kept after;

  bool exists;
  struct stat status; /* of the file that is replaced */
  char previous_hash[SHA256_HEX_SIZE];
  Kept before;
  bool wants_diff; /* of what the record is told */
} Writing;

void writing_begin (Writing *writing, FileWorker *worker, Failure *failure);
void writing_clear (Writing *writing);

/* “Could not write “PATH”: CAUSE” */
bool writing_fail (Writing *writing, int error);

/* The argument “expected_hash”. */
bool writing_parse_hash (Writing *writing, json_t *args);

/* Finds the place, making the directories on the way if wanted. */
bool writing_open_place (Writing *writing);

/* Looks at what is in the place now. */
bool writing_look (Writing *writing);

/* Waits until nobody else changes the file @name. False with errno set, to 0 when the call was
 * cancelled. */
bool file_lock (FileWorker *worker, int directory_fd, const char *name);

/* The same for what is in the place. */
bool writing_lock (Writing *writing);

/* Hashes what is in the place, and keeps as much of it as there is room for. */
bool writing_read_before (Writing *writing);
bool writing_compare (Writing *writing);

/* The new content. */
bool writing_open_temporary (Writing *writing);
bool writing_add (Writing *writing, const uint8_t *bytes, size_t size);
void writing_end_content (Writing *writing);

/* Gives the new file the owner of another. Where that is not allowed @mode loses the bits by which
 * whoever runs it would become somebody else than before. False with errno set. */
bool writing_copy_owner (Writing *writing, const struct stat *from, mode_t *mode);

/* Gives the new file its owner and mode; then its content and they are on the disk. */
bool writing_set_attributes (Writing *writing);
bool writing_sync (Writing *writing);
mode_t writing_mode (const Writing *writing);
bool writing_put_in_place (Writing *writing);

/* {"size", "hash", "previous_hash"?, "entry"}, and what the record wants. */
void writing_make_result (const Writing *writing, FileResult *result);
