/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-unpacking.h"

#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-litter.h"
#include "asb-opensandbox-place.h"
#include "asb-opensandbox-script.h"
#include "asb-opensandbox-shell.h"

/* $1 the path, $2 a name nobody has. Says whether the folder comes to be, whether execd is to go by
 * a link, since it would read the name another way, and where the place is. */
#define PREPARE                                                                                    \
  ASB_OPENSANDBOX_PLACE_WAY                                                                        \
  "p=$1\n"                                                                                         \
  "if [ -d \"$p\" ]; then\n"                                                                       \
  "  b=${p%/}\n"                                                                                   \
  "  echo old\n"                                                                                   \
  "elif [ -e \"$p\" ]; then echo 'Not a directory' >&2; exit 1\n"                                  \
  "elif [ -h \"$p\" ]; then echo 'File exists' >&2; exit 1\n"                                      \
  "else\n"                                                                                         \
  "  b=${p%/*}\n"                                                                                  \
  "  [ -z \"$b\" ] || mkdir -p \"$b\" || exit\n"                                                   \
  "  echo new\n"                                                                                   \
  "fi\n"                                                                                           \
  "s=$b/.asb-upload-$2\n"                                                                          \
  "way \"$s\" $2\n"                                                                                \
  "mkdir -m 700 \"$s\" && mkdir \"$s/.asb-$2\" \"$s/f\" || { rm -rf /tmp/.asb-$2; exit 1; }\n"     \
  "printf %s \"$s\" | base64\n"

/* What the lists are made of; see asb-opensandbox-bundle.h. $p is the folder, $s the place, $t what
 * is unpacked in it, where the shell is. */
#define COMMANDS                                                                                   \
  "D () { mkdir -p \"$@\" || exit; }\n"                                                            \
  "V () { mv -f \"$1\" \"$2\" || exit; }\n"                                                        \
  "X () { rm -f \"$@\" || exit; }\n"                                                               \
  "L () { ln \"$1\" \"$2\" || exit; }\n"                                                           \
  "K () { ln -s -- \"$1\" \"$2\" || exit; }\n"                                                     \
  "M () { m=$1; shift; chmod $m \"$@\" || exit; }\n"                                               \
  "T () { m=$1; shift; touch -c -d @$m \"$@\" 2>/dev/null || :; }\n"                               \
  "H () { m=$1; shift; touch -c -h -d @$m \"$@\" 2>/dev/null || :; }\n"                            \
  "O () { [ -d \"$t/$2\" ] || chmod $1 \"$2\" 2>/dev/null || :; }\n"                               \
  "no () { echo \"at $1\"; echo \"$2\" >&2; exit 1; }\n"

/* Whether what would be put in place is what is there. */
#define SAME                                                                                       \
  "same () {\n"                                                                                    \
  "  if [ -h \"$1\" ] || [ -h \"$2\" ]; then\n"                                                    \
  "    [ -h \"$1\" ] && [ -h \"$2\" ] && [ \"$(readlink \"$1\")\" = \"$(readlink \"$2\")\" ]\n"    \
  "  else\n"                                                                                       \
  "    [ -f \"$2\" ] && cmp -s \"$1\" \"$2\"\n"                                                    \
  "  fi\n"                                                                                         \
  "}\n"

/* What arrived is what was sent, if something says so of it, and if there is something that can say
 * so of what arrived. */
#define CHECK                                                                                      \
  "S () { [ \"$(sha256sum <\"$2\")\" = \"$1  -\" ] || { echo checksum; echo \"$2\"; exit 1; }; "   \
  "}\n"                                                                                            \
  "if command -v sha256sum >/dev/null; then\n"                                                     \
  "  if [ -s \"$s/sums\" ] && ! LC_ALL=C sha256sum -c \"$s/sums\" >\"$s/said\" 2>/dev/null; "      \
  "then\n"                                                                                         \
  "    echo checksum\n"                                                                            \
  "    sed -n 's/: FAILED.*//p' \"$s/said\" | head -n 1\n"                                         \
  "    exit 1\n"                                                                                   \
  "  fi\n"                                                                                         \
  "  . \"$s/odd\"\n"                                                                               \
  "fi\n"

