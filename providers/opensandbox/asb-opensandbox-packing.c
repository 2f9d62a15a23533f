/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-packing.h"

#include <string.h>

#include "asb-opensandbox-answer.h"
#include "asb-opensandbox-download.h"
#include "asb-opensandbox-litter.h"
#include "asb-opensandbox-packer.h"
#include "asb-opensandbox-script.h"
#include "asb-opensandbox-shell.h"

#define PIPE_CAPACITY (256 * 1024)
#define NO_TAR 9

/* $1 the path, $2 a name nobody has, $3 whether all is meant, then the names. Nothing is packed
 * through a link. Says how long it became, and what tar complained of. */
#define PACK                                                                                       \
  "[ -d \"$1\" ] || { stat -L \"$1\" >/dev/null || exit 1; echo 'Not a directory' >&2; exit 1; "   \
  "}\n"                                                                                            \
  "command -v tar >/dev/null || exit 9\n"                                                          \
  "cd \"$1\" || exit\n"                                                                            \
  "f=/tmp/.asb-$2 a=$3 o= x=\n"                                                                    \
  "[ \"$1\" != / ] || x='--exclude=./proc --exclude=./sys'\n"                                      \
  "shift 3\n"                                                                                      \
  "mkdir -m 700 $f || exit\n"                                                                      \
  "g='--sort=name --format=posix --pax-option=delete=atime,delete=ctime'\n"                        \
  "tar $g -c -f $f/tar -T /dev/null 2>/dev/null && o=$g\n"                                         \
  "[ $a = 0 ] || set -- .\n"                                                                       \
  "n=$#\n"                                                                                         \
  "while [ $a = 0 ] && [ $n -gt 0 ]; do\n"                                                         \
  "  q=$1 w=\n"                                                                                    \
  "  [ -e \"$q\" ] || [ -h \"$q\" ] || w='No such file or directory'\n"                            \
  "  while [ \"$q\" != \"${q%/*}\" ]; do\n"                                                        \
  "    q=${q%/*}\n"                                                                                \
  "    [ -h \"./$q\" ] && w='Not a directory'\n"                                                   \
  "  done\n"                                                                                       \
  "  if [ \"$w\" ]; then printf 'tar: ./%s: %s\\n' \"$1\" \"$w\" >>$f/e\n"                         \
  "  else set -- \"$@\" \"./$1\"\n"                                                                \
  "  fi\n"                                                                                         \
  "  shift\n"                                                                                      \
  "  n=$((n-1))\n"                                                                                 \
  "done\n"                                                                                         \
  "if [ $# = 0 ]; then head -c 1024 /dev/zero >$f/tar\n"                                           \
  "else tar $o -c -f $f/tar $x \"$@\" 2>>$f/e\n"                                                   \
  "fi\n"                                                                                           \
  "if ! head -c 4096 /dev/zero 2>/dev/null >$f/room; then\n"                                       \
  "  rm -rf $f\n"                                                                                  \
  "  echo 'No space left on device' >&2\n"                                                         \
  "  exit 1\n"                                                                                     \
  "fi\n"                                                                                           \
  "if ! [ -f $f/tar ] || grep -q 'No space left on device' $f/e; then\n"                           \
  "  cat $f/e >&2\n"                                                                               \
  "  rm -rf $f\n"                                                                                  \
  "  exit 1\n"                                                                                     \
  "fi\n"                                                                                           \
  "[ -z \"$x\" ] || printf 'tar: ./%s: It shows what the kernel knows\\n' proc sys >>$f/e\n"       \
  "wc -c <$f/tar\n"                                                                                \
  "head -c 65536 $f/e | base64\n"

#define CLEAN_UP "rm -rf /tmp/.asb-$1\n"

typedef struct
{
  guint n_references; /* of what is going on */
  gboolean is_coming; /* the file */
  GError *error;      /* why it does not */
  AsbOpensandboxExecd *execd;
  GTask *task;
  char *token;
  char *path;
  char *place;
  guint64 size; /* of the file: what is cut off between two members looks well */
  AsbPipe *from;
  AsbPipe *to;
  GInputStream *stream;
  AsbOpensandboxPackerRules rules;
} Packing;

static void
packing_unref (Packing *self)
{
  if (--self->n_references > 0)
    return;
  g_clear_error (&self->error);
  g_clear_pointer (&self->rules.errors, g_ptr_array_unref);
  g_clear_pointer (&self->from, asb_pipe_unref);
  g_clear_pointer (&self->to, asb_pipe_unref);
  g_clear_object (&self->stream);
  asb_opensandbox_execd_release (self->execd);
  g_clear_object (&self->execd);
  g_clear_object (&self->task);
  g_free (self->token);
  g_free (self->path);
  g_free (self->place);
  g_free (self);
}

