/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "environment.h"

#include "passwd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_RECORDS_SIZE (4 * 1024 * 1024)
#define MAX_ENTRIES 4096

/* Of the one who started the guest, and wrong for a command that runs elsewhere. */
static const char *const NOT_PASSED_ON[] = { "PWD", "OLDPWD", "SHLVL", "_" };

static size_t
name_length (const char *entry)
{
  return strcspn (entry, "=");
}

static bool
has_name (const char *entry, const char *name, size_t length)
{
  return strncmp (entry, name, length) == 0 && (entry[length] == '=' || entry[length] == '\0');
}

static bool
same_name (const char *a, const char *b)
{
  return has_name (a, b, name_length (b));
}

static bool
add (Environment *environment, const char *entry)
{
  size_t n = environment->n_entries;
  char **entries;
  char *copy = strdup (entry);

  for (size_t i = 0; copy && i < n; i++)
    if (same_name (environment->entries[i], entry))
      {
        free (environment->entries[i]);
        environment->entries[i] = copy;
        return true;
      }
  entries = copy ? realloc (environment->entries, (n + 2) * sizeof *entries) : NULL;
  if (!entries)
    {
      free (copy);
      return false;
    }
  entries[n] = copy;
  entries[n + 1] = NULL;
  environment->entries = entries;
  environment->n_entries = n + 1;
  return true;
}

static bool
is_passed_on (const char *entry)
{
  for (size_t i = 0; i < sizeof NOT_PASSED_ON / sizeof *NOT_PASSED_ON; i++)
    if (same_name (NOT_PASSED_ON[i], entry))
      return false;
  return name_length (entry) > 0 && strchr (entry, '=');
}

/* All of @fd, NULL when that fails or is more than anyone needs. */
static char *
read_records (int fd, size_t *size)
{
  size_t capacity = 4096;
  char *records = malloc (capacity);

  *size = 0;
  while (records)
    {
      ssize_t n = read (fd, records + *size, capacity - *size);
      char *larger;

      if (n == 0)
        return records;
      if (n < 0 && errno == EINTR)
        continue;
      *size += n > 0 ? (size_t)n : 0;
      capacity = *size == capacity ? 2 * capacity : capacity;
      larger = n > 0 && capacity <= MAX_RECORDS_SIZE ? realloc (records, capacity) : NULL;
      if (!larger)
        break;
      records = larger;
    }
  free (records);
  return NULL;
}

static bool
add_records (Environment *environment, const char *records, size_t size, const char **reason)
{
  for (size_t at = 0; at < size;)
    {
      size_t length = strnlen (records + at, size - at);

      *reason = "a record is not NAME=value and NUL";
      if (at + length == size || name_length (records + at) == 0 || !strchr (records + at, '='))
        return false;
      *reason = "there are more than 4,096 variables";
      if (environment->n_entries == MAX_ENTRIES)
        return false;
      *reason = "there is not enough memory";
      if (!add (environment, records + at))
        return false;
      at += length + 1;
    }
  return true;
}

static bool
load_records (Environment *environment, int fd, const char **reason)
{
  size_t size;
  char *records = read_records (fd, &size);
  bool done;

  *reason = "it cannot be read or is larger than 4 MiB";
  if (!records)
    return false;
  done = add_records (environment, records, size, reason);
  free (records);
  return done;
}

static bool
add_home (Environment *environment)
{
  char entry[PASSWD_MAX_LINE + sizeof "HOME="];
  Passwd found = { 0 };

  passwd_find (getuid (), &found);
  snprintf (entry, sizeof entry, "HOME=%s", *found.home ? found.home : "/");
  return add (environment, entry);
}

bool
environment_load (Environment *environment, char *const *variables, int fd, const char **reason)
{
  *environment = (Environment){ 0 };
  *reason = "there is not enough memory";
  for (; *variables; variables++)
    if (is_passed_on (*variables) && !add (environment, *variables))
      return false;
  if (fd >= 0 && !load_records (environment, fd, reason))
    return false;
  *reason = "there is not enough memory";
  if (!environment_get (environment->entries, "HOME") && !add_home (environment))
    return false;
  return environment_get (environment->entries, "PATH")
         || add (environment, "PATH=" ENVIRONMENT_DEFAULT_PATH);
}

void
environment_clear (Environment *environment)
{
  for (size_t i = 0; i < environment->n_entries; i++)
    free (environment->entries[i]);
  free (environment->entries);
  *environment = (Environment){ 0 };
}

static bool
is_named_in (const char *entry, const TextList *list)
{
  size_t length = name_length (entry);

  for (size_t i = 0; i < list->n_items; i++)
    if (has_name (list->items[i], entry, length))
      return true;
  return false;
}

char **
environment_merge (const Environment *environment, const TextList *unset, const TextList *set)
{
  char **merged = calloc (environment->n_entries + set->n_items + 1, sizeof *merged);
  size_t n = 0;

  if (!merged)
    return NULL;
  for (size_t i = 0; i < environment->n_entries; i++)
    if (!is_named_in (environment->entries[i], unset)
        && !is_named_in (environment->entries[i], set))
      merged[n++] = environment->entries[i];
  for (size_t i = 0; i < set->n_items; i++)
    {
      TextList later = { set->items + i + 1, set->n_items - i - 1 };

      /* The last of two is meant, and some programs look at the first. */
      if (!is_named_in (set->items[i], &later))
        merged[n++] = set->items[i];
    }
  return merged;
}

const char *
environment_get (char *const *entries, const char *name)
{
  size_t length = strlen (name);

  for (; entries && *entries; entries++)
    if (strncmp (*entries, name, length) == 0 && (*entries)[length] == '=')
      return *entries + length + 1;
  return NULL;
}

const char *
environment_home (const Environment *environment)
{
  const char *home = environment_get (environment->entries, "HOME");

  return home && *home == '/' ? home : "/";
}
