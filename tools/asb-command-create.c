/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>

#include "tool-commands.h"
#include "tool-creation.h"
#include "tool-json.h"
#include "tool-limits.h"
#include "tool-message.h"
#include "tool-mount.h"
#include "tool-no-record.h"
#include "tool-output.h"
#include "tool-place.h"
#include "tool-run.h"
#include "tool-sandbox.h"
#include "tool-upload.h"
#include "tool-text.h"

static struct
{
  const char *name;
  GPtrArray *environment;
  const char *workdir;
  const char *lifetime;
  GPtrArray *limits;
  ToolMounts mounts;
  GPtrArray *uploads;
  ToolPlace place;
  ToolCreation creation;
  gboolean json;
} options;

static AsbBackendOptions *
make_options (GError **error)
{
  g_autoptr (AsbBackendOptions) backend_options = asb_backend_options_new ();
  g_autoptr (AsbHistoryConfig) history = asb_history_config_new ();
  g_auto (GStrv) environment = tool_environment_new (options.environment, error);

  if (!environment || !tool_sandbox_set_ttl (backend_options, options.lifetime, error)
      || !tool_limits_set (backend_options, options.limits, error)
      || !tool_mounts_apply (&options.mounts, backend_options, error)
      || !tool_creation_apply (&options.creation, backend_options, error))
    return NULL;
  asb_backend_options_set_lifetime (backend_options, ASB_LIFETIME_PERSISTENT);
  asb_backend_options_set_cleanup (backend_options, ASB_CLEANUP_POLICY_NEVER);
  asb_history_config_set_mode (history, tool_no_record_get_mode ());
  asb_backend_options_set_history (backend_options, history);
  asb_backend_options_set_sandbox_name (backend_options, options.name);
  asb_backend_options_set_environment (backend_options, (const char *const *)environment);
  if (options.workdir)
    asb_backend_options_set_workdir (backend_options, options.workdir);
  if (!tool_uploads_apply (options.uploads, backend_options, error))
    return NULL;
  return g_steal_pointer (&backend_options);
}

static int
print_name (AsbSandboxRef *ref)
{
  g_autofree char *line = g_strdup_printf ("%s:%s\n", asb_sandbox_ref_get_provider_name (ref),
                                           asb_sandbox_ref_get_sandbox_id (ref));

  return tool_output_print (line, strlen (line));
}

/* What could not be printed was to be the only way to find it. */
static int
name_if_untold (AsbSandboxRef *ref, int status)
{
  if (status != TOOL_EXIT_DONE)
    tool_message ("Sandbox “%s:%s” was made all the same; asb rm removes it",
                  asb_sandbox_ref_get_provider_name (ref), asb_sandbox_ref_get_sandbox_id (ref));
  return status;
}

static int
print_json (Tool *tool, AsbBackend *backend)
{
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbSandboxInfo) info = NULL;
  g_autoptr (GError) error = NULL;
  AsbProvider *provider = asb_backend_get_provider (backend);
  ToolJson *json;

  asb_provider_get_sandbox_async (provider,
                                  asb_sandbox_ref_get_sandbox_id (asb_backend_get_ref (backend)),
                                  tool->cancellable, tool_wait_cb, &wait);
  info = asb_provider_get_sandbox_finish (provider, tool_wait (&wait), &error);
  if (!info)
    {
      /* It is there all the same. */
      print_name (asb_backend_get_ref (backend));
      tool_message_error (error);
      return TOOL_EXIT_FAILED;
    }
  json = tool_json_new ();
  tool_sandbox_add_json (json, NULL, info);
  return name_if_untold (asb_backend_get_ref (backend), tool_json_print (json));
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (AsbBackendOptions) backend_options = NULL;
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  backend_options = make_options (&error);
  if (backend_options && tool_place_apply (&options.place, tool, backend_options, &error))
    backend = tool_sandbox_create (tool, backend_options, "see --workdir", &error);
  if (!backend)
    {
      tool_message_error (error);
      return TOOL_EXIT_FAILED;
    }
  status = options.json ? print_json (tool, backend)
                        : name_if_untold (asb_backend_get_ref (backend),
                                          print_name (asb_backend_get_ref (backend)));
  return tool_backend_close (backend) || status != TOOL_EXIT_DONE ? status : TOOL_EXIT_FAILED;
}

static const ToolOption option_entries[] = {
  { "name", 'n', TOOL_OPTION_TEXT, &options.name, "NAME",
    "names the sandbox; the name serves instead of its ID, and no other local one may have it" },
  { "env", 'e', TOOL_OPTION_BYTES_LIST, &options.environment, "NAME[=VALUE]",
    "sets a variable for every command in the sandbox; without a value it is the one asb has, "
    "which shows in no list of processes" },
  { "workdir", 'w', TOOL_OPTION_BYTES, &options.workdir, "DIR",
    "makes this folder, where commands run if nothing else is said; /workspace if not given" },
  { "ttl", '\0', TOOL_OPTION_TEXT, &options.lifetime, "TIME",
    "removes the sandbox after so many seconds, or 90s, 5m, 2h, 1d, or never; if not given, as the "
    "provider does, which for local ones is never" },
  TOOL_NO_RECORD_OPTION,
  { "limit", '\0', TOOL_OPTION_TEXTS, &options.limits, TOOL_LIMIT_ARGUMENT, TOOL_LIMIT_SUMMARY },
  TOOL_MOUNT_OPTIONS (options.mounts),
  TOOL_UPLOAD_OPTION (options.uploads),
  TOOL_PLACE_OPTIONS (options.place),
  TOOL_CREATION_OPTIONS (options.creation),
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL,
    "prints what asb info --json does, for programs" },
  { NULL },
};

static const ToolExample examples[] = {
  { "box=$(asb create --name scratch)", "Makes a sandbox and keeps its name in a variable." },
  { "asb exec scratch -- make test", "Uses it." },
  { "asb create --project . --name fix", "Makes one that works on a copy of this folder." },
  { "asb rm scratch", "Removes it." },
  { NULL, NULL },
};

const ToolCommand tool_command_create = {
  .name = "create",
  .summary = "make a sandbox that stays",
  .description = "Makes a new, empty sandbox, on this machine or on a server, that stays until "
                 "asb rm removes it or its time is up, and prints its name, PROVIDER:ID, and "
                 "nothing else.",
  .options = option_entries,
  .examples = examples,
  .run = run,
};
