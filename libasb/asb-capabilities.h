/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#if !defined(ASB_INSIDE) && !defined(ASB_COMPILATION)
#error "Only <asb.h> can be included directly."
#endif

#include <gio/gio.h>

#include "asb-capability.h"
#include "asb-version.h"

G_BEGIN_DECLS

/**
 * ASB_CAPABILITY_FILESYSTEM:
 *
 * Files can be listed, read, written and deleted.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_FILESYSTEM "filesystem"
/**
 * ASB_CAPABILITY_BINARY_FILES:
 *
 * Files may hold any bytes.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_BINARY_FILES "binary_files"
/**
 * ASB_CAPABILITY_ATOMIC_RENAME:
 *
 * A written file appears as a whole or not at all.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_ATOMIC_RENAME "atomic_rename"
/**
 * ASB_CAPABILITY_COMMAND_EXECUTION:
 *
 * Commands can be run.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_COMMAND_EXECUTION "command_execution"
/**
 * ASB_CAPABILITY_PAUSE_RESUME:
 *
 * The sandbox can be frozen and go on later.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_PAUSE_RESUME "pause_resume"
/**
 * ASB_CAPABILITY_FILE_HASH:
 *
 * A write can be made to depend on the hash of the file.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_FILE_HASH "file_hash"
/**
 * ASB_CAPABILITY_FILE_EDIT:
 *
 * Text can be replaced in files without reading and writing them here.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_FILE_EDIT "file_edit"
/**
 * ASB_CAPABILITY_LINE_WINDOWS:
 *
 * Some lines of a file can be read without the others.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_LINE_WINDOWS "line_windows"
/**
 * ASB_CAPABILITY_FILE_ATTRIBUTES:
 *
 * Permissions and owners of files can be changed.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_FILE_ATTRIBUTES "file_attributes"
/**
 * ASB_CAPABILITY_FILE_SEARCH:
 *
 * Files can be found by patterns of their paths.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_FILE_SEARCH "file_search"
/**
 * ASB_CAPABILITY_TEXT_SEARCH:
 *
 * Text can be found in files.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_TEXT_SEARCH "text_search"
/**
 * ASB_CAPABILITY_STREAMING_OUTPUT:
 *
 * Output arrives while the command runs.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_STREAMING_OUTPUT "streaming_output"
/**
 * ASB_CAPABILITY_COMMAND_STDIN:
 *
 * Commands can be given standard input.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_COMMAND_STDIN "command_stdin"
/**
 * ASB_CAPABILITY_COMMAND_TERMINAL:
 *
 * Commands can be given a terminal.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_COMMAND_TERMINAL "command_terminal"
/**
 * ASB_CAPABILITY_BULK_UPLOAD:
 *
 * Many files can be sent at once, compared with what was sent, and put in place as a whole:
 * [method@Backend.upload_local].
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_BULK_UPLOAD "bulk_upload"
/**
 * ASB_CAPABILITY_EXACT_OUTPUT:
 *
 * Output arrives byte for byte.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_EXACT_OUTPUT "exact_output"
/**
 * ASB_CAPABILITY_SANDBOX_HISTORY:
 *
 * The record can be kept inside the sandbox.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_SANDBOX_HISTORY "sandbox_history"
/**
 * ASB_CAPABILITY_HISTORY_WAIT:
 *
 * Who waits for a change of the record inside the sandbox is told of it at once.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_HISTORY_WAIT "history_wait"
/**
 * ASB_CAPABILITY_PERSISTENT_LIFETIME:
 *
 * A sandbox can outlive the program that made it.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_PERSISTENT_LIFETIME "persistent_lifetime"
/**
 * ASB_CAPABILITY_RESOURCE_LIMITS:
 *
 * Limits of a sandbox: memory and processes of all commands together; if emulated, each process is
 * held to what is said of memory.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_RESOURCE_LIMITS "resource_limits"
/**
 * ASB_CAPABILITY_BACKGROUND_JOBS:
 *
 * Commands can run on for themselves, whoever is connected.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_BACKGROUND_JOBS "background_jobs"
/**
 * ASB_CAPABILITY_FILE_WATCH:
 *
 * What changes in directories can be told as it happens.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_FILE_WATCH "file_watch"

/**
 * ASB_CAPABILITY_GUEST:
 *
 * The work inside is done by the library's own program. The source says by which way it is reached,
 * and the reason why by no better one; if there is none, the reason says why.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_GUEST "guest"
/**
 * ASB_CAPABILITY_ARCHIVES:
 *
 * Folders can be packed into archives, and archives unpacked into them.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_ARCHIVES "archives"

/**
 * ASB_CAPABILITY_MOUNTS:
 *
 * Folders of the host can be shown inside.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_MOUNTS "mounts"
/**
 * ASB_CAPABILITY_KEEP_ALIVE:
 *
 * Sandboxes end by themselves, and are kept by renewing them. Its limits: `min_seconds`, the
 * shortest time that can be asked for, and `default_seconds`, the time that is good for a sandbox
 * which goes with the program that made it.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_KEEP_ALIVE "keep_alive"
/**
 * ASB_CAPABILITY_ENDPOINTS:
 *
 * The address of a port of the sandbox can be had.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_ENDPOINTS "endpoints"
/**
 * ASB_CAPABILITY_NETWORK_POLICY:
 *
 * What the sandbox may connect to can be said at creation, and looked at and changed later.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_NETWORK_POLICY "network_policy"
/**
 * ASB_CAPABILITY_METADATA_CHANGES:
 *
 * The metadata of a sandbox can be changed.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_METADATA_CHANGES "metadata_changes"
/**
 * ASB_CAPABILITY_SNAPSHOTS:
 *
 * Snapshots of sandboxes can be made, and sandboxes from them.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_SNAPSHOTS "snapshots"
/**
 * ASB_CAPABILITY_METRICS:
 *
 * What a sandbox takes of processor and memory can be had, once or as it changes.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_METRICS "metrics"
/**
 * ASB_CAPABILITY_DIAGNOSTICS:
 *
 * What the provider knows of a sandbox that went wrong can be had.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_DIAGNOSTICS "diagnostics"
/**
 * ASB_CAPABILITY_ENTRYPOINT:
 *
 * The first program of the sandbox can be chosen at creation.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_ENTRYPOINT "entrypoint"
/**
 * ASB_CAPABILITY_RESOURCES:
 *
 * Shares of the host, such as processors and memory, can be asked for at creation.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_RESOURCES "resources"
/**
 * ASB_CAPABILITY_PLATFORM:
 *
 * The operating system and processor can be chosen at creation.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_PLATFORM "platform"
/**
 * ASB_CAPABILITY_IMAGE_CREDENTIALS:
 *
 * Images can be had from registries that ask for a name and a password.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_IMAGE_CREDENTIALS "image_credentials"
/**
 * ASB_CAPABILITY_CREATE_OPTIONS:
 *
 * There are options for creation that only this provider takes.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_CREATE_OPTIONS "create_options"
/**
 * ASB_CAPABILITY_SERVICES:
 *
 * There are functions that only this provider offers, called by name.
 *
 * Since: 1.0
 */
