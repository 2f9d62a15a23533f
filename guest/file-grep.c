/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* file.grep */

#include "file-operations.h"

#include "arguments.h"
#include "asb-wire-json.h"
#include "file-lines.h"
#include "file-path.h"
#include "file-search.h"
#include "glob.h"
#include "text-search.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_INCLUDES 16

typedef struct
{
  FileSearch search;
  TextPattern *pattern;
  Glob *includes[MAX_INCLUDES];
  size_t n_includes;
  int64_t context_lines;
  const char *path; /* of the file that is looked into */
  int64_t n_files;
  int64_t n_binary;
  FileLines lines;
} Grep;

static json_t *
describe_line (const Grep *grep, const TextLine *line)
{
  json_t *json = json_pack ("{s:o, s:I, s:I, s:o}", "path",
                            asb_wire_text_new (grep->path, strlen (grep->path)), "line",
                            (json_int_t)line->number, "column", (json_int_t)line->column, "text",
                            asb_wire_text_new (line->bytes, line->size));

  if (line->from > 0)
    json_object_set_new (json, "from", json_integer ((json_int_t)line->from));
  if (line->truncated)
    json_object_set_new (json, "truncated", json_true ());
  if (line->context)
    json_object_set_new (json, "context", json_true ());
  return json;
}

static bool
tell (void *data, const TextLine *line)
{
  Grep *grep = data;

  return file_lines_add (&grep->lines, describe_line (grep, line));
}

static bool
claim (void *data)
{
  Grep *grep = data;

  return file_search_count (&grep->search);
}

static bool
goes_on (void *data)
{
  Grep *grep = data;

  return worker_goes_on (grep->search.worker) && file_search_has_time (&grep->search);
}

static void
gave_up (void *data)
{
  Grep *grep = data;
  Failure failure = { 0 };

  failure_set (&failure, FAILURE_TOO_LARGE,
               "The regular expression gave up on a line of “%.256s”: it has too much to try",
               grep->path);
  file_lines_note_failure (&grep->lines, &failure, grep->path);
}

static void
note_error (void *data, int error, const char *path)
{
  Grep *grep = data;

  file_lines_note_error (&grep->lines, error, "search", path);
}

/* False when there is no point in going on. */
static bool
search_file (Grep *grep, int fd)
{
  TextSearch search = { .pattern = grep->pattern,
                        .context_lines = grep->context_lines,
                        .claim = claim,
                        .tell = tell,
                        .goes_on = goes_on,
                        .gave_up = gave_up,
                        .data = grep };
  TextSearchOutcome outcome = text_search (&search, fd);

  grep->n_files += outcome == TEXT_SEARCH_DONE;
  grep->n_binary += outcome == TEXT_SEARCH_BINARY;
  if (outcome == TEXT_SEARCH_FAILED)
    note_error (grep, errno, grep->path);
  return outcome != TEXT_SEARCH_ENDED;
}

static bool
is_included (const Grep *grep, const char *relative)
{
  for (size_t i = 0; i < grep->n_includes; i++)
    if (glob_match (grep->includes[i], relative).matches)
      return true;
  return grep->n_includes == 0;
}

/* Whether a pattern may match below the directory. */
static bool
is_gone_into (const Grep *grep, const char *relative)
{
  for (size_t i = 0; i < grep->n_includes; i++)
    if (glob_match (grep->includes[i], relative).goes_on)
      return true;
  return grep->n_includes == 0;
}