/* Counts what is no folder in what is left out. */
#define COUNT                                                                                      \
  "count () {\n"                                                                                   \
  "  [ -d \"$1\" ] && ! [ -h \"$1\" ] || { k=$((k+1)); return 0; }\n"                              \
  "  for f in \"$1\"/* \"$1\"/.[!.]* \"$1\"/..?*; do\n"                                            \
  "    if [ -e \"$f\" ] || [ -h \"$f\" ]; then count \"$f\"; fi\n"                                 \
  "  done\n"                                                                                       \
  "}\n"

/* Looks at each name of one folder, behind the number of the first: what may not be is refused
 * before anything is moved. What is left out is deleted, with all that is in it. */
#define LOOK                                                                                       \
  "look () {\n"                                                                                    \
  "  d=$1 i=$2\n"                                                                                  \
  "  shift 2\n"                                                                                    \
  "  [ -d \"$d\" ] && [ -d \"$p/$d\" ] || return 0\n"                                              \
  "  w=\n"                                                                                         \
  "  [ -w \"$p/$d\" ] && [ -x \"$p/$d\" ] || w='Permission denied'\n"                              \
  "  [ \"$(stat -c %d \"$p/$d\")\" = \"$v\" ] || w='Invalid cross-device link'\n"                  \
  "  while [ $# -gt 0 ]; do\n"                                                                     \
  "    a=$d/$2 b=$p/$d/$2 e=$c\n"                                                                  \
  "    if [ $c = if_changed ]; then\n"                                                             \
  "      e=overwrite\n"                                                                            \
  "      [ $1 = d ] || ! same \"$a\" \"$b\" || e=skip\n"                                           \
  "    fi\n"                                                                                       \
  "    if [ -d \"$b\" ] && ! [ -h \"$b\" ]; then\n"                                                \
  "      case $e$1 in\n"                                                                           \
  "      *d) ;;\n"                                                                                 \
  "      error*) no $i 'File exists' ;;\n"                                                         \
  "      overwrite*) no $i 'Is a directory' ;;\n"                                                  \
  "      *) count \"$a\"; rm -rf \"$a\" ;;\n"                                                      \
  "      esac\n"                                                                                   \
  "    elif [ -e \"$b\" ] || [ -h \"$b\" ]; then\n"                                                \
  "      case $e$1 in\n"                                                                           \
  "      error*) no $i 'File exists' ;;\n"                                                         \
  "      overwrited) no $i 'Not a directory' ;;\n"                                                 \
  "      overwrite*)\n"                                                                            \
  "        [ -h \"$b\" ] || ! [ -f \"$b\" ] || [ -w \"$b\" ] || no $i 'Permission denied'\n"       \
  "        [ -z \"$w\" ] || no $i \"$w\" ;;\n"                                                     \
  "      *) count \"$a\"; rm -rf \"$a\" ;;\n"                                                      \
  "      esac\n"                                                                                   \
  "    elif [ \"$w\" ]; then no $i \"$w\"\n"                                                       \
  "    fi\n"                                                                                       \
  "    shift 2\n"                                                                                  \
  "    i=$((i+1))\n"                                                                               \
  "  done\n"                                                                                       \
  "}\n"

/* Moves them: a folder that was not there with all that is in it. What is in the way is kept aside,
 * by its number, and in “u” stands what has been begun. */
