/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <string.h>
#include <unistd.h>

#include "tool-commands.h"
#include "tool-folder.h"
#include "tool-message.h"
#include "tool-no-record.h"
#include "tool-options.h"
#include "tool-output.h"
#include "tool-progress.h"
#include "tool-sandbox.h"
#include "tool-target.h"

#define STANDARD_OUTPUT "-"

static struct
{
  const char *conflict;
} options;

static AsbFileInfo *
query_file (Tool *tool, AsbBackend *backend, const char *path, GError **error)
{
  g_auto (ToolWait) wait = { 0 };

  asb_backend_query_file_async (backend, path, tool->cancellable, tool_wait_cb, &wait);
  return asb_backend_query_file_finish (backend, tool_wait (&wait), error);
}

static GInputStream *
open_file (Tool *tool, AsbBackend *backend, const char *path, GError **error)
{
  g_auto (ToolWait) wait = { 0 };

  asb_backend_open_read_async (backend, path, tool->cancellable, tool_wait_cb, &wait);
  return asb_backend_open_read_finish (backend, tool_wait (&wait), error);
}

static gboolean
copy_file (Tool *tool, GInputStream *stream, int fd, const char *name, guint64 size, GError **error)
{
  g_auto (ToolProgress) progress = { 0 };
  g_auto (ToolWait) wait = { 0 };

  tool_progress_begin (&progress, name, size);
  tool_copy_async (stream, fd, &progress.count, tool->cancellable, tool_wait_cb, &wait);
  return tool_copy_finish (tool_wait (&wait), error);
}

static gboolean
get_file (Tool *tool, AsbBackend *backend, const char *remote, const char *local, AsbFileInfo *info,
          GError **error)
{
  g_auto (ToolTarget) target = { .fd = -1 };
  g_autoptr (GInputStream) stream = open_file (tool, backend, remote, error);

  if (!stream)
    return FALSE;
  if (g_str_equal (local, STANDARD_OUTPUT))
    return copy_file (tool, stream, STDOUT_FILENO, remote, asb_file_info_get_size (info), error);
  if (!tool_target_open (&target, local, remote, asb_file_info_get_mode (info), error))
    return FALSE;
  return copy_file (tool, stream, target.fd, remote, asb_file_info_get_size (info), error)
         && tool_target_commit (&target, error);
}

static gboolean
get_folder (Tool *tool, AsbBackend *backend, const char *remote, const char *local,
            AsbArchiveConflict conflict, GError **error)
{
  ToolFolderOutcome outcome = g_str_equal (local, STANDARD_OUTPUT)
                                  ? tool_folder_print (tool, backend, remote, error)
                                  : tool_folder_get (tool, backend, remote, local, conflict, error);

  if (outcome == TOOL_FOLDER_INCOMPLETE)
    g_set_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_PARTIAL_FAILURE,
                 "Got “%s” without what was left out", remote);
  return outcome == TOOL_FOLDER_DONE;
}

static gboolean
get (Tool *tool, AsbBackend *backend, const char *remote, const char *local,
     AsbArchiveConflict conflict, GError **error)
{
  g_autoptr (AsbFileInfo) info = query_file (tool, backend, remote, error);

  if (!info)
    return FALSE;
  if (asb_file_info_get_kind (info) == ASB_FILE_KIND_DIRECTORY)
    return get_folder (tool, backend, remote, local, conflict, error);
  return get_file (tool, backend, remote, local, info, error);
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  const AsbArchiveConflict conflict
      = tool_options_find_word (tool_folder_conflicts, options.conflict);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbBackend) backend = tool_sandbox_connect (tool, tool_parsed_get (parsed, 0), &error);
  gboolean done;

  if (!backend)
    {
      tool_message_error (error);
      return TOOL_EXIT_FAILED;
    }
  done = get (tool, backend, tool_parsed_get (parsed, 1), tool_parsed_get (parsed, 2), conflict,
              &error);
  tool_backend_close (backend);
  return done ? TOOL_EXIT_DONE : tool_output_fail (error);
}

static const ToolOption option_entries[] = {
  TOOL_FOLDER_CONFLICT_OPTION (options.conflict),
  TOOL_NO_RECORD_OPTION,
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { "REMOTE",
    "the file or the folder in the sandbox; from the folder where commands run, unless it "
    "begins with /" },
  { "LOCAL",
    "the file or the folder of this machine, or the folder to put it into; - is standard output, "
    "where a folder is a tar",
    0, TOOL_COMPLETE_FILE },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb get scratch build.log .", "Gets a file into this folder." },
  { "asb get scratch /tmp/result.json result.json", "Gets a file under a name of your choice." },
  { "asb get scratch report .", "Gets a folder with all that is in it." },
  { "asb get scratch dump.sql - | gzip > dump.sql.gz", "Passes a file on." },
  { NULL, NULL },
};

const ToolCommand tool_command_get = {
  .name = "get",
  .summary = "copy a file or a folder out of a sandbox",
  .description
  = "Copies a file out of a sandbox, byte for byte and with its permissions, but for the bits "
    "that would run it as another user. It is written aside and put in its place when it is "
    "whole; what was there before stays as it is if that does not come about.\n\n"
    "A folder comes as one archive. It is unpacked aside and put in place when all of it has "
    "come: folders are put together with those that are there, and of files in the way --conflict "
    "says what becomes of them. Whatever the sandbox sends, nothing is written outside the "
    "folder, and no link leads out of it. What cannot be read there, what is no file, folder or "
    "link, and links that lead out of the folder are left out and named; the exit status is 1 "
    "then.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