static WalkNext
visit (void *data, const WalkEntry *entry)
{
  Grep *grep = data;
  struct stat status;
  bool done = true;
  int fd;

  if (entry->type == DT_DIR)
    return is_gone_into (grep, entry->relative) ? WALK_ON : WALK_PAST;
  if (entry->type != DT_REG || !is_included (grep, entry->relative))
    return WALK_ON;
  fd = openat (entry->directory_fd, entry->name,
               O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
  grep->path = entry->path;
  if (fd < 0 && errno != ENOENT && errno != ELOOP)
    note_error (grep, errno, entry->path);
  if (fd >= 0 && fstat (fd, &status) == 0 && S_ISREG (status.st_mode))
    done = search_file (grep, fd);
  if (fd >= 0)
    close (fd);
  return done ? WALK_ON : WALK_END;
}

static bool
add_include (Grep *grep, json_t *json, Failure *failure)
{
  char *text = asb_wire_text_dup (json, GLOB_MAX_PATTERN + 1, NULL);
  Glob *glob = text ? glob_new (text, false, failure) : NULL;

  if (!text)
    failure_set (failure, FAILURE_INVALID_ARGUMENT,
                 "Argument “include” must be an array of patterns");
  free (text);
  grep->includes[grep->n_includes] = glob;
  grep->n_includes += glob != NULL;
  return glob != NULL;
}

static bool
parse_includes (Grep *grep, json_t *args, Failure *failure)
{
  json_t *array = json_object_get (args, "include");

  if (!array || json_is_null (array))
    return true;
  if (!json_is_array (array) || json_array_size (array) > MAX_INCLUDES)
    return failure_set (failure, FAILURE_INVALID_ARGUMENT,
                        "Argument “include” must be an array of at most 16 patterns");
  for (size_t i = 0; i < json_array_size (array); i++)
    if (!add_include (grep, json_array_get (array, i), failure))
      return false;
  return true;
}

static bool
parse (Grep *grep, FileWorker *worker, Failure *failure)
{
  TextPatternOptions options;
  char *text = NULL;
  bool done
      = file_search_parse (&grep->search, worker, failure)
        && argument_boolean (worker->args, "regex", false, &options.regex, failure)
        && argument_boolean (worker->args, "ignore_case", false, &options.ignore_case, failure)
        && argument_integer (worker->args, "context_lines", 0, TEXT_SEARCH_MAX_CONTEXT, 0,
                             &grep->context_lines, failure)
        && parse_includes (grep, worker->args, failure)
        && argument_text (worker->args, "text", &text, failure);

  if (done)
    grep->pattern = text_pattern_new (text ? text : "", options, failure);
  free (text);
  return done && grep->pattern;
}

/* @path may be a file, too, or lead to one. */
static bool
search_path (Grep *grep, Failure *failure)
{
  const char *path = grep->search.path;
  struct stat status;
  bool done;
  int fd;

  if (stat (path, &status) != 0)
    return failure_set_errno (failure, errno, "search", path);
  if (S_ISDIR (status.st_mode))
    return file_search_walk (&grep->search, visit, note_error, grep, "search", failure);
  fd = file_open_regular (path, "search", &status, failure);
  if (fd < 0)
    return false;
  grep->path = path;
  done = search_file (grep, fd);
  close (fd);
  return done || grep->search.cut || grep->search.worker->stopped;
}

static json_t *
make_result (const Grep *grep)
{
  json_t *result = file_lines_result (&grep->lines);

  json_object_set_new (result, "count", json_integer (grep->search.n_results));
  json_object_set_new (result, "files", json_integer (grep->n_files));
  json_object_set_new (result, "binary", json_integer (grep->n_binary));
  file_search_describe (&grep->search, result);
  return result;
}

static void
clear (Grep *grep)
{
  for (size_t i = 0; i < grep->n_includes; i++)
    glob_free (grep->includes[i]);
  text_pattern_free (grep->pattern);
  file_search_clear (&grep->search);
  file_lines_clear (&grep->lines);
}

bool
file_grep (FileWorker *worker, FileResult *result, Failure *failure)
{
  static Grep grep;
  bool done;

  grep.pattern = NULL;
  grep.n_includes = 0;
  grep.n_files = 0;
  grep.n_binary = 0;
  file_lines_begin (&grep.lines, worker);
  done = parse (&grep, worker, failure) && search_path (&grep, failure)
         && (file_lines_flush (&grep.lines) || worker->stopped);
  if (done)
    result->result = make_result (&grep);
  if (done && worker->recorded)
    {
      result->recorded = json_pack ("{s:I}", "count", (json_int_t)grep.search.n_results);
      file_search_describe (&grep.search, result->recorded);
    }
  clear (&grep);
  return done;
}