#define ASB_CAPABILITY_SERVICES "services"

#define ASB_TYPE_CAPABILITIES (asb_capabilities_get_type ())

ASB_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (AsbCapabilities, asb_capabilities, ASB, CAPABILITIES, GObject)

ASB_AVAILABLE_IN_1_0
AsbCapabilities *asb_capabilities_new (void) G_GNUC_WARN_UNUSED_RESULT;
ASB_AVAILABLE_IN_1_0
void asb_capabilities_add (AsbCapabilities *self, const char *name, AsbCapabilitySupport support,
                           const char *source, const char *reason);
ASB_AVAILABLE_IN_1_0
void asb_capabilities_add_capability (AsbCapabilities *self, AsbCapability *capability);
ASB_AVAILABLE_IN_1_0
void asb_capabilities_merge (AsbCapabilities *self, AsbCapabilities *other);
ASB_AVAILABLE_IN_1_0
AsbCapability *asb_capabilities_get (AsbCapabilities *self, const char *name);
ASB_AVAILABLE_IN_1_0
gboolean asb_capabilities_supports (AsbCapabilities *self, const char *name);
ASB_AVAILABLE_IN_1_0
gboolean asb_capabilities_require (AsbCapabilities *self, const char *name, GError **error);

G_END_DECLS
