/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-guest-script.h"

#include <asb.h>
#include <string.h>

#include "asb-opensandbox-error.h"
#include "asb-opensandbox-json.h"
#include "asb-opensandbox-shell.h"

#define NEWS "asb-guest: "
#define MAX_LINE 4096
#define MAX_SHOWN 400

/* $g: where the program should be. $g becomes where it is: there, or where there was room when
 * there was none there. What others put under its name does not count. */
static const char FIND[]
    = "b=${g##*/}\n"
      "case ${HOME:-/} in /) h= ;; *) h=$HOME/.agent-history ;; esac\n"
      "[ -x \"$g\" ] || u=$(id -u 2>/dev/null)\n"
      "[ -x \"$g\" ] || for d in \"$h\" \"/tmp/.agent-history-$u\"; do\n"
      "  if [ -n \"$d\" ] && [ -O \"$d\" ] && [ -O \"$d/bin/$b\" ] && [ -x \"$d/bin/$b\" ]; then\n"
      "    g=$d/bin/$b\n"
      "    break\n"
      "  fi\n"
      "done\n"
      "case $g in /.agent-history/bin/*) set -- ;;\n"
      "*) set -- --socket \"${g%/bin/*}/run/guest-1.sock\" ;;\n"
      "esac\n";

/* $t: what was sent, $s bytes; $p: its place; $k: the beginning of its hash. What cannot be looked
 * at in an image without sha256sum is at least as long as it should be. */
static const char UNPACK_BEGIN[]
    = "same () {\n"
      "  if command -v sha256sum >/dev/null 2>&1; then\n"
      "    n=$(sha256sum <\"$t\") && case $n in \"$k\"*) ;; *) false ;; esac\n"
      "  else\n"
      "    n=$(wc -c <\"$t\") && [ \"$((n))\" = \"$s\" ]\n"
      "  fi\n"
      "}\n"
      "[ -x \"$g\" ] || { same && ";
static const char UNPACK_END[] = " && mv -f \"$t\" \"$p\"; } 2>/dev/null\n"
                                 "[ ! -e \"$t\" ] || rm -f \"$t\"\n";
static const char OPEN[] = "chmod 755 \"$t\"";
/* execd makes folders that everybody may look into. */
static const char OPEN_NEW[] = "chmod 700 \"$t\" \"${p%/*}\" \"${p%/bin/*}\"";

/* execd may tell the end of a PTY's shell before it tells the last of its words: whoever speaks by
 * a PTY stays until the session is taken down. */
#define STAY "read -r e; exit 0\n"

/* Where it would have a place: whether it could run there is tried with something smaller. */
static const char OR_SAY_WHERE[]
    = "[ -x \"$g\" ] || {\n"
      "  f= m=$(uname -m 2>/dev/null)\n"
      "  for d in \"${g%/bin/*}\" \"$h\" \"/tmp/.agent-history-$u\"; do\n"
      "    [ -n \"$d\" ] && (umask 077; mkdir -p \"$d/bin\") 2>/dev/null || continue\n"
      "    [ -O \"$d\" ] || continue\n"
      "    t=$d/bin/.try-$$\n"
      "    (printf '#!/bin/sh\\n' >\"$t\" && chmod 700 \"$t\" && \"$t\") 2>/dev/null\n"
      "    e=$?\n"
      "    rm -f \"$t\" 2>/dev/null\n"
      "    if [ $e = 0 ]; then f=$d; break; fi\n"
      "  done\n"
      "  if [ -n \"$f\" ]; then n=missing; else n=nowhere; fi\n"
      "  printf 'asb-guest: %s %s %s\\n' $n \"$m\" \"$f\" >&$o\n"
      "  [ $o = 1 ] || read -r e\n"
      "  exit 0\n"
      "}\n";

/* The token comes in a variable that no command of the guest gets to see, and stands in nothing
 * that is kept. */
static const char SERVE[]
    = "printf '%s\\n' \"$" ASB_OPENSANDBOX_TOKEN_VARIABLE "\" | {\n"
      "  unset " ASB_OPENSANDBOX_TOKEN_VARIABLE "\n"
      "  exec \"$g\" serve --listen 0 --daemon --token-fd 3 \"$@\" 3<&0 </dev/null\n"
      "}\n"
      "e=$?\n"
      "[ $e = 0 ] || printf 'asb-guest: failed %s %s\\n' $e \"$(uname -m 2>/dev/null)\"\n";

