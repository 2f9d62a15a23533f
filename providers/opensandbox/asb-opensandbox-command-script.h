/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The text that a shell of the sandbox is given for a command. It says on a line of its own that it
 * is about to begin, or why it cannot; what it says so is not the command's. */

#pragma once

#include <asb.h>
#include <json-glib/json-glib.h>

/* Who can tell its lines from those of the command: see asb_opensandbox_shell_new_token (). With
 * @folder the output goes to the files “o” and “e” in it, which is made. Returns: (transfer full)
 * (nullable) */
char *asb_opensandbox_command_script_new (AsbCommandSpec *spec, const char *token,
                                          const char *folder, GError **error);

/* The same for a job: what it says goes to the FIFO “f” in @folder, which is there. */
char *asb_opensandbox_command_script_new_job (AsbCommandSpec *spec, const char *token,
                                              const char *folder, GError **error);

/* The same for a file that the shell of /pty reads, in which everything stands. With @input the
 * command's standard input comes in pieces: a line with their size, and the bytes; 0 is the end. */
GBytes *asb_opensandbox_command_script_new_file (AsbCommandSpec *spec, const char *token,
                                                 gboolean input, GError **error);

/* The body of POST /command. Returns: (transfer full) */
JsonNode *asb_opensandbox_command_script_new_body (AsbCommandSpec *spec, const char *script);

/* The same in the background. execd counts the time of the command from before it begins: to that
 * @allowance_ms are added. */
JsonNode *asb_opensandbox_command_script_new_job_body (AsbCommandSpec *spec, const char *script,
                                                       guint allowance_ms);

typedef enum
{
  ASB_OPENSANDBOX_LINE_OTHER,   /* the command's own */
  ASB_OPENSANDBOX_LINE_STARTED, /* it begins */
  ASB_OPENSANDBOX_LINE_FAILED   /* it cannot */
} AsbOpensandboxLine;

/* What a line of standard output says. *@pid is the leader of the process group of the command. */
AsbOpensandboxLine asb_opensandbox_command_script_read (AsbCommandSpec *spec, const char *token,
                                                        const char *line, gsize size, int *pid,
                                                        GError **error);
