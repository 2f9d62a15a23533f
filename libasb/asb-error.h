/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include "asb-error-info.h"
#include "asb-version.h"

G_BEGIN_DECLS

/**
 * ASB_ERROR:
 *
 * The error domain of the library. Codes are [error@Error].
 *
 * Since: 1.0
 */
#define ASB_ERROR (asb_error_quark ())

ASB_AVAILABLE_IN_1_0
GQuark asb_error_quark (void);

/* The table of docs/errors.md and asb_error_code_to_string () follow this order. */
/**
 * AsbError:
 * @ASB_ERROR_SANDBOX_BACKEND: something failed for a reason with no code of its own. Read the
 * message
 * @ASB_ERROR_SANDBOX_NOT_FOUND: there is no such sandbox, or it is another one than the reference
 * says. Make a new one
 * @ASB_ERROR_SANDBOX_STATE: the sandbox is in a state in which this cannot be done, for example
 * paused. Bring it in another state
 * @ASB_ERROR_UNSUPPORTED_CAPABILITY: the provider, transport or guest cannot do this. Ask
 * [method@Backend.get_capabilities] beforehand
 * @ASB_ERROR_FILE_NOT_FOUND: there is no such file in the sandbox
 * @ASB_ERROR_CONCURRENT_MODIFICATION: the file is not the expected one any more. Read it again and
 * decide anew
 * @ASB_ERROR_COMMAND_EXECUTION: the command could not be started, for a reason with no code of its
 * own
 * @ASB_ERROR_PROVIDER: the provider failed. The error info says whether a repetition may help
 * @ASB_ERROR_HISTORY_DATABASE: the database of the record failed
 * @ASB_ERROR_HISTORY_TRANSPORT: the record could not be reached
 * @ASB_ERROR_HISTORY_CONFIG_VALIDATION: a setting of the history is out of its range; the message
 * names it
 * @ASB_ERROR_HISTORY_CONFIG_CONFLICT: the stored settings are of another revision than expected.
 * Read them again
 * @ASB_ERROR_HISTORY_STORAGE_EXHAUSTED: there is no room for the record
 * @ASB_ERROR_LOCAL_PATH_NOT_FOUND: a local file to be uploaded or folder to be mounted is not there
 * @ASB_ERROR_LOCAL_PATH_NOT_ALLOWED: a local path lies outside the folders that may be uploaded, or
 * may not be mounted
 * @ASB_ERROR_UPLOAD_POLICY: a rule forbids the upload
 * @ASB_ERROR_UPLOAD_TOO_MANY_FILES: more files than allowed
 * @ASB_ERROR_UPLOAD_FILE_TOO_LARGE: a file is larger than allowed
 * @ASB_ERROR_UPLOAD_TOTAL_SIZE_EXCEEDED: the files are larger together than allowed
 * @ASB_ERROR_UPLOAD_SYMLINK: a symbolic link is refused
 * @ASB_ERROR_UPLOAD_ARCHIVE_SECURITY: an archive holds something dangerous
 * @ASB_ERROR_UPLOAD_CONFLICT: the target exists
 * @ASB_ERROR_UPLOAD_CHECKSUM_MISMATCH: what arrived is not what was sent
 * @ASB_ERROR_UPLOAD_ATOMIC_COMMIT: an upload could not be put in place as a whole
 * @ASB_ERROR_UPLOAD_PARTIAL_FAILURE: some files failed; the error info names them
 * @ASB_ERROR_LOCK_ACQUISITION_TIMEOUT: others held what was needed for too long. Try again
 * @ASB_ERROR_COMMAND_QUEUE_TIMEOUT: too many commands ran for too long. Try again
 * @ASB_ERROR_SANDBOX_LEASE_EXPIRED: a lease was lost
 * @ASB_ERROR_SANDBOX_DELETING: the sandbox is being deleted
 * @ASB_ERROR_BACKEND_CLOSE: several things failed while closing; the error info lists them
 * @ASB_ERROR_INVALID_ARGUMENT: an argument is missing or out of its range; the message names it
 * @ASB_ERROR_CLOSED: the object is closed
 * @ASB_ERROR_TIMED_OUT: no answer came in time
 * @ASB_ERROR_INTERRUPTED: the connection was lost after the request went out: whether it was done
 * is unknown
 * @ASB_ERROR_PROTOCOL: the other side said something that makes no sense
 * @ASB_ERROR_GUEST_UNAVAILABLE: the program that works inside the sandbox cannot run there; the
 * message says why
 * @ASB_ERROR_PROVIDER_UNAVAILABLE: the provider cannot work here; the message says why, and the
 * cure
 * @ASB_ERROR_MODULE_NOT_FOUND: there is no module of this kind and name
 * @ASB_ERROR_MODULE_INVALID: a module cannot be used; the message says which file and why
 * @ASB_ERROR_COMMAND_NOT_FOUND: there is no such program in the sandbox
 * @ASB_ERROR_COMMAND_NOT_EXECUTABLE: the program is there and cannot be executed
 * @ASB_ERROR_WORKING_DIRECTORY: the working directory is missing or no directory; the message names
 * it
 * @ASB_ERROR_ALREADY_EXISTS: the file exists
 * @ASB_ERROR_IS_DIRECTORY: a directory where a file is needed
 * @ASB_ERROR_NOT_DIRECTORY: no directory where one is needed
 * @ASB_ERROR_NOT_REGULAR_FILE: a FIFO, a socket or a device where a file is needed
 * @ASB_ERROR_DIRECTORY_NOT_EMPTY: the directory is not empty
 * @ASB_ERROR_PERMISSION_DENIED: the user of the sandbox may not do this
 * @ASB_ERROR_NO_SPACE: there is no room left in the sandbox, or where its provider keeps it
 * @ASB_ERROR_READ_ONLY: the file system is read-only
 * @ASB_ERROR_TOO_LARGE: larger than a limit; the message names it
 * @ASB_ERROR_PATH_PROTECTED: the path belongs to the library
 * @ASB_ERROR_IO: reading or writing failed
 * @ASB_ERROR_HISTORY_UNAVAILABLE: there is no record in this sandbox
 * @ASB_ERROR_HISTORY_IDENTITY: the record belongs to another sandbox
 * @ASB_ERROR_TOO_MANY_REQUESTS: too much at once. Try again when something has ended
 * @ASB_ERROR_JOB_NOT_FOUND: there is no such job in the sandbox, or it is forgotten
 * @ASB_ERROR_JOB_RUNNING: the job has not ended
 * @ASB_ERROR_OUTPUT_DROPPED: output from there is no longer kept. The error info says where what is
 *   kept begins
 * @ASB_ERROR_SANDBOX_EXPIRED: the time of the sandbox was up. Make a new one, with a longer time to
 * live or renewed in time
 * @ASB_ERROR_SANDBOX_DELETED: the sandbox was deleted; there is only its record. Make a new one
 * @ASB_ERROR_SNAPSHOT_NOT_FOUND: there is no such snapshot
 * @ASB_ERROR_INTERNAL: a fault of the library or the guest. Report it
 * @ASB_ERROR_TEXT_NOT_FOUND: the text that was to be replaced is not in the file. Read the file
 * again
 * @ASB_ERROR_TEXT_AMBIGUOUS: the text that was to be replaced is in the file more often than it was
 * said to be. Say more of what stands around it
 * @ASB_ERROR_ARCHIVE_DAMAGED: what came is no archive, or not the whole of one. Get it again
 * @ASB_ERROR_POOL_NOT_RUNNING: the pool was not started, or is shut down. Start it
 * @ASB_ERROR_POOL_EMPTY: nothing in the pool is ready. Try again later, or have one made
 * @ASB_ERROR_POOL_ACQUIRE_FAILED: what was ready in the pool turned out not to be. Try again
 * @ASB_ERROR_POOL_INCOMPLETE: some sandboxes of the pool could not be ended; the error info names
 * them. Do it again
 *
 * Why something failed. A cancelled operation always fails with %G_IO_ERROR_CANCELLED. Whether a
 * repetition may help, and ids to look things up by, are in the [class@ErrorInfo] of the error.
 *
 * Since: 1.0
 */
