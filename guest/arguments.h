/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The members of a call's arguments, each checked as it is taken. All return false and set @failure
 * when the member is there and wrong. */

#pragma once

#include "failure.h"

#include <stdint.h>

bool argument_boolean (json_t *args, const char *name, bool fallback, bool *value,
                       Failure *failure);

bool argument_integer (json_t *args, const char *name, int64_t minimum, int64_t maximum,
                       int64_t fallback, int64_t *value, Failure *failure);

/* Sets *@value to a copy to be freed with free (), or to NULL when the member is absent. */
bool argument_text (json_t *args, const char *name, char **value, Failure *failure);

/* An absolute path without empty segments and “.”; it must be there, and “..” is refused. */
bool argument_path (json_t *args, const char *name, char **value, Failure *failure);

typedef struct
{
  char **items; /* NULL-terminated */
  size_t n_items;
} TextList;

/* What all lists of a command may hold together. */
typedef struct
{
  size_t n_items;
  size_t size;
} TextBudget;

/* An absent member is an empty list. */
bool argument_texts (json_t *args, const char *name, TextBudget *budget, TextList *list,
                     Failure *failure);
void text_list_clear (TextList *list);
