/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench.h"

#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void
wait_for (pid_t pid)
{
  int status = 0;

  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (status, ==, 0);
}

void
bench_plain_spawn (guint rounds)
{
  char *argv[] = { (char *)"true", NULL };

  for (guint i = 0; i < rounds; i++)
    {
      gint64 start = g_get_monotonic_time ();
      pid_t pid;

      g_assert_cmpint (posix_spawnp (&pid, "true", NULL, NULL, argv, environ), ==, 0);
      wait_for (pid);
      bench_print_since (start);
    }
}

typedef struct
{
  int fd;
  guint64 size;
} Feed;

static gpointer
feed (gpointer data)
{
  const Feed *what = data;
  g_autofree char *piece = g_malloc0 (PIECE_SIZE);
  guint64 left = what->size;

  while (left > 0)
    {
      ssize_t written = write (what->fd, piece, MIN (left, PIECE_SIZE));

      g_assert_cmpint (written, >, 0);
      left -= (guint64)written;
    }
  close (what->fd);
  return NULL;
}

static guint64
drain (int fd)
{
  g_autofree char *piece = g_malloc (PIECE_SIZE);
  guint64 total = 0;
  ssize_t length;

  while ((length = read (fd, piece, PIECE_SIZE)) > 0)
    total += (guint64)length;
  g_assert_cmpint (length, ==, 0);
  return total;
}

static pid_t
spawn_cat (int *input, int *output)
{
  char *argv[] = { (char *)"cat", NULL };
  posix_spawn_file_actions_t actions;
  int to_cat[2];
  int from_cat[2];
  pid_t pid;

  g_assert_cmpint (pipe (to_cat), ==, 0);
  g_assert_cmpint (pipe (from_cat), ==, 0);
  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_adddup2 (&actions, to_cat[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2 (&actions, from_cat[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose (&actions, to_cat[1]);
  posix_spawn_file_actions_addclose (&actions, from_cat[0]);
  g_assert_cmpint (posix_spawnp (&pid, "cat", &actions, NULL, argv, environ), ==, 0);
  posix_spawn_file_actions_destroy (&actions);
  close (to_cat[0]);
  close (from_cat[1]);
  *input = to_cat[1];
  *output = from_cat[0];
  return pid;
}

void
bench_plain_cat (guint64 size)
{
  gint64 start = g_get_monotonic_time ();
  int input;
  int output;
  pid_t pid = spawn_cat (&input, &output);
  Feed what = { input, size };
  GThread *feeder = g_thread_new ("feed", feed, &what);

  g_assert_cmpuint (drain (output), ==, size);
  g_thread_join (feeder);
  close (output);
  wait_for (pid);
  bench_print_since (start);
}
