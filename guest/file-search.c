/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "file-search.h"

#include "arguments.h"
#include "asb-wire-json.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MILLISECOND 1000000
#define MAX_TIME_LIMIT (24LL * 60 * 60 * 1000)

static const char *const KINDS[] = { "file", "directory", "symlink", "other" };

#define N_KINDS (sizeof KINDS / sizeof *KINDS)

unsigned
file_kind_bit (unsigned char type)
{
  switch (type)
    {
    case DT_REG:
      return 1u << 0;
    case DT_DIR:
      return 1u << 1;
    case DT_LNK:
      return 1u << 2;
    default:
      return 1u << 3;
    }
}

static unsigned
kind_named (const char *name)
{
  for (unsigned i = 0; name && i < N_KINDS; i++)
    if (strcmp (name, KINDS[i]) == 0)
      return 1u << i;
  return 0;
}

bool
argument_kinds (json_t *args, const char *name, unsigned *kinds, Failure *failure)
{
  json_t *array = json_object_get (args, name);
  size_t n = json_array_size (array);
  bool right = json_is_array (array) && n > 0;

  *kinds = (1u << N_KINDS) - 1;
  if (!array || json_is_null (array))
    return true;
  *kinds = 0;
  for (size_t i = 0; i < n && right; i++)
    {
      unsigned kind = kind_named (json_string_value (json_array_get (array, i)));

      right = kind != 0;
      *kinds |= kind;
    }
  return right
         || failure_set (failure, FAILURE_INVALID_ARGUMENT,
                         "Argument “%s” must be an array of “file”, “directory”, “symlink” and "
                         "“other”",
                         name);
}

bool
file_search_parse (FileSearch *search, FileWorker *worker, Failure *failure)
{
  json_t *args = worker->args;
  int64_t time_limit;

  *search = (FileSearch){ .worker = worker };
  if (!argument_integer (args, "max_depth", 1, PATH_MAX, PATH_MAX, &search->max_depth, failure)
      || !argument_boolean (args, "hidden", true, &search->hidden, failure)
      || !argument_integer (args, "max_results", 1, ASB_WIRE_MAX_INTEGER, 0, &search->max_results,
                            failure)
      || !argument_integer (args, "time_limit_ms", 1, MAX_TIME_LIMIT, 0, &time_limit, failure)
      || !argument_path (args, "path", &search->path, failure))
    return false;
  if (time_limit > 0)
    search->deadline = walk_clock () + time_limit * MILLISECOND;
  return true;
}

void
file_search_clear (FileSearch *search)
{
  free (search->path);
  search->path = NULL;
}

bool
file_search_count (FileSearch *search)
{
  if (search->max_results == 0 || search->n_results < search->max_results)
    {
      search->n_results++;
      return true;
    }
  search->cut = "results";
  return false;
}

bool
file_search_has_time (FileSearch *search)
{
  if (search->deadline == 0 || walk_clock () <= search->deadline)
    return true;
  search->cut = "time";
  return false;
}

bool
file_search_walk (FileSearch *search, WalkNext (*visit) (void *data, const WalkEntry *entry),
                  void (*error) (void *data, int error, const char *path), void *data,
                  const char *what, Failure *failure)
{
  Walk walk = { .worker = search->worker,
                .path = search->path,
                .max_depth = search->max_depth,
                .hidden = search->hidden,
                .deadline = search->deadline,
                .visit = visit,
                .error = error,
                .data = data };

  switch (walk_tree (&walk))
    {
    case WALK_DONE:
      return true;
    case WALK_TIMED_OUT:
      search->cut = "time";
      return true;
    case WALK_FAILED:
      return failure_set_errno (failure, errno, what, search->path);
    default:
      return search->cut || search->worker->stopped;
    }
}

void
file_search_describe (const FileSearch *search, json_t *json)
{
  if (search->cut)
    json_object_set_new (json, "cut", json_string (search->cut));
}
