/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <glib-object.h>

#include "asb-version.h"

G_BEGIN_DECLS

/**
 * AsbBackendMode:
 * @ASB_BACKEND_MODE_CREATE: a new sandbox is made
 * @ASB_BACKEND_MODE_CONNECT: a sandbox that exists is used
 *
 * Where a backend's sandbox comes from.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_BACKEND_MODE_CREATE,
  ASB_BACKEND_MODE_CONNECT
} AsbBackendMode;

/**
 * AsbCleanupPolicy:
 * @ASB_CLEANUP_POLICY_ON_CLOSE: closing the backend deletes a sandbox that it created
 * @ASB_CLEANUP_POLICY_TTL: closing the backend deletes it after
 * [property@BackendOptions:cleanup-ttl-seconds]
 * @ASB_CLEANUP_POLICY_NEVER: closing the backend leaves it
 *
 * What becomes of a sandbox when the backend that created it is closed. A sandbox that a backend
 * only connected to is never deleted by closing.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_CLEANUP_POLICY_ON_CLOSE,
  ASB_CLEANUP_POLICY_TTL,
  ASB_CLEANUP_POLICY_NEVER
} AsbCleanupPolicy;

/**
 * AsbTtlMode:
 * @ASB_TTL_MODE_UNSET: nothing was said
 * @ASB_TTL_MODE_SECONDS: a number of seconds
 * @ASB_TTL_MODE_NEVER: the sandbox does not expire
 *
 * What was said about a sandbox's time to live.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_TTL_MODE_UNSET,
  ASB_TTL_MODE_SECONDS,
  ASB_TTL_MODE_NEVER
} AsbTtlMode;

/**
 * AsbLifetime:
 * @ASB_LIFETIME_OWNED: the sandbox ends with the program that made it, within 2 seconds
 * @ASB_LIFETIME_PERSISTENT: the sandbox outlives the program, until it is deleted or expires
 *
 * Whether a sandbox ends with its maker, where the provider can tell.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_LIFETIME_OWNED,
  ASB_LIFETIME_PERSISTENT
} AsbLifetime;

/**
 * AsbMountMode:
 * @ASB_MOUNT_MODE_READ_ONLY: the folder cannot be changed inside
 * @ASB_MOUNT_MODE_READ_WRITE: changes are made to the folder of the host itself
 * @ASB_MOUNT_MODE_OVERLAY: changes are seen inside only, and kept with the sandbox until it is
 * deleted; the folder of the host stays as it is
 *
 * What becomes of changes that are made inside a sandbox to a folder of the host.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_MOUNT_MODE_READ_ONLY,
  ASB_MOUNT_MODE_READ_WRITE,
  ASB_MOUNT_MODE_OVERLAY
} AsbMountMode;

/**
 * AsbSandboxState:
 * @ASB_SANDBOX_STATE_UNKNOWN: the provider named a state this library does not know
 * @ASB_SANDBOX_STATE_CREATING: being made
 * @ASB_SANDBOX_STATE_RUNNING: ready for work
 * @ASB_SANDBOX_STATE_PAUSED: frozen
 * @ASB_SANDBOX_STATE_STOPPING: being ended
 * @ASB_SANDBOX_STATE_STOPPED: ended
 * @ASB_SANDBOX_STATE_FAILED: broken
 * @ASB_SANDBOX_STATE_DELETED: gone; only its record may be left
 *
 * The state of a sandbox.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_SANDBOX_STATE_UNKNOWN,
  ASB_SANDBOX_STATE_CREATING,
  ASB_SANDBOX_STATE_RUNNING,
  ASB_SANDBOX_STATE_PAUSED,
  ASB_SANDBOX_STATE_STOPPING,
  ASB_SANDBOX_STATE_STOPPED,
  ASB_SANDBOX_STATE_FAILED,
  ASB_SANDBOX_STATE_DELETED
} AsbSandboxState;

/**
 * AsbNetworkAction:
 * @ASB_NETWORK_ACTION_ALLOW: connections are let through
 * @ASB_NETWORK_ACTION_DENY: connections are refused
 *
 * What becomes of connections that a sandbox opens.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_NETWORK_ACTION_ALLOW,
  ASB_NETWORK_ACTION_DENY
} AsbNetworkAction;

/**
 * AsbSnapshotState:
 * @ASB_SNAPSHOT_STATE_UNKNOWN: the provider named a state this library does not know
 * @ASB_SNAPSHOT_STATE_CREATING: being made
 * @ASB_SNAPSHOT_STATE_READY: sandboxes can be made from it
 * @ASB_SNAPSHOT_STATE_FAILED: it could not be made
 * @ASB_SNAPSHOT_STATE_DELETING: being deleted
 *
 * The state of a snapshot.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_SNAPSHOT_STATE_UNKNOWN,
  ASB_SNAPSHOT_STATE_CREATING,
  ASB_SNAPSHOT_STATE_READY,
  ASB_SNAPSHOT_STATE_FAILED,
  ASB_SNAPSHOT_STATE_DELETING
} AsbSnapshotState;

/**
 * AsbMetricsWatchState:
 * @ASB_METRICS_WATCH_STATE_ACTIVE: it goes on
 * @ASB_METRICS_WATCH_STATE_CLOSED: it was closed
 * @ASB_METRICS_WATCH_STATE_GONE: the sandbox is gone
 * @ASB_METRICS_WATCH_STATE_FAILED: it broke off, for example with the connection
 *
 * Whether a watch of metrics goes on, and if not, why.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_METRICS_WATCH_STATE_ACTIVE,
  ASB_METRICS_WATCH_STATE_CLOSED,
  ASB_METRICS_WATCH_STATE_GONE,
  ASB_METRICS_WATCH_STATE_FAILED
} AsbMetricsWatchState;

/**
 * AsbCapabilitySupport:
 * @ASB_CAPABILITY_SUPPORT_UNAVAILABLE: cannot be had
 * @ASB_CAPABILITY_SUPPORT_EMULATED: done by other means, with weaker promises
 * @ASB_CAPABILITY_SUPPORT_NATIVE: done by the provider or its guest itself
 *
 * How well something is supported.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_CAPABILITY_SUPPORT_UNAVAILABLE,
  ASB_CAPABILITY_SUPPORT_EMULATED,
  ASB_CAPABILITY_SUPPORT_NATIVE
} AsbCapabilitySupport;

/**
 * AsbCommandState:
 * @ASB_COMMAND_STATE_UNKNOWN: nobody knows how it ended, or whether
 * @ASB_COMMAND_STATE_QUEUED: not started yet
 * @ASB_COMMAND_STATE_RUNNING: running
 * @ASB_COMMAND_STATE_SUCCEEDED: ended with exit status 0
 * @ASB_COMMAND_STATE_FAILED: ended with another exit status, or by a signal
 * @ASB_COMMAND_STATE_CANCELLED: ended because it was cancelled
 * @ASB_COMMAND_STATE_TIMEOUT: ended because its time was up
 *
 * The state of a command.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_COMMAND_STATE_UNKNOWN,
  ASB_COMMAND_STATE_QUEUED,
  ASB_COMMAND_STATE_RUNNING,
  ASB_COMMAND_STATE_SUCCEEDED,
  ASB_COMMAND_STATE_FAILED,
  ASB_COMMAND_STATE_CANCELLED,
  ASB_COMMAND_STATE_TIMEOUT
} AsbCommandState;

/**
 * AsbCommandFlags:
 * @ASB_COMMAND_FLAGS_NONE: standard input is empty; output can be read from the streams
 * @ASB_COMMAND_FLAGS_STDIN_PIPE: standard input is a stream to write to
 * @ASB_COMMAND_FLAGS_STDOUT_SILENCE: standard output is not sent here (it is still recorded)
 * @ASB_COMMAND_FLAGS_STDERR_SILENCE: standard error is not sent here (it is still recorded)
 * @ASB_COMMAND_FLAGS_STDERR_MERGE: standard error goes where standard output goes
 * @ASB_COMMAND_FLAGS_OUTPUT_SIGNALS: output arrives by signals of the [class@Command] instead of
 * streams
 *
 * What is to be done with a command's standard streams.
 *
 * Since: 1.0
 */
