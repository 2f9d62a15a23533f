/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "arguments.h"

#include "asb-wire-json.h"

#include <stdlib.h>
#include <string.h>

static bool
refuse (Failure *failure, const char *name, const char *rule)
{
  return failure_set (failure, FAILURE_INVALID_ARGUMENT, "Argument “%s” must be %s", name, rule);
}

/* null stands for an absent member. */
static json_t *
member (json_t *args, const char *name)
{
  json_t *value = json_object_get (args, name);

  return json_is_null (value) ? NULL : value;
}

bool
argument_boolean (json_t *args, const char *name, bool fallback, bool *value, Failure *failure)
{
  json_t *json = member (args, name);

  if (json && !json_is_boolean (json))
    return refuse (failure, name, "a boolean");
  *value = json ? json_is_true (json) : fallback;
  return true;
}

bool
argument_integer (json_t *args, const char *name, int64_t minimum, int64_t maximum,
                  int64_t fallback, int64_t *value, Failure *failure)
{
  json_t *json = member (args, name);

  *value = fallback;
  if (!json)
    return true;
  if (!json_is_integer (json))
    return refuse (failure, name, "an integer");
  *value = json_integer_value (json);
  if (*value < minimum || *value > maximum)
    return failure_set (failure, FAILURE_INVALID_ARGUMENT,
                        "Argument “%s” must be between %lld and %lld", name, (long long)minimum,
                        (long long)maximum);
  return true;
}

bool
argument_text (json_t *args, const char *name, char **value, Failure *failure)
{
  json_t *json = member (args, name);

  *value = NULL;
  if (!json)
    return true;
  *value = asb_wire_text_dup (json, ASB_WIRE_MAX_INTEGER, NULL);
  return *value ? true : refuse (failure, name, "a text without NUL");
}

/* Moves the segments that count together, in place; false if one is “..”. */
static bool
normalise (char *path)
{
  char *end = path;
  char *at = path;

  while (*at)
    {
      size_t length = strcspn (at, "/");

      if (length == 2 && at[0] == '.' && at[1] == '.')
        return false;
      if (length > 0 && !(length == 1 && at[0] == '.'))
        {
          *end++ = '/';
          memmove (end, at, length);
          end += length;
        }
      at += length;
      while (*at == '/')
        at++;
    }
  if (end == path)
    *end++ = '/';
  *end = '\0';
  return true;
}

bool
argument_path (json_t *args, const char *name, char **value, Failure *failure)
{
  if (!argument_text (args, name, value, failure))
    return false;
  if (!*value)
    return failure_set (failure, FAILURE_INVALID_ARGUMENT, "Argument “%s” is missing", name);
  if (**value != '/')
    refuse (failure, name, "an absolute path");
  else if (!normalise (*value))
    refuse (failure, name, "a path without “..”");
  else
    return true;
  free (*value);
  *value = NULL;
  return false;
}

static bool
budget_take (TextBudget *budget, size_t size)
{
  if (budget->n_items == 0 || budget->size < size)
    return false;
  budget->n_items--;
  budget->size -= size;
  return true;
}

static bool
take_item (TextList *list, json_t *json, const char *name, TextBudget *budget, Failure *failure)
{
  size_t size;
  char *text = asb_wire_text_dup (json, ASB_WIRE_MAX_INTEGER, &size);

  if (!text)
    return refuse (failure, name, "an array of texts without NUL");
  list->items[list->n_items++] = text;
  if (!budget_take (budget, size + 1))
    return failure_set (failure, FAILURE_INVALID_ARGUMENT,
                        "Argument “%s” has too much in it: at most 4,096 texts and 1 MiB of them, "
                        "arguments and environment entries of a command together",
                        name);
  return true;
}

bool
argument_texts (json_t *args, const char *name, TextBudget *budget, TextList *list,
                Failure *failure)
{
  json_t *json = member (args, name);
  size_t n = json_array_size (json);

  if (json && !json_is_array (json))
    return refuse (failure, name, "an array of texts without NUL");
  list->items = calloc (n + 1, sizeof *list->items);
  if (!list->items)
    return failure_set (failure, FAILURE_INTERNAL, "There is not enough memory");
  for (size_t i = 0; i < n; i++)
    if (!take_item (list, json_array_get (json, i), name, budget, failure))
      return false;
  return true;
}

void
text_list_clear (TextList *list)
{
  for (size_t i = 0; i < list->n_items; i++)
    free (list->items[i]);
  free (list->items);
  *list = (TextList){ 0 };
}
