/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* file.unpack and file.pack */

#include "file-operations.h"

#include "archive-folder.h"
#include "arguments.h"
#include "asb-wire-json.h"
#include "file-lines.h"
#include "file-path.h"
#include "file-writing.h"
#include "no-iconv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
#define MIB (1024 * 1024)
#define MAX_NAMES 4096
#define MAX_NAMES_SIZE MIB

/* What an archive may hold when nothing else is said. */
static const ArchiveBounds DEFAULT_BOUNDS
    = { .members = 10000, .bytes = 512 * MIB, .file_bytes = 128 * MIB, .ratio = 200 };

/* A folder that is packed is not bounded by itself. */
static const ArchiveBounds NO_BOUNDS = { .members = ASB_WIRE_MAX_INTEGER,
                                         .bytes = ASB_WIRE_MAX_INTEGER,
                                         .file_bytes = ASB_WIRE_MAX_INTEGER,
                                         .ratio = ASB_WIRE_MAX_INTEGER };

/* What both need. */

/* What has been received would move when more is heard. */
static const uint8_t *
receive (void *data, size_t *size)
{
  static uint8_t bytes[ASB_FRAME_MAX_DATA];
  const uint8_t *received = worker_receive (data, size);

  if (!received)
    return NULL;
  memcpy (bytes, received, *size);
  return bytes;
}

static bool
send_bytes (void *data, const void *bytes, size_t size)
{
  const FileLines *lines = data;

  return worker_send (lines->worker, bytes, size);
}

static bool
goes_on (void *data)
{
  return worker_goes_on (data);
}

static bool
packing_goes_on (void *data)
{
  const FileLines *lines = data;

  return worker_goes_on (lines->worker) && !lines->worker->stopped;
}

static bool
is_protected (void *data, const struct stat *status)
{
  return file_is_history (data, status);
}

static bool
is_protected_from_packing (void *data, const struct stat *status)
{
  const FileLines *lines = data;

  return file_is_history (lines->worker, status);
}

static bool
lock (void *data, int directory_fd, const char *name)
{
  return file_lock (data, directory_fd, name);
}

static void
note_left_out (void *data, const char *path, const char *code, const char *why)
{
  Failure failure = { 0 };

  failure_set (&failure, code, "%s", why);
  file_lines_note_failure (data, &failure, path);
}

static bool
parse_bounds (json_t *args, const ArchiveBounds *fallback, ArchiveBounds *bounds, Failure *failure)
{
  const int64_t most = ASB_WIRE_MAX_INTEGER;

  return argument_integer (args, "max_members", 1, most, fallback->members, &bounds->members,
                           failure)
         && argument_integer (args, "max_bytes", 1, most, fallback->bytes, &bounds->bytes, failure)
         && argument_integer (args, "max_file_bytes", 1, most, fallback->file_bytes,
                              &bounds->file_bytes, failure)
         && argument_integer (args, "max_ratio", 1, most, fallback->ratio, &bounds->ratio, failure);
}

static json_t *
describe (const ArchiveCounts *counts)
{
  return json_pack ("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "format", counts->format, "members",
                    (json_int_t)counts->members, "files", (json_int_t)counts->files, "directories",
                    (json_int_t)counts->directories, "links", (json_int_t)counts->links, "bytes",
                    (json_int_t)counts->bytes, "archive_bytes", (json_int_t)counts->archive_bytes);
}

/* Unpacking. */

static bool
parse_conflict (json_t *args, ArchiveConflict *conflict, Failure *failure)
{
  static const char *const WORDS[] = { [ARCHIVE_CONFLICT_ERROR] = "error",
                                       [ARCHIVE_CONFLICT_OVERWRITE] = "overwrite",
                                       [ARCHIVE_CONFLICT_SKIP] = "skip",
                                       [ARCHIVE_CONFLICT_IF_CHANGED] = "if_changed" };
  char *word;
  bool found = false;

  *conflict = ARCHIVE_CONFLICT_ERROR;
  if (!argument_text (args, "conflict", &word, failure))
    return false;
  for (size_t i = 0; word && i < sizeof WORDS / sizeof *WORDS; i++)
    if (strcmp (word, WORDS[i]) == 0)
      {
        *conflict = (ArchiveConflict)i;
        found = true;
      }
  found = found || !word;
  free (word);
  return found
         || failure_set (
             failure, FAILURE_INVALID_ARGUMENT,
             "Argument “conflict” must be “error”, “overwrite”, “skip” or “if_changed”");
}

static bool
open_new_place (FilePlace *place, const char *path, bool make_parents, Failure *failure)
{
  if (make_parents && !file_make_parents (path))
    return failure_set_errno (failure, errno, "unpack into", path);
  return file_place_open (place, path) || failure_set_errno (failure, errno, "unpack into", path);
}

/* Where it goes: into a folder that is there, or into one that comes to be with all in it. */
static bool
open_target (FileWorker *worker, const char *path, FilePlace *place, int *target_fd,
             Failure *failure)
{
  bool make_parents;
  FilePlace within = { .directory_fd = -1 };

  if (!argument_boolean (worker->args, "make_parents", true, &make_parents, failure)
      || !file_check_changeable (worker, path, failure))
    return false;
  *target_fd = open (path, OPEN_FOLDER);
  if (*target_fd < 0 && errno != ENOENT)
    return failure_set_errno (failure, errno, "unpack into", path);
  if (*target_fd < 0 && !open_new_place (place, path, make_parents, failure))
    return false;
  within.directory_fd = *target_fd >= 0 ? *target_fd : place->directory_fd;
  return file_place_check_changeable (worker, &within, path, failure);
}

