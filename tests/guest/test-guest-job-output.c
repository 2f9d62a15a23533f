/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is kept of the output of a job, beside what was printed: rings in one file, with more or
 * less room, and places where there can be no such file. */

#include "job-output.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MIB (1024 * 1024)

/* The system, where that is to refuse. */

static struct
{
  const char *directory; /* no file can be opened there… */
  int error;             /* …for this reason, if it has no name */
} refused;

int __real_open64 (const char *path, int flags, ...);
int __wrap_open64 (const char *path, int flags, ...);

int
__wrap_open64 (const char *path, int flags, ...)
{
  va_list arguments;
  int mode;

  va_start (arguments, flags);
  mode = va_arg (arguments, int);
  va_end (arguments);
  if (refused.directory && strcmp (path, refused.directory) == 0)
    {
      errno = refused.error;
      return -1;
    }
  return __real_open64 (path, flags, mode);
}

/* What a job prints, and what is to be kept of it. */

typedef struct
{
  JobOutput output;
  char *directory;
  uint64_t total[JOB_OUTPUT_N_STREAMS];
  uint64_t room; /* that there is beyond what each has for sure */
} Printing;

static size_t
take_room (void *data, size_t size)
{
  Printing *self = data;
  size_t taken = size < self->room ? size : (size_t)self->room;

  self->room -= taken;
  return taken;
}

static void
printing_begin (Printing *self, uint64_t room)
{
  *self = (Printing){ .room = room };
  self->directory = g_dir_make_tmp ("job-output-XXXXXX", NULL);
  job_output_init (&self->output, self->directory, take_room, self);
}

static void
printing_end (Printing *self)
{
  job_output_clear (&self->output);
  /* It has to be empty. */
  g_assert_cmpint (g_rmdir (self->directory), ==, 0);
  g_free (self->directory);
}

static uint8_t
byte_at (unsigned stream, uint64_t position)
{
  return (uint8_t)((position * UINT64_C (2654435761)) >> 24) ^ (uint8_t)(position >> 13)
         ^ (uint8_t)(stream * 0x5a);
}

static void
print (Printing *self, unsigned stream, size_t size)
{
  g_autofree uint8_t *bytes = g_malloc (size);

  for (size_t i = 0; i < size; i++)
    bytes[i] = byte_at (stream, self->total[stream] + i);
  job_output_add (&self->output, stream, bytes, size);
  self->total[stream] += size;
  g_assert_cmpuint (self->output.streams[stream].total, ==, self->total[stream]);
}

static uint64_t
kept (const Printing *self, unsigned stream)
{
  return self->total[stream] - job_output_first (&self->output, stream);
}

/* All that is said to be kept is there, and nothing else. */
static void
assert_intact (const Printing *self)
{
  static uint8_t bytes[100000];

  g_assert_cmpuint (job_output_kept (&self->output), ==, kept (self, 0) + kept (self, 1));
  for (unsigned stream = 0; stream < JOB_OUTPUT_N_STREAMS; stream++)
    for (uint64_t at = job_output_first (&self->output, stream); at < self->total[stream];)
      {
        ssize_t n = job_output_read (&self->output, stream, at, bytes, sizeof bytes);

        g_assert_cmpint (n, >, 0);
        g_assert_cmpuint (at + (uint64_t)n, <=, self->total[stream]);
        for (ssize_t i = 0; i < n; i++)
          if (bytes[i] != byte_at (stream, at + (uint64_t)i))
            g_error ("byte %" G_GUINT64_FORMAT " of stream %u is another", at + (uint64_t)i,
                     stream);
        at += (uint64_t)n;
      }
}

static void
test_rings (void)
{
  Printing self;

  printing_begin (&self, UINT64_MAX);
  assert_intact (&self);
  for (int i = 0; i < 100; i++)
    {
      for (unsigned stream = 0; stream < JOB_OUTPUT_N_STREAMS; stream++)
        {
          print (&self, stream, (size_t)g_test_rand_int_range (1, stream == 0 ? 700000 : 400000));
          g_assert_cmpuint (kept (&self, stream), ==, MIN (self.total[stream], 8 * MIB));
        }
      if (i % 10 == 9)
        assert_intact (&self);
    }
  g_assert_cmpint (self.output.error, ==, 0);
  printing_end (&self);
}

