/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Archives, unpacked into a folder. Whatever comes: nothing gets out of the folder, what is refused
 * leaves it as it was, what is taken keeps to the rules and is packed and unpacked again as the
 * same, and no memory, no descriptor and no temporary folder is left.
 *
 * The first byte says how the folder is and in which pieces the archive comes. */

#include "fuzz.h"

#include "archive-folder.h"
#include "archive-name.h"
#include "fuzz-folder.h"
#include "no-iconv.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <unistd.h>

#define MAX_MEMBERS 64
#define MAX_BYTES (1024 * 1024)
#define MAX_PACKED (16 * 1024 * 1024)
#define MAX_OPEN 16

typedef struct
{
  FuzzInput input;
  size_t piece;
  uint8_t *packed;
  size_t n_packed;
  size_t n_left_out;
  bool only_tar;
} World;

static char target[128];

static const uint8_t *
receive (void *data, size_t *size)
{
  World *world = data;
  const uint8_t *bytes = world->input.at;

  *size = fuzz_left (&world->input) < world->piece ? fuzz_left (&world->input) : world->piece;
  world->input.at += *size;
  return *size > 0 ? bytes : NULL;
}

static bool
keep (void *data, const void *bytes, size_t size)
{
  World *world = data;

  FUZZ_CHECK (world->n_packed + size <= MAX_PACKED);
  memcpy (world->packed + world->n_packed, bytes, size);
  world->n_packed += size;
  return true;
}

static bool
go_on (void *data)
{
  return true;
}

static void
count_left_out (void *data, const char *path, const char *code, const char *why)
{
  World *world = data;

  world->n_left_out++;
}

static ArchiveCaller
caller_for (World *world)
{
  return (ArchiveCaller){ .receive = receive,
                          .send = keep,
                          .goes_on = go_on,
                          .left_out = count_left_out,
                          .refuses_names = &no_iconv_refuses,
                          .only_tar = world->only_tar,
                          .data = world };
}

/* What there is. */

static uint64_t digest; /* of one */
static uint64_t total;

static void
add_to_digest (const void *bytes, size_t size)
{
  const uint8_t *at = bytes;

  for (size_t i = 0; i < size; i++)
    digest = (digest ^ at[i]) * UINT64_C (1099511628211);
}

static void
look_at_link (const char *path, const char *name)
{
  char where[PATH_MAX];
  ssize_t n = readlink (path, where, sizeof where - 1);

  FUZZ_CHECK (n > 0);
  where[n] = '\0';
  FUZZ_CHECK (archive_target_check (name, where) == NULL);
  add_to_digest (where, (size_t)n);
}

static void
look_at_file (const char *path)
{
  uint8_t bytes[4096];
  int fd = open (path, O_RDONLY | O_NOFOLLOW);
  ssize_t n = fd >= 0 ? pread (fd, bytes, sizeof bytes, 0) : 0;

  if (n > 0)
    add_to_digest (bytes, (size_t)n);
  if (fd >= 0)
    close (fd);
}

static int
look (const char *path, const struct stat *status, int type, struct FTW *position)
{
  const char *name = path + strlen (target) + (position->level > 0);

  FUZZ_CHECK (strncmp (path, target, strlen (target)) == 0
              && !strstr (path, "/" ARCHIVE_STAGING_PREFIX));
  FUZZ_CHECK ((status->st_mode & 07000) == 0);
  FUZZ_CHECK (S_ISREG (status->st_mode) || S_ISDIR (status->st_mode) || S_ISLNK (status->st_mode));
  if (position->level == 0)
    return 0;
  digest = UINT64_C (14695981039346656037);
  add_to_digest (name, strlen (name) + 1);
  add_to_digest (&status->st_mode, sizeof status->st_mode);
  if (S_ISREG (status->st_mode))
    add_to_digest (&status->st_size, sizeof status->st_size);
  if (S_ISLNK (status->st_mode))
    look_at_link (path, name);
  else if (S_ISREG (status->st_mode))
    look_at_file (path);
  total += digest;
  return 0;
}

/* Everything below the target as one number, in whatever order it comes. */
static uint64_t
look_below (void)
{
  total = 0;
  FUZZ_CHECK (nftw (target, look, MAX_OPEN, FTW_PHYS) == 0);
  return total;
}