/* What tar says: “tar: ./NAME: what is the matter”. */
static void
take_complaints (Packing *self, GBytes *bytes)
{
  static const char *const noise[]
      = { "Exiting with failure status", "error exit delayed", "Removing leading" };
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (gsize i = 0; lines[i]; i++)
    {
      const char *line = lines[i];
      gboolean is_noise = !g_str_has_prefix (line, "tar: ");

      for (gsize k = 0; k < G_N_ELEMENTS (noise); k++)
        is_noise = is_noise || strstr (line, noise[k]);
      if (is_noise)
        continue;
      line += strlen ("tar: ");
      if (g_str_has_prefix (line, "./"))
        line += strlen ("./");
      self->rules.n_errors++;
      if (self->rules.errors->len < ASB_OPENSANDBOX_PACKER_MAX_ERRORS)
        g_ptr_array_add (self->rules.errors, g_utf8_make_valid (line, -1));
    }
}

/* The task is answered when nothing is left behind but what is told. */
static void
forgotten_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Packing *self = user_data;

  asb_opensandbox_litter_remove_finish (ASB_OPENSANDBOX_EXECD (source), result);
  if (self->error)
    g_task_return_error (self->task, g_steal_pointer (&self->error));
  else
    {
      asb_opensandbox_packer_start (&self->rules, self->from, self->to, self->stream);
      asb_opensandbox_answer_object (self->task, g_steal_pointer (&self->stream));
    }
  packing_unref (self);
}

/* While execd has the file open, its name can go. */
static void
forget_file (Packing *self)
{
  const char *const arguments[] = { self->token, NULL };

  asb_opensandbox_litter_remove_async (self->execd, CLEAN_UP, arguments, forgotten_cb, self);
}

static void
downloading_cb (gpointer data)
{
  Packing *self = data;

  self->is_coming = TRUE;
  self->n_references++;
  forget_file (self);
}

static void
downloaded_cb (const GError *error, gpointer data)
{
  Packing *self = data;

  if (self->is_coming)
    {
      packing_unref (self);
      return;
    }
  self->error = error ? g_error_copy (error)
                      : g_error_new_literal (ASB_ERROR, ASB_ERROR_PROTOCOL,
                                             "execd did not begin to send what was packed");
  forget_file (self);
}

static void
download (Packing *self)
{
  self->from = asb_pipe_new (PIPE_CAPACITY);
  self->to = asb_pipe_new (PIPE_CAPACITY);
  self->stream = asb_pipe_create_input_stream (self->to, g_task_get_source_object (self->task));
  asb_opensandbox_download_open (self->execd, self->place, self->path, 0, -1, self->size,
                                 self->from, downloading_cb, downloaded_cb, self);
}

/* Returns: (nullable): the complaints */
static GBytes *
take_lines (Packing *self, char **lines)
{
  if (lines[0]
      && g_ascii_string_to_unsigned (g_strstrip (lines[0]), 10, 0, G_MAXINT64, &self->size, NULL))
    return asb_opensandbox_script_decode (lines, 1, NULL, &self->error);
  self->error = g_error_new_literal (ASB_ERROR, ASB_ERROR_PROTOCOL,
                                     "The sandbox did not say how much was packed");
  return NULL;
}

static void
packed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Packing *self = user_data;
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, &self->error);
  g_autoptr (GBytes) complaints = NULL;

  if (done && done->exit_status == NO_TAR)
    self->error = g_error_new_literal (
        ASB_ERROR, ASB_ERROR_UNSUPPORTED_CAPABILITY,
        "Could not pack the directory: the guest does not run here, and the sandbox has no tar");
  else if (done && done->exit_status != 0)
    self->error = asb_opensandbox_script_error_new (done->errors, "pack", self->path);
  else if (done)
    complaints = take_lines (self, done->lines);
  if (complaints)
    {
      take_complaints (self, complaints);
      download (self);
      return;
    }
  /* What is lost on the way may have been packed. */
  forget_file (self);
}

static void
run_script (Packing *self, const char *const *names)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();

  g_ptr_array_add (arguments, self->path);
  g_ptr_array_add (arguments, self->token);
  g_ptr_array_add (arguments, (gpointer)(names ? "0" : "1"));
  for (gsize i = 0; names && names[i]; i++)
    g_ptr_array_add (arguments, (gpointer)names[i]);
  g_ptr_array_add (arguments, NULL);
  asb_opensandbox_script_run_async (self->execd, PACK, (const char *const *)arguments->pdata,
                                    "pack the directory", NULL, packed_cb, self);
}

void
asb_opensandbox_packing_open (AsbOpensandboxExecd *execd, const AsbOpensandboxPackingRules *rules,
                              GTask *task)
{
  Packing *self = g_new0 (Packing, 1);

  self->n_references = 1;
  self->execd = g_object_ref (execd);
  asb_opensandbox_execd_hold (execd);
  self->task = g_object_ref (task);
  self->path = g_strdup (rules->path);
  self->token = asb_opensandbox_shell_new_token ();
  self->place = g_strdup_printf ("/tmp/.asb-%s/tar", self->token);
  self->rules
      = (AsbOpensandboxPackerRules){ .path = self->path,
                                     .gzip = rules->format == ASB_ARCHIVE_FORMAT_TAR_GZIP,
                                     .members = rules->members,
                                     .bytes = rules->bytes,
                                     .file_bytes = rules->file_bytes,
                                     .closed = asb_opensandbox_execd_get_cancellable (execd),
                                     .errors = g_ptr_array_new_with_free_func (g_free) };
  run_script (self, rules->names);
}