typedef enum /*< flags >*/
{
  ASB_COMMAND_FLAGS_NONE = 0,
  ASB_COMMAND_FLAGS_STDIN_PIPE = 1 << 0,
  ASB_COMMAND_FLAGS_STDOUT_SILENCE = 1 << 1,
  ASB_COMMAND_FLAGS_STDERR_SILENCE = 1 << 2,
  ASB_COMMAND_FLAGS_STDERR_MERGE = 1 << 3,
  ASB_COMMAND_FLAGS_OUTPUT_SIGNALS = 1 << 4
} AsbCommandFlags;

/**
 * AsbOutputStream:
 * @ASB_OUTPUT_STREAM_STDOUT: standard output
 * @ASB_OUTPUT_STREAM_STDERR: standard error
 *
 * One of the two output streams of a command.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_OUTPUT_STREAM_STDOUT,
  ASB_OUTPUT_STREAM_STDERR
} AsbOutputStream;

/**
 * AsbFileKind:
 * @ASB_FILE_KIND_FILE: a regular file
 * @ASB_FILE_KIND_DIRECTORY: a directory
 * @ASB_FILE_KIND_SYMLINK: a symbolic link
 * @ASB_FILE_KIND_OTHER: a FIFO, a socket or a device
 *
 * What a name in a directory stands for.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_FILE_KIND_FILE,
  ASB_FILE_KIND_DIRECTORY,
  ASB_FILE_KIND_SYMLINK,
  ASB_FILE_KIND_OTHER
} AsbFileKind;

/**
 * AsbFileFlags:
 * @ASB_FILE_FLAGS_NONE: nothing special
 * @ASB_FILE_FLAGS_CREATE_ONLY: for writing: fail if the file exists
 * @ASB_FILE_FLAGS_NO_PARENTS: for writing and making directories: make no missing ones on the way
 * @ASB_FILE_FLAGS_RECURSIVE: for deleting and watching: with everything inside
 * @ASB_FILE_FLAGS_OVERWRITE: for moving: replace what stands there
 * @ASB_FILE_FLAGS_NOFOLLOW: for querying: tell of a symbolic link itself
 *
 * How a file operation is done.
 *
 * Since: 1.0
 */
