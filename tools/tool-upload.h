/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Uploads on a command line. Whoever names a file or a folder there allows it to be read. */

#pragma once

#include "tool-command.h"

/* The option of commands that make a sandbox. */
#define TOOL_UPLOAD_OPTION(values)                                                                 \
  {                                                                                                \
    "upload", '\0', TOOL_OPTION_BYTES_LIST, &(values), "SOURCE[:TARGET]",                          \
        "uploads a file or a folder of this machine into the sandbox, by the rules of asb "        \
        "upload, to TARGET or else to its name in the folder where commands run",                  \
        TOOL_COMPLETE_FILE                                                                         \
  }

/* Puts what was given in @options, whose working directory has been set. */
gboolean tool_uploads_apply (GPtrArray *uploads, AsbBackendOptions *options, GError **error);

/* @target: (nullable): from @workdir on, unless it begins with “/” */
AsbUploadSpec *tool_upload_new_spec (const char *source, const char *target, const char *workdir);

/* Lets @source be read. */
void tool_upload_allow (AsbUploadConfig *config, const char *source);
