/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From the name a user types to a sandbox, and into it. */

#pragma once

#include "tool-command.h"
#include "tool-json.h"
#include "tool.h"

/* For commands whose --workdir is that of a command. */
#define TOOL_SANDBOX_WORKDIR_OPTION(value)                                                         \
  {                                                                                                \
    "sandbox-workdir", '\0', TOOL_OPTION_BYTES, &(value), "DIR",                                   \
        "makes this folder, where everything in the new sandbox starts, instead of /workspace; "   \
        "--workdir of asb create",                                                                 \
        TOOL_COMPLETE_NOTHING, TOOL_GROUP_SANDBOX                                                  \
  }
#define TOOL_SANDBOX_WORKDIR_ADVICE "see --sandbox-workdir"

typedef enum
{
  TOOL_SANDBOX_LIVE,
  TOOL_SANDBOX_ANY /* removed ones too, of which there is a record */
} ToolSandboxScope;

typedef struct
{
  AsbProvider *provider;
  AsbSandboxInfo *info;
} ToolSandbox;

typedef gboolean (*ToolSandboxFunc) (Tool *tool, const char *text, GError **error);

void tool_sandbox_clear (ToolSandbox *sandbox);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolSandbox, tool_sandbox_clear)

/* @text: a time to live, NULL for none. */
gboolean tool_sandbox_set_ttl (AsbBackendOptions *options, const char *text, GError **error);

/* Finds PROVIDER:ID, an ID, the beginning of one or a name. */
gboolean tool_sandbox_find (Tool *tool, const char *text, ToolSandboxScope scope,
                            ToolSandbox *sandbox, GError **error);
/* Whether it finds one, or several that may be meant. */
gboolean tool_sandbox_exists (Tool *tool, const char *text, ToolSandboxScope scope);
/* Does @function to each sandbox that is named, says what went wrong and goes on. Returns: the exit
 * status */
int tool_sandbox_each (Tool *tool, const ToolParsed *parsed, ToolSandboxFunc function);
/* Fails if the sandbox of @backend is gone, and says what became of it. What cannot be told counts
 * as there. */
gboolean tool_sandbox_check_there (Tool *tool, AsbBackend *backend, GError **error);
/* Returns: (transfer full) (element-type AsbSandboxInfo): all sandboxes of a provider, by age */
GPtrArray *tool_sandbox_list (Tool *tool, AsbProvider *provider, ToolSandboxScope scope,
                              GError **error);
/* The same of those that have all of @metadata, which may be NULL. */
GPtrArray *tool_sandbox_list_with (Tool *tool, AsbProvider *provider, ToolSandboxScope scope,
                                   GHashTable *metadata, GError **error);
/* Removes a sandbox with all its files. */
gboolean tool_sandbox_remove (Tool *tool, AsbProvider *provider, AsbSandboxInfo *info,
                              GError **error);
/* Whether it says that there is no such sandbox any more. */
gboolean tool_sandbox_is_gone (const GError *error);
/* Returns: (transfer full): a backend in a sandbox that is there already, with a record unless
 * --no-record was given */
AsbBackend *tool_sandbox_connect (Tool *tool, const char *text, GError **error);
/* Returns: (transfer full): the same of a sandbox that was found, with a history or without */
AsbBackend *tool_sandbox_connect_to (Tool *tool, const ToolSandbox *sandbox, AsbHistoryMode mode,
                                     GError **error);
/* Returns: (transfer full): a backend in a new sandbox, as @options say. @workdir_option:
 * (nullable): “see --…”, where another working directory can be had */
AsbBackend *tool_sandbox_create (Tool *tool, AsbBackendOptions *options, const char *workdir_option,
                                 GError **error);
/* Closes a backend, and says what went wrong. */
gboolean tool_backend_close (AsbBackend *backend);

/* Splits “PROVIDER:ID”. Returns: the ID, in @text; @provider is the usual one where none is named
 */
const char *tool_sandbox_split_name (const char *text, char **provider);
const char *tool_sandbox_get_id (AsbSandboxInfo *info);
/* “PROVIDER:ID” */
char *tool_sandbox_dup_full_name (AsbSandboxInfo *info);
/* Characters of an id that tell these sandboxes apart. */
guint tool_sandbox_get_short_length (GPtrArray *infos);
gboolean tool_sandbox_is_local (AsbSandboxInfo *info);
/* What is shown of its state: of one that was removed, whether its time was up. */
const char *tool_sandbox_get_state (AsbSandboxInfo *info);
gboolean tool_sandbox_is_removed (AsbSandboxInfo *info);
void tool_sandbox_add_json (ToolJson *json, const char *name, AsbSandboxInfo *info);