static const char CONNECT[]
    = "\"$g\" --version >/dev/null </dev/null || {\n"
      "  printf 'asb-guest: failed %s %s\\n' $? \"$(uname -m 2>/dev/null)\" >&2\n"
      "  " STAY "}\n"
      "printf 'asb-guest: ready\\n' >&2\n"
      "exec \"$g\" connect \"$@\"\n";

static const char RUN[] = "command -v \"$1\" >/dev/null 2>&1 || {\n"
                          "  printf 'asb-guest: missing unknown \\n' >&2\n"
                          "  " STAY "}\n"
                          "printf 'asb-guest: ready\\n' >&2\n"
                          "exec \"$@\"\n";

static void
append_variable (GString *script, const char *name, const char *value)
{
  g_string_append (script, name);
  g_string_append_c (script, '=');
  asb_opensandbox_shell_append_word (script, value);
  g_string_append_c (script, '\n');
}

static void
append_arrival (GString *script, const char *program, const AsbOpensandboxArrival *arrival)
{
  const char *hash = strrchr (program, '-');

  append_variable (script, "t", arrival->temporary);
  append_variable (script, "p", arrival->path);
  append_variable (script, "k", hash ? hash + 1 : "");
  g_string_append_printf (script, "s=%" G_GSIZE_FORMAT "\n", arrival->size);
  g_string_append (script, UNPACK_BEGIN);
  g_string_append (script, arrival->is_guess ? OPEN_NEW : OPEN);
  g_string_append (script, UNPACK_END);
}

static char *
new_script (const char *program, int fd, const AsbOpensandboxArrival *arrival, const char *rest)
{
  GString *script = g_string_new (NULL);

  g_string_append_printf (script, "o=%d\n", fd);
  append_variable (script, "g", program);
  if (arrival)
    append_arrival (script, program, arrival);
  g_string_append (script, FIND);
  g_string_append (script, OR_SAY_WHERE);
  g_string_append (script, rest);
  return g_string_free (script, FALSE);
}

char *
asb_opensandbox_guest_script_new_serve (const char *program, const AsbOpensandboxArrival *arrival)
{
  return new_script (program, 1, arrival, SERVE);
}

char *
asb_opensandbox_guest_script_new_connect (const char *program)
{
  return new_script (program, 2, NULL, CONNECT);
}

char *
asb_opensandbox_guest_script_new_program (const char *const *argv)
{
  GString *script = g_string_new (NULL);

  asb_opensandbox_shell_append_arguments (script, argv);
  g_string_append (script, RUN);
  return g_string_free (script, FALSE);
}

void
asb_opensandbox_guest_news_clear (AsbOpensandboxGuestNews *self)
{
  g_free (self->architecture);
  g_free (self->folder);
  *self = (AsbOpensandboxGuestNews){ 0 };
}

/* {"port": N, …} */
static gboolean
parse_door (AsbOpensandboxGuestNews *news, const char *line, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (line, size);
  g_autoptr (JsonObject) object
      = asb_opensandbox_json_parse_object (bytes, "the line of the guest", NULL);
  gint64 port = 0;

  if (!object || !asb_opensandbox_json_get_int (object, "port", TRUE, &port, NULL) || port < 1
      || port > G_MAXUINT16)
    return FALSE;
  news->state = ASB_OPENSANDBOX_GUEST_LISTENS;
  news->port = (guint)port;
  return TRUE;
}

static char *
dup_word (const char *word, const char *fallback)
{
  gboolean plain = word && *word && strlen (word) <= 32;

  for (const char *at = word; plain && *at; at++)
    plain = g_ascii_isalnum (*at) || *at == '_' || *at == '-' || *at == '.';
  return g_strdup (plain ? word : fallback);
}

