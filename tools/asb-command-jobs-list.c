/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-jobs.h"
#include "tool-json.h"
#include "tool-message.h"
#include "tool-no-record.h"
#include "tool-table.h"
#include "tool-text.h"

static struct
{
  gboolean json;
} options;

static int
print_json (GListModel *jobs)
{
  ToolJson *json = tool_json_new ();

  tool_json_begin_array (json, NULL);
  for (guint i = 0; i < g_list_model_get_n_items (jobs); i++)
    {
      g_autoptr (AsbJob) job = g_list_model_get_item (jobs, i);

      tool_job_add_json (json, job);
    }
  tool_json_end_array (json);
  return tool_json_print (json);
}

static char *
dup_state (AsbJob *job)
{
  AsbCommandResult *result = asb_job_get_result (job);
  const AsbCommandState state = asb_job_get_state (job);
  const gboolean is_plain
      = state == ASB_COMMAND_STATE_SUCCEEDED || state == ASB_COMMAND_STATE_FAILED;

  if (is_plain && asb_command_result_get_has_exit_status (result))
    return g_strdup_printf ("exit %d", asb_command_result_get_exit_status (result));
  if (is_plain && asb_command_result_get_term_signal (result) > 0)
    return g_strdup_printf ("signal %d", asb_command_result_get_term_signal (result));
  return g_strdup (tool_enum_get_nick (ASB_TYPE_COMMAND_STATE, state));
}

static int
print_table (GListModel *jobs)
{
  static const char *const titles[] = { "ID", "NAME", "STATE", "AGE", ">OUTPUT", "COMMAND", NULL };
  ToolTable *table = tool_table_new (titles);

  for (guint i = 0; i < g_list_model_get_n_items (jobs); i++)
    {
      g_autoptr (AsbJob) job = g_list_model_get_item (jobs, i);
      g_autofree char *state = dup_state (job);
      g_autofree char *age = tool_text_dup_age (asb_job_get_started_at (job));
      g_autofree char *size
          = tool_text_dup_size (asb_job_get_stdout_total (job) + asb_job_get_stderr_total (job));
      const char *const cells[]
          = { asb_job_get_id (job),     asb_job_get_name (job), state, age, size,
              asb_job_get_command (job) };

      tool_table_add_row (table, cells);
    }
  return tool_table_print (table);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_auto (ToolJobs) jobs = { 0 };
  g_autoptr (GError) error = NULL;

  if (tool_jobs_open (tool, parsed, &jobs, &error))
    return options.json ? print_json (jobs.jobs) : print_table (jobs.jobs);
  tool_message_error (error);
  return TOOL_EXIT_FAILED;
}

static const ToolOption option_entries[] = {
  TOOL_NO_RECORD_OPTION,
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL,
    "prints JSON, for programs: everything that is known of each job" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb jobs list scratch", "Shows what runs and what has ended, oldest first." },
  { "asb jobs list scratch --json | jq -r '.[] | select(.state == \"running\").id'",
    "Prints the IDs of those that run." },
  { NULL, NULL },
};

const ToolCommand tool_command_jobs_list = {
  .name = "jobs list",
  .summary = "list the jobs of a sandbox",
  .description = "Lists the jobs that run in a sandbox and those that have ended and are not "
                 "forgotten, in the order in which they started.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
