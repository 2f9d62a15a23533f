/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-capture.h"

#include <string.h>

#include "asb-opensandbox-download.h"
#include "asb-opensandbox-script.h"

#define N_FILES 2

/* Says of each file how long it is, and what is in it if that is not much; then all is gone unless
 * something is left to fetch. A child that was left behind may still write. */
#define SCRIPT                                                                                     \
  "cd \"$1\" || exit\n"                                                                            \
  "left=\n"                                                                                        \
  "for f in o e; do\n"                                                                             \
  "  n=0\n"                                                                                        \
  "  [ ! -f $f ] || n=$(($(wc -c <$f)))\n"                                                         \
  "  printf '%s\\n' $n\n"                                                                          \
  "  if [ $n -gt 49152 ]; then left=1; elif [ $n -gt 0 ]; then head -c $n $f | base64; fi\n"       \
  "  echo .\n"                                                                                     \
  "done\n"                                                                                         \
  "[ \"$left\" ] || rm -rf \"$1\"\n"

typedef struct
{
  AsbOpensandboxCommand *command;
  AsbOpensandboxCommandEnd end;
  char *folder;
  guint n_downloads;
} Capture;

static void
capture_free (Capture *self)
{
  asb_opensandbox_command_unref (self->command);
  asb_opensandbox_command_end_clear (&self->end);
  g_free (self->folder);
  g_free (self);
}

static void
removed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, NULL);
}

static void
remove_folder (Capture *self)
{
  const char *const arguments[] = { self->folder, NULL };

  asb_opensandbox_script_run_async (self->command->execd, "rm -rf \"$1\"", arguments,
                                    "delete what was kept of the output", NULL, removed_cb, NULL);
}

static AsbPipe *
pipe_of (AsbOpensandboxCommand *command, guint i)
{
  return i == 0 ? command->output : command->errors;
}

static void
downloaded_cb (const GError *error, gpointer data)
{
  Capture *self = data;

  if (--self->n_downloads > 0)
    return;
  remove_folder (self);
  capture_free (self);
}

static void
start_download (Capture *self, guint i, guint64 size)
{
  g_autofree char *path = g_strdup_printf ("%s/%c", self->folder, i == 0 ? 'o' : 'e');

  self->n_downloads++;
  asb_opensandbox_download_to_pipe (self->command->execd, path, 0, (gint64)size,
                                    pipe_of (self->command, i), downloaded_cb, self);
}

/* The lines of one file. */
static gboolean
parse_file (char **lines, guint *at, guint64 *size, GBytes **bytes, GError **error)
{
  if (!lines[*at] || !g_ascii_string_to_unsigned (lines[*at], 10, 0, G_MAXINT64, size, error))
    {
      if (error && !*error)
        g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                             "The sandbox did not say how much the command printed");
      return FALSE;
    }
  *bytes = asb_opensandbox_script_decode (lines, *at + 1, at, error);
  return *bytes != NULL;
}

static void
fail (Capture *self, const GError *error)
{
  g_autoptr (GError) lost = g_error_new (
      ASB_ERROR, ASB_ERROR_INTERRUPTED,
      "The command has ended, but its output could not be fetched: %s", error->message);

  for (guint i = 0; i < N_FILES; i++)
    if (pipe_of (self->command, i))
      asb_pipe_finish_error (pipe_of (self->command, i), lost);
  asb_opensandbox_command_set_end (self->command, &self->end);
  capture_free (self);
}

/* A pipe holds more than what comes in this way. */
static void
deliver (Capture *self, guint64 sizes[N_FILES], GBytes *contents[N_FILES])
{
  self->n_downloads = 1;
  self->command->output_total = sizes[0];
  self->command->errors_total = sizes[1];
  for (guint i = 0; i < N_FILES; i++)
    {
      AsbPipe *pipe = pipe_of (self->command, i);
      gsize size = g_bytes_get_size (contents[i]);

      if (!pipe)
        continue;
      if (size < sizes[i])
        {
          start_download (self, i, sizes[i]);
          continue;
        }
      asb_pipe_push (pipe, g_bytes_get_data (contents[i], NULL), size);
      asb_pipe_finish (pipe);
    }
  asb_opensandbox_command_set_end (self->command, &self->end);
  if (--self->n_downloads == 0)
    capture_free (self);
}

static void
collected_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Capture *self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxScriptResult) done = asb_opensandbox_script_run_finish_well (
      ASB_OPENSANDBOX_EXECD (source), result, NULL, &error);
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GBytes) errors = NULL;
  guint64 sizes[N_FILES];
  guint at = 0;

  if (done && parse_file (done->lines, &at, &sizes[0], &output, &error)
      && parse_file (done->lines, &at, &sizes[1], &errors, &error))
    deliver (self, sizes, (GBytes *[]){ output, errors });
  else
    fail (self, error);
}

void
asb_opensandbox_capture_collect (AsbOpensandboxCommand *command, const char *folder,
                                 const AsbOpensandboxCommandEnd *end)
{
  const char *const arguments[] = { folder, NULL };
  Capture *self;

  if (!folder)
    {
      asb_opensandbox_command_set_end (command, end);
      return;
    }
  self = g_new0 (Capture, 1);
  self->command = asb_opensandbox_command_ref (command);
  self->end = *end;
  self->end.message = g_strdup (end->message);
  self->folder = g_strdup (folder);
  asb_opensandbox_script_run_async (command->execd, SCRIPT, arguments,
                                    "fetch the output of the command", NULL, collected_cb, self);
}
