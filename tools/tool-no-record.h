/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The option --no-record, which all commands have that do something in a sandbox. */

#pragma once

#include "tool-command.h"

#define TOOL_NO_RECORD_OPTION                                                                      \
  {                                                                                                \
    "no-record", '\0', TOOL_OPTION_FLAG, &tool_no_record, NULL,                                    \
        "records nothing of this, which is needed where no record can be kept"                     \
  }

/* Whether it was given. */
extern gboolean tool_no_record;

/* For commands without other options. */
extern const ToolOption tool_no_record_options[];

/* SANDBOX, or NONE. */
AsbHistoryMode tool_no_record_get_mode (void);

/* Where nothing was made since the sandbox cannot keep a record, names the option in @error, which
 * stays. */
void tool_no_record_advise (GError *error);

/* Whether @error says that the sandbox has no history. */
gboolean tool_no_record_is_why (const GError *error);
