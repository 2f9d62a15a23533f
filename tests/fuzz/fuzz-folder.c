/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fuzz-folder.h"

#include "fuzz.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_OPEN 16

static char folder[64];

static int
remove_entry (const char *path, const struct stat *status, int type, struct FTW *position)
{
  return position->level > 0 ? remove (path) : 0;
}

/* A folder may have been made that its owner cannot look into. */
static int
open_entry (const char *path, const struct stat *status, int type, struct FTW *position)
{
  return type == FTW_DNR || type == FTW_D ? chmod (path, 0700) : 0;
}

void
fuzz_folder_empty (void)
{
  nftw (folder, open_entry, MAX_OPEN, FTW_PHYS);
  FUZZ_CHECK (nftw (folder, remove_entry, MAX_OPEN, FTW_PHYS | FTW_DEPTH) == 0);
}

static void
remove_folder (void)
{
  fuzz_folder_empty ();
  rmdir (folder);
}

const char *
fuzz_folder (void)
{
  if (*folder)
    return folder;
  snprintf (folder, sizeof folder, "%s/asb-fuzz-XXXXXX",
            access ("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  FUZZ_CHECK (mkdtemp (folder) != NULL);
  atexit (remove_folder);
  return folder;
}
