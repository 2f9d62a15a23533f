/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tool-commands.h"
#include "tool-creation.h"
#include "tool-limits.h"
#include "tool-message.h"
#include "tool-mount.h"
#include "tool-no-record.h"
#include "tool-operation.h"
#include "tool-place.h"
#include "tool-record.h"
#include "tool-run.h"
#include "tool-upload.h"

static struct
{
  const char *name;
  const char *workdir;
  gboolean show_record;
  gboolean keep;
  GPtrArray *limits;
  ToolMounts mounts;
  GPtrArray *uploads;
  ToolPlace place;
  ToolCreation creation;
  const char *lifetime;
} options;

static AsbBackendOptions *
make_options (GError **error)
{
  g_autoptr (AsbBackendOptions) backend_options = asb_backend_options_new ();
  g_autoptr (AsbHistoryConfig) history = asb_history_config_new ();

  asb_history_config_set_mode (history, tool_no_record_get_mode ());
  asb_backend_options_set_history (backend_options, history);
  asb_backend_options_set_sandbox_name (backend_options, options.name);
  if (options.workdir)
    asb_backend_options_set_workdir (backend_options, options.workdir);
  asb_backend_options_set_lifetime (backend_options,
                                    options.keep ? ASB_LIFETIME_PERSISTENT : ASB_LIFETIME_OWNED);
  asb_backend_options_set_cleanup (backend_options, options.keep ? ASB_CLEANUP_POLICY_NEVER
                                                                 : ASB_CLEANUP_POLICY_ON_CLOSE);
  return tool_limits_set (backend_options, options.limits, error)
                 && tool_sandbox_set_ttl (backend_options, options.lifetime, error)
                 && tool_mounts_apply (&options.mounts, backend_options, error)
                 && tool_uploads_apply (options.uploads, backend_options, error)
                 && tool_creation_apply (&options.creation, backend_options, error)
             ? g_steal_pointer (&backend_options)
             : NULL;
}

static gboolean
print_record (Tool *tool, const char *full_name, GError **error)
{
  g_auto (ToolSandbox) sandbox = { 0 };
  g_auto (ToolRecord) record = { 0 };
  g_autoptr (GPtrArray) operations = NULL;
  g_autofree char *table = NULL;

  if (!tool_sandbox_find (tool, full_name, TOOL_SANDBOX_ANY, &sandbox, error)
      || !tool_record_open (tool, &sandbox, &record, error))
    return FALSE;
  operations = tool_record_get_operations (tool, &record, error);
  if (!operations)
    return FALSE;
  table = tool_operations_dup_table (operations, 0, FALSE);
  fprintf (stderr, "\nRecord of %s\n%s", full_name, table);
  if (tool_sandbox_is_removed (sandbox.info))
    fprintf (stderr, "Then the sandbox was deleted; its record stays: asb history list %s\n",
             tool_sandbox_get_id (sandbox.info));
  return TRUE;
}

static void
finish (Tool *tool, AsbBackend *backend)
{
  AsbSandboxRef *ref = asb_backend_get_ref (backend);
  g_autofree char *full_name = g_strconcat (asb_sandbox_ref_get_provider_name (ref), ":",
                                            asb_sandbox_ref_get_sandbox_id (ref), NULL);
  const gboolean shows = options.show_record && !tool_no_record;
  const gboolean is_local
      = g_strcmp0 (asb_sandbox_ref_get_provider_name (ref), TOOL_LOCAL_PROVIDER) == 0;
  g_autoptr (GError) error = NULL;

  /* Of local sandboxes the record is kept when they go, and tells of that, too. */
  if (shows && !is_local)
    print_record (tool, full_name, &error);
  tool_backend_close (backend);
  if (shows && is_local)
    print_record (tool, full_name, &error);
  if (error)
    tool_message_error (error);
  if (options.keep)
    tool_message ("The sandbox is kept: asb exec %s, and asb rm %s in the end", full_name,
                  full_name);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  g_autoptr (AsbBackendOptions) backend_options = NULL;
  g_autoptr (AsbCommandSpec) spec = NULL;
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  tool->forget_record = tool_no_record;
  spec = tool_run_make_spec (parsed, 0, &error);
  if (spec)
    backend_options = make_options (&error);
  if (backend_options && tool_place_apply (&options.place, tool, backend_options, &error))
    backend = tool_sandbox_create (tool, backend_options, TOOL_SANDBOX_WORKDIR_ADVICE, &error);
  if (!backend)
    {
      tool_message_error (error);
      return TOOL_EXIT_ASB;
    }
  status = tool_run_command (tool, backend, spec);
  finish (tool, backend);
  return status;
}

