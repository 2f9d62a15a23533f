/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "name-list.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define MANY_NAMES 10000

/* So much is held of one directory. */
#define MAX_SIZE ((size_t)32 * 1024 * 1024)

/* Each name stands behind a byte that says what it is. */
bool
name_list_add (NameList *names, const char *name, unsigned char type)
{
  size_t length = strlen (name) + 1;

  if (names->size + 1 + length > MAX_SIZE)
    {
      errno = EFBIG;
      return false;
    }
  if (names->size + 1 + length > names->capacity)
    {
      size_t capacity = 2 * names->capacity + 4096;
      char *text = realloc (names->text, capacity);

      if (!text)
        {
          errno = ENOMEM;
          return false;
        }
      names->text = text;
      names->capacity = capacity;
    }
  names->text[names->size++] = (char)type;
  memcpy (names->text + names->size, name, length);
  names->size += length;
  names->n_names++;
  return true;
}

unsigned char
name_list_type (const char *name)
{
  return (unsigned char)name[-1];
}

static int
compare_names (const void *a, const void *b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

bool
name_list_sort (NameList *names)
{
  const char *at = names->text;

  free (names->sorted);
  names->sorted = malloc ((names->n_names + 1) * sizeof *names->sorted);
  if (!names->sorted)
    {
      errno = ENOMEM;
      return false;
    }
  for (size_t i = 0; i < names->n_names; i++)
    {
      names->sorted[i] = at + 1;
      at += strlen (at + 1) + 2;
    }
  qsort (names->sorted, names->n_names, sizeof *names->sorted, compare_names);
  return true;
}

NamesOutcome
name_list_read (NameList *names, DIR *directory, size_t max_names)
{
  struct dirent *entry;

  while (names->n_names < max_names)
    {
      errno = 0;
      entry = readdir (directory);
      if (!entry)
        return errno == 0 ? NAMES_READ : NAMES_FAILED;
      if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0
          && !name_list_add (names, entry->d_name, entry->d_type))
        return NAMES_FAILED;
    }
  return NAMES_LEFT;
}

void
name_list_empty (NameList *names)
{
  names->size = 0;
  names->n_names = 0;
}

void
name_list_clear (NameList *names)
{
  size_t n = names->n_names;

  free (names->text);
  free (names->sorted);
  *names = (NameList){ 0 };
  if (n > MANY_NAMES)
    malloc_trim (0);
}
