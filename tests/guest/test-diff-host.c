/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Answers questions on stdin: a line "BEFORE_SIZE AFTER_SIZE MAX_SIZE PATH" and the bytes of both
 * sides. The answer is a line "SIZE TRUNCATED" and the diff, or "-1 0" where there is none. With
 * --drive SCRIPT it runs SCRIPT, which asks. */

#include "diff.h"
#include "test-drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *
read_bytes (size_t size)
{
  char *bytes = malloc (size + 1);

  if (!bytes || fread (bytes, 1, size, stdin) != size)
    exit (2);
  return bytes;
}

static void
answer (const char *path, size_t before_size, size_t after_size, size_t max_size)
{
  char *before = read_bytes (before_size);
  char *after = read_bytes (after_size);
  bool truncated;
  char *diff
      = guest_unified_diff (path, before, before_size, after, after_size, max_size, &truncated);

  if (diff)
    printf ("%zu %d\n%s", strlen (diff), truncated, diff);
  else
    printf ("-1 %d\n", truncated);
  fflush (stdout);
  free (diff);
  free (after);
  free (before);
}

int
main (int argc, char **argv)
{
  size_t before_size;
  size_t after_size;
  size_t max_size;
  char path[4096];

  if (argc == 3 && strcmp (argv[1], "--drive") == 0)
    return drive ("ASB_TEST_DIFF_HOST", argv[2]);
  while (scanf ("%zu %zu %zu %4095[^\n]", &before_size, &after_size, &max_size, path) == 4
         && getchar () == '\n')
    answer (path, before_size, after_size, max_size);
  return 0;
}
