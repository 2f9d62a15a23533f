/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "failure.h"

#include "asb-wire-json.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_PATH_SHOWN 256

static const char *const CODES[] = {
  FAILURE_INVALID_ARGUMENT,
  FAILURE_UNSUPPORTED_CALL,
  FAILURE_TOO_MANY_REQUESTS,
  FAILURE_CANCELLED,
  FAILURE_FILE_NOT_FOUND,
  FAILURE_ALREADY_EXISTS,
  FAILURE_IS_DIRECTORY,
  FAILURE_NOT_DIRECTORY,
  FAILURE_NOT_REGULAR_FILE,
  FAILURE_DIRECTORY_NOT_EMPTY,
  FAILURE_PERMISSION_DENIED,
  FAILURE_NO_SPACE,
  FAILURE_READ_ONLY,
  FAILURE_TOO_LARGE,
  FAILURE_PATH_PROTECTED,
  FAILURE_IO_ERROR,
  FAILURE_CONCURRENT_MODIFICATION,
  FAILURE_TEXT_NOT_FOUND,
  FAILURE_TEXT_AMBIGUOUS,
  FAILURE_ARCHIVE_SECURITY,
  FAILURE_CHECKSUM_MISMATCH,
  FAILURE_ARCHIVE_DAMAGED,
  FAILURE_HISTORY_UNAVAILABLE,
  "history_identity",
  "history_storage_exhausted",
  "history_database_error",
};

static const struct
{
  int error;
  const char *code;
} ERRORS[] = {
  { ENOENT, FAILURE_FILE_NOT_FOUND },    { EEXIST, FAILURE_ALREADY_EXISTS },
  { EISDIR, FAILURE_IS_DIRECTORY },      { ENOTDIR, FAILURE_NOT_DIRECTORY },
  { ENXIO, FAILURE_NOT_REGULAR_FILE },   { ENOTEMPTY, FAILURE_DIRECTORY_NOT_EMPTY },
  { EACCES, FAILURE_PERMISSION_DENIED }, { EPERM, FAILURE_PERMISSION_DENIED },
  { ENOSPC, FAILURE_NO_SPACE },          { EDQUOT, FAILURE_NO_SPACE },
  { EROFS, FAILURE_READ_ONLY },          { EFBIG, FAILURE_TOO_LARGE },
  { EINVAL, FAILURE_INVALID_ARGUMENT },  { ENAMETOOLONG, FAILURE_INVALID_ARGUMENT },
  { ENOMEM, FAILURE_INTERNAL },          { EMFILE, FAILURE_INTERNAL },
  { ENFILE, FAILURE_INTERNAL },
};

static const char *
code_of_errno (int error)
{
  for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; i++)
    if (ERRORS[i].error == error)
      return ERRORS[i].code;
  return FAILURE_IO_ERROR;
}

/* The length of the character at @text, 0 if it is none. */
static size_t
character_length (const char *text)
{
  size_t left = strnlen (text, 4);

  for (size_t length = 1; length <= left; length++)
    if (asb_wire_is_text (text, length))
      return length;
  return 0;
}

/* The message may quote names that hold any bytes, and may have been cut within a character. */
static void
make_text (char *text)
{
  while (*text)
    {
      size_t length = character_length (text);

      if (length == 0)
        {
          *text = '?';
          length = 1;
        }
      text += length;
    }
}

bool
failure_set (Failure *failure, const char *code, const char *format, ...)
{
  va_list arguments;

  failure_clear (failure);
  failure->code = code;
  va_start (arguments, format);
  vsnprintf (failure->message, sizeof failure->message, format, arguments);
  va_end (arguments);
  make_text (failure->message);
  return false;
}

bool
failure_set_errno_code (Failure *failure, const char *code, int error, const char *what,
                        const char *path)
{
  const char *cause = strerrordesc_np (error);
  const char *name = strerrorname_np (error);

  failure_set (failure, code, "Could not %s “%.*s”: %s", what, MAX_PATH_SHOWN, path,
               cause ? cause : "Unknown error");
  if (name)
    failure_add_detail (failure, "errno", json_string (name));
  failure_add_path (failure, path);
  return false;
}

bool
failure_set_errno (Failure *failure, int error, const char *what, const char *path)
{
  return failure_set_errno_code (failure, code_of_errno (error), error, what, path);
}

void
failure_add_detail (Failure *failure, const char *name, json_t *value)
{
  if (!failure->details)
    failure->details = json_object ();
  json_object_set_new (failure->details, name, value);
}

/* What is longer is no path that anything can have, and would not fit into an answer. */
void
failure_add_path (Failure *failure, const char *path)
{
  if (strlen (path) >= PATH_MAX)
    return;
  failure_add_detail (failure, "path", asb_wire_text_new (path, strlen (path)));
}

void
failure_clear (Failure *failure)
{
  json_decref (failure->details);
  *failure = (Failure){ 0 };
}

json_t *
failure_to_json (const Failure *failure)
{
  json_t *json = json_pack ("{s:s, s:s}", "code", failure->code, "message", failure->message);

  if (json && failure->details)
    json_object_set (json, "details", failure->details);
  return json;
}

/* Codes are compared by what they say and kept as static strings. */
static const char *
known_code (const char *code)
{
  for (size_t i = 0; code && i < sizeof CODES / sizeof *CODES; i++)
    if (strcmp (code, CODES[i]) == 0)
      return CODES[i];
  return FAILURE_INTERNAL;
}

void
failure_from_json (Failure *failure, json_t *json)
{
  const char *code = json_string_value (json_object_get (json, "code"));
  const char *message = json_string_value (json_object_get (json, "message"));
  json_t *details = json_object_get (json, "details");

  failure_set (failure, known_code (code), "%s", message ? message : "No reason was given");
  if (json_is_object (details))
    failure->details = json_incref (details);
}