static void
add_kept (json_t *result, const ArchiveCounts *counts)
{
  json_t *names = counts->n_kept > 0 ? json_array () : NULL;

  for (unsigned i = 0; names && i < counts->n_kept; i++)
    json_array_append_new (names, asb_wire_text_new (counts->kept[i], strlen (counts->kept[i])));
  if (names)
    json_object_set_new (result, "kept", names);
}

static bool
unpack_into (FileWorker *worker, const char *path, FileResult *result, Failure *failure)
{
  const ArchiveCaller caller = { .receive = receive,
                                 .goes_on = goes_on,
                                 .is_protected = is_protected,
                                 .lock = lock,
                                 .refuses_names = &no_iconv_refuses,
                                 .data = worker };
  ArchiveUnpacking unpacking
      = { .caller = &caller, .target_fd = -1, .path = path, .is_durable = true };
  FilePlace place = { .directory_fd = -1 };
  ArchiveCounts counts;
  bool done = parse_bounds (worker->args, &DEFAULT_BOUNDS, &unpacking.bounds, failure)
              && parse_conflict (worker->args, &unpacking.conflict, failure)
              && open_target (worker, path, &place, &unpacking.target_fd, failure);

  unpacking.parent_fd = place.directory_fd;
  unpacking.name = place.name;
  done = done && archive_unpack (&unpacking, &counts, failure);
  if (unpacking.target_fd >= 0)
    close (unpacking.target_fd);
  file_place_close (&place);
  if (!done)
    return false;
  result->result = describe (&counts);
  json_object_set_new (result->result, "replaced", json_integer ((json_int_t)counts.replaced));
  json_object_set_new (result->result, "skipped", json_integer ((json_int_t)counts.skipped));
  add_kept (result->result, &counts);
  if (worker->recorded)
    result->recorded = json_incref (result->result);
  return true;
}

bool
file_unpack (FileWorker *worker, FileResult *result, Failure *failure)
{
  char *path;
  bool done;

  if (!argument_path (worker->args, "path", &path, failure))
    return false;
  done = unpack_into (worker, path, result, failure);
  free (path);
  return done;
}

/* Packing. */

static bool
parse_format (json_t *args, bool *gzip, Failure *failure)
{
  char *format;
  bool found;

  if (!argument_text (args, "format", &format, failure))
    return false;
  *gzip = format && strcmp (format, "tar.gz") == 0;
  found = !format || *gzip || strcmp (format, "tar") == 0;
  free (format);
  return found
         || failure_set (failure, FAILURE_INVALID_ARGUMENT,
                         "Argument “format” must be “tar” or “tar.gz”");
}

static json_t *
describe_packed (const ArchiveCounts *counts, const FileLines *lines)
{
  json_t *result = describe (counts);

  json_object_set (result, "errors", lines->errors);
  json_object_set_new (result, "error_count", json_integer (lines->error_count));
  return result;
}

static bool
pack_folder (FileWorker *worker, ArchivePacking *packing, FileResult *result, Failure *failure)
{
  static FileLines lines;
  const ArchiveCaller caller = { .send = send_bytes,
                                 .goes_on = packing_goes_on,
                                 .is_protected = is_protected_from_packing,
                                 .left_out = note_left_out,
                                 .refuses_names = &no_iconv_refuses,
                                 .data = &lines };
  ArchiveCounts counts;
  bool done;

  packing->caller = &caller;
  packing->directory_fd = open (packing->path, OPEN_FOLDER);
  if (packing->directory_fd < 0)
    return failure_set_errno (failure, errno, "pack", packing->path);
  worker_send_event (worker, json_pack ("{s:s}", "event", "opened"));
  file_lines_begin (&lines, worker);
  done = archive_pack (packing, &counts, failure);
  close (packing->directory_fd);
  /* Who wants no more gets what has been told so far. */
  if (done || (worker->stopped && !failure->code))
    result->result = describe_packed (&counts, &lines);
  if (result->result && worker->recorded)
    {
      result->recorded = describe (&counts);
      json_object_set_new (result->recorded, "error_count", json_integer (lines.error_count));
    }
  file_lines_clear (&lines);
  return result->result != NULL;
}

bool
file_pack (FileWorker *worker, FileResult *result, Failure *failure)
{
  ArchivePacking packing = { .directory_fd = -1 };
  TextBudget budget = { .n_items = MAX_NAMES, .size = MAX_NAMES_SIZE };
  TextList names = { 0 };
  char *path = NULL;
  bool done = parse_bounds (worker->args, &NO_BOUNDS, &packing.bounds, failure)
              && parse_format (worker->args, &packing.gzip, failure)
              && argument_texts (worker->args, "names", &budget, &names, failure)
              && argument_path (worker->args, "path", &path, failure);

  packing.path = path;
  packing.names = json_object_get (worker->args, "names") ? names.items : NULL;
  packing.n_names = names.n_items;
  done = done && pack_folder (worker, &packing, result, failure);
  text_list_clear (&names);
  free (path);
  return done;
}
