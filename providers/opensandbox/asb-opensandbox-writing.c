/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-writing.h"

#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-file-info.h"
#include "asb-opensandbox-litter.h"
#include "asb-opensandbox-place.h"
#include "asb-opensandbox-script.h"
#include "asb-opensandbox-shell.h"
#include "asb-opensandbox-standstill.h"
#include "asb-opensandbox-upload-stream.h"
#include "asb-opensandbox-watched.h"

#define PRIVATE_MODE 0600

/* $1 the path, $2 whether to make parents, $3 whether the file must be new, $4 a name nobody has.
 * Says whether execd is to go by a link, since it would read the directory's name another way, and
 * where the file really is. */
#define PREPARE                                                                                    \
  ASB_OPENSANDBOX_PLACE_WAY                                                                        \
  "p=$1\n"                                                                                         \
  "d=${p%/*}\n"                                                                                    \
  "[ $2 = 0 ] || [ -z \"$d\" ] || mkdir -p \"$d\" || exit\n"                                       \
  "n=0\n"                                                                                          \
  "while [ $3 = 0 ] && [ -h \"$p\" ]; do\n"                                                        \
  "  n=$((n+1))\n"                                                                                 \
  "  [ $n -le 40 ] || { echo 'Too many levels of symbolic links' >&2; exit 1; }\n"                 \
  "  l=$(readlink -n \"$p\"; echo x)\n"                                                            \
  "  l=${l%x}\n"                                                                                   \
  "  case $l in /*) p=$l ;; *) p=${p%/*}/$l ;; esac\n"                                             \
  "done\n"                                                                                         \
  "d=${p%/*}\n"                                                                                    \
  "stat \"$d/.\" >/dev/null || exit\n"                                                             \
  "if [ -e \"$p\" ] || [ -h \"$p\" ]; then\n"                                                      \
  "  [ $3 = 0 ] || { echo 'File exists' >&2; exit 1; }\n"                                          \
  "  [ -d \"$p\" ] && { echo 'Is a directory' >&2; exit 1; }\n"                                    \
  "  [ -f \"$p\" ] || { echo 'Not a regular file' >&2; exit 1; }\n"                                \
  "  [ -w \"$p\" ] || { echo 'Permission denied' >&2; exit 1; }\n"                                 \
  "else [ -w \"${d:-/}\" ] || { echo 'Permission denied' >&2; exit 1; }\n"                         \
  "fi\n"                                                                                           \
  "way \"$d\" $4\n"                                                                                \
  "printf %s \"$p\" | base64\n"

/* $1 where it goes, $2 the name, $3 the mode or nothing, $4 whether it must be new, $5 the expected
 * hash or nothing. Says “done”, or “changed”, and the hash of before. */
#define COMMIT                                                                                     \
  "t=${1%/*}/.asb-$2\n"                                                                            \
  "trap 'asb_end; rm -rf \"$t\" /tmp/.asb-'$2 EXIT\n"                                              \
  "[ -f \"$t\" ] || { echo 'what was uploaded is gone' >&2; exit 1; }\n"                           \
  "m=644 o= h=\n"                                                                                  \
  "if [ -f \"$1\" ]; then\n"                                                                       \
  "  s=$(stat -c '%a %u:%g %s' \"$1\") || exit\n"                                                  \
  "  m=${s%% *} o=${s#* } s=${s##* }\n"                                                            \
  "  o=${o%% *}\n"                                                                                 \
  "  if [ \"$5\" ] || [ $s -le 16777216 ]; then h=$(sha256sum <\"$1\") || exit; fi\n"              \
  "  h=${h%% *}\n"                                                                                 \
  "fi\n"                                                                                           \
  "if [ \"$5\" ] && [ \"$h\" != \"$5\" ]; then printf 'changed\\n%s\\n' \"${h:--}\"; exit 0; fi\n" \
  "m=${3:-$m}\n"                                                                                   \
  "[ -z \"$o\" ] || chown $o \"$t\" 2>/dev/null\n"                                                 \
  "chmod $m \"$t\" || exit\n"                                                                      \
  "if [ $4 = 1 ]; then ln \"$t\" \"$1\" || exit\n"                                                 \
  "elif [ -d \"$1\" ]; then echo 'Is a directory' >&2; exit 1\n"                                   \
  "else mv -f \"$t\" \"$1\" || exit\n"                                                             \
  "fi\n"                                                                                           \
  "printf 'done\\n%s\\n' \"${h:--}\"\n"                                                            \
  "stat -c '" ASB_OPENSANDBOX_STAT_FORMAT "' \"$1\"\n"

