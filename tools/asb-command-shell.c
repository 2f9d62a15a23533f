/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-limits.h"
#include "tool-message.h"
#include "tool-mount.h"
#include "tool-no-record.h"
#include "tool-place.h"
#include "tool-run.h"
#include "tool-sandbox.h"

static struct
{
  const char *name;
  gboolean keep;
  const char *workdir;
  GPtrArray *limits;
  const char *lifetime;
  ToolMounts mounts;
  ToolPlace place;
} options;

static AsbBackend *
create (Tool *tool, GError **error)
{
  g_autoptr (AsbBackendOptions) backend_options = asb_backend_options_new ();
  g_autoptr (AsbHistoryConfig) history = asb_history_config_new ();

  if (!tool_limits_set (backend_options, options.limits, error)
      || !tool_sandbox_set_ttl (backend_options, options.lifetime, error)
      || !tool_mounts_apply (&options.mounts, backend_options, error)
      || !tool_place_apply (&options.place, tool, backend_options, error))
    return NULL;
  asb_backend_options_set_sandbox_name (backend_options, options.name);
  if (options.workdir)
    asb_backend_options_set_workdir (backend_options, options.workdir);
  asb_history_config_set_mode (history, tool_no_record_get_mode ());
  asb_backend_options_set_history (backend_options, history);
  asb_backend_options_set_lifetime (backend_options,
                                    options.keep ? ASB_LIFETIME_PERSISTENT : ASB_LIFETIME_OWNED);
  asb_backend_options_set_cleanup (backend_options, options.keep ? ASB_CLEANUP_POLICY_NEVER
                                                                 : ASB_CLEANUP_POLICY_ON_CLOSE);
  return tool_sandbox_create (tool, backend_options, TOOL_SANDBOX_WORKDIR_ADVICE, error);
}

/* All these but one are for a new sandbox. */
static const ToolOption option_entries[] = {
  { "name", 'n', TOOL_OPTION_TEXT, &options.name, "NAME", "names the sandbox" },
  { "keep", 'k', TOOL_OPTION_FLAG, &options.keep, NULL,
    "leaves a new sandbox when the shell has ended, as asb create does" },
  TOOL_NO_RECORD_OPTION,
  { "limit", '\0', TOOL_OPTION_TEXTS, &options.limits, TOOL_LIMIT_ARGUMENT, TOOL_LIMIT_SUMMARY },
  { "ttl", '\0', TOOL_OPTION_TEXT, &options.lifetime, "TIME",
    "ends the sandbox after so many seconds, or 90s, 5m, 2h, 1d; for one that is kept, too" },
  TOOL_SANDBOX_WORKDIR_OPTION (options.workdir),
  TOOL_MOUNT_OPTIONS (options.mounts),
  TOOL_PLACE_OPTIONS (options.place),
  { NULL },
};

static gboolean
is_for_new_sandbox (const ToolOption *option)
{
  return option->value != &tool_no_record && option >= option_entries
         && option < option_entries + G_N_ELEMENTS (option_entries);
}

static gboolean
check_options (const ToolParsed *parsed, GError **error)
{
  for (guint i = 0; parsed->arguments->len > 0 && i < parsed->given->len; i++)
    {
      const ToolOption *option = parsed->given->pdata[i];

      if (is_for_new_sandbox (option))
        {
          g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                       "The option --%s is for a new sandbox, and “%s” is there already",
                       option->name, tool_parsed_get (parsed, 0));
          return FALSE;
        }
    }
  return TRUE;
}

static AsbBackend *
open_sandbox (Tool *tool, const ToolParsed *parsed, GError **error)
{
  if (parsed->arguments->len > 0)
    return tool_sandbox_connect (tool, tool_parsed_get (parsed, 0), error);
  return create (tool, error);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (AsbCommandSpec) spec = NULL;
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (GError) error = NULL;
  AsbSandboxRef *ref;
  int status;

  tool->forget_record = tool_no_record && parsed->arguments->len == 0;
  if (check_options (parsed, &error))
    spec = tool_run_make_shell_spec (&error);
  if (spec)
    backend = open_sandbox (tool, parsed, &error);
  if (!backend)
    {
      tool_message_error (error);
      return TOOL_EXIT_ASB;
    }
  status = tool_run_command (tool, backend, spec);
  ref = asb_backend_get_ref (backend);
  if (options.keep)
    tool_message ("The sandbox is kept: asb shell %s:%s", asb_sandbox_ref_get_provider_name (ref),
                  asb_sandbox_ref_get_sandbox_id (ref));
  tool_backend_close (backend);
  return status;
}

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name; if not given, a new one",
    TOOL_ARGUMENT_OPTIONAL, TOOL_COMPLETE_SANDBOX },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb shell", "Looks around in a new sandbox, which goes with the shell." },
  { "asb shell --project .", "Tries things on a project that stays as it is." },
  { "asb shell scratch", "Works in a sandbox that is there." },
  { NULL, NULL },
};

const ToolCommand tool_command_shell = {
  .name = "shell",
  .summary = "open a shell in a sandbox",
  .description
  = "Opens a shell, bash where there is one and sh otherwise, with a terminal in a sandbox: in the "
    "one that is named, or in a new one that is removed when the shell ends. Keys, also those that "
    "interrupt, go to the shell; its terminal has the size of this one.\n\n"
    "The exit status is that of the shell, and the session is in the record as one command.",
  .options = option_entries,
  .more_options = tool_shell_options,
  .arguments = arguments,
  .examples = examples,
  .usage_status = TOOL_EXIT_ASB,
  .run = run,
};
