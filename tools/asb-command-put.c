/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool-commands.h"
#include "tool-folder.h"
#include "tool-input.h"
#include "tool-message.h"
#include "tool-no-record.h"
#include "tool-options.h"
#include "tool-progress.h"
#include "tool-sandbox.h"

#define STANDARD_INPUT "-"

static struct
{
  const char *conflict;
} options;

/* A local file to be sent. */
typedef struct
{
  const char *name;
  int fd;
  int mode; /* -1: that of the file replaced, or the usual one */
  guint64 size;
} Source;

static void
source_clear (Source *source)
{
  if (source->fd > STDIN_FILENO)
    close (source->fd);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Source, source_clear)

static gboolean
fail (GError **error, const char *name, const char *why)
{
  g_set_error (error, ASB_ERROR, ASB_ERROR_LOCAL_PATH_NOT_FOUND, "Could not read “%s”: %s", name,
               why);
  return FALSE;
}

static gboolean
source_open (Source *source, const char *path, GError **error)
{
  struct stat status;

  source->name = path;
  source->mode = -1;
  if (g_str_equal (path, STANDARD_INPUT))
    return TRUE;
  source->fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (source->fd < 0 || fstat (source->fd, &status) != 0)
    return fail (error, path, g_strerror (errno));
  if (S_ISREG (status.st_mode))
    {
      source->mode = status.st_mode & 07777;
      source->size = status.st_size;
    }
  return TRUE;
}

/* Closing puts the file in its place; a cancelled closing leaves what was there. */
static gboolean
close_stream (Tool *tool, GOutputStream *stream, gboolean whole, GError **error)
{
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();
  g_auto (ToolWait) wait = { 0 };

  if (!whole)
    g_cancellable_cancel (cancelled);
  g_output_stream_close_async (stream, G_PRIORITY_DEFAULT, whole ? tool->cancellable : cancelled,
                               tool_wait_cb, &wait);
  return g_output_stream_close_finish (stream, tool_wait (&wait), whole ? error : NULL);
}

static gboolean
send_source (Tool *tool, Source *source, GOutputStream *stream, GError **error)
{
  g_auto (ToolProgress) progress = { 0 };
  g_auto (ToolWait) wait = { 0 };
  g_autofree char *shown = g_strdup_printf ("“%s”", source->name);
  const gboolean is_file = source->fd > STDIN_FILENO;

  tool_progress_begin (&progress, is_file ? source->name : "standard input", source->size);
  tool_feed_async (source->fd, is_file ? shown : "standard input", stream, &progress.count,
                   tool->cancellable, tool_wait_cb, &wait);
  return tool_feed_finish (tool_wait (&wait), error);
}

static gboolean
put_file (Tool *tool, AsbBackend *backend, const char *local, const char *remote, GError **error)
{
  g_auto (Source) source = { 0 };
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (GOutputStream) stream = NULL;
  gboolean whole;

  if (!source_open (&source, local, error))
    return FALSE;
  asb_backend_open_write_async (backend, remote, source.mode, tool->cancellable, tool_wait_cb,
                                &wait);
  stream = asb_backend_open_write_finish (backend, tool_wait (&wait), error);
  if (!stream)
    return FALSE;
  whole = send_source (tool, &source, stream, error);
  return close_stream (tool, stream, whole, error) && whole;
}

/* Asked past the backend: what REMOTE means is no operation of the user's, and the record would
 * tell of a file that could not be looked at. */
static gboolean
is_directory (Tool *tool, AsbBackend *backend, const char *remote)
{
  g_autofree char *path = g_canonicalize_filename (remote, asb_backend_get_workdir (backend));
  g_autoptr (AsbFileRequest) request = asb_file_request_new_for_path (path);
  g_auto (ToolWait) wait = { 0 };
  g_autoptr (AsbFileInfo) info = NULL;

  asb_transport_query_file_async (asb_backend_get_transport (backend), request, tool->cancellable,
                                  tool_wait_cb, &wait);
  info = asb_transport_query_file_finish (asb_backend_get_transport (backend), tool_wait (&wait),
                                          NULL);
  return info && asb_file_info_get_kind (info) == ASB_FILE_KIND_DIRECTORY;
}

