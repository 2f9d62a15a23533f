/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* file.write: aside, synced and renamed, or not at all */

#include "file-operations.h"

#include "arguments.h"
#include "file-writing.h"

static bool
parse (Writing *writing, json_t *args, Failure *failure)
{
  if (!argument_boolean (args, "create_only", false, &writing->create_only, failure)
      || !argument_boolean (args, "make_parents", true, &writing->make_parents, failure)
      || !argument_integer (args, "mode", 0, 07777, -1, &writing->mode, failure)
      || !writing_parse_hash (writing, args)
      || !argument_path (args, "path", &writing->path, failure))
    return false;
  if (writing->expected_hash && writing->create_only)
    return failure_set (failure, FAILURE_INVALID_ARGUMENT,
                        "Arguments “expected_hash” and “create_only” exclude each other");
  return true;
}

static bool
receive_content (Writing *writing)
{
  const uint8_t *bytes;
  size_t size;

  while ((bytes = worker_receive (writing->worker, &size)))
    if (!writing_add (writing, bytes, size))
      return false;
  writing_end_content (writing);
  return worker_goes_on (writing->worker);
}

static bool
commit (Writing *writing)
{
  mode_t mode = writing_mode (writing);

  if (!writing_set_attributes (writing) || !writing_sync (writing))
    return false;
  if (!writing_lock (writing) || !writing_look (writing) || !writing_read_before (writing)
      || !writing_compare (writing))
    return false;
  if (mode != writing_mode (writing) && !writing_set_attributes (writing))
    return false;
  return writing_put_in_place (writing);
}

static bool
write_file (Writing *writing)
{
  return writing_open_place (writing) && writing_look (writing) && writing_open_temporary (writing)
         && receive_content (writing) && commit (writing);
}

bool
file_write (FileWorker *worker, FileResult *result, Failure *failure)
{
  Writing writing;
  bool done;

  writing_begin (&writing, worker, failure);
  done = parse (&writing, worker->args, failure);
  writing.wants_diff = writing.expected_hash != NULL;
  if (done && worker->recorded)
    writing.after.max_size = writing.wants_diff ? WRITING_MAX_DIFFED : WRITING_MAX_PREVIEW;
  if (done && worker->recorded && writing.wants_diff)
    writing.before.max_size = WRITING_MAX_DIFFED;
  done = done && write_file (&writing);
  if (done)
    writing_make_result (&writing, result);
  writing_clear (&writing);
  return done;
}