/* execd may still be about to write. */
#define CLEAN_UP                                                                                   \
  "rm -rf \"${1%/*}/.asb-$2\" /tmp/.asb-$2\n"                                                      \
  "rm -rf \"${1%/*}/.asb-$2\"\n"

struct _AsbOpensandboxWriting
{
  AsbOpensandboxExecd *execd;
  char *path;
  char *shown; /* the path, for messages */
  char *expected_hash;
  int mode;
  AsbFileFlags flags;
  guint64 n_replaced;
  AsbOpensandboxPlace place;
  char *temporary; /* where execd puts it */

  GInputStream *content;
  gint64 size;
  gboolean is_repeated;
  AsbOpensandboxUploadStream *body;
  AsbOpensandboxWatched *watched; /* the same */
  AsbOpensandboxStandstill *standstill;
  AsbPipe *pipe;
  GError *error; /* of the upload */
  AsbOpensandboxWritingReady ready;
  AsbOpensandboxWritingDone done;
  gpointer data;
};

static void
writing_free (AsbOpensandboxWriting *self)
{
  g_clear_object (&self->execd);
  g_clear_object (&self->content);
  g_clear_object (&self->body);
  g_clear_object (&self->watched);
  g_clear_pointer (&self->standstill, asb_opensandbox_standstill_free);
  g_clear_pointer (&self->pipe, asb_pipe_unref);
  g_clear_error (&self->error);
  g_free (self->path);
  g_free (self->shown);
  g_free (self->expected_hash);
  g_free (self->temporary);
  asb_opensandbox_place_clear (&self->place);
  g_free (self);
}

static void
finish (AsbOpensandboxWriting *self, AsbFileInfo *info, const GError *error)
{
  self->done (info, error, self->data);
  asb_opensandbox_execd_release (self->execd);
  writing_free (self);
}

/* Taking away what is in the place, or may be. */

static void
clean_up (AsbOpensandboxWriting *self, GAsyncReadyCallback callback)
{
  const char *const arguments[]
      = { self->place.target ? self->place.target : self->path, self->place.token, NULL };

  asb_opensandbox_litter_remove_async (self->execd, CLEAN_UP, arguments, callback, self);
}

/* The place. */

static gboolean
take_place (AsbOpensandboxWriting *self, char **lines, GError **error)
{
  g_autofree char *directory = NULL;
  g_autofree char *remote = NULL;

  if (!asb_opensandbox_place_take (&self->place, lines, "write", self->shown, error))
    return FALSE;
  directory = g_path_get_dirname (self->place.target);
  remote = asb_opensandbox_place_dup_remote (&self->place, directory);
  g_free (self->temporary);
  self->temporary = g_strdup_printf ("%s/.asb-%s", remote, self->place.token);
  return TRUE;
}

static void
find_place (AsbOpensandboxWriting *self, GAsyncReadyCallback callback)
{
  const char *arguments[] = { self->path, "1", "0", NULL, NULL };
  g_autofree char *what = NULL;

  asb_opensandbox_place_begin (&self->place);
  if (self->flags & ASB_FILE_FLAGS_NO_PARENTS)
    arguments[1] = "0";
  if (self->flags & ASB_FILE_FLAGS_CREATE_ONLY)
    arguments[2] = "1";
  arguments[3] = self->place.token;
  what = asb_opensandbox_script_dup_what ("write", self->path);
  asb_opensandbox_script_run_async (self->execd, PREPARE, arguments, what, NULL, callback, self);
}

static void
refuse (AsbOpensandboxWriting *self)
{
  self->ready (NULL, self->error, self->data);
  writing_free (self);
}

static void
abandoned_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxWriting *self = user_data;

  asb_opensandbox_litter_remove_finish (ASB_OPENSANDBOX_EXECD (source), result);
  refuse (self);
}

static void
prepared_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxWriting *self = user_data;
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, &self->error);

  if (!done)
    clean_up (self, abandoned_cb);
  else if (done->exit_status == 0 && take_place (self, done->lines, &self->error))
    self->ready (self, NULL, self->data);
  else
    {
      if (!self->error)
        self->error = asb_opensandbox_script_error_new (done->errors, "write", self->path);
      refuse (self);
    }
}

