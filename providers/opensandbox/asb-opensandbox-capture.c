/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-capture.h"

#include <string.h>

#include "asb-opensandbox-download.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-litter.h"
#include "asb-opensandbox-script.h"

#define N_FILES 2

/* A pipe holds as much, whether or not somebody reads. */
#define SMALL 49152

/* Where execd cannot tell. Says of each file how long it is, and what is in it if that is not much;
 * then all is gone unless something is left to fetch. A child that was left behind may still write.
 */
#define SCRIPT                                                                                     \
  "cd \"$1\" || exit\n"                                                                            \
  "left=\n"                                                                                        \
  "for f in o e; do\n"                                                                             \
  "  n=0\n"                                                                                        \
  "  [ ! -f $f ] || n=$(($(wc -c <$f)))\n"                                                         \
  "  printf '%s\\n' $n\n"                                                                          \
  "  if [ $n -gt " G_STRINGIFY (                                                                   \
      SMALL) " ]; then left=1; elif [ $n -gt 0 ]; then head -c $n $f | base64; fi\n"               \
             "  echo .\n"                                                                          \
             "done\n"                                                                              \
             "[ \"$left\" ] || rm -rf \"$1\"\n"

typedef struct
{
  AsbOpensandboxCommand *command;
  AsbOpensandboxCommandEnd end;
  char *folder;
  guint n_downloads;
  gboolean has_told; /* that the command has ended */
} Capture;

static void
capture_free (Capture *self)
{
  asb_opensandbox_command_unref (self->command);
  asb_opensandbox_command_end_clear (&self->end);
  g_free (self->folder);
  g_free (self);
}

/* Once: what follows, if it takes long, is the output alone. */
static void
tell_end (Capture *self)
{
  if (!self->has_told)
    asb_opensandbox_command_set_end (self->command, &self->end);
  self->has_told = TRUE;
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
  asb_opensandbox_litter_add (self->command->execd, self->folder);
  tell_end (self);
  capture_free (self);
}

static char *
dup_path (Capture *self, guint i)
{
  return g_strdup_printf ("%s/%c", self->folder, i == 0 ? 'o' : 'e');
}

static void
start_download (Capture *self, guint i, guint64 size)
{
  g_autofree char *path = dup_path (self, i);

  self->n_downloads++;
  asb_opensandbox_download_to_pipe (self->command->execd, path, size, pipe_of (self->command, i),
                                    downloaded_cb, self);
}

/* By a script. */

gboolean
asb_opensandbox_capture_parse_file (char **lines, guint *at, guint64 *size, GBytes **bytes,
                                    GError **error)
{
  g_autoptr (GBytes) found = NULL;

  if (!lines[*at] || !g_ascii_string_to_unsigned (lines[*at], 10, 0, G_MAXINT64, size, NULL))
    {
      g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                           "The sandbox did not say how much the command printed");
      return FALSE;
    }
  found = asb_opensandbox_script_decode (lines, *at + 1, at, error);
  if (found && g_bytes_get_size (found) > MIN (*size, SMALL))
    g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                         "The sandbox sent more than it said the command printed");
  else
    *bytes = g_steal_pointer (&found);
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
  tell_end (self);
  capture_free (self);
}

static void
deliver (Capture *self, guint64 sizes[N_FILES], GBytes *contents[N_FILES])
{
  gboolean has_more = FALSE;

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
          has_more = TRUE;
          start_download (self, i, sizes[i]);
          continue;
        }
      asb_pipe_push (pipe, g_bytes_get_data (contents[i], NULL), size);
      asb_pipe_finish (pipe);
    }
  tell_end (self);
  /* The script has deleted the folder unless something is left to fetch. */
  if (has_more)
    downloaded_cb (NULL, self);
  else
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

  if (done && asb_opensandbox_capture_parse_file (done->lines, &at, &sizes[0], &output, &error)
      && asb_opensandbox_capture_parse_file (done->lines, &at, &sizes[1], &errors, &error))
    deliver (self, sizes, (GBytes *[]){ output, errors });
  else
    fail (self, error);
}

static void
collect_by_script (Capture *self)
{
  const char *const arguments[] = { self->folder, NULL };

  asb_opensandbox_script_run_async (self->command->execd, SCRIPT, arguments,
                                    "fetch the output of the command", NULL, collected_cb, self);
}

/* As files, which is quicker. */

static gboolean
read_size (Capture *self, JsonObject *answer, guint i, guint64 *size)
{
  g_autofree char *path = dup_path (self, i);
  JsonObject *file = NULL;
  gint64 number = -1;

  *size = 0;
  if (!pipe_of (self->command, i))
    return TRUE;
  if (!asb_opensandbox_json_get_object (answer, path, TRUE, &file, NULL)
      || !asb_opensandbox_json_get_int (file, "size", TRUE, &number, NULL) || number < 0)
    return FALSE;
  *size = (guint64)number;
  return TRUE;
}

static void
fetch (Capture *self, const guint64 sizes[N_FILES])
{
  /* One more than there are, so that none is the last before all have begun. */
  self->n_downloads = 1;
  self->command->output_total = sizes[0];
  self->command->errors_total = sizes[1];
  for (guint i = 0; i < N_FILES; i++)
    if (sizes[i] > 0)
      start_download (self, i, sizes[i]);
    else if (pipe_of (self->command, i))
      asb_pipe_finish (pipe_of (self->command, i));
  /* Nobody has to read before the command has ended. */
  if (sizes[0] > SMALL || sizes[1] > SMALL)
    tell_end (self);
  downloaded_cb (NULL, self);
}

static void
asked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Capture *self = user_data;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, NULL);
  g_autoptr (JsonObject) answer = NULL;
  guint64 sizes[N_FILES];

  if (reply)
    answer = asb_opensandbox_json_parse_object (asb_opensandbox_reply_get_body (reply),
                                                "the sizes of the output", NULL);
  if (answer && read_size (self, answer, 0, &sizes[0]) && read_size (self, answer, 1, &sizes[1]))
    fetch (self, sizes);
  else
    collect_by_script (self);
}

static void
ask (Capture *self)
{
  AsbOpensandboxExecd *execd = self->command->execd;
  g_autoptr (AsbOpensandboxRequest) request = asb_opensandbox_execd_new_request (
      execd, "GET", "/files/info", "ask how much the command printed");

  for (guint i = 0; i < N_FILES; i++)
    if (pipe_of (self->command, i))
      {
        g_autofree char *path = dup_path (self, i);

        asb_opensandbox_request_add_query (request, "path", path);
      }
  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (execd), request,
                                     asb_opensandbox_execd_get_cancellable (execd), asked_cb, self);
}

void
asb_opensandbox_capture_collect (AsbOpensandboxCommand *command, const char *folder,
                                 const AsbOpensandboxCommandEnd *end)
{
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
  ask (self);
}