/* What there is beside it. */
static void
check_alone (bool exists)
{
  DIR *folder = opendir (fuzz_folder ());
  struct dirent *entry;
  unsigned n = 0;

  while ((entry = readdir (folder)))
    {
      n++;
      FUZZ_CHECK (strcmp (entry->d_name, ".") == 0 || strcmp (entry->d_name, "..") == 0
                  || strcmp (entry->d_name, "t") == 0);
    }
  closedir (folder);
  FUZZ_CHECK (n == 2u + exists);
}

static void
write_file (const char *name)
{
  char path[PATH_MAX];
  FILE *file;

  snprintf (path, sizeof path, "%s/%s", target, name);
  file = fopen (path, "w");
  FUZZ_CHECK (file && fputs ("old", file) >= 0 && fclose (file) == 0);
}

static void
make_target (void)
{
  char path[PATH_MAX];

  FUZZ_CHECK (mkdir (target, 0755) == 0);
  snprintf (path, sizeof path, "%s/d", target);
  FUZZ_CHECK (mkdir (path, 0755) == 0);
  snprintf (path, sizeof path, "%s/l", target);
  FUZZ_CHECK (symlink ("d", path) == 0);
  write_file ("a");
  write_file ("d/b");
}

static bool
unpack (World *world, ArchiveConflict conflict)
{
  const ArchiveCaller caller = caller_for (world);
  int parent_fd = open (fuzz_folder (), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ArchiveUnpacking unpacking = { .caller = &caller,
                                 .bounds = { MAX_MEMBERS, MAX_BYTES, MAX_BYTES, 200 },
                                 .conflict = conflict,
                                 .target_fd = open (target, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                                 .parent_fd = parent_fd,
                                 .name = "t",
                                 .path = target };
  ArchiveCounts counts;
  Failure failure = { 0 };
  bool done = archive_unpack (&unpacking, &counts, &failure);

  FUZZ_CHECK (done == !failure.code);
  FUZZ_CHECK (!done || !world->only_tar || strcmp (counts.format, "tar") == 0);
  FUZZ_CHECK (!done || (counts.members <= MAX_MEMBERS && counts.bytes <= MAX_BYTES));
  failure_clear (&failure);
  close (parent_fd);
  if (unpacking.target_fd >= 0)
    close (unpacking.target_fd);
  return done;
}

static void
pack (World *world)
{
  const ArchiveCaller caller = caller_for (world);
  ArchivePacking packing = { .caller = &caller,
                             .bounds = { INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX },
                             .directory_fd = open (target, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
                             .path = target };
  ArchiveCounts counts;
  Failure failure = { 0 };

  FUZZ_CHECK (packing.directory_fd >= 0 && archive_pack (&packing, &counts, &failure));
  close (packing.directory_fd);
}

/* What was unpacked is packed, and unpacked again as the same. */
static void
go_round (World *world)
{
  uint64_t before = look_below ();

  world->packed = malloc (MAX_PACKED);
  FUZZ_CHECK (world->packed != NULL);
  pack (world);
  FUZZ_CHECK (world->n_left_out == 0);
  fuzz_folder_empty ();
  world->input = (FuzzInput){ world->packed, world->packed + world->n_packed };
  world->piece = 65536;
  FUZZ_CHECK (unpack (world, ARCHIVE_CONFLICT_ERROR));
  FUZZ_CHECK (look_below () == before);
  free (world->packed);
}

static int
lowest_free_descriptor (void)
{
  int fd = open ("/", O_RDONLY | O_CLOEXEC);

  close (fd);
  return fd;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const size_t PIECES[] = { 1, 100, 512, 65536 };
  World world = { .input = { data, data + size } };
  uint8_t how = fuzz_take_byte (&world.input);
  bool exists = how & 1;
  uint64_t before = 0;
  int free_fd = lowest_free_descriptor ();
  bool done;

  snprintf (target, sizeof target, "%s/t", fuzz_folder ());
  fuzz_folder_empty ();
  world.piece = PIECES[how >> 1 & 3];
  world.only_tar = how & 0x40;
  if (exists)
    {
      make_target ();
      before = look_below ();
    }
  done = unpack (&world, (ArchiveConflict)((how >> 3) % 3));
  check_alone (exists || done);
  if (exists && !done)
    FUZZ_CHECK (look_below () == before);
  if (done)
    look_below ();
  if (done && !exists)
    go_round (&world);
  FUZZ_CHECK (lowest_free_descriptor () == free_fd);
  fuzz_folder_empty ();
  return 0;
}
