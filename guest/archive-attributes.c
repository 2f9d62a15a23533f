/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "archive-attributes.h"

#include "archive-name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SIZE (32 * 1024 * 1024)

static bool
make_room (ArchiveAttributesList *list)
{
  size_t capacity = 2 * list->capacity + 16;
  ArchiveAttributes *items;

  if (list->n_items < list->capacity)
    return true;
  items = realloc (list->items, capacity * sizeof *items);
  if (!items)
    return false;
  list->items = items;
  list->capacity = capacity;
  return true;
}

bool
archive_attributes_add (ArchiveAttributesList *list, const char *path, mode_t mode,
                        struct timespec mtime)
{
  ArchiveAttributes *item;

  list->size += strlen (path) + sizeof *item;
  errno = EFBIG;
  if (list->size > MAX_SIZE || !make_room (list))
    return false;
  item = &list->items[list->n_items];
  *item = (ArchiveAttributes){ strdup (path), list->n_items, mode, mtime };
  list->is_sorted = false;
  list->n_items += item->path != NULL;
  return item->path != NULL;
}

/* What lies deeper comes first: afterwards one may no longer get there. */
static int
compare (const void *a, const void *b)
{
  const ArchiveAttributes *first = a;
  const ArchiveAttributes *second = b;
  int order = strcmp (second->path, first->path);

  if (order != 0)
    return order;
  return first->order < second->order ? 1 : -1;
}

static void
sort (ArchiveAttributesList *list)
{
  size_t n = 0;

  if (list->is_sorted || list->n_items == 0)
    return;
  qsort (list->items, list->n_items, sizeof *list->items, compare);
  for (size_t i = 0; i < list->n_items; i++)
    if (n > 0 && strcmp (list->items[i].path, list->items[n - 1].path) == 0)
      free (list->items[i].path);
    else
      list->items[n++] = list->items[i];
  list->n_items = n;
  list->is_sorted = true;
}

static int
compare_path (const void *key, const void *item)
{
  return strcmp (((const ArchiveAttributes *)item)->path, key);
}

void
archive_attributes_forget (ArchiveAttributesList *list, const char *path)
{
  ArchiveAttributes *found = NULL;

  sort (list);
  if (list->n_items > 0)
    found = bsearch (path, list->items, list->n_items, sizeof *list->items, compare_path);
  if (found)
    found->mode = (mode_t)-1;
}

void
archive_attributes_apply (ArchiveAttributesList *list, int root_fd)
{
  sort (list);
  for (size_t i = 0; i < list->n_items; i++)
    {
      const ArchiveAttributes *item = &list->items[i];
      struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, item->mtime };
      int fd = item->mode == (mode_t)-1 ? -1 : archive_open_below (root_fd, item->path);

      if (fd < 0)
        continue;
      futimens (fd, times);
      fchmod (fd, item->mode);
      close (fd);
    }
}

void
archive_attributes_clear (ArchiveAttributesList *list)
{
  for (size_t i = 0; i < list->n_items; i++)
    free (list->items[i].path);
  free (list->items);
  *list = (ArchiveAttributesList){ 0 };
}
