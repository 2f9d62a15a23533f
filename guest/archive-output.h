/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A tar that is being packed, member by member: its bounds, its counts, and whom it goes to. */

#pragma once

#include "archive-folder.h"

#include <archive_entry.h>
#include <limits.h>
#include <time.h>

typedef struct
{
  const ArchiveCaller *caller; /* who takes it */
  const ArchiveBounds *bounds; /* but for the ratio */
  ArchiveCounts *counts;
  Failure *failure;
  const char *folder;  /* for messages */
  char path[PATH_MAX]; /* the clean name of the member it is about */
  struct archive_entry *entry;
  struct archive *writer;
  bool is_refused; /* nobody takes any more */
  bool is_over;
} ArchiveOutput;

/* Those that return false have set the failure, unless nobody takes any more. */

bool archive_output_open (ArchiveOutput *output, bool gzip);

bool archive_output_goes_on (const ArchiveOutput *output);

/* Makes @output->entry one of @output->path, without content. @mode: with the kind of file. */
void archive_output_begin (ArchiveOutput *output, mode_t mode, struct timespec time);

/* … one that has the content of @target, a clean name that was packed before. */
bool archive_output_write_hard_link (ArchiveOutput *output, const char *target);
/* … a symbolic link, whose target was checked. */
bool archive_output_write_link (ArchiveOutput *output, const char *target);

/* Whether there may be a file of @size bytes more. */
bool archive_output_check_size (ArchiveOutput *output, int64_t size);

/* Begins the member, after which its content is to come. */
bool archive_output_write_header (ArchiveOutput *output);
bool archive_output_write (ArchiveOutput *output, const uint8_t *bytes, size_t size);

/* After the last member. */
bool archive_output_close (ArchiveOutput *output);

/* Frees what it has, also what could not be opened. */
void archive_output_clear (ArchiveOutput *output);
