/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-commands.h"
#include "tool-json.h"
#include "tool-message.h"
#include "tool-no-record.h"
#include "tool-options.h"
#include "tool-progress.h"
#include "tool-sandbox.h"
#include "tool-upload.h"

static struct
{
  GPtrArray *include;
  GPtrArray *exclude;
  const char *conflict;
  const char *links;
  gboolean modes;
  gboolean times;
  gboolean partial;
  gboolean json;
} options;

/* Words, by the values of their enumerations. */
static const char *const conflicts[] = { "error", "overwrite", "skip", "if-changed", NULL };
static const char *const links[] = { "reject", "keep", "follow", NULL };

static void
set_patterns (AsbUploadSpec *spec, const char *property, GPtrArray *patterns)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) all = NULL;

  if (!patterns)
    return;
  for (guint i = 0; i < patterns->len; i++)
    g_strv_builder_add (builder, g_ptr_array_index (patterns, i));
  all = g_strv_builder_end (builder);
  g_object_set (spec, property, all, NULL);
}

static void
apply_options (AsbUploadSpec *spec)
{
  const char *conflict = options.conflict ? options.conflict : "if-changed";

  set_patterns (spec, "include", options.include);
  set_patterns (spec, "exclude", options.exclude);
  g_object_set (spec, "conflict", tool_options_find_word (conflicts, conflict), "symlinks",
                tool_options_find_word (links, options.links), "preserve-mode", options.modes,
                "preserve-mtime", options.times, NULL);
}

static void
progress_cb (AsbUploadSpec *spec, guint64 n_bytes, guint64 total_bytes, gpointer user_data)
{
  ToolProgress *progress = user_data;

  progress->total = total_bytes;
  __atomic_store_n (&progress->count, n_bytes, __ATOMIC_RELAXED);
}

static AsbUploadConfig *
new_config (const char *source, ToolProgress *progress)
{
  AsbUploadConfig *config = asb_upload_config_new ();

  tool_upload_allow (config, source);
  asb_upload_config_set_allowed_sandbox_roots (config, (const char *const[]){ "/", NULL });
  asb_upload_config_set_partial_success (config, options.partial);
  asb_upload_config_set_progress (config, progress_cb, progress, NULL);
  return config;
}

static void
name_failures (GListModel *failures)
{
  for (guint i = 0; i < g_list_model_get_n_items (failures); i++)
    {
      g_autoptr (AsbUploadFailure) failure = g_list_model_get_item (failures, i);

      tool_message ("Left out %s: %s", asb_upload_failure_get_relative_path (failure),
                    asb_upload_failure_get_message (failure));
    }
}

static int
print_json (AsbUploadResult *result)
{
  ToolJson *json = tool_json_new ();

  tool_json_begin_object (json, NULL);
  tool_json_add_text (json, "upload_id", asb_upload_result_get_upload_id (result));
  tool_json_add_text (json, "target", asb_upload_result_get_target (result));
  tool_json_add_text (json, "manifest_hash", asb_upload_result_get_manifest_hash (result));
  tool_json_add_integer (json, "total_files", asb_upload_result_get_total_files (result));
  tool_json_add_integer (json, "uploaded_files", asb_upload_result_get_uploaded_files (result));
  tool_json_add_integer (json, "skipped_files", asb_upload_result_get_skipped_files (result));
  tool_json_add_integer (json, "failed_files", asb_upload_result_get_failed_files (result));
  tool_json_add_integer (json, "total_bytes", asb_upload_result_get_total_bytes (result));
  tool_json_end_object (json);
  return tool_json_print (json);
}

static AsbUploadResult *
upload (Tool *tool, AsbBackend *backend, AsbUploadSpec *spec, const char *source, GError **error)
{
  g_auto (ToolProgress) progress = { 0 };
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbUploadConfig) config = new_config (source, &progress);

  tool_progress_begin (&progress, source, 0);
  asb_backend_upload_local_async (backend, spec, config, tool->cancellable, tool_wait_cb, &wait);
  return asb_backend_upload_local_finish (backend, tool_wait (&wait), error);
}