typedef enum /*< flags >*/
{
  ASB_FILE_FLAGS_NONE = 0,
  ASB_FILE_FLAGS_CREATE_ONLY = 1 << 0,
  ASB_FILE_FLAGS_NO_PARENTS = 1 << 1,
  ASB_FILE_FLAGS_RECURSIVE = 1 << 2,
  ASB_FILE_FLAGS_OVERWRITE = 1 << 3,
  ASB_FILE_FLAGS_NOFOLLOW = 1 << 4
} AsbFileFlags;

/**
 * AsbFileEventKind:
 * @ASB_FILE_EVENT_KIND_CREATED: it is new here, or came from elsewhere
 * @ASB_FILE_EVENT_KIND_CHANGED: it was written to, or who could write to it has closed it
 * @ASB_FILE_EVENT_KIND_DELETED: it is gone, or went elsewhere
 * @ASB_FILE_EVENT_KIND_MOVED: it has another path
 * @ASB_FILE_EVENT_KIND_ATTRIBUTES: its mode, owner or times changed
 * @ASB_FILE_EVENT_KIND_UNWATCHED: nothing will be told of this directory, nor of what is below it
 * @ASB_FILE_EVENT_KIND_OVERFLOW: events were lost; look at everything anew
 *
 * What has happened to a file that is watched.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_FILE_EVENT_KIND_CREATED,
  ASB_FILE_EVENT_KIND_CHANGED,
  ASB_FILE_EVENT_KIND_DELETED,
  ASB_FILE_EVENT_KIND_MOVED,
  ASB_FILE_EVENT_KIND_ATTRIBUTES,
  ASB_FILE_EVENT_KIND_UNWATCHED,
  ASB_FILE_EVENT_KIND_OVERFLOW
} AsbFileEventKind;

/**
 * AsbFileWatchState:
 * @ASB_FILE_WATCH_STATE_ACTIVE: it watches
 * @ASB_FILE_WATCH_STATE_CLOSED: it was closed
 * @ASB_FILE_WATCH_STATE_GONE: what it watched is gone
 * @ASB_FILE_WATCH_STATE_FAILED: it broke off, for example with the connection
 *
 * Whether a watch goes on, and if not, why.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_FILE_WATCH_STATE_ACTIVE,
  ASB_FILE_WATCH_STATE_CLOSED,
  ASB_FILE_WATCH_STATE_GONE,
  ASB_FILE_WATCH_STATE_FAILED
} AsbFileWatchState;

/**
 * AsbSearchFlags:
 * @ASB_SEARCH_FLAGS_NONE: nothing special
 * @ASB_SEARCH_FLAGS_IGNORE_CASE: case of letters does not count
 * @ASB_SEARCH_FLAGS_NO_HIDDEN: names that begin with a dot are left out, and not gone into
 * @ASB_SEARCH_FLAGS_FILES: only regular files are found
 * @ASB_SEARCH_FLAGS_REGEX: the text is a regular expression
 *
 * How files, or text in them, are looked for.
 *
 * Since: 1.0
 */