/* Where a local file goes: REMOTE, or into it. */
static char *
dup_target (const char *local, const char *remote, gboolean into, GError **error)
{
  g_autofree char *name = g_path_get_basename (local);

  if (!into)
    return g_strdup (remote);
  if (g_str_equal (local, STANDARD_INPUT))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "“%s” is a folder, and standard input has no name; give one", remote);
      return NULL;
    }
  return g_build_filename (remote, name, NULL);
}

/* One file, or one folder with all that is in it. */
static gboolean
put_source (Tool *tool, AsbBackend *backend, const char *local, const char *target,
            AsbArchiveConflict conflict, GError **error)
{
  if (g_str_equal (local, STANDARD_INPUT) || !g_file_test (local, G_FILE_TEST_IS_DIR))
    return put_file (tool, backend, local, target, error);
  switch (tool_folder_put (tool, backend, local, target, conflict, error))
    {
    case TOOL_FOLDER_DONE:
      return TRUE;
    case TOOL_FOLDER_INCOMPLETE:
      g_set_error (error, ASB_ERROR, ASB_ERROR_UPLOAD_PARTIAL_FAILURE,
                   "Put “%s” without what was left out", local);
      return FALSE;
    default:
      return FALSE;
    }
}

static int
put_files (Tool *tool, AsbBackend *backend, const ToolParsed *parsed, AsbArchiveConflict conflict)
{
  const guint last = parsed->arguments->len - 1;
  const char *remote = tool_parsed_get (parsed, last);
  const gboolean into
      = last > 2 || g_str_has_suffix (remote, "/") || is_directory (tool, backend, remote);
  int status = TOOL_EXIT_DONE;

  for (guint i = 1; i < last; i++)
    {
      const char *local = tool_parsed_get (parsed, i);
      g_autoptr (GError) error = NULL;
      g_autofree char *target = dup_target (local, remote, into, &error);

      if (target && put_source (tool, backend, local, target, conflict, &error))
        continue;
      tool_message_error (error);
      status = TOOL_EXIT_FAILED;
    }
  return status;
}

static int
run (Tool *tool, const ToolParsed *parsed)
{
  const AsbArchiveConflict conflict
      = tool_options_find_word (tool_folder_conflicts, options.conflict);
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbBackend) backend = tool_sandbox_connect (tool, tool_parsed_get (parsed, 0), &error);
  int status;

  if (!backend)
    {
      tool_message_error (error);
      return TOOL_EXIT_FAILED;
    }
  status = put_files (tool, backend, parsed, conflict);
  tool_backend_close (backend);
  return status;
}

static const ToolOption option_entries[] = {
  TOOL_FOLDER_CONFLICT_OPTION (options.conflict),
  TOOL_NO_RECORD_OPTION,
  { NULL },
};

static const ToolArgument arguments[] = {
  { "ID", "the sandbox: its ID, the beginning of that, or its name", 0, TOOL_COMPLETE_SANDBOX },
  { "LOCAL", "a file or a folder of this machine; - is standard input", TOOL_ARGUMENT_REPEATED,
    TOOL_COMPLETE_FILE },
  { "REMOTE",
    "the file or the folder in the sandbox, or the folder to put it into; from the folder where "
    "commands run, unless it begins with /" },
  { NULL },
};

static const ToolExample examples[] = {
  { "asb put scratch notes.txt .", "Puts a file into the folder where commands run." },
  { "asb put scratch *.c src/", "Puts several files into a folder, which is made if need be." },
  { "asb put scratch project .",
    "Puts a folder with all that is in it; project/. puts that alone." },
  { "date | asb put scratch - /tmp/now", "Puts standard input into a file." },
  { NULL, NULL },
};

const ToolCommand tool_command_put = {
  .name = "put",
  .summary = "copy files and folders into a sandbox",
  .description
  = "Copies files into a sandbox, byte for byte and with their permissions. Each one is "
    "written aside and put in its place when it is whole, so that nobody sees half of "
    "it. Folders on the way are made.\n\n"
    "A folder goes as one archive, with its links as links. It is put in place when all of it has "
    "come: folders are put together with those that are there, and of files in the way --conflict "
    "says what becomes of them. What cannot be read, what is no file, folder or link, and links "
    "that lead out of the folder are left out and named; the exit status is 1 then.",
  .options = option_entries,
  .arguments = arguments,
  .examples = examples,
  .run = run,
};