#define MOVE                                                                                       \
  "aside () {\n"                                                                                   \
  "  u=\"$u R$2 \"\n"                                                                              \
  "  if [ -h \"$1\" ]; then mv -T \"$1\" \"$s/o/$2\"\n"                                            \
  "  else ln \"$1\" \"$s/o/$2\" 2>/dev/null || mv \"$1\" \"$s/o/$2\"\n"                            \
  "  fi\n"                                                                                         \
  "}\n"                                                                                            \
  "move () {\n"                                                                                    \
  "  d=$1 i=$2\n"                                                                                  \
  "  shift 2\n"                                                                                    \
  "  [ -d \"$d\" ] || return 0\n"                                                                  \
  "  n=$#\n"                                                                                       \
  "  while [ $n -gt 0 ]; do\n"                                                                     \
  "    a=$d/$2 b=$p/$d/$2\n"                                                                       \
  "    shift 2\n"                                                                                  \
  "    n=$((n-2))\n"                                                                               \
  "    if ! [ -e \"$a\" ] && ! [ -h \"$a\" ]; then :\n"                                            \
  "    elif [ -d \"$b\" ] && ! [ -h \"$b\" ]; then :\n"                                            \
  "    elif [ -h \"$b\" ]; then aside \"$b\" $i && mv -f -T \"$a\" \"$b\" || fail; r=$((r+1))\n"   \
  "    elif [ -e \"$b\" ]; then aside \"$b\" $i && mv -f \"$a\" \"$b\" || fail; r=$((r+1))\n"      \
  "    else set -- \"$@\" \"$a\"; u=\"$u N$i \"\n"                                                 \
  "    fi\n"                                                                                       \
  "    i=$((i+1))\n"                                                                               \
  "  done\n"                                                                                       \
  "  [ $# -gt 0 ] || return 0\n"                                                                   \
  "  mv -n \"$@\" \"$p/$d/\" || fail\n"                                                            \
  "  for a; do\n"                                                                                  \
  "    if [ -e \"$a\" ] || [ -h \"$a\" ]; then echo 'File exists' >&2; fail; fi\n"                 \
  "  done\n"                                                                                       \
  "}\n"

/* Takes back what has been moved when not all of it could be. What cannot be put back is there only
 * in the place, which is kept then by another name, and named. */
#define UNDO                                                                                       \
  "undo () {\n"                                                                                    \
  "  d=$1 i=$2\n"                                                                                  \
  "  shift 2\n"                                                                                    \
  "  while [ $# -gt 0 ]; do\n"                                                                     \
  "    a=$d/$2 b=$p/$d/$2\n"                                                                       \
  "    shift 2\n"                                                                                  \
  "    case $u in\n"                                                                               \
  "    *\" R$i \"*)\n"                                                                             \
  "      if ! [ -e \"$s/o/$i\" ] && ! [ -h \"$s/o/$i\" ]; then :\n"                                \
  "      elif [ \"$s/o/$i\" -ef \"$b\" ] || mv -f -T \"$s/o/$i\" \"$b\"; then :\n"                 \
  "      else z=1\n"                                                                               \
  "      fi ;;\n"                                                                                  \
  "    *\" N$i \"*) [ -e \"$a\" ] || [ -h \"$a\" ] || mv -T \"$b\" \"$a\" ;;\n"                    \
  "    esac\n"                                                                                     \
  "    i=$((i+1))\n"                                                                               \
  "  done\n"                                                                                       \
  "}\n"                                                                                            \
  "keep () {\n"                                                                                    \
  "  e=${s%/*}/.asb-kept-${t##*/.asb-}\n"                                                          \
  "  mv -T \"$s\" \"$e\" 2>/dev/null || e=$s\n"                                                    \
  "  s=/tmp/.asb-${t##*/.asb-}\n"                                                                  \
  "  echo kept\n"                                                                                  \
  "  printf %s \"$e\" | base64\n"                                                                  \
  "}\n"                                                                                            \
  "fail () {\n"                                                                                    \
  "  z=\n"                                                                                         \
  "  n () { undo \"$@\"; }\n"                                                                      \
  "  { . \"$s/pairs\"; } >/dev/null 2>&1\n"                                                        \
  "  [ -z \"$z\" ] || keep\n"                                                                      \
  "  exit 1\n"                                                                                     \
  "}\n"

/* $1 the place, $2 the name nobody has, $3 the path, $4 “new” or “old”, $5 what becomes of what is
 * in the way. Says how many were replaced and left out. Who makes “begun” decides about the place.
 */
