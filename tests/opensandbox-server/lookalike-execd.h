/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The daemon in a sandbox; the handlers of its subjects. */

#pragma once

#include "lookalike-request.h"
#include "lookalike-shape.h"

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
/* The folder to start in; -1 and an error. @cwd NULL or empty: the root. */
int lookalike_execd_open_cwd (LookalikeSandbox *sandbox, const char *cwd, GError **error);
/* The object a body holds; answers and gives NULL when it is none. An empty body is an empty
 * object when @may_be_empty. */
/* The body; NULL after an answer, also where one of @members is of another type. */
JsonObject *lookalike_execd_parse_object (LookalikeRequest *request, const LookalikeShape *members,
                                          gboolean may_be_empty);
JsonNode *lookalike_execd_parse (LookalikeRequest *request, GError **error);
void lookalike_execd_refuse_body (LookalikeRequest *request, const char *why);

G_END_DECLS
