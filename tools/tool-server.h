/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The server that makes sandboxes: where it is, how it is reached, and the key to it. */

#pragma once

#include "tool-command.h"
#include "tool.h"

#define TOOL_SERVER_PROVIDER "opensandbox"

/* Every command that names or makes a sandbox has these. Ends with no name. */
extern const ToolOption tool_server_options[];

/* Of these --server alone. */
extern const ToolOption tool_server_address_options[];

/* That somebody who runs asb has one in mind, by an option or the environment. */
gboolean tool_server_is_named (void);

/* The provider when none is named: a server that was given is there to be used. */
const char *tool_server_get_default_provider (void);

/* Adds to the settings of provider @name what the options, and the places where a key may be, say;
 * what is set already stays. */
gboolean tool_server_apply (Tool *tool, const char *name, GVariantDict *settings, GError **error);

/* Returns: (transfer full): scheme, host and port of the server the options and the environment
 * speak of, as keys are kept for it; NULL with @error set when that is no address */
char *tool_server_dup_origin (GError **error);

/* What is secret stands on no command line. Returns: FALSE with @error set when @name is */
gboolean tool_server_check_setting (const char *name, GError **error);