void
asb_opensandbox_writing_prepare (AsbOpensandboxExecd *execd,
                                 const AsbOpensandboxWritingRules *rules,
                                 AsbOpensandboxWritingReady callback, gpointer data)
{
  AsbOpensandboxWriting *self = g_new0 (AsbOpensandboxWriting, 1);

  self->execd = g_object_ref (execd);
  self->path = g_strdup (rules->path);
  self->shown = asb_opensandbox_shell_show_path (rules->path);
  self->expected_hash = g_strdup (rules->expected_hash);
  self->mode = rules->mode;
  self->flags = rules->flags;
  self->n_replaced = rules->n_replaced;
  self->ready = callback;
  self->data = data;
  find_place (self, prepared_cb);
}

/* The end. */

static GError *
new_changed (AsbOpensandboxWriting *self, const char *actual)
{
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  g_autofree char *message = NULL;
  gboolean exists = strcmp (actual, "-") != 0;
  GVariantDict details;

  message = g_strdup_printf ("“%s” %s", self->shown,
                             exists ? "has changed since it was read" : "no longer exists");
  g_variant_dict_init (&details, NULL);
  g_variant_dict_insert (&details, "path", "s", self->shown);
  g_variant_dict_insert (&details, "expected_hash", "s", self->expected_hash);
  if (exists)
    g_variant_dict_insert (&details, "actual_hash", "s", actual);
  asb_error_info_set_details (info, g_variant_dict_end (&details));
  return asb_error_new_with_info (ASB_ERROR_CONCURRENT_MODIFICATION, message, info);
}

static AsbFileInfo *
new_info (AsbOpensandboxWriting *self, char **lines, GError **error)
{
  AsbOpensandboxFileExtra extra = { .n_replaced = self->n_replaced };
  AsbFileInfo *info;
  gboolean is_told = lines[0] && lines[1];

  if (is_told && self->expected_hash && strcmp (lines[0], "changed") == 0)
    {
      g_propagate_error (error, new_changed (self, lines[1]));
      return NULL;
    }
  if (!is_told || strcmp (lines[0], "done") != 0)
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                   "The sandbox did not say whether it wrote “%s”", self->shown);
      return NULL;
    }
  extra.hash = asb_opensandbox_upload_stream_get_hash (self->body);
  extra.previous_hash = strcmp (lines[1], "-") == 0 ? NULL : lines[1];
  info = asb_opensandbox_file_info_parse (lines[2], self->path, &extra, error);
  if (!info
      || asb_file_info_get_size (info) == asb_opensandbox_upload_stream_get_total (self->body))
    return info;
  g_object_unref (info);
  g_set_error (error, ASB_ERROR, ASB_ERROR_IO, "“%s” has not the size of what was written to it",
               self->shown);
  return NULL;
}

static void
lost_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxWriting *self = user_data;

  asb_opensandbox_litter_remove_finish (ASB_OPENSANDBOX_EXECD (source), result);
  finish (self, NULL, self->error);
}

/* What was begun cleans up itself. What was not, as when the transport was closed, has not, and
 * must not begin. */
static void
committed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxWriting *self = user_data;
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, &self->error);
  g_autoptr (AsbFileInfo) info = NULL;

  if (!done)
    {
      clean_up (self, lost_cb);
      return;
    }
  if (done->exit_status != 0)
    self->error = asb_opensandbox_script_error_new (done->errors, "write", self->path);
  else
    info = new_info (self, done->lines, &self->error);
  finish (self, info, self->error);
}

/* Nothing but the temporary file can have been made of an upload that was lost on its way: what is
 * still there to be read is sent once more, to another name. */
static gboolean
may_repeat (AsbOpensandboxWriting *self)
{
  return !self->is_repeated && !self->pipe && G_IS_SEEKABLE (self->content)
         && asb_opensandbox_error_is_outcome_unknown (self->error)
         && !g_cancellable_is_cancelled (asb_opensandbox_execd_get_cancellable (self->execd));
}

static void send (AsbOpensandboxWriting *self);

static void
place_found_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxWriting *self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AsbOpensandboxScriptResult) done = asb_opensandbox_script_run_finish_well (
      ASB_OPENSANDBOX_EXECD (source), result, NULL, &error);

  if (done && take_place (self, done->lines, &error))
    {
      g_clear_error (&self->error);
      send (self);
    }
  else
    clean_up (self, lost_cb);
}

