/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-no-record.h"

#include <string.h>

#include "tool-message.h"

gboolean tool_no_record;

const ToolOption tool_no_record_options[] = { TOOL_NO_RECORD_OPTION, { NULL } };

AsbHistoryMode
tool_no_record_get_mode (void)
{
  return tool_no_record ? ASB_HISTORY_MODE_NONE : ASB_HISTORY_MODE_SANDBOX;
}

gboolean
tool_no_record_is_why (const GError *error)
{
  return g_error_matches (error, ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY)
         && strstr (error->message, "“sandbox_history”");
}

static gboolean
has_no_place (const GError *error)
{
  return g_error_matches (error, ASB_ERROR, ASB_ERROR_HISTORY_DATABASE)
         && strstr (error->message, "the option “history”");
}

void
tool_no_record_advise (GError *error)
{
  if (tool_no_record)
    return;
  if (tool_no_record_is_why (error))
    tool_message_advise (error, "it works with --no-record");
  else if (has_no_place (error))
    tool_message_advise (error, "see --no-record");
}
