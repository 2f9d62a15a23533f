/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The private folder in which archives are unpacked: what goes with it, and what is kept. */

#include "archive-staging.h"

#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct
{
  char *path;
  int fd;
  Failure failure;
  ArchiveStaging staging;
} Place;

static void
place_open (Place *place)
{
  g_autoptr (GError) error = NULL;
  ArchiveCounts counts = { 0 };
  int file;

  *place = (Place){ .path = g_dir_make_tmp ("asb-staging-XXXXXX", &error) };
  g_assert_no_error (error);
  place->fd = open (place->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  g_assert_cmpint (place->fd, >=, 0);
  g_assert_true (
      archive_staging_begin (&place->staging, place->fd, place->path, &counts, &place->failure));
  file = openat (place->staging.fd, "old", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  g_assert_cmpint (file, >=, 0);
  close (file);
}

static guint
count_entries (const Place *place)
{
  g_autoptr (GDir) folder = g_dir_open (place->path, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (folder))
    n++;
  return n;
}

/* Another that comes to the same place. */
static void
come_and_go (const Place *place)
{
  ArchiveStaging other;
  ArchiveCounts counts = { 0 };
  Failure failure = { 0 };

  g_assert_true (archive_staging_begin (&other, place->fd, place->path, &counts, &failure));
  archive_staging_end (&other);
}

static void
place_close (Place *place)
{
  failure_clear (&place->failure);
  close (place->fd);
  g_assert_cmpint (g_rmdir (place->path), ==, 0);
  g_free (place->path);
}

static void
test_end (void)
{
  Place place;

  g_test_summary ("At its end it is gone with all that is in it, also one that was left");

  place_open (&place);
  archive_staging_end (&place.staging);
  g_assert_cmpuint (count_entries (&place), ==, 0);
  place_close (&place);

  place_open (&place);
  archive_staging_release (&place.staging);
  come_and_go (&place);
  g_assert_cmpuint (count_entries (&place), ==, 0);
  place_close (&place);
}

static void
test_keep (void)
{
  Place place;
  g_autofree char *folder = NULL;
  g_autofree char *file = NULL;
  const char *start;
  const char *end;

  g_test_summary ("One that is kept is told of, and nobody removes it");

  place_open (&place);
  g_assert_true (archive_staging_guard (&place.staging, place.path, &place.failure));
  come_and_go (&place);
  failure_set (&place.failure, FAILURE_IO_ERROR, "It did not work");
  archive_staging_keep (&place.staging, place.path, &place.failure);
  come_and_go (&place);
  start = strstr (place.failure.message, "“");
  end = start ? strstr (start, "”") : NULL;
  g_assert_nonnull (end);
  g_assert_true (g_str_has_prefix (place.failure.message, "It did not work; "));
  folder = g_strndup (start + strlen ("“"), (gsize)(end - start) - strlen ("“"));
  file = g_build_filename (folder, "old", NULL);
  g_assert_cmpint (g_unlink (file), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  place_close (&place);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/guest/staging/end", test_end);
  g_test_add_func ("/guest/staging/keep", test_keep);
  return g_test_run ();
}