#define COMMIT                                                                                     \
  "s=$1 p=$3 c=$5 t=$1/.asb-$2 r=0 k=0 u=\n"                                                       \
  "mkdir \"$s/begun\" || exit\n"                                                                   \
  "trap 'asb_end; rm -rf \"$s\" /tmp/.asb-'$2 EXIT\n"                                              \
  "cd \"$t\" || exit\n"                                                                            \
  "[ -f \"$s/last\" ] || { echo 'what was uploaded is gone, but for' $(ls \"$s\") >&2; exit 1; "   \
  "}\n" COMMANDS SAME COUNT LOOK MOVE UNDO "mkdir \"$s/o\" || exit\n"                              \
  ". \"$s/list\"\n" CHECK "if [ $4 = new ]; then\n"                                                \
  "  if [ -e \"$p\" ] || [ -h \"$p\" ]; then echo 'File exists' >&2; exit 1; fi\n"                 \
  "  mv \"$t\" \"$p\" || exit\n"                                                                   \
  "  if [ -d \"$p/.asb-$2\" ]; then\n"                                                             \
  "    rm -rf \"$p/.asb-$2\"\n"                                                                    \
  "    echo 'File exists' >&2\n"                                                                   \
  "    exit 1\n"                                                                                   \
  "  fi\n"                                                                                         \
  "else\n"                                                                                         \
  "  v=$(stat -c %d .)\n"                                                                          \
  "  n () { look \"$@\"; }\n"                                                                      \
  "  . \"$s/pairs\"\n"                                                                             \
  "  n () { move \"$@\"; }\n"                                                                      \
  "  . \"$s/pairs\"\n"                                                                             \
  "fi\n"                                                                                           \
  "cd \"$p\" && . \"$s/last\"\n"                                                                   \
  "echo \"done $r $k\"\n"

/* execd may still be about to write. */
#define CLEAN_UP                                                                                   \
  "rm -rf \"$1\" /tmp/.asb-$2\n"                                                                   \
  "rm -rf \"$1\"\n"

/* Where the answer to PREPARE was lost: $1 the path, $2 the name. */
#define ABANDON "rm -rf \"${1%/}/.asb-upload-$2\" \"${1%/*}/.asb-upload-$2\" /tmp/.asb-$2\n"

/* Whether it will never be begun. */
#define PREVENT                                                                                    \
  "if mkdir \"$1/begun\" 2>/dev/null; then rm -rf \"$1\" /tmp/.asb-$2; echo prevented; fi\n"

/* Of the name of a member, as the sandbox tells it. */
#define MAX_NAME_SHOWN 256

#define WHAT "make a place to unpack in"

struct _AsbOpensandboxUnpacking
{
  AsbOpensandboxExecd *execd;
  char *path;
  AsbArchiveConflict conflict;
  AsbOpensandboxBounds bounds;
  AsbOpensandboxPlace place;
  gboolean is_new;

  AsbPipe *pipe;
  AsbOpensandboxUnpacker *unpacker;
  GError *error;
  AsbOpensandboxUnpackingReady ready;
  AsbOpensandboxUnpackingDone done;
  gpointer data;
};

static void
unpacking_free (AsbOpensandboxUnpacking *self)
{
  g_clear_pointer (&self->unpacker, asb_opensandbox_unpacker_free);
  g_clear_pointer (&self->pipe, asb_pipe_unref);
  g_clear_object (&self->execd);
  g_clear_error (&self->error);
  g_free (self->path);
  asb_opensandbox_place_clear (&self->place);
  g_free (self);
}

static void
finish (AsbOpensandboxUnpacking *self, AsbArchiveResult *result)
{
  self->done (result, self->error, self->data);
  asb_opensandbox_execd_release (self->execd);
  unpacking_free (self);
}

/* The place. */

static gboolean
take_place (AsbOpensandboxUnpacking *self, char **lines, GError **error)
{
  g_autofree char *shown = asb_opensandbox_shell_show_path (self->path);

  self->is_new = g_strcmp0 (lines[0], "new") == 0;
  return asb_opensandbox_place_take (&self->place, lines[0] ? lines + 1 : lines, "unpack into",
                                     shown, error);
}

static void
refuse (AsbOpensandboxUnpacking *self)
{
  self->ready (NULL, self->error, self->data);
  unpacking_free (self);
}

static void
abandoned_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxUnpacking *self = user_data;

  asb_opensandbox_litter_remove_finish (ASB_OPENSANDBOX_EXECD (source), result);
  refuse (self);
}

/* The place may be there all the same. */
static void
abandon (AsbOpensandboxUnpacking *self)
{
  const char *const arguments[] = { self->path, self->place.token, NULL };

  asb_opensandbox_litter_remove_async (self->execd, ABANDON, arguments, abandoned_cb, self);
}

