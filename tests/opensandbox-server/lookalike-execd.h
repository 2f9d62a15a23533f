/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The daemon in a sandbox; the handlers of its subjects. */

#pragma once

#include "lookalike-go-json.h"
#include "lookalike-request.h"

G_BEGIN_DECLS

gboolean lookalike_execd_open (LookalikeSandbox *sandbox, GError **error);
void lookalike_execd_close (LookalikeSandbox *sandbox);

void lookalike_execd_run_command (LookalikeRequest *request);
void lookalike_execd_interrupt (LookalikeRequest *request);
void lookalike_execd_get_command_status (LookalikeRequest *request);
void lookalike_execd_get_command_logs (LookalikeRequest *request);

void lookalike_execd_create_session (LookalikeRequest *request);
void lookalike_execd_run_in_session (LookalikeRequest *request);
void lookalike_execd_delete_session (LookalikeRequest *request);

void lookalike_execd_run_code (LookalikeRequest *request);
void lookalike_execd_create_context (LookalikeRequest *request);
void lookalike_execd_list_contexts (LookalikeRequest *request);
void lookalike_execd_delete_contexts (LookalikeRequest *request);
void lookalike_execd_get_context (LookalikeRequest *request);

void lookalike_execd_create_pty (LookalikeRequest *request);
void lookalike_execd_get_pty (LookalikeRequest *request);
void lookalike_execd_delete_pty (LookalikeRequest *request);
void lookalike_execd_connect_pty (LookalikeRequest *request);

void lookalike_execd_get_files_info (LookalikeRequest *request);
void lookalike_execd_delete_files (LookalikeRequest *request);
void lookalike_execd_set_permissions (LookalikeRequest *request);
void lookalike_execd_move_files (LookalikeRequest *request);
void lookalike_execd_replace (LookalikeRequest *request);
void lookalike_execd_search (LookalikeRequest *request);
void lookalike_execd_upload (LookalikeRequest *request);
void lookalike_execd_download (LookalikeRequest *request);
void lookalike_execd_make_directories (LookalikeRequest *request);
void lookalike_execd_delete_directories (LookalikeRequest *request);
void lookalike_execd_list_directory (LookalikeRequest *request);

void lookalike_execd_get_metrics (LookalikeRequest *request);
void lookalike_execd_watch_metrics (LookalikeRequest *request);

/* Shared by the handlers of processes. */

/* "bash", or "sh" where there is none. */
const char *lookalike_execd_get_shell (LookalikeSandbox *sandbox);
/* Where PATH has it, or NULL. */
char *lookalike_execd_find_program (LookalikeSandbox *sandbox, const char *name);
/* The folder to start in; -1 and an error. @cwd NULL or empty: the root. */
int lookalike_execd_open_cwd (LookalikeSandbox *sandbox, const char *cwd, GError **error);
/* What execd says before the words of its decoder. */
#define LOOKALIKE_EXECD_MAYBE "error parsing request, MAYBE invalid body format. "
/* The body as @type; NULL after a refusal that begins with @lead. */
JsonNode *lookalike_execd_parse (LookalikeRequest *request, const LookalikeGoType *type,
                                 const char *lead);
/* The same of a struct or a map; null is an empty one. */
JsonObject *lookalike_execd_parse_object (LookalikeRequest *request, const LookalikeGoType *type,
                                          const char *lead);
/* The same, and so is no body at all. */
JsonObject *lookalike_execd_parse_optional (LookalikeRequest *request, const LookalikeGoType *type,
                                            const char *lead);

G_END_DECLS
