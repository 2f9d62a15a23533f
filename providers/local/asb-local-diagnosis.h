/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Says why this machine cannot make a sandbox, and what cures it. */

#pragma once

#include <glib.h>

/* @code: ASB_ERROR_PROVIDER_UNAVAILABLE or ASB_ERROR_GUEST_UNAVAILABLE. */
void asb_local_set_unavailable (GError **error, int code, const char *cure, const char *cause);

/* Returns: (nullable): what helps where a program could not be started for @cause, or not even be
 * tried: where that says so itself, none. @fallback: if the program is at fault */
const char *asb_local_find_spawn_cure (const GError *cause, const char *fallback);

/* “Could not @format: cause”, with what helps against @reason, as of errno, where that is known. */
void asb_local_set_failure (GError **error, int reason, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* The state folder at @path cannot be made, opened or filled; @reason: as of errno. */
void asb_local_set_folder_error (GError **error, const char *path, int reason);

/* Root cannot give a sandbox its files. */
void asb_local_set_owner_error (GError **error, int reason);

/* For a sandbox that ended while it started. @output: what bubblewrap and the guest wrote to
 * standard error, @status: as of waitpid (). */
void asb_local_set_start_failure (GError **error, const char *output, int status);