static void
cleaned_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxWriting *self = user_data;

  asb_opensandbox_litter_remove_finish (ASB_OPENSANDBOX_EXECD (source), result);
  if (may_repeat (self) && g_seekable_seek (G_SEEKABLE (self->content), 0, G_SEEK_SET, NULL, NULL))
    {
      self->is_repeated = TRUE;
      find_place (self, place_found_cb);
    }
  else
    finish (self, NULL, self->error);
}

static void
take_back (AsbOpensandboxWriting *self)
{
  if (!self->error)
    self->error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "Operation was cancelled");
  clean_up (self, cleaned_cb);
}

static void
commit (AsbOpensandboxWriting *self)
{
  gboolean is_new = (self->flags & ASB_FILE_FLAGS_CREATE_ONLY) != 0;
  g_autofree char *mode
      = self->mode >= 0 ? g_strdup_printf ("%o", (guint)self->mode) : g_strdup ("");
  const char *const arguments[] = { self->place.target,
                                    self->place.token,
                                    mode,
                                    is_new ? "1" : "0",
                                    self->expected_hash ? self->expected_hash : "",
                                    NULL };
  g_autofree char *what = asb_opensandbox_script_dup_what ("write", self->path);

  asb_opensandbox_script_run_async (self->execd, COMMIT, arguments, what, NULL, committed_cb, self);
}

static void
uploaded_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxWriting *self = user_data;
  g_autoptr (AsbOpensandboxReply) reply
      = asb_opensandbox_client_send_finish (ASB_OPENSANDBOX_CLIENT (source), result, &self->error);

  asb_opensandbox_watched_leave (self->watched);
  if (self->error && asb_opensandbox_standstill_get_error (self->standstill))
    {
      g_clear_error (&self->error);
      self->error = g_error_copy (asb_opensandbox_standstill_get_error (self->standstill));
      g_prefix_error (&self->error, "“%s” was not written: ", self->shown);
    }
  g_clear_pointer (&self->standstill, asb_opensandbox_standstill_free);

  if (self->error && self->error->domain == ASB_ERROR
      && strstr (self->error->message, "no space left on device"))
    self->error->code = ASB_ERROR_NO_SPACE;
  if (self->error)
    self->error = asb_opensandbox_error_rename (self->error, self->temporary, self->shown);
  if (self->error || (self->pipe && asb_pipe_is_aborted (self->pipe)))
    take_back (self);
  else
    commit (self);
}

/* Whoever writes may take his time, the sandbox may not. */
static void
watch_cb (gboolean is_sending, gpointer data)
{
  AsbOpensandboxWriting *self = data;

  if (is_sending)
    asb_opensandbox_standstill_begin (self->standstill);
  else
    asb_opensandbox_standstill_end (self->standstill);
}

static void
send (AsbOpensandboxWriting *self)
{
  g_autofree char *what = g_strdup_printf ("write “%s”", self->shown);
  g_autoptr (AsbOpensandboxRequest) request
      = asb_opensandbox_execd_new_request (self->execd, "POST", "/files/upload", what);
  g_autofree char *type = NULL;

  g_clear_object (&self->body);
  self->body = asb_opensandbox_upload_stream_new (self->temporary, PRIVATE_MODE, self->content,
                                                  self->size);
  self->standstill = asb_opensandbox_standstill_new_idle (self->execd);
  g_clear_object (&self->watched);
  self->watched = asb_opensandbox_watched_new (G_INPUT_STREAM (self->body), watch_cb, self);
  type = asb_opensandbox_upload_stream_dup_type (self->body);
  asb_opensandbox_request_set_timeout (request, 0);
  asb_opensandbox_request_set_once (request);
  asb_opensandbox_request_set_stream (request, type, G_INPUT_STREAM (self->watched),
                                      asb_opensandbox_upload_stream_get_size (self->body));
  asb_opensandbox_client_send_async (asb_opensandbox_execd_get_client (self->execd), request,
                                     asb_opensandbox_standstill_get_cancellable (self->standstill),
                                     uploaded_cb, self);
}

void
asb_opensandbox_writing_upload (AsbOpensandboxWriting *self, GInputStream *content, gint64 size,
                                AsbPipe *pipe, AsbOpensandboxWritingDone callback, gpointer data)
{
  asb_opensandbox_execd_hold (self->execd);
  self->done = callback;
  self->data = data;
  self->pipe = pipe ? asb_pipe_ref (pipe) : NULL;
  self->content = g_object_ref (content);
  self->size = size;
  send (self);
}
