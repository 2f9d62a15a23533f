/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Unpacking archives into a folder, and packing one, by the rules of docs/guest-protocol.md §4.2.
 * The guest and the command line both compile this, so that both sides of the border keep to the
 * same rules. */

#pragma once

#include "failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Folders in folders; so many descriptors are needed, twice, to go down. */
#define ARCHIVE_MAX_DEPTH 200

/* How the names of folders begin in which something is being unpacked. */
#define ARCHIVE_STAGING_PREFIX ".asb-unpack-"

/* What whoever unpacks or packs lends for it. Functions that return false without setting the
 * failure end it as cancelled. */
typedef struct
{
  /* More of the archive, good until the next call; NULL at its end, or when there is no point in
   * going on. */
  const uint8_t *(*receive) (void *data, size_t *size);
  bool (*send) (void *data, const void *bytes, size_t size);
  bool (*goes_on) (void *data);

  /* Whether a folder that exists is not to be gone into. May be NULL. */
  bool (*is_protected) (void *data, const struct stat *status);

  /* Waits until nobody else changes the file. May be NULL. */
  bool (*lock) (void *data, int directory_fd, const char *name);

  /* Of a file that is not in the archive, or not as it should be. */
  void (*left_out) (void *data, const char *path, const char *code, const char *why);

  /* Of no-iconv.c; NULL where names that are not ASCII cannot be converted anyway, as in the
   * locale “C”. */
  bool *refuses_names;

  /* Nothing else is to be taken for an archive. */
  bool only_tar;

  void *data;
} ArchiveCaller;

/* Each at least 1. */
typedef struct
{
  int64_t members;
  int64_t bytes; /* of all files */
  int64_t file_bytes;
  int64_t ratio; /* of what comes out to what went in */
} ArchiveBounds;

/* What becomes of a file that is in the way of one of the archive. */
typedef enum
{
  ARCHIVE_CONFLICT_ERROR,
  ARCHIVE_CONFLICT_OVERWRITE,
  ARCHIVE_CONFLICT_SKIP,
  ARCHIVE_CONFLICT_IF_CHANGED /* replaced, unless it is the same */
} ArchiveConflict;

#define ARCHIVE_STAGING_NAME_SIZE 40
#define ARCHIVE_MAX_KEPT 16 /* as many are told of */

typedef struct
{
  const char *format; /* "tar", "tar.gz", "zip" */
  uint64_t members;
  uint64_t files;
  uint64_t directories;
  uint64_t links;
  uint64_t bytes;         /* of all files */
  uint64_t archive_bytes; /* of the archive */
  uint64_t replaced;
  uint64_t skipped;

  /* Private folders beside, which others left that were killed while they put files in place. */
  char kept[ARCHIVE_MAX_KEPT][ARCHIVE_STAGING_NAME_SIZE];
  unsigned n_kept;
} ArchiveCounts;

typedef struct
{
  const ArchiveCaller *caller;
  ArchiveBounds bounds;
  ArchiveConflict conflict;
  int target_fd;    /* the folder, or −1 when there is none */
  int parent_fd;    /* where it is made then … */
  const char *name; /* … and how it is named */
  const char *path; /* for messages */
  bool is_durable;  /* what was done survives a loss of power */
} ArchiveUnpacking;

/* All of it, or nothing; @counts speak of what was done. */
bool archive_unpack (const ArchiveUnpacking *unpacking, ArchiveCounts *counts, Failure *failure);

typedef struct
{
  const ArchiveCaller *caller;
  ArchiveBounds bounds; /* but for the ratio */
  bool gzip;
  int directory_fd;
  const char *path;
  char *const *names; /* of what is packed, in the folder; NULL: all in it */
  size_t n_names;
} ArchivePacking;

bool archive_pack (const ArchivePacking *packing, ArchiveCounts *counts, Failure *failure);
