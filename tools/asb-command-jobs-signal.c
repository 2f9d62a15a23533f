/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <signal.h>
#include <string.h>

#include "tool-commands.h"
#include "tool-jobs.h"
#include "tool-message.h"
#include "tool-no-record.h"

#define MAX_SIGNAL 64

static struct
{
  const char *signal;
} options;

static int signal_number;

/* 0: there is no such signal. */
static int
parse_signal (const char *text)
{
  guint64 number;

  if (g_ascii_string_to_unsigned (text, 10, 1, MAX_SIGNAL, &number, NULL))
    return (int)number;
  if (g_ascii_strncasecmp (text, "SIG", 3) == 0)
    text += 3;
  for (int i = 1; i <= MAX_SIGNAL; i++)
    if (sigabbrev_np (i) && g_ascii_strcasecmp (sigabbrev_np (i), text) == 0)
      return i;
  return 0;
}

static gboolean
send_signal (Tool *tool, AsbJob *job, GError **error)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (GError) local = NULL;

  asb_job_send_signal_async (job, signal_number, tool->cancellable, tool_wait_cb, &wait);
  if (asb_job_send_signal_finish (job, tool_wait (&wait), &local))
    return TRUE;
  if (local)
    g_propagate_error (error, g_steal_pointer (&local));
  else
    g_set_error (error, ASB_ERROR, ASB_ERROR_JOB_NOT_FOUND, "The job “%s” has ended",
                 asb_job_get_id (job));
  return FALSE;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  signal_number = parse_signal (options.signal ? options.signal : "TERM");
  if (signal_number > 0)
    return tool_jobs_each (tool, parsed, send_signal);
  tool_message ("“%s” is no signal; give a name, as HUP, or a number from 1 to %d", options.signal,
                MAX_SIGNAL);
  return TOOL_EXIT_USAGE;
}

static const ToolOption option_entries[] = {
  { "signal", 's', TOOL_OPTION_TEXT, &options.signal, "SIGNAL",
    "the signal, as a name or a number; TERM if not given", TOOL_COMPLETE_SIGNAL },
  TOOL_NO_RECORD_OPTION,
  { NULL },
};

static const ToolExample examples[] = {
  { "asb jobs signal -s HUP scratch server",
    "Lets a server read its configuration again, as many do then." },
  { NULL, NULL },
};

const ToolCommand tool_command_jobs_signal = {
  .name = "jobs signal",
  .summary = "send jobs a signal",
  .description = "Sends a signal to the process group of each of the jobs. To end a job with "
                 "everything it started, use asb jobs stop.",
  .options = option_entries,
  .arguments = tool_jobs_arguments,
  .examples = examples,
  .run = run,
};
