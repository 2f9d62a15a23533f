/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* file.edit */

#include "file-operations.h"

#include "arguments.h"
#include "asb-wire-json.h"
#include "file-writing.h"
#include "text-replace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EDITED (16 * 1024 * 1024)

typedef struct
{
  Writing writing;
  char *old_text;
  char *new_text;
  bool replace_all;
  int64_t expected_count; /* 0: nothing was said */
  int64_t count;
} Edit;

static bool
parse (Edit *edit, json_t *args, Failure *failure)
{
  Writing *writing = &edit->writing;

  if (!argument_boolean (args, "replace_all", false, &edit->replace_all, failure)
      || !argument_integer (args, "expected_count", 1, ASB_WIRE_MAX_INTEGER, 0,
                            &edit->expected_count, failure)
      || !argument_text (args, "old", &edit->old_text, failure)
      || !argument_text (args, "new", &edit->new_text, failure)
      || !writing_parse_hash (writing, args)
      || !argument_path (args, "path", &writing->path, failure))
    return false;
  if (!edit->old_text || *edit->old_text == '\0')
    return failure_set (failure, FAILURE_INVALID_ARGUMENT,
                        "The text to be replaced is missing or empty");
  if (!edit->new_text)
    return failure_set (failure, FAILURE_INVALID_ARGUMENT,
                        "The text to put in its place is missing");
  if (strcmp (edit->old_text, edit->new_text) == 0)
    return failure_set (failure, FAILURE_INVALID_ARGUMENT,
                        "Both texts are the same: nothing would change");
  return true;
}

static bool
refuse_changed (Edit *edit)
{
  Writing *writing = &edit->writing;

  failure_set (writing->failure, FAILURE_CONCURRENT_MODIFICATION,
               "“%.256s” has changed while it was edited", writing->path);
  failure_add_path (writing->failure, writing->path);
  return false;
}

/* The file as it is now, whole. */
static bool
read_content (Edit *edit)
{
  Writing *writing = &edit->writing;

  writing->before.max_size = MAX_EDITED;
  if (!writing_look (writing))
    return false;
  if (!writing->exists)
    return writing_fail (writing, ENOENT);
  if (writing->status.st_size > MAX_EDITED)
    {
      failure_set (writing->failure, FAILURE_TOO_LARGE,
                   "Could not edit “%.256s”: it is larger than 16 MiB", writing->path);
      failure_add_path (writing->failure, writing->path);
      return false;
    }
  if (!writing_read_before (writing) || !writing_compare (writing))
    return false;
  if (!*writing->previous_hash)
    return writing_fail (writing, EACCES);
  return writing->before.size == (uint64_t)writing->status.st_size ? true : refuse_changed (edit);
}

static bool
refuse_count (Edit *edit)
{
  Failure *failure = edit->writing.failure;
  const char *path = edit->writing.path;

  if (edit->count == 0)
    failure_set (failure, FAILURE_TEXT_NOT_FOUND, "The text was not found in “%.256s”", path);
  else
    failure_set (failure, FAILURE_TEXT_AMBIGUOUS,
                 edit->expected_count > 0
                     ? "The text is in “%.256s” %lld times, which is not as often as expected"
                     : "The text is in “%.256s” %lld times: say more of it, or replace all",
                 path, (long long)edit->count);
  failure_add_path (failure, path);
  failure_add_detail (failure, "count", json_integer (edit->count));
  return false;
}

static bool
check_count (Edit *edit)
{
  if (edit->count == 0 || (edit->expected_count > 0 && edit->count != edit->expected_count)
      || (edit->count > 1 && !edit->replace_all && edit->expected_count == 0))
    return refuse_count (edit);
  return true;
}

static bool
check_size (Edit *edit, Text content, Text old_text, Text new_text)
{
  uint64_t count = (uint64_t)edit->count;

  if (content.size - count * old_text.size + count * new_text.size <= MAX_EDITED)
    return true;
  failure_set (edit->writing.failure, FAILURE_TOO_LARGE,
               "Could not edit “%.256s”: it would be larger than 16 MiB", edit->writing.path);
  failure_add_path (edit->writing.failure, edit->writing.path);
  return false;
}

static bool
write_content (Edit *edit, const char *content, size_t size)
{
  Writing *writing = &edit->writing;

  if (!writing_open_temporary (writing) || !writing_add (writing, (const uint8_t *)content, size))
    return false;
  writing_end_content (writing);
  return writing_set_attributes (writing) && writing_sync (writing);
}

static bool
replace (Edit *edit, Text content, Text old_text, Text new_text)
{
  char *result;
  size_t size = 0;
  bool done;

  edit->count = text_count (content, old_text);
  if (!check_count (edit) || !check_size (edit, content, old_text, new_text))
    return false;
  result = text_replace (content, old_text, new_text, edit->count, &size);
  done = result ? write_content (edit, result, size) : writing_fail (&edit->writing, ENOMEM);
  free (result);
  return done;
}

/* Who has read the lines of a file with CRLF may know them with LF only. */
static bool
replace_crlf (Edit *edit, Text content, Text old_text, Text new_text)
{
  Text old_crlf;
  Text new_crlf;
  bool done;

  old_crlf.bytes = text_to_crlf (old_text, &old_crlf.size);
  new_crlf.bytes = text_to_crlf (new_text, &new_crlf.size);
  done = old_crlf.bytes && new_crlf.bytes ? replace (edit, content, old_crlf, new_crlf)
                                          : writing_fail (&edit->writing, ENOMEM);
  free ((char *)old_crlf.bytes);
  free ((char *)new_crlf.bytes);
  return done;
}

static bool
replace_text (Edit *edit)
{
  Text content = { (const char *)edit->writing.before.bytes, edit->writing.before.size };
  Text old_text = { edit->old_text, strlen (edit->old_text) };
  Text new_text = { edit->new_text, strlen (edit->new_text) };

  if (content.size == 0)
    return refuse_count (edit);
  return text_has_crlf (content) ? replace_crlf (edit, content, old_text, new_text)
                                 : replace (edit, content, old_text, new_text);
}

/* Nobody of the guest's clients changes the file meanwhile; whoever else does is noticed. */
static bool
check_unchanged (Edit *edit)
{
  Writing *writing = &edit->writing;
  struct stat before = writing->status;

  if (!writing_look (writing))
    return false;
  return writing->exists && writing->status.st_ino == before.st_ino
                 && writing->status.st_size == before.st_size
                 && writing->status.st_mtim.tv_sec == before.st_mtim.tv_sec
                 && writing->status.st_mtim.tv_nsec == before.st_mtim.tv_nsec
             ? true
             : refuse_changed (edit);
}

static bool
edit_file (Edit *edit)
{
  Writing *writing = &edit->writing;

  return writing_open_place (writing) && writing_lock (writing) && read_content (edit)
         && replace_text (edit) && check_unchanged (edit) && writing_put_in_place (writing);
}

bool
file_edit (FileWorker *worker, FileResult *result, Failure *failure)
{
  Edit edit = { 0 };
  bool done;

  writing_begin (&edit.writing, worker, failure);
  edit.writing.wants_diff = true;
  if (worker->recorded)
    edit.writing.after.max_size = WRITING_MAX_DIFFED;
  done = parse (&edit, worker->args, failure) && edit_file (&edit);
  if (done)
    {
      writing_make_result (&edit.writing, result);
      json_object_set_new (result->result, "replaced", json_integer (edit.count));
    }
  writing_clear (&edit.writing);
  free (edit.old_text);
  free (edit.new_text);
  return done;
}