gboolean
asb_opensandbox_guest_news_parse (AsbOpensandboxGuestNews *news, const char *line, gsize size)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) words = NULL;
  guint n;

  if (size > MAX_LINE)
    return FALSE;
  if (size > 0 && line[0] == '{')
    return parse_door (news, line, size);
  text = g_strndup (line, size);
  if (!g_str_has_prefix (text, NEWS) || !g_utf8_validate (text, -1, NULL))
    return FALSE;
  words = g_strsplit (g_strchomp (text) + strlen (NEWS), " ", 3);
  n = g_strv_length (words);
  if (n == 1 && g_str_equal (words[0], "ready"))
    news->state = ASB_OPENSANDBOX_GUEST_READY;
  else if (n >= 2 && g_str_equal (words[0], "missing"))
    news->state = ASB_OPENSANDBOX_GUEST_MISSING;
  else if (n >= 2 && g_str_equal (words[0], "nowhere"))
    news->state = ASB_OPENSANDBOX_GUEST_NOWHERE;
  else if (n >= 2 && g_str_equal (words[0], "failed"))
    news->state = ASB_OPENSANDBOX_GUEST_FAILED;
  else
    return FALSE;
  if (news->state == ASB_OPENSANDBOX_GUEST_FAILED)
    news->status = (guint)g_ascii_strtoull (words[1], NULL, 10);
  if (n >= 2)
    news->architecture
        = dup_word (words[news->state == ASB_OPENSANDBOX_GUEST_FAILED ? 2 : 1], "unknown");
  if (news->state == ASB_OPENSANDBOX_GUEST_MISSING && n == 3 && words[2][0] == '/')
    news->folder = g_strdup (words[2]);
  return TRUE;
}

/* A folder of its own keeps the layout of the usual one. */
char *
asb_opensandbox_guest_news_dup_place (const AsbOpensandboxGuestNews *news, const char *program)
{
  g_autofree char *name = g_path_get_basename (program);

  if (news->state != ASB_OPENSANDBOX_GUEST_MISSING || !news->folder)
    return NULL;
  return g_build_filename (news->folder, "bin", name, NULL);
}

static GError *
new_missing (const AsbOpensandboxGuestNews *news, const char *program)
{
  g_autofree char *place = asb_opensandbox_guest_news_dup_place (news, program);
  const char *path = place ? place : program;
  g_autofree char *message = g_strdup_printf ("There is no program “%s” in the sandbox", program);
  g_autoptr (AsbErrorInfo) info = asb_error_info_new ();
  GVariantDict details;

  g_variant_dict_init (&details, NULL);
  g_variant_dict_insert (&details, "guest_path", "s", path);
  asb_error_info_set_details (info, g_variant_dict_end (&details));
  return asb_error_new_with_info (ASB_ERROR_COMMAND_NOT_FOUND, message, info);
}

static GError *
new_failed (const AsbOpensandboxGuestNews *news, const char *errors)
{
  g_autofree char *shown
      = errors ? asb_opensandbox_error_dup_text (errors, strlen (errors), MAX_SHOWN) : NULL;

  return g_error_new (ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE,
                      "The guest could not be started in the sandbox (processor %s): it ended with "
                      "status %u%s%s",
                      news->architecture, news->status, shown && *shown ? ": " : "",
                      shown ? shown : "");
}

GError *
asb_opensandbox_guest_news_to_error (const AsbOpensandboxGuestNews *news, const char *program,
                                     const char *errors)
{
  switch (news->state)
    {
    case ASB_OPENSANDBOX_GUEST_LISTENS:
    case ASB_OPENSANDBOX_GUEST_READY:
      return NULL;
    case ASB_OPENSANDBOX_GUEST_MISSING:
      return new_missing (news, program);
    case ASB_OPENSANDBOX_GUEST_NOWHERE:
      return g_error_new_literal (
          ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE,
          "There is no place for the guest in the sandbox: “/”, the home directory and “/tmp” are "
          "read-only, or nothing may be executed there");
    case ASB_OPENSANDBOX_GUEST_FAILED:
      return new_failed (news, errors);
    default:
      return g_error_new_literal (ASB_ERROR, ASB_ERROR_GUEST_UNAVAILABLE,
                                  "The shell of the sandbox said nothing of the guest, as where "
                                  "there is no room in its /tmp, in which execd keeps that");
    }
}
