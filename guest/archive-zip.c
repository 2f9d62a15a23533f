/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "archive-zip.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Where libarchive looks for the end. */
#define TAIL_SIZE (16 * 1024)

#define END_SIZE 22
#define END64_SIZE 56
#define LOCATOR_SIZE 20
#define ENTRY_SIZE 46
#define LOCAL_SIZE 30
#define NAME_IS_UTF8 0x0800
#define IN_EXTRA UINT32_MAX
#define EXTRA64 1

typedef struct
{
  int fd;
  int64_t size;
  int64_t at;         /* of the list */
  int64_t correction; /* of what it says where members are */
} Zip;

/* Numbers of @n bytes, the lowest first. */
static uint64_t
number (const uint8_t *at, size_t n)
{
  uint64_t value = 0;

  while (n-- > 0)
    value = value << 8 | at[n];
  return value;
}

static bool
read_at (const Zip *zip, int64_t at, void *bytes, size_t size)
{
  return at >= 0 && at <= zip->size && (uint64_t)(zip->size - at) >= size
         && pread (zip->fd, bytes, size, at) == (ssize_t)size;
}

static bool
is_marked (const uint8_t *at, uint8_t third, uint8_t fourth)
{
  return at[0] == 'P' && at[1] == 'K' && at[2] == third && at[3] == fourth;
}

/* The list of a zip of more than 4 GiB or 65,535 members. @at is that of the locator. */
static bool
find_large_list (Zip *zip, int64_t at)
{
  uint8_t locator[LOCATOR_SIZE];
  uint8_t end[END64_SIZE];

  if (!read_at (zip, at, locator, sizeof locator)
      || !read_at (zip, (int64_t)number (locator + 8, 8), end, sizeof end)
      || !is_marked (end, 6, 6))
    return false;
  zip->at = (int64_t)number (end + 48, 8);
  zip->correction = 0;
  return true;
}

static bool
find_list (Zip *zip, const uint8_t *end, int64_t at)
{
  uint8_t before[4];
  int64_t size = (int64_t)number (end + 12, 4);

  /* Nothing may follow it but the comment. */
  if (at + END_SIZE + (int64_t)number (end + 20, 2) != zip->size)
    return false;
  if (read_at (zip, at - LOCATOR_SIZE, before, sizeof before) && is_marked (before, 6, 7))
    return find_large_list (zip, at - LOCATOR_SIZE);
  zip->at = at - size;
  zip->correction = zip->at - (int64_t)number (end + 16, 4);
  return zip->at >= 0 && zip->correction >= 0;
}

static bool
find_end (Zip *zip)
{
  uint8_t tail[TAIL_SIZE];
  size_t size = zip->size < TAIL_SIZE ? (size_t)zip->size : TAIL_SIZE;

  if (size < END_SIZE || !read_at (zip, zip->size - (int64_t)size, tail, size))
    return false;
  for (size_t i = size - END_SIZE + 1; i-- > 0;)
    if (is_marked (tail + i, 5, 6))
      return find_list (zip, tail + i, zip->size - (int64_t)(size - i));
  return false;
}

/* Of what it says where a member is; −1 when nothing can be there. */
static int64_t
correct (const Zip *zip, uint64_t told)
{
  return told <= (uint64_t)zip->size ? (int64_t)told + zip->correction : -1;
}

/* Where the member itself is; −1 when that is not told. */
static int64_t
find_member (const Zip *zip, const uint8_t *entry, int64_t extra_at, size_t extra_size)
{
  uint8_t extra[UINT16_MAX];
  size_t skipped
      = 8 * ((number (entry + 24, 4) == IN_EXTRA) + (number (entry + 20, 4) == IN_EXTRA));

  if (number (entry + 42, 4) != IN_EXTRA)
    return (int64_t)number (entry + 42, 4) + zip->correction;
  if (!read_at (zip, extra_at, extra, extra_size))
    return -1;
  for (size_t at = 0; at + 4 <= extra_size;)
    {
      size_t length = number (extra + at + 2, 2);

      if (number (extra + at, 2) == EXTRA64 && length >= skipped + 8
          && at + 4 + skipped + 8 <= extra_size)
        return correct (zip, number (extra + at + 4 + skipped, 8));
      at += 4 + length;
    }
  return -1;
}

static void
unmark_name (const Zip *zip, int64_t at)
{
  uint8_t local[LOCAL_SIZE];
  uint64_t flags;

  if (at < 0 || !read_at (zip, at, local, sizeof local) || !is_marked (local, 3, 4))
    return;
  flags = number (local + 6, 2);
  if (!(flags & NAME_IS_UTF8))
    return;
  local[7] &= (uint8_t) ~(NAME_IS_UTF8 >> 8);
  if (pwrite (zip->fd, local + 7, 1, at + 7) != 1)
    return;
}

ArchiveZip
archive_zip_prepare (int fd, int64_t size, int64_t max_members)
{
  Zip zip = { .fd = fd, .size = size };
  uint8_t entry[ENTRY_SIZE] = { 0 };
  int64_t n = 0;

  if (!find_end (&zip))
    return ARCHIVE_ZIP_DAMAGED;
  while (read_at (&zip, zip.at, entry, 4) && is_marked (entry, 1, 2))
    {
      size_t name_size;
      size_t extra_size;

      if (!read_at (&zip, zip.at, entry, sizeof entry))
        return ARCHIVE_ZIP_DAMAGED;
      if (n++ >= max_members)
        return ARCHIVE_ZIP_TOO_MANY;
      name_size = number (entry + 28, 2);
      extra_size = number (entry + 30, 2);
      unmark_name (&zip,
                   find_member (&zip, entry, zip.at + ENTRY_SIZE + (int64_t)name_size, extra_size));
      zip.at += ENTRY_SIZE + (int64_t)(name_size + extra_size + number (entry + 32, 2));
    }
  if (!is_marked (entry, 5, 6) && !is_marked (entry, 6, 6))
    return ARCHIVE_ZIP_DAMAGED;
  return n > 0 ? ARCHIVE_ZIP_GOOD : ARCHIVE_ZIP_EMPTY;
}