static void
prepared_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxUnpacking *self = user_data;
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, &self->error);

  if (!done)
    abandon (self);
  else if (done->exit_status == 0 && take_place (self, done->lines, &self->error))
    self->ready (self, NULL, self->data);
  else
    {
      if (!self->error)
        self->error = asb_opensandbox_script_error_new (done->errors, WHAT, self->path);
      refuse (self);
    }
}

void
asb_opensandbox_unpacking_prepare (AsbOpensandboxExecd *execd,
                                   const AsbOpensandboxUnpackingRules *rules,
                                   AsbOpensandboxUnpackingReady callback, gpointer data)
{
  AsbOpensandboxUnpacking *self = g_new0 (AsbOpensandboxUnpacking, 1);
  const char *arguments[] = { rules->path, NULL, NULL };

  self->execd = g_object_ref (execd);
  self->path = g_strdup (rules->path);
  self->conflict = rules->conflict;
  self->bounds = rules->bounds;
  asb_opensandbox_place_begin (&self->place);
  self->ready = callback;
  self->data = data;
  arguments[1] = self->place.token;
  asb_opensandbox_script_run_async (execd, PREPARE, arguments, WHAT, NULL, prepared_cb, self);
}

/* The end. */

static void
cleaned_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxUnpacking *self = user_data;
  gboolean is_gone = asb_opensandbox_litter_remove_finish (ASB_OPENSANDBOX_EXECD (source), result);

  if (!g_error_matches (self->error, G_IO_ERROR, G_IO_ERROR_CANCELLED) && !is_gone)
    {
      g_autofree char *shown = asb_opensandbox_shell_show_path (self->place.target);
      g_autofree char *message = g_strdup_printf ("%s; what was uploaded may still be in “%s”",
                                                  self->error->message, shown);

      g_free (self->error->message);
      self->error->message = g_steal_pointer (&message);
    }
  finish (self, NULL);
}

static void
clean_up (AsbOpensandboxUnpacking *self)
{
  const char *const arguments[] = { self->place.target, self->place.token, NULL };

  asb_opensandbox_litter_remove_async (self->execd, CLEAN_UP, arguments, cleaned_cb, self);
}

/* “at N” before what went wrong. */
static char *
dup_culprit (AsbOpensandboxUnpacking *self, char **lines)
{
  const char *name = NULL;
  guint64 number;

  if (lines[0] && g_str_has_prefix (lines[0], "at ")
      && g_ascii_string_to_unsigned (lines[0] + strlen ("at "), 10, 0, G_MAXUINT, &number, NULL))
    name = asb_opensandbox_unpacker_get_name (self->unpacker, number);
  return g_strdup (name ? name : self->path);
}

static gboolean
parse_counts (char **lines, guint64 *n_replaced, guint64 *n_skipped, GError **error)
{
  g_auto (GStrv) words = lines[0] ? g_strsplit (lines[0], " ", -1) : NULL;

  if (words && g_strv_length (words) == 3 && g_str_equal (words[0], "done")
      && g_ascii_string_to_unsigned (words[1], 10, 0, G_MAXUINT, n_replaced, NULL)
      && g_ascii_string_to_unsigned (words[2], 10, 0, G_MAXUINT, n_skipped, NULL))
    return TRUE;
  g_set_error_literal (error, ASB_ERROR, ASB_ERROR_PROTOCOL,
                       "The sandbox did not say whether it unpacked the archive");
  return FALSE;
}

static void
prevented_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxUnpacking *self = user_data;
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, NULL);
  g_autofree char *shown = asb_opensandbox_shell_show_path (self->path);

  if (done && g_strcmp0 (done->lines[0], "prevented") == 0)
    {
      g_clear_error (&self->error);
      self->error = g_error_new (ASB_ERROR, ASB_ERROR_INTERRUPTED,
                                 "Could not unpack into “%s”: the connection was lost before it "
                                 "began; nothing was unpacked",
                                 shown);
    }
  finish (self, NULL);
}

/* What was begun goes on whoever listens, and cleans up itself; what was not must not begin. */
static void
prevent (AsbOpensandboxUnpacking *self)
{
  const char *const arguments[] = { self->place.target, self->place.token, NULL };
  g_autoptr (AsbOpensandboxExecd) beside = asb_opensandbox_execd_new_beside (self->execd);

  asb_opensandbox_script_ask_async (beside, PREVENT, arguments, "delete what was uploaded", NULL,
                                    prevented_cb, self);
}

