/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* file.watch while folders are moved around between any two of its calls to the system: once that
 * has come to rest, everything there is heard of by its own path. */

#include "file-operations.h"
#include "file-path.h"
#include "worker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/inotify.h>
#include <unistd.h>

#define N_ROUNDS 80
#define MAX_DEPTH 5

typedef enum
{
  PREPARING,
  MOVING, /* until nothing is left to be done, and all of it has been told */
  PROBING,
  OVER
} Phase;

static struct
{
  GRand *random;
  char *top;
  char *watched;
  char *elsewhere;
  Phase phase;
  gboolean exchanges;
  guint n_left;
  guint percentage; /* of the calls before which something is moved */
  gint64 waited;    /* nanoseconds that passed only in here */
  GString *told;
  GPtrArray *probes;
} world;

/* What happens to the folders. */

static void
add_folders (GPtrArray *folders, const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  g_ptr_array_add (folders, g_strdup (path));
  while (folder && (name = g_dir_read_name (folder)))
    {
      g_autofree char *below = g_build_filename (path, name, NULL);

      if (g_file_test (below, G_FILE_TEST_IS_DIR))
        add_folders (folders, below);
    }
}

static const char *
pick (const GPtrArray *folders)
{
  return g_ptr_array_index (folders, g_rand_int_range (world.random, 0, (gint32)folders->len));
}

static gboolean
is_deep (const char *path)
{
  guint depth = 0;

  for (const char *at = path + strlen (world.top); *at; at++)
    depth += *at == '/';
  return depth > MAX_DEPTH;
}

/* Most of it fails, for example since a folder cannot go into itself. */
static void
do_something (void)
{
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *to = NULL;
  char name[] = { (char)g_rand_int_range (world.random, 'a', 'e'), '\0' };
  const char *from;

  add_folders (folders, world.watched);
  add_folders (folders, world.elsewhere);
  from = pick (folders);
  to = g_build_filename (pick (folders), name, NULL);
  if (strcmp (from, world.watched) == 0 || strcmp (from, world.elsewhere) == 0 || is_deep (to))
    g_mkdir (to, 0755);
  else if (world.exchanges && g_rand_int_range (world.random, 0, 4) == 0)
    renameat2 (AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE);
  else if (g_rand_int_range (world.random, 0, 8) == 0)
    g_rmdir (from);
  else
    g_rename (from, to);
}

static void
do_some (guint n)
{
  for (; n > 0 && world.n_left > 0; n--, world.n_left--)
    do_something ();
}

/* Before the guest asks the system for something. */
static void
come_between (void)
{
  int error = errno;

  while (world.phase == MOVING && world.n_left > 0
         && g_rand_int_range (world.random, 0, 100) < (gint32)world.percentage)
    do_some (1);
  errno = error;
}

int __real_inotify_add_watch (int fd, const char *path, uint32_t mask);
int __wrap_inotify_add_watch (int fd, const char *path, uint32_t mask);

int
__wrap_inotify_add_watch (int fd, const char *path, uint32_t mask)
{
  come_between ();
  return __real_inotify_add_watch (fd, path, mask);
}

int __real_open64 (const char *path, int flags, ...);
int __wrap_open64 (const char *path, int flags, ...);

int
__wrap_open64 (const char *path, int flags, ...)
{
  come_between ();
  return __real_open64 (path, flags);
}

int __real_openat64 (int fd, const char *path, int flags, ...);
int __wrap_openat64 (int fd, const char *path, int flags, ...);

int
__wrap_openat64 (int fd, const char *path, int flags, ...)
{
  come_between ();
  return __real_openat64 (fd, path, flags);
}

struct dirent *__real_readdir64 (DIR *folder);
struct dirent *__wrap_readdir64 (DIR *folder);

struct dirent *
__wrap_readdir64 (DIR *folder)
{
  come_between ();
  return __real_readdir64 (folder);
}

int64_t __real_walk_clock (void);
int64_t __wrap_walk_clock (void);

int64_t
__wrap_walk_clock (void)
{
  return __real_walk_clock () + world.waited;
}

/* The rest of the guest. */

bool
worker_goes_on (FileWorker *worker)
{
  return true;
}

size_t
worker_room (const FileWorker *worker)
{
  return SIZE_MAX / 2;
}