static int
finish (AsbUploadResult *result, GError *error)
{
  int status;

  if (!result)
    {
      tool_message_error (error);
      return TOOL_EXIT_FAILED;
    }
  name_failures (asb_upload_result_get_failures (result));
  status = options.json ? print_json (result) : TOOL_EXIT_DONE;
  return asb_upload_result_get_failed_files (result) > 0 ? TOOL_EXIT_FAILED : status;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  const char *source = tool_parsed_get (parsed, 1);
  g_autoptr (AsbUploadSpec) spec = NULL;
  g_autoptr (AsbBackend) backend = NULL;
  g_autoptr (AsbUploadResult) result = NULL;
  g_autoptr (GError) error = NULL;

  backend = tool_sandbox_connect (tool, tool_parsed_get (parsed, 0), &error);
  if (backend)
    {
      spec = tool_upload_new_spec (source, tool_parsed_get (parsed, 2),
                                   asb_backend_get_workdir (backend));
      apply_options (spec);
      result = upload (tool, backend, spec, source, &error);
      tool_backend_close (backend);
    }
  return finish (result, error);
}

static const ToolOption option_entries[] = {
  { "include", '\0', TOOL_OPTION_BYTES_LIST, &options.include, "PATTERN",
    "uploads only what such a pattern matches, as those of .gitignore do" },
  { "exclude", '\0', TOOL_OPTION_BYTES_LIST, &options.exclude, "PATTERN",
    "leaves out what such a pattern matches" },
  { "conflict", '\0', TOOL_OPTION_TEXT, &options.conflict, "RULE",
    "what becomes of a file that is in the way: if-changed (default: it is replaced unless it is "
    "the same), error, overwrite or skip",
    TOOL_COMPLETE_NOTHING, TOOL_GROUP_OWN, conflicts },
  { "links", '\0', TOOL_OPTION_TEXT, &options.links, "RULE",
    "what becomes of symbolic links: reject (default: it is an error), keep (those that lead to "
    "something in the folder stay links) or follow (what they lead to in the folder is uploaded)",
    TOOL_COMPLETE_NOTHING, TOOL_GROUP_OWN, links },
  { "modes", '\0', TOOL_OPTION_FLAG, &options.modes, NULL,
    "keeps permissions; otherwise files get 0644 and folders 0755" },
  { "times", '\0', TOOL_OPTION_FLAG, &options.times, NULL, "keeps times of modification" },
  { "partial", '\0', TOOL_OPTION_FLAG, &options.partial, NULL,
    "leaves out files that cannot be read or change meanwhile, and names them; otherwise nothing "
    "is uploaded then" },
  TOOL_NO_RECORD_OPTION,
  { "json", '\0', TOOL_OPTION_FLAG, &options.json, NULL, "prints what became of it, for programs" },
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { "SOURCE", "a file or a folder of this machine", 0, TOOL_COMPLETE_FILE },
  { "TARGET",
    "its own new path in the sandbox, from the folder where commands run, unless it begins with "
    "/; if not given, its name there",
    TOOL_ARGUMENT_OPTIONAL },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb upload scratch project",
    "Brings the project up to date in the sandbox, without what holds secrets." },
  { "asb upload scratch . /workspace/app --exclude '*.log'", "Uploads this folder, but no logs." },
  { "asb upload scratch notes.txt notes/today.txt", "Uploads a file, by another name." },
  { NULL, NULL },
};

const ToolCommand tool_command_upload = {
  .name = "upload",
  .summary = "bring a project into a sandbox, safely",
  .description
  = "Uploads a file, or what is in a folder, into a sandbox: all of it or nothing. What is the "
    "same "
    "there is left as it is, other files there stay, and what arrives is compared with what was "
    "sent. asb put copies whatever it is given; this leaves out what is not for an agent to "
    "see.\n\n"
    "Left out are .git, .env, .env.*, .ssh, .aws, .gnupg, node_modules, .venv, __pycache__, what "
    "the patterns in a file .sandboxignore of the folder match, and that file. What is no file, "
    "folder or link, a link that leads out of the folder, and a file that cannot be read or "
    "changes meanwhile are errors that name it.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