static const ToolOption option_entries[] = {
  { "name", 'n', TOOL_OPTION_TEXT, &options.name, "NAME", "names the sandbox" },
  { "keep", 'k', TOOL_OPTION_FLAG, &options.keep, NULL,
    "leaves the sandbox when the command has ended, as asb create does" },
  { "show-record", '\0', TOOL_OPTION_FLAG, &options.show_record, NULL,
    "prints the record of what was done to standard error in the end" },
  { "record", '\0', TOOL_OPTION_FLAG, &options.show_record, NULL, NULL },
  TOOL_NO_RECORD_OPTION,
  { "limit", '\0', TOOL_OPTION_TEXTS, &options.limits, TOOL_LIMIT_ARGUMENT, TOOL_LIMIT_SUMMARY },
  { "ttl", '\0', TOOL_OPTION_TEXT, &options.lifetime, "TIME",
    "ends the sandbox after so many seconds, or 90s, 5m, 2h, 1d; for one that is kept, too" },
  TOOL_SANDBOX_WORKDIR_OPTION (options.workdir),
  TOOL_MOUNT_OPTIONS (options.mounts),
  TOOL_UPLOAD_OPTION (options.uploads),
  TOOL_PLACE_OPTIONS (options.place),
  TOOL_CREATION_OPTIONS (options.creation),
  { NULL },
};

static const ToolArgument arguments[] = {
  TOOL_RUN_ARGUMENTS,
  { NULL },
};

static const ToolExample examples[] = {
  { "asb run -- python3 -c 'print(6 * 7)'", "Runs one program." },
  { "asb run 'ls -l / | wc -l'", "Runs a line of shell." },
  { "tar c src | asb run 'tar x && make -C src'",
    "Takes files along on standard input, since a new sandbox is empty." },
  { "asb run --project . -- make check",
    "Builds and tests a project; what that writes goes with the sandbox." },
  { "asb run -v ~/data:/data -v ./out:/out:rw -- ./job",
    "Reads one folder of this machine and writes to another." },
  { "asb run -e API_KEY -w /tmp --timeout 5m -- ./job",
    "Gives a variable along, works in another folder, and sets a limit." },
  { NULL, NULL },
};

const ToolCommand tool_command_run = {
  .name = "run",
  .summary = "run a command in a new sandbox, then remove that",
  .description
  = "Makes a new, empty sandbox, runs one command in it and removes it again. It is on this "
    "machine "
    "unless --server or --provider say otherwise: it has no network then, sees nothing of this "
    "machine's files but the system's programs and what is given with --mount or --project, and "
    "ends with asb, whatever becomes of that.\n\n"
    "Standard input, output and error are those of asb, byte for byte. Standard input is given to "
    "the command unless it is a terminal or /dev/null. Signals are passed on; a second interrupt "
    "within two seconds ends the command and all it started. The exit status is that of the "
    "command.\n\n"
    "The record of what was done is kept: see asb history.",
  .options = option_entries,
  .more_options = tool_run_options,
  .arguments = arguments,
  .examples = examples,
  .foreign_from = 1,
  .usage_status = TOOL_EXIT_ASB,
  .run = run,
};
