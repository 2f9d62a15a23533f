/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [io] Small scripts that do what execd has no call for: run to their end, with what they print as
 * bytes. They are for any shell, get LC_ALL=C, and print what may be no text through base64. */

#pragma once

#include "asb-opensandbox-execd.h"

/* What a script printed, at most. */
#define ASB_OPENSANDBOX_SCRIPT_MAX_OUTPUT (64 * 1024 * 1024)

typedef struct
{
  int exit_status;
  char **lines; /* of standard output */
  char *errors; /* standard error, cut after a while */
} AsbOpensandboxScriptResult;

void asb_opensandbox_script_result_free (AsbOpensandboxScriptResult *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AsbOpensandboxScriptResult, asb_opensandbox_script_result_free)

/* @text that has a trap of its own for EXIT calls asb_end in it, before it makes room. It tells
 * that nothing is missing of what was printed. */

/* “list “/a””: what is said of a script that does something with @path. */
char *asb_opensandbox_script_dup_what (const char *verb, const char *path);

/* @arguments are $1, $2… of @text. @what as for requests: “list the directory”. */
void asb_opensandbox_script_run_async (AsbOpensandboxExecd *execd, const char *text,
                                       const char *const *arguments, const char *what,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer user_data);

/* The same for a script that only looks: it is run again when its answer is lost or cut, twice at
 * the most and within the request timeout. Two of it may run at a time. */
void asb_opensandbox_script_ask_async (AsbOpensandboxExecd *execd, const char *text,
                                       const char *const *arguments, const char *what,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer user_data);

/* The request alone. @timeout_ms is for the script, 0 for none. Returns: (transfer full) */
AsbOpensandboxRequest *asb_opensandbox_script_new_request (AsbOpensandboxExecd *execd,
                                                           const char *text,
                                                           const char *const *arguments,
                                                           guint timeout_ms, const char *what);

/* Any end of the script is a result; an error says that its end is not known, or that it did not
 * begin. Returns: (transfer full) */
AsbOpensandboxScriptResult *asb_opensandbox_script_run_finish (AsbOpensandboxExecd *execd,
                                                               GAsyncResult *result,
                                                               GError **error);

/* The same, where only exit status 0 will do: another one is the error that its standard error
 * speaks of, about @path (nullable). */
AsbOpensandboxScriptResult *asb_opensandbox_script_run_finish_well (AsbOpensandboxExecd *execd,
                                                                    GAsyncResult *result,
                                                                    const char *path,
                                                                    GError **error);

/* What a program says of an error of the system: “mv: cannot move 'x': Permission denied”.
 * Returns: (transfer full) */
GError *asb_opensandbox_script_error_new (const char *errors, const char *what, const char *path);

/* Bytes that were printed by base64, from the line @first on, up to one that is empty or “.”;
 * *@next is the line behind. Returns: (transfer full) (nullable) */
GBytes *asb_opensandbox_script_decode (char **lines, guint first, guint *next, GError **error);
