/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gives a fuzz target the files of its corpus, where there is no libFuzzer:
 *
 *   fuzz-NAME [--cut] [--change N] [--keep FILE] FILE|FOLDER…
 *
 * --cut gives it each beginning of each file, too; --change N times a changed copy of each, always
 * the same; --keep leaves the last input in FILE, for when the target ends the process. */

#include "fuzz.h"

#include <dirent.h>
#include <sys/stat.h>

#define MAX_FILES 4096
#define MAX_SIZE (1024 * 1024)
#define MAX_PATH 4096

typedef struct
{
  char *name;
  uint8_t *bytes;
  size_t size;
} File;

typedef struct
{
  File files[MAX_FILES];
  size_t n_files;
  bool cut;
  unsigned n_changes;
  const char *keep;
} Replay;

static void
give_up (const char *what, const char *name)
{
  fprintf (stderr, "%s “%s”\n", what, name);
  exit (2);
}

static void *
allocate (size_t size)
{
  void *bytes = malloc (size + 1);

  if (!bytes)
    give_up ("There is not enough memory for", "an input");
  return bytes;
}

static void
add_file (Replay *replay, const char *path)
{
  File *file = &replay->files[replay->n_files];
  FILE *stream = fopen (path, "rb");
  const char *slash = strrchr (path, '/');

  if (!stream || replay->n_files == MAX_FILES)
    give_up ("Could not read", path);
  file->name = strdup (slash ? slash + 1 : path);
  file->bytes = allocate (MAX_SIZE);
  file->size = fread (file->bytes, 1, MAX_SIZE, stream);
  file->bytes = realloc (file->bytes, file->size + 1);
  fclose (stream);
  replay->n_files++;
}

static int
is_visible (const struct dirent *entry)
{
  return entry->d_name[0] != '.';
}

static void
add_folder (Replay *replay, const char *path)
{
  struct dirent **entries;
  int n = scandir (path, &entries, is_visible, alphasort);

  if (n < 0)
    give_up ("Could not read", path);
  for (int i = 0; i < n; i++)
    {
      char name[MAX_PATH];

      snprintf (name, sizeof name, "%s/%s", path, entries[i]->d_name);
      add_file (replay, name);
      free (entries[i]);
    }
  free (entries);
}

static void
add (Replay *replay, const char *path)
{
  struct stat status;

  if (stat (path, &status) != 0)
    give_up ("There is no", path);
  if (S_ISDIR (status.st_mode))
    add_folder (replay, path);
  else
    add_file (replay, path);
}

static void
keep (const char *path, const uint8_t *bytes, size_t size)
{
  FILE *stream = fopen (path, "wb");

  if (!stream || fwrite (bytes, 1, size, stream) != size || fclose (stream) != 0)
    give_up ("Could not write", path);
}

/* In a block of its own size, so that a checker of memory sees who reads on. */
static void
run (const Replay *replay, const uint8_t *bytes, size_t size)
{
  uint8_t *copy = malloc (size);

  if (size > 0)
    memcpy (copy, bytes, size);
  if (replay->keep)
    keep (replay->keep, bytes, size);
  LLVMFuzzerTestOneInput (copy, size);
  free (copy);
}

/* Changes: a handful of what libFuzzer does, with numbers that are the same in each run. */

static uint32_t
next_number (uint32_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

static size_t
choose (uint32_t *state, size_t n)
{
  return n > 0 ? next_number (state) % n : 0;
}

static void
set_byte (uint8_t *bytes, size_t size, uint32_t *state)
{
  static const uint8_t interesting[] = { 0, 1, 0x7F, 0x80, 0xFF, '"', '{', '[', '\\', '0', '-' };

  if (size > 0)
    bytes[choose (state, size)] = interesting[choose (state, sizeof interesting)];
}

static void
flip_bit (uint8_t *bytes, size_t size, uint32_t *state)
{
  if (size > 0)
    bytes[choose (state, size)] ^= (uint8_t)(1u << choose (state, 8));
}

static void
remove_part (uint8_t *bytes, size_t *size, uint32_t *state)
{
  size_t start = choose (state, *size);
  size_t length = choose (state, *size - start);

  memmove (bytes + start, bytes + start + length, *size - start - length);
  *size -= length;
}

/* Puts a part of another file over the end of this one. */
static void
splice (const Replay *replay, uint8_t *bytes, size_t *size, uint32_t *state)
{
  const File *other = &replay->files[choose (state, replay->n_files)];
  size_t start = choose (state, *size);
  size_t from = choose (state, other->size);

  *size = start + other->size - from;
  if (*size > MAX_SIZE)
    *size = MAX_SIZE;
  memcpy (bytes + start, other->bytes + from, *size - start);
}

static void
run_changed (const Replay *replay, const File *file, unsigned number)
{
  uint32_t state = 2463534242u + number * 2654435761u + (uint32_t)file->size;
  uint8_t *bytes = allocate (MAX_SIZE);
  size_t size = file->size;

  memcpy (bytes, file->bytes, size);
  for (size_t n = choose (&state, 4) + 1; n > 0; n--)
    switch (choose (&state, 4))
      {
      case 0:
        flip_bit (bytes, size, &state);
        break;
      case 1:
        set_byte (bytes, size, &state);
        break;
      case 2:
        remove_part (bytes, &size, &state);
        break;
      default:
        splice (replay, bytes, &size, &state);
      }
  run (replay, bytes, size);
  free (bytes);
}

static void
run_file (const Replay *replay, const File *file)
{
  run (replay, file->bytes, file->size);
  for (size_t size = 0; replay->cut && size < file->size; size++)
    run (replay, file->bytes, size);
  for (unsigned i = 0; i < replay->n_changes; i++)
    run_changed (replay, file, i);
}

static void
parse (Replay *replay, int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "--cut") == 0)
      replay->cut = true;
    else if (strcmp (argv[i], "--change") == 0 && i + 1 < argc)
      replay->n_changes = (unsigned)strtoul (argv[++i], NULL, 10);
    else if (strcmp (argv[i], "--keep") == 0 && i + 1 < argc)
      replay->keep = argv[++i];
    else
      add (replay, argv[i]);
}

int
main (int argc, char **argv)
{
  static Replay replay;

  parse (&replay, argc, argv);
  if (replay.n_files == 0)
    give_up ("There is nothing to replay for", argv[0]);
  printf ("1..%zu\n", replay.n_files);
  for (size_t i = 0; i < replay.n_files; i++)
    {
      run_file (&replay, &replay.files[i]);
      printf ("ok %zu %s\n", i + 1, replay.files[i].name);
      fflush (stdout);
    }
  for (size_t i = 0; i < replay.n_files; i++)
    {
      free (replay.files[i].name);
      free (replay.files[i].bytes);
    }
  return 0;
}
