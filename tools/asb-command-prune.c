/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "tool-commands.h"
#include "tool-listing.h"
#include "tool-message.h"
#include "tool-output.h"
#include "tool-question.h"
#include "tool-record.h"
#include "tool-sandbox.h"
#include "tool-server.h"
#include "tool-text.h"

static struct
{
  gboolean dry_run;
  gboolean force;
  gboolean json;
  gboolean records;
  const char *older_than;
  const char *provider;
} options;

static gboolean
is_over (AsbSandboxInfo *info)
{
  const AsbSandboxState state = asb_sandbox_info_get_state (info);
  GDateTime *expires_at = asb_sandbox_info_get_expires_at (info);
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();

  return state == ASB_SANDBOX_STATE_STOPPED || state == ASB_SANDBOX_STATE_FAILED
         || (expires_at && g_date_time_compare (expires_at, now) < 0);
}

/* @age: in seconds */
static gboolean
is_older (AsbSandboxInfo *info, gint64 age)
{
  GDateTime *created_at = asb_sandbox_info_get_created_at (info);
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();

  return age == 0
         || (created_at && g_date_time_difference (now, created_at) / G_TIME_SPAN_SECOND >= age);
}

static gboolean
parse_age (gint64 *age, GError **error)
{
  guint64 milliseconds = 0;

  if (options.older_than && !tool_text_parse_duration (options.older_than, &milliseconds, error))
    return FALSE;
  *age = (gint64)(milliseconds / 1000);
  return TRUE;
}

/* Returns: (transfer full) (nullable) (element-type AsbSandboxInfo): sandboxes that are over, or
 * removed ones of which there is a record */
static GPtrArray *
find_over (Tool *tool, AsbProvider *provider, GError **error)
{
  const ToolSandboxScope scope = options.records ? TOOL_SANDBOX_ANY : TOOL_SANDBOX_LIVE;
  g_autoptr (GPtrArray) infos = NULL;
  gint64 age;

  if (!parse_age (&age, error))
    return NULL;
  infos = tool_sandbox_list (tool, provider, scope, error);
  for (guint i = infos ? infos->len : 0; i > 0; i--)
    {
      AsbSandboxInfo *info = infos->pdata[i - 1];

      if (!is_older (info, age)
          || !(options.records ? tool_sandbox_is_removed (info) : is_over (info)))
        g_ptr_array_remove_index (infos, i - 1);
    }
  return g_steal_pointer (&infos);
}

static char *
describe (guint count)
{
  if (options.records)
    return g_strdup_printf ("%u record%s", count, count == 1 ? "" : "s");
  return g_strdup_printf ("%u sandbox%s", count, count == 1 ? "" : "es");
}

/* Whoever cannot be asked has to have said it before. */
static gboolean
ask (Tool *tool, GPtrArray *infos, gboolean *yes, GError **error)
{
  g_autofree char *what = describe (infos->len);
  g_autofree char *table = NULL;

  *yes = options.force;
  if (options.force)
    return TRUE;
  if (!tool_text_is_terminal (STDIN_FILENO))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "There is nobody to ask whether to remove %s; give --force, or see what there "
                   "is with --dry-run",
                   what);
      return FALSE;
    }
  table = tool_listing_dup_table (infos, tool_text_get_columns (STDERR_FILENO));
  fputs (table, stderr);
  return tool_question_ask (tool,
                            options.records ? "Delete the records of all these, for good?"
                                            : "Remove all these, with their files?",
                            yes, error);
}

/* What somebody else removed meanwhile is gone, which is what was asked for. */
static gboolean
remove_one (Tool *tool, AsbProvider *provider, AsbSandboxInfo *info, GPtrArray *removed)
{
  g_autoptr (GError) error = NULL;

  if ((options.records ? tool_record_remove : tool_sandbox_remove) (tool, provider, info, &error))
    g_ptr_array_add (removed, info);
  else if (!tool_sandbox_is_gone (error))
    {
      tool_message_error (error);
      return FALSE;
    }
  return TRUE;
}

static int
print_names (GPtrArray *infos)
{
  g_autoptr (GString) lines = g_string_new (NULL);

  for (guint i = 0; i < infos->len; i++)
    {
      g_autofree char *name = tool_sandbox_dup_full_name (infos->pdata[i]);

      g_string_append_printf (lines, "%s\n", name);
    }
  return tool_output_print (lines->str, lines->len);
}

static int
remove_all (Tool *tool, AsbProvider *provider, GPtrArray *infos)
{
  g_autoptr (GPtrArray) removed = g_ptr_array_new ();
  gboolean done = TRUE;
  int status;

  for (guint i = 0; i < infos->len && !g_cancellable_is_cancelled (tool->cancellable); i++)
    done = remove_one (tool, provider, infos->pdata[i], removed) && done;
  status = options.json ? tool_listing_print (removed, TRUE) : print_names (removed);
  return done ? status : TOOL_EXIT_FAILED;
}

static int
prune (Tool *tool, AsbProvider *provider, GPtrArray *infos, GError **error)
{
  gboolean yes;

  if (options.dry_run)
    return tool_listing_print (infos, options.json);
  if (infos->len == 0)
    return options.json ? tool_listing_print (infos, TRUE) : TOOL_EXIT_DONE;
  if (!ask (tool, infos, &yes, error))
    return TOOL_EXIT_FAILED;
  if (yes)
    return remove_all (tool, provider, infos);
  tool_message ("Nothing was removed");
  return TOOL_EXIT_DONE;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (GError) error = NULL;
  AsbProvider *provider = tool_get_provider (
      tool, options.provider ? options.provider : tool_server_get_default_provider (), &error);
  g_autoptr (GPtrArray) infos = provider ? find_over (tool, provider, &error) : NULL;
  int status = infos ? prune (tool, provider, infos, &error) : TOOL_EXIT_FAILED;

  if (error)
    tool_message_error (error);
  return status;
}

static const ToolOption option_entries[] = {
  { "dry-run", 'n', TOOL_OPTION_FLAG, &options.dry_run, NULL,
    "lists what would be removed, and removes nothing" },
  { "force", 'f', TOOL_OPTION_FLAG, &options.force, NULL, "does not ask" },
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints JSON, for programs" },
  { "older-than", '\0', TOOL_OPTION_TEXT, &options.older_than, "AGE",
    "leaves alone what was made less than so many seconds ago, or with s, m, h or d" },
  { "provider", '\0', TOOL_OPTION_TEXT, &options.provider, "NAME",
    "removes sandboxes of this provider; local if not given", TOOL_COMPLETE_PROVIDER },
  { "records", '\0', TOOL_OPTION_FLAG, &options.records, NULL,
    "deletes the records of sandboxes that were removed instead; only local ones are kept" },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb prune --dry-run", "Shows what is over." },
  { "asb prune", "Removes it, after a question." },
  { "asb prune --records --older-than 30d", "Deletes old records, after a question." },
  { "asb prune --force --provider opensandbox", "Does it on a server, without one." },
  { NULL, NULL },
};

const ToolCommand tool_command_prune = {
  .name = "prune",
  .summary = "remove the sandboxes that are over",
  .description
  = "Removes the sandboxes that have stopped or failed, or whose time is up, with all their "
    "files, and prints their names. What runs is left alone. A local sandbox that stays has "
    "stopped when its guest was killed or this machine was started anew; it goes on when it is "
    "used, so have a look before. The record of what was done in them is kept, until it "
    "is deleted with --records or asb history rm.",
  .options = option_entries,
  .examples = examples,
  .run = run,
};
