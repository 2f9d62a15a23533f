/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is kept of the output of one job: the last bytes of each stream, in a file without a name.
 */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define JOB_OUTPUT_N_STREAMS 2
#define JOB_OUTPUT_MAX_KEPT ((uint64_t)8 * 1024 * 1024)

/* Of so many bytes each stream is sure, whatever is kept of others. */
#define JOB_OUTPUT_MIN_KEPT ((uint64_t)64 * 1024)

/* A ring: the byte at an offset stands at its remainder by the capacity. Until it has been filled
 * for the first time the capacity may become smaller, down to what is in it. */
typedef struct
{
  uint64_t total; /* bytes that have come */
  uint64_t capacity;
} JobStream;

typedef struct
{
  const char *directory;
  int fd;    /* -1: nothing has come yet */
  int error; /* errno of what could not be kept; 0: all could */
  JobStream streams[JOB_OUTPUT_N_STREAMS];

  /* How many more bytes may be kept, of at most @size that are wanted. */
  size_t (*room) (void *data, size_t size);
  void *data;
} JobOutput;

void job_output_init (JobOutput *output, const char *directory,
                      size_t (*room) (void *data, size_t size), void *data);
void job_output_clear (JobOutput *output);

/* Of a stream that is not to be kept its bytes are counted all the same. */
void job_output_keep_nothing (JobOutput *output, unsigned stream);

/* Never fails: what cannot be kept drops what was kept first, or itself. */
void job_output_add (JobOutput *output, unsigned stream, const void *bytes, size_t size);

/* How many bytes are kept of both streams. */
uint64_t job_output_kept (const JobOutput *output);

/* The offset of the first byte that is kept. */
uint64_t job_output_first (const JobOutput *output, unsigned stream);

/* Some of the bytes from @offset on, which must be kept: how many, or -1 with errno set. */
ssize_t job_output_read (const JobOutput *output, unsigned stream, uint64_t offset, void *bytes,
                         size_t size);