static void
test_little_room (void)
{
  const uint64_t sure = 64 * 1024;
  const uint64_t rooms[] = { 0, 1, 1000, 3 * MIB };

  for (size_t i = 0; i < G_N_ELEMENTS (rooms); i++)
    {
      Printing self;

      printing_begin (&self, rooms[i]);
      for (int j = 0; j < 5; j++)
        print (&self, 1, 10000);
      g_assert_cmpuint (kept (&self, 1), ==, 50000);
      g_assert_cmpuint (self.room, ==, rooms[i]);
      for (int j = 0; j < 40; j++)
        print (&self, 0, 100000);
      print (&self, 1, 100000);
      g_assert_cmpuint (kept (&self, 0), ==, sure + rooms[i]);
      g_assert_cmpuint (kept (&self, 1), ==, sure);
      assert_intact (&self);
      printing_end (&self);
    }
}

static void
test_nothing (void)
{
  Printing self;

  printing_begin (&self, UINT64_MAX);
  job_output_keep_nothing (&self.output, 0);
  print (&self, 0, 1000);
  g_assert_cmpuint (kept (&self, 0), ==, 0);
  g_assert_cmpint (self.output.fd, ==, -1);
  print (&self, 1, 1000);
  g_assert_cmpuint (kept (&self, 1), ==, 1000);
  assert_intact (&self);
  printing_end (&self);
}

/* What was there is written over; where that is refused, too, nothing is kept any more. */
static void
test_file_that_may_not_grow (void)
{
  struct rlimit limit;
  struct rlimit small;
  Printing self;

  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &limit);
  printing_begin (&self, UINT64_MAX);
  small = (struct rlimit){ 100000, limit.rlim_max };
  setrlimit (RLIMIT_FSIZE, &small);
  print (&self, 0, 250000);
  g_assert_cmpuint (kept (&self, 0), ==, 100000);
  g_assert_cmpint (self.output.error, ==, EFBIG);
  assert_intact (&self);
  small.rlim_cur = 0;
  setrlimit (RLIMIT_FSIZE, &small);
  print (&self, 0, 250000);
  print (&self, 1, 1);
  setrlimit (RLIMIT_FSIZE, &limit);
  g_assert_cmpuint (job_output_kept (&self.output), ==, 0);
  print (&self, 0, 250000);
  g_assert_cmpuint (job_output_kept (&self.output), ==, 0);
  printing_end (&self);
}

static void
assert_private (const Printing *self)
{
  struct stat status;

  g_assert_cmpint (fstat (self->output.fd, &status), ==, 0);
  g_assert_cmpuint (status.st_mode, ==, S_IFREG | 0600);
  g_assert_cmpuint (status.st_nlink, ==, 0);
  g_assert_cmpint (fcntl (self->output.fd, F_GETFD), ==, FD_CLOEXEC);
}

/* No file can be without a name there, none at all, or not even in /tmp. */
static void
test_places (void)
{
  const int errors[] = { 0, EOPNOTSUPP, EISDIR, EACCES, EROFS, ENOENT, ENOTDIR, EIO };

  for (size_t i = 0; i < G_N_ELEMENTS (errors); i++)
    {
      Printing self;

      printing_begin (&self, UINT64_MAX);
      refused.directory = errors[i] != 0 ? self.directory : NULL;
      refused.error = errors[i];
      print (&self, 0, 1000);
      refused.directory = NULL;
      g_assert_cmpint (self.output.error, ==, errors[i] == EIO ? EIO : 0);
      g_assert_cmpuint (kept (&self, 0), ==, errors[i] == EIO ? 0 : 1000);
      if (errors[i] != EIO)
        assert_private (&self);
      assert_intact (&self);
      printing_end (&self);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/guest/job-output/rings", test_rings);
  g_test_add_func ("/guest/job-output/little-room", test_little_room);
  g_test_add_func ("/guest/job-output/nothing", test_nothing);
  g_test_add_func ("/guest/job-output/file-that-may-not-grow", test_file_that_may_not_grow);
  g_test_add_func ("/guest/job-output/places", test_places);
  return g_test_run ();
}
