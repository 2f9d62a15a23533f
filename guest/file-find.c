/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* file.walk and file.glob */

#include "file-operations.h"

#include "arguments.h"
#include "asb-wire-json.h"
#include "file-lines.h"
#include "file-path.h"
#include "file-search.h"
#include "glob.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
  FileSearch search;
  Glob *glob; /* NULL: everything */
  unsigned kinds;
  FileLines lines;
} Finding;

static bool
is_wanted (const Finding *finding, const WalkEntry *entry, const GlobMatch *match)
{
  return match->matches && finding->kinds & file_kind_bit (entry->type)
         && (entry->type == DT_DIR || !finding->glob || !glob_wants_directory (finding->glob));
}

static WalkNext
visit (void *data, const WalkEntry *entry)
{
  Finding *finding = data;
  GlobMatch match = { true, true };

  if (finding->glob)
    match = glob_match (finding->glob, entry->relative);
  if (is_wanted (finding, entry, &match))
    {
      if (!file_search_count (&finding->search)
          || !file_lines_add_entry (&finding->lines, entry->directory_fd, entry->name, entry->path))
        return WALK_END;
    }
  return match.goes_on ? WALK_ON : WALK_PAST;
}

static void
note_error (void *data, int error, const char *path)
{
  Finding *finding = data;

  file_lines_note_error (&finding->lines, error, "list", path);
}

static bool
parse (Finding *finding, FileWorker *worker, bool has_pattern, Failure *failure)
{
  char *pattern = NULL;
  bool ignore_case = false;
  bool done = file_search_parse (&finding->search, worker, failure)
              && argument_kinds (worker->args, "kinds", &finding->kinds, failure);

  if (done && has_pattern)
    {
      done = argument_boolean (worker->args, "ignore_case", false, &ignore_case, failure)
             && argument_text (worker->args, "pattern", &pattern, failure);
      if (done && !pattern)
        done = failure_set (failure, FAILURE_INVALID_ARGUMENT, "Argument “pattern” is missing");
      finding->glob = done ? glob_new (pattern, ignore_case, failure) : NULL;
      done = finding->glob != NULL;
    }
  free (pattern);
  return done;
}

static bool
find (FileWorker *worker, bool has_pattern, FileResult *result, Failure *failure)
{
  static Finding finding;
  bool done;

  finding.glob = NULL;
  file_lines_begin (&finding.lines, worker);
  done = parse (&finding, worker, has_pattern, failure)
         && file_search_walk (&finding.search, visit, note_error, &finding, "search", failure)
         && (file_lines_flush (&finding.lines) || worker->stopped);
  if (done)
    {
      result->result = file_lines_result (&finding.lines);
      file_search_describe (&finding.search, result->result);
    }
  if (done && worker->recorded)
    {
      result->recorded = json_pack ("{s:I}", "count", (json_int_t)finding.lines.count);
      file_search_describe (&finding.search, result->recorded);
    }
  glob_free (finding.glob);
  file_search_clear (&finding.search);
  file_lines_clear (&finding.lines);
  return done;
}

bool
file_walk (FileWorker *worker, FileResult *result, Failure *failure)
{
  return find (worker, false, result, failure);
}

bool
file_glob (FileWorker *worker, FileResult *result, Failure *failure)
{
  return find (worker, true, result, failure);
}
