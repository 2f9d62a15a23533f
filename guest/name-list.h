/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The names of a directory, one after the other in one block of memory. */

#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct
{
  char *text;
  size_t size;
  size_t capacity;
  size_t n_names;
  const char **sorted; /* in byte order; NULL until name_list_sort () */
} NameList;

/* What name_list_read () leaves. */
typedef enum
{
  NAMES_LEFT, /* it stopped at @max_names */
  NAMES_READ,
  NAMES_FAILED /* with errno set */
} NamesOutcome;

/* The names come with what the directory says they are, DT_DIR and so on. */
NamesOutcome name_list_read (NameList *names, DIR *directory, size_t max_names);
bool name_list_add (NameList *names, const char *name, unsigned char type);
bool name_list_sort (NameList *names);
unsigned char name_list_type (const char *name);

/* Keeps the memory. */
void name_list_empty (NameList *names);
void name_list_clear (NameList *names);
