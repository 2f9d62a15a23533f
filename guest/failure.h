/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Why a call did not succeed, as the client is told it (docs/guest-protocol.md §4). */

#pragma once

#include <jansson.h>
#include <stdbool.h>

#define FAILURE_INVALID_ARGUMENT "invalid_argument"
#define FAILURE_UNSUPPORTED_CALL "unsupported_call"
#define FAILURE_TOO_MANY_REQUESTS "too_many_requests"
#define FAILURE_CANCELLED "cancelled"
#define FAILURE_DRAINING "draining"
#define FAILURE_FILE_NOT_FOUND "file_not_found"
#define FAILURE_ALREADY_EXISTS "already_exists"
#define FAILURE_IS_DIRECTORY "is_directory"
#define FAILURE_NOT_DIRECTORY "not_directory"
#define FAILURE_NOT_REGULAR_FILE "not_regular_file"
#define FAILURE_DIRECTORY_NOT_EMPTY "directory_not_empty"
#define FAILURE_PERMISSION_DENIED "permission_denied"
#define FAILURE_NO_SPACE "no_space"
#define FAILURE_READ_ONLY "read_only"
#define FAILURE_TOO_LARGE "too_large"
#define FAILURE_PATH_PROTECTED "path_protected"
#define FAILURE_IO_ERROR "io_error"
#define FAILURE_CONCURRENT_MODIFICATION "concurrent_modification"
#define FAILURE_TEXT_NOT_FOUND "text_not_found"
#define FAILURE_TEXT_AMBIGUOUS "text_ambiguous"
#define FAILURE_ARCHIVE_SECURITY "upload_archive_security_error"
#define FAILURE_CHECKSUM_MISMATCH "upload_checksum_mismatch"
#define FAILURE_ARCHIVE_DAMAGED "archive_damaged"
#define FAILURE_COMMAND_NOT_FOUND "command_not_found"
#define FAILURE_COMMAND_NOT_EXECUTABLE "command_not_executable"
#define FAILURE_WORKING_DIRECTORY "working_directory"
#define FAILURE_COMMAND_EXECUTION "command_execution_error"
#define FAILURE_JOB_NOT_FOUND "job_not_found"
#define FAILURE_JOB_RUNNING "job_running"
#define FAILURE_OUTPUT_DROPPED "output_dropped"
#define FAILURE_HISTORY_UNAVAILABLE "history_unavailable"
#define FAILURE_INTERNAL "internal_error"

#define FAILURE_MESSAGE_SIZE 512

typedef struct
{
  const char *code; /* static; NULL as long as nothing failed */
  char message[FAILURE_MESSAGE_SIZE];
  json_t *details;
} Failure;

/* Both return false, so that a function may end with them. Bytes of the message that are not UTF-8
 * are shown as question marks. */
bool failure_set (Failure *failure, const char *code, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

/* “Could not WHAT “PATH”: CAUSE”, with details errno and path. */
bool failure_set_errno (Failure *failure, int error, const char *what, const char *path);

/* The same with a code that does not follow from @error. */
bool failure_set_errno_code (Failure *failure, const char *code, int error, const char *what,
                             const char *path);

void failure_add_detail (Failure *failure, const char *name, json_t *value);
void failure_add_path (Failure *failure, const char *path);
void failure_clear (Failure *failure);

/* {"code", "message", "details"?}; NULL when memory is short. */
json_t *failure_to_json (const Failure *failure);

/* The other way, for what a process of the guest has answered. */
void failure_from_json (Failure *failure, json_t *json);