/* @name: (nullable) */
static GError *
new_checksum_error (AsbOpensandboxUnpacking *self, const char *name)
{
  g_autofree char *shown = NULL;

  if (!name)
    name = self->path;
  else if (g_str_has_prefix (name, "./"))
    name += 2;
  shown = asb_opensandbox_error_dup_text (name, strlen (name), MAX_NAME_SHOWN);
  return g_error_new (ASB_ERROR, ASB_ERROR_UPLOAD_CHECKSUM_MISMATCH,
                      "Could not unpack “%s”: what arrived is not what was sent; nothing was "
                      "unpacked",
                      shown);
}

/* “kept”, and where, when it could not all be put back. */
static void
tell_what_is_kept (AsbOpensandboxUnpacking *self, char **lines)
{
  g_autoptr (GBytes) place = NULL;
  g_autofree char *path = NULL;
  g_autofree char *shown = NULL;
  char *message = self->error->message;

  if (g_strcmp0 (lines[0], "kept") != 0)
    return;
  place = asb_opensandbox_script_decode (lines, 1, NULL, NULL);
  if (!place)
    return;
  path = g_strndup (g_bytes_get_data (place, NULL), g_bytes_get_size (place));
  shown = asb_opensandbox_shell_show_path (path);
  self->error->message
      = g_strdup_printf ("%s; what could not be put back is in “%s”", message, shown);
  g_free (message);
}

static void
committed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  AsbOpensandboxUnpacking *self = user_data;
  g_autoptr (AsbOpensandboxScriptResult) done
      = asb_opensandbox_script_run_finish (ASB_OPENSANDBOX_EXECD (source), result, &self->error);
  g_autoptr (AsbArchiveResult) unpacked = NULL;
  guint64 n_replaced;
  guint64 n_skipped;

  if (!done)
    {
      prevent (self);
      return;
    }
  if (done->exit_status != 0 && g_strcmp0 (done->lines[0], "checksum") == 0)
    self->error = new_checksum_error (self, done->lines[1]);
  else if (done->exit_status != 0)
    {
      g_autofree char *culprit = dup_culprit (self, done->lines);

      self->error = asb_opensandbox_script_error_new (done->errors, "unpack", culprit);
      tell_what_is_kept (self, done->lines);
    }
  else if (parse_counts (done->lines, &n_replaced, &n_skipped, &self->error))
    unpacked = asb_opensandbox_unpacker_new_result (self->unpacker, n_replaced, n_skipped);
  finish (self, unpacked);
}

static void
commit (AsbOpensandboxUnpacking *self)
{
  static const char *const conflicts[] = { "error", "overwrite", "skip", "if_changed" };
  const char *const arguments[]
      = { self->place.target,           self->place.token,         self->path,
          self->is_new ? "new" : "old", conflicts[self->conflict], NULL };

  asb_opensandbox_script_run_async (self->execd, COMMIT, arguments, "unpack the archive", NULL,
                                    committed_cb, self);
}

static void
uploaded_cb (const GError *error, gpointer data)
{
  AsbOpensandboxUnpacking *self = data;

  if (error)
    {
      self->error = g_error_copy (error);
      clean_up (self);
    }
  else
    commit (self);
}

void
asb_opensandbox_unpacking_run (AsbOpensandboxUnpacking *self, AsbPipe *pipe,
                               AsbOpensandboxUnpackingDone callback, gpointer data)
{
  GCancellable *closed = asb_opensandbox_execd_get_cancellable (self->execd);
  g_autofree char *remote = asb_opensandbox_place_dup_remote (&self->place, self->place.target);
  const AsbOpensandboxUnpackerPlace place
      = { self->path, remote, self->place.token, self->is_new, closed };

  asb_opensandbox_execd_hold (self->execd);
  self->done = callback;
  self->data = data;
  self->pipe = asb_pipe_ref (pipe);
  self->unpacker = asb_opensandbox_unpacker_start (self->execd, pipe, &place, &self->bounds,
                                                   uploaded_cb, self);
}