typedef enum /*< flags >*/
{
  ASB_SEARCH_FLAGS_NONE = 0,
  ASB_SEARCH_FLAGS_IGNORE_CASE = 1 << 0,
  ASB_SEARCH_FLAGS_NO_HIDDEN = 1 << 1,
  ASB_SEARCH_FLAGS_FILES = 1 << 2,
  ASB_SEARCH_FLAGS_REGEX = 1 << 3
} AsbSearchFlags;

/**
 * AsbArchiveConflict:
 * @ASB_ARCHIVE_CONFLICT_ERROR: it is an error, and nothing is changed
 * @ASB_ARCHIVE_CONFLICT_OVERWRITE: it is replaced by a file or a link of the archive; a directory
 * is never replaced by something else, nor something else by a directory
 * @ASB_ARCHIVE_CONFLICT_SKIP: it stays, and what is in the archive is skipped
 * @ASB_ARCHIVE_CONFLICT_IF_CHANGED: it stays if it is the same, and is replaced otherwise
 *
 * What becomes of a file that is in the way of one of an archive. Directories are no conflict: what
 * is in them is put together.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_ARCHIVE_CONFLICT_ERROR,
  ASB_ARCHIVE_CONFLICT_OVERWRITE,
  ASB_ARCHIVE_CONFLICT_SKIP,
  ASB_ARCHIVE_CONFLICT_IF_CHANGED
} AsbArchiveConflict;

/**
 * AsbUploadConflict:
 * @ASB_UPLOAD_CONFLICT_ERROR: it is an error, and nothing is changed
 * @ASB_UPLOAD_CONFLICT_OVERWRITE: it is replaced
 * @ASB_UPLOAD_CONFLICT_SKIP: it stays
 * @ASB_UPLOAD_CONFLICT_IF_CHANGED: it stays if it is the same, and is replaced otherwise
 *
 * What becomes of a file of the sandbox that is in the way of one that is uploaded. Directories are
 * no conflict: what is in them is put together. A directory is never replaced by a file, nor a file
 * by a directory.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_UPLOAD_CONFLICT_ERROR,
  ASB_UPLOAD_CONFLICT_OVERWRITE,
  ASB_UPLOAD_CONFLICT_SKIP,
  ASB_UPLOAD_CONFLICT_IF_CHANGED
} AsbUploadConflict;

/**
 * AsbUploadSymlinks:
 * @ASB_UPLOAD_SYMLINKS_REJECT: it is an error
 * @ASB_UPLOAD_SYMLINKS_PRESERVE_INTERNAL: one that leads to something in the source, by a relative
 * path, is uploaded as a link; any other is an error
 * @ASB_UPLOAD_SYMLINKS_FOLLOW_SAFE: what one leads to is uploaded in its place, if that is in the
 * source and not left out of the upload; otherwise it is an error
 *
 * What becomes of symbolic links in what is uploaded.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_UPLOAD_SYMLINKS_REJECT,
  ASB_UPLOAD_SYMLINKS_PRESERVE_INTERNAL,
  ASB_UPLOAD_SYMLINKS_FOLLOW_SAFE
} AsbUploadSymlinks;

/**
 * AsbArchiveFormat:
 * @ASB_ARCHIVE_FORMAT_TAR: tar: ustar, pax or GNU
 * @ASB_ARCHIVE_FORMAT_TAR_GZIP: the same, compressed by gzip
 * @ASB_ARCHIVE_FORMAT_ZIP: zip, which can be unpacked, but not packed
 *
 * What an archive is.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_ARCHIVE_FORMAT_TAR,
  ASB_ARCHIVE_FORMAT_TAR_GZIP,
  ASB_ARCHIVE_FORMAT_ZIP
} AsbArchiveFormat;

/**
 * AsbSearchCut:
 * @ASB_SEARCH_CUT_NONE: it has seen everything
 * @ASB_SEARCH_CUT_RESULTS: there are more results than wanted
 * @ASB_SEARCH_CUT_TIME: its time was up
 *
 * What cut a search short.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_SEARCH_CUT_NONE,
  ASB_SEARCH_CUT_RESULTS,
  ASB_SEARCH_CUT_TIME
} AsbSearchCut;

/**
 * AsbLineState:
 * @ASB_LINE_STATE_NOTHING: no lines were asked for
 * @ASB_LINE_STATE_LINES: lines
 * @ASB_LINE_STATE_BLANK: lines of nothing but white space
 * @ASB_LINE_STATE_EMPTY_FILE: nothing, since the file is empty
 * @ASB_LINE_STATE_PAST_END: nothing, since the file has not so many lines
 *
 * What a window of lines holds.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_LINE_STATE_NOTHING,
  ASB_LINE_STATE_LINES,
  ASB_LINE_STATE_BLANK,
  ASB_LINE_STATE_EMPTY_FILE,
  ASB_LINE_STATE_PAST_END
} AsbLineState;

/**
 * AsbTransportState:
 * @ASB_TRANSPORT_STATE_CONNECTED: ready
 * @ASB_TRANSPORT_STATE_INTERRUPTED: the connection was lost and may come back
 * @ASB_TRANSPORT_STATE_CLOSED: closed for good
 *
 * The state of a transport.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_TRANSPORT_STATE_CONNECTED,
  ASB_TRANSPORT_STATE_INTERRUPTED,
  ASB_TRANSPORT_STATE_CLOSED
} AsbTransportState;

/**
 * AsbHistoryMode:
 * @ASB_HISTORY_MODE_NONE: nothing is recorded
 * @ASB_HISTORY_MODE_SANDBOX: recorded inside the sandbox
 * @ASB_HISTORY_MODE_DATABASE: recorded in a database of the host
 *
 * Where the record of the work goes.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_HISTORY_MODE_NONE,
  ASB_HISTORY_MODE_SANDBOX,
  ASB_HISTORY_MODE_DATABASE
} AsbHistoryMode;

/**
 * AsbHistoryConsistency:
 * @ASB_HISTORY_CONSISTENCY_STRICT_START: an operation whose start cannot be recorded is refused
 * @ASB_HISTORY_CONSISTENCY_BEST_EFFORT: work goes on without a record, and it is said
 *
 * What happens when the record cannot be written. Once an operation runs it is never ended because
 * of its record.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_HISTORY_CONSISTENCY_STRICT_START,
  ASB_HISTORY_CONSISTENCY_BEST_EFFORT
} AsbHistoryConsistency;

/**
 * AsbOperationStatus:
 * @ASB_OPERATION_STATUS_UNKNOWN: nobody knows how it ended
 * @ASB_OPERATION_STATUS_STARTED: running
 * @ASB_OPERATION_STATUS_SUCCEEDED: done
 * @ASB_OPERATION_STATUS_FAILED: failed
 * @ASB_OPERATION_STATUS_CANCELLED: cancelled
 * @ASB_OPERATION_STATUS_TIMEOUT: its time was up
 *
 * How a recorded operation stands.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_OPERATION_STATUS_UNKNOWN,
  ASB_OPERATION_STATUS_STARTED,
  ASB_OPERATION_STATUS_SUCCEEDED,
  ASB_OPERATION_STATUS_FAILED,
  ASB_OPERATION_STATUS_CANCELLED,
  ASB_OPERATION_STATUS_TIMEOUT
} AsbOperationStatus;

/**
 * AsbPoolState:
 * @ASB_POOL_STATE_NOT_STARTED: nothing is made yet
 * @ASB_POOL_STATE_RUNNING: sandboxes are made, kept ready and handed out
 * @ASB_POOL_STATE_DRAINING: it is being shut down, or that was not complete: nothing is made or
 * handed out any more, and something is still to be ended
 * @ASB_POOL_STATE_STOPPED: it was shut down, and nothing is left; it can be started again
 *
 * What a [class@Pool] does.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_POOL_STATE_NOT_STARTED,
  ASB_POOL_STATE_RUNNING,
  ASB_POOL_STATE_DRAINING,
  ASB_POOL_STATE_STOPPED
} AsbPoolState;

/**
 * AsbAcquirePolicy:
 * @ASB_ACQUIRE_POLICY_DIRECT_CREATE: one that is ready is tried, and otherwise one is made
 * @ASB_ACQUIRE_POLICY_FAIL_FAST: one that is ready is tried, and otherwise it fails
 * @ASB_ACQUIRE_POLICY_RETRY_NEXT_IDLE: up to [property@Pool:max-acquire-retries] that are ready are
 * tried, one after the other, and otherwise it fails
 * @ASB_ACQUIRE_POLICY_RETRY_NEXT_IDLE_THEN_CREATE: as many are tried, and otherwise one is made
 *
 * What [method@Pool.acquire] does when nothing is ready, or what is turns out to be of no use.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_ACQUIRE_POLICY_DIRECT_CREATE,
  ASB_ACQUIRE_POLICY_FAIL_FAST,
  ASB_ACQUIRE_POLICY_RETRY_NEXT_IDLE,
  ASB_ACQUIRE_POLICY_RETRY_NEXT_IDLE_THEN_CREATE
} AsbAcquirePolicy;

/**
 * AsbPipeCondition:
 * @ASB_PIPE_CONDITION_READABLE: there are bytes, or the end, or an error; or the writer wants none
 * of it to have happened
 * @ASB_PIPE_CONDITION_WRITABLE: there is room, or nothing more will be read or written
 * @ASB_PIPE_CONDITION_SETTLED: [method@Pipe.settle] was called
 *
 * What one can wait for at a [struct@Pipe].
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_PIPE_CONDITION_READABLE,
  ASB_PIPE_CONDITION_WRITABLE,
  ASB_PIPE_CONDITION_SETTLED
} AsbPipeCondition;

/**
 * AsbPipeClose:
 * @ASB_PIPE_CLOSE_AT_ONCE: closing says that nothing more comes, and waits for nothing
 * @ASB_PIPE_CLOSE_COMMITS: closing waits until [method@Pipe.settle] says how it went with all that
 * was written, and fails with its error. Cancelling the closing aborts, and so does dropping the
 * stream without having closed it
 *
 * What closing an output stream of a [struct@Pipe] means.
 *
 * Since: 1.0
 */
typedef enum
{
  ASB_PIPE_CLOSE_AT_ONCE,
  ASB_PIPE_CLOSE_COMMITS
} AsbPipeClose;

G_END_DECLS