typedef enum /*< underscore_name=asb_error_code >*/
{
  ASB_ERROR_SANDBOX_BACKEND,
  ASB_ERROR_SANDBOX_NOT_FOUND,
  ASB_ERROR_SANDBOX_STATE,
  ASB_ERROR_UNSUPPORTED_CAPABILITY,
  ASB_ERROR_FILE_NOT_FOUND,
  ASB_ERROR_CONCURRENT_MODIFICATION,
  ASB_ERROR_COMMAND_EXECUTION,
  ASB_ERROR_PROVIDER,
  ASB_ERROR_HISTORY_DATABASE,
  ASB_ERROR_HISTORY_TRANSPORT,
  ASB_ERROR_HISTORY_CONFIG_VALIDATION,
  ASB_ERROR_HISTORY_CONFIG_CONFLICT,
  ASB_ERROR_HISTORY_STORAGE_EXHAUSTED,
  ASB_ERROR_LOCAL_PATH_NOT_FOUND,
  ASB_ERROR_LOCAL_PATH_NOT_ALLOWED,
  ASB_ERROR_UPLOAD_POLICY,
  ASB_ERROR_UPLOAD_TOO_MANY_FILES,
  ASB_ERROR_UPLOAD_FILE_TOO_LARGE,
  ASB_ERROR_UPLOAD_TOTAL_SIZE_EXCEEDED,
  ASB_ERROR_UPLOAD_SYMLINK,
  ASB_ERROR_UPLOAD_ARCHIVE_SECURITY,
  ASB_ERROR_UPLOAD_CONFLICT,
  ASB_ERROR_UPLOAD_CHECKSUM_MISMATCH,
  ASB_ERROR_UPLOAD_ATOMIC_COMMIT,
  ASB_ERROR_UPLOAD_PARTIAL_FAILURE,
  ASB_ERROR_LOCK_ACQUISITION_TIMEOUT,
  ASB_ERROR_COMMAND_QUEUE_TIMEOUT,
  ASB_ERROR_SANDBOX_LEASE_EXPIRED,
  ASB_ERROR_SANDBOX_DELETING,
  ASB_ERROR_BACKEND_CLOSE,
  ASB_ERROR_INVALID_ARGUMENT,
  ASB_ERROR_CLOSED,
  ASB_ERROR_TIMED_OUT,
  ASB_ERROR_INTERRUPTED,
  ASB_ERROR_PROTOCOL,
  ASB_ERROR_GUEST_UNAVAILABLE,
  ASB_ERROR_PROVIDER_UNAVAILABLE,
  ASB_ERROR_MODULE_NOT_FOUND,
  ASB_ERROR_MODULE_INVALID,
  ASB_ERROR_COMMAND_NOT_FOUND,
  ASB_ERROR_COMMAND_NOT_EXECUTABLE,
  ASB_ERROR_WORKING_DIRECTORY,
  ASB_ERROR_ALREADY_EXISTS,
  ASB_ERROR_IS_DIRECTORY,
  ASB_ERROR_NOT_DIRECTORY,
  ASB_ERROR_NOT_REGULAR_FILE,
  ASB_ERROR_DIRECTORY_NOT_EMPTY,
  ASB_ERROR_PERMISSION_DENIED,
  ASB_ERROR_NO_SPACE,
  ASB_ERROR_READ_ONLY,
  ASB_ERROR_TOO_LARGE,
  ASB_ERROR_PATH_PROTECTED,
  ASB_ERROR_IO,
  ASB_ERROR_HISTORY_UNAVAILABLE,
  ASB_ERROR_HISTORY_IDENTITY,
  ASB_ERROR_TOO_MANY_REQUESTS,
  ASB_ERROR_JOB_NOT_FOUND,
  ASB_ERROR_JOB_RUNNING,
  ASB_ERROR_OUTPUT_DROPPED,
  ASB_ERROR_TEXT_NOT_FOUND,
  ASB_ERROR_TEXT_AMBIGUOUS,
  ASB_ERROR_SANDBOX_EXPIRED,
  ASB_ERROR_SANDBOX_DELETED,
  ASB_ERROR_SNAPSHOT_NOT_FOUND,
  ASB_ERROR_ARCHIVE_DAMAGED,
  ASB_ERROR_POOL_NOT_RUNNING,
  ASB_ERROR_POOL_EMPTY,
  ASB_ERROR_POOL_ACQUIRE_FAILED,
  ASB_ERROR_POOL_INCOMPLETE,
  ASB_ERROR_INTERNAL
} AsbError;

ASB_AVAILABLE_IN_1_0
const char *asb_error_code_to_string (int code);
ASB_AVAILABLE_IN_1_0
gboolean asb_error_code_from_string (const char *string, int *code);
ASB_AVAILABLE_IN_1_0
GError *asb_error_new_with_info (int code, const char *message,
                                 AsbErrorInfo *info) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
AsbErrorInfo *asb_error_get_info (const GError *error);

G_END_DECLS