bool
worker_send (FileWorker *worker, const void *bytes, size_t size)
{
  g_string_append_len (world.told, bytes, (gssize)size);
  return true;
}

void
worker_send_event (FileWorker *worker, json_t *event)
{
  json_decref (event);
}

bool
file_is_history (const FileWorker *worker, const struct stat *status)
{
  return false;
}

/* A file in each folder that is watched. */
static void
make_probes (void)
{
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_free);

  add_folders (folders, world.watched);
  for (guint i = 0; i < folders->len; i++)
    {
      char *path = g_strdup_printf ("%s/probe-%u", (char *)g_ptr_array_index (folders, i), i);

      close (g_creat (path, 0644));
      g_ptr_array_add (world.probes, path);
    }
}

/* Nothing has been told that was not heard. */
static void
rest (FileWorker *worker)
{
  if (world.n_left > 0)
    do_some (1);
  else if (world.phase == MOVING)
    {
      world.phase = PROBING;
      make_probes ();
    }
  else
    {
      world.phase = OVER;
      worker->stopped = true;
    }
}

bool
worker_wait_for (FileWorker *worker, int fd, int timeout)
{
  struct pollfd polled = { .fd = fd, .events = POLLIN };

  do_some ((guint)g_rand_int_range (world.random, 0, 4));
  if (poll (&polled, 1, 0) > 0)
    return true;
  if (timeout >= 0)
    world.waited += timeout * INT64_C (1000000);
  else
    rest (worker);
  return true;
}

/* The rounds. */

static void
remove_all (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  while (folder && (name = g_dir_read_name (folder)))
    {
      g_autofree char *below = g_build_filename (path, name, NULL);

      remove_all (below);
    }
  g_remove (path);
}

static void
prepare (guint round)
{
  g_mkdir (world.watched, 0755);
  g_mkdir (world.elsewhere, 0755);
  g_rand_set_seed (world.random, round);
  world.phase = PREPARING;
  world.n_left = 15;
  do_some (15);
  world.n_left = (guint)g_rand_int_range (world.random, 10, 70);
  world.percentage = (guint)g_rand_int_range (world.random, 0, 40);
  world.phase = MOVING;
  g_string_truncate (world.told, 0);
  g_ptr_array_set_size (world.probes, 0);
}

static void
check_probes (guint round)
{
  for (guint i = 0; i < world.probes->len; i++)
    {
      const char *path = g_ptr_array_index (world.probes, i);
      g_autofree char *event = g_strdup_printf (
          "{\"event\":\"created\",\"path\":\"%s\",\"is_directory\":false}\n", path);

      if (!strstr (world.told->str, event))
        g_error ("round %u: “%s” was not heard of", round, path);
    }
}

static void
run_round (guint round)
{
  FileWorker worker = { .args = json_pack ("{s:s, s:b}", "path", world.watched, "recursive", 1) };
  FileResult result = { 0 };
  Failure failure = { 0 };

  prepare (round);
  g_assert_true (file_watch (&worker, &result, &failure));
  check_probes (round);
  json_decref (worker.args);
  json_decref (result.result);
  remove_all (world.watched);
  remove_all (world.elsewhere);
}

static void
test_moves (gconstpointer exchanges)
{
  g_autoptr (GError) error = NULL;

  world.random = g_rand_new ();
  world.top = g_dir_make_tmp ("asb-watch-XXXXXX", &error);
  g_assert_no_error (error);
  world.watched = g_build_filename (world.top, "watched", NULL);
  world.elsewhere = g_build_filename (world.top, "elsewhere", NULL);
  world.exchanges = exchanges != NULL;
  world.told = g_string_new (NULL);
  world.probes = g_ptr_array_new_with_free_func (g_free);
  for (guint round = 0; round < N_ROUNDS; round++)
    run_round (round);
  remove_all (world.top);
  g_rand_free (world.random);
  g_string_free (world.told, TRUE);
  g_ptr_array_unref (world.probes);
  g_free (world.watched);
  g_free (world.elsewhere);
  g_free (world.top);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/guest/watch/moves", NULL, test_moves);
  g_test_add_data_func ("/guest/watch/exchanges", "", test_moves);
  return g_test_run ();
}
